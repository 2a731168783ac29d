"""One media file read over several polite visits: which range next, when it is enough, what an answer brings.

`Probe` plans the ranges. `Session` feeds it the answers of an HTTP server, and keeps the facts of the first of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any, NamedTuple

import msgpack

from mediacrawl.probe.context import MAX_OFFSET, ParseContext, SparseFile
from mediacrawl.probe.formats import read_container
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.result import ProbeResult

Range = tuple[int, int]
_SIZE = re.compile(r"\s*\d{1,18}\s*", re.ASCII)
_UNSATISFIED = re.compile(r"\s*bytes\s+\*/(\d{1,18})\s*", re.ASCII | re.IGNORECASE)

_FORMAT = 1
"""Version of the serialized state; other versions are not read."""
_MPEG_AUDIO = "audio/mpeg"
_EXTENSIONS = frozenset({"mp1", "mp2", "mp3", "mpa", "mpga", "m2a"})
_says_mpeg = re.compile(r"(?:audio|application)/(?:x-)?(?:mpeg(?:-?[23]|audio)?|mp[23ag])").fullmatch
_SPECIFIC = ("audio/", "video/", "image/", "text/html", "text/xml", "application/xml", "application/xhtml")
"""Prefixes of types that say what a file is. Download scripts invent others."""


def names_mpeg(name: str) -> bool:
    """Whether the extension of a URL or a file name stands for MPEG audio."""
    name = name.partition("#")[0].partition("?")[0].rpartition("/")[2]
    _, dot, extension = name.rpartition(".")
    return bool(dot) and extension.lower() in _EXTENSIONS


def claims_mpeg(content_type: str, *, by_name: bool) -> bool:
    """Whether a Content-Type stands for MPEG audio; where it says nothing of the file, `by_name` holds."""
    mime = content_type.partition(";")[0].strip().lower()
    return _says_mpeg(mime) is not None or (by_name and not mime.startswith(_SPECIFIC))


def choose(
    needs: Sequence[Range],
    file: SparseFile,
    policy: ProbePolicy,
    *,
    requests_left: int,
    bytes_left: int,
) -> Range | None:
    """Chooses the next range among those that stages of the walk wait for; None if no need fits into the budget.

    Stages are served in their order, but none takes the last requests that later stages need: the chapter images of a
    podcast must not cost it its duration.
    """
    fitting = (need for need in needs if need[0] < need[1] <= min(MAX_OFFSET, need[0] + bytes_left))
    payable = list(dict.fromkeys(fitting))
    if not payable or requests_left <= 0:
        return None
    need = payable[max(0, len(payable) - requests_left)]
    start, stop = _joined(need, payable, policy.skip_bytes, bytes_left)
    stop = max(stop, start + _read_ahead(file, start, policy))
    steps = -(-(stop - start) // policy.step_bytes)
    end = MAX_OFFSET if file.size is None else file.size
    return start, min(start + steps * policy.step_bytes, start + bytes_left, end)


def _joined(need: Range, needs: Sequence[Range], gap: int, bytes_left: int) -> Range:
    """Joins a range with those whose gap costs less than a request."""
    start, stop = need
    for first, last in sorted(needs):
        near = first - stop <= gap and start - last <= gap
        joined = min(start, first), max(stop, last)
        if near and joined[1] - joined[0] <= bytes_left:
            start, stop = joined
    return start, stop


def _read_ahead(file: SparseFile, start: int, policy: ProbePolicy) -> int:
    """Bytes to read from `start` on: as many as the run of bytes before it has, at most `ProbePolicy.skip_bytes`."""
    before = [len(data) for at, data in file.segments() if 0 <= start - at - len(data) < policy.skip_bytes]
    return min(max([policy.step_bytes, *before]), policy.skip_bytes)


class Probe:
    """Reads one media file from ranges that the caller fetches.

    Fetch `next_range` and `feed` what came, until `next_range` is None; then take `result`. After each `feed` the whole
    walk runs again over all bytes at hand (0 to 5 ms), so the only state between visits is those bytes and a few
    numbers: `dump` and `load` carry it over a restart.

    It always ends: each `feed` counts against the budget, and one that brings no requested byte is the last.

    Attributes:
        policy: the limits.
        seeks_mpeg: whether a name or the server claims that it is MPEG audio. Then its frames are searched for if the
            content is not recognized. No claim decides the format.
        requests: answers fed so far.
        bytes_fetched: bytes fed so far.

    Args:
        policy: the limits.
        names: of the file: its URL, or what the server calls it.
    """

    def __init__(self, policy: ProbePolicy | None = None, *, names: Iterable[str] = ()) -> None:
        self.policy = policy or ProbePolicy()
        self.seeks_mpeg = any(map(names_mpeg, names))
        self.requests = 0
        self.bytes_fetched = 0
        self._file = SparseFile()
        self._next: Range | None = (0, self.policy.head_bytes)
        self._why = ""
        self._context: ParseContext | None = None

    @property
    def size(self) -> int | None:
        """Bytes of the whole file, None while unknown."""
        return self._file.size

    @property
    def head(self) -> bytes:
        """The first bytes of the file, `ProbePolicy.head_bytes` of them or what there is."""
        return self._file.run(0, self.policy.head_bytes)

    @property
    def finished(self) -> bool:
        """Whether no further range is needed."""
        return self._next is None

    def next_range(self) -> Range | None:
        """Returns the bytes to fetch next: start and stop (exclusive), or None when finished."""
        return self._next

    def feed(self, start: int, data: bytes, size: int | None) -> None:
        """Adds the bytes that the server sent, which may be fewer or more than requested.

        Args:
            start: offset of the first byte.
            data: the bytes; those beyond the budget are counted and not kept.
            size: bytes of the whole file, None if the server did not say.
        """
        self.requests += 1
        self.bytes_fetched += len(data)
        asked, self._context = self._next, None
        if asked is None:
            return
        if not self._take_size(size):
            self.refuse("file changed")
            return
        kept = data[: self.policy.max_bytes]
        if self.size is not None:
            kept = kept[: max(0, self.size - start)]
        first, last = max(asked[0], start), min(asked[1], start + len(kept))
        if first >= last or self._file.at_hand(first, last) is not None:
            self.refuse("nothing new")
            return
        self._file.put(start, kept)
        self._plan()

    def ask_once(self) -> None:
        """Requests `ProbePolicy.single_bytes` at once, for a server that sends no second range."""
        if not self._file.segments() and not self.requests:
            self._next = (0, min(max(self.policy.single_bytes, self.policy.head_bytes), self.policy.max_bytes))

    def reread(self, data: bytes, size: int | None, *, changed: bool = False) -> None:
        """Adds the file's first bytes, which came in place of the requested range.

        Args:
            data: the bytes.
            size: bytes of the whole file, None if the server did not say.
            changed: whether it is another version of the file: then the bytes read before are discarded.
        """
        if changed:
            self._file = SparseFile()
        self._next = (0, self.policy.max_bytes)
        held = self._file.run(0, self.policy.max_bytes)
        if changed or len(data) > len(held):
            self.feed(0, data, size)
            return
        self.requests += 1
        self.bytes_fetched += len(data)
        self._context = None
        self._plan()

    def unsatisfied(self, size: int | None) -> None:
        """Handles 416: the range begins behind the end of the file (RFC 9110, 15.5.17).

        Args:
            size: bytes of the whole file, None if the server did not say.
        """
        self.requests += 1
        asked, known, self._context = self._next, self.size, None
        if asked is None:
            return
        if not self._take_size(size):
            self.refuse("file changed")
            return
        if size is not None and known is None and self._file.segments():
            self._plan()
        if self._next == asked:
            self.refuse("empty file" if size == 0 else "status 416")

    def refuse(self, why: str) -> None:
        """Ends the probe with what is known, since the server cannot send the range; `why` is noted."""
        self._next, self._why, self._context = None, self._why or why, None

    def result(self) -> ProbeResult:
        """Returns what is known so far. Before the probe is finished the status is ``partial``."""
        context = self._walk()
        if self._why:
            context.note(self._why)
        context.set_status(has_bytes=bool(self.head), is_finished=self.finished)
        return context.result

    def segments(self) -> list[tuple[int, bytes]]:
        """Returns the fetched segments of the file: (start, bytes), sorted, with gaps between them."""
        return self._file.segments()

    def stages(self) -> dict[str, str]:
        """Returns how each part of the last walk ended, by its name: ``done``, or what stopped it."""
        return dict(self._walk().stages)

    def dump(self) -> bytes:
        """Serializes the state (msgpack): the fetched bytes, the counts, the next range."""
        state = {
            "format": _FORMAT,
            "size": self.size,
            "requests": self.requests,
            "bytes": self.bytes_fetched,
            "next": self._next,
            "why": self._why,
            "expected": _MPEG_AUDIO if self.seeks_mpeg else "",
            "segments": self._file.segments(),
        }
        return bytes(msgpack.packb(state))

    @classmethod
    def load(cls, state: bytes, policy: ProbePolicy | None = None) -> Probe:
        """Restores a probe from `dump`.

        Args:
            state: the result of `dump`.
            policy: the limits; they may have changed in between.

        Raises:
            ValueError: if the state is not one.
        """
        probe = cls(policy)
        try:
            probe._restore(msgpack.unpackb(state))
        except (TypeError, KeyError, ValueError, msgpack.UnpackException) as error:
            raise ValueError(f"not the state of a probe: {error}") from error
        return probe

    def _restore(self, state: dict[str, Any]) -> None:
        if state["format"] != _FORMAT:
            raise ValueError("another layout")
        self._file.size = None if state["size"] is None else _natural(state["size"])
        self.requests, self.bytes_fetched = _natural(state["requests"]), _natural(state["bytes"])
        self._next = None
        if state["next"] is not None:
            start, stop = map(_natural, state["next"])
            self._next = start, stop
        self._why = _typed(state["why"], str)
        # States of earlier versions lack it.
        self.seeks_mpeg = _typed(state.get("expected", ""), str) == _MPEG_AUDIO
        for start, data in state["segments"]:
            self._file.put(_natural(start), _typed(data, bytes))

    def _take_size(self, size: int | None) -> bool:
        """Keeps the first size that the server states; False if a later one differs."""
        if size is None or not 0 <= size < MAX_OFFSET:
            return True
        if self.size is None:
            self._file.size = size
        return self.size == size

    def _walk(self) -> ParseContext:
        if self._context is None:
            self._context = ParseContext(self._file, self.policy, seeks_mpeg=self.seeks_mpeg)
            read_container(self._context)
        return self._context

    def _plan(self) -> None:
        needs = self._walk().needs
        self._next = choose(
            needs,
            self._file,
            self.policy,
            requests_left=self.policy.max_requests - self.requests,
            bytes_left=self.policy.max_bytes - self.bytes_fetched,
        )
        if needs and self._next is None:
            self._why = "budget"


def _natural(value: object) -> int:
    number: int = _typed(value, int)
    if not 0 <= number <= MAX_OFFSET:
        raise ValueError("a number is out of range")
    return number


def _typed(value: object, kind: type[Any]) -> Any:
    if type(value) is not kind:
        raise ValueError(f"expected {kind.__name__}")
    return value


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
        content_type, content_range, content_length, etag, last_modified, date: headers as the server wrote them, empty
            if not given.
        is_coded: whether it came in a content coding.
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
    etag: str = ""
    last_modified: str = ""
    date: str = ""
    is_coded: bool = False
    undecodable: bool = False
    whole: bool = False
    broke_off: bool = False

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
    """One file's probe over several visits; at rest msgpack of the probe's state and the first answer's fields.

    Attributes:
        probe: of the file.
        first: facts of the server's first answer.
        once: whether the server is known to send no ranges, so that one request without a range must do.
    """

    probe: Probe
    first: FirstAnswer = field(default_factory=FirstAnswer)
    once: bool = False

    @classmethod
    def load(
        cls, state: bytes, policy: ProbePolicy | None = None, *, once: bool = False, names: Iterable[str] = ()
    ) -> Session:
        """Restores a session; a new one if there is no state or it cannot be read.

        Args:
            state: the result of `dump`; empty for a new session.
            policy: the limits.
            once: see `Session`.
            names: of the file, see `Probe`, for a new session.
        """
        try:
            probe, first = msgpack.unpackb(state)
            return cls(Probe.load(probe, policy), FirstAnswer(*first), once)
        except (ValueError, TypeError, msgpack.UnpackException):
            # No state, another version's, or a broken one: the probe begins at the head.
            session = cls(Probe(policy, names=names), once=once)
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
        odd = self._take(reply)
        if self.once and not reply.ranged and not self.probe.finished:
            self.probe.refuse("no ranges")
        if reply.broke_off:
            self.probe.refuse("broke off")
            return Odd.BROKE_OFF
        return odd

    def _take(self, reply: Reply) -> Odd | None:
        if not self.first.status:
            self._begin(reply)
        if reply.ranged and self.first.ranges is None:
            self.first.ranges = self._supports_ranges(reply.status)
        if reply.is_coded and reply.status in {200, 206}:
            # Ranges of a content coding are no ranges of the file, so no second one is requested.
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
            self.probe.seeks_mpeg = claims_mpeg(reply.content_type, by_name=self.probe.seeks_mpeg)

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
        part: BodyPart | None = None
        if several:
            parts = read_parts(reply.content_type, reply.body)
            part = next((part for part in parts if part.position.start <= asked[0] < part.position.stop), None)
        elif place := read_content_range(reply.content_range):
            part = BodyPart(place, reply.body[: place.stop - place.start])
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


def _is_strong(modified: str, date: str) -> bool:
    """Whether a Last-Modified was at least a second old when it was sent (RFC 9110, 8.8.2.2)."""
    try:
        age = parsedate_to_datetime(date[:100]) - parsedate_to_datetime(modified[:100])
    except (ValueError, TypeError, OverflowError, IndexError):
        return False
    return age.total_seconds() >= 1


# -- multipart/byteranges (RFC 9110, 14.6), which some servers send for a single range too -----------------------------

_MULTIPART = "multipart/byteranges"

_CONTENT_RANGE = re.compile(
    r"\s*bytes[ \t=]+(\d{1,18})\s*-\s*(\d{1,18})\s*/\s*(\d{1,18}|\*)\s*\Z", re.ASCII | re.IGNORECASE
)
_BOUNDARY = re.compile(r';\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.ASCII | re.IGNORECASE)
_MOST_PARTS = 16
"""One range was requested, so more parts have no purpose."""
_HEAD_BYTES = 4096
"""Bytes of one part's headers, which are two lines."""


class ContentRange(NamedTuple):
    """The position of bytes in a file, from a Content-Range (RFC 9110, 14.4).

    Attributes:
        start: offset of the first byte.
        stop: offset behind the last one.
        size: bytes of the whole file, None if the server does not state it.
    """

    start: int
    stop: int
    size: int | None


class BodyPart(NamedTuple):
    """One part of a multipart response."""

    position: ContentRange
    data: bytes


def read_content_range(content_range: str) -> ContentRange | None:
    """Parses a Content-Range; None if it is invalid or contradicts itself."""
    found = _CONTENT_RANGE.match(content_range)
    if found is None:
        return None
    first, last, size = int(found[1]), int(found[2]), None if found[3] == "*" else int(found[3])
    if last < first or (size is not None and last >= size):
        return None
    return ContentRange(first, last + 1, size)


def is_multipart(content_type: str) -> bool:
    """Whether a response has its ranges in parts."""
    return content_type.lstrip().lower().startswith(_MULTIPART)


def read_parts(content_type: str, body: bytes) -> Iterator[BodyPart]:
    """Yields the parts that state their position, at most 16; the last one may be cut off.

    A part ends where its Content-Range ends: media may contain the bytes of the boundary.
    """
    named = _BOUNDARY.search(content_type[:1000])
    if named is None:
        return
    mark = b"--" + (named[1] or named[2]).encode("latin-1", errors="replace")
    at = body.find(mark)
    for _ in range(_MOST_PARTS):
        if at < 0 or body.startswith(b"--", at + len(mark)):
            return
        start = at + len(mark)
        head, end = _head(body, start)
        position = _position(head)
        if end and position is not None:
            data = body[end : end + position.stop - position.start]
            yield BodyPart(position, data)
            end += len(data)
        at = body.find(mark, max(end, start))


def _head(body: bytes, start: int) -> tuple[bytes, int]:
    """The headers of a part, and the offset of its body: 0 if the headers do not end."""
    window = body[start : start + _HEAD_BYTES]
    for gap in (b"\r\n\r\n", b"\n\n"):
        length = window.find(gap)
        if length >= 0:
            return window[:length], start + length + len(gap)
    return b"", 0


def _position(head: bytes) -> ContentRange | None:
    for line in head.splitlines():
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-range":
            return read_content_range(value.decode("latin-1"))
    return None
