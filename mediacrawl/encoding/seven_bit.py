"""Encodings that write Chinese, Japanese and Korean in bytes of ASCII: ISO-2022 with escape sequences, and HZ.

ISO-2022-JP and its variants (RFC 1468, 1554, 2237), ISO-2022-KR (RFC 1557), ISO-2022-CN (RFC 1922; its Taiwanese
planes have no codec in Python, so that texts with them are only told), HZ (RFC 1843). One reader takes all variants of
ISO-2022, since programs mix their escapes. An escape control is in no other text; HZ is two printable signs, so what
comes out of it must be cheaper than what stands there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.reading import CJK_RUN
from mediacrawl.encoding.scoring import ascii_english

ESCAPE: Final = b"\x1b"
HZ_OPENS: Final = b"~{"
MOST_PRICED: Final = 400
"""Bytes that are priced."""
SHORTEST_CUT: Final = 28
"""Bytes of a field whose last character may be cut in two, as ID3v1 does."""
LONGEST: Final = 16_384
"""Bytes that are read here; of longer fields Python's codecs read what they can."""
_QUICK: Final = {
    "hz": ("hz",),
    "iso2022_kr": ("iso2022_kr",),
    "iso2022_jp": ("iso2022_jp_ext", "iso2022_jp_2", "iso2022_jp_2004"),
}
HZ_PRIOR: Final = 16 * STEP
CONTROL: Final = 14 * STEP
OTHER: Final = 6 * STEP
"""A letter that no Chinese, Japanese or Korean model knows, half-width katakana say."""
ASCII_SIGN: Final = round(4.5 * STEP)

# Set, as an escape names it: how its bytes become those of an encoding that Python knows.
_SETS: Final = {
    b"(B": "ascii", b"(J": "ascii", b"(H": "ascii", b"(I": "kana",
    b"$@": "jis", b"$B": "jis", b"$(D": "jis2", b"$(O": "jis3", b"$(Q": "jis3", b"$(P": "jis4",
    b"$A": "gb", b"$(C": "ks",
}  # fmt: skip
_SHIFTED: Final = {b"$)A": "gb", b"$)C": "ks", b"$)G": "unknown", b"$*H": "unknown", b"$)E": "unknown"}
"""Sets that begin at a shift-out."""
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
    """What bytes of ASCII are.

    Attributes:
        encoding: ``iso2022_jp``, ``iso2022_kr``, ``iso2022_cn`` or ``hz``.
        text: with U+FFFD for what cannot be read.
        whole: all of it could be read.
    """

    encoding: str
    text: str
    whole: bool = True


def may_be_seven_bit(raw: bytes) -> bool:
    """Whether ASCII bytes have what begins a text in ISO-2022 or HZ."""
    return ESCAPE in raw or HZ_OPENS in raw


def seven_bit(raw: bytes) -> SevenBit | None:
    """What bytes of ASCII are that are not ASCII text; None if they are, or are not all ASCII.

    Args:
        raw: a field.
    """
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
    """Whether what was read is cheaper than the letters and signs that stand there."""
    if found is None:
        return False
    runs = CJK_RUN.findall(found.text)
    trained = models.in_use()
    cost = min(sum(map(trained.characters(code).cost, runs)) for code in ("ja", "ko", "zh-Hans", "zh-Hant"))
    others = sum(char > "\x7f" for char in found.text) - sum(map(len, runs))
    return cost + OTHER * others + _plain(found.text) + prior < _plain(raw.decode("ascii"))


def _plain(text: str) -> int:
    """The cost of the ASCII in a text."""
    words = _WORDS.findall(text.encode("ascii", "ignore"))
    signs = sum("\x20" < char < "\x7f" for char in text) - sum(map(len, words))
    controls = sum(char < " " and char not in "\t\n\r" for char in text)
    return sum(map(ascii_english, words)) + ASCII_SIGN * signs + CONTROL * controls


def iso2022(raw: bytes) -> SevenBit | None:
    """Text of any variant of ISO-2022; None without a known escape sequence that designates a set."""
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
            # Without a set for it, a shift-out begins the katakana of JIS X 0201.
            now = (shifted or "kana") if shift == b"\x0e" else "ascii"
        elif data:
            used.append(now)
            parts.append(_read(data, now, may_be_cut=len(raw) >= SHORTEST_CUT))
        else:
            parts.append("\ufffd")
    if not known or not any(name != "ascii" for name in used):
        return None
    text = "".join(parts)
    names = {_NAMES.get(name, "iso2022_jp") for name in used if name != "ascii"}
    return SevenBit(min(names, key=_ORDER.index), text, "\ufffd" not in text)


def _read(data: bytes, name: str, *, may_be_cut: bool) -> str:
    if name == "ascii":
        return data.decode("ascii")
    if name == "unknown":
        return "\ufffd" * ((len(data) + 1) // 2)
    # Line ends and blanks stand between characters of any set.
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
        # By way of Shift_JIS: it has NEC's signs, which EUC-JP lacks.
        return b"".join(map(_shift_jis, pairs)).decode(codec, "replace") + half
    return b"".join([first + bytes((pair[0] | 0x80, pair[1] | 0x80)) for pair in pairs]).decode(codec, "replace") + half


def _shift_jis(pair: bytes) -> bytes:
    row, cell = pair[0] - 0x21, pair[1]
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + (0x7E if row % 2 else 0x1F + (cell >= 0x60))
    return bytes((lead, trail))


def hz(raw: bytes) -> SevenBit | None:
    """Text in HZ; None if nothing of it is."""
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
    """The text of bytes that are known to be in ISO-2022 or HZ; None if they are not, or not all of them.

    Args:
        raw: a field.
        encoding: as `SevenBit.encoding` names it.
    """
    if len(raw) > LONGEST:
        return _read_long(raw, encoding)
    found = hz(raw) if encoding == "hz" else iso2022(raw)
    return found.text if found and found.whole else None


def _read_long(raw: bytes, encoding: str) -> str | None:
    """The same by Python's codecs, which are quick and know fewer escapes."""
    for codec in _QUICK.get(encoding, ()):
        try:
            return raw.decode(codec)
        except UnicodeDecodeError:
            continue
    return None
