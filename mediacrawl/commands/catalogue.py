"""``scrapy catalogue``: searches and exports the catalogue."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from mediacrawl.base.clock import since
from mediacrawl.base.format import plural
from mediacrawl.base.text import printable, say
from mediacrawl.commands import catalogue_lines as listing
from mediacrawl.commands.own import OwnCommand
from mediacrawl.crawl.own_settings import catalogue_path
from mediacrawl.crawl.policies import contact_of, is_anonymous
from mediacrawl.store import Catalogue, CatalogueFilters, ExportError, StoreError, export_records, json_lines

_SHOWN = 20
"""Records that are listed unless asked otherwise: what fits a screen."""


class Command(OwnCommand, ScrapyCommand):
    """Lists the newest records of the catalogue, or searches it."""

    failures = (StoreError, ExportError)
    usage = "[options] [WORD ...]"
    summary = "Show or search the media files that were found"
    description = (
        "Lists the newest media files in the catalogue, or those that have all the WORDs in title, artist, album,"
        " comment, page title, link text or URL; each word may be the beginning of one."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        parser.add_argument("--db", metavar="FILE", help="the catalogue (default: setting MEDIACRAWL_DB)")
        parser.add_argument("--site", metavar="DOMAIN", help="only files of this site")
        parser.add_argument("--format", metavar="NAME", help="only this format: audio/flac, or only flac")
        parser.add_argument("--kind", metavar="TYPE", help="only this type: audio, video, PodcastEpisode ...")
        limit = f"most records shown (default: {_SHOWN}; with --json all)"
        parser.add_argument("--limit", metavar="N", type=int, help=limit)
        parser.add_argument("--since", metavar="TIME", help="only records found then or later: 2026-03-11, 12h, 7d")
        parser.add_argument("--json", action="store_true", help="full records as JSON lines")
        parser.add_argument("--export", metavar="FILE", help="write the records: .csv .jsonl .parquet .m3u8 .xspf .rss")
        parser.add_argument("--works", action="store_true", help="a file that is found at several URLs is shown once")
        parser.add_argument("--summary", action="store_true", help="only the numbers of the whole catalogue")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Answer on the standard output; errors go to the standard error, and the exit code is 1."""
        end = args.index("--") if "--" in args else len(args)
        words = args[:end] + args[end + 1 :]
        if opts.limit is not None and opts.limit < 1:
            raise UsageError("--limit must be 1 or more")
        try:
            opts.since = opts.since and since(opts.since, time.time())
        except ValueError as error:
            raise UsageError(f"--since: {error}") from error
        opts.contact = "" if is_anonymous(self._settings) else contact_of(self._settings)
        path = Path(opts.db) if opts.db else catalogue_path(self._settings)
        with Catalogue(path, read_only=True) as catalogue:
            _answer(catalogue, words, opts)


def _answer(catalogue: Catalogue, words: list[str], opts: argparse.Namespace) -> None:
    if opts.summary:
        _print([listing.overview(catalogue.summary(), str(catalogue.path))])
        return
    filters = CatalogueFilters(site=opts.site, format=opts.format, kind=opts.kind, since=opts.since)
    if opts.export:
        _export(catalogue, words, filters, opts)
        return
    if opts.json:
        found: Iterable[dict[str, Any]] = catalogue.search(words, opts.limit, filters)
        if opts.works:
            works = catalogue.works(words, opts.limit, filters)
            found = ({**record, "sources": sources} for record, sources in works)
        for line in json_lines(found):
            sys.stdout.buffer.write(line)
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    limit = opts.limit or _SHOWN
    if opts.works:
        shown = sum(1 for work in catalogue.works(words, limit, filters) if _print(listing.work_lines(*work, width)))
    else:
        shown = _print(listing.line(record, width) for record in catalogue.search(words, limit, filters))
    total = catalogue.count()
    more = " More with --limit." if shown == limit and shown < total else ""
    found_any = f"{shown:,} shown, {total:,} in the catalogue.{more} Full records with --json."
    say(found_any if shown else f"No record matches; the catalogue has {total:,}.", sys.stderr)


def _export(catalogue: Catalogue, words: list[str], filters: CatalogueFilters, opts: argparse.Namespace) -> None:
    path = Path(opts.export)
    if path.exists() and path.samefile(catalogue.path):
        raise UsageError(f"{path} is the catalogue itself; name another file")
    found: Iterable[dict[str, Any]] = catalogue.search(words, opts.limit, filters)
    if opts.works:
        found = (record for record, _ in catalogue.works(words, opts.limit, filters))
    number = export_records(found, path, " ".join(words) or "mediacrawl", opts.contact)
    say(f"{plural(number, 'record', 'is')} in {printable(str(path))}", sys.stderr)


def _print(lines: Iterable[str]) -> int:
    """Print, and count, lines."""
    printed = 0
    for text in lines:
        say(text)
        printed += 1
    return printed
