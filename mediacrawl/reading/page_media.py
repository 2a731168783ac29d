"""The facts of a page about its media, for its links and for players without a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from mediacrawl.base.clock import written_now
from mediacrawl.base.facts import LONGEST_TEXT, PAGE, Fact, fact, pack, stated, unpack
from mediacrawl.base.terms import Evidence, Kind, Lease
from mediacrawl.extract import Medium, Page, facts_by_url, inherit, standing_alone
from mediacrawl.frontier.byte_budget import byte_budget
from mediacrawl.record import Description, MediaItem, build_page_item
from mediacrawl.scope import Base, Scope, canonical
from mediacrawl.scope.urls import kind_of
from mediacrawl.scope.wrapped import file_key

OEMBED = "oembed"
"""The link source of facts from oEmbed."""
_CARD = "player"
"""The link source of media that only a card names, see `extract.Medium`."""


_PLAYERS_BYTES = 16 * 1024
"""Bytes that the records of players on one page or list may take, however short it is: some eight."""
_PLAYERS_FACTOR = 4
"""The same for each byte that was fetched."""


def players_within(items: Iterable[MediaItem], unpacked: int, received: int) -> list[MediaItem]:
    """Return the first records of players, as many as the length of an answer allows: 50 bytes make a record of 2 KB.

    Args:
        items: the records, in the order of the page or list.
        unpacked: bytes of its text.
        received: bytes of it as they came.
    """
    most = byte_budget(unpacked, received, _PLAYERS_BYTES, _PLAYERS_FACTOR)
    kept = []
    for item in items:
        most -= item.stored_bytes()
        if most < 0:
            break
        kept.append(item)
    return kept


class PageMedia:
    """Assigns a page's facts to its links, and finds its media without a link.

    Args:
        page: as parsed. If it is a player, its medium inherits the facts of the page that the player was found on.
        lease: its own.
        scope: decides whether a file may be requested.
    """

    def __init__(self, page: Page, lease: Lease, scope: Scope) -> None:
        self._page = page
        self._lease = lease
        self._scope = scope
        self._base = _base(page)
        self._facts: dict[str, list[Fact]] | None = None
        # By canonical URL: the URL as the page has it.
        self._requested: dict[str, str] = {}
        if lease.evidence.facts:
            inherit(page.media, unpack(lease.evidence.facts))
        self._alone = standing_alone(page.media, lease.key, self._resolve, self._admits) if self._base else {}

    def facts(self, href: str, url: str, via: str) -> str:
        """Return the page's facts about the target of a link, as in `Evidence.facts`."""
        facts = self._by_url()
        found = facts.get(url)
        # A session id may have been removed from it. It is looked up only where the link may be media: most are not.
        if facts and found is None and (via != "a" or kind_of(url) is Kind.MEDIA):
            found = facts.get(self._key(href) or "")
        return pack(found) if found else ""

    def of_known(self, fresh: Iterable[str]) -> Iterator[Description]:
        """Yield what the page says of files that the crawl knows, at most `Description.MOST`.

        Args:
            fresh: canonical URLs of the links that are new.
        """
        facts, new = self._by_url(), set(fresh)
        known = (url for url in facts if url not in new)
        for url in islice(known, Description.MOST):
            yield Description(url, self._lease.request_url, facts[url])

    def _by_url(self) -> dict[str, list[Fact]]:
        if self._facts is None:
            self._facts = facts_by_url(self._page.media, self._key) if self._page.media else {}
        return self._facts

    def items(self) -> list[MediaItem]:
        """Return the records of media that the page plays without a file."""
        own, site, now = self._lease.request_url, self._lease.site, written_now()
        asked = self._requested
        return [
            build_page_item(
                self._evidence(medium), page_url=own, site=site, found_at=now, url=asked.get(key, own), key=key
            )
            for key, medium in self._alone.items()
        ]

    def oembed_evidence(self) -> Evidence | None:
        """Return the evidence of a request for the page's oEmbed; None if it is not worth one.

        It is if the page has one player and no file, and only a card names it, without title or author. The facts begin
        with the player's URL, which is the record's.
        """
        if not self._page.oembed or len(self._alone) != 1:
            return None
        ((key, medium),) = self._alone.items()
        url = self._requested.get(key, self._lease.request_url)
        known = {each.key for each in medium.facts}
        if medium.via != _CARD or {"title", "artist"} <= known or len(url) > LONGEST_TEXT:
            return None
        player = stated([fact(PAGE, OEMBED, "player_url", url)])
        return replace(self._evidence(medium), via=OEMBED, facts=pack([*player, *medium.facts]))

    def _resolve(self, href: str) -> str | None:
        found = self._base.resolve(href) if self._base is not None else None
        if found is None:
            return None
        self._requested.setdefault(found.key, found.requested)
        return found.key

    def _key(self, href: str) -> str | None:
        found = self._base.resolve(href) if self._base is not None else None
        return None if found is None else file_key(found, is_enclosure=False)

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


def item_of_oembed(evidence: Evidence, answered: tuple[Fact, ...], *, page_url: str, site: str) -> MediaItem | None:
    """Return the record of a player with the facts of its oEmbed; None if the evidence names no player."""
    facts = unpack(evidence.facts)
    if not facts or facts[0].frame != OEMBED:
        return None
    evidence = replace(evidence, facts=pack([*facts, *answered]))
    url = facts[0].text
    key = canonical(url) or url
    return build_page_item(evidence, page_url=page_url, site=site, found_at=written_now(), url=url, key=key)


def _base(page: Page) -> Base | None:
    try:
        return Base(page.base, charset=page.charset)
    except ValueError:
        return None
