"""``scrapy report``: writes the report of a crawl."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

import mediacrawl.settings as declared
from mediacrawl.base.text import printable, say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl.own_settings import catalogue_path, log_folder, state_folder
from mediacrawl.frontier import FrontierError
from mediacrawl.log.totals import Totals
from mediacrawl.programs.commands.frontier_reader import frontier_named, open_reader
from mediacrawl.programs.fleet import FleetError
from mediacrawl.programs.report import report_page
from mediacrawl.store import Catalogue, StoreError
from mediacrawl.watch.facts import CrawlReport, Sources, busiest, make_report
from mediacrawl.watch.log_digest import LogDigest, digest
from mediacrawl.watch.status import CrawlStatus, crawl_folders, samples, states
from mediacrawl.watch.worker_stats import put

REPORT = "crawl.html"
"""Name of the page, unless -o names another one."""

_LISTED = 20
"""Resting, retired and paused sites that are read."""


class Command(OwnCommand, ScrapyCommand):
    """Writes the report of a crawl that runs, has ended, or was killed. It only reads the crawl's files."""

    failures = (FleetError, FrontierError, StoreError)
    usage = "[options] [FOLDER ...]"
    summary = "Write a report of the crawl: one HTML page, or JSON"
    description = (
        "Writes one HTML page that needs no network: progress, what was found, drops and troubles with examples, a"
        " table of hosts, the proof of politeness, settings. FOLDER is the state folder of a crawl (default:"
        " MEDIACRAWL_DIR), or a folder above those of several: a fleet, or the jobs of a scrapyd. The crawl may"
        " run."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        parser.add_argument(
            "-o", "--output", metavar="FILE", help=f"where the page goes; JSON if it ends in .json (default: {REPORT})"
        )
        parser.add_argument(
            "--json", action="store_true", help="the same facts as JSON, on the standard output or to -o"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Write the report; errors go to the standard error, and the exit code is 1."""
        sources, problems = gather(self._settings, [Path(each) for each in args])
        facts = make_report(sources)
        facts.notes += map(str, problems)
        self._write(facts, opts)
        if refused := [str(each) for each in problems if isinstance(each, StoreError)]:
            self._fail("\n".join(refused))

    def _write(self, facts: CrawlReport, opts: argparse.Namespace) -> None:
        is_json = opts.json or str(opts.output).lower().endswith(".json")
        text = json.dumps(_plain(facts)) if is_json else report_page(facts)
        if opts.json and opts.output in {None, "-"}:
            say(text, as_is=True)
            return
        if opts.output == "-":
            sys.stdout.buffer.write(text.encode("utf-8", "replace"))
            return
        path = Path(opts.output or REPORT)
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file with -o")
        put(path, text)
        say(f"the report is in {printable(str(path))}", sys.stderr)


def _plain(facts: CrawlReport) -> dict[str, Any]:
    """The facts for JSON, each of the totals once."""
    plain = asdict(facts) | {name: getattr(facts, name) for name in ("rate", "ratio", "ratio_at_least")}
    for name in Totals().by_name():
        del plain["found"][name]
    return plain


def gather(
    settings: BaseSettings, named: Sequence[Path] = (), since: float | None = None, before: Totals | None = None
) -> tuple[Sources, list[Exception]]:
    """Read what a crawl has left; return it with the error of each part that could not be read.

    Args:
        settings: of the command.
        named: state folders, or folders above them; none for that of the settings.
        since: of `Sources`; None for the begin of the crawl.
        before: of `Sources`.

    Raises:
        FrontierError: there is no crawl.
    """
    roots = list(named) or [state_folder(settings)]
    folders = list(dict.fromkeys(folder for root in roots for folder in crawl_folders(root)))
    statuses = states(folders)
    logs = _logs(settings, roots, statuses, own=not named)
    databases = _databases(settings, roots, statuses, own=not named)
    if not statuses and not logs and not databases:
        raise FrontierError(
            f"there is no crawl in {', '.join(str(root.resolve()) for root in roots)}; name the folder of a crawl"
        )
    # Log and catalogue may have been those of an earlier crawl, or be those of a later one, such as a recheck.
    if since is None:
        since = min((status.first_began for status in statuses), default=0.0)
    ended = bool(statuses) and all(status.reason for status in statuses)
    until = max(status.written for status in statuses) if ended else math.inf
    log = digest(logs, _least_delay(statuses), since=since, until=until)
    problems: list[Exception] = []
    found = None
    for path in databases:
        try:
            with Catalogue(path, read_only=True) as catalogue:
                counted = catalogue.figures(since)
                found = found.plus(counted) if found else counted
        except StoreError as error:
            problems.append(error)
    sources = Sources(
        statuses=statuses,
        samples=[list(samples(folder)) for folder in folders],
        log=log,
        found=found,
        **_frontier(settings, statuses, log, problems, own=not named),
        now=time.time(),
        since=since,
        before=before or Totals(),
    )
    return sources, problems


def _logs(settings: BaseSettings, roots: Sequence[Path], statuses: Sequence[CrawlStatus], *, own: bool) -> list[Path]:
    named = [Path(status.log) for status in statuses if status.log]
    named += [root / "log" for root in roots] + ([log_folder(settings)] if own else [])
    return list(dict.fromkeys(path.resolve() for path in named if path.is_dir()))


def _databases(
    settings: BaseSettings, roots: Sequence[Path], statuses: Sequence[CrawlStatus], *, own: bool
) -> list[Path]:
    named = [Path(status.catalogue) for status in statuses if status.catalogue]
    if not statuses:
        named = [root / "media.db" for root in roots] + ([catalogue_path(settings)] if own else [])
    return list(dict.fromkeys(path.resolve() for path in named if path.is_file()))


def _least_delay(statuses: Sequence[CrawlStatus]) -> float:
    """Seconds that were owed at least, POLITENESS_MIN_DELAY of the crawl; 0 without a state.

    Each line of the log names the delay that was owed; this is one more lower bound.
    """
    name = "POLITENESS_MIN_DELAY"
    try:
        delays = [float(status.settings.get(name, getattr(declared, name))) for status in statuses]
    except ValueError:
        return 0.0
    return min(delays, default=0.0)


def _frontier(
    settings: BaseSettings, statuses: Sequence[CrawlStatus], log: LogDigest, problems: list[Exception], *, own: bool
) -> dict[str, Any]:
    """Return what `Sources` has of a frontier, if it can be read. That of a named folder is the file there, or none."""
    try:
        if own:
            with frontier_named(settings):
                return _read_frontier(settings, None, log)
        places = {status.frontier for status in statuses}
        return _read_frontier(settings, Path(places.pop()), log) if len(places) == 1 else {}
    except (FleetError, FrontierError) as error:
        problems.append(error)
        return {}


def _read_frontier(settings: BaseSettings, folder: Path | None, log: LogDigest) -> dict[str, Any]:
    with open_reader(settings, folder) as reader:
        now = reader.now
        overview = reader.overview(now)
        known = {name: info for name in busiest(log) if (info := reader.site(name, now)) is not None}
        lists = {
            state: reader.site_names(state, now, _LISTED) if overview.sites.get(state) else []
            for state in ("resting", "retired", "paused")
        }
        return {"overview": overview, "known": known, "listed": lists}
