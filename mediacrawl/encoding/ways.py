"""The ways back from texts that were read wrongly: what one is, and what it costs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.hinting import Shift
from mediacrawl.encoding.hypotheses import NEVER
from mediacrawl.encoding.reading import read
from mediacrawl.encoding.remembering import remembered_if_short

MANGLED: Final = STEP
"""What it costs to believe that a text was read wrongly at all."""
CROSSED: Final = 7 * STEP
"""And that it was read in something else than Latin-1 or cp1252."""
STAYS: Final = 10 * STEP
"""A text that was not mangled, in a record that was."""

GOOD_WORD: Final = 3 * STEP
GOOD_LETTER: Final = 30
GOOD_IDEOGRAM: Final = 15 * STEP // 2
"""A text that costs no more than this for each word, letter and CJK character of its odd words is not looked at
further."""

WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(slots=True)
class Stored:
    """A record as it is stored.

    Attributes:
        odd: its texts that are not ASCII.
        clean: what each of them costs as it stands.
        fields: all its texts.
        shift: what hints do to the priors.
    """

    odd: tuple[str, ...]
    clean: tuple[int, ...]
    fields: Sequence[str]
    shift: Shift | None = None
    _badness: float | None = field(default=None, init=False)

    @classmethod
    def of(cls, odd: Sequence[str], fields: Sequence[str], shift: Shift | None = None) -> Stored:
        """A record with its texts priced."""
        return cls(tuple(odd), tuple(read(text).cost for text in odd), fields, shift)

    def badness(self) -> float:
        """How many times as much the texts cost as right ones would."""
        if self._badness is None:
            self._badness = sum(self.clean) / worth(self.odd)
        return self._badness


class Way(NamedTuple):
    """A way back for the texts of a record.

    Attributes:
        steps: readings to undo and to do, in turn: ``("cp1252", "cp1251")``; none for a reading that is right as it is.
        language: of what comes out.
        damage: cost of believing in it.
        costs: of each text after it; `NEVER` where it leads nowhere.
        texts: what comes out.
        lost: how many characters of each text were lost, and are proposals; empty for a way that loses nothing.
        margins: of each text's proposal over the next best, in twelfths of a nat.
    """

    steps: tuple[str, ...]
    language: str
    damage: int
    costs: tuple[int, ...]
    texts: tuple[str, ...]
    lost: tuple[int, ...] = ()
    margins: tuple[int, ...] = ()

    def total(self, clean: Sequence[int], few: int) -> int:
        """Cost over the record: each text goes this way, or stays.

        Args:
            clean: cost of each text as it stands.
            few: what it costs besides that few letters speak for it.
        """
        if not self.steps:
            each = [cost if cost < NEVER else stays for cost, stays in zip(self.costs, clean, strict=True)]
            return self.damage + sum(each)
        # UTF-8 shows by its form, and what was a C1 control is always a character of cp1252.
        return self.damage + (0 if _is_shown(self.steps) else few) + self._least(clean)

    def _least(self, clean: Sequence[int]) -> int:
        return sum([min(cost, stays + STAYS) for cost, stays in zip(self.costs, clean, strict=True)])

    def badness(self, clean: Sequence[int]) -> float:
        """How many times as much its texts cost as right ones would."""
        return self._least(clean) / worth(self.texts)


@lru_cache(maxsize=1024)
def _is_shown(steps: tuple[str, ...]) -> bool:
    """Whether the form of the texts shows every wrong reading of a way."""
    return all(
        really == "utf-8" or misread == "latin-1" for misread, really in zip(steps[::2], steps[1::2], strict=True)
    )


@remembered_if_short(4096)
def good(text: str) -> int:
    """What a text of this length may cost and still look right."""
    total = 0
    for word in WORD.findall(text):
        if not word.isascii():
            wide = sum(char >= "\u2e80" for char in word)
            total += GOOD_WORD + (GOOD_IDEOGRAM * wide if wide else GOOD_LETTER * len(word))
    return total


@lru_cache(maxsize=128)
def worth(texts: tuple[str, ...]) -> int:
    """The same for some texts, at least 1."""
    return max(1, sum(map(good, texts)))
