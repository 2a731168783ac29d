"""What scope says of URLs: the one part of a queue that no SQL engine can do.

The engine asks for some thousand URLs at a time. With several processes each of its threads waits for one of them, so
as many work as the engine has threads.
"""

from __future__ import annotations

import datetime as dt
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from mediacrawl.frontier.seen import url_key
from mediacrawl.records import Drop, Kind
from mediacrawl.scope import MEDIA_EXTENSIONS, ExtensionFilter, NeverCrawl, NeverCrawlError, Scope, Traps
from mediacrawl.scope.canonical import canonical, scheme_of
from mediacrawl.scope.extensions import extension_of
from mediacrawl.scope.include import Include, IncludeError
from mediacrawl.scope.seeds import parse_seeds
from mediacrawl.scope.sites import site_of
from mediacrawl.segment.errors import SegmentError

SEED = "seed:"
"""Stands before what a list of URLs holds that is no whole URL, such as ``site.example``: it is read as a seed."""
_LONGEST_ESCAPE = 9
"""A character may become at most so many of a canonical URL; what is longer is not worth the work."""


class Examined(NamedTuple):
    """What is known of URLs, column by column; each list has one entry a URL.

    Attributes:
        url: canonical; None if it is no http or https URL.
        site: empty without `url`.
        key: as `frontier.seen.url_key` makes it; None without `url`.
        kind: ``page`` or ``media``, by its extension.
        reason: value of `records.Drop`; None if it may join.
    """

    url: list[str | None]
    site: list[str]
    key: list[int | None]
    kind: list[str]
    reason: list[str | None]


@dataclass(frozen=True, slots=True)
class Rules:
    """What scope is made of; small, so that it can be sent to another process or machine.

    Attributes:
        today: the date that the calendar rules count from.
        max_length: characters of a URL.
        extensions: file of extensions that are never asked.
        nevercrawl: files of domains that are never asked.
        include: file of the whitelist.
    """

    today: dt.date
    max_length: int = 2_048
    extensions: Path | None = None
    nevercrawl: tuple[Path, ...] = ()
    include: Path | None = None


class Examiner:
    """Examines URLs by rules.

    Args:
        rules: read once, here.

    Raises:
        SegmentError: a file of the rules cannot be used.
    """

    def __init__(self, rules: Rules) -> None:
        self._longest = rules.max_length * _LONGEST_ESCAPE
        try:
            self.include = Include.load(rules.include) if rules.include else None
            self._scope = Scope(
                today=lambda: rules.today,
                traps=Traps(max_length=rules.max_length),
                extensions=ExtensionFilter.load(rules.extensions) if rules.extensions else None,
                nevercrawl=NeverCrawl.load(rules.nevercrawl, 0.0, float("inf")) if rules.nevercrawl else None,
                include=self.include,
            )
        except (IncludeError, NeverCrawlError) as error:
            raise SegmentError(f"{str(error).rstrip('.')}.") from error
        except OSError as error:
            raise SegmentError(f"{error.filename} cannot be read: {error.strerror or error}.") from error

    def __call__(self, written: Sequence[str | None]) -> Examined:
        """Examine URLs.

        Args:
            written: as pages or people write them; those of lists may have `SEED` before them.
        """
        rows = [self._one(each or "") for each in written]
        return Examined(*map(list, zip(*rows, strict=True))) if rows else Examined([], [], [], [], [])

    def _one(self, written: str) -> tuple[str | None, str, int | None, str, str | None]:
        if len(written) > self._longest:
            return None, "", None, "", Drop.LENGTH
        url = _seed(written) if written.startswith(SEED) else canonical(written)
        if url is None:
            is_other = scheme_of(written.removeprefix(SEED)) not in ("", "http", "https")
            return None, "", None, "", Drop.SCHEME if is_other else Drop.BAD_URL
        kind = Kind.MEDIA if extension_of(url) in MEDIA_EXTENSIONS else Kind.PAGE
        return url, site_of(url), url_key(url), kind, self._scope.check(url)


def _seed(written: str) -> str | None:
    seeds, _ = parse_seeds(written.removeprefix(SEED), "")
    return seeds[0][1] if seeds else None


class Examine(Protocol):
    """What the engine calls."""

    def __call__(self, written: Sequence[str | None]) -> Examined:
        """See `Examiner`."""
        ...


@contextmanager
def examiner(rules: Rules, jobs: int) -> Iterator[Examine]:
    """An examiner of so many processes; with one this process does the work.

    Raises:
        SegmentError: a file of the rules cannot be used, or a process ended by itself.
    """
    own = Examiner(rules)
    if jobs == 1:
        yield own
        return
    # Not fork: threads of the engine may hold locks at that moment.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _start, (rules,))
    try:
        with _undisturbed():
            # The pool starts a process with each task for which none is idle; all are started here, not by the engine.
            for ready in [pool.submit(_examine, []) for _ in range(jobs)]:
                ready.result()
        yield lambda written: pool.submit(_examine, written).result()
    except BrokenProcessPool as error:
        raise SegmentError(
            "A worker process ended by itself; the system may have been short of memory. --jobs takes fewer."
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait: processes that are started meanwhile inherit that it is blocked."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_examiner: Examiner | None = None


def _start(rules: Rules) -> None:
    """Begin a worker process. Ctrl-C is the parent's business; when that is killed, the worker ends too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    global _examiner  # noqa: PLW0603 - a process pool has no other place for it
    _examiner = Examiner(rules)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # Not sys.exit(): the main thread waits for a queue that nobody will ever fill.
        os._exit(1)


def _examine(written: Sequence[str | None]) -> Examined:
    assert _examiner is not None
    return _examiner(written)
