"""``scrapy frontier``: shows and changes a frontier, also while a crawl runs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partialmethod
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from mediacrawl.base.clock import Clock, today
from mediacrawl.base.format import plural
from mediacrawl.base.queued import LINK_CLASS, QueuedRequest
from mediacrawl.base.terms import Candidate, Drop, Kind
from mediacrawl.base.text import printable, printable_lines, say
from mediacrawl.base.urls import is_navigation
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl.arguments import ArgumentError, Arguments
from mediacrawl.crawl.own_settings import REDIS, OwnSettings, locate, log_folder, state_folder, store_of
from mediacrawl.crawl.policies import (
    class_scores,
    delay_policy,
    frontier_policy,
    is_anonymous,
    load_nevercrawl,
    scope_rules,
    site_order,
)
from mediacrawl.crawl.storage import load_learner, open_redis
from mediacrawl.frontier import Frontier, FrontierBusyError, FrontierError
from mediacrawl.frontier.export import is_json, lines_of, seed_lines, write
from mediacrawl.frontier.operator_orders import OrderFolder, SiteOrder, carry_out
from mediacrawl.frontier.refused import NOTE_KIND, RefusedUrls
from mediacrawl.frontier.sqlite.reader import LISTED_ORDERS, LISTED_STATES, FrontierReader, UrlStatus, listed
from mediacrawl.frontier.stores import SQLITE_FILE, open_store
from mediacrawl.log.search import Search, UrlHistory
from mediacrawl.politeness.robots_book import own_url, unpack
from mediacrawl.priority import link_class
from mediacrawl.priority.orders import RECORDS
from mediacrawl.programs.commands.frontier_reader import frontier_named, open_reader
from mediacrawl.programs.fleet import FleetError
from mediacrawl.programs.frontier_tools import (
    UrlNaming,
    check,
    data_url,
    format_overview,
    format_rows,
    format_site,
    format_sites,
    format_url,
    marked,
    page_in_words,
    repair,
    request_in_words,
)
from mediacrawl.scope import NeverCrawlError, Scope, canonical, site_of
from mediacrawl.scope.candidates import Import, parse_seeds
from mediacrawl.scope.urls import authority_of
from mediacrawl.site_adapters import SiteAdapters
from mediacrawl.watch.adapter_counts import NAMESPACE, AdapterCounts
from mediacrawl.watch.status import crawl_folders, states

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from mediacrawl.frontier.redis.reader import RedisReader
    from mediacrawl.site_adapters import SiteAdapter

PATIENCE = 15.0
"""Seconds that a crawl gets to answer an order; it looks for orders each second."""

_BATCH = 1_000


class Command(OwnCommand, ScrapyCommand):
    """Shows a frontier, and carries out an operator's orders.

    While no crawl runs it opens the file under the store's lock. While one runs it only reads the file, and leaves
    orders for the crawl (`OrderFolder`).
    """

    verbs: ClassVar = {
        "stats": None,
        "sites": None,
        "show": "one SITE",
        "why": "one URL",
        "export": None,
        "import": "one FILE",
        "pause": "one SITE",
        "resume": "one SITE",
        "drop": "one SITE",
        "check": None,
        "repair": None,
    }
    failures = (FleetError, FrontierError, NeverCrawlError, ArgumentError)
    usage = (
        "[options] stats | sites | show SITE | why URL | export | import FILE | pause|resume|drop SITE | check | repair"
    )
    summary = "Show what waits to be crawled, and steer it"
    description = (
        "stats: the frontier in numbers. sites: a table of sites (--sort, --state, --limit), where finds are new"
        " records, or what NUGGET_FUNCTION counts. show SITE: its state, clocks and link classes. why URL: where"
        " it waits, or how it ended, or why it never joined, and what was answered last. export: what waits,"
        " sorted by site, as seeds or JSON lines (-o next.txt, next.jl.gz). import FILE: let URLs join, from an"
        " export, a list of seeds or JSON lines. pause, resume, drop SITE: also while a crawl runs. check: whether"
        " the file is sound. repair: save what can be read of one that is not. The frontier is that of"
        " MEDIACRAWL_DIR (or JOBDIR), or with SCHEDULER_STORE=redis that of REDIS_URL; of a fleet that has a Redis"
        " server of its own it is that one's."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        add = parser.add_argument
        add("-o", "--output", metavar="FILE", help="export: seeds, or JSON lines if it ends in .jl; .gz")
        add("--site", metavar="SITE", help="export: only what waits on this site")
        add("--sort", choices=LISTED_ORDERS, default="requests", help="sites: what is first")
        states = f"sites: only those in this state: {', '.join(LISTED_STATES)}"
        add("--state", metavar="STATE", choices=LISTED_STATES, default="all", help=states)
        add("--seeds", metavar="FILE", help="sites: those of a list of seeds, met or not")
        add("--limit", metavar="N", type=int, default=50, help="sites: most lines (default: 50)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the subcommand. Errors go to the standard error, with exit code 1."""
        work, self._opts = self._subcommand(args, "stats"), opts
        self._folder = state_folder(self._settings)
        self._path = self._folder / SQLITE_FILE
        with frontier_named(self._settings):
            work()

    # -- looking ---------------------------------------------------------------------------------------------

    def _stats(self) -> None:
        with open_reader(self._settings) as reader:
            say(format_overview(reader.overview(reader.now), reader.now))

    def _sites(self) -> None:
        if self._opts.limit < 1:
            raise UsageError("--limit must be 1 or more")
        with open_reader(self._settings) as reader:
            now = reader.now
            if self._opts.seeds is not None:
                self._sites_of_seeds(reader, now)
                return
            names = reader.site_names(self._opts.state, now, self._opts.limit, self._opts.sort)
            say(format_sites((info for name in names if (info := reader.site(name, now)) is not None), now))

    def _sites_of_seeds(self, reader: FrontierReader | RedisReader, now: float) -> None:
        """Show which seeds gave nothing: sites of the list, then those that this crawl has not met."""
        seeds, problems = parse_seeds(Path(self._opts.seeds).read_bytes(), self._opts.seeds)
        sites = dict.fromkeys(site_of(url) for _, url in seeds)
        found = {site: info for site in sites if (info := reader.site(site, now)) is not None}
        say(format_sites(listed(found.values(), self._opts.state, self._opts.sort)[: self._opts.limit], now))
        missing = [site for site in sites if site not in found]
        if missing and self._opts.state in {"all", "without finds"}:
            say(f"\n{plural(len(missing), 'site')} of the list that this crawl has not met:")
            say(printable_lines("\n".join(f"  {site}" for site in missing[: self._opts.limit])))
        for problem in problems:
            say(printable(problem), sys.stderr)

    def _show(self, name: str) -> None:
        site = site_of(name)
        with open_reader(self._settings) as reader:
            now = reader.now
            info = reader.site(site, now)
            if info is None:
                self._fail(f"{site} was never met by this crawl")
            else:
                say(format_site(info, reader.rank(site), now))

    def _why(self, written: str) -> None:
        seeds, problems = parse_seeds(written, "URL")
        if problems or not seeds:
            raise FrontierError(f"{written[:200]!r} is no http or https URL")
        url = canonical(seeds[0][1]) or seeds[0][1]
        site = site_of(url)
        with open_reader(self._settings) as reader:
            now = reader.now
            where, adapters = reader.where(url, site, link_class(url)), AdapterRows(self._settings, reader)
            data = None if where.known else adapters.where(url)
            where = data or where
            refusal = self._scope().check(url, any_extension=data is not None)
            if where.known and not where.end and url in RefusedUrls.read(reader.note(NOTE_KIND, "")).urls:
                # Redis does not keep how each URL ended.
                where = replace(where, end=Drop.ADDRESS)
            robots = unpack(reader.note("robots", authority_of(url)) or b"")
            log = log_folder(self._settings)
            search = Search(site)
            lines = list(search.lines(log, "requests")) if log.is_dir() else []
            before, rules = (UrlHistory.of(lines, one, canonical) for one in (url, own_url(authority_of(url))))
            rows = adapters.rows(seeds[0][1], where)
            pages = [str(line["url"]) for line in lines if line.get("kind") == Kind.PAGE]
            # A list of files would name the URL as a link that sorts it or leads to a folder above.
            listing = next((page for page in pages if is_navigation(url, page)), "")
            say(
                format_url(
                    *(seeds[0][1], where, refusal),
                    before=before,
                    rules=rules,
                    robots=robots,
                    now=now,
                    listing=listing,
                    more=rows,
                )
            )
            for flaw in search.flaws:
                say(flaw)
            if where.candidate is not None:
                self._explain(reader, where.candidate)
            info = reader.site(site, now)
            if info is not None and where.candidate is not None:
                say(format_site(info, reader.rank(site), now).splitlines()[0])

    def _explain(self, reader: FrontierReader | RedisReader, found: Candidate) -> None:
        """Print the evidence for and against a link, if the crawl learns."""
        learner = load_learner(self._settings)
        if learner is not None:
            # NumPy takes a quarter of a second.
            from mediacrawl.programs.commands.why import explain  # noqa: PLC0415

            record = reader.note(RECORDS, found.site)
            say(format_rows(explain(found, found.link_class, learner, record).rows()))

    # -- files -----------------------------------------------------------------------------------------------

    def _export(self) -> None:
        only = site_of(self._opts.site) if self._opts.site else None
        with open_reader(self._settings) as reader:
            waiting = reader.waiting(only)
            if self._opts.output in {None, "-"}:
                for line in seed_lines(waiting):
                    sys.stdout.write(printable(line.rstrip("\n")) + "\n")
                return
            number = write(waiting, Path(self._opts.output))
        say(f"{plural(number, 'URL', 'is')} in {self._opts.output}", sys.stderr)

    def _import(self, name: str) -> None:
        path = Path(name)
        with lines_of(path) as lines:
            arrived = Import(self._scope(), class_scores(self._settings), lines, is_json(path))
            try:
                with self._opened() as frontier:
                    urls, new, known = iter(arrived), 0, 0
                    while batch := list(islice(urls, _BATCH)):
                        added = frontier.add(batch)
                        new, known = new + added.new, known + added.known
                        frontier.commit()
                    say(arrived.report(new, known))
            except FrontierBusyError:
                self._post("add", str(path.resolve()))

    # -- orders ----------------------------------------------------------------------------------------------

    def _order(self, verb: SiteOrder, name: str) -> None:
        site = site_of(name)
        if store_of(self._settings) != REDIS and not self._path.exists():
            raise FrontierError(f"there is no frontier in {self._folder.resolve()}")
        try:
            with self._opened() as frontier:
                say(carry_out(frontier, verb, site))
        except FrontierBusyError:
            self._post(verb, site)

    _pause = partialmethod(_order, SiteOrder.PAUSE)
    _resume = partialmethod(_order, SiteOrder.RESUME)
    _drop = partialmethod(_order, SiteOrder.DROP)

    def _post(self, verb: str, what: str) -> None:
        orders = OrderFolder(self._folder)
        answer = orders.wait(orders.post(verb, what), PATIENCE)
        if answer is not None:
            say(answer)
            return
        if verb == "add":
            say(f"the crawl is reading {what}, some 2,000 URLs a second; its log says what joined")
            return
        self._fail(
            f"the crawl has not answered within {PATIENCE:.0f} s; the order stays in {orders.folder},"
            " and it or the next start will carry it out"
        )

    # -- the file --------------------------------------------------------------------------------------------

    def _check(self) -> None:
        if store_of(self._settings) == REDIS:
            self._check_redis()
            return
        if not self._path.exists():
            raise FrontierError(f"there is no frontier in {self._folder.resolve()}")
        report = check(self._path, order=site_order(self._settings), progress=_tell)
        say(printable_lines(str(report)))
        self.exitcode = 0 if report.sound else 1

    def _check_redis(self) -> None:
        from mediacrawl.frontier.redis.reader import check_redis  # noqa: PLC0415 - redis-py takes a tenth of a second

        store = open_redis(self._settings, works=False, now=time.time())
        try:
            problems, sentence = check_redis(store, progress=_tell)
        finally:
            store.close()
        say("\n".join(map(printable, [*problems, sentence])))
        self.exitcode = 1 if problems else 0

    def _repair(self) -> None:
        if store_of(self._settings) == REDIS:
            raise FrontierError(
                "a frontier in Redis is repaired by Redis: redis-check-aof --fix on its append-only file, while it is"
                " stopped"
            )
        if not self._folder.is_dir():
            raise FrontierError(f"there is no frontier in {self._folder.resolve()}")
        policy, order = delay_policy(self._settings), site_order(self._settings)
        naming = UrlNaming(site_of, link_class)
        repaired = repair(self._path, time.time(), naming, policy=policy, order=order, progress=_tell)
        say(printable_lines(str(repaired)))

    # -- what they share -------------------------------------------------------------------------------------

    @contextmanager
    def _opened(self) -> Iterator[Frontier]:
        frontier: Frontier
        if store_of(self._settings) == REDIS:
            frontier = open_redis(self._settings, works=False, now=time.time())
        else:
            clock = Clock()
            policy = frontier_policy(self._settings)
            frontier = open_store("sqlite", self._folder, policy, clock.now(), offset=clock.offset)
        try:
            yield frontier
        finally:
            frontier.close()

    def _scope(self) -> Scope:
        """Return the scope of the crawl in this folder, with the contact that it has had, whatever this command has."""
        arguments = Arguments.read(self._folder)
        nevercrawl = load_nevercrawl(self._settings)
        known = any("MEDIACRAWL_CONTACT" in status.settings for status in states(crawl_folders(self._folder)))
        anonymous = is_anonymous(self._settings) and not known
        return Scope(
            today,
            scope_rules(self._settings),
            nevercrawl=nevercrawl,
            include=arguments.include,
            only_sites=arguments.only_sites,
            loopback_only=anonymous,
        )


def _tell(step: str) -> None:
    """Show the progress of a long task on a terminal."""
    if sys.stderr.isatty():
        say(printable(step), sys.stderr, flush=True)


_LOOKED_AT = 100_000
"""Waiting URLs of a site among which a data request is looked for."""


class AdapterRows:
    """Finds what site adapters have to do with a URL."""

    def __init__(self, settings: BaseSettings, reader: FrontierReader | RedisReader) -> None:
        folder = OwnSettings(settings).getstr("ADAPTERS_DIR")
        self._adapters = SiteAdapters.load(locate(folder)) if folder else SiteAdapters()
        self._reader = reader

    def where(self, url: str) -> UrlStatus | None:
        """Return where the data request for a URL is; None if there is none that is known."""
        site = site_of(url)
        for adapter in self._adapters:
            found = self._reader.where(marked(url, adapter), site, LINK_CLASS)
            if found.known:
                return found
        # One of a chain has a mark that its slots are in.
        for each in islice(self._reader.waiting(site) if len(self._adapters) else (), _LOOKED_AT):
            if each.url.partition("#")[0] == url and QueuedRequest.of(each.evidence) is not None:
                return self._reader.where(each.url, site, each.link_class)
        return None

    def rows(self, url: str, where: UrlStatus) -> Iterator[tuple[str, str]]:
        """Return what is to be told of a URL: as a page of an adapter, and as a data request.

        Args:
            url: of the page or of the data request, as it is requested.
            where: it is.
        """
        found = self._adapters.match(url)
        if found is not None:
            yield "adapter", page_in_words(*found, self._counts(found[0]))
            data, mark = data_url(*found)
            key = canonical(data) if data else None
            if key is not None:
                yield "its data", _state(self._reader.where(f"{key}#{mark}", site_of(key), LINK_CLASS))
        queued = QueuedRequest.of(where.candidate.evidence) if where.candidate is not None else None
        if queued is not None and where.candidate is not None:
            adapter = self._adapters.named(queued.adapter)
            counts = self._counts(adapter) if adapter is not None else AdapterCounts()
            yield "data request", request_in_words(queued, where.candidate.parent, adapter, counts)

    def _counts(self, adapter: SiteAdapter) -> AdapterCounts:
        return AdapterCounts.load(self._reader.note(NAMESPACE, adapter.name), adapter.digest)


def _state(where: UrlStatus) -> str:
    if not where.known:
        return "not asked for yet"
    if where.candidate is None:
        return f"the request has ended: {where.end}" if where.end else "the request has ended"
    return "the request is out" if where.leased else "the request waits"
