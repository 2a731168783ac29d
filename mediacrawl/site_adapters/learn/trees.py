"""Answers as trees: each value by its path, the same way for JSON, JSONP and XML.

A path is a tuple: names, and numbers of items. In XML each element but the root has a number among its siblings of the
same name, and an attribute is named ``@name``; so a list is the same there as in JSON. `EVERY` stands for all items.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mediacrawl.site_adapters.documents import Node, UnreadableError
from mediacrawl.site_adapters.paths import local, named, scalar

EVERY = -1
"""In a path: all items of a list."""
_MOST_LEAVES = 50_000
"""Values of one answer that are looked at. Answers about one page have some hundred."""
_DEEPEST = 28
"""Steps of a path; the engine reads thirty."""
_LONGEST = 20_000
"""Characters of a value that are kept: descriptions are the longest."""

Path = tuple[str | int, ...]

_is_call = re.compile(r"[A-Za-z_$][\w$.]{0,200}\s{0,9}\(", re.ASCII).match
_callback = re.compile(r"(?:/\*\*/)?\s{0,9}([A-Za-z_$][\w$.]{0,200})\s{0,9}\(", re.ASCII).match
_is_html = re.compile(r"<!doctype\s+html|<html[\s>]", re.IGNORECASE).match


@dataclass(frozen=True)
class Tree:
    """The values of an answer.

    Attributes:
        form: ``json``, ``jsonp`` or ``xml``, as in a site adapter.
        leaves: the text of each value, by its path, in the order of the answer.
        lists: the number of items of each list, by its path.
        callback: the function that JSONP calls; empty for other forms.
    """

    form: str
    leaves: Mapping[Path, str]
    lists: Mapping[Path, int]
    callback: str = ""


@dataclass
class _Found:
    leaves: dict[Path, str] = field(default_factory=dict)
    lists: dict[Path, int] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        return len(self.leaves) >= _MOST_LEAVES


def form_of(body: str, mime: str = "") -> str:
    """The form of an answer by its beginning: ``json``, ``jsonp``, ``xml``, ``html`` or ``text``."""
    begin = body[:400].lstrip("\ufeff \t\r\n")
    if begin.startswith(("{", "[", ")]}'", "while(1)", "for(;;)")):
        return "json"
    if begin.startswith("<"):
        is_page = _is_html(begin) is not None or "html" in mime
        return "html" if is_page and "xml" not in mime.replace("xhtml", "") else "xml"
    call = begin.removeprefix("/**/").lstrip()
    return "jsonp" if _is_call(call) and body[-20:].rstrip().rstrip(";").endswith(")") else "text"


def read_tree(body: str, url: str, mime: str = "") -> Tree | None:
    """Parse an answer; None if it is no JSON, JSONP or XML."""
    form = form_of(body, mime)
    if form not in ("json", "jsonp", "xml"):
        return None
    try:
        node = Node.read(body.encode("utf-8", "replace"), form, url, f"{mime or 'text/plain'}; charset=utf-8")
    except UnreadableError:
        return None
    found = _Found()
    if form == "xml":
        _walk_xml(node.element, (local(node.element.tag),), found)
    else:
        _walk_json(node.value, (), found)
    call = _callback(body) if form == "jsonp" else None
    return Tree(form, found.leaves, found.lists, call[1] if call else "")


def tree_of(value: Any) -> Tree:
    """Parsed JSON as a tree."""
    found = _Found()
    _walk_json(value, (), found)
    return Tree("json", found.leaves, found.lists)


def _walk_json(value: Any, path: Path, found: _Found) -> None:
    if found.is_full or len(path) > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            _walk_json(inner, (*path, key), found)
    elif isinstance(value, list):
        found.lists[path] = len(value)
        for number, inner in enumerate(value):
            _walk_json(inner, (*path, number), found)
    else:
        text = scalar(value)
        if text is not None and len(text) <= _LONGEST:
            found.leaves[path] = text


def _walk_xml(element: Any, path: Path, found: _Found) -> None:
    if found.is_full or len(path) > _DEEPEST:
        return
    for name, text in element.attrib.items():
        found.leaves[(*path, f"@{local(name)}")] = text[:_LONGEST]
    counts: dict[str, int] = {}
    for child in element:
        name = local(child.tag)
        if name:
            number = counts.get(name, 0)
            counts[name] = number + 1
            _walk_xml(child, (*path, name, number), found)
    for name, count in counts.items():
        found.lists[(*path, name)] = count
    if not counts:
        text = "".join(element.itertext()).strip()
        if text and len(text) <= _LONGEST:
            found.leaves[path] = text


def json_path(path: Path) -> str:
    """A path as a JSON path: ``$.videos[*].file``."""
    return "$" + "".join(_json_step(step) for step in path)


def _json_step(step: str | int) -> str:
    if isinstance(step, str):
        return named(step)
    return "[*]" if step == EVERY else f"[{step}]"


def xml_path(path: Path, trees: Sequence[Tree]) -> str:
    """A path as an XML path: ``/rss/channel/item[0]/enclosure/@url``.

    An element that has no siblings of its name is written without a number.
    """
    written, plain = "", list[str | int]()
    for step in path:
        if isinstance(step, str):
            written += f"/{step}"
        elif step == EVERY:
            written += "[*]"
        elif any(tree.lists.get(tuple(plain), 1) > 1 for tree in trees):
            written += f"[{step}]"
        plain.append(max(step, 0) if isinstance(step, int) else step)
    return written


def written_path(path: Path, trees: Sequence[Tree], *, inside: Path | None = None) -> tuple[str, str]:
    """The field of a site adapter that a path belongs in, and the path as it stands there."""
    if trees[0].form != "xml":
        return "json", json_path(path if inside is None else path[len(inside) :])
    if inside is None:
        return "xml", xml_path(path, trees)
    # Relative to an element, its own name comes first.
    whole, before = xml_path(path, trees), xml_path(inside, trees)
    name = next((f"/{step}" for step in reversed(inside) if isinstance(step, str)), "")
    return "xml", name + whole[len(before) :]


def shape_of(path: Path) -> Path:
    """The path with `EVERY` instead of each number."""
    return tuple(EVERY if isinstance(step, int) else step for step in path)


def holder(path: Path) -> Path:
    """The path of the object that has a value; in XML that of the element around the one with the text."""
    return path[:-2] if path and isinstance(path[-1], int) else path[:-1]


def is_at(path: Path, wanted: Path) -> bool:
    """Whether a path is one of those that are meant."""
    return len(path) == len(wanted) and all(two in (one, EVERY) for one, two in zip(path, wanted, strict=True))
