"""The text of an answer: which bodies are kept, and how they are written."""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping

import msgspec

from mediacrawl.base.content_type import header_charset, media_type
from mediacrawl.extract import decode

LONGEST_BODY = 2_000_000
"""Characters of a body that is kept. The data requests of sites have kilobytes, their pages up to a megabyte."""
_LONGEST_WRITTEN = 4 << 20
"""Bytes of a body, as JSON writes it: base64 takes four thirds, and each line and quote a backslash."""
MOST_BODIES = 64 << 20
"""Characters of all bodies. Ten pages with all their scripts have 30 million."""

_MANIFESTS = frozenset(
    {
        *("application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl"),
        *("audio/x-scpls", "video/mpegurl", "video/x-mpegurl", "video/vnd.mpeg.dash.mpd"),
    }
)
"""Lists with the type of media (RFC 8216, 4; RFC 6381)."""
_SCRIPTS = frozenset({"application/ecmascript", "application/javascript", "application/x-javascript"})
_UNWANTED_TYPES = ("audio/", "font/", "image/", "model/", "video/", "application/font", "application/x-font")
_UNWANTED = frozenset({"text/css", "application/wasm", "application/pdf", "application/zip", "text/event-stream"})
_STARTS = {"html": (b"<",), "xml": (b"<",), "json": (b"{", b"["), "manifest": (b"#EXT", b"<")}
"""How an answer of each kind begins. Safari writes base64 without saying so."""

_controls = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]").findall


def text_kind(mime: str) -> str:
    """Return what a body of this type is: ``html``, ``xml``, ``json``, ``script``, ``manifest`` or ``text``."""
    if mime in ("text/html", "application/xhtml+xml"):
        return "html"
    if mime in _MANIFESTS:
        return "manifest"
    for kind in ("json", "xml"):
        if mime.endswith((f"/{kind}", f"+{kind}")):
            return kind
    return "script" if mime in _SCRIPTS or mime.startswith("text/javascript") else "text"


def is_unwanted(mime: str) -> bool:
    """Return whether the body of an answer of this type is never kept."""
    return mime not in _MANIFESTS and (mime.startswith(_UNWANTED_TYPES) or mime in _UNWANTED)


class Bodies:
    """Reads the bodies of one recording; equal ones are held once."""

    def __init__(self, skipped: Counter[str]) -> None:
        self._skipped = skipped
        self._left = MOST_BODIES
        self._known: dict[str, str] = {}

    def read(self, written: memoryview, label: str, mime: str, url: str, headers: Mapping[str, str]) -> str | None:
        """Return a body as text; None if it is binary, too long or not wanted."""
        bare = media_type(mime)
        if is_unwanted(bare):
            self._skipped["binary"] += 1
            return None
        if len(written) > _LONGEST_WRITTEN:
            self._skipped["long_body"] += 1
            return None
        try:
            text = msgspec.json.decode(written, type=str)
        except UnicodeDecodeError:
            text = str(json.loads(bytes(written).decode("utf-8", "replace")))
        data = _of_base64(text, bare, is_labelled=label == "base64")
        if data is not None:
            charset = header_charset(mime) or header_charset(headers.get("content-type", ""))
            text = decode(data, text_kind(bare), url, charset).text
        text = text.removeprefix("\ufeff")
        if len(text) > LONGEST_BODY:
            self._skipped["long_body"] += 1
            return None
        head = text[:4096]
        if len(_controls(head)) * 100 > len(head) + 100:
            self._skipped["binary"] += 1
            return None
        if text not in self._known:
            self._left -= len(text)
            if self._left < 0:
                self._skipped["bodies_beyond_limit"] += 1
                return None
        return self._known.setdefault(text, text)


def _of_base64(text: str, mime: str, *, is_labelled: bool) -> bytes | None:
    """The bytes that base64 is for; None if the text is no base64."""
    starts = _STARTS.get(text_kind(mime), ())
    if not is_labelled and (not starts or text[:100].lstrip().encode("utf-8", "replace").startswith(starts)):
        return None
    try:
        data = b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if is_labelled or data.lstrip().startswith(starts) else None
