"""The whitelist: ``-a include=FILE`` limits a crawl to domains and patterns.

Ten thousand patterns are matched in one pass over the URL, in linear time, by RE2's sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import re2

from mediacrawl.scope.urls import canonical_host, domain_as_written, is_address

_PATTERNS_PER_SET = 5_000
_SET_MEMORY = 64 << 20
"""Bytes of the automaton of a set, which is built lazily and discarded when it is full."""
_PATTERN_MEMORY = 1 << 20
"""Bytes for one pattern alone; ``(x{1000}){1000}`` is refused."""
_SHOWN = 20
"""Bad lines in an error message."""
_REMEMBERED = 100_000
"""Hosts whose verdict is cached."""

_comment = re.compile(r"(?:^|\s)#.*").sub


class IncludeError(ValueError):
    """The whitelist cannot be used. The text is one whole sentence, and one more for each bad line."""


class Include:
    """Domains and patterns of which a URL must match one.

    Attributes:
        domains: in canonical form; each covers its subdomains.
        patterns: in RE2's syntax, searched in the canonical URL.

    Raises:
        IncludeError: one of them is invalid.
    """

    def __init__(self, domains: Sequence[str] = (), patterns: Sequence[str] = (), name: str = "include") -> None:
        """Compile domains and patterns of RE2; see `load`."""
        parsed = _Parsed(name)
        for number, domain in enumerate(domains, start=1):
            parsed.domain(domain, number)
        for number, pattern in enumerate(patterns, start=1):
            parsed.pattern(pattern, number)
        self._take(parsed)

    @classmethod
    def load(cls, path: Path) -> Include:
        """Read a whitelist: a line is a domain, or a pattern written ``re:PATTERN`` or ``/PATTERN/``.

        ``#`` begins a comment at the start of a line or after white space.

        Raises:
            IncludeError: the file or one of its lines is invalid, or it has no entries.
        """
        try:
            text = path.read_text("utf-8-sig", "replace")
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise IncludeError(
                f"the whitelist {path.name!r} can not be read in {path.parent.resolve()}: {why}"
            ) from error
        return cls.parse(text, path.name)

    @classmethod
    def parse(cls, text: str, name: str) -> Include:
        """Parse the text of a whitelist.

        Raises:
            IncludeError: a line is invalid, or there are no entries.
        """
        parsed = _Parsed(name)
        for number, line in enumerate(text.split("\n"), start=1):
            parsed.line(_comment("", line).strip(), number)
        if not parsed.problems and not parsed.domains and not parsed.patterns:
            raise IncludeError(f"the whitelist {name} has no domain and no pattern")
        include = cls()
        include._take(parsed)
        return include

    def allows(self, url: str, host: str) -> bool:
        """Tell whether a URL is on the whitelist."""
        known = self._hosts.get(host)
        if known is None:
            known = self._remember(host)
        return known or any(each.matches(url) for each in self._sets)

    def _take(self, parsed: _Parsed) -> None:
        parsed.check()
        self.domains = frozenset(parsed.domains)
        self.patterns = tuple(parsed.patterns)
        self._sets = list(_sets(self.patterns))
        self._hosts: dict[str, bool] = {}

    def _remember(self, host: str) -> bool:
        if len(self._hosts) >= _REMEMBERED:
            self._hosts.clear()
        known = self._hosts[host] = self._covers(canonical_host(host) or host)
        return known

    def _covers(self, name: str) -> bool:
        if is_address(name):
            return name in self.domains
        while name:
            if name in self.domains:
                return True
            name = name.partition(".")[2]
        return False


@dataclass(slots=True)
class _Parsed:
    """What was read so far."""

    name: str
    domains: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Raise `IncludeError` if a line is invalid."""
        if not self.problems:
            return
        number, rest = len(self.problems), len(self.problems) - _SHOWN
        what, them = ("a line", "it") if number == 1 else (f"{number} lines", "them")
        first = f"the whitelist {self.name} has {what} that cannot be used; mend {them}, or put # before {them}:"
        more = [f"and {rest} more lines."] if rest > 0 else []
        raise IncludeError("\n".join([first, *self.problems[:_SHOWN], *more]))

    def line(self, text: str, number: int) -> None:
        if not text:
            return
        if text.startswith("re:"):
            self.pattern(text[3:].strip(), number)
        elif len(text) > 1 and text[0] == text[-1] == "/":
            self.pattern(text[1:-1], number)
        else:
            self.domain(text, number)

    def domain(self, text: str, number: int) -> None:
        domain = domain_as_written(text)
        if domain is None:
            self._problem(number, text, "is no domain; a pattern is written re:PATTERN or /PATTERN/")
        else:
            self.domains.append(domain)

    def pattern(self, text: str, number: int) -> None:
        if not text:
            self._problem(number, text, "is an empty pattern, which would allow every URL")
            return
        try:
            re2.compile(text, _options(_PATTERN_MEMORY))
        except (re2.error, ValueError) as error:
            self._problem(number, text, f"is no pattern of RE2: {_reason(error)}")
        else:
            self.patterns.append(text)

    def _problem(self, number: int, text: str, what: str) -> None:
        self.problems.append(f"{self.name}:{number}: {text[:100]!r} {what}.")


class _Set:
    """Patterns that are matched together.

    RE2 also gives no match when its automaton runs out of memory. So each set holds one more pattern that always
    matches: if it is missing in the result, the patterns are matched one by one.
    """

    __slots__ = ("_patterns", "_set", "_singles")

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns
        self._singles: list[Any] = []
        self._set = re2.Set.SearchSet(_options(_SET_MEMORY))
        for pattern in (*patterns, ""):
            self._set.Add(pattern)
        self._set.Compile()

    def matches(self, url: str) -> bool:
        found = self._set.Match(url)
        return len(found) > 1 if found else self._one_by_one(url)

    def _one_by_one(self, url: str) -> bool:
        if not self._singles:
            self._singles = [re2.compile(pattern, _options(_PATTERN_MEMORY)) for pattern in self._patterns]
        return any(single.search(url) for single in self._singles)


def _sets(patterns: Sequence[str]) -> Iterator[_Set]:
    """Make the sets of the patterns; those that are too large for one are halved."""
    waiting = [patterns[start : start + _PATTERNS_PER_SET] for start in range(0, len(patterns), _PATTERNS_PER_SET)]
    while waiting:
        some = waiting.pop(0)
        try:
            made = _Set(some)
        except re2.error:
            if len(some) == 1:
                raise
            waiting[:0] = [some[: len(some) // 2], some[len(some) // 2 :]]
        else:
            yield made


def _options(memory: int) -> Any:
    options = re2.Options()
    options.max_mem = memory
    options.log_errors = False
    options.never_capture = True
    return options


def _reason(error: Exception) -> str:
    text = error.args[0] if error.args else error
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
