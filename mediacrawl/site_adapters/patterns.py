"""Patterns of pages' URLs, and templates of data URLs. Both have slots in braces: ``/watch/{id}-{title}.html``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, unquote, unquote_to_bytes, urlsplit

import re2

from mediacrawl.base.text import clean
from mediacrawl.site_adapters.transforms import percent_encoded

LIKE = {
    "digits": "[0-9]+",
    "hex": "[0-9A-Fa-f]+",
    "word": "[A-Za-z0-9_-]+",
    "segment": "[^/]+",
    "path": ".+",
}
"""What a slot of a URL may hold, as an expression of RE2."""
_MOST_PARAMETERS = 100
_OF_SEGMENTS = "!$&'()*+,;=:@"
"""Characters that stand in a segment of a path as they are (RFC 3986, 3.3), besides those that always do."""
_TWO_LEVELS = frozenset({"ac", "co", "com", "edu", "gov", "ne", "net", "or", "org"})
"""Labels before a country's, below which sites are registered: ``bbc.co.uk``."""
_part = re.compile(r"\{\{|\}\}|\{(!?)([a-z][a-z0-9_]{0,29})\}|[{}]", re.ASCII)


@dataclass(frozen=True, slots=True)
class SlotUse:
    """A slot in a template; a raw one, ``{!name}``, is inserted as it is."""

    name: str
    is_raw: bool = False


class Template:
    """A text with slots: ``https://api.example/{id}.json``. ``{{`` and ``}}`` are braces.

    Raises:
        ValueError: it is none. The message is the end of a sentence.
    """

    __slots__ = ("parts", "written")

    def __init__(self, written: str) -> None:
        self.written = written
        self.parts: list[str | SlotUse] = []
        end = 0
        for match in _part.finditer(written):
            self.parts.append(written[end : match.start()])
            end = match.end()
            if match[2] is None and len(match[0]) == 1:
                raise ValueError(f"has a brace without a slot at {written[match.start() :][:20]!r}; {{{{ is a brace")
            self.parts.append(match[0][0] if match[2] is None else SlotUse(match[2], bool(match[1])))
        self.parts.append(written[end:])

    @property
    def slots(self) -> list[str]:
        """The names of its slots."""
        return [part.name for part in self.parts if isinstance(part, SlotUse)]

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the text with the values of its slots, percent-encoded except in ``{!name}``.

        Raises:
            KeyError: one is missing.
        """
        found = ""
        for part in self.parts:
            if isinstance(part, SlotUse):
                value = values[part.name]
                found += value if part.is_raw else percent_encoded(value)
            else:
                found += part
        return found


class PagePattern:
    """The pages of an adapter, by their URLs.

    Raises:
        ValueError: a template is none, or a slot occurs twice. The message is the end of a sentence.
    """

    def __init__(self, host: str, path: str, query: Mapping[str, str], like: Mapping[str, str]) -> None:
        self.host = host.lower()
        self.path = Template(path)
        self.query = {name: Template(text) for name, text in query.items()}
        self._path = _compiled(self.path, like, _normal)
        self._query = {name: _compiled(template, like) for name, template in self.query.items()}
        if len(set(self.slots)) < len(self.slots):
            raise ValueError("has a slot twice")

    @property
    def slots(self) -> list[str]:
        """The names of its slots."""
        return [name for template in (self.path, *self.query.values()) for name in template.slots]

    def matches_host(self, host: str) -> bool:
        """Return whether pages of a host may be meant."""
        return host == self.host or (self.host.startswith("*.") and f".{host}".endswith(self.host[1:]))

    def match(self, parts: SplitResult) -> dict[str, str] | None:
        """Return the values of the slots, without percent-encoding; None if this is no page of the adapter."""
        if not self.matches_host(parts.netloc.lower()):
            return None
        found = self._path.fullmatch(_normal(parts.path or "/"))
        if found is None:
            return None
        try:
            slots = {name: unquote(value, errors="strict") for name, value in found.groupdict().items()}
        except UnicodeDecodeError:
            # Percent-encoded in another encoding than UTF-8: the data URL would have another id.
            return None
        return slots if not self._query else self._with_parameters(slots, parts.query)

    def _with_parameters(self, slots: dict[str, str], query: str) -> dict[str, str] | None:
        try:
            given = dict(reversed(parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)))
        except ValueError:
            return None
        for name, expression in self._query.items():
            found = expression.fullmatch(given[name]) if name in given else None
            if found is None:
                return None
            slots |= found.groupdict()
        return slots


def _normal(path: str) -> str:
    """A path with each character percent-encoded that must be, and no other; a slash that is encoded stays so.

    A file may have ``/vidéos/{id}`` or ``/vid%C3%A9os/{id}``, and links are written in both ways, too.
    """
    return "/".join(quote(unquote_to_bytes(segment), safe=_OF_SEGMENTS) for segment in path.split("/"))


def _compiled(template: Template, like: Mapping[str, str], normal: Callable[[str], str] = str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(
        "".join(
            re2.escape(normal(part))
            if isinstance(part, str)
            else f"(?P<{part.name}>{LIKE[like.get(part.name, 'segment')]})"
            for part in template.parts
        ),
        options,
    )


def split(url: str) -> SplitResult | None:
    """Return the parts of an http or https URL; None for another text."""
    try:
        parts = urlsplit(clean(url))
        # Reading an invalid port raises.
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    return parts if is_usable else None


def site_of(host: str) -> str:
    """The part of a host that its subdomains share, roughly: two labels, or three below ``co.uk`` and its like."""
    name = host.partition(":")[0]
    labels = name.split(".")
    if len(labels) < 3 or name.replace(".", "").isdigit():
        return name
    return ".".join(labels[-3:] if len(labels[-1]) == 2 and labels[-2] in _TWO_LEVELS else labels[-2:])
