"""Decides the texts of stored records with `detect` and `repair`.

Pipeline, command and Spark function all call `Fixer.fix`, so their results are the same, row by row.
"""

from __future__ import annotations

import base64
import codecs
from collections import Counter
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import IntEnum, auto
from typing import Any, ClassVar, Self

from mediacrawl.base.charsets import CHARDET, SURE_DOCUMENT, Seen, clean, decode, is_codec, is_plain
from mediacrawl.base.evidence import EVIDENCE, EXTRA, DecisionName, by_user, decision_of, is_element, number, raw_bytes
from mediacrawl.base.facts import EXTERNAL_SOURCES, OCTETS
from mediacrawl.base.text import clean as without_surrogates
from mediacrawl.base.text import in_groups
from mediacrawl.encoding import FieldDecision, Hints, History, Substitutions, detect, model_version, repair
from mediacrawl.record.item import MediaItem
from mediacrawl.record.values import (
    best_values,
    followed,
    placed_texts,
    structured_values,
    with_texts,
)

_TOGETHER = 64
"""Texts without bytes that are decided jointly."""

_LONG = 400
"""Bytes of a text, such as lyrics, that chardet may decide."""

_CHARACTERS = 8_192
"""Characters of texts without bytes that are decided jointly."""

MOST_FIELDS = 256
"""Texts of one record that are decided, plain ASCII not counted. A file may hold thousands; the costliest 256 that a
search found take a second of CPU."""

MOST_CHARACTERS = 16_384
"""Characters of texts without bytes that are decided in one record: of bytes an excerpt decides, of text all of it."""


LONGEST = 4096
"""Characters of a text without raw bytes that is decided; a longer one is no title."""

_STATED = ("source", "frame", "key", "declared", "text")
_PASSING = ("text_declared", "guess", "lossy", "suspect")
_READINGS = ("utf-8", "latin-1", "cp1252")


@dataclass(slots=True)
class TextField:
    """A text of a record.

    Attributes:
        name: common name of an element (``title``), or name of an item's field; ``artist[1]`` in a list.
        before: the text as declared, or as it came, to which an undecided field reverts.
        text: the current text.
        raw: its bytes, if known.
        declared: codec of `before`.
        proof: evidence of an earlier decision; empty without one.
        by_user: a person decided it.
    """

    name: str
    before: str
    text: str
    raw: bytes | None
    declared: str
    proof: Mapping[str, Any]
    by_user: bool

    @property
    def is_as_document(self) -> bool:
        """Whether the decision on its document applies to the text, see `build.document_elements`."""
        by, encoding = self.proof.get("document"), self.proof.get("encoding")
        if not isinstance(encoding, str) or self.proof.get("source") not in EXTERNAL_SOURCES:
            return False
        first, *undone = encoding.split(">")
        if first != self.declared:
            return False
        sure = undone or number(self.proof.get("confidence")) >= SURE_DOCUMENT
        return by == CHARDET or (by == "models" and bool(sure))

    def settled(self, version: str, min_confidence: float) -> bool:
        """Whether the stored decision is still valid for these models and this confidence."""
        if self.by_user:
            return True
        # The models do not know the encodings of chardet, so its decisions stay.
        is_of_chardet = self.proof.get("document") == CHARDET and self.is_as_document
        if not is_of_chardet and self.proof.get("fixer") != version:
            return False
        was = stored_decision(self.proof, self.text)
        if was.decision == "fixed":
            return was.confidence >= min_confidence
        if was.decision == "declared" or was.confidence < min_confidence:
            return True
        # The margin was too small, whatever the threshold.
        return was.is_as(self.declared)


@dataclass(slots=True)
class TagField(TextField):
    """An element of our ``tags``, which is its own evidence."""

    proof: dict[str, Any]

    def put(self, decision: FieldDecision, version: str) -> bool:
        """Write a decision into the element.

        Returns:
            Whether the element changed.
        """
        new = {"text": decision.text, **decision_fields(decision, version)}
        if decision.text != self.before:
            new["text_declared"] = self.before
        if self.raw is not None and self.proof.get("raw_b64") is None:
            new["raw_b64"] = base64.b64encode(self.raw).decode("ascii")
        is_of_document = self.proof["source"] in EXTERNAL_SOURCES and self.declared not in {OCTETS, "utf-8"}
        passing = _PASSING if is_of_document else (*_PASSING, "document")
        old = [name for name in passing if name not in new and self.proof.get(name) is not None]
        for name in old:
            del self.proof[name]
        if not old and all(self.proof.get(name) == value for name, value in new.items()):
            return False
        self.proof.update(new)
        return True


@dataclass(slots=True)
class ItemField(TextField):
    """A text of another project's item.

    Attributes:
        place: name of the item's field, and the index if it holds a list.
    """

    place: tuple[str, int | None]


def element_field(element: dict[str, Any]) -> TagField | None:
    """Read an element of ``tags``.

    Returns:
        The field; None for plain ASCII, which needs no decision, and for a long text without bytes.

    Raises:
        ValueError: it is damaged.
    """
    if not all(isinstance(element.get(name), str) for name in _STATED) or not is_codec(element["declared"]):
        raise ValueError("an element without its texts")
    text: str = element["text"]
    packed, earlier = element.get("raw_b64"), element.get("text_declared")
    if packed is None and (earlier is not None or not text.isascii()):
        raw, before = None, earlier if isinstance(earlier, str) else text
        if len(before) > LONGEST:
            return None
    else:
        raw = raw_bytes(element)
        read = text if packed is None else decode(raw, element["declared"])
        before = clean(read)
        if before.isascii() and is_plain(read.removeprefix("\ufeff"), raw):
            return None
    by_user = element.get("decision") == "user"
    return TagField(element["key"], before, text, raw, element["declared"], element, by_user)


class PlainItem:
    """An item with texts in fields of its own, and its evidence under one key.

    ``mojibake`` holds for each field that is not plain ASCII ``before``, ``encoding``, ``confidence``, ``runner_up``,
    ``margin``, ``language``, ``decision``, ``fixer``, ``lossy``; and ``after`` if the text was changed. So every change
    can be undone, and a text that differs from ``after`` was edited by a person and stays. Items that do not accept the
    key are changed without it. An item that was exported from a catalogue has the key under ``extra``, and keeps it
    there.

    Args:
        item: of any kind.
        names: of its fields with text.
        raws: names of the fields with their bytes, as bytes or in base64.

    Attributes:
        fields: that may be decided.
        too_long: names of fields beyond ASCII that are too long to be decided.
    """

    def __init__(self, item: MutableMapping[str, Any], names: Iterable[str], raws: Mapping[str, str]) -> None:
        self._item = item
        self._raws = raws
        self._new: dict[str, Any] = {}
        extra = item.get(EXTRA)
        self._holder = extra if isinstance(extra, dict) and EVIDENCE in extra and EVIDENCE not in item else item
        earlier = self._holder.get(EVIDENCE)
        self._takes_evidence = earlier is None or earlier == "" or isinstance(earlier, Mapping)
        self._evidence: dict[str, Any] = dict(earlier) if isinstance(earlier, Mapping) else {}
        self.too_long: list[str] = []
        untouched = by_user(item)
        self.fields: list[ItemField] = []
        for name in names:
            value = item.get(name)
            if isinstance(value, str) and name not in untouched:
                self._take(value, name, (name, None), self._raw(name) if name in self._raws else None)
            for index, member in enumerate(value) if isinstance(value, list) and name not in untouched else ():
                if isinstance(member, str):
                    self._take(member, f"{name}[{index}]", (name, index), None)

    def put(self, field: ItemField, decision: FieldDecision, version: str) -> None:
        """Store a decision until `close`."""
        entry = {"before": field.before, **decision_fields(decision, version), "lossy": decision.lossy}
        if decision.text != field.before:
            entry["after"] = decision.text
        self._evidence[field.name] = entry
        if decision.text != field.text:
            name, index = field.place
            if index is None:
                self._new[name] = decision.text
            else:
                self._new.setdefault(name, list(self._item[name]))[index] = decision.text

    def close(self) -> bool:
        """Write the decisions into the item, all or none.

        Returns:
            Whether the item changed.

        Raises:
            Exception: the item rejects a text; it is unchanged then.
        """
        old = {name: self._item[name] for name in self._new}
        try:
            for name, value in self._new.items():
                self._item[name] = value
        except Exception:
            for name, value in old.items():
                with suppress(Exception):
                    self._item[name] = value
            raise
        changed = bool(self._new)
        if not self._takes_evidence or not self._evidence or self._evidence == self._holder.get(EVIDENCE):
            return changed
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            self._holder[EVIDENCE] = self._evidence
            changed = True
        return changed

    def _take(self, text: str, name: str, place: tuple[str, int | None], raw: bytes | None) -> None:
        if len(text) > LONGEST:
            if not text.isascii():
                self.too_long.append(name)
            return
        entry = self._evidence.get(name)
        proof: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
        before, after = proof.get("before"), proof.get("after")
        edited = after is not None and text != after
        if not isinstance(before, str) or (after is None and text != before):
            before, proof = text, {}
        if len(before) > LONGEST:
            return
        if before.isascii() and (raw is None or is_plain(raw.decode("latin-1"), raw)):
            return
        codecs = (codec for codec in _READINGS if raw and decode(raw, codec) == before)
        declared = next(codecs, "latin-1")
        user = edited or proof.get("decision") == "user"
        if user:
            self._evidence[name] = {**proof, "decision": "user"}
        self.fields.append(ItemField(name, before, text, raw, declared, proof, user, place))

    def _raw(self, name: str) -> bytes | None:
        value = self._item.get(self._raws[name])
        if isinstance(value, str):
            try:
                return base64.b64decode(value, validate=True) or None
            except ValueError:
                return None
        return bytes(value) if isinstance(value, (bytes, bytearray)) and value else None


def decision_fields(decision: FieldDecision, version: str) -> dict[str, Any]:
    """Return a decision in the form of the evidence."""
    proof: dict[str, Any] = {
        "encoding": decision.encoding,
        "confidence": rounded_confidence(decision.confidence),
        "runner_up": decision.runner_up,
        "margin": round(number(decision.margin), 2),
        "language": decision.language,
        "decision": decision.decision,
        "fixer": version,
    }
    marks = {"document": decision.asked, "guess": decision.guess, "lossy": decision.lossy, "suspect": decision.suspect}
    return proof | {name: mark for name, mark in marks.items() if mark}


def rounded_confidence(confidence: float) -> float:
    """Return a confidence with the digits of the evidence.

    Thresholds are compared with this one, so that a second run agrees.
    """
    return round(confidence if 0.0 <= confidence <= 1.0 else min(max(number(confidence), 0.0), 1.0), 4)


def stored_decision(proof: Mapping[str, Any], text: str) -> FieldDecision:
    """Return the decision in stored evidence; missing and invalid values get defaults."""
    return FieldDecision(
        text,
        _text(proof, "encoding"),
        _text(proof, "language"),
        rounded_confidence(number(proof.get("confidence"))),
        number(proof.get("margin")),
        _text(proof, "runner_up"),
        decision_of(proof) or "declared",
        lossy=proof.get("lossy") is True,
        suspect=proof.get("suspect") is True,
        guess=_text(proof, "guess"),
    )


@dataclass(frozen=True, slots=True)
class TextChange:
    """A changed text.

    Attributes:
        field: common name of the element of ``tags``, or name of the item's field.
        before: the text of the item before.
        after: the text of the item now.
        encoding: see `FieldDecision`.
        language: most likely one, or empty.
        confidence: that `after` is right, 0 to 1.
        decision: ``fixed``; or ``undecided`` where an earlier change was reverted.
        lossy: characters were lost before, and some of `after` are proposals or marked as lost.
    """

    field: str
    before: str
    after: str
    encoding: str
    language: str
    confidence: float
    decision: str
    lossy: bool


@dataclass(frozen=True, slots=True)
class FixResult:
    """The result for one record.

    Attributes:
        changes: changed texts; the same change in two sources counts once.
        decided: a decision for each text that is not plain ASCII, made now or by an earlier run of the same models.
        names: of the fields of `decided`.
        changed: the item changed, if only in its evidence.
        doubtful: a text is undecided, damaged, or has lost characters: the file should be fetched again.
        passed: names of texts without a decision: beyond `MOST_FIELDS` or `MOST_CHARACTERS`, and texts without bytes of
            more than `LONGEST` characters. One in a list is ``artist[1]``.
        errors: number of damaged elements of ``tags``; they stay unchanged.
    """

    changes: tuple[TextChange, ...] = ()
    decided: tuple[FieldDecision, ...] = ()
    names: tuple[str, ...] = ()
    changed: bool = False
    doubtful: bool = False
    passed: tuple[str, ...] = ()
    errors: int = 0

    @classmethod
    def of_copies(cls, record: Mapping[str, Any], mended: Mapping[str, Any]) -> Self:
        """Return the changes of a record that got texts of other records (`merging.with_copies`)."""
        changes = []
        for element in mended["tags"]:
            name = element.get("key")
            if element.get("copy_url") and record.get(name) != mended.get(name):
                encoding, language = element.get("encoding") or element.get("declared"), element.get("language")
                confidence = number(element.get("confidence"), 1.0)
                words = (name, str(record.get(name)), str(mended[name]), str(encoding), str(language or ""))
                changes.append(TextChange(*words, confidence, "fixed", lossy=False))
        return cls(tuple(changes))

    @property
    def left(self) -> int:
        """Number of texts without a decision."""
        return len(self.passed)

    @property
    def encodings(self) -> Counter[str]:
        """Number of texts by encoding, undecided ones not counted."""
        return Counter(found.encoding for found in self.decided if found.decision in {"declared", "fixed"})


class Fixer:
    """Decides records, each independently, except for `history`.

    A record of ours (with evidence in ``tags``) is decided again from its raw bytes, all of its fields jointly, and the
    values at its top follow. A value that differs from the one of its tags was set by a person, and stays. An item of
    another project has only text, unless `fields` names the fields with its bytes: it is repaired, and the evidence is
    stored under ``mojibake``, see `PlainItem`. Texts of more than 4,096 characters stay unchanged.

    In a large record the first `MOST_FIELDS` texts are decided, and `MOST_CHARACTERS` of those without bytes. An
    element with ``decision: user``, and a field that the item names in ``fixed_by_user``, never change.

    Decisions of the same models with the same `min_confidence` are kept; so a second run changes nothing, and a run
    without the crawl's history reverts nothing. Other `substitutions` decide only texts without bytes again, and only
    those that the models were unsure of.

    Args:
        fields: names of plain text fields; a mapping also names the field with the raw bytes of each, as bytes or in
            base64. None selects `COMMON_NAMES`. In a record of ours only named fields without tags are decided.
        min_confidence: 0 to 1; a less certain change is not made, with the decision ``undecided``.
        history: counts decisions and supplies priors; None to decide each record alone.
        substitutions: used where `repair` is unsure; they must not change meanwhile.
    """

    COMMON_NAMES: ClassVar = (
        "title", "artist", "albumartist", "album_artist", "album", "composer", "performer", "author", "genre", "name",
        "comment", "description", "copyright",
    )  # fmt: skip
    """Fields of other projects' items that are decided by default."""

    def __init__(
        self,
        fields: Sequence[str] | Mapping[str, str] | None = None,
        *,
        min_confidence: float = 0.0,
        history: History | None = None,
        substitutions: Substitutions | None = None,
    ) -> None:
        self._named = None if fields is None else tuple(fields)
        self._raws = dict(fields) if isinstance(fields, Mapping) else {}
        self._min_confidence = min_confidence
        self._history = history
        self._substitutions = substitutions or None
        self._version = model_version()
        self._learned = substitutions.version if substitutions else ""

    def fix(self, item: MutableMapping[str, Any], names: Iterable[str] | None = None) -> FixResult:
        """Decide the text of a record and changes it in place. A dict may hold anything.

        Args:
            item: a dict, or another kind through `itemadapter.ItemAdapter`.
            names: of its plain text fields, in place of those of the fixer.

        Raises:
            Exception: of an item of another kind that rejects a text; it is unchanged then.
        """
        tags, every, errors = _evidence(item)
        if names is None:
            names = self.COMMON_NAMES if self._named is None and not tags else self._named or ()
            proven = {*MediaItem.FILE_FIELDS, *(element["key"] for element in tags)} if tags else set()
            names = [name for name in names if name not in proven]
        plain = PlainItem(item, names, self._raws)
        wanted = [*every, *plain.fields]
        fields = _bounded(wanted)
        passed = (*(field.name for field in wanted[len(fields) :]), *plain.too_long)
        tagged, others = every[: len(fields)], plain.fields[: max(len(fields) - len(every), 0)]
        if not fields:
            return FixResult(passed=passed, errors=errors)
        fresh = self._decide(item, fields, tags)
        decided = [fresh.get(place) or _known(field) for place, field in enumerate(fields)]
        changes = _changes(fields, decided)
        for place, field in enumerate(others, len(tagged)):
            if place in fresh:
                plain.put(field, fresh[place], self._decided_by(field, fresh[place]))
        changed = plain.close()
        written = [(field, fresh[place]) for place, field in enumerate(tagged) if place in fresh]
        changed |= self._write(item, tags, written)
        return FixResult(
            changes=changes,
            decided=tuple(decided),
            names=tuple(field.name for field in fields),
            changed=changed,
            doubtful=any(
                found.decision == "undecided" or found.suspect or found.lossy or "\ufffd" in found.text
                for found in decided
            ),
            passed=passed,
            errors=errors,
        )

    def _decide(
        self, item: Mapping[str, Any], fields: Sequence[TextField], tags: Sequence[Mapping[str, Any]]
    ) -> dict[int, FieldDecision]:
        """New decisions by place in `fields`: the file's own texts jointly, texts of pages, texts without bytes."""
        if all(map(self._settled, fields)):
            return {}
        url = address(item)
        hints = hints_of(item, fields, tags, {} if self._history is None else self._history.prior(url))
        fresh: dict[int, FieldDecision] = {}
        groups: dict[_Origin, dict[int, TextField]] = {}
        for place, field in enumerate(fields):
            groups.setdefault(_origin(field), {})[place] = field
        for origin, group in groups.items():
            if len(groups) > 1 and all(map(self._settled, group.values())):
                continue
            wanted = {place: field for place, field in group.items() if not field.by_user}
            part = list(wanted.values())
            # Anchor text and page title are texts of the page itself and confirm nothing there.
            about = hints if origin in {_Origin.FILE, _Origin.LOST} else replace(hints, anchor="")
            if origin is _Origin.LOST:
                found = self._repair(part, about, self._substitutions)
            elif origin is _Origin.DECODED:
                found = self._repair_decoded(part, about)
            else:
                # The encoding of a page is no evidence for the files on its host.
                found = self._read(part, about, url if origin is _Origin.FILE else None)
            fresh.update(zip(wanted, map(self._final, part, found), strict=True))
        return fresh

    def _settled(self, field: TextField) -> bool:
        noted = str(field.proof.get("fixer") or "")
        models, _, learned = noted.partition("+")
        asks_again = bool(self._learned) and learned != self._learned and field.raw is None and not field.by_user
        if asks_again and stored_decision(field.proof, field.text).is_open:
            return False
        return field.settled(noted if models == self._version else self._version, self._min_confidence)

    def _decided_by(self, field: TextField, decision: FieldDecision) -> str:
        """Return the version of the models, and after a ``+`` that of the substitutions if they were used."""
        uses_pairs = bool(self._learned) and field.raw is None and decision.is_open
        return f"{self._version}+{self._learned}" if uses_pairs else self._version

    def _read(self, fields: Sequence[TextField], hints: Hints, url: str | None) -> Iterable[FieldDecision]:
        """Decisions on fields by their bytes, which count for the host of `url`."""
        raws = [field.raw or b"" for field in fields]
        about = replace(hints, declared=tuple(field.declared for field in fields))
        found = detect(raws, about, chardet_from=_LONG)
        if self._history is not None and url is not None:
            self._history.learn(url, found)
        for decided in found.fields:
            text = clean(decided.text)
            yield decided if text == decided.text else replace(decided, text=text)

    def _repair_decoded(self, fields: Sequence[TextField], hints: Hints) -> Iterable[FieldDecision]:
        """Decisions on texts of a document that was decoded whole; they may be mojibake themselves."""
        for field, found in zip(fields, self._repair(fields, hints, None), strict=True):
            undone = f">{found.encoding}" if found.decision == "fixed" and found.encoding else ""
            if not undone and field.is_as_document:
                # The document was more evidence than this text.
                was = stored_decision(field.proof, found.text)
                found = replace(found, confidence=was.confidence, language=was.language)  # noqa: PLW2901
            yield replace(found, encoding=f"{field.declared}{undone}")

    def _repair(
        self, fields: Sequence[TextField], hints: Hints, substitutions: Substitutions | None
    ) -> Iterable[FieldDecision]:
        """Decisions on fields by their text alone."""
        for part in in_groups(fields, lambda field: len(field.before), _CHARACTERS, _TOGETHER):
            came = [without_surrogates(field.before) for field in part]
            for field, text, found in zip(part, came, repair(came, hints, substitutions).fields, strict=True):
                yield found if found.text != text or text == field.before else replace(found, text=field.before)

    def _final(self, field: TextField, found: FieldDecision) -> FieldDecision:
        """Return the decision after the thresholds: uncertain changes are not made."""
        text, confidence, guess = found.text, rounded_confidence(found.confidence), found.guess
        decision: DecisionName = "fixed"
        if found.decision == "undecided" or (text != field.before and confidence < self._min_confidence):
            guess = text if text != field.before else guess
            text, decision = field.before, "undecided"
        elif text == field.before:
            decision = "declared"
        if (text, confidence, decision) == (found.text, found.confidence, found.decision):
            return found
        return replace(found, text=text, confidence=confidence, decision=decision, guess=guess)

    def _write(
        self,
        item: MutableMapping[str, Any],
        tags: Sequence[Mapping[str, Any]],
        decided: Sequence[tuple[TagField, FieldDecision]],
    ) -> bool:
        """Write decisions into the evidence, and the values at the top that came from it."""
        has_lost = any(
            "?" in value or "\ufffd" in value for name in MediaItem.FILE_FIELDS if (value := _text(item, name))
        )
        if not decided and not has_lost:
            return False
        old, old_titles = best_values(tags) | structured_values(tags), placed_texts(tags)
        put = sum(field.put(decision, self._decided_by(field, decision)) for field, decision in decided)
        untouched = by_user(item)
        values = followed(item, old, best_values(tags) | structured_values(tags)) if put or has_lost else {}
        new = [name for name in values if name not in untouched]
        for name in new:
            _put_value(item, name, values[name])
        if not put:
            return bool(new)
        titles = placed_texts(tags)
        for name in MediaItem.LISTS_WITH_TEXTS if titles else ():
            parts = item.get(name)
            placed = with_texts(name, parts, titles, old_titles)
            if placed != parts and name not in untouched:
                _put_value(item, name, placed)
        return True


def _put_value(item: MutableMapping[str, Any], name: str, value: Any) -> None:
    """Set a field, unless the item's class has no such field, as a class of an earlier version."""
    with suppress(KeyError):
        item[name] = value


class _Origin(IntEnum):  # as dictionary keys, integers take a fifth of the time
    """Fields with the same origin are decided jointly."""

    FILE = auto()
    EXTERNAL = auto()
    DECODED = auto()
    """Of a page or list whose encoding was declared, or decided as a whole with certainty."""
    LOST = auto()
    """Without known bytes."""


def _origin(field: TextField) -> _Origin:
    if field.raw is None:
        return _Origin.LOST
    if not isinstance(field, TagField) or field.proof["source"] not in EXTERNAL_SOURCES:
        return _Origin.FILE
    if field.declared in {OCTETS, "utf-8"}:
        return _Origin.EXTERNAL
    is_decided = "document" not in field.proof or field.is_as_document
    return _Origin.DECODED if is_decided else _Origin.EXTERNAL


def _bounded(fields: list[TextField]) -> list[TextField]:
    """Return the fields within the limits of a record."""
    left = MOST_CHARACTERS
    for place, field in enumerate(fields[:MOST_FIELDS]):
        left -= len(field.before) if field.raw is None else 0
        if left < 0:
            return fields[:place]
    return fields[:MOST_FIELDS]


def _evidence(item: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[TagField], int]:
    """Return the valid elements of a record's ``tags``, those that need a decision, and the number of damaged ones."""
    tags = item.get("tags")
    whole: list[dict[str, Any]] = []
    fields: list[TagField] = []
    errors = 0
    for element in filter(is_element, tags) if isinstance(tags, list) else ():
        try:
            found = element_field(element)
        except ValueError:
            errors += 1
            continue
        whole.append(element)
        if found:
            fields.append(found)
    return whole, fields, errors


def _known(field: TextField) -> FieldDecision:
    """Return the stored decision on a field."""
    known = stored_decision(field.proof, field.text)
    return replace(known, decision="user", suspect=False, lossy=False) if field.by_user else known


def _changes(fields: Sequence[TextField], decided: Iterable[FieldDecision]) -> tuple[TextChange, ...]:
    changes: dict[tuple[str, str, str], TextChange] = {}
    for field, to in zip(fields, decided, strict=True):
        if to.text != field.text:
            key = (field.name, field.text, to.text)
            changes.setdefault(key, TextChange(*key, to.encoding, to.language, to.confidence, to.decision, to.lossy))
    return tuple(changes.values())


_ADDRESSES = ("content_url", "url", "page_url")
_NO_LANGUAGE = frozenset({"", "xxx", "und", "zxx", "mul"})
_LONGEST_ANCHOR = 400
_LONGEST_NAME = 40


def address(item: Mapping[str, Any]) -> str:
    """Return the URL of the file, or of what else the record describes; empty without one."""
    return next((url for name in _ADDRESSES if (url := _text(item, name))), "")


def hints_of(
    item: Mapping[str, Any], fields: Iterable[TextField], elements: Iterable[Mapping[str, Any]], seen: Seen
) -> Hints:
    """Gather the hints of a record, except `Hints.declared`, which depends on the order of the fields.

    `fields` are all that are not plain ASCII, `elements` those of ``tags``, `seen` the counts of the file's host
    and folder.
    """
    return Hints(
        url=address(item),
        page_language=_text(item, "page_language")[:_LONGEST_NAME],
        page_charset=_text(item, "page_charset")[:_LONGEST_NAME],
        tag_languages=tuple(_languages(elements)),
        anchor=f"{_text(item, 'anchor_text')} {_text(item, 'page_title')}".strip()[:_LONGEST_ANCHOR],
        known=tuple(dict.fromkeys(field.text for field in fields if field.by_user or _reads_as_itself(field))),
        seen=seen,
    )


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _languages(elements: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """Return the languages that frames (COMM, USLT) and the file (TLAN) declare, each once."""
    named: dict[str, None] = {}
    for element in elements:
        language = element["text"] if element["key"] == "language" else element.get("lang")
        if isinstance(language, str) and len(language) <= _LONGEST_NAME and language.isascii():
            named[language.lower()] = None
    return (name for name in named if name not in _NO_LANGUAGE)


def _reads_as_itself(field: TextField) -> bool:
    """Whether a field that is declared as Unicode certainly is.

    UTF-16 needs its byte order mark, since 8-bit text read as UTF-16 looks like Chinese; and one character beyond
    cp1252, since Unicode made from mojibake has none.
    """
    if not field.declared.startswith("utf-") or field.raw is None or "\ufffd" in field.before:
        return False
    if field.declared == "utf-16" and not field.raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    if not field.before.replace("\n", " ").isprintable():
        return False
    try:
        field.before.encode("cp1252")
    except UnicodeEncodeError:
        return True
    return False
