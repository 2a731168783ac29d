"""Plots as inline SVG, with their labels and numbers as HTML.

The SVG holds shapes only and is stretched to the width of the page; labels are text beside it, so that they stay
readable on a telephone and never overlap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from mediacrawl.observe.format import count
from mediacrawl.observe.text import printable

WIDTH, HEIGHT = 1_000, 260
"""Units of the drawing."""
_ROWS = 40
"""Rows of the table of numbers below a plot."""


def text(value: object) -> str:
    """Any text as HTML, without control characters and direction marks."""
    return escape(printable(str(value)))


@dataclass(frozen=True, slots=True)
class Series:
    """One curve of a plot.

    Attributes:
        label: its name.
        style: class of the style sheet: ``one``, ``two`` or ``three``.
        values: for each point of the plot; None where there is none.
        bars: whether bars are drawn instead of a line.
    """

    label: str
    style: str
    values: Sequence[float | None]
    bars: bool = False


@dataclass(frozen=True, slots=True)
class Axis:
    """The horizontal axis of a plot.

    Attributes:
        positions: of the points, ascending.
        names: of the points, for the table.
        labels: below the plot, evenly spaced.
        name: of the first column of the table.
        spans: for bars: how wide each is, in the unit of the positions, which are their left ends.
        mark: position of a vertical line; None for none.
    """

    positions: Sequence[float]
    names: Sequence[str]
    labels: Sequence[str]
    name: str
    spans: Sequence[float] = ()
    mark: float | None = None

    def place(self, position: float) -> float:
        """Where a position is in the drawing."""
        first, last = self.positions[0], self.positions[-1] + (self.spans[-1] if self.spans else 0.0)
        return (position - first) * WIDTH / ((last - first) or 1.0)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The values of a plot as text.

    Attributes:
        top: the greatest one, at the vertical axis.
        rows: for each point the values of the curves, for the table.
    """

    top: str
    rows: Sequence[Sequence[str]]


def plot(title: str, sentence: str, axis: Axis, series: Sequence[Series], numbers: Numbers) -> str:
    """A plot with its legend, labels and table.

    Args:
        title: above the plot.
        sentence: what it shows, for a screen reader.
        axis: the horizontal one.
        series: the curves, with the common scale from 0 to their greatest value.
        numbers: the values as text.
    """
    most = max((value for each in series for value in each.values if value is not None), default=0.0)
    if not most:
        return f'<figure class="plot"><figcaption><b>{text(title)}</b></figcaption><p class="soft">none</p></figure>'
    shapes = "".join(_shape(axis, each, most) for each in series)
    mark = "" if axis.mark is None else f'<path class="mark" d="M{axis.place(axis.mark):.1f} 0V{HEIGHT}"/>'
    keys = (f'<span class="key {each.style}">{text(each.label)}</span>' for each in series)
    legend = "".join(keys) if len(series) > 1 else ""
    labels = "".join(f"<span>{text(label)}</span>" for label in axis.labels)
    return (
        f'<figure class="plot"><figcaption><b>{text(title)}</b> {legend}</figcaption>'
        f'<div class="area"><div class="y"><span>{text(numbers.top)}</span><span>0</span></div>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img"><title>{text(title)}</title>'
        f"<desc>{text(sentence)}</desc>{shapes}{mark}</svg>"
        f'<div class="x">{labels}</div></div>{_table(axis, series, numbers.rows)}</figure>'
    )


def _shape(axis: Axis, series: Series, most: float) -> str:
    heights = [None if value is None else HEIGHT - value / most * (HEIGHT - 4) for value in series.values]
    if series.bars:
        bars = (
            f"M{axis.place(start):.1f} {HEIGHT}V{height:.1f}"
            f"h{max(0.9 * (axis.place(start + span) - axis.place(start)), 1.0):.1f}V{HEIGHT}z"
            for start, span, height, value in zip(axis.positions, axis.spans, heights, series.values, strict=True)
            if value
        )
        return f'<path class="bars {series.style}" d="{"".join(bars)}"/>'
    # A value that is missing breaks the line.
    parts: list[list[str]] = [[]]
    for position, height in zip(axis.positions, heights, strict=True):
        if height is None:
            parts.append([])
        else:
            parts[-1].append(f"{axis.place(position):.1f} {height:.1f}")
    # A single point is drawn across the whole plot.
    ends = [f"{WIDTH} {height:.1f}" for height in heights if height is not None and len(heights) == 1]
    lines = "M".join("L".join([*part, *ends]) for part in parts if part)
    return f'<path class="line {series.style}" d="M{lines}"/>'


def _table(axis: Axis, series: Sequence[Series], shown: Sequence[Sequence[str]]) -> str:
    step = max(1, -(-len(shown) // _ROWS))
    head = "".join(f"<th>{text(name)}</th>" for name in (axis.name, *(each.label for each in series)))
    rows = "".join(
        f"<tr><td>{text(axis.names[place])}</td>{''.join(f'<td>{text(value)}</td>' for value in shown[place])}</tr>"
        for place in range(0, len(shown), step)
    )
    every = f" (one row in {step})" if step > 1 else ""
    return (
        f"<details><summary>Numbers{every}</summary>"
        f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></details>'
    )


def ranking(title: str, counts: Mapping[str, int], most: int = 12, name: str = "") -> str:
    """A table of counts with bars, the greatest first unless the order says otherwise.

    Args:
        title: above the table.
        counts: by name, in the order of the table; zeros are left out.
        most: rows; the rest is summed up.
        name: of the first column, for a screen reader.
    """
    rows = [(label, number) for label, number in counts.items() if number]
    if not rows:
        return ""
    shown, rest = rows[:most], rows[most:]
    greatest = max(number for _, number in shown)
    lines = "".join(
        f'<tr><th scope="row">{text(label)}</th><td class="n">{count(number)}</td><td class="bar">'
        f'<svg aria-hidden="true"><rect width="{max(100 * number / greatest, 0.5):.1f}%" height="100%"/></svg>'
        "</td></tr>"
        for label, number in shown
    )
    if rest:
        number = count(sum(number for _, number in rest))
        lines += (
            f'<tr><th scope="row" class="soft">{count(len(rest))} more</th><td class="n">{number}</td><td></td></tr>'
        )
    return (
        f'<figure class="ranking"><figcaption><b>{text(title)}</b></figcaption><table><thead class="unseen"><tr>'
        f"<th>{text(name or title)}</th><th>records</th><th></th></tr></thead><tbody>{lines}</tbody></table></figure>"
    )
