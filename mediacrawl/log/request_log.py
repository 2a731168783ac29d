"""The request log: one line for each request, the proof when a site complains."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import math
import os
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Self

from mediacrawl.base.files import is_at
from mediacrawl.base.format import plural
from mediacrawl.base.text import clean
from mediacrawl.log.archive import is_torn, lock, tidy

logger = logging.getLogger(__name__)

MAX_TEXT = 4096
"""Characters of one value that are kept: more than any accepted URL has, and a bound for hostile headers."""
MAX_ROBOTS = 500 * 1024
"""Bytes of a robots.txt that are kept: as many as are obeyed (RFC 9309, section 2.5)."""


_DAY = 86400
_RETRY = 60.0
"""Seconds until a new day's file that could not be opened is tried again."""
_TRIES = 20
_PATIENCE = 1.0
"""Seconds that `RequestLog.close` waits for what is being packed."""
UNFINISHED = "Unfinished"
"""Value of ``error`` in the log for a request whose end is not known: the crawl was killed, or it is under way."""
SLOT = 8_192
"""Bytes of a slot. A line with a URL of 2,048 bytes takes some 2,500; a line that does not fit is left out."""
LINES_LOST = "LinesLost"
"""Value of ``error`` in the log for a gap: lines that the disk refused."""
LOST = b'"lost":'
"""The key of the number in the line of a gap. In no other line it is a key, and within a value quotes are escaped."""
_NAMES = "out-*.slots"
_FREE = b"\0"
_GAP = 512
"""Bytes that are reserved for the line of a gap."""
_SLOT_TRIES = 5


class LogError(Exception):
    """The log cannot be written. The message says what, where, and what to do."""


def utc_day(when: float) -> date:
    """The day in UTC of a time in seconds since the epoch."""
    return datetime.fromtimestamp(when, UTC).date()


class DayFile:
    """Appends lines to ``<folder>/<name>-YYYY-MM-DD.jsonl``, a new file from each midnight UTC on.

    **On disk.** Each line is written by one ``write`` on a descriptor opened with ``O_APPEND``, unbuffered. So lines of
    two processes never mix, and a process kill loses no line for which `write` has returned. A power cut loses what the
    system had not written back, usually the last 5 to 30 seconds, and may tear the last line; the next line then starts
    on a new line. This holds for local file systems, not for NFS.

    **Disk errors** do not stop the crawl: the line is counted in `lost`, an error is logged once, and a warning when
    lines can be written again.

    Not thread-safe.

    Args:
        folder: exists.
        name: one of `archive.NAMES`.
        clock: seconds since the epoch.
        on_new_day: called with the new day (UTC) after the file has changed.

    Raises:
        LogError: the file cannot be opened for writing.
    """

    def __init__(self, folder: Path, name: str, clock: Callable[[], float], on_new_day: Callable[[date], None]) -> None:
        self._folder = folder
        self._name = name
        self._clock = clock
        self._on_new_day = on_new_day
        self.failing = False
        """Whether the last line could not be written."""
        self.lost = 0
        try:
            self._open()
        except OSError as error:
            raise LogError(
                f"The request log cannot be written in {folder}: {error.strerror or error}. It is the proof"
                " of what was asked of whom; give it a folder that this user can write to."
            ) from error

    def _open(self) -> None:
        """Open the file of the current day; a failure changes nothing."""
        for _ in range(_TRIES):
            now = self._clock()
            path = self._folder / f"{self._name}-{utc_day(now).isoformat()}.jsonl"
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
            if lock(descriptor, alone=False) and is_at(descriptor, path):
                self._descriptor = descriptor
                self._day_ends = (now // _DAY + 1) * _DAY
                self._torn = is_torn(path)
                return
            # Another process, whose clock is ahead, is packing this file.
            os.close(descriptor)
            time.sleep(0.05)
        raise BlockingIOError(f"{path} is being packed by another process")

    def write(self, line: bytes) -> None:
        """Append one line.

        Args:
            line: with its line feed at the end, and no other.
        """
        if self._clock() >= self._day_ends:
            self._rotate()
        if self._torn:
            line = b"\n" + line
        try:
            written = os.write(self._descriptor, line)
            while written < len(line):
                self._torn = True
                line = line[written:]
                written = os.write(self._descriptor, line)
        except OSError as error:
            self._lose(error)
            return
        self._torn = False
        if self.failing:
            self._recover()

    def _rotate(self) -> None:
        old = self._descriptor
        try:
            self._open()
        except OSError as error:
            # Lines continue into yesterday's file.
            logger.error("The request log cannot begin a new file in %s: %s.", self._folder, error)  # noqa: TRY400
            self._day_ends = self._clock() + _RETRY
            return
        os.close(old)
        self._on_new_day(utc_day(self._clock()))

    def _lose(self, error: OSError) -> None:
        self.lost += 1
        if not self.failing:
            logger.error(
                "The request log in %s cannot be written: %s. The crawl goes on, lines are lost until"
                " this is repaired; their number is counted.",
                self._folder,
                error.strerror or error,
            )
        self.failing = True

    def _recover(self) -> None:
        self.failing = False
        lost = plural(self.lost, "line", "was")
        logger.warning("The request log in %s is written again; %s lost.", self._folder, lost)

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


@dataclass(slots=True)
class RequestLine:
    """One request and its response, as they are in the log.

    Attributes:
        time: when the request was sent, seconds since the epoch; written in UTC with milliseconds (RFC 3339).
        url: the requested URL.
        status: of the response; None without a response.
        content_type, content_length, location: the headers as sent; bytes decoded as Latin-1.
        response_url: URL of the response, if it is not `url`.
        duration: seconds from the request to the end of the response or to the failure; None if no request was sent.
        bytes: of the body, as received.
        site: whose delay applied.
        delay: seconds of delay that were kept before the request.
        kind: expected kind of the URL, see `base.terms.Kind`.
        drop: why the URL was dropped, see `base.terms.Drop`.
        error: an error below HTTP: its reason in words, or the name of the exception.
        address: IP address of the server; None if unknown.
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


class UnfinishedRequests:
    """A file with a slot for each request under way, and one for the lines that a full disk refuses.

    **On disk.** ``<folder>/out-<process>-<random>.slots``, made by `reserve` and removed by `close`: slots of `SLOT`
    bytes, each with a line as it is to be in the log, or a zero byte if free. A line is written by one unbuffered
    ``pwrite`` before its request is sent: a process kill loses none, a power cut what the system has not
    written back. The process holds the file's lock; `recovered` takes the files of dead processes. Without ``pwrite``
    (Windows) there is no such file, and without file locks nobody takes it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._descriptor = -1
        self._unused: list[int] = []
        self._slots = 1
        self._is_marked = False

    def reserve(self) -> None:
        """Take the space on the disk for `mark`, the first slot, if there is any."""
        with contextlib.suppress(OSError):
            if hasattr(os, "pwrite"):
                self._open()
                self._put(_FREE * _GAP, 0)

    def mark(self, line: bytes) -> None:
        """Keep the line of a gap in the log, also on a full disk; it stays there after `close`.

        Args:
            line: replaces the one before; empty if it is in the log.
        """
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                self._put(line or _FREE, 0)
            self._is_marked = bool(line)

    def _put(self, data: bytes, slot: int) -> None:
        if os.pwrite(self._descriptor, data, slot * SLOT) < len(data):
            # What is torn has no line feed, and counts as free.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def begin(self, line: bytes) -> int:
        """Keep a line until `end`; returns its slot, -1 if it could not be kept."""
        if len(line) > SLOT or not hasattr(os, "pwrite"):
            return -1
        try:
            if self._descriptor < 0:
                self._open()
            slot = self._unused[-1] if self._unused else self._slots
            self._put(line, slot)
        except OSError:
            return -1
        if self._unused:
            self._unused.pop()
        else:
            self._slots += 1
        return slot

    def end(self, slot: int) -> None:
        """Free a slot: the line of the request is in the log, or it was not sent."""
        if slot < 0 or self._descriptor < 0:
            return
        with contextlib.suppress(OSError):
            self._put(_FREE, slot)
        self._unused.append(slot)

    def close(self) -> None:
        """Remove the file, unless lines are lost."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                if not self._is_marked:
                    self._path.unlink()
            os.close(self._descriptor)
        self._path, self._descriptor = None, -1

    def _open(self) -> None:
        for _ in range(_SLOT_TRIES):
            path = self._folder / f"out-{os.getpid()}-{secrets.token_hex(4)}.slots"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            if lock(descriptor, alone=True) and is_at(descriptor, path):
                break
            # Another process starts, and has locked the file as a dead process's.
            os.close(descriptor)
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        else:
            raise OSError("no file of slots can be locked")
        self._path, self._descriptor = path, descriptor


def recovered(folder: Path) -> Iterator[tuple[Path, list[bytes]]]:
    """The lines that dead processes left. Each file is locked until the next is requested.

    Returns:
        Each file with its lines; it is to be removed when they are in the log.
    """
    for path in sorted(folder.glob(_NAMES)):
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError:
            continue
        try:
            if lock(descriptor, alone=True) and is_at(descriptor, path):
                yield path, _lines(path)
        finally:
            os.close(descriptor)


def unfinished(folder: Path) -> list[bytes]:
    """The lines of all requests whose end is not in the log, of living processes and dead ones; without a lock."""
    found = []
    for path in sorted(folder.glob(_NAMES)):
        with contextlib.suppress(FileNotFoundError):
            found += _lines(path)
    return found


def _lines(path: Path) -> list[bytes]:
    found = []
    with path.open("rb") as slots:
        while slot := slots.read(SLOT):
            line, feed, _ = slot.partition(b"\n")
            if feed and not line.startswith(_FREE):
                found.append(line + feed)
    return found


class RequestLog:
    """Writes ``requests-YYYY-MM-DD.jsonl`` and ``robots-YYYY-MM-DD.jsonl``, days in UTC.

    A line is in the file of the day on which it was written, so a request that ended after midnight is in the later
    one. `DayFile` documents the effects of a kill, a power cut and a full disk. Files of past days are compressed to
    ``.gz`` in a thread, at midnight and at the start, and removed after `keep_days`; any of them but today's may be
    deleted by hand. Several processes may share a folder.

    The line of a request is written at its end. Until then it is in a file of its own (`UnfinishedRequests`); after
    a kill the next start on the folder writes it into the log, with the error `UNFINISHED`, as a request that was sent
    and whose end is not known (duration 0).

    **Lines that cannot be written** have one line together, with the error `LINES_LOST`, without a URL: ``time`` and
    ``until`` are when the first and the last of them was refused, ``lost`` is their number. It is written as soon as
    lines can be written again, by this process or the next one on the folder, and is in a reserved slot of the same
    file until then.

    A line is written at once.

    Args:
        folder: made if it is missing.
        keep_days: a file is removed when its day is more than so many days ago; at least 1.
        clock: seconds since the epoch.

    Raises:
        LogError: the folder cannot be written to. A crawl must not start without its log.
        ValueError: `keep_days` is less than 1.
    """

    def __init__(self, folder: str | Path, *, keep_days: int = 31, clock: Callable[[], float] = time.time) -> None:
        if keep_days < 1:
            raise ValueError(f"keep_days is {keep_days}; a log is kept for one day at least")
        folder = _make(Path(folder))
        self._folder, self._keep_days = folder, keep_days
        self._tidying: Thread | None = None
        self._clock = clock
        self._requests = DayFile(folder, "requests", clock, self._tidy)
        try:
            self._robots = DayFile(folder, "robots", clock, self._tidy)
        except LogError:
            self._requests.close()
            raise
        self._second = -1
        self._prefix = ""
        self._noted = 0
        self._gap_began = 0.0
        self._out = UnfinishedRequests(folder)
        self._out.reserve()
        self.recovered = self._recover(folder)
        """Requests that a kill of an earlier process left unfinished; they are in the log now."""
        self._tidy(utc_day(clock()))

    @property
    def lost(self) -> int:
        """Lines that could not be written."""
        return self._requests.lost + self._robots.lost

    def begin(self, line: RequestLine) -> int:
        """Keep the line of a request that is about to be sent, in case the process is killed before its end.

        Args:
            line: with what is known; its duration and error are set here.

        Returns:
            The slot for `write` or `forget`.
        """
        line.duration, line.error = 0.0, UNFINISHED
        slot = self._out.begin(self._line(line))
        if slot < 0:
            # If the process is killed before its end, nothing else says that it was sent.
            self._note_gap(1)
        return slot

    def forget(self, out: int) -> None:
        """Drop the line of a request that was not sent."""
        self._out.end(out)

    def write(self, line: RequestLine, out: int = -1) -> None:
        """Append one request; never raises, whatever a server sent and whatever the disk does.

        Args:
            line: the request and its response.
            out: the slot from `begin`; -1 without one.
        """
        self._requests.write(self._line(line))
        # A kill between these two leaves two lines; `Search` skips the second.
        self._out.end(out)
        self._note_gap()

    def _note_gap(self, expected: int = 0) -> None:
        """Keep the number of lost lines, with `expected` ones, and write it into the log if lines can be written."""
        number = self.lost - self._noted + expected
        if not number and not self._gap_began:
            return
        now = self._clock()
        self._gap_began = self._gap_began or now
        line = self._line(RequestLine(self._gap_began, "", error=LINES_LOST), until=self._stamp(now), lost=number)
        if number:
            self._out.mark(line)
        if expected or self._requests.failing:
            return
        if number:
            self._requests.write(line)
        if not self._requests.failing:
            self._noted, self._gap_began = self.lost, 0.0
            self._out.mark(b"")

    def _line(self, line: RequestLine, **more: object) -> bytes:
        values = {name: getattr(line, name) for name in RequestLine.__slots__}
        length = line.content_length
        if isinstance(length, str) and length.isascii() and length.isdigit() and len(length) <= 18:
            values["content_length"] = int(length)
        return _json(values | {"time": self._stamp(line.time)} | more)

    def _recover(self, folder: Path) -> int:
        """Write the lines of unfinished requests into the log; return their number."""
        found = 0
        for path, lines in recovered(folder):
            for line in lines:
                self._requests.write(line)
                found += LOST not in line
            if self.lost:
                # The disk is full: the next start finds them there.
                break
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
        """Append a robots.txt as fetched.

        Args:
            when: when the response arrived, seconds since the epoch.
            url: of the robots.txt; after redirects the last URL.
            status: of the response; None without one, 304 if the file is unchanged.
            body: as received. Bytes that are no UTF-8 are read as Latin-1, which loses none, and the line says so; what
                is beyond `MAX_ROBOTS` is left out, from the beginning of a line.
            authority: to which the rules apply, ``https://site.example``; empty if `url` says it.
            site: of the authority, for `Search`.
            kept: the rules of an older copy that stay in force. They replace the body, since the line of that copy is
                deleted with its day.
        """
        text, encoding = (kept, "utf-8") if kept else _robots_text(body)
        self._robots.write(
            _json(
                {"time": self._stamp(when), "url": url, "status": status, "bytes": len(body), "site": site}
                | {"authority": authority, "encoding": encoding, "text": text},
                most=MAX_ROBOTS + 1,
            )
        )
        self._note_gap()

    def _stamp(self, when: float) -> str:
        second = math.floor(when)
        if second != self._second:
            self._prefix = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
            self._second = second
        return f"{self._prefix}.{int((when - second) * 1000):03d}Z"

    def _tidy(self, today: date) -> None:
        """Pack and remove old files in a thread, after the one before has ended: two must not pack one file."""
        before = self._tidying

        def work() -> None:
            if before is not None:
                before.join()
            tidy(self._folder, today, self._keep_days)

        # A daemon, so that the process can end meanwhile: the next start packs the rest.
        self._tidying = Thread(target=work, name="log-tidying", daemon=True)
        self._tidying.start()

    def wait(self) -> None:
        """Wait until all files of past days are packed; for tools and tests."""
        if self._tidying is not None:
            self._tidying.join()

    def close(self) -> None:
        """Close the files. A large file that is being packed is left to the next start, if the process ends."""
        self._out.close()
        self._requests.close()
        self._robots.close()
        if self._tidying is not None:
            self._tidying.join(_PATIENCE)

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


_encode = json.JSONEncoder(separators=(",", ":")).encode
"""`json.dumps` makes an encoder for each line."""


def _json(values: dict[str, Any], most: int = MAX_TEXT) -> bytes:
    """Return a line of ASCII. Texts are cut to `most` characters, and numbers to three decimals."""
    for name, value in values.items():
        if isinstance(value, str):
            # Strict JSON readers refuse half a surrogate pair.
            text = value if len(value) <= most else f"{value[:most]}…"
            values[name] = text if text.isascii() else clean(text)
        elif isinstance(value, float):
            values[name] = round(value, 3) if math.isfinite(value) else None
    return _encode(values).encode("ascii") + b"\n"
