"""Reads the arguments of the spiders (``-a name=value``), with one sentence for each mistake."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from mediacrawl.config.paths import state_folder
from mediacrawl.config.policies import contact_of, is_anonymous, load_nevercrawl, reach_of, scope_rules, user_agent_of
from mediacrawl.config.store_names import REDIS, store_of
from mediacrawl.crawl.crawl_scope import CrawlScope
from mediacrawl.crawl.storage import open_redis, redis_client
from mediacrawl.extract import list_form, parse_list
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.stores import SQLITE_FILE, check_store
from mediacrawl.nearest import did_you_mean
from mediacrawl.politeness.identity import agent_problem, contact_problem
from mediacrawl.recheck.stored_records import ItemsError, locate_items
from mediacrawl.scope import NeverCrawlError, site_of, spelling
from mediacrawl.scope.candidates import SeedError, names_domain, parse_seeds, read_seed_source, split_inline
from mediacrawl.scope.hosts import port_of
from mediacrawl.scope.include import Include, IncludeError
from mediacrawl.scope.sites import host_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy.settings import BaseSettings


_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"", "0", "false", "no", "off"})
_LISTS = (".txt", ".lst", ".list", ".csv", ".tsv")
_SHOWN = 20
BELOW = 0.9
"""Confidence, 0 to 1, below which a recheck requests a file again. Of decisions at 0.9 one in ten is wrong."""

SET_CONTACT = "set MEDIACRAWL_CONTACT to a page or mail address of yours (-s MEDIACRAWL_CONTACT=https://...)"


class ArgumentError(ValueError):
    """An argument cannot be used. The message is one sentence for each mistake, one a line: what, where, what to do."""


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
        arguments = cls(fresh=switch("fresh", fresh), stop_below=sites(stop_below))
        given = {"scope": scope, "include": include, "revisit": revisit.strip()}
        arguments.said = frozenset(name for name, value in given.items() if value)
        arguments.before = None if arguments.fresh else CrawlScope.load(folder)
        arguments.borders = _borders(arguments.before or CrawlScope(), scope, include)
        if "revisit" in arguments.said:
            arguments.borders = replace(arguments.borders, revisit=share_of_revisits(revisit, share))
        arguments.include = _include(arguments.borders.include, is_kept="include" not in arguments.said)
        if seed.strip():
            arguments._read_seeds(seed.strip())
        return arguments

    def take_list(self, text: bytes, where: str) -> None:
        """Add the seeds of a list."""
        seeds, problems = parse_seeds(text, where)
        self.problems += problems
        self.seeds += [url for _, url in seeds]

    def check(self, settings: BaseSettings) -> None:
        """Check that the crawl may start.

        Raises:
            ArgumentError: see `check_contact`; or no seed names a port that may be requested.
        """
        check_contact(settings, self.seeds + self.lists)
        self._tell_ports(scope_rules(settings).refused_ports)

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
        """The first problems, and the number of the others."""
        rest = len(self.problems) - _SHOWN
        return self.problems if rest <= 0 else [*self.problems[:_SHOWN], f"and {rest} more lines like these"]

    def _read_seeds(self, seed: str) -> None:
        if _is_one_word(seed):
            self.take_list(*_read_source(seed))
        else:
            parts = split_inline(seed)
            self.lists = [part for part in parts if _is_list(part)]
            urls = [part for part in parts if not _is_list(part)]
            # Bytes that are no UTF-8 come from the shell as surrogates, and leave as the bytes they were.
            self.take_list("\n".join(urls).encode("utf-8", "surrogateescape"), "seed")
        if not self.seeds and not self.lists:
            why = f": {self.problems[0]}" if self.problems else ""
            raise ArgumentError(f"no seed can be used in {seed[:200]!r}{why}")

    def _tell_ports(self, refused: Container[int]) -> None:
        """Note the seeds whose port the scope will refuse."""
        seeds = [(port, url) for url in self.seeds if (port := port_of(url)) in refused]
        told = [f"port {port} is never asked (SCOPE_REFUSED_PORTS): {url[:100]!r}" for port, url in seeds]
        if told and len(told) == len(self.seeds) and not self.lists:
            raise ArgumentError(f"no seed can be used: {told[0]}")
        self.problems += [problem for problem in told if problem not in self.problems]


def _is_one_word(argument: str) -> bool:
    """Whether an argument is the name of a list, or a domain, and no URLs."""
    return argument.startswith("pkg:") or not any(mark in argument for mark in ("://", "\n", ","))


def _read_source(argument: str) -> tuple[bytes, str]:
    """A list of seeds by its name, or a domain; and its name for remarks."""
    try:
        return read_seed_source(argument, Path.cwd())
    except SeedError as error:
        if names_domain(argument):
            return argument.encode("utf-8", "surrogateescape"), argument
        raise ArgumentError(f"{error}{_hint(argument)}") from error


def _hint(seed: str) -> str:
    """The end of the sentence about a list that is not there."""
    path = Path(seed).expanduser()
    with suppress(OSError, ValueError):
        if like := did_you_mean(path.name, [each.name for each in path.parent.iterdir()]):
            return like
    is_list = seed.lower().endswith(_LISTS) or not parse_seeds(seed, "")[0]
    return "" if is_list else f"; if it is a domain, write https://{seed}"


@dataclass(frozen=True, slots=True)
class RecheckArguments:
    """The arguments of the spider ``recheck``.

    Attributes:
        items: the catalogue, or the file of JSON lines.
        below: confidence, 0 to 1, below which a decision is doubtful.
        fresh: delete an interrupted round.
    """

    items: Path
    below: float
    fresh: bool

    @classmethod
    def read(cls, folder: Path, items: str = "", below: str = "", fresh: str = "") -> Self:
        """Read the arguments of the command line.

        Raises:
            ArgumentError: one of them cannot be used.
        """
        if not items.strip():
            raise ArgumentError("say whose records to look at: -a items=media.db, or a file of JSON lines")
        try:
            path = locate_items(items.strip(), folder)
        except ItemsError as error:
            raise ArgumentError(str(error)) from error
        return cls(path, confidence(below) if below else BELOW, switch("fresh", fresh))


def sites(text: str) -> int:
    """Read ``stop_below``: a number of sites, 0 for none.

    Raises:
        ArgumentError: it is no whole number.
    """
    if not text.strip():
        return 0
    if not text.strip().isdecimal():
        raise ArgumentError(f"stop_below={text} is no number of sites; it is a whole one, as in stop_below=100")
    return int(text)


def share_of_revisits(text: str, share: float = 1.0) -> float:
    """Read ``revisit``: the share of the requests that may be revisits; 0 for none.

    Raises:
        ArgumentError: it is none of these.
    """
    text = text.strip()
    if text.lower() in _FALSE:
        return 0.0
    if text.lower() in _TRUE:
        return share
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number <= 1:
        raise ArgumentError(
            f"revisit={text} is neither yes nor no nor a share of the requests; that is above 0 and at most 1, "
            "as in revisit=0.1"
        )
    return number


def confidence(text: str) -> float:
    """Read ``below``: a confidence, 0 to 1.

    Raises:
        ArgumentError: it is none.
    """
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ArgumentError(f"below={text} is no confidence; it goes from 0 to 1, as in below=0.9")
    return number


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
    if url is None:
        return
    if anonymous:
        raise ArgumentError(f"{url} is somebody's server, and the crawler has no address to complain to; {SET_CONTACT}")
    raise ArgumentError(
        f"{url} is somebody's server, and from there MEDIACRAWL_CONTACT = {contact!r} leads nowhere; {SET_CONTACT}"
    )


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


def check_frontiers(settings: BaseSettings, own: Path, *, fresh: bool) -> None:
    """As `check_frontier`, for a spider with a frontier of its own; that of the media crawl is checked, too.

    Raises:
        ArgumentError: another crawl works there, or one of them cannot be used.
    """
    check_frontier(settings, own, fresh=fresh)
    folder = state_folder(settings)
    if (folder / SQLITE_FILE).exists():
        check_frontier(settings, folder, fresh=False)


def _is_list(url: str) -> bool:
    path = url.partition("?")[0].partition("#")[0]
    return url.startswith(("http://", "https://")) and path.lower().endswith(_LISTS)


def same_site(text: str) -> bool:
    """Read ``scope``: whether the crawl keeps to the sites of its seeds.

    Raises:
        ArgumentError: it is neither ``web`` nor ``site``, nor left out.
    """
    if text not in {"", "web", "site"}:
        raise ArgumentError(f"scope={text} is not known; use scope=web (the default) or scope=site")
    return text == "site"


def _borders(before: CrawlScope, scope: str, include: str) -> CrawlScope:
    return replace(
        before,
        same_site=same_site(scope) if scope else before.same_site,
        include=str(Path(include).resolve()) if include else before.include,
    )


def switch(name: str, text: str) -> bool:
    """Read a yes or no.

    Raises:
        ArgumentError: it is neither.
    """
    if text.lower() not in _TRUE | _FALSE:
        raise ArgumentError(f"{name}={text} is neither yes nor no; use {name}=1 or leave it out")
    return text.lower() in _TRUE


def _include(path: str, *, is_kept: bool) -> Include | None:
    if not path:
        return None
    try:
        return Include.load(Path(path))
    except IncludeError as error:
        kept = "\nthe crawl here began with this whitelist; -a include=FILE names another one, -a fresh=1 starts over"
        raise ArgumentError(f"{error}{kept if is_kept else ''}") from error


_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class FeedsArguments:
    """The arguments of the spider ``feeds``.

    Attributes:
        urls: sources, as they are requested; none for those of the earlier run.
        problems: one sentence for each line that could not be used.
        rounds: end after so many; 0 for never.
        fresh: delete the known sources.
    """

    urls: tuple[str, ...]
    problems: tuple[str, ...]
    rounds: int
    fresh: bool

    @classmethod
    def read(cls, feeds: str = "", rounds: str = "", fresh: str = "") -> Self:
        """Read the arguments of the command line.

        Raises:
            ArgumentError: one of them cannot be used.
        """
        urls, problems = _read_list(feeds.strip()) if feeds.strip() else ([], [])
        if feeds.strip() and not urls:
            why = f": {problems[0]}" if problems else ""
            raise ArgumentError(f"no feed can be used in {feeds[:200]!r}{why}")
        return cls(tuple(dict.fromkeys(urls)), tuple(problems), rounds_of(rounds), switch("fresh", fresh))


def rounds_of(text: str) -> int:
    """Read ``rounds``: a number of rounds, 0 for no end.

    Raises:
        ArgumentError: it is no whole number.
    """
    written = text.strip()
    if written and not (written.isdecimal() and len(written) <= _MOST_DIGITS):
        raise ArgumentError(f"rounds={text[:40]} is no number of rounds; it is a whole one, as in rounds=1")
    return int(written or 0)


def _read_list(feeds: str) -> tuple[list[str], list[str]]:
    if not _is_one_word(feeds):
        text, where = "\n".join(split_inline(feeds)).encode("utf-8", "surrogateescape"), "feeds"
    else:
        text, where = _read_source(feeds)
        if list_form("", text, "") == "opml":
            found = {link.href: spelling(link.href) for link in parse_list("opml", text, "").links}
            unusable = [f"{where}: no URL of http or https: {href[:200]!r}" for href, url in found.items() if not url]
            return [url.requested for url in found.values() if url], unusable
    seeds, problems = parse_seeds(text, where)
    return [url for _, url in seeds], problems
