"""Encodings of text: their names, how common they are, and bytes read in the one that is declared.

Nothing here decides; `mediacrawl.encoding` does.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, Self

ENCODING_WEIGHTS: Final[dict[str, float]] = {
    # The declared encoding is mostly right.
    "cp1252": 1000.0,
    "cp1251": 45.0, "gb18030": 11.0, "cp932": 18.0, "utf-8": 24.0, "cp949": 7.0, "cp1250": 7.0, "cp950": 5.5,
    "cp1256": 2.25, "cp1253": 3.0,
    "cp1255": 5.4, "cp1254": 2.7, "cp874": 2.7, "cp1257": 1.0, "cp1258": 0.6,
    "koi8_r": 0.6, "koi8_u": 0.2, "cp866": 0.6, "cp1125": 0.2, "mac_cyrillic": 0.4, "iso8859_5": 0.4, "kz1048": 0.15,
    "ptcp154": 0.01,
    "iso8859_2": 0.5, "cp852": 0.5, "mac_latin2": 0.4, "iso8859_16": 0.02, "cp855": 0.02,
    "mac_roman": 0.8, "cp850": 1.5, "iso8859_15": 0.05, "iso8859_14": 0.02, "iso8859_3": 0.05,
    "mac_turkish": 0.15, "cp857": 0.15, "iso8859_4": 0.2, "iso8859_13": 0.1, "cp775": 0.1,
    "iso8859_7": 0.1, "cp737": 0.2, "cp862": 0.2, "iso8859_6": 0.2, "euc_jp": 0.5,
}  # fmt: skip
"""How many wrongly declared media files are in an encoding, relative to the others: those that have a model."""

Seen = Mapping[tuple[str, str], float]
"""Counts of (encoding, language) on a host: ``{("cp1251", "ru"): 12.0}``."""

_SAME: Final = {
    "iso8859-1": "cp1252", "latin-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "iso8859-8": "cp1255",
    "iso8859-11": "cp874", "tis-620": "cp874",
    "shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030", "big5": "cp950",
    "big5hkscs": "cp950", "mac-cyrillic": "mac_cyrillic",
    "mac-roman": "mac_roman", "mac-latin2": "mac_latin2", "mac-turkish": "mac_turkish", "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
}  # fmt: skip

LONGEST_NAME: Final = 40


@lru_cache(maxsize=256)
def codec_name(name: str) -> str:
    """The canonical name of an encoding in this package, by any name that Python knows; empty if it has no prior.

    A subset has the name of its superset: GB2312 is gb18030, Shift_JIS is cp932, Latin-1 is cp1252.
    """
    if not name or len(name) > LONGEST_NAME:
        return ""
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    known = _SAME.get(known, known)
    dashed = known.replace("-", "_")
    return known if known in ENCODING_WEIGHTS else dashed if dashed in ENCODING_WEIGHTS else ""


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
