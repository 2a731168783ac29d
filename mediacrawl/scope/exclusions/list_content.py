"""The content of one list file: its text, and an index of the place of each entry.

An `Exclusion` is made from its line when it is requested, so reasons, dates and line numbers take no memory.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import PurePath

from mediacrawl.base.format import plural
from mediacrawl.scope.exclusions.entries import Address, Exclusion, NeverCrawlError, key_of, read_line, suffix_keys

LONGEST_LINE = 8_192
"""Bytes; a longer line is no entry."""
_REPORTED = 100
"""Bad lines of a file that are reported one by one, and as many remarks."""
_SLICE = 256
"""Lines between two yields: a third of a millisecond if most have the usual form."""
_SHORT = 32
"""Lines that are parsed one by one, in a millisecond. Only a longer list is worth the table of public suffixes, which
takes 15 ms."""
_SHELVES = 1024
"""Sorted arrays of the index. One of a million keys has a thousand, and is sorted within 0.2 ms."""
_SHELF_BITS = _SHELVES.bit_length() - 1
_HALF = (1 << 32) - 1

_LABEL = r"[a-z0-9_-]{1,61}"
# A canonical domain of two to four labels, with a comment or without; or any line.
_lines = re.compile(
    rf"((?!-){_LABEL}(?:\.{_LABEL}){{0,2}}\.[a-z][a-z0-9-]{{1,60}})[ \t]*(?:#[^\n]*|\r)?\n|[^\n]*\n".encode()
).finditer


class KeyIndex:
    """Maps keys to their places in a text, with 8 bytes a key.

    It keeps 42 bits of a key's hash: 10 choose the shelf, 32 are there above the 32 bits of the place. One look-up in
    four million, with a million keys, gives a place of another key, so callers compare the text there. Python's hash is
    salted for each process: nobody can choose keys that collide.
    """

    def __init__(self) -> None:
        self._shelves: defaultdict[int, array[int]] = defaultdict(lambda: array("Q"))

    def __len__(self) -> int:
        return sum(map(len, self._shelves.values()))

    def add(self, key: bytes, place: int) -> None:
        """Add a key; `sort` must be called before the next look-up."""
        code = hash(key)
        self._shelves[code % _SHELVES].append((code >> _SHELF_BITS & _HALF) << 32 | place)

    def insert(self, key: bytes, place: int) -> None:
        """Add a key to a sorted index."""
        code = hash(key)
        insort(self._shelves[code % _SHELVES], (code >> _SHELF_BITS & _HALF) << 32 | place)

    def sort(self) -> Iterator[None]:
        """Sort the index, in slices of less than a millisecond."""
        for number, shelf in self._shelves.items():
            self._shelves[number] = array("Q", sorted(shelf))
            yield

    def places(self, key: bytes) -> list[int]:
        """Return the places where the key may stand, in the order of the text."""
        code = hash(key)
        shelf = self._shelves.get(code % _SHELVES)
        if shelf is None:
            return []
        low = (code >> _SHELF_BITS & _HALF) << 32
        start = bisect_left(shelf, low)
        if start == len(shelf) or shelf[start] > low | _HALF:
            return []
        return [code & _HALF for code in shelf[start : bisect_right(shelf, low | _HALF)]]

    def includes(self, other: KeyIndex) -> Generator[None, None, bool]:
        """Tell at the end whether all keys of another index are in this one; in slices."""
        for number, shelf in other._shelves.items():
            known = {code >> 32 for code in self._shelves.get(number, ())}
            if any(code >> 32 not in known for code in shelf):
                return False
            yield
        return True


class ListContent:
    """The entries of one file, as it was at one time.

    Attributes:
        file: its path, as given.
        index: where the entries stand.
        unfinished: whether the last line has no line end; that line counts once `finish` was called.
        deepest: segments of the longest path of an entry; 0 if none has a path.
        path_domains: domains of the entries that have a path.
        has_addresses: whether some entry covers an address or a network.
    """

    def __init__(self, file: str) -> None:
        """Begin with no entries; `of` and `read` add them."""
        self.file = file
        self.index = KeyIndex()
        self.deepest = 0
        self.path_domains: set[str] = set()
        self.has_addresses = False
        self._name = PurePath(file).name
        self._text: bytes | bytearray = b""
        self._end = 0
        self._prefix_lengths: tuple[set[int], set[int]] = (set(), set())
        self._slice_starts = array("Q")
        self._bad = _Sentences("bad lines")
        self._remarks = _Sentences("remarks")

    @classmethod
    def of(cls, data: bytes, file: str) -> ListContent:
        """Read a list at once, with its last line.

        Raises:
            NeverCrawlError: see `read`.
        """
        content = cls(file)
        for _ in content.read(data):
            pass
        content.finish()
        return content

    def __len__(self) -> int:
        return len(self.index)

    @property
    def unfinished(self) -> bool:
        """Whether the last line has no line end, and does not count yet."""
        return self._end < len(self._text)

    @property
    def bad_lines(self) -> list[str]:
        """A sentence for each line that could not be read, at most 101."""
        return self._bad.all()

    @property
    def remarks(self) -> list[str]:
        """A sentence for each entry that covers more than one owner can have, at most 101."""
        return self._remarks.all()

    def read(self, data: bytes | bytearray) -> Iterator[None]:
        """Read the lines of a text in UTF-8, in slices. A bad line is reported, the others count. The text is kept.

        Raises:
            NeverCrawlError: this is no list: it has no bytes, or zero bytes, or most of its lines are no entries.
        """
        self._text = _checked(data, self._name)
        self._end = self._text.rfind(b"\n") + 1
        suffixes, add = frozenset[bytes](), self.index.add
        for number, match in enumerate(_lines(self._text, 0, self._end)):
            if not number % _SLICE:
                self._slice_starts.append(match.start())
                yield
            if number == _SHORT:
                suffixes = suffix_keys()
            key = match[1]
            if key and suffixes and key not in suffixes:
                add(key, match.start())
            else:
                self._add_line(match.start(), match.end(), add)
        self._refuse_if_mostly_bad()
        yield from self.index.sort()

    def finish(self) -> None:
        """Let the last line count although it has no line end.

        Raises:
            NeverCrawlError: with it most lines are no entries.
        """
        if self.unfinished:
            start, self._end = self._end, len(self._text)
            self._add_line(start, self._end, self.index.insert)
            self._refuse_if_mostly_bad()

    def find(self, key: bytes) -> Exclusion | None:
        """Return the first entry with this key (see `Exclusion.key`), or None."""
        found = (self._parse(place, self._line_end(place)) for place in self.index.places(key))
        return next((entry for entry in found if isinstance(entry, Exclusion) and entry.key == key), None)

    def find_network(self, address: Address) -> Exclusion | None:
        """Return the entry of the narrowest network that holds the address, or None."""
        kind = IPv4Network if address.version == 4 else IPv6Network
        for length in sorted(self._prefix_lengths[address.version == 6], reverse=True):
            if entry := self.find(key_of(str(kind((int(address), length), strict=False)))):
                return entry
        return None

    def entries(self) -> Iterator[Exclusion]:
        """Yield all entries, in the order of the file."""
        start = 0
        while start < self._end:
            end = self._line_end(start)
            entry = self._parse(start, end)
            if isinstance(entry, Exclusion):
                yield entry
            start = end + 1

    def _add_line(self, start: int, end: int, add: Callable[[bytes, int], None]) -> None:
        entry = self._parse(start, end)
        if isinstance(entry, str):
            shown = self._text[start:end][:LONGEST_LINE].decode("utf-8", "replace").strip()[:80]
            self._bad.add(f"{self._name}:{self._line_number(start)}: {shown!r} {entry}.")
        elif entry is not None:
            add(entry.key, start)
            if ":" in entry.domain or "/" in entry.domain or entry.domain.rpartition(".")[2].isdigit():
                self.has_addresses = True
            if entry.path:
                self.deepest = max(self.deepest, entry.path.count("/"))
                self.path_domains.add(entry.domain)
            elif "/" in entry.domain:
                network = ip_network(entry.domain)
                self._prefix_lengths[network.version == 6].add(network.prefixlen)
            if entry.remark:
                self._remarks.add(f"{entry.where}: {entry.domain} {entry.remark}.")

    def _refuse_if_mostly_bad(self) -> None:
        if self._bad.number > len(self.index) + self.unfinished:
            raise NeverCrawlError(
                f"{self._name} is no list of domains: {plural(self._bad.number, 'line', 'is')} none,"
                f" such as {self._bad.first[0]}"
            )

    def _parse(self, start: int, end: int) -> Exclusion | str | None:
        octets = self._text[start : min(end, start + LONGEST_LINE)]
        if end - start > LONGEST_LINE and b"#" not in octets:
            return f"... is {end - start:,} bytes long"
        return read_line(octets.decode("utf-8", "replace"), self.file, self._line_number(start))

    def _line_end(self, start: int) -> int:
        end = self._text.find(b"\n", start)
        return end if end >= 0 else len(self._text)

    def _line_number(self, start: int) -> int:
        before = max(bisect_right(self._slice_starts, start) - 1, 0)
        counted_from = self._slice_starts[before] if self._slice_starts else 0
        return before * _SLICE + self._text.count(b"\n", counted_from, start) + 1


class _Sentences:
    """The first sentences of a kind, and how many there are."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.first: list[str] = []
        self.number = 0

    def add(self, sentence: str) -> None:
        self.number += 1
        if self.number <= _REPORTED:
            self.first.append(sentence)

    def all(self) -> list[str]:
        rest = self.number - _REPORTED
        return [*self.first, f"... and {rest} more {self._kind}."] if rest > 0 else list(self.first)


def _checked(data: bytes | bytearray, name: str) -> bytes | bytearray:
    """Return the text without byte order mark, its lines ended by line feeds.

    Raises:
        NeverCrawlError: this is no UTF-8 text.
    """
    if not data:
        raise NeverCrawlError(f"{name} is empty to the byte; an empty list has at least a comment.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NeverCrawlError(f"{name} is written in UTF-16; save it as UTF-8.")
    if b"\0" in data:
        raise NeverCrawlError(f"{name} holds zero bytes, so it is not a text file.")
    text = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    return text.replace(b"\r", b"\n") if b"\r" in text and b"\n" not in text else text
