"""What a person names as input and output: a file by its suffix, a Redis list by its URL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from mediacrawl.rerun.errors import RerunError

Kind = Literal["lines", "csv", "catalogue", "parquet", "redis"]

_KINDS: dict[str, Kind] = {
    ".jl": "lines",
    ".jsonl": "lines",
    ".jsonlines": "lines",
    ".ndjson": "lines",
    ".csv": "csv",
    ".tsv": "csv",
    ".db": "catalogue",
    ".sqlite": "catalogue",
    ".sqlite3": "catalogue",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_PACKED: frozenset[Kind] = frozenset({"lines", "csv"})
_REDIS = frozenset({"redis", "rediss", "unix"})
_KNOWN = ".jl .jsonl .ndjson .csv .tsv (each also with .gz), .db .sqlite .parquet, or redis://HOST:PORT/DB?key=NAME"


@dataclass(frozen=True, slots=True)
class Place:
    """One input or output.

    Attributes:
        name: as it may be shown and stored; a password in a URL is left out.
        kind: of records that stand there.
        path: of the file; None for Redis, and for the standard input and output.
        packed: whether it is compressed by gzip.
        url: of the Redis server, without the key.
        key: of the Redis list.
    """

    name: str
    kind: Kind
    path: Path | None = None
    packed: bool = False
    url: str = ""
    key: str = ""

    @property
    def is_stream(self) -> bool:
        """Whether it is the standard input or output, of which nothing can be read or written twice."""
        return self.path is None and not self.key

    @property
    def root(self) -> Path:
        """The path, of a place that has one."""
        if self.path is None:
            raise RerunError(f"{self.name} is no file.")
        return self.path

    def is_same(self, other: Place) -> bool:
        """Whether both are one file or list, also by way of a link."""
        if self.path and other.path:
            both_exist = self.path.exists() and other.path.exists()
            return self.path.samefile(other.path) if both_exist else self.path.absolute() == other.path.absolute()
        return bool(self.key) and (self.url, self.key) == (other.url, other.key)


def place(text: str) -> Place:
    """Read the name of an input or output.

    Args:
        text: a path with one of the known suffixes, in any case; ``redis://host:port/db?key=name``; or ``-``, which is
            JSON lines on the standard input or output. A folder is taken as a set of Parquet files.

    Raises:
        RerunError: a suffix that is not known, a URL without a key.
    """
    if text == "-":
        return Place("-", "lines")
    if text.partition("://")[0].lower() in _REDIS and "://" in text:
        return _redis(text)
    path = Path(text)
    suffix, packed = path.suffix.lower(), False
    if suffix == ".gz":
        suffix, packed = Path(path.stem).suffix.lower(), True
    kind = "parquet" if text and path.is_dir() else _KINDS.get(suffix)
    if kind is None or (packed and kind not in _PACKED):
        raise RerunError(_unknown(text, suffix))
    return Place(text, kind, path, packed)


def _unknown(text: str, suffix: str) -> str:
    if suffix == ".json":
        return f"{text}: one JSON document cannot be read piece by piece. Make JSON lines of it: jq -c '.[]'"
    return f"{text or 'An empty name'} does not tell what it holds. Known are {_KNOWN}."


def _redis(text: str) -> Place:
    """Split off the key; the other parameters are for the client."""
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise RerunError(f"The URL of the Redis list cannot be read: {error}.") from error
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    keys = [value for name, value in pairs if name == "key" and value]
    host = parts.netloc.rpartition("@")[2]
    shown = urlunsplit((parts.scheme, host, parts.path, urlencode({"key": keys[0]} if keys else {}), ""))
    if len(keys) != 1:
        raise RerunError(f"{shown} does not name one list. Write it as redis://HOST:PORT/DB?key=NAME.")
    query = urlencode([pair for pair in pairs if pair[0] != "key"])
    url = urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))
    return Place(shown, "redis", url=url, key=keys[0])
