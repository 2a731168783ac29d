"""The NeverCrawl list in force: the entries of all files, read again when a file changes."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from ipaddress import ip_network
from itertools import chain
from pathlib import Path
from urllib.parse import quote

from mediacrawl.base.queued import is_marked
from mediacrawl.base.terms import Drop
from mediacrawl.frontier import Frontier
from mediacrawl.scope.exclusions.entries import (
    Exclusion,
    NeverCrawlError,
    address_of,
    beginnings,
    host_of_address,
    key_of,
)
from mediacrawl.scope.exclusions.list_content import ListContent
from mediacrawl.scope.hosts import canonical_host, is_address
from mediacrawl.scope.sites import host_of, is_network, is_public_suffix, public_suffixes, site_of

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
