"""Whether a compressed body (RFC 9110, 8.4) is complete: decompressors give what they can and report no missing end."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

_STEP = 1 << 16
"""Bytes that are unpacked at a time."""
_GZIP = zlib.MAX_WBITS | 16
_MAGIC = b"\x1f\x8b"


def is_complete(body: bytes, codings: Sequence[str], most: int) -> bool | None:
    """Whether a packed body has its end; None if that cannot be told.

    Args:
        body: as it came.
        codings: the words of Content-Encoding, in their order.
        most: unpacked bytes that are looked at. A body that holds more is not judged.
    """
    if not body or len(codings) != 1:
        return None
    judge = _JUDGES.get(codings[0].strip().lower())
    try:
        return judge(body, most) if judge is not None else None
    except Exception:  # noqa: BLE001 - each library has errors of its own for what is no such body
        return None


def _gzip(body: bytes, most: int) -> bool | None:
    found = _inflated(body, most, _GZIP)
    while found is not None and found.eof and found.unused_data.startswith(_MAGIC):
        # Members may follow each other (RFC 1952, section 2.2).
        found = _inflated(found.unused_data, most, _GZIP)
    return None if found is None else found.eof


def _deflate(body: bytes, most: int) -> bool | None:
    try:
        found = _inflated(body, most, zlib.MAX_WBITS)
    except zlib.error:
        # Some servers leave the wrapping of zlib out.
        found = _inflated(body, most, -zlib.MAX_WBITS)
    return None if found is None else found.eof


def _inflated(body: bytes, most: int, window: int) -> Any:
    """What has unpacked a body as far as it goes; None if that is too much."""
    press = zlib.decompressobj(window)
    waiting, size = body, 0
    while waiting and not press.eof:
        size += len(press.decompress(waiting, _STEP))
        waiting = press.unconsumed_tail
        if size > most:
            return None
    # All was taken in; the last of it may not have been given out.
    press.flush()
    return press


def _brotli(body: bytes, most: int) -> bool | None:
    press = import_module("brotli").Decompressor()
    piece, size = press.process(body, output_buffer_limit=_STEP), 0
    while piece and not press.is_finished():
        size += len(piece)
        if size > most:
            return None
        piece = press.process(b"", output_buffer_limit=_STEP)
    return bool(press.is_finished())


def _zstd(body: bytes, most: int) -> bool | None:
    press = _zstd_module().ZstdDecompressor()
    waiting, size = body, 0
    while not press.eof:
        size += len(press.decompress(waiting, max_length=_STEP))
        if size > most:
            return None
        if press.needs_input:
            break
        waiting = b""
    return bool(press.eof)


def _zstd_module() -> Any:
    try:
        return import_module("compression.zstd")
    except ImportError:
        return import_module("backports.zstd")


_JUDGES: dict[str, Callable[[bytes, int], bool | None]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
