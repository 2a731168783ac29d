"""``scrapy probe``: probes media files, and shows every request and the evidence."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from itemadapter import ItemAdapter
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, Settings

from mediacrawl.commands import Checked, leave_output, refuse_options, say
from mediacrawl.config.paths import log_folder, state_folder
from mediacrawl.config.policies import probe_policy
from mediacrawl.config.store_names import REDIS, is_of_fleet, store_of
from mediacrawl.crawl.arguments import ArgumentError, check_contact, check_nevercrawl
from mediacrawl.encoding.history import History
from mediacrawl.encoding.records.fixer import Fixer
from mediacrawl.observe.text import printable
from mediacrawl.pipelines.mojibake import HISTORY_FILE, fixer_of
from mediacrawl.probe import Probe, ProbePolicy, build_item
from mediacrawl.probe.claims import expected_by_name
from mediacrawl.probe.report import ProbeReport, ProbeRequest, as_object, fetch_line, lines
from mediacrawl.probe.response import is_media
from mediacrawl.records import Evidence
from mediacrawl.scope import canonical
from mediacrawl.store import json_line

_SWITCHED: dict[str, Any] = {
    # Nothing waits longer than the command runs, and nothing is stored.
    "SCHEDULER_STORE": "memory",
    "ITEM_PIPELINES": {},
    "PRIORITY": "rules",
    "HARVEST_FILE": "",
    "REDIS_URL": "",
    "REDIS_HOST": "",
    "STATS_DUMP": False,
    "STATS_FILE": "",
    "LOG_LEVEL": "WARNING",
}
_EXTENSIONS = ("Progress", "Steering", "Feeding", "StatsFile", "StatusFile", "MetricsPort", "Notify")
"""Extensions of a long crawl that would take the crawl's orders and overwrite its files."""


class Command(Checked, ScrapyCommand):
    """Shows the requests of a probe, their responses, and the record."""

    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        """Arguments of the command."""
        return "[options] URL|FILE [URL|FILE ...]"

    def short_desc(self) -> str:
        """One line for ``scrapy -h``."""
        return "Show one media file: what was fetched, its record and the evidence"

    def long_desc(self) -> str:
        """The help text."""
        return (
            "Probes media files as a crawl does and shows each request, what was read where, the record, and for each"
            " text its bytes, the encoding that was declared and the one that was found. Nothing is stored. A path of a"
            " local file costs no request. URLs are asked for under the crawl's rules: robots.txt, NeverCrawl,"
            " MEDIACRAWL_CONTACT, and the delay between two requests to a site, which is a minute at first"
            " (POLITENESS_FIRST_DELAY); so a file may take some minutes."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's own options and ours."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="for each file one line of JSON with everything")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Probe, and report; the exit code is 1 if one of the files gave no record.

        Raises:
            UsageError: nothing to probe, or a setting or a URL that cannot be used.
        """
        refuse_options(args)
        if not args:
            raise UsageError("name a URL or a file", print_help=False)
        settings = self.settings
        assert isinstance(settings, Settings)
        try:
            fixer = fixer_of(settings, History.load(state_folder(settings) / HISTORY_FILE))
            paths, urls = _sorted_out(args, settings)
            accounts = [_of_file(path, probe_policy(settings), fixer, opts.json) for path in paths]
            if urls:
                accounts += self._of_urls(urls, settings, fixer, opts.json)
            self._show(accounts, as_json=opts.json)
        except ValueError as error:
            raise UsageError(str(error), print_help=False) from error
        except BrokenPipeError:
            leave_output()
        if not all(account.record for account in accounts):
            self.exitcode = 1

    def _show(self, accounts: list[ProbeReport], *, as_json: bool) -> None:
        for account in accounts:
            if as_json:
                say(json_line(as_object(account)))
                continue
            say(f"\n{printable(account.target)}")
            for line in lines(account):
                say(line)
        sys.stdout.flush()

    def _of_urls(self, urls: list[str], settings: Settings, fixer: Fixer, as_json: bool) -> list[ProbeReport]:
        from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415 - it takes a while, and a file has no need of it

        from mediacrawl.commands.single import SingleSpider  # noqa: PLC0415

        process = AsyncCrawlerProcess(_switched(settings))
        crawler = process.create_crawler(SingleSpider)
        if not as_json:
            say("Asked for as a crawl does: after robots.txt, with the site's delay before each request.", flush=True)
        tell = _silent if as_json else _Telling()
        process.crawl(crawler, urls=urls, folder=state_folder(settings), fixer=fixer, tell=tell)
        process.start()
        if process.bootstrap_failed or not isinstance(crawler.spider, SingleSpider):
            return [ProbeReport(url, why="the crawl could not begin; the log says why") for url in urls]
        accounts = list(crawler.spider.accounts.values())
        if crawler.stats is not None and crawler.stats.get_value("finish_reason") != "finished":
            for account in accounts:
                account.why = account.why or "the crawl could not go on; the log says why"
        return accounts


def _sorted_out(words: list[str], settings: BaseSettings) -> tuple[list[Path], list[str]]:
    """Paths, and URLs in canonical form.

    Raises:
        ArgumentError: one is neither, or its server may not be requested.
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
    if urls:
        if store_of(settings) == REDIS or is_of_fleet(settings):
            raise ArgumentError(
                "probe shares the delays of sites with the frontier file of a crawl on this machine; with a fleet or"
                " SCHEDULER_STORE = 'redis' it cannot see what the workers request, so it requests nothing"
            )
        check_contact(settings, urls)
        check_nevercrawl(settings)
    return paths, list(dict.fromkeys(urls))


def _switched(settings: Settings) -> Settings:
    """The settings of a crawl that stores nothing but lines in the request log."""
    switched = settings.copy()
    switched.setdict(_SWITCHED, priority="cmdline")
    switched.set("REQUEST_LOG_DIR", str(log_folder(settings)), priority="cmdline")
    extensions = dict(settings.getdict("EXTENSIONS"))
    for name in extensions:
        if str(getattr(name, "__name__", name)).rpartition(".")[2] in _EXTENSIONS:
            extensions[name] = None
    switched.set("EXTENSIONS", extensions, priority="cmdline")
    return switched


def _silent(target: str, fetch: ProbeRequest) -> None:
    """With ``--json`` the requests are reported at the end."""


class _Telling:
    """Reports each request when it ends, under the URL of its file."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, _: str, fetch: ProbeRequest) -> None:
        if fetch.url != self._last:
            say(printable(fetch.url))
        self._last = fetch.url
        say(fetch_line(fetch), flush=True)


def _of_file(path: Path, policy: ProbePolicy, fixer: Fixer, as_json: bool) -> ProbeReport:
    """Probe a local file by the ranges that would be requested from a server."""
    account, tell = ProbeReport(str(path)), _silent if as_json else _Telling()
    probe = Probe(policy, expected=expected_by_name(path.name))
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
