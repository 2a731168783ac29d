"""Where a value stands: JMESPath in JSON, CSS selectors and the state of scripts in pages, RE2 in texts.

Of JMESPath and of CSS only that is read which takes time linear in the document: no functions that build lists, and no
selectors that look at all elements around another one (``a b``; 100 s were measured for a page of 200 KB).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import chompjs
import cssselect
import jmespath
import re2
from cssselect.parser import Attrib, Class, CombinedSelector, Element, Hash
from jmespath.exceptions import JMESPathError
from lxml import etree
from parsel import css2xpath

from mediacrawl.base.text import clean

_LONGEST = 500
"""Characters of a path, a selector or an expression."""
_DEEPEST = 60
"""Levels of a path as JMESPath parses it; each step is one."""
_MOST_NODES = 100_000
"""Values of a path in one document."""
_PARTS = frozenset(
    {
        *("field", "subexpression", "index_expression", "index", "projection", "value_projection"),
        *("filter_projection", "comparator", "and_expression", "or_expression", "not_expression", "literal"),
        *("identity", "current"),
    }
)
"""What a path may have, as JMESPath names it."""
_EXPRESSION_BYTES = 1 << 20
"""Memory of a compiled expression."""
_MOST_INSTRUCTIONS = 500
"""Of an expression as RE2 compiles it; ``.`` has nine, and ``.{50}`` fifty times as many."""
_MOST_WORK = 4_000_000_000
"""Instructions times characters for all matches of an expression, half a minute at most, in which other threads run.
RE2 finds one match in linear time, but the search for the next one may read the rest of the text again."""
_MOST_SCRIPTS = 200

DECODER = json.JSONDecoder(strict=False, parse_float=str, parse_int=str, parse_constant=lambda _: None)
"""Of JSON: numbers stay as they are written, since ids are numbers, too; ``NaN`` and ``Infinity`` are null."""
_is_name = re.compile(r"[A-Za-z_]\w*", re.ASCII).fullmatch
_quoted = re.compile(r"""(JSON\.parse\(\s{0,9})?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""", re.DOTALL).match
_old_name = re.compile(r"\['((?:[^'\\]|\\.)*)'\]|\.([\w$]*[$-][\w$-]*)").sub


def scalar(value: Any) -> str | None:
    """Return the text of a value of JSON without lone surrogates; None for an object, a list and null.

    The object of an XML element that has attributes has its text as ``#text``.
    """
    if isinstance(value, dict):
        value = value.get("#text")
    if isinstance(value, bool):
        return "true" if value else "false"
    return clean(str(value)) if isinstance(value, (str, int, float)) else None


def named(key: str) -> str:
    """Return the step of a path that takes a property of an object."""
    return f".{key}" if _is_name(key) else f".{json.dumps(key, ensure_ascii=False)}"


class JsonPath:
    """A path of JMESPath: ``videos[0]."file name"``, ``sources[*].file``, ``streams[?protocol == 'https'].url``.

    Raises:
        ValueError: it is none. The message is the end of a sentence.
    """

    __slots__ = ("_compiled", "written")

    def __init__(self, written: str) -> None:
        self.written = written
        if written.startswith("$"):
            now = _old_name(lambda match: f'."{match[1] or match[2]}"', written[1:]).removeprefix(".") or "@"
            raise ValueError(f"is a path of the old form; paths are JMESPath now: write {now}")
        try:
            self._compiled = jmespath.compile(written[: _LONGEST + 1])
        except (JMESPathError, ValueError, RecursionError) as error:
            raise ValueError(f"is no JMESPath: {str(error).partition(chr(10))[0]}") from error
        if len(written) > _LONGEST or not _is_linear(self._compiled.parsed, _DEEPEST):
            raise ValueError(
                f"is no JMESPath of at most {_LONGEST} characters with names, [0], [*] and [?filters] (no functions)"
            )

    def find(self, value: Any, most: int = _MOST_NODES) -> list[Any]:
        """Return the values at this path, in the order of the document; of a list its items."""
        try:
            found, waiting = list[Any](), [self._compiled.search(value)]
        except (JMESPathError, ValueError, TypeError, RecursionError):
            # Values that cannot be compared, or are nested too deep for that.
            return []
        while waiting and len(found) < most:
            each = waiting.pop()
            if isinstance(each, list):
                waiting += reversed(each)
            elif each is not None:
                found.append(each)
        return found


def _is_linear(parsed: Any, depth: int) -> bool:
    return depth > 0 and parsed["type"] in _PARTS and all(_is_linear(each, depth - 1) for each in parsed["children"])


class Selector:
    """A CSS selector of types, ids, classes and attributes: ``div.player[data-key] > a``.

    Raises:
        ValueError: it is none. The message is the end of a sentence.
    """

    __slots__ = ("_first", "written")

    def __init__(self, written: str) -> None:
        self.written = written
        try:
            (parsed,) = cssselect.parse(written[:_LONGEST])
            self._first = etree.XPath(f"({css2xpath(written)})[1]")
        except cssselect.SelectorError as error:
            raise ValueError(f"is no CSS selector: {error}") from error
        except ValueError:
            parsed = None
        if parsed is None or len(written) > _LONGEST or parsed.pseudo_element or not _is_flat(parsed.parsed_tree):
            raise ValueError("is no selector of types, ids, classes and attributes, with > between them (div.a > a)")

    def first(self, root: Any) -> Any:
        """Return the first element that it selects, in the order of the document, or None."""
        found: Any = self._first(root)
        return found[0] if found else None


def _is_flat(tree: Any) -> bool:
    while isinstance(tree, (Hash, Class, Attrib)):
        if getattr(tree, "namespace", None):
            return False
        tree = tree.selector
    if isinstance(tree, CombinedSelector):
        return tree.combinator == ">" and _is_flat(tree.selector) and _is_flat(tree.subselector)
    return isinstance(tree, Element) and tree.namespace is None


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
        """Return the group of the first match; None without one."""
        found = self._search.search(text)
        return None if found is None else found[1]

    def find(self, text: str, most: int) -> Iterator[str]:
        """Yield the groups of the matches."""
        most = min(most, _MOST_WORK // (self._search.programsize * (len(text) + 1)) + 1)
        return (each[1] for each in islice(self._search.finditer(text), most) if each[1] is not None)


def script_state(root: Any, name: str) -> Any:
    """Return a value that a page hands to its scripts; None if there is none of that name."""
    assigned = re.compile(rf"(?<![\w$]){re.escape(name)}[\"']?\]?\s{{0,9}}[=:](?!=)\s{{0,9}}")
    for script in islice(root.iter("script"), _MOST_SCRIPTS):
        code = script.text or ""
        if script.get("id") == name and "json" in (script.get("type") or ""):
            return _literal(code.strip())
        found = assigned.search(code) if name in code else None
        if found is not None:
            return _literal(code[found.end() :])
    return None


def _literal(code: str) -> Any:
    """Return the value with which a script begins; None if it is no literal."""
    try:
        return DECODER.raw_decode(code)[0]
    except (ValueError, RecursionError):
        pass
    quoted = _quoted(code)
    if quoted is None and not code.startswith(("{", "[")):
        return None
    # JSON has no \x22, which templates write for a quote.
    plain = re.sub(r"\\x([0-9A-Fa-f]{2})", r"\\u00\1", quoted[2] if quoted else code)
    try:
        value = chompjs.parse_js_object(f"[{plain}]" if quoted else plain, loader=DECODER.decode)
        return value if not quoted else DECODER.decode(value[0]) if quoted[1] else value[0]
    except (ValueError, RecursionError):
        return None
