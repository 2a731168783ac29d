"""Find the lines of one site in the logs of a month, by the indexes of the packed files where there are any."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from mediacrawl.observe.archive import DAMAGE, files, is_packed, is_packed_already, parse
from mediacrawl.observe.packing import chunks, read_all, read_member, whole_lines
from mediacrawl.observe.site_index import Member, NoIndexError, SiteIndex, index_path, site_key
from mediacrawl.observe.unfinished import UNFINISHED, unfinished

_TRIES = 10
"""Times that a day is read which changes while it is read; it does so twice."""


class Search:
    """A search for the lines of one site. It only reads, so it may run beside a crawl that writes and packs.

    Attributes:
        whole: names of packed files that had no index that fits, and were read whole.
        damaged: names of packed files of which a part could not be read, each once.

    Args:
        site: as it stands in the lines.
        hosts: hosts whose lines are wanted too where a line names no site (robots.txt, earlier versions).
    """

    def __init__(self, site: str, hosts: Iterable[str] = ()) -> None:
        self._site = site
        self._hosts = frozenset(hosts)
        names = [_quoted(site), *map(_quoted, self._hosts)]
        self._keys = [site_key(name) for name in names]
        self._needles = [b'"site":"' + names[0] + b'"', *(b"//" + name for name in names[1:])]
        self.whole: list[str] = []
        self.damaged: list[str] = []

    def lines(self, folder: Path, name: str, since: date | None = None) -> Iterator[dict[str, Any]]:
        """The lines of the site in one folder, oldest file first, in a file in the order in which they were written.

        Behind them stand the requests that are out now, or were when a crawl was killed (`UNFINISHED`).

        Args:
            folder: where the logs are.
            name: ``requests`` or ``robots``.
            since: first day (UTC) whose file is read; None reads all.
        """
        # Before the files: a crawl that starts meanwhile writes them there.
        out = b"".join(unfinished(folder)) if name == "requests" else b""
        told = set[tuple[object, object]]()
        for day in dict.fromkeys(day for day, _ in files(folder, name)):
            if since is None or day >= since:
                yield from _once(self._day(folder / f"{name}-{day.isoformat()}.jsonl"), told)
        yield from _once(self._matching(out), told)

    def _day(self, plain: Path) -> list[dict[str, Any]]:
        """The lines of a day, read anew if a crawl packed it meanwhile: else they would come twice, or not at all."""
        packed = plain.with_name(plain.name + ".gz")
        for _ in range(_TRIES):
            before = _file_number(packed), _file_number(plain)
            found = list(self._file(packed)) if before[0] else []
            if before[1] and not (before[0] and is_packed_already(plain, packed)):
                found += self._file(plain)
            if before == (_file_number(packed), _file_number(plain)):
                break
        return found

    def _file(self, path: Path) -> Iterator[dict[str, Any]]:
        pieces = self._packed if is_packed(path) else _plain
        try:
            for lines in pieces(path):
                yield from self._matching(lines)
        except FileNotFoundError:
            # Packed by a running crawl between the look and now, or removed.
            return
        except DAMAGE:
            self._note_damage(path)

    def _packed(self, path: Path) -> Iterator[bytes]:
        with path.open("rb") as packed:
            members = self._members(path, packed)
            if members is None:
                if path.name not in self.whole:
                    self.whole.append(path.name)
                yield from read_all(packed)
                return
            for member in members:
                try:
                    yield from read_member(packed, member)
                except DAMAGE:
                    self._note_damage(path)

    def _members(self, path: Path, packed: BinaryIO) -> list[Member] | None:
        try:
            with SiteIndex(index_path(path), packed) as index:
                return index.find(self._keys)
        except NoIndexError:
            return None

    def _note_damage(self, path: Path) -> None:
        if path.name not in self.damaged:
            self.damaged.append(path.name)

    def _matching(self, lines: bytes) -> Iterator[dict[str, Any]]:
        found = sorted({place for needle in self._needles for place in _places(lines, needle)})
        for start, end in found:
            record = parse(lines[start:end])
            if record is not None and self._is_wanted(record):
                yield record

    def _is_wanted(self, record: dict[str, Any]) -> bool:
        return record["site"] == self._site if record.get("site") else _host(record.get("url")) in self._hosts


def _once(records: Iterable[dict[str, Any]], told: set[tuple[object, object]]) -> Iterator[dict[str, Any]]:
    """Pass over what says of a request that its end is not known, if that was told. What is told is noted."""
    for record in records:
        request = record.get("time"), record.get("url")
        if record.get("error") != UNFINISHED or request not in told:
            told.add(request)
            yield record


def _file_number(path: Path) -> int:
    """By what a file is known while it is replaced; 0 if there is none."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return 0


def _plain(path: Path) -> Iterator[bytes]:
    with path.open("rb") as lines:
        yield from whole_lines(chunks(lines))


def _places(lines: bytes, needle: bytes) -> Iterator[tuple[int, int]]:
    """Begin and end of each line that holds some bytes."""
    place = lines.find(needle)
    while place >= 0:
        end = lines.find(b"\n", place)
        end = len(lines) if end < 0 else end
        yield lines.rfind(b"\n", 0, place) + 1, end
        place = lines.find(needle, end)


def _quoted(name: str) -> bytes:
    return json.dumps(name)[1:-1].encode("ascii")


def _host(url: object) -> str:
    try:
        return urlsplit(str(url)).hostname or ""
    except ValueError:
        return ""
