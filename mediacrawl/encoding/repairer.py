"""Texts that were stored wrongly, their bytes lost: which wrong readings they went through, and what they were before.

Every way back is a hypothesis with a cost, as in detection: what the damage costs to believe, and what the text costs that comes out. The text as it
stands is one of them, and has a head start; a way back must be worth more the fewer letters speak for it. What comes out may be wrong text
itself, so ways back go on from there, three deep.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.damage import (
    DOUBLE_MISREADINGS,
    MISREADINGS,
    bytes_of,
    utf8_wreck,
)
from mediacrawl.encoding.decision import DecisionName, FieldDecision, Hints, Repair
from mediacrawl.encoding.filling import ANYWHERE, IN_WORD, KEPT, LONGEST, fill_bytes, fill_wreck
from mediacrawl.encoding.hinting import Shift, shift_of
from mediacrawl.encoding.hypotheses import NEVER, UTF8_BONUS, Hypothesis, decode, decode_single, hypotheses, losable, price_bytes
from mediacrawl.encoding.reading import CJK_RUN, read
from mediacrawl.encoding.scoring import MULTIBYTE

MANGLED: Final = STEP
"""What it costs to believe that a text was read wrongly at all."""
CROSSED: Final = 7 * STEP
"""And that it was read in something else than Latin-1 or cp1252."""
DEEPER: Final = 2 * STEP
"""And that what came out was mangled as well."""
LOSSY: Final = 6 * STEP
"""And that something was lost on the way."""
ENOUGH_WORDS: Final = 5
ANY_LANGUAGE: Final = 2 * STEP
"""What it costs to stay a text of a language that is seldom written in Latin-1."""
STAYS: Final = 10 * STEP
"""A text that was not mangled, in a record that was."""
FEW_LETTERS: Final = (0, 6 * STEP, 4 * STEP, 2 * STEP, STEP)
"""How much more a way back must be worth that rests on so few characters."""
GOOD_WORD: Final = 3 * STEP
GOOD_LETTER: Final = 30
GOOD_IDEOGRAM: Final = 15 * STEP // 2
"""A text that costs no more than this for each word, letter and CJK character of its odd words is not looked at further."""
DEEPEST: Final = 3
SURE: Final = 40.0
LEAST_MARGIN: Final = 8
"""A proposed character that is less surely better than the next is marked as lost."""


_SHOWN: Final = ("utf-8", "cp1252")
"""Readings that need no letters to speak for them: UTF-8 shows by its form, and what was a C1 control is always a character of cp1252."""
_LEADS: Final = frozenset("ÃÂÐÑÅÄÎÏØÙ×")
"""What the first bytes of UTF-8 letters read as; many of them are left where everything else was stripped."""
_MARKED: Final = re.compile(r"\ufffd|(?<=\w)\?(?=\w)|\?(?=[^\W\d_])")
"""A question mark where no question ends."""
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Way:
    """A way back for the texts of a record.

    Attributes:
        steps: readings to undo and to do, in turn: ``("cp1252", "cp1251")``.
        language: of what comes out.
        damage: cost of believing in it.
        costs: of each text after it; `NEVER` where it leads nowhere.
        texts: what comes out.
        lossy: something was lost, and some characters are proposals.
        sure: no lost character could as well be another one.
    """

    steps: tuple[str, ...]
    language: str
    damage: int
    costs: tuple[int, ...]
    texts: tuple[str, ...]
    lossy: bool = False
    sure: bool = True


def repair(texts: Sequence[str], hints: Hints | None = None) -> Repair:
    """What texts were before they were stored wrongly. Clean text comes back unchanged.

    Args:
        texts: the fields of one record, as they are stored; any texts, any number.
        hints: what is known beside them.

    Returns:
        The decision, with a text for each that came in. A text that lost characters has proposals in their place and
        says ``lossy``; where none is likelier than another it has U+FFFD. One that is damaged beyond that says ``suspect``.
    """
    odd = [place for place, text in enumerate(texts) if not text.isascii()]
    decided = {place: FieldDecision(text, "", margin=SURE) for place, text in enumerate(texts) if text.isascii()}
    encoding = ""
    if odd:
        way, fields = _decide([texts[place] for place in odd], texts, shift_of(hints) if hints else None)
        decided.update(zip(odd, fields, strict=True))
        encoding = way
    fields = [decided[place] for place in range(len(texts))]
    confidence = min((field.confidence for field in fields), default=1.0)
    return Repair(encoding, confidence, tuple(fields))


def _decide(odd: list[str], all_texts: Sequence[str], shift: Shift | None) -> tuple[str, list[FieldDecision]]:
    clean = [read(text).cost for text in odd]
    ways = _ways(odd, clean, all_texts, shift, DEEPEST)
    few = _few(odd, all_texts)
    marked = any(_MARKED.search(text) for text in odd)
    if marked or _bad(min([sum(clean), *(_total(way, clean, few) for way in ways)]), odd):
        ways += _lossy_ways(odd, clean, ways)
    # Staying is priced like the ways where it can be: the record's ASCII words and the hints speak for its language too.
    stays = min([sum(clean) + ANY_LANGUAGE, *(_total(way, clean, few) for way in ways if not way.steps)])
    ranked = sorted((way for way in ways if way.steps), key=lambda way: _total(way, clean, few))
    best = ranked[0] if ranked else None
    if best is None or _total(best, clean, few) >= stays:
        margin = (_total(best, clean, few) - stays) / STEP if best else SURE
        runner = ">".join(best.steps) if best else ""
        return "", [_left(text, cost, margin, runner) for text, cost in zip(odd, clean, strict=True)]
    others = [_total(way, clean, few) for way in ranked[1:] if way.texts != best.texts]
    margin = (min([stays, *others]) - _total(best, clean, few)) / STEP
    fields = [_mended(text, place, best, clean[place], margin) for place, text in enumerate(odd)]
    return ">".join(best.steps), fields


def _few(odd: list[str], all_texts: Sequence[str]) -> int:
    """How much more a way back must be worth that rests on few characters, half as much where plain words speak as well."""
    letters = sum(not char.isascii() for text in odd for char in text)
    if letters >= len(FEW_LETTERS):
        return 0
    words = sum(len(_WORD.findall(text)) for text in all_texts)
    return FEW_LETTERS[letters] // (2 if words > ENOUGH_WORDS else 1)


def _total(way: Way, clean: list[int], few: int) -> int:
    """Cost of a way over the record: each text goes it, or stays."""
    if not way.steps:
        return way.damage + sum(cost if cost < NEVER else least for cost, least in zip(way.costs, clean, strict=True))
    extra = 0 if all(read_in in _SHOWN for read_in in way.steps[1::2]) else few
    return way.damage + extra + sum([min(cost, stays + STAYS) for cost, stays in zip(way.costs, clean, strict=True)])


@lru_cache(maxsize=16384)
def _good(text: str) -> int:
    """What a text of this length may cost and still look right."""
    total = 0
    for word in _WORD.findall(text):
        if not word.isascii():
            wide = sum(char >= "\u2e80" for char in word)
            total += GOOD_WORD + (GOOD_IDEOGRAM * wide if wide else GOOD_LETTER * len(word))
    return total


def _bad(cost: int, texts: list[str]) -> bool:
    return cost > sum(map(_good, texts))


def _ways(odd: list[str], clean: list[int], all_texts: Sequence[str], shift: Shift | None, depth: int) -> list[Way]:
    """The ways back that lose nothing."""
    ways = _undo(odd, "cp1252", MANGLED, all_texts, shift, depth)
    if _bad(sum(clean), odd) and any(bytes_of(text, "cp1252") is None for text in odd):
        double = any(CJK_RUN.search(text) for text in odd)
        for misread in (*MISREADINGS, *(DOUBLE_MISREADINGS if double else ())):
            ways += _undo(odd, misread, MANGLED + CROSSED, all_texts, shift, 1)
    return ways


def _undo(
    odd: list[str], misread: str, damage: int, all_texts: Sequence[str], shift: Shift | None, depth: int
) -> list[Way]:
    """The ways that begin by undoing one reading."""
    raws = [bytes_of(text, misread) for text in odd]
    live = [raw for raw in raws if raw is not None and not raw.isascii()]
    if not live:
        return []
    fields = [text.encode() for text in all_texts if text.isascii()] + live
    ways = []
    for hypothesis in hypotheses(live, fields, shift):
        if hypothesis.encoding == misread == "cp1252":
            # Latin-1 or cp1252 stays what it is; but C1 controls in a text are always characters of cp1252.
            way = _way(odd, raws, "latin-1", hypothesis, 0)
            ways.append(way if way.texts != tuple(odd) else replace(way, steps=()))
        elif hypothesis.encoding != misread:
            way = _way(odd, raws, misread, hypothesis, damage)
            ways.append(way)
            if hypothesis.encoding == "utf-8" and depth > 1:
                ways += _go_on(way, odd, all_texts, shift, depth)
    return ways


def _way(odd: list[str], raws: list[bytes | None], misread: str, hypothesis: Hypothesis, damage: int) -> Way:
    costs, texts = [], []
    live = iter(hypothesis.costs)
    for text, raw in zip(odd, raws, strict=True):
        cost = next(live) if raw is not None and not raw.isascii() else NEVER
        costs.append(cost)
        texts.append(_decoded(raw, hypothesis.encoding) if raw is not None and cost < NEVER else text)
    return Way((misread, hypothesis.encoding), hypothesis.language, damage + hypothesis.prior, tuple(costs), tuple(texts))


def _decoded(raw: bytes, encoding: str) -> str:
    if encoding in MULTIBYTE or encoding == "utf-8":
        return decode(raw, encoding) or ""
    return decode_single(raw, encoding)


def _go_on(way: Way, odd: list[str], all_texts: Sequence[str], shift: Shift | None, depth: int) -> list[Way]:
    """What comes out of a way may have been mangled before."""
    again = [text for text, cost in zip(way.texts, way.costs, strict=True) if cost < NEVER and not text.isascii()]
    if not again:
        return []
    clean = [read(text).cost for text in again]
    further = []
    for next_way in _ways(again, clean, all_texts, shift, depth - 1):
        if not next_way.steps:
            continue
        costs, texts = list(way.costs), list(way.texts)
        rest = iter(zip(next_way.costs, next_way.texts, strict=True))
        for place, (text, cost) in enumerate(zip(way.texts, way.costs, strict=True)):
            if cost < NEVER and not text.isascii():
                cost, texts[place] = next(rest)
                # That it was UTF-8 still counts, whatever came out.
                costs[place] = cost - UTF8_BONUS * min(3, sum(not char.isascii() for char in text))
        steps = (*way.steps, *next_way.steps)
        further.append(Way(steps, next_way.language, way.damage + DEEPER + next_way.damage, tuple(costs), tuple(texts)))
    return further


def _lossy_ways(odd: list[str], clean: list[int], ways: list[Way]) -> list[Way]:
    """The ways back that guess at what was lost."""
    found = []
    wrecks = [utf8_wreck(text) if len(text) <= LONGEST else None for text in odd]
    if any(wrecks):
        whole = " ".join("".join(slot[0] for slot in wreck.slots if len(slot) == 1) for wreck in wrecks if wreck)
        language = read(whole).language
        proposals = [fill_wreck(wreck, language) if wreck else None for wreck in wrecks]
        costs = tuple(proposal.cost if proposal else NEVER for proposal in proposals)
        texts = tuple(proposal.text if proposal else text for proposal, text in zip(proposals, odd, strict=True))
        sure = all(proposal.margin >= LEAST_MARGIN for proposal in proposals if proposal)
        found.append(Way(("cp1252", "utf-8"), "", MANGLED + LOSSY, costs, texts, lossy=True, sure=sure))
    marked = any(_MARKED.search(text) for text in odd)
    if marked or sum(clean) > 2 * sum(map(_good, odd)):
        found += _lossy_code_pages(odd, clean, ways)
    return found


def _lossy_code_pages(odd: list[str], clean: list[int], ways: list[Way]) -> list[Way]:
    marked = [text.replace("\ufffd", "?") for text in odd]
    raws = [bytes_of(text, "cp1252") for text in marked]
    if any(len(text) > LONGEST for text in odd) or not any(raws):
        return []
    if marked != odd:
        ways = _undo(marked, "cp1252", MANGLED, marked, None, 1)
    found = []
    for encoding, language in _likely_pages(marked, clean, ways):
        costs, texts, sure = [], [], True
        for text, raw in zip(odd, raws, strict=True):
            if raw is None:
                costs.append(NEVER)
                texts.append(text)
                continue
            marks = ANYWHERE if encoding in MULTIBYTE else IN_WORD
            cost, filled, edits, margin = fill_bytes(raw, partial(price_bytes, encoding=encoding, language=language), marks)
            # A reading that leaves a mark inside a word is not charged for it, so one that mends it is paid for it.
            costs.append(cost - KEPT * (len(marks.findall(raw)) - len(marks.findall(filled))))
            texts.append(_decoded(filled, encoding))
            sure = sure and (not edits or margin >= LEAST_MARGIN)
        found.append(Way(("cp1252", encoding), language, MANGLED + LOSSY, tuple(costs), tuple(texts), lossy=True, sure=sure))
    return found


MOST_LIKE_CJK: Final = 4
"""So many characters beyond ASCII, at least, are left of what was double-byte text."""
DOUBLE_BYTE: Final = (("cp932", "ja"), ("cp949", "ko"), ("gb18030", "zh-Hans"), ("cp950", "zh-Hant"))


def _likely_pages(odd: list[str], clean: list[int], ways: list[Way]) -> list[tuple[str, str]]:
    """The encodings worth a search: the best of those that read what is left, and the double-byte ones, which cannot."""
    ranked = sorted((way for way in ways if len(way.steps) == 2 and way.steps[0] == "cp1252"), key=lambda way: _total(way, clean, 0))
    pages = dict.fromkeys((way.steps[1], way.language) for way in ranked if way.steps[1] != "utf-8")
    single = [page for page in list(pages)[:4] if page[0] not in MULTIBYTE and losable(*page)]
    dense = sum(not char.isascii() for text in odd for char in text) >= MOST_LIKE_CJK
    return list(dict.fromkeys([*single, *(DOUBLE_BYTE if dense else ())]))


def _left(text: str, cost: int, margin: float, runner_up: str) -> FieldDecision:
    """A text that stays as it is."""
    from mediacrawl.encoding.detector import confidence_of  # noqa: PLC0415

    leads = sum(char in _LEADS for char in text)
    suspect = "\ufffd" in text or (leads > 2 and cost > 2 * _good(text))
    return FieldDecision(text, "", read(text).language, confidence_of(margin), round(min(margin, SURE), 2), runner_up, "declared", suspect=suspect)


def _mended(text: str, place: int, way: Way, clean: int, margin: float) -> FieldDecision:
    from mediacrawl.encoding.detector import confidence_of  # noqa: PLC0415

    if way.costs[place] >= clean + STAYS or way.texts[place] == text:
        return _left(text, clean, margin, ">".join(way.steps))
    decision: DecisionName = "fixed"
    return FieldDecision(
        way.texts[place], ">".join(way.steps), way.language or read(way.texts[place]).language,
        confidence_of(margin), round(min(margin, SURE), 2), "", decision, lossy=way.lossy,
    )
