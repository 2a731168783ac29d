"""``scrapy nevercrawl``: adds entries to the NeverCrawl lists, shows them, and checks URLs against them."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.settings import BaseSettings
from scrapy.utils.conf import closest_scrapy_cfg

from mediacrawl.base.clock import today
from mediacrawl.base.text import printable, say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl.own_settings import OwnSettings, locate
from mediacrawl.scope.exclusions import Exclusion, NeverCrawl, NeverCrawlError
from mediacrawl.scope.exclusions.adding import Addition, add_entry, copy_list, covering, parse_entry
from mediacrawl.scope.urls import canonical

_FIELDS = ("domain", "path", "reason", "date", "file", "line")
"""Fields of an entry in JSON."""
CHECK_FAILED = 2
"""Exit code of ``check`` if a list cannot be read or the argument is no URL, as grep's."""


def block(settings: BaseSettings, written: str, reason: str) -> tuple[Addition, list[str]]:
    """Add an entry to the first list of ``NEVERCRAWL_FILES`` that can be written.

    On disk: see `add_entry`. The package's own list is never written, since an update would remove the entry: if there
    is no other list, it is copied to the project, where it is found first.

    Args:
        settings: the crawl's.
        written: domain, domain with path, address or network.
        reason: why.

    Returns:
        The entry, and sentences for the user.

    Raises:
        NeverCrawlError: this is no entry, or no list can be written.
    """
    names = _names(settings)
    wanted = parse_entry(written)
    found = covering([locate(name) for name in names], wanted)
    if found is not None:
        return Addition(found, new=False), [f"{wanted.covers} is covered already: {_described(found)}"]
    # The user's folders have none of the name of the package's own list.
    lists = [
        locate(name) for name in names if Path(name).exists() or _home(name).exists() or locate(name) == Path(name)
    ]
    wait = OwnSettings(settings).getfloat("NEVERCRAWL_RELOAD")
    span = f"{wait / 60:.0f} minutes" if wait >= 120 else f"{wait:g} s"
    soon = f"A crawl that runs asks nothing there any more within {span} (NEVERCRAWL_RELOAD)"
    if not lists and names:
        lists = [_home(names[0])]
        copy_list(locate(names[0]), lists[0])
        soon = f"{lists[0]} was made of the package's own list; a crawl that runs must be started again to find it"
    added = add_entry(lists, written, reason, today())
    entry = added.entry
    sentences = [f"{entry.covers} is on NeverCrawl: {entry.file}, line {entry.line}", soon]
    return added, [*sentences, f"{entry.domain} {entry.remark}"] if entry.remark else sentences


class Command(OwnCommand, ScrapyCommand):
    """Adds entries to NeverCrawl lists, shows them, and checks URLs; also while a crawl runs."""

    verbs: ClassVar = {"add": "one DOMAIN", "list": None, "check": "one URL"}

    usage = "[options] add DOMAIN --reason TEXT | list | check URL"
    summary = "Add a domain to the NeverCrawl list, or look it up there"
    description = (
        "add DOMAIN: never request this domain and its subdomains; also a path (example.org/private/), an address"
        " or a network (192.0.2.0/24). It is written to the first of NEVERCRAWL_FILES that may be written, with the"
        " reason and the date; a running crawl obeys within NEVERCRAWL_RELOAD. list: all entries, with date, place"
        " and reason. check URL: whether it is covered, and by which entry; the exit code is 0 if it is not, 1 if"
        " it is, 2 if a list cannot be read or this is no URL. Host names are not resolved."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        parser.add_argument("--reason", metavar="TEXT", default="", help="add: why, for those who come later")
        parser.add_argument("--json", action="store_true", help="list: JSON lines")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the subcommand. Errors go to the standard error with exit code 1, for ``check`` 2."""
        work, self._opts = self._subcommand(args, "list"), opts
        try:
            work()
        except NeverCrawlError as error:
            self._fail(str(error), CHECK_FAILED if args[:1] == ["check"] else 1)

    def _add(self, written: str) -> None:
        _, sentences = block(self._settings, written, self._opts.reason)
        for sentence in sentences:
            say(printable(sentence))

    def _list(self) -> None:
        for path in map(locate, _names(self._settings)):
            try:
                never = NeverCrawl.load(path)
            except NeverCrawlError as error:
                self._fail(str(error), 1)
                continue
            for entry in never.entries():
                if self._opts.json:
                    say(json.dumps({name: getattr(entry, name) for name in _FIELDS}), as_is=True)
                    continue
                where = f"{entry.date or '-':<10}  {entry.file}:{entry.line}  {entry.reason}"
                say(printable(f"{entry.covers:<40} {where}".rstrip()))
            for sentence in [*never.bad_lines, *never.remarks]:
                say(printable(sentence), sys.stderr)

    def _check(self, written: str) -> None:
        text = f"[{written}]" if written.count(":") > 1 and "/" not in written and written[0] != "[" else written
        url = canonical(text if "://" in text else f"http://{text}")
        if url is None:
            raise NeverCrawlError(f"{written[:200]!r} is no http or https URL, no domain and no address.")
        entry = NeverCrawl.load([locate(name) for name in _names(self._settings)]).match_url(url)
        if entry is None:
            say(printable(f"{written} may be asked: no entry covers it"))
            return
        say(printable(f"{written} is covered: {_described(entry)}"))
        self.exitcode = 1


def _names(settings: BaseSettings) -> list[str]:
    return OwnSettings(settings).getlist("NEVERCRAWL_FILES")


def _home(name: str) -> Path:
    """Return the path of a list in the project."""
    cfg = closest_scrapy_cfg()
    return Path(cfg).parent / name if cfg else Path(name)


def _described(entry: Exclusion) -> str:
    comment = ", ".join(filter(None, [entry.reason, entry.date]))
    return f"{entry.covers} in {entry.file}, line {entry.line}{f' ({comment})' if comment else ''}"
