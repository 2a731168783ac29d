"""How two records of one file become one: it is met again, or another record has whole texts.

Records may come from any store: texts of them may be damaged in any way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mediacrawl.base.evidence import (
    by_user,
    chapter_number,
    is_better,
    is_lost,
    whole_elements,
)
from mediacrawl.base.facts import MOST_FACTS, is_external
from mediacrawl.record.values import best_values, derived_again

_MENDED = ("title", "artist", "albumartist", "album", "composer", "podcast", "description", "comment")
"""Fields whose lost texts are taken from other records of the file."""


def may_have_lost(record: Mapping[str, Any]) -> bool:
    """Return whether a record has a text that may have lost characters, see `base.evidence.is_lost`."""
    values = [value for value in map(record.get, _MENDED) if isinstance(value, str)]
    return any("?" in value or "\ufffd" in value for value in values) or any(map(_is_guess, _elements(record)))


def with_copies(record: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Give a record what its texts lost from other records of the same file.

    For each field the first intact text is added to ``tags``, with the URL of its record under ``copy_url``. What a
    person decided stays.

    Returns:
        The record with them; None if there is none.
    """
    tags = _elements(record)
    guesses = {(each.get("key"), each.get("text")) for each in tags if _is_guess(each)}
    known = {each.get("key") for each in tags if each.get("copy_url") or each.get("decision") == "user"}
    found: dict[str, dict[str, Any]] = {}
    for other in others:
        for element in whole_elements(other.get("tags")):
            name, was = element["key"], record.get(element["key"])
            is_whole = not element.get("copy_url") and element.get("decision") != "undecided" and not is_lost(element)
            if name not in _MENDED or name in found or name in known | by_user(record) or not is_whole:
                continue
            if is_better(element["text"], was) or ((name, was) in guesses and element["text"] not in {"", was}):
                found[name] = {**element, "copy_url": str(other.get("content_url") or "")}
    if not found:
        return None
    before = whole_elements(tags)
    after = [*before, *found.values()]
    values = best_values(after)
    mended = {**record, "tags": [*tags, *found.values()], **{name: values[name] for name in found}}
    return mended | derived_again(record, before, after)


def _is_guess(element: Mapping[str, Any]) -> bool:
    return element.get("lossy") is True or element.get("suspect") is True


def keep_facts(old: dict[str, Any], row: dict[str, Any]) -> None:
    """Keep what was said of a file elsewhere and is not said now, with the values that came from it, in the new row."""
    if not _facts(old):
        return
    now = _facts(row)
    said = {_said(element) for element in now}
    told = [element for element in _facts(old) if _said(element) not in said]
    if row["chapters"] not in (None, old["chapters"]):
        # The keys of their titles are places in the old list.
        told = [element for element in told if chapter_number(str(element.get("key"))) is None]
    told = told[: max(MOST_FACTS - len(now), 0)]
    if not told:
        return
    before = whole_elements(row["tags"])
    row["tags"] = [*(row["tags"] or ()), *told]
    row |= {name: value or None for name, value in derived_again(row, before, whole_elements(row["tags"])).items()}
    keys = {str(element.get("key")) for element in told}
    if row["chapters"] is None and any(chapter_number(key) is not None for key in keys):
        row["chapters"] = old["chapters"]
    if any(element.get("key") == "type" and element.get("text") == old["type"] for element in told):
        row["type"] = old["type"]
    own = {str(each.get("key")) for each in old["tags"] if isinstance(each, dict) and not is_external(each)}
    for key in keys - own:
        if key in row and row[key] is None:
            row[key] = old[key]


def _said(element: Mapping[str, Any]) -> tuple[str, ...]:
    """What tells a fact from others: of one place on a page only the newest text counts."""
    return tuple(str(element.get(name)) for name in ("source", "frame", "key", "page_url"))


def _facts(row: dict[str, Any]) -> list[Any]:
    elements = row["tags"] if isinstance(row["tags"], list) else []
    return list(filter(is_external, elements))


def _elements(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    tags = record.get("tags")
    return [each for each in tags if isinstance(each, dict)] if isinstance(tags, list) else []
