"""The places and states of a site, the names of its link classes, and the form of its clocks, for all stores.

A site is at one of four places. At place *active* URLs wait there; it is *leased* while a request is out,
else *ready* once its due time has come, *waiting* before that, and *resting* if it is broken or asked to be left alone
for long. A leased site is settled when its lease ends; a URL that is found at any other active site may make it due
earlier, or of a better rank. `sqlite.store.SiteLifecycle` does so, and the scripts of the Redis store do the same.
"""

from __future__ import annotations

from collections.abc import Collection

import msgpack

from mediacrawl.base.queued import LINK_CLASS
from mediacrawl.base.terms import Candidate, Lease, SiteInfo, SiteState, Trouble
from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.politeness.delay import GOOD, Clocks, Standing

_MOST_COARSE = 12
"""Classes of a site that are kept for coarse ones, at most: the folders of a usual site."""

OTHER = "other"
"""The link class of what finds no more room in a class of its own."""

AGAIN = "again"
"""The link class of what is revisited. It has room on every site: else all that is in `OTHER` got its score."""

_OWN = frozenset({AGAIN, LINK_CLASS})
"""Link classes that have a score of their own, and room on every site: revisits and data requests."""

IDLE, ACTIVE, PAUSED, RETIRED = range(4)
"""Places of a site: no URL waits there, something does, an operator has paused it, it is not requested any more."""
_SHELVED = {PAUSED: SiteState.PAUSED, RETIRED: SiteState.RETIRED}

MOST_CLASSES = 256
"""Link classes of a site that have a number."""


def class_for(name: str, classes: Collection[str], limit: int) -> str:
    """The link class that a found URL joins on its site.

    When a site has too many classes, a URL joins a coarser one: of its folder, depth, extension and parameters. The
    last places are for those; what finds none there either joins `OTHER`.
    """
    if name in classes:
        return name
    number = len(classes)
    if name in _OWN:
        return name if number < MOST_CLASSES - 1 else OTHER
    if number < limit - 1 - coarse_classes(limit):
        return name
    coarse = coarse_class(name)
    return coarse if coarse in classes or number < limit - 1 else OTHER


def coarse_classes(limit: int) -> int:
    """How many of a site's link classes are kept for coarse ones."""
    return min(limit // 4, _MOST_COARSE)


def coarse_class(name: str) -> str:
    """The coarser link class of a URL whose own has no room on its site.

    ``a.org/episodes/#/kalo.html?page`` becomes ``/episodes 3 .html?page``: the first folder, the number of segments,
    the extension, the names of the parameters.
    """
    path, mark, query = name.partition(" ")[0].partition("?")
    *folders, last = path.split("/")[1:] or [""]
    extension = last.rpartition(".")[2] if "." in last else ""
    return f"/{folders[0] if folders else ''} {len(folders)} .{extension}{mark}{query}"


LONG_HELD = 1_800.0
"""Seconds beyond which a site all of whose classes are held counts as one that rests: no crawl stays for it."""


def rests(clocks: Clocks, due: float, now: float) -> bool:
    """Return whether a site where URLs wait rests: it is broken, or is not looked at again for long."""
    return clocks.rests or due - max(clocks.release, now) > LONG_HELD


def site_info(
    name: str,
    clocks: Clocks,
    place: int,
    due: float,
    now: float,
    *,
    earned: int,
    leased: bool,
    waiting: int,
    classes: tuple[tuple[str, float, int], ...],
) -> SiteInfo:
    """Return a site for an operator. `due` is when it is looked at, if it is active; all times are by one clock."""
    release = max(clocks.release, due) if place == ACTIVE and not leased else clocks.release
    if place in _SHELVED:
        state = _SHELVED[place]
    elif leased:
        state = SiteState.LEASED
    elif not waiting:
        state = SiteState.IDLE
    elif release <= now:
        state = SiteState.READY
    else:
        state = SiteState.RESTING if rests(clocks, release, now) else SiteState.WAITING
    standing = clocks.standing
    return SiteInfo(
        name=name,
        state=state,
        release=release,
        delay=clocks.delay,
        crawl_delay=clocks.crawl_delay,
        samples=clocks.samples,
        visits=clocks.visits,
        earned=earned,
        waiting=waiting,
        classes=classes,
        trouble=standing.trouble,
        troubles=standing.row,
        since=standing.since,
        level=standing.level,
        forbidden=standing.forbidden,
        gone=standing.gone,
    )


def lease_of(
    found: Candidate, number: int, clocks: Clocks, now: float, *, attempt: int, state: bytes, even: bool
) -> Lease:
    """Return the lease of a URL that is taken from its site."""
    return Lease(
        id=number,
        url=found.url,
        site=found.site,
        link_class=found.link_class,
        kind=found.kind,
        depth=found.depth,
        hops=found.hops,
        parent=found.parent,
        evidence=found.evidence,
        attempt=attempt,
        state=state,
        delay=clocks.delay,
        taken=now,
        troubles=clocks.standing.row,
        even=even,
        requested=found.requested,
    )


_packer = msgpack.Packer()
_STANDING = (int, int, float, str, int, bool, bool)
_MOST = 1e11
"""No time, in seconds since the epoch, is later, and nothing is counted so far."""


def pack_samples(samples: tuple[float, ...]) -> bytes:
    """Response times in seconds, as stored with their site."""
    packed: bytes = _packer.pack(samples)
    return packed


def unpack_samples(packed: bytes) -> tuple[float, ...]:
    """What `pack_samples` made.

    Raises:
        SpoiledError: it did not make this.
    """
    try:
        samples = tuple(msgpack.unpackb(packed))
        if all(isinstance(sample, int | float) for sample in samples):
            return samples
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        pass
    raise SpoiledError("the response times of a site cannot be read")


def pack_standing(standing: Standing) -> bytes:
    """What is held against a site, as stored with it; nothing for a site in good standing."""
    if standing == GOOD:
        return b""
    trouble = standing.trouble.value if standing.trouble else ""
    fields = (
        standing.level,
        standing.row,
        standing.since,
        trouble,
        standing.forbidden,
        standing.resting,
        standing.gone,
    )
    # As versions without it wrote and read.
    packed: bytes = _packer.pack((*fields, True) if standing.postponed else fields)
    return packed


def unpack_standing(packed: bytes) -> Standing:
    """What `pack_standing` made.

    Raises:
        SpoiledError: it did not make this.
    """
    if not packed:
        return GOOD
    try:
        fields = tuple(msgpack.unpackb(packed))
        if tuple(map(type, fields)) in {_STANDING, (*_STANDING, bool)}:
            level, row, since, trouble, forbidden, resting, gone, *postponed = fields
            if all(0 <= number < _MOST for number in (level, row, since, forbidden)):
                why = Trouble(trouble) if trouble else None
                return Standing(level, row, since, why, forbidden, resting, gone, *postponed)
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        pass
    raise SpoiledError("what is held against a site cannot be read")
