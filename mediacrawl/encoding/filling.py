"""Proposals for what was lost: beam search over what may stand at each place, with the language models as judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.damage import Slot, Wreck
from mediacrawl.encoding.reading import read_in

BEAM: Final = 12
"""States kept at each step; 16 were no better than 48 in the study."""
FILL: Final = 2 * STEP
"""A lost character whose place is known."""
WHOLE: Final = 5 * STEP
"""What a sequence that lost nothing speaks for UTF-8, up to so many."""
MOST_WHOLE: Final = 6
LONGEST: Final = 120
"""Longer texts are not searched: a title has a tenth of it."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A text with its lost characters proposed.

    Attributes:
        text: with the likeliest characters in the gaps.
        cost: of it, in twelfths of a nat, the losses included.
        margin: over the next best filling.
    """

    text: str
    cost: int
    margin: int


def fill_wreck(wreck: Wreck, language: str = "") -> Proposal:
    """The likeliest text of a wreck.

    Args:
        wreck: what is left.
        language: of the record, if the rest of it tells; a lost letter is then one of its own.
    """
    parts = [_fill_part(slots, language) for slots in _parts(wreck.slots, apart=bool(language))]
    cost = sum(part.cost for part in parts) + FILL * wreck.lost - WHOLE * min(MOST_WHOLE, wreck.whole)
    return Proposal("".join(part.text for part in parts), cost, min(part.margin for part in parts))


def _parts(slots: Sequence[Slot], *, apart: bool) -> Iterator[list[Slot]]:
    """The words, each with the blank after it; all together where the language is still to be found out."""
    part: list[Slot] = []
    for slot in slots:
        part.append(slot)
        if apart and slot == (" ",):
            yield part
            part = []
    if part:
        yield part


def _fill_part(slots: list[Slot], language: str) -> Proposal:
    beam: list[tuple[int, str]] = [(0, "")]
    for slot in slots:
        grown = [(0, begun + choice) for _, begun in beam for choice in slot]
        beam = grown if len(slot) == 1 else _best(grown, language)
    ranked = _best(beam, language)
    cost, text = ranked[0]
    return Proposal(text, cost, ranked[1][0] - cost if len(ranked) > 1 else 40 * STEP)


def _best(texts: Iterable[tuple[int, str]], language: str) -> list[tuple[int, str]]:
    return sorted((read_in(text, language), text) for _, text in texts)[:BEAM]
