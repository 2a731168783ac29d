"""Answers as trees: each value by its path. A path is a tuple of names and numbers of items; `EVERY` means all items.

XML is read as JSON (`documents`): each element but the root is an item of the list of its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from mediacrawl.site_adapters.documents import Node, UnreadableError
from mediacrawl.site_adapters.paths import named, scalar

EVERY = -1
"""In a path: all items of a list."""
_MOST_LEAVES = 50_000
"""Values of one answer that are looked at. Answers about one page have some hundred."""
_DEEPEST = 28
"""Steps of a path; the engine reads thirty."""
_LONGEST = 20_000
"""Characters of a value that are kept: descriptions are the longest."""

Path = tuple[str | int, ...]

_callback = re.compile(r"(?:/\*\*/)?\s{0,9}([A-Za-z_$][\w$.]{0,200})\s{0,9}\(", re.ASCII).match
_is_html = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE).match


@dataclass(frozen=True)
class Tree:
    """The values of an answer by their paths, in its order, and the number of items of each list.

    `form` is ``json``, ``jsonp`` or ``xml``, as in a site adapter; `callback` the function that JSONP calls.
    """

    form: str
    leaves: dict[Path, str] = field(default_factory=dict)
    lists: dict[Path, int] = field(default_factory=dict)
    callback: str = ""


def form_of(body: str, mime: str = "") -> str:
    """Return the form of an answer by its beginning: ``json``, ``jsonp``, ``xml``, ``html`` or ``text``."""
    begin = body[:400].lstrip("\ufeff \t\r\n")
    if begin.startswith(("{", "[", ")]}'", "while(1)", "for(;;)")):
        return "json"
    if begin.startswith("<"):
        is_page = _is_html(begin) is not None or "html" in mime
        return "html" if is_page and "xml" not in mime.replace("xhtml", "") else "xml"
    return "jsonp" if _callback(begin) and body[-20:].rstrip().rstrip(";").endswith(")") else "text"


def read_tree(body: str, url: str, mime: str = "") -> Tree | None:
    """Parse an answer; None if it is no JSON, JSONP or XML."""
    form = form_of(body, mime)
    if form not in ("json", "jsonp", "xml"):
        return None
    try:
        node = Node.read(body.encode("utf-8", "replace"), form, url, f"{mime or 'text/plain'}; charset=utf-8")
    except UnreadableError:
        return None
    call = _callback(body) if form == "jsonp" else None
    return tree_of(node.value, form, call[1] if call else "")


def tree_of(value: Any, form: str = "json", callback: str = "") -> Tree:
    """Return parsed JSON as a tree."""
    found = Tree(form, callback=callback)
    _walk(value, (), found)
    return found


def _walk(value: Any, path: Path, found: Tree) -> None:
    if len(found.leaves) >= _MOST_LEAVES or len(path) > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            _walk(inner, path if key == "#text" else (*path, key), found)
    elif isinstance(value, list):
        found.lists[path] = len(value)
        for number, inner in enumerate(value):
            _walk(inner, (*path, number), found)
    else:
        text = scalar(value)
        if text is not None and len(text) <= _LONGEST:
            found.leaves[path] = text


def json_path(path: Path) -> str:
    """Return a path as JMESPath: ``videos[*].file``."""
    steps = (named(step) if isinstance(step, str) else "[*]" if step == EVERY else f"[{step}]" for step in path)
    return "".join(steps).removeprefix(".") or "@"


def shape_of(path: Path) -> Path:
    """Return the path with `EVERY` instead of each number."""
    return tuple(EVERY if isinstance(step, int) else step for step in path)


def holder(path: Path) -> Path:
    """Return the path of the object that has a value; in XML that of the element around the one with the text."""
    return path[:-2] if path and isinstance(path[-1], int) else path[:-1]


def is_at(path: Path, wanted: Path) -> bool:
    """Return whether a path is one of those that are meant."""
    return len(path) == len(wanted) and all(two in (one, EVERY) for one, two in zip(path, wanted, strict=True))
