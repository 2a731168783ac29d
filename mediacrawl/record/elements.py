"""The elements of a record's ``tags``: texts of files, pages, feeds and URLs, and decisions in their stored form.

An element from a document has, besides what `base.evidence` lists, ``document`` if no declaration decided its encoding:
``models``, ``chardet``, or ``default`` for windows-1252 where nothing else applied. `declared` is then the encoding of
the document, and the decision is the document's, if it was certain. A text that the document's encoding cannot hold,
since some of its characters were written by reference, has its UTF-8 and no ``document``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from mediacrawl.base.charsets import CHARDET, DocumentReading, codec_name, is_codec
from mediacrawl.base.evidence import decision_of, number, tag_elements
from mediacrawl.base.facts import ADAPTER, FEED, LONGEST_TEXT, OCTETS, PAGE, PLAYLIST, SITEMAP, URL, Fact
from mediacrawl.base.terms import Evidence, Tag
from mediacrawl.encoding import FieldDecision, model_version

UTF8: Final = "utf-8"
_LINK_KEYS: Final = ("page_title", "anchor_text")
"""Fields of a record that are keys of their elements; ``title`` is that of a feed's entry."""


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
        _text(proof.get("encoding")),
        _text(proof.get("language")),
        rounded_confidence(number(proof.get("confidence"))),
        number(proof.get("margin")),
        _text(proof.get("runner_up")),
        decision_of(proof) or "declared",
        lossy=proof.get("lossy") is True,
        suspect=proof.get("suspect") is True,
        guess=_text(proof.get("guess")),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def document_elements(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Return the entries of facts in `MediaItem.tags`, with their bytes in the document, or their UTF-8."""
    if not facts:
        return []
    read = [DocumentReading.of(each.declared) for each in facts]
    raws = [
        None if of.encoding == UTF8 else _octets(each.text, of.encoding, of.by)
        for each, of in zip(facts, read, strict=True)
    ]
    elements = tag_elements(
        [
            Tag(each.source, each.frame, each.key, UTF8, each.text.encode(), each.text)
            if raw is None
            else Tag(each.source, each.frame, each.key, of.encoding, raw, each.text)
            for each, of, raw in zip(facts, read, raws, strict=True)
        ]
    )
    for element, each, of, raw in zip(elements, facts, read, raws, strict=True):
        if of.by and raw is not None and not each.text.isascii():
            element["document"] = of.by
            if of.by == CHARDET or of.is_sure:
                decision = FieldDecision(element["text"], of.encoding, of.language, of.confidence)
                element.update(decision_fields(decision, model_version()))
    return elements


def link_elements(evidence: Evidence) -> list[dict[str, Any]]:
    """Return the entries of page title and anchor text in `MediaItem.tags`. Plain ASCII has none."""
    via = evidence.via.partition("/")[0]
    source = FEED if evidence.feed_url else via if via in {PLAYLIST, SITEMAP, ADAPTER} else PAGE
    # An answer to a data request is not the page, whose title this is.
    of_title = PAGE if source == ADAPTER else source
    texts = zip((of_title, source), _LINK_KEYS, (evidence.page_title, evidence.anchor), strict=True)
    return document_elements(
        [
            Fact(of, name, name, text, evidence.page_charset or UTF8)
            for of, name, text in texts
            if text and not text.isascii()
        ]
    )


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
    return tag_elements([Tag(URL, "path", "filename", declared, raw, text)])


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
