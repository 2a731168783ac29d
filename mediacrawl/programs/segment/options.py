"""The options of a run, and the formats of files by their names."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mediacrawl.programs.segment.examine import Rules, SegmentError

InputKind = Literal["lines", "parquet", "sqlite"]
OutputKind = Literal["list", "lines", "parquet", "folder"]

STANDARD = "-"
"""The standard input or output."""

URL_FIELDS = ("url",)

ITEM_FIELDS = ("content_url", "page_url")
"""Fields with URLs of a media item, which has no ``url``."""

_LINES = frozenset({".jl", ".jsonl", ".jsonlines", ".ndjson", ".json", ".txt", ".lst", ".list", ".urls"})
_PARQUET = frozenset({".parquet", ".pq"})
_SQLITE = frozenset({".db", ".sqlite", ".sqlite3"})
_PACKED = frozenset({".gz", ".zst"})
_KNOWN_INPUTS = ".jl .jsonl .json .txt (each also with .gz or .zst), .parquet, or .db"
_KNOWN_OUTPUTS = ".txt .jl .jsonl (each also with .gz), .parquet, or a folder with a slash at its end"


@dataclass(frozen=True, slots=True)
class LinkFile:
    """One file of links, or of URLs that were seen."""

    path: Path
    kind: InputKind

    @property
    def is_stream(self) -> bool:
        """Whether it is the standard input."""
        return str(self.path) == STANDARD


@dataclass(frozen=True, slots=True)
class QueueTarget:
    """The output of the queue.

    Attributes:
        path: of the file or folder; `STANDARD` is the standard output.
        kind: of it.
        packed: whether it is compressed by gzip.
    """

    path: Path
    kind: OutputKind
    packed: bool = False

    @property
    def is_stream(self) -> bool:
        """Whether it is the standard output."""
        return str(self.path) == STANDARD

    @property
    def has_columns(self) -> bool:
        """Whether it holds more than URLs."""
        return self.kind != "list"


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """The options of a run.

    Attributes:
        sources: files of links; at least one.
        target: the output.
        seen: files of seen URLs.
        rules: of scope and priority.
        url_fields: fields and columns with a URL, of which the first one of a record counts; empty for the defaults.
        per_site: most URLs of a site; None for no limit.
        limit: most URLs; None for no limit.
        memory: bytes that the engine may use.
        temp: folder for temporary files; None for the output's.
        jobs: processes that examine URLs, and threads of the engine.
        force: replace an existing output.
    """

    sources: tuple[LinkFile, ...]
    target: QueueTarget
    rules: Rules
    seen: tuple[LinkFile, ...] = ()
    url_fields: tuple[str, ...] = ()
    per_site: int | None = None
    limit: int | None = None
    memory: int = 1_000_000_000
    temp: Path | None = None
    jobs: int = 1
    force: bool = False


def sources(names: Iterable[str]) -> tuple[LinkFile, ...]:
    """Parse the names of inputs, each once.

    They are paths with a known suffix, patterns of such (``links-*.jl.gz``), folders of Parquet files, or ``-`` for
    lines on the standard input.

    Raises:
        SegmentError: there is no such file, or its suffix is not known.
    """
    found = [source for name in names for source in _matching(name)]
    return tuple({source.path.absolute(): source for source in found}.values())


def _matching(name: str) -> list[LinkFile]:
    if name == STANDARD:
        return [LinkFile(Path(STANDARD), "lines")]
    path = Path(name)
    if name and path.is_dir():
        return _folder(path)
    if name and path.exists():
        return [LinkFile(path, _input_kind(path))]
    paths = [path for path in map(Path, sorted(glob.glob(name, recursive=True))) if path.is_file()]  # noqa: PTH207
    if not name or not paths:
        raise SegmentError(f"{name or 'An empty name'}: there is no such file in {path.absolute().parent}.")
    return [LinkFile(path, _input_kind(path)) for path in paths]


def _folder(path: Path) -> list[LinkFile]:
    paths = sorted(each for each in path.rglob("*") if each.suffix.lower() in _PARQUET and each.is_file())
    if not paths:
        raise SegmentError(f"{path} is a folder without a Parquet file. Name its files: {path / '*.jl'}.")
    return [LinkFile(each, "parquet") for each in paths]


def _input_kind(path: Path) -> InputKind:
    suffix, packed = _suffix(path)
    if suffix in _LINES:
        return "lines"
    if suffix in _PARQUET and not packed:
        return "parquet"
    if suffix in _SQLITE and not packed:
        return "sqlite"
    raise SegmentError(f"{path} does not tell what it holds. Known are {_KNOWN_INPUTS}.")


def target(name: str) -> QueueTarget:
    """Parse the name of an output: a path with a known suffix, a folder of Parquet files, or ``-`` for standard output.

    Raises:
        SegmentError: its suffix is not known.
    """
    if name == STANDARD:
        return QueueTarget(Path(STANDARD), "list")
    path = Path(name)
    if name.endswith(("/", "\\")) or path.is_dir():
        return QueueTarget(path, "folder")
    suffix, packed = _suffix(path)
    if suffix == ".txt" and packed != ".zst":
        return QueueTarget(path, "list", bool(packed))
    if suffix in {".jl", ".jsonl", ".jsonlines", ".ndjson"} and packed != ".zst":
        return QueueTarget(path, "lines", bool(packed))
    if suffix in _PARQUET and not packed:
        return QueueTarget(path, "parquet")
    raise SegmentError(f"{name or 'An empty name'} does not tell what is to be written. Known are {_KNOWN_OUTPUTS}.")


def _suffix(path: Path) -> tuple[str, str]:
    """Return the suffix of the format, and that of the compression."""
    last = path.suffix.lower()
    return (Path(path.stem).suffix.lower(), last) if last in _PACKED else (last, "")
