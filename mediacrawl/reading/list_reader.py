"""Reads lists: feeds, sitemaps, playlists, manifests."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

from mediacrawl.base.charsets import DocumentReading, Seen
from mediacrawl.base.clock import written_now
from mediacrawl.base.content_type import claim_of, header_charset, is_media
from mediacrawl.base.facts import FEED, Fact, fact, pack, unpack
from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Outcome
from mediacrawl.base.visit import Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.headers import ENDED_HERE, header, headers
from mediacrawl.crawl.interfaces import LeaseHolder
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.threads import in_thread
from mediacrawl.encoding import History
from mediacrawl.extract import Listed, Listing, parse_list
from mediacrawl.frontier.byte_budget import byte_budget
from mediacrawl.politeness.robots import directives_of
from mediacrawl.probe import FirstAnswer
from mediacrawl.reading.response import OEMBED, Recognized, ResponseKind
from mediacrawl.record import Description, MediaItem, build_manifest_item, build_page_item
from mediacrawl.scope import Base, Scope, Spelling, candidates, canonical, site_of
from mediacrawl.scope.wrapped import file_key

if TYPE_CHECKING:
    from scrapy.http import Response


class DocumentEncodings:
    """Gives the encodings of earlier documents of a host, and learns from each document.

    Stats: ``page/encoding/<who>`` and ``list/encoding/<who>`` for each document that declares nothing valid and is no
    UTF-8: decided by ``models`` or ``chardet``, or ``default`` if neither could.

    Args:
        history: of the whole crawl; None to remember nothing.
        count: adds to a stat.
    """

    def __init__(self, history: History | None, count: Callable[[str], None]) -> None:
        self._history = history
        self._count = count

    def prior(self, url: str) -> Seen:
        """Return the encodings found on a URL's host; for pages only where models decide."""
        return self._history.prior(url) if self._history is not None else {}

    def note(self, url: str, kind: str, reading: str, language: str) -> None:
        """Learn from a document.

        Args:
            url: its own.
            kind: ``page`` or ``list``.
            reading: see `base.charsets.DocumentReading`; empty if each of its texts is decided alone.
            language: its declared language; empty if it declares none.
        """
        if reading in {"utf-8", ""}:
            return
        decided = DocumentReading.of(reading)
        if decided.by:
            self._count(f"{kind}/encoding/{decided.by}")
        if self._history is not None and (not decided.by or decided.is_sure):
            self._history.learn_document(url, decided.encoding, decided.language or language)


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


_INNER = "playlist/playlist"
"""The link source of entries of a playlist that is itself an entry of a playlist. Deeper playlists are not read."""
_MOST_KNOWN = 1_000
"""Known files of one list that it describes."""
_PART = re.compile(r"\s*bytes\s+0-(\d{1,18})/(\d{1,18})\s*", re.ASCII | re.IGNORECASE).fullmatch


class ListReader:
    """Reads lists. Links are written into the visit; records of players, whose media cannot be requested, are returned.

    Stats: ``feed/read``, ``sitemap/read``, ``playlist/read``, ``manifest/read``, ``oembed/read``, ``list/cut`` (entries
    that are not kept), ``list/standing_alone`` (records of players), ``list/standing_alone_dropped`` (players for whose
    records it is too short), ``list/encoding/<who decided>`` (see `DocumentEncodings`).

    Args:
        context: what the components of this crawl share.
        scheduler: its frontier knows which links are new.
        scope: decides whether a link is accepted.
        follows: whether links are followed; else only manifests are read.
    """

    def __init__(self, context: CrawlContext, scheduler: LeaseHolder, scope: Scope, *, follows: bool) -> None:
        self._context = context
        self._scheduler = scheduler
        self._scope = scope
        self.follows = follows
        self._encodings = DocumentEncodings(context.encodings, scheduler.count)
        own = OwnSettings(context.settings)
        self._bytes = own.getint("LIST_MAX_BYTES")
        self._token = own.getstr("ROBOTS_TOKEN")

    async def read(self, visit: Visit, response: Response, answer: Recognized) -> list[MediaItem]:
        """Read a list."""
        if self._is_part(visit, response, answer):
            # It was requested as a media file, by a range, or cut as a page is; next it is requested as a list.
            visit.decision.outcome = Outcome(End.CONTINUE, kind=Kind.LIST)
            return []
        if visit.lease.evidence.via == _INNER:
            visit.drop(Drop.DEPTH)
            return []
        # Until the thread returns, the outcome is that the URL is requested again, in case the visit ends meanwhile.
        ending, visit.decision.outcome = visit.decision.outcome or Outcome(End.DONE), Outcome(End.CONTINUE)
        visit.decision.parsed_bytes = len(answer.text)
        charset = header_charset(header(response, "Content-Type"))
        # Read before the thread starts: the history may change meanwhile.
        seen = self._encodings.prior(response.url)
        link = headers(response, "Link")
        listing = await in_thread(parse_list, answer.form, answer.text, response.url, charset, lambda: seen, link=link)
        self._encodings.note(response.url, "list", listing.reading, listing.language)
        visit.decision.outcome = ending
        self._scheduler.count(f"{'feed' if answer.kind is ResponseKind.OUTLINE else answer.kind}/read")
        if listing.cut:
            self._scheduler.count("list/cut", listing.cut)
        directives = directives_of(headers(response, "X-Robots-Tag"), self._token)
        listed = not directives.unlisted(self._context.clock.now())
        if ending.end is End.AGAIN:
            # The response was cut: its links so far are added, the others at the next visit.
            if listing.manifest is None and answer.form != OEMBED:
                await self._queue(visit, response, listing, follows=not directives.nofollow, listed=listed)
            return []
        if listing.manifest is not None:
            return self._manifest(visit, response, listing) if listed else _dropped(visit, Drop.NOINDEX)
        if answer.form == OEMBED:
            return _with_oembed(visit, listing) if listed else _dropped(visit, Drop.NOINDEX)
        listing.hub = Base(response.url).canonical(listing.hub) or "" if listing.hub else ""
        self.learn(visit, listing)
        await self._queue(visit, response, listing, follows=not directives.nofollow, listed=listed)
        if not listed or not listing.players:
            return []
        # A list may have a thousand players; making their records takes as long as parsing the list.
        ending, visit.decision.outcome = visit.decision.outcome, Outcome(End.CONTINUE)
        items, dropped = await in_thread(self._players, visit, response, listing)
        visit.decision.outcome = ending
        self._scheduler.count("list/standing_alone", len(items))
        if dropped:
            self._scheduler.count("list/standing_alone_dropped", dropped)
        return items

    def _is_part(self, visit: Visit, response: Response, answer: Recognized) -> bool:
        """Whether only the beginning of a list was received."""
        if response.status == 206:
            part = _PART(header(response, "Content-Range"))
            return part is None or int(part[1]) + 1 < int(part[2])
        is_cut = ENDED_HERE in response.flags or 0 < visit.fetch.page_bytes <= len(response.body)
        is_other = visit.fetch.kind is not Kind.LIST and claim_of(visit.fetch.content_type) != "list"
        return is_cut and is_other and len(answer.text) < self._bytes

    def learn(self, visit: Visit, listing: Listing) -> None:
        """Called with each list that was read; for spiders that remember lists."""

    def wanted(self, listing: Listing) -> list[Listed]:
        """Return the links of a list that are followed: all. Subclasses may return fewer."""
        return listing.links

    async def _queue(self, visit: Visit, response: Response, listing: Listing, *, follows: bool, listed: bool) -> None:
        frontier = self._scheduler.frontier
        links = self.wanted(listing)
        hrefs = [link.href for link in links]
        enclosures = {place for place, link in enumerate(links) if link.via == "enclosure"}
        depth, declared = visit.lease.depth + 1, partial(_is_declared, links)
        accepted, drops = self._scope.sift(
            response.url, hrefs, depth, frontier.recent, declared=declared, enclosures=enclosures
        )
        fresh, repeated = self._context.duplicates.sift(visit.lease.key, accepted, frontier.unknown)
        fresh_places = {place for place, _ in fresh}
        if not follows:
            drops[Drop.NOFOLLOW] += len(fresh)
            fresh = []
        feed_facts = self._feed_facts(listing) if listed else ()
        for place, url in fresh:
            visit.decision.found.append(
                self._candidate(visit, url, links[place], listing, feed_facts=feed_facts if listed else None)
            )
        self._count(drops + repeated)
        if listed and self._context.describe is not None:
            known = (link for place, link in enumerate(links) if place not in fresh_places and link.facts)
            await self._describe(visit, response, islice(known, _MOST_KNOWN), feed_facts)

    async def _describe(
        self, visit: Visit, response: Response, known: Iterable[Listed], feed_facts: tuple[Fact, ...]
    ) -> None:
        """Adds what the list says of known files to their records."""
        base = Base(response.url)
        for number, link in enumerate(known):
            if number % Description.MOST == Description.MOST - 1:
                # Each may wait for the disk; other requests are handled in between.
                await asyncio.sleep(0)
            url = base.resolve(link.href) if link.kind is Kind.MEDIA else None
            if url is not None and self._context.describe is not None:
                key = file_key(url, is_enclosure=link.via == "enclosure")
                self._context.describe(Description(key, visit.lease.request_url, (*link.facts, *feed_facts)))

    def _candidate(
        self, visit: Visit, url: Spelling, link: Listed, listing: Listing, *, feed_facts: tuple[Fact, ...] | None
    ) -> Candidate:
        via, outer, own = link.via, visit.lease.evidence.via, visit.lease.request_url
        if via == "playlist" and outer == "playlist":
            via = _INNER
        evidence = Evidence(
            via,
            feed_url=own if listing.form == "feed" else "",
            page_language=listing.language,
            page_charset=listing.reading,
            guid=link.guid[:200],
        )
        if feed_facts is not None:
            facts = pack((*link.facts, *feed_facts)) if link.kind is Kind.MEDIA else ""
            evidence = replace(evidence, anchor=link.title[:200], page_title=listing.title[:200], facts=facts)
        depth = visit.lease.depth + 1
        return candidates.candidate(url, evidence, self._context.scores, link.kind, depth=depth, parent=own)

    def _players(self, visit: Visit, response: Response, listing: Listing) -> tuple[list[MediaItem], int]:
        """Return the records of players, and the number of those beyond the budget of the list. Called in a thread."""
        own, feed_facts, at = visit.lease.request_url, self._feed_facts(listing), written_now()
        base = Base(response.url)
        items: dict[str, MediaItem] = {}
        for player in listing.players:
            url = base.resolve(player.href)
            if url is None or url.key in items:
                continue
            via = listing.form if listing.form in {"feed", "sitemap"} else "playlist"
            evidence = Evidence(
                via,
                anchor=player.title[:200],
                page_title=listing.title[:200],
                feed_url=own if listing.form == "feed" else "",
                guid=player.guid[:200],
                page_language=listing.language,
                page_charset=listing.reading,
                facts=pack((*player.facts, *feed_facts)),
            )
            page = base.resolve(player.page) if player.page else None
            page_url = page.requested if page else own
            items[url.key] = build_page_item(
                evidence, page_url=page_url, site=visit.lease.site, found_at=at, url=url.requested, key=url.key
            )
        kept = players_within(items.values(), visit.decision.parsed_bytes, visit.fetch.bytes)
        return kept, len(items) - len(kept)

    def _feed_facts(self, listing: Listing) -> tuple[Fact, ...]:
        """Return the facts in the headers of a feed, which apply to all its entries."""
        if listing.form != "feed" or any(each.key == "hub_url" for link in listing.links[:2] for each in link.facts):
            return ()
        hub = fact(FEED, "Link", "hub_url", listing.hub)
        return () if hub is None else (hub,)

    def _manifest(self, visit: Visit, response: Response, listing: Listing) -> list[MediaItem]:
        manifest, lease = listing.manifest, visit.lease
        assert manifest is not None
        stats = {"media/probed": 1, "media/status/stream": 1, f"media/format/{manifest.mime}": 1}
        stats |= {"media/requests": 1, "media/bytes_fetched": len(response.body)}
        for name, number in stats.items():
            self._scheduler.count(name, number)
        etag, modified = header(response, "ETag"), header(response, "Last-Modified")
        item = build_manifest_item(
            manifest,
            FirstAnswer(written_now(), response.status, header(response, "Content-Type"), etag, modified),
            lease.evidence,
            length=len(response.body),
            url=lease.request_url,
            key=lease.key,
            page_url=lease.parent,
            site=lease.site,
        )
        return [item]

    def _count(self, drops: Counter[Drop]) -> None:
        for reason, number in drops.items():
            self._scheduler.count(f"drop/{reason}", number)


def _is_declared(links: list[Listed], place: int) -> bool:
    """Whether a list says what a link leads to, so that its ending does not count: a list, or media by its type."""
    link = links[place]
    return link.kind is Kind.LIST or any(each.key == "mime" and is_media(each.text) for each in link.facts)


def _dropped(visit: Visit, reason: Drop) -> list[MediaItem]:
    visit.drop(reason)
    return []


def _with_oembed(visit: Visit, listing: Listing) -> list[MediaItem]:
    """Return the record of a player, with the facts of its oEmbed added to those of the page."""
    lease = visit.lease
    if not listing.players:
        return _dropped(visit, Drop.CONTENT_TYPE)
    item = _item_of_oembed(
        lease.evidence, listing.players[0].facts, page_url=lease.parent, site=site_of(lease.parent or lease.url)
    )
    return [] if item is None else [item]


def _item_of_oembed(evidence: Evidence, answered: tuple[Fact, ...], *, page_url: str, site: str) -> MediaItem | None:
    """Return the record of a player with the facts of its oEmbed; None if the evidence names no player."""
    facts = unpack(evidence.facts)
    if not facts or facts[0].frame != OEMBED:
        return None
    evidence = replace(evidence, facts=pack([*facts, *answered]))
    url = facts[0].text
    key = canonical(url) or url
    return build_page_item(evidence, page_url=page_url, site=site, found_at=written_now(), url=url, key=key)


class PollReader(ListReader):
    """Reads lists, follows their media links only, and reports each list."""

    def __init__(
        self, context: CrawlContext, scheduler: LeaseHolder, scope: Scope, report: Callable[[Visit, Listing], None]
    ) -> None:
        super().__init__(context, scheduler, scope, follows=True)
        self._report = report

    def learn(self, visit: Visit, listing: Listing) -> None:
        """Report a list that was read."""
        self._report(visit, listing)

    def wanted(self, listing: Listing) -> list[Listed]:
        """Return the media links of a list. Its pages are left to the spider ``media``."""
        return [link for link in listing.links if link.kind is Kind.MEDIA]


def shown(listing: Listing) -> str:
    """Return a hash of a list's entries. It ignores the rest, since many feeds contain the time of the request."""
    digest = sha256()
    entries = [(each.href, each.guid, each.title) for each in listing.links]
    entries += [(each.href, each.guid, each.title) for each in listing.players]
    for entry in entries:
        digest.update("\0".join((*entry, "\n")).encode("utf-8", "replace"))
    return digest.hexdigest()[:32]
