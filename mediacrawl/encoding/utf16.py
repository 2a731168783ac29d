"""UTF-16 without a byte order mark where UTF-16 is declared: which order it is in, or whether it is 8-bit text.

What is declared is believed. It is not where it makes no text (half a surrogate, unassigned or private characters,
controls, letters strewn over many blocks) and the other order, or 8-bit text, makes much better text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.hypotheses import decode
from mediacrawl.encoding.reading import CJK_RUN, read
from mediacrawl.encoding.scoring import LANE_STEP, ODD_WORD, ascii_english, prior_lanes, spread, word_lanes

MOST_UNITS: Final = 200
"""UTF-16 units that are priced."""
OTHER_ORDER: Final = 3 * STEP
"""The other byte order than little-endian, where the order is not declared."""
AGAINST_ORDER: Final = 8 * STEP
"""The other byte order than the declared one."""
EIGHT_BIT: Final = 8 * STEP
"""8-bit text, for which no program that writes UTF-16 means it."""
NEAR: Final = round(4.2 * STEP)
"""A character of the block that the last one is from."""
FAR: Final = 9 * STEP
"""A character of another block."""
ASCII: Final = 3 * STEP
SIGN: Final = 4 * STEP
"""A sign beyond ASCII, besides its block."""
BAD: Final = {"Cc": 14 * STEP, "Cn": 14 * STEP, "Co": 18 * STEP, "Cs": 18 * STEP}
"""What no text has, by Unicode category. Code points that are unassigned today may be letters tomorrow."""
LOST: Final = 18 * STEP
"""Half of a surrogate pair, which decodes to U+FFFD."""
HALF: Final = 12 * STEP
"""Half a unit at the end."""
_ASCII_SIGN: Final = round(4.5 * STEP)
_BLOCK: Final = 7
"""Bits of a code point within what counts as one block, 128 characters."""
_WORDS: Final = re.compile(rb"[A-Za-z]++")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def utf16_of(raw: bytes, declared: str) -> tuple[str, str] | None:
    """The likeliest byte order, and the text; None for 8-bit text.

    Args:
        raw: a field without a byte order mark.
        declared: ``utf-16``, ``utf-16-le`` or ``utf-16-be``, in any spelling.
    """
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
    """The cost of a text by its blocks, and of Chinese, Japanese and Korean by their models."""
    runs = CJK_RUN.findall(text)
    trained = models.in_use()
    total = 0
    if runs:
        total = min(sum(map(trained.characters(code).cost, runs)) for code in ("ja", "ko", "zh-Hans", "zh-Hant"))
    return total + _by_blocks(CJK_RUN.sub("", text) if runs else text)


def _by_blocks(text: str) -> int:
    total, last = 0, -1
    for char in text:
        if char < "\x7f":
            total += ASCII if char >= " " or char in "\t\n\r" else BAD["Cc"]
            continue
        block = ord(char) >> _BLOCK
        total += _sign_or_bad(char) + (NEAR if block == last else FAR)
        last = block
    return total


@cache
def _by_category(category: str) -> int:
    return BAD.get(category, SIGN if category[0] in "PS" else 0)


def _sign_or_bad(char: str) -> int:
    return LOST if char == "\ufffd" else _by_category(unicodedata.category(char))


def _eight_bit_cost(raw: bytes) -> int:
    """The cost of 8-bit text in the likeliest encoding and language."""
    words = _WORDS.findall(raw) if raw.isascii() else []
    odd = ODD_WORD.findall(raw)
    signs = sum(33 <= byte <= 64 or 91 <= byte <= 96 or 123 <= byte <= 126 for byte in raw)
    cost = sum(map(ascii_english, words)) + _ASCII_SIGN * signs
    if odd:
        cost += min(spread(sum(map(word_lanes, odd)) + prior_lanes())) * STEP // LANE_STEP
    return cost
