"""The NeverCrawl list in force: the entries of all files, read again when a file changes.

The syntax of a list:

=============================================== =====================================================================
line                                            covers
=============================================== =====================================================================
``example.org``, ``*.example.org``              the domain and its subdomains
``http://example.org/``                         the same
``bücher.example``, ``xn--bcher-kva.example``   the same domain
``example.org/private/``                        the path and all below it, on the domain and its subdomains
``192.0.2.7``, ``2001:db8::7``                  one address
``192.0.2.0/24``, ``2001:db8::/32``             a network
=============================================== =====================================================================

A path covers whole segments: ``/private`` covers ``/private/a?b`` but not ``/privateer``. Paths are compared with
escapes resolved (``%2F`` is a slash), backslashes as slashes, empty and dot segments removed, and without case, since
some servers ignore case. Where a path has two readings, either one is covered: an entry covers a page too many rather
than one too few.

Of a file its text is kept, and an index of the place of each entry. An `Exclusion` is made from its line when it is
requested, so reasons, dates and line numbers take no memory.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from array import array
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from itertools import chain
from pathlib import Path, PurePath
from urllib.parse import quote, unquote

from mediacrawl.base.format import plural
from mediacrawl.base.queued import is_marked
from mediacrawl.base.terms import Drop
from mediacrawl.frontier import Frontier
from mediacrawl.scope.urls import (
    canonical_host,
    domain_as_written,
    host_of,
    is_address,
    is_network,
    is_public_suffix,
    public_suffixes,
    site_of,
)

Address = IPv4Address | IPv6Address

_SHORTEST_PREFIX = {4: 8, 6: 16}
"""Bits of a network prefix by IP version; a shorter one is probably a mistake, since no owner has more than a /8."""

_date = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_dated_end = re.compile(r"[\s,;:(\[]*(\d{4}-\d{2}-\d{2})[\s.)\]]*$")
_dated_start = re.compile(r"^[(\[]?(\d{4}-\d{2}-\d{2})[)\]]?(?:[\s,;:]+|$)")
_is_port = re.compile(r"[^:]*[^:\]]:[0-9]{1,5}|\[[^\]]*\]:[0-9]{1,5}").fullmatch
_is_mask = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}").fullmatch
_without_parameters = re.compile(r";[^/]*").sub
_is_plain = re.compile(r"(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*").fullmatch


class NeverCrawlError(ValueError):
    """A list can not be used or changed, and there is no earlier one to keep. The text is one sentence."""


@dataclass(slots=True, frozen=True)
class Exclusion:
    """One entry of a NeverCrawl list.

    Attributes:
        domain: canonical domain, which covers its subdomains; or an address; or a network such as ``192.0.2.0/24``.
        path: the path covered, in the form of `comparable`; empty for all paths.
        reason: the comment without its date; may be empty.
        date: the date in the comment (ISO 8601, ``2026-11-02``), or None.
        file: path of the list, as given.
        line: line number, from 1.
    """

    domain: str
    path: str
    reason: str
    date: str | None
    file: str
    line: int

    @property
    def covers(self) -> str:
        """Domain and path: ``example.org/private``."""
        return self.domain + self.path

    @property
    def where(self) -> str:
        """File name and line number: ``NeverCrawl.txt:12``."""
        return f"{PurePath(self.file).name}:{self.line}"

    @property
    def key(self) -> bytes:
        """The octets by which it is looked up."""
        return key_of(self.domain, self.path)

    @property
    def remark(self) -> str:
        """A predicate for an entry that covers more than one owner can have; else empty."""
        if "/" in self.domain:
            network = ip_network(self.domain)
            too_wide = network.prefixlen < _SHORTEST_PREFIX[network.version]
            return "covers a large part of the internet" if too_wide else ""
        if self.path or self.domain == "localhost" or is_address(self.domain):
            return ""
        return "is a public suffix, and covers every site below it" if is_public_suffix(self.domain) else ""


def key_of(domain: str, path: str = "") -> bytes:
    """Return the octets by which an entry is looked up. The arguments are those of `Exclusion`."""
    return (domain + path).encode("utf-8", "surrogatepass")


def suffix_keys() -> frozenset[bytes]:
    """Return the public suffixes as keys, to read a long list with: 2 MB. Wildcard rules are left out."""
    rules = (rule for rule in public_suffixes() if rule[0] not in "*!")
    # Most rules are canonical already. To parse all 10,000 took half of the time in which a command starts.
    return frozenset((rule if _is_plain(rule) else canonical_host(rule) or rule).encode() for rule in rules)


def read_line(text: str, file: str = "", number: int = 1) -> Exclusion | str | None:
    """Parse a line of a list.

    Returns:
        The entry; or what is wrong, as a predicate: ``is no domain``; or None for an empty line.
    """
    written, _, comment = text.partition("#")
    written = written.strip()
    if not written:
        return None
    if wrong := _syntax_error(written):
        return wrong
    host, slash, tail = (written.partition("://")[2] if "://" in written else written).partition("/")
    reason, day = _dated(comment.strip())
    if _is_mask(tail) and (network := _network(host, tail)):
        return Exclusion(network, "", reason, day, file, number)
    domain = _domain(host)
    if domain is None:
        has_port = "has a port; an entry covers all ports of a host, write it without"
        return has_port if _is_port(host) else "is no domain, address or network"
    if is_address(domain) and _is_mask(tail.removesuffix("/")):
        return "is no network; write all of its address and no slash at the end, as in 192.0.2.0/24"
    tail = tail.removesuffix("/*") if tail != "*" else ""
    if "*" in tail:
        return "has a star in its path; a path covers all below it without one"
    return Exclusion(domain, comparable(slash + tail), reason, day, file, number)


def comparable(path: str) -> str:
    """Return the normal form of a path, ``/music/private``; empty for the root."""
    *_, segments = _walk(_plain(path))
    return _joined(segments)


def beginnings(path: str, deepest: int) -> Iterator[str]:
    """Yield the normal forms of a path and of all folders above it, in every reading."""
    text = _plain(path)
    for reading in (text, _without_parameters("", text)) if ";" in text else (text,):
        for segments in _walk(reading):
            if 0 < len(segments) <= deepest:
                yield _joined(segments)


def address_of(text: str) -> Address | None:
    """Parse an address; an IPv4-mapped one (``::ffff:192.0.2.7``) becomes IPv4. None for anything else."""
    try:
        address = ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped


def host_of_address(address: Address) -> str:
    """Return an address as the host of a canonical URL."""
    return str(address) if address.version == 4 else f"[{address}]"


def _syntax_error(written: str) -> str:
    words = written.split()
    if len(words) > 1:
        if address_of(words[0]) is not None:
            return "is a line of a hosts file; write only the name"
        return "has more than one word; each line has one entry, and # begins a comment"
    if "\N{REPLACEMENT CHARACTER}" in written:
        return "is not written in UTF-8"
    if "?" in written:
        return "has a query; write the path without it, which covers all its queries"
    return ""


def _network(host: str, mask: str) -> str | None:
    if "." not in host and ":" not in host:
        return None
    try:
        network = ip_network(f"{host.strip('[]')}/{mask}", strict=False)
    except ValueError:
        return None
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    if mapped is not None and network.prefixlen >= 96:
        network = IPv4Network((int(mapped), network.prefixlen - 96))
    return str(network)


def _domain(host: str) -> str | None:
    domain = domain_as_written(host)
    if domain is None or not is_address(domain):
        return domain
    address = address_of(domain)
    return None if address is None else host_of_address(address)


def _dated(comment: str) -> tuple[str, str | None]:
    """Return the comment without a date at its end or beginning, and its date."""
    for pattern in (_dated_end, _dated_start):
        found = pattern.search(comment)
        if found and _is_day(found[1]):
            return (comment[: found.start()] + comment[found.end() :]).strip(), found[1]
    return comment, next(filter(_is_day, _date.findall(comment)), None)


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _plain(path: str) -> str:
    return unquote(path, errors="surrogateescape").replace("\\", "/").casefold()


def _walk(text: str) -> Iterator[list[str]]:
    """Yield the resolved segments after each segment of a path; one list, changed in place."""
    segments: list[str] = []
    yield segments
    for segment in text.split("/"):
        if segment == "..":
            del segments[-1:]
        elif segment not in {"", "."}:
            segments.append(segment)
        else:
            continue
        yield segments


def _joined(segments: list[str]) -> str:
    return "".join(f"/{segment}" for segment in segments)


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
            if "/" in entry.domain or address_of(entry.domain) is not None:
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


RELOAD_INTERVAL = 900.0
"""Seconds within which a change of a file is in force."""
LARGEST_FILE = 256 * 1024 * 1024
"""Bytes of a file: some ten million lines. Its text is held in memory."""
_PIECE = 1 << 20
"""Bytes read at a time."""
_CACHED = 100_000
"""Hosts whose answers are cached, and as many addresses."""

_Stamp = tuple[int, int, int]
"""Modification time in ns, size in bytes, inode."""


class NeverCrawl:
    """The list in force.

    Attributes:
        version: grows at each change, so that others can drop what they derived from the list.
        problem: sentences about files that could not be read at the last look; empty if there are none. Their last good
            content is still in force.
        has_paths: whether some entry covers only a path; if not, the answer for a host is that for all its URLs.
        has_addresses: whether some entry covers an address or a network.
    """

    def __init__(self, contents: Sequence[ListContent] = (), files: Sequence[Path] = ()) -> None:
        """Make a list; `load` reads its files."""
        self.version = 0
        self.problem = ""
        self._files = [ListFile(path) for path in files]
        self._put_in_force(contents)

    @classmethod
    def of(cls, *lines: str) -> NeverCrawl:
        """Make a list of lines that come from no file.

        Raises:
            NeverCrawlError: most of them are no entries.
        """
        return cls([ListContent.of("\n".join(["#", *lines]).encode(), "list")])

    @classmethod
    def load(cls, paths: Path | Sequence[Path]) -> NeverCrawl:
        """Read the list for the first time.

        Args:
            paths: one file or several; the entries of all count.

        Raises:
            NeverCrawlError: a file is missing, unreadable or broken. There is no earlier list to keep, and a crawl must
                not start without its list.
        """
        never = cls(files=[paths] if isinstance(paths, Path) else paths)
        for _ in never.look():
            pass
        if never.problem:
            raise NeverCrawlError(never.problem)
        return never

    @property
    def size(self) -> int:
        """Number of entries. There is no `len`, since an empty list must not be false."""
        return sum(map(len, self._contents))

    @property
    def bad_lines(self) -> list[str]:
        """A sentence for each line that could not be read; at most 101 a file."""
        return list(dict.fromkeys(sentence for content in self._contents for sentence in content.bad_lines))

    @property
    def remarks(self) -> list[str]:
        """A sentence for each entry that covers more than one owner can have; at most 101 a file."""
        return list(dict.fromkeys(sentence for content in self._contents for sentence in content.remarks))

    def entries(self) -> Iterator[Exclusion]:
        """Return all entries, file by file in their order."""
        return chain.from_iterable(content.entries() for content in self._contents)

    def match(self, host: str) -> Exclusion | None:
        """Return the entry that covers a host, in any spelling, with all its paths; or None."""
        return self._by_host(host)

    def match_url(self, url: str) -> Exclusion | None:
        """Return the entry that covers a canonical URL by its host or its path, or None."""
        host = host_of(url)
        entry = self._by_host(host)
        if entry is not None or not self.has_paths:
            return entry
        return self._find_path(url, self._path_domains(host))

    def has_paths_on(self, host: str) -> bool:
        """Tell whether entries cover paths of a host, in any spelling."""
        return self.has_paths and bool(self._path_domains(host))

    def match_address(self, ip: str) -> Exclusion | None:
        """Return the entry that covers an address, by itself or by its network; None also for what is no address.

        An IPv4-mapped address counts as IPv4.
        """
        return self._by_address(ip)

    def covers(self, domain: str, path: str = "") -> Exclusion | None:
        """Return the entry that makes another one superfluous, or None. The arguments are those of `Exclusion`."""
        if "/" in domain:
            network = ip_network(domain)
            wider = (network.supernet(new_prefix=length) for length in range(network.prefixlen, -1, -1))
            return self._first(key_of(str(each)) for each in wider)
        entry = self.match(domain)
        if entry is not None or not path:
            return entry
        return self._find_path(f"http://{domain}{quote(path, errors='surrogateescape')}", self._path_domains(domain))

    def look(self) -> Iterator[None]:
        """Read the files that changed, in slices of about a millisecond; until the last one the old list is in force.

        Never raises: what could not be read is in `problem` and `bad_lines`. `version` shows whether the list changed.
        """
        changed = False
        for file in self._files:
            changed = (yield from file.look()) or changed
        self.problem = " ".join(file.problem for file in self._files if file.problem)
        if changed:
            self._put_in_force([content for file in self._files for content in file.in_force])
            self.version += 1

    def _put_in_force(self, contents: Sequence[ListContent]) -> None:
        self._contents = tuple(contents)
        self._deepest = max((content.deepest for content in contents), default=0)
        self.has_paths = self._deepest > 0
        self.has_addresses = any(content.has_addresses for content in contents)
        self._by_host = lru_cache(_CACHED)(self._find_host)
        self._by_address = lru_cache(_CACHED)(self._find_address)
        self._path_domains = lru_cache(_CACHED)(self._find_path_domains)

    def _find_host(self, host: str) -> Exclusion | None:
        name = canonical_host(host) or host.lower()
        if is_address(name):
            return self.match_address(name)
        return self._first(map(key_of, _with_parents(name)))

    def _find_address(self, ip: str) -> Exclusion | None:
        address = address_of(ip)
        if address is None:
            return None
        networks = (content.find_network(address) for content in self._contents)
        return self._first([key_of(host_of_address(address))]) or next(filter(None, networks), None)

    def _find_path(self, url: str, domains: Sequence[str]) -> Exclusion | None:
        if not domains:
            return None
        path = url[url.find("/", url.find("//") + 2) :].partition("?")[0].partition("#")[0]
        return self._first(key_of(domain, start) for start in beginnings(path, self._deepest) for domain in domains)

    def _find_path_domains(self, host: str) -> tuple[str, ...]:
        """Return the host and the domains above it for which there are entries with a path."""
        name = canonical_host(host) or host
        address = address_of(name) if is_address(name) else None
        names = _with_parents(name) if address is None else [host_of_address(address)]
        return tuple(name for name in names if any(name in content.path_domains for content in self._contents))

    def _first(self, keys: Iterable[bytes]) -> Exclusion | None:
        return next((entry for key in keys for content in self._contents if (entry := content.find(key))), None)


class ListFile:
    """A file of the list, and what of it is in force.

    Attributes:
        path: where it is.
        in_force: what was read last; and, until that is settled, what was in force before.
        problem: a sentence on why it could not be read at the last look; empty if it could.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.in_force: tuple[ListContent, ...] = ()
        self.problem = ""
        self._stamp: _Stamp | None = None
        self._unsettled: ListContent | None = None

    def look(self) -> Generator[None, None, bool]:
        """Read the file if it changed, in slices; tell at the end whether `in_force` changed.

        The content is unsettled if entries are gone or the last line has no end: the file may be half written. Then the
        earlier content stays in force too, until a look finds the file as the last one left it.
        """
        try:
            if _stamp_of(self.path) != self._stamp:
                yield from self._read()
            elif self._unsettled is not None:
                self._settle(self._unsettled)
            else:
                return False
        except (OSError, NeverCrawlError) as error:
            self.problem = self._problem_of(error)
            self._stamp = self._unsettled = None
            return False
        return True

    def _problem_of(self, error: Exception) -> str:
        if isinstance(error, OSError):
            why = error.strerror or type(error).__name__
            return f"{self.path.name} can not be read in {self.path.parent.resolve()}: {why}."
        return str(error)

    def _read(self) -> Generator[None, None, None]:
        self._stamp, data = yield from _read_unchanged(self.path)
        content = ListContent(str(self.path))
        yield from content.read(data)
        self.problem = ""
        kept = list[ListContent]()
        for before in self.in_force:
            includes = yield from content.index.includes(before.index)
            kept += [] if includes else [before]
        if self.in_force and (kept or content.unfinished):
            self._unsettled = content
            # Of a file that changes at each look: the last content, and the one before the first change.
            self.in_force = (content, *kept[:1], *kept[1:][-1:])
        else:
            self._settle(content)

    def _settle(self, content: ListContent) -> None:
        self._unsettled = None
        content.finish()
        self.in_force = (content,)


def read_whole(path: Path) -> bytes:
    """Return the bytes of a list file.

    Raises:
        OSError: it cannot be read.
        NeverCrawlError: it is no regular file, or too large.
    """
    _stamp_of(path)
    return path.read_bytes()


def _stamp_of(path: Path) -> _Stamp:
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise NeverCrawlError(f"{path.name} is no file.")
    if found.st_size > LARGEST_FILE:
        raise NeverCrawlError(f"{path.name} has {found.st_size:,} bytes; a list may have {LARGEST_FILE:,}.")
    return _stamp(found)


def _stamp(found: os.stat_result) -> _Stamp:
    return found.st_mtime_ns, found.st_size, found.st_ino


def _read_unchanged(path: Path) -> Generator[None, None, tuple[_Stamp, bytearray]]:
    """Read a file in slices; return its stamp and bytes. If it is replaced meanwhile, the next look finds the new one.

    Raises:
        OSError: it cannot be read, or was written to meanwhile.
    """
    with path.open("rb", buffering=0) as file:
        before = _stamp(os.fstat(file.fileno()))
        data = bytearray()
        while len(data) <= before[1] and (piece := file.read(_PIECE)):
            data += piece
            yield
        after = _stamp(os.fstat(file.fileno()))
    if after != before or len(data) != before[1]:
        raise OSError(errno.EAGAIN, "it changed while it was read, and is read again at the next look")
    return before, data


def _with_parents(name: str) -> Iterator[str]:
    """Yield a domain and the domains above it."""
    while name:
        yield name
        name = name.partition(".")[2]


_PAGE = 500
"""Site names read at a time."""


def drop_excluded(frontier: Frontier, never: NeverCrawl) -> Iterator[int]:
    """Drop the waiting URLs that are on the list, in slices; gives the number of URLs dropped in each slice.

    Data requests of site adapters are left: each is refused when its turn comes, without a request, and then its page
    is requested after all.

    An entry of a domain that somebody owns concerns one site, which is looked up. Networks, public suffixes and domains
    above public suffixes concern any number of sites: for all of these together the sites with waiting URLs are walked
    through once.

    Raises:
        FrontierError: the frontier cannot be used.
    """
    spans_sites = False
    for entry in never.entries():
        if _spans_sites(entry):
            spans_sites = True
            continue
        site = site_of(entry.domain)
        yield _drop(frontier, never, site, whole=site == entry.domain and not entry.path)
    names = frontier.sites_under(limit=_PAGE) if spans_sites else []
    while names:
        for name in names:
            whole = never.match(name) is not None
            some = is_network(name) or never.has_paths_on(name)
            yield _drop(frontier, never, name, whole=whole) if whole or some else 0
        names = frontier.sites_under(after=names[-1], limit=_PAGE)


def _spans_sites(entry: Exclusion) -> bool:
    domain = entry.domain
    if "/" in domain:
        return True
    return not is_address(domain) and (is_public_suffix(domain) or domain in _above_suffixes())


@cache
def _above_suffixes() -> frozenset[str]:
    """Domains with public suffixes below them, as ``amazonaws.com`` is to ``s3.amazonaws.com``."""
    suffixes = (rule.lstrip("!*.") for rule in public_suffixes())
    labels = [(canonical_host(suffix) or suffix).split(".") for suffix in suffixes]
    return frozenset(".".join(each[start:]) for each in labels for start in range(1, len(each)))


def _drop(frontier: Frontier, never: NeverCrawl, site: str, *, whole: bool) -> int:
    def is_meant(url: str) -> bool:
        return (whole or never.match_url(url) is not None) and not is_marked(url)

    return frontier.drop(site, Drop.NEVERCRAWL, is_meant)
