"""Sites and their link classes as the SQLite store keeps them in memory while something waits there."""

from __future__ import annotations

from collections import deque

from mediacrawl.frontier.stores.rows import Row, unpack_samples
from mediacrawl.politeness.delay import Clocks
from mediacrawl.records import Lease

SITE_COLUMNS = "id, name, release, delay, crawl_delay, samples, visits, score"


class LinkClass:
    """A link class in memory: its score, and the head of its FIFO. ``more`` says that the file holds further rows."""

    __slots__ = ("held", "id", "last", "more", "name", "score", "window")

    def __init__(self, number: int, name: str, score: float, more: bool) -> None:
        self.id = number
        self.name = name
        self.score = score
        self.more = more
        self.held = 0.0
        self.last = -1
        self.window: deque[Row] = deque()

    @property
    def filled(self) -> bool:
        return bool(self.window) or self.more

    @property
    def rank(self) -> tuple[float, int]:
        """Best first by score, then the one whose head has waited longest."""
        return self.score, -(self.window[0].seq if self.window else self.last + 1)


class Site:
    """A site with something waiting or leased. ``classes`` is None until they are needed after a start."""

    __slots__ = ("classes", "clocks", "held", "id", "lease", "name", "row", "score")

    def __init__(self, number: int, name: str, clocks: Clocks, score: float) -> None:
        self.id = number
        self.name = name
        self.clocks = clocks
        self.score = score
        self.held = 0.0
        self.classes: dict[str, LinkClass] | None = None
        self.lease: Lease | None = None
        self.row: tuple[LinkClass, Row] | None = None


def stored_site(row: tuple[int, str, float, float, float, bytes, int, float]) -> Site:
    """The site as the file has it; columns as in `SITE_COLUMNS`."""
    number, name, release, delay, crawl_delay, samples, visits, score = row
    clocks = Clocks(release, delay, crawl_delay, unpack_samples(samples), visits)
    return Site(number, name, clocks, score)
