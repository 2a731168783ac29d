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
SURE: Final = 40 * STEP
"""Margin of what has no rival."""
BLANK: Final = 2 * STEP
"""A blank that is not there any more, behind a no-break space that became one."""
MOST_OPEN: Final = 48
"""Places of a record that may be one of several characters of UTF-8; a wreck of more is left."""
LONGEST: Final = 120
"""Longer texts are not searched: a title has a tenth of it."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A text with proposals for what it lost.

    Attributes:
        text: the likeliest one; U+FFFD where two characters are as likely.
        cost: of it, in twelfths of a nat, the losses included.
        lost: how many bytes were put in, or stay lost.
        margin: over the next best.
    """

    text: str
    cost: int
    lost: int
    margin: int


def fill_wreck(wreck: Wreck, language: str = "") -> Filled:
    """The likeliest text of a wreck.

    Args:
        wreck: what is left.
        language: of the record, if the rest of it tells; a lost letter is then one of its own.
    """
    parts = [_fill_part(slots, language) for slots in _parts(wreck.slots, apart=bool(language))]
    cost = sum(part.cost for part in parts) + FILL * wreck.lost - WHOLE * min(MOST_WHOLE, wreck.whole)
    return Filled("".join(part.text for part in parts), cost, wreck.lost, min(part.margin for part in parts))


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


def _fill_part(slots: list[Slot], language: str) -> Filled:
    beam = [(0, "")]
    for slot in slots:
        grown = [(paid + (BLANK if len(choice) > 1 else 0), begun + choice) for paid, begun in beam for choice in slot]
        beam = grown if len(slot) == 1 else [(paid, text) for _, paid, text in _best(grown, language)]
    ranked = _best(beam, language)
    cost, _, text = ranked[0]
    # Where no model prices the letters, proposals are alike.
    alike = [] if language else [other for rival, _, other in ranked[1:] if rival == cost]
    rivals = [other for other in alike if len(other) == len(text)]
    marked = "".join(
        ["\ufffd" if any(other[place] != char for other in rivals) else char for place, char in enumerate(text)]
    )
    return Filled(marked, cost, 0, ranked[1][0] - cost if len(ranked) > 1 else SURE)


def _best(texts: Iterable[tuple[int, str]], language: str) -> list[tuple[int, int, str]]:
    return sorted((paid + read_in(text, language), paid, text) for paid, text in texts)[:BEAM]
