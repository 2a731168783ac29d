"""Clocks of IP addresses, because many sites share one server; and a limit for addresses that have not answered.

A thousand sites of one server, each requested once a minute, are seventeen requests a second for it. So every address
has a clock besides those of the sites, and the later of the two counts: one request at a time, and after it a delay
made from the server's own response times, shorter than a site's. It doubles for each `AddressPolicy.budget` requests in
a row without a find, so that a thousand names on one address do not get the budget of a thousand sites.

One page can link to hundreds of addresses that never answer. Each would occupy a place until the connection times out,
so addresses that have not answered get only a part of the concurrent requests.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from math import inf

import msgpack

from mediacrawl.base.notes import Later, Notes, changed_later

NAMESPACE = "address"
_FORMAT, _OLD_FORMAT = 2, 1
_WINDOW = 5
HELD = 50_000
"""Addresses in memory, some 400 bytes each; the clocks of others are in the store."""
_AHEAD = 1_800.0
"""Seconds for which turns are given in advance; later callers ask again. Each try costs a lease: with a minute, 360 of
the 10,000 sites of a large host would try in each second."""


LONGEST = 3_600.0
"""Seconds of the longest delay of an address without finds."""
_DOUBLINGS = 20


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Delays of an address.

    Attributes:
        factor: delay per second of response time.
        minimum: seconds; 0, with `factor` 0, switches the clocks of addresses off.
        maximum: seconds; the longest delay made from response times.
        budget: requests without a find after which the delay doubles, up to `LONGEST` s; 0 for never.

    Raises:
        ValueError: a value is negative, or `minimum` exceeds `maximum`.
    """

    factor: float = 5.0
    minimum: float = 1.0
    maximum: float = 60.0
    budget: int = 1_000

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

    def delay(self, samples: tuple[float, ...], barren: int = 0) -> float:
        """Return the seconds to wait, counted from the end of the last response."""
        mean = sum(samples) / len(samples) if samples else 0.0
        delay = min(max(self.factor * mean, self.minimum), self.maximum)
        doublings = min(barren // self.budget, _DOUBLINGS) if self.budget else 0
        return max(delay, min(delay * 2.0**doublings, LONGEST))


@dataclass(slots=True)
class AddressClock:
    """The clock of one address.

    Attributes:
        release: earliest time of the next request, seconds since the epoch.
        samples: the last response times in seconds.
        turn: the next turn that will be given.
        out: until when a request counts as under way; 0 if none is.
        barren: requests since the last find.
    """

    release: float = 0.0
    samples: tuple[float, ...] = ()
    turn: float = 0.0
    out: float = 0.0
    barren: int = 0

    def take(self, now: float, policy: AddressPolicy, longest: float = inf) -> float:
        """Ask for a turn: 0.0 and the address is taken, or the seconds after which to ask again.

        A request without an end counts as lost after `longest` seconds.
        """
        # A system clock that was set back must not lock an address for longer than its delay.
        delay = policy.delay(self.samples, self.barren)
        self.release = min(self.release, now + max(policy.maximum, delay))
        is_out = self.out > now
        if not is_out and self.release <= now:
            self.out = now + longest
            return 0.0
        first = max(self.release, now + delay) if is_out else self.release
        last = now + max(_AHEAD, delay)
        turn = self.turn if first <= self.turn <= last else first
        # The request before must have ended by then.
        self.turn = turn + delay + max(self.samples, default=delay / max(policy.factor, 1.0))
        # Not 0, which means that the address is taken.
        return max(turn - now, 0.001)

    def end(
        self, now: float, response_time: float | None, policy: AddressPolicy, *, asked: bool, found: bool = False
    ) -> None:
        """End the request that took the address; without one that was sent (`asked`), no delay follows."""
        self.out = 0.0
        if not asked:
            return
        self.barren = 0 if found else self.barren + 1
        if response_time is not None:
            self.samples = (*self.samples, max(response_time, 0.0))[-_WINDOW:]
        self.release = now + policy.delay(self.samples, self.barren)


class AddressClocks:
    """The clocks of all addresses, for one process.

    On disk: a note for each address, as in `SharedAddressClocks`, in the transaction that ends the visit. A kill undoes
    notes since the last commit; after a restart every address keeps its full delay from the start on, so none is
    requested too soon.

    Args:
        policy: the delays.
        store: where notes outlive the process.
        began: when this process began, seconds since the epoch.
        resumes: whether an earlier process may have sent requests.
    """

    def __init__(self, policy: AddressPolicy, store: Notes, began: float, *, resumes: bool) -> None:
        self._policy = policy
        self._store = store
        self._began = began
        self._resumes = resumes
        self._clocks: OrderedDict[str, AddressClock] = OrderedDict()

    def take(self, address: str, now: float) -> float:
        """Ask for a turn: 0.0 and the address is taken, until `end`; or the seconds after which to ask again.

        Callers that must wait get turns in their order, so that a thousand sites of one address do not all ask again at
        once.
        """
        return self._clock(address).take(now, self._policy)

    def end(
        self, address: str, now: float, response_time: float | None, *, asked: bool = True, found: bool = False
    ) -> None:
        """End the request that took an address, see `AddressClock.end`."""
        clock = self._clock(address)
        clock.end(now, response_time, self._policy, asked=asked, found=found)
        if asked:
            self._store.set_note(NAMESPACE, address, _packed(clock))

    def _clock(self, address: str) -> AddressClock:
        clock = self._clocks.get(address)
        if clock is None:
            clock = self._clocks[address] = _unpacked(self._store.note(NAMESPACE, address))
            # No request of an earlier process is under way.
            clock.turn = clock.out = 0.0
            if self._resumes:
                delay = self._policy.delay(clock.samples, clock.barren)
                clock.release = max(clock.release, self._began + delay)
            self._let_go()
        else:
            self._clocks.move_to_end(address)
        return clock

    def _let_go(self) -> None:
        while len(self._clocks) > HELD:
            address, clock = self._clocks.popitem(last=False)
            if clock.out:
                # The store does not have it. There are never more of these than concurrent requests.
                self._clocks[address] = clock
                return


class SharedAddressClocks:
    """The clocks of all addresses, for workers that share a store.

    In the store: a note for each address (msgpack: format, release time, last response times, next turn, end of the
    current request, requests without a find). If a worker dies during a request, the address is free again when the
    worker's lease would have ended.

    Args:
        policy: the delays.
        later: changes a note in the store.
        clock: the clock of the store, seconds since the epoch.
        lease: seconds after which a request without an end counts as lost.
    """

    def __init__(self, policy: AddressPolicy, later: Later, clock: Callable[[], float], lease: float) -> None:
        self._policy = policy
        self._later = later
        self._clock = clock
        self._lease = lease

    def take(self, address: str) -> Future[float]:
        """Ask for a turn, as `AddressClock.take`; the result comes later."""

        def change(record: bytes | None) -> tuple[bytes, float]:
            clock = _unpacked(record)
            wait = clock.take(self._clock(), self._policy, self._lease)
            return _packed(clock), wait

        return changed_later(self._later, NAMESPACE, address, change)

    def end(self, address: str, response_time: float | None, *, asked: bool = True, found: bool = False) -> None:
        """End the request that took an address, see `AddressClock.end`."""

        def change(record: bytes | None) -> bytes:
            clock = _unpacked(record)
            # The time of the write, which may be late but never early.
            clock.end(self._clock(), response_time, self._policy, asked=asked, found=found)
            return _packed(clock)

        self._later(NAMESPACE, address, change)


def _packed(clock: AddressClock) -> bytes:
    packed: bytes = msgpack.packb((_FORMAT, clock.release, clock.samples, clock.turn, clock.out, clock.barren))
    return packed


def _unpacked(record: bytes | None) -> AddressClock:
    """Return the clock in a note; a new one if it cannot be read."""
    try:
        version, release, samples, *more = msgpack.unpackb(record) if record else (None, 0.0, ())
        times = tuple(float(sample) for sample in samples)
        if version == _FORMAT:
            # Notes of earlier versions have no number of barren requests.
            turn, out, *barren = more
            return AddressClock(float(release), times, float(turn), float(out), int(sum(barren)))
        if version == _OLD_FORMAT:
            return AddressClock(float(release), times, barren=int(sum(more)))
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException):
        pass
    return AddressClock()


HELD_ANSWERED = 100_000
"""Addresses that are remembered as having answered, some 150 bytes each; the one that answered longest ago is
forgotten."""
_FIRST_GUESS = 1.0
"""Duration in seconds of a request to an untried address, until one has ended."""
_WEIGHT = 0.1
"""Weight of the last duration in the moving average."""
_UNTRIED_AHEAD = 600.0
"""Seconds for which turns are given in advance."""


class UntriedAddresses:
    """Limits the concurrent requests to addresses that have not answered. In memory only.

    An address that has answered and then fails is untried again.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._answered: dict[str, None] = {}
        self._out: dict[int, tuple[str, float, bool]] = {}
        self._places = 0
        self._took = _FIRST_GUESS
        self._turn = 0.0

    def take(self, request: int, address: str, now: float) -> float:
        """Ask for a place: 0.0 and the request may be sent; or the seconds after which to ask again.

        Callers that must wait get times one after the other, as places are likely to become free.
        """
        is_untried = address not in self._answered
        if is_untried and self._places >= self._most:
            return self._wait(now)
        self._out[request] = (address, now, is_untried)
        self._places += is_untried
        return 0.0

    def end(self, request: int, now: float, *, answered: bool | None) -> None:
        """End a request; one without a place is ignored. `answered` is None if nothing was sent."""
        address, began, is_untried = self._out.pop(request, ("", 0.0, False))
        self._places -= is_untried
        if not address or answered is None:
            return
        if is_untried:
            self._took += _WEIGHT * (max(now - began, 0.0) - self._took)
        self._answered.pop(address, None)
        if answered:
            self._answered[address] = None
            if len(self._answered) > HELD_ANSWERED:
                del self._answered[next(iter(self._answered))]

    def _wait(self, now: float) -> float:
        # If none has ended yet, they take at least as long as the oldest one has.
        first = next(began for _, began, is_untried in self._out.values() if is_untried)
        took = max(self._took, now - first)
        soonest = now + took / self._most
        self._turn = self._turn + took / self._most if soonest <= self._turn <= now + _UNTRIED_AHEAD else soonest
        return self._turn - now
