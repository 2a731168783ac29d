"""From the bytes of a page to UTF-8, whatever it claims to be."""

from __future__ import annotations

import codecs
from functools import lru_cache

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

# Codecs of Python that no page means: they are slow on crafted input, warn, or always raise.
_UNFIT = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined"})
_DECLARED_WITHIN = 4_096
"""Bytes in which a page declares itself. The HTML standard says 1,024; pages with long heads exist."""


def to_utf8(body: bytes, declared: str | None) -> bytes:
    """Return a page as UTF-8, without byte order mark and zero bytes. Never raises.

    The order is the HTML standard's ("determining the character encoding"): byte order mark, header, then what the
    page says; without any, UTF-8 if it is valid, else windows-1252. Octets that the encoding does not know become
    U+FFFD.

    Args:
        body: the page, perhaps cut inside a character.
        declared: charset of the Content-Type header; unknown names are ignored.
    """
    _, mark = read_bom(body)
    return _recode(body[len(mark or b"") :], charset_of(body, declared))


def charset_of(body: bytes, declared: str | None) -> str:
    """Return the Python codec that `to_utf8` reads a page with.

    Args:
        body: the page, perhaps cut inside a character.
        declared: charset of the Content-Type header.
    """
    marked, _ = read_bom(body)
    return marked or _known(declared) or _declared_inside(body) or _guessed(body)


def _declared_inside(body: bytes) -> str | None:
    encoding = _known(html_body_declared_encoding(body[:_DECLARED_WITHIN]))
    # A declaration that can be read byte by byte does not stand in UTF-16, and the HTML standard takes it as UTF-8.
    return "utf-8" if encoding and encoding.startswith(("utf-16", "utf-32")) else encoding


def _guessed(body: bytes) -> str:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


@lru_cache(maxsize=512)
def _known(label: str | None) -> str | None:
    if not label or len(label) > 40 or not label.isascii() or not label.isprintable():
        return None
    encoding = resolve_encoding(label.strip())
    if encoding is None or encoding in _UNFIT:
        return None
    try:
        b"x".decode(encoding, "replace")
    except (LookupError, ValueError):  # bytes to bytes, as "hex"
        return None
    return encoding


def _recode(body: bytes, encoding: str) -> bytes:
    if encoding != "utf-8" or not _is_utf8(body):
        body = body.decode(encoding, "replace").encode("utf-8", "replace")
    # Older parsers stop at a zero byte.
    return body.replace(b"\0", b"") if b"\0" in body else body


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
