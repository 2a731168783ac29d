"""Our own signals, sent as Scrapy's are, and the methods that are called at the end of a visit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakKeyDictionary, WeakMethod

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from mediacrawl.base.terms import Drop, Outcome
    from mediacrawl.base.visit import Visit

seeds_joined = object()
"""All seeds are in the frontier, committed: ``(spider)``. Sent once for each start, with or without seeds."""

visit_ended = object()
"""A lease has ended: ``(visit, outcome, spider)``. Sent once for each lease, after the frontier has recorded it."""


VisitListener: TypeAlias = "Callable[[Visit, Outcome], None]"
"""A method that takes note of an ended visit; the frontier knows its end already."""
Listeners: TypeAlias = "list[tuple[Callable[[], VisitListener | None], Drop | None]]"
"""Weak references to methods, each with the drop that it is called for; None for every visit."""
_LISTENERS: WeakKeyDictionary[Crawler, Listeners] = WeakKeyDictionary()


def listen_to_visits(crawler: Crawler, listener: VisitListener, reason: Drop | None = None) -> None:
    """Call a method at the end of each visit, or of each that is dropped for a reason, before the signal is sent.

    The reference is weak, as with Scrapy's signals. The parts of mediacrawl are called directly, because ten receivers
    of a signal cost 0.06 ms a page.
    """
    listeners_of(crawler).append((WeakMethod(listener), reason))


def listeners_of(crawler: Crawler) -> Listeners:
    """Return the listeners of a crawl, those of later calls of `listen_to_visits` included."""
    return _LISTENERS.setdefault(crawler, [])
