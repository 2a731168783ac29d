"""The clocks of IP addresses: many sites live on one server, and it feels the sum of our visits.

A site's own clock (`delay`) knows nothing of its neighbours. A thousand sites of one host, each asked once a minute,
are seventeen requests a second for that host. So every address has a clock too, and of the two the later counts: one
request at a time, and after it a delay that is made as a site's is, of the server's own response times, only shorter,
since an address of a large host is made for many sites.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from math import inf

import msgpack

from mediacrawl.notes import Notes

ROOM = "address"
_FORMAT = 1
_WINDOW = 5
HELD = 50_000
"""Addresses in memory, some 400 bytes each; what the others are owed stands in the store."""
_AHEAD = 1_800.0
"""Seconds for which turns are given away in advance. Beyond it who comes asks once more. Each that comes in vain costs
a lease: with a minute, 360 of the 10,000 sites of a large host would come in a second."""


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """How long an address is left alone after a request.

    Attributes:
        factor: delay per second of response time.
        minimum: seconds; 0, with `factor` 0, for no clocks of addresses.
        maximum: seconds; the most that response times make of it.

    Raises:
        ValueError: a value is negative, or `minimum` exceeds `maximum`.
    """

    factor: float = 5.0
    minimum: float = 1.0
    maximum: float = 60.0

    def __post_init__(self) -> None:
        if min(self.factor, self.minimum) < 0:
            raise ValueError(f"POLITENESS_ADDRESS_FACTOR and POLITENESS_ADDRESS_MIN_DELAY must not be negative: {self}")
        if self.minimum > self.maximum:
            raise ValueError(
                f"POLITENESS_ADDRESS_MIN_DELAY, {self.minimum:g} s, is above the longest delay of an"
                f" address, {self.maximum:g} s"
            )

    def __bool__(self) -> bool:
        return self.factor > 0 or self.minimum > 0

    def delay(self, samples: tuple[float, ...]) -> float:
        """Seconds to wait, counted from the end of the last response.

        Args:
            samples: the address's last response times in seconds.
        """
        mean = sum(samples) / len(samples) if samples else 0.0
        return min(max(self.factor * mean, self.minimum), self.maximum)


@dataclass(slots=True)
class AddressClock:
    """The clock of one address.

    Attributes:
        release: when it may be asked, seconds since the epoch.
        samples: its last response times in seconds.
        turn: when the next one may who asks now.
        out: until when a request counts as on its way; 0 if none is.
    """

    release: float = 0.0
    samples: tuple[float, ...] = ()
    turn: float = 0.0
    out: float = 0.0

    def take(self, now: float, policy: AddressPolicy, longest: float = inf) -> float:
        """Ask for a turn: 0.0 and the address is taken, or the seconds after which to ask again.

        Args:
            now: seconds since the epoch.
            policy: the clocks' numbers.
            longest: seconds after which a request that has not ended never will.
        """
        # A clock of the machine that was set back must not lock an address for longer than its delay.
        self.release = min(self.release, now + policy.maximum)
        is_out = self.out > now
        if not is_out and self.release <= now:
            self.out = now + longest
            return 0.0
        delay = policy.delay(self.samples)
        first = max(self.release, now + delay) if is_out else self.release
        last = now + max(_AHEAD, delay)
        turn = self.turn if first <= self.turn <= last else first
        # The one before must have its answer by then, or this one would come in vain.
        self.turn = turn + delay + max(self.samples, default=delay / max(policy.factor, 1.0))
        # A moment at least: a turn must not come back before the clock has moved on.
        return max(turn - now, 0.001)

    def end(self, now: float, response_time: float | None, policy: AddressPolicy, *, asked: bool) -> None:
        """The request that took the address has ended.

        Args:
            now: when, seconds since the epoch.
            response_time: seconds; None if no answer came.
            policy: the clocks' numbers.
            asked: whether it went out at all; else nothing is owed for it.
        """
        self.out = 0.0
        if not asked:
            return
        if response_time is not None:
            self.samples = (*self.samples, max(response_time, 0.0))[-_WINDOW:]
        self.release = now + policy.delay(self.samples)


class AddressClocks:
    """When each address may be asked again.

    On disk: a note for each address (msgpack: format, release time, last response times), in the transaction that ends
    the visit. A kill undoes those since the last commit, and nobody is asked too soon for it: after a start an address
    is left alone for its delay, as if it had been asked in the moment before.

    Args:
        policy: the clocks' numbers.
        store: where they outlive the process.
        began: when this process began, seconds since the epoch.
        resumes: whether an earlier process may have asked anybody.
    """

    def __init__(self, policy: AddressPolicy, store: Notes, began: float, *, resumes: bool) -> None:
        self._policy = policy
        self._store = store
        self._began = began
        self._resumes = resumes
        self._clocks: OrderedDict[str, AddressClock] = OrderedDict()

    def take(self, address: str, now: float) -> float:
        """Ask for a turn: 0.0 and the address is taken, until `end`; or the seconds after which to ask again.

        Who must wait gets a turn behind those who came before, so that a thousand sites of one address do not all ask
        again in the same moment.

        Args:
            address: IPv4 or IPv6, as text.
            now: seconds since the epoch.
        """
        return self._clock(address).take(now, self._policy)

    def end(self, address: str, now: float, response_time: float | None, *, asked: bool = True) -> None:
        """The request that took an address has ended.

        Args:
            address: as it was given to `take`.
            now: when it ended, seconds since the epoch.
            response_time: seconds; None if no answer came.
            asked: whether it went out at all; else nothing is owed for it.
        """
        clock = self._clock(address)
        clock.end(now, response_time, self._policy, asked=asked)
        if asked:
            self._store.set_note(ROOM, address, msgpack.packb((_FORMAT, clock.release, clock.samples)))

    def _clock(self, address: str) -> AddressClock:
        clock = self._clocks.get(address)
        if clock is None:
            clock = self._clocks[address] = self._read(address)
            self._let_go()
        else:
            self._clocks.move_to_end(address)
        return clock

    def _read(self, address: str) -> AddressClock:
        release, samples = _unpack(self._store.note(ROOM, address))
        if self._resumes:
            release = max(release, self._began + self._policy.delay(samples))
        return AddressClock(release, samples)

    def _let_go(self) -> None:
        while len(self._clocks) > HELD:
            address, clock = self._clocks.popitem(last=False)
            if clock.out:
                # The store does not know of it. There are never more of these than requests on their way.
                self._clocks[address] = clock
                return


def _unpack(record: bytes | None) -> tuple[float, tuple[float, ...]]:
    """What a note says; nothing if it cannot be read, and then the address counts as one never met."""
    try:
        version, release, samples = msgpack.unpackb(record) if record else (None, 0.0, ())
        if version == _FORMAT:
            return float(release), tuple(float(sample) for sample in samples)
    except (ValueError, TypeError, msgpack.UnpackException):
        pass
    return 0.0, ()
