"""How a list goes on: by the URL of its next page in the answer, or by a number in the query that grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from mediacrawl.extract.texts import absolute
from mediacrawl.site_adapters.learn.roles import Role
from mediacrawl.site_adapters.learn.trees import Path, written_path
from mediacrawl.site_adapters.learn.urls import Url, parsed, request_key
from mediacrawl.site_adapters.learn.visits import Answered, Visit

_LARGEST_STEP = 1_000
_LARGEST = 1_000_000
_LONGEST = 2_000


def next_page(role: Role, visits: Sequence[Visit], ignored: frozenset[str]) -> dict[str, Any]:
    """The field ``next`` of a site adapter; empty if the recordings do not show that a list goes on."""
    followed = [
        [other for other in visit.answers if _is_later(each, other)]
        for each, visit in zip(role.requests, visits, strict=True)
    ]
    for path in _links(role, followed, ignored):
        field, written = written_path(path, role.trees)
        return {field: written}
    for each, others in zip(role.requests, followed, strict=True):
        found = _number(each.url, [other.url for other in others], ignored)
        if found:
            return found
    return {}


def goes_on(first: Answered, visit: Visit, ignored: frozenset[str]) -> bool:
    """Whether a page asked for a further part of a list, by a number in the query."""
    return bool(_number(first.url, [other.url for other in visit.answers if _is_later(first, other)], ignored))


def _is_later(first: Answered, other: Answered) -> bool:
    same = first.url.host == other.url.host and first.tree.form == other.tree.form
    return same and other.entry.index > first.entry.index


def _links(role: Role, followed: Sequence[Sequence[Answered]], ignored: frozenset[str]) -> Iterator[Path]:
    """Paths of URLs that were requested next, or that are named so."""
    for each, others in zip(role.requests, followed, strict=True):
        asked = {request_key(other.entry.url, ignored) for other in others}
        for path, text in each.tree.leaves.items():
            url = absolute(each.entry.url, text) if 2 < len(text) <= _LONGEST else ""
            if not url or request_key(url, ignored) == request_key(each.entry.url, ignored):
                continue
            is_named = "next" in str(next((step for step in reversed(path) if isinstance(step, str)), "")).lower()
            if (is_named or request_key(url, ignored) in asked) and _same_place(each.url, parsed(url)):
                yield path


def _same_place(one: Url, other: Url | None) -> bool:
    """Whether two URLs differ in their queries only."""
    if other is None:
        return False
    segments = [[each.value for each in url.segments] for url in (one, other)]
    return one.host == other.host and segments[0] == segments[1]


def _number(first: Url, others: Sequence[Url], ignored: frozenset[str]) -> dict[str, Any]:
    own = {each.name: each.value for each in first.parameters if each.name not in ignored}
    grown: dict[str, list[int]] = {}
    for other in others:
        theirs = {each.name: each.value for each in other.parameters if each.name not in ignored}
        differing = {name for name in {*own, *theirs} if own.get(name) != theirs.get(name)}
        if _same_place(first, other) and len(differing) == 1 and set(own) <= set(theirs):
            (name,) = differing
            if _is_number(theirs[name]):
                grown.setdefault(name, []).append(int(theirs[name]))
    for name, numbers in grown.items():
        start = int(own[name]) if name in own and _is_number(own[name]) else None
        if name in own and start is None:
            continue
        step, begin = _progress(start, numbers)
        if 1 <= step <= _LARGEST_STEP and begin >= 0:
            return {"parameter": name, "step": step, "first": begin}
    return {}


def _progress(start: int | None, numbers: Sequence[int]) -> tuple[int, int]:
    """By how much a number grows, and where it begins; a step of 0 if it does not grow evenly."""
    known = [*([start] if start is not None else []), *numbers]
    steps = {two - one for one, two in pairwise(known)}
    if len(steps) > 1:
        return 0, 0
    if start is not None:
        return steps.pop(), start
    # The first request does not have the number: the second page is 2, or begins behind the first one.
    step = steps.pop() if steps else 1 if numbers[0] <= 2 else numbers[0]
    return step, numbers[0] - step


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 8 and int(text) <= _LARGEST
