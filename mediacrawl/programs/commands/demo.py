"""``scrapy demo``: crawls a small web on loopback with the real spider, and delays of tenths of a second."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import shlex
import shutil
import sys
import threading
from pathlib import Path
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, Settings

from mediacrawl.base.text import printable, say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl.own_settings import catalogue_path
from mediacrawl.programs.commands.report import REPORT, gather
from mediacrawl.programs.demo import LEGACY_ENCODINGS, NAMES, DemoServer, DemoSites
from mediacrawl.programs.report import report_page
from mediacrawl.scope import canonical
from mediacrawl.store import Catalogue, StoreError
from mediacrawl.watch.facts import make_report
from mediacrawl.watch.worker_stats import put

_SCALE: dict[str, Any] = {
    # A hundredth of the real delays, so that a crawl of minutes takes seconds.
    "POLITENESS_FACTOR": 3.0,
    "POLITENESS_MIN_DELAY": 0.15,
    # All hosts of this web have one address.
    "POLITENESS_ADDRESS_FACTOR": 0.0,
    "POLITENESS_ADDRESS_MIN_DELAY": 0.0,
    "POLITENESS_MAX_DELAY": 5.0,
    "POLITENESS_FIRST_DELAY": 0.2,
    "SCOPE_MAX_DEPTH": 12,
    "MEDIACRAWL_CONTACT": "http://localhost/the-mediacrawl-demo",
}
_REACHED = """\
Its names are known to nobody else. Ctrl-C ends it. They are reached
  in a crawl      with -s RESOLVER_HOSTS='{"NAME": "127.0.0.1"}'
  in a browser    with chromium --host-resolver-rules="MAP *.example 127.0.0.1"
"""
_NEVER, _ADAPTERS = "NeverCrawl.txt", "adapters"
"""Files of the demo's folder that the crawl reads."""


class Command(OwnCommand, ScrapyCommand):
    """Crawls the demo web, in any project."""

    default_settings: ClassVar[dict[str, Any]] = {}

    usage = "[options]"
    summary = "Crawl a small web on this machine, to see what mediacrawl does"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """The options."""
        super().add_options(parser)
        parser.add_argument("--folder", default="demo-crawl", help="where records and logs go (default: demo-crawl)")
        parser.add_argument(
            "--port", type=int, default=0, help="of the web, a part of all its URLs (default: a free one)"
        )
        parser.add_argument("--serve", action="store_true", help="only serve the web, until Ctrl-C")

    def run(self, _: list[str], opts: argparse.Namespace) -> None:
        """Serve the web, crawl it, and sum up.

        Raises:
            UsageError: the port cannot be used.
        """
        try:
            server = DemoServer(opts.port)
        except (OSError, OverflowError) as error:
            # The message of an overflow names a range.
            why = error.strerror if isinstance(error, OSError) else "it is not in 0 to 65535"
            raise UsageError(f"port {opts.port} cannot be used: {why}") from error
        with server:
            if opts.serve:
                self._serve(server.sites)
            else:
                self._crawl(server.sites, Path(opts.folder))

    def _serve(self, web: DemoSites) -> None:
        say("\n  ".join(["The demo web answers on loopback. Its seeds:", *web.seeds]))
        say(_REACHED, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()

    def _crawl(self, web: DemoSites, folder: Path) -> None:
        from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415 - it takes a while, and --serve has no need

        from mediacrawl.extensions import Progress  # noqa: PLC0415

        _empty(folder)
        (folder / _NEVER).write_text(web.never_crawl, encoding="utf-8")
        (folder / _ADAPTERS).mkdir()
        for name, body in web.adapters.items():
            (folder / _ADAPTERS / name).write_bytes(body)
        say(f"A web of {len(web.hosts)} hosts on loopback; one request to a site at a time.\n", flush=True)
        process = AsyncCrawlerProcess(self._scaled(web, folder))
        _talk()
        crawler = process.create_crawler("media")
        process.crawl(crawler, seed="\n".join(web.seeds))
        process.start()
        if process.bootstrap_failed:
            self.exitcode = 1
            return
        progress = crawler.get_extension(Progress)
        say(f"\n{progress.text}" if progress else "")
        say(f"\n  {_titles(web, catalogue_path(crawler.settings))}")
        sources, _ = gather(crawler.settings, [folder])
        put(folder / REPORT, report_page(make_report(sources)))
        say(f"  the report is in {printable(str(folder / REPORT))}: open it in a browser")
        say(f"\n{_how_to_crawl()}")
        if crawler.stats.get_value("finish_reason") != "finished":
            self.exitcode = 1

    def _scaled(self, web: DemoSites, folder: Path) -> Settings:
        """Mediacrawl's settings, scaled; ``-s`` takes precedence."""
        settings = Settings()
        settings.setmodule("mediacrawl.settings", priority="project")
        settings.setdict(_SCALE, priority="spider")
        settings.setdict(
            {
                "MEDIACRAWL_DIR": str(folder),
                "RESOLVER_HOSTS": web.hosts,
                "NEVERCRAWL_FILES": [str(folder / _NEVER)],
                "NEVERCRAWL_RELOAD": 1.0,
                "ADAPTERS_DIR": str(folder / _ADAPTERS),
                "PROGRESS_SUMMARY": False,
                "LOGSTATS_INTERVAL": 3.0,
                "STATS_DUMP": False,
                "LOG_LEVEL": "WARNING",
            },
            priority="spider",
        )
        for name in self._settings:
            if (self._settings.getpriority(name) or 0) >= SETTINGS_PRIORITIES["cmdline"]:
                settings.set(name, self._settings[name], priority="cmdline")
        return settings


def _titles(web: DemoSites, path: Path) -> str:
    """How many titles the catalogue shows correctly; and a line for each wrong one, with its URL and both titles."""
    try:
        with Catalogue(path, read_only=True) as catalogue:
            # A record has the URL as it was spelled where it was found first; another page may spell it otherwise.
            shown = {canonical(record["content_url"]): record["title"] for record in catalogue.newest()}
    except StoreError as error:
        return f"titles cannot be compared: {printable(str(error))}"
    wrong = [
        f"\n    {url} has {repr(shown[url]) if shown.get(url) else 'no title'}, not {NAMES[name].title!r}"
        for url, name in web.files.items()
        if shown.get(url) != NAMES[name].title
    ]
    total = len(web.files)
    codecs = len({LEGACY_ENCODINGS[name] for name in web.files.values() if name in LEGACY_ENCODINGS})
    summary = f"titles shown right: {total - len(wrong)} of {total} ({codecs} encodings that the files do not declare)"
    return summary + "".join(wrong)


def _how_to_crawl() -> str:
    """The command line for a real crawl, with the path of a virtual environment that is not in PATH."""
    program = Path(sys.executable).with_name("mediacrawl")
    words = "crawl media -a seed=seeds.txt \\\n              -s MEDIACRAWL_CONTACT=https://example.org/about-my-crawler"
    if not program.exists() or ((known := shutil.which("mediacrawl")) and program.samefile(known)):
        return f"  to crawl    mediacrawl {words}"
    folder = Path(os.path.relpath(program.parent))
    return (
        f"  to crawl    {shlex.quote(str(folder / 'mediacrawl'))} {words}\n"
        f"              or first . {shlex.quote(str(folder / 'activate'))}, then this shell knows scrapy and mediacrawl"
    )


def _talk() -> None:
    """Log mediacrawl's messages at INFO."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    ours = logging.getLogger("mediacrawl")
    ours.setLevel(logging.INFO)
    ours.addHandler(handler)
    ours.propagate = False


_MARK = ".mediacrawl-demo"
"""A file in folders that the demo made, which it may therefore empty."""


def _empty(folder: Path) -> None:
    """Make the folder, or empty it if an earlier demo made it.

    Raises:
        UsageError: it cannot be made, or holds something else.
    """
    try:
        if folder.exists() and not (folder / _MARK).exists() and any(folder.iterdir()):
            raise UsageError(f"{folder.resolve()} is not empty and no demo made it; choose another one with --folder")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _MARK).touch()
    except OSError as error:
        raise UsageError(
            f"{folder.resolve()} cannot be used: {error.strerror}; choose another one with --folder"
        ) from error
