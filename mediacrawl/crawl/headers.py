"""Headers of a response, as received and as text decoded as Latin-1, and its flags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scrapy.http import Headers

if TYPE_CHECKING:
    from scrapy.http import Response

ENDED_HERE = "download_stopped"
"""Scrapy's flag of a response that `StopDownload` ended."""
BROKE_OFF = "dataloss"
"""Scrapy's flag of a response that is shorter than its Content-Length."""


def received_headers(fields: Mapping[bytes, list[bytes]]) -> Headers:
    """Return the headers of a response.

    Args:
        fields: the values of each field by its name in lower case. The lists are kept.
    """
    found = Headers()
    # Scrapy would copy each list: three times the time.
    dict.update(found, {name.title(): values for name, values in fields.items()})
    return found


def header(response: Response, name: str) -> str:
    """Return the last header of this name; empty if there is none."""
    values: list[bytes] | None = dict.get(response.headers, name.title().encode())
    return values[-1].decode("latin-1") if values else ""


def headers(response: Response, name: str) -> list[str]:
    """Return all headers of this name, in their order."""
    # Scrapy's look-up takes six times the time, and a response's headers are asked for thirty times.
    return [value.decode("latin-1") for value in dict.get(response.headers, name.title().encode(), ())]
