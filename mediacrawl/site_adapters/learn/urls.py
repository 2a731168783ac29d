"""URLs in their components: host, segments of the path, parameters."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote, unquote_plus

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
    """A part of a URL: a host, a segment with its number from 0, or a parameter with its name.

    `raw` is its value as written, `value` without percent-encoding.
    """

    kind: str
    name: str
    raw: str
    value: str


@dataclass(frozen=True, slots=True)
class Url:
    """A URL in its components; the host has the port, if it is written."""

    scheme: str
    host: str
    segments: tuple[Component, ...]
    parameters: tuple[Component, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its parameters, in order."""
        return tuple(each.name for each in self.parameters)


def parsed(url: str) -> Url | None:
    """Return a URL in its components; None if it is no http(s) URL, or too long."""
    parts = split(url) if len(url) <= LONGEST_URL else None
    if parts is None or parts.username is not None:
        return None
    path = enumerate((parts.path or "/").split("/")[1:])
    segments = tuple(Component(SEGMENT, str(number), raw, unquote(raw)) for number, raw in path)
    pairs = (pair.partition("=") for pair in (parts.query.split("&") if parts.query else ()))
    query = tuple(Component(QUERY, unquote_plus(name), raw, unquote_plus(raw)) for name, _, raw in pairs)
    too_many = len(segments) + len(query) > MOST_COMPONENTS
    return None if too_many else Url(parts.scheme, parts.netloc.lower(), segments, query)


def same_request(one: str, other: str, dropped: Collection[str] = ()) -> bool:
    """Return whether two URLs ask for the same, apart from parameters that are not needed."""
    return one == other or request_key(one, dropped) == request_key(other, dropped) is not None


def request_key(url: str, dropped: Collection[str] = ()) -> tuple[object, ...] | None:
    """Return what URLs that ask for the same have in common, in any percent-encoding and order of parameters."""
    found = parsed(url)
    if found is None:
        return None
    kept = sorted((each.name, each.value) for each in found.parameters if each.name not in dropped)
    return found.scheme, found.host, tuple(each.value for each in found.segments), tuple(kept)


def literal(text: str, kind: str, raw: str = "") -> str:
    """Return a text as it stands in a template."""
    if kind == HOST:
        return braced(text)
    bare = "".join({mark for mark in raw if mark in _MAY_BE_BARE})
    return braced(quote(text, safe=UNESCAPED + bare + ("" if kind == QUERY else ":@,;=+$")))


def braced(text: str) -> str:
    """Return a text with its braces doubled, as templates have them."""
    return text.replace("{", "{{").replace("}", "}}")


def common_end(texts: Iterable[str]) -> str:
    """Return the end that all texts have."""
    found = [text[::-1] for text in texts]
    first, last = min(found), max(found)
    end = next((place for place, mark in enumerate(first) if last[place : place + 1] != mark), len(first))
    return first[:end][::-1]
