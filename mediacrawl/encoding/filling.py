"""Proposals for what was lost: beam search over what may stand at each place, with the language models as judge."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.damage import LOST, Wreck
from mediacrawl.encoding.reading import read_in

BEAM: Final = 12
"""States kept at each step; 16 were no better than 48 in the study."""
BYTE_BEAM: Final = 4
FILL: Final = 2 * STEP
"""A lost character whose place is known."""
WHOLE: Final = 5 * STEP
"""What a sequence that lost nothing speaks for UTF-8, up to so many."""
MOST_WHOLE: Final = 6
KEPT: Final = 8 * STEP
"""A mark inside a word that is to be no mark."""
INSERT: Final = 5 * STEP
"""A lost byte that nothing shows: what it costs to believe in it, its place included."""
MOST_EDITS: Final = 5
LONGEST: Final = 120
"""Longer texts are not searched: a title has a tenth of it."""

IN_WORD: Final = re.compile(rb"\?(?=[A-Za-z\x80-\xff])")
"""A question mark before a letter: no question ends there."""
ANYWHERE: Final = re.compile(rb"\?")
"""In double-byte text, half of a character may stand before anything."""

Price = Callable[[bytes], int]


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
    beam: list[tuple[int, str]] = [(0, "")]
    for slot in wreck.slots:
        grown = [(0, begun + choice) for _, begun in beam for choice in slot]
        if len(slot) == 1:
            beam = grown
            continue
        beam = _best(grown, language)
    ranked = _best(beam, language)
    cost, text = ranked[0]
    margin = ranked[1][0] - cost if len(ranked) > 1 else 40 * STEP
    return Proposal(text, cost + FILL * wreck.lost - WHOLE * min(MOST_WHOLE, wreck.whole), margin)


def _best(texts: Iterable[tuple[int, str]], language: str) -> list[tuple[int, str]]:
    return sorted((read_in(text, language), text) for _, text in texts)[:BEAM]


def fill_bytes(raw: bytes, price: Price, marks: re.Pattern[bytes]) -> tuple[int, bytes, int, int]:
    """The likeliest bytes that lost some of `LOST` become this.

    A mark (``?``) is one of them or itself; where there is no mark, one may be missing anywhere.

    Args:
        raw: what is left, marks as ``?``.
        price: cost of whole bytes.
        marks: finds a ``?`` that is none: `IN_WORD` or `ANYWHERE`.

    Returns:
        Cost with the losses, the bytes, how many were put in, and the margin over the next best.
    """
    def price_kept(state: bytes) -> int:
        return price(state) + KEPT * len(marks.findall(state))

    known = {raw: (price_kept(raw), 0, 0)}
    beam = [raw]
    for edits in range(1, MOST_EDITS + 1):
        fresh: dict[bytes, tuple[int, int, int]] = {}
        for begun in beam:
            paid = known[begun][2]
            for edited, extra in _edits(begun, marks):
                if edited not in known and edited not in fresh:
                    fresh[edited] = (price_kept(edited) + paid + extra, edits, paid + extra)
        least = min(known.values())[0]
        known.update(fresh)
        beam = sorted(fresh, key=lambda state: fresh[state][0])[:BYTE_BEAM]
        if not beam or (fresh[beam[0]][0] > least and not marks.search(beam[0])):
            break
    ranked = sorted((cost, state, edits) for state, (cost, edits, _) in known.items())
    cost, best, edits = ranked[0]
    margin = ranked[1][0] - cost if len(ranked) > 1 else 40 * STEP
    return cost, best, edits, margin


def _edits(raw: bytes, marks: re.Pattern[bytes]) -> Iterable[tuple[bytes, int]]:
    found = marks.search(raw)
    if found:
        mark = found.start()
        for byte in LOST:
            yield raw[:mark] + bytes((byte,)) + raw[mark + 1 :], FILL
        return
    for place in range(len(raw) + 1):
        for byte in LOST:
            yield raw[:place] + bytes((byte,)) + raw[place:], INSERT
