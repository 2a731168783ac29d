"""The cost of a text as right text in any language and style, with or without a model.

Text that came as Unicode is right until damage is shown. The models know some sixty languages in plain spelling, so by
them alone right text in other languages, in stylised names or between frames looks damaged. Here each character beyond
ASCII costs what characters of its class cost in right text, by what stands on both sides of it; letters count as the
letters that they resemble. A character that occurs again costs little: a language or style repeats what is odd in it.
"""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import STEP, base_letter, classes
from mediacrawl.encoding.languages import LANGUAGES
from mediacrawl.encoding.mojibake.routes import alien_cost
from mediacrawl.encoding.pricing.reading import CJK_RUN, read, read_in
from mediacrawl.encoding.pricing.scoring import NEVER,  ascii_numbers, class_cost

AGAIN: Final = 1 / 3
"""Share of its cost that a character has which occurred before."""

SIGN: Final = (5.0, 7.0, 7.0, 8.0)
"""Nats of a sign: apart from letters, after one, before one, between two."""

SIGNS: Final = {
    "–—―‒‐‑−": (4.0, 4.0, 4.0, 6.0), "•·・‧∙": (5.0, 6.0, 6.0, 8.0), "’": (4.0, 4.0, 4.0, 3.0),
    "‘ʻʼʹʿʾ׳״": (4.0, 5.0, 4.0, 5.0), "´": (6.0, 6.0, 6.0, 6.0), "“»«": (4.0, 4.0, 4.0, 14.0),
    "”›": (4.0, 4.0, 12.0, 14.0), "‹": (5.0, 5.0, 5.0, 14.0), "„‚": (6.0, 14.0, 4.0, 14.0), "…": (4.0, 3.0, 4.0, 9.0),
    "™®©℠": (5.0, 4.0, 6.0, 12.0), "°²³": (4.0, 5.0, 7.0, 9.0), "ºª": (4.0, 6.0, 7.0, 12.0), "¹": (4.0, 6.0, 9.0, 12.0),
    "½¼¾": (4.0, 8.0, 8.0, 14.0), "×÷": (5.0, 6.0, 6.0, 6.0), "µ": (5.0, 10.0, 4.0, 10.0), "ƒ": (10.0, 12.0, 10.0, 14.0),
    "€£¥¢": (5.0, 8.0, 5.0, 12.0), "¡¿": (3.0, 9.0, 3.0, 12.0), "§¶†‡": (5.0, 8.0, 8.0, 14.0),
    "¤¦¨¯¸¬‰ˇ˘˙˝˛ˆ˜": (9.0, 12.0, 12.0, 14.0), "\u00a0\u202f": (4.0, 4.0, 4.0, 6.0), "\u00ad": (6.0, 8.0, 8.0, 8.0),
    "√∫∂∑∏∆≈≤≥≠∞": (5.0, 9.0, 9.0, 14.0), "─━│┃═║": (4.0, 9.0, 9.0, 16.0), "\ufffd": (20.0,) * 4,
}  # fmt: skip
"""The same of certain signs."""

OTHER_BOX: Final = (5.0, 12.0, 12.0, 16.0)
CONTROL: Final = (20.0,) * 4
FORMAT: Final = (3.0,) * 4
PRIVATE: Final = (12.0,) * 4

MARKED: Final = {
    "äéščáíóüöžāīū": 3.0, "ñàçıë": 4.0, "òħəćĝĕâèïşêùōēûîô": 4.5, "ýãõġđą": 5.0, "ĉŝŵċęğĵìśěǎǐǒǔ": 5.5, "ńạọụịẹŋ": 6.5,
}  # fmt: skip
"""Nats of a Latin letter with a mark: languages without a model and transcriptions have these letters."""

RARE_LETTER: Final = 7.5
"""Nats of any other one; the languages that have it have a model."""

STYLISED: Final = 7.0
"""Nats of a Greek or Cyrillic letter in place of a Latin one that it resembles."""

HOMOGLYPH: Final = 5.0
STYLISED_INSIDE: Final = 12.0
"""Nats of such a capital between two small letters."""

ALIEN: Final = 27.0
"""Nats of any other letter in a word of another script."""

MARK: Final = 2.0
WIDE: Final = 4.0
WIDE_AGAIN: Final = 0.3
LETTER: Final = 4.2
"""Nats of a letter in a word of an alphabet in any language."""

WORD: Final = 3.0
"""Nats of a word, besides its letters."""

SHORT: Final = 2
"""Letters of a word that may be the mark of an item, a roman figure or an initial."""

CHARACTER: Final = 10.0
"""Most nats of a Chinese, Japanese or Korean character."""

SWITCH: Final = 8 * STEP
"""Cost of a change from a piece that was right to one that was not, or the reverse."""

CASE: Final = 4 * STEP
"""Cost of a word whose capitals are a matter of style."""

LOOKALIKES: Final = dict(zip(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧΔΛΣΞΦΩΨΓΘΠαβγδεοχωАВЕКМНОРСТУХІЈЅасеорухіјѕИЙЯДФШЩЦЧБГЛПЖЭЮЁЗЬЫЪЄєЇЌѢ",
    "ABEZHIKMNOPTYXALEEOOYCONabydeoxwABEKMHOPCTYXIJSaceopyxijsNNRAOWWUYBRANXEOEEBBBEeIKB",
    strict=True,
))  # fmt: skip
"""Greek and Cyrillic letters and the Latin ones that they are used for."""

_MIXED: Final = re.compile("[A-Za-z\u00c0-\u024f](?=[\u0400-\u1dff])|(?<=[\u0400-\u1dff])[A-Za-z\u00c0-\u024f]")
_BROKEN: Final = re.compile("[\x80-\x9f\ufffd]")
_WORD_OF_TWO: Final = re.compile(r"[^\W\d_²³¹][^\W\d_²³¹]")
_ODD, _BREAK = "\0", "\n"
_KANA: Final = re.compile("[\u3040-\u30ff]+")
_RUN: Final = re.compile(r"[^\W\d_]+")
_OTHER_SIGNS: Final = re.compile(r"[^\x00-\x7f\w]+$")
_REPEATED: Final = re.compile(r"(.{1,4}?)\1+")
_ASCII_LETTER: Final = re.compile("[A-Za-z]")
_OTHER_LETTER: Final = re.compile("[\u0370-\u1dff]")
_ASCII_WORD: Final = re.compile("[A-Za-z]+")


class Comparison(NamedTuple):
    """A stored text and a repaired one, compared word by word.

    Attributes:
        right: cost of the stored text as right text, in twelfths of a nat; words that stay cost what they cost in the
            repaired text.
        text: the repaired text, in which words stay that were right.
        context: by how much less the words that stay cost in the language of the repaired text than in any.
    """

    right: int
    text: str
    context: int
    telling: bool


def compared(stored: str, repaired: str, language: str, *, proven: bool) -> Comparison:
    """Compare a stored text with the repaired one, whose language is known or empty.

    In a text with words that were right they stay; where the form is `proven`, as that of UTF-8, only those that become
    words in two scripts.
    """
    before, after = stored.split(" "), repaired.split(" ")
    seen: set[str] = set()
    if len(before) != len(after):
        return Comparison(sum(_cost(token, seen) for token in before), repaired, 0, True)
    pairs = list(dict.fromkeys(pair for pair in zip(before, after, strict=True) if not "".join(pair).isascii()))
    styled = {pair: _cost(pair[0], seen) for pair in pairs}
    rights = {pair: cost if _BROKEN.search(pair[0]) else min(cost, read(pair[0]).cost + alien_cost(pair[0])) for pair, cost in styled.items()}
    prices = {pair: read_in(pair[1], language) for pair in pairs}
    told = {pair for pair in pairs if pair[0] != pair[1]}
    for pair in pairs:
        if not proven and not any(_WORD_OF_TWO.search(token) for token in pair) and not _BROKEN.search(pair[0]):
            rights[pair] = prices[pair]
            told.discard(pair)
    pairs_of_text = list(zip(before, after, strict=True))
    stay = _kept(pairs_of_text, rights, prices, proven=proven) if proven or _OTHER_LETTER.search(repaired) else set()
    total = context = 0
    for pair in pairs:
        same = pair[0] == pair[1]
        total += prices[pair] if same or pair in stay else rights[pair]
        context += max(0, styled[pair] - prices[pair]) if same else 0
    return Comparison(total, " ".join([pair[pair not in stay] for pair in pairs_of_text]), context, bool(told - stay))


GUEST_WORD: Final = 5 * STEP // 2
_GUEST: Final = re.compile("[A-Za-z]{3,}$")


def _kept(pairs, rights, prices, *, proven: bool) -> set[tuple[str, str]]:
    """Return the words that were right: those of the cheapest sequence of right and repaired pieces."""
    costs, paths = (SWITCH, 0), ((), ())
    for pair in pairs:
        if pair[0] == pair[1]:
            if proven or not _GUEST.match(pair[0]):
                continue
            here = (0, GUEST_WORD)
        else:
            mixed = mixed_cost(pair[1])
            here = (NEVER if proven and not mixed else rights[pair], prices[pair] + mixed)
        steps = []
        for state in (0, 1):
            moved = costs[1 - state] + SWITCH < costs[state]
            cost = costs[1 - state] + SWITCH if moved else costs[state]
            path = paths[1 - state] if moved else paths[state]
            steps.append((cost + here[state], path if state else (*path, pair)))
        costs, paths = (steps[0][0], steps[1][0]), (steps[0][1], steps[1][1])
    return set(paths[1] if costs[1] <= costs[0] else paths[0])


def mixed_cost(text: str) -> int:
    """Return the cost of letters in words of another script."""
    return round(ALIEN * STEP) * len(_MIXED.findall(text.replace("'", "").replace("’", "")))


def _cost(token: str, seen: set[str]) -> int:
    """Return the cost of a token as right text; ASCII ones cost nothing. `seen` are the characters before it."""
    if token.isascii():
        return 0
    nats = 0.0
    pieces: list[str] = []
    latin = _is_latin(token)
    for place, char in enumerate(token):
        if char.isascii():
            pieces.append(char if char.isalpha() else _BREAK)
            continue
        first, piece = _of_character(token, place, char, latin=latin)
        if piece and piece.isascii() and "\uff00" < char < "\uffef":
            first = WIDE_AGAIN if "wide" in seen else first
            seen.add("wide")
        elif char in seen:
            first *= AGAIN
        seen.add(char)
        nats += first
        pieces.append(piece + _ODD)
    # ASCII words that touch no other character cost nothing, as everywhere.
    odd = " ".join(part.replace(_ODD, "") for part in "".join(pieces).split(_BREAK) if _ODD in part)
    words = sum(map(_word_cost, dict.fromkeys(_RUN.findall(unicodedata.normalize("NFKC", odd)))))
    return round(nats * STEP) + words


def _is_latin(token: str) -> bool:
    """Whether letters of ASCII are at least half of the letters beside those of marked Latin."""
    latin = len(_ASCII_LETTER.findall(token))
    return 0 < latin >= len(_OTHER_LETTER.findall(token))


def _of_character(token: str, place: int, char: str, *, latin: bool) -> tuple[float, str]:
    """Return the nats of a character beyond ASCII, and the letter that it counts as, if any."""
    category = unicodedata.category(char)
    if category[0] == "M":
        return (ALIEN if latin and char >= "\u0483" else MARK), ""
    if category[0] != "L" or char in "ºªµƒʻʼʹʿʾ":
        left = _OTHER_SIGNS.sub("", token[:place])[-1:].isalpha()
        right = _OTHER_SIGNS.sub("", token[:place:-1])[-1:].isalpha()
        if char in "\u00a0\u202f" and place in (0, len(token) - 1):
            return 9.0, " "
        nats = _sign_nats(char, category)[left + 2 * right]
        if char in "²³¹ªº°" and left and _RUN.findall(token[:place])[-1:] and len(_RUN.findall(token[:place])[-1]) > 3:
            nats += 5.0
        if nats >= 12 and token[place - 1 : place].islower() and token[place + 1 : place + 2].islower() and len(token) > 4:
            nats += 5.0
        return nats, " " if char not in "’‘ʻʼʹʿʾ׳״" else ""
    plain = unicodedata.normalize("NFKC", char)
    if "\uff00" < char < "\uffef":
        return WIDE, plain
    small = char.lower()
    if char < "\u0250" or "\u1e00" <= char < "\u1f00":
        base = base_letter(small)
        if base.isascii():
            return _marked().get(small, RARE_LETTER), base.upper() if char.isupper() else base
        return RARE_LETTER, ""
    if not latin:
        return 0.0, unicodedata.normalize("NFD", char)[0] if not CJK_RUN.match(char) else char
    if CJK_RUN.match(char):
        return 0.0, f" {char} "
    alike = LOOKALIKES.get(char)
    if not alike:
        return ALIEN, ""
    inside = token[max(0, place - 1) : place].islower() and token[place + 1 : place + 2].islower()
    if char in "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТХІЈЅ" and not inside:
        return HOMOGLYPH, alike
    return (STYLISED_INSIDE if inside and char.isupper() else STYLISED), alike


@cache
def _marked() -> dict[str, float]:
    return {char: nats for chars, nats in MARKED.items() for char in chars}


@cache
def _signs() -> dict[str, tuple[float, ...]]:
    return {char: nats for chars, nats in SIGNS.items() for char in chars}


@lru_cache(maxsize=1024)
def _sign_nats(char: str, category: str) -> tuple[float, ...]:
    known = _signs().get(char)
    if known:
        return known
    if "\u2500" <= char <= "\u257f":
        return OTHER_BOX
    return {"Cc": CONTROL, "Cf": FORMAT, "Co": PRIVATE, "Cs": CONTROL, "Cn": CONTROL}.get(category, SIGN)


@lru_cache(maxsize=1024)
def _word_cost(word: str) -> int:
    """Return the cost of a word in the script of its letters, in the language that suits it best."""
    word = _REPEATED.sub(r"\1\1", word)
    if len(word) <= SHORT and not CJK_RUN.match(word):
        odd_case = word[:1].islower() and word[1:].isupper() and not word.isascii()
        return round(LETTER * (len(word) - 1) * STEP) + 2 * CASE * odd_case
    if not word.isascii():
        latin = "".join(_ASCII_WORD.findall(word))
        rest = "".join(char for char in word if not char.isascii())
        return min(read(word).cost, _script_cost(rest) + (_word_cost(latin) if latin else 0))
    raw = word.encode()
    every = models.in_use()
    codes = [language.code for language in LANGUAGES.values() if language.script == "latin"]
    spelled = min(every.letters(code).spelled(raw.translate(ascii_numbers(code)).replace(b"\0", b"")) for code in codes)
    return min(spelled, every.letters("en").cost(raw.translate(ascii_numbers("en"))), round((WORD + LETTER * len(word)) * STEP)) + min(CASE, class_cost(raw, classes("cp1252")))


def _script_cost(word: str) -> int:
    """Return the cost of letters that no model suits."""
    if CJK_RUN.search(word) and not _KANA.fullmatch(word):
        distinct = set(word)
        return round(CHARACTER * (len(distinct) + AGAIN * (len(word) - len(distinct))) * STEP)
    changes = sum(before.islower() and after.isupper() for before, after in pairwise(word))
    changes += word[:2].isupper() and word[2:].islower()
    return round((WORD + LETTER * len(word)) * STEP) + 2 * CASE * changes
