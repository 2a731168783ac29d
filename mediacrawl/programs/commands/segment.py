"""``scrapy segment``: builds the next queue from the links of earlier crawls."""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from mediacrawl.base.clock import today
from mediacrawl.base.text import say
from mediacrawl.commands.own import INTERRUPTED, OwnCommand
from mediacrawl.crawl.policies import class_scores, scope_rules
from mediacrawl.programs.segment import (
    Rules,
    SegmentError,
    SegmentOptions,
    SegmentProgress,
    report,
    segment,
    sources,
    target,
)

_MEMORY = "1GB"
_LEAST = 128_000_000
"""Bytes. With less, long URLs cannot be sorted (DuckDB 2.0)."""
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


class Command(OwnCommand, ScrapyCommand):
    """Builds the next queue."""

    usage = "[options] LINKS [LINKS ...] -o OUT"
    summary = "Make the next queue from stored links"
    description = (
        "Reads links of earlier crawls and writes the next queue: each URL once, in canonical form, without"
        " those that were seen and those that scope refuses, the site with the best score first, and of each site"
        " the best first. LINKS are .jl, .jsonl, .json (an object a line), .txt (a URL a line), each also with"
        " .gz or .zst, .parquet or a folder of such, our media.db or frontier.db, a pattern of these in quotes,"
        " or - for the standard input. OUT is .txt, a list of seeds for -a seed=OUT; .jl, also with .gz, or"
        " .parquet with all columns; a folder, with a slash at its end, for a cluster; or - for URLs on the"
        " standard output. Inputs may be larger than memory. The settings of scope (SCOPE_..., NEVERCRAWL_FILES)"
        " and PRIORITY_SCORES count as in a crawl. Needs DuckDB and Arrow, the extra segment."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        add = parser.add_argument
        add("-o", "--output", metavar="OUT", help="where to write")
        add("--seen", metavar="FILE", action="append", default=[], help="what was seen: frontier.db, or as LINKS")
        add("--include", metavar="FILE", help="whitelist of domains and patterns, as for -a include=FILE")
        add("--url-field", metavar="A,B", help="fields with the URL (default: url, else content_url and page_url)")
        add("--per-site", metavar="N", type=int, help="at most so many URLs of a site, the best")
        add("--limit", metavar="N", type=int, help="at most so many URLs")
        add("--memory", metavar="SIZE", default=_MEMORY, help=f"memory for sorting (default: {_MEMORY})")
        add("--temp", metavar="DIR", help="folder for what does not fit in memory (default: that of OUT)")
        add("--jobs", metavar="N", type=int, default=os.cpu_count() or 1, help="processes (default: one a core)")
        add("--force", action="store_true", help="replace OUT if it is there")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Make it. Errors go to the standard error; the exit code is then 1, after Ctrl-C 130."""
        _check(args, opts)
        progress = SegmentProgress(sys.stderr, time.monotonic)
        try:
            options = _options(args, opts, self._settings)
            result = segment(options, progress, sys.stdin.buffer, sys.stdout.buffer)
            progress.end()
            say(report(result, opts.output), sys.stderr if options.target.is_stream else sys.stdout, flush=True)
        except SegmentError as error:
            progress.end()
            self._fail(str(error))
        except KeyboardInterrupt:
            progress.end()
            say("Stopped. Nothing was written.", sys.stderr)
            self.exitcode = INTERRUPTED


def _check(args: list[str], opts: argparse.Namespace) -> None:
    """Check the command line.

    Raises:
        UsageError: it makes no sense.
    """
    if not args:
        raise UsageError("scrapy segment needs files of links")
    if not opts.output:
        raise UsageError("say where to write: -o next.txt")
    if [*args, *opts.seen].count("-") > 1:
        raise UsageError("the standard input can be read only once")
    if both := sorted({*args} & {*opts.seen}):
        raise UsageError(f"{both[0]} gives links and was seen: nothing of it would be left")
    for name in ("per_site", "limit", "jobs"):
        if getattr(opts, name) is not None and getattr(opts, name) < 1:
            raise UsageError(f"--{name.replace('_', '-')} must be 1 or more")


def _options(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> SegmentOptions:
    """Return the options of a run.

    Raises:
        UsageError: a size or a field makes no sense.
        SegmentError: a file is not there, or its kind is not known.
    """
    include = Path(opts.include) if opts.include else None
    fields = tuple(dict.fromkeys(name.strip() for name in (opts.url_field or "").split(",") if name.strip()))
    if (opts.url_field is not None and not fields) or any('"' in name or "\\" in name for name in fields):
        raise UsageError(f"--url-field {opts.url_field} names no field; write it as --url-field url")
    return SegmentOptions(
        sources=sources(args),
        target=target(opts.output),
        seen=sources(opts.seen),
        rules=Rules(today(), scope_rules(settings), include, class_scores(settings)),
        url_fields=fields,
        per_site=opts.per_site,
        limit=opts.limit,
        memory=_memory(opts.memory),
        temp=Path(opts.temp) if opts.temp else None,
        jobs=opts.jobs,
        force=opts.force,
    )


def _memory(text: str) -> int:
    """Return the bytes of a size as people write it: ``64MB``, ``1.5 GB``, ``2g``."""
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)i?b?\s*", text, re.IGNORECASE | re.ASCII)
    size = int(float(match[1]) * _UNITS[match[2].lower()]) if match else 0
    if size < _LEAST:
        raise UsageError(f"--memory {text} is no size of 128MB or more; write it as --memory 2GB")
    return size
