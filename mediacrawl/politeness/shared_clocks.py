"""The clocks of IP addresses for workers that ask the same addresses: the store that all share gives the turns."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

import msgpack

from mediacrawl.notes import Later
from mediacrawl.politeness.address_clocks import ROOM, AddressClock, AddressPolicy

_FORMAT = 2


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
    packed: bytes = msgpack.packb((_FORMAT, clock.release, clock.samples, clock.turn, clock.out))
    return packed


def _unpacked(record: bytes | None) -> AddressClock:
    """What a note says; a new clock if it cannot be read."""
    try:
        version, release, samples, turn, out = msgpack.unpackb(record) if record else (None, 0.0, (), 0.0, 0.0)
        if version == _FORMAT:
            times = tuple(float(sample) for sample in samples)
            return AddressClock(float(release), times, float(turn), float(out))
    except (ValueError, TypeError, msgpack.UnpackException):
        pass
    return AddressClock()
