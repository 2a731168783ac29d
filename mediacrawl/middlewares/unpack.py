"""Unpacks the bodies of answers (Content-Encoding). One that cannot be unpacked is the mistake of its server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest

from mediacrawl.crawl.failures import UnreadableAnswerError
from mediacrawl.records import Limit
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from scrapy.http import Response


class UnpackMiddleware(HttpCompressionMiddleware):
    """Scrapy's `HttpCompressionMiddleware`, for servers that send anything at all.

    A coding that nobody knows is counted, and the body is read as it came: some servers write their charset there.
    Scrapy's own middleware writes the header to the log, as it came, and fails at one that is no UTF-8. A body that is
    not packed as its header says raises `UnreadableAnswerError`: each library has errors of its own for that, which
    would count as faults.

    Leans on one private method of Scrapy 2.19, `_warn_unknown_encoding`.

    Stats: ``answer/unknown_encoding``, ``answer/unreadable``, and Scrapy's ``httpcompression/...``.
    """

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        """Unpack an answer.

        Raises:
            UnreadableAnswerError: it is not packed as its header says.
            IgnoreRequest: it unpacks to more than ``DOWNLOAD_MAXSIZE``.
        """
        try:
            return super().process_response(request, response)
        except IgnoreRequest:
            _meet(request, Limit.SIZE)
            raise
        except Exception as error:
            _meet(request, Limit.UNREADABLE)
            self._count("answer/unreadable")
            raise UnreadableAnswerError(f"its body cannot be unpacked ({type(error).__name__}: {error})") from error

    def _warn_unknown_encoding(self, response: Response, encodings: list[bytes]) -> None:  # noqa: ARG002
        self._count("answer/unknown_encoding")

    def _count(self, name: str) -> None:
        if self.stats:
            self.stats.inc_value(name)


def _meet(request: Request, limit: Limit) -> None:
    visit: Visit | None = request.meta.get(VISIT)
    if visit is not None:
        visit.fetch.limits.add(limit)
