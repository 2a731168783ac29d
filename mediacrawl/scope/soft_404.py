"""Pages that come with status 200 where a media file was: an error page, or the front page once more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mediacrawl.extract import Fingerprint
from mediacrawl.notes import Notes
from mediacrawl.scope.copies import Shown
from mediacrawl.scope.site_notes import SiteNotes

_STAND_INS = 20
"""Pages in place of media that are kept for each site; a site has few ways to say that a file is gone."""


class SoftErrors:
    """Recognises a page that is the site's answer to any file that is missing.

    A page in place of a file is not wrong in itself: MediaWiki's ``File:Song.ogg`` is one. So the first is read as any
    page. The next that shows nearly the same, or what the front page shows, is a soft 404 (Bar-Yossef et al., "Sic
    transit gloria telae", WWW 2004, found them by asking for names that cannot exist; we ask for nothing extra).

    On disk: one note per site in the room ``soft_404``, written when a page in place of media is first seen, at most
    some 600 bytes.

    Args:
        notes: where it outlives the process.
        bits: of 64, in which the simhash of nearly the same page may differ.
    """

    def __init__(self, notes: Notes, bits: int = 3) -> None:
        self._sites = SiteNotes(notes, "soft_404", _Answers.load, _Answers.dump, every=1)
        self._bits = bits

    def is_one(self, site: str, shown: Fingerprint) -> bool:
        """Tell whether a page that came in place of media is a soft 404; if not it is remembered.

        Args:
            site: as `site_of` names it.
            shown: what it showed, without what named the file.
        """
        answers, page = self._sites.get(site), Shown.of(shown)
        if any(page.text == other.text or page.is_near(other, self._bits) for other in answers.known):
            return True
        answers.stand_ins.append(page)
        del answers.stand_ins[:-_STAND_INS]
        self._sites.save(site)
        return False

    def front_page(self, site: str, shown: Fingerprint) -> None:
        """Remember what a site's front page shows.

        Args:
            site: as `site_of` names it.
            shown: what it showed.
        """
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
