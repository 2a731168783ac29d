"""Plots as inline SVG, whose labels and numbers are HTML beside it (``page.html``).

The SVG holds shapes only and is stretched to the width of the page; labels are text beside it, so that they stay
readable on a telephone and never overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Series:
    """One curve of a plot.

    Attributes:
        label: its name.
        style: class of the style sheet: ``one``, ``two`` or ``three``.
        values: for each point of the plot; None where there is none.
    """

    label: str
    style: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot with its legend, labels and table. All curves have one scale, from 0 to their greatest value.

    Attributes:
        title: above the plot.
        sentence: what it shows, for a screen reader.
        series: the curves.
        positions: of the points, ascending.
        names: of the points, for the table.
        labels: below the plot, evenly spaced.
        shown: writes a value of a curve as text.
        name: of the points, in the head of the table.
        spans: how wide each bar is, in the unit of the positions, which are their left ends; empty for lines.
        mark: position of a vertical line; None for none.
    """

    WIDTH: ClassVar[int] = 1_000
    HEIGHT: ClassVar[int] = 260

    title: str
    sentence: str
    series: Sequence[Series]
    positions: Sequence[float]
    names: Sequence[str]
    labels: Sequence[str]
    shown: Callable[[Any], str]
    name: str = "time, UTC"
    spans: Sequence[float] = ()
    mark: float | None = None

    @property
    def most(self) -> float:
        """The greatest value."""
        return max((value for each in self.series for value in each.values if value is not None), default=0.0)

    @property
    def top(self) -> str:
        """The greatest value as text."""
        return self.shown(self.most)

    def paths(self) -> Iterator[tuple[str, str, str]]:
        """Yield class, style and SVG path of each shape."""
        for each in self.series:
            yield ("bars", each.style, self._bars(each)) if self.spans else ("line", each.style, self._line(each))
        if self.mark is not None:
            yield "mark", "", f"M{self._x(self.mark):.1f} 0V{self.HEIGHT}"

    def _x(self, position: float) -> float:
        first, last = self.positions[0], self.positions[-1] + (self.spans[-1] if self.spans else 0.0)
        return (position - first) * self.WIDTH / ((last - first) or 1.0)

    def _y(self, value: float) -> float:
        return self.HEIGHT - value / self.most * (self.HEIGHT - 4)

    def _bars(self, series: Series) -> str:
        return "".join(
            f"M{self._x(start):.1f} {self.HEIGHT}V{self._y(value):.1f}"
            f"h{max(0.9 * (self._x(start + span) - self._x(start)), 1.0):.1f}V{self.HEIGHT}z"
            for start, span, value in zip(self.positions, self.spans, series.values, strict=True)
            if value
        )

    def _line(self, series: Series) -> str:
        # A value that is missing breaks the line.
        parts: list[list[str]] = [[]]
        for position, value in zip(self.positions, series.values, strict=True):
            if value is None:
                parts.append([])
            else:
                parts[-1].append(f"{self._x(position):.1f} {self._y(value):.1f}")
        if len(series.values) == 1 and parts[0]:
            # A single point is drawn across the whole plot.
            parts[0].append(f"{self.WIDTH} {self._y(series.values[0] or 0.0):.1f}")
        return "M" + "M".join("L".join(part) for part in parts if part)
