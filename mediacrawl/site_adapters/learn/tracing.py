"""Finds where a value comes from that differs from page to page.

A source explains a value if it gives the right one on all pages. So does many a source by chance, if the value is
short: a page has thousands of values. An explanation is taken if the chance of that is below one in a thousand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from mediacrawl.site_adapters.form import ANSWER, PAGE, URL
from mediacrawl.site_adapters.learn.sources import Joint, Source
from mediacrawl.site_adapters.learn.steps import Step, Steps, Texts, applied, cut, fixed_part
from mediacrawl.site_adapters.learn.words import WORDS

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
_letters = re.compile(r"[a-z0-9]+").findall


@dataclass(frozen=True, slots=True)
class Use:
    """A source, and what is made of its value.

    Attributes:
        source: the place.
        steps: changes, in order.
        is_raw: whether the value is inserted as it is: it is a URL, or a part of one.
    """

    source: Source
    steps: Steps = ()
    is_raw: bool = False

    @property
    def cost(self) -> int:
        """The smallest explanation has the lowest."""
        return self.source.cost + 2 * len(self.steps)


def bits(value: str, common: Collection[str] = _COMMON) -> float:
    """How much a value tells: the logarithm of how many others could stand in its place."""
    if value.lower() in common:
        return 2.0
    if value.isdecimal():
        return 1.0 if len(value) == 1 else 2.0 + 1.7 * len(value) if len(value) < 3 else 3.3 * len(value)
    each = 4.0 if all(mark in "0123456789abcdefABCDEF-" for mark in value) else 4.5 if value.isalnum() else 3.0
    return min(each * len(value), 80.0)


def information(values: Iterable[str], kind: str = "") -> float:
    """How much the different values of several pages tell together, in bits."""
    return sum(bits(value, _FLAGS if kind == URL else _COMMON) for value in set(values))


def same_name(one: str, other: str) -> bool:
    """Whether two places have the same name, or one the end of the other's: ``id`` and ``video_id``."""
    first, second = ("".join(_letters(name.lower())) for name in (one, other))
    if not first or not second:
        return False
    short, long = sorted((first, second), key=len)
    return short == long or (len(short) > 1 and long.endswith(short))


Among = Callable[[Source], bool]
"""Whether a source may be used."""


def _anything(source: Source) -> bool:  # noqa: ARG001
    return True


class Tracer:
    """Finds sources by their values on all pages."""

    def __init__(self, values: Joint) -> None:
        self._values = values
        self._exact: dict[Texts, list[Use]] = {}
        self._cuts_left = _MOST_CUTS
        self._decoded: dict[tuple[Source, Steps], Texts] = {}
        self._counts = dict.fromkeys((URL, PAGE, ANSWER), 0)
        for source, each in values.items():
            self._counts[source.kind] += 1
            self._add(Use(source), each)
        for source, each in list(values.items())[:_MOST_DECODED]:
            self._decode(source, each)

    def find(
        self, wanted: Texts, name: str = "", *, among: Among = _anything, known: Collection[Use] = ()
    ) -> Use | None:
        """The smallest explanation of a value; None if there is none that is sure."""
        if len(set(wanted)) < 2 or not all(wanted):
            return None
        for found, is_searched in self._stages(wanted, among, known):
            sure = [
                use for use, more in found if is_searched(use.source) and self._is_sure(wanted, use, name, more, known)
            ]
            if sure:
                return min(sure, key=lambda use: (use.cost - same_name(use.source.name, name), str(use)))
        return None

    def _stages(
        self, wanted: Texts, among: Among, known: Collection[Use]
    ) -> Iterator[tuple[Iterator[tuple[Use, float]], Among]]:
        """Where a value is looked for, and in which sources: in the page's URL first, which needs no request."""

        def in_url(source: Source) -> bool:
            return source.kind == URL and among(source)

        for where in (in_url, among):
            yield self._whole(wanted), where
            yield self._parts(wanted, where, known), where

    def constant(self, values: Texts, source: Source | None) -> Use | None:
        """How an adapter reads a value from the page that is the same on all pages; None if it cannot."""
        if source is None:
            return None
        self._values[source] = values
        return Use(source)

    def values_of(self, use: Use) -> Texts:
        """The values that a use has on each page."""
        return applied(self._values.get(use.source, ()), use.steps) or ()

    # Whole values

    def _add(self, use: Use, values: Texts) -> None:
        known = self._exact.setdefault(values, [])
        if len(known) < _MOST_SAME:
            known.append(use)

    def _decode(self, source: Source, values: Texts) -> None:
        """Add what the values of a source are without Base64, percent-encoding and zeros in front; and their JSON."""
        steps: list[Step] = []
        if all(_looks_base64(value) for value in values):
            steps.append("base64")
        if all("%" in value for value in values):
            steps.append("url_decode")
        if any(value.startswith("0") for value in values) and all(value.isdecimal() for value in values):
            steps.append("unpad")
        for each in ((), *((step,) for step in steps)):
            made = applied(values, each)
            if made is None or not all(text.isprintable() for text in made) or len(set(made)) < 2:
                continue
            if each:
                self._add(Use(source, each), made)
                self._decoded[source, each] = made

    def _whole(self, wanted: Texts) -> Iterator[tuple[Use, float]]:
        for use in self._exact.get(wanted, ()):
            yield use, 0.0
        for step, before in _encoded(wanted):
            for use in self._exact.get(before, ()):
                yield Use(use.source, (*use.steps, step)), 1.0

    # Parts of values

    def _parts(self, wanted: Texts, among: Among, known: Collection[Use]) -> Iterator[tuple[Use, float]]:
        made = [(use.source, use.steps, self.values_of(use)) for use in known if use.steps]
        is_short = min(map(len, wanted)) < _SHORTEST_PART
        for source, steps, values in (*made, *self._holders):
            may_be_short = source.kind == URL or any(source == use.source for use in known)
            if wanted[0] not in values[0] or not among(source) or (is_short and not may_be_short):
                continue
            if self._may_cut(values, wanted):
                more = cut(values, wanted)
                if more is None and source.kind == URL and (steps or not _is_padded(source, known)):
                    more = fixed_part(values, wanted)
                if more:
                    yield Use(source, (*steps, *more)), 3.0
        for step, before in _encoded(wanted):
            for source, _, values in self._holders[: self._counts[URL]]:
                if source.kind == URL and self._may_cut(values, before) and (more := cut(values, before)):
                    yield Use(source, (*more, step)), 4.0

    @cached_property
    def _holders(self) -> list[tuple[Source, Steps, Texts]]:
        """Values that may hold others, those of the page's URL first."""
        whole = [(source, (), values) for source, values in self._values.items() if source.kind == URL]
        whole += [(source, (), values) for source, values in self._values.items() if source.kind != URL]
        decoded = [(source, steps, values) for (source, steps), values in self._decoded.items()]
        found = [*whole[:_MOST_SEARCHED], *decoded]
        return [each for each in found if max(map(len, each[2])) <= _LONGEST_SEARCHED]

    def _may_cut(self, values: Texts, wanted: Texts) -> bool:
        """Whether a value stands in those of a source, and there is time left to find out where."""
        if self._cuts_left <= 0 or not all(part in value for value, part in zip(values, wanted, strict=True)):
            return False
        self._cuts_left -= 1
        return True

    def _is_sure(self, wanted: Texts, use: Use, name: str, more: float, known: Collection[Use]) -> bool:
        is_known = any(use.source == each.source for each in known)
        more = 0.0 if is_known else more
        searched = 0.0 if is_known else math.log2(max(self._counts[use.source.kind], 1))
        needed = _SURE + searched + more
        if same_name(use.source.name, name):
            needed -= 20.0 if use.source.kind == URL else 12.0
        return information(wanted, use.source.kind) >= needed


def _is_padded(source: Source, known: Collection[Use]) -> bool:
    """Whether a value is padded elsewhere in the URL: then its parts are taken of the padded one."""
    return any(use.source == source and _has_pad(use.steps) for use in known)


def _has_pad(steps: Steps) -> bool:
    return any(not isinstance(step, str) and step[0][0] == "pad" for step in steps)


def _encoded(wanted: Texts) -> Iterator[tuple[Step, Texts]]:
    """What values were before they were encoded, with the step that encodes them."""
    if any("%" in value for value in wanted):
        yield from _checked("url_encode", tuple(unquote(value) for value in wanted), wanted)
    plain = applied(wanted, ("base64",))
    if plain is not None and all(text.isprintable() and text for text in plain):
        for step in ("base64_encode", "base64url_encode"):
            yield from _checked(step, plain, wanted)
    lengths = {len(value) for value in wanted}
    if len(lengths) == 1 and any(value.startswith("0") for value in wanted):
        (length,) = lengths
        yield from _checked((("pad", length),), tuple(value.lstrip("0") for value in wanted), wanted)


def _checked(step: Step, before: Texts, wanted: Texts) -> Iterator[tuple[Step, Texts]]:
    try:
        if applied(before, (step,)) == wanted:
            yield step, before
    except ValueError:
        return


def names_of(uses: Iterable[Use]) -> Mapping[Use, str]:
    """A name for each use: what its value is called at its source, made unique."""
    found: dict[Use, str] = {}
    taken: set[str] = set()
    for use in uses:
        if use not in found:
            base = "_".join(_letters(use.source.name.lower()))[:20].strip("_") or "value"
            base = base if base[0].isalpha() else f"v_{base}"
            name = next(each for each in (base, *(f"{base}_{n}" for n in range(2, 200))) if each not in taken)
            taken.add(name)
            found[use] = name
    return found
