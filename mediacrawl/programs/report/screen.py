"""The screen of ``scrapy top``: lines of text from the states of a crawl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mediacrawl.base.format import count, elapsed, plural, size
from mediacrawl.base.terms import SiteInfo, SiteState
from mediacrawl.base.text import cut, pad, printable
from mediacrawl.log.totals import Totals, summed
from mediacrawl.watch.status import CrawlStatus, Sample, crawl_state, estimate

SORTS = ("requests", "finds", "delay", "name")
"""The orders of the table of sites, as `frontier.sqlite.reader.LISTED_ORDERS`."""
STATES = ("all", "ready", "leased", "waiting", "resting", "paused", "retired", "without finds")
"""The states that the table may be limited to, as `frontier.sqlite.reader.LISTED_STATES`."""

KEYS = "q quit · s sort · f state · up, down select · p pause · r resume"
_LABEL = 9
_RATE = 60.0
_FEWEST = 10.0
"""Seconds between the two states of which a rate is shown."""


@dataclass(slots=True)
class TopView:
    """What the screen shows.

    Attributes:
        folders: names of the processes, in the order of `statuses`.
        statuses: their states.
        earlier: samples of about a minute ago, for rates, by the name of the process.
        totals: of a crawl that does not run; None for the sum of its states.
        samples: of the frontier, for the estimate, the oldest first.
        sites: of the table; None until they were read.
        sort, state: what the table shows, see `SORTS` and `STATES`.
        selected: the site that keys act upon.
        message: the answer to the last key.
        keys: whether keys are read.
    """

    folders: Sequence[str] = ()
    statuses: Sequence[CrawlStatus] = ()
    earlier: Mapping[str, Sample] = field(default_factory=dict)
    totals: Totals | None = None
    samples: Sequence[Sample] = ()
    sites: Sequence[SiteInfo] | None = None
    sort: str = SORTS[0]
    state: str = STATES[0]
    selected: str = ""
    message: str = ""
    keys: bool = True


def screen_lines(view: TopView, now: float, width: int, height: int) -> list[str]:
    """Return the lines of the screen: `height` of them, none with more columns than `width`."""
    lines = [_title(view, now), *_numbers(view, now)]
    if len(view.statuses) > 1:
        lines += _workers(view, now)[: max(height // 5, 2)]
    rest = max(height - len(lines) - 1, 0)
    rows = sorted((row for status in view.statuses for row in status.finds), reverse=True)
    finds = [f"{_clock(time)}  {title or url}  {site}" for time, title, url, site in rows]
    rows = sorted((row for status in view.statuses for row in status.recent_failures), reverse=True)
    failures = [f"{_clock(time)}  {site}: {what}  {url}" for time, site, what, url in rows]
    share = max(rest // 4, 2)
    lines += _part("last media files", finds, share) + _part("last failures", failures, share)
    lines += _sites(view, now, max(height - len(lines) - 1, 0))
    lines = lines[: max(height - 1, 0)]
    lines += [""] * (height - 1 - len(lines))
    lines.append(view.message or (KEYS if view.keys else ""))
    return [cut(printable(line), width) for line in lines[:height]]


def state_of(statuses: Sequence[CrawlStatus], now: float) -> str:
    """Return what a crawl does, in a word or two."""
    if not statuses:
        return "no crawl"
    state, running = crawl_state(statuses, now), sum(status.runs(now) for status in statuses)
    if running:
        return state if running == len(statuses) else f"{running} of {len(statuses)} running"
    last = max(statuses, key=lambda status: status.written)
    ago = elapsed(max(now - last.written, 0.0))
    if state == "not responding":
        return f"not responding for {ago}: its process lives and stands still"
    return f"ended {ago} ago: {last.reason}" if last.reason else f"killed, the last state is {ago} old"


def _title(view: TopView, now: float) -> str:
    began = min((status.began for status in view.statuses), default=now)
    last = max((status.written for status in view.statuses), default=now)
    running = crawl_state(view.statuses, now) == "running"
    spent = elapsed(max((now if running else last) - began, 0.0))
    processes = f" · {plural(len(view.statuses), 'process')}" if len(view.statuses) > 1 else ""
    return f"mediacrawl top · {state_of(view.statuses, now)} · after {spent}{processes}"


def _numbers(view: TopView, now: float) -> list[str]:
    ordered = sorted(view.statuses, key=lambda status: status.written)
    total = view.totals or summed(ordered)
    running = crawl_state(view.statuses, now) == "running"
    states = dict(total.sites)
    if not running:
        # Which of them are ready changes with the clock.
        states = {"with URLs": states.pop("ready", 0) + states.pop("waiting", 0), **states}
    sites = [f"{count(number)} {state}" for state, number in states.items() if number]
    if running and total.next_release is not None and total.sites.get("waiting"):
        sites.append(f"next in {elapsed(max(total.next_release - now, 0.0))}")
    left = estimate(view.samples).short if running else ""
    records, requests = (_rate(view, name) if running else "" for name in ("records", "requests"))
    received, failures = f"{size(total.bytes)} received", plural(total.failed, "failure")
    urls = [f"{count(total.done)} done", f"{count(total.waiting)} waiting"]
    urls += [f"{count(total.shelved)} on paused or retired sites"] if total.shelved else []
    rows = [
        ("found", [plural(total.records, "media file") + records, plural(total.pages, "page")]),
        ("sent", [plural(total.requests, "request") + requests, received, failures]),
        ("URLs", [*urls, *([f"{left} left"] if left else [])]),
        ("sites", sites or ["none"]),
        ("formats", _ranked(total.formats)),
        ("dropped", _ranked(total.drops)),
        ("troubles", _ranked(total.troubles)),
        ("log", [f"{plural(total.lost_lines, 'line')} lost: the disk refused them"] if total.lost_lines else []),
    ]
    return [f"{pad(label, _LABEL)} {' · '.join(parts)}" for label, parts in rows if parts]


def _rate(view: TopView, name: str) -> str:
    """The rate of a count a minute over all processes; empty without an earlier state."""
    rate, known = 0.0, False
    for folder, status in zip(view.folders, view.statuses, strict=True):
        before = view.earlier.get(folder)
        # A sample has the time in milliseconds.
        if before is None or abs(before.began - status.began) > 0.001:
            continue
        if (seconds := status.written - before.time) >= _FEWEST:
            rate += (getattr(status, name) - getattr(before, name)) * _RATE / seconds
            known = True
    return f" ({rate:,.0f} a minute)" if known and rate >= 10 else f" ({rate:.1f} a minute)" if known else ""


def _ranked(counts: Mapping[str, int]) -> list[str]:
    return [f"{name} {count(number)}" for name, number in Counter(counts).most_common(8) if number]


def _workers(view: TopView, now: float) -> list[str]:
    return [
        f"{pad('', _LABEL)} {folder}: {state_of([status], now)} · {plural(status.requests, 'request')}"
        f" · {plural(status.records, 'media file')}"
        for folder, status in zip(view.folders, view.statuses, strict=True)
    ]


def _part(title: str, lines: Sequence[str], most: int) -> list[str]:
    """A heading and some lines; nothing without lines or room."""
    return [f"-- {title} --", *lines[: most - 1]] if lines and most > 1 else []


def _sites(view: TopView, now: float, rows: int) -> list[str]:
    limited = "" if view.state == "all" else f", {view.state}"
    heading = f"-- sites by {view.sort}{limited} (finds: new records, or what NUGGET_FUNCTION counts) --"
    if rows < 3:
        return []
    if view.sites is None:
        return [heading, "  the frontier is being read"]
    running = crawl_state(view.statuses, now) == "running"
    lines = [heading, f"  {'requests':>9} {'finds':>7} {'waiting':>9}  {'state':<9} {'next':>12}  site"]
    names = [site.name for site in view.sites]
    place = names.index(view.selected) if view.selected in names else 0
    # The selected site stays on the screen.
    first = max(place - (rows - 3), 0)
    for site in view.sites[first : first + rows - 2]:
        waits = running and site.state in {SiteState.WAITING, SiteState.RESTING} and site.release > now
        # A lease that a kill has left is no request.
        state = SiteState.WAITING if site.state is SiteState.LEASED and not running else site.state
        due = elapsed(site.release - now) if waits else ""
        mark = ">" if site.name == view.selected else " "
        trouble = f"  ({site.trouble})" if site.trouble else ""
        lines.append(
            f"{mark} {count(site.visits):>9} {count(site.earned):>7} {count(site.waiting):>9}  {state:<9}"
            f" {due:>12}  {site.name}{trouble}"
        )
    return lines


def _clock(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%H:%M:%S")
