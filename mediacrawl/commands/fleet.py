"""Door to the fleet: ``mediacrawl fleet -n 4`` runs several workers of one crawl on this machine."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Literal, TextIO

from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.conf import closest_scrapy_cfg

from mediacrawl.clock import Clock
from mediacrawl.commands import refuse_options, say
from mediacrawl.commands.crawl import Command as CrawlCommand
from mediacrawl.connection import redis_url
from mediacrawl.crawl.arguments import ArgumentError, switch
from mediacrawl.crawl.kept_scope import Borders
from mediacrawl.crawl.storage import REDIS, store_of
from mediacrawl.fleet import Fleet, FleetError, Orders, Plan, World, alone
from mediacrawl.fleet.server import Server, is_there, started
from mediacrawl.fleet.telling import FLEET, prefixed
from mediacrawl.frontier.stores import SQLITE_FILE
from mediacrawl.observe.text import printable
from mediacrawl.own_settings import OwnSettings
from mediacrawl.paths import log_folder, state_folder
from mediacrawl.pipelines.store import catalogue_path

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
        return "Run several workers of one crawl on this machine"

    def long_desc(self) -> str:
        """For ``-h``."""
        return (
            "Runs N workers of the spider media, each a process, on one frontier in Redis, and starts again what dies."
            " REDIS_URL or SCHEDULER_STORE names the Redis server; without them the fleet starts one of its own, which"
            " ends with it and keeps all in MEDIACRAWL_DIR/redis for the next start. -a and -s are those of scrapy"
            " crawl; limits such as CLOSESPIDER_TIMEOUT count for each worker. In MEDIACRAWL_DIR lie media.db and log,"
            " which are of all workers, fleet.json, the sums of their stats, and worker-1 and so on, each with its"
            " crawl.log and log/critical.log. All logs also go to the standard error, or to the --logfile, with the"
            " number of the worker before each line. Ctrl-C stops the workers cleanly, a second one kills them. Exit"
            " code: 0, all have finished or were stopped; 1, a worker died five times in a row at its start, or the"
            " Redis server of the fleet's own cannot go on; 2, it cannot begin; 4, the frontier in Redis was lost;"
            " 130, they were killed."
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
        if opts.help:
            args = [SPIDER]
        elif args:
            raise UsageError(f"a fleet runs the spider {SPIDER} and takes no name: {args[0]!r}", print_help=False)
        if not (opts.workers.isascii() and opts.workers.isdecimal() and 1 <= int(opts.workers[:9]) <= MOST):
            raise UsageError(f"-n {opts.workers} is no number of workers; it goes from 1 to {MOST}", print_help=False)
        if opts.output or opts.overwrite_output:
            raise UsageError(
                "the workers of a fleet would write over each other's -o; their items are in one media.db, see"
                " mediacrawl catalogue -h",
                print_help=False,
            )
        super().process_options([SPIDER], opts)

    def check(self, spider: str, arguments: dict[str, str], settings: BaseSettings) -> None:
        """As ``scrapy crawl``, with the folder and the Redis server that the workers share, which `run` gives back.

        Raises:
            ArgumentError: the crawl cannot begin.
        """
        with ExitStack() as held:
            try:
                held.enter_context(alone(state_folder(settings).resolve()))
                self._server = _share(arguments, settings, held)
            except FleetError as error:
                raise ArgumentError(str(error)) from error
            super().check(spider, arguments, settings)
            self._held = held.pop_all()

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Run the fleet until all workers have ended.

        Raises:
            UsageError: the folder cannot be written.
        """
        assert self.settings is not None
        server, folder = self._server, state_folder(self.settings).resolve()
        try:
            with self._held, _output(self.settings) as output, _asked() as asked:
                if server is not None:
                    what = f"{server.version} at {server.place}, with its data in {server.folder}"
                    output.say(logging.INFO, f"no Redis server is named, and the fleet has started its own: {what}")
                if not switch("fresh", opts.spargs.get("fresh", "")):
                    _take_over(folder)
                world = World(
                    now=Clock().now,
                    sleep=time.sleep,
                    say=output.say,
                    show=output.show,
                    asked=lambda: len(asked),
                    environment=_environment(server),
                    has_begun=_hand_on,
                    trouble=server.trouble if server else str,
                    inherited=(server.alive,) if server else (),
                )
                self.exitcode = Fleet(_plan(self.settings, folder, opts), world).run()
        except OSError as error:
            raise UsageError(printable(str(error)), print_help=False) from error


_PATIENCE = 300.0
"""Seconds that a worker waits at its start for Redis."""


def _plan(settings: BaseSettings, folder: Path, opts: argparse.Namespace) -> Plan:
    # A worker that is started again while Redis is away waits for it; what the user says comes after, and counts.
    # Each worker's own log has all; the fleet leaves out of the common stream what each says (`telling.is_of_each`).
    named = [f"REDIS_PATIENCE={_PATIENCE:g}", "LOG_LEVEL=INFO", *opts.set]
    if OwnSettings(settings).get("SCHEDULER_STORE") == REDIS:
        named.append(f"SCHEDULER_STORE={REDIS}")
    if opts.loglevel:
        named.append(f"LOG_LEVEL={opts.loglevel}")
    if opts.nolog:
        named.append("LOG_ENABLED=False")
    named.append(f"MEDIACRAWL_DB={catalogue_path(settings).resolve()}")
    named.append(f"REQUEST_LOG_DIR={log_folder(settings).resolve()}")
    orders = Orders(_PROGRAM, SPIDER, opts.spargs, tuple(named))
    return Plan(int(opts.workers), folder, orders, settings.getfloat("LOGSTATS_INTERVAL", 60.0))


def _share(arguments: Mapping[str, str], settings: BaseSettings, held: ExitStack) -> Server | None:
    """See to it that the workers share a frontier; answers the server, if one had to be started for that.

    Args:
        arguments: of the spider.
        settings: the crawl's, where the server is named afterwards.
        held: what ends the server.

    Raises:
        ArgumentError: the frontier that the settings name is of one process, or there is no crawl to go on with.
        FleetError: the server cannot be started.
    """
    store = store_of(settings)
    if store == REDIS:
        return None
    if store != "sqlite" or (settings.getpriority("SCHEDULER_STORE") or 0) >= SETTINGS_PRIORITIES["cmdline"]:
        raise ArgumentError(
            f"SCHEDULER_STORE={store} is a frontier of one process, and a fleet needs a frontier that its workers"
            " share: leave the setting out, or name a Redis server with REDIS_URL in the environment"
        )
    is_named = redis_url(settings) is not None
    settings.set("SCHEDULER_STORE", REDIS, "cmdline")
    if is_named:
        return None
    folder = state_folder(settings).resolve()
    if (folder / SQLITE_FILE).exists():
        raise ArgumentError(
            f"the crawl in {folder} is one of scrapy crawl, whose frontier is a file, and a fleet cannot go on with it:"
            " name another MEDIACRAWL_DIR, and take along what waits with mediacrawl frontier export and -a seed="
        )
    if not (arguments.get("seed") or is_there(folder) or OwnSettings(settings).getbool("SCHEDULER_WAIT")):
        raise ArgumentError(f"no seed is given and no crawl of a fleet lies in {folder}; begin with -a seed=seeds.txt")
    server = held.enter_context(started(folder, lambda sentence: say(sentence, sys.stderr, flush=True)))
    settings.set("REDIS_URL", server.url, "cmdline")
    return server


def _environment(server: Server | None) -> dict[str, str]:
    """Ours. Scrapy makes a project importable from its folders below, and Python must find us there as well."""
    paths = [os.environ.get("PYTHONPATH", ""), str(Path(cfg).parent) if (cfg := closest_scrapy_cfg()) else ""]
    # Its password must stand in no command line, which all users of a machine can read.
    own = {"REDIS_URL": server.url} if server else {}
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **own}


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
