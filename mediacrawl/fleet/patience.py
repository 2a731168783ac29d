"""When a worker that died is started again, and when that has no use any more."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Patience:
    """How deaths are borne. All times are seconds.

    Attributes:
        first: pause after a death.
        longest: what the pause grows to at most; it doubles with each death of a young worker.
        young: who lived so long starts anew at `first`: what killed it is rare.
        quick: who died before this has done no work; Python's start and a connection that fails take some seconds.
        deaths: quick ones in a row that are too many.
    """

    first: float = 1.0
    longest: float = 60.0
    young: float = 300.0
    quick: float = 10.0
    deaths: int = 5


@dataclass(slots=True)
class Deaths:
    """The deaths of one worker.

    Attributes:
        patience: the numbers that it is judged by.
        pause: seconds that it waited after its last death.
        in_a_row: quick deaths since it last lived longer.
    """

    patience: Patience = field(default_factory=Patience)
    pause: float = 0.0
    in_a_row: int = 0

    def died(self, lived: float) -> float | None:
        """Note a death.

        Args:
            lived: seconds from its start.

        Returns:
            Seconds until it is started again; None to give up.
        """
        patience = self.patience
        self.in_a_row = self.in_a_row + 1 if lived < patience.quick else 0
        if self.in_a_row >= patience.deaths:
            return None
        doubled = 2 * self.pause if lived < patience.young else 0.0
        self.pause = min(max(doubled, patience.first), patience.longest)
        return self.pause
