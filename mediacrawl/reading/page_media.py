"""What a page says of its media, on its way to candidates and to the records that stand alone."""

from __future__ import annotations

from dataclasses import replace

from mediacrawl.clock import written_now
from mediacrawl.extract import Medium, Page, facts_by_url, inherit, standing_alone
from mediacrawl.facts import LONGEST_TEXT, PAGE, Fact, fact, pack, stated, unpack
from mediacrawl.probe import build_page_item
from mediacrawl.records import Evidence, Kind, Lease, MediaItem
from mediacrawl.scope import Base, Scope, canonical
from mediacrawl.scope.candidates import kind_of

OEMBED = "oembed"
"""The door to what a site says of a page with a player."""
_CARD = "player"
"""The door of media that only a card speaks of, see `extract.Medium`."""


class PageMedia:
    """Tells of one page which facts go with which link, and which media it has beside its links.

    Args:
        page: as it was read. If it is a player, its medium gets what was said where the player was found.
        lease: its own.
        scope: what decides whether a file may be asked.
    """

    def __init__(self, page: Page, lease: Lease, scope: Scope) -> None:
        self._page = page
        self._lease = lease
        self._scope = scope
        self._base = _base(page)
        self._facts: dict[str, list[Fact]] | None = None
        # By canonical URL: the URL as it stands in the page.
        self._requested: dict[str, str] = {}
        if lease.evidence.facts:
            inherit(page.media, unpack(lease.evidence.facts))
        self._alone = self._find_alone()

    def facts(self, href: str, url: str, via: str) -> str:
        """Return what the page says of where a link leads, as `Evidence.facts` has it.

        Args:
            href: as it stands in the page.
            url: what scope made of it.
            via: the link's door.
        """
        if not self._page.media or self._base is None:
            return ""
        if self._facts is None:
            self._facts = facts_by_url(self._page.media, self._base.canonical)
        found = self._facts.get(url)
        # Scope may have taken a session id off. That is only looked up where the link may be media: most are not.
        if found is None and (via != "a" or kind_of(url) is Kind.MEDIA):
            found = self._facts.get(self._base.canonical(href) or "")
        return pack(found or ())

    def items(self) -> list[MediaItem]:
        """Make the records of media that the page plays, and of which no file can be had."""
        own, site, now = self._lease.request_url, self._lease.site, written_now()
        asked = self._requested
        return [
            build_page_item(
                self._evidence(medium), page_url=own, site=site, found_at=now, url=asked.get(key, own), key=key
            )
            for key, medium in self._alone.items()
        ]

    def to_ask(self) -> Evidence | None:
        """What to ask the page's oEmbed with; None if it is not worth a request.

        It is if the page has one player and no file, and only a card speaks of it, which names no title or no author.
        The facts begin with the player's URL: the record is the one of that URL.
        """
        if not self._page.oembed or len(self._alone) != 1:
            return None
        ((key, medium),) = self._alone.items()
        url = self._requested.get(key, self._lease.request_url)
        known = {each.key for each in medium.facts}
        if medium.via != _CARD or {"title", "artist"} <= known or len(url) > LONGEST_TEXT:
            return None
        told = stated([fact(PAGE, OEMBED, "player_url", url)])
        return replace(self._evidence(medium), via=OEMBED, facts=pack([*told, *medium.facts]))

    def _find_alone(self) -> dict[str, Medium]:
        if not self._page.media or self._base is None:
            return {}
        return standing_alone(self._page.media, self._lease.key, self._resolve, self._admits)

    def _resolve(self, href: str) -> str | None:
        found = self._base.resolve(href) if self._base is not None else None
        if found is None:
            return None
        self._requested.setdefault(found.key, found.requested)
        return found.key

    def _evidence(self, medium: Medium) -> Evidence:
        page = self._page
        return Evidence(
            medium.via,
            page_title=page.title,
            page_language=page.language,
            page_charset=page.reading,
            facts=pack(medium.facts),
        )

    def _admits(self, url: str) -> bool:
        return self._scope.check(url, self._lease.depth + 1) is None


def item_of_oembed(evidence: Evidence, told: tuple[Fact, ...], *, page_url: str, site: str) -> MediaItem | None:
    """Make the record of a player of which more was asked; None if the evidence names none.

    Args:
        evidence: what `PageMedia.to_ask` gave.
        told: what the answer says.
        page_url: of the page that the player stands on.
        site: registrable domain of that page.
    """
    facts = unpack(evidence.facts)
    if not facts or facts[0].frame != OEMBED:
        return None
    evidence = replace(evidence, facts=pack([*facts, *told]))
    url = facts[0].text
    key = canonical(url) or url
    return build_page_item(evidence, page_url=page_url, site=site, found_at=written_now(), url=url, key=key)


def _base(page: Page) -> Base | None:
    try:
        return Base(page.base, charset=page.charset)
    except ValueError:
        return None
