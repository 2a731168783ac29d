"""The pages of an SQLite file read one by one, without SQLite: what is left of a file that SQLite refuses.

SQLite gives up a table at the first page that makes no sense. But each page stands for itself: it says of which kind it
is and where its rows begin. Format: https://www.sqlite.org/fileformat2.html (sections 1.3, 1.6, 2.1 and 4.1 to 4.3).
Nothing read here is believed: whatever is out of its bounds counts as unreadable, and no page is read twice in a walk.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

MAGIC = b"SQLite format 3\0"
PAGE = 4096
"""Bytes of a page where no header says otherwise: what SQLite gives our files."""

_INDEX_NODE, _TABLE_NODE, _INDEX_LEAF, _TABLE_LEAF = 2, 5, 10, 13
_WAL_MAGIC = 0x377F0682
_WAL_HEAD, _FRAME_HEAD = 32, 24
_LARGEST = 64 * 1024 * 1024
"""Bytes of the largest row that is believed."""
_INTEGERS = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Bytes of a value by its serial type, below those of text and blobs."""

Values = tuple[Any, ...]


class TreePage(NamedTuple):
    """A page of a B-tree.

    Attributes:
        kind: its first byte.
        data: the page.
        cells: where its cells begin.
        right: its last child; 0 for a leaf.
    """

    kind: int
    data: bytes
    cells: tuple[int, ...]
    right: int

    @property
    def is_index(self) -> bool:
        """Whether rows are found by their first columns, as in an index or a table without rowid."""
        return self.kind in {_INDEX_NODE, _INDEX_LEAF}

    @property
    def has_rows(self) -> bool:
        """Whether it has rows, not only the way to them."""
        return self.kind != _TABLE_NODE

    @property
    def children(self) -> list[int]:
        """The pages below it, in order."""
        if not self.right:
            return []
        return [_number(self.data, cell) for cell in self.cells] + [self.right]


class DatabasePages:
    """A database file as of the last commit in its WAL, page by page.

    Pages are counted from 1. What the WAL has is taken as SQLite takes it: up to the last commit before the first frame
    whose checksum is wrong. Frames behind that are in `late`, if they and what was committed with them are whole.

    Args:
        path: the database file. It may be missing or empty, all may be in the WAL.

    Raises:
        OSError: a file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb") if path.exists() else None
        wal = path.with_name(path.name + "-wal")
        self._wal = _Wal(wal.open("rb"), self._header_size()) if wal.exists() else None
        self.size = self._wal.size if self._wal and self._wal.frames else self._header_size()
        """Bytes of a page."""
        self._stored = path.stat().st_size if self._file else 0
        self.count = self._count()
        """Pages that should be there."""

    def close(self) -> None:
        """Let go of the files."""
        for file in (self._file, self._wal.file if self._wal else None):
            if file is not None:
                file.close()

    def page(self, number: int) -> bytes | None:
        """A page, or None if the file ends before its end."""
        if self._wal and number in self._wal.frames:
            return self._wal.page(self._wal.frames[number])
        if self._file is None or number < 1:
            return None
        self._file.seek((number - 1) * self.size)
        data = self._file.read(self.size)
        return data if len(data) == self.size else None

    def late(self) -> Iterator[bytes]:
        """The pages that were committed behind the damage of the WAL, each in its last version."""
        if self._wal:
            yield from map(self._wal.page, self._wal.late.values())

    @property
    def late_pages(self) -> int:
        """How many pages were committed behind the damage of the WAL."""
        return len(self._wal.late) if self._wal else 0

    @property
    def missing(self) -> int:
        """How many pages are neither in the file nor in the WAL."""
        here = self._stored // self.size
        return sum(1 for number in range(here + 1, self.count + 1) if not self._wal or number not in self._wal.frames)

    def header(self) -> bytes | None:
        """The hundred bytes that begin the file, or None if they are not those of an SQLite file."""
        first = self.page(1)
        return first[:100] if first and first.startswith(MAGIC) else None

    def node(self, number: int) -> TreePage | None:
        """A page as one of a B-tree, or None if it is not one."""
        data = self.page(number)
        return None if data is None else node_of(data, 100 if number == 1 else 0)

    def rows(self, node: TreePage) -> Iterator[tuple[int, Values] | None]:
        """The rows of a page: rowid (0 in an index) and values; None for one that makes no sense.

        Of a row that runs on over lost pages, the values that are lost are None.
        """
        for cell in node.cells:
            try:
                yield self._row(node, cell)
            except (ValueError, IndexError, struct.error):
                yield None

    def free_pages(self) -> Iterator[int]:
        """The pages that the file says are not in use. What they hold was deleted."""
        header = self.header()
        trunk = _number(header, 32) if header else 0
        met: set[int] = set()
        while 0 < trunk <= self.count and trunk not in met:
            met.add(trunk)
            yield trunk
            data = self.page(trunk)
            if data is None:
                return
            listed = min(_number(data, 4), self.size // 4 - 2)
            yield from (number for number in struct.unpack_from(f">{listed}I", data, 8) if 0 < number <= self.count)
            trunk = _number(data, 0)

    def _header_size(self) -> int:
        if self._file is None:
            return PAGE
        self._file.seek(0)
        header = self._file.read(18)
        size = int.from_bytes(header[16:18], "big")
        size = 65536 if size == 1 else size
        return size if header.startswith(MAGIC) and _is_page_size(size) else PAGE

    def _count(self) -> int:
        stored = -(-self._stored // self.size)
        header = self.header()
        said = _number(header, 28) if header else 0
        # A header of noise may say anything.
        said = said if said < 2 * stored + 1024 or (self._wal and said == self._wal.pages) else 0
        return max(stored, said, max(self._wal.frames, default=0) if self._wal else 0)

    def _row(self, node: TreePage, cell: int) -> tuple[int, Values]:
        data = node.data
        at = cell + 4 if node.kind == _INDEX_NODE else cell
        length, at = _varint(data, at)
        rowid = 0
        if node.kind == _TABLE_LEAF:
            rowid, at = _varint(data, at)
        if length > _LARGEST:
            raise ValueError("too large")
        local = self._local(length, table=node.kind == _TABLE_LEAF)
        payload = data[at : at + local]
        if len(payload) < local:
            raise ValueError("runs over the end of its page")
        if local < length:
            payload += self._overflow(_number(data, at + local), length - local)
        return rowid - (rowid >> 63 << 64), _record(payload, length)

    def _local(self, length: int, *, table: bool) -> int:
        """Bytes of a row that are in its own page."""
        most = self.size - 35 if table else (self.size - 12) * 64 // 255 - 23
        if length <= most:
            return length
        least = (self.size - 12) * 32 // 255 - 23
        local = least + (length - least) % (self.size - 4)
        return local if local <= most else least

    def _overflow(self, number: int, length: int) -> bytes:
        """What follows on other pages, as far as the chain leads."""
        parts: list[bytes] = []
        met: set[int] = set()
        while length > 0 and 0 < number <= self.count and number not in met:
            met.add(number)
            data = self.page(number)
            if data is None:
                break
            parts.append(data[4 : 4 + length])
            length -= len(parts[-1])
            number = _number(data, 0)
        return b"".join(parts)


class _Wal:
    """Where the WAL has which page.

    Attributes:
        frames: page -> place in the file of its last version, of the commits that SQLite would find.
        late: likewise, of what was committed behind the first damage.
        size: bytes of a page.
        pages: of the database after the last commit.
    """

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file = file
        self.frames: dict[int, int] = {}
        self.late: dict[int, int] = {}
        self.size = size
        self.pages = 0
        self._read()

    def page(self, at: int) -> bytes:
        """The page at a place in the file."""
        self.file.seek(at)
        return self.file.read(self.size)

    def _read(self) -> None:
        head = self.file.read(_WAL_HEAD)
        if len(head) < _WAL_HEAD:
            return
        magic, _, size, _, *salt = struct.unpack(">6I", head[:24])
        whole = magic | 1 == _WAL_MAGIC | 1 and _is_page_size(size)
        order = "big" if magic & 1 else "little"
        whole = whole and _checksum(head[:24], (0, 0), order) == struct.unpack(">2I", head[24:])
        if whole:
            self.size = size
        # A header of noise: the frames know their salt, too, and our machines write the words in their own order.
        self._follow(head[24:], tuple(salt) if whole else None, order if whole else sys.byteorder)

    def _follow(self, before: bytes, salt: tuple[int, ...] | None, order: str) -> None:
        """Read the frames. Each continues the checksum of the one before, so it can be judged beside a broken one."""
        target = self.late if salt is None else self.frames
        batch: dict[int, int] = {}
        at = _WAL_HEAD
        while len(frame := self._frame(at)) == _FRAME_HEAD + self.size:
            number, pages, *own = struct.unpack(">4I", frame[:16])
            stored, expected = frame[16:24], struct.unpack(">2I", before)
            if tuple(own) == (salt or tuple(own)) and _sum_fits(frame, expected, order):
                salt = tuple(own)
                batch[number] = at + _FRAME_HEAD
            else:
                target, pages = self.late, 0
            if pages:
                target.update(batch)
                self.pages = pages if target is self.frames else self.pages
                batch = {}
            before = stored
            at += len(frame)

    def _frame(self, at: int) -> bytes:
        self.file.seek(at)
        return self.file.read(_FRAME_HEAD + self.size)


def node_of(data: bytes, start: int = 0) -> TreePage | None:
    """A page as one of a B-tree, or None if it is not one.

    Args:
        data: the page.
        start: where it begins: 100 on the first page of a file, behind the header.
    """
    kind, _, number, _, _ = struct.unpack_from(">BHHHB", data, start)
    if kind not in {_INDEX_NODE, _TABLE_NODE, _INDEX_LEAF, _TABLE_LEAF}:
        return None
    inner = kind in {_INDEX_NODE, _TABLE_NODE}
    first = start + (12 if inner else 8)
    if first + 2 * number > len(data):
        return None
    cells = struct.unpack_from(f">{number}H", data, first)
    return TreePage(kind, data, cells, _number(data, start + 8) if inner else 0)


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def _is_page_size(size: int) -> bool:
    return 512 <= size <= 65536 and size & (size - 1) == 0


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    byte = data[at]
    if byte < 128:
        return byte, at + 1
    value = byte & 127
    for place in range(at + 1, at + 8):
        byte = data[place]
        value = value << 7 | byte & 127
        if byte < 128:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9


def _record(payload: bytes, length: int) -> Values:
    """The values of a row; None for those behind the end of what there is of it."""
    head, at = _varint(payload, 0)
    types = []
    while at < head:
        kind, at = _varint(payload, at)
        types.append((kind, _INTEGERS[kind] if kind < 10 else _text_size(kind)))
    if at != head or head + sum(size for _, size in types) != length:
        raise ValueError("its parts are not as long as it is")
    values = []
    for kind, size in types:
        values.append(_value(kind, payload[at : at + size]) if at + size <= len(payload) else None)
        at += size
    return tuple(values)


def _text_size(kind: int) -> int:
    if kind < 12:
        raise ValueError("no such type")
    return (kind - 12) // 2


def _value(kind: int, data: bytes) -> Any:
    if kind >= 12:
        return data.decode() if kind & 1 else data
    if kind == 0:
        return None
    if kind == 7:
        return struct.unpack(">d", data)[0]
    return kind - 8 if kind >= 8 else int.from_bytes(data, "big", signed=True)


def _sum_fits(frame: bytes, before: tuple[int, int], order: str) -> bool:
    """Whether a frame has the checksum that follows from the one before."""
    return _checksum(frame[:8] + frame[_FRAME_HEAD:], before, order) == struct.unpack(">2I", frame[16:24])


def _checksum(data: bytes, start: tuple[int, int], order: str) -> tuple[int, int]:
    """The checksum of a WAL, continued over `data`."""
    words = array("I", data)
    if order != sys.byteorder:
        words.byteswap()
    first, second = start
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = first + even + second & 0xFFFFFFFF
        second = second + odd + first & 0xFFFFFFFF
    return first, second
