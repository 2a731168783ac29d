"""Changes of a value, as a site adapter writes them, and the search for those that lead from one value to another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from mediacrawl.site_adapters.learn.urls import common, common_end
from mediacrawl.site_adapters.transforms import Step as Change
from mediacrawl.site_adapters.transforms import changed, step_of

Step = str | tuple[tuple[str, Any], ...]
"""A word, or the fields of an object: ``(("pad", 8),)``."""
Steps = tuple[Step, ...]
Texts = tuple[str, ...]
"""One value on each page."""

SEPARATORS = "/-_.,:~|=&?;@ "
"""Characters at which values are split."""
_MOST_PARTS = 12
_LONGEST_MARK = 24
"""Characters before and behind a value by which it is found in a longer one."""
_MOST_PLACES = 8
"""Occurrences of a value in a longer one that are tried."""
_is_mark = re.compile(r"[\x20-\x7e]+").fullmatch


def written(steps: Steps) -> list[Any]:
    """Steps as they stand in a site adapter."""
    return [step if isinstance(step, str) else dict(step) for step in steps]


@lru_cache(maxsize=4096)
def _change(step: Step) -> Change:
    return step_of(step if isinstance(step, str) else dict(step))


def apply(value: str, steps: Steps) -> str | None:
    """What steps make of a value; None if one cannot be applied."""
    return changed(value, [_change(step) for step in steps])


def applied(values: Sequence[str], steps: Steps) -> Texts | None:
    """What steps make of the value of each page; None if one cannot be applied."""
    found = tuple(apply(value, steps) for value in values)
    return None if any(each is None for each in found) else tuple(each or "" for each in found)


def cut(values: Texts, wanted: Texts, depth: int = 2) -> Steps | None:
    """The steps that take a part of each value; None if there are none."""
    if values == wanted:
        return ()
    if not all(part and part in value for value, part in zip(values, wanted, strict=True)):
        return None
    for steps in _splits(values, wanted):
        return steps
    for steps in (*_marks(values, wanted), *_deeper(values, wanted, depth)):
        if applied(values, steps) == wanted:
            return steps
    return None


def _splits(values: Texts, wanted: Texts) -> Iterator[Steps]:
    """One split at a separator whose part is the one that is wanted."""
    for separator in SEPARATORS:
        parts = [value.split(separator, 200) for value in values]
        if separator in wanted[0] or min(map(len, parts)) < 2:
            continue
        for take in _takes(parts):
            if all(each[take] == part for each, part in zip(parts, wanted, strict=True)):
                yield ((("split", separator), ("take", take)),)


def _takes(parts: Sequence[Sequence[str]]) -> Iterator[int]:
    """Places of parts, the outer ones first: the last word of a title is the last of any title."""
    for number in range(min(_MOST_PARTS, *map(len, parts))):
        yield number
        yield -1 - number


def _deeper(values: Texts, wanted: Texts, depth: int) -> Iterator[Steps]:
    """A split, and then what takes the part of its part."""
    for separator in SEPARATORS if depth > 1 else "":
        parts = [value.split(separator, 200) for value in values]
        if min(map(len, parts)) < 2:
            continue
        for take in _takes(parts):
            inner = tuple(each[take] for each in parts)
            if all(part in each for each, part in zip(inner, wanted, strict=True)):
                rest = cut(inner, wanted, depth - 1)
                if rest is not None:
                    yield ((("split", separator), ("take", take)), *rest)


def _marks(values: Texts, wanted: Texts) -> Iterator[Steps]:
    """What stands before and behind the part in the same way on all pages."""
    for place in _places(values[0], wanted[0]):
        befores, afters = [values[0][:place]], [values[0][place + len(wanted[0]) :]]
        for value, part in zip(values[1:], wanted[1:], strict=True):
            other = value.find(part)
            befores.append(value[:other])
            afters.append(value[other + len(part) :])
        starts: list[Steps] = [((("after", mark),),) for mark in _before_marks(befores)] if any(befores) else [()]
        ends: list[Steps] = [((("before", mark),),) for mark in _after_marks(afters)] if any(afters) else [()]
        for start in starts:
            for end in ends:
                yield (*start, *end)


def _before_marks(befores: Sequence[str]) -> Iterator[str]:
    """What may mark the place behind which a part begins; a word that is cut in two is none."""
    mark = common_end(befores)
    if len(set(befores)) > 1 or len(mark) > _LONGEST_MARK:
        mark = _from_word(mark[-_LONGEST_MARK:])
    if mark and _is_mark(mark):
        yield mark
        if len(mark) > 1 and not mark[-1].isalnum():
            yield mark[-1]


def _after_marks(afters: Sequence[str]) -> Iterator[str]:
    mark = common(afters)
    if len(set(afters)) > 1 or len(mark) > _LONGEST_MARK:
        mark = _from_word(mark[:_LONGEST_MARK][::-1])[::-1]
    if mark and _is_mark(mark):
        yield mark
        if len(mark) > 1 and not mark[0].isalnum():
            yield mark[0]


def _from_word(mark: str) -> str:
    """A mark without the part of a word with which it begins."""
    start = next((place for place, sign in enumerate(mark) if not sign.isalnum()), len(mark))
    return mark[start:]


def _places(value: str, part: str) -> Iterator[int]:
    place = value.find(part)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return
        yield place
        place = value.find(part, place + 1)


def fixed_part(values: Texts, wanted: Texts) -> Steps | None:
    """The step that takes letters at a fixed place from the front or the end: folders named by an id."""
    length = len(wanted[0])
    if {len(part) for part in wanted} != {length} or not 1 <= length <= 4:
        return None
    for start in range(12):
        ends = [value[len(value) - start - length : len(value) - start] for value in values]
        skipped = f".{{{start}}}" if start else ""
        if [value[start : start + length] for value in values] == list(wanted):
            return ((("regex", f"^{skipped}(.{{{length}}})"),),)
        if ends == list(wanted):
            return ((("regex", f"(.{{{length}}}){skipped}$"),),)
    return None
