"""Counts of the encodings found per host and folder: files in one place were mostly tagged by one program.

"As declared" is counted like any other encoding, so a host that is really Latin-1 stays so. `benchmarks/encodings.py`
prints how much single fields gain.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import urlsplit

from mediacrawl.base.charsets import Seen
from mediacrawl.base.files import replacing
from mediacrawl.encoding.decision import Detection
from mediacrawl.encoding.languages import LANGUAGES, codec_name, languages_named

logger = logging.getLogger(__name__)
_FORMAT = 1

_SURE_MARGIN = 3.0
"""Least margin, in nats, of a decision that is counted."""

_MOST_PAIRS = 8

_MOST_COUNTS = 64.0
"""Counts of one place; beyond, all are halved, so that a host may change."""

_LEAST_COUNT = 0.5
_SILENT = ("utf-16", "ascii")

_ENOUGH = 8.0
"""Counts above which a folder is used alone; below, the rest of its host fills up to this number."""

_LONGEST_KEY = 120
_LARGEST_FILE = 64 * 1024 * 1024
"""Bytes; a file never has so many, and is damaged if it does."""

HOSTS = 10_000
"""Hosts whose encodings are remembered, and as many folders: some 10 MB."""

Counts = dict[tuple[str, str], float]
Loaded = TypeVar("Loaded")
_TITLE = "What was learned of encodings"


def place_of(url: str) -> tuple[str, str]:
    """Return the host of a URL, in lower case, and its folder with the host; both empty for anything else."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return "", ""
    folder = f"{host}{parts.path.rpartition('/')[0]}/"
    if len(folder) > _LONGEST_KEY:
        digest = hashlib.blake2s(folder.encode("utf-8", "replace"), digest_size=8).hexdigest()
        folder = f"{folder[: _LONGEST_KEY - 17]}#{digest}"
    return host[:_LONGEST_KEY], folder if host else ""


@lru_cache(maxsize=1024)
def _language_of(encoding: str, named: str) -> str:
    """Return the named language if it is written in an encoding; else the most common one that is."""
    writing = [language for language in LANGUAGES.values() if encoding in language.encodings]
    told = [language for language in writing if language.code in languages_named(named)]
    return max(told or writing, key=lambda language: language.weight).code if writing else ""


class History:
    """Counts of (encoding, language) for hosts and folders, the least recently used dropped. Never raises.

    On disk (`save`, `load`): a `StateFile` with two objects, ``hosts`` and ``folders``, each with the counts of its
    places, least recently used first: ``{"a.example": {"cp1251 ru": 12.0}}``. A kill loses what was counted since
    the last `save`; without the file, a crawl decides the first files of each host with less evidence.

    In memory at most 200 bytes and `_MOST_PAIRS` counts for each place: 10,000 hosts and as many folders take some
    10 MB.
    """

    def __init__(self, hosts: int = HOSTS) -> None:
        self._limit = max(hosts, 1)
        self._hosts: OrderedDict[str, Counts] = OrderedDict()
        self._folders: OrderedDict[str, Counts] = OrderedDict()
        self._learned: OrderedDict[int, None] = OrderedDict()

    def prior(self, url: str) -> Seen:
        """Return the counts for a URL: those of its folder, filled up with those of its host while they are few."""
        of_host, of_folder = place_of(url)
        host, folder = self._hosts.get(of_host, {}), self._folders.get(of_folder, {})
        around = {pair: rest for pair, count in host.items() if (rest := count - folder.get(pair, 0.0)) > 0}
        room = _ENOUGH - sum(folder.values())
        if not folder or not around or room <= 0:
            return dict(folder or host)
        share = min(room / sum(around.values()), 1.0)
        return {pair: folder.get(pair, 0.0) + share * around.get(pair, 0.0) for pair in folder | around}

    def learn(self, url: str, detection: Detection) -> None:
        """Count the decision on one record, once for each URL, if its margin suffices.

        UTF-16 is not counted, since no program writes it by mistake; nor is ASCII, which is the same in all encodings.
        """
        # Also false for a margin that is not a number.
        if not detection.margin > _SURE_MARGIN or not detection.encoding or detection.encoding.startswith(_SILENT):
            return
        # By the names of the priors: Latin-1 is cp1252, UTF-8 has no language.
        encoding = codec_name(detection.encoding) or detection.encoding
        self._learn(url, (encoding, detection.language if encoding != "utf-8" else ""))

    def learn_document(self, url: str, encoding: str, language: str) -> None:
        """Count the encoding that a page or list declares, or was surely found in, once for each URL; UTF-8 never."""
        name = codec_name(encoding)
        if name and name != "utf-8":
            self._learn(url, (name, _language_of(name, language)))

    def __len__(self) -> int:
        return len(self._hosts)

    def _learn(self, url: str, pair: tuple[str, str]) -> None:
        (host, folder), mark = place_of(url), hash(url)
        if not host or mark in self._learned:
            return
        self._learned[mark] = None
        if len(self._learned) > self._limit:
            self._learned.popitem(last=False)
        self._count(self._hosts, host, pair)
        self._count(self._folders, folder, pair)

    def _count(self, places: OrderedDict[str, Counts], name: str, pair: tuple[str, str]) -> None:
        counts = places.setdefault(name, {})
        places.move_to_end(name)
        counts[pair] = counts.get(pair, 0.0) + 1.0
        if len(counts) > _MOST_PAIRS:
            del counts[min(counts.keys() - {pair}, key=lambda other: (counts[other], other))]
        if sum(counts.values()) > _MOST_COUNTS:
            places[name] = {other: count / 2 for other, count in counts.items() if count / 2 >= _LEAST_COUNT}
        if len(places) > self._limit:
            places.popitem(last=False)

    @classmethod
    def load(cls, path: Path, hosts: int = HOSTS) -> Self:
        """Read a file that `save` wrote; starts empty without one, or if it is damaged."""
        history = cls(hosts)
        stored = StateFile(path, _TITLE).load(_parsed)
        for name, places in (("hosts", history._hosts), ("folders", history._folders)):
            for key, counts in (stored or {}).get(name, {}).items():
                places[key] = counts
                if len(places) > history._limit:
                    places.popitem(last=False)
        return history

    def save(self, path: Path) -> None:
        """Replace the file, whose folder is made if it is missing; an error of the disk is logged."""
        places = {"hosts": _written(self._hosts), "folders": _written(self._folders)}
        StateFile(path, _TITLE).save(json.dumps({"format": _FORMAT, **places}, ensure_ascii=True))


def _parsed(content: bytes) -> dict[str, dict[str, Counts]]:
    """Return the counts by place, least recently used first."""
    try:
        stored = json.loads(content)
        if stored["format"] == _FORMAT:
            return {name: {key: _counts(each) for key, each in stored[name].items()} for name in ("hosts", "folders")}
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError("it has no counts of hosts and folders") from error
    raise ValueError(f"it is no file of format {_FORMAT}")


def _counts(stored: dict[str, float]) -> Counts:
    counts = {(name.partition(" ")[0], name.partition(" ")[2]): count for name, count in stored.items()}
    if len(counts) > _MOST_PAIRS or not all(0 < count <= _MOST_COUNTS for count in counts.values()):
        raise ValueError("counts of a place are out of range")
    return counts


def _written(places: Mapping[str, Counts]) -> dict[str, dict[str, float]]:
    return {name: {" ".join(pair): count for pair, count in counts.items()} for name, counts in places.items()}


class StateFile:
    """A JSON file of learned data, written atomically, and kept aside when it is damaged.

    On disk: ``NAME``, ASCII. A save writes ``NAME.new`` and renames it, so a kill leaves the old file or the new
    one. `title` is the subject of log messages.
    """

    def __init__(self, path: Path, title: str) -> None:
        self._path = path
        self._title = title

    def load(self, parse: Callable[[bytes], Loaded]) -> Loaded | None:
        """Return the parsed content; None without a file, and for a damaged one, which is kept as ``NAME.damaged``."""
        kept = self._path.with_name(f"{self._path.name}.damaged")
        try:
            with self._path.open("rb") as file:
                return parse(file.read(_LARGEST_FILE))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            note = f" The file is kept as {kept}."
            try:
                self._path.replace(kept)
            except OSError:
                note = ""
            logger.warning("%s cannot be read (%s), so it starts empty.%s", self._title, error, note)
            return None

    def save(self, text: str) -> None:
        """Replace the file; its folder is made if it is missing. An error of the disk is logged."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self._path) as file:
                file.write(text.encode("ascii"))
        except OSError as error:
            logger.warning("%s could not be saved: %s", self._title, error)
