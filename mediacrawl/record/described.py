"""What a second page, feed or list says of a file that has a record: it fills gaps and replaces lost text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mediacrawl.base.facts import MOST_FACTS, Fact, is_external
from mediacrawl.record.build import chapters_of, item_id
from mediacrawl.record.fields import by_user, document_element, parse_reading
from mediacrawl.record.values import FILE_FIELDS, best_values, chapter_number, derived_again, is_better, whole_elements

MOST_DESCRIBED = 50
"""Files that one page may describe so, and a list at a time: each is looked up in the catalogue."""
_GUESSED = frozenset({"guessed_language", "guessed_language_confidence"})


@dataclass(frozen=True, slots=True)
class Description:
    """Facts about a file that the crawl knows already.

    Attributes:
        url: of the file, in canonical form.
        page_url: of the page or list that states them.
        facts: about the file.
    """

    url: str
    page_url: str
    facts: Sequence[Fact]

    @property
    def record_id(self) -> str:
        """The id of the file's record, if no redirect led to it."""
        return item_id(self.url)

    @property
    def characters(self) -> int:
        """The length of its facts."""
        return sum(len(each.frame) + len(each.text) for each in self.facts)


def with_description(record: Mapping[str, Any], told: Description) -> dict[str, Any] | None:
    """Adds facts to a record.

    Each fact becomes an element of ``tags`` that names its page under ``page_url``. A field that has a value keeps it,
    unless a feed states the title or the date of an episode (`best_values`); lists that are made of texts (people,
    transcripts) grow. Facts of the record's own page are not added again, nor those whose encoding is not sure, since
    the fixer has seen the record already.

    Returns:
        The record with them; None if they add nothing.
    """
    if told.page_url in {record.get("page_url"), record.get("feed_url")}:
        return None
    tags = [element for element in record.get("tags") or () if isinstance(element, dict)]
    room = MOST_FACTS - sum(map(is_external, tags))
    if room <= 0:
        return None
    known = {_identity(element) for element in tags}
    has_chapters = bool(record.get("chapters"))
    added = []
    for each in told.facts:
        read = parse_reading(each.declared)
        is_readable = each.text.isascii() or not read.by or read.is_sure
        if not is_readable or (has_chapters and chapter_number(each.key) is not None):
            continue
        element = document_element(each) | {"page_url": told.page_url}
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
        for name in FILE_FIELDS
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
