"""The state of a probe between two visits: its bytes, and the facts of the server's first response."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, field
from email.utils import parsedate_to_datetime
from enum import StrEnum

import msgpack

from mediacrawl.base.content_coding import codings_of
from mediacrawl.probe.claims import expected_by_type
from mediacrawl.probe.multipart import BodyPart, is_multipart, read_content_range, read_parts
from mediacrawl.probe.planner import Probe
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.result import ProbeResult

_SIZE = re.compile(r"\s*\d{1,18}\s*", re.ASCII)
_UNSATISFIED = re.compile(r"\s*bytes\s+\*/(\d{1,18})\s*", re.ASCII | re.IGNORECASE)


class Odd(StrEnum):
    """Unusual properties of a response. Stats count them as ``media/odd/<value>``."""

    IGNORED_RANGE = "ignored_range"
    """200 with the file from its start, where a range was requested."""
    IGNORED_IF_RANGE = "ignored_if_range"
    """The same for an unchanged file: the server supports Range, but not If-Range."""
    CHANGED = "changed"
    """The file has changed since the visit before."""
    NOT_SATISFIABLE = "not_satisfiable"
    """416."""
    MULTIPART = "multipart"
    WRONG_PLACE = "wrong_content_range"
    """206 with a Content-Range that is missing, contradicts itself, or does not cover the requested range."""
    NO_LENGTH = "no_length"
    """The whole file without a length."""
    PACKED = "content_encoding"
    """A content coding that was not requested: ranges of it are no ranges of the file."""
    STATUS = "status"
    """A status without content."""
    BROKE_OFF = "broke_off"
    """Fewer bytes than announced, at each attempt."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A server's response to a request of a probe.

    Attributes:
        status: HTTP status.
        body: as received, after decoding a known content coding.
        ranged: whether a range was requested.
        at: time of arrival, RFC 3339 in UTC.
        content_type, content_range, content_length, content_encoding, etag, last_modified, date: headers as the server
            wrote them, empty if not given.
        undecodable: whether the body is in a content coding that was not decoded.
        whole: whether the server ended the body, rather than the crawler's limit.
        broke_off: whether it has fewer bytes than announced, and the range is not requested again.
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
    broke_off: bool = False

    @property
    def is_coded(self) -> bool:
        """Whether the body has a content coding."""
        return bool(codings_of([self.content_encoding]))

    @property
    def size(self) -> int | None:
        """Bytes of the whole file by a 200; None if unknown."""
        if self.is_coded or not _SIZE.fullmatch(self.content_length):
            return len(self.body) if self.whole and (self.is_coded or not self.content_length) else None
        return int(self.content_length)


@dataclass(slots=True)
class FirstAnswer:
    """Facts of the server's first response for a file.

    Attributes:
        at: time, RFC 3339 in UTC; empty before the first response.
        status, content_type, etag, last_modified: as sent, empty if not given.
        ranges: whether it sent the requested range; None if none was requested.
        date: header Date, as sent.
        unconditional: whether the server answers ranges wrongly under ``If-Range``.
        changes: how often the file changed, so that the probe began again.
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
        """The value of ``If-Range``: a strong ETag, else a strong date (RFC 9110, 13.1.5); empty without either."""
        if self.unconditional:
            return ""
        if self.etag and not self.etag.startswith("W/"):
            return self.etag
        return self.last_modified if _is_strong(self.last_modified, self.date) else ""

    def is_other(self, reply: Reply) -> bool:
        """Whether a later response shows another version of the file; mirrors may differ in one header."""
        etag = bool(reply.etag and self.etag) and reply.etag.removeprefix("W/") != self.etag.removeprefix("W/")
        dated = bool(reply.last_modified and self.last_modified)
        return etag and not (dated and reply.last_modified == self.last_modified)

    def is_same(self, reply: Reply) -> bool:
        """Whether a later response states that it is the same version of the file."""
        if reply.etag or self.etag:
            return reply.etag == self.etag
        return bool(self.last_modified) and reply.last_modified == self.last_modified


@dataclass(slots=True)
class Session:
    """One file's probe over several visits; at rest msgpack of the probe's state and the first answer's fields."""

    probe: Probe
    first: FirstAnswer = field(default_factory=FirstAnswer)

    @classmethod
    def load(cls, state: bytes, policy: ProbePolicy, *, once: bool = False, expected: str = "") -> Session:
        """Restores a session; a new one if there is no state or it cannot be read.

        Args:
            state: the result of `dump`; empty for a new session.
            policy: the limits.
            once: whether the server is known to send no ranges, so that a new session has one request.
            expected: MIME type by the URL, see `claims.expected_by_name`, for a new session.
        """
        try:
            probe, first = msgpack.unpackb(state)
            return cls(Probe.load(probe, policy), FirstAnswer(*first))
        except (ValueError, TypeError, msgpack.UnpackException):
            # No state, another version's, or a broken one: the probe begins at the head.
            session = cls(Probe(policy, expected=expected))
            if once:
                session.probe.ask_once()
            return session

    def dump(self) -> bytes:
        """Serializes the state for the next visit."""
        packed: bytes = msgpack.packb((self.probe.dump(), astuple(self.first)))
        return packed

    @property
    def asks_range(self) -> bool:
        """Whether the next request has a Range; a response without ranges is cut off."""
        return self.first.ranges is not False

    def try_again(self) -> bool:
        """Counts a failed request; returns whether the range may be requested once more."""
        self.probe.requests += 1
        return self.probe.requests < self.probe.policy.max_requests

    def take(self, reply: Reply) -> Odd | None:
        """Feeds a response of any kind to the probe.

        Args:
            reply: 206 and 200 bring bytes; after any other the probe ends, or requests the file without a range.

        Returns:
            What is unusual about it, or None.
        """
        if not self.first.status:
            self._begin(reply)
        if reply.ranged and self.first.ranges is None:
            self.first.ranges = self._supports_ranges(reply.status)
        if reply.is_coded and reply.status in {200, 206}:
            # Handles a content coding: its ranges are no ranges of the file, so no second one is
            # requested.
            position = read_content_range(reply.content_range) if reply.status == 206 else None
            if self.probe.head or reply.undecodable or (position is not None and position.start):
                self._refuse_body(len(reply.body), "compressed")
            else:
                self.probe.feed(0, reply.body, reply.size if reply.status == 200 else None)
                if not self.probe.finished:
                    self.probe.refuse("compressed")
            return Odd.PACKED
        if reply.status == 206:
            return self._take_part(reply)
        if reply.status == 200:
            return self._take_whole(reply)
        if reply.status == 416 and reply.ranged:
            stated = _UNSATISFIED.fullmatch(reply.content_range)
            size = int(stated[1]) if stated else None
            if not self.probe.head and size != 0:
                # A server that refuses the first bytes of a file supports no ranges.
                self.first.ranges, self.first.status = False, 0
                self.probe.requests += 1
            else:
                self.probe.unsatisfied(size)
            return Odd.NOT_SATISFIABLE
        self._refuse_body(len(reply.body), f"status {reply.status}")
        return Odd.STATUS

    def _begin(self, reply: Reply) -> None:
        first = self.first
        first.at, first.status, first.content_type = reply.at, reply.status, reply.content_type
        first.etag, first.last_modified, first.date = reply.etag, reply.last_modified, reply.date
        if reply.status in {200, 206}:
            # The page of an error has a type of its own.
            self.probe.expected = expected_by_type(reply.content_type, self.probe.expected)

    def _supports_ranges(self, status: int) -> bool | None:
        """Whether the status shows that the server supports ranges; a 200 to If-Range means "changed"."""
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
                # The server would send the whole file once more.
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
        position, data = part
        if not position.start <= asked[0] < position.stop:
            self._refuse_body(len(reply.body), "wrong Content-Range")
            return Odd.WRONG_PLACE
        if asked[0] and self.first.is_other(reply):
            self._refuse_body(len(reply.body), "file changed")
            return Odd.CHANGED
        known = self.probe.size
        self.probe.feed(position.start, data, position.size)
        if None not in {known, position.size} and known != position.size:
            return Odd.CHANGED
        return Odd.MULTIPART if several else None

    def _take_unplaced(self, body: bytes, asked: int) -> Odd:
        """Handles a 206 without a valid Content-Range."""
        if asked == 0 and body:
            # Probably the requested head, as its content shows; later ranges could not be placed.
            self.probe.feed(0, body, None)
            self.probe.refuse("206 without a range")
        else:
            self._refuse_body(len(body), "206 without a range")
        return Odd.WRONG_PLACE

    def _refuse_body(self, received: int, why: str) -> None:
        self.probe.requests += 1
        self.probe.bytes_fetched += received
        self.probe.refuse(why)


@dataclass(frozen=True, slots=True)
class ProbeStep:
    """The effect of one response on a session.

    Attributes:
        session: after the response.
        odd: what is unusual about the response, or None.
        state: for the next visit; empty if the probe is finished.
        result: of the finished probe, None before.
    """

    session: Session
    odd: Odd | None
    state: bytes
    result: ProbeResult | None


def advance(state: bytes, policy: ProbePolicy, reply: Reply, *, once: bool = False, expected: str = "") -> ProbeStep:
    """Feeds one response to a session, which takes up to 2 s of CPU for a hostile file.

    Args:
        state: of the session before the response.
        policy: the limits.
        reply: the response.
        once: whether the server is known to send no ranges.
        expected: MIME type by the URL, see `claims.expected_by_name`.
    """
    session = Session.load(state, policy, once=once, expected=expected)
    odd = session.take(reply)
    probe = session.probe
    if once and not reply.ranged and not probe.finished:
        probe.refuse("no ranges")
    if reply.broke_off:
        odd = Odd.BROKE_OFF
        probe.refuse("broke off")
    if not probe.finished:
        return ProbeStep(session, odd, session.dump(), None)
    return ProbeStep(session, odd, b"", probe.result())


def _single(reply: Reply) -> BodyPart | None:
    position = read_content_range(reply.content_range)
    return BodyPart(position, reply.body[: position.stop - position.start]) if position else None


def _held(reply: Reply, start: int) -> BodyPart | None:
    """The part of a multipart response that covers an offset."""
    parts = read_parts(reply.content_type, reply.body)
    return next((part for part in parts if part.position.start <= start < part.position.stop), None)


def _is_strong(modified: str, date: str) -> bool:
    """Whether a Last-Modified was at least a second old when it was sent (RFC 9110, 8.8.2.2)."""
    try:
        age = parsedate_to_datetime(date[:100]) - parsedate_to_datetime(modified[:100])
    except (ValueError, TypeError, OverflowError, IndexError):
        return False
    return age.total_seconds() >= 1
