"""The characters of 8-bit encodings: for each byte its character, its class, and its letter in each language.

A decision combines two likelihoods: of letter sequences in a language (`mediacrawl.encoding.models`), and of sequences
of character *classes* in any text: small letters follow small ones, no symbol stands inside a word, no Latin letter
touches a Cyrillic one. The second distinguishes KOI8-R, Mac and DOS Cyrillic from windows-1251, where the letters are
the same and their case is inverted.
"""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

import codecs
import unicodedata
from functools import cache
from typing import Any, Final

from mediacrawl.encoding.languages import ENCODING_WEIGHTS, LANGUAGES, lower

STEP: Final = 12
"""Costs are in twelfths of a nat."""

# Classes. The letters come first, so that "is a letter" is one comparison.
SMALL, CAPITAL, SMALL_LATIN, CAPITAL_LATIN, SMALL_OTHER, CAPITAL_OTHER, CASELESS, MARK = range(1, 9)
QUOTE, APOSTROPHE, OPENER, RARE_OPENER, JOINER, DASH, BULLET, NBSP, SIGN, RARE_SIGN, ODD, CONTROL = range(9, 21)
LOW_QUOTE, SINGLE_QUOTE, CLOSER, ELLIPSIS = range(21, 25)
LAST_CLASS = ELLIPSIS
GAP = 0

_KINDS: Final = {
    # Each of these opens a quotation in some languages and closes one in others.
    **dict.fromkeys("«»“", QUOTE),
    "”": CLOSER,
    "…": ELLIPSIS,
    "’": APOSTROPHE,
    "„": LOW_QUOTE,
    "‘": SINGLE_QUOTE,
    **dict.fromkeys("¡¿", OPENER),
    **dict.fromkeys("‚‹›", RARE_OPENER),
    # In Catalan it stands within words, and in typed text for an apostrophe.
    **dict.fromkeys("·´", JOINER),
    **dict.fromkeys("–—", DASH),
    "•": BULLET,
    # Letters by category, but in titles they are signs of formulas.
    **dict.fromkeys("ƒµ", ODD),
    "\u00a0": NBSP,
    **dict.fromkeys("°№™©®ªº½²³€", SIGN),
    **dict.fromkeys("§¼¾¹†‡£¥×", RARE_SIGN),
}

SYMBOL_NATS: Final = {
    QUOTE: 7.0, APOSTROPHE: 3.5, OPENER: 5.0, RARE_OPENER: 8.5, JOINER: 8.0, DASH: 5.5, BULLET: 10.0, NBSP: 5.0,
    SIGN: 6.5, RARE_SIGN: 12.0, ODD: 14.0, CONTROL: 16.0, LOW_QUOTE: 7.0, SINGLE_QUOTE: 8.0, CLOSER: 7.0, ELLIPSIS: 7.0,
}  # fmt: skip

AFTER_LETTER_NATS: Final = {
    OPENER: 4.5, LOW_QUOTE: 4.5, RARE_OPENER: 5.0, JOINER: -2.0, SINGLE_QUOTE: -2.0, RARE_SIGN: 3.0, ODD: 3.0,
    CONTROL: 1.0, DASH: 7.0, BULLET: 2.0,
}  # fmt: skip

BEFORE_LETTER_NATS: Final = {
    SIGN: 5.0, RARE_SIGN: 3.0, ODD: 3.0, DASH: 4.5, BULLET: 2.0, CLOSER: 4.0, ELLIPSIS: 2.0,
    NBSP: 4.0,
}  # fmt: skip

# A dash often stands between two names.
WEDGE_NATS: Final = {
    QUOTE: 9.0, CLOSER: 5.0, ELLIPSIS: 3.0, APOSTROPHE: 0.3, OPENER: 1.0, LOW_QUOTE: 1.0, SIGN: 2.0, RARE_SIGN: 2.0,
    ODD: 2.0, DASH: -3.0, JOINER: 0.0, SINGLE_QUOTE: 8.0,
}  # fmt: skip

AFTER_GAP_NATS: Final = {APOSTROPHE: 1.5, NBSP: -2.0}
IN_ROW_NATS: Final = 4.0

ALONE_NATS: Final = {
    RARE_SIGN: 1.5, QUOTE: 3.0, CLOSER: 6.0, ELLIPSIS: 3.0, APOSTROPHE: 6.0, JOINER: 2.0, SINGLE_QUOTE: 2.0,
}  # fmt: skip

END_NATS: Final = {NBSP: 3.0, OPENER: 5.0, LOW_QUOTE: 5.0, RARE_OPENER: 5.0, JOINER: 3.0, SINGLE_QUOTE: 3.0}

CUT_NATS: Final = 2.5
"""Cost of an apostrophe at the end of a Latin word."""

SCRIPT_NATS: Final = 7.0
ELISION_NATS: Final = (1.0, 0.1)
BEGIN_NATS: Final = [0.2, 2.0]
CASE_NATS: Final = [8.4, 0.02, 0.15, 1.6, 4.5, 0.12]


def char_class(char: str) -> int:
    """Return the class of a character."""
    if char.isascii():
        if char.isalpha():
            return SMALL if char.islower() else CAPITAL
        return GAP if char.isprintable() or char == "\n" else CONTROL
    if char in _KINDS:
        return _KINDS[char]
    category = unicodedata.category(char)
    if category[0] == "L":
        return _letter_class(char, category)
    if category[0] == "M":
        return CASELESS if "\u0590" < char < "\u0f00" else MARK
    return CONTROL if category[0] == "C" else ODD


def _letter_class(char: str, category: str) -> int:
    latin = unicodedata.name(char, "").startswith("LATIN")
    if category == "Lu":
        return CAPITAL_LATIN if latin else CAPITAL_OTHER
    if category == "Ll":
        return SMALL_LATIN if latin else SMALL_OTHER
    return CASELESS


def _script(cls: int) -> int:
    return (0, 1, 1, 1, 1, 2, 2, 3, 0)[cls]


def _is_capital(cls: int) -> bool:
    return cls in (CAPITAL, CAPITAL_LATIN, CAPITAL_OTHER)


def _is_letter(cls: int) -> bool:
    return GAP < cls <= MARK


def _step_nats(first: int, second: int, third: int) -> float:
    """Return the cost of the class `third` after `first` and `second`, in nats."""
    if third == GAP:
        if first == GAP:
            return END_NATS.get(second, 0.0) + ALONE_NATS.get(second, 0.0)
        # Greek and Cyrillic words end in an apostrophe as often as not.
        is_cut = second == APOSTROPHE and _script(first) == 1 if _is_letter(first) else False
        return END_NATS.get(second, 0.0) + (CUT_NATS if is_cut else 0.0)
    if not _is_letter(third):
        return SYMBOL_NATS[third] + _lean_nats(second, third)
    if third == MARK:
        return 0.0 if _is_letter(second) else 8.0
    if not _is_letter(second):
        wedge = WEDGE_NATS.get(second, 0.0) if _is_letter(first) else 0.0
        if second == APOSTROPHE and wedge:
            # A word continues after an apostrophe: "that's", "l'été".
            switch = SCRIPT_NATS if _script(first) != _script(third) and MARK not in (first, third) else 0.0
            return switch + wedge + ELISION_NATS[0 if _is_capital(third) else 1]
        return wedge + BEFORE_LETTER_NATS.get(second, 0.0) + _begin_nats(third)
    switch = SCRIPT_NATS if _script(second) != _script(third) and second != MARK else 0.0
    return switch + _case_nats(first, second, third)


def _lean_nats(second: int, third: int) -> float:
    """Return the cost of a symbol by its side of a word, and in rows."""
    if _is_letter(second):
        return AFTER_LETTER_NATS.get(third, 0.0)
    return AFTER_GAP_NATS.get(third, 0.0) if second == GAP else IN_ROW_NATS


def _begin_nats(third: int) -> float:
    if third == CASELESS:
        return 0.0
    return BEGIN_NATS[0] if _is_capital(third) else BEGIN_NATS[1]


def _case_nats(first: int, second: int, third: int) -> float:
    if third == CASELESS or second in (CASELESS, MARK):
        return 0.0
    if not _is_capital(second):
        return CASE_NATS[0] if _is_capital(third) else CASE_NATS[1]
    in_capitals = _is_letter(first) and _is_capital(first)
    if _is_capital(third):
        return CASE_NATS[2] if in_capitals else CASE_NATS[3]
    return CASE_NATS[4] if in_capitals else CASE_NATS[5]


@cache
def steps() -> bytes:
    """Return the cost of a class after two others: ``steps()[first << 10 | second << 5 | third]``."""
    known = range(LAST_CLASS + 1)
    table = bytearray(1 << 15)
    for a in known:
        for b in known:
            for c in known:
                table[a << 10 | b << 5 | c] = min(255, round(_step_nats(a, b, c) * STEP))
    return bytes(table)


@cache
def pair_steps() -> bytes:
    """Return the lower bound of a class's cost after one other: ``pair_steps()[second << 5 | third]``."""
    table = steps()
    return bytes(min(table[a << 10 | bc] for a in range(LAST_CLASS + 1)) for bc in range(1 << 10))


@cache
def characters(encoding: str) -> str:
    """Return the 256 characters of an 8-bit encoding; an undefined byte is the C1 control of its number."""
    if encoding.startswith("u-"):
        return _own(encoding[2:])
    return "".join(bytes((byte,)).decode(encoding, "ignore") or chr(byte) for byte in range(256))


def _own(code: str) -> str:
    """An artificial 8-bit encoding of a language without one, so that its Unicode texts can be priced as bytes."""
    letters = [letter for letter in LANGUAGES[code].letters if not letter.isascii()]
    both = dict.fromkeys(char for letter in letters for char in (letter, letter.upper()) if len(char) == 1)
    return ("".join(map(chr, range(128))) + "".join(both) + "–—…«»„“”’").ljust(256, "\ufffe")


@cache
def _charmap(encoding: str) -> Any:
    return codecs.charmap_build(characters(encoding))


def encode(text: str, encoding: str) -> bytes:
    """Return the text in an 8-bit encoding; ``?`` for characters that it lacks."""
    return codecs.charmap_encode(text, "replace", _charmap(encoding))[0]


@cache
def classes(encoding: str) -> bytes:
    """Return the class of each byte, as a table for `bytes.translate`."""
    return bytes(map(char_class, characters(encoding)))


@cache
def classes_in(encoding: str, code: str) -> bytes:
    """The class of each byte in a language: a sign that is one of its letters may stand inside words, as in Uzbek."""
    letters = LANGUAGES[code].letters
    return bytes(
        JOINER if char in letters and not char.isalpha() and cls > MARK else cls
        for char, cls in zip(characters(encoding), classes(encoding), strict=True)
    )


@cache
def capitals(encoding: str) -> bytes:
    """Return the bytes that are capital letters in the encoding."""
    return bytes(byte for byte, cls in enumerate(classes(encoding)) if _is_capital(cls))


@cache
def undefined(encoding: str) -> bytes:
    """Return the bytes without a character in the encoding."""
    return bytes(byte for byte in range(128, 256) if not bytes((byte,)).decode(encoding, "ignore"))


_UNMARKED: Final = dict(zip("øłđæœþðßıħə", "oldaotdsiha", strict=True))


def base_letter(char: str) -> str:
    """Return the base letter without diacritics: ``o`` for ``ö``, ``l`` for ``ł``; the letter itself if it has none."""
    plain = unicodedata.normalize("NFD", char)[0]
    return _UNMARKED.get(plain, plain)


@cache
def letter_map(encoding: str, code: str) -> tuple[bytes, bytes]:
    """The letter number of each byte in a language, as a table for `bytes.translate`, and the bytes of foreign letters.

    A Latin letter that the language does not use has the number of its base letter, and is foreign; in another script
    it is a gap, and foreign.
    """
    language = LANGUAGES[code]
    numbers = {letter: i + 1 for i, letter in enumerate(language.letters)}
    folds = dict(zip(language.folds[::2], language.folds[1::2], strict=True))
    latin = language.script == "latin"
    table, foreign = bytearray(256), bytearray()
    for byte, char in enumerate(characters(encoding)):
        letter = GAP < char_class(char) <= MARK or char in numbers
        if not letter or (char.isascii() and not latin):
            continue
        small = lower(char, code)
        number = numbers.get(folds.get(small, small), 0)
        if not number and byte > 127:
            foreign.append(byte)
            number = numbers.get(base_letter(small), 0) if latin else 0
        table[byte] = number
    return bytes(table), bytes(foreign)


MULTIBYTE: Final = frozenset({"cp932", "euc_jp", "cp949", "cp950", "gb18030"})
_EIGHT_BIT: Final = ENCODING_WEIGHTS.keys() - MULTIBYTE - {"utf-8"}

PAGES: Final = tuple(sorted(_EIGHT_BIT, key=lambda page: (-ENCODING_WEIGHTS[page], page)))
"""The 8-bit code pages that can be detected, most common first."""
