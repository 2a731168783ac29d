"""``scrapy demojibake`` for music files: its options, and the calls to `mediacrawl.music`."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from scrapy.exceptions import UsageError

from mediacrawl.commands import INTERRUPTED, leave_output, say
from mediacrawl.encoding import ModelError, use_models
from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.music.reading import CUE, M3U, MEDIA
from mediacrawl.observe.format import plural
from mediacrawl.observe.text import printable
from mediacrawl.rerun.console import is_coloured

# What reads and writes files takes a while to import, and stored items have no need of it: see below.
# ruff: noqa: PLC0415

_STORES = ("output", "fields", "raw", "only_mangled", "force", "restart")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Options for music files only."""
    add = parser.add_argument_group("music on a disk").add_argument
    add("--write", action="store_true", help="change the files; without it they are only looked at")
    add("--originals", metavar="DIR", help="where --write keeps the original files (default: demojibake-DATE)")
    add("--no-originals", action="store_true", help="keep none: there is a backup, and no way back")
    add("--undo", metavar="DIR", help="bring back the original files that a run kept there")
    add("--id3v1", choices=("keep", "rewrite", "remove"), default="keep", help="ID3v1 tags with wrong texts")
    add("--keep-mtime", action="store_true", help="files keep their time of modification")
    add("--m3u", action="store_true", help="playlists (.m3u, .m3u8, .pls) become UTF-8 too")
    add("--cue", action="store_true", help="cue sheets become UTF-8 too")


def is_music(args: list[str], opts: argparse.Namespace) -> bool:
    """Whether the arguments are folders or media files, and not a store."""
    return bool(opts.undo) or bool(opts.write) or (bool(args) and all(map(_is_music, args)))


def _is_music(word: str) -> bool:
    path = Path(word)
    if path.is_dir():
        return not any(path.glob("*.parquet"))
    if not path.is_file() or path.suffix.lower() in MEDIA | M3U | CUE:
        return path.suffix.lower() in MEDIA | M3U | CUE
    from mediacrawl.probe.formats import SNIFF_BYTES, UNKNOWN, sniff

    try:
        with path.open("rb") as file:
            found = sniff(file.read(SNIFF_BYTES))
    except OSError:
        return False
    return found != UNKNOWN and (found.mime or "").startswith(("audio/", "video/"))


def mend(
    args: list[str],
    opts: argparse.Namespace,
    least: float,
    substitutions: Substitutions | None,
    models: Iterable[Path] = (),
) -> int:
    """Read music, repair it, or undo that. Return the exit code: 1 if a file could not be read or written.

    Args:
        args: folders and files.
        opts: of the command line.
        least: confidence of a change, 0 to 1; at least 0.9 if the command line names none.
        substitutions: learned from pairs of texts.
        models: files of the user's own, see `mediacrawl.encoding.use_models`.

    Raises:
        UsageError: an option that makes no sense.
    """
    from mediacrawl.music.originals import OriginalsError

    _check(args, opts)
    try:
        use_models(models)
    except ModelError as error:
        raise UsageError(str(error)) from error
    try:
        return _undo(opts) if opts.undo else _run(args, opts, least, substitutions)
    except (OriginalsError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            leave_output()
            return 0
        say(printable(str(error)), sys.stderr)
        return 1
    except KeyboardInterrupt:
        say("Stopped. Each file is as it was, or mended; the same command goes on from here.", sys.stderr)
        return INTERRUPTED


def _check(args: list[str], opts: argparse.Namespace) -> None:
    odd = [f"--{name.replace('_', '-')}" for name in _STORES if getattr(opts, name)]
    if odd:
        raise UsageError(f"{odd[0]} is for stored items, not for music on a disk")
    if opts.jobs < 1:
        raise UsageError("--jobs must be 1 or more")
    if opts.undo and (args or opts.write):
        raise UsageError("--undo takes a folder of originals and nothing else")
    if opts.write and opts.dry_run:
        raise UsageError("--write and --dry-run exclude each other")
    if not opts.undo and not args:
        raise UsageError("name a folder or a file")
    missing = [word for word in args if not os.path.lexists(word)]
    if missing:
        raise UsageError(f"{printable(missing[0])} is not there")
    others = [word for word in args if not _is_music(word)]
    if others:
        raise UsageError(f"{printable(others[0])} is no folder of music and no media file")
    if opts.originals and opts.no_originals:
        raise UsageError("--originals and --no-originals exclude each other")


def _run(args: list[str], opts: argparse.Namespace, least: float, substitutions: Substitutions | None) -> int:
    from mediacrawl.music.run import LEAST_SURE, MusicOptions, run
    from mediacrawl.music.shown import MusicConsole, write_report

    originals = Path(opts.originals or time.strftime("demojibake-%Y%m%d-%H%M%S"))
    lists = (M3U if opts.m3u else frozenset()) | (CUE if opts.cue else frozenset())
    # A list that is named needs no option.
    lists |= {Path(word).suffix.lower() for word in args if not Path(word).is_dir()} & (M3U | CUE)
    options = MusicOptions(
        paths=[Path(word) for word in args],
        write=opts.write,
        originals=None if opts.no_originals or not opts.write else originals,
        id3v1=opts.id3v1,
        keep_mtime=opts.keep_mtime,
        lists=lists,
        # The files themselves change, so the setting for stored items may ask for more, and not for less.
        min_confidence=max(least, LEAST_SURE) if opts.min_confidence is None else least,
        substitutions=substitutions,
        jobs=opts.jobs,
    )
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    colour = is_coloured(opts.color, sys.stdout, os.environ)
    console = MusicConsole(sys.stdout, sys.stderr, limit=opts.limit, colour=colour, width=width)
    try:
        outcome = run(options, console)
    except BaseException:
        if options.originals and options.originals.is_dir():
            undo = f"scrapy demojibake --undo {shlex.quote(str(originals))}"
            say(printable(f"What was written can be undone: {undo}"), sys.stderr)
        raise
    console.end(outcome, options)
    if opts.report:
        write_report(Path(opts.report), outcome, options)
    return 1 if outcome.troubles else 0


def _undo(opts: argparse.Namespace) -> int:
    from mediacrawl.music.originals import undo

    files = failed = 0
    for done in undo(Path(opts.undo)):
        files += not done.why
        failed += done.failed
        if done.why:
            say(printable(f"{done.path}: {done.why}."), sys.stderr)
    say(f"{plural(files, 'file')} brought back")
    return 1 if failed else 0
