"""Content-seen: pages that show what another page of their site has shown, wholly or nearly."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, NamedTuple

from mediacrawl.extract import Fingerprint
from mediacrawl.notes import Notes
from mediacrawl.records import Drop
from mediacrawl.scope.site_notes import SiteNotes

_SAVED_EVERY = 8
"""Pages of a site after which its note is written: a write for each would be 6 KB a page."""


class Shown(NamedTuple):
    """What is kept of a page's `Fingerprint`; `shape` is 0 if nobody has asked for it."""

    text: int
    media: int
    shape: int

    @classmethod
    def of(cls, shown: Fingerprint) -> Shown:
        """All of it."""
        return cls(shown.text, shown.media, shown.shape)

    def is_near(self, other: Shown, bits: int) -> bool:
        """Tell whether two texts differ in at most so many bits of their simhash, and refer to the same media."""
        alike = (self.shape ^ other.shape).bit_count() <= bits
        return alike and bool(self.shape and other.shape) and self.media == other.media


class Copies:
    """The last pages of each site, to compare a new one with.

    A copy is no new page, so it is not kept. Each site has its own pages: the same text on two sites may be a licence.
    A near copy has nearly the same length as well, so the shape of a page is only made if another is as long; of a
    series of near copies the first two are kept.

    On disk: one note per site in the room ``copies``, 36 bytes a page, written with every eighth: a kill loses at most
    the last seven of each site.

    Args:
        notes: where it outlives the process.
        pages: of a site that are kept.
        bits: of 64, in which the simhash of a near copy may differ. Manku, Jain and Das Sarma (WWW 2007) found 3 best.
        length: bytes of text below which no page is a near copy: there three bits are too few to mean anything.
    """

    def __init__(self, notes: Notes, pages: int = 200, bits: int = 3, length: int = 500) -> None:
        self._sites = SiteNotes(notes, "copies", _Pages.load, _Pages.dump, every=_SAVED_EVERY, size=2000)
        self._pages = pages
        self._bits = bits
        self._length = length

    def judge(self, site: str, key: int, shown: Fingerprint) -> Drop | None:
        """Return what a page is if another page has shown the same, or None; then it is kept.

        Args:
            site: as `site_of` names it.
            key: 64-bit hash of the page's URL. A page is no copy of itself when it is read again.
            shown: what it shows.
        """
        pages = self._sites.get(site)
        if shown.text in pages.texts:
            return None if pages.keys[pages.texts.index(shown.text)] == key else Drop.DUPLICATE
        shape = 0
        if shown.length >= self._length and (alike := pages.as_long(key, shown)):
            shape = shown.shape
            if any((shape ^ pages.shapes[place]).bit_count() <= self._bits for place in alike):
                return Drop.NEAR_DUPLICATE
        pages.keep(key, shown, shape, self._pages)
        self._sites.save(site)
        return None

    def find(self, site: str, key: int) -> Shown | None:
        """What a page of a site showed, if it is kept.

        Args:
            site: as `site_of` names it.
            key: 64-bit hash of its URL.
        """
        pages = self._sites.get(site)
        if key not in pages.keys:
            return None
        place = pages.keys.index(key)
        return Shown(pages.texts[place], pages.media[place], pages.shapes[place])


@dataclass(slots=True)
class _Pages:
    """The pages of a site, the oldest first. Arrays of numbers: a fifth of the memory that Python's objects take."""

    keys: array[int]
    texts: array[int]
    media: array[int]
    shapes: array[int]
    lengths: array[int]

    @classmethod
    def load(cls, kept: Any) -> _Pages:
        keys, texts, media, shapes, lengths = map(array, "QQQQI", kept or (b"",) * 5)
        if not len(keys) == len(texts) == len(media) == len(shapes) == len(lengths):
            raise ValueError("not the pages of a site")
        return cls(keys, texts, media, shapes, lengths)

    def dump(self) -> list[bytes]:
        return [column.tobytes() for column in self._columns]

    @property
    def _columns(self) -> tuple[array[int], ...]:
        return self.keys, self.texts, self.media, self.shapes, self.lengths

    def as_long(self, key: int, shown: Fingerprint) -> list[int]:
        """Places of the pages with the same media whose text is as long, give or take a fiftieth."""
        spare = shown.length // 50
        least, most = shown.length - spare, shown.length + spare
        alike = [place for place, length in enumerate(self.lengths) if least <= length <= most]
        return [place for place in alike if self.media[place] == shown.media and self.keys[place] != key]

    def keep(self, key: int, shown: Fingerprint, shape: int, pages: int) -> None:
        row = (key, shown.text, shown.media, shape, shown.length)
        for column, number in zip(self._columns, row, strict=True):
            column.append(number)
            del column[:-pages]
