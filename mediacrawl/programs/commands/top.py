"""``scrapy top``: shows a running crawl in the terminal."""

from __future__ import annotations

import argparse
import os
import select
import shutil
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from mediacrawl.base.terms import SiteInfo
from mediacrawl.base.text import can_redraw, encodable, printable, say
from mediacrawl.commands.own import INTERRUPTED, OwnCommand
from mediacrawl.crawl.own_settings import state_folder
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.operator_orders import OrderFolder
from mediacrawl.frontier.stores import SQLITE_FILE
from mediacrawl.programs.commands.frontier_reader import frontier_named, open_reader
from mediacrawl.programs.commands.report import gather
from mediacrawl.programs.report import SORTS, STATES, TopView, screen_lines
from mediacrawl.watch.facts import totals_of
from mediacrawl.watch.status import CrawlStatus, Sample, crawl_folders, last_samples

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

try:
    import termios
    import tty
except ImportError:  # Windows
    HAS_KEYS = False
else:
    HAS_KEYS = True
    """Whether single keys can be read."""

_ARROWS = {b"\x1b[A": "up", b"\x1b[B": "down", b"\x1bOA": "up", b"\x1bOB": "down"}
INTERVAL = 1.0
"""Seconds between two screens."""
_RATES = 60.0
"""Seconds over which rates are counted."""
_SITES_EVERY = 5.0
"""Seconds between two looks at the frontier. A look at a million sites takes a second, in a thread of its own."""
_SITES = 200
"""Sites of the table."""


class Command(OwnCommand, ScrapyCommand):
    """Shows a crawl once a second. It reads the crawl's files only, so it cannot disturb the crawl."""

    usage = "[options] [FOLDER ...]"
    summary = "Show a running crawl in the terminal"
    description = (
        "Shows once a second what a crawl has found, how fast, what it waits for, its last finds and failures, and"
        " its sites. FOLDER is the state folder of a crawl (default: MEDIACRAWL_DIR), or a folder above those of"
        " several: a fleet, or the jobs of a scrapyd. Keys: s sorts the sites, f shows those in one state, up and"
        " down select one, p and r pause and resume it, q quits."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        parser.add_argument("--once", action="store_true", help="print one screen and end")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Show the crawl until ``q``; errors go to the standard error, and the exit code is 1."""
        top = _Top(self._settings, [Path(each) for each in args])
        try:
            if not top.view.statuses:
                raise UsageError(
                    f"there is no state of a crawl in {', '.join(str(root.resolve()) for root in top.roots)}; name the"
                    " folder of a crawl"
                )
            if opts.once or not can_redraw(sys.stdout):
                top.print_once()
            else:
                top.show()
        except KeyboardInterrupt:
            self.exitcode = INTERRUPTED


class Terminal:
    """The terminal of standard input and output, taken over and given back as it was, also after an exception."""

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(sys.stdin) if HAS_KEYS and sys.stdin.isatty() else None
        if self._before is not None:
            tty.setcbreak(sys.stdin.fileno())
        # The second screen of the terminal, so that the first one comes back; no cursor.
        self._write("\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("\x1b[?25h\x1b[?1049l")
        if self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        found = shutil.get_terminal_size((80, 24))
        return found.columns, found.lines

    def draw(self, lines: Sequence[str]) -> None:
        """Show lines in place of what was shown. The first one is bold."""
        body = "\r\n".join(f"{line}\x1b[K" for line in lines[1:])
        first = f"\x1b[1m{lines[0]}\x1b[0m\x1b[K\r\n" if lines else ""
        self._write(f"\x1b[H{first}{body}\x1b[J")

    def key(self, seconds: float) -> str:
        """Return the next key: a character, ``up`` or ``down``; empty if none came in time."""
        if self._before is None:
            select.select([], [], [], seconds)
            return ""
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return ""
        read = os.read(sys.stdin.fileno(), 16)
        if not read:
            return "q"
        return _ARROWS.get(read) or read[:1].decode("ascii", "replace")

    def _write(self, text: str) -> None:
        sys.stdout.write(encodable(text, sys.stdout))
        sys.stdout.flush()


class _Top:
    """The view of a crawl, kept fresh."""

    def __init__(self, settings: BaseSettings, named: Sequence[Path]) -> None:
        self._settings = settings
        self._is_named = bool(named)
        self.roots = list(named) or [state_folder(settings)]
        self.view = TopView()
        self._recent: list[tuple[float, dict[str, Sample]]] = []
        self._wake = threading.Event()
        self._totals_of = list[float]()
        self._paths = self._find()
        # Before a minute has passed, rates are those since a sample that the crawl has written.
        self._sampled = {name: recent[0] for name, path in self._paths.items() if (recent := last_samples(path))}
        self._refresh()

    # -- reading ---------------------------------------------------------------------------------------------

    def _find(self) -> dict[str, Path]:
        """Return the folders of the processes, by name."""
        found = {}
        for folder in dict.fromkeys(folder for root in self.roots for folder in crawl_folders(root)):
            above = next((root for root in self.roots if folder != root and folder.is_relative_to(root)), folder.parent)
            found[str(folder.relative_to(above))] = folder
        return found

    def _refresh(self) -> None:
        self._paths = self._find()
        states = {name: CrawlStatus.load(folder) for name, folder in self._paths.items()}
        found = {name: status for name, status in states.items() if status is not None}
        now = time.time()
        taken = {name: Sample.of(status) for name, status in found.items()}
        self._recent = [(at, old) for at, old in self._recent if now - at <= _RATES] + [(now, taken)]
        at, earlier = self._recent[0]
        self.view.folders, self.view.statuses = list(found), list(found.values())
        self.view.earlier = earlier if now - at > _RATES / 2 else self._sampled
        last = max(found.items(), key=lambda pair: pair[1].written, default=None)
        self.view.samples = last_samples(self._paths[last[0]]) if last else []

    def _read_sites(self) -> None:
        """Read the table of sites; the frontier of a named folder is the file there."""
        frontier, statuses = Path(self._last.frontier), self.view.statuses
        written = [status.written for status in statuses]
        try:
            if any(status.runs(time.time()) for status in statuses):
                self.view.totals = None
            elif written != self._totals_of:
                # A kill may have taken the last moment from a state.
                sources, _ = gather(self._settings, self.roots if self._is_named else ())
                self.view.totals, self._totals_of = totals_of(sources), written
            if self._is_named or (frontier / SQLITE_FILE).is_file():
                self.view.sites = self._listed(frontier)
            else:
                with frontier_named(self._settings):
                    self.view.sites = self._listed(None)
        except FrontierError as error:
            self.view.sites, self.view.message = [], str(error)

    def _listed(self, folder: Path | None) -> list[SiteInfo]:
        with open_reader(self._settings, folder) as reader:
            now = reader.now
            names = reader.site_names(self.view.state, now, _SITES, self.view.sort)
            return [info for name in names if (info := reader.site(name, now)) is not None]

    def _keep_sites_fresh(self) -> None:
        while True:
            self._read_sites()
            self._wake.wait(_SITES_EVERY)
            self._wake.clear()

    @property
    def _last(self) -> CrawlStatus:
        return max(self.view.statuses, key=lambda status: status.written)

    # -- showing ---------------------------------------------------------------------------------------------

    def print_once(self) -> None:
        """Print one screen, with the sites."""
        self._read_sites()
        self.view.keys = False
        lines = screen_lines(self.view, time.time(), 200, 60)
        while lines and not lines[-1]:
            lines.pop()
        say("\n".join(lines), flush=True)

    def show(self) -> None:
        """Draw a screen each second, and act upon keys, until ``q``."""
        with Terminal() as terminal:
            threading.Thread(target=self._keep_sites_fresh, daemon=True).start()
            while True:
                terminal.draw(screen_lines(self.view, time.time(), *terminal.size))
                key = terminal.key(INTERVAL)
                if key in {"q", "\x04"}:
                    return
                if key:
                    self._act(key)
                else:
                    self._refresh()

    def _act(self, key: str) -> None:
        view = self.view
        view.message = ""
        if key == "s":
            view.sort, view.sites = _after(SORTS, view.sort), None
            self._wake.set()
        elif key == "f":
            view.state, view.sites = _after(STATES, view.state), None
            self._wake.set()
        elif key in {"up", "down"}:
            names = [site.name for site in view.sites or ()]
            place = names.index(view.selected) + (1 if key == "down" else -1) if view.selected in names else 0
            view.selected = names[min(max(place, 0), len(names) - 1)] if names else ""
        elif key in {"p", "r"}:
            self._give_order("pause" if key == "p" else "resume")

    def _give_order(self, verb: str) -> None:
        """Leave an order for the crawl, which looks for orders each second."""
        site, last = self.view.selected, self._last
        folder = Path(last.frontier)
        if not site:
            self.view.message = "select a site with the arrow keys first"
        elif not last.runs(time.time()) or not (folder / SQLITE_FILE).is_file():
            self.view.message = f"use: scrapy frontier {verb} {site}"
        else:
            try:
                OrderFolder(folder).post(verb, site)
                self.view.message = f"{verb} {site}: the crawl is asked, which takes a second"
            except OSError as error:
                self.view.message = f"{verb} {site}: {printable(str(error))}"


def _after(choices: Sequence[str], present: str) -> str:
    return choices[(choices.index(present) + 1) % len(choices)]
