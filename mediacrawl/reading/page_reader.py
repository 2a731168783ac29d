"""Reads pages: links with their evidence and the page's facts, and records of players without a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mediacrawl.base.clock import written_now
from mediacrawl.base.content_type import header_charset, is_media
from mediacrawl.base.facts import LONGEST_TEXT, PAGE, Fact, fact, pack, stated, unpack
from mediacrawl.base.terms import Drop, Evidence, Kind, Lease, Limit, Trouble
from mediacrawl.base.visit import Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.data_requests import PageWords
from mediacrawl.crawl.headers import header, headers
from mediacrawl.crawl.interfaces import LeaseHolder
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.extract import Fingerprint, Link, Medium, Page, parse_page
from mediacrawl.frontier import Frontier
from mediacrawl.politeness.robots import NO_DIRECTIVES, directives_of
from mediacrawl.priority.revisits import is_revisit
from mediacrawl.reading.adapter_reader import AdapterReader
from mediacrawl.reading.list_reader import DocumentEncodings, players_within
from mediacrawl.reading.response import OEMBED
from mediacrawl.record import Description, MediaItem, build_page_item
from mediacrawl.scope import Base, Scope, Spelling, candidates, canonical
from mediacrawl.scope.duplicates import is_named_copy, of_a_copy
from mediacrawl.scope.urls import MEDIA_EXTENSIONS, extension_of, kind_of
from mediacrawl.scope.wrapped import file_key

if TYPE_CHECKING:
    from scrapy.http import Response

_ENDINGS = frozenset(f".{ending}"[-3:] for extension in MEDIA_EXTENSIONS for ending in (extension, extension.upper()))
"""Last three characters of references to media; comparing them is faster than finding the extension."""
_NOWHERE = "http://"
"""An invalid URL, in place of references whose base is invalid."""
_FRAMES = frozenset({"iframe", "frame", "embed", "object", "player"})
_PLAYERS = frozenset(
    {
        *("audio", "video", "source", "data-src", "og:audio", "og:video", "twitter:player:stream", "enclosure"),
        *("json-ld", "microdata", "script"),
    }
)
TARGETS: dict[str, Kind] = {**dict.fromkeys(_PLAYERS, Kind.MEDIA), "feed": Kind.LIST}
"""Link source -> kind of what it leads to, whatever its extension; of others the extension decides."""
_CARD = "player"
"""The link source of media that only a card names, see `extract.Medium`."""


class PageReader:
    """Reads pages. Links are written into the visit; records of players are returned.

    Stats: ``page/read``, ``page/cut`` (links beyond those that are kept of one page), ``page/tags_cut`` and
    ``page/anchors_cut`` (see `extract.Page`), ``page/media``, ``page/standing_alone`` (records without a file),
    ``page/standing_alone_dropped`` (those beyond the budget of the page), ``page/named_copy``, ``page/noindex``,
    ``page/encoding/<who decided>`` (see `DocumentEncodings`), ``drop/<reason>``.

    Args:
        context: what the components of this crawl share.
        scheduler: its frontier knows which links are new.
        scope: decides whether a link is accepted.
        data: reads the pages that a site adapter needs.
    """

    def __init__(self, context: CrawlContext, scheduler: LeaseHolder, scope: Scope, data: AdapterReader) -> None:
        self._context = context
        self._scheduler = scheduler
        self._scope = scope
        self._data = data
        self._encodings = DocumentEncodings(context.encodings, scheduler.count)
        self._duplicates = context.duplicates
        self._scores = context.scores
        self._clock = context.clock
        own = OwnSettings(context.settings)
        self._page_bytes = own.getint("PAGE_MAX_BYTES")
        self._token = own.getstr("ROBOTS_TOKEN")

    def read(self, visit: Visit, response: Response) -> list[MediaItem]:
        """Read a page."""
        counts = Counter[str]()
        try:
            return self._read(visit, response, counts)
        finally:
            # All at the end: each stat is a call of the scheduler.
            for name, number in counts.items():
                if number:
                    self._scheduler.count(name, number)

    def _read(self, visit: Visit, response: Response, counts: Counter[str]) -> list[MediaItem]:
        page, robots = self._parse(visit, response)
        counts["page/read"] += 1
        frontier = self._scheduler.frontier
        # A page that will be requested again gives its links, so that none is lost; records and duplicates follow then.
        again = visit.decision.trouble is Trouble.CUT
        reason = None if again else self._duplicate_of(visit, page)
        if reason is not None:
            visit.drop(reason)
            if reason is not Drop.NEAR_DUPLICATE:
                return []
        if page.is_directory:
            counts[f"drop/{Drop.INDEX_LINK}"] += page.leave_steering()
        fresh, drops = self._sift(visit, page, frontier)
        if reason is Drop.NEAR_DUPLICATE:
            fresh = self._of_near_copy(visit, page, fresh, counts)
        directives = directives_of([*robots, *page.robots], self._token) if robots or page.robots else NO_DIRECTIVES
        listed = directives is NO_DIRECTIVES or not directives.unlisted(self._clock.now())
        counts["page/noindex"] += not listed
        # Most pages have no media, and none of what follows concerns them.
        media = _PageMedia(page, visit.lease, self._scope) if listed and page.media else None
        if directives.nofollow:
            drops[Drop.NOFOLLOW] += len(fresh)
        else:
            drops[Drop.NOFOLLOW] += self._queue_links(visit, page, fresh, media, listed=listed)
        _count(visit, page, drops, counts)
        if self._data.has_adapters and not (directives.nofollow or again):
            words = PageWords(page.title, page.language) if listed else PageWords(listed=False)
            self._data.read_page(visit, response, words)
        if media is None or reason is not None or again:
            return []
        return self._of_media(visit, page, media, fresh, counts, follows=not directives.nofollow)

    def _of_media(
        self,
        visit: Visit,
        page: Page,
        media: _PageMedia,
        fresh: list[tuple[int, Spelling]],
        counts: Counter[str],
        *,
        follows: bool,
    ) -> list[MediaItem]:
        """Return the records of players without a file; add what the page says of known files to their records.

        There are as many as the page's length allows.
        """
        named = media.items()
        items = players_within(named, visit.decision.parsed_bytes, visit.fetch.bytes)
        counts["page/standing_alone"] += len(items)
        counts["page/standing_alone_dropped"] += len(named) - len(items)
        if self._context.describe is not None:
            for told in media.of_known(url.key for _, url in fresh):
                self._context.describe(told)
        if page.oembed and follows:
            self._queue_oembed(visit, page, media, counts)
        return items

    def _parse(self, visit: Visit, response: Response) -> tuple[Page, list[str]]:
        """Return a page, and its headers X-Robots-Tag."""
        content_type, refresh = header(response, "Content-Type"), header(response, "Refresh")
        link, robots = headers(response, "Link"), headers(response, "X-Robots-Tag")
        body = response.body[: self._page_bytes]
        if len(response.body) > len(body):
            visit.decision.limits.add(Limit.PAGE)
        visit.decision.parsed_bytes = len(body)
        history = partial(self._encodings.prior, response.url)
        charset = header_charset(content_type)
        page = parse_page(body, response.url, charset, self._token, link=link, refresh=refresh, history=history)
        if page.reading != "utf-8":
            self._encodings.note(response.url, "page", page.reading, page.language)
        return page, robots

    def _sift(self, visit: Visit, page: Page, frontier: Frontier) -> tuple[list[tuple[int, Spelling]], Counter[Drop]]:
        """Return the links that are new and accepted, by their index, and the number of refusals by reason."""
        # References relative to a base that is too long are invalid.
        hrefs = [link.href if page.base or link.href[:4] == "http" else _NOWHERE for link in page.links]
        lease, base = visit.lease, page.base or page.url
        depth, declared = lease.depth + 1, partial(_is_declared, page)
        accepted, drops = self._scope.sift(
            base, hrefs, depth, frontier.recent, page.charset, own=lease.key, declared=declared
        )
        drops[Drop.TEMPLATE] += page.in_templates
        fresh, repeated = self._duplicates.sift(lease.url, accepted, frontier.unknown)
        return fresh, drops + repeated

    def _duplicate_of(self, visit: Visit, page: Page) -> Drop | None:
        """Why the page's links are not followed, or not all: it is a copy of another page."""
        if is_revisit(visit.lease) or (self._data.has_adapters and self._data.is_mapped(visit)):
            # A revisited page was compared at its first visit; those that it would be compared with are of another day.
            # Pages of a site adapter are alike without their scripts, and nothing may be learned from that.
            return None
        lease, thin = visit.lease, self._duplicates.policy.thin_text
        media = _media(page)
        if visit.fetch.kind is Kind.MEDIA:
            name = lease.url.partition("?")[0].rpartition("/")[2]
            shown = Fingerprint.of(page, media, thin=thin, without=(name, unquote(name)) if name else ())
            if reason := self._duplicates.judge_stand_in(lease.site, shown):
                return reason
        return self._duplicates.judge(lease.site, lease.url, Fingerprint.of(page, media, thin=thin))

    def _of_near_copy(
        self, visit: Visit, page: Page, fresh: list[tuple[int, Spelling]], counts: Counter[str]
    ) -> list[tuple[int, Spelling]]:
        """Return the links of a near copy that are followed."""
        original = canonical(page.canonical) if page.canonical else None
        if original is not None and is_named_copy(visit.lease.url, original):
            counts["page/named_copy"] += 1
            return of_a_copy(fresh, original)
        return self._duplicates.leading_on(visit.lease.site, fresh)

    def _queue_oembed(self, visit: Visit, page: Page, media: _PageMedia, counts: Counter[str]) -> None:
        """Queue the page's oEmbed URL, if it is worth a request: the first one that is accepted."""
        evidence = media.oembed_evidence()
        if evidence is None:
            return
        lease, frontier = visit.lease, self._scheduler.frontier
        accepted, drops = self._scope.sift(page.base, page.oembed, lease.depth + 1, frontier.recent, page.charset)
        fresh, repeated = self._duplicates.sift(lease.url, accepted, frontier.unknown)
        for _, url in fresh[:1]:
            found = candidates.candidate(
                url, evidence, self._scores, Kind.LIST, depth=lease.depth + 1, parent=lease.request_url
            )
            visit.decision.found.append(found)
        counts.update({f"drop/{reason}": number for reason, number in (drops + repeated).items()})

    def _queue_links(
        self, visit: Visit, page: Page, fresh: list[tuple[int, Spelling]], media: _PageMedia | None, *, listed: bool
    ) -> int:
        """Queue links with the page's facts about them, without words if those may not be stored.

        Returns:
            How many are not followed, since their rel has ``nofollow``.
        """
        followed = list[tuple[Link, Spelling, str, str]]()
        for place, url in fresh:
            link = page.links[place]
            if page.nofollow(link):
                self._scope.examples.setdefault(Drop.NOFOLLOW, url.key)
            else:
                followed.append((link, url, page.anchor(link) if listed else "", page.path(link)))
        depth, parent = visit.lease.depth + 1, visit.lease.request_url
        for link, url, anchor, path in followed:
            facts = media.facts(link.href, url.key, link.via) if media else ""
            if page.is_directory and listed and not facts and kind_of(url.key) is Kind.MEDIA:
                facts = pack(page.file_facts(link))
            evidence = Evidence(
                link.via,
                anchor,
                page.title if listed else "",
                page_language=page.language,
                page_charset=page.reading,
                facts=facts,
                path=path,
            )
            kind = TARGETS.get(link.via)
            found = candidates.candidate(url, evidence, self._scores, kind, depth=depth, parent=parent)
            visit.decision.found.append(found)
        return len(fresh) - len(followed)


class _PageMedia:
    """Assigns a page's facts to its links, and finds its media without a link.

    The medium of a page that is a player inherits the facts of the page that the player was found on.
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
            page.inherit(unpack(lease.evidence.facts))
        self._alone = page.standing_alone(lease.key, self._resolve, self._admits) if self._base else {}

    def facts(self, href: str, url: str, via: str) -> str:
        """Return the page's facts about the target of a link, as in `Evidence.facts`."""
        facts = self._by_url()
        found = facts.get(url)
        # A session id may have been removed from it. It is looked up only where the link may be media: most are not.
        if facts and found is None and (via != "a" or kind_of(url) is Kind.MEDIA):
            found = facts.get(self._key(href) or "")
        return pack(found) if found else ""

    def of_known(self, fresh: Iterable[str]) -> Iterator[Description]:
        """Yield what the page says of files that the crawl knows: their canonical URLs are not among the new ones."""
        facts, new = self._by_url(), set(fresh)
        known = (url for url in facts if url not in new)
        for url in islice(known, Description.MOST):
            yield Description(url, self._lease.request_url, facts[url])

    def _by_url(self) -> dict[str, list[Fact]]:
        if self._facts is None:
            self._facts = self._page.facts_by_url(self._key)
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


def _count(visit: Visit, page: Page, drops: Counter[Drop], counts: Counter[str]) -> None:
    """Count what was refused, the media of a page, and what was cut."""
    counts.update({f"drop/{refused}": number for refused, number in drops.items()})
    counts.update({"page/media": len(page.media), "page/cut": page.cut})
    counts.update({"page/tags_cut": page.tags_cut, "page/anchors_cut": page.anchors_cut})
    if page.cut or page.tags_cut or page.anchors_cut or drops[Drop.LONG_BASE] or not page.base:
        visit.decision.limits.add(Limit.LINKS)


def _is_declared(page: Page, place: int) -> bool:
    """Whether the page declares a link as a feed or as media by its type, so that its ending does not count."""
    link = page.links[place]
    return link.via == "feed" or is_media(page.media_type(link))


def _media(page: Page) -> list[str]:
    """Return the references of a page to media, verbatim; one with a fragment may be missed.

    Frames and players count, too: in a series of pages they may be the only difference.
    """
    return [
        href
        for href, via, _ in page.links
        if (("?" in href or href[-3:] in _ENDINGS) and extension_of(href) in MEDIA_EXTENSIONS)
        or (via != "a" and (via in _PLAYERS or via in _FRAMES))
    ]


def _base(page: Page) -> Base | None:
    try:
        return Base(page.base, charset=page.charset)
    except ValueError:
        return None
