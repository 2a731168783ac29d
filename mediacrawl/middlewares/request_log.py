"""Writes the request log: one line for every request."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, IgnoreRequest, NotConfigured

from mediacrawl.base.terms import End, Outcome
from mediacrawl.base.visit import VISIT, FetchFacts, Visit
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import RefusedRequest, error_name
from mediacrawl.crawl.own_settings import OwnSettings, log_folder
from mediacrawl.log.request_log import LogError, RequestLine, RequestLog
from mediacrawl.scope.urls import site_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


logger = logging.getLogger(__name__)

_SENT = "request_log_sent"


def _refuse() -> None:
    """End a crawl whose requests cannot be logged before it begins."""
    raise CloseSpider("log_error")


class RequestLogMiddleware(CrawlComponent):
    """One JSON line per request in ``<state folder>/log``; see `log.request_log.RequestLog` for what is on disk.

    With mediacrawl's scheduler the line is written at the end of the visit, with the reason of a drop, also if no
    request was sent. The lines of requests that a kill ended are written by the next start. Alone in a Scrapy project
    the line is written at the response or failure, and requests that a kill ended have none.

    Settings: ``REQUEST_LOG_ENABLED``, ``REQUEST_LOG_DAYS``. Stats: ``request_log/lost``, lines that could not be
    written; ``request_log/unfinished``, requests that were out when an earlier process was killed.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        own = OwnSettings(context.settings)
        if not own.getbool("REQUEST_LOG_ENABLED"):
            raise NotConfigured("REQUEST_LOG_ENABLED is off")
        super().__init__(crawler, context)
        connect = crawler.signals.connect
        try:
            self._log = RequestLog(log_folder(context.settings), keep_days=own.getint("REQUEST_LOG_DAYS"))
        except LogError as error:
            logger.critical("%s", error)
            connect(_refuse, signals.spider_opened)
            raise NotConfigured from error
        context.request_log = self._log
        if context.leases:
            connect(self._goes_out, signals.request_reached_downloader)
        else:
            connect(self._headers, signals.headers_received)
        self._out: dict[int, int] = {}
        if self._log.recovered:
            self._stats.set_value("request_log/unfinished", self._log.recovered)

    def process_response(self, request: Request, response: Response) -> Response:
        """Note the response."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None:
            _copy_response(visit.fetch, response)
        else:
            self._alone(request, response=response)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note the failure."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            self._alone(request, exception=exception)
        elif not visit.fetch.error:
            visit.fetch.error = error_name(exception)

    def _goes_out(self, request: Request) -> None:
        """Begin a line. The scheduler gets the same signal; the time of the first of both counts."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        visit.fetch.sent = self._clock.now() if visit.fetch.sent is None else visit.fetch.sent
        self._log.forget(self._out.pop(visit.lease.id, -1))
        self._out[visit.lease.id] = self._log.begin(
            RequestLine(
                time=visit.fetch.sent,
                url=visit.fetch.url,
                site=visit.lease.site,
                delay=visit.lease.delay,
                kind=visit.fetch.kind,
                address=visit.fetch.address or None,
            )
        )

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        out = self._out.pop(visit.lease.id, -1)
        if visit.fetch.sent is None and outcome.end is End.RETURNED:
            # It waits for its address or its robots.txt: nothing was sent, and nothing decided.
            self._log.forget(out)
            return
        now = self._clock.now() if visit.decision.ended is None else visit.decision.ended
        self._log.write(
            RequestLine(
                time=now if visit.fetch.sent is None else visit.fetch.sent,
                url=visit.fetch.url,
                status=visit.fetch.status or None,
                content_type=visit.fetch.content_type,
                content_length=visit.fetch.content_length,
                location=visit.fetch.location,
                duration=_duration(visit, now),
                bytes=visit.fetch.bytes,
                site=visit.lease.site,
                delay=visit.lease.delay,
                kind=visit.fetch.kind,
                drop=outcome.reason,
                error=visit.fetch.failure or None,
                address=visit.fetch.address or None,
                retry_after=visit.fetch.retry_after or None,
            ),
            out,
        )
        self._count_lost()

    def _count_lost(self) -> None:
        if self._log.lost:
            self._stats.set_value("request_log/lost", self._log.lost)

    # -- alone in a Scrapy project ---------------------------------------------------------------------------

    def _headers(self, request: Request) -> None:
        """Compute when the request was sent: this is the first signal that knows it."""
        if VISIT not in request.meta:
            request.meta[_SENT] = self._clock.now() - request.meta.get("download_latency", 0.0)

    def _alone(self, request: Request, response: Response | None = None, exception: Exception | None = None) -> None:
        now = self._clock.now()
        sent: float | None = request.meta.pop(_SENT, None)
        line = RequestLine(time=now, url=request.url, site=site_of(request.url))
        if isinstance(exception, RefusedRequest):
            line.drop = exception.reason
        elif exception is not None:
            line.error = error_name(exception)
            if sent is None and not isinstance(exception, IgnoreRequest):
                sent = now - (scrapy_internals.since_sent(self._crawler.engine, request) or 0.0)
        if sent is not None:
            line.time, line.duration = sent, now - sent
        if response is not None:
            _copy_response(line, response)
            line.response_url = response.url if response.url != request.url else None
        self._log.write(line)
        self._count_lost()

    def _closed(self) -> None:
        self._log.close()


def _duration(visit: Visit, now: float) -> float | None:
    """Seconds that a request took, a failed one until now; None if none was sent."""
    if visit.fetch.sent is None:
        return None
    return now - visit.fetch.sent if visit.fetch.response_time is None else visit.fetch.response_time


def _copy_response(record: FetchFacts | RequestLine, response: Response) -> None:
    record.status = response.status
    record.content_type = _text(response.headers.get(b"Content-Type"))
    record.content_length = _text(response.headers.get(b"Content-Length"))
    record.location = _text(response.headers.get(b"Location"))
    record.retry_after = _text(b"\n".join(response.headers.getlist(b"Retry-After")))
    record.bytes = len(response.body)
    if response.ip_address and not record.address:
        record.address = str(response.ip_address)


def _text(value: bytes | None) -> str:
    return value.decode("latin-1") if value else ""
