"""NeverCrawl: the domains that are never asked, whatever links to them.

The list is text that operators change while the crawl runs, so a mistake in it must not open the gates: a file
that is missing, unreadable or broken leaves the last good list in force and is reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mediacrawl.scope.hosts import canonical_host, domain_as_written, is_address

RELOAD_INTERVAL = 900.0
"""Seconds between two looks at the files."""
_REPORTED = 100
"""Bad lines told one by one; of the others only the number."""
_REMEMBERED = 100_000
"""Hosts whose answer is kept."""


class NeverCrawlError(ValueError):
    """The list can not be used, and there is no earlier one to keep. The text is one whole sentence."""


@dataclass(slots=True, frozen=True)
class Entry:
    """One line of the list.

    Attributes:
        domain: host or domain in canonical form; it covers its subdomains.
        reason: the comment on the line, empty if there is none.
        where: file name and line number, ``NeverCrawl.txt:12``.
    """

    domain: str
    reason: str
    where: str


@dataclass(slots=True)
class Parsed:
    """What a file holds.

    Attributes:
        entries: by domain; of two lines for one domain the first counts.
        bad_lines: one sentence for each line that could not be read.
    """

    entries: dict[str, Entry] = field(default_factory=dict)
    bad_lines: list[str] = field(default_factory=list)


def parse_nevercrawl(data: bytes, name: str) -> Parsed:
    """Read the lines of a list. A bad line is reported and the others count.

    One domain a line, ``#`` begins a comment; ``*.`` or a dot before the domain, or ``http://`` and
    a slash around it, are accepted, since people write them.

    Args:
        data: the file.
        name: of the file, for the reports.

    Raises:
        NeverCrawlError: this is no list: it has no byte at all, holds zero bytes, or most of its lines
            are no domains.
    """
    if not data:
        raise NeverCrawlError(f"{name} is empty to the byte; an empty list has at least a comment.")
    if b"\0" in data:
        raise NeverCrawlError(f"{name} holds zero bytes, so it is not a text file.")
    parsed = Parsed()
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        _read_line(line.decode("utf-8", "replace"), f"{name}:{number}", parsed)
    if len(parsed.bad_lines) > len(parsed.entries):
        bad = len(parsed.bad_lines)
        raise NeverCrawlError(f"{name} is no list of domains: {bad} lines are none, such as {parsed.bad_lines[0]}")
    return parsed


def _read_line(line: str, where: str, parsed: Parsed) -> None:
    written, _, comment = line.partition("#")
    written = written.strip()
    if not written:
        return
    domain = domain_as_written(written)
    if domain is None:
        parsed.bad_lines.append(f"{where}: {written[:80]!r} is no domain.")
    else:
        parsed.entries.setdefault(domain, Entry(domain, comment.strip(), where))


@dataclass(slots=True)
class _File:
    """One file and what was last read from it.

    Attributes:
        stamp: modification time in ns, size in bytes and inode at the last look; None if it was not there.
        problem: why it could not be read at the last look; then `parsed` is of an earlier look.
    """

    path: Path
    stamp: tuple[int, int, int] | None = None
    parsed: Parsed | None = None
    problem: str = ""

    def look(self) -> bool:
        """Read the file again if it changed, and tell whether its entries are new."""
        try:
            stat = self.path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            if stamp == self.stamp:
                return False
            self.stamp = stamp
            self.parsed = parse_nevercrawl(self.path.read_bytes(), self.path.name)
        except OSError as error:
            self.stamp = None
            why = error.strerror or type(error).__name__
            self.problem = f"{self.path.name} can not be read in {self.path.parent.resolve()}: {why}."
            return False
        except NeverCrawlError as error:
            self.problem = str(error)
            return False
        self.problem = ""
        return True


class NeverCrawl:
    """The list in force.

    Attributes:
        entries: by domain.
        version: grows at each change of the list, so that others can drop what they derived from it.
        problem: sentences about files that could not be read at the last look; empty if all is well.
            Their last good content is still in force.
        bad_lines: sentences about single lines that could not be read; at most 101.
    """

    def __init__(self, entries: Mapping[str, Entry] | None = None) -> None:
        """Make a list that comes from no file. `load` is the usual way."""
        self.entries: dict[str, Entry] = dict(entries or {})
        self.version = 0
        self.problem = ""
        self.bad_lines: list[str] = []
        self._files: list[_File] = []
        self._looked = 0.0
        self._interval = RELOAD_INTERVAL
        self._answers: dict[str, Entry | None] = {}

    @classmethod
    def load(cls, paths: Path | Sequence[Path], now: float, interval: float = RELOAD_INTERVAL) -> NeverCrawl:
        """Read the list for the first time.

        Args:
            paths: one file or several; all of them count.
            now: seconds, of the clock that `reload_if_changed` is given too.
            interval: seconds between two looks at the files.

        Raises:
            NeverCrawlError: a file is missing, unreadable or broken. There is no earlier list to keep, and
                a crawl without its list must not start.
        """
        never = cls()
        never._files = [_File(path) for path in ([paths] if isinstance(paths, Path) else paths)]
        never._interval = interval
        never._look(now)
        if never.problem:
            raise NeverCrawlError(never.problem)
        return never

    def match(self, host: str) -> Entry | None:
        """Return the entry that forbids a host, or None. Looks once at each label of the name.

        Args:
            host: in any spelling: upper case, IDNA or not, with a dot at the end.
        """
        try:
            return self._answers[host]
        except KeyError:
            pass
        if len(self._answers) >= _REMEMBERED:
            self._answers.clear()
        answer = self._answers[host] = self._find(canonical_host(host) or host.lower())
        return answer

    def reload_if_changed(self, now: float) -> bool:
        """Look at the files if the interval is over, and tell whether the list changed.

        Never raises: what could not be read is in `problem` and `bad_lines`, to be logged.

        Args:
            now: seconds. A clock that was set back makes it look at once.
        """
        if 0 <= now - self._looked < self._interval:
            return False
        return self._look(now)

    def _find(self, name: str) -> Entry | None:
        if is_address(name):
            return self.entries.get(name)
        while name:
            if entry := self.entries.get(name):
                return entry
            name = name.partition(".")[2]
        return None

    def _look(self, now: float) -> bool:
        self._looked = now
        changed = [file.look() for file in self._files]
        self.problem = " ".join(file.problem for file in self._files if file.problem)
        if not any(changed):
            return False
        read = [file.parsed for file in self._files if file.parsed]
        self.entries = {name: entry for parsed in read for name, entry in parsed.entries.items()}
        self.bad_lines = _shortened([line for parsed in read for line in parsed.bad_lines])
        self.version += 1
        self._answers.clear()
        return True


def _shortened(lines: list[str]) -> list[str]:
    if len(lines) <= _REPORTED:
        return lines
    return [*lines[:_REPORTED], f"... and {len(lines) - _REPORTED} more bad lines."]
