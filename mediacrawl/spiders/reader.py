"""The door between answers and the rooms that read them: `extract` for pages and feeds, `probe` for media files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mediacrawl.extract import Page, fingerprint, link_header, looks_like_feed, parse_feed, parse_page
from mediacrawl.headers import header, headers
from mediacrawl.parts import Parts
from mediacrawl.politeness.retry import after_status, is_passing
from mediacrawl.politeness.wishes import Wishes, wishes_of
from mediacrawl.priority import Scores
from mediacrawl.probe import build_item, sniff
from mediacrawl.probe.answer import Answer, answer_kind, is_media
from mediacrawl.probe.session import FirstAnswer, Session
from mediacrawl.records import Candidate, Drop, End, Evidence, Kind, MediaItem, Outcome, Visit
from mediacrawl.scheduler import PenaltyBoxScheduler
from mediacrawl.scope import MEDIA_EXTENSIONS, Scope, canonical, extension_of, joining
from mediacrawl.scope.originals import is_named_copy, of_a_copy

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

_ENDINGS = frozenset(f".{ending}"[-3:] for extension in MEDIA_EXTENSIONS for ending in (extension, extension.upper()))
"""Last three characters of references to media; a look at them is quicker than to find the extension."""
_FRAMES = frozenset({"iframe", "frame", "embed", "object", "player"})
_PLAYERS = frozenset({"audio", "video", "source", "og:audio", "og:video", "twitter:player:stream", "enclosure"})


class Reader:
    """Reads what servers answer. What a visit came to, and what it found, is written into the visit.

    Args:
        parts: what the doors of this crawl share.
        scheduler: whose frontier knows which links are new.
        scope: what decides whether a link may join.
        stats: the crawl's.
        follows: whether pages and feeds are read for their links; else one that came in place of media is dropped.
    """

    def __init__(
        self,
        parts: Parts,
        scheduler: PenaltyBoxScheduler,
        scope: Scope,
        stats: StatsCollector,
        *,
        follows: bool = True,
    ) -> None:
        self._scheduler = scheduler
        self._scope = scope
        self._stats = stats
        self._follows = follows
        self._duplicates = parts.duplicates
        self._scores = parts.scores
        self._probe = parts.probe
        self._attempts = parts.policy.attempts
        self._clock = parts.clock
        self._page_bytes = parts.settings.getint("PAGE_MAX_BYTES", 200_000)
        self._token = str(parts.settings.get("ROBOTS_TOKEN") or "mediacrawl")

    def read(self, visit: Visit, response: Response) -> MediaItem | None:
        """Read an answer: what it found goes to the visit, a record is handed back.

        Args:
            visit: which nobody has decided yet.
            response: any answer.
        """
        ended = after_status(response.status, visit.lease, self._attempts)
        if ended is not None and not visit.lease.state:
            visit.outcome = ended
            return None
        visit.outcome = Outcome(End.DONE)
        answer = answer_kind(header(response, "Content-Type"))
        if answer is Answer.ANYTHING:
            answer = _by_content(response.body)
        if answer is Answer.MEDIA or (visit.kind is Kind.MEDIA and _reads_as_media(visit, answer, response.body)):
            return self._read_media(visit, response)
        if not self._follows:
            visit.drop(Drop.CONTENT_TYPE)
        elif answer is Answer.PAGE:
            self._read_page(visit, response)
        elif answer is Answer.FEED and looks_like_feed(header(response, "Content-Type"), response.body):
            self._read_feed(visit, response)
        else:
            visit.drop(Drop.CONTENT_TYPE)
        return None

    def _read_page(self, visit: Visit, response: Response) -> None:
        own_url = link_header(headers(response, "Link"), "canonical")
        body = response.body[: self._page_bytes]
        page = parse_page(body, response.url, _charset(response), self._token, canonical=own_url)
        scheduler = self._scheduler
        scheduler.count("page/read")
        reason = self._seen_before(visit, page)
        if reason is not None:
            visit.drop(reason)
            if reason is not Drop.NEAR_DUPLICATE:
                return
        hrefs = [link.href for link in page.links]
        accepted, drops = self._scope.sift(page.base, hrefs, visit.lease.depth + 1, scheduler.frontier.recent)
        fresh, repeated = self._duplicates.sift(visit.lease.url, accepted, scheduler.frontier.unknown)
        if reason is Drop.NEAR_DUPLICATE:
            fresh = self._leading_on(visit, page, fresh)
        wishes = self._wishes(response, page.robots)
        if wishes.nofollow:
            drops[Drop.NOFOLLOW] += len(fresh)
        else:
            self._queue_links(visit, page, fresh, listed=self._may_list(wishes))
        self._count(drops + repeated)

    def _seen_before(self, visit: Visit, page: Page) -> Drop | None:
        """Why the page's links are not followed, or not all of them, judged by what it shows."""
        lease, thin = visit.lease, self._duplicates.policy.thin_text
        media = _media(page)
        if visit.kind is Kind.MEDIA:
            name = lease.url.partition("?")[0].rpartition("/")[2]
            shown = fingerprint(page, media, thin=thin, without=(name, unquote(name)) if name else ())
            if reason := self._duplicates.judge_stand_in(lease.site, shown):
                return reason
        return self._duplicates.judge(lease.site, lease.url, fingerprint(page, media, thin=thin))

    def _leading_on(self, visit: Visit, page: Page, fresh: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Those links of a near copy that are followed."""
        original = canonical(page.canonical) if page.canonical else None
        if original is not None and is_named_copy(visit.lease.url, original):
            self._scheduler.count("page/named_copy")
            return of_a_copy(fresh, original)
        return self._duplicates.leading_on(visit.lease.site, fresh)

    def _may_list(self, wishes: Wishes) -> bool:
        """Whether words of a page may stand in records."""
        if not wishes.unlisted(self._clock.now()):
            return True
        self._scheduler.count("page/noindex")
        return False

    def _count(self, drops: Counter[Drop]) -> None:
        for reason, number in drops.items():
            self._scheduler.count(f"drop/{reason}", number)

    def _queue_links(self, visit: Visit, page: Page, fresh: list[tuple[int, str]], *, listed: bool) -> None:
        for place, url in fresh:
            link = page.links[place]
            if page.nofollow(link):
                self._scheduler.count(f"drop/{Drop.NOFOLLOW}")
                continue
            evidence = Evidence(
                link.via,
                page.anchor(link) if listed else "",
                page.title if listed else "",
                page_language=page.language,
                page_charset=page.charset,
            )
            visit.found.append(candidate(url, evidence, self._scores, visit))

    def _read_feed(self, visit: Visit, response: Response) -> None:
        feed = parse_feed(response.body[: self._page_bytes], response.url)
        scheduler = self._scheduler
        scheduler.count("feed/read")
        doors = [
            (href, via, entry)
            for entry in feed.entries
            for href, via in ((entry.enclosure, "enclosure"), (entry.link, "feed"))
            if href
        ]
        frontier = scheduler.frontier
        hrefs = [href for href, _, _ in doors]
        accepted, drops = self._scope.sift(response.url, hrefs, visit.lease.depth + 1, frontier.recent)
        fresh, repeated = self._duplicates.sift(visit.lease.url, accepted, frontier.unknown)
        wishes = self._wishes(response)
        if wishes.nofollow:
            drops[Drop.NOFOLLOW] += len(fresh)
            fresh = []
        listed = self._may_list(wishes)
        for place, url in fresh:
            _, via, entry = doors[place]
            titles = (entry.title[:200], feed.title[:200]) if listed else ("", "")
            evidence = Evidence(via, *titles, response.url, entry.guid[:200])
            visit.found.append(candidate(url, evidence, self._scores, visit))
        self._count(drops + repeated)

    def _read_media(self, visit: Visit, response: Response) -> MediaItem | None:
        session = Session.load(visit.lease.state, self._probe)
        if self._wishes(response).unlisted(self._clock.now()):
            visit.drop(Drop.NOINDEX)
            return None
        if is_passing(response.status) and session.try_again():
            visit.outcome = Outcome(End.CONTINUE, state=session.dump())
            return None
        if not session.first.at:
            session.first = _first_answer(response)
        session.take(
            response.status,
            header(response, "Content-Range"),
            header(response, "Content-Length"),
            response.body,
            ranged=visit.asked > 0,
        )
        if not session.probe.finished:
            visit.outcome = Outcome(End.CONTINUE, state=session.dump(), kind=Kind.MEDIA)
            return None
        return self._item(visit, session)

    def _item(self, visit: Visit, session: Session) -> MediaItem | None:
        lease, first, probe = visit.lease, session.first, session.probe
        result = probe.result()
        stats = self._stats
        if not is_media(result.encoding_format):
            visit.drop(Drop.CONTENT_TYPE)
            return None
        stats.inc_value("media/found")
        stats.inc_value(f"media/status/{result.status}")
        stats.inc_value(f"media/format/{result.encoding_format}")
        stats.inc_value("media/bytes_fetched", probe.bytes_fetched)
        stats.inc_value("media/bytes_of_files", probe.size or probe.bytes_fetched)
        stats.inc_value("media/requests", probe.requests)
        return build_item(
            result,
            probe,
            # What stands behind a # tells visits of one URL apart, and is no part of it.
            url=lease.url.partition("#")[0],
            requested_url=lease.evidence.requested_url,
            evidence=lease.evidence,
            page_url=lease.parent,
            site=lease.site,
            found_at=first.at,
            checked_at=_now(),
            http_status=first.status,
            content_type=first.content_type,
            etag=first.etag,
            last_modified=first.last_modified,
            server_accepts_ranges=first.ranges,
        )

    def _wishes(self, response: Response, on_page: Sequence[str] = ()) -> Wishes:
        """What an answer asks for, in its header or on the page."""
        return wishes_of([*headers(response, "X-Robots-Tag"), *on_page], self._token)

    def without_range(self, visit: Visit, why: str) -> MediaItem | None:
        """A later range did not come: it is asked again, or the probe ends, and what is known is the record.

        Args:
            visit: of a probe that has begun.
            why: name of the error.
        """
        session = Session.load(visit.lease.state, self._probe)
        if session.try_again():
            visit.outcome = Outcome(End.CONTINUE, state=session.dump())
            return None
        visit.outcome = Outcome(End.DONE)
        session.probe.refuse(why)
        return self._item(visit, session)


def candidate(url: str, evidence: Evidence, scores: Scores, visit: Visit | None = None) -> Candidate:
    """A URL that was found on the page of a visit, or a seed."""
    kind = Kind.MEDIA if evidence.via in _PLAYERS else None
    if visit is None:
        return joining.candidate(url, evidence, scores, kind)
    lease = visit.lease
    return joining.candidate(url, evidence, scores, kind, depth=lease.depth + 1, parent=lease.url)


def _media(page: Page) -> list[str]:
    """What a page refers to as media, as it stands there; one with a fragment may be missed.

    What is shown in a frame or a player counts too: of a series of pages it may be all that differs.
    """
    return [
        href
        for href, via, _ in page.links
        if (("?" in href or href[-3:] in _ENDINGS) and extension_of(href) in MEDIA_EXTENSIONS)
        or (via != "a" and (via in _PLAYERS or via in _FRAMES))
    ]


def _charset(response: Response) -> str | None:
    _, _, charset = header(response, "Content-Type").lower().partition("charset=")
    return charset.strip("\"' ;") or None


def _by_content(body: bytes) -> str:
    """What an answer is whose Content-Type does not say."""
    sniffed = sniff(body)
    if is_media(sniffed.mime):
        return Answer.MEDIA
    return Answer.PAGE if sniffed.container == "html" else Answer.OTHER


def _reads_as_media(visit: Visit, answer: str, body: bytes) -> bool:
    """Whether the answer to a request for media goes to the probe. Servers send pages there, and media as text/html."""
    return bool(visit.lease.state) or answer is not Answer.PAGE or is_media(sniff(body).mime)


def _first_answer(response: Response) -> FirstAnswer:
    return FirstAnswer(
        at=_now(),
        status=response.status,
        content_type=header(response, "Content-Type"),
        etag=header(response, "ETag"),
        last_modified=header(response, "Last-Modified"),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
