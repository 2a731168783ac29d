"""Feeds responses to requests for media files to `probe`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mediacrawl.base.clock import written_now
from mediacrawl.base.content_coding import codings_of
from mediacrawl.base.content_type import is_media
from mediacrawl.base.terms import Drop, End, Kind, Limit, Outcome, Trouble
from mediacrawl.base.visit import Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.headers import BROKE_OFF, ENDED_HERE, header, headers
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.policies import probe_policy
from mediacrawl.crawl.threads import in_thread
from mediacrawl.download.body_bytes import disposition_name
from mediacrawl.politeness.delay import is_passing
from mediacrawl.politeness.robots import directives_of
from mediacrawl.probe import (
    FirstAnswer,
    Odd,
    Probe,
    ProbePolicy,
    ProbeResult,
    Reply,
    Session,
    read_stream,
)
from mediacrawl.record import MediaItem, build_item
from mediacrawl.scope.urls import authority_of

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

_UNFINISHED = frozenset({ENDED_HERE, BROKE_OFF})
"""Scrapy's flags of a body that did not end by itself."""
_SHOUTCAST = frozenset({"icy-name", "icy-br", "icy-genre", "icy-pub", "icy-url", "icy-description"})
"""Headers of servers that name the song if they are asked to."""
_OF_REPLY = {
    "content_type": "Content-Type",
    "content_range": "Content-Range",
    "content_length": "Content-Length",
    "etag": "ETag",
    "last_modified": "Last-Modified",
    "date": "Date",
}
"""Attributes of a `Reply` that are headers."""
_WITH_BYTES = frozenset({200, 206})


class FileReader:
    """Feeds responses to probes. The outcome is written into the visit; a finished probe gives the record.

    Parsing a hostile file takes up to 2 s of CPU, so it is done in a thread; frontier, notes and stats are used in the
    reactor's thread only.
    """

    def __init__(self, context: CrawlContext, stats: StatsCollector) -> None:
        self._context = context
        self._stats = stats
        self._policy = probe_policy(context.settings)
        self._clock = context.clock
        self._token = OwnSettings(context.settings).getstr("ROBOTS_TOKEN")
        self.heard: Callable[[Visit, Odd | None, ProbeResult | None, Probe], None] = lambda *_: None
        """Called for each response: its visit, its anomaly, the result if the probe is over, the probe."""

    async def read(self, visit: Visit, response: Response, *, streams: bool = False) -> MediaItem | None:
        """Read a response, or a stream; return a record if the probe is over and it is a media file."""
        robots = headers(response, "X-Robots-Tag")
        if robots and directives_of(robots, self._token).unlisted(self._clock.now()):
            visit.drop(Drop.NOINDEX)
            return None
        lease = visit.lease
        if streams:
            return await self._read_stream(visit, response)
        disposition = header(response, "Content-Disposition")
        names = (disposition_name(disposition) if disposition else "", visit.fetch.url)
        broke_off = visit.fetch.broke_off and response.status in _WITH_BYTES
        if is_passing(response.status) or (broke_off and lease.state):
            session = Session.load(lease.state, self._policy, names=names)
            if session.try_again():
                visit.decision.outcome = Outcome(End.CONTINUE, state=session.dump())
                visit.decision.trouble = Trouble.CUT if broke_off else None
                return None
        visit.decision.trouble = None
        once = not visit.fetch.range_bytes and self._context.ignores_ranges(visit.fetch.url)
        # Until the thread returns, the outcome is that the URL is requested again, in case the visit is ended
        # meanwhile.
        visit.decision.outcome = Outcome(End.CONTINUE, state=lease.state)
        step = await in_thread(advance, lease.state, self._policy, _reply(visit, response), once=once, names=names)
        visit.decision.outcome = Outcome(End.DONE)
        self._learn(visit, response.status, step)
        self.heard(visit, step.odd, step.result, step.session.probe)
        if step.result is None:
            visit.decision.outcome = Outcome(End.CONTINUE, state=step.state, kind=Kind.MEDIA)
            return None
        return self._item(visit, step.result, step.session.probe, step.session.first)

    async def without_range(self, visit: Visit, why: str) -> MediaItem | None:
        """Handle a failed range: it is requested again, or the probe ends with the record of what is known."""
        session = Session.load(visit.lease.state, self._policy)
        if session.try_again():
            visit.decision.outcome = Outcome(End.CONTINUE, state=session.dump())
            return None
        session.probe.refuse(why)
        visit.decision.outcome = Outcome(End.CONTINUE, state=visit.lease.state)
        result = await in_thread(session.probe.result)
        visit.decision.outcome = Outcome(End.DONE)
        self.heard(visit, None, result, session.probe)
        return self._item(visit, result, session.probe, session.first)

    async def _read_stream(self, visit: Visit, response: Response) -> MediaItem | None:
        visit.decision.outcome = Outcome(End.CONTINUE, state=visit.lease.state)
        sent = [
            (name.decode("latin-1").lower(), raw) for name in response.headers for raw in response.headers.getlist(name)
        ]
        result = await in_thread(read_stream, sent, response.body, self._policy)
        session = Session.load(visit.lease.state, self._policy)
        probe = session.probe
        probe.requests += 1
        probe.bytes_fetched += len(response.body)
        if visit.fetch.kind is not Kind.MEDIA and lacks_song({name for name, _ in sent}, result):
            # It was requested as a page, and such a request does not ask for the song.
            visit.decision.outcome = Outcome(End.CONTINUE, state=session.dump(), kind=Kind.MEDIA)
            return None
        visit.decision.outcome = Outcome(End.DONE)
        first = FirstAnswer(written_now(), response.status, header(response, "Content-Type"))
        self.heard(visit, None, result, probe)
        return self._item(visit, result, probe, first)

    def _learn(self, visit: Visit, status: int, step: ProbeStep) -> None:
        """Learn whether the server supports ranges."""
        if step.odd is not None:
            self._stats.inc_value(f"media/odd/{step.odd}")
        if not visit.fetch.range_bytes:
            return
        authority = authority_of(visit.fetch.url)
        size = step.session.probe.size
        if status == 206:
            self._context.habits.learn(authority, obeys=True)
        elif step.session.first.ranges is False and (size is None or size > visit.fetch.range_bytes):
            # A server that supports ranges may answer 200 when the range is the whole file.
            self._context.habits.learn(authority, obeys=False)

    def _item(self, visit: Visit, result: ProbeResult, probe: Probe, first: FirstAnswer) -> MediaItem | None:
        lease, stats = visit.lease, self._stats
        if not is_media(result.encoding_format):
            reason = Drop.CONTENT_TYPE if probe.head or first.status < 400 else Drop.HTTP_STATUS
            visit.drop(Drop.UNREADABLE if visit.fetch.broke_off else reason)
            return None
        stats.inc_value("media/probed")
        stats.inc_value(f"media/status/{result.status}")
        stats.inc_value(f"media/format/{result.encoding_format}")
        stats.inc_value("media/bytes_fetched", probe.bytes_fetched)
        stats.inc_value("media/bytes_of_files", probe.size or probe.bytes_fetched)
        stats.inc_value("media/requests", probe.requests)
        item = build_item(
            result,
            probe,
            url=lease.request_url,
            key=lease.key,
            evidence=lease.evidence,
            page_url=lease.parent,
            site=lease.site,
            checked_at=written_now(),
            first=first,
        )
        if item.texts_dropped:
            stats.inc_value("media/texts_dropped", item.texts_dropped)
            visit.decision.limits.add(Limit.TEXT)
        return item


def lacks_song(names: set[str], result: ProbeResult) -> bool:
    """Whether a station would name the song if it were asked with ``Icy-MetaData: 1``.

    Ogg names it in the stream itself. Only MPEG audio has it between its bytes, and only if the request asks for it.
    """
    return result.codec in {"mp3", "aac"} and "icy-metaint" not in names and bool(_SHOUTCAST & names)


class ProbeStep(NamedTuple):
    """What one response makes of a session.

    Attributes:
        session: after the response.
        odd: what is unusual about the response, or None.
        state: for the next visit; empty if the probe is finished.
        result: of the finished probe, None before.
    """

    session: Session
    odd: Odd | None
    state: bytes
    result: ProbeResult | None


def advance(state: bytes, policy: ProbePolicy, reply: Reply, *, once: bool, names: Sequence[str]) -> ProbeStep:
    """Feed one response to a session, which takes up to 2 s of CPU for a hostile file; see `Session.load`."""
    session = Session.load(state, policy, once=once, names=names)
    odd = session.take(reply)
    if not session.probe.finished:
        return ProbeStep(session, odd, session.dump(), None)
    return ProbeStep(session, odd, b"", session.probe.result())


def _reply(visit: Visit, response: Response) -> Reply:
    sent = {name: header(response, field) for name, field in _OF_REPLY.items()}
    return Reply(
        status=response.status,
        body=response.body,
        ranged=visit.fetch.range_bytes > 0,
        at=written_now(),
        is_coded=bool(visit.fetch.content_encoding and codings_of([visit.fetch.content_encoding])),
        # Scrapy removes the header when it has decoded the body.
        undecodable="Content-Encoding" in response.headers,
        whole=_UNFINISHED.isdisjoint(response.flags),
        broke_off=visit.fetch.broke_off,
        **sent,
    )
