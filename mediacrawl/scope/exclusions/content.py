"""What one file holds: its text, and where each entry stands in it.

Entries are made only when they are asked for, from their line of the text. Reasons, dates and numbers of lines cost
nothing until then.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import PurePath

from mediacrawl.observe.format import plural
from mediacrawl.scope.exclusions.errors import NeverCrawlError
from mediacrawl.scope.exclusions.index import Index
from mediacrawl.scope.exclusions.lines import LONGEST, Address, Entry, Line, key_of, read_line
from mediacrawl.scope.exclusions.paths import depth
from mediacrawl.scope.exclusions.suffixes import remark, suffix_keys

TOLD = 100
"""Bad lines told one by one; of the others only the number. So with remarks."""
_SLICE = 256
"""Lines between two pauses: a third of a millisecond, if they are written as most are."""

_LABEL = r"[a-z0-9_-]{1,61}"
# A domain of two to four labels in canonical form, with a comment or without; or any line.
_lines = re.compile(
    rf"((?!-){_LABEL}(?:\.{_LABEL}){{0,2}}\.[a-z][a-z0-9-]{{1,60}})[ \t]*(?:#[^\n]*|\r)?\n|[^\n]*\n".encode()
).finditer


class Content:
    """The entries of one file as it was at one time.

    Attributes:
        file: its path, as it was given.
        unfinished: whether its last line does not end; that line counts once `finish` was called.
        index: where the entries stand.
        deepest: segments of the longest path of an entry; 0 if none has a path.
    """

    def __init__(self, file: str) -> None:
        """Begin with nothing; `of` and `read` fill it."""
        self.file = file
        self.deepest = 0
        self._name = PurePath(file).name
        self._text: bytes | bytearray = b""
        self._end = 0
        self.index = Index()
        self._paths = Index()
        self._lengths: tuple[set[int], set[int]] = (set(), set())
        self._marks = array("Q")
        self._bad = _Sentences("bad lines")
        self._remarks = _Sentences("remarks")

    @classmethod
    def of(cls, data: bytes, file: str) -> Content:
        """Read a list at once, its last line too.

        Args:
            data: the text.
            file: path, for the reports.

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
        """Whether its last line does not end, and does not count yet."""
        return self._end < len(self._text)

    @property
    def bad_lines(self) -> list[str]:
        """A sentence for each line that could not be read, at most 101."""
        return self._bad.told()

    @property
    def remarks(self) -> list[str]:
        """A sentence for each entry that covers more than one owner can have, at most 101."""
        return self._remarks.told()

    # -- reading ---------------------------------------------------------------------------------------------

    def read(self, data: bytes | bytearray) -> Iterator[None]:
        """Read the lines, in slices. A bad line is reported and the others count.

        Args:
            data: the text, in UTF-8. It is kept, and must not change any more.

        Raises:
            NeverCrawlError: this is no list: it has no byte at all, or holds zero bytes, or most of its lines are no
                entries.
        """
        self._text = _checked(data, self._name)
        self._end = self._text.rfind(b"\n") + 1
        suffixes, add = suffix_keys(), self.index.add
        for number, match in enumerate(_lines(self._text, 0, self._end)):
            if not number % _SLICE:
                self._marks.append(match.start())
                yield
            key = match[1]
            if key and key not in suffixes:
                add(key, match.start())
            else:
                self._take(match.start(), match.end(), add)
        self._judge()
        yield from self.index.sort()

    def finish(self) -> list[int]:
        """Let the last line count although it does not end. Answers its place, if there is such a line; see `at`.

        Raises:
            NeverCrawlError: with it most lines are no entries.
        """
        if not self.unfinished:
            return []
        start, self._end = self._end, len(self._text)
        self._take(start, self._end, self.index.insert)
        self._judge()
        return [start]

    def _take(self, start: int, end: int, add: Callable[[bytes, int], None]) -> None:
        """Read the line that stands there, however it is written."""
        line = self._line(start, end)
        if isinstance(line, str):
            shown = self._text[start:end][:LONGEST].decode("utf-8", "replace").strip()[:80]
            self._bad.add(f"{self._name}:{self._number(start)}: {shown!r} {line}.")
        elif line is not None:
            add(line.key, start)
            self._note(line, start)

    def _note(self, line: Line, start: int) -> None:
        """Keep what questions go by."""
        if line.path:
            self.deepest = max(self.deepest, depth(line.path))
            if not self.may_have_paths(line.domain):
                self._paths.insert(key_of(line.domain), start)
        elif "/" in line.domain:
            network = ip_network(line.domain)
            self._lengths[network.version == 6].add(network.prefixlen)
        if said := remark(line.domain, line.path):
            self._remarks.add(f"{self._name}:{self._number(start)}: {line.domain} {said}.")

    def _judge(self) -> None:
        if self._bad.number > len(self.index) + self.unfinished:
            raise NeverCrawlError(
                f"{self._name} is no list of domains: {plural(self._bad.number, 'line', 'is')} none,"
                f" such as {self._bad.first}"
            )

    # -- questions -------------------------------------------------------------------------------------------

    def find(self, key: bytes) -> Entry | None:
        """The first entry with this key, or None.

        Args:
            key: see `lines.key_of`.
        """
        places = self.index.places(key)
        if not places:
            return None
        return next((entry for entry, line in self._read_again(places) if line.key == key), None)

    def find_network(self, address: Address) -> Entry | None:
        """The entry for the narrowest network that the address lies in, or None."""
        kind = IPv4Network if address.version == 4 else IPv6Network
        for length in sorted(self._lengths[address.version == 6], reverse=True):
            network = kind((int(address), length), strict=False)
            if entry := self.find(key_of(str(network))):
                return entry
        return None

    def may_have_paths(self, domain: str) -> bool:
        """Whether an entry may have this domain and a path; False is certain."""
        return bool(self._paths.places(key_of(domain)))

    def entries(self) -> Iterator[Entry]:
        """All entries, in the order of the file."""
        start, number = 0, 0
        while start < self._end:
            number += 1
            end = self._end_of(start)
            line = self._line(start, end)
            if isinstance(line, Line):
                yield line.entry(self.file, number)
            start = end + 1

    def new_since(self, others: Sequence[Content]) -> Iterator[list[int]]:
        """The places of entries that no other content has, a slice at a time."""
        return self.index.missing_in([other.index for other in others])

    def at(self, places: Sequence[int]) -> Iterator[Entry]:
        """The entries that stand at these places."""
        return (entry for entry, _ in self._read_again(places))

    # -- the text --------------------------------------------------------------------------------------------

    def _read_again(self, places: Iterable[int]) -> Iterator[tuple[Entry, Line]]:
        for start in places:
            line = self._line(start, self._end_of(start))
            if isinstance(line, Line):
                yield line.entry(self.file, self._number(start)), line

    def _line(self, start: int, end: int) -> Line | str | None:
        octets = self._text[start : min(end, start + LONGEST)]
        if end - start > LONGEST and b"#" not in octets:
            return f"... is {end - start:,} bytes long"
        return read_line(octets.decode("utf-8", "replace"))

    def _end_of(self, start: int) -> int:
        end = self._text.find(b"\n", start)
        return end if end >= 0 else len(self._text)

    def _number(self, start: int) -> int:
        """The number of the line that begins there, counted from the mark before it."""
        mark = bisect_right(self._marks, start) - 1
        if mark < 0:
            return self._text.count(b"\n", 0, start) + 1
        return mark * _SLICE + self._text.count(b"\n", self._marks[mark], start) + 1


class _Sentences:
    """The first of many sentences, and how many there are."""

    __slots__ = ("_kept", "_what", "number")

    def __init__(self, what: str) -> None:
        self._what = what
        self._kept: list[str] = []
        self.number = 0

    @property
    def first(self) -> str:
        return self._kept[0]

    def add(self, sentence: str) -> None:
        self.number += 1
        if self.number <= TOLD:
            self._kept.append(sentence)

    def told(self) -> list[str]:
        rest = self.number - TOLD
        return [*self._kept, f"... and {rest} more {self._what}."] if rest > 0 else list(self._kept)


def _checked(data: bytes | bytearray, name: str) -> bytes | bytearray:
    """The text of a list, its lines ended by line feeds.

    Raises:
        NeverCrawlError: this is no text in UTF-8.
    """
    if not data:
        raise NeverCrawlError(f"{name} is empty to the byte; an empty list has at least a comment.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NeverCrawlError(f"{name} is written in UTF-16; save it as UTF-8.")
    if b"\0" in data:
        raise NeverCrawlError(f"{name} holds zero bytes, so it is not a text file.")
    text = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    return text.replace(b"\r", b"\n") if b"\r" in text and b"\n" not in text else text
