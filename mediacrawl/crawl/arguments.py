"""The arguments of the spiders (``-a name=value``): declared, listed by ``-h``, and read with a sentence a mistake."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from mediacrawl.base.nearest import did_you_mean, nearest
from mediacrawl.base.text import printable
from mediacrawl.crawl.crawl_scope import CrawlScope
from mediacrawl.crawl.own_settings import REDIS, store_of
from mediacrawl.crawl.policies import contact_of, is_anonymous, load_nevercrawl, reach_of, scope_rules, user_agent_of
from mediacrawl.crawl.storage import open_redis, redis_client
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.stores import check_store
from mediacrawl.politeness.identity import agent_problem, contact_problem
from mediacrawl.scope import NeverCrawlError, site_of
from mediacrawl.scope.candidates import SeedError, names_domain, parse_seeds, read_seed_source, split_inline
from mediacrawl.scope.include import Include, IncludeError
from mediacrawl.scope.urls import host_of, port_of

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"", "0", "false", "no", "off"})
_LISTS = (".txt", ".lst", ".list", ".csv", ".tsv")
_SHOWN = 20
_MOST_DIGITS = 9
_COLUMN, _WIDTH = 22, 79
_OF_OTHERS = "_"
"""First character of names that are not checked: scrapyd passes ``_job`` and ``_version``."""
SET_CONTACT = "set MEDIACRAWL_CONTACT to a page or mail address of yours (-s MEDIACRAWL_CONTACT=https://...)"


class ArgumentError(ValueError):
    """An argument cannot be used. The message is one sentence for each mistake, one a line: what, where, what to do."""


# -- declared arguments --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a spider.

    Attributes:
        name: as it is typed.
        value: placeholder of its value in ``-h``.
        text: its description.
        check: raises `ArgumentError` for a value that is wrong in itself, whatever is on disk.
    """

    name: str
    value: str
    text: str
    check: Callable[[str], object] = str


def mistakes(given: Mapping[str, str], spider: type[Any]) -> list[str]:
    """Return a sentence for each argument that a spider does not take, and for each value that is wrong in itself.

    Args:
        given: the arguments as they were typed.
        spider: its class. One without `takes` has none of ours to check; a subclass of ours outside mediacrawl takes
            others too, unless it declares `takes` itself.
    """
    known = {argument.name: argument for argument in getattr(spider, "takes", ())}
    is_strict = "takes" in vars(spider) or (known and spider.__module__.startswith("mediacrawl."))
    told = []
    for name, value in given.items():
        if name in known:
            try:
                known[name].check(value)
            except ArgumentError as error:
                told.append(str(error))
        elif is_strict and not name.startswith(_OF_OTHERS):
            alike = nearest(name, known)
            hint = f"did you mean {alike}?" if alike else f"it takes {', '.join(known)}"
            told.append(f"-a {printable(name)}= is no argument of the spider {spider.name}; {hint}")
    return told


def refuse_unknown(others: Mapping[str, Any], spider: type[Any]) -> None:
    """Check that a spider got no argument other than those that it takes.

    Raises:
        ArgumentError: it got one.
    """
    if told := mistakes(others, spider):
        raise ArgumentError("\n".join(told))


def listed(takes: Sequence[Argument], spider: str) -> str:
    """Return the arguments as ``-h`` shows them, in lines of 79 characters at most."""
    title = f"Arguments Of The Spider {spider}"
    lines = [title, "=" * len(title)]
    for argument in takes:
        head, text = f"  -a {argument.name}={argument.value}", wrap(argument.text, _WIDTH - _COLUMN - 2)
        first = text.pop(0) if len(head) < _COLUMN else ""
        lines += [f"{head:<{_COLUMN}}  {first}".rstrip(), *(f"{'':<{_COLUMN}}  {line}" for line in text)]
    return "\n".join(lines)


# -- values --------------------------------------------------------------------------------------------------------


def switch(name: str, text: str) -> bool:
    """Read a yes or no.

    Raises:
        ArgumentError: it is neither.
    """
    if text.lower() not in _TRUE | _FALSE:
        raise ArgumentError(f"{name}={text} is neither yes nor no; use {name}=1 or leave it out")
    return text.lower() in _TRUE


def whole(name: str, text: str) -> int:
    """Read a whole number, 0 for none.

    Raises:
        ArgumentError: it is none.
    """
    written = text.strip()
    if written and not (written.isascii() and written.isdecimal() and len(written) <= _MOST_DIGITS):
        raise ArgumentError(f"{name}={text[:40]} is no whole number; write it as in {name}=1")
    return int(written or 0)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


def share_of_revisits(text: str, share: float = 1.0) -> float:
    """Read ``revisit``: the share of the requests that may be revisits; 0 for none.

    Raises:
        ArgumentError: it is neither yes nor no nor a share.
    """
    text = text.strip()
    if text.lower() in _TRUE | _FALSE:
        return share if text.lower() in _TRUE else 0.0
    if not 0 < _number(text) <= 1:
        raise ArgumentError(
            f"revisit={text} is neither yes nor no nor a share of the requests; that is above 0 and at most 1, "
            "as in revisit=0.1"
        )
    return float(text)


def confidence(text: str) -> float:
    """Read ``below``: a confidence, 0 to 1.

    Raises:
        ArgumentError: it is none.
    """
    if not 0 <= _number(text) <= 1:
        raise ArgumentError(f"below={text} is no confidence; it goes from 0 to 1, as in below=0.9")
    return float(text)


def same_site(text: str) -> bool:
    """Read ``scope``: whether the crawl keeps to the sites of its seeds.

    Raises:
        ArgumentError: it is neither ``web`` nor ``site``, nor left out.
    """
    if text not in {"", "web", "site"}:
        raise ArgumentError(f"scope={text} is not known; use scope=web (the default) or scope=site")
    return text == "site"


def _is_one_word(argument: str) -> bool:
    """Return whether an argument is the name of a list, or a domain, and no URLs."""
    return argument.startswith("pkg:") or not any(mark in argument for mark in ("://", "\n", ","))


def _is_list(url: str) -> bool:
    path = url.partition("?")[0].partition("#")[0]
    return url.startswith(("http://", "https://")) and path.lower().endswith(_LISTS)


def read_source(argument: str, where: str) -> tuple[bytes, str]:
    """Return a list of URLs, and its name for remarks.

    Args:
        argument: the name of a list, or a domain, or URLs.
        where: the name for remarks on URLs.
    """
    if not _is_one_word(argument):
        # Bytes that are no UTF-8 come from the shell as surrogates, and leave as the bytes they were.
        return "\n".join(split_inline(argument)).encode("utf-8", "surrogateescape"), where
    try:
        return read_seed_source(argument, Path.cwd())
    except SeedError as error:
        if names_domain(argument):
            return argument.encode("utf-8", "surrogateescape"), argument
        path, hint = Path(argument).expanduser(), ""
        with suppress(OSError, ValueError):
            hint = did_you_mean(path.name, [each.name for each in path.parent.iterdir()])
        if not hint and not argument.lower().endswith(_LISTS) and parse_seeds(argument, "")[0]:
            hint = f"; if it is a domain, write https://{argument}"
        raise ArgumentError(f"{error}{hint}") from error


# -- the arguments of the spiders ----------------------------------------------------------------------------------


@dataclass(slots=True)
class Arguments:
    """The arguments of the spider ``media``.

    Attributes:
        seeds: the first URLs, in canonical form.
        lists: http(s) URLs of lists of seeds, fetched when the crawl starts.
        problems: one sentence for each line of a seed list that could not be used.
        borders: the scope of the crawl, without the sites of the seeds.
        include: the whitelist, if there is one.
        fresh: delete the frontier of an earlier crawl.
        stop_below: end when fewer sites have waiting URLs, after more had; 0 for never.
        said: names of the arguments on the scope that the user gave; `borders` has the values in force.
        before: the borders of the resumed crawl; None for a new one.
    """

    seeds: list[str] = field(default_factory=list)
    lists: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    borders: CrawlScope = field(default_factory=CrawlScope)
    include: Include | None = None
    fresh: bool = False
    stop_below: int = 0
    said: frozenset[str] = frozenset()
    before: CrawlScope | None = None

    @classmethod
    def read(
        cls,
        folder: Path,
        *,
        seed: str = "",
        scope: str = "",
        include: str = "",
        fresh: str = "",
        stop_below: str = "",
        revisit: str = "",
        share: float = 0.2,
    ) -> Arguments:
        """Read the arguments of the command line, and the borders of the resumed crawl.

        Args:
            folder: the crawl's state folder.
            seed: a path, ``pkg:package/file``, the URL of a list, or URLs or domains themselves, by comma or line.
            scope: ``web`` or ``site``; left out, as the crawl began, at first ``web``.
            include: path of a whitelist; left out, as the crawl began.
            fresh: yes or no.
            stop_below: a number of sites.
            revisit: yes, no, or a share of the requests; left out, as the crawl began.
            share: the share that yes means (REVISIT_SHARE).

        Raises:
            ArgumentError: one of them cannot be used.
        """
        arguments = cls(fresh=switch("fresh", fresh), stop_below=whole("stop_below", stop_below))
        given = {"scope": scope, "include": include, "revisit": revisit.strip()}
        arguments.said = frozenset(name for name, value in given.items() if value)
        arguments.before = None if arguments.fresh else CrawlScope.load(folder)
        before = arguments.before or CrawlScope()
        arguments.borders = replace(
            before,
            same_site=same_site(scope) if scope else before.same_site,
            include=str(Path(include).resolve()) if include else before.include,
            revisit=share_of_revisits(revisit, share) if "revisit" in arguments.said else before.revisit,
        )
        arguments.include = _include(arguments.borders.include, is_kept="include" not in arguments.said)
        if seed.strip():
            arguments._read_seeds(seed.strip())
        return arguments

    def _read_seeds(self, seed: str) -> None:
        if not _is_one_word(seed):
            self.lists = [part for part in split_inline(seed) if _is_list(part)]
            seed = "\n".join(part for part in split_inline(seed) if not _is_list(part))
        if seed:
            self.take_list(*read_source(seed, "seed"))
        if not self.seeds and not self.lists:
            why = f": {self.problems[0]}" if self.problems else ""
            raise ArgumentError(f"no seed can be used in {seed[:200]!r}{why}")

    def take_list(self, text: bytes, where: str) -> None:
        """Add the seeds of a list."""
        seeds, problems = parse_seeds(text, where)
        self.problems += problems
        self.seeds += [url for _, url in seeds]

    def check(self, settings: BaseSettings) -> None:
        """Check that the crawl may start, and note the seeds whose port the scope will refuse.

        Raises:
            ArgumentError: see `check_contact`; or no seed names a port that may be requested.
        """
        check_contact(settings, self.seeds + self.lists)
        refused = scope_rules(settings).refused_ports
        told = [
            f"port {port} is never asked (SCOPE_REFUSED_PORTS): {url[:100]!r}"
            for url in self.seeds
            if (port := port_of(url)) in refused
        ]
        if told and len(told) == len(self.seeds) and not self.lists:
            raise ArgumentError(f"no seed can be used: {told[0]}")
        self.problems += [problem for problem in told if problem not in self.problems]

    def adopt(self, borders: CrawlScope, before: CrawlScope | None) -> None:
        """Use the borders of the crawl that this process is a worker of; `before` are those before it started.

        Raises:
            ArgumentError: its whitelist cannot be read here.
        """
        if borders.include != self.borders.include:
            self.include = _include(borders.include, is_kept=True)
        self.borders, self.before = borders, before

    @property
    def sites(self) -> frozenset[str]:
        """The sites of all seeds, including those of earlier starts."""
        return self.borders.sites | {site_of(url) for url in self.seeds}

    @property
    def only_sites(self) -> frozenset[str] | None:
        """The sites to keep to; None for the whole web."""
        return self.sites if self.borders.same_site else None

    def report(self) -> list[str]:
        """Return the first problems, and the number of the others."""
        rest = len(self.problems) - _SHOWN
        return self.problems if rest <= 0 else [*self.problems[:_SHOWN], f"and {rest} more lines like these"]


def _include(path: str, *, is_kept: bool) -> Include | None:
    try:
        return Include.load(Path(path)) if path else None
    except IncludeError as error:
        kept = "\nthe crawl here began with this whitelist; -a include=FILE names another one, -a fresh=1 starts over"
        raise ArgumentError(f"{error}{kept if is_kept else ''}") from error


# -- whether a crawl may start -------------------------------------------------------------------------------------


def check_contact(settings: BaseSettings, urls: Iterable[str]) -> None:
    """Check that the operator of a site, by URLs in canonical form, can find the operator of the crawl.

    Raises:
        ArgumentError: there is no usable contact, or the User-Agent does not name it.
    """
    contact, agent, anonymous = contact_of(settings), user_agent_of(settings), is_anonymous(settings)
    if not anonymous:
        if problem := contact_problem(contact):
            raise ArgumentError(f"MEDIACRAWL_CONTACT = {contact!r} {problem}; {SET_CONTACT}")
        if problem := agent_problem(agent, contact):
            raise ArgumentError(f"USER_AGENT = {agent!r} {problem}")
    reach = reach_of(settings)
    url = next((url for url in urls if not reach.covers(host_of(url))), None)
    if url is not None:
        why = f"from there MEDIACRAWL_CONTACT = {contact!r} leads nowhere"
        why = "the crawler has no address to complain to" if anonymous else why
        raise ArgumentError(f"{url} is somebody's server, and {why}; {SET_CONTACT}")


def check_nevercrawl(settings: BaseSettings) -> None:
    """Check that the NeverCrawl list can be read.

    Raises:
        ArgumentError: it cannot; a crawl without its list must not start.
    """
    try:
        load_nevercrawl(settings)
    except NeverCrawlError as error:
        raise ArgumentError(f"{error} (setting NEVERCRAWL_FILES)") from error


def check_frontier(settings: BaseSettings, folder: Path, *, fresh: bool) -> None:
    """Check that no other crawl uses the state folder, and that its files can be read and written.

    Raises:
        ArgumentError: one does, or it cannot.
    """
    store = store_of(settings)
    try:
        if store == REDIS and fresh:
            from mediacrawl.frontier.redis.store import check_deletable  # noqa: PLC0415 - most crawls use no Redis

            client, prefix, server = redis_client(settings)
            check_deletable(client, prefix, server)
        elif store == REDIS:
            open_redis(settings, works=False, now=time.time()).close()
        else:
            check_store(store, folder, fresh=fresh)
    except FrontierError as error:
        raise ArgumentError(str(error)) from error
