"""``scrapy adapters``: learns site adapters from recordings of a browser, checks them and tries them."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from mediacrawl.base.format import plural
from mediacrawl.base.text import printable, say
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl.own_settings import OwnSettings, locate
from mediacrawl.programs.commands.probe import check_requests, run_single, text_fixer
from mediacrawl.scope import canonical
from mediacrawl.site_adapters import SCHEMA, AdapterError, RecordingError, SiteAdapter, SiteAdapters, learn_files
from mediacrawl.store import json_line


class Command(OwnCommand, ScrapyCommand):
    """Learns site adapters, checks them, and tries them over the network."""

    verbs: ClassVar = {"learn": "RECORDING.har ...", "check": "FILE ...", "try": "FILE URL ...", "schema": None}
    default_settings: ClassVar[dict[str, Any]] = {}
    failures = (AdapterError,)
    usage = "[options] learn RECORDING.har ... -o FILE | check [FILE|FOLDER ...] | try FILE URL ... | schema"
    summary = "Learn, check and try site adapters: data that finds the media of a page without a browser"
    description = (
        "learn RECORDING.har ... -o FILE: makes a site adapter of a browser's recordings of two or more pages of a"
        " site, or says why there is none. No request is made. check [FILE|FOLDER ...]: names the faults of adapters"
        " by line and field; without a name those of ADAPTERS_DIR. try FILE URL ...: asks pages that were not"
        " recorded, under the crawl's rules and delays, and shows each step and the record. schema: the JSON Schema"
        " of an adapter. docs/site-adapters.md tells how to record."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
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
        work, self._opts = self._subcommand(args, ""), opts
        work()

    def _learn(self, *words: str) -> None:
        output, hold_out = self._opts.output, self._opts.hold_out
        if not words or not (output or hold_out) or hold_out < 0:
            raise UsageError("adapters learn takes recordings (*.har), and -o FILE or --hold-out N")
        if output and Path(output).exists():
            raise UsageError(f"{printable(output)} exists; name a new file")
        assert self.settings is not None
        try:
            agent = OwnSettings(self.settings).getstr("ROBOTS_TOKEN")
            learned = learn_files(words, hold_out=hold_out, allows=allowed_to(agent))
            for line in [*learned.read, *(f"  {step}" for step in learned.steps), *learned.tried()]:
                say(printable(line))
            if learned.adapter is None:
                self._fail("\n".join(f"refused, {each.name}: {each.sentence}" for each in learned.refusals))
            elif not all(page.right for page in learned.held_out):
                self._fail("No adapter is written: on a page that was held out it is wrong")
            elif output:
                _write_adapter(Path(output), learned.adapter)
                proof = f"scrapy adapters try {shlex.quote(str(output))} URL ..."
                say(printable(f"{output} is written. Prove it on other pages: {proof}"))
        except RecordingError as error:
            self._fail(str(error))
        except OSError as error:
            self._fail(f"{output} cannot be written: {error.strerror}")

    def _check(self, *words: str) -> None:
        assert self.settings is not None
        names = words or OwnSettings(self.settings).getlist("ADAPTERS_DIR")
        if not names:
            raise UsageError("name a file or a folder, or set ADAPTERS_DIR")
        for path in [Path(name) for name in words] or map(locate, names):
            try:
                found = list(SiteAdapters.load(path))
            except AdapterError as error:
                self._fail(str(error))
                continue
            for adapter in found:
                say(printable(_described(adapter)))
            if not found:
                say(printable(f"{path} has no adapters: no file ends in .json"))

    def _try(self, *words: str) -> None:
        if len(words) < 2:
            raise UsageError("adapters try takes the FILE of an adapter and one URL or more")
        settings = self.settings
        assert isinstance(settings, Settings)
        found, urls = list(SiteAdapters.load(Path(words[0]))), list[str]()
        if len(found) != 1:
            raise UsageError(f"adapters try takes the FILE of one adapter, and {printable(words[0])} has {len(found)}")
        adapter = found[0]
        for word in words[1:]:
            url = canonical(word)
            if url is None:
                raise UsageError(f"{printable(word)} is no http or https URL")
            if adapter.match(url) is None:
                raise UsageError(f"{printable(url)} is no page of {_described(adapter)}")
            urls.append(url)
        try:
            check_requests(settings, urls, "adapters try")
            fixer = text_fixer(settings)
        except ValueError as error:
            raise UsageError(str(error)) from error
        from mediacrawl.programs.single import AdapterTrySpider, PageTrial  # noqa: PLC0415 - it takes a while

        with TemporaryDirectory() as folder:
            # The crawl has this adapter alone.
            (Path(folder) / "tried.json").write_bytes(Path(words[0]).read_bytes())
            reports = run_single(
                AdapterTrySpider, urls, settings, fixer, is_silent=self._opts.json, ADAPTERS_DIR=folder
            )
        trials = [report for report in reports if isinstance(report, PageTrial)]
        for trial in trials:
            if self._opts.json:
                say(json_line(trial.as_object()), as_is=True)
            else:
                say("\n".join([f"\n{printable(trial.target)}", *trial.lines()]))
        if not trials or not all(any(media.record for media in trial.probed) for trial in trials):
            self.exitcode = 1

    def _schema(self) -> None:
        say(json.dumps(SCHEMA, indent=2), as_is=True)


def _described(adapter: SiteAdapter) -> str:
    pages = adapter.pages
    query = "&".join(f"{name}={template.written}" for name, template in pages.query.items())
    page = f"{pages.host}{pages.path.written}{query and '?'}{query}"
    requests = plural(len(adapter.requests), "data request", "")
    return f"{adapter.name}: {page}, {requests.strip()}{', and the page' if adapter.fetches_page else ''}"


def allowed_to(agent: str) -> Callable[[str, str], bool]:
    """Return a function that tells whether a robots.txt (its text) allows a URL to a product token."""
    from mediacrawl.politeness.robots import RobotsRules  # noqa: PLC0415 - the other subcommands have no need of it

    return lambda text, url: bool(RobotsRules.parse(text.encode(), agent).allowed(url))


def _write_adapter(path: Path, written: dict[str, Any]) -> None:
    """Write a new file: the adapter as JSON.

    On disk: created at once with its whole content; a kill leaves the file, whole or cut, and a cut one is no JSON.

    Raises:
        OSError: it exists, or cannot be written.
    """
    with path.open("x", encoding="utf-8") as file:
        file.write(json.dumps(written, ensure_ascii=False, indent=2) + "\n")
