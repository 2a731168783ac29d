"""Finds where a value comes from that differs from page to page.

A source explains a value if it gives the right one on all pages. So does many a source by chance, if the value is
short: a page has thousands of values. An explanation is taken if the chance of that is below one in a thousand.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from mediacrawl.site_adapters.form import URL
from mediacrawl.site_adapters.learn.sources import Joint, Source
from mediacrawl.site_adapters.learn.urls import common_end
from mediacrawl.site_adapters.learn.words import WORDS
from mediacrawl.site_adapters.transforms import MOST_DIGITS, changed, step_of
from mediacrawl.site_adapters.transforms import Step as Change

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
_SURE = 10.0
"""Bits: a source that is right by chance once in 1,024 searches is taken for none."""
_MOST_SEARCHED = 5_000
"""Sources that are searched for a value inside of theirs."""
_LONGEST_SEARCHED = 4_000
_MOST_DECODED = 2_000
_MOST_CUTS = 2_000
"""Values in others that are looked for in all, each in up to five milliseconds; a site needs some hundred."""
_MOST_SAME = 60
"""Sources with the same values that are kept, those of the page's URL first."""
_SHORTEST_PART = 3
_FLAGS = frozenset(WORDS["flags"])
_COMMON = _FLAGS.union(WORDS["common"])
"""Words that a page and its answers have in many places. Its URL has few words: of those only flags tell as little."""
_looks_base64 = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}").fullmatch


@dataclass(frozen=True, slots=True)
class Use:
    """A source, and the steps that change its value."""

    source: Source
    steps: Steps = ()

    @property
    def cost(self) -> int:
        """The smallest explanation has the lowest."""
        return self.source.cost + 2 * len(self.steps)


def bits(value: str, common: Collection[str] = _COMMON) -> float:
    """Return how much a value tells: the logarithm of how many others could stand in its place."""
    if value.lower() in common:
        return 2.0
    if value.isdecimal():
        return 1.0 if len(value) == 1 else 2.0 + 1.7 * len(value) if len(value) < 3 else 3.3 * len(value)
    each = 4.0 if all(mark in "0123456789abcdefABCDEF-" for mark in value) else 4.5 if value.isalnum() else 3.0
    return min(each * len(value), 80.0)


def information(values: Iterable[str], kind: str = "") -> float:
    """Return how much the different values of several pages tell together, in bits."""
    return sum(bits(value, _FLAGS if kind == URL else _COMMON) for value in set(values))


Among = Callable[[Source], bool]
"""Whether a source may be used."""


class Tracer:
    """Finds sources by their values on all pages."""

    def __init__(self, values: Joint) -> None:
        self._values = values
        self._exact: dict[Texts, list[Use]] = {}
        self._cuts_left = _MOST_CUTS
        self._decoded: list[tuple[Source, Steps, Texts]] = []
        self._counts = Counter(source.kind for source in values)
        for source, each in values.items():
            self._add(Use(source), each)
        for source, each in list(values.items())[:_MOST_DECODED]:
            self._decode(source, each)

    def find(self, wanted: Texts, among: Among = lambda _: True, known: Collection[Source] = ()) -> Use | None:
        """Return the smallest explanation of a value; None if there is none that is sure.

        Of sources that are known to be in the same URL, short parts are taken, too: the month after the year.
        """
        if len(set(wanted)) < 2 or not all(wanted):
            return None
        # The page's URL needs no request.
        for where in (lambda source: source.kind == URL and among(source), among):
            for found in (self._whole(wanted), self._parts(wanted, where, known)):
                sure = [use for use, more in found if where(use.source) and self._is_sure(wanted, use, more, known)]
                if sure:
                    return min(sure, key=lambda use: (use.cost, str(use)))
        return None

    def constant(self, values: Texts, source: Source) -> Use:
        """Return how an adapter reads a value from the page that is the same on all pages."""
        self._values[source] = values
        return Use(source)

    def values_of(self, use: Use) -> Texts:
        """Return the values that a use has on each page."""
        return applied(self._values.get(use.source, ()), use.steps) or ()

    def _add(self, use: Use, values: Texts) -> None:
        known = self._exact.setdefault(values, [])
        if len(known) < _MOST_SAME:
            known.append(use)

    def _decode(self, source: Source, values: Texts) -> None:
        """Add what the values of a source are without Base64."""
        made = applied(values, ("base64",)) if all(_looks_base64(value) for value in values) else None
        if made is not None and all(text.isprintable() for text in made) and len(set(made)) > 1:
            self._add(Use(source, ("base64",)), made)
            self._decoded.append((source, ("base64",), made))

    def _whole(self, wanted: Texts) -> Iterator[tuple[Use, float]]:
        """The sources that have a value, and how much less sure each is."""
        for use in self._exact.get(wanted, ()):
            yield use, 0.0
        for step, before in _encoded(wanted):
            for use in self._exact.get(before, ()):
                yield Use(use.source, (*use.steps, step)), 1.0

    def _parts(self, wanted: Texts, among: Among, known: Collection[Source]) -> Iterator[tuple[Use, float]]:
        """The sources that have a value in theirs."""
        is_short = min(map(len, wanted)) < _SHORTEST_PART
        for source, steps, values in self._holders:
            is_near = not is_short or source.kind == URL or source in known
            if is_near and among(source) and (more := self._cut(values, wanted)):
                yield Use(source, (*steps, *more)), 3.0

    @cached_property
    def _holders(self) -> list[tuple[Source, Steps, Texts]]:
        """Values that may hold others, those of the page's URL first."""
        whole = sorted(self._values.items(), key=lambda pair: pair[0].kind != URL)[:_MOST_SEARCHED]
        found = [*((source, (), values) for source, values in whole), *self._decoded]
        return [each for each in found if max(map(len, each[2])) <= _LONGEST_SEARCHED]

    def _cut(self, values: Texts, wanted: Texts) -> Steps | None:
        """The steps that take a value out of those of a source, while there is time to find out."""
        if self._cuts_left <= 0 or not all(part in value for value, part in zip(values, wanted, strict=True)):
            return None
        self._cuts_left -= 1
        return cut(values, wanted)

    def _is_sure(self, wanted: Texts, use: Use, more: float, known: Collection[Source]) -> bool:
        searched = 0.0 if use.source in known else math.log2(max(self._counts[use.source.kind], 1)) + more
        return information(wanted, use.source.kind) >= _SURE + searched


def _encoded(wanted: Texts) -> Iterator[tuple[Step, Texts]]:
    """What values were before they were encoded, with the step that encodes them."""
    made: list[tuple[Step, Texts]] = []
    plain = applied(wanted, ("base64",))
    if plain is not None and all(text.isprintable() and text for text in plain):
        made += [("base64_encode", plain), ("base64url_encode", plain)]
    lengths = {len(value) for value in wanted}
    if len(lengths) == 1 and 1 <= max(lengths) <= MOST_DIGITS and any(value.startswith("0") for value in wanted):
        made.append(((("pad", lengths.pop()),), tuple(value.lstrip("0") for value in wanted)))
    yield from ((step, before) for step, before in made if applied(before, (step,)) == wanted)


def written_steps(steps: Steps) -> list[Any]:
    """Return steps as they stand in a site adapter."""
    return [step if isinstance(step, str) else dict(step) for step in steps]


@lru_cache(maxsize=4096)
def _change(step: Step) -> Change:
    return step_of(step if isinstance(step, str) else dict(step))


def applied(values: Sequence[str], steps: Steps) -> Texts | None:
    """Return what steps make of the value of each page; None if one cannot be applied."""
    changes = [_change(step) for step in steps]
    found = [made for value in values if (made := changed(value, changes)) is not None]
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
