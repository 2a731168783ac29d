"""What gives link classes their scores, and orders to compare the adaptive one with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from mediacrawl.base.terms import Candidate, Lease
from mediacrawl.frontier.seen import url_key
from mediacrawl.priority.visits import CreditPolicy, Past, Visits

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
