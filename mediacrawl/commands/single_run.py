"""Runs a spider of a few requests under the crawl's rules, for ``scrapy probe`` and ``scrapy adapters try``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.settings import BaseSettings, Settings

from mediacrawl.config.paths import log_folder, state_folder
from mediacrawl.config.store_names import REDIS, is_of_fleet, store_of
from mediacrawl.crawl.arguments import ArgumentError, check_contact, check_nevercrawl
from mediacrawl.encoding.history import History
from mediacrawl.encoding.records.fixer import Fixer
from mediacrawl.observe.text import printable, say
from mediacrawl.pipelines.mojibake import HISTORY_FILE, fixer_of
from mediacrawl.probe.report import ProbeReport, ProbeRequest, fetch_line

if TYPE_CHECKING:
    from mediacrawl.commands.single import SingleSpider

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
    """The fixer that a crawl of these settings would have now."""
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

    switched = _switched(settings)
    switched.setdict(changes, priority="cmdline")
    process = AsyncCrawlerProcess(switched)
    crawler = process.create_crawler(spider)
    if not is_silent:
        say("Asked for as a crawl does: after robots.txt, with the site's delay before each request.", flush=True)
    tell = _silent if is_silent else Telling()
    process.crawl(crawler, urls=urls, folder=state_folder(settings), fixer=fixer, tell=tell)
    process.start()
    if process.bootstrap_failed or not isinstance(crawler.spider, spider):
        return [ProbeReport(url, why="the crawl could not begin; the log says why") for url in urls]
    accounts = list(crawler.spider.accounts.values())
    if crawler.stats is not None and crawler.stats.get_value("finish_reason") != "finished":
        for account in accounts:
            account.why = account.why or "the crawl could not go on; the log says why"
    return accounts


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


class Telling:
    """Reports each request when it ends, under the URL that it was for."""

    def __init__(self) -> None:
        self._last = ""

    def __call__(self, _: str, fetch: ProbeRequest) -> None:
        """Report a request."""
        if fetch.url != self._last:
            say(printable(fetch.url))
        self._last = fetch.url
        say(fetch_line(fetch), flush=True)
