"""The request log: one line for each request, the proof when a site complains."""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as _quote
from pathlib import Path
from types import TracebackType
from typing import Self

from mediacrawl.observe.day_file import DayFile, Housekeeper, LogError, utc_day
from mediacrawl.observe.text import clean
from mediacrawl.observe.unfinished import UNFINISHED, Unfinished, recovered

MAX_TEXT = 4096
"""Characters of one value that are kept: more than any URL that scope lets through, less than a hostile header."""
MAX_ROBOTS = 500 * 1024
"""Bytes of a robots.txt that are kept: as many as are obeyed (RFC 9309, section 2.5)."""


@dataclass(slots=True)
class RequestLine:
    """One request and its answer, as they stand in the log.

    Attributes:
        time: when the request was sent, seconds since the epoch; written in UTC with milliseconds (RFC 3339).
        url: what was asked for.
        status: of the answer; None if none came.
        content_type, content_length, location: the headers as the server sent them; bytes decoded as Latin-1.
        response_url: address of the answer, if it is not `url`.
        duration: seconds from the request to the end of the answer, or to its failure; None if no request went out.
        bytes: of the body, as they came over the wire.
        site: whose delay this request paid.
        delay: seconds of delay that were kept before it.
        kind: what the URL was expected to be, see `records.Kind`.
        drop: why the URL was dropped, see `records.Drop`.
        error: what went wrong below HTTP.
        address: IP address that was asked; None if it is not known.
        retry_after: the header Retry-After as sent; of several, each on a line.
    """

    time: float
    url: str
    status: int | None = None
    content_type: str | None = None
    content_length: str | int | None = None
    location: str | None = None
    response_url: str | None = None
    duration: float | None = None
    bytes: int = 0
    site: str = ""
    delay: float | None = None
    kind: str = ""
    drop: str | None = None
    error: str | None = None
    address: str | None = None
    retry_after: str | None = None


class RequestLog:
    """Writes ``requests-YYYY-MM-DD.jsonl`` and ``robots-YYYY-MM-DD.jsonl``, days in UTC.

    A line stands in the file of the day on which it was written: a request that was out over midnight is in the
    later one. What a kill, a power cut and a full disk do to the files is told at `DayFile`. Files of past
    days are compressed to ``.gz`` in a thread, at midnight and at the start, and removed after `keep_days`; any of them
    but today's may be deleted by hand. Several processes may share a folder.

    The line of a request is written at its end. While it is out it stands in a file of its own (`Unfinished`); if the
    process is killed the next start on the folder writes it into the log, with the error `UNFINISHED`, as a request
    that went out and of whose end nothing is known (duration 0).

    A line costs 5 to 6 microseconds (measured on ext4, one core of a small server), so it is written at once.

    Args:
        folder: made if it is missing.
        keep_days: a file is removed when its day is more than so many days ago; at least 1.
        clock: seconds since the epoch.

    Raises:
        LogError: the folder cannot be written to. A crawl without its log should not begin.
        ValueError: `keep_days` is less than 1.
    """

    def __init__(self, folder: str | Path, *, keep_days: int = 31, clock: Callable[[], float] = time.time) -> None:
        if keep_days < 1:
            raise ValueError(f"keep_days is {keep_days}; a log is kept for one day at least")
        folder = _make(Path(folder))
        self._housekeeper = Housekeeper(folder, keep_days)
        self._requests = DayFile(folder, "requests", clock, self._housekeeper.start)
        try:
            self._robots = DayFile(folder, "robots", clock, self._housekeeper.start)
        except LogError:
            self._requests.close()
            raise
        self._second = -1
        self._prefix = ""
        self._out = Unfinished(folder)
        self.recovered = self._recover(folder)
        """Requests that were out when an earlier process was killed, and stand in the log now."""
        self._housekeeper.start(utc_day(clock()))

    @property
    def lost(self) -> int:
        """Lines that could not be written."""
        return self._requests.lost + self._robots.lost

    def begin(self, line: RequestLine) -> int:
        """A request is about to go out: keep a line of it, for the case that its end is never told.

        Args:
            line: with what is known of it; its duration and error are set here.

        Returns:
            What `write` is to be given with its line, or `forget` if no request went out after all.
        """
        line.duration, line.error = 0.0, UNFINISHED
        return self._out.begin(self._line(line))

    def forget(self, out: int) -> None:
        """A request did not go out.

        Args:
            out: as `begin` answered.
        """
        self._out.end(out)

    def write(self, line: RequestLine, out: int = -1) -> None:
        """Append one request; never raises for what a server sent or for what the disk does.

        Args:
            line: the request and its answer.
            out: as `begin` answered for it; -1 if it was not told.
        """
        self._requests.write(self._line(line))
        # A kill between these two leaves two lines; `Search` passes over the second.
        self._out.end(out)

    def _line(self, line: RequestLine) -> bytes:
        # By hand, because json.dumps of a dictionary takes three times as long, and this runs for every request.
        return _finish(
            f'{{"time":"{self._stamp(line.time)}","url":{_text(line.url)}'
            f',"status":{_whole(line.status)},"content_type":{_text(line.content_type)}'
            f',"content_length":{_length(line.content_length)},"location":{_text(line.location)}'
            f',"response_url":{_text(line.response_url)},"duration":{_seconds(line.duration)}'
            f',"bytes":{_whole(line.bytes)},"site":{_text(line.site)}'
            f',"delay":{_seconds(line.delay)},"kind":{_text(line.kind)}'
            f',"drop":{_text(line.drop)},"error":{_text(line.error)}'
            f',"address":{_text(line.address)},"retry_after":{_text(line.retry_after)}}}\n'
        )

    def _recover(self, folder: Path) -> int:
        """Write down the requests that were out when a process was killed; how many."""
        found = 0
        for path, lines in recovered(folder):
            for line in lines:
                self._requests.write(line)
            found += len(lines)
            with contextlib.suppress(OSError):
                path.unlink()
        return found

    def write_robots(
        self,
        when: float,
        url: str,
        status: int | None,
        body: bytes,
        *,
        authority: str = "",
        site: str = "",
        kept: str = "",
    ) -> None:
        """Append a robots.txt as it was fetched.

        Args:
            when: when its answer had come, seconds since the epoch.
            url: of the robots.txt; of a redirected one its target.
            status: of the answer; None if none came, 304 if the file is what it was.
            body: as it came. Bytes that are no UTF-8 are read as Latin-1, which loses none, and the line says so; what
                is beyond `MAX_ROBOTS` is left out, from the beginning of a line.
            authority: whose rules these are, ``https://site.example``; empty if `url` says it.
            site: of the authority, by which its lines are found.
            kept: what an older copy says to us, which counts on. It stands in place of the body: the line that the
                copy came with is deleted some day, and what we obeyed could not be shown any more.
        """
        text, encoding = (kept, "utf-8") if kept else _robots_text(body)
        self._robots.write(
            _finish(
                f'{{"time":"{self._stamp(when)}","url":{_text(url)},"status":{_whole(status)}'
                f',"bytes":{len(body)},"site":{_text(site)},"authority":{_text(authority)}'
                f',"encoding":"{encoding}","text":{_quote(text)}}}\n'
            )
        )

    def _stamp(self, when: float) -> str:
        second = math.floor(when)
        if second != self._second:
            self._prefix = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
            self._second = second
        return f"{self._prefix}.{int((when - second) * 1000):03d}Z"

    def wait(self) -> None:
        """Wait until all files of past days are packed; for tools and tests, a crawl has no need of it."""
        self._housekeeper.wait()

    def close(self) -> None:
        """Close the files and stop packing; what is left is packed at the next start."""
        self._out.close()
        self._requests.close()
        self._robots.close()
        self._housekeeper.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _make(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LogError(
            f"The folder of the request log, {folder}, cannot be made: {error.strerror}. Choose another one."
        ) from error
    return folder


def _robots_text(body: bytes) -> tuple[str, str]:
    """The text that is kept of a robots.txt, and the encoding that gives its bytes back."""
    if len(body) > MAX_ROBOTS:
        end = max(body.rfind(b"\n", 0, MAX_ROBOTS + 1), body.rfind(b"\r", 0, MAX_ROBOTS + 1)) + 1
        body = body[: end or MAX_ROBOTS]
    try:
        return body.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return body.decode("latin-1"), "latin-1"


def _text(value: str | None) -> str:
    if value is None:
        return "null"
    if len(value) > MAX_TEXT:
        return _quote(value[:MAX_TEXT] + "…")
    return _quote(value)


def _whole(value: int | None) -> str:
    return "null" if value is None else str(int(value))


def _length(value: str | int | None) -> str:
    """A Content-Length as a number if it is one, and as the text that it was if not."""
    if isinstance(value, str):
        is_number = value.isascii() and value.isdigit() and len(value) <= 18
        return str(int(value)) if is_number else _text(value)
    return _whole(value)


def _seconds(value: float | None) -> str:
    return f"{value:.3f}" if value is not None and math.isfinite(value) else "null"


def _finish(line: str) -> bytes:
    # Everything beyond ASCII is escaped; a surrogate, which strict readers refuse when it stands alone, shows here.
    if "\\ud" in line:
        text = clean(json.dumps(json.loads(line), ensure_ascii=False))
        line = json.dumps(json.loads(text), separators=(",", ":")) + "\n"
    return line.encode("ascii")
