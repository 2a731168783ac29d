"""Pages and answers, parsed as their form asks for, and the places of values in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lxml import etree

from mediacrawl.base.content_type import header_charset
from mediacrawl.extract import decode
from mediacrawl.site_adapters.paths import DECODER, JsonPath, Pattern, Selector, scalar, script_state
from mediacrawl.site_adapters.transforms import Step, changed

LONGEST = 2_000_000
"""Bytes of an answer or a page that are read. Parsed, JSON takes up to fifty times its length."""
MOST_VALUES = 1_000
"""Values of one place."""
_MOST_TRIED = 20
"""Values of a place of which the first that can be changed is taken."""

_MOST_ATTRIBUTES = 100
"""Attributes of an element of XML that are read."""


class UnreadableError(ValueError):
    """A document is not what it should be. The message is the end of a sentence: ``is no JSON``."""


class Node:
    """A document, or one object of it, in which places are looked up.

    JSON, JSONP and XML have a value, a page its text and its elements, and other documents a text.
    """

    __slots__ = ("_states", "element", "text", "value")

    def __init__(self, text: str = "", value: Any = None, element: Any = None) -> None:
        self.text = text
        self.value = value
        self.element = element
        self._states: dict[str, Any] = {}

    def state(self, name: str) -> Any:
        """Return what a page hands to its scripts, see `script_state`; each name is looked for once."""
        if name not in self._states:
            self._states[name] = None if self.element is None else script_state(self.element, name)
        return self._states[name]

    @classmethod
    def read(cls, body: bytes, form: str, url: str, content_type: str = "") -> Node:
        """Parse a document.

        Raises:
            UnreadableError: it is too long, or not of this form.
        """
        if len(body) > LONGEST:
            raise UnreadableError(f"has {len(body)} bytes, more than {LONGEST}")
        document = decode(body, form, url, header_charset(content_type))
        if form == "xml":
            return cls(value=_xml(document.markup))
        if form == "html":
            return cls(document.text, element=_page(document.markup))
        text = document.text.lstrip("\ufeff \t\r\n")
        if form == "text":
            return cls(text)
        return cls(text, value=_json(text, is_call=form == "jsonp"))


def _xml(text: bytes) -> dict[str, Any]:
    parser = etree.XMLParser(
        encoding="utf-8", recover=True, resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False
    )
    try:
        root = etree.fromstring(text, parser)
    except (etree.LxmlError, ValueError):
        root = None
    if root is None:
        raise UnreadableError("is no XML")
    return {_local(root.tag): _as_json(root)}


def _as_json(element: Any) -> Any:
    """Return an element as JSON: attributes as ``@name``, elements in a list of their name, its text as ``#text``.

    An element that has nothing but text is that text. Names are without namespaces.
    """
    # Not of `attrib.items`: with 80,000 attributes it takes 80 s.
    names = element.keys()[:_MOST_ATTRIBUTES]
    found: dict[str, Any] = {f"@{_local(name)}": element.get(name) for name in names}
    for child in element:
        if isinstance(child.tag, str):
            found.setdefault(_local(child.tag), []).append(_as_json(child))
    text = "" if any(isinstance(each, list) for each in found.values()) else "".join(element.itertext()).strip()
    return {**found, "#text": text} if found and text else found or text


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _page(text: bytes) -> Any:
    parser = etree.HTMLParser(encoding="utf-8", recover=True, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(text, parser)
    except (etree.LxmlError, ValueError):
        root = None
    if root is None:
        raise UnreadableError("is no HTML")
    return root


def _json(text: str, *, is_call: bool) -> Any:
    if is_call:
        text = text[text.find("(") + 1 : text.rfind(")")]
    elif not text.startswith(("{", "[")):
        # A line before the value keeps other sites from running it as a script: )]}', or while(1);
        begins = min((place for mark in "{[" if (place := text.find(mark, 0, 100)) >= 0), default=0)
        text = text[begins:]
    try:
        value = DECODER.decode(text)
    except (ValueError, RecursionError):
        raise UnreadableError("is no JSONP" if is_call else "is no JSON") from None
    if not isinstance(value, (dict, list)):
        raise UnreadableError("is JSON without an object")
    return value


@dataclass(frozen=True)
class Place:
    """Where a value stands in a document, and what is made of it.

    One of `json`, `css`, `regex` and `script` is set, or `script` with `json`; none for a value that is made
    of another. Of a selected element it is the `attribute`, or its text. Of a fact it may be a `slot`
    instead. The `steps` change the value, in their order.
    """

    json: JsonPath | None = None
    css: Selector | None = None
    regex: Pattern | None = None
    attribute: str = ""
    script: str = ""
    steps: tuple[Step, ...] = ()
    slot: str = ""

    @cached_property
    def written(self) -> str:
        """The place in words: ``videos[0].title``, ``div.player@data-key``, ``__STATE__: video.id``."""
        if self.slot:
            return f"slot {self.slot}"
        found = self.json or self.css or self.regex
        inner = found.written if found is not None else ""
        if self.script:
            return f"{self.script}: {inner}" if inner else self.script
        return f"{inner}@{self.attribute}" if self.attribute else inner

    def find(self, node: Node, most: int = MOST_VALUES) -> list[str]:
        """Return the values at this place, changed by the steps. One that cannot be changed is left out."""
        return list(self._values(node, most))

    def first(self, node: Node) -> str:
        """Return the first value; empty without one."""
        return next(self._values(node, _MOST_TRIED), "")

    def _values(self, node: Node, most: int) -> Iterator[str]:
        found = (changed(text, self.steps) for text in self._texts(node, most))
        return (text for text in found if text)

    def _texts(self, node: Node, most: int) -> Iterable[str]:
        if self.script or self.json is not None:
            value = node.state(self.script) if self.script else node.value
            found = self.json.find(value, most) if self.json is not None else [value]
            return [text for each in found if (text := scalar(each)) is not None]
        if self.css is not None:
            element = self.css.first(node.element) if node.element is not None else None
            if element is None:
                return ()
            text = element.get(self.attribute) if self.attribute else "".join(element.itertext()).strip()
            return () if text is None else (text,)
        return self.regex.find(node.text, most) if self.regex is not None else ()
