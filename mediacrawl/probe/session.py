"""A probe between two visits: its bytes, and what the first answer said about the file."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, field
from email.utils import parsedate_to_datetime
from enum import StrEnum

import msgpack

from mediacrawl.probe.multipart import BodyPart, is_multipart, read_content_range, read_parts
from mediacrawl.probe.planner import Probe
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.result import ProbeResult

_SIZE = re.compile(r"\s*\d{1,18}\s*", re.ASCII)
_UNSATISFIED = re.compile(r"\s*bytes\s+\*/(\d{1,18})\s*", re.ASCII | re.IGNORECASE)


class Odd(StrEnum):
    """What is unusual about an answer. Stats count them as ``media/odd/<value>``."""

    IGNORED_RANGE = "ignored_range"
    """200 and the file from its start, where a range was asked for."""
    IGNORED_IF_RANGE = "ignored_if_range"
    """The same, though it is the same version of the file: the server knows ranges and not their condition."""
    CHANGED = "changed"
    """The file is another one than at the visit before."""
    NOT_SATISFIABLE = "not_satisfiable"
    """416."""
    MULTIPART = "multipart"
    WRONG_PLACE = "wrong_content_range"
    """206 with a Content-Range that is missing, contradicts itself, or does not hold what was asked for."""
    NO_LENGTH = "no_length"
    """The whole file, and it does not say how long that is."""
    PACKED = "content_encoding"
    """Compressed, though that was not asked for: a range of it is no range of the file."""
    STATUS = "status"
    """A status that brings no bytes."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered to a request of a probe.

    Attributes:
        status: HTTP status.
        body: as received, unpacked if it was compressed in a way that is known.
        ranged: whether a range was asked for.
        at: when it came, RFC 3339 in UTC.
        content_type, content_range, content_length, content_encoding, etag, last_modified, date: headers as the server
            wrote them, empty if not given.
        undecodable: whether the body is in a content coding that was not decoded.
        whole: whether the server ended the body, rather than the crawler's limit.
    """

    status: int
    body: bytes = b""
    ranged: bool = True
    at: str = ""
    content_type: str = ""
    content_range: str = ""
    content_length: str = ""
    content_encoding: str = ""
    etag: str = ""
    last_modified: str = ""
    date: str = ""
    undecodable: bool = False
    whole: bool = False

    @property
    def is_coded(self) -> bool:
        """Whether it came in another form than the file has."""
        return self.content_encoding.strip().lower() not in {"", "identity"}

    @property
    def size(self) -> int | None:
        """Bytes of the whole file by a 200; None if that is not known."""
        if self.is_coded or not _SIZE.fullmatch(self.content_length):
            return len(self.body) if self.whole and (self.is_coded or not self.content_length) else None
        return int(self.content_length)


@dataclass(slots=True)
class FirstAnswer:
    """What the server said of the file when it was asked first.

    Attributes:
        at: when, RFC 3339 in UTC; empty before there was one.
        status, content_type, etag, last_modified: as in the answer, empty if not given.
        ranges: whether it gave the range that was asked for; None if it was not asked for one.
        date: header Date, as in the answer.
        unconditional: whether the server was seen to answer ranges wrongly under ``If-Range``.
        changes: how often the file became another one, so that it was begun anew.
    """

    at: str = ""
    status: int = 0
    content_type: str = ""
    etag: str = ""
    last_modified: str = ""
    ranges: bool | None = None
    date: str = ""
    unconditional: bool = False
    changes: int = 0

    @property
    def validator(self) -> str:
        """What ``If-Range`` takes: a strong ETag, else a strong date (RFC 9110, 13.1.5); empty if there is neither."""
        if self.unconditional:
            return ""
        if self.etag and not self.etag.startswith("W/"):
            return self.etag
        return self.last_modified if _is_strong(self.last_modified, self.date) else ""

    def is_other(self, reply: Reply) -> bool:
        """Whether an answer shows another version of the file. The machines behind one name may differ in one of both.

        Args:
            reply: a later one.
        """
        etag = bool(reply.etag and self.etag) and reply.etag.removeprefix("W/") != self.etag.removeprefix("W/")
        dated = bool(reply.last_modified and self.last_modified)
        return etag and not (dated and reply.last_modified == self.last_modified)

    def is_same(self, reply: Reply) -> bool:
        """Whether an answer says that it is this version of the file.

        Args:
            reply: a later one.
        """
        if reply.etag or self.etag:
            return reply.etag == self.etag
        return bool(self.last_modified) and reply.last_modified == self.last_modified


@dataclass(slots=True)
class Session:
    """One file's probe over several visits. At rest: msgpack of the probe's state and the first answer's fields."""

    probe: Probe
    first: FirstAnswer = field(default_factory=FirstAnswer)

    @classmethod
    def load(cls, state: bytes, policy: ProbePolicy, *, once: bool = False) -> Session:
        """The session of a stored state; a new one if there is none, or if it cannot be read.

        Args:
            state: what `dump` gave; empty for a new one.
            policy: the limits.
            once: for a new one: whether its server is known to give no ranges, so that one read is all there will be.
        """
        try:
            probe, first = msgpack.unpackb(state)
            return cls(Probe.load(probe, policy), FirstAnswer(*first))
        except (ValueError, TypeError, msgpack.UnpackException):
            # None, another version's state, or a broken one: the file is asked from its head.
            session = cls(Probe(policy))
            if once:
                session.probe.ask_once()
            return session

    def dump(self) -> bytes:
        """The state for the next visit."""
        packed: bytes = msgpack.packb((self.probe.dump(), astuple(self.first)))
        return packed

    @property
    def asks_range(self) -> bool:
        """Whether the next request has a Range. One that refused them all is asked for the file, and cut off."""
        return self.first.ranges is not False

    def try_again(self) -> bool:
        """A range could not be had now: may it be asked once more? It counts as a request, so there is an end to it."""
        self.probe.requests += 1
        return self.probe.requests < self.probe.policy.max_requests

    def take(self, reply: Reply) -> Odd | None:
        """Feed an answer to the probe, whatever it is.

        Args:
            reply: 206 and 200 bring bytes; after anything else the probe ends with what is known, or asks otherwise.

        Returns:
            What is unusual about it, None if nothing is.
        """
        if not self.first.status:
            self._begin(reply)
        if reply.ranged and self.first.ranges is None:
            self.first.ranges = self._tells(reply.status)
        if reply.is_coded and reply.status in {200, 206}:
            return self._take_coded(reply)
        if reply.status == 206:
            return self._take_part(reply)
        if reply.status == 200:
            return self._take_whole(reply)
        if reply.status == 416 and reply.ranged:
            return self._take_unsatisfied(reply)
        self._refuse_body(len(reply.body), f"status {reply.status}")
        return Odd.STATUS

    def _begin(self, reply: Reply) -> None:
        first = self.first
        first.at, first.status, first.content_type = reply.at, reply.status, reply.content_type
        first.etag, first.last_modified, first.date = reply.etag, reply.last_modified, reply.date

    def _tells(self, status: int) -> bool | None:
        """Whether the server gives ranges, as far as its answer to one tells. A 200 to If-Range says "changed"."""
        conditional = self.probe.requests > 0 and bool(self.first.validator)
        if status == 206:
            return True
        return False if status == 200 and not conditional else None

    def _take_whole(self, reply: Reply) -> Odd | None:
        if reply.ranged and self.probe.head:
            return self._take_instead(reply)
        self.probe.feed(0, reply.body, reply.size)
        if reply.ranged or self.first.ranges is False:
            if not self.probe.finished:
                # It would send the whole file once more.
                self.probe.refuse("no ranges")
            return Odd.IGNORED_RANGE if reply.ranged else None
        return Odd.NO_LENGTH if reply.size is None else None

    def _take_instead(self, reply: Reply) -> Odd:
        """Takes a file from its start that came in place of a later range."""
        conditional = bool(self.first.validator)
        same_size = None in {reply.size, self.probe.size} or reply.size == self.probe.size
        if conditional and self.first.is_same(reply) and same_size:
            self.first.unconditional = True
            self.probe.reread(reply.body, reply.size)
            return Odd.IGNORED_IF_RANGE
        if conditional and not self.first.changes:
            self.first.changes += 1
            self._begin(reply)
            self.probe.reread(reply.body, reply.size, changed=True)
            return Odd.CHANGED
        self.probe.requests += 1
        self.probe.bytes_fetched += len(reply.body)
        self.probe.refuse("file changed" if conditional or not same_size else "no ranges")
        return Odd.CHANGED if conditional or not same_size else Odd.IGNORED_RANGE

    def _take_part(self, reply: Reply) -> Odd | None:
        asked = self.probe.next_range() or (0, 0)
        several = is_multipart(reply.content_type)
        part = _held(reply, asked[0]) if several else _single(reply)
        if part is None:
            return self._take_unplaced(b"" if several else reply.body, asked[0])
        place, data = part
        if not place.start <= asked[0] < place.stop:
            self._refuse_body(len(reply.body), "wrong Content-Range")
            return Odd.WRONG_PLACE
        if asked[0] and self.first.is_other(reply):
            self._refuse_body(len(reply.body), "file changed")
            return Odd.CHANGED
        known = self.probe.size
        self.probe.feed(place.start, data, place.size)
        if None not in {known, place.size} and known != place.size:
            return Odd.CHANGED
        return Odd.MULTIPART if several else None

    def _take_unplaced(self, body: bytes, asked: int) -> Odd:
        """Takes a part that does not say which one it is."""
        if asked == 0 and body:
            # Probably the head that was asked for, and the content tells; but nothing can be put in its place after it.
            self.probe.feed(0, body, None)
            self.probe.refuse("206 without a range")
        else:
            self._refuse_body(len(body), "206 without a range")
        return Odd.WRONG_PLACE

    def _take_coded(self, reply: Reply) -> Odd:
        """Takes the start of a compressed file. No range of it is one of the file, so there is no second one."""
        place = read_content_range(reply.content_range) if reply.status == 206 else None
        if self.probe.head or reply.undecodable or (place is not None and place.start):
            self._refuse_body(len(reply.body), "compressed")
        else:
            self.probe.feed(0, reply.body, reply.size if reply.status == 200 else None)
            if not self.probe.finished:
                self.probe.refuse("compressed")
        return Odd.PACKED

    def _take_unsatisfied(self, reply: Reply) -> Odd:
        told = _UNSATISFIED.fullmatch(reply.content_range)
        size = int(told[1]) if told else None
        if not self.probe.head and size != 0:
            # It refuses the very first bytes of a file: it does not do ranges.
            self.first.ranges, self.first.status = False, 0
            self.probe.requests += 1
        else:
            self.probe.unsatisfied(size)
        return Odd.NOT_SATISFIABLE

    def _refuse_body(self, received: int, why: str) -> None:
        self.probe.requests += 1
        self.probe.bytes_fetched += received
        self.probe.refuse(why)


@dataclass(frozen=True, slots=True)
class ProbeStep:
    """What an answer came to.

    Attributes:
        session: after it.
        odd: what is unusual about the answer.
        state: for the next visit; empty if there is none.
        result: of the finished probe, None before.
    """

    session: Session
    odd: Odd | None
    state: bytes
    result: ProbeResult | None


def advance(state: bytes, policy: ProbePolicy, reply: Reply, *, once: bool = False) -> ProbeStep:
    """Take one answer: the part of a visit that costs time, up to 2 s of CPU for a hostile file.

    Args:
        state: of the session before.
        policy: the limits.
        reply: the answer.
        once: whether the server is known to give no ranges.
    """
    session = Session.load(state, policy, once=once)
    odd = session.take(reply)
    probe = session.probe
    if once and not reply.ranged and not probe.finished:
        probe.refuse("no ranges")
    if not probe.finished:
        return ProbeStep(session, odd, session.dump(), None)
    return ProbeStep(session, odd, b"", probe.result())


def _single(reply: Reply) -> BodyPart | None:
    place = read_content_range(reply.content_range)
    return BodyPart(place, reply.body[: place.stop - place.start]) if place else None


def _held(reply: Reply, start: int) -> BodyPart | None:
    """The part of several that holds an offset."""
    parts = read_parts(reply.content_type, reply.body)
    return next((part for part in parts if part.place.start <= start < part.place.stop), None)


def _is_strong(modified: str, date: str) -> bool:
    """Whether a Last-Modified was a second old at least when it was told (RFC 9110, 8.8.2.2)."""
    try:
        age = parsedate_to_datetime(date[:100]) - parsedate_to_datetime(modified[:100])
    except (ValueError, TypeError, OverflowError, IndexError):
        return False
    return age.total_seconds() >= 1
