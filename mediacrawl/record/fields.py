"""The text fields of one record that need a decision, and the ``tags`` elements of texts from pages, feeds and lists.

An element from a document has, besides what `evidence` lists, ``document`` if no declaration decided its encoding:
``models``, ``chardet``, or ``default`` for windows-1252 where nothing else applied. `declared` is then the encoding of
the document, and the decision is the document's, if it was certain. A text that the document's encoding cannot hold,
since some of its characters were written by reference, has its UTF-8 and no ``document``.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from mediacrawl.base.charsets import clean, codec_name, decode, is_codec, is_plain
from mediacrawl.base.facts import (
    ADAPTER,
    EXTERNAL_SOURCES,
    FEED,
    LONGEST_TEXT,
    OCTETS,
    PAGE,
    PLAYLIST,
    SITEMAP,
    URL,
    Fact,
)
from mediacrawl.base.terms import Evidence, Tag
from mediacrawl.encoding.decision import FieldDecision
from mediacrawl.encoding.models import model_version
from mediacrawl.record.evidence import decision_fields, number, raw_bytes, stored_decision, tag_element

EVIDENCE = "mojibake"
"""The key of other projects' items with their evidence."""

BY_USER = "fixed_by_user"
"""The key that names fields which must not change."""

_EXTRA = "extra"
"""The key in an export of a catalogue for fields without a column."""

CHARDET = "chardet"
"""Source of a decision, see `document_element`; chardet knows encodings without a model here."""

SURE_DOCUMENT = 0.9
"""Confidence of the models above which a document's decision applies to its texts. Below, each record is decided from
the bytes, with the document's encoding as a strong hint."""

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
        """Whether the decision on its document applies to the text, see `document_element`."""
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
        return codec_name(was.encoding) == (codec_name(self.declared) or "cp1252")


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


def is_element(value: Any) -> bool:
    """Whether a member of ``tags`` is an element of ours; other projects have plain words there."""
    return isinstance(value, dict) and ("declared" in value or "raw_b64" in value)


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
        extra = item.get(_EXTRA)
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


def by_user(item: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields that the item's ``fixed_by_user`` names: a list, or one text with commas."""
    extra = item.get(_EXTRA)
    holders = (item, extra) if isinstance(extra, dict) else (item,)
    names: set[str] = set()
    for value in (holder.get(BY_USER) for holder in holders):
        if isinstance(value, str):
            names.update(name.strip() for name in value.split(","))
        elif isinstance(value, (list, tuple)):
            names.update(name for name in value if isinstance(name, str))
    return frozenset(names)


UTF8: Final = "utf-8"
_ESTIMATE_PARTS: Final = 3

_LINK_KEYS: Final = ("page_title", "anchor_text")
"""Fields of a record that are keys of their elements; ``title`` is that of a feed's entry."""


def document_element(each: Fact) -> dict[str, Any]:
    """Return the entry of a fact in `MediaItem.tags`, with its bytes in the document, or its UTF-8."""
    read = parse_reading(each.declared)
    encoding, by = read.encoding, read.by
    raw = None if encoding == UTF8 else _octets(each.text, encoding, by)
    declared = encoding if raw is not None else UTF8
    element = tag_element(
        Tag(each.source, each.frame, each.key, declared, each.text.encode() if raw is None else raw, each.text)
    )
    if by and raw is not None and not each.text.isascii():
        element["document"] = by
        if by == CHARDET or read.is_sure:
            decision = FieldDecision(element["text"], encoding, read.language, read.confidence)
            element.update(decision_fields(decision, model_version()))
    return element


def link_elements(evidence: Evidence) -> list[dict[str, Any]]:
    """Return the entries of page title and anchor text in `MediaItem.tags`. Plain ASCII has none."""
    via = evidence.via.partition("/")[0]
    source = FEED if evidence.feed_url else via if via in {PLAYLIST, SITEMAP, ADAPTER} else PAGE
    # An answer to a data request is not the page, whose title this is.
    of_title = PAGE if source == ADAPTER else source
    texts = zip((of_title, source), _LINK_KEYS, (evidence.page_title, evidence.anchor), strict=True)
    return [
        document_element(Fact(of, name, name, text, evidence.page_charset or UTF8))
        for of, name, text in texts
        if text and not text.isascii()
    ]


def name_elements(url: str) -> list[dict[str, Any]]:
    """Return the entry of a file's name in its URL, whose bytes are in the encoding of the server's file system.

    Plain ASCII has none. The declared encoding is UTF-8 if the bytes are valid, else Latin-1.
    """
    written = url.partition("#")[0].partition("?")[0].rpartition("/")[2]
    if len(written) > 3 * LONGEST_TEXT or ("%" not in written and written.isascii()):
        return []
    raw = unquote_to_bytes(written)[:LONGEST_TEXT]
    if raw.isascii():
        return []
    try:
        text, declared = raw.decode(UTF8), UTF8
    except UnicodeDecodeError:
        text, declared = raw.decode(OCTETS), OCTETS
    return [tag_element(Tag(URL, "path", "filename", declared, raw, text))]


class DocumentReading(NamedTuple):
    """The parts of `DecodedDocument.reading`.

    Attributes:
        encoding: Python codec name.
        by: source of the decision, if it is no declaration: ``models``, ``chardet``, ``default``; else empty.
        language: or empty.
        confidence: 0 to 1.
    """

    encoding: str
    by: str = ""
    language: str = ""
    confidence: float = 1.0

    @property
    def is_sure(self) -> bool:
        """Whether the models decided with certainty."""
        return self.by == "models" and self.confidence >= SURE_DOCUMENT


def parse_reading(reading: str) -> DocumentReading:
    """Parse `DecodedDocument.reading`. Never raises."""
    encoding, *rest = reading.split(" ")
    if len(rest) != _ESTIMATE_PARTS:
        return DocumentReading(encoding)
    by, language, confidence = rest
    try:
        return DocumentReading(encoding, by, "" if language == "-" else language, float(confidence))
    except ValueError:
        return DocumentReading(encoding)


def _octets(text: str, encoding: str, by: str) -> bytes | None:
    """Return the bytes of a text in its document; None if the encoding cannot represent it."""
    ours = encoding if by == CHARDET or encoding == OCTETS else codec_name(encoding)
    if not ours or not is_codec(encoding):
        return None
    try:
        raw = text.encode(encoding)
        return raw if raw.decode(ours) == text else None
    except UnicodeError:
        return None
