"""Decides the text of stored records: the one place where `detect` and `repair` meet an item.

Pipeline, command and Spark function all call `Fixer.fix`, so their results are the same, row by row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, auto
from typing import Any, Final

from mediacrawl.encoding import detect, model_version, repair
from mediacrawl.encoding.decision import DecisionName, FieldDecision, Hints
from mediacrawl.encoding.detection.document import chardet_if_long
from mediacrawl.encoding.excerpts import head_of
from mediacrawl.encoding.hints import address, hints_of
from mediacrawl.encoding.history import History
from mediacrawl.encoding.mojibake.repairer import is_open
from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.encoding.pricing.decoding import read_alike
from mediacrawl.encoding.records.evidence import FILE_FIELDS, best_values, clean, rounded_confidence, stored_decision
from mediacrawl.encoding.records.fields import PlainItem, TagField, TextField, by_user, element_field, is_element
from mediacrawl.facts import EXTERNAL_SOURCES, OCTETS
from mediacrawl.observe.text import clean as without_surrogates

COMMON_NAMES = (
    "title", "artist", "albumartist", "album_artist", "album", "composer", "performer", "author", "genre", "name",
    "comment", "description", "copyright",
)  # fmt: skip
"""Fields of other projects' items that are looked at when nobody names any."""

_TOGETHER = 64
"""Fields that are decided together. A file may have a thousand; any few tell the encoding of all."""

_CHARACTERS = 8_192
"""And of so many characters, where their bytes are lost."""

MOST_FIELDS = 256
"""Texts of one record that are decided, the first ones, not counting plain ASCII. A file may hold thousands; the
dearest 256 that a search found take a second of CPU."""

MOST_CHARACTERS = 16_384
"""And characters of those whose bytes are lost: each of them is looked at, where of long bytes a piece decides."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """One text that is another one now.

    Attributes:
        field: common name of the element of ``tags``, or name of the item's field.
        before: the text that stood there when the item came.
        after: the text that stands there now.
        encoding: it was read with, see `FieldDecision`.
        language: most likely one, or empty.
        confidence: that `after` is right, 0 to 1.
        decision: ``fixed``; or ``undecided`` where an earlier change was taken back.
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
    """What became of one record.

    Attributes:
        changes: texts that are other ones now; the same change in two sources counts once.
        decided: a decision for each text that is not plain ASCII, now or by an earlier run of the same models.
        names: of the fields of `decided`.
        changed: the item is another one than before, if only by evidence. If not, its old line is as good as a new one.
        doubtful: a text is undecided, damaged, or has lost characters: the file is worth another look.
        passed: names of texts that are left as they are, without a decision: beyond `MOST_FIELDS` or `MOST_CHARACTERS`,
            and texts without bytes of more than `fields.LONGEST` characters. One in a list is ``artist[1]``.
        errors: elements of ``tags`` that are damaged; they are left as they are.
    """

    changes: tuple[TextChange, ...] = ()
    decided: tuple[FieldDecision, ...] = ()
    names: tuple[str, ...] = ()
    changed: bool = False
    doubtful: bool = False
    passed: tuple[str, ...] = ()
    errors: int = 0

    @property
    def left(self) -> int:
        """How many texts are left without a decision."""
        return len(self.passed)

    @property
    def encodings(self) -> Counter[str]:
        """How many texts were read with each encoding; undecided ones are not counted."""
        return Counter(found.encoding for found in self.decided if found.decision in {"declared", "fixed"})


class Fixer:
    """Decides records, each on its own: only `history` goes from one to the next.

    * A record of ours (with evidence in ``tags``) is decided anew from its raw bytes, all of its fields together, and
      the values at its top follow. A value that is not the one its tags gave was set by a person, and stays.
    * An item of another project has text only, unless `fields` says where its bytes are: it goes through `repair`, and
      leaves what it did under ``mojibake``, see `fields.PlainItem`. Texts of more than 4,096 characters are left alone.
    * Of a record with very many texts the first `MOST_FIELDS` are decided, and `MOST_CHARACTERS` of those without
      bytes; the others stay as they came.
    * Nobody touches an element with ``decision: user``, nor a field that the item names in ``fixed_by_user``.
    * What the same models decided before, with the same `min_confidence`, is not decided again; so a second run
      changes nothing, and a run without the crawl's history takes nothing back. With other `substitutions` only texts
      without bytes that the models were unsure of are decided again; without any, none.

    Args:
        fields: names of plain text fields; a mapping says besides which field holds the raw bytes of each, as bytes or
            in base64. None means those of `COMMON_NAMES`. In a record of ours, where tags tell the best values, only
            further fields are looked at, and only those that are named.
        min_confidence: 0 to 1; a change of less stays undone, with the decision ``undecided``.
        history: learns what is found where, and is asked before each decision; None to decide each record alone.
        substitutions: what pairs of stored and right texts taught; asked where `repair` is unsure. They must not
            learn meanwhile.
    """

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

    def fix(self, item: MutableMapping[str, Any]) -> FixResult:
        """Decides the text of a record and changes it in place. Input of any kind is fine in a dict.

        Args:
            item: a dict, or another kind through `itemadapter.ItemAdapter`.

        Raises:
            Exception: what an item of another kind raises when it refuses a text; it is left as it was.
        """
        tags, every, errors = _evidence(item)
        plain = PlainItem(item, self._plain_names(tags), self._raws)
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
        changed |= bool(written) and self._write(item, tags, written)
        return FixResult(
            changes=changes,
            decided=tuple(decided),
            names=tuple(field.name for field in fields),
            changed=changed,
            doubtful=any(map(_is_doubtful, decided)),
            passed=passed,
            errors=errors,
        )

    def _plain_names(self, tags: Sequence[Mapping[str, Any]]) -> Iterable[str]:
        if not tags:
            return COMMON_NAMES if self._named is None else self._named
        proven = {*FILE_FIELDS, *(element["key"] for element in tags)}
        return [name for name in self._named or () if name not in proven]

    def _decide(
        self, item: Mapping[str, Any], fields: Sequence[TextField], tags: Sequence[Mapping[str, Any]]
    ) -> dict[int, FieldDecision]:
        """Decides what is not settled: the file's own texts together, what pages say of it, texts without bytes."""
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
            # The link's text and the page's title are texts of the page itself: they confirm nothing there.
            about = hints if origin in {_Origin.FILE, _Origin.LOST} else replace(hints, anchor="")
            if origin is _Origin.LOST:
                found = self._repair(part, about, self._substitutions)
            elif origin is _Origin.DECODED:
                found = self._repair_decoded(part, about)
            else:
                # What a page says in its own encoding tells nothing of the files on its host.
                found = self._read(part, about, url if origin is _Origin.FILE else None)
            fresh.update(zip(wanted, map(self._final, part, found), strict=True))
        return fresh

    def _settled(self, field: TextField) -> bool:
        noted = str(field.proof.get("fixer") or "")
        models, _, learned = noted.partition("+")
        asks_again = bool(self._learned) and learned != self._learned and field.raw is None and not field.by_user
        if asks_again and is_open(stored_decision(field.proof, field.text)):
            return False
        return field.settled(noted if models == self._version else self._version, self._min_confidence)

    def _decided_by(self, field: TextField, decision: FieldDecision) -> str:
        """The version of the models, and behind a ``+`` that of the substitutions where these had a say."""
        had_a_say = bool(self._learned) and field.raw is None and is_open(decision)
        return f"{self._version}+{self._learned}" if had_a_say else self._version

    def _read(self, fields: Sequence[TextField], hints: Hints, url: str | None) -> Iterable[FieldDecision]:
        """Decides fields by their bytes; what was found is remembered of the host of `url`."""
        for start in range(0, len(fields), _TOGETHER):
            part = fields[start : start + _TOGETHER]
            heads = heads_of(part)
            found = detect(heads, replace(hints, declared=tuple(field.declared for field in part)))
            if self._history is not None and url is not None and start == 0:
                self._history.learn(url, found)
            for field, decided in zip(part, map(whole_of, part, heads, found.fields), strict=True):
                yield decided if field.raw is None else chardet_if_long(field.raw, decided)

    def _repair_decoded(self, fields: Sequence[TextField], hints: Hints) -> Iterable[FieldDecision]:
        """Decides texts of a document that was read whole: they are as meant, or were stored wrongly before that."""
        for field, found in zip(fields, self._repair(fields, hints, None), strict=True):
            undone = f">{found.encoding}" if found.decision == "fixed" and found.encoding else ""
            if not undone and field.is_as_document:
                # The document told more than this text does.
                was = stored_decision(field.proof, found.text)
                found = replace(found, confidence=was.confidence, language=was.language)  # noqa: PLW2901
            yield replace(found, encoding=f"{field.declared}{undone}")

    def _repair(
        self, fields: Sequence[TextField], hints: Hints, substitutions: Substitutions | None
    ) -> Iterable[FieldDecision]:
        """Decides fields by their text alone."""
        for part in _groups(fields):
            came = [without_surrogates(field.before) for field in part]
            for field, text, found in zip(part, came, repair(came, hints, substitutions).fields, strict=True):
                yield found if found.text != text or text == field.before else replace(found, text=field.before)

    def _final(self, field: TextField, found: FieldDecision) -> FieldDecision:
        """The decision as it is carried out: only sure changes, and `decision` says what became of the text."""
        text, confidence = found.text, rounded_confidence(found.confidence)
        decision: DecisionName = "fixed"
        if found.decision == "undecided" or (text != field.before and confidence < self._min_confidence):
            text, decision = field.before, "undecided"
        elif text == field.before:
            decision = "declared"
        if (text, confidence, decision) == (found.text, found.confidence, found.decision):
            return found
        return replace(found, text=text, confidence=confidence, decision=decision)

    def _write(
        self,
        item: MutableMapping[str, Any],
        tags: Sequence[Mapping[str, Any]],
        decided: Iterable[tuple[TagField, FieldDecision]],
    ) -> bool:
        """Writes decisions into the evidence; values at the top that came from there follow."""
        old = best_values(tags)
        changed = sum(field.put(decision, self._decided_by(field, decision)) for field, decision in decided) > 0
        untouched = by_user(item)
        for name, value in best_values(tags).items():
            stands = item.get(name)
            if value != old[name] and (stands or None) == old[name] and name not in untouched:
                item[name] = value
                changed = True
        return changed


class _Origin(IntEnum):  # as dictionary keys, integers take a fifth of the time
    """Whose text it is: those of one are decided together."""

    FILE = auto()
    EXTERNAL = auto()
    DECODED = auto()
    """Of a page or list whose encoding was declared, or surely decided whole: a text alone tells less than all of that
    did."""
    LOST = auto()
    """Its bytes are not known."""


def _origin(field: TextField) -> _Origin:
    if field.raw is None:
        return _Origin.LOST
    if not isinstance(field, TagField) or field.element["source"] not in EXTERNAL_SOURCES:
        return _Origin.FILE
    if field.declared in {OCTETS, "utf-8"}:
        return _Origin.EXTERNAL
    is_told = "document" not in field.element or field.is_as_document
    return _Origin.DECODED if is_told else _Origin.EXTERNAL


def _groups(fields: Sequence[TextField]) -> Iterable[list[TextField]]:
    """Texts that are mended together: so many, or of so many characters."""
    part: list[TextField] = []
    room = _CHARACTERS
    for field in fields:
        room -= len(field.before)
        if part and (room < 0 or len(part) == _TOGETHER):
            yield part
            part, room = [], _CHARACTERS - len(field.before)
        part.append(field)
    if part:
        yield part


def _bounded(fields: list[TextField]) -> list[TextField]:
    """The first fields of a record, as many as are decided."""
    room = MOST_CHARACTERS
    for place, field in enumerate(fields[:MOST_FIELDS]):
        room -= len(field.before) if field.raw is None else 0
        if room < 0:
            return fields[:place]
    return fields[:MOST_FIELDS]


def _evidence(item: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[TagField], int]:
    """The whole elements of a record's ``tags``, those of them that want a decision, and how many are damaged."""
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
    """What is known of a field before anything is decided now."""
    known = stored_decision(field.proof, field.text)
    return replace(known, decision="user", suspect=False, lossy=False) if field.by_user else known


def _changes(fields: Sequence[TextField], decided: Iterable[FieldDecision]) -> tuple[TextChange, ...]:
    changes: dict[tuple[str, str, str], TextChange] = {}
    for field, to in zip(fields, decided, strict=True):
        if to.text != field.text:
            key = (field.name, field.text, to.text)
            changes.setdefault(key, TextChange(*key, to.encoding, to.language, to.confidence, to.decision, to.lossy))
    return tuple(changes.values())


def _is_doubtful(decision: FieldDecision) -> bool:
    return decision.decision == "undecided" or decision.suspect or decision.lossy or "\ufffd" in decision.text


LONGEST_HEAD: Final = 4096
"""Bytes of a field that decide."""

_SHORTEST_HEAD: Final = 256

_BYTES_TOGETHER: Final = 16_384
"""Bytes of a record that decide together; they bound the time in which a crawl does nothing else."""

_CUT: Final = 4
"""Characters at the end of a head that may be cut, and read otherwise in the whole."""


def heads_of(fields: Sequence[TextField]) -> list[bytes]:
    """The bytes of each field that decide: all of it, if it is not long."""
    longest = min(max(_BYTES_TOGETHER // max(len(fields), 1), _SHORTEST_HEAD), LONGEST_HEAD)
    return [head_of(field.raw or b"", field.declared, longest) for field in fields]


def whole_of(field: TextField, head: bytes, found: FieldDecision) -> FieldDecision:
    """The decision on a head, for the whole of its field; ``undecided`` where the whole cannot be read alike.

    Args:
        field: with bytes.
        head: of them, as `heads_of` gave it.
        found: on the head.
    """
    text = clean(found.text)
    if field.raw is None or len(head) == len(field.raw):
        return found if text == found.text else replace(found, text=text)
    if found.decision != "fixed":
        return replace(found, text=field.before)
    whole = read_alike(field.raw, found.encoding)
    whole = None if whole is None else clean(whole)
    if whole is None or text[:-_CUT] not in whole:
        return replace(found, text=field.before, decision="undecided")
    return replace(found, text=whole)
