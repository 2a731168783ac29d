"""The order of a crawl by the setting ``PRIORITY``: it scores link classes, and stores what it has learned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.settings import BaseSettings

from mediacrawl.crawl.files import locate
from mediacrawl.crawl.own_settings import REDIS, OwnSettings, state_folder, store_of
from mediacrawl.crawl.policies import priority_name
from mediacrawl.frontier import Frontier
from mediacrawl.frontier.seen import url_key
from mediacrawl.priority.orders import Alike, OrderModelError, Priority, RuleOrder, SiteRate
from mediacrawl.priority.visits import CreditPolicy
from mediacrawl.scope.urls import canonical

if TYPE_CHECKING:
    from mediacrawl.priority.adaptive import AdaptivePolicy
    from mediacrawl.priority.learner import Learner

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
