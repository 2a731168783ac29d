"""From the octets of a page or a list to what a parser takes: in UTF-8, with tags and ampersands that it can read.

Declared encodings are taken in the order of each standard. A document that is UTF-8, or ASCII, is decided here. Of
others `mediacrawl.encoding` decides whether the declaration is right, and which encoding one without is in.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

from mediacrawl.base.charsets import ESCAPE, HZ_OPENS, Seen, is_codec
from mediacrawl.base.content_type import xml_start
from mediacrawl.encoding import DecodedDocument, Hints
from mediacrawl.extract.texts import unescape

DeclaredBy = Literal["bom", "header", "meta", "xml"]

_DECLARED_WITHIN = 4_096
"""Bytes in which a page declares itself. The HTML standard says 1,024; pages with long heads exist."""
_MOST_STRAY = 50_000
"""Octets that are no UTF-8, in a list that is UTF-8 for the most part, up to which each is taken for a letter of
windows-1252."""
_MOST_MENDED = 200_000
"""Ampersands that are mended, in a third of a second; the file is cut at the next one."""
_STRAY = "mediacrawl.stray"

_xml_declaration = re.compile(rb"<\?xml\s[^<>]{0,150}?\bencoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"'][^<>]{0,80}\?>")
_language = re.compile(
    rb"(?:<html\b[^<>]{0,400}?|\bxml:)lang\s*=\s*[\"']?([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})?)"
    rb"|<(?:dc:)?language>\s*([A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})?)\s*<",
    re.IGNORECASE,
)

History = Callable[[], Seen]
"""Encodings found on a document's host; called only where models decide."""


class DecodedText(NamedTuple):
    """A page, XML or plain text.

    Attributes:
        text: all of it.
        markup: the same in UTF-8, as libxml2 can read it; empty for plain text.
    """

    text: str
    markup: bytes = b""


def decode(body: bytes, form: str, url: str = "", charset: str | None = None) -> DecodedText:
    """Decode a page, XML or plain text. Never raises.

    Args:
        body: as received, without its content coding.
        form: ``html``, ``xml``, or another word for text without a declaration.
        url: its own; the top-level domain is a hint.
        charset: of its Content-Type.
    """
    if form == "html":
        page, markup, _ = read_html(body, url, charset)
        return DecodedText(page.text, markup)
    if form == "xml":
        document, markup = read_xml(body, url, charset)
        return DecodedText(document.text, readable(markup))
    return DecodedText(read_plain(body, url, charset).text)


def read_html(
    body: bytes, url: str, header: str | None = None, history: History = dict
) -> tuple[DecodedDocument, bytes, int]:
    """Decode a page, perhaps cut inside a character. Never raises.

    The order is the HTML standard's ("determining the character encoding"): byte order mark, header, then the
    declaration of the page. Unknown names are ignored; the top-level domain of `url` is a hint.

    Returns:
        The document; its text as UTF-8 without byte order mark and zero bytes, shortened; and how many stretches of it
        were, see `shorten`.
    """
    found, rest = _read(body, url, header, "meta", history)
    text = rest if found.encoding == "utf-8" and found.is_whole else found.text.encode("utf-8", "replace")
    # Older parsers stop at a zero byte.
    return found, *shorten(text.replace(b"\0", b"") if b"\0" in text else text)


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

    def claims() -> Iterator[tuple[str, DeclaredBy]]:
        if marked:
            yield _known(marked) or marked, "bom"
        if known := _known(header):
            yield known, "header"
        label = None
        if declared_by == "meta":
            label = html_body_declared_encoding(rest[:_DECLARED_WITHIN])
        elif declared_by and (match := _xml_declaration.search(rest, 0, _DECLARED_WITHIN)):
            label = match[1].decode("ascii")
        if declared_by and (encoding := _known(label)):
            # A declaration that can be read byte by byte is not in UTF-16, and the HTML standard takes it as UTF-8.
            yield "utf-8" if encoding.startswith(("utf-16", "utf-32")) else encoding, declared_by

    def hints() -> Hints:
        said = _language.search(rest, 0, _DECLARED_WITHIN)
        language = (said[1] or said[2]).decode("ascii") if said else ""
        return Hints(page_language=language, url=url, seen=history())

    found = claims()
    first = next(found, None)
    if (first is None or first[0] == "utf-8") and (plain := _as_utf8(rest, first)) is not None:
        return plain, rest
    return DecodedDocument.of(rest, chain([first] if first else (), found), hints), rest


def _as_utf8(body: bytes, claim: tuple[str, DeclaredBy] | None) -> DecodedDocument | None:
    """Return a document that is UTF-8 without an error; None where without a claim it may be something else.

    `DecodedDocument.of` decides the same. Most pages are decided here, and enter nothing of the library.
    """
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    if claim is not None:
        return DecodedDocument(text, "utf-8", decided_by=claim[1])
    # UTF-16 has zeros, ISO-2022 and HZ have escapes.
    if b"\0" in body[:_DECLARED_WITHIN] or (len(text) == len(body) and (ESCAPE in body or HZ_OPENS in body)):
        return None
    return DecodedDocument(text, "utf-8", decided_by="ascii" if len(text) == len(body) else "utf-8")


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


_BARE = rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)"
_HALF = (
    rb"&#(?:x0{0,2}[Dd][89A-Fa-f][0-9A-Fa-f]{2}"
    rb"|0{0,2}5(?:529[6-9]|5[3-9][0-9]{2}|6[0-9]{3}|7[0-2][0-9]{2}|73[0-3][0-9]|734[0-3]));"
)
"""A reference to a lone surrogate (U+D800 to U+DFFF): libxml2 accepts it, and lxml raises when it is read."""
_broken = re.compile(_BARE + rb"|" + _HALF).search
_mended = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|" + _HALF + rb"|" + _BARE + rb"([A-Za-z][A-Za-z0-9]{1,30};)?",
    re.DOTALL,
)


def readable(body: bytes) -> bytes:
    """Convert a file to UTF-8 and mend invalid octets, bare ampersands and HTML's entities."""
    text = read_xml(body)[1].lstrip()
    if not text.startswith((b"<?", b"<!")):
        # Warnings of server programs precede the file.
        start = xml_start(text[:_DECLARED_WITHIN])
        text = text[start.start() :] if start else text
    return b"".join(_pieces(text)) if _broken(text) else text


def _pieces(text: bytes) -> Iterator[bytes]:
    """Yield the mended pieces of a file; those beyond the limit are dropped, since lxml may raise at them."""
    end = 0
    for number, found in enumerate(_mended.finditer(text)):
        yield text[end : found.start()]
        if number >= _MOST_MENDED:
            return
        yield _mend(found)
        end = found.end()
    yield text[end:]


def _mend(found: re.Match[bytes]) -> bytes:
    if not found[0].startswith(b"&"):
        return found[0]
    if found[0].startswith(b"&#"):
        return "\ufffd".encode()
    name = found[1]
    if name is not None:
        character = unescape(f"&{name.decode('ascii')}")
        if not character.startswith("&"):
            return character.encode("utf-8")
    return b"&amp;" + (name or b"")


MOST_ATTRIBUTES = 1_000
"""Attributes that each tag may have. libxml2 walks along all of them for each new one: 28,000 take it 1.1 s."""
_SHORT = 8_192
"""Bytes of a tag that are few enough for any attributes: 200 KB of such tags take libxml2 0.1 s."""
_MOST_READ = 4_000_000
"""Bytes of a page that are read to count attributes, some of them several times. Captured pages need 0.5 MB at most."""
_CLOSER = b"x\"'>"
"""Ends a tag in any state of the tokenizer: in a quoted value of either kind, in or before one without quotation marks,
in a name, and between attributes."""
_ATTRIBUTE = (
    rb"[ \t\n\r\f/]*+[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+"
    rb"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\r\f>"'][^ \t\n\r\f>]*+)?+)?+"""
)
"""An attribute as HTML tokenizes it (the HTML standard, 13.2.5.32 to 13.2.5.39), with what is before it."""
_begin = re.compile(rb"</?[A-Za-z_:]")
_tag = re.compile(rb"%b[^ \t\n\r\f/>]*+(?:%b){0,%d}+(%b)?+" % (_begin.pattern, _ATTRIBUTE, MOST_ATTRIBUTES, _ATTRIBUTE))


def shorten(body: bytes) -> tuple[bytes, int]:
    """End tags of thousands of attributes early.

    Where a tag begins is unknown: what looks like one may be in a script, a comment or a value, and a page can pretend
    each of these. So every place where one may begin is read as one. Of most pages only one ``>`` in 8 KB is looked at,
    behind which no tag can be open.

    Returns:
        The page, and how many stretches of it were cut up: from 8 KB behind the beginning of such a tag on no other tag
        begins in it, and each 8 KB end with `_CLOSER`.
    """
    pieces, done, number, left = list[bytes](), 0, 0, _MOST_READ
    for start, end in _long_stretches(body):
        place = start
        while (begin := _begin.search(body, place, end - _SHORT)) and (tag := _tag.match(body, begin.start(), end)):
            left -= tag.end() - tag.start()
            if tag[1] or left < 0:
                first = tag.start() + _SHORT
                rest = re.sub(rb"<(?!/)", b"", body[first:end])
                parts = (rest[at : at + _SHORT] for at in range(0, len(rest), _SHORT))
                pieces.append(_CLOSER.join([body[done:first], *parts, b""]))
                done, number = end, number + 1
                break
            place = begin.end()
    return b"".join([*pieces, body[done:]]) if pieces else body, number


def _long_stretches(body: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each stretch of more than 8 KB in which a tag may be open all the time."""
    start, size = 0, len(body)
    while size - start > _SHORT:
        end = body.rfind(b">", start, start + _SHORT)
        double, single = body.rfind(b'"', start, end), body.rfind(b"'", start, end)
        if end < 0 or _opens_value(body, start, double) or _opens_value(body, start, single):
            end = _closed(body, start)
            yield start, end
            start = end
        else:
            start = end + 1


_MARKS = (b'"', b"'")


def _closed(body: bytes, start: int) -> int:
    """Return the first place, 8 KB behind another or more, where no tag can be open that begins between them."""
    place, looked, last = start + _SHORT, start, [-1, -1]
    while (end := body.find(b">", place)) >= 0:
        # A value around it can only be opened by the last quotation mark before it.
        last = [max(at, body.rfind(mark, looked, end)) for mark, at in zip(_MARKS, last, strict=True)]
        looked = end
        mark = next((mark for mark, at in zip(_MARKS, last, strict=True) if _opens_value(body, start, at)), None)
        if mark is None:
            return end + 1
        place = body.find(mark, end)
        if place < 0:
            break
    return len(body)


def _opens_value(body: bytes, start: int, mark: int) -> bool:
    """Whether a quotation mark behind `start` may open a value: it is behind a ``=``."""
    if mark <= start or body[mark - 1] not in b"= \t\n\r\f":
        return False
    before = body[max(mark - 64, start) : mark].rstrip()
    return not before or before.endswith(b"=")
