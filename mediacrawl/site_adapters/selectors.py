"""CSS selectors that are evaluated in one walk over the page.

As XPath, which is how lxml evaluates selectors, ``a b`` takes time in proportion to the number of elements times the
depth of the page: 80 s were measured for a page of 200 KB with elements of one name inside each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cssselect import SelectorError, parse
from cssselect.parser import Attrib, Class, CombinedSelector, Element, Hash
from lxml import etree

_LONGEST = 500
"""Characters of a selector."""
_MOST_PARTS = 4
"""Compounds of a selector, such as ``div.player``. Each is compared with each element of the page."""
_EXPECTED = f"is no selector of at most {_MOST_PARTS} types, ids, classes and attributes, with blanks or > between them"

_COMBINATORS = (" ", ">")
_space = re.compile(r"[ \t\r\n\f]+")

_Test = Callable[[Any], bool]
"""Whether an element has a type, an id, a class or an attribute."""


class _Compound(NamedTuple):
    """What one element must have.

    Attributes:
        tests: all of them hold.
        is_child: whether it must be a child of the element before in the selector; else it is anywhere below it.
    """

    tests: tuple[_Test, ...]
    is_child: bool = False


class Selector:
    """A CSS selector of types, ids, classes and attributes: ``div.player[data-key] > a``.

    Raises:
        ValueError: it is none. The message is the end of a sentence.
    """

    __slots__ = ("_compounds", "written")

    def __init__(self, written: str) -> None:
        self.written = written
        try:
            found = parse(written) if len(written) <= _LONGEST else []
        except SelectorError as error:
            raise ValueError(f"is no CSS selector: {error}") from error
        if len(found) != 1 or found[0].pseudo_element is not None:
            raise ValueError(_EXPECTED)
        self._compounds = tuple(_compounds(found[0].parsed_tree))
        if len(self._compounds) > _MOST_PARTS:
            raise ValueError(_EXPECTED)

    def first(self, root: Any) -> Any:
        """The first element that it selects, in the order of the document, or None.

        Bit n of a number says that the compounds up to n were met. For each open element there are two numbers: of
        that element itself, and of it with all elements around it.
        """
        last, around = 1 << (len(self._compounds) - 1), [(0, 0)]
        for event, element in etree.iterwalk(root, ("start", "end")):
            if event == "end":
                around.pop()
                continue
            met = self._met(element, *around[-1])
            if met & last:
                return element
            around.append((met, met | around[-1][1]))
        return None

    def _met(self, element: Any, parent: int, above: int) -> int:
        met = 0
        for number, compound in enumerate(self._compounds):
            before = parent if compound.is_child else above
            if (not number or before >> (number - 1) & 1) and all(test(element) for test in compound.tests):
                met |= 1 << number
        return met


def _compounds(tree: Any) -> Iterator[_Compound]:
    is_child = False
    if isinstance(tree, CombinedSelector):
        if tree.combinator not in _COMBINATORS:
            raise ValueError(_EXPECTED)
        yield from _compounds(tree.selector)
        is_child, tree = tree.combinator == ">", tree.subselector
    yield _Compound(tuple(_tests(tree)), is_child)


def _tests(tree: Any) -> Iterator[_Test]:
    while not isinstance(tree, Element):
        if isinstance(tree, Hash):
            yield _has_id(tree.id)
        elif isinstance(tree, Class):
            yield _has_class(tree.class_name)
        elif isinstance(tree, Attrib) and tree.operator in _HOLDS and not (tree.namespace or getattr(tree, "flag", "")):
            yield _has_attribute(tree.attrib.lower(), tree.operator, (tree.value and tree.value.value) or "")
        else:
            raise ValueError(_EXPECTED)
        tree = tree.selector
    if tree.namespace is not None:
        raise ValueError(_EXPECTED)
    if tree.element is not None:
        yield _is_named(tree.element.lower())


def _is_named(name: str) -> _Test:
    return lambda element: bool(element.tag == name)


def _has_id(wanted: str) -> _Test:
    return lambda element: element.get("id") == wanted


def _has_class(wanted: str) -> _Test:
    return lambda element: wanted in (names := element.get("class") or "") and wanted in _space.split(names)


_HOLDS: dict[str, Callable[[str, str], bool]] = {
    "exists": lambda value, wanted: True,  # noqa: ARG005 - any value does
    "=": lambda value, wanted: value == wanted,
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
}
"""Operator of an attribute selector -> whether it holds (Selectors Level 4, 6.1 and 6.2)."""


def _has_attribute(name: str, operator: str, wanted: str) -> _Test:
    holds = _HOLDS[operator]
    return lambda element: (value := element.get(name)) is not None and holds(value, wanted)
