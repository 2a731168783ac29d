"""``scrapy probe``: probes media files, and shows every request and the evidence."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

from itemadapter import ItemAdapter
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, Settings

from mediacrawl.base.content_type import is_media
from mediacrawl.base.terms import Evidence
from mediacrawl.base.text import printable, say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl.arguments import ArgumentError, check_contact, check_nevercrawl
from mediacrawl.crawl.own_settings import REDIS, is_of_fleet, log_folder, state_folder, store_of
from mediacrawl.crawl.policies import probe_policy
from mediacrawl.encoding import History
from mediacrawl.pipelines.mojibake import HISTORY_FILE, fixer_of
from mediacrawl.probe import Probe, ProbePolicy
from mediacrawl.programs.single import ProbeReport, ProbeRequest, as_object, fetch_line, lines
from mediacrawl.record import Fixer, build_item
from mediacrawl.scope import canonical
from mediacrawl.store import json_line

if TYPE_CHECKING:
    from mediacrawl.programs.single import SingleSpider


_SWITCHED: dict[str, Any] = {
    # Nothing waits longer than the command runs, and nothing is stored.
    "SCHEDULER_STORE": "memory",
    "ITEM_PIPELINES": {},
    "PRIORITY": "rules",
    "REDIS_URL": "",
    "REDIS_HOST": "",
    "STATS_DUMP": False,
    "STATS_FILE": "",
    "LOG_LEVEL": "WARNING",
}
_EXTENSIONS = ("Progress", "Steering", "Feeding", "StatsFile", "StatusFile", "MetricsPort", "Notify")
"""Extensions of a long crawl that would take the crawl's orders and overwrite its files."""


class Command(OwnCommand, ScrapyCommand):
    """Shows the requests of a probe, their responses, and the record."""

    default_settings: ClassVar[dict[str, Any]] = {}

    usage = "[options] URL|FILE [URL|FILE ...]"
    summary = "Show one media file: what was fetched, its record and the evidence"
    description = (
        "Probes media files as a crawl does and shows each request, what was read where, the record, and for each"
        " text its bytes, the encoding that was declared and the one that was found. Nothing is stored. A path of a"
        " local file costs no request. URLs are asked for under the crawl's rules: robots.txt, NeverCrawl,"
        " MEDIACRAWL_CONTACT, and the delay between two requests to a site, which is a minute at first"
        " (POLITENESS_FIRST_DELAY); so a file may take some minutes."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="for each file one line of JSON with everything")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Probe, and report; the exit code is 1 if one of the files gave no record.

        Raises:
            UsageError: nothing to probe, or a setting or a URL that cannot be used.
        """
        if not args:
            raise UsageError("name a URL or a file")
        settings = self._settings
        try:
            fixer = text_fixer(settings)
            paths, urls = _sorted_out(args)
            if urls:
                check_requests(settings, urls, "probe")
            accounts = [_of_file(path, probe_policy(settings), fixer, Telling(opts.json)) for path in paths]
            if urls:
                from mediacrawl.programs.single import SingleSpider  # noqa: PLC0415 - its imports take a while

                accounts += run_single(SingleSpider, urls, settings, fixer, is_silent=opts.json)
        except ValueError as error:
            raise UsageError(str(error)) from error
        for account in accounts:
            if opts.json:
                say(json_line(as_object(account)), as_is=True)
            else:
                say("\n".join([f"\n{printable(account.target)}", *lines(account)]))
        if not all(account.record for account in accounts):
            self.exitcode = 1


def _sorted_out(words: list[str]) -> tuple[list[Path], list[str]]:
    """Return paths, and URLs in canonical form, each once.

    Raises:
        ArgumentError: one is neither.
    """
    paths, urls = [], []
    for word in words:
        url = canonical(word) if "://" in word else None
        if url is not None:
            urls.append(url)
        elif "://" not in word and Path(word).is_file():
            paths.append(Path(word))
        else:
            raise ArgumentError(f"{printable(word)} is no URL that can be asked for, and no file")
    return paths, list(dict.fromkeys(urls))


def _of_file(path: Path, policy: ProbePolicy, fixer: Fixer, tell: Telling) -> ProbeReport:
    """Probe a local file by the ranges that would be requested from a server."""
    account = ProbeReport(str(path))
    probe = Probe(policy, names=[path.name])
    try:
        length = path.stat().st_size
        with path.open("rb") as file:
            while asked := probe.next_range():
                began = perf_counter()
                file.seek(asked[0])
                data = file.read(asked[1] - asked[0])
                fetch = ProbeRequest(
                    str(path), f"bytes {asked[0]}-{asked[1] - 1}", 0, len(data), perf_counter() - began
                )
                account.fetches.append(fetch)
                tell(str(path), fetch)
                probe.feed(asked[0], data, length)
    except OSError as error:
        account.why = f"it cannot be read: {error.strerror}"
        return account
    result = probe.result()
    account.take(result, probe)
    if is_media(result.encoding_format):
        adapter = ItemAdapter(build_item(result, probe, url=path.absolute().as_uri(), evidence=Evidence(via="")))
        fixer.fix(adapter)
        account.record = adapter.asdict()
    else:
        account.why = (account.why if length else "it is empty") or "it is nothing that is known"
    return account


# -- a spider of a few requests under the crawl's rules ----------------------------------------------------------


def check_requests(settings: BaseSettings, urls: list[str], command: str) -> None:
    """Check that URLs may be requested beside a crawl on this machine.

    Raises:
        ArgumentError: the crawl's delays are in Redis, or a server may not be requested.
    """
    if store_of(settings) == REDIS or is_of_fleet(settings):
        raise ArgumentError(
            f"{command} shares the delays of sites with the frontier file of a crawl on this machine; with a fleet or"
            " SCHEDULER_STORE = 'redis' it cannot see what the workers request, so it requests nothing"
        )
    check_contact(settings, urls)
    check_nevercrawl(settings)


def text_fixer(settings: Settings) -> Fixer:
    """Return the fixer that a crawl of these settings would have now."""
    return fixer_of(settings, History.load(state_folder(settings) / HISTORY_FILE))


def run_single(
    spider: type[SingleSpider], urls: list[str], settings: Settings, fixer: Fixer, *, is_silent: bool, **changes: Any
) -> list[ProbeReport]:
    """Run a spider until all its URLs have ended; it tells each request.

    Args:
        spider: the class.
        urls: in canonical form.
        settings: of the command.
        fixer: decodes the texts of records.
        is_silent: whether requests are reported at the end only.
        changes: settings of the spider.

    Returns:
        The report of each URL, and of each that it led to.
    """
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415 - it takes a while, and a local file has no need

    # A crawl that stores nothing but lines in the request log.
    switched = settings.copy()
    extensions = settings.getdict("EXTENSIONS")
    for name in extensions:
        if str(getattr(name, "__name__", name)).rpartition(".")[2] in _EXTENSIONS:
            extensions[name] = None
    own = {"REQUEST_LOG_DIR": str(log_folder(settings)), "EXTENSIONS": extensions}
    switched.setdict({**_SWITCHED, **own, **changes}, priority="cmdline")
    process = AsyncCrawlerProcess(switched)
    crawler = process.create_crawler(spider)
    if not is_silent:
        say("Asked for as a crawl does: after robots.txt, with the site's delay before each request.", flush=True)
    process.crawl(crawler, urls=urls, folder=state_folder(settings), fixer=fixer, tell=Telling(is_silent))
    process.start()
    if process.bootstrap_failed or not isinstance(crawler.spider, spider):
        return [ProbeReport(url, why="the crawl could not begin; the log says why") for url in urls]
    accounts = list(crawler.spider.accounts.values())
    if crawler.stats is not None and crawler.stats.get_value("finish_reason") != "finished":
        for account in accounts:
            account.why = account.why or "the crawl could not go on; the log says why"
    return accounts


class Telling:
    """Reports each request when it ends, under the URL that it was for, unless it is silent."""

    def __init__(self, is_silent: bool = False) -> None:
        self._is_silent = is_silent
        self._last = ""

    def __call__(self, _: str, fetch: ProbeRequest) -> None:
        """Report a request."""
        if self._is_silent:
            return
        if fetch.url != self._last:
            say(printable(fetch.url))
        self._last = fetch.url
        say(fetch_line(fetch), flush=True)
