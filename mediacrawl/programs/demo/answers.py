"""What an honest HTTP server answers: conditional requests and byte ranges as pure functions (RFC 9110)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from hashlib import sha256
from http import HTTPStatus

Headers = tuple[tuple[str, str], ...]

# A position of 18 digits still fits in 64 bits; longer ones are not a range (a hostile client must cost nothing).
_SINGLE_RANGE = re.compile(r"bytes\s*=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})\s*", re.IGNORECASE)


class UnsatisfiableRangeError(ValueError):
    """The range starts behind the end of the representation (RFC 9110, 14.1.1)."""


@dataclass(frozen=True, slots=True)
class Resource:
    """The resource at a URL.

    Attributes:
        body: all of its bytes.
        content_type: value of the header; None leaves the header out.
        status: 200, or what this URL always answers; only a 200 has ranges and validators.
        modified: time of the last change, seconds since the epoch; None leaves the header out.
        etag: strong entity tag with its quotes; empty leaves the header out.
        headers: further header lines.
        delay: seconds that the server thinks before it answers.
    """

    body: bytes = b""
    content_type: str | None = "text/html; charset=utf-8"
    status: int = HTTPStatus.OK
    modified: int | None = None
    etag: str = ""
    headers: Headers = ()
    delay: float = 0.0


def strong_etag(body: bytes) -> str:
    """Return an entity tag that changes with the content."""
    return f'"{sha256(body).hexdigest()[:16]}"'


@dataclass(frozen=True, slots=True)
class Response:
    """One answer: status, header lines in their order, and the body that a GET would get."""

    status: int
    headers: Headers = ()
    body: bytes = b""


def single_range(value: str, size: int) -> tuple[int, int] | None:
    """Return the bytes that a Range header asks for (RFC 9110, 14.1.2): the first, and the one behind the last.

    None if the header is to be ignored: not understood, or several ranges, which a server need not serve.

    Raises:
        UnsatisfiableRangeError: the header is understood, and no byte of it exists.
    """
    match = _SINGLE_RANGE.fullmatch(value.strip())
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    start, stop = (int(first), int(last) + 1 if last else size) if first else (max(0, size - int(last)), size)
    if first and last and int(last) < int(first):
        return None
    if start >= size:
        raise UnsatisfiableRangeError(f"no byte {start} in {size}")
    return start, min(stop, size)


def answer(resource: Resource, method: str, headers: Mapping[str, str]) -> Response:
    """Return the answer of an honest server: conditional requests, ranges, HEAD, and nothing but GET and HEAD.

    The body is there for HEAD too; the wire leaves it out and keeps its length (RFC 9110, 9.3.2).

    Args:
        resource: what is asked for.
        method: in capitals.
        headers: of the request, names in lower case.
    """
    if method not in {"GET", "HEAD"}:
        return Response(HTTPStatus.METHOD_NOT_ALLOWED, (("Allow", "GET, HEAD"),))
    content_type = (("Content-Type", resource.content_type),) if resource.content_type else ()
    if resource.status != HTTPStatus.OK:
        return Response(resource.status, (*content_type, *resource.headers), resource.body)
    validators: Headers = (("ETag", resource.etag),) if resource.etag else ()
    if resource.modified is not None:
        validators = (("Last-Modified", formatdate(resource.modified, usegmt=True)), *validators)
    if _unchanged(resource, headers):
        return Response(HTTPStatus.NOT_MODIFIED, validators)
    common = (*content_type, *validators, ("Accept-Ranges", "bytes"), *resource.headers)
    asked = headers.get("range")
    if asked is None or method != "GET" or not _if_range_holds(resource, headers):
        return Response(HTTPStatus.OK, common, resource.body)
    size = len(resource.body)
    try:
        found = single_range(asked, size)
    except UnsatisfiableRangeError:
        return Response(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, (("Content-Range", f"bytes */{size}"),))
    if found is None:
        return Response(HTTPStatus.OK, common, resource.body)
    start, stop = found
    content_range = ("Content-Range", f"bytes {start}-{stop - 1}/{size}")
    return Response(HTTPStatus.PARTIAL_CONTENT, (*common, content_range), resource.body[start:stop])


def _unchanged(resource: Resource, headers: Mapping[str, str]) -> bool:
    """Whether the client has this version already; a tag outranks a date (RFC 9110, 13.2.2)."""
    tags = headers.get("if-none-match")
    if tags is not None:
        known = {tag.strip().removeprefix("W/") for tag in tags.split(",")}
        return bool(known & {"*", resource.etag}) if resource.etag else "*" in known
    since = _seconds(headers.get("if-modified-since", ""))
    return since is not None and resource.modified is not None and resource.modified <= since


def _if_range_holds(resource: Resource, headers: Mapping[str, str]) -> bool:
    """Whether a range may be served: no If-Range, or exactly this version (RFC 9110, 13.1.5)."""
    value = headers.get("if-range")
    if value is None:
        return True
    if value.startswith(('"', "W/")):
        return value == resource.etag
    return resource.modified is not None and _seconds(value) == resource.modified


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
