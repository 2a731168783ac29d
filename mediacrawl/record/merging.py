"""How two records of one file become one: a second page describes it, it is met again, or another has whole texts.

Records may come from any store: texts of them may be damaged in any way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mediacrawl.base.charsets import DocumentReading
from mediacrawl.base.evidence import (
    by_user,
    chapter_number,
    is_better,
    is_lost,
    whole_elements,
)
from mediacrawl.base.facts import MOST_FACTS, Fact, is_external
from mediacrawl.record.elements import document_elements
from mediacrawl.record.item import MediaItem
from mediacrawl.record.values import best_values, chapters_of, derived_again

_GUESSED = frozenset({"guessed_language", "guessed_language_confidence"})
_MENDED = ("title", "artist", "albumartist", "album", "composer", "podcast", "description", "comment")
"""Fields whose lost texts are taken from other records of the file."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a second page, feed or list says of a file that the crawl knows already.

    Attributes:
        url: of the file, in canonical form.
        page_url: of the page or list that states them.
        facts: about the file.
    """

    MOST: ClassVar = 50
    """Files that one page may describe so, and a list at a time: each is looked up in the catalogue."""

    url: str
    page_url: str
    facts: Sequence[Fact]

    @property
    def record_id(self) -> str:
        """The id of the file's record, if no redirect led to it."""
        return MediaItem.id_of(self.url)

    @property
    def characters(self) -> int:
        """The length of its facts."""
        return sum(len(each.frame) + len(each.text) for each in self.facts)

    def added_to(self, record: Mapping[str, Any]) -> dict[str, Any] | None:
        """Add the facts to a record.

        Each fact becomes an element of ``tags`` that names its page under ``page_url``. A field that has a value keeps
        it, unless a feed states the title or the date of an episode (`values.best_values`); lists that are made of
        texts (people, transcripts) grow. Facts of the record's own page are not added again, nor those whose encoding
        is not sure, since the fixer has seen the record already.

        Returns:
            The record with them; None if they add nothing.
        """
        if self.page_url in {record.get("page_url"), record.get("feed_url")}:
            return None
        tags = [element for element in record.get("tags") or () if isinstance(element, dict)]
        room = MOST_FACTS - sum(map(is_external, tags))
        if room <= 0:
            return None
        known = {_identity(element) for element in tags}
        has_chapters = bool(record.get("chapters"))
        added = []
        for each in self.facts:
            read = DocumentReading.of(each.declared)
            is_readable = each.text.isascii() or not read.by or read.is_sure
            if not is_readable or (has_chapters and chapter_number(each.key) is not None):
                continue
            (element,) = document_elements([each])
            element["page_url"] = self.page_url
            if _identity(element) not in known:
                known.add(_identity(element))
                added.append(element)
        return _filled(record, tags, added[:room]) if added else None


def _identity(element: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(element.get(name)) for name in ("source", "frame", "key", "text"))


def _filled(record: Mapping[str, Any], tags: list[dict[str, Any]], added: list[dict[str, Any]]) -> dict[str, Any]:
    filled = {**record, "tags": [*tags, *added]}
    theirs = by_user(record)
    before = whole_elements(tags)
    after = [*before, *added]
    values, given = best_values(after), best_values(before)
    filled |= {
        name: values[name]
        for name in MediaItem.FILE_FIELDS
        if name not in theirs
        and (
            not filled.get(name)
            or is_better(values[name], filled[name])
            # A feed names an episode, also one that was found on a page before.
            or (values[name] != given[name] == filled[name] and values[name])
        )
    }
    lists = derived_again(record, before, after)
    filled |= {name: lists[name] for name in lists if lists[name] and name not in _GUESSED and name not in theirs}
    if not filled.get("chapters"):
        filled["chapters"] = chapters_of(added)
    return filled


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
