"""The bytes of HTTP/1.1 on the wire: request heads, response heads, and bodies (RFC 9112).

The reader accepts what browsers accept and real servers send: lines of a head without a colon, bare line feeds, folded
fields, HTTP/1.0, the status line ``ICY 200 OK`` of SHOUTcast. What would make the length of a body a guess is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

HEAD_BYTES = 64 * 1024
"""Limit of a response's head, interim responses included. Servers send 1 KB, some 20 KB at worst."""

_LINE_BYTES = 1024
"""Limit of the line with the size of a chunk."""

_SIZE_DIGITS = 16

_STATUS_LINE = re.compile(rb"(ICY|[A-Za-z0-9]{1,16}/\d{1,3}(?:\.\d{1,3})?)[ \t]+([1-9]\d\d)(?:[ \t]|$)")
"""A status line up to its reason phrase (RFC 9112, section 4)."""

_END_OF_HEAD = re.compile(rb"\n\r?\n")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,%d})[ \t]*(?:;|$)" % _SIZE_DIGITS)

_HOP_BY_HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"trailers", b"transfer-encoding"}
    | {b"upgrade"}
)
"""Fields about the connection (RFC 9110, section 7.6.1). Scrapy's responses do not have them."""

_NO_BODY = frozenset({204, 304})


class WireError(Exception):
    """The bytes are not HTTP, or their length cannot be known.

    Attributes:
        reason: what is wrong, in two or three words.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class Framing(Enum):
    """How the end of a body is marked, apart from a number of bytes (RFC 9112, section 6.3)."""

    CHUNKED = "chunked"
    CLOSE = "close"


@dataclass(slots=True)
class ResponseHead:
    """The head of a response.

    Attributes:
        protocol: as in the status line, such as ``HTTP/1.1``; ``ICY/1.0`` for SHOUTcast.
        status: from 100 to 999.
        fields: the values of each field, by its name in lower case, in the order in which they came. Without the fields
            about the connection.
        length: bytes of the body, or how its end is marked.
        keeps: whether the connection can carry another request.
    """

    protocol: str
    status: int
    fields: dict[bytes, list[bytes]]
    length: int | Framing
    keeps: bool


def request_bytes(method: str, target: bytes, fields: Iterable[tuple[bytes, bytes]], body: bytes) -> bytes:
    """Return a request as it is sent.

    Args:
        method: in capitals.
        target: path and query as written, or a whole URL for a proxy (RFC 9112, section 3.2).
        fields: names and values; Host among them.
        body: with a Content-Length if it is not empty, or if the method is one that has a body.

    Raises:
        WireError: a line break stands in the target or in a field.
    """
    lines = [b"%s %s HTTP/1.1" % (method.encode("ascii"), target)]
    lines += [b"%s: %s" % field for field in fields]
    if body or method in {"POST", "PUT"}:
        lines.append(b"Content-Length: %d" % len(body))
    if any(b"\n" in line or b"\r" in line for line in lines):
        raise WireError("line break in the request", "the request's target or one of its fields has a line break")
    return b"\r\n".join((*lines, b"", body))


def target_of(url: str) -> bytes:
    """Return the path and query of a URL, verbatim: parsers drop empty parts (``/a?``).

    Args:
        url: absolute; beyond ASCII it has question marks.
    """
    rest = url.partition("#")[0].partition("://")[2]
    end = min((place for place in (rest.find(mark) for mark in "/?") if place >= 0), default=len(rest))
    target = rest[end:]
    return (target if target.startswith("/") else f"/{target}").encode("ascii", "replace")


def split_head(data: bytes | bytearray) -> tuple[bytes, int] | None:
    """Find the end of a head.

    Args:
        data: bytes from the start of a response.

    Returns:
        The head and the number of bytes up to its end; None if it is not complete.
    """
    # Empty lines before the status line, from a server that sent too many bytes before (RFC 9112, section 2.2).
    start = len(data) - len(data.lstrip(b"\r\n"))
    end = _END_OF_HEAD.search(data, start)
    return None if end is None else (bytes(data[start : end.start()]), end.end())


def read_head(head: bytes, method: str = "GET") -> ResponseHead:
    """Read the head of a response.

    Args:
        head: from `split_head`.
        method: of the request; the response to HEAD has no body.

    Raises:
        WireError: the status line is not one, the lengths contradict each other, or the transfer coding is unknown.
    """
    first, *lines = head.split(b"\n")
    name, code = read_status_line(first)
    protocol, status = "ICY/1.0" if name == b"ICY" else name.decode("ascii"), int(code)
    fields = _fields(lines)
    codings = set(_words(fields, b"transfer-encoding")) - {b"identity", b""}
    if codings - {b"chunked"}:
        unknown = min(codings - {b"chunked"})
        raise WireError("unknown transfer coding", f"the transfer coding {unknown[:60]!r} is unknown")
    chunked = bool(codings)
    length = _length(method, status, fields, chunked=chunked)
    keeps = _keeps(protocol, fields) and length is not Framing.CLOSE and not (chunked and b"content-length" in fields)
    if chunked:
        fields.pop(b"content-length", None)
    told_fields = {name: values for name, values in fields.items() if name not in _HOP_BY_HOP}
    return ResponseHead(protocol, status, told_fields, length, keeps)


def read_status_line(line: bytes | bytearray) -> tuple[bytes, bytes]:
    """Return the protocol and the status of a status line, without its line feed. Raise WireError if it is none."""
    found = _STATUS_LINE.match(line.rstrip(b"\r"))
    if found is None:
        raise WireError("bad status line", f"the response begins with {bytes(line[:60])!r} instead of a status line")
    return found[1], found[2]


def _fields(lines: list[bytes]) -> dict[bytes, list[bytes]]:
    fields: dict[bytes, list[bytes]] = {}
    values: list[bytes] | None = None
    for line in lines:
        if line[:1] in {b" ", b"\t"}:
            # Folded: it continues the field before (RFC 9112, section 5.2).
            if values:
                values[-1] += b" " + line.strip()
            continue
        name, colon, value = line.partition(b":")
        name = name.strip().lower()
        if not colon or not name:
            values = None
            continue
        values = fields.setdefault(name, [])
        values.append(value.strip())
    return fields


def _words(fields: dict[bytes, list[bytes]], name: bytes) -> list[bytes]:
    """Return the elements of a field that is a list, in lower case."""
    values = fields.get(name)
    return [word.strip().lower() for word in b",".join(values).split(b",")] if values else []


def _length(method: str, status: int, fields: dict[bytes, list[bytes]], *, chunked: bool) -> int | Framing:
    if method == "HEAD" or status < 200 or status in _NO_BODY:
        return 0
    if chunked:
        return Framing.CHUNKED
    told = set(_words(fields, b"content-length"))
    if not told:
        return Framing.CLOSE
    length = told.pop()
    if told or not length.isdigit() or len(length) > 18:
        raise WireError("bad Content-Length", f"Content-Length is {b', '.join(fields[b'content-length'])[:60]!r}")
    return int(length)


def _keeps(protocol: str, fields: dict[bytes, list[bytes]]) -> bool:
    words = _words(fields, b"connection")
    return b"close" not in words and (protocol == "HTTP/1.1" or b"keep-alive" in words)


class _Part(Enum):
    """What a chunked body has next."""

    SIZE = "size"
    DATA = "data"
    AFTER = "after"
    TRAILER = "trailer"


class ChunkedBody:
    """Reads a body in chunks (RFC 9112, section 7.1).

    Attributes:
        is_over: whether the last chunk and its trailer were read.
        rest: bytes that came after the end.
        error: why the bytes are no chunks; what follows them is lost.
    """

    def __init__(self) -> None:
        self.is_over = False
        self.rest = b""
        self.error: WireError | None = None
        self._next = _Part.SIZE
        self._left = 0
        self._kept = bytearray()
        self._spare = HEAD_BYTES

    def feed(self, data: bytes) -> bytes:
        """Return the next part of the body."""
        self._kept += data
        found: list[bytes] = []
        try:
            while self._kept and not self.is_over and self._step(found):
                pass
        except WireError as error:
            self.error = error
        return found[0] if len(found) == 1 else b"".join(found)

    def _step(self, found: list[bytes]) -> bool:
        """Read one part; False if it has not come yet."""
        if self._next is _Part.DATA:
            part = bytes(self._kept[: self._left])
            del self._kept[: self._left]
            self._left -= len(part)
            self._spare += len(part)
            found.append(part)
            if not self._left:
                self._next = _Part.AFTER
            return True
        line = self._line(HEAD_BYTES if self._next is _Part.TRAILER else _LINE_BYTES)
        if line is None:
            return False
        if self._next is _Part.SIZE:
            self._spend(max(len(line) - _SIZE_DIGITS, 0))
            size = _CHUNK_SIZE.match(line)
            if size is None:
                raise WireError("bad chunk", f"the size of a chunk is {line[:60]!r}")
            self._left = int(size[1], 16)
            self._next = _Part.DATA if self._left else _Part.TRAILER
        elif self._next is _Part.AFTER:
            if line:
                raise WireError("bad chunk", f"a chunk is followed by {line[:60]!r}")
            self._next = _Part.SIZE
        elif line:
            self._spend(len(line))
        else:
            self.is_over = True
            self.rest = bytes(self._kept)
        return True

    def _spend(self, size: int) -> None:
        """Count bytes of chunk extensions and of the trailer: as many as the body has, and `HEAD_BYTES`, may come."""
        self._spare -= size
        if self._spare < 0:
            raise WireError(
                "trailer too large", f"the body has {HEAD_BYTES} bytes less than its extensions and trailer"
            )

    def _line(self, limit: int) -> bytes | None:
        """Take the next line; None if it has not come yet."""
        end = self._kept.find(b"\n", 0, limit)
        if end < 0:
            if len(self._kept) >= limit:
                raise WireError("bad chunk", f"a line between chunks has more than {limit} bytes")
            return None
        line = bytes(self._kept[:end]).rstrip(b"\r")
        del self._kept[: end + 1]
        return line
