"""JSON lines: files of them, plain and packed, and the standard input."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from mediacrawl.rerun import json_text
from mediacrawl.rerun.input_file import InputFile
from mediacrawl.rerun.places import Place
from mediacrawl.rerun.shapes import BLOCK_BYTES, LONGEST, TOO_LONG, Block, Entry, Packed, Position
from mediacrawl.rerun.text_encoding import UTF8, TextEncoding

_BOM = b"\xef\xbb\xbf"
_PIECE = 1 << 20
"""Bytes in which a line passes that is too long to be read."""


def one_line(raw: bytes) -> bytes:
    """A record as one line with its end; what stands on several lines is written anew."""
    if b"\n" not in raw.rstrip(b"\r\n"):
        return raw if raw.endswith(b"\n") else raw + b"\n"
    record, _ = json_text.parse(raw)
    return json_text.dump(record, raw) + b"\n" if record is not None else raw.replace(b"\n", b" ") + b"\n"


class LineSource(InputFile):
    """A file of JSON lines, read in pieces that end with a line."""

    def __init__(self, where: Place, encoding: str | None = None) -> None:
        super().__init__(where, encoding)
        self.reader = JsonReader(self.encoding)

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """See `shapes.Source`; a position is an offset in the unpacked file."""
        with self.reading():
            offset = after if isinstance(after, int) else 0
            stream = self.stream(offset)
            while data := stream.read(BLOCK_BYTES):
                tail = b"" if data.endswith(b"\n") else stream.readline(LONGEST)
                parts: Iterator[tuple[bytes, str | None, bool]] = iter([(data + tail, None, False)])
                if len(tail) == LONGEST and not tail.endswith(b"\n"):
                    parts = self._too_long(data + tail, stream)
                for part, problem, is_open in parts:
                    offset += len(part)
                    block = self.block(part, number, offset, problem, is_open=is_open)
                    number = block.next_number
                    yield block

    @staticmethod
    def _too_long(data: bytes, stream: BinaryIO) -> Iterator[tuple[bytes, str | None, bool]]:
        """What stands before a line that does not fit memory, then the line in pieces."""
        cut = data.rfind(b"\n") + 1
        if cut:
            yield data[:cut], None, False
        piece, problem = data[cut:], TOO_LONG
        while not piece.endswith(b"\n") and (following := stream.readline(_PIECE)):
            yield piece, problem, True
            piece, problem = following, ""
        yield piece, problem, False


@dataclass(frozen=True, slots=True)
class JsonReader:
    """Reads blocks of lines, and of records that are bytes of their own.

    Attributes:
        encoding: of the file.
    """

    encoding: TextEncoding = UTF8

    def read(self, block: Block) -> Iterator[Entry]:
        """See `shapes.Reader`."""
        whole = isinstance(block.data, bytes)
        # Not splitlines(): it also ends a line at a lone carriage return.
        for place, raw in enumerate(io.BytesIO(block.data) if whole else block.data):
            record, problem = json_text.parse(raw)
            entry = Entry(block.number + place, place, raw, record, problem)
            if problem == json_text.NOT_UTF8:
                self._decide(entry)
            yield entry

    def _decide(self, entry: Entry) -> None:
        """Read a line that is not UTF-8."""
        found = json_text.decided(entry.raw or b"", self.encoding)
        if found is None:
            entry.problem = self.encoding.unread
        else:
            line, entry.recoded = found
            entry.record, entry.problem = json_text.parse(line)
            entry.changed = True


@dataclass(frozen=True, slots=True)
class JsonWriter:
    """Makes lines of records; one that did not change and was JSON before stays as it is, byte for byte.

    Attributes:
        repeats: whether raw records of the input are JSON lines.
        keeps: whether a record that nobody can read is written as well; else it is rejected.
        joins: whether raw records come one by one, without the end of a line.
    """

    repeats: bool = True
    keeps: bool = True
    joins: bool = False

    def pack(self, block: Block, entries: Sequence[Entry]) -> Packed:  # noqa: ARG002 - the protocol's
        """See `shapes.Writer`."""
        lines: list[bytes] = []
        rejected: list[bytes] = []
        for entry in entries:
            (lines if entry.record is not None or self.keeps else rejected).append(self._line(entry))
        return Packed(b"".join(lines), b"".join(rejected))

    def pass_on(self, data: bytes) -> Packed:
        """See `shapes.Writer`."""
        return Packed(data) if self.keeps else Packed(None, data)

    def _line(self, entry: Entry) -> bytes:
        line = self._text(entry)
        return one_line(line) if self.joins and line else line

    def _text(self, entry: Entry) -> bytes:
        like = entry.raw if self.repeats else None
        if entry.record is None or (like is not None and not entry.changed):
            return entry.raw or b""
        if like is None:
            return json_text.dump(entry.record) + b"\n"
        mark = _BOM if like.startswith(_BOM) else b""
        return mark + json_text.dump(entry.record, like.removeprefix(mark)) + like[len(like.rstrip(b"\r\n")) :]
