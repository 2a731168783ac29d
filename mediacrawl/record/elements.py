"""The elements of a record's ``tags`` that are made of facts, of a link, and of a file's name.

One from a document has, besides what `base.evidence` lists, ``document`` if no declaration decided its encoding:
``models``, ``chardet``, or ``default`` for windows-1252 where nothing else applied. `declared` is then the encoding of
the document, and the decision is the document's, if it was certain. A text that the document's encoding cannot hold,
since some of its characters were written by reference, has its UTF-8 and no ``document``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from mediacrawl.base.charsets import CHARDET, DocumentReading
from mediacrawl.base.evidence import tag_elements
from mediacrawl.base.facts import ADAPTER, FEED, LONGEST_TEXT, OCTETS, PAGE, PLAYLIST, SITEMAP, URL, Fact
from mediacrawl.base.terms import Evidence, Tag
from mediacrawl.encoding import DecodedDocument, FieldDecision, model_version
from mediacrawl.record.fixer import decision_fields

UTF8: Final = "utf-8"
_LINK_KEYS: Final = ("page_title", "anchor_text")
"""Fields of a record that are keys of their elements; ``title`` is that of a feed's entry."""


def document_elements(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Return the entries of facts in `MediaItem.tags`, with their bytes in the document, or their UTF-8."""
    if not facts:
        return []
    read = [DocumentReading.of(each.declared) for each in facts]
    raws = [
        None if of.encoding == UTF8 else DecodedDocument.bytes_of(each.text, of)
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
