"""Proof of a repair: by how much it must be better than the stored text as right text, and what of the text it leaves.

A route that is cheaper than the stored text in the models' eyes may still be chance: hundreds of routes are tried, and
a few characters carry the evidence. So its texts must also cost less than the stored ones as right text
(`right_text`), by a margin that depends on how seldom such damage is, and on how many characters show it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

from mediacrawl.encoding.codepages import MULTIBYTE, STEP, encode
from mediacrawl.encoding.languages import LANGUAGES
from mediacrawl.encoding.mojibake.right_text import right_cost, styled_cost
from mediacrawl.encoding.mojibake.routes import ALIEN, STAYS, RepairRoute, StoredRecord
from mediacrawl.encoding.pricing.hypotheses import listed_words
from mediacrawl.encoding.pricing.reading import WORD, read_in
from mediacrawl.encoding.pricing.scoring import NEVER

REQUIRED: Final = {
    ("west", "west"): 0, ("west", "utf-8"): -5, ("west", "other"): -12, ("west", "cjk"): -8, ("west", "latin"): -4,
    ("latin", "west"): -6, ("latin", "utf-8"): -6, ("latin", "other"): -10, ("latin", "cjk"): -8,
    ("latin", "latin"): 2,
    ("other", "west"): -6, ("other", "utf-8"): 0, ("other", "other"): -10, ("other", "cjk"): 0, ("other", "latin"): 1,
    ("cjk", "west"): -6, ("cjk", "utf-8"): 0, ("cjk", "other"): -2, ("cjk", "cjk"): 0, ("cjk", "latin"): -6,
    ("utf-8", "west"): -8,
}  # fmt: skip
"""Nats by which a route with enough evidence must cost less than right text, by the kinds of its wrong and its right
encoding (`_kind`). Less than 0 where the cost of the damage in the route is already more than its chance."""

TWICE: Final = -12
"""The same for several wrong decodings: each of them shows itself."""

FEW: Final = (8, 8, 7, 2)
"""Further nats for so many different characters of evidence: less than four can be chance."""

FEW_LATIN: Final = (8, 8, 3, 2)
"""The same between Latin encodings where Latin-1 or cp1252 was the wrong decoder."""

FEW_SEQUENCES: Final = {"cjk": {1: 20, 2: 8}, "other": {1: 3}}
"""The same for so many characters that come out of UTF-8, by the kind of the wrong decoder. Of pairs of bytes of a
Chinese encoding, one in twenty is valid UTF-8."""

OF_RECORD: Final = -4
"""The same if the other texts of the record identify the language, and Latin-1 or cp1252 is the wrong decoder."""

TELLING_WORDS: Final = 4
"""A record of several texts with so many different words identifies the language."""

MOST_CONTEXT: Final = 7 * STEP
"""Most that words of the language which did not change are worth: records have names of other languages."""

MOST_SAVED: Final = 6 * STEP
"""Most that a word list may save: of odd words in it, most have only the hash of a known one."""

SWITCH: Final = 8 * STEP
"""Cost of a change from words that were right to damaged ones, or the reverse."""

SWITCH_AT_SEPARATOR: Final = 2 * STEP
"""The same at a separator, as between a title and its translation."""

LITTLE: Final = 3 * STEP
"""Most that the price of a word that is no evidence says for leaving it, and nothing for the record."""

GUEST: Final = 8 * STEP
"""Cost of an ASCII word between words of another script."""

_APOSTROPHES: Final = re.compile("['\u2019]")
_BROKEN: Final = re.compile("[\x80-\x9f]")
_GUEST: Final = re.compile("[A-Za-z]{3,}")
_LONE_LETTER: Final = re.compile(r"[\W\d_]*[\u00aa-\u07ff][\W\d_]*")
_MIXED: Final = re.compile("[A-Za-z\u00c0-\u024f](?=[\u0400-\u1dff])|(?<=[\u0400-\u1dff])[A-Za-z\u00c0-\u024f]")
_OTHER_LETTER: Final = re.compile("[\u0370-\u1dff]")
_SEPARATOR: Final = re.compile(r"[-\u2013\u2014/|\u00b7\u2022&]+|feat\.?|ft\.?|vs\.?", re.IGNORECASE)
_REPEATED: Final = re.compile(r"(\w+)(?:-\1)+", re.IGNORECASE)
_TWO_LETTERS: Final = re.compile(r"([^\W\d_²³¹])(?!\1)[^\W\d_²³¹]", re.IGNORECASE)

Pair = tuple[str, str]
"""A word as it is stored, and as a route reads it."""


def proved(stored: StoredRecord, route: RepairRoute) -> tuple[RepairRoute, int]:
    """Return the route without the words that were right, and by how much more than required it is proved.

    The surplus is in twelfths of a nat; with 0 or less the texts stay as they are.
    """
    proof = -route.damage - _required(stored, route)
    context = 0
    # The same for all tracks of an album: a route without its texts.
    way = route._replace(damage=0, costs=(), texts=())
    is_shown = len(route.steps) == 2 and _identifies_language(stored)
    texts = list(route.texts)
    for place, (text, after, cost) in enumerate(zip(stored.odd, route.texts, route.costs, strict=True)):
        found = _compared(text, after, way)
        texts[place] = found.text
        if stored.counts[place]:
            context += found.context
            if found.text != text and cost < stored.clean[place] + STAYS:
                is_shown |= found.is_shown
                proof += found.right - cost - _too_cheap(text, after, route) - _mixed_cost(found.text)
    return route._replace(texts=tuple(texts)), proof + min(context, MOST_CONTEXT) if is_shown else -NEVER


class _Comparison(NamedTuple):
    """A stored text and a repaired one, compared word by word.

    Attributes:
        right: cost of the stored text as right text, in twelfths of a nat; words that stay cost as much as in the
            repaired text.
        text: the repaired text, in which words stay that were right.
        context: by how much less the unchanged words cost in the language of the repaired text than in any.
        is_shown: a word of more than one letter changed.
    """

    right: int
    text: str
    context: int = 0
    is_shown: bool = True


@lru_cache(maxsize=1024)
def _compared(stored: str, repaired: str, route: RepairRoute) -> _Comparison:
    before, after = stored.split(" "), repaired.split(" ")
    seen: set[str] = set()
    if len(before) != len(after):
        return _Comparison(sum(styled_cost(token, seen) for token in before), repaired)
    words = list(zip(before, after, strict=True))
    proven = route.steps[-1] == "utf-8"
    pairs = [pair for pair in dict.fromkeys(words) if not "".join(pair).isascii()]
    styled = {pair: styled_cost(pair[0], seen) for pair in pairs}
    prices = {pair: read_in(_REPEATED.sub(r"\1", pair[1]), route.language) for pair in pairs}
    shown = {pair for pair in pairs if pair[0] != pair[1] and (proven or _shows(pair))}
    # A single letter says little, and so does its repetition.
    rights = {
        pair: max(right_cost(pair[0], styled[pair]), -NEVER if pair in shown else prices[pair] - LITTLE)
        for pair in pairs
    }
    whole = {pair: max(rights[pair], right_cost(pair[0], styled_cost(pair[0], set()))) for pair in shown}
    stay = _staying(words, rights | whole, prices, proven=proven) if proven or _OTHER_LETTER.search(repaired) else set()
    total = context = 0
    for pair in pairs:
        same = pair[0] == pair[1]
        total += rights[pair] if pair in shown - stay else prices[pair]
        context += max(0, styled[pair] - prices[pair]) if same else 0
    return _Comparison(total, " ".join([pair[pair not in stay] for pair in words]), context, bool(shown - stay))


def _shows(pair: Pair) -> bool:
    """Whether a word is evidence: it has two different letters in a row, or a control."""
    return any(map(_TWO_LETTERS.search, pair)) or _BROKEN.search(pair[0]) is not None


def _staying(words: Sequence[Pair], rights: dict[Pair, int], prices: dict[Pair, int], *, proven: bool) -> set[Pair]:
    """Return the words that were right: those of the cheapest sequence of right and damaged pieces.

    Where the form is `proven`, as that of UTF-8, only those that would become words in two scripts.
    """
    right, damaged = (SWITCH, frozenset[Pair]()), (0, frozenset[Pair]())
    switch, last = SWITCH, " "
    for pair in words:
        if _SEPARATOR.fullmatch(pair[0]) or pair[0][:1] in "([" or last[-1:] in ")]:":
            switch = SWITCH_AT_SEPARATOR
        last = pair[0] or last
        if pair[0] != pair[1]:
            mixed = _mixed_cost(pair[1])
            costs = NEVER if proven and not mixed else rights[pair], prices[pair] + mixed
        elif proven or not _GUEST.fullmatch(pair[0]):
            continue
        else:
            costs = 0, GUEST
        from_right = right if right[0] <= damaged[0] + switch else (damaged[0] + switch, damaged[1])
        from_damaged = damaged if damaged[0] <= right[0] + switch else (right[0] + switch, right[1])
        switch = SWITCH
        right, damaged = (
            (from_right[0] + costs[0], from_right[1] | {pair}),
            (from_damaged[0] + costs[1], from_damaged[1]),
        )
    return set(min(damaged, right, key=lambda way: way[0])[1])


def _mixed_cost(text: str) -> int:
    """Return the cost of words in two scripts."""
    return ALIEN * len(_MIXED.findall(_APOSTROPHES.sub("", text)))


def _too_cheap(text: str, after: str, route: RepairRoute) -> int:
    """Return by how much the words that a route changes are too cheap.

    Word lists save at most `MOST_SAVED`. A letter that is in no word costs twice as much as in right text: two signs
    in a row are a letter in UTF-8 by chance.
    """
    encoding = route.steps[-1]
    new = {word for word in after.split(" ") if not word.isascii()}.difference(text.split(" "))
    alone = [word for word in new if _LONE_LETTER.fullmatch(word)]
    surcharge = sum(max(0, 2 * styled_cost(word, set()) - read_in(word, route.language)) for word in alone)
    if encoding == "utf-8" or encoding in MULTIBYTE or not route.language:
        return surcharge
    found = listed_words(encode(" ".join(sorted(new)), encoding), encoding, route.language)
    return surcharge + sum(max(0, spelled - listed - MOST_SAVED) for spelled, listed in found)


def _required(stored: StoredRecord, route: RepairRoute) -> int:
    """Return the least surplus of a route over right text, in twelfths of a nat."""
    if len(route.steps) > 2:
        return TWICE * STEP
    kinds = _kind(route.steps[0]), _kind(route.steps[1])
    return (REQUIRED[kinds] + _few_nats(stored, route, kinds)) * STEP


def _few_nats(stored: StoredRecord, route: RepairRoute, kinds: tuple[str, str]) -> int:
    """Return the nats for the number of characters that are evidence."""
    if kinds[0] == "west" and _identifies_language(stored):
        return OF_RECORD
    every = zip(stored.odd, route.texts, stored.counts, strict=True)
    changed = [(text, after) for text, after, counts in every if counts and text != after]
    if kinds[1] == "utf-8":
        return FEW_SEQUENCES.get(kinds[0], {}).get(sum(char > "\x7f" for _, after in changed for char in after), 0)
    if any(_BROKEN.search(text) for text, _ in changed):
        return 0
    words = {word for text, after in changed for word in set(text.split()).difference(after.split())}
    kept = {char for text, after in changed if len(text) == len(after) for char in set(text).intersection(after)}
    evidence = len({char.lower() for word in words for char in word if char > "\x7f" and char not in kept})
    if kinds[0] == "west":
        evidence = max(evidence, len(words))
    few = FEW_LATIN if kinds == ("west", "latin") else FEW
    return few[evidence] if evidence < len(few) else 0


def _identifies_language(stored: StoredRecord) -> bool:
    words = {word.casefold() for text in stored.fields for word in WORD.findall(text)}
    return len(stored.fields) > 1 and len(words) >= TELLING_WORDS


@cache
def _kind(encoding: str) -> str:
    """Return ``west`` for Latin-1 and cp1252, ``utf-8``, ``cjk``, ``other`` for another script, or ``latin``."""
    if encoding in ("latin-1", "cp1252"):
        return "west"
    if encoding in MULTIBYTE or encoding == "utf-8":
        return "cjk" if encoding in MULTIBYTE else encoding
    scripts = {language.script for language in LANGUAGES.values() if encoding in language.encodings}
    return "other" if scripts and "latin" not in scripts else "latin"
