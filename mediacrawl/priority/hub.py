"""A hub, which is a page that is revisited, and how a note of hubs is packed and merged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from heapq import nlargest
from math import isfinite
from operator import attrgetter
from random import Random
from sys import intern
from typing import Any

import msgpack

from mediacrawl.priority.revisit_schedule import DAY, Posterior, expected, is_owed
from mediacrawl.records import Kind

DRAWN_FOR = DAY
"""Seconds for which a sampled rate is kept. Resampling at each call biases the rate upward, since the highest of many
samples counts: with 240 calls a day in place of 2, pages without news were revisited three times as often; with samples
of a day, by a third more. Never resampled, one low sample would end a page, which cost half of the new nuggets."""
SOONEST = 3_600.0
"""Least seconds between two visits of a hub."""
_FORMAT = 1
_DEEPEST = 1 << 31
"""Beyond every depth; a damaged note may have any number."""


@dataclass(frozen=True, slots=True)
class HubPage:
    """A page or list, as the frontier has it.

    Attributes:
        url, site, kind, link_class, depth, requested: as in `records.Candidate`.
        parent: URL of the page it was found on, in canonical form; empty for a seed.
    """

    url: str
    site: str
    kind: Kind = Kind.PAGE
    link_class: str = ""
    depth: int = 0
    parent: str = ""
    requested: str = ""


@dataclass(frozen=True, slots=True)
class Revisit:
    """A hub that is to be requested again.

    Attributes:
        url, site, kind, link_class, depth, requested: as in `records.Candidate`.
        score: what is expected of it, as the score of a link class.
        asked: as in `Hub`.
    """

    url: str
    site: str
    kind: Kind
    link_class: str
    depth: int
    score: float
    asked: bool = True
    requested: str = ""


@dataclass(slots=True)
class Hub:
    """What is known of a hub.

    Attributes:
        url, site, kind, link_class, depth, requested: as in `records.Candidate`.
        posterior: of its rate of new nuggets.
        last: when it was visited last, seconds since the epoch.
        left: credit that it may still get for that visit: as much as it showed links that nobody knew.
        etag, modified: what to send with the next visit, if not empty.
        asked: whether a visit of it was told. Of a front page it may not be: it waits, or was never found.
        news: credit since its note was written. In memory only, as all that follows.
        is_new: whether this process met it, and does not know whether others have.
        rate: that was drawn, nuggets a day; negative if none counts any more.
        drawn: when, seconds since the epoch.
    """

    url: str
    site: str
    kind: Kind
    link_class: str
    depth: int
    posterior: Posterior
    last: float
    left: float = 0.0
    etag: str = ""
    modified: str = ""
    asked: bool = False
    requested: str = ""
    news: float = 0.0
    is_new: bool = False
    rate: float = -1.0
    drawn: float = 0.0

    @classmethod
    def of(cls, page: HubPage, visited: float) -> Hub:
        """A hub of which nothing is known but that it was visited."""
        site, shape = intern(page.site), intern(page.link_class)
        return cls(
            page.url, site, page.kind, shape, page.depth, _UNKNOWN, visited, requested=page.requested, is_new=True
        )

    def worth(self, now: float, rng: Random, soonest: float = SOONEST) -> float:
        """New nuggets that a visit is expected to find now; at least one if the hub is owed a visit.

        Args:
            now: seconds since the epoch.
            rng: source of the draw.
            soonest: seconds since its last visit before which it is worth nothing.
        """
        # If the clock was set back the hub must not wait for the old time to come.
        self.last = min(self.last, now)
        if now - self.last < soonest:
            return 0.0
        days = (now - self.last) / DAY
        if self.rate < 0 or not 0 <= now - self.drawn < DRAWN_FOR:
            self.rate, self.drawn = self.posterior.draw(rng), now
        worth = expected(self.rate, days)
        return max(worth, 1.0) if is_owed(self.posterior, days) else worth

    def learn(self, posterior: Posterior) -> None:
        """More is known of its rate; what was drawn before counts no more."""
        self.posterior, self.rate = posterior, -1.0


_UNKNOWN = Posterior()


expected_rate = attrgetter("posterior.mean")


def front_page(url: str) -> str:
    """URL of the front page of a page's host.

    Args:
        url: in canonical form, so it has a scheme, a host and a path.
    """
    return "/".join(url.split("/", 3)[:3]) + "/"


def pack(hubs: Iterable[Hub]) -> bytes:
    """The bytes of a note of hubs."""
    packed: bytes = msgpack.packb((_FORMAT, [_row(hub) for hub in hubs]), unicode_errors="replace")
    return packed


def unpack(record: bytes | None) -> list[Hub]:
    """The hubs that `pack` packed; empty for other bytes, or another version.

    Args:
        record: of a note; None if there is none.
    """
    try:
        version, rows = msgpack.unpackb(record or b"")
        return [_hub(*row) for row in rows] if version == _FORMAT else []
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException):
        return []


def reconciled(ours: Hub, theirs: Hub) -> Hub:
    """Merge one hub of two processes: the newest visit counts, and rewards in this process since are added."""
    if ours.last > theirs.last and not ours.is_new:
        return ours
    posterior = theirs.posterior.with_nuggets(ours.news)
    last = max(ours.last, theirs.last)
    left, asked = max(theirs.left - ours.news, 0.0), ours.asked or theirs.asked
    return replace(theirs, posterior=posterior, last=last, left=left, asked=asked)


def merged(record: bytes | None, hubs: Iterable[Hub], gone: dict[str, float], most: int) -> bytes:
    """The note of a bucket, with the changes of one process.

    Args:
        record: the note as it is; None if there is none.
        hubs: what changed.
        gone: removed hubs, and when (seconds since the epoch); a hub that was visited later stays.
        most: hubs of the bucket that are kept, by the greatest expected rate.
    """
    known = {hub.url: hub for hub in unpack(record)}
    changed = False
    for url, since in gone.items():
        if url in known and known[url].last <= since:
            del known[url]
            changed = True
    for ours in hubs:
        theirs = known.get(ours.url)
        known[ours.url] = ours if theirs is None else reconciled(ours, theirs)
        changed = True
    if not changed:
        return record or b""
    return pack(nlargest(most, known.values(), key=expected_rate))


def _row(hub: Hub) -> tuple[Any, ...]:
    place = hub.url, hub.site, str(hub.kind), hub.link_class, hub.depth
    known = *place, hub.posterior.a, hub.posterior.b, hub.last, hub.left, hub.etag, hub.modified, hub.asked
    return (*known, hub.requested) if hub.requested else known


def _hub(*row: Any) -> Hub:
    url, site, kind, shape, depth, a, b, last, left, etag, modified, asked, *requested = row
    numbers = float(a), float(b), float(last), float(left)
    if not all(map(isfinite, numbers)) or min(numbers[:2]) <= 0 or not 0 <= depth < _DEEPEST:
        raise ValueError("not the numbers of a hub")
    names = str(url), intern(str(site)), Kind(kind), intern(str(shape)), int(depth)
    texts = str(etag), str(modified), bool(asked), "".join(map(str, requested))
    return Hub(*names, Posterior(numbers[0], numbers[1]), numbers[2], numbers[3], *texts)
