"""The list in force: the entries of all files together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import ip_network
from itertools import chain
from pathlib import Path
from urllib.parse import quote

from mediacrawl.scope.exclusions.content import Content
from mediacrawl.scope.exclusions.errors import NeverCrawlError
from mediacrawl.scope.exclusions.files import ListFile
from mediacrawl.scope.exclusions.lines import Entry, address_of, host_of_address, key_of
from mediacrawl.scope.exclusions.paths import beginnings
from mediacrawl.scope.hosts import canonical_host, is_address
from mediacrawl.scope.sites import host_of

RELOAD_INTERVAL = 900.0
"""Seconds within which a change of the files is in force."""
_REMEMBERED = 100_000
"""Hosts whose answer is kept, and as many addresses."""


class NeverCrawl:
    """The list in force.

    Attributes:
        version: grows at each change of the list, so that others can drop what they derived from it.
        problem: sentences about files that could not be read at the last look; empty if all is well. Their last good
            content is still in force.
        has_paths: whether some entry covers only a path; else a host's answer is that of all its URLs.
    """

    def __init__(self, contents: Sequence[Content] = ()) -> None:
        """Make a list that comes from no file. `load` is the usual way."""
        self.version = 0
        self.problem = ""
        self._files: list[ListFile] = []
        self._looked = 0.0
        self._interval = RELOAD_INTERVAL
        self._hosts: dict[str, Entry | None] = {}
        self._addresses: dict[str, Entry | None] = {}
        self._paths: dict[str, tuple[str, ...]] = {}
        self._news: Iterator[Entry] = iter(())
        self._put_in_force(tuple(contents))

    @classmethod
    def of(cls, *lines: str) -> NeverCrawl:
        """Make a list of lines that stand in no file.

        Args:
            lines: as they would stand there.

        Raises:
            NeverCrawlError: most of them are no entries.
        """
        return cls([Content.of("\n".join(["#", *lines]).encode(), "list")])

    @classmethod
    def load(cls, paths: Path | Sequence[Path], now: float, interval: float = RELOAD_INTERVAL) -> NeverCrawl:
        """Read the list for the first time, at once.

        Args:
            paths: one file or several; all of them count.
            now: seconds, of the clock that `look` is given too.
            interval: seconds within which a change of the files is to be in force.

        Raises:
            NeverCrawlError: a file is missing, unreadable or broken. There is no earlier list to keep, and a crawl
                without its list must not start.
        """
        never = cls()
        never._files = [ListFile(path) for path in ([paths] if isinstance(paths, Path) else paths)]
        never._interval = interval
        for _ in never.look(now):
            pass
        if never.problem:
            raise NeverCrawlError(never.problem)
        return never

    @property
    def size(self) -> int:
        """Lines that are entries. No `len`: an empty list must not count as none."""
        return sum(map(len, self._contents))

    @property
    def bad_lines(self) -> list[str]:
        """A sentence for each line that could not be read; at most 101 a file."""
        return list(dict.fromkeys(sentence for content in self._contents for sentence in content.bad_lines))

    @property
    def remarks(self) -> list[str]:
        """A sentence for each entry that covers more than one owner can have; at most 101 a file."""
        return list(dict.fromkeys(sentence for content in self._contents for sentence in content.remarks))

    # -- questions -------------------------------------------------------------------------------------------

    def match(self, host: str) -> Entry | None:
        """Return the entry that forbids a host with all its paths, or None. Looks once at each label of the name.

        Args:
            host: in any spelling: upper case, IDNA or not, with a dot at the end.
        """
        try:
            return self._hosts[host]
        except KeyError:
            pass
        if len(self._hosts) >= _REMEMBERED:
            self._hosts.clear()
        answer = self._hosts[host] = self._find(canonical_host(host) or host.lower())
        return answer

    def match_url(self, url: str) -> Entry | None:
        """Return the entry that forbids a URL by its host or its path, or None.

        Args:
            url: in canonical form.
        """
        host = host_of(url)
        entry = self.match(host)
        if entry is not None or not self.has_paths:
            return entry
        return self._find_path(url, self._domains_with_paths(host))

    def has_paths_on(self, host: str) -> bool:
        """Tell whether entries cover paths of a host; False is certain.

        Args:
            host: in any spelling.
        """
        return self.has_paths and bool(self._domains_with_paths(host))

    def match_address(self, ip: str) -> Entry | None:
        """Return the entry that forbids an address, itself or its network, or None.

        Args:
            ip: of either family, as a host in a URL or as a resolver gives it; one of IPv4 inside IPv6
                (``::ffff:192.0.2.7``) counts as what it is. What is no address is not forbidden.
        """
        try:
            return self._addresses[ip]
        except KeyError:
            pass
        if len(self._addresses) >= _REMEMBERED:
            self._addresses.clear()
        answer = self._addresses[ip] = self._find_address(ip)
        return answer

    def covers(self, domain: str, path: str = "") -> Entry | None:
        """Return the entry that covers all that another one would, or None.

        Args:
            domain: see `Entry`.
            path: see `Entry`.
        """
        if "/" in domain:
            network = ip_network(domain)
            wider = (network.supernet(new_prefix=length) for length in range(network.prefixlen, -1, -1))
            return self._first(key_of(str(each)) for each in wider)
        entry = self.match(domain)
        if entry is not None or not path:
            return entry
        return self._find_path(
            f"http://{domain}{quote(path, errors='surrogateescape')}", self._domains_with_paths(domain)
        )

    def entries(self) -> Iterator[Entry]:
        """All entries, file by file in their order."""
        return chain.from_iterable(content.entries() for content in self._contents)

    # -- looking at the files --------------------------------------------------------------------------------

    @property
    def pause(self) -> float:
        """Seconds between two looks: half the interval, since what a look doubts counts at the next one."""
        return self._interval / 2

    def is_due(self, now: float) -> bool:
        """Tell whether it is time to look at the files.

        Args:
            now: seconds. A clock that was set back makes it look at once.
        """
        return not 0 <= now - self._looked < self.pause

    def look(self, now: float) -> Iterator[None]:
        """Look at the files, in slices of about a millisecond; until the last one the old list is in force.

        Never raises: what could not be read is in `problem` and `bad_lines`, to be logged. Whether the list changed is
        told by `version`.

        Args:
            now: seconds.
        """
        self._looked = now
        changed = False
        for file in self._files:
            changed = (yield from file.look()) or changed
        self.problem = " ".join(file.problem for file in self._files if file.problem)
        if changed:
            self._put_in_force(tuple(content for file in self._files for content in file.in_force))
            self._news = chain.from_iterable(file.news() for file in self._files)
            self.version += 1

    def reload_if_changed(self, now: float) -> bool:
        """Look at the files at once if it is time, and tell whether the list changed.

        Args:
            now: seconds.
        """
        before = self.version
        if self.is_due(now):
            for _ in self.look(now):
                pass
        return self.version != before

    def news(self) -> Iterator[Entry]:
        """The entries that the last change brought, at the first reading all; once."""
        news, self._news = self._news, iter(())
        return news

    # -- how answers are found -------------------------------------------------------------------------------

    def _put_in_force(self, contents: tuple[Content, ...]) -> None:
        self._contents = contents
        self._deepest = max((content.deepest for content in contents), default=0)
        self.has_paths = self._deepest > 0
        for kept in (self._hosts, self._addresses, self._paths):
            kept.clear()

    def _find(self, name: str) -> Entry | None:
        if is_address(name):
            return self.match_address(name)
        key = key_of(name)
        while key:
            for content in self._contents:
                if entry := content.find(key):
                    return entry
            key = key.partition(b".")[2]
        return None

    def _find_address(self, ip: str) -> Entry | None:
        address = address_of(ip)
        if address is None:
            return None
        networks = (content.find_network(address) for content in self._contents)
        return self._first([key_of(host_of_address(address))]) or next(filter(None, networks), None)

    def _find_path(self, url: str, domains: tuple[str, ...]) -> Entry | None:
        """The entry whose path the URL is at or below."""
        if not domains:
            return None
        path = url[url.find("/", url.find("//") + 2) :].partition("?")[0].partition("#")[0]
        return self._first(key_of(domain, start) for start in beginnings(path, self._deepest) for domain in domains)

    def _domains_with_paths(self, host: str) -> tuple[str, ...]:
        """A host and the domains above it, as far as there are entries of them with a path."""
        try:
            return self._paths[host]
        except KeyError:
            pass
        if len(self._paths) >= _REMEMBERED:
            self._paths.clear()
        above = _upward(_name(canonical_host(host) or host))
        found = (name for name in above if any(content.may_have_paths(name) for content in self._contents))
        domains = self._paths[host] = tuple(found)
        return domains

    def _first(self, keys: Iterable[bytes]) -> Entry | None:
        return next((entry for key in keys for content in self._contents if (entry := content.find(key))), None)


def _name(host: str) -> str:
    """A host as entries name it: an address of IPv4 inside IPv6 as what it is."""
    address = address_of(host) if is_address(host) else None
    return host if address is None else host_of_address(address)


def _upward(name: str) -> Iterator[str]:
    """A name, and the domains above it; an address alone."""
    if is_address(name):
        yield name
        return
    while name:
        yield name
        name = name.partition(".")[2]
