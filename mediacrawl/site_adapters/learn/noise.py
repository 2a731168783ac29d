"""Parameters of a data URL that its answer does not need: session ids, counters and times against caches.

A parameter is dropped if it is plain that the page's script made the value up: a time, a random number under a usual
name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.site_adapters.learn.protection import is_signature
from mediacrawl.site_adapters.learn.visits import Answered, Visit
from mediacrawl.site_adapters.learn.words import WORDS

_BEFORE, _AFTER = 60.0, 5.0
"""Seconds before and after the start of a request in which a time in its URL was made for it."""
_SHORTEST = 6
"""Characters of a value that looks random."""
_DIGITS = {10: 1.0, 13: 1e3, 16: 1e6}
"""Digits of a time since 1970 -> its parts of a second. So it is from 2001 to 2286."""
_signs = re.compile(r"[^a-z0-9]").sub
_looks_random = re.compile(r"(?=.*[0-9])[A-Za-z0-9._-]+").fullmatch


@dataclass(frozen=True, slots=True)
class Dropped:
    """A parameter that is left out of a data URL.

    Attributes:
        name: of the parameter.
        why: one clause for people.
    """

    name: str
    why: str


def made_up(name: str, values: Sequence[str], requests: Sequence[Answered], visits: Sequence[Visit]) -> Dropped | None:
    """Whether it is plain that the page's script made the values of a parameter up; None if it is not."""
    pairs = list(zip(values, requests, strict=True))
    if all(is_time(value, each.entry.started) for value, each in pairs):
        return Dropped(name, why="the time of the request")
    plain = _signs("", name.lower()) or name
    if plain not in WORDS["made_up"]:
        return None
    if any(is_signature(name, value) for value in values):
        return None
    if all(_is_random(value) for value in values) and not any(
        _is_issued(name, value, each, visit) for (value, each), visit in zip(pairs, visits, strict=True)
    ):
        return Dropped(name, why="a value that the page's script makes up")
    return None


def is_time(value: str, started: float) -> bool:
    """Whether a value is the time of a request, in seconds, milliseconds or microseconds since 1970."""
    parts = _DIGITS.get(len(value)) if value.isdecimal() and value.isascii() and started else None
    return parts is not None and started - _BEFORE <= int(value) / parts <= started + _AFTER


def _is_random(value: str) -> bool:
    return (len(value) >= _SHORTEST and _looks_random(value) is not None) or value.startswith("0.")


def _is_issued(name: str, value: str, request: Answered, visit: Visit) -> bool:
    """Whether the server made a value: it stands in the page or an earlier answer, or in a cookie of its name."""
    plain = _signs("", name.lower())
    before = [entry for entry in visit.entries if entry.index < request.entry.index]
    if any(_signs("", cookie.lower()) == plain for entry in before for cookie in entry.set_cookie):
        return True
    return any(value in entry.body for entry in before if entry.body)


def is_callback(values: Sequence[str], requests: Sequence[Answered]) -> bool:
    """Whether a parameter has the name of the function that JSONP calls."""
    known = all(each.tree.form == "jsonp" for each in requests)
    return known and all(each.tree.callback == value for each, value in zip(requests, values, strict=True))
