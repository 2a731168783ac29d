"""Examination of URLs by scope (the one step of a queue that SQL cannot do), and the statements of ``queue.sql``.

The engine passes some thousand URLs at a time. With several processes each of its threads waits for one of them, so
as many work as the engine has threads.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from mediacrawl.frontier.seen import url_key
from mediacrawl.priority import link_class
from mediacrawl.priority.score import Scores
from mediacrawl.records import Drop, Kind
from mediacrawl.scope import NeverCrawlError, ScopeRules
from mediacrawl.scope.candidates import kind_of, parse_seeds
from mediacrawl.scope.canonical import canonical, scheme_of
from mediacrawl.scope.extensions import extension_of
from mediacrawl.scope.include import Include, IncludeError
from mediacrawl.scope.sites import site_of
from mediacrawl.workers import WorkerEndedError, workers


class SegmentError(Exception):
    """The run cannot begin, or cannot go on. The message says what, where, and what to do."""


class MemoryShortError(SegmentError):
    """The engine needs more memory for a statement."""


_name = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)

_comment = re.compile(r"^--.*\n", re.MULTILINE)


@cache
def statements() -> dict[str, str]:
    """The SELECT of each step, by the name that its result has for the steps after it, in their order."""
    text = resources.files("mediacrawl.segment").joinpath("queue.sql").read_bytes().decode()
    _, *parts = _name.split(text)
    return {name: _comment.sub("", body).strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


SEED = "seed:"
"""Stands before what a list of URLs holds that is no whole URL, such as ``site.example``: it is read as a seed."""


class ExaminedUrls(NamedTuple):
    """What is known of URLs, column by column; each list has one entry a URL.

    Attributes:
        url: as it is requested; None if it is no http or https URL.
        site: empty without `url`.
        key: as `frontier.seen.url_key` makes it; None without `url`.
        kind: ``page``, ``media`` or ``list``, by its extension.
        reason: value of `records.Drop`; None if it may join.
    """

    url: list[str | None]
    site: list[str]
    key: list[int | None]
    kind: list[str]
    reason: list[str | None]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a crawl decides by; small, so that it can be sent to another process or machine.

    Attributes:
        today: the date that the calendar rules count from.
        scope: the settings of scope.
        include: file of the whitelist.
        scores: give the score of a URL that has none.
    """

    today: dt.date
    scope: ScopeRules = field(default_factory=ScopeRules)
    include: Path | None = None
    scores: Scores = field(default_factory=Scores)


class Examiner:
    """Examines URLs by rules.

    Args:
        rules: read once, here.

    Raises:
        SegmentError: a file of the rules cannot be used.
    """

    def __init__(self, rules: Rules) -> None:
        try:
            include = Include.load(rules.include) if rules.include else None
            self._scope = rules.scope.scope(lambda: rules.today, include=include)
        except (IncludeError, NeverCrawlError) as error:
            raise SegmentError(f"{str(error).rstrip('.')}.") from error
        except OSError as error:
            raise SegmentError(f"{error.filename} cannot be read: {error.strerror or error}.") from error

    def __call__(self, written: Sequence[str | None]) -> ExaminedUrls:
        """Examine URLs.

        Args:
            written: as pages or people write them; those of lists may have `SEED` before them.
        """
        rows = [self._one(each or "") for each in written]
        return ExaminedUrls(*map(list, zip(*rows, strict=True))) if rows else ExaminedUrls([], [], [], [], [])

    def _one(self, written: str) -> tuple[str | None, str, int | None, str, str | None]:
        url = self._scope.spelled(_seed(written) if written.startswith(SEED) else written)
        if isinstance(url, Drop):
            return None, "", None, "", url
        kind = kind_of(url.key)
        # How deep it lies is known only when all links to it are.
        return url.requested, site_of(url.key), url_key(url.key), kind, self._scope.check(url.key)


def _seed(written: str) -> str:
    """The URL of a seed; of what is none its scheme, which tells why."""
    written = written.removeprefix(SEED)
    seeds, _ = parse_seeds(written, "")
    return seeds[0][1] if seeds else f"{scheme_of(written)}:"


def class_of(url: str) -> str:
    """The name of the link class of a URL.

    Args:
        url: as it is requested.
    """
    return link_class(canonical(url) or url)


def first_score(scores: Scores, kind: str, via: str | None, depth: int | None, url: str) -> float:
    """The score of a URL that has none.

    Args:
        scores: the rules.
        kind: ``page``, ``media`` or ``list``.
        via: door of the link that gives the words; None if that is not known.
        depth: clicks from a seed; None if that is not known.
        url: as it is requested.
    """
    return scores.first(Kind(kind), via or "a", depth or 0, extension_of(url))


Examine = Callable[[Sequence[str | None]], ExaminedUrls]
"""What the engine calls, see `Examiner`."""


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
    try:
        with workers(jobs, Examiner, rules) as examine:
            yield examine
    except WorkerEndedError as error:
        raise SegmentError(f"{error} --jobs takes fewer.") from error
