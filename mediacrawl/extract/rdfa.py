"""Resources of RDFa Lite 1.1 (W3C) in the form of microdata items.

Its attributes are ``vocab``, ``typeof``, ``property``, ``resource`` and ``prefix``. Content management systems write
schema.org so: ``<div vocab="https://schema.org/" typeof="VideoObject">``, or with the prefix ``schema:``.
"""

from __future__ import annotations

from collections.abc import Container
from itertools import islice
from typing import Any

from lxml import etree

from mediacrawl.extract.structured_data import LONGEST_ITEM_VALUE, MOST_ITEMS, MOST_NAMES, ItemReader
from mediacrawl.extract.texts import names_media

_SCHEMA = "schema.org"
_MOST_PREFIXES = 20
_LONGEST_PREFIXES = 4_000
_CLIMB = 64
"""Elements around a resource in which its vocabulary is searched for."""
_LONGEST_NAMES = 500
_types: Any = etree.XPath("//@typeof")
_prefixes: Any = etree.XPath("//@prefix")


def read_resources(root: Any, wanted: Container[str]) -> list[dict[str, Any]]:
    """Parse the resources of wanted types, outermost first. Never raises.

    Returns:
        As of `structured_data.read_items`; ``@id`` is what names the resource, if anything does.
    """
    found = _types(root)
    reader = _ResourceReader(root)
    fits = {text for text in set(map(str, found)) if any(name in wanted for name in reader.schema_names(text))}
    resources = (text.getparent() for text in islice(filter(fits.__contains__, found), MOST_ITEMS)) if fits else ()
    return [reader.read(each, 0) for each in resources if each not in reader.done and _is_of_schema(each)]


def _is_of_schema(resource: Any) -> bool:
    """Whether the vocabulary of a resource is schema.org, as far as it declares one."""
    above = resource
    for _ in range(_CLIMB):
        if above is None:
            break
        vocabulary = above.get("vocab")
        if vocabulary:
            return _SCHEMA in vocabulary[:200] or ":" in resource.get("typeof")
        above = above.getparent()
    return True


class _ResourceReader(ItemReader):
    """Parses the resources of one page within the limit of steps."""

    def __init__(self, root: Any) -> None:
        super().__init__(root)
        self._prefixes = {"schema"}
        for text in islice(_prefixes(root), _MOST_PREFIXES):
            words = str(text)[:_LONGEST_PREFIXES].split()
            pairs = zip(words[::2], words[1::2], strict=False)
            self._prefixes |= {name.removesuffix(":") for name, url in pairs if _SCHEMA in url}

    def schema_names(self, text: str) -> list[str]:
        """The names of schema.org in a list of names: ``name``, ``schema:name``, ``https://schema.org/name``."""
        names = list[str]()
        for word in text[:_LONGEST_NAMES].split():
            prefix, colon, name = word.rpartition(":")
            if "//" in name:
                name = name.rpartition("/")[2] if _SCHEMA in name else ""
            elif colon and prefix not in self._prefixes:
                name = ""
            if name:
                names.append(name)
        return names[:MOST_NAMES]

    def head(self, item: Any) -> dict[str, Any]:
        found: dict[str, Any] = {"@type": self.schema_names(item.get("typeof") or "")}
        name = item.get("resource") or item.get("about")
        return found | ({"@id": name.strip()[:LONGEST_ITEM_VALUE]} if name else {})

    def names(self, element: Any) -> list[str]:
        return self.schema_names(element.get("property") or "")

    def ends(self, element: Any) -> bool:
        # What names another resource, and is no value, is about that one.
        is_other = (element.get("resource") or element.get("about")) and element.get("property") is None
        return element.get("typeof") is not None or bool(is_other)

    def value(self, element: Any, depth: int) -> Any:
        if element.get("typeof") is not None:
            return self.item(element, depth)
        written = element.get("content")
        if written is None:
            reference = element.get("resource") or element.get("href") or element.get("src")
            if reference:
                return self._reference(element, reference.strip()[:LONGEST_ITEM_VALUE])
            written = element.get("datetime")
        return (self.text(element) if written is None else written).strip()[:LONGEST_ITEM_VALUE]

    def _reference(self, element: Any, reference: str) -> Any:
        """A resource that is a value: a file, or an object with the text of the link to it."""
        if names_media(reference):
            return reference
        text = self.text(element) if element.tag == "a" else ""
        return {"@id": reference, "name": text} if text else {"@id": reference}
