"""``scrapy demojibake``: repairs the texts of stored records."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings

from mediacrawl.base.setting_types import fields_setting
from mediacrawl.base.text import printable, say
from mediacrawl.commands.own import INTERRUPTED, OwnCommand, leave_output
from mediacrawl.crawl.own_settings import OwnSettings, models_of
from mediacrawl.encoding import Substitutions
from mediacrawl.programs.commands import on_disk
from mediacrawl.programs.rerun import (
    PreviewTable,
    RerunConsole,
    RerunError,
    RerunOptions,
    refuse_unchecked,
    rerun,
    write_report,
)

_ROWS = 40
"""Rows of the table that a dry run shows unless asked otherwise."""


class Command(OwnCommand, ScrapyCommand):
    """Decides stored records again."""

    usage = "[options] IN"
    summary = "Mend garbled text in stored items"
    description = (
        "Reads stored items, finds out which of their texts were read with a wrong encoding, and writes them mended,"
        " with the evidence. IN is .jl, .jsonl, .ndjson, .csv or .tsv (each also with .gz), our media.db, .parquet,"
        " redis://HOST:PORT/DB?key=NAME, or - for JSON lines on the standard input. OUT is of the same kind, or JSON"
        " lines, - for the standard output. A run that was killed goes on with the same command. Running it twice"
        " changes nothing. Without --fields, --raw and --min-confidence the settings MOJIBAKE_FIELDS and"
        " MOJIBAKE_MIN_CONFIDENCE count; MOJIBAKE_MODELS names models of your own (scrapy trainencoding). IN may"
        " also be folders and files of music: their tags are shown before and after; --write changes them."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add our options to Scrapy's."""
        super().add_options(parser)
        add = parser.add_argument
        add("-o", "--output", metavar="OUT", help="where to write; may be left out for a media.db, mended in place")
        add("--fields", metavar="A,B", help="fields with text, in any case: title,meta.author (default: by content)")
        add("--encoding", metavar="NAME", help="of a file of lines (default: found out)")
        add("--raw", metavar="A=B", action="append", help="field B holds the raw bytes of A, as bytes or in base64")
        add(
            "--min-confidence",
            metavar="P",
            type=float,
            help="least confidence of a change, 0 to 1; without it MOJIBAKE_MIN_CONFIDENCE, for music 0.9",
        )
        add("--pairs", metavar="FILE", help="learn first from pairs of stored and right texts (recheck's pairs.jl)")
        add("--only-mangled", action="store_true", help="write only records of which a text was mended")
        add(
            "--jobs",
            metavar="N",
            type=int,
            default=os.cpu_count() or 1,
            help="processes, or threads that write music (default: one a core)",
        )
        add("--dry-run", action="store_true", help="write nothing; show texts before and after")
        add("--limit", metavar="N", type=int, default=_ROWS, help=f"most texts that --dry-run shows (default: {_ROWS})")
        add("--color", choices=("auto", "always", "never"), default="auto", help="colours of that table")
        add("--report", metavar="FILE", help="write the report at the end also as JSON")
        add("--force", action="store_true", help="replace OUT if it is there")
        add("--restart", action="store_true", help="throw away what a broken-off run has done, start over")
        on_disk.add_options(parser)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Re-run. Errors go to the standard error; the exit code is then 1, after Ctrl-C 130."""
        assert self.settings is not None
        if on_disk.is_music(args, opts):
            least, learned = _least(opts, self.settings), _learned(opts.pairs)
            self.exitcode = on_disk.mend(args, opts, least, learned, models_of(self.settings))
            return
        options = _options(args, opts, self.settings)
        console = RerunConsole(PreviewTable(sys.stdout, opts.limit, opts.color), sys.stderr)
        try:
            result = rerun(options, console)
            console.end()
            console.report(result, sys.stderr if options.output == "-" else sys.stdout)
            if opts.report:
                names = ("fields", "raws", "encoding", "min_confidence", "only_mangled", "dry_run")
                write_report(Path(opts.report), result, {name: getattr(options, name) for name in names})
            refuse_unchecked(result, options)
        except RerunError as error:
            console.end()
            self._fail(str(error))
            try:
                sys.stdout.flush()
            except OSError:
                # The reader has gone, or the disk is full.
                leave_output()
        except KeyboardInterrupt:
            console.end()
            say("Stopped. The same command goes on from here.", sys.stderr)
            self.exitcode = INTERRUPTED


def _options(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> RerunOptions:
    """Return the options of a run; the settings of the pipeline are the defaults.

    Raises:
        UsageError: an option is invalid.
    """
    if len(args) != 1:
        raise UsageError(f"scrapy demojibake takes one input, but got {len(args)}")
    if opts.jobs < 1 or opts.limit < 0:
        raise UsageError("--jobs must be 1 or more, --limit 0 or more")
    is_named = opts.fields is not None or opts.raw is not None
    if is_named:
        fields = tuple(dict.fromkeys(name.strip() for name in (opts.fields or "").split(",") if name.strip()))
        raws = [tuple(name.strip() for name in text.partition("=")[::2]) for text in opts.raw or ()]
        if not all(name and raw for name, raw in raws):
            raise UsageError("--raw must name two fields: --raw title=title_raw")
    else:
        own = fields_setting(OwnSettings(settings).get("MOJIBAKE_FIELDS")) or ()
        fields = tuple(own)
        raws = [(name, raw) for name, raw in own.items() if raw] if isinstance(own, Mapping) else []
    return RerunOptions(
        source=args[0],
        output=opts.output,
        fields=fields,
        raws=tuple((name, raw) for name, raw in raws),
        must_exist=is_named,
        encoding=opts.encoding,
        min_confidence=_least(opts, settings),
        only_mangled=opts.only_mangled,
        jobs=opts.jobs,
        force=opts.force,
        restart=opts.restart,
        dry_run=opts.dry_run,
        rows=opts.limit,
        substitutions=_learned(opts.pairs),
        models=tuple(map(str, models_of(settings))),
    )


def _least(opts: argparse.Namespace, settings: BaseSettings) -> float:
    """Return the confidence that a change needs.

    Raises:
        UsageError: it is none.
    """
    least = opts.min_confidence
    if least is None:
        least = OwnSettings(settings).getfloat("MOJIBAKE_MIN_CONFIDENCE")
    if not 0 <= least <= 1:
        raise UsageError("--min-confidence must be between 0 and 1")
    return float(least)


def _learned(pairs: str | None) -> Substitutions | None:
    """Return the substitutions of a file of pairs; skipped lines are reported on the standard error.

    Raises:
        UsageError: it cannot be read.
    """
    if not pairs:
        return None
    try:
        taught = Substitutions.of_pairs(Path(pairs))
    except OSError as error:
        raise UsageError(f"{pairs} cannot be read: {error.strerror or error}") from error
    if taught.bad:
        say(printable(taught.warning(pairs)), sys.stderr)
    return taught.substitutions
