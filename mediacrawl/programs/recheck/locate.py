"""What of a stored record is in doubt, and what of it must outlive a new one. Pure decisions, without Scrapy.

Comes in: a record as the catalogue gives it, or a line of JSON of any project; its texts may be damaged in any way.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from mediacrawl.base.evidence import (
    EVIDENCE,
    by_user,
    chapter_number,
    decision_of,
    is_better,
    number,
    raw_bytes,
    whole_elements,
)
from mediacrawl.base.facts import is_external
from mediacrawl.base.text import plain
from mediacrawl.encoding import repair
from mediacrawl.programs.rerun import RerunError, location_of, open_reader
from mediacrawl.record import Fixer, MediaItem, derived_values

_LOST = "\ufffd"
_USER = "user"
_DECIDED = ("text", "encoding", "confidence", "runner_up", "margin", "language", "decision", "fixer")
_KEPT = (
    "content_url",
    "found_at",
    "probe_status",
    "head_sha256",
    "head_bytes",
    *MediaItem.FILE_FIELDS,
    *MediaItem.STRUCTURES,
    "tags",
    "fixed_by_user",
    EVIDENCE,
    "extra",
)


@dataclass(frozen=True, slots=True)
class Doubts:
    """Finds records whose text is not sure.

    Attributes:
        below: confidence, 0 to 1, under which a decision is no certainty.
        fixer: decides records again, so that no file is requested again whose bytes the models of today can read.
    """

    below: float
    fixer: Fixer

    def of(self, record: Mapping[str, Any]) -> list[str]:
        """Why a record is in doubt, as far as it is told without more work; empty if its text is sure.

        ``undecided``: a field stayed as declared because nothing else was sure enough. ``unsure``: a decision is below
        `below`, or the models of today would doubt it. ``lost``: characters are missing. ``no_bytes``: a text looks
        damaged, and has no bytes by which it could be decided again. What a person decided is never in doubt, nor what
        only a page says of a medium: there is no file to be requested.
        """
        if record.get("probe_status") == MediaItem.PAGE_STATUS:
            return []
        unproven = self._of_values(record)
        if unproven:
            return sorted(unproven)
        today = _copied(record)
        # The file tells nothing of its page's title.
        today["tags"] = [each for each in _elements(today) if each.get("key") not in MediaItem.LINK_FIELDS]
        verdict = self.fixer.fix(today)
        reasons = {reason for element in _elements(today) for reason in self._of_element(element)}
        if verdict.doubtful and not reasons:
            reasons.add("unsure")
        return sorted(reasons)

    def _of_element(self, element: Mapping[str, Any]) -> Iterator[str]:
        decision, text = element.get("decision"), _text(element.get("text"))
        if decision == _USER:
            return
        if decision == "undecided":
            yield "undecided"
        if _confidence(element) < self.below:
            yield "unsure"
        if element.get("lossy") is True or element.get("suspect") is True or _LOST in text:
            yield "lost"
        if not _text(element.get("raw_b64")) and (decision == "fixed" or (decision is None and not text.isascii())):
            yield "no_bytes"

    def _of_values(self, record: Mapping[str, Any]) -> set[str]:
        """Return what is wrong with the values at the top of a record that its evidence does not answer for."""
        proven = {_text(element.get("key")) for element in _elements(record)} | by_user(record)
        texts = {key: text for key in MediaItem.FILE_FIELDS if key not in proven and (text := _text(record.get(key)))}
        reasons = set()
        if any(_LOST in text or "??" in text for text in texts.values()):
            reasons.add("lost")
        before = {**texts, **{name: text for name, text in _stored_before(record).items() if name in texts}}
        for each in repair(list(before.values())).fields:
            if each.decision != "declared" or each.suspect or each.confidence < self.below:
                reasons.add("no_bytes")
        return reasons


def _stored_before(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of another project's item before they were changed, by their fields."""
    extra = record.get("extra")
    evidence = record.get(EVIDENCE) or (extra.get(EVIDENCE) if isinstance(extra, dict) else None)
    found = evidence.items() if isinstance(evidence, dict) else ()
    return {name: entry["before"] for name, entry in found if isinstance(entry, dict) and _text(entry.get("before"))}


def kept(record: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a record that its successor is compared with, as JSON can hold it; a hostile one is made shallow."""
    part: dict[str, Any] = plain({name: record[name] for name in _KEPT if name in record})
    return part


def keep_user(old: Mapping[str, Any], new: dict[str, Any]) -> None:
    """Carry what a person decided from a stored record over to its successor, in place.

    An element of ``tags`` whose decision is ``user`` gives its text and decision to the element at the same place of
    the new record, which keeps the bytes of the file; if there is none any more, it is kept as it was. A value at the
    top of the record is a person's if it is another one than its evidence gives, or if ``fixed_by_user`` names it: it
    stays too; so do lists that it names. What other pages than the record's own said of the file is carried over too.

    Args:
        old: as stored.
        new: as read now; its ``tags`` are a list of elements.
    """
    if not _is_another_file(old, new):
        new["tags"] += [dict(element) for element in _elements(old) if _is_of_another_page(element)]
    places = {_place(element): element for element in new["tags"]}
    for element in _elements(old):
        if element.get("decision") != _USER or not isinstance(element.get("text"), str):
            continue
        successor = places.get(_place(element))
        if successor is None:
            new["tags"].append(dict(element))
        else:
            _decide(successor, element)
    values = derived_values(new)
    new |= values
    set_by_user = by_user(old).intersection(MediaItem.STRUCTURES)
    new |= {name: old[name] for name in set_by_user if isinstance(old.get(name), (list, dict))}
    mine = _values_of_user(old)
    for key in MediaItem.FILE_FIELDS:
        new[key] = mine.get(key, values[key])
    for element in new["tags"]:
        # Where the file says what the person says, nothing but this mark would tell that it is decided.
        if mine.get(_text(element.get("key"))) == element.get("text"):
            element["decision"] = _USER


def _is_of_another_page(element: Mapping[str, Any]) -> bool:
    """Whether an element has a page of its own. Chapters' titles are left out: the list that they belong to is not."""
    is_chapter = chapter_number(_text(element.get("key"))) is not None
    return is_external(element) and bool(element.get("page_url")) and not is_chapter


def _decide(successor: dict[str, Any], element: Mapping[str, Any]) -> None:
    declared = successor["text"]
    raw = raw_bytes(successor)
    successor.update({name: element[name] for name in _DECIDED if name in element})
    if successor["text"] != declared:
        successor["text_declared"] = declared
        successor.setdefault("raw_b64", base64.b64encode(raw).decode("ascii"))


def _values_of_user(old: Mapping[str, Any]) -> dict[str, str]:
    """Values at the top of a record that differ from what its evidence gives, or are named as decided by hand."""
    given, named = derived_values(old), by_user(old)
    proven = {element["key"] for element in whole_elements(old.get("tags"))} | named
    values = {key: _text(old.get(key)) for key in MediaItem.FILE_FIELDS if key in proven}
    return {
        key: text
        for key, text in values.items()
        if text and (key in named or not (text == given[key] or is_better(given[key], text)))
    }


def pairs(old: Mapping[str, Any], new: Mapping[str, Any], below: float) -> Iterator[dict[str, str]]:
    """Yield what a damage did: each stored text beside the one that is right, where both are of the same text.

    Args:
        old: as stored.
        new: as decided now.
        below: a decision under this confidence teaches nothing.

    Yields:
        ``before``, ``after``, and the ``encoding`` that `after` was read with.
    """
    if _is_another_file(old, new):
        return
    elements = [element for element in _elements(old) if _text(element.get("text"))]
    stored = {_place(each): (_text(each.get("text")), _text(each.get("text_declared"))) for each in elements}
    before_fields = _stored_before(old)
    told = set()
    for element in _elements(new):
        if decision_of(element) not in {"declared", "fixed"} or _confidence(element) < below:
            continue
        after = _text(element.get("text"))
        key = _text(element.get("key"))
        text = stored.get(_place(element))
        of_field = (_text(old.get(key)), before_fields.get(key, "")) if after == new.get(key) else ("", "")
        shown, before = text or of_field
        # What another program stored, not what was made of it.
        before = before or shown
        if shown not in {"", after} and after not in {"", before} and (before, after) not in told:
            told.add((before, after))
            yield {"before": before, "after": after, "encoding": _text(element.get("encoding"))}


def _is_another_file(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether the file behind a URL was replaced: then its old texts tell nothing of its new ones."""
    if not old.get("head_sha256") or old.get("head_bytes") != new.get("head_bytes"):
        return False
    return bool(old["head_sha256"] != new.get("head_sha256"))


def _copied(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy as deep as the fixer writes: the record, and the elements of its evidence."""
    tags = record.get("tags")
    if not isinstance(tags, list):
        return dict(record)
    return {**record, "tags": [dict(element) if isinstance(element, dict) else element for element in tags]}


def _elements(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    tags = record.get("tags")
    return [element for element in tags if isinstance(element, dict)] if isinstance(tags, list) else []


def _place(element: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where in a file, or on which page, the text of an element is."""
    return tuple(str(element.get(name) or "") for name in ("source", "frame", "desc", "index", "page_url"))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _confidence(element: Mapping[str, Any]) -> float:
    """Return the confidence of a decision; 1 where none is noted: plain ASCII needs no decision."""
    return number(element.get("confidence"), 1.0)


_CHECKED = 1000
"""Lines of a file in which a record must be, or it is no file of records."""


class ItemsError(ValueError):
    """The items cannot be read. The message is one sentence: what, where, what to do."""


def locate_items(name: str, folder: Path) -> Path:
    """Find the file that an argument names: as it stands, or, a bare name, in the state folder.

    Raises:
        ItemsError: there is none.
    """
    path = Path(name)
    if path.exists():
        return path
    if path.parent == Path() and (folder / path).exists():
        return folder / path
    also = f" nor in {folder.resolve()}" if path.parent == Path() else ""
    raise ItemsError(f"items={name}: there is no such file in {path.absolute().parent}{also}")


def is_catalogue(path: Path) -> bool:
    """Whether a file is named as a catalogue is.

    Raises:
        ItemsError: its name does not tell what it holds.
    """
    with _explained(path):
        return location_of(str(path)).kind == "catalogue"


def check_items(path: Path) -> dict[str, Any] | None:
    """Return the first record of a file; None for a catalogue without any.

    Raises:
        ItemsError: it cannot be read, or holds no records of media files.
    """
    first = next(filter(None, islice(records(path), _CHECKED)), None)
    if first is None and not is_catalogue(path):
        raise ItemsError(f"items={path} has no records: none of its first {_CHECKED} lines has a content_url")
    return first


def records(path: Path) -> Iterator[dict[str, Any] | None]:
    """Return the records of a file of a format that ``scrapy demojibake`` reads; None for each that cannot be used.

    Raises:
        ItemsError: the file cannot be read, or cannot be read any further.
    """
    with _explained(path), closing(open_reader(location_of(str(path)))) as reader:
        for block in reader.blocks(None, 1):
            for entry in reader.records(block):
                if entry.record is not None or entry.problem:
                    url = (entry.record or {}).get("content_url")
                    yield entry.record if isinstance(url, str) and url else None


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except RerunError as error:
        raise ItemsError(f"items={path}: {error}") from error
