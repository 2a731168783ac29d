"""``mediacrawl fleet -n 4`` runs several workers of one crawl on this machine."""

from __future__ import annotations

import argparse
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Literal, TextIO

from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.conf import closest_scrapy_cfg

from mediacrawl.base.clock import Clock
from mediacrawl.base.text import printable, say
from mediacrawl.commands.crawl import Command as CrawlCommand
from mediacrawl.commands.own import refuse_options
from mediacrawl.crawl.arguments import ArgumentError, switch
from mediacrawl.crawl.connection import redis_url
from mediacrawl.crawl.crawl_scope import CrawlScope
from mediacrawl.crawl.own_settings import REDIS, OwnSettings, catalogue_path, log_folder, state_folder, store_of
from mediacrawl.extensions.progress import catalogue_command
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.stores import SQLITE_FILE, has_server
from mediacrawl.log.totals import Totals
from mediacrawl.programs.commands.report import gather
from mediacrawl.programs.fleet import (
    FLEET,
    MODULE,
    Fleet,
    FleetContext,
    FleetError,
    FleetPlan,
    RedisServer,
    WorkerCommand,
    lock_folder,
    prefixed,
    running_server,
)
from mediacrawl.watch.facts import run_facts
from mediacrawl.watch.report import CrawlFacts
from mediacrawl.watch.server import MetricsServer
from mediacrawl.watch.status import HISTORY, STATUS

SPIDER = "media"
MOST = 64
"""Workers of a fleet: more processes need more than one machine."""

_PATIENCE = 300.0
"""Seconds that a worker waits for Redis at its start."""


class Command(CrawlCommand):
    """Runs a fleet. Arguments and settings are checked before anything starts, as by ``scrapy crawl``."""

    requires_crawler_process = False

    usage = "[options]"
    summary = "Run several workers of one crawl on this machine"
    description = (
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
        """Add ``-n`` to the options of ``scrapy crawl``."""
        super().add_options(parser)
        parser.add_argument("-n", "--workers", metavar="N", default="2", help="how many workers (default: 2)")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options, and check that the crawl can begin.

        Raises:
            UsageError: it cannot; the message says why and what to do.
        """
        refuse_options(args)
        if opts.help:
            args = [SPIDER]
        elif args:
            raise UsageError(f"a fleet runs the spider {SPIDER} and takes no name: {args[0]!r}")
        if not (opts.workers.isascii() and opts.workers.isdecimal() and 1 <= int(opts.workers[:9]) <= MOST):
            raise UsageError(f"-n {opts.workers} is no number of workers; it goes from 1 to {MOST}")
        if opts.output or opts.overwrite_output:
            raise UsageError(
                "the workers of a fleet would write over each other's -o; their items are in one media.db, see"
                " mediacrawl catalogue -h"
            )
        super().process_options([SPIDER], opts)

    def check(self, spider: str, arguments: dict[str, str], settings: BaseSettings) -> None:
        """As ``scrapy crawl``; also locks the folder and starts the Redis server, which `run` releases.

        Raises:
            ArgumentError: the crawl cannot begin.
        """
        with ExitStack() as held:
            try:
                held.enter_context(lock_folder(state_folder(settings).resolve()))
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
        server, folder = self._server, state_folder(self._settings).resolve()
        try:
            with self._held, _output(self._settings) as output, _stop_signals() as signals:
                if server is not None:
                    what = f"{server.version} at {server.place}, with its data in {server.folder}"
                    output.log(logging.INFO, f"no Redis server is named, and the fleet has started its own: {what}")
                if switch("fresh", opts.spargs.get("fresh", "")):
                    # The other workers would continue the counts of the crawl that is deleted.
                    for path in (*folder.glob(f"worker-*/{STATUS}"), *folder.glob(f"worker-*/{HISTORY}")):
                        path.unlink(missing_ok=True)
                else:
                    _continue_scope(folder)
                context = FleetContext(
                    now=Clock().now,
                    sleep=time.sleep,
                    log=output.log,
                    show=output.show,
                    stop_requests=lambda: len(signals),
                    environment=_environment(server),
                    seeds_joined=_share_scope,
                    totals=partial(_facts, self._settings),
                    fault=server.fault if server else str,
                    inherited=(server.alive,) if server else (),
                )
                with _metrics(self._settings, folder, output):
                    self.exitcode = Fleet(_plan(self._settings, folder, opts), context).run()
        except OSError as error:
            raise UsageError(printable(str(error))) from error


@contextmanager
def _metrics(settings: BaseSettings, folder: Path, output: _CommonLog) -> Iterator[None]:
    """Serve the metrics of all workers, if METRICS_PORT is set."""
    own = OwnSettings(settings)
    host, port = own.getstr("METRICS_HOST"), own.getint("METRICS_PORT")
    if not port:
        yield
        return
    try:
        server = MetricsServer(host, port, folder)
    except (OSError, ValueError) as error:
        output.log(logging.ERROR, f"no metrics: {host} port {port} cannot be used: {error}")
        yield
        return
    output.log(logging.INFO, f"metrics at {server.url}metrics, the report at {server.url}")
    try:
        yield
    finally:
        server.close()


def _plan(settings: BaseSettings, folder: Path, opts: argparse.Namespace) -> FleetPlan:
    # A worker that is restarted while Redis is away waits for it. The user's settings follow, and the last one counts.
    # Each worker's own log has all records; the common log leaves out the routine ones (`fleet.is_routine`).
    named = [f"REDIS_PATIENCE={_PATIENCE:g}", "LOG_LEVEL=INFO", *opts.set]
    if OwnSettings(settings).get("SCHEDULER_STORE") == REDIS:
        named.append(f"SCHEDULER_STORE={REDIS}")
    if opts.loglevel:
        named.append(f"LOG_LEVEL={opts.loglevel}")
    if opts.nolog:
        named.append("LOG_ENABLED=False")
    # The parent serves the sum of its workers.
    named.append("METRICS_PORT=0")
    named.append(f"MEDIACRAWL_DB={catalogue_path(settings).resolve()}")
    named.append(f"REQUEST_LOG_DIR={log_folder(settings).resolve()}")
    command = WorkerCommand((*MODULE, "mediacrawl"), SPIDER, opts.spargs, tuple(named))
    return FleetPlan(int(opts.workers), folder, command, settings.getfloat("LOGSTATS_INTERVAL", 60.0))


def _share(arguments: Mapping[str, str], settings: BaseSettings, held: ExitStack) -> RedisServer | None:
    """Set the frontier that the workers share; answers the Redis server if one had to be started.

    Raises:
        ArgumentError: the frontier that the settings name is of one process, or there is no crawl to continue with.
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
    if not (arguments.get("seed") or has_server(folder) or OwnSettings(settings).getbool("SCHEDULER_WAIT")):
        raise ArgumentError(f"no seed is given and no crawl of a fleet lies in {folder}; begin with -a seed=seeds.txt")
    server = held.enter_context(running_server(folder, lambda sentence: say(sentence, sys.stderr, flush=True)))
    settings.set("REDIS_URL", server.url, "cmdline")
    return server


def _environment(server: RedisServer | None) -> dict[str, str]:
    """Return the environment of the workers."""
    # Scrapy finds a project from its subfolders too; there Python must find it as well.
    paths = [os.environ.get("PYTHONPATH", ""), str(Path(cfg).parent) if (cfg := closest_scrapy_cfg()) else ""]
    # The password must not be in a command line, which all users of a machine can read.
    own = {"REDIS_URL": server.url} if server else {}
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **own}


def _facts(settings: BaseSettings, began: float, before: Totals) -> CrawlFacts:
    """Return the facts of the summary: what the workers have left, killed ones too."""
    try:
        sources, _ = gather(settings, (), began, before)
    except FrontierError:
        # No worker has begun.
        return CrawlFacts(next_command="")
    catalogue, log = next((one.catalogue for one in sources.statuses if one.catalogue), ""), log_folder(settings)
    return replace(
        run_facts(sources),
        catalogue_path=catalogue,
        log_path=str(log) if log.is_dir() else "",
        next_command=catalogue_command(catalogue) if catalogue else "",
    )


def _continue_scope(folder: Path) -> None:
    """Copy the borders of an earlier crawl in this folder to the first worker, if it has none."""
    borders, first = CrawlScope.load(folder), folder / "worker-1"
    if borders is not None and CrawlScope.load(first) is None:
        borders.save(first)


def _share_scope(first: Path, others: list[Path]) -> None:
    """Copy the borders of the first worker, which has read all seeds, to the others: without them they crawl the web.

    Raises:
        OSError: there are none, or they cannot be written.
    """
    borders = CrawlScope.load(first)
    if borders is None:
        raise FileNotFoundError(f"the borders of the crawl cannot be read in {first}")
    for folder in (first.parent, *others):
        borders.save(folder)


# -- output and signals ---------------------------------------------------------------------------------------------


_START = re.compile(r"\S+ \S+ \[mediacrawl\.spiders\.media\] INFO: (?:Start|Resuming): ")


class _CommonLog:
    """The common log of the fleet and its workers.

    Args:
        stream: where it goes; None for nowhere.
        level: the lowest of the fleet's own records, as in `logging`. The workers filter theirs themselves.
    """

    def __init__(self, stream: TextIO | None, level: int) -> None:
        self._stream = stream
        self._level = level
        self._has_start = False

    def log(self, level: int, text: str) -> None:
        """Log for the fleet, with the time, as in the lines of its workers."""
        if level >= self._level:
            when = time.strftime("%Y-%m-%d %H:%M:%S")
            self._write(prefixed(FLEET, f"{when} {logging.getLevelName(level)}: {text}"))

    def show(self, number: int, record: str) -> None:
        """Copy a record of a worker; how the crawl starts only once, for it is the same for all."""
        is_start = _START.match(record) is not None
        if not (is_start and self._has_start):
            self._write(prefixed(number, record))
        self._has_start |= is_start

    def _write(self, text: str) -> None:
        # The fleet continues if its output is closed or the disk is full; each worker has its own log.
        if self._stream is not None:
            with suppress(OSError, ValueError):
                say(text, self._stream, flush=True)


@contextmanager
def _output(settings: BaseSettings) -> Iterator[_CommonLog]:
    named = settings.get("LOG_LEVEL") or "DEBUG"
    level = logging.getLevelName(named.upper()) if isinstance(named, str) else named
    level = level if isinstance(level, int) else logging.DEBUG
    if path := settings.get("LOG_FILE"):
        mode: Literal["a", "w"] = "a" if settings.getbool("LOG_FILE_APPEND", True) else "w"
        with Path(path).open(mode, encoding="utf-8") as stream:
            yield _CommonLog(stream, level)
    else:
        yield _CommonLog(sys.stderr if settings.getbool("LOG_ENABLED", True) else None, level)


@contextmanager
def _stop_signals() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM, and SIGHUP unless it is ignored."""
    received: list[int] = []

    def receive(number: int, _: FrameType | None) -> None:
        # A terminal that is closed may send it twice.
        if number != signal.SIGHUP or not received:
            received.append(number)

    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = {each: signal.signal(each, receive) for each in numbers if signal.getsignal(each) is not signal.SIG_IGN}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
