"""What one walk over a file carries along: the file, the limits, what was found, what is missing."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec, Protocol

from mediacrawl.probe.policy import ProbePolicy
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.sparse import NeedBytes, SparseFile
from mediacrawl.probe.text import Value, decode
from mediacrawl.records import Tag

P = ParamSpec("P")


class LimitError(Exception):
    """A file has more of something than a probe reads. The message is the name of the limit."""


class BrokenError(ValueError):
    """A container contradicts itself."""


class ByteSource(Protocol):
    """Bytes at offsets: a `SparseFile`, or a view that undoes a container's packing."""

    def get(self, start: int, stop: int) -> bytes:
        """Reads bytes from `start` to `stop` (exclusive), fewer at the end; raises `NeedBytes`."""
        ...


def exact(source: ByteSource, start: int, stop: int) -> bytes:
    """Reads bytes that must be there.

    Raises:
        BrokenError: if the source ends before.
        NeedBytes: if they were not fetched yet.
    """
    data = source.get(start, stop)
    if len(data) != stop - start:
        raise BrokenError("the data end inside a structure")
    return data


def peek(source: ByteSource, start: int, stop: int) -> bytes | None:
    """Reads bytes if they are at hand: for facts that are not worth a request."""
    try:
        return source.get(start, stop)
    except NeedBytes:
        return None


def unpack(layout: str, data: bytes) -> tuple[int, ...]:
    """`struct.unpack` for whole numbers, so that a short structure is a `BrokenError`."""
    try:
        return struct.unpack(layout, data)
    except struct.error as error:
        raise BrokenError("the data end inside a structure") from error


@dataclass(slots=True)
class ParseContext:
    """One walk over one file.

    Attributes:
        file: the bytes at hand.
        policy: the limits.
        result: what was found so far.
        needs: ranges (start, stop) that stages waited for, in the order of the stages.
        errors: names of the error classes that ended a stage.
        supported: whether a reader knows this format.
        stages: how each part of the walk ended, by its name; of several of one name, how one ended that failed.
    """

    file: SparseFile
    policy: ProbePolicy
    result: ProbeResult = field(default_factory=ProbeResult)
    needs: list[tuple[int, int]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    supported: bool = False
    stages: dict[str, str] = field(default_factory=dict)
    _parts: int = 0
    _text: int = 0
    _seen: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def stage(self, name: str, step: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Runs one independent part of a walk: whatever ends it, the other parts still run.

        A missing byte becomes an entry of `needs`, an error a note: hostile files must not raise.
        """
        self.stages.setdefault(name, "done")
        try:
            step(*args, **kwargs)
        except NeedBytes as need:
            self.needs.append((need.start, need.stop))
            self.stages[name] = f"needs bytes {need.start}-{need.stop - 1}"
        except LimitError as limit:
            self.note(f"limit:{limit}")
            self.stages[name] = f"limit: {limit}"
        except Exception as error:  # noqa: BLE001  (a parser may raise anything on a hostile file)
            self.errors.append(type(error).__name__)
            self.note(f"{name}:{type(error).__name__}")
            self.stages[name] = f"{type(error).__name__}: {error}"[:200]

    def note(self, why: str) -> None:
        """Notes once why the result is not complete."""
        if why not in self.result.notes:
            self.result.notes.append(why)

    def count(self) -> None:
        """Counts one frame, atom, page or comment.

        Raises:
            LimitError: when there are too many.
        """
        self._parts += 1
        if self._parts > self.policy.max_parts:
            raise LimitError("parts")

    def fits(self, size: int) -> bool:
        """Tells whether a text of `size` bytes may be read; notes it if not."""
        if size <= self.policy.max_text_bytes:
            return True
        self.note("limit:text")
        return False

    def spend(self, size: int) -> None:
        """Counts bytes of text, those that come out of a compressed field too, whether or not they are kept.

        Raises:
            LimitError: when the file has given too many.
        """
        self._text += size
        if self._text > self.policy.max_tag_bytes:
            raise LimitError("tags")

    def add(self, source: str, frame: str, key: str, value: Value, *, lang: str = "", desc: str = "") -> None:
        """Adds one text value to the result.

        Raises:
            LimitError: when the file has given too many or too much.
        """
        text = decode(*value)
        if not text or not self.fits(len(value.raw)):
            return
        self.spend(len(value.raw))
        if len(self.result.tags) >= self.policy.max_tags:
            raise LimitError("tags")
        place = (source, frame, desc)
        tag = Tag(source, frame, key, value.declared, value.raw, text, self._seen[place], lang, desc)
        self._seen[place] += 1
        self.result.tags.append(tag)

    def add_number(self, source: str, frame: str, key: str, text: str) -> None:
        """Adds a value that the container keeps as binary numbers: its bytes are its digits in ASCII."""
        self.add(source, frame, key, Value(text.encode("ascii"), "ascii"))
