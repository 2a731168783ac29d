"""Encodings of text: their names, and bytes read in the one that is declared.

Nothing here decides; `mediacrawl.encoding` does.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, Self

Seen = Mapping[tuple[str, str], float]
"""Counts of (encoding, language) on a host: ``{("cp1251", "ru"): 12.0}``."""

LONGEST_NAME: Final = 40
_UNFIT = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined"})
"""Python codecs that are slow on crafted input, or no encoding of text."""


@lru_cache(maxsize=256)
def is_codec(name: str) -> bool:
    """Whether a name from a stored record is an encoding of text that is safe to decode with."""
    if len(name) > LONGEST_NAME:
        return False
    try:
        found = codecs.lookup(name)
        b"x".decode(name, "replace")
    except (LookupError, ValueError):
        return False
    return found.name not in _UNFIT


BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    # Before UTF-16, whose mark is a prefix of this one.
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

UTF16_MARKS: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

CONTROLS: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
"""No text has them, but half of UTF-16's units do: 04 is the high byte of Cyrillic."""

ESCAPE: Final = b"\x1b"
HZ_OPENS: Final = b"~{"

_HIGH_HALVES = bytes((*range(0x20), 0x30))
"""High bytes of UTF-16 that 8-bit text lacks; 30 is that of kana."""
_NO_LETTERS = bytes((*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)))
_UNITS = re.compile(rb"(?:(?!\0\0)..)*", re.DOTALL)


def may_be_seven_bit(raw: bytes) -> bool:
    """Whether bytes contain the beginning of an ISO-2022 or HZ sequence."""
    return ESCAPE in raw or HZ_OPENS in raw


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


def clean(text: str) -> str:
    """Return text that any export can write: no NULs, lone surrogates, byte order mark or surrounding white space."""
    if text.isascii() and "\0" not in text:
        return text.strip()
    whole = text.encode("utf-16", errors="surrogatepass").decode("utf-16", errors="replace")
    return whole.replace("\0", " ").removeprefix("\ufeff").strip()


def clean_all(value: Any) -> Any:
    """Return a value with each text in it `clean`: a text, or lists and objects of texts and others."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_all(each) for each in value]
    if isinstance(value, dict):
        return {name: clean_all(each) for name, each in value.items()}
    return value


CHARDET: Final = "chardet"
"""Source of a decision; chardet knows encodings without a model here."""

SURE_DOCUMENT: Final = 0.9
"""Confidence of the models above which a document's decision applies to its texts. Below, each record is decided from
the bytes, with the document's encoding as a strong hint."""

_ESTIMATE_PARTS: Final = 3


class DocumentReading(NamedTuple):
    """The encoding of a document, as each text from it notes it: ``cp1251``, or ``cp1251 models ru 0.9941``.

    Attributes:
        encoding: Python codec name.
        by: source of the decision, if it is no declaration: ``models``, ``chardet``, ``default``; else empty.
        language: or empty.
        confidence: 0 to 1.
    """

    encoding: str
    by: str = ""
    language: str = ""
    confidence: float = 1.0

    @property
    def is_sure(self) -> bool:
        """Whether the models decided with certainty."""
        return self.by == "models" and self.confidence >= SURE_DOCUMENT

    def noted(self) -> str:
        """Return it as a text; source, language (``-`` if unknown) and confidence only if no declaration decided."""
        return f"{self.encoding} {self.by} {self.language or '-'} {self.confidence:.4f}" if self.by else self.encoding

    @classmethod
    def of(cls, noted: str) -> Self:
        """Read what `noted` wrote. Never raises."""
        encoding, *rest = noted.split(" ")
        if len(rest) != _ESTIMATE_PARTS:
            return cls(encoding)
        by, language, confidence = rest
        try:
            return cls(encoding, by, "" if language == "-" else language, float(confidence))
        except ValueError:
            return cls(encoding)
