"""URLs in their components: host, segments of the path, parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, unquote, unquote_plus

from mediacrawl.site_adapters.patterns import split
from mediacrawl.site_adapters.transforms import UNESCAPED

HOST, SEGMENT, QUERY = "host", "segment", "query"
"""Kinds of components."""
MOST_COMPONENTS = 60
"""Segments and parameters of a URL that is looked at; data URLs have some ten."""
LONGEST_URL = 2_000
"""Characters of a URL that is looked at, as for the engine."""
_MAY_BE_BARE = frozenset(':/?@!$,;={}[]"|')
"""Signs that some sites encode in parameters, and some do not."""


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a URL.

    Attributes:
        kind: `HOST`, `SEGMENT` or `QUERY`.
        name: of a parameter; the number of a segment, from 0.
        raw: its value as written.
        value: without percent-encoding.
    """

    kind: str
    name: str
    raw: str
    value: str


@dataclass(frozen=True, slots=True)
class Url:
    """A URL in its components.

    Attributes:
        scheme: ``http`` or ``https``.
        host: with the port, if it is written.
        segments: of the path.
        parameters: of the query, in order.
    """

    scheme: str
    host: str
    segments: tuple[Component, ...]
    parameters: tuple[Component, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its parameters, in order."""
        return tuple(each.name for each in self.parameters)


def parsed(url: str) -> Url | None:
    """A URL in its components; None if it is no http(s) URL, or too long."""
    parts = split(url) if len(url) <= LONGEST_URL else None
    if parts is None or parts.username is not None:
        return None
    found = Url(parts.scheme, parts.netloc.lower(), _segments(parts), _parameters(parts))
    return found if len(found.segments) + len(found.parameters) <= MOST_COMPONENTS else None


def _segments(parts: SplitResult) -> tuple[Component, ...]:
    written = (parts.path or "/").split("/")[1:]
    return tuple(Component(SEGMENT, str(number), raw, unquote(raw)) for number, raw in enumerate(written))


def _parameters(parts: SplitResult) -> tuple[Component, ...]:
    found = []
    for pair in parts.query.split("&") if parts.query else ():
        name, _, raw = pair.partition("=")
        found.append(Component(QUERY, unquote_plus(name), raw, unquote_plus(raw)))
    return tuple(found)


def same_request(one: str, other: str, dropped: Collection[str] = ()) -> bool:
    """Whether two URLs ask for the same, apart from parameters that are not needed."""
    return one == other or request_key(one, dropped) == request_key(other, dropped) is not None


def request_key(url: str, dropped: Collection[str] = ()) -> tuple[object, ...] | None:
    """What is equal for URLs that ask for the same: written in any percent-encoding, and parameters in any order."""
    found = parsed(url)
    if found is None:
        return None
    kept = sorted((each.name, each.value) for each in found.parameters if each.name not in dropped)
    return found.scheme, found.host, tuple(each.value for each in found.segments), tuple(kept)


def without_fragment(url: str) -> str:
    """A URL up to its ``#``."""
    return url.partition("#")[0]


def literal(text: str, kind: str, raw: str = "") -> str:
    """A text as it stands in a template."""
    if kind == HOST:
        return braced(text)
    bare = "".join({mark for mark in raw if mark in _MAY_BE_BARE})
    return braced(quote(text, safe=UNESCAPED + bare + ("" if kind == QUERY else ":@,;=+$")))


def braced(text: str) -> str:
    """A text with its braces doubled, as templates have them."""
    return text.replace("{", "{{").replace("}", "}}")


def common(texts: Iterable[str]) -> str:
    """The beginning that all texts have."""
    found = list(texts)
    first, last = min(found), max(found)
    end = next((place for place, mark in enumerate(first) if last[place : place + 1] != mark), len(first))
    return first[:end]


def common_end(texts: Iterable[str]) -> str:
    """The end that all texts have."""
    return common(text[::-1] for text in texts)[::-1]
