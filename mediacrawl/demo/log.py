"""What the server saw: one line per request, safe to read while requests come in."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Condition
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """One request as the server saw it. Monotonic times measure distances, epoch times go with other logs.

    Attributes:
        url: absolute, with the host that the client named and the server's port.
        host: in lower case, without port.
        path: path and query as they were sent.
        method: in capitals.
        range: value of the Range header, or empty.
        user_agent: value of the User-Agent header, or empty.
        headers: all header lines of the request, names in lower case.
        received: when the head of the request was there, seconds since the epoch.
        received_monotonic: the same moment, seconds of `time.monotonic`.
        finished: the moment before the last bytes of the answer were given to the kernel, since no client can have
            them earlier and this thread may be late to look at its clock afterwards; or when the client had gone; None
            while the answer is under way.
        finished_monotonic: the same moment, seconds of `time.monotonic`.
        status: of the answer; 0 if no status line went out.
        bytes_sent: bytes of the body (of everything, where the answer was not HTTP) that the kernel took.
    """

    url: str
    host: str
    path: str
    method: str
    range: str
    user_agent: str
    headers: Mapping[str, str] = field(repr=False)
    received: float
    received_monotonic: float
    finished: float | None = None
    finished_monotonic: float | None = None
    status: int = 0
    bytes_sent: int = 0


class Moment(NamedTuple):
    """One moment by both clocks: seconds since the epoch, and of `time.monotonic`."""

    epoch: float
    monotonic: float

    @classmethod
    def now(cls) -> Moment:
        """This one."""
        return cls(time.time(), time.monotonic())


class RequestLog:
    """An append-only list that one thread writes and any thread reads."""

    def __init__(self) -> None:
        self._entries: list[LoggedRequest] = []
        self._open = 0
        self._changed = Condition()

    def begin(self, entry: LoggedRequest) -> int:
        """Note a request that has come in; the answer is its number."""
        with self._changed:
            self._entries.append(entry)
            self._open += 1
            return len(self._entries) - 1

    def end(self, number: int, status: int, bytes_sent: int, at: Moment) -> None:
        """Note that the answer to this request is out since `at`, or that there will be none."""
        with self._changed:
            self._entries[number] = replace(
                self._entries[number],
                finished=at.epoch,
                finished_monotonic=at.monotonic,
                status=status,
                bytes_sent=bytes_sent,
            )
            self._open -= 1
            self._changed.notify_all()

    def snapshot(self) -> list[LoggedRequest]:
        """All requests so far, in the order in which they came in."""
        with self._changed:
            return list(self._entries)

    def settled(self, timeout: float) -> list[LoggedRequest]:
        """All requests so far, once no answer is under way (a client may read the last byte before we note it).

        Args:
            timeout: seconds.

        Raises:
            TimeoutError: an answer is still under way.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._open == 0, timeout):
                raise TimeoutError(f"{self._open} answers are still under way after {timeout} s")
            return list(self._entries)
