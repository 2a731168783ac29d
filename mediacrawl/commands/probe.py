"""``scrapy probe``: probes media files, and shows every request and the evidence."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

from itemadapter import ItemAdapter
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, Settings

from mediacrawl.commands import Checked, refuse_options, say
from mediacrawl.commands.single_run import Telling, check_requests, run_single, text_fixer
from mediacrawl.config.policies import probe_policy
from mediacrawl.crawl.arguments import ArgumentError
from mediacrawl.encoding.records.fixer import Fixer
from mediacrawl.observe.text import printable
from mediacrawl.probe import Probe, ProbePolicy, build_item
from mediacrawl.probe.claims import expected_by_name
from mediacrawl.probe.report import ProbeReport, ProbeRequest, as_object, lines
from mediacrawl.probe.response import is_media
from mediacrawl.records import Evidence
from mediacrawl.scope import canonical
from mediacrawl.store import json_line


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
            raise UsageError("name a URL or a file")
        settings = self.settings
        assert isinstance(settings, Settings)
        try:
            fixer = text_fixer(settings)
            paths, urls = _sorted_out(args, settings)
            accounts = [_of_file(path, probe_policy(settings), fixer, opts.json) for path in paths]
            if urls:
                accounts += self._of_urls(urls, settings, fixer, opts.json)
            self._show(accounts, as_json=opts.json)
        except ValueError as error:
            raise UsageError(str(error)) from error
        if not all(account.record for account in accounts):
            self.exitcode = 1

    def _show(self, accounts: list[ProbeReport], *, as_json: bool) -> None:
        for account in accounts:
            if as_json:
                say(json_line(as_object(account)), as_is=True)
                continue
            say(f"\n{printable(account.target)}")
            for line in lines(account):
                say(line)
        sys.stdout.flush()

    def _of_urls(self, urls: list[str], settings: Settings, fixer: Fixer, as_json: bool) -> list[ProbeReport]:
        from mediacrawl.commands.single import SingleSpider  # noqa: PLC0415 - its imports take a while

        return run_single(SingleSpider, urls, settings, fixer, is_silent=as_json)


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
        check_requests(settings, urls, "probe")
    return paths, list(dict.fromkeys(urls))


def _of_file(path: Path, policy: ProbePolicy, fixer: Fixer, as_json: bool) -> ProbeReport:
    """Probe a local file by the ranges that would be requested from a server."""
    account, tell = ProbeReport(str(path)), None if as_json else Telling()
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
                if tell is not None:
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
