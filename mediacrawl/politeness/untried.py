"""Addresses that have not answered yet: they get a part of the requests that may be out at a time.

One page can link to hundreds of addresses that never answer. Each takes its place until the connection times out, and
a few hundred of them would take all places from the sites that do answer.
"""

from __future__ import annotations

from collections import OrderedDict

HELD = 100_000
"""Addresses that are remembered as having answered, some 150 bytes each; of more the one not met for longest goes."""
_FIRST_GUESS = 1.0
"""Seconds that a request to an untried address takes, until one has ended."""
_WEIGHT = 0.1
"""Share of the last one in the mean of how long they take."""
_AHEAD = 600.0
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
            if len(self._answered) > HELD:
                self._answered.popitem(last=False)

    def _wait(self, now: float) -> float:
        # None has ended so far where all are silent: then they take at least as long as the first that is out.
        first = next(began for _, began, is_untried in self._out.values() if is_untried)
        took = max(self._took, now - first)
        soonest = now + took / self._most
        self._turn = self._turn + took / self._most if soonest <= self._turn <= now + _AHEAD else soonest
        return self._turn - now
