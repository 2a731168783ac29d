"""``scrapy adapters``: learns site adapters from recordings of a browser, checks them and tries them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from mediacrawl.commands import Checked, leave_output, refuse_options, say
from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.files import locate
from mediacrawl.nearest import did_you_mean
from mediacrawl.observe.format import plural
from mediacrawl.observe.text import printable
from mediacrawl.site_adapters.form import SiteAdapter
from mediacrawl.site_adapters.loading import AdapterError, load
from mediacrawl.site_adapters.registry import SiteAdapters
from mediacrawl.site_adapters.schema import SCHEMA


class Command(Checked, ScrapyCommand):
    """Learns site adapters, checks them, and tries them over the network."""

    verbs: ClassVar[tuple[str, ...]] = ("learn", "check", "try", "schema")
    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        """Arguments of the command."""
        return "[options] learn RECORDING.har ... -o FILE | check [FILE|FOLDER ...] | try FILE URL ... | schema"

    def short_desc(self) -> str:
        """One line for ``scrapy -h``."""
        return "Learn, check and try site adapters: data that finds the media of a page without a browser"

    def long_desc(self) -> str:
        """The help text."""
        return (
            "learn RECORDING.har ... -o FILE: makes a site adapter of a browser's recordings of two or more pages of a"
            " site, or says why there is none. No request is made. check [FILE|FOLDER ...]: names the faults of"
            " adapters by line and field; without a name those of ADAPTERS_DIR. try FILE URL ...: asks pages that were"
            " not recorded, under the crawl's rules and delays, and shows each step and the record. schema: the JSON"
            " Schema of an adapter. docs/site-adapters.md tells how to record."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's own options and ours."""
        super().add_options(parser)
        parser.add_argument("-o", "--output", metavar="FILE", help="learn: the new file, which must not exist")
        parser.add_argument(
            "--hold-out",
            metavar="N",
            type=int,
            default=0,
            help="learn: keep the last N pages out, and try the adapter on them",
        )
        parser.add_argument("--json", action="store_true", help="try: for each page one line of JSON with everything")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the subcommand. The exit code is 1 if an adapter has faults, is not learned, or finds nothing.

        Raises:
            UsageError: the subcommand is unknown, or an argument is missing.
        """
        refuse_options(args)
        verb, words = (args[0], args[1:]) if args else ("", [])
        actions: dict[str, Callable[[list[str]], None]] = {
            "learn": self._learn,
            "check": self._check,
            "try": self._try,
            "schema": self._schema,
        }
        if verb not in actions:
            known = f"use one of {', '.join(actions)}"
            raise UsageError(
                f"{verb!r} is not known; {known}{did_you_mean(verb, actions)}" if verb else known, print_help=False
            )
        self._opts = opts
        try:
            actions[verb](words)
            sys.stdout.flush()
        except AdapterError as error:
            self._fail(str(error))
        except BrokenPipeError:
            leave_output()

    def _check(self, words: list[str]) -> None:
        assert self.settings is not None
        names = words or OwnSettings(self.settings).getlist("ADAPTERS_DIR")
        if not names:
            raise UsageError("name a file or a folder, or set ADAPTERS_DIR", print_help=False)
        for path in [Path(name) for name in words] or map(locate, names):
            try:
                found = list(SiteAdapters.load(path)) if path.is_dir() else [load(path)]
            except AdapterError as error:
                self._fail(str(error))
                continue
            for adapter in found:
                say(printable(_described(adapter)))
            if not found:
                say(printable(f"{path} has no adapters: no file ends in .json"))

    def _schema(self, words: list[str]) -> None:
        if words:
            raise UsageError(f"adapters schema takes no further word, but got {words[0]!r}", print_help=False)
        say(json.dumps(SCHEMA, indent=2))

    def _fail(self, sentences: str) -> None:
        for sentence in sentences.splitlines():
            say(printable(sentence), sys.stderr)
        self.exitcode = 1


def _described(adapter: SiteAdapter) -> str:
    pages = adapter.pages
    query = "&".join(f"{name}={template.written}" for name, template in pages.query.items())
    page = f"{pages.host}{pages.path.written}{query and '?'}{query}"
    requests = plural(len(adapter.requests), "data request", "")
    return f"{adapter.name}: {page}, {requests.strip()}{', and the page' if adapter.fetches_page else ''}"
