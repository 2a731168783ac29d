"""Our own signals, sent as Scrapy's are, and the methods that are called at the end of a visit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary, WeakMethod

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from mediacrawl.base.terms import Outcome
    from mediacrawl.base.visit import Visit

seeds_joined = object()
"""All seeds are in the frontier, committed: ``(spider)``. Sent once for each start, with or without seeds."""

visit_ended = object()
"""A lease has ended: ``(visit, outcome, spider)``. Sent once for each lease, after the frontier has recorded it."""


class VisitListener(Protocol):
    """The receiver of `visit_ended`."""

    def __call__(self, visit: Visit, outcome: Outcome) -> None:
        """Take note of an ended visit; the frontier knows its end already."""


_LISTENERS: WeakKeyDictionary[Crawler, list[Callable[[], VisitListener | None]]] = WeakKeyDictionary()


def listen_to_visits(crawler: Crawler, listener: VisitListener) -> None:
    """Call `listener`, a method, at the end of each visit, before the receivers of `visit_ended`.

    The reference is weak, as with Scrapy's signals. The parts of mediacrawl are called directly, because ten receivers
    of a signal cost 0.06 ms a page.
    """
    listeners_of(crawler).append(WeakMethod(listener))


def listeners_of(crawler: Crawler) -> list[Callable[[], VisitListener | None]]:
    """Return weak references to the listeners of a crawl, those of later calls of `listen_to_visits` included."""
    return _LISTENERS.setdefault(crawler, [])
