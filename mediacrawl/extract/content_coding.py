"""Whether a compressed body (RFC 9110, 8.4) is complete: decompressors give what they can and report no missing end."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

_STEP = 1 << 16
"""Bytes that are decompressed at a time."""
_GZIP = zlib.MAX_WBITS | 16
_MAGIC = b"\x1f\x8b"


def is_complete(body: bytes, codings: Sequence[str], most: int) -> bool | None:
    """Whether a compressed body is complete; None if that is unknown.

    Args:
        body: as received.
        codings: of Content-Encoding, in order.
        most: decompressed bytes that are examined; for a longer body the result is None.
    """
    if not body or len(codings) != 1:
        return None
    check = _CHECKS.get(codings[0].strip().lower())
    try:
        return check(body, most) if check is not None else None
    except Exception:  # noqa: BLE001 - each library has its own errors for invalid input
        return None


def _gzip(body: bytes, most: int) -> bool | None:
    found = _inflate(body, most, _GZIP)
    while found is not None and found.eof and found.unused_data.startswith(_MAGIC):
        # Members may follow each other (RFC 1952, section 2.2).
        found = _inflate(found.unused_data, most, _GZIP)
    return None if found is None else found.eof


def _deflate(body: bytes, most: int) -> bool | None:
    try:
        found = _inflate(body, most, zlib.MAX_WBITS)
    except zlib.error:
        # Some servers omit the zlib header.
        found = _inflate(body, most, -zlib.MAX_WBITS)
    return None if found is None else found.eof


def _inflate(body: bytes, most: int, window: int) -> Any:
    """The decompressor after the body; None above the limit."""
    decompressor = zlib.decompressobj(window)
    waiting, size = body, 0
    while waiting and not decompressor.eof:
        size += len(decompressor.decompress(waiting, _STEP))
        waiting = decompressor.unconsumed_tail
        if size > most:
            return None
    # The end of the output may be buffered.
    decompressor.flush()
    return decompressor


def _brotli(body: bytes, most: int) -> bool | None:
    decompressor = import_module("brotli").Decompressor()
    piece, size = decompressor.process(body, output_buffer_limit=_STEP), 0
    while piece and not decompressor.is_finished():
        size += len(piece)
        if size > most:
            return None
        piece = decompressor.process(b"", output_buffer_limit=_STEP)
    return bool(decompressor.is_finished())


def _zstd(body: bytes, most: int) -> bool | None:
    decompressor = _zstd_module().ZstdDecompressor()
    waiting, size = body, 0
    while not decompressor.eof:
        size += len(decompressor.decompress(waiting, max_length=_STEP))
        if size > most:
            return None
        if decompressor.needs_input:
            break
        waiting = b""
    return bool(decompressor.eof)


def _zstd_module() -> Any:
    try:
        return import_module("compression.zstd")
    except ImportError:
        return import_module("backports.zstd")


_CHECKS: dict[str, Callable[[bytes, int], bool | None]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
