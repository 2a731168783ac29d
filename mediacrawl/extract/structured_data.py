"""Objects of JSON-LD scripts, and microdata items in the same form (the HTML standard, section 5, "Microdata").

JSON-LD is mended as it was found on pages: HTML comments and CDATA marks around the JSON, comments inside, semicolons
and commas too many, several objects one after the other, the whole text escaped as HTML. What is broken otherwise is
read as the literals of a script (`literals`): other text around objects, single quotes, brackets that are missing. Of
microdata only items of the wanted types are read; every element is looked at a bounded number of times, whatever
``itemref`` says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator
from itertools import islice
from typing import Any

from lxml import etree

from mediacrawl.extract.literals import literals
from mediacrawl.extract.texts import TEXT_PIECES, fold, unescape, walked

MOST_SCRIPTS = 50
"""Scripts of a page that are read."""
LONGEST_SCRIPTS = 500_000
"""Characters of all scripts of a page that are parsed. A parsed object takes some ten times the memory.

A script that is too long is passed over, and the next one is read."""
_MOST_OBJECTS = 100
"""Objects in one script, one after the other."""

_decode = json.JSONDecoder(strict=False).raw_decode
_opening = re.compile(r"[\s\ufeff]*+(?:(?:<!--|//|/\*|<!\[CDATA\[|\*/)[\s]*+)*+").match
_between = re.compile(r"(?:[\s;,]|/?\*/|//|\]\]>|-->|<!--)*+").match
# An unterminated string extends to the end of the text; else the search would restart behind each quote.
_STRING = r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)'
_comments = re.compile(rf"({_STRING})|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|//[^\n]*+", re.DOTALL).sub
_commas = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL).sub


def read_scripts(texts: Iterable[str]) -> list[Any]:
    """Parse the scripts of a page into objects or lists of objects, in order. Never raises."""
    found: list[Any] = []
    room = LONGEST_SCRIPTS
    for text in islice(texts, MOST_SCRIPTS):
        if len(text) <= room:
            room -= len(text)
            found += _read_script(text)
    return found


def _read_script(text: str) -> list[Any]:
    found, whole = _objects(text)
    if whole:
        return found
    plain = unescape(text) if "&quot;" in text and '"' not in text else text
    mended, whole = _objects(_commas(_kept, _comments(_kept, plain)))
    if whole:
        return mended
    # Brackets without an object in them are part of the text around.
    values = (each.value for each in literals(plain, is_json=True))
    return [value for value in values if any(isinstance(each, dict) and each for each in (value, *value))]


def _kept(match: re.Match[str]) -> str:
    return match[1] or ""


def _objects(text: str) -> tuple[list[Any], bool]:
    """Return the objects at the beginning of a text, and whether they are all of it."""
    found: list[Any] = []
    opening = _opening(text)
    place = opening.end() if opening else 0
    while place < len(text) and len(found) < _MOST_OBJECTS:
        try:
            read, place = _decode(text, place)
        except (ValueError, RecursionError):
            return found, False
        if isinstance(read, (dict, list)):
            found.append(read)
        between = _between(text, place)
        place = between.end() if between else place
    return found, True


_STEPS = 20_000
"""Elements of a page that are examined for properties of items, in 0.1 s at most."""
_CHARACTERS = 100
"""Characters of text that cost as much as an element."""
_PIECES = 5
"""Steps within the text of an element that cost as much as an element."""
_MOST_ITEMS = 500
"""Items of a page that are read, apart from those inside of others."""
_DEEPEST = 8
"""Items inside items."""
_MOST_NAMES = 5
"""Properties that one element is the value of."""
_LONGEST_VALUE = 2_000
"""Characters of a value."""

# Attributes take a third of the time of elements, and a shop's page has a thousand items.
_item_types: Any = etree.XPath("//@itemtype")
_named: Any = etree.XPath("//*[@id]")
_URL_ATTRIBUTES = {
    **dict.fromkeys(("audio", "embed", "iframe", "img", "source", "track", "video"), "src"),
    **dict.fromkeys(("a", "area", "link"), "href"),
    "object": "data",
    "data": "value",
    "meter": "value",
    "time": "datetime",
}


def read_items(root: Any, wanted: Container[str]) -> list[dict[str, Any]]:
    """Parse the items of wanted types (``VideoObject``), outermost first. Never raises.

    Returns:
        For each a dict with ``@type``, a list of such names, and a list of values for each property: texts, or dicts of
        the same form.
    """
    reader = _ItemReader(root)
    found = _item_types(root)
    # A page has many items, and few types.
    fits = {text for text in set(map(str, found)) if any(name in wanted for name in _type_names(text))}
    items = (text.getparent() for text in islice(filter(fits.__contains__, found), _MOST_ITEMS)) if fits else ()
    return [reader.read(item, 0) for item in items if item.get("itemscope") is not None and item not in reader.done]


def _type_names(types: str) -> list[str]:
    return [word.rstrip("/").rpartition("/")[2] for word in types[:500].split()]


class _ItemReader:
    """Parses items of one page within the limit of steps."""

    def __init__(self, root: Any) -> None:
        self.done: set[Any] = set()
        self._root = root
        self._steps = _STEPS
        self._ids: dict[str, Any] | None = None

    def read(self, item: Any, depth: int) -> dict[str, Any]:
        """Parse the item of an element, with those that are its values; it is inside of `depth` others."""
        self.done.add(item)
        found: dict[str, Any] = {"@type": _type_names(item.get("itemtype") or "")}
        for element in self._elements(item):
            names = (element.get("itemprop") or "").split()[:_MOST_NAMES]
            value = self._value(element, depth) if names else None
            if value:
                for name in names:
                    if not name.startswith("@"):
                        found.setdefault(name, []).append(value)
        return found

    def _elements(self, item: Any) -> Iterator[Any]:
        """Yield the elements that may be properties of an item: below it and no other item, or referred to by it."""
        branches = [iter([element]) for element in self._referred(item)]
        branches.append(item.iterchildren())
        while branches and self._steps > 0:
            element = next(branches[-1], None)
            if element is None:
                branches.pop()
                continue
            self._steps -= 1
            yield element
            if element.get("itemscope") is None:
                branches.append(element.iterchildren())

    def _referred(self, item: Any) -> Iterator[Any]:
        seen = {item}
        for name in (item.get("itemref") or "")[:1_000].split():
            if self._ids is None:
                self._ids = {element.get("id"): element for element in reversed(_named(self._root))}
            element = self._ids.get(name)
            if element is not None and element not in seen:
                seen.add(element)
                yield element

    def _value(self, element: Any, depth: int) -> Any:
        """Return the value of an element that is a property: a text, or an item in the form of `read_items`."""
        if element.get("itemscope") is not None:
            # One that was read already is a circular reference.
            return self.read(element, depth + 1) if depth < _DEEPEST and element not in self.done else None
        attribute = _URL_ATTRIBUTES.get(element.tag)
        # Pages use "content" on all elements.
        value = element.get("content") or (element.get(attribute) if attribute else None)
        if value is None and (attribute is None or element.tag in ("data", "meter", "time", "a")):
            # A long text is read again for every element around it, so it costs steps.
            pieces = [element.text, *walked(element, 2 * TEXT_PIECES)]
            texts = list(filter(None, pieces))
            self._steps -= sum(map(len, texts)) // _CHARACTERS + len(pieces) // _PIECES
            value = fold(texts, _LONGEST_VALUE)
        return (value or "").strip()[:_LONGEST_VALUE]
