"""The evidence of what a page, feed or list says: elements of ``tags`` with the encoding of their document.

Such an element has, besides what `evidence` tells, ``document`` if no claim of the page decided its encoding:
``models``, ``chardet``, or ``default`` for windows-1252 where nobody knew. `declared` is the encoding of the document
then, and the decision is the document's, if it was sure. A text that the document's encoding cannot hold, since some of
its characters were written by reference, has its UTF-8 and says nothing of the document.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from mediacrawl.encoding.decision import FieldDecision
from mediacrawl.encoding.evidence import is_codec, noted, tag_element
from mediacrawl.encoding.fields import CHARDET, SURE_DOCUMENT
from mediacrawl.encoding.models import model_version
from mediacrawl.encoding.priors import codec_name
from mediacrawl.facts import FEED, LONGEST_TEXT, OCTETS, PAGE, PLAYLIST, SITEMAP, URL, Fact
from mediacrawl.records import Evidence, Tag

UTF8: Final = "utf-8"
_JUDGED_PARTS: Final = 3
_SIGHTED: Final = ("page_title", "anchor_text")
"""Fields of a record, and what their elements are called: a feed has a ``title`` of each entry as well."""


def told_element(each: Fact) -> dict[str, Any]:
    """Turn a fact into its entry in `MediaItem.tags`: its bytes are those of its document, or its UTF-8.

    Args:
        each: the fact.
    """
    read = parts_of_reading(each.declared)
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
            element.update(noted(decision, model_version()))
    return element


def sighted_elements(evidence: Evidence) -> list[dict[str, Any]]:
    """The entries of the page's title and of the link's text, which stand at the top of a record too.

    Plain ASCII needs none.

    Args:
        evidence: of the link that led to the file.
    """
    via = evidence.via.partition("/")[0]
    source = FEED if evidence.feed_url else via if via in {PLAYLIST, SITEMAP} else PAGE
    texts = zip(_SIGHTED, (evidence.page_title, evidence.anchor), strict=True)
    return [
        told_element(Fact(source, name, name, text, evidence.page_charset or UTF8))
        for name, text in texts
        if text and not text.isascii()
    ]


def name_elements(url: str) -> list[dict[str, Any]]:
    """The entry of a file's name in its URL, whose octets are in whatever encoding the server's file system has.

    Plain ASCII needs none. The claim is UTF-8 if they are that, else Latin-1: the octets are decided like those of any
    text.

    Args:
        url: of the file, absolute.
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


class ReadingParts(NamedTuple):
    """What `Document.reading` says.

    Attributes:
        encoding: Python codec name.
        by: who decided, if no claim did: ``models``, ``chardet``, ``default``; else empty.
        language: that they found; or empty.
        confidence: theirs, 0 to 1.
    """

    encoding: str
    by: str = ""
    language: str = ""
    confidence: float = 1.0

    @property
    def is_sure(self) -> bool:
        """Whether models decided, and surely."""
        return self.by == "models" and self.confidence >= SURE_DOCUMENT


def parts_of_reading(reading: str) -> ReadingParts:
    """Take apart what `Document.reading` gave. Never raises.

    Args:
        reading: as in `Evidence.page_charset`, or empty.
    """
    encoding, *rest = reading.split(" ")
    if len(rest) != _JUDGED_PARTS:
        return ReadingParts(encoding)
    by, language, confidence = rest
    try:
        return ReadingParts(encoding, by, "" if language == "-" else language, float(confidence))
    except ValueError:
        return ReadingParts(encoding)


def _octets(text: str, encoding: str, by: str) -> bytes | None:
    """A text's bytes in its document; None if they do not give it back, as with characters written by reference."""
    ours = encoding if by == CHARDET or encoding == OCTETS else codec_name(encoding)
    if not ours or not is_codec(encoding):
        return None
    try:
        raw = text.encode(encoding)
        return raw if raw.decode(ours) == text else None
    except UnicodeError:
        return None
