"""Headers of a response as text, decoded as Latin-1, and its flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.http import Response

ENDED_HERE = "download_stopped"
"""Scrapy's flag of a response that `StopDownload` ended."""
BROKE_OFF = "dataloss"
"""Scrapy's flag of a response that is shorter than its Content-Length."""


def header(response: Response, name: str) -> str:
    """Return the last header of this name; empty if there is none."""
    return (response.headers.get(name) or b"").decode("latin-1")


def headers(response: Response, name: str) -> list[str]:
    """Return all headers of this name, in their order."""
    return [value.decode("latin-1") for value in response.headers.getlist(name)]
