"""Bytes of a field read as declared, and UTF-16 in fields that are declared 8-bit."""

from __future__ import annotations

import codecs
import re

from mediacrawl.encoding.excerpts import UTF16_MARKS
from mediacrawl.encoding.pricing.decoding import may_be_seven_bit

_HIGH_HALVES = bytes((*range(0x20), 0x30))
"""High bytes of UTF-16 that 8-bit text lacks; 30 is that of kana."""
_NO_LETTERS = bytes((*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)))
_UNITS = re.compile(rb"(?:(?!\0\0)..)*", re.DOTALL)


def wide_order(raw: bytes, least: int = 4) -> str:
    """Return the byte order of UTF-16 in a field of 8 bits; empty for 8-bit text.

    A byte order mark shows it. So do high bytes that are all zero or controls, in at least `least` units; a
    terminator counts as two, and a zero at the beginning as one. The last zero may have been cut off. A list of values
    of one letter looks the same, so fields with several values need four, and different letters.
    """
    for mark, order in UTF16_MARKS.items():
        if raw.startswith(mark):
            return order
    text = raw[: found.end()] if (found := _UNITS.match(raw)) else b""
    text += raw[len(text) :][:1].rstrip(b"\0")
    big, is_ended = text.startswith(b"\0"), len(raw) > len(text) + 1
    if len(text) < 3 - big or (len(text) + 1) // 2 + 2 * is_ended + big < least:
        return ""
    for order, high, low in (("utf-16-le", text[1::2], text[::2]), ("utf-16-be", text[::2], text[1::2])):
        latin = bytes(byte for byte, above in zip(low, high, strict=False) if not above)
        if (
            len(high) <= len(low)
            and (least == 2 or len(set(low)) > 1)
            and not high.translate(None, _HIGH_HALVES)
            and high.translate(None, b"\t\n\r0")
            and latin == latin.translate(None, _NO_LETTERS)
        ):
            return order
    return ""


def is_plain(text: str, raw: bytes) -> bool:
    """Return whether a text is its own evidence: ASCII that is neither a 7-bit encoding of another text nor UTF-16."""
    return text.isascii() and not may_be_seven_bit(raw) and not ("\0" in text and wide_order(raw, least=2))


def decode(raw: bytes, declared: str) -> str:
    """Decode bytes as declared. What fails becomes U+FFFD; there are no lone surrogates.

    UTF-16 without a byte order mark is little-endian, on every machine.
    """
    if declared == "utf-16" and not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        declared = "utf-16-le"
    return raw.decode(declared, errors="replace")
