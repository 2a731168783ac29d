"""Content codings (RFC 9110, section 8.4): which a response has, whether the body is complete, and decompression.

Decompressors give what they can and report no missing end.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Iterable, Sequence
from importlib import import_module
from typing import Any

_STEP = 1 << 16
"""Bytes that are decompressed at a time."""
_GZIP = zlib.MAX_WBITS | 16
_MAGIC = b"\x1f\x8b"

_Pieces = Generator[bytes, None, bool]
"""Decompressed pieces; returns whether the body is complete."""


def codings_of(values: Iterable[str]) -> tuple[str, ...]:
    """Return the content codings of a response, in lower case and in order.

    Servers also write their charset there, ``none``, or the coding of a transfer. What is registered as no coding says
    nothing of the body, and is left out.
    """
    words = (word.strip().lower() for value in values for word in value.split(","))
    return tuple(word for word in words if word in _CODINGS)


def read_packed(body: bytes, codings: Sequence[str], most: int) -> tuple[bytes | None, bool | None]:
    """Return the beginning of a body without its codings, and whether the body is complete.

    A body with `most` unpacked bytes or more counts as complete. The body is None if it cannot be
    unpacked, and the second value if it is unknown: the body is damaged, empty, or has several codings.
    """
    whole = None
    for coding in reversed(codings if body else ()):
        decode, found, size = _DECODERS.get(coding), list[bytes](), 0
        if decode is None:
            return None, None
        pieces = decode(body)
        try:
            while size < most:
                found.append(next(pieces))
                size += len(found[-1])
            whole = True
        except StopIteration as end:
            whole = bool(end.value)
        except Exception:  # noqa: BLE001 - each library has its own errors for invalid input
            whole = None
            # What came before the damage counts.
            if not size:
                return None, None
        body = b"".join(found)
    return body, whole if len(codings) == 1 else None


def unpack(body: bytes, codings: Sequence[str], most: int) -> bytes | None:
    """Return the beginning of a body without its codings; None if it cannot be unpacked."""
    return read_packed(body, codings, most)[0]


def unpacked(body: bytes, most: int) -> bytes:
    """Return the beginning of a gzip file, decompressed; other bytes are returned unchanged. Never raises."""
    return (unpack(body, ("gzip",), most) or b"")[:most] if body.startswith(_MAGIC) else body


def _gzip(body: bytes) -> _Pieces:
    found = yield from _inflate(body, _GZIP)
    while found.eof and found.unused_data.startswith(_MAGIC):
        # Members may follow each other (RFC 1952, section 2.2).
        found = yield from _inflate(found.unused_data, _GZIP)
    return bool(found.eof)


def _deflate(body: bytes) -> _Pieces:
    # Some servers omit the zlib header (RFC 1950, section 2.2).
    has_header = body[0] & 15 == zlib.DEFLATED and int.from_bytes(body[:2], "big") % 31 == 0
    found = yield from _inflate(body, zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
    return bool(found.eof)


def _inflate(body: bytes, window: int) -> Generator[bytes, None, Any]:
    """Yield the decompressor after the body."""
    decompressor = zlib.decompressobj(window)
    waiting = body
    while waiting and not decompressor.eof:
        yield decompressor.decompress(waiting, _STEP)
        waiting = decompressor.unconsumed_tail
    # The end of the output may be buffered.
    yield decompressor.flush()
    return decompressor


def _brotli(body: bytes) -> _Pieces:
    decompressor = import_module("brotli").Decompressor()
    piece = decompressor.process(body, output_buffer_limit=_STEP)
    while piece and not decompressor.is_finished():
        yield piece
        piece = decompressor.process(b"", output_buffer_limit=_STEP)
    yield piece
    return bool(decompressor.is_finished())


def _zstd(body: bytes) -> _Pieces:
    try:
        module = import_module("compression.zstd")
    except ImportError:
        module = import_module("backports.zstd")
    decompressor, waiting = module.ZstdDecompressor(), body
    while not decompressor.eof:
        yield decompressor.decompress(waiting, max_length=_STEP)
        if decompressor.needs_input:
            break
        waiting = b""
    return bool(decompressor.eof)


_DECODERS: dict[str, Callable[[bytes], _Pieces]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
UNPACKED = frozenset(_DECODERS)
"""Content codings that can be unpacked."""
_CODINGS = frozenset({*_DECODERS, "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm"})
"""IANA's registry of content codings, without ``identity``."""
