"""What gives link classes their scores, and orders to compare the adaptive one with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from mediacrawl.base.terms import Candidate, Lease
from mediacrawl.frontier.seen import url_key


@dataclass(frozen=True, slots=True)
class CreditPolicy:
    """How a nugget is shared among the links that led to it.

    Media lie behind pages that show none: an order that rewards only the last link finds a fifth of what one finds that
    rewards the whole path (53 against 291 new files in 1,000 pages, ``benchmarks/harvest.py``).

    Attributes:
        decay: what each step back along the path keeps of the step before, 0 to 1.
        steps: links back that get something; 1 is the nugget's own link alone.
        remembered: visits that are remembered, 350 bytes each.
    """

    decay: float = 0.7
    steps: int = 8
    remembered: int = 200_000


@dataclass(slots=True)
class Past:
    """A visit that may still get credit.

    Attributes:
        parent: key of the page that named its URL; 0 for a seed.
        site, link_class: where it waited.
        row: its features, from `features.packed`; empty where none are learned.
        credit: what it got so far, 1 at most: a list of 500 files is not worth 500 pages.
    """

    parent: int
    site: str
    link_class: str
    row: bytes
    credit: float = 0.0


class Visits:
    """The last visits, by the key of their URL, and the visit whose page had the link.

    In memory only; `journal.VisitJournal` keeps them.
    """

    def __init__(self, policy: CreditPolicy) -> None:
        self._policy = policy
        self._past: dict[int, Past] = {}

    def __len__(self) -> int:
        return len(self._past)

    def __contains__(self, key: int) -> bool:
        return key in self._past

    def add(self, key: int, visit: Past) -> None:
        """A URL was visited. If it was before, that is forgotten."""
        self._past.pop(key, None)
        self._past[key] = visit
        if len(self._past) > self._policy.remembered:
            del self._past[next(iter(self._past))]

    def reward(self, key: int, reward: float) -> Iterator[tuple[Past, float]]:
        """Share out a nugget: the visits that led to it, the nearest first, with what each got more.

        Args:
            key: of the URL that it was found at.
            reward: what it is worth, 0 to 1.
        """
        met = set[int]()
        for _ in range(self._policy.steps):
            visit = self._past.get(key)
            if visit is None or key in met:
                # Forgotten, or pages that led to each other.
                return
            met.add(key)
            more = min(reward, 1.0 - visit.credit)
            if more > 0:
                visit.credit += more
                yield visit, more
            key, reward = visit.parent, reward * self._policy.decay


Scored = Iterator[tuple[str, dict[str, float]]]
"""Sites, with the new scores of their classes."""


RECORDS = "classes"
"""The namespace of the notes with the records of classes, by site."""


class OrderModelError(Exception):
    """A model cannot be used. The message says which, why, and what to do."""


class Priority(Protocol):
    """What goes first."""

    def join(self, candidates: Iterable[Candidate], source: str = "") -> None:
        """Links were found: name the class of each, and its score.

        Args:
            candidates: with the class of their shape and the score of the rules; both may be changed.
            source: the site that they were found on; empty for seeds.
        """
        ...

    def ended(self, lease: Lease, reward: float) -> Scored:
        """Learn from the end of a URL; return sites with the new scores of their classes.

        Args:
            lease: its last lease.
            reward: what was found there, 0 to 1.
        """
        ...

    def save(self, now: float, *, last: bool = False) -> None:
        """Write down what was learned, for the next commit."""
        ...


class RuleOrder:
    """The scores of the rules stay as they are (``PRIORITY = "rules"`` and ``"levels"``). Keeps nothing."""

    def join(self, candidates: Iterable[Candidate], source: str = "") -> None:
        """Leave them as they are."""

    def ended(self, lease: Lease, reward: float) -> Scored:  # noqa: ARG002
        """Learn nothing."""
        return iter(())

    def save(self, now: float, *, last: bool = False) -> None:
        """There is nothing."""


class Alike(RuleOrder):
    """No link is better than another (``"breadth"``, ``"random"``). Keeps nothing."""

    def join(self, candidates: Iterable[Candidate], source: str = "") -> None:  # noqa: ARG002
        """Give all the same score."""
        for found in candidates:
            found.score = 0.5


class SiteRate:
    """A link is worth what links of the page's site came to so far (``"site-rate"``).

    So MLBot did it in 2011. Links wait by the site that they were found on, and when its rate changes all that waits
    of it moves. Keeps nothing that outlives the process.

    Args:
        credit: how a nugget is shared out along its path.
        key_of: gives the key of a URL as it was requested.
    """

    def __init__(self, credit: CreditPolicy, key_of: Callable[[str], int] = url_key) -> None:
        self._key_of = key_of
        self._visits = Visits(credit)
        self._rates = dict[str, tuple[float, float]]()
        self._waiting = dict[str, set[tuple[str, str]]]()
        self._sent = dict[str, float]()

    def join(self, candidates: Iterable[Candidate], source: str = "") -> None:
        """Name the class of each by the site that it was found on."""
        name = f"from {source or 'seeds'}"
        score = self._sent.setdefault(name, self._score(name))
        waiting = self._waiting.setdefault(name, set())
        for found in candidates:
            found.link_class, found.score = name, score
            waiting.add((found.site, name))

    def ended(self, lease: Lease, reward: float) -> Scored:
        """Count it for the site that it was found on; a nugget for those before as well."""
        key, parent = url_key(lease.url), self._key_of(lease.parent) if lease.parent else 0
        name = lease.link_class
        self._visits.add(key, Past(parent, lease.site, name, b""))
        fetches, credit = self._rates.get(name, (0.0, 0.0))
        self._rates[name] = fetches + 1, credit
        changed = {name}
        for past, more in self._visits.reward(key, reward) if reward > 0 else ():
            fetches, credit = self._rates.get(past.link_class, (0.0, 0.0))
            self._rates[past.link_class] = fetches, credit + more
            changed.add(past.link_class)
        for name in changed:
            yield from self._moved(name)

    def save(self, now: float, *, last: bool = False) -> None:
        """There is nothing."""

    def _moved(self, name: str) -> Scored:
        score = self._score(name)
        sent = self._sent.get(name, 0.0)
        if abs(score - sent) <= _MOVED * sent:
            return
        self._sent[name] = score
        for site, link_class in self._waiting.get(name, ()):
            yield site, {link_class: score}

    def _score(self, name: str) -> float:
        fetches, credit = self._rates.get(name, (0.0, 0.0))
        return (credit + _FIRST) / (fetches + 1)


_MOVED = 0.1
_FIRST = 0.05
"""The rate that an unknown site is taken to have, and a fetch's worth of it: better than most, worse than the good."""
