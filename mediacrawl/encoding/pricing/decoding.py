"""Bytes to text and back: 8-bit, double-byte and 7-bit encodings, and UTF-8.

The 7-bit ones write Chinese, Japanese and Korean in bytes of ASCII: ISO-2022-JP and its variants (RFC 1468, 1554,
2237), ISO-2022-KR (RFC 1557), ISO-2022-CN (RFC 1922; Python has no codec for its Taiwanese planes, so texts with them
are recognized and not read), HZ (RFC 1843). One reader takes all variants of ISO-2022, since programs mix their
escapes. No other text has an escape control; HZ is two printable signs, so its reading must be cheaper than the ASCII.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from mediacrawl.base.charsets import ESCAPE, may_be_seven_bit
from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import MULTIBYTE, STEP, characters, undefined
from mediacrawl.encoding.excerpts import cached_if_short
from mediacrawl.encoding.pricing.reading import CJK_RUN
from mediacrawl.encoding.pricing.scoring import ascii_english

SHORTEST_CUT: Final = 21
"""Least bytes of a text whose last character may be truncated."""

_ENDS: Final = ("unexpected end of data", "incomplete multibyte sequence")


def decode(raw: bytes, encoding: str) -> str | None:
    """Return the bytes as text; None if decoding fails.

    A truncated last character is dropped. In UTF-8, surrogates of three bytes each (CESU-8, Unicode Technical Report
    26) become one character.
    """
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        if error.reason in _ENDS and error.start >= len(raw) - 3 and len(raw) >= SHORTEST_CUT:
            text = raw[: error.start].decode(encoding)
            return None if text.isascii() else text
        joined = joined_halves(raw) if encoding == "utf-8" else raw
        return decode(joined, encoding) if joined != raw else None


def decode_single(raw: bytes, encoding: str) -> str:
    """Return the bytes in an 8-bit encoding; an undefined byte becomes the C1 control of its number."""
    text = codecs.charmap_decode(raw, "replace", characters(encoding))[0]
    # Only cp1258 writes tones as combining characters.
    return unicodedata.normalize("NFC", text) if encoding == "cp1258" else text


def decode_as(raw: bytes, encoding: str) -> str | None:
    """Return the bytes in an encoding of any kind; None if decoding fails, which it never does in an 8-bit one."""
    return _decoder(encoding)(raw, encoding)


@cache
def _decoder(encoding: str) -> Callable[[bytes, str], str | None]:
    if encoding.startswith(("iso2022", "hz")):
        return read_seven_bit
    return decode if encoding in MULTIBYTE or encoding.startswith("utf-") else decode_single


MISREADINGS: Final = (
    "cp1251", "koi8_r", "cp866", "mac_cyrillic", "iso8859_5", "cp1250", "iso8859_2", "cp1253", "cp1254", "cp1255",
    "cp1256", "cp1257", "cp874", "mac_roman", "cp850", "cp437", "cp852",
)  # fmt: skip
"""8-bit decoders, besides Latin-1 and cp1252, that mojibake may come from."""

DOUBLE_MISREADINGS: Final = ("gb18030", "cp932", "cp949", "cp950")

LOST: Final = undefined("cp1252")
"""The five bytes that are undefined in cp1252."""

MARKS: Final = "?\ufffd"


@cache
def _back(encoding: str) -> dict[int, int]:
    """Code points to bytes, where they differ; a C1 control is its own byte."""
    return {ord(char): byte for byte, char in enumerate(characters(encoding)) if ord(char) != byte}


@cache
def _own(encoding: str) -> frozenset[int]:
    return frozenset(ord(char) for char in characters(encoding)) | frozenset(range(128, 160))


def bytes_of(text: str, encoding: str) -> bytes | None:
    """Return the bytes that an encoding decodes to this text; None if there are none.

    For cp1252, C1 controls are accepted too, as Latin-1 decodes its bytes.
    """
    if encoding in MULTIBYTE:
        try:
            return text.encode(encoding)
        except UnicodeEncodeError:
            return None
    if encoding == "cp1252":
        try:
            # Most texts have none of the 27 characters that Latin-1 lacks.
            return text.encode("latin-1")
        except UnicodeEncodeError as error:
            if ord(text[error.start]) not in _back(encoding):
                return None
    elif not _own(encoding).issuperset(map(ord, text)):
        return None
    try:
        return text.translate(_back(encoding)).encode("latin-1")
    except UnicodeEncodeError:
        return None


@cached_if_short(4096)
def misread_in(text: str) -> frozenset[str]:
    """Return those of `MISREADINGS` that can have produced a text."""
    likely = frozenset(MISREADINGS)
    for char in text:
        if char > "\x7f":
            likely &= _have(char)
            if not likely:
                break
    return likely


@lru_cache(maxsize=4096)
def _have(char: str) -> frozenset[str]:
    """Return those of `MISREADINGS` that have a character."""
    return frozenset(encoding for encoding in MISREADINGS if ord(char) in _own(encoding))


_HALVES: Final = re.compile(rb"\xed[\xa0-\xaf][\x80-\xbf]\xed[\xb0-\xbf][\x80-\xbf]")


def joined_halves(raw: bytes) -> bytes:
    """CESU-8 as UTF-8: surrogates that some databases write in three bytes each become one character."""
    return _HALVES.sub(_joined, raw) if b"\xed" in raw else raw


def _joined(halves: re.Match[bytes]) -> bytes:
    return halves[0].decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16").encode()


LONGEST_STEPS: Final = 1 << 18
"""Bytes of a field that is decoded in several steps; a longer one stays as declared."""


def undone(text: str, steps: Sequence[str]) -> str | None:
    """Apply the steps of a repair, wrong decoder and right one in turn, to another text; None if one fails."""
    for misread, really in zip(steps[::2], steps[1::2], strict=False):
        # Where Latin-1 decoded one place, cp1252 may have decoded another.
        raw = bytes_of(text, "cp1252" if misread == "latin-1" else misread)
        found = None if raw is None else decode_as(joined_halves(raw), really)
        if found is None:
            return None
        text = found
    return text


def read_alike(raw: bytes, encoding: str) -> str | None:
    """Decode bytes with ``cp1251``, or with ``utf-8>cp1252>cp1251``: UTF-8, whose cp1252 bytes are really cp1251."""
    first, *steps = encoding.split(">")
    if steps and len(raw) > LONGEST_STEPS:
        return None
    text = decode_as(raw, first)
    return None if text is None else undone(text, steps)


MOST_PRICED: Final = 400
"""Bytes of 7-bit text that are priced."""

SHORTEST_CUT_ID3: Final = 28
"""Least bytes of a field whose last character may be truncated, as ID3v1 does."""

HZ_PRIOR: Final = 16 * STEP
CONTROL: Final = 14 * STEP

OTHER: Final = 6 * STEP
"""Cost of a letter without a CJK model, such as half-width katakana."""

ASCII_SIGN: Final = round(4.5 * STEP)

# Character sets by escape sequence, and how their bytes map to a Python codec.
_SETS: Final = {
    b"(B": "ascii", b"(J": "ascii", b"(H": "ascii", b"(I": "kana",
    b"$@": "jis", b"$B": "jis", b"$(D": "jis2", b"$(O": "jis3", b"$(Q": "jis3", b"$(P": "jis4",
    b"$A": "gb", b"$(C": "ks",
}  # fmt: skip

_SHIFTED: Final = {b"$)A": "gb", b"$)C": "ks", b"$)G": "unknown", b"$*H": "unknown", b"$)E": "unknown"}
"""Sets that a shift-out selects."""

_CODECS: Final = {
    "jis": (b"", "cp932"), "jis2": (b"\x8f", "euc_jp"), "jis3": (b"", "euc_jis_2004"),
    "jis4": (b"\x8f", "euc_jis_2004"), "gb": (b"", "gb18030"), "ks": (b"", "cp949"),
}  # fmt: skip

_NAMES: Final = {"gb": "iso2022_cn", "ks": "iso2022_kr", "unknown": "iso2022_cn"}
_ORDER: Final = ("iso2022_jp", "iso2022_kr", "iso2022_cn")
_PART: Final = re.compile(rb"\x1b(\$?[()*]?[@-Z])|([\x0e\x0f])|([^\x1b\x0e\x0f]++)|\x1b")
_HZ: Final = re.compile(rb"~\{((?:[\x21-\x77][\x21-\x7e])++)(?:~\}|\Z)|~~|~\r?\n")
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
_WORDS: Final = re.compile(rb"[A-Za-z]++")


@dataclass(frozen=True, slots=True)
class SevenBit:
    """A text in ISO-2022 or HZ.

    Attributes:
        encoding: ``iso2022_jp``, ``iso2022_kr``, ``iso2022_cn`` or ``hz``.
        text: with U+FFFD for what cannot be decoded.
        whole: everything could be decoded.
    """

    encoding: str
    text: str
    whole: bool = True


def seven_bit(raw: bytes) -> SevenBit | None:
    """Return the ISO-2022 or HZ text of ASCII bytes; None if they are plain ASCII, or not all ASCII."""
    if not may_be_seven_bit(raw) or not raw.isascii():
        return None
    found = iso2022(raw) if ESCAPE in raw else None
    if found:
        whole = not found.whole or _is_likelier(iso2022(raw[:MOST_PRICED]), raw[:MOST_PRICED], 0)
        return found if whole else None
    piece = raw[:MOST_PRICED]
    if _is_likelier(hz(piece), piece, HZ_PRIOR):
        return hz(raw)
    return None


def _is_likelier(found: SevenBit | None, raw: bytes, prior: int) -> bool:
    """Whether the decoded text is cheaper than the ASCII as it stands."""
    if found is None:
        return False
    runs = CJK_RUN.findall(found.text)
    trained = models.in_use()
    cost = min(sum(map(trained.characters(code).cost, runs)) for code in ("ja", "ko", "zh-Hans", "zh-Hant"))
    others = sum(char > "\x7f" for char in found.text) - sum(map(len, runs))
    return cost + OTHER * others + _plain(found.text) + prior < _plain(raw.decode("ascii"))


def _plain(text: str) -> int:
    """Return the cost of the ASCII in a text."""
    words = _WORDS.findall(text.encode("ascii", "ignore"))
    signs = sum("\x20" < char < "\x7f" for char in text) - sum(map(len, words))
    controls = sum(char < " " and char not in "\t\n\r" for char in text)
    return sum(map(ascii_english, words)) + ASCII_SIGN * signs + CONTROL * controls


def iso2022(raw: bytes) -> SevenBit | None:
    """Return text of any variant of ISO-2022; None without a known escape sequence that designates a set."""
    parts: list[str] = []
    used: list[str] = []
    now, shifted, known = "ascii", "", False
    for escape, shift, data in _PART.findall(raw):
        if escape in _SETS:
            now = _SETS[escape]
            known |= now != "ascii"
        elif escape in _SHIFTED:
            shifted, known = _SHIFTED[escape], True
        elif shift:
            # A shift-out without a designated set selects the katakana of JIS X 0201.
            now = (shifted or "kana") if shift == b"\x0e" else "ascii"
        elif data:
            used.append(now)
            parts.append(_read_set(data, now, may_be_cut=len(raw) >= SHORTEST_CUT_ID3))
        else:
            parts.append("\ufffd")
    if not known or not any(name != "ascii" for name in used):
        return None
    text = "".join(parts)
    names = {_NAMES.get(name, "iso2022_jp") for name in used if name != "ascii"}
    return SevenBit(min(names, key=_ORDER.index), text, "\ufffd" not in text)


def _read_set(data: bytes, name: str, *, may_be_cut: bool) -> str:
    if name == "ascii":
        return data.decode("ascii")
    if name == "unknown":
        return "\ufffd" * ((len(data) + 1) // 2)
    # Line ends and blanks are allowed between characters of any set.
    runs = [run for run in re.split(rb"([\x00-\x20]++)", data) if run]
    text = _PRIVATE.sub("\ufffd", "".join([_read_run(run, name) for run in runs]))
    return text.removesuffix("\ufffd") if may_be_cut and runs and len(runs[-1]) % 2 else text


def _read_run(run: bytes, name: str) -> str:
    if run <= b"\x20\xff" and not run.strip(bytes(range(33))):
        return run.decode("ascii")
    if name == "kana":
        return bytes(byte | 0x80 for byte in run).decode("cp932", "replace")
    first, codec = _CODECS[name]
    pairs = [run[at : at + 2] for at in range(0, len(run) - 1, 2)]
    half = "\ufffd" if len(run) % 2 else ""
    if name == "jis":
        # Through Shift_JIS, which has NEC's signs, unlike EUC-JP.
        return b"".join(map(_shift_jis, pairs)).decode(codec, "replace") + half
    return b"".join([first + bytes((pair[0] | 0x80, pair[1] | 0x80)) for pair in pairs]).decode(codec, "replace") + half


def _shift_jis(pair: bytes) -> bytes:
    row, cell = pair[0] - 0x21, pair[1]
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + (0x7E if row % 2 else 0x1F + (cell >= 0x60))
    return bytes((lead, trail))


def hz(raw: bytes) -> SevenBit | None:
    """Return text in HZ; None if nothing of it is."""
    if not any(pairs for pairs in _HZ.findall(raw)):
        return None
    try:
        return SevenBit("hz", _HZ.sub(_wide, raw).decode("gb2312"))
    except UnicodeDecodeError:
        return None


def _wide(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return bytes(byte | 0x80 for byte in found[1])
    return b"~" if found[0] == b"~~" else b""


def read_seven_bit(raw: bytes, encoding: str) -> str | None:
    """Return the text of bytes in ISO-2022 or HZ; None if not all of them can be decoded."""
    found = hz(raw) if encoding == "hz" else iso2022(raw)
    return found.text if found and found.whole else None
