"""Explains a URL that differs from page to page: a template of constant text and of values with known sources."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.site_adapters.learn.sources import Source
from mediacrawl.site_adapters.learn.tracing import Among, Texts, Tracer, Use
from mediacrawl.site_adapters.learn.urls import HOST, QUERY, SEGMENT, Component, Url, braced, literal
from mediacrawl.site_adapters.learn.visits import Visit

Part = str | Use
"""Text of a template, encoded and with its braces doubled, or a value."""
_LEVELS = ("/?#", "&;|", "{}[]\"'<>", ", :=~@!", ".", "-_+")
"""Separators at which a component is taken apart, the coarse ones first."""
_MOST_TOKENS = 40


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a URL whose source is unknown, with the name of the parameter or the number of the segment."""

    kind: str
    name: str
    values: Texts

    @property
    def written(self) -> str:
        """The part, for people."""
        shown = " and ".join(f"{value[:40]!r}" for value in self.values[:2])
        if self.kind == QUERY:
            return f"the parameter {self.name} ({shown})"
        return f"segment {int(self.name) + 1} of the path ({shown})" if self.kind == SEGMENT else f"the host ({shown})"


@dataclass(frozen=True, slots=True)
class Template:
    """A URL as it is made on each page: its parts, joined."""

    parts: tuple[Part, ...]

    @property
    def uses(self) -> list[Use]:
        """Its values."""
        return [part for part in self.parts if isinstance(part, Use)]

    @property
    def cost(self) -> int:
        """The smallest explanation has the lowest."""
        return sum(use.cost + 1 for use in set(self.uses))


class Explainer:
    """Explains URLs, component by component, by the sources that may be used, the first ones first."""

    def __init__(self, tracer: Tracer, *among: Among) -> None:
        self._tracer = tracer
        self._among = among
        self._raw = ""
        self._known: set[Source] = set()

    def host(self, urls: Sequence[Url]) -> list[Part] | Gap:
        """Explain scheme and host of a URL."""
        hosts = tuple(url.host for url in urls)
        if len({url.scheme for url in urls}) > 1:
            return Gap(HOST, "", hosts)
        parts = self._text(hosts, HOST, 0)
        return Gap(HOST, "", hosts) if parts is None else [f"{urls[0].scheme}://", *parts]

    def constant(self, values: Sequence[str], visits: Sequence[Visit]) -> Use | None:
        """Return where the pages have a value that is the same on all of them; None if they do not have it."""
        first, *others = [visit.values(len(visits)) for visit in visits]
        found = [source for source, text in first.items() if text == values[0]]
        found = [source for source in found if all(each.get(source) == values[0] for each in others)]
        source = min(found, key=lambda source: (source.cost, str(source)), default=None)
        return None if source is None else self._tracer.constant(tuple(values), source)

    def component(self, each: Sequence[Component]) -> list[Part] | Gap:
        """Explain a segment, or the value of a parameter."""
        values = tuple(one.value for one in each)
        kind = each[0].kind
        if len(set(values)) == 1:
            return [braced(each[0].raw)]
        self._raw = each[0].raw
        parts = self._text(values, kind, 0)
        return Gap(kind, each[0].name, values) if parts is None else parts

    def _text(self, values: Texts, kind: str, level: int) -> list[Part] | None:
        if len(set(values)) == 1:
            return [literal(values[0], kind, self._raw)]
        if not all(values):
            return None
        use = self._find(values)
        tried = (self._tokens(values, kind, deeper) for deeper in range(level, len(_LEVELS)))
        return [use] if use is not None else next((parts for parts in tried if parts is not None), None)

    def _find(self, values: Texts) -> Use | None:
        found = (self._tracer.find(values, among, self._known) for among in self._among)
        use = next((use for use in found if use is not None), None)
        self._known |= {use.source} if use is not None else set()
        return use

    def _tokens(self, values: Texts, kind: str, level: int) -> list[Part] | None:
        """Taken apart at separators, if they are the same on all pages."""
        split = [re.split(f"([{re.escape(_LEVELS[level])}])", value) for value in values]
        counts = {len(tokens) for tokens in split}
        if counts == {1} or len(counts) > 1 or max(counts) > _MOST_TOKENS:
            return None
        found: list[Part] = []
        for tokens in zip(*split, strict=True):
            if not any(tokens):
                continue
            parts = self._text(tokens, kind, level + 1)
            if parts is None:
                return None
            found += parts
        return found


def joined(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Return parts with neighbouring texts made one."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part:
            found.append(part)
    return tuple(found)
