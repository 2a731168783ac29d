"""Door to the fleet: ``mediacrawl fleet -n 4`` runs several workers of one crawl on this machine."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Literal, TextIO

from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.utils.conf import closest_scrapy_cfg

from mediacrawl.clock import Clock
from mediacrawl.commands import refuse_options, say
from mediacrawl.commands.crawl import Command as CrawlCommand
from mediacrawl.fleet import Fleet, FleetError, Orders, Plan, World, alone
from mediacrawl.fleet.telling import FLEET, prefixed
from mediacrawl.observe.text import printable
from mediacrawl.parts import REDIS, Parts
from mediacrawl.pipelines.store import catalogue_path
from mediacrawl.spiders.arguments import ArgumentError, switch
from mediacrawl.spiders.borders import Borders

SPIDER = "media"
MOST = 64
"""Workers of a fleet: more processes than that want more than one machine."""

_PROGRAM = (sys.executable, "-m", "mediacrawl.fleet.leash", "mediacrawl")


class Command(CrawlCommand):
    """Runs a fleet. What cannot work is told before anything starts, as by ``scrapy crawl``."""

    requires_crawler_process = False

    def syntax(self) -> str:
        """What may follow the name of the command."""
        return "[options]"

    def short_desc(self) -> str:
        """For the list of all commands."""
        return "Run several workers of one crawl on this machine (needs Redis)"

    def long_desc(self) -> str:
        """For ``-h``."""
        return (
            "Runs N workers of the spider media, each a process, on one frontier in Redis (SCHEDULER_STORE), and starts"
            " again what dies. -a and -s are those of scrapy crawl; limits such as CLOSESPIDER_TIMEOUT count for each"
            " worker. In MEDIACRAWL_DIR lie media.db and log, which are of all workers, fleet.json, the sums of their"
            " stats, and worker-1 and so on, each with its crawl.log and log/critical.log. All logs also go to the"
            " standard error, or to the --logfile, with the number of the worker before each line. Ctrl-C stops the"
            " workers cleanly, a second one kills them. Exit code: 0, all have finished or were stopped; 1, a worker"
            " died five times in a row at its start; 2, it cannot begin; 130, they were killed."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """The options of ``scrapy crawl`` and ours."""
        super().add_options(parser)
        parser.add_argument("-n", "--workers", metavar="N", default="2", help="how many workers (default: 2)")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options, and see that the crawl can begin.

        Raises:
            UsageError: it cannot; the message says why, and what to do.
        """
        refuse_options(args)
        if args:
            raise UsageError(f"a fleet runs the spider {SPIDER} and takes no name: {args[0]!r}", print_help=False)
        if not (opts.workers.isascii() and opts.workers.isdecimal() and 1 <= int(opts.workers[:9]) <= MOST):
            raise UsageError(f"-n {opts.workers} is no number of workers; it goes from 1 to {MOST}", print_help=False)
        if opts.output or opts.overwrite_output:
            raise UsageError(
                "the workers of a fleet would write over each other's -o; their items are in one media.db, see"
                " scrapy catalogue -h",
                print_help=False,
            )
        super().process_options([SPIDER], opts)

    def check(self, spider: str, arguments: dict[str, str], settings: BaseSettings) -> None:
        """As ``scrapy crawl``, and the frontier must be one that processes can share.

        Raises:
            ArgumentError: the crawl cannot begin.
        """
        if Parts(settings).store != REDIS:
            raise ArgumentError(
                "a fleet needs a frontier that its workers share: -s SCHEDULER_STORE=redis, with REDIS_URL in the"
                " environment if Redis is not on this machine"
            )
        super().check(spider, arguments, settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Run the fleet until all workers have ended.

        Raises:
            UsageError: another fleet works in the folder, or it cannot be written.
        """
        assert self.settings is not None
        parts = Parts(self.settings)
        folder = parts.folder.resolve()
        try:
            with alone(folder), _output(self.settings) as output, _asked() as asked:
                if not switch("fresh", opts.spargs.get("fresh", "")):
                    _take_over(folder)
                world = World(
                    now=Clock().now,
                    sleep=time.sleep,
                    say=output.say,
                    show=output.show,
                    asked=lambda: len(asked),
                    environment=_environment(),
                    has_begun=_hand_on,
                )
                self.exitcode = Fleet(_plan(parts, folder, opts), world).run()
        except (FleetError, OSError) as error:
            raise UsageError(printable(str(error)), print_help=False) from error


_PATIENCE = 300.0
"""Seconds that a worker waits at its start for Redis."""


def _plan(parts: Parts, folder: Path, opts: argparse.Namespace) -> Plan:
    # A worker that is started again while Redis is away waits for it; what the user says comes after, and counts.
    settings = [f"REDIS_PATIENCE={_PATIENCE:g}", *opts.set]
    if opts.loglevel:
        settings.append(f"LOG_LEVEL={opts.loglevel}")
    if opts.nolog:
        settings.append("LOG_ENABLED=False")
    settings.append(f"MEDIACRAWL_DB={catalogue_path(parts.settings).resolve()}")
    settings.append(f"REQUEST_LOG_DIR={parts.log_folder.resolve()}")
    orders = Orders(_PROGRAM, SPIDER, opts.spargs, tuple(settings))
    return Plan(int(opts.workers), folder, orders, parts.settings.getfloat("LOGSTATS_INTERVAL", 60.0))


def _environment() -> dict[str, str]:
    """Ours. Scrapy makes a project importable from its folders below, and Python must find us there as well."""
    paths = [os.environ.get("PYTHONPATH", ""), str(Path(cfg).parent) if (cfg := closest_scrapy_cfg()) else ""]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


# -- the borders of the crawl: of one for all workers --------------------------------------------------------------


def _take_over(folder: Path) -> None:
    """Give the first worker the borders of the crawl that lies here, if it has none of its own."""
    borders, first = Borders.load(folder), folder / "worker-1"
    if borders is not None and Borders.load(first) is None:
        borders.save(first)


def _hand_on(first: Path, others: list[Path]) -> None:
    """Give all workers the borders of the first, which has read all seeds: without them they would go anywhere.

    Raises:
        OSError: there are none, or they cannot be written.
    """
    borders = Borders.load(first)
    if borders is None:
        raise FileNotFoundError(f"the borders of the crawl cannot be read in {first}")
    for folder in (first.parent, *others):
        borders.save(folder)


# -- what is shown, and the wish to stop ---------------------------------------------------------------------------


class _Output:
    """One stream for the fleet and its workers.

    Args:
        stream: where it goes; None for nowhere.
        level: the least that the fleet itself says there, as in `logging`. The workers look to theirs themselves.
    """

    def __init__(self, stream: TextIO | None, level: int) -> None:
        self._stream = stream
        self._level = level

    def say(self, level: int, text: str) -> None:
        """What the fleet says, with the time, as in the lines of its workers."""
        if level >= self._level:
            when = time.strftime("%Y-%m-%d %H:%M:%S")
            self._write(prefixed(FLEET, f"{when} {logging.getLevelName(level)}: {text}"))

    def show(self, number: int, record: str) -> None:
        """What a worker said."""
        self._write(prefixed(number, record))

    def _write(self, text: str) -> None:
        # A fleet whose output nobody reads any more, or that has no room, goes on; each worker has its own log.
        if self._stream is not None:
            with suppress(OSError, ValueError):
                say(text, self._stream, flush=True)


@contextmanager
def _output(settings: BaseSettings) -> Iterator[_Output]:
    named = settings.get("LOG_LEVEL") or "DEBUG"
    level = logging.getLevelName(named.upper()) if isinstance(named, str) else named
    level = level if isinstance(level, int) else logging.DEBUG
    if path := settings.get("LOG_FILE"):
        mode: Literal["a", "w"] = "a" if settings.getbool("LOG_FILE_APPEND", True) else "w"
        with Path(path).open(mode, encoding="utf-8") as stream:
            yield _Output(stream, level)
    else:
        yield _Output(sys.stderr if settings.getbool("LOG_ENABLED", True) else None, level)


@contextmanager
def _asked() -> Iterator[list[int]]:
    """The signals that came: Ctrl-C, or what systemd and ``kill`` send."""
    came: list[int] = []

    def hear(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
