"""Texts that were stored wrongly, their bytes lost: which wrong readings they went through, and what they were before.

Every way back is a hypothesis with a cost, as in detection: what the damage costs to believe, and what the text
costs that comes out. The text as it stands is one of them, and has a head start; a way back must be worth more the
fewer letters speak for it. What comes out may be wrong text itself, so ways back go on from there, three deep.
"""

# ruff: noqa: RUF001 - national letters stand for what UTF-8 reads as
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import TYPE_CHECKING, Final

from mediacrawl.encoding.arguments import texts as as_texts
from mediacrawl.encoding.chance import is_clean_sign
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.confidence import SURE, confidence_of
from mediacrawl.encoding.damage import looks_like_utf8
from mediacrawl.encoding.decision import FieldDecision, Hints, Repair
from mediacrawl.encoding.hinting import Shift, shift_of
from mediacrawl.encoding.hypotheses import NEVER
from mediacrawl.encoding.long_texts import head_of, whole_of
from mediacrawl.encoding.lossy import dropping_pages, is_marked, lossy_ways, may_have_lost, unmended
from mediacrawl.encoding.reading import has_unused, read
from mediacrawl.encoding.undoing import Candidate, Found, in_order, lossless_ways
from mediacrawl.encoding.ways import STAYS, WORD, Stored, Way, good

if TYPE_CHECKING:
    from mediacrawl.encoding.substitutions import Substitutions

ENOUGH_WORDS: Final = 5
ANY_LANGUAGE: Final = 2 * STEP
"""What it costs to stay a text of a language that is seldom written in Latin-1."""
FEW_LETTERS: Final = (14 * STEP, 6 * STEP, 4 * STEP, 2 * STEP, STEP)
"""How much more a way back must be worth that rests on so few characters."""
MOST_ROUNDS: Final = 3
"""What was mended is looked at again, so that a second call changes nothing."""
GARBAGE: Final = 2.0
"""A text that costs so many times as much as right ones is hardly right, though nothing likelier was found."""
HARDLY: Final = 0.5
ENOUGH_TO_TELL: Final = 15 * STEP
RIGHT_PROPOSAL: Final = 0.85
"""Of the characters that are proposed for lost ones so many are right."""
LEAST_CONFIDENCE: Final = 0.1
"""What is mended less surely than this is left as it came, and says ``suspect``."""
SUREST: Final = 0.999
"""Of mended texts that have no rival one in a thousand is wrong."""
LEAST_MARGIN: Final = 0.7
"""Nats; a proposal that is less surely better than the next is no more than that, and says ``suspect``."""
_LEADS: Final = frozenset("ÃÂÐÑÅÄÎÏØÙ×")
"""What the first bytes of UTF-8 letters read as; many of them are left where everything else was stripped."""


def repair(texts: Sequence[str], hints: Hints | None = None, substitutions: Substitutions | None = None) -> Repair:
    """What texts were before they were stored wrongly. Clean text comes back unchanged.

    Args:
        texts: the fields of one record, as they are stored; any texts, any number. Of a long text a piece of 400
            characters is looked at, and the rest is read alike: of at most 65,536 characters, or 2,000 if some were
            lost. A longer one that is mangled stays, and says ``suspect``.
        hints: what else is known of them.
        substitutions: what pairs of stored and right texts taught; asked where the models are unsure.

    Returns:
        The decision, with a text for each that came in. A text that lost characters has proposals in their place and
        says ``lossy``; and ``suspect`` where another proposal is about as likely. A text that is damaged beyond mending
        stays, and says ``suspect``.

    Raises:
        TypeError: the texts are no sequence of ``str``, or the hints are no `Hints`.
    """
    texts = as_texts(texts, "repair", hints)
    if substitutions:
        # Most programs that decide encodings never learn substitutions; their import would double the import's time.
        from mediacrawl.encoding.substituting import with_substitutions  # noqa: PLC0415

        return with_substitutions(texts, substitutions, lambda some: repair(some, hints))
    heads = list(map(head_of, texts))
    found = _settled(heads, shift_of(hints) if hints else None)
    whole = [whole_of(*one) for one in zip(texts, heads, found.fields, strict=True)]
    return Repair.of(found.encoding, whole)


def _settled(texts: Sequence[str], shift: Shift | None) -> Repair:
    """What texts were, mended as often as one way back follows another."""
    found = _decided(texts, _choice(texts, shift))
    for _ in range(MOST_ROUNDS):
        if not found.changed:
            return found
        chosen = _choice(found.texts, shift)
        if chosen is None or chosen.best is None:
            return found
        again = _decided(found.texts, chosen)
        if not again.changed:
            return found
        found = _joined(found, again)
    return _unmoved(texts)


def _joined(first: Repair, last: Repair) -> Repair:
    """What came of texts in two rounds: a text that was mended in both was mangled in both ways."""
    fields = []
    for earlier, later in zip(first.fields, last.fields, strict=True):
        if later.decision != "fixed":
            fields.append(earlier)
        elif earlier.decision != "fixed":
            fields.append(later)
        else:
            fields.append(
                replace(
                    later,
                    encoding=f"{earlier.encoding}>{later.encoding}",
                    confidence=min(earlier.confidence, later.confidence),
                    margin=min(earlier.margin, later.margin),
                    lossy=earlier.lossy or later.lossy,
                    suspect=earlier.suspect or later.suspect,
                )
            )
    return Repair.of(first.encoding, fields)


def _unmoved(texts: Sequence[str]) -> Repair:
    """Texts that would be mended again and again are left as they came."""
    return Repair.of("", [FieldDecision(text, "", confidence=0.5, suspect=not text.isascii()) for text in texts])


@dataclass(slots=True)
class _Choice:
    """What is likeliest of a record.

    Attributes:
        stored: the record.
        best: the way that its texts went; None if they stay as they are.
        margin: over the next best, in nats.
        runner_up: of a record that stays, the steps of the best way.
    """

    stored: Stored
    best: Way | None
    margin: float
    runner_up: str = ""


def _choice(texts: Sequence[str], shift: Shift | None) -> _Choice | None:
    """What is likeliest of a record; None of one in plain ASCII."""
    odd = [text for text in texts if not text.isascii()]
    if not odd:
        return None
    stored = Stored.of(odd, texts, shift)
    few = _few(stored)
    stored, every = _priced(stored, few)
    # Staying is priced like the ways where it can be: ASCII words and the hints speak for the record's language too.
    stays = sum(stored.clean) + ANY_LANGUAGE
    found = []
    for candidate in every:
        if candidate.known is None or candidate.known.steps:
            found.append(candidate)
        else:
            stays = min(stays, candidate.least)
    ranked = in_order(found)
    least, best = next(ranked, (NEVER, None))
    if best is None:
        return _Choice(stored, None, SURE)
    if least >= stays:
        return _Choice(stored, None, (least - stays) / STEP, ">".join(best.steps))
    next_best = stays
    for total, way in ranked:
        if total >= stays:
            break
        if way.texts != best.texts:
            next_best = total
            break
    return _Choice(stored, best, (next_best - least) / STEP)


def _decided(texts: Sequence[str], chosen: _Choice | None) -> Repair:
    """The decision on each text of a record, ASCII ones too."""
    if chosen is None:
        return Repair.of("", [FieldDecision(text, "", margin=SURE) for text in texts])
    stored, best, margin = chosen.stored, chosen.best, chosen.margin
    if best is None:
        pairs = zip(stored.odd, stored.clean, strict=True)
        fields = iter([_left(text, cost, margin, chosen.runner_up) for text, cost in pairs])
    else:
        fields = iter([_mended(stored, place, best, margin) for place in range(len(stored.odd))])
    decided = [FieldDecision(text, "", margin=SURE) if text.isascii() else next(fields) for text in texts]
    return Repair.of(">".join(best.steps) if best else "", decided)


def _priced(stored: Stored, few: int) -> tuple[Stored, list[Candidate]]:
    """The record and all ways back worth a look, with the marks that it has charged to what leaves them."""
    found = lossless_ways(stored, few)
    marked = is_marked(stored.odd)
    dropping = [] if marked else dropping_pages(found)
    if not marked and not dropping:
        is_odd = stored.badness() > 1 or any(map(looks_like_utf8, stored.odd))
        if not is_odd or not may_have_lost(stored) or not (_is_partly_utf8(found) or found.badness() > 1):
            return stored, found.candidates
    left = list(map(unmended, stored.odd)) if marked else []
    marks = sum(left)
    if marks:
        stored = replace(stored, clean=tuple(map(add, stored.clean, left)))
        ways = [way._replace(damage=way.damage + marks) for way in found.ways()]
        found = Found(stored, [Candidate.of(way, stored, few) for way in ways])
    lossy = lossy_ways(stored, found, dropping)
    return stored, [*found.candidates, *[Candidate.of(way, stored, few) for way in lossy]]


def _is_partly_utf8(found: Found) -> bool:
    """Whether UTF-8 stands in texts that are not UTF-8 as a whole."""
    if not any(map(looks_like_utf8, found.stored.odd)):
        return False
    return not any(way.steps == ("cp1252", "utf-8") and max(way.costs) < NEVER for way in found.known())


def _few(stored: Stored) -> int:
    """How much more a way back must be worth that rests on few characters.

    Half as much where plain words speak as well.
    """
    letters = 0
    for text in stored.odd:
        for place, char in enumerate(text):
            if char > "\x7f" and _tells(text, place):
                letters += 1
                if letters == len(FEW_LETTERS):
                    return 0
    words = sum(len(WORD.findall(text)) for text in stored.fields)
    return FEW_LETTERS[letters] // (2 if words > ENOUGH_WORDS else 1)


def _tells(text: str, place: int) -> bool:
    """Whether a character beyond ASCII is a letter, or a sign where clean text has none: before a letter, say."""
    char = text[place]
    if char == "\ufffd":
        # Inside a word it stands for a letter.
        return text[max(0, place - 1) : place].isalpha() and text[place + 1 : place + 2].isalpha()
    if (char.isalpha() and char not in "ªº") or not is_clean_sign(text, place):
        return True
    # The DOS and Mac encodings have accented letters there, which end many words.
    before = text[max(0, place - 1) : place]
    return before.isascii() and before.islower()


def _left(text: str, cost: int, margin: float, runner_up: str) -> FieldDecision:
    """A text that stays as it is."""
    leads = sum(char in _LEADS for char in text)
    return FieldDecision(
        text,
        "",
        read(text).language,
        confidence_of(margin),
        round(min(margin, SURE), 2),
        runner_up,
        suspect="\ufffd" in text or (leads > 2 and cost > 2 * good(text)),
    )


def _mended(stored: Stored, place: int, way: Way, margin: float) -> FieldDecision:
    before, text = stored.odd[place], way.texts[place]
    if way.costs[place] >= stored.clean[place] + STAYS or text == before:
        return _left(before, stored.clean[place], margin, ">".join(way.steps))
    lost = way.lost[place] if way.lost else 0
    garbage = good(text) >= ENOUGH_TO_TELL and way.costs[place] > GARBAGE * good(text)
    margin = min(margin, way.margins[place] / STEP) if lost else margin
    confidence = confidence_of(margin) * RIGHT_PROPOSAL**lost * (HARDLY if garbage else 1)
    if confidence < LEAST_CONFIDENCE or (way.steps[-1] != "utf-8" and has_unused(text) and not has_unused(before)):
        return replace(_left(before, stored.clean[place], 0.0, ">".join(way.steps)), suspect=True)
    return FieldDecision(
        text,
        ">".join(way.steps),
        way.language or read(text).language,
        round(min(confidence, SUREST), 4),
        round(min(margin, SURE), 2),
        decision="fixed",
        lossy=lost > 0,
        suspect=garbage or (lost > 0 and margin < LEAST_MARGIN) or "\ufffd" in text,
    )
