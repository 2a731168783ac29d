"""Pages that show what another page of their site has shown, wholly or nearly; and soft 404s.

A page may name its original (``<link rel="canonical">`` or the header). The claim is often wrong: on some sites every
page names the front page, the second page of a list names the first, and templates hold other sites' URLs. So it never
decides alone. The named URL is added as any link. Only of a near copy (`Copies`) that also names another URL
of its host the links are dropped, except the named URL and links to media (`is_named_copy`). The front page counts as
an original only for itself under another query. In records the page of a file is where it was found, never what that
page names.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple
from zlib import crc32

from mediacrawl.base.notes import Notes
from mediacrawl.base.terms import Drop
from mediacrawl.extract import Fingerprint
from mediacrawl.priority.link_class import shape
from mediacrawl.scope.canonical import Spelling
from mediacrawl.scope.extensions import MEDIA_EXTENSIONS, extension_of
from mediacrawl.scope.site_notes import SiteNotes
from mediacrawl.scope.sites import host_of, site_of

_LINES = 6
"""Bits of 64 in which the sketches of rare lines of near copies may differ: some three lines. The simhash alone
measures shares: ten new titles below a menu of 500 lines would not change it."""
_SPARE = 200
"""Bytes by which the texts of near copies may differ in length, a fiftieth of the text at most."""
_OF_A_LIST = 20
"""Pages with the same text and other links that are no copies of each other; or a fifth of the kept ones."""
_SHAPES = 32
"""Shapes of copies that are kept for each site."""


def hash64(data: bytes) -> int:
    """Return the first 64 bits of SHA-256. The same in every process."""
    return int.from_bytes(sha256(data).digest()[:8], "big")


class Shown(NamedTuple):
    """The part of a `Fingerprint` that is kept; `shape` is 0 if it was not computed."""

    text: int
    media: int
    shape: int
    lines: int

    @classmethod
    def of(cls, shown: Fingerprint) -> Shown:
        """Return all of a fingerprint."""
        return cls(shown.text, shown.media, shown.shape, shown.lines)

    def is_near(self, other: Shown, bits: int) -> bool:
        """Tell whether two pages have the same media and differ in a few lines, a small share of their text."""
        if self.media != other.media or not (self.shape and other.shape):
            return False
        return (self.shape ^ other.shape).bit_count() <= bits and (self.lines ^ other.lines).bit_count() <= _LINES


class Copies:
    """The last pages of each site, with which new ones are compared.

    A copy is not kept itself. Pages are compared within a site only: the same text on two sites may be a licence. A
    near copy has nearly the same length as well, so the simhash of a page is computed only if another page is as long;
    of a series of near copies the first two are kept.

    On disk: one note per site in the namespace ``copies``, 44 bytes a page. A kill loses up to seven pages of each
    site, a clean stop none (`save`).

    Args:
        notes: where it outlives the process.
        pages: of a site that are kept.
        bits: of 64, in which the simhash of a near copy may differ. Manku, Jain and Das Sarma (WWW 2007) found 3 best.
        length: bytes of text below which no page is a near copy: there three bits mean nothing.
    """

    def __init__(self, notes: Notes, pages: int = 200, bits: int = 3, length: int = 500) -> None:
        self._sites = SiteNotes(notes, "copies", _Pages.load, _Pages.dump, size=2000)
        self._pages = pages
        self._bits = bits
        self._length = length

    def judge(self, site: str, url: str, shown: Fingerprint) -> Drop | None:
        """Return the reason if a page is a copy of another one, or None; then it is kept."""
        pages, key = self._sites.get(site), hash64(url.encode())
        is_known = shown.text in pages.texts
        if is_known and pages.keys[pages.texts.index(shown.text)] == key:
            return None
        reason = Drop.DUPLICATE if is_known else self._near(pages, key, shown)
        if reason is None:
            pages.keep(key, shown, self._pages)
            self._sites.save(site)
        elif pages.learn_shape(_shape(url)):
            self._sites.save(site)
        return reason

    def _near(self, pages: _Pages, key: int, shown: Fingerprint) -> Drop | None:
        if shown.length < self._length or not (alike := pages.as_long(key, shown)):
            return None
        page, text = Shown.of(shown), (shown.shape, shown.lines, shown.length)
        same = sum((pages.shapes[place], pages.lines[place], pages.lengths[place]) == text for place in alike)
        if page.lines and same:
            # The pages of a list differ in their links alone, and lead to others; those of a trap lead to their like.
            return Drop.DUPLICATE if same >= max(_OF_A_LIST, len(pages.keys) // 5) else None
        is_near = any(page.is_near(pages.shown(place), self._bits) for place in alike)
        return Drop.NEAR_DUPLICATE if is_near else None

    def leading_on(self, site: str, urls: list[str]) -> list[str]:
        """Keep the new links of a near copy that may lead to something new.

        Pages of episodes that differ in a title only still lead to a file each; a calendar leads to more of its
        kind. So if any new link within the site has a shape that no copy had, all links are followed, otherwise
        only those to other sites and to media.
        """
        copied = self._sites.get(site).copied
        kept = [url for url in urls if extension_of(url) in MEDIA_EXTENSIONS or _shape(url) not in copied]
        return urls if any(site_of(url) == site for url in kept) else kept

    def save(self) -> None:
        """Write what is not written yet."""
        self._sites.save_all()

    def find(self, site: str, key: int) -> Shown | None:
        """What a page of a site showed, if it is kept."""
        pages = self._sites.get(site)
        return pages.shown(pages.keys.index(key)) if key in pages.keys else None


@dataclass(slots=True)
class _Pages:
    """The pages of a site, the oldest first, and the shapes of the URLs of copies.

    Arrays take a fifth of the memory of objects.
    """

    keys: array[int]
    texts: array[int]
    media: array[int]
    shapes: array[int]
    lines: array[int]
    lengths: array[int]
    copied: array[int]

    @classmethod
    def load(cls, kept: Any) -> _Pages:
        pages = cls(*map(array, "QQQQQII", kept or (b"",) * 7))
        if len(set(map(len, pages._columns))) != 1:
            raise ValueError("not the pages of a site")
        return pages

    def dump(self) -> list[bytes]:
        return [column.tobytes() for column in (*self._columns, self.copied)]

    @property
    def _columns(self) -> tuple[array[int], ...]:
        return self.keys, self.texts, self.media, self.shapes, self.lines, self.lengths

    def shown(self, place: int) -> Shown:
        return Shown(self.texts[place], self.media[place], self.shapes[place], self.lines[place])

    def as_long(self, key: int, shown: Fingerprint) -> list[int]:
        """Places of the pages with the same media and nearly the same length of text."""
        spare = min(shown.length // 50, _SPARE)
        least, most = shown.length - spare, shown.length + spare
        alike = [place for place, length in enumerate(self.lengths) if least <= length <= most]
        return [place for place in alike if self.media[place] == shown.media and self.keys[place] != key]

    def keep(self, key: int, shown: Fingerprint, pages: int) -> None:
        # The simhash is computed only for pages that are compared.
        measured = (shown.shape, shown.lines) if shown.measured else (0, 0)
        row = (key, shown.text, shown.media, *measured, shown.length)
        for column, number in zip(self._columns, row, strict=True):
            column.append(number)
            del column[:-pages]

    def learn_shape(self, shape: int) -> bool:
        if shape in self.copied:
            return False
        self.copied.append(shape)
        del self.copied[:-_SHAPES]
        return True


def _shape(url: str) -> int:
    """Return the shape of a URL without its parameters, since each combination of filters has a shape of its own."""
    return crc32(shape(url.partition("?")[0]).encode())


def is_named_copy(page: str, original: str | None) -> bool:
    """Whether a page names an original that can be believed, if its content is a near copy too."""
    if original is None or original == page or _host(original) != _host(page):
        return False
    return _path(original) != "/" or _path(page) == "/"


def of_a_copy(links: list[tuple[int, Spelling]], original: str) -> list[tuple[int, Spelling]]:
    """Keep the links of a copy that are followed: its original, and media."""
    return [(place, url) for place, url in links if url.key == original or extension_of(url.key) in MEDIA_EXTENSIONS]


def _host(url: str) -> str:
    return host_of(url).removeprefix("www.")


def _path(url: str) -> str:
    return "/" + url.partition("?")[0].partition("://")[2].partition("/")[2]


_STAND_INS = 20
"""Pages in place of media that are kept for each site."""


class SoftErrors:
    """Recognises a site's page for missing files (soft 404).

    A page in place of a file may be right: MediaWiki's ``File:Song.ogg`` is one. So the first is read as any page.
    The next that shows nearly the same, or what the front page shows, is a soft 404 (Bar-Yossef et al., "Sic
    transit gloria telae", WWW 2004, request names that cannot exist; this requests nothing).

    On disk: one note per site in the namespace ``soft_404``, written when a page in place of media is first seen,
    at most some 600 bytes.
    """

    def __init__(self, notes: Notes, bits: int = 3) -> None:
        self._sites = SiteNotes(notes, "soft_404", _Answers.load, _Answers.dump, every=1)
        self._bits = bits

    def is_one(self, site: str, shown: Fingerprint) -> bool:
        """Whether a page in place of media is a soft 404; if not it is kept."""
        answers, page = self._sites.get(site), Shown.of(shown)
        if any(page.text == other.text or page.is_near(other, self._bits) for other in answers.known):
            return True
        answers.stand_ins.append(page)
        del answers.stand_ins[:-_STAND_INS]
        self._sites.save(site)
        return False

    def front_page(self, site: str, shown: Fingerprint) -> None:
        """Keep what a site's front page shows."""
        answers, page = self._sites.get(site), Shown.of(shown)
        if answers.front != page:
            answers.front = page
            self._sites.save(site)


@dataclass(slots=True)
class _Answers:
    stand_ins: list[Shown] = field(default_factory=list)
    front: Shown | None = None

    @classmethod
    def load(cls, kept: Any) -> _Answers:
        stand_ins, front = kept or ([], None)
        return cls([Shown(*page) for page in stand_ins], Shown(*front) if front else None)

    def dump(self) -> Any:
        return self.stand_ins, self.front

    @property
    def known(self) -> list[Shown]:
        return [*self.stand_ins, self.front] if self.front else self.stand_ins
