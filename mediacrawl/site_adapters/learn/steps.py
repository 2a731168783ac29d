"""Changes of a value, as a site adapter writes them, and the search for those that lead from one value to another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from mediacrawl.site_adapters.learn.urls import common_end
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
_is_mark = re.compile(r"[\x20-\x7e]+").fullmatch


def written(steps: Steps) -> list[Any]:
    """Return steps as they stand in a site adapter."""
    return [step if isinstance(step, str) else dict(step) for step in steps]


@lru_cache(maxsize=4096)
def _change(step: Step) -> Change:
    return step_of(step if isinstance(step, str) else dict(step))


def apply(value: str, steps: Steps) -> str | None:
    """Return what steps make of a value; None if one cannot be applied."""
    return changed(value, [_change(step) for step in steps])


def applied(values: Sequence[str], steps: Steps) -> Texts | None:
    """Return what steps make of the value of each page; None if one cannot be applied."""
    found = [made for value in values if (made := apply(value, steps)) is not None]
    return tuple(found) if len(found) == len(values) else None


def cut(values: Texts, wanted: Texts, depth: int = 2) -> Steps | None:
    """Return the steps that take a part of each value; None if there are none."""
    if values == wanted:
        return ()
    if not all(part and part in value for value, part in zip(values, wanted, strict=True)):
        return None
    for steps in (*_splits(values, wanted, 1), *_marks(values, wanted), *_splits(values, wanted, depth)):
        if applied(values, steps) == wanted:
            return steps
    return None


def _splits(values: Texts, wanted: Texts, depth: int) -> Iterator[Steps]:
    """A split at a separator, and then what takes the part of its part. The last word of a title is the last of any."""
    for separator in SEPARATORS if depth else "":
        parts = [value.split(separator, 200) for value in values]
        count = min(_MOST_PARTS, *map(len, parts))
        for take in (take for number in range(count if count > 1 else 0) for take in (number, -1 - number)):
            inner = tuple(each[take] for each in parts)
            rest = () if inner == wanted else cut(inner, wanted, depth - 1) if depth > 1 else None
            if rest is not None:
                yield ((("split", separator), ("take", take)), *rest)


def _marks(values: Texts, wanted: Texts) -> Iterator[Steps]:
    """What stands before and behind the part in the same way on all pages."""
    split = [value.partition(part) for value, part in zip(values, wanted, strict=True)]
    befores, afters = [before for before, _, _ in split], [after[::-1] for _, _, after in split]
    starts: list[Steps] = [((("after", mark),),) for mark in _ends(befores)] if any(befores) else [()]
    ends: list[Steps] = [((("before", mark[::-1]),),) for mark in _ends(afters)] if any(afters) else [()]
    yield from ((*start, *end) for start in starts for end in ends)


def _ends(texts: Sequence[str]) -> list[str]:
    """What may mark the place where texts end; a word that is cut in two is none."""
    mark = common_end(texts)
    if len(set(texts)) > 1 or len(mark) > _LONGEST_MARK:
        mark = mark[-_LONGEST_MARK:]
        mark = mark[next((place for place, sign in enumerate(mark) if not sign.isalnum()), len(mark)) :]
    return [
        each for each in dict.fromkeys((mark, mark[-1:])) if _is_mark(each) and (each == mark or not each.isalnum())
    ]
