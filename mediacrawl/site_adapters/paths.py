"""Where a value stands: JSON paths, XML paths, CSS selectors, state of scripts, regular expressions.

Each is a small part of its language, so that evaluating it takes time linear in the document: a JSON path has no
recursive descent (RFC 9535 has), a selector has no pseudo-classes, and expressions are RE2's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import re2

from mediacrawl.extract.literals import literals
from mediacrawl.observe.text import clean

ALL = object()
"""The step of a path that takes all items: ``[*]``."""
_MOST_STEPS = 30
_LONGEST = 500
"""Characters of a path or an expression."""
_MOST_NODES = 100_000
"""Nodes that a path may pass in one document."""
_EXPRESSION_BYTES = 1 << 20
"""Memory of a compiled expression."""
_MOST_INSTRUCTIONS = 500
"""Of an expression as RE2 compiles it; ``.`` has nine, and ``.{50}`` fifty times as many."""
_MOST_WORK = 4_000_000_000
"""Instructions times characters for all matches of an expression, half a minute at most, in which other threads run.
RE2 finds one match in linear time, but the search for the next one may read the rest of the text again."""
_MOST_SCRIPTS = 200
_MOST_TOKENS = 100_000
"""Tokens of a script that are read, in a tenth of a second."""

DECODER = json.JSONDecoder(strict=False, parse_float=str, parse_int=str, parse_constant=lambda _: None)
"""Of JSON: numbers stay as they are written, since ids are numbers, too; ``NaN`` and ``Infinity`` are null."""
_json_step = re.compile(r"\.([A-Za-z_$][\w$-]*)|\[(-?\d{1,6})\]|\[(\*)\]|\['((?:[^'\\]|\\.)*)'\]", re.ASCII)
_xml_step = re.compile(r"/([A-Za-z_][\w.-]*|\*)(?:\[(-?\d{1,6}|\*)\])?|/@([A-Za-z_][\w.:-]*)", re.ASCII)


def scalar(value: Any) -> str | None:
    """The text of a value of JSON, without lone surrogates; None for an object, a list and null."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return clean(str(value)) if isinstance(value, (str, int, float)) else None


def named(key: str) -> str:
    """One step of a JSON path for the name of a property."""
    if re.fullmatch(r"[A-Za-z_$][\w$-]*", key, re.ASCII):
        return f".{key}"
    escaped = key.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"


class JsonPath:
    """A path of names and indices: ``$.videos[0]['file name']``, ``$.sources[*].file``.

    Raises:
        ValueError: it is none. The message is the end of a sentence.
    """

    __slots__ = ("_steps", "written")

    def __init__(self, written: str) -> None:
        self.written = written
        self._steps = tuple(_json_steps(written))

    def find(self, value: Any, most: int = _MOST_NODES) -> list[Any]:
        """The values at this path, in the order of the document."""
        found = [value]
        for step in self._steps:
            found = list(islice(_below(found, step), _MOST_NODES))
        return found[:most]


def _json_steps(written: str) -> Iterator[Any]:
    place = 1
    if not written.startswith("$") or len(written) > _LONGEST:
        raise ValueError(f"is no JSON path of at most {_LONGEST} characters that begins with $")
    for _ in range(_MOST_STEPS):
        if place == len(written):
            return
        match = _json_step.match(written, place)
        if match is None:
            raise ValueError(f"is no JSON path: .name, ['name'], [0] or [*] was expected at {written[place:]!r}")
        name, index, every, quoted = match.groups()
        place = match.end()
        yield int(index) if index else ALL if every else name or re.sub(r"\\(.)", r"\1", quoted)
    if place < len(written):
        raise ValueError(f"has more than {_MOST_STEPS} steps")


def _below(values: list[Any], step: Any) -> Iterator[Any]:
    for value in values:
        if step is ALL:
            if isinstance(value, (dict, list)):
                yield from value.values() if isinstance(value, dict) else value
        elif isinstance(step, int):
            if isinstance(value, list) and -len(value) <= step < len(value):
                yield value[step]
        elif isinstance(value, dict) and step in value:
            yield value[step]


class XmlPath:
    """A path of local names, from the root or from one element: ``/rss/channel/item[0]/enclosure/@url``.

    Without an index all elements of a name are meant, as with ``[*]``.

    Raises:
        ValueError: it is none. The message is the end of a sentence.
    """

    __slots__ = ("_attribute", "_steps", "written")

    def __init__(self, written: str) -> None:
        self.written = written
        self._steps: list[tuple[str, int | None]] = []
        self._attribute = ""
        place = 0
        while place < len(written) <= _LONGEST and not self._attribute:
            match = _xml_step.match(written, place)
            if match is None or len(self._steps) == _MOST_STEPS:
                break
            name, index, self._attribute = match[1], match[2], match[3] or ""
            if name:
                self._steps.append((name, int(index) if index and index != "*" else None))
            place = match.end()
        if place < len(written) or not written:
            raise ValueError("is no XML path of local names: /rss/channel/item[0]/enclosure/@url")

    def elements(self, root: Any) -> list[Any]:
        """The elements at this path."""
        found = [root]
        for place, (name, index) in enumerate(self._steps):
            inner: list[Any] = []
            for element in found:
                named = _named_children([element] if place == 0 else element, name)
                inner += named if index is None else _at(list(named), index)
                if len(inner) >= _MOST_NODES:
                    break
            found = inner[:_MOST_NODES]
        return found

    def find(self, root: Any) -> list[str]:
        """The texts at this path."""
        elements = self.elements(root)
        if self._attribute:
            return [text for each in elements if (text := _attribute_of(each, self._attribute)) is not None]
        return ["".join(each.itertext()) for each in elements]


def local(name: Any) -> str:
    """A name of XML without its namespace; empty for a comment."""
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def _named_children(parent: Any, name: str) -> Iterator[Any]:
    return (each for each in parent if isinstance(each.tag, str) and (name == "*" or local(each.tag) == name))


def _at(found: list[Any], index: int) -> list[Any]:
    return [found[index]] if -len(found) <= index < len(found) else []


def _attribute_of(element: Any, name: str) -> str | None:
    value: str | None = element.get(name)
    if value is None:
        # Not of `attrib.items`: with 80,000 attributes it takes 80 s.
        key = next((key for key in element.keys() if local(key) == name), None)  # noqa: SIM118 - it is no mapping
        value = element.get(key) if key is not None else None
    return value


class Pattern:
    """A regular expression of RE2 with one group.

    Raises:
        ValueError: it is none. The message is the end of a sentence.
    """

    __slots__ = ("_search", "written")

    def __init__(self, written: str) -> None:
        self.written = written
        options = re2.Options()
        options.max_mem = _EXPRESSION_BYTES
        options.log_errors = False
        try:
            compiled = re2.compile(written, options)
        except re2.error as error:
            raise ValueError(f"is no regular expression of RE2: {error}") from error
        if compiled.groups != 1 or len(written) > _LONGEST:
            raise ValueError(
                f"has {compiled.groups} groups and {len(written)} characters; one group is expected, and at most"
                f" {_LONGEST} characters"
            )
        if compiled.programsize > _MOST_INSTRUCTIONS:
            raise ValueError(
                f"takes {compiled.programsize} instructions in RE2, more than {_MOST_INSTRUCTIONS}; shorten what is"
                " repeated, as {1,50}"
            )
        self._search = compiled

    def first(self, text: str) -> str | None:
        """The group of the first match; None without one."""
        found = self._search.search(text)
        return None if found is None else found[1]

    def find(self, text: str, most: int) -> Iterator[str]:
        """The groups of the matches."""
        most = min(most, _MOST_WORK // (self._search.programsize * (len(text) + 1)) + 1)
        return (each[1] for each in islice(self._search.finditer(text), most) if each[1] is not None)


def script_state(root: Any, name: str) -> Any:
    """A value that a page hands to its scripts; None if there is none of that name."""
    assigned = re.compile(rf"(?<![\w$]){re.escape(name)}[\"']?\]?\s{{0,9}}[=:](?!=)\s{{0,9}}")
    for script in islice(root.iter("script"), _MOST_SCRIPTS):
        code = script.text or ""
        if script.get("id") == name and "json" in (script.get("type") or ""):
            return _json_in(code)
        found = assigned.search(code) if name in code else None
        if found is not None:
            return _assigned(code, found.end())
    return None


def _assigned(code: str, place: int) -> Any:
    try:
        value, _ = DECODER.raw_decode(code, place)
    except (ValueError, RecursionError):
        found = next(literals(code[place:], most=_MOST_TOKENS), None)
        if found is None or not isinstance(found.value, str) or found.name != "parse":
            return None if found is None else found.value
        return _json_in(found.value)
    return value


def _json_in(text: str) -> Any:
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return next((each.value for each in literals(text, is_json=True, most=_MOST_TOKENS)), None)
