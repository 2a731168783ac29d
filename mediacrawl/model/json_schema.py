"""The JSON Schema of a record (draft 2020-12), made of its declaration."""

from __future__ import annotations

from typing import Any

from mediacrawl.model.declaration import DeclaredField, declared_fields
from mediacrawl.model.item import SCHEMA_VERSION, MediaItem

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
_BCP47 = r"^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*$"
_OF_THE_CATALOGUE = {
    "last_seen_at": {
        "type": ["string", "null"],
        "format": "date-time",
        "description": "When the file was last requested, in UTC. Records of a catalogue have it.",
    },
    "work": {
        "type": ["string", "null"],
        "description": "Id of the first record of the same file; null in that one. Records of a catalogue have it.",
    },
    "extra": {"type": "object", "description": "Further fields of an item. Records of a catalogue may have it."},
}


def record_schema() -> dict[str, Any]:
    """Return the schema of a record of a crawl: an item, or a line of ``scrapy catalogue --export``.

    Items of another project that were stored in a catalogue may have null where it wants a value.
    """
    return {
        "$schema": DIALECT,
        "title": "mediacrawl record",
        "description": f"The record of one media file, version {SCHEMA_VERSION} of the declaration.",
        **_of_class(MediaItem),
        "required": ["type", "id", "content_url", "tags"],
        "properties": _properties(MediaItem) | _OF_THE_CATALOGUE,
        "additionalProperties": False,
    }


def _of_class(owner: type) -> dict[str, Any]:
    needed = [each.name for each in declared_fields(owner) if not each.optional]
    return {
        "type": "object",
        "properties": _properties(owner),
        **({"required": needed} if needed else {}),
        "additionalProperties": False,
    }


def _properties(owner: type) -> dict[str, Any]:
    return {each.name: _of_field(each) for each in declared_fields(owner)}


def _of_field(each: DeclaredField) -> dict[str, Any]:
    kind, about = _KINDS[each.kind], each.about
    schema: dict[str, Any] = {"type": [kind, "null"] if each.optional else kind}
    meaning = about.meaning if not about.unit else f"{about.meaning} Unit: {about.unit}."
    if each.kind is list:
        schema["items"] = _of_class(about.of) if about.of else {"type": "string" if _is_texts(each) else "object"}
    elif each.kind is dict and about.of:
        schema |= _of_class(about.of)
    if about.values:
        schema["enum"] = [*about.values, None] if each.optional else list(about.values)
    if about.form == "bcp47":
        schema["pattern"] = _BCP47
    elif about.form:
        schema["format"] = about.form
    if each.kind in (int, float) and about.unit not in {"dB", "nats"}:
        schema["minimum"] = 0
    return schema | {"description": meaning.replace("``", "`")}


def _is_texts(each: DeclaredField) -> bool:
    return each.optional
