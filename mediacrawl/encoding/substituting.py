"""Texts that the models are unsure of, put right by what was learned from pairs of stored and re-fetched records."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from mediacrawl.encoding.damage import MARKS, bytes_of
from mediacrawl.encoding.decision import FieldDecision, Repair
from mediacrawl.encoding.evidence import is_codec
from mediacrawl.encoding.reading import read
from mediacrawl.encoding.substitutions import Proposal, Substitutions

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
        first, last = _joined(first, following), following
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


def _is_lossy(text: str, found: Proposal, substitutions: Substitutions) -> bool:
    """Whether the stored text has lost something that the proposal has."""
    raw = bytes_of(text, "cp1252")
    if raw is None or any(mark in text for mark in MARKS):
        return True
    codecs = {damage.rpartition(">")[2] for damage in substitutions.damages}
    return all(found.text.encode(codec, "replace") != raw for codec in codecs if is_codec(codec))


def _joined(first: Repair, last: Repair) -> Repair:
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
