"""One media file, read over several polite visits: which range next, and when it is enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgpack

from mediacrawl.probe.context import ParseContext
from mediacrawl.probe.formats import read_container
from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.sparse import MAX_OFFSET, SparseFile

Range = tuple[int, int]


def choose(
    needs: Sequence[Range],
    file: SparseFile,
    policy: ProbePolicy,
    *,
    requests_left: int,
    bytes_left: int,
) -> Range | None:
    """Chooses the next range.

    Stages are served in their order, but none takes the last requests that later stages need: the chapter images of a
    podcast must not cost it its duration.

    Args:
        needs: ranges that stages of the walk wait for, in the order of the stages.
        file: the bytes at hand.
        policy: the limits.
        requests_left: requests that the budget still has.
        bytes_left: bytes that the budget still has.

    Returns:
        Start and stop (exclusive), or None if no need fits into the budget.
    """
    payable = list(dict.fromkeys(need for need in needs if _payable(need, bytes_left)))
    if not payable or requests_left <= 0:
        return None
    need = payable[max(0, len(payable) - requests_left)]
    start, stop = _joined(need, payable, policy.skip_bytes, bytes_left)
    stop = max(stop, start + _read_ahead(file, start, policy))
    steps = -(-(stop - start) // policy.step_bytes)
    end = MAX_OFFSET if file.size is None else file.size
    return start, min(start + steps * policy.step_bytes, start + bytes_left, end)


def _payable(need: Range, bytes_left: int) -> bool:
    start, stop = need
    return start < stop <= MAX_OFFSET and stop - start <= bytes_left


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


_FORMAT = 1
"""Version of the serialized state; other versions are not read."""


class Probe:
    """Reads one media file from ranges that the caller fetches.

    Fetch `next_range` and `feed` what came, until `next_range` is None; then take `result`. After each `feed` the whole
    walk runs again over all bytes at hand (0 to 5 ms), so the only state between visits is those bytes and a few
    numbers: `dump` and `load` carry it over a restart.

    It always ends: each `feed` counts against the budget, and one that brings no requested byte is the last.

    Attributes:
        policy: the limits.
        expected: MIME type by the URL or the server, see `claims`. It never decides the format.
        requests: answers fed so far.
        bytes_fetched: bytes fed so far.
    """

    def __init__(self, policy: ProbePolicy | None = None, *, expected: str = "") -> None:
        self.policy = policy or ProbePolicy()
        self.expected = expected
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
        if not self._is_news(asked, start, start + len(kept)):
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
        """Ends the probe with what is known, since the server cannot send the range.

        Args:
            why: a word or two for `ProbeResult.notes`.
        """
        self._next, self._why, self._context = None, self._why or why, None

    def result(self) -> ProbeResult:
        """Returns what is known so far. Before the probe is finished the status is ``partial``."""
        context = self._walk()
        if self._why:
            context.note(self._why)
        context.result.status = self._status(context)
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
            "expected": self.expected,
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
        self.expected = _typed(state.get("expected", ""), str)
        for start, data in state["segments"]:
            self._file.put(_natural(start), _typed(data, bytes))

    def _take_size(self, size: int | None) -> bool:
        """Keeps the first size that the server states; False if a later one differs."""
        if size is None or not 0 <= size < MAX_OFFSET:
            return True
        if self._file.size is None:
            self._file.size = size
        return self._file.size == size

    def _is_news(self, asked: Range, start: int, stop: int) -> bool:
        first, last = max(asked[0], start), min(asked[1], stop)
        return first < last and self._file.at_hand(first, last) is None

    def _walk(self) -> ParseContext:
        if self._context is None:
            self._context = ParseContext(self._file, self.policy, expected=self.expected)
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

    def _status(self, context: ParseContext) -> str:
        result = context.result
        if not self.head:
            return "error:NoData"
        if not context.supported:
            return "unsupported"
        nothing = not result.tags and result.codec is None and result.duration is None
        if nothing and context.errors:
            return f"error:{context.errors[0]}"
        if nothing and self.finished and not context.needs and not result.notes:
            context.note("nothing found")
        whole = self.finished and not context.needs and not result.notes
        return "complete" if whole else "partial"


def _natural(value: object) -> int:
    number: int = _typed(value, int)
    if not 0 <= number <= MAX_OFFSET:
        raise ValueError("a number is out of range")
    return number


def _typed(value: object, kind: type[Any]) -> Any:
    if type(value) is not kind:
        raise ValueError(f"expected {kind.__name__}")
    return value
