"""Writes the report as one HTML page: no file, script or font from elsewhere, and no request.

Plots are inline SVG. It holds shapes only and is stretched to the width of the page; labels and numbers are HTML beside
it (``page.html``), so that they stay readable on a telephone and never overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, ClassVar

from mediacrawl.base.format import count, elapsed, plural, share, size
from mediacrawl.base.text import printable
from mediacrawl.watch.facts import MINUTES, CrawlReport
from mediacrawl.watch.log_digest import LAST_PART, PARTS
from mediacrawl.watch.server import POLICY

_KINDS = (
    ("drop", "URLs that were dropped"),
    ("trouble", "Troubles with sites"),
    ("limit", "Answers beyond a limit"),
    ("failure", "Failures: requests without an answer, and answers that are no success"),
)
_POINTS, _FEWEST = 60, 50
"""Points of the curve of finds, and URLs that must have ended for one."""


def report_page(report: CrawlReport) -> str:
    """Return the page; it has at most 300 KB, whatever the size of the crawl."""
    # Importing it takes 40 ms, and few commands write a page.
    from jinja2 import Environment  # noqa: PLC0415

    environment = Environment(autoescape=True, finalize=_cleaned)
    environment.filters |= {"count": count, "size": size, "elapsed": elapsed, "share": share, "plural": plural}
    environment.filters |= {"when": _when, "response": _response}
    return environment.from_string(_resource("page.html")).render(
        report=report,
        css=_resource("page.css"),
        js=_resource("page.js"),
        policy=POLICY,
        # Without a catalogue the sites are not known.
        title=f"mediacrawl: {plural(report.records, 'media file')}"
        + (f" on {plural(report.media_sites, 'site')}" if report.found.records or not report.records else ""),
        state={
            "running": ("good", "running"),
            "ended": ("good" if report.reason == "finished" else "bad", f"ended: {report.reason}"),
            "killed": ("bad", "killed, or the machine was switched off"),
            "not responding": ("bad", f"not responding since {_when(report.last)}: its process lives and stands still"),
        }.get(report.state, ("soft", "state unknown")),
        spent=_spent(report),
        facts=_facts(report),
        curve=_curve(report),
        rates=list(_rates(report)),
        years=_years(report.found.years),
        finds=_finds(report),
        kinds=_KINDS,
        delays=_delays(report),
        slow=[(each["site"], _response(each["seconds"])) for each in report.slowest],
        big=[(each["site"], size(each["bytes"])) for each in report.biggest],
    )


def _cleaned(value: Any) -> Any:
    """Escape control characters and direction marks in all text that is not HTML already."""
    return value if hasattr(value, "__html__") else printable(str(value))


def _resource(name: str) -> str:
    return files("mediacrawl.programs.report").joinpath(name).read_bytes().decode()


def _spent(report: CrawlReport) -> float:
    return max(report.last - report.began, 0.0) if report.began else 0.0


def _facts(report: CrawlReport) -> list[tuple[str, str, str]]:
    spent, played = _spent(report), report.found.seconds
    rate = report.requests / spent if spent else 0.0
    each = f"{report.records / report.pages:.2g}" if report.pages else "0"
    playing = f"{elapsed(played)} of playing time" if played else "no playing time"
    read = share(report.media_bytes_read, report.media_bytes_total)
    return [
        ("media files", count(report.records), f"{size(report.media_bytes_total)}, {playing}"),
        ("pages read", count(report.pages), f"{each} media files for each"),
        ("requests", count(report.requests), f"to {plural(report.sites_asked, 'site')}, {rate:.2g} a second"),
        ("received", size(report.bytes), f"{read} of the media"),
        ("URLs done", count(report.done), f"of {count(report.known)} known"),
        ("URLs waiting", count(report.waiting), f"{count(report.shelved)} on paused or retired sites"),
        ("time left", *_left(report)),
        ("failures", count(report.failed), share(report.failed, report.requests)),
    ]


def _left(report: CrawlReport) -> tuple[str, str]:
    left = report.estimate
    if report.waiting and report.state not in {"running", "unknown"}:
        return "?", "the crawl does not run"
    if left.seconds is None or report.state == "unknown":
        return "?", left.sentence or "no samples"
    if not left.seconds:
        return "none", left.sentence
    return f"{'over ' if left.at_least else ''}{elapsed(left.seconds)}", left.sentence


def _years(years: Mapping[str, int]) -> dict[str, int]:
    """Return years, or decades if there are many."""
    if len(years) <= 16:
        return dict(years)
    decades: dict[str, int] = {}
    for year, number in years.items():
        decades[f"{year[:3]}0s"] = decades.get(f"{year[:3]}0s", 0) + number
    return decades


# -- plots ----------------------------------------------------------------------------------------------------


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


def _curve(report: CrawlReport) -> Plot | None:
    if not report.curve:
        return None
    times, done, waiting = zip(*report.curve, strict=True)
    return Plot(
        "URLs done and waiting",
        f"From {_when(times[0])} to {_when(times[-1])} the URLs done rose to {_maybe(done[-1])}; "
        f"{_maybe(waiting[-1])} waited at the end.",
        [Series("done", "one", done), Series("waiting", "two", waiting)],
        times,
        [_when(time) for time in times],
        _labels(times[0], times[-1]),
        _maybe,
    )


def _rates(report: CrawlReport) -> Iterator[Plot]:
    if len(report.minutes) < 2:
        return
    times, spans, *counts = zip(*report.minutes, strict=True)
    for name, style, numbers in zip(MINUTES, ("three", "one", "two", "three"), counts, strict=False):
        values = [number * 60.0 / span for number, span in zip(numbers, spans, strict=True)]
        shown = size if name == "bytes" else _number
        yield Plot(
            f"{name.capitalize()} a minute",
            f"The most is {shown(max(values))} a minute.",
            [Series(name, style, values)],
            times,
            [_when(time) for time in times],
            _labels(times[0], times[-1] + spans[-1]),
            shown,
            spans=spans,
        )


def _finds(report: CrawlReport) -> Plot | None:
    """Return the plot of the rate of finds over equal numbers of URLs, beside that of all random picks until then."""
    least = max(report.ended // _POINTS, _FEWEST)
    times, rates, chance = list[float](), list[float | None](), list[float | None]()
    visited = nuggets = picked = picked_nuggets = 0.0
    for time, span, *counts in report.minutes:
        counted = dict(zip(MINUTES, counts, strict=True))
        visited, nuggets = visited + counted["visited"], nuggets + counted["nuggets"]
        picked, picked_nuggets = picked + counted["picked"], picked_nuggets + counted["picked_nuggets"]
        if visited >= least:
            times.append(time + span)
            rates.append(1_000 * nuggets / visited)
            chance.append(1_000 * picked_nuggets / picked if picked else None)
            visited = nuggets = 0.0
    if not times:
        return None
    return Plot(
        "New finds per 1,000 URLs",
        f"The rate is {rates[-1]:.1f} at the end.",
        [Series("by the learned order", "one", rates), Series("random picks", "two", chance)],
        times,
        [_when(time) for time in times],
        _labels(times[0], times[-1]),
        lambda value: "" if value is None else f"{value:.1f}",
    )


def _delays(report: CrawlReport) -> Plot:
    found = dict(report.politeness.bars)
    places = [place / PARTS for place in range(LAST_PART + 1)]
    last = LAST_PART // PARTS
    return Plot(
        "Time since the last response, divided by the delay that was owed",
        f"Requests by that quotient. {count(report.politeness.too_soon)} are left of 1.",
        [Series("requests", "one", [found.get(place, 0) for place in places])],
        # The last bar has all that waited longer, and stands apart.
        [*places[:-1], last + 1 / PARTS],
        [f"{place:g} to {place + 1 / PARTS:g}" for place in places[:-1]] + [f"{last} and more"],
        [*map(str, range(last)), f"{last}+"],
        _maybe,
        "quotient",
        [1 / PARTS] * len(places),
        mark=1.0,
    )


# -- words ----------------------------------------------------------------------------------------------------


def _labels(first: float, last: float) -> Sequence[str]:
    length = last - first
    form = "%H:%M:%S" if length < 600 else "%H:%M" if length < 86_400 else "%d %b"
    return [_when(time, form) for time in ((first, first + length / 2, last) if length else (first,))]


def _maybe(number: float | None) -> str:
    return "" if number is None else count(int(number))


def _number(value: float) -> str:
    return f"{value:.1f}" if value < 10 else count(round(value))


def _when(time: float, form: str = "%Y-%m-%d %H:%M:%S UTC") -> str:
    return datetime.fromtimestamp(time, UTC).strftime(form)


def _response(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else elapsed(seconds)
