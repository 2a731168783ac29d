"""Media whose URLs stand in no answer as they are: in a longer text, or joined of values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

from mediacrawl.site_adapters.form import ANSWER
from mediacrawl.site_adapters.learn.mappings import MediaPlace
from mediacrawl.site_adapters.learn.reach import Reach, Reached, needed, usable
from mediacrawl.site_adapters.learn.templates import Explainer, Gap, Part, Template, joined
from mediacrawl.site_adapters.learn.tracing import information
from mediacrawl.site_adapters.learn.urls import QUERY, Url, literal, parsed
from mediacrawl.site_adapters.schema import MOST_REQUESTS

_MOST_PLAYED = 3
"""Media of a page that are looked for."""
_MOST_WAYS = 50


@dataclass(frozen=True)
class Joined:
    """Where media are that stand in no answer as they are.

    Attributes:
        place: of the value.
        found: the media of each page.
        needs: roles whose answers are needed before.
    """

    place: MediaPlace
    found: tuple[frozenset[str], ...]
    needs: frozenset[int]


class Joiner:
    """Looks for media in the values of one answer."""

    def __init__(self, reach: Reach, reached: Reached) -> None:
        self._reach = reach
        self._reached = reached
        self._role = reached.role

    def find(self, missing: Sequence[Sequence[str]]) -> Iterator[Joined]:
        """The first way that is right on all pages."""
        for urls in islice(product(*(page[:_MOST_PLAYED] for page in missing)), _MOST_WAYS):
            if len(set(urls)) < len(urls):
                continue
            found = self._made(urls)
            if found is not None:
                yield found
                return

    def _made(self, urls: tuple[str, ...]) -> Joined | None:
        """URLs that are joined of values in the answer, in earlier ones, and in the page."""
        number = self._role.number
        explainer = Explainer(
            self._reach.tracer,
            lambda source: source.kind == ANSWER and source.role == number,
            usable(self._reach, self._role),
        )
        template = _explained(explainer, urls)
        if template is None:
            return None
        own = [use for use in template.uses if use.source.kind == ANSWER and use.source.role == number]
        needs = (self._reached.needs | needed(self._reach, template)) - {number}
        if not own or len(needs) + 1 > MOST_REQUESTS:
            return None
        value = max(own, key=lambda use: information(self._reach.tracer.values_of(use)))
        return self._joined(MediaPlace(dict(value.source.place)["path"], value.steps, template), urls, needs)

    @staticmethod
    def _joined(place: MediaPlace, urls: Sequence[str], needs: frozenset[int]) -> Joined:
        return Joined(place, tuple(frozenset({url}) for url in urls), needs)


def _explained(explainer: Explainer, urls: Sequence[str]) -> Template | None:
    known = [found for url in urls if (found := parsed(url)) is not None]
    if len(known) < len(urls) or len({(len(url.segments), url.names) for url in known}) > 1:
        return None
    host = explainer.host(known)
    parts = None if isinstance(host, Gap) else _components(explainer, known)
    return None if parts is None or isinstance(host, Gap) else Template(joined([*host, *parts]))


def _components(explainer: Explainer, urls: Sequence[Url]) -> list[Part] | None:
    parts: list[Part] = []
    for segments in zip(*(url.segments for url in urls), strict=True):
        made = explainer.component(segments)
        if isinstance(made, Gap):
            return None
        parts += ["/", *made]
    for number, parameters in enumerate(zip(*(url.parameters for url in urls), strict=True)):
        made = explainer.component(parameters, parameters[0].name)
        if isinstance(made, Gap):
            return None
        parts += ["&" if number else "?", literal(parameters[0].name, QUERY), "=", *made]
    return parts
