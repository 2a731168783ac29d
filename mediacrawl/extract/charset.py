"""From the octets of a page or a list to what a parser takes: its encoding, and tags without thousands of attributes.

Declared encodings are taken in the order of each standard. `mediacrawl.encoding.detection.document` decides whether
they are right, and which encoding a document without a declaration is in.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Literal

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

from mediacrawl.encoding.decision import Hints, Seen
from mediacrawl.encoding.detection.document import DecodedDocument, EncodingClaim, decide_document
from mediacrawl.encoding.history import top_level
from mediacrawl.encoding.languages import is_codec

_DECLARED_WITHIN = 4_096
"""Bytes in which a page declares itself. The HTML standard says 1,024; pages with long heads exist."""
_MOST_STRAY = 50_000
"""Octets that are no UTF-8, in a list that is UTF-8 for the most part, up to which each is taken for a letter of
windows-1252."""
_STRAY = "mediacrawl.stray"

_xml_declaration = re.compile(rb"<\?xml\s[^<>]{0,150}?\bencoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"'][^<>]{0,80}\?>")
_language = re.compile(
    rb"(?:<html\b[^<>]{0,400}?|\bxml:)lang\s*=\s*[\"']?([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})?)"
    rb"|<(?:dc:)?language>\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})?)\s*<",
    re.IGNORECASE,
)

History = Callable[[], Seen]
"""Encodings found on a document's host; called only where models decide."""


def read_html(
    body: bytes, url: str, header: str | None = None, history: History = dict
) -> tuple[DecodedDocument, bytes]:
    """Decode a page, perhaps cut inside a character. Never raises.

    The order is the HTML standard's ("determining the character encoding"): byte order mark, header, then the
    declaration of the page. Unknown names are ignored; the top-level domain of `url` is a hint.

    Returns:
        The document, and its text as UTF-8 without byte order mark and zero bytes, as the parser wants it.
    """
    found, rest = _read(body, url, header, "meta", history)
    text = rest if found.encoding == "utf-8" and found.is_whole else found.text.encode("utf-8", "replace")
    # Older parsers stop at a zero byte.
    return found, text.replace(b"\0", b"") if b"\0" in text else text


def read_xml(
    body: bytes, url: str = "", header: str | None = None, history: History = dict
) -> tuple[DecodedDocument, bytes]:
    """Decode a feed or another list in XML. Never raises.

    The order is that of RFC 7303: byte order mark, header, then the XML declaration; without any it is UTF-8. As in
    feedparser a claim that does not decode is passed over. In text that is mostly UTF-8 each invalid octet is decoded
    as windows-1252.

    Returns:
        The document, and its text as UTF-8 without byte order mark, zero bytes and XML declaration.
    """
    found, rest = _read(body, url, header, "xml", history)
    if found.encoding != "utf-8":
        text = found.text.encode("utf-8", "replace")
    elif found.lost and found.lost <= _MOST_STRAY:
        text = rest.decode("utf-8", _STRAY).encode("utf-8", "replace")
    else:
        text = rest if found.is_whole else found.text.encode("utf-8", "replace")
    declared = _xml_declaration.search(text, 0, _DECLARED_WITHIN)
    if declared:
        # It declares another encoding than the text has now.
        text = text[: declared.start()] + text[declared.end() :]
    return found, text.replace(b"\0", b"") if b"\0" in text else text


def read_plain(body: bytes, url: str = "", header: str | None = None, history: History = dict) -> DecodedDocument:
    """Decode a list whose format has no declaration: a playlist, or lines of URLs. Never raises."""
    return _read(body, url, header, None, history)[0]


def _read(
    body: bytes, url: str, header: str | None, declared_by: Literal["meta", "xml"] | None, history: History
) -> tuple[DecodedDocument, bytes]:
    marked, mark = read_bom(body)
    rest = body[len(mark) :] if mark else body

    def claims() -> Iterator[EncodingClaim]:
        if marked:
            yield EncodingClaim(_known(marked) or marked, "bom")
        if known := _known(header):
            yield EncodingClaim(known, "header")
        label = None
        if declared_by == "meta":
            label = html_body_declared_encoding(rest[:_DECLARED_WITHIN])
        elif declared_by and (found := _xml_declaration.search(rest, 0, _DECLARED_WITHIN)):
            label = found[1].decode("ascii")
        if declared_by and (encoding := _known(label)):
            # A declaration that can be read byte by byte is not in UTF-16, and the HTML standard takes it as UTF-8.
            yield EncodingClaim("utf-8" if encoding.startswith(("utf-16", "utf-32")) else encoding, declared_by)

    def hints() -> Hints:
        found = _language.search(rest, 0, _DECLARED_WITHIN)
        language = (found[1] or found[2]).decode("ascii") if found else ""
        return Hints(page_language=language, tld=top_level(url), seen=history())

    return decide_document(rest, claims(), hints), rest


def header_charset(content_type: str) -> str | None:
    """Return the charset of a Content-Type header in lower case, or None."""
    _, _, charset = content_type.lower().partition("charset=")
    return charset.partition(";")[0].strip("\"' ") or None


@lru_cache(maxsize=512)
def _known(label: str | None) -> str | None:
    """Return the Python codec that a label of the Encoding Standard, or a name that Python knows, stands for."""
    if not label or len(label) > 40 or not label.isascii() or not label.isprintable():
        return None
    name = label.strip().lower()
    # "x-mac-cyrillic" is a label of the Encoding Standard, "mac-cyrillic" is Python's name.
    encoding = resolve_encoding(name) or resolve_encoding(name.removeprefix("x-"))
    return encoding if encoding and is_codec(encoding) else None


def _letter(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(_STRAY, _letter)


MOST_ATTRIBUTES = 1_000
"""Attributes of a tag. libxml2 scans all of them for each new one: 35,000 in a tag of 200 KB take a second."""
_HARMLESS = 12_000
"""Attributes of a tag that take the parser a sixth of a second."""
_BETWEEN = b" \t\n\r\f/\"'"
"""Octets of which each attribute has one at least, before or around it."""
_ATTRIBUTE_NAME = rb"(?:[^\s/>=<]++|<(?!/[a-zA-Z]))++"
_ATTRIBUTE_VALUE = rb"""(?:"[^"]*+"|'[^']*+'|(?:[^\s>"'<]|<(?!/[a-zA-Z]))(?:[^\s><]++|<(?!/[a-zA-Z]))*+)"""
_ATTRIBUTE = rb"(?:" + _ATTRIBUTE_NAME + rb"(?:\s*+=\s*+" + _ATTRIBUTE_VALUE + rb"?+)?+|=)"
_TAG_START = rb"</?[a-zA-Z](?:[^\s/><]++|<(?!/[a-zA-Z]))*+"
_ATTRIBUTES = rb"(?:[\s/]++|" + _ATTRIBUTE + rb")*+"
_TAG = re.compile(rb"(" + _TAG_START + rb")(" + _ATTRIBUTES + rb")")
"""A tag as HTML tokenizes it (the HTML standard, 13.2.5), up to its end or to what looks like an end tag. In a script
``a <b`` looks like a tag too, so an end tag must never be taken for attributes."""
_IN_A_ROW = re.compile(rb"(?:" + _TAG_START + _ATTRIBUTES + rb")++")
"""Tags, and what looks like end tags in them: for the parser all that has no ``>`` between is one tag."""
_EACH_ATTRIBUTE = re.compile(_ATTRIBUTE)


def shorten(body: bytes) -> tuple[bytes, int]:
    """Keep the first `MOST_ATTRIBUTES` attributes of each tag.

    A page that cannot have so many is returned after one pass, which takes 20 us for 30 KB.

    Returns:
        The page, and how many tags were shortened.
    """
    if len(body) <= 2 * _HARMLESS or len(body) - len(body.translate(None, _BETWEEN)) <= _HARMLESS:
        return body, 0
    if max(map(len, _IN_A_ROW.findall(body)), default=0) <= 2 * MOST_ATTRIBUTES:
        return body, 0
    pieces, at = list[bytes](), 0
    for row in _IN_A_ROW.finditer(body):
        start, end = row.span()
        if end - start > 2 * MOST_ATTRIBUTES:
            short = _first_of(row[0])
            if len(short) < end - start:
                pieces += (body[at:start], short)
                at = end
    return (b"".join([*pieces, body[at:]]), len(pieces) // 2) if pieces else (body, 0)


def _first_of(row: bytes) -> bytes:
    kept, left = list[bytes](), MOST_ATTRIBUTES
    for tag in islice(_TAG.finditer(row), MOST_ATTRIBUTES):
        found = [each.end() for each in islice(_EACH_ATTRIBUTE.finditer(tag[2]), left + 1)]
        kept.append(tag[0] if len(found) <= left else tag[1] + tag[2][: found[left - 1] if left else 0])
        left -= min(len(found), left)
    return b"".join(kept)
