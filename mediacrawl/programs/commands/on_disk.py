"""``scrapy demojibake`` for music files: its options, the calls to `mediacrawl.programs.music`, and what they print."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

from mediacrawl.base.format import count, plural
from mediacrawl.base.text import printable, say
from mediacrawl.commands.own import INTERRUPTED
from mediacrawl.encoding import ModelError, Substitutions, model_version, use_models
from mediacrawl.programs.music import CUE, M3U, MEDIA
from mediacrawl.programs.rerun import PreviewRow, PreviewTable, ranking, replace

if TYPE_CHECKING:
    from mediacrawl.programs.music import MusicOptions, MusicSummary

# What reads and writes files takes a while to import, and stored items have no need of it: see below.
# ruff: noqa: PLC0415

_STORES = ("output", "fields", "raw", "only_mangled", "force", "restart")
_KINDS = {"undecided": "not sure", "damaged": "damaged, which stay", "unwritable": "where nothing here writes"}
"""Texts that stay as they are, by decision."""


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
    return path.suffix.lower() in MEDIA | M3U | CUE


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
    from mediacrawl.programs.music import OriginalsError

    _check(args, opts)
    try:
        use_models(models)
    except ModelError as error:
        raise UsageError(str(error)) from error
    try:
        return _undo(opts) if opts.undo else _run(args, opts, least, substitutions)
    except OriginalsError as error:
        say(printable(str(error)), sys.stderr)
        return 1
    except KeyboardInterrupt:
        say("Stopped. Each file is as it was, or mended; the same command goes on from here.", sys.stderr)
        return INTERRUPTED


def _check(args: list[str], opts: argparse.Namespace) -> None:
    for name in _STORES:
        if getattr(opts, name):
            raise UsageError(f"--{name.replace('_', '-')} is for stored items, not for music on a disk")
    for is_wrong, sentence in (
        (opts.jobs < 1, "--jobs must be 1 or more"),
        (opts.undo and (args or opts.write), "--undo takes a folder of originals and nothing else"),
        (opts.write and opts.dry_run, "--write and --dry-run exclude each other"),
        (not opts.undo and not args, "name a folder or a file"),
        (opts.originals and opts.no_originals, "--originals and --no-originals exclude each other"),
    ):
        if is_wrong:
            raise UsageError(sentence)
    for word in args:
        if not os.path.lexists(word):
            raise UsageError(f"{printable(word)} is not there")
        if not _is_music(word):
            raise UsageError(f"{printable(word)} is no folder of music and no media file")


def _run(args: list[str], opts: argparse.Namespace, least: float, substitutions: Substitutions | None) -> int:
    from mediacrawl.programs.music import LEAST_SURE, MusicOptions, mend_music

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
    console = MusicConsole(PreviewTable(sys.stdout, opts.limit, opts.color))
    try:
        outcome = mend_music(options, console)
    except BaseException:
        if options.originals and options.originals.is_dir():
            undo = f"scrapy demojibake --undo {shlex.quote(str(originals))}"
            say(printable(f"What was written can be undone: {undo}"), sys.stderr)
        raise
    for line in ([""] if console.table.has_rows else []) + report(outcome, options):
        say(printable(line), flush=True)
    if opts.report:
        write_report(Path(opts.report), outcome, options)
    return 1 if outcome.troubles else 0


def _undo(opts: argparse.Namespace) -> int:
    from mediacrawl.programs.music import undo

    files = failed = 0
    for done in undo(Path(opts.undo)):
        files += not done.why
        failed += done.failed
        if done.why:
            say(printable(f"{done.path}: {done.why}."), sys.stderr)
    say(f"{plural(files, 'file')} brought back")
    return 1 if failed else 0


class MusicConsole:
    """Prints a run; a change is shown once in a folder, since its files share their album. See `run.MusicObserver`."""

    def __init__(self, table: PreviewTable) -> None:
        self.table = table
        self._folder = Path()
        self._shown: set[tuple[str, str, str | None]] = set()

    def file(self, path: Path, texts: Sequence[Mapping[str, Any]]) -> None:
        """See `MusicObserver`."""
        if path.parent != self._folder:
            self._folder, self._shown = path.parent, set()
        marked = {(each["key"], each["old"], each["new"]): each for each in texts}
        fresh = [
            PreviewRow(f"  {key}", old, new or "", each["encoding"], each["confidence"], each["decision"])
            for (key, old, new), each in marked.items()
            if (key, old, new) not in self._shown
        ]
        self._shown.update(marked)
        self.table.show(fresh, str(path))

    def trouble(self, path: Path, why: str) -> None:
        """See `MusicObserver`."""
        say(printable(f"{path} is left as it is: {why}."), sys.stderr, flush=True)


def report(outcome: MusicSummary, options: MusicOptions) -> list[str]:
    """Return the lines with the counts of a run."""
    counts = outcome.counts
    done = f"{count(counts['written'])} written" if options.write else "none written: that takes --write"
    lines = [f"{plural(counts['files'], 'file')} read, {count(counts['wrong'])} with wrong texts, {done}"]
    texts = [f"{count(counts['texts'])} not ASCII", f"{count(counts['fixed'])} wrong"]
    texts += [f"{count(counts[name])} {meaning}" for name, meaning in _KINDS.items() if counts[name]]
    lines.append(f"  texts      {', '.join(texts)}")
    for label, numbers in (("encodings", outcome.encodings), ("languages", outcome.languages)):
        if numbers:
            lines.append(f"  {label:<10} {ranking(numbers)}")
    if counts["long"]:
        lines.append(f"  long       {plural(counts['long'], 'file')} with a text over 256 KB, which stays as it is")
    if outcome.troubles:
        lines.append(f"  left       {plural(len(outcome.troubles), 'file')}, see above")
    if options.originals and counts["written"]:
        lines.append(f"  undo       scrapy demojibake --undo {shlex.quote(str(options.originals))}")
    return lines


def write_report(path: Path, outcome: MusicSummary, options: MusicOptions) -> None:
    """Write the run as JSON, atomically; a file that is there is replaced. Raise OSError if it cannot be written."""
    found = {
        "models": model_version(),
        "originals": str(options.originals) if options.originals else None,
        "min_confidence": options.min_confidence,
        **outcome.counts,
        "encodings": dict(outcome.encodings),
        "languages": dict(outcome.languages),
        "troubles": [{"path": str(path), "why": why} for path, why in outcome.troubles],
        "changed": outcome.listed,
    }
    text = json.dumps(found, ensure_ascii=False, indent=1)
    replace(path, text.encode("utf-8", "backslashreplace") + b"\n")
