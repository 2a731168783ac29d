"""Texts that were stored wrongly, their bytes lost: which wrong readings they went through, and what they were before.

Every way back is a hypothesis with a cost, as in detection: what the damage costs to believe, and what the text
costs that comes out. The text as it stands is one of them, and has a head start; a way back must be worth more the
fewer letters speak for it. What comes out may be wrong text itself, so routes back go on from there, three deep.
"""

# ruff: noqa: RUF001 - national letters stand for what UTF-8 reads as
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import TYPE_CHECKING, Final

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.decision import SURE, FieldDecision, Hints, Repair, confidence_of
from mediacrawl.encoding.decision import text_fields as as_texts
from mediacrawl.encoding.excerpts import LONGEST_READ, head_of_text
from mediacrawl.encoding.hints import Shift, shift_of
from mediacrawl.encoding.languages import is_codec
from mediacrawl.encoding.mojibake.lossy import dropping_pages, is_marked, kept_marks_cost, lossy_routes, may_have_lost
from mediacrawl.encoding.mojibake.routes import (
    STAYS,
    LazyRoute,
    Route,
    RouteSet,
    StoredRecord,
    in_order,
    lossless_routes,
)
from mediacrawl.encoding.mojibake.substitutions import SubstitutionProposal, Substitutions
from mediacrawl.encoding.mojibake.wrecks import MOST_OPEN, damaged_utf8, fill_damaged_utf8, looks_like_utf8
from mediacrawl.encoding.pricing.decoding import MARKS, bytes_of, undone
from mediacrawl.encoding.pricing.reading import WORD, good, has_unused, read
from mediacrawl.encoding.pricing.scoring import NEVER
from mediacrawl.encoding.pricing.signs import is_clean_sign

if TYPE_CHECKING:
    from mediacrawl.encoding.mojibake.substitutions import Substitutions

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

        return with_substitutions(texts, substitutions, lambda some: repair(some, hints))
    heads = list(map(head_of_text, texts))
    found = _settled(heads, shift_of(hints) if hints else None)
    whole = [whole_text(*one) for one in zip(texts, heads, found.fields, strict=True)]
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
        runner_up: of a record that stays, the steps of the best route.
    """

    stored: StoredRecord
    best: Route | None
    margin: float
    runner_up: str = ""


def _choice(texts: Sequence[str], shift: Shift | None) -> _Choice | None:
    """What is likeliest of a record; None of one in plain ASCII."""
    odd = [text for text in texts if not text.isascii()]
    if not odd:
        return None
    stored = StoredRecord.of(odd, texts, shift)
    few = _few(stored)
    stored, every = _priced(stored, few)
    # Staying is priced like the routes where it can be: ASCII words and the hints speak for the record's language too.
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
    for total, route in ranked:
        if total >= stays:
            break
        if route.texts != best.texts:
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


def _priced(stored: StoredRecord, few: int) -> tuple[StoredRecord, list[LazyRoute]]:
    """The record and all routes back worth a look, with the marks that it has charged to what leaves them."""
    found = lossless_routes(stored, few)
    marked = is_marked(stored.odd)
    dropping = [] if marked else dropping_pages(found)
    if not marked and not dropping:
        is_odd = stored.badness() > 1 or any(map(looks_like_utf8, stored.odd))
        if not is_odd or not may_have_lost(stored) or not (_is_partly_utf8(found) or found.badness() > 1):
            return stored, found.candidates
    left = list(map(kept_marks_cost, stored.odd)) if marked else []
    marks = sum(left)
    if marks:
        stored = replace(stored, clean=tuple(map(add, stored.clean, left)))
        routes = [route._replace(damage=route.damage + marks) for route in found.routes()]
        found = RouteSet(stored, [LazyRoute.of(route, stored, few) for route in routes])
    lossy = lossy_routes(stored, found, dropping)
    return stored, [*found.candidates, *[LazyRoute.of(route, stored, few) for route in lossy]]


def _is_partly_utf8(found: RouteSet) -> bool:
    """Whether UTF-8 stands in texts that are not UTF-8 as a whole."""
    if not any(map(looks_like_utf8, found.stored.odd)):
        return False
    return not any(route.steps == ("cp1252", "utf-8") and max(route.costs) < NEVER for route in found.known())


def _few(stored: StoredRecord) -> int:
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


def _mended(stored: StoredRecord, place: int, route: Route, margin: float) -> FieldDecision:
    before, text = stored.odd[place], route.texts[place]
    if route.costs[place] >= stored.clean[place] + STAYS or text == before:
        return _left(before, stored.clean[place], margin, ">".join(route.steps))
    lost = route.lost[place] if route.lost else 0
    garbage = good(text) >= ENOUGH_TO_TELL and route.costs[place] > GARBAGE * good(text)
    margin = min(margin, route.margins[place] / STEP) if lost else margin
    confidence = confidence_of(margin) * RIGHT_PROPOSAL**lost * (HARDLY if garbage else 1)
    if confidence < LEAST_CONFIDENCE or (route.steps[-1] != "utf-8" and has_unused(text) and not has_unused(before)):
        return replace(_left(before, stored.clean[place], 0.0, ">".join(route.steps)), suspect=True)
    return FieldDecision(
        text,
        ">".join(route.steps),
        route.language or read(text).language,
        round(min(confidence, SUREST), 4),
        round(min(margin, SURE), 2),
        decision="fixed",
        lossy=lost > 0,
        suspect=garbage or (lost > 0 and margin < LEAST_MARGIN) or "\ufffd" in text,
    )


LONGEST_FILLED: Final = 2000
"""Characters of a text that lost something, of which the rest is proposed as well."""

_CUT: Final = 4
"""Characters at the end of a piece that may be cut, and read otherwise in the whole."""


def whole_text(text: str, head: str, found: FieldDecision) -> FieldDecision:
    """The decision on a head, for the whole text; a text that cannot be read alike stays, and says ``suspect``.

    Args:
        text: as it is stored.
        head: of it, as `head_of_text` gave it.
        found: on the head.
    """
    if len(head) == len(text):
        return found
    if found.decision != "fixed":
        return replace(found, text=text)
    whole = undone(text, found.encoding.split(">")) if len(text) <= LONGEST_READ else None
    if whole is None or found.text[:-_CUT] not in whole:
        whole = _filled(text, found) if len(text) <= LONGEST_FILLED else None
    if whole is None:
        return FieldDecision(text, "", found.language, confidence=0.5, runner_up=found.encoding, suspect=True)
    return replace(found, text=whole)


def _filled(text: str, found: FieldDecision) -> str | None:
    misread, *really = found.encoding.split(">")
    if really != ["utf-8"]:
        return None
    wreck = damaged_utf8(text, misread)
    if wreck is None or wreck.stripped or wreck.open > MOST_OPEN:
        return None
    return fill_damaged_utf8(wreck, found.language).text


SUBSTITUTION: Final = "substitution"
"""Encoding of a text that was learned, not read."""

SMALL_MARGIN: Final = 8.0
"""Nats; a text that stays by less could as well be another one. Of 1,028 right titles 84 are so near."""

_MOST_ROUNDS: Final = 4

Mend = Callable[[Sequence[str]], Repair]


def with_substitutions(texts: Sequence[str], substitutions: Substitutions, mend: Mend) -> Repair:
    """Decide texts by the models, and those that they are unsure of by what was learned.

    It is applied to its own result until nothing changes, so that a second call changes nothing, as long as one of
    `mend` does not. Texts that would not come to rest (what was learned contradicts itself) stay as they came, and say
    ``suspect``.

    Args:
        texts: the fields of one record.
        substitutions: what was learned.
        mend: decides by the models alone.

    Returns:
        The decision; texts that were put right have the encoding ``substitution``.
    """
    first = last = _round(texts, substitutions, mend)
    if first.texts == tuple(texts):
        return first
    for _ in range(_MOST_ROUNDS):
        if not _may_go_on(first, last, substitutions):
            return first
        following = _round(last.texts, substitutions, mend)
        if following.texts == last.texts:
            return first
        first, last = _combined(first, following), following
    return _unchanged(texts, first)


def _may_go_on(first: Repair, last: Repair, substitutions: Substitutions) -> bool:
    """Whether another round could change anything; a look at the tables is cheaper than the round."""
    substituted = any(field.encoding == SUBSTITUTION for field in first.fields)
    return substituted or any(not text.isascii() and substitutions.propose(text) for text in last.texts)


def _round(texts: Sequence[str], substitutions: Substitutions, mend: Mend) -> Repair:
    mended = mend(texts)
    fields = tuple(_put(text, field, substitutions) for text, field in zip(texts, mended.fields, strict=True))
    if fields == mended.fields:
        return mended
    return Repair.of(mended.encoding, fields)


def _put(text: str, field: FieldDecision, substitutions: Substitutions) -> FieldDecision:
    if not _is_unsure(field):
        return field
    found = substitutions.propose(text)
    if found is None or found.text == field.text:
        return field
    return FieldDecision(
        found.text,
        SUBSTITUTION,
        read(found.text).language,
        found.confidence,
        round(math.log(found.confidence / (1 - found.confidence)), 2),
        field.encoding or field.runner_up,
        "fixed",
        lossy=field.lossy or _is_lossy(text, found, substitutions),
    )


def is_open(decision: FieldDecision) -> bool:
    """Whether other pairs could have led to another decision on a text without its bytes."""
    return decision.encoding == SUBSTITUTION or _is_unsure(decision)


def _is_unsure(field: FieldDecision) -> bool:
    nearly_moved = field.decision != "fixed" and bool(field.runner_up) and field.margin < SMALL_MARGIN
    return field.lossy or field.suspect or nearly_moved


def _is_lossy(text: str, found: SubstitutionProposal, substitutions: Substitutions) -> bool:
    """Whether the stored text has lost something that the proposal has."""
    raw = bytes_of(text, "cp1252")
    if raw is None or any(mark in text for mark in MARKS):
        return True
    codecs = {damage.rpartition(">")[2] for damage in substitutions.damages}
    return all(found.text.encode(codec, "replace") != raw for codec in codecs if is_codec(codec))


def _combined(first: Repair, last: Repair) -> Repair:
    """The decision of an earlier round, with what a later one changed."""
    fields = tuple(
        earlier if later.text == earlier.text else replace(later, lossy=earlier.lossy or later.lossy)
        for earlier, later in zip(first.fields, last.fields, strict=True)
    )
    return Repair.of(first.encoding or last.encoding, fields)


def _unchanged(texts: Sequence[str], found: Repair) -> Repair:
    fields = tuple(
        FieldDecision(text, "", margin=0.0, confidence=0.5, suspect=True) if field.text != text else field
        for text, field in zip(texts, found.fields, strict=True)
    )
    return Repair.of("", fields)
