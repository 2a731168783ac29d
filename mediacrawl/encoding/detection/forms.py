"""The form of a field's bytes: 8-bit, ASCII, ISO-2022, UTF-8, UTF-16 or UTF-32, whatever the container declares.

Fields that declare Latin-1 hold UTF-16 with and without a byte order mark, or ISO-2022-JP; fields that declare UTF-16
hold 8-bit text, as it is or with each byte widened to a unit of its own. A declared UTF-16 without a byte order mark is
rejected only where it makes no text (half a surrogate, unassigned or private characters, controls, letters of many
blocks) and the other byte order, or 8-bit text, is much cheaper.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final, NamedTuple

from mediacrawl.base.charsets import BYTE_ORDER_MARKS, CONTROLS, may_be_seven_bit
from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.languages import codec_name
from mediacrawl.encoding.pricing.decoding import decode, joined_halves, seven_bit
from mediacrawl.encoding.pricing.hypotheses import BAD, block_cost
from mediacrawl.encoding.pricing.reading import CJK_RUN, read, worth
from mediacrawl.encoding.pricing.scoring import LANE_STEP, ODD_WORD, ascii_english, prior_lanes, spread, word_lanes

MOST_UNITS: Final = 200
"""UTF-16 units that are priced."""

OTHER_ORDER: Final = 3 * STEP
"""Cost of big-endian where the byte order is not declared."""

AGAINST_ORDER: Final = 8 * STEP
"""Cost of the other byte order than the declared one."""

EIGHT_BIT: Final = 8 * STEP
"""Cost of 8-bit text that is declared as UTF-16."""

HALF: Final = 12 * STEP
"""Cost of half a unit at the end."""

_ASCII_SIGN: Final = round(4.5 * STEP)

_WORDS: Final = re.compile(rb"[A-Za-z]++")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def utf16_of(raw: bytes, declared: str) -> tuple[str, str] | None:
    """Return the likeliest byte order of a field without a byte order mark, and its text; None for 8-bit text."""
    if len(raw) < 2:
        return None
    order = "utf-16-be" if declared.endswith("be") else "utf-16-le"
    other = "utf-16-le" if order == "utf-16-be" else "utf-16-be"
    handicap = AGAINST_ORDER if declared.endswith(("be", "le")) else OTHER_ORDER
    piece = raw[: 2 * MOST_UNITS]
    costs = [(_cost(_read(piece, order)), 0, order), (_cost(_read(piece, other)) + handicap, 1, other)]
    if not _CONTROLS.search(piece):
        half = HALF if len(raw) % 2 else 0
        costs.append((_eight_bit_cost(piece) + EIGHT_BIT - half, 2, ""))
        text = decode(piece, "utf-8") if not piece.isascii() else None
        if text is not None:
            costs.append((read(text).cost + EIGHT_BIT - half, 3, ""))
    best = min(costs)[2]
    return (best, _read(raw, best)) if best else None


def _read(raw: bytes, order: str) -> str:
    return raw[: len(raw) & ~1].decode(order, "replace")


def _cost(text: str) -> int:
    """Return the cost of a text by its blocks, CJK by the models, and 8-bit text that was widened by its bytes."""
    if "\x7f" < max(text, default="") <= "\xff":
        return min(block_cost(text), _eight_bit_cost(text.encode("latin-1")) + EIGHT_BIT)
    runs = CJK_RUN.findall(text)
    trained = models.in_use()
    total = 0
    if runs:
        total = min(sum(map(trained.characters(code).cost, runs)) for code in ("ja", "ko", "zh-Hans", "zh-Hant"))
    return total + block_cost(CJK_RUN.sub("", text) if runs else text)


def _eight_bit_cost(raw: bytes) -> int:
    """Return the cost of 8-bit text in the likeliest encoding and language."""
    words = _WORDS.findall(raw) if raw.isascii() else []
    odd = ODD_WORD.findall(raw)
    signs = sum(33 <= byte <= 64 or 91 <= byte <= 96 or 123 <= byte <= 126 for byte in raw)
    cost = sum(map(ascii_english, words)) + _ASCII_SIGN * signs
    if odd:
        cost += min(spread(sum(map(word_lanes, odd)) + prior_lanes())) * STEP // LANE_STEP
    return cost


_MARKS: Final = frozenset(mark[:1] for mark, _ in BYTE_ORDER_MARKS)

_HIGH_HALVES: Final = bytes((*range(9), 0x0B, 0x0C, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x30))
_INDIC_HALVES: Final = b"\x09\x0a\x0d"

_NEITHER_HALF: Final = bytes(byte for byte in range(256) if byte not in _HIGH_HALVES + _INDIC_HALVES)
"""Bytes that are not the high half of any unit here; 8-bit texts have those of Indic scripts as blanks."""

ENOUGH_SEQUENCES: Final = 4
"""Number of UTF-8 sequences for each invalid byte that other text does not have by chance."""

MOST_WRONG: Final = 3
"""With more invalid bytes, words are in another encoding."""

FEW: Final = 50
"""One invalid byte for so many valid characters may be a word in a long text."""

MOST_ODD: Final = 1.75
"""Highest ratio of the cost of torn UTF-8 to that of correct text: 98 of 100 titles with one invalid byte are below it
(3,865 tested), and none of 26 titles in GBK, Big5, EUC-JP, Shift-JIS or cp855 with as many UTF-8 sequences by
chance."""

LONGEST_READ: Final = 400
"""Characters of a torn text that are priced."""

_AT_ODDS: Final = re.compile(rb"(?:[\x00-\x7f]*+(?:[\x80-\xc1\xf5-\xff]|[\xc2-\xf4](?![\x80-\xbf]))){2}")
"""Two invalid bytes before any valid sequence."""

MOST_MENDED: Final = 30
"""Characters of cp1252 for each valid character beyond ASCII in UTF-8."""

_GOOD: Final = re.compile("[^\x00-\x7f\udc80-\udcff]")
_STRAYS: Final = re.compile("[\udc80-\udcff]++")
_SIGNS: Final = "[\udc80-\udc9f]++"
_STRAY_SIGNS: Final = re.compile(
    f"(?<![\udc80-\udcff])(?:\udc92|(?<![\u0370-\u07ff]){_SIGNS}|{_SIGNS}(?![\u0370-\u07ff]))(?![\udc80-\udcff])"
)
"""Signs of cp1252; inside a word of two-byte characters only an apostrophe, since others are rests of a letter."""

_STRAY_LETTER: Final = re.compile("(?<![^\t-\u024f])(?:[\udca0-\udcbf]|[\udcc0-\udcff](?!\\Z))(?![^\t-\u024f])")
"""A letter, or another sign, of cp1252 among Latin letters; at the end it is the beginning of a character."""

_CUT_CHARACTER: Final = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")
_FORGIVEN: Final = dict.fromkeys(b"\x00\t\n\r", " ")
_WIDE: Final = ("utf-16", "utf_16", "utf16")


@dataclass(slots=True)
class FieldForm:
    """The form of a field's bytes.

    Attributes:
        encoding: of `text`; for 8-bit fields the declared one (`languages.codec_name`).
        text: for Unicode; None for 8-bit bytes, which `pricing.hypotheses` prices.
        suspect: the bytes cannot be decoded as what they appear to be.
    """

    encoding: str
    text: str | None = None
    suspect: bool = False


def form_of(raw: bytes, declared: str) -> FieldForm:
    """Determine the form of the bytes of a field that declares an encoding."""
    declared = declared.lower()
    wide = declared.startswith(_WIDE)
    is_ascii = raw.isascii()
    if is_ascii and not wide and not may_be_seven_bit(raw) and not CONTROLS.search(raw):
        return FieldForm("ascii", raw.decode("ascii"))
    for mark, encoding in BYTE_ORDER_MARKS if raw[:1] in _MARKS else ():
        if raw.startswith(mark):
            text = _decoded(_completed(raw)[len(mark) :], encoding)
            if text is not None:
                return FieldForm(encoding, text)
    if is_ascii and (found := seven_bit(raw)):
        if found.whole:
            return FieldForm(found.encoding, found.text)
        return FieldForm("ascii", raw.decode("ascii"), suspect=True)
    if wide and (order := utf16_of(raw, declared)):
        return FieldForm(*order)
    if is_ascii and not CONTROLS.search(raw):
        return FieldForm("ascii", raw.decode("ascii"))
    return _unmarked(raw, declared)


def _unmarked(raw: bytes, declared: str) -> FieldForm:
    if declared.startswith(_WIDE):
        return FieldForm("cp1252")
    is_utf8 = declared in ("utf-8", "utf8", "utf_8")
    text = _decoded(joined_halves(raw), "utf-8") if is_utf8 else None
    if text is not None and not CONTROLS.search(raw):
        return FieldForm("utf-8", text)
    whole = _completed(raw)
    if len(whole) % 2 == 0 and (order := _order_by_halves(whole)):
        wide = _decoded(whole, order)
        if wide is not None and _plausible(wide):
            return FieldForm(order, wide)
    if text is not None:
        return FieldForm("utf-8", text)
    if is_utf8:
        torn = torn_utf8(raw)
        if torn.holds:
            return FieldForm("utf-8", torn.text, suspect="\ufffd" in torn.text)
    encoding = codec_name(declared) or "cp1252"
    if encoding == "cp1252" and len(raw) > 2 * ENOUGH_SEQUENCES and (found := _torn_latin(raw)):
        return FieldForm("utf-8", found.text, suspect="\ufffd" in found.text)
    return FieldForm(encoding)


def _completed(raw: bytes) -> bytes:
    """Return UTF-16 with the zero that was cut off behind its last Latin letter, as readers of 8-bit text do."""
    return raw + b"\0" if len(raw) % 2 and raw[-2:-1] == b"\0" and raw[-1] >= 0x20 else raw


def order_by_zeros(head: bytes, share: int) -> str:
    """Return the byte order of UTF-16 without a mark, by the zero bytes of its ASCII characters (XML 1.0, appendix F).

    One unit in `share` must have a zero byte in the same half. Empty for other encodings.
    """
    zeros = head[0::2].count(0), head[1::2].count(0)
    if not max(zeros) or max(zeros) * share < len(head) // 2 or min(zeros) * 20 > max(zeros):
        return ""
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


class TornText(NamedTuple):
    """UTF-8 with invalid bytes.

    Attributes:
        text: with characters of cp1252 for invalid bytes among Latin letters, and U+FFFD for others.
        good: number of characters beyond ASCII that are valid.
        mended: number of characters of cp1252, such as an apostrophe from another editor.
        others: number of other invalid bytes.
    """

    text: str
    good: int
    mended: int
    others: int

    @property
    def holds(self) -> bool:
        """Whether this is UTF-8 with a few stray bytes, rather than text in another encoding."""
        most = MOST_MENDED * self.good if not self.others else self.good
        return self.good > 0 and self.mended <= most and self.others <= max(1, self.good // 2)


def torn_utf8(raw: bytes) -> TornText:
    """Return bytes that are not all UTF-8 as text."""
    escaped = raw.decode("utf-8", "surrogateescape")
    good = len(_GOOD.findall(escaped))
    text, signs = _STRAY_SIGNS.subn(_windows, escaped)
    text, letters = _STRAY_LETTER.subn(_windows, text)
    others = sum(map(len, _STRAYS.findall(text)))
    return TornText(_STRAYS.sub("\ufffd", text), good, signs + letters, others)


def without_cut(raw: bytes) -> bytes:
    """Return UTF-8 without the beginning of a character at its end, the rest of which was cut off."""
    cut = _CUT_CHARACTER.search(raw)
    return raw[: cut.start()] if cut else raw


def _windows(strays: re.Match[str]) -> str:
    return strays[0].encode("utf-8", "surrogateescape").decode("cp1252", "replace")


def _torn_latin(raw: bytes) -> TornText | None:
    """UTF-8 with a few invalid bytes that is declared as Latin-1; None for other bytes.

    Each invalid byte needs `ENOUGH_SEQUENCES` valid ones, and the text has to be words of some language. A truncated
    last character is not invalid.
    """
    if _AT_ODDS.match(raw) or _decoded(raw, "utf-8") is not None:
        return None
    torn = torn_utf8(without_cut(raw))
    wrong = torn.mended + torn.others
    if not 0 < wrong <= max(MOST_WRONG, torn.good // FEW) or torn.good < ENOUGH_SEQUENCES * wrong:
        return None
    words = torn.text[:LONGEST_READ].replace("\ufffd", " ")
    return torn if read(words).cost <= MOST_ODD * worth((words,)) else None


def _order_by_halves(raw: bytes) -> str:
    """The byte order of UTF-16 without a mark, by the bytes that one half of its units share; empty for other bytes.

    That half is NUL for Latin, another control for Greek, Cyrillic, Hebrew, Arabic and Thai, 30 for kana.
    """
    if not raw.translate(None, _NEITHER_HALF):
        return ""
    shares = []
    for order, high, low in (("utf-16-le", raw[1::2], raw[::2]), ("utf-16-be", raw[::2], raw[1::2])):
        if len(high) > 1 and not high.translate(None, high[:1]) and high[:1] in _INDIC_HALVES:
            return order
        telling = len(high) - len(high.translate(None, _HIGH_HALVES))
        if telling * 4 >= len(high) and not (telling == high.count(0x30) and telling * 2 <= len(high)):
            shares.append((telling - (len(low) - len(low.translate(None, _HIGH_HALVES))), order))
    return max(shares)[1] if shares and max(shares)[0] > 0 else ""


def _plausible(text: str) -> bool:
    """Whether UTF-16 text has only assigned characters of a few blocks."""
    if any(category in BAD for category in map(unicodedata.category, text.translate(_FORGIVEN))):
        return False
    if any("\u3020" <= char <= "\u303f" for char in text):
        # Rare signs, whose bytes are those of digits, as in 90.
        return False
    pages = {ord(char) >> 8 for char in text if not char.isascii()}
    # Otherwise all of it is East Asian.
    return len(pages) <= 3 or _NOT_EAST_ASIAN.search(text) is None


_NOT_EAST_ASIAN: Final = re.compile("[\u0300-\u1fff\ua000-\uabff\ud7a4-\ufeff]")


def _decoded(raw: bytes, encoding: str) -> str | None:
    """Return the decoded text; None if decoding fails. An incomplete last unit is dropped."""
    unit = 4 if encoding.startswith("utf-32") else 2 if encoding.startswith("utf-16") else 1
    raw = raw[: len(raw) - len(raw) % unit]
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None
