"""Repair of stored texts without their bytes: which wrong decodings they went through, and what they were before.

Every route is a hypothesis with a cost: that of assuming the damage, and that of the resulting text. The stored text is
one of the hypotheses; a route must also be proved against it as right text of any language or style (`proof`). A word
that is repeated in the record counts once. The resulting text may be wrong itself, so routes continue, up to three
wrong decodings deep.
"""

# ruff: noqa: RUF001 - national letters stand for what UTF-8 reads as
from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import add
from typing import Final

from mediacrawl.base.charsets import is_codec
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.decision import SUBSTITUTION, SURE, FieldDecision, Hints, Repair, confidence_of
from mediacrawl.encoding.decision import text_fields as as_texts
from mediacrawl.encoding.excerpts import LONGEST_READ, head_of_text, narrowed
from mediacrawl.encoding.mojibake.lossless import lossless_routes
from mediacrawl.encoding.mojibake.lossy import dropping_pages, is_marked, kept_marks_cost, lossy_routes, may_have_lost
from mediacrawl.encoding.mojibake.proof import proved
from mediacrawl.encoding.mojibake.routes import LazyRoute, RepairRoute, RouteSet, StoredRecord, in_order
from mediacrawl.encoding.mojibake.substitutions import SubstitutionProposal, Substitutions
from mediacrawl.encoding.mojibake.utf8_losses import MOST_OPEN, damaged_utf8, fill_damaged_utf8, looks_like_utf8
from mediacrawl.encoding.pricing.decoding import MARKS, bytes_of, undone
from mediacrawl.encoding.pricing.hints import Shift, shift_of
from mediacrawl.encoding.pricing.reading import good, has_unused, read
from mediacrawl.encoding.pricing.scoring import NEVER

ANY_LANGUAGE: Final = 2 * STEP
"""Cost of a stored text in a language that is seldom written in Latin-1."""

MOST_ROUNDS: Final = 3
"""Repaired texts are repaired again up to so often, so that a second call changes nothing."""

GARBAGE: Final = 2.0
"""Ratio to the cost of correct text above which a result is hardly correct."""

HARDLY: Final = 0.5
ENOUGH_TO_TELL: Final = 15 * STEP

RIGHT_PROPOSAL: Final = 0.85
"""Share of proposed characters that are correct."""

LEAST_CONFIDENCE: Final = 0.1
"""A repair of lower confidence is not made; the text is marked ``suspect``."""

SUREST: Final = 0.999
"""Highest confidence of a repair: one in a thousand without a rival is wrong."""

LEAST_LOSSY: Final = 0.5
"""A repair of a text that lost characters is only a `FieldDecision.guess` if its confidence is lower, and no other text
of the record shows the damage; not of UTF-8 that was decoded as cp1252, whose form proves it."""

ONE_FITS: Final = 1.0
"""Nats; a letter is filled in for U+FFFD in UTF-8 if it fits by more than any other."""

LEAST_MARGIN: Final = 0.7
"""Nats; a proposal with a smaller margin over the next one is marked ``suspect``."""

NEAR: Final = 3 * STEP
"""Of routes that cost at most so much more than the best one, that of most proof is chosen."""

SURE_PIECE: Final = 1.0
"""Nats; a piece of a text is repaired alone if the margin is more."""

_LOST_BLANK: Final = re.compile("[\xc2-\xf4] ")
_SEPARATOR: Final = re.compile(
    r"(\s+(?:[-\u2013\u2014/|\u00b7\u2022&]+|feat\.?|ft\.?|vs\.?)\s+|:\s+|\s+[(\[]|[)\]](?=\s|$))", re.IGNORECASE
)

_LEADS: Final = frozenset("ÃÂÐÑÅÄÎÏØÙ×")
"""Latin-1 readings of the first bytes of UTF-8 letters; many of them remain where the other bytes were stripped."""


def repair(texts: Sequence[str], hints: Hints | None = None, substitutions: Substitutions | None = None) -> Repair:
    """Repair texts that were decoded wrongly before they were stored. Correct text comes back unchanged.

    Args:
        texts: the fields of one record, as they are stored; any texts, any number. Of a long text an excerpt of 400
            characters is decided, and the rest is decoded in the same way, up to 65,536 characters, or 2,000 if some
            were lost. A longer one that is damaged stays and is marked ``suspect``.
        hints: what else is known of them.
        substitutions: learned from pairs of stored and right texts; used where the models are unsure.

    Returns:
        The decision, with one text for each argument. A text that lost characters has proposals in their place and is
        ``lossy``, and ``suspect`` if another proposal is about as likely. A text that is damaged beyond repair stays
        and is ``suspect``; a proposal of little confidence is its ``guess``.

    Raises:
        TypeError: the texts are no sequence of ``str``, or the hints are no `Hints`.
    """
    texts = as_texts(texts, "repair", hints)
    wide = {place: wider for place, text in enumerate(texts) if (wider := narrowed(text))}
    if wide:
        around = repair([wide.get(place, (text,))[0] for place, text in enumerate(texts)], hints, substitutions)
        decided = list(around.fields)
        for place, (text, order) in wide.items():
            decided[place] = FieldDecision(text, f"cp1252>{order}", "", SUREST, SURE, decision="fixed")
        return Repair.of(around.encoding, decided)
    if substitutions:
        return with_substitutions(texts, substitutions, hints)
    heads = list(map(head_of_text, texts))
    found = _settled(heads, shift_of(hints) if hints else None)
    whole = [whole_text(*one) for one in zip(texts, heads, found.fields, strict=True)]
    return Repair.of(found.encoding, whole)


def _settled(texts: Sequence[str], shift: Shift | None) -> Repair:
    """Repair texts again while routes follow each other."""
    found = _once(texts, shift)
    for _ in range(MOST_ROUNDS):
        if not found.changed:
            return found
        again = _once(found.texts, shift)
        if not again.changed:
            return found
        found = _chained(found, again)
    # The repairs never end.
    return Repair.of("", [FieldDecision(text, "", confidence=0.5, suspect=not text.isascii()) for text in texts])


def _once(texts: Sequence[str], shift: Shift | None) -> Repair:
    """Repair texts as one record; those that stay, in pieces.

    So are those that a code page does not explain as a whole, if the pieces lost nothing. UTF-8 that was decoded as
    cp1252 shows itself, with lost bytes too.
    """
    found = _decided(texts, _choice(texts, shift))
    fields = list(found.fields)
    for place, (text, field) in enumerate(zip(texts, fields, strict=True)):
        stays = field.decision != "fixed"
        if stays or field.lossy or undone(text, field.encoding.split(">")) is None:
            pieces = _in_pieces(text, shift)
            if pieces and (stays or not (pieces.lossy or _shows_more(text, field, pieces))):
                fields[place] = pieces
    return Repair.of(found.encoding, fields)


def _shows_more(text: str, whole: FieldDecision, pieces: FieldDecision) -> bool:
    """Whether UTF-8 that was decoded as cp1252 shows itself also where no piece was repaired, by blanks in its letters.

    What is filled in over a separator is no letter of the text.
    """
    if not whole.encoding == pieces.encoding == "cp1252>utf-8":
        return False
    kept = len(_SEPARATOR.split(whole.text)) == len(_SEPARATOR.split(text))
    return pieces.suspect or (kept and _LOST_BLANK.search(text) is not None)


@lru_cache(maxsize=1024)
def _in_pieces(text: str, shift: Shift | None) -> FieldDecision | None:
    """Return the repair of some of the pieces between the separators of a text, as of a title and its translation.

    None if no piece is damaged, or only one is not ASCII.
    """
    pieces = [] if text.isascii() else _SEPARATOR.split(text)
    odd = dict.fromkeys(piece for piece in pieces if not piece.isascii() and not _SEPARATOR.fullmatch(piece))
    if len(odd) < 2:
        return None
    found = {piece: _settled([piece], shift).fields[0] for piece in odd}
    mended = {piece: field for piece, field in found.items() if field.decision == "fixed" and field.margin > SURE_PIECE}
    if not mended:
        return None
    return replace(
        min(mended.values(), key=lambda field: field.confidence),
        text="".join(mended[piece].text if piece in mended else piece for piece in pieces),
        lossy=any(field.lossy for field in mended.values()),
        suspect=any(field.suspect for field in found.values()),
    )


def _chained(first: Repair, last: Repair) -> Repair:
    """Combine the decisions of two rounds."""
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


@dataclass(slots=True)
class _Choice:
    """The cheapest hypothesis on a record.

    Attributes:
        stored: the record.
        best: the route; None if the texts stay as they are.
        margin: over the next hypothesis, in nats.
        runner_up: steps of the best route, if the texts stay.
        rivals: texts of that route.
    """

    stored: StoredRecord
    best: RepairRoute | None
    margin: float
    runner_up: str = ""
    rivals: tuple[str, ...] = ()


def _choice(texts: Sequence[str], shift: Shift | None) -> _Choice | None:
    """Return the cheapest hypothesis on a record; None for plain ASCII."""
    odd = list(dict.fromkeys(text for text in texts if not text.isascii()))
    if not odd:
        return None
    stored = StoredRecord.of(odd, texts, shift)
    stored, every = _priced(stored)
    # ASCII words and hints count for the stored text too, where a hypothesis for it exists.
    stays = stored.total(stored.clean) + ANY_LANGUAGE
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
        return _Choice(stored, None, (least - stays) / STEP, ">".join(best.steps), best.texts)
    best, proof, next_best = _most_proved(stored, least, best, ranked, stays)
    if proof <= 0:
        return _Choice(stored, None, -proof / STEP, ">".join(best.steps), best.texts)
    return _Choice(stored, best, min(next_best - least, proof) / STEP)


def _most_proved(
    stored: StoredRecord, least: int, first: RepairRoute, following: Iterable[tuple[int, RepairRoute]], stays: int
) -> tuple[RepairRoute, int, int]:
    """Return the route of most proof of those that cost about as little as the first, its proof, and the next cost.

    Of routes through UTF-8 the cheapest that is proved. If none is proved, the first one, as it was.
    """
    best, proof = proved(stored, first)
    next_best = stays
    for total, route in following:
        if total >= stays:
            break
        if route.texts == first.texts:
            continue
        next_best = min(next_best, total)
        if total >= least + NEAR or (proof > 0 and "utf-8" in (*first.steps, *route.steps)):
            break
        if route.steps == first.steps:
            continue  # It differs in what it fills in for lost characters.
        other, surplus = proved(stored, route)
        if surplus > proof + total - least:
            best, proof = other, surplus
    return (best if proof > 0 else first), proof, next_best


def _decided(texts: Sequence[str], chosen: _Choice | None) -> Repair:
    """Return the decision on each text of a record, ASCII ones included."""
    if chosen is None:
        return Repair.of("", [FieldDecision(text, "", margin=SURE) for text in texts])
    stored, best, margin = chosen.stored, chosen.best, chosen.margin
    if best is None:
        rivals = chosen.rivals or [""] * len(stored.odd)
        fields = [
            _left(text, cost, SURE if text == rival else margin, chosen.runner_up)
            for text, cost, rival in zip(stored.odd, stored.clean, rivals, strict=True)
        ]
    else:
        fields = [_mended(stored, place, best, margin) for place in range(len(stored.odd))]
    # A text comes before the new words of another one, which may be the same.
    of_text = dict(zip(reversed(stored.odd), reversed(fields), strict=True))
    decided = [FieldDecision(text, "", margin=SURE) if text.isascii() else of_text[text] for text in texts]
    return Repair.of(">".join(best.steps) if best else "", decided)


def _priced(stored: StoredRecord) -> tuple[StoredRecord, list[LazyRoute]]:
    """Return the record and its routes; unrepaired marks add to the cost of a route that leaves them."""
    found = lossless_routes(stored)
    marked = is_marked(stored.odd)
    dropping = [] if marked else dropping_pages(found)
    if not marked and not dropping:
        is_odd = stored.badness() > 1 or any(map(looks_like_utf8, stored.odd))
        if not is_odd or not may_have_lost(stored) or not (_is_partly_utf8(found) or found.badness() > 1):
            return stored, found.candidates
    left = list(map(kept_marks_cost, stored.odd)) if marked else []
    marks = stored.total(left)
    if marks:
        stored = replace(stored, clean=tuple(map(add, stored.clean, left)))
        routes = [route._replace(damage=route.damage + marks) for route in found.routes()]
        found = RouteSet(stored, [LazyRoute.of(route, stored) for route in routes])
    lossy = lossy_routes(stored, found, dropping)
    return stored, [*found.candidates, *[LazyRoute.of(route, stored) for route in lossy]]


def _is_partly_utf8(found: RouteSet) -> bool:
    """Whether there are UTF-8 sequences in texts that are not UTF-8 as a whole."""
    if not any(map(looks_like_utf8, found.stored.odd)):
        return False
    return not any(route.steps == ("cp1252", "utf-8") and max(route.costs) < NEVER for route in found.known())


def _left(text: str, cost: int, margin: float, runner_up: str) -> FieldDecision:
    """Return the decision to leave a text unchanged."""
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


def _mended(stored: StoredRecord, place: int, route: RepairRoute, margin: float) -> FieldDecision:
    before, text = stored.odd[place], route.texts[place]
    if not route.changes(stored, place):
        return _left(before, stored.clean[place], SURE if text == before else margin, ">".join(route.steps))
    lost = route.lost[place] if route.lost else 0
    garbage = good(text) >= ENOUGH_TO_TELL and route.costs[place] > GARBAGE * good(text)
    margin = min(margin, route.margins[place] / STEP) if lost else margin
    confidence = confidence_of(margin) * RIGHT_PROPOSAL**lost * (HARDLY if garbage else 1)
    if confidence < LEAST_CONFIDENCE or (route.steps[-1] != "utf-8" and has_unused(text) and not has_unused(before)):
        return replace(_left(before, stored.clean[place], 0.0, ">".join(route.steps)), suspect=True)
    fits = route.steps[0] != "utf-8" or margin >= ONE_FITS
    if (
        lost
        and not (confidence >= LEAST_LOSSY and fits)
        and route.steps != ("cp1252", "utf-8")
        and not _is_shown(stored, route)
    ):
        left = _left(before, stored.clean[place], 0.0, ">".join(route.steps))
        return replace(left, suspect=True, guess=text)
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


def _is_shown(stored: StoredRecord, route: RepairRoute) -> bool:
    """Whether another text of the record, which lost nothing, shows the route."""
    return any(not lost and route.changes(stored, place) for place, lost in enumerate(route.lost))


LONGEST_FILLED: Final = 2000
"""Characters of a text with losses whose rest is filled in as well."""

_CUT: Final = 4
"""Characters at the end of an excerpt that may be cut and differ in the whole text."""


def whole_text(text: str, head: str, found: FieldDecision) -> FieldDecision:
    """Apply the decision on an excerpt to the whole text; where that fails, the text stays and is ``suspect``."""
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


_MOST_ROUNDS: Final = 4


def with_substitutions(texts: Sequence[str], substitutions: Substitutions, hints: Hints | None) -> Repair:
    """Repair texts by the models, and those that they are unsure of by substitutions.

    The repair is applied to its own result until nothing changes, so that a second call changes nothing. Texts for
    which it does not converge (the substitutions contradict each other) stay unchanged and are ``suspect``.

    Returns:
        The decision; texts that substitutions repaired have the encoding ``substitution``.
    """
    first = last = _round(texts, substitutions, hints)
    if first.texts == tuple(texts):
        return first
    for _ in range(_MOST_ROUNDS):
        if not _may_go_on(first, last, substitutions):
            return first
        following = _round(last.texts, substitutions, hints)
        if following.texts == last.texts:
            return first
        first, last = _combined(first, following), following
    return _unchanged(texts, first)


def _may_go_on(first: Repair, last: Repair, substitutions: Substitutions) -> bool:
    """Whether another round could change anything; looking at the tables is cheaper than the round."""
    substituted = any(field.encoding == SUBSTITUTION for field in first.fields)
    return substituted or any(not text.isascii() and substitutions.propose(text) for text in last.texts)


def _round(texts: Sequence[str], substitutions: Substitutions, hints: Hints | None) -> Repair:
    mended = repair(texts, hints)
    fields = tuple(_put(text, field, substitutions) for text, field in zip(texts, mended.fields, strict=True))
    if fields == mended.fields:
        return mended
    return Repair.of(mended.encoding, fields)


def _put(text: str, field: FieldDecision, substitutions: Substitutions) -> FieldDecision:
    if not field.is_unsure:
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


def _is_lossy(text: str, found: SubstitutionProposal, substitutions: Substitutions) -> bool:
    """Whether the stored text has lost something that the proposal contains."""
    raw = bytes_of(text, "cp1252")
    if raw is None or any(mark in text for mark in MARKS):
        return True
    codecs = {damage.rpartition(">")[2] for damage in substitutions.damages}
    return all(found.text.encode(codec, "replace") != raw for codec in codecs if is_codec(codec))


def _combined(first: Repair, last: Repair) -> Repair:
    """Return the decision of an earlier round with the changes of a later one."""
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
