"""Searching the request logs: all lines of one site, and the history of one URL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mediacrawl.base.format import elapsed, in_words, plural, size
from mediacrawl.base.text import printable
from mediacrawl.log.archive import days, parse, read_day
from mediacrawl.log.request_log import LOST, UNFINISHED, unfinished


class Search:
    """A search for the lines of one site. It only reads, so it may run while a crawl writes and packs.

    Every file is read whole, several days at a time: a day of a million lines takes 1.5 s of processor time.

    Attributes:
        damaged: names of files of which a part could not be read, each once.
        gaps: when lines were lost, and how many: (first, last, number), times as in the log.

    Args:
        site: as in the lines.
        hosts: hosts whose lines count too if they name no site (robots.txt, earlier versions).
    """

    def __init__(self, site: str, hosts: Iterable[str] = ()) -> None:
        self._site = site
        self._hosts = frozenset(hosts)
        # A quotation mark within a value is escaped, so these bytes are the key and nothing else.
        self._needles = [b'"site":"%s"' % _quoted(site), *(b"//" + _quoted(host) for host in self._hosts)]
        self.damaged: list[str] = []
        self.gaps = set[tuple[str, str, int]]()

    @property
    def flaws(self) -> list[str]:
        """A sentence for each reason why lines may be missing in what was found."""
        flaws = [
            f"The log has a gap from {_minute(first)} to {_minute(last)} UTC: its disk refused"
            f" {plural(number, 'line')}. Requests may be missing here."
            for first, last, number in sorted(self.gaps)
        ]
        if self.damaged:
            flaws.append(f"Damaged, and read only in part: {', '.join(self.damaged)}. Requests may be missing here.")
        return flaws

    def lines(self, folder: Path, name: str, since: date | None = None) -> Iterator[dict[str, Any]]:
        """The lines of the site in one folder, oldest file first, in a file in the order in which they were written.

        Last come the requests that are out now, or were when a crawl was killed (`UNFINISHED`).

        Args:
            folder: of the logs.
            name: ``requests`` or ``robots``.
            since: first day (UTC) whose file is read; None reads all.
        """
        # Before the files: a crawl that starts meanwhile moves these lines there.
        out = b"".join(unfinished(folder)) if name == "requests" else b""
        seen = set[tuple[object, object]]()
        found = (day for day in days(folder, name) if since is None or day >= since)
        with ThreadPoolExecutor() as pool:
            for records in pool.map(lambda day: self._day(folder, name, day), found):
                yield from _once(records, seen)
        yield from _once(self._matching(out), seen)

    def _day(self, folder: Path, name: str, day: date) -> list[dict[str, Any]]:
        damaged = dict[str, None]()
        pieces = read_day(folder, name, day, damaged.setdefault)
        found = [record for lines in pieces for record in self._matching(lines)]
        self.damaged += damaged.keys() - {*self.damaged}
        return found

    def _matching(self, lines: bytes) -> Iterator[dict[str, Any]]:
        for start, end in _places(lines, LOST):
            gap = parse(lines[start:end]) or {}
            number = gap.get("lost")
            self.gaps.add((str(gap.get("time")), str(gap.get("until")), number if isinstance(number, int) else 0))
        for start, end in sorted({place for needle in self._needles for place in _places(lines, needle)}):
            record = parse(lines[start:end])
            if record is not None and self._is_wanted(record):
                yield record

    def _is_wanted(self, record: dict[str, Any]) -> bool:
        return record["site"] == self._site if record.get("site") else _host(record.get("url")) in self._hosts


@dataclass(frozen=True, slots=True)
class UrlHistory:
    """The lines of one URL in the request log.

    Attributes:
        requests: number of requests sent.
        last: the last line, also of a request that was refused before it was sent; empty if there is none.
    """

    requests: int
    last: Mapping[str, Any]

    @classmethod
    def of(cls, lines: Iterable[Mapping[str, Any]], key: str, canonical: Callable[[str], str | None]) -> UrlHistory:
        """Collect the lines of a URL.

        Args:
            lines: of its site, oldest first, as `Search.lines` gives them.
            key: the URL in canonical form.
            canonical: makes the canonical form of a URL; None if it is none.
        """
        requests, last = 0, dict[str, Any]()
        for line in lines:
            url = str(line.get("url") or "").partition("#")[0]
            if url == key or canonical(url) == key:
                requests += line.get("duration") is not None
                last = dict(line)
        return cls(requests, last)

    @property
    def end(self) -> str:
        """How the URL ended by its last line: a reason for a drop, or ``done``; empty if the line has no end."""
        if self.last.get("drop"):
            return str(self.last["drop"])
        status = self.last.get("status")
        return "done" if isinstance(status, int) and status < 400 else ""

    def summary(self) -> str:
        """The last answer in words, with its time; empty if there is no line."""
        if not self.last:
            return ""
        line = self.last
        when = str(line.get("time") or "")[:19].replace("T", " ")
        error = in_words(str(line.get("error") or ""))
        if line.get("duration") is None:
            return printable(f"not sent at {when} UTC: {line.get('drop') or error}")
        answer = ", ".join(filter(None, [str(line.get("status") or ""), error])) or "no answer"
        length = line.get("bytes")
        received = size(length) if isinstance(length, int) and length > 0 else ""
        what = ", ".join(filter(None, [str(line.get("content_type") or ""), received]))
        took, times = elapsed(float(line["duration"])), plural(self.requests, "request")
        return printable(f"{answer}{f' ({what})' if what else ''} at {when} UTC, in {took}; {times} in the log")


def _minute(time: str) -> str:
    return printable(time[:16].replace("T", " "))


def _once(records: Iterable[dict[str, Any]], seen: set[tuple[object, object]]) -> Iterator[dict[str, Any]]:
    """Leave out the unfinished line of a request that has another line."""
    for record in records:
        request = record.get("time"), record.get("url")
        if record.get("error") != UNFINISHED or request not in seen:
            seen.add(request)
            yield record


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
