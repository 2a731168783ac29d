"""A download slot that keeps the distance that politeness wants, for projects with Scrapy's own scheduler."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from scrapy import Request
from scrapy.core.downloader import Slot


class SiteSlot(Slot):
    """One request at a time, and a delay that counts from the *end* of the last one, also of one that failed.

    Scrapy's slot counts from the start of the last request, so after a timeout of 180 seconds it would send the next
    one at once. Tried with Scrapy 2.19, which asks `download_delay` how long to wait after `lastseen`, the start.

    Args:
        delay: seconds.
        ended: called at the end of each request with the seconds it took; answers the delay from then on.
    """

    def __init__(self, delay: float, ended: Callable[[float], float]) -> None:
        super().__init__(concurrency=1, delay=delay, jitter=0.0)
        self.transferring = _Transfers(self._over)
        self._ended = ended
        self._end = 0.0

    def wait(self, seconds: float) -> None:
        """Send nothing in the next `seconds`: what an earlier slot of this site still owes."""
        self._end = monotonic() + seconds - self.delay

    def download_delay(self) -> float:
        """Seconds from the start of the last request to the earliest start of the next one."""
        return max(self._end - self.lastseen, 0.0) + self.delay

    def _over(self) -> None:
        self._end = monotonic()
        self.delay = self._ended(self._end - self.lastseen)


class _Transfers(set[Request]):
    """The requests on their way. Scrapy takes one out when it has ended, and before it looks whom to send next."""

    def __init__(self, ended: Callable[[], None]) -> None:
        super().__init__()
        self._ended = ended

    def remove(self, request: Request) -> None:
        super().remove(request)
        self._ended()
