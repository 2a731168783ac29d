"""The state of a running crawl for other programs: a small file, replaced every second, and a file of samples."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeAlias

import msgspec

from mediacrawl.base.files import replacing
from mediacrawl.base.format import elapsed
from mediacrawl.base.text import clean
from mediacrawl.log.totals import Totals

STATUS = "status.json"
"""Name of the file with the state, in the state folder of the crawl."""
HISTORY = "history.jl"
"""Name of the file of samples, in the same folder."""
SILENT = 15.0
"""Seconds without a new state after which a crawl does not seem to run: it writes one each second, and a page that is
read for long delays it."""

DEPTH = 3
"""Folders below a named one in which processes are looked for: ``worker-1`` of a fleet, ``project/spider/job`` of
scrapyd."""
_MOST_BYTES = 4 << 20
_TAIL = 64 << 10
"""Bytes at the end of the samples that are read for the last half hour; a line has some 120."""
SHOWN = 12
"""Finds and failures that the state holds."""
_LONGEST = 500
"""Characters of a text in the state."""


Row: TypeAlias = tuple[float, str, str, str]
"""When something happened, and three texts."""


@dataclass(slots=True)
class CrawlStatus(Totals):
    """The state of one process of a crawl.

    Its totals are of all processes that worked on this frontier in this folder: a resumed crawl continues those of the
    file.

    On disk: ``status.json``, one JSON object of a few KB, put in its place by renaming each second, and a tenth of a
    second after a visit has ended, so that a kill leaves the old or the new one. It may be read and deleted at any
    time.

    Attributes:
        written: when, seconds since the epoch.
        began: when this process began.
        first_began: when the first one began.
        reason: why the crawl ended; empty while it runs, and after a kill.
        pid: number of the process.
        pid_began: when it began, see `process_start`: the number may be given to another process.
        spider: its name.
        version: of mediacrawl.
        examples: name of a drop, trouble or limit -> a URL.
        adapters: name of a site adapter -> its counts as JSON, see `watch.adapter_counts`; those of all workers.
        finds: the last records: time, title, URL, site.
        recent_failures: the last failures: time, site, what happened, URL.
        settings: those that differ from their defaults, as text.
        log, catalogue, frontier: where they are; empty for a catalogue that is not written.
    """

    written: float = 0.0
    began: float = 0.0
    first_began: float = 0.0
    reason: str = ""
    pid: int = 0
    pid_began: str = ""
    spider: str = ""
    version: str = ""
    examples: Mapping[str, str] = field(default_factory=dict)
    adapters: Mapping[str, str] = field(default_factory=dict)
    finds: list[Row] = field(default_factory=list)
    recent_failures: list[Row] = field(default_factory=list)
    settings: Mapping[str, str] = field(default_factory=dict)
    log: str = ""
    catalogue: str = ""
    frontier: str = ""

    @classmethod
    def load(cls, folder: Path) -> CrawlStatus | None:
        """Read the state in a folder; None if there is none that can be read."""
        try:
            with (folder / STATUS).open("rb") as file:
                status = msgspec.json.decode(file.read(_MOST_BYTES), type=cls)
        except (OSError, ValueError, RecursionError):
            return None
        return status if status.written else None

    def save(self, folder: Path) -> None:
        """Write the state.

        Raises:
            OSError: the disk refuses it; the file is as it was.
        """
        # A title may have half a character, which msgspec neither writes nor reads.
        text = clean(json.dumps(asdict(self), ensure_ascii=False))
        with replacing(folder / STATUS) as file:
            file.write(text.encode())

    def runs(self, now: float) -> bool:
        """Whether the crawl seems to run: its last state is fresh, and names no end."""
        return self.state(now) == "running"

    def state(self, now: float) -> str:
        """Return what the process does: ``running``, ``ended``, ``not responding`` (it lives) or ``killed``."""
        if self.reason:
            return "ended"
        start = process_start(self.pid) if self.pid > 0 else "?"
        if now - self.written < SILENT:
            # On another machine, or in another container, the number may be of another process.
            return "running" if start else "killed"
        lives = start and self.pid > 0 and (start == self.pid_began or "?" in {start, self.pid_began or "?"})
        return "not responding" if lives else "killed"


def states(folders: Iterable[Path]) -> list[CrawlStatus]:
    """Return the states in some folders, those that can be read, the newest last."""
    found = [status for folder in folders if (status := CrawlStatus.load(folder)) is not None]
    return sorted(found, key=lambda status: status.written)


def crawl_state(statuses: Sequence[CrawlStatus], now: float) -> str:
    """Return the state of a crawl: of a process that runs, else of one that does not respond, else of the newest.

    ``unknown`` without a process.
    """
    found = [status.state(now) for status in sorted(statuses, key=lambda status: status.written)]
    return next((state for state in ("running", "not responding") if state in found), [*found[-1:], "unknown"][0])


def process_start(pid: int) -> str:
    """Return when a process began, in ticks since the start of the machine.

    Empty if there is no such process; ``?`` if its start is not known (other systems than Linux).
    """
    try:
        # The name of the program, in parentheses, may have any characters (proc(5)).
        words = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return "" if words[0] in {b"Z", b"X"} else words[19].decode()
    except (OSError, IndexError):
        if os.name != "nt":
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return ""
            except OSError:
                pass
    return "?"


def row(when: float, first: str, second: str, third: str) -> Row:
    """Return a row of `CrawlStatus.finds` or `CrawlStatus.recent_failures`."""
    return round(when, 3), first[:_LONGEST], second[:_LONGEST], third[:_LONGEST]


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """The counts of a crawl at one time, see `CrawlStatus`; ``began`` tells the processes apart.

    `ended` is `Totals.done`, and `visited` is `Totals.ended`. Samples of version 0.2 end with `resting`.
    """

    time: float
    began: float
    requests: int
    pages: int
    records: int
    bytes: int
    errors: int
    ended: int
    waiting: int
    ready: int
    in_penalty: int
    resting: int
    visited: int = 0
    nuggets: int = 0
    picked: int = 0
    picked_nuggets: int = 0

    @classmethod
    def of(cls, status: CrawlStatus) -> Sample:
        """The sample of a state."""
        sites = status.sites
        return cls(
            *(round(status.written, 3), round(status.began, 3), status.requests, status.pages, status.records),
            *(status.bytes, status.failed, status.done, status.waiting),
            *(sites.get("ready", 0), sites.get("waiting", 0), sites.get("resting", 0)),
            *(status.ended, status.nuggets, status.picked, status.picked_nuggets),
        )


def sample_interval(seconds: float) -> float:
    """Seconds between two samples: a crawl of seconds shows a curve, and one of a month writes 6 MB."""
    if seconds < 60:
        return 1.0
    return 10.0 if seconds < 3_600 else 60.0


class HistoryFile:
    """Appends samples to ``history.jl``.

    On disk: one JSON list a line, some 100 bytes, in the order of the fields of `Sample`. A kill loses the samples
    since the last line, and may leave a torn line, which readers skip. The file may be deleted at any time.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / HISTORY

    def append(self, sample: Sample) -> None:
        """Append a sample.

        Raises:
            OSError: it cannot be written.
        """
        with self._path.open("ab") as file:
            # A line that a kill has torn ends here.
            file.write(b"\n" * (file.tell() > 0) + msgspec.json.encode(sample))

    def clear(self) -> None:
        """Remove the file: another crawl begins."""
        self._path.unlink(missing_ok=True)


def samples(folder: Path) -> Iterator[Sample]:
    """The samples of a folder, in the order of the file; lines that are none are skipped."""
    try:
        with (folder / HISTORY).open("rb") as file:
            yield from _read(file)
    except OSError:
        return


def _read(lines: Iterable[bytes]) -> Iterator[Sample]:
    for line in lines:
        with suppress(ValueError, RecursionError):
            yield msgspec.json.decode(line, type=Sample)


def last_samples(folder: Path) -> list[Sample]:
    """The samples at the end of the file, some 500."""
    try:
        with (folder / HISTORY).open("rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - _TAIL, 0))
            return list(_read(file.read().split(b"\n")))
    except OSError:
        return []


def crawl_folders(root: Path) -> list[Path]:
    """The folders with a state: the named one; if it has none, those up to three levels below.

    Folders below one with a state are not looked at: a recheck there is a crawl of its own.
    """
    found: list[Path] = []
    for depth in range(DEPTH + 1):
        pattern = "/".join(["*"] * depth + [STATUS])
        folders = sorted(path.parent for path in root.glob(pattern))
        found += [folder for folder in folders if not any(folder.is_relative_to(above) for above in found)]
    return found


_WINDOW = 1_800.0
"""Seconds of the samples that count; a rate of weeks ago says nothing of the next hour."""
_FEWEST_ENDED = 5
"""URLs that must have ended in the window."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The time that is left.

    Attributes:
        seconds: of it; None if it cannot be told.
        at_least: whether it is a lower bound, because what waits grows or stays: then no new URL is counted.
        sentence: the same for a person.
    """

    seconds: float | None
    at_least: bool
    sentence: str

    @property
    def short(self) -> str:
        """``about 3 h``, ``at least 4 h``; empty if the time cannot be told."""
        if not self.seconds:
            return ""
        return f"{'at least' if self.at_least else 'about'} {elapsed(self.seconds)}"


def estimate(samples: Sequence[Sample]) -> Estimate:
    """Estimate the time until nothing waits.

    Returns:
        The estimate. While what waits becomes less, its present rate counts. Otherwise the rate at which URLs end gives
        a lower bound.
    """
    if not samples:
        return Estimate(None, at_least=False, sentence="nothing is known yet")
    last = samples[-1]
    if last.waiting <= 0:
        return Estimate(0.0, at_least=False, sentence="nothing waits")
    first = next((one for one in samples if last.time - one.time <= _WINDOW and one.began == last.began), last)
    seconds, ended = last.time - first.time, last.ended - first.ended
    if seconds <= 0 or ended < _FEWEST_ENDED:
        return Estimate(None, at_least=False, sentence="too few URLs have ended to tell")
    falls = first.waiting - last.waiting
    # A fall of a few URLs is chance.
    if falls >= max(_FEWEST_ENDED, ended // 10):
        left = last.waiting * seconds / falls
        return Estimate(left, at_least=False, sentence=f"about {elapsed(left)}, as fast as what waits becomes less")
    left = last.waiting * seconds / ended
    grows = "grows" if falls < 0 else "does not become less"
    return Estimate(left, at_least=True, sentence=f"at least {elapsed(left)}: what waits {grows}")
