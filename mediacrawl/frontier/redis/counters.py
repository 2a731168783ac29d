"""The Redis store in numbers, as they were told last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mediacrawl.frontier.contract import Counts


@dataclass(frozen=True, slots=True)
class Numbered:
    """What Redis said of the frontier.

    Attributes:
        totals: the counters of the hash ``total``.
        ends: how URLs ended.
        ready: sites that were due.
        time: when that was, by Redis's clock.
    """

    totals: Mapping[str, int] = field(default_factory=dict)
    ends: Mapping[str, int] = field(default_factory=dict)
    ready: int = 0
    time: float = 0.0

    def __getitem__(self, name: str) -> int:
        return self.totals.get(name, 0)

    def pending(self, *, later: bool) -> int:
        """What a frontier's `pending` says.

        Args:
            later: whether no site is due yet.
        """
        if not self["leased"] and 0 < self["active"] == self["resting"] and later:
            return 0
        return self["waiting"] - self["shelved"] + self["leased"]

    def counts(self) -> Counts:
        """What a frontier's `counts` says."""
        active, leased = self["active"], self["leased"]
        return Counts(
            seen=self["seen"],
            waiting=self["waiting"],
            leased=leased,
            ready=self.ready,
            penalty=max(active - self.ready - leased, 0),
            ends=dict(self.ends),
            sites=active,
            most=max(self["most"], active),
            shelved=self["shelved"],
            shelved_sites=(self["paused"], self["retired"]),
            resting=self["resting"],
            again=self["again"],
            bytes=self["bytes"],
        )
