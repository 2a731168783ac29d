"""A probe between two visits: its bytes, and what the first answer said about the file."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, field

import msgpack

from mediacrawl.probe.planner import Probe
from mediacrawl.probe.policy import ProbePolicy

_CONTENT_RANGE = re.compile(r"\s*bytes\s+(\d{1,18})-(\d{1,18})/(\d{1,18}|\*)\s*\Z", re.ASCII | re.IGNORECASE)
_SIZE = re.compile(r"\s*\d{1,18}\s*", re.ASCII)


@dataclass(slots=True)
class FirstAnswer:
    """What the server said of the file when it was asked first.

    Attributes:
        at: when, RFC 3339 in UTC; empty before there was one.
        status, content_type, etag, last_modified: as in the answer, empty if not given.
        ranges: whether it gave the range that was asked for; None if it was not asked for one.
    """

    at: str = ""
    status: int = 0
    content_type: str = ""
    etag: str = ""
    last_modified: str = ""
    ranges: bool | None = None

    @property
    def validator(self) -> str:
        """What ``If-Range`` takes: a strong ETag, else the date (RFC 9110, 13.1.5); empty if there is neither."""
        if self.etag and not self.etag.startswith("W/"):
            return self.etag
        return self.last_modified


@dataclass(slots=True)
class Session:
    """One file's probe over several visits. At rest: msgpack of the probe's state and the first answer's fields."""

    probe: Probe
    first: FirstAnswer = field(default_factory=FirstAnswer)

    @classmethod
    def load(cls, state: bytes, policy: ProbePolicy) -> Session:
        """The session of a stored state; a new one if there is none, or if it cannot be read."""
        if not state:
            return cls(Probe(policy))
        try:
            probe, first = msgpack.unpackb(state)
            return cls(Probe.load(probe, policy), FirstAnswer(*first))
        except (ValueError, TypeError, msgpack.UnpackException):
            # Another version's state, or a broken one: the file is asked again from its head.
            return cls(Probe(policy))

    def dump(self) -> bytes:
        """The state for the next visit."""
        packed: bytes = msgpack.packb((self.probe.dump(), astuple(self.first)))
        return packed

    def try_again(self) -> bool:
        """A range could not be had now: may it be asked once more? It counts as a request, so there is an end to it."""
        self.probe.requests += 1
        return self.probe.requests < self.probe.policy.max_requests

    def take(self, status: int, content_range: str, content_length: str, body: bytes, *, ranged: bool) -> None:
        """Feed an answer to the probe, whatever it is.

        Args:
            status: HTTP status; 206 and 200 bring bytes, everything else ends the probe with what is known.
            content_range: header as the server wrote it, empty if not given.
            content_length: likewise.
            body: as received.
            ranged: whether a range was asked for.
        """
        if ranged and self.first.ranges is None:
            self.first.ranges = self._tells(status)
        if status == 206:
            self._take_part(content_range, body)
        elif status == 200:
            self.probe.feed(0, body, int(content_length) if _SIZE.fullmatch(content_length) else None)
            if ranged and not self.probe.finished:
                # It would send the whole file once more.
                self.probe.refuse("no ranges")
        else:
            self.probe.refuse(f"status {status}")

    def _tells(self, status: int) -> bool | None:
        """Whether the server gives ranges, as far as its answer to one tells. A 200 to If-Range says "changed"."""
        conditional = self.probe.requests > 0 and bool(self.first.validator)
        if status == 206:
            return True
        return False if status == 200 and not conditional else None

    def _take_part(self, content_range: str, body: bytes) -> None:
        place = _CONTENT_RANGE.match(content_range)
        if place:
            start, _, size = place.groups()
            self.probe.feed(int(start), body, None if size == "*" else int(size))
            return
        asked = self.probe.next_range()
        if asked is not None and asked[0] == 0:
            # Probably the head that was asked for, and the content tells; but nothing can be put in its place after it.
            self.probe.feed(0, body, None)
        self.probe.refuse("206 without a range")
