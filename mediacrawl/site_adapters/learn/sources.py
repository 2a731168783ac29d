"""Where the values of a data URL can come from: the page's URL, the page, earlier answers.

A source has the same identity on each page, so that its values on several pages can be compared.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mediacrawl.site_adapters.documents import Node, UnreadableError
from mediacrawl.site_adapters.form import ANSWER, PAGE, URL
from mediacrawl.site_adapters.learn.secrets import secret_kind
from mediacrawl.site_adapters.learn.trees import Path, Tree, json_path, tree_of
from mediacrawl.site_adapters.paths import script_state

_UNLIKELY = 0.01
"""Chance by which what is looked for would stand in the same place of a list on all pages if its place were any. Above
that another page may have another order."""
SEGMENT, PARAMETER = "segment", "parameter"
"""Places in the URL of a page."""
MOST_VALUES = 20_000
"""Values of a page, and of an answer, that may be sources."""
LONGEST_VALUE = 2_000
"""Characters of a value that may be a source: the engine's limit for slots."""
_GIVEN = ("", "csrf")
"""Kinds of secrets that a page gives to everybody: none, and nonces."""
_MOST_ELEMENTS = 20_000
_MOST_ATTRIBUTES = 20
_MOST_NAMES = 60
"""Variables of a page's scripts that are read; each is a search through all scripts."""
_MOST_SCRIPTS = 100
_LONGEST_SCRIPT = 500_000

_is_name = re.compile(r"[A-Za-z][\w-]{0,60}", re.ASCII).fullmatch
_is_attribute = re.compile(r"[a-z][a-z0-9_-]{0,60}", re.ASCII).fullmatch
_is_quotable = re.compile(r"[A-Za-z0-9_.-]{1,60}", re.ASCII).fullmatch
_assigned = re.compile(
    r"([A-Za-z_$][\w$]{0,60})[\"']?\]?\s{0,9}([=:])(?!=)\s{0,9}(?:([{\[]|JSON\.parse)|[\"'0-9])", re.ASCII
).finditer
_SINGLE = ("iframe", "video", "audio", "source", "object", "embed", "body", "html", "article", "main")
"""Elements of which a page has one, or of which the first one matters."""
_NAMED_BY = {"meta": ("name", "property", "itemprop"), "link": ("rel",), "input": ("name",)}
_NO_VALUES = frozenset({"class", "style", "rel", "type", "charset", "lang", "width", "height"})


@dataclass(frozen=True, slots=True)
class Source:
    """A place that has a value on each page: in the URL of the page, in the page, or in the answer of a role.

    `place` has the fields of its slot in the adapter; of a URL and an answer it is the place in it. `name` is what the
    value is called there. The smallest explanation has the lowest `cost`.
    """

    kind: str
    place: tuple[tuple[str, Any], ...]
    name: str = ""
    cost: int = 0
    role: int = -1

    @property
    def written(self) -> str:
        """The place, for people."""
        words = dict(self.place)
        if self.kind == URL:
            ((where, which),) = self.place
            return (
                f"segment {which + 1} of the page's path"
                if where == SEGMENT
                else f"parameter {which} of the page's URL"
            )
        if self.kind == ANSWER:
            return f"{json_path(words['path'])} of an answer"
        if "css" in words:
            return f"{words['css']}@{words['attribute']} of the page"
        return f"{words['script']}: {words['json']} in a script of the page"


Values = dict[Source, str]
"""Sources of one page with their values."""
Joint = dict[Source, tuple[str, ...]]
"""Sources with their values on each of several pages."""


def page_node(html: str, url: str) -> Node | None:
    """Return a page as the engine parses it; None if it cannot."""
    try:
        return Node.read(html.encode("utf-8", "replace"), "html", url, "text/html; charset=utf-8")
    except UnreadableError:
        return None


def page_values(node: Node, pages: int) -> Values:
    """Return the values in a page: attributes of elements that a selector finds, and the state of scripts."""
    found: Values = {}
    for source, value in islice((*_element_values(node.element), *_script_values(node.element, pages)), MOST_VALUES):
        if value and len(value) <= LONGEST_VALUE and secret_kind(source.name) in _GIVEN:
            found.setdefault(source, value)
    return found


def answer_values(tree: Tree, role: int, pages: int) -> Values:
    """Return the values in an answer."""
    found: Values = {}
    for path, text in _steady(tree, pages):
        if text and len(text) <= LONGEST_VALUE and secret_kind(_last_name(path)) in _GIVEN:
            price = 40 + len(path) + 4 * sum(isinstance(step, int) for step in path)
            found[Source(ANSWER, (("path", path),), _last_name(path), price, role)] = text
    return found


def _steady(tree: Tree, pages: int) -> Iterator[tuple[Path, str]]:
    """Values that do not stand in a list whose items may have another order on another page.

    In a list of one there is no other item, and the same number in a long list is no chance: on the first page a value
    stands anywhere, on each other one by chance in the same place.
    """
    least = next(size for size in range(2, 1_000) if size ** -(pages - 1) <= _UNLIKELY) if pages > 1 else 0
    short = {path for path, size in tree.lists.items() if 1 < size < least}
    for path, text in islice(tree.leaves.items(), MOST_VALUES):
        if not any(isinstance(step, int) and path[:place] in short for place, step in enumerate(path)):
            yield path, text


def joint(pages: Sequence[Values]) -> Joint:
    """The sources that all pages have, if their values differ: a value that is the same everywhere explains nothing."""
    first, *others = pages
    found: Joint = {}
    for source, value in first.items():
        values = (value, *(each.get(source, "") for each in others))
        if all(values) and len(set(values)) > 1:
            found[source] = values
    return found


def _last_name(path: Path) -> str:
    return next((step.lstrip("@") for step in reversed(path) if isinstance(step, str)), "")


def _element_values(root: Any) -> Iterator[tuple[Source, str]]:
    """Values of elements that a selector finds alone: which of several is meant, one cannot know."""
    found: dict[str, tuple[Any, str, int] | None] = {}
    for element in islice(root.iter(), _MOST_ELEMENTS):
        tag = element.tag
        if isinstance(tag, str) and tag not in ("script", "style"):
            for selector, name, cost in _selectors(element, tag):
                found[selector] = (element, name, cost) if selector not in found else None
    for selector, single in found.items():
        if single is not None:
            element, name, cost = single
            for attribute, value in islice(element.attrib.items(), _MOST_ATTRIBUTES):
                if attribute not in _NO_VALUES and _is_attribute(attribute):
                    is_data = attribute.startswith("data-")
                    called = attribute.removeprefix("data-") if is_data else name
                    place = (("css", selector), ("attribute", attribute))
                    yield Source(PAGE, place, called, cost + (not is_data)), value


def _selectors(element: Any, tag: str) -> Iterator[tuple[str, str, int]]:
    """Selectors that may find an element, with what it is called, and their cost."""
    if _is_name(element.get("id") or ""):
        yield f"#{element.get('id')}", element.get("id"), 10
    for attribute in _NAMED_BY.get(tag, ()):
        value = element.get(attribute)
        if value and _is_quotable(value):
            yield f'{tag}[{attribute}="{value}"]', value, 11
    for attribute in islice(element.attrib, _MOST_ATTRIBUTES):
        if attribute.startswith("data-") and _is_attribute(attribute):
            yield f"{tag}[{attribute}]", "", 11
    for name in islice((element.get("class") or "").split(), 4):
        if _is_name(name):
            yield f"{tag}.{name}", name, 12
    if tag in _SINGLE:
        yield tag, tag, 13


def _script_values(root: Any, pages: int) -> Iterator[tuple[Source, str]]:
    for name, cost in _state_names(root):
        for path, text in _steady(tree_of(script_state(root, name)), pages):
            yield Source(PAGE, (("script", name), ("json", json_path(path))), _last_name(path) or name, cost), text


def _state_names(root: Any) -> Iterable[tuple[str, int]]:
    """Names of values that the page hands to its scripts, with their cost, the best first."""
    found: dict[str, int] = {}
    seen: Counter[str] = Counter()
    for script in islice(root.iter("script"), _MOST_SCRIPTS):
        code = (script.text or "")[:_LONGEST_SCRIPT]
        if "json" in (script.get("type") or ""):
            if script.get("id"):
                found.setdefault(str(script.get("id")), 12)
            continue
        for match in islice(_assigned(code), 2_000):
            name, sign, is_object = str(match[1]), match[2], match[3]
            # A property of which there are several says nothing: the first one is read.
            seen[name] += sign == ":"
            cost = 12 if sign == "=" and is_object else 13 if sign == "=" else 15
            found.setdefault(name, cost)
    single = [(name, cost) for name, cost in found.items() if seen[name] < 2]
    return sorted(single, key=lambda each: each[1])[:_MOST_NAMES]
