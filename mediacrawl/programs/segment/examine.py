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

from mediacrawl.base.terms import Drop, Kind
from mediacrawl.base.workers import WorkerEndedError, workers
from mediacrawl.frontier.seen import url_key
from mediacrawl.priority import link_class
from mediacrawl.priority.links import Scores
from mediacrawl.scope import NeverCrawlError, Scope, ScopeRules
from mediacrawl.scope.candidates import parse_seeds
from mediacrawl.scope.include import Include, IncludeError
from mediacrawl.scope.urls import canonical, extension_of, kind_of, scheme_of, site_of


class SegmentError(Exception):
    """The run cannot begin, or cannot continue. The message says what, where, and what to do."""


class MemoryShortError(SegmentError):
    """The engine needs more memory for a statement."""


_name = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_comment = re.compile(r"^--.*\n", re.MULTILINE)


@cache
def statements() -> dict[str, str]:
    """Return the SELECT of each step in order, by the name of its result in later steps."""
    text = resources.files("mediacrawl.programs.segment").joinpath("queue.sql").read_bytes().decode()
    _, *parts = _name.split(text)
    return {name: _comment.sub("", body).strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}


SEED = "seed:"
"""Prefix of entries in a list of URLs that are no complete URL, such as ``site.example``: they are parsed as seeds."""


class ExaminedUrls(NamedTuple):
    """The results for URLs, column by column; each list has one entry a URL.

    Attributes:
        url: in requested form; None if it is no http or https URL.
        site: empty without `url`.
        key: of `frontier.seen.url_key`; None without `url`.
        kind: ``page``, ``media`` or ``list``, by its extension.
        reason: value of `base.terms.Drop`; None if scope accepts it.
    """

    url: list[str | None]
    site: list[str]
    key: list[int | None]
    kind: list[str]
    reason: list[str | None]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of scope and priority; small, so that they can be sent to another process or machine.

    Attributes:
        today: the date that the calendar rules count from.
        scope: the settings of scope.
        include: file of the whitelist.
        scores: initial scores of URLs.
    """

    today: dt.date
    scope: ScopeRules = field(default_factory=ScopeRules)
    include: Path | None = None
    scores: Scores = field(default_factory=Scores)


class Examiner:
    """Examines URLs by rules.

    Raises:
        SegmentError: a file of the rules cannot be used.
    """

    def __init__(self, rules: Rules) -> None:
        try:
            include = Include.load(rules.include) if rules.include else None
            self._scope = Scope(lambda: rules.today, rules.scope, include=include)
        except (IncludeError, NeverCrawlError) as error:
            raise SegmentError(f"{str(error).rstrip('.')}.") from error
        except OSError as error:
            raise SegmentError(f"{error.filename} cannot be read: {error.strerror or error}.") from error

    def __call__(self, written: Sequence[str | None]) -> ExaminedUrls:
        """Examine URLs in any spelling; those of lists may have the prefix `SEED`."""
        rows = [self._one(each or "") for each in written]
        return ExaminedUrls(*map(list, zip(*rows, strict=True))) if rows else ExaminedUrls([], [], [], [], [])

    def _one(self, written: str) -> tuple[str | None, str, int | None, str, str | None]:
        url = self._scope.spelled(_seed(written) if written.startswith(SEED) else written)
        if isinstance(url, Drop):
            return None, "", None, "", url
        kind = kind_of(url.key)
        # The depth is known only when all links are.
        return url.requested, site_of(url.key), url_key(url.key), kind, self._scope.check(url.key)


def _seed(written: str) -> str:
    """Return the URL of a seed; the scheme of anything else, which gives the reason."""
    written = written.removeprefix(SEED)
    seeds, _ = parse_seeds(written, "")
    return seeds[0][1] if seeds else f"{scheme_of(written)}:"


def class_of(url: str) -> str:
    """Return the name of the link class of a URL in requested form."""
    return link_class(canonical(url) or url)


def first_score(scores: Scores, kind: str, via: str | None, depth: int | None, url: str) -> float:
    """Return the initial score of a URL in requested form; None for what is unknown of its best link."""
    return scores.first(Kind(kind), via or "a", depth or 0, extension_of(url))


Examine = Callable[[Sequence[str | None]], ExaminedUrls]
"""The type of `Examiner`, as the engine calls it."""


@contextmanager
def examiner(rules: Rules, jobs: int) -> Iterator[Examine]:
    """Yield an examiner with this number of processes; with one, this process does the work.

    Raises:
        SegmentError: a file of the rules cannot be used, or a process ended.
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
