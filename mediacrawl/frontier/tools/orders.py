"""What an operator orders, carried out: one sentence for each order, the same with a crawl running and without."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from mediacrawl.frontier.contract import Frontier
from mediacrawl.observe.format import plural
from mediacrawl.records import Drop


class SiteOrder(StrEnum):
    """What can be ordered for a site."""

    PAUSE = "pause"
    RESUME = "resume"
    DROP = "drop"


def carry_out(frontier: Frontier, verb: str, site: str) -> str:
    """Carry out an order, and say what came of it. It is durable when this returns.

    Args:
        frontier: whose site it is.
        verb: see `SiteOrder`; another one is answered with a sentence as well.
        site: registrable domain.
    """
    action = _ACTIONS.get(verb)
    if action is None:
        return f"{verb!r} is no order; there are {', '.join(_ACTIONS)}"
    if frontier.site(site) is None:
        return f"{site} is not known here; a site is a registrable domain, as in: mediacrawl frontier stats"
    sentence = action(frontier, site)
    frontier.commit()
    return sentence


def _pause(frontier: Frontier, site: str) -> str:
    frontier.pause(site)
    return f"{site} is paused: {_waiting(frontier, site)} there, until mediacrawl frontier resume {site}"


def _resume(frontier: Frontier, site: str) -> str:
    if not frontier.resume(site):
        return f"{site} is neither paused nor retired"
    return f"{site} is asked again: {_waiting(frontier, site)} there"


def _drop(frontier: Frontier, site: str) -> str:
    gone = frontier.drop(site, Drop.OPERATOR)
    return f"{plural(gone, 'URL')} of {site} dropped ({Drop.OPERATOR}); found again they do not join again"


def _waiting(frontier: Frontier, site: str) -> str:
    info = frontier.site(site)
    return plural(info.waiting if info else 0, "URL", "waits")


_ACTIONS: dict[str, Callable[[Frontier, str], str]] = {
    SiteOrder.PAUSE: _pause,
    SiteOrder.RESUME: _resume,
    SiteOrder.DROP: _drop,
}
