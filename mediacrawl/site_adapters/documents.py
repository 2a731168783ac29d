"""Pages and answers, parsed as their form asks for, and the places of values in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lxml import etree

from mediacrawl.extract.charset import header_charset, read_html, read_plain, read_xml, shorten
from mediacrawl.extract.xml_text import readable
from mediacrawl.site_adapters.paths import DECODER, JsonPath, Pattern, XmlPath, scalar, script_state
from mediacrawl.site_adapters.selectors import Selector
from mediacrawl.site_adapters.transforms import Step, changed

LONGEST = 2_000_000
"""Bytes of an answer or a page that are read. Parsed, JSON takes up to fifty times its length."""
MOST_VALUES = 1_000
"""Values of one place."""
_MOST_TRIED = 20
"""Values of a place of which the first that can be changed is taken."""


class UnreadableError(ValueError):
    """A document is not what it should be. The message is the end of a sentence: ``is no JSON``."""


class Node:
    """A document, or one object of it, in which places are looked up."""

    __slots__ = ("_states", "element", "text", "value")

    def __init__(self, text: str = "", value: Any = None, element: Any = None) -> None:
        self.text = text
        self.value = value
        self.element = element
        self._states: dict[str, Any] = {}

    def state(self, name: str) -> Any:
        """What a page hands to its scripts, see `script_state`; each name is looked for once."""
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
        charset = header_charset(content_type)
        if form == "xml":
            return cls(element=_xml(read_xml(body, url, charset)[1]))
        if form == "html":
            document, page = read_html(body, url, charset)
            return cls(document.text, element=_page(page))
        text = read_plain(body, url, charset).text.lstrip("\ufeff \t\r\n")
        if form == "text":
            return cls(text)
        return cls(text, value=_json(text, is_call=form == "jsonp"))


def _xml(text: bytes) -> Any:
    parser = etree.XMLParser(
        encoding="utf-8", recover=True, resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False
    )
    try:
        root = etree.fromstring(readable(text), parser)
    except (etree.LxmlError, ValueError):
        root = None
    if root is None:
        raise UnreadableError("is no XML")
    return root


def _page(text: bytes) -> Any:
    parser = etree.HTMLParser(encoding="utf-8", recover=True, no_network=True, huge_tree=True)
    try:
        root = etree.fromstring(shorten(text)[0], parser)
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

    Attributes:
        json, xml, css, regex: the place, one of them, or `script` with `json`; none for a derived value.
        attribute: of the selected element; empty for its text.
        script: a variable, or the id of a script of JSON.
        steps: changes, in order.
    """

    json: JsonPath | None = None
    xml: XmlPath | None = None
    css: Selector | None = None
    regex: Pattern | None = None
    attribute: str = ""
    script: str = ""
    steps: tuple[Step, ...] = ()

    @cached_property
    def written(self) -> str:
        """The place as the file has it: ``$.videos[0].title``, ``div.player@data-key``, ``__STATE__$.id``."""
        if self.css is not None:
            return f"{self.css.written}@{self.attribute}" if self.attribute else self.css.written
        found = self.json or self.xml or self.regex
        return self.script + (found.written if found is not None else "")

    def find(self, node: Node, most: int = MOST_VALUES) -> list[str]:
        """The values at this place, changed by the steps. One that cannot be changed is left out."""
        return list(self._values(node, most))

    def first(self, node: Node) -> str:
        """The first value; empty without one."""
        return next(self._values(node, _MOST_TRIED), "")

    def _values(self, node: Node, most: int) -> Iterator[str]:
        found = (changed(text, self.steps) for text in self._texts(node, most))
        return (text for text in found if text)

    def _texts(self, node: Node, most: int) -> Iterable[str]:
        if self.script:
            return _scalars(self.json or JsonPath("$"), node.state(self.script), most)
        if self.json is not None:
            return _scalars(self.json, node.value, most)
        if self.xml is not None:
            return self.xml.find(node.element)[:most] if node.element is not None else ()
        if self.css is not None:
            element = self.css.first(node.element) if node.element is not None else None
            text = None if element is None else _text_of(element, self.attribute)
            return () if text is None else (text,)
        return self.regex.find(node.text, most) if self.regex is not None else ()


def _scalars(path: JsonPath, value: Any, most: int) -> list[str]:
    return [text for each in path.find(value, most) if (text := scalar(each)) is not None]


def _text_of(element: Any, attribute: str) -> str | None:
    if attribute:
        found: str | None = element.get(attribute)
        return found
    return "".join(element.itertext()).strip()
