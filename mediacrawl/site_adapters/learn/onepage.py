"""What one recorded page tells, and what it cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

from mediacrawl.site_adapters.learn.holders import Holders
from mediacrawl.site_adapters.learn.urls import HOST, Component
from mediacrawl.site_adapters.learn.visits import Answered, Visit

_MOST = 20
"""Parts that are listed."""
_SHORTEST = 2


def unknown_of(visit: Visit, found: Holders) -> list[str]:
    """The parts of data requests of which one page does not tell whether they are constant."""
    return [sentence for answered in found.answers[:2] for sentence in _parts(answered, visit)][:_MOST]


def _parts(answered: Answered, visit: Visit) -> Iterator[str]:
    for each in (*answered.url.segments, *answered.url.parameters):
        if each.value:
            where = f"parameter {each.name}" if each.kind == "query" else f"segment {int(each.name) + 1}"
            yield f"{each.value[:60]!r} ({where} of {answered.entry.url[:120]}) {_source(each, answered, visit)}"


def _source(each: Component, answered: Answered, visit: Visit) -> str:
    """Where else a value stands on the page: there it may come from."""
    own = (*visit.url.segments, *visit.url.parameters) if visit.url is not None else ()
    if each.kind != HOST and len(each.value) > _SHORTEST:
        if any(each.value in piece.value for piece in own):
            return "stands in the page's URL, too"
        if each.value in visit.values(1).values():
            return "stands in the page, too"
        before = (other for other in visit.answers if other.entry.index < answered.entry.index)
        if any(each.value in other.tree.leaves.values() for other in before):
            return "stands in an earlier answer, too"
    return "stands nowhere else: it is constant, or made by a script"
