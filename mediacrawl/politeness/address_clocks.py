"""The clocks of IP addresses: many sites live on one server, and it feels the sum of our visits.

A site's own clock (`delay`) knows nothing of its neighbours. A thousand sites of one host, each asked once a minute,
are seventeen requests a second for that host. So every address has a clock too, and of the two the later counts: one
request at a time, and after it a delay that is made as a site's is, of the server's own response times, only shorter,
since an address of a large host is made for many sites.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from math import inf

import msgpack

from mediacrawl.notes import Later, Notes

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
                f"POLITENESS_ADDRESS_MIN_DELAY, {self.minimum:g} s, is greater than POLITENESS_ADDRESS_MAX_DELAY,"
                f" {self.maximum:g} s"
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


_SHARED_FORMAT = 2


class SharedAddressClocks:
    """When each address may be asked again, all workers counted.

    In the store: a note for each address (msgpack: format, release time, last response times, next turn, until when it
    is asked). A worker that dies while it asks an address keeps the others from it until its lease would have ended.

    Args:
        policy: the clocks' numbers.
        later: how a note is made of the one before.
        clock: the clock that all workers share, seconds since the epoch.
        lease: seconds after which who asked counts as dead.
    """

    def __init__(self, policy: AddressPolicy, later: Later, clock: Callable[[], float], lease: float) -> None:
        self._policy = policy
        self._later = later
        self._clock = clock
        self._lease = lease

    def take(self, address: str) -> Future[float]:
        """Ask for a turn, as `AddressClock.take` gives it; the answer comes when it comes.

        Args:
            address: IPv4 or IPv6, as text.
        """
        wait = 0.0

        def change(record: bytes | None) -> bytes:
            nonlocal wait
            clock = _unpacked(record)
            wait = clock.take(self._clock(), self._policy, self._lease)
            return _packed(clock)

        answer: Future[float] = Future()

        def done(changed: Future[bytes]) -> None:
            error = changed.exception()
            if error is None:
                answer.set_result(wait)
            else:
                answer.set_exception(error)

        self._later(ROOM, address, change).add_done_callback(done)
        return answer

    def end(self, address: str, response_time: float | None, *, asked: bool = True) -> None:
        """The request that took an address has ended.

        Args:
            address: as it was given to `take`.
            response_time: seconds; None if no answer came.
            asked: whether it went out at all; else nothing is owed for it.
        """

        def change(record: bytes | None) -> bytes:
            clock = _unpacked(record)
            # The time of the write, which may be late, and never is early.
            clock.end(self._clock(), response_time, self._policy, asked=asked)
            return _packed(clock)

        self._later(ROOM, address, change)


def _packed(clock: AddressClock) -> bytes:
    packed: bytes = msgpack.packb((_SHARED_FORMAT, clock.release, clock.samples, clock.turn, clock.out))
    return packed


def _unpacked(record: bytes | None) -> AddressClock:
    """What a note says; a new clock if it cannot be read."""
    try:
        version, release, samples, turn, out = msgpack.unpackb(record) if record else (None, 0.0, (), 0.0, 0.0)
        if version == _SHARED_FORMAT:
            times = tuple(float(sample) for sample in samples)
            return AddressClock(float(release), times, float(turn), float(out))
    except (ValueError, TypeError, msgpack.UnpackException):
        pass
    return AddressClock()


HELD_ANSWERED = 100_000
"""Addresses that are remembered as having answered, some 150 bytes each; of more the one not met for longest goes."""
_FIRST_GUESS = 1.0
"""Seconds that a request to an untried address takes, until one has ended."""
_WEIGHT = 0.1
"""Share of the last one in the mean of how long they take."""
_UNTRIED_AHEAD = 600.0
"""Seconds for which turns are given away in advance."""


class UntriedAddresses:
    """Which addresses have answered, and how many requests are out to others. In memory only.

    An address that has answered and then does not is untried again.

    Args:
        most: requests to untried addresses that may be out at a time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._answered: OrderedDict[str, None] = OrderedDict()
        self._out: dict[int, tuple[str, float, bool]] = {}
        self._places = 0
        self._took = _FIRST_GUESS
        self._turn = 0.0

    def take(self, request: int, address: str, now: float) -> float:
        """Ask for a place: 0.0 and the request may go out; or the seconds after which to ask again.

        Those that must wait come back one after the other, as places are likely to become free.

        Args:
            request: a number of its own for each request.
            address: where it goes.
            now: seconds, on any clock.
        """
        is_untried = address not in self._answered
        if is_untried and self._places >= self._most:
            return self._wait(now)
        self._out[request] = (address, now, is_untried)
        self._places += is_untried
        return 0.0

    def end(self, request: int, now: float, *, answered: bool | None) -> None:
        """A request has ended; nothing happens if it had no place.

        Args:
            request: as it was given to `take`.
            now: seconds, on the same clock.
            answered: whether an answer came; None if nothing was sent.
        """
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
                self._answered.popitem(last=False)

    def _wait(self, now: float) -> float:
        # None has ended so far where all are silent: then they take at least as long as the first that is out.
        first = next(began for _, began, is_untried in self._out.values() if is_untried)
        took = max(self._took, now - first)
        soonest = now + took / self._most
        self._turn = self._turn + took / self._most if soonest <= self._turn <= now + _UNTRIED_AHEAD else soonest
        return self._turn - now
