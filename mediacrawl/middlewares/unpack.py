"""Decompresses response bodies (Content-Encoding)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest

from mediacrawl.crawl.failures import UnreadableAnswerError
from mediacrawl.extract.content_coding import codings_of
from mediacrawl.records import Limit
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from scrapy.http import Response


class UnpackMiddleware(HttpCompressionMiddleware):
    """Scrapy's `HttpCompressionMiddleware`, for servers that send anything at all.

    What is no coding (`extract.content_coding.codings_of`) is counted and removed from the header. A coding that cannot
    be decoded is counted, and the body is read as received. Scrapy's own middleware logs the header verbatim, and fails
    if it is not UTF-8. A body that contradicts its header raises `UnreadableAnswerError`; the libraries' own errors
    would count as faults.

    Uses one private method of Scrapy 2.19, `_warn_unknown_encoding`.

    Stats: ``answer/unknown_encoding``, ``answer/unreadable``, and Scrapy's ``httpcompression/...``.
    """

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        """Decompress a response.

        Raises:
            UnreadableAnswerError: its body contradicts its header.
            IgnoreRequest: it decompresses to more than ``DOWNLOAD_MAXSIZE``.
        """
        if values := response.headers.getlist("Content-Encoding"):
            told = b",".join(values).decode("latin-1").lower()
            codings = codings_of([told])
            if {word.strip() for word in told.split(",")} - {*codings, "identity", ""}:
                self._count("answer/unknown_encoding")
            del response.headers["Content-Encoding"]
            if codings:
                response.headers["Content-Encoding"] = ",".join(codings)
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
