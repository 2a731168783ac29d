"""URLs from a file, on their way into a frontier: an exported frontier, a list of seeds, any JSON lines with URLs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mediacrawl.frontier.export import evidence_of, kind_of, read_json
from mediacrawl.observe.format import plural
from mediacrawl.priority.score import Scores
from mediacrawl.records import Candidate, Drop
from mediacrawl.scope.gate import Scope
from mediacrawl.scope.joining import candidate
from mediacrawl.scope.seeds import parse_seeds


@dataclass(slots=True)
class Import:
    """The URLs of one file. Site, class and canonical form are worked out anew: another program may have written it.

    Args:
        scope: what decides whether a URL may join.
        scores: gives the first score of its class.
        lines: of the file.
        json: whether they are JSON objects; else they are a list of seeds.

    Attributes:
        drops: refused URLs by reason.
        problems: a sentence for each of the first lines that could not be read.
        unread: how many could not be.
        broken: why the file could not be read to its end; empty if it could.
    """

    scope: Scope
    scores: Scores
    lines: Iterable[str]
    json: bool
    drops: Counter[Drop] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    unread: int = 0
    broken: str = ""

    def __iter__(self) -> Iterator[Candidate]:
        for number, line in enumerate(self._whole_lines(), 1):
            found = self._read(line.strip().lstrip("\ufeff"), number)
            if found is None:
                continue
            reason = self.scope.check(found.url, found.depth)
            if reason is None:
                yield found
            else:
                self.drops[reason] += 1

    def report(self, new: int, known: int) -> str:
        """What became of the lines, in one sentence.

        Args:
            new: URLs that joined.
            known: URLs that were there before.
        """
        parts = [f"{plural(new, 'URL')} joined", f"{plural(known, '', 'was')} known"]
        parts += [f"{number:,} refused ({reason})" for reason, number in self.drops.most_common()]
        parts += [f"{plural(self.unread, 'line')} could not be read, first {self.problems[0]}"] if self.unread else []
        return ", ".join(parts) + (f"; {self.broken}" if self.broken else "")

    def _whole_lines(self) -> Iterator[str]:
        try:
            yield from self.lines
        except OSError as error:
            self.broken = f"{error.filename}: {error.strerror}"

    def _read(self, line: str, number: int) -> Candidate | None:
        if not line or line.startswith("#"):
            return None
        try:
            found = read_json(line) if self.json else {"url": _seed(line)}
        except ValueError as error:
            self._problem(number, str(error))
            return None
        url = self.scope.spelled(found["url"])
        if isinstance(url, Drop):
            self._problem(number, f"{found['url'][:100]!r} is no http or https URL")
            return None
        return candidate(
            url,
            evidence_of(found, "seed"),
            self.scores,
            kind_of(found),
            depth=_whole(found.get("depth")),
            hops=_whole(found.get("hops")),
            parent=str(found.get("parent") or ""),
        )

    def _problem(self, number: int, what: str) -> None:
        self.unread += 1
        if len(self.problems) < _SHOWN:
            self.problems.append(f"line {number}: {what}")


_SHOWN = 20


def _seed(line: str) -> str:
    seeds, problems = parse_seeds(line.encode("utf-8", "replace"), "line")
    if problems or not seeds:
        raise ValueError(problems[0] if problems else f"no URL in {line[:100]!r}")
    return seeds[0][1]


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1_000_000 else 0
