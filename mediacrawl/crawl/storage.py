"""Opens the frontier that a crawl's settings name, and makes its order: what scores link classes, and learns."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from mediacrawl.base.clock import Clock
from mediacrawl.crawl.connection import Client, ConnectionSettingError, connect, hidden, redis_url
from mediacrawl.crawl.own_settings import REDIS, OwnSettings, locate, state_folder, store_of
from mediacrawl.crawl.policies import frontier_policy, priority_name
from mediacrawl.frontier import Frontier, FrontierError, FrontierPolicy
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.stores import open_store
from mediacrawl.priority.orders import (
    RECORDS,
    Alike,
    OrderModelError,
    Priority,
    RuleOrder,
    SiteRate,
)
from mediacrawl.priority.visits import CreditPolicy
from mediacrawl.scope.urls import canonical
from mediacrawl.settings import FRONTIER_LEASE

if TYPE_CHECKING:
    from mediacrawl.frontier.redis.store import RedisFrontier
    from mediacrawl.priority.adaptive import AdaptivePolicy
    from mediacrawl.priority.learner import Learner

_RETRY = 0.5
"""Seconds between two tries to reach Redis at the start."""
_GRACE = 2.0
"""Seconds between the end of the longest visit and the time when its lease may be given away."""
_BLOOM = 1_000_000
"""URLs that a worker's Bloom filter is made for if ``FRONTIER_BLOOM`` names no number."""


def open_frontier(
    settings: BaseSettings, policy: FrontierPolicy, *, store: str, folder: Path, spider: str, clock: Clock
) -> Frontier:
    """Open the frontier of a crawl.

    Args:
        settings: of the crawl.
        policy: delays, order and limits.
        store: see `store_of`.
        folder: where it lies, if it is a file.
        spider: its name, which the keys in Redis begin with.
        clock: of the crawl.

    Raises:
        FrontierError: it cannot be used. The message says what to do.
    """
    if store != REDIS:
        return open_store(store, folder, policy, clock.now(), offset=clock.offset)
    from mediacrawl.frontier.redis.leases import NoteCache  # noqa: PLC0415 - most crawls use no Redis
    from mediacrawl.frontier.redis.worker import RedisWorker  # noqa: PLC0415

    return RedisWorker(
        open_redis(settings, policy, spider=spider, works=True, now=clock.now()),
        clock.now,
        lease=lease_seconds(settings),
        visit=_longest_visit(settings) + _GRACE,
        bloom=policy.bloom or _BLOOM,
        notes=NoteCache(
            by_site=("copies", "parameters", "soft_404", "facets", RECORDS), by_authority=("robots", "ranges")
        ),
    )


def redis_client(settings: BaseSettings, spider: str = "media") -> tuple[Client, str, str]:
    """Return a client for the frontier's Redis server, the prefix of its keys, and its URL without secrets.

    Raises:
        FrontierError: the settings cannot be used.
    """
    try:
        prefix = OwnSettings(settings).getstr("REDIS_FRONTIER_KEY") % {"spider": spider}
        return connect(settings), prefix, hidden(redis_url(settings) or "")
    except (ConnectionSettingError, ValueError, KeyError, TypeError) as error:
        raise FrontierError(str(error)) from error


def open_redis(
    settings: BaseSettings, policy: FrontierPolicy | None = None, *, spider: str = "media", works: bool, now: float
) -> RedisFrontier:
    """Open the frontier in Redis without a worker's thread. Tries for ``REDIS_PATIENCE`` seconds.

    Args:
        settings: of the crawl.
        policy: delays, order and limits, if they are not those of the settings.
        spider: its name.
        works: whether it takes leases; an operator's command takes none.
        now: seconds since the epoch.

    Raises:
        FrontierError: it cannot be used. The message says what to do.
    """
    from mediacrawl.frontier.redis.errors import is_away  # noqa: PLC0415
    from mediacrawl.frontier.redis.store import RedisFrontier, StoreSettings  # noqa: PLC0415 - most crawls use no Redis

    client, prefix, place = redis_client(settings, spider)
    own = OwnSettings(settings)
    policy = policy or frontier_policy(settings)
    store = StoreSettings(
        lease=lease_seconds(settings),
        works=works,
        scored=priority_name(settings),
        begun=own.getbool("FRONTIER_BEGUN"),
    )
    end = monotonic() + own.getfloat("REDIS_PATIENCE")
    while True:
        try:
            return RedisFrontier(client, prefix, policy, now, settings=store, server=place)
        except FrontierError as error:
            if not is_away(error) or monotonic() > end:
                raise
        sleep(_RETRY)


def lease_seconds(settings: BaseSettings) -> float:
    """Seconds after which a lease in Redis that its worker does not renew is given away.

    The default of ``FRONTIER_LEASE`` is raised to what a visit may take, as with Scrapy's own ``DOWNLOAD_TIMEOUT``.

    Raises:
        FrontierError: ``FRONTIER_LEASE`` was set, and a visit may take longer.
    """
    lease, visit = OwnSettings(settings).getfloat("FRONTIER_LEASE"), _longest_visit(settings)
    if lease == FRONTIER_LEASE:
        lease = max(lease, visit + 3 * _GRACE)
    if lease <= visit + 2 * _GRACE:
        raise FrontierError(
            f"FRONTIER_LEASE = {lease:g} is too short: a visit may take DOWNLOAD_TIMEOUT and RESOLVER_TIMEOUT,"
            f" {visit:g} s, so it must be above {visit + 2 * _GRACE:g}"
        )
    return lease


def _longest_visit(settings: BaseSettings) -> float:
    """Seconds that a visit takes at most."""
    own = OwnSettings(settings)
    return own.getfloat("DOWNLOAD_TIMEOUT") + own.getfloat("RESOLVER_TIMEOUT")


# -- the order -----------------------------------------------------------------------------------------------------

MODEL_FILE = "model.npz"
"""The model of an adaptive crawl, in the folder of its frontier."""
OLD_MODEL = "model.old.npz"
"""The model of the crawl before, kept when a crawl starts afresh."""

_RESCORED_ON_REDIS = 1
"""Sites that a worker on Redis scores again with each fetch, at most: each that has moved costs a message there, and
several workers score the same sites."""


def make_priority(settings: BaseSettings, frontier: Frontier, folder: Path | None, *, resumes: bool) -> Priority:
    """Make the order.

    Args:
        settings: of the crawl.
        frontier: opened; it stores the records of link classes.
        folder: where the model is kept; None if it is not.
        resumes: whether the frontier had URLs when it was opened.

    Raises:
        OrderModelError: the model of ``PRIORITY_MODEL`` cannot be read.
    """
    name = priority_name(settings)
    if name == "adaptive":
        # NumPy takes a quarter of a second, and no other order needs it.
        from mediacrawl.priority.adaptive import Adaptive  # noqa: PLC0415

        adaptive = Adaptive(adaptive_policy(settings), frontier, folder and folder / MODEL_FILE, _key_of)
        model = OwnSettings(settings).get("PRIORITY_MODEL")
        adaptive.begin(locate(model) if model else None, resumes=resumes)
        return adaptive
    if name == "site-rate":
        return SiteRate(CreditPolicy(), _key_of)
    return Alike() if name in {"breadth", "random"} else RuleOrder()


def adaptive_policy(settings: BaseSettings) -> AdaptivePolicy:
    """Return the numbers of the adaptive order."""
    from mediacrawl.priority.adaptive import AdaptivePolicy  # noqa: PLC0415 - as above

    return AdaptivePolicy(looked_at=_RESCORED_ON_REDIS) if store_of(settings) == REDIS else AdaptivePolicy()


def load_learner(settings: BaseSettings) -> Learner | None:
    """Return the model that the media crawl of the state folder has written last.

    Returns:
        None if the crawl does not learn, or has no readable model.
    """
    if priority_name(settings) != "adaptive":
        return None
    from mediacrawl.priority.learner import load_model  # noqa: PLC0415 - as above

    path = state_folder(settings) / MODEL_FILE
    try:
        return load_model(path, 0.0)[0] if path.exists() else None
    except OrderModelError:
        return None


def _key_of(url: str) -> int:
    """Return the key, in the frontier, of a URL as it was requested."""
    return url_key(canonical(url) or url)
