"""What is known of names, for as long as it may be known, and which addresses did not answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.politeness.dns_answer import Answer

SHUNNED = 600.0
"""Seconds that an address which could not be connected to stands behind the others of its name."""


@dataclass(frozen=True, slots=True)
class DnsLimits:
    """How long what DNS says is believed.

    Attributes:
        least: seconds; an address that may be kept for less is kept for so long.
        most: seconds; one that may be kept for longer is asked again then.
        negative: seconds; the most that "there is no such name" is believed; the least is `least`.
        failure: seconds; how long a name is not asked again after the servers failed or were silent. At least 1, at
            most 300 (RFC 9520 section 3.2).
        names: that are kept.
    """

    least: float = 60.0
    most: float = 86_400.0
    negative: float = 3600.0
    failure: float = 30.0
    names: int = 100_000


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a name.

    Attributes:
        addresses: in the order of the answer; none if there are none, or nobody knows.
        until: second from which it is no longer believed, on the caller's clock.
        failed: nobody knows: servers failed or were silent.
    """

    addresses: tuple[str, ...]
    until: float
    failed: bool = False


class DnsCache:
    """Names and what is known of them. Those not asked for longest are forgotten when there are too many.

    Args:
        limits: how long what is believed, and how much of it.
    """

    def __init__(self, limits: DnsLimits) -> None:
        self._limits = limits
        self._names: OrderedDict[str, Known] = OrderedDict()
        self._shunned: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._names)

    def get(self, name: str, now: float) -> Known | None:
        """Return what is known of a name, or None if nothing is, any more.

        Args:
            name: in canonical form.
            now: seconds, on a clock that never goes back.
        """
        known = self._names.get(name)
        if known is None:
            return None
        if known.until <= now:
            del self._names[name]
            return None
        self._names.move_to_end(name)
        return known

    def put(self, name: str, answer: Answer | None, now: float) -> Known:
        """Keep what was learned; answers what is known now.

        Args:
            name: in canonical form.
            answer: of both families, as `dns_answer.join` gives it; None if nobody knows.
            now: as in `get`.
        """
        known = self._known(answer, now)
        self._names[name] = known
        self._names.move_to_end(name)
        if len(self._names) > self._limits.names:
            self._names.popitem(last=False)
        return known

    def shun(self, address: str, now: float) -> None:
        """Put an address that could not be connected to behind the others, for `SHUNNED` seconds."""
        self._shunned[address] = now + SHUNNED
        self._shunned.move_to_end(address)
        if len(self._shunned) > self._limits.names:
            self._shunned.popitem(last=False)

    def ordered(self, addresses: Sequence[str], now: float) -> tuple[str, ...]:
        """Return addresses in the order in which they are tried: the shunned last, those shunned longest ago first."""
        if len(addresses) < 2 or not self._shunned:
            return tuple(addresses)
        return tuple(sorted(addresses, key=lambda address: self._shunned_until(address, now)))

    def _shunned_until(self, address: str, now: float) -> float:
        until = self._shunned.get(address, 0.0)
        return until if until > now else 0.0

    def _known(self, answer: Answer | None, now: float) -> Known:
        limits = self._limits
        if answer is None:
            return Known((), now + min(max(limits.failure, 1.0), 300.0), failed=True)
        most = limits.most if answer.addresses else limits.negative
        ttl = limits.least if answer.ttl is None else answer.ttl
        return Known(answer.addresses, now + max(min(ttl, most), limits.least))
