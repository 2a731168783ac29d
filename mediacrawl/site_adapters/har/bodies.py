"""The text of an answer: which bodies are kept, and what they are, whatever their label says.

HAR 1.2 has a body as text, or as base64 with the label ``"encoding": "base64"``. Programs write both wrongly: Firefox
labelled texts that it wrote as they are, Charles and browsermob wrote base64 without a label, and some write the body
as it came, compressed. So the content decides, and the size of the body, which stands beside it.
"""

from __future__ import annotations

import binascii
import re
import zlib
from base64 import b64decode
from collections import Counter

from mediacrawl.encoding.detection.document import ESTIMATED
from mediacrawl.extract.charset import header_charset, read_html, read_plain, read_xml
from mediacrawl.extract.texts import media_type
from mediacrawl.site_adapters.har.raw_entry import RawEntry, without_halves

LONGEST_BODY = 2_000_000
"""Characters of a body that is kept. The data requests of sites have kilobytes, their pages up to a megabyte."""
_MOST_BYTES = 4 * LONGEST_BODY
_MOST_UNPACKED = 512 << 20
"""Bytes that the compressed bodies of one recording unpack to, in three seconds."""
_MOST_ESTIMATED = 1_000
"""Bodies of one recording whose encoding nothing tells, so that models decide, in 10 ms each. Others are UTF-8."""
_HEAD = 256
_MOST_CONTROLS = 100
"""A text has at most one control character in so many; binary data has one in eight."""
_LEAST_BASE64 = 8
_GZIP = b"\x1f\x8b\x08"
_MOST_LAYERS = 2
"""gzip inside gzip, as a server and a proxy make it together."""

_MANIFESTS = frozenset(
    {
        "application/vnd.apple.mpegurl",
        "application/x-mpegurl",
        "audio/mpegurl",
        "audio/x-mpegurl",
        "audio/x-scpls",
        "video/mpegurl",
        "video/x-mpegurl",
        "video/vnd.mpeg.dash.mpd",
    }
)
"""Lists with the type of media (RFC 8216, 4; RFC 6381)."""
_SCRIPTS = frozenset({"application/ecmascript", "application/javascript", "application/x-javascript"})
_UNWANTED_TYPES = ("audio/", "font/", "image/", "model/", "video/", "application/font", "application/x-font")
_UNWANTED = frozenset({"text/css", "application/wasm", "application/pdf", "application/zip", "text/event-stream"})

_base64 = re.compile(r"[A-Za-z0-9+/\r\n]*+={0,2}\s*+").fullmatch
_controls = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f\ufffd]").findall
_says_charset = re.compile(r"charset=", re.IGNORECASE).search


def is_kept_type(mime: str) -> bool:
    """Whether the body of an answer of this type is kept, if it is text. Of an unknown type it may be.

    Args:
        mime: media type in lower case, without parameters.
    """
    return mime in _MANIFESTS or not (mime.startswith(_UNWANTED_TYPES) or mime in _UNWANTED)


def text_kind(mime: str) -> str:
    """What a body of this type is: ``html``, ``xml``, ``json``, ``script``, ``manifest``; ``text`` for any other.

    Args:
        mime: media type in lower case, without parameters.
    """
    if mime in ("text/html", "application/xhtml+xml"):
        return "html"
    if mime in _MANIFESTS:
        return "manifest"
    if mime.endswith(("/json", "+json")):
        return "json"
    if mime.endswith(("/xml", "+xml")):
        return "xml"
    return "script" if mime in _SCRIPTS or mime.startswith("text/javascript") else "text"


class Bodies:
    """Reads the bodies of one recording."""

    def __init__(self, skipped: Counter[str]) -> None:
        """Begin a recording.

        Args:
            skipped: reasons of what is not kept (`recording.SKIPPED`) are counted there.
        """
        self._skipped = skipped
        self._unpacked = 0
        self._estimated = 0

    def read(self, raw: RawEntry) -> str | None:
        """The body of an answer as text; None if it is missing, binary or too long.

        Args:
            raw: the entry. Its text is taken from it, so that it is held once.
        """
        written, raw.text = raw.text, None
        mime = media_type(raw.mime)
        if not is_kept_type(mime):
            self._skipped["binary"] += 1
            return None
        if not written:
            if reason := _why_missing(raw):
                self._skipped[reason] += 1
            return None
        body = _meant(written, raw, text_kind(mime))
        text = body if isinstance(body, str) else self._decoded(self._unzipped(body), raw, text_kind(mime))
        if len(text) > LONGEST_BODY or not text:
            self._skipped["long_body"] += 1
            return None
        text = without_halves(text).removeprefix("\ufeff")
        if _is_binary(text):
            self._skipped["binary"] += 1
            return None
        return text

    def _decoded(self, body: bytes, raw: RawEntry, kind: str) -> str:
        """A body as text; empty if it is too long."""
        if len(body) > _MOST_BYTES:
            return ""
        if self._estimated >= _MOST_ESTIMATED:
            return body.decode("utf-8", "replace")
        headers = {name.lower(): value for name, value in raw.response_headers}
        charset = header_charset(raw.mime) or header_charset(headers.get("content-type", ""))
        if kind == "html":
            found, _ = read_html(body, raw.url, charset)
        elif kind == "xml":
            found, _ = read_xml(body, raw.url, charset)
        else:
            found = read_plain(body, raw.url, charset)
        self._estimated += found.decided_by in ESTIMATED
        return found.text

    def _unzipped(self, body: bytes) -> bytes:
        """A body without gzip; empty if it cannot be unpacked."""
        for _ in range(_MOST_LAYERS):
            if not body.startswith(_GZIP):
                break
            if self._unpacked > _MOST_UNPACKED:
                return b""
            try:
                # One byte more than is decoded, so that the limit sees it.
                body = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, _MOST_BYTES + 1)
            except zlib.error:
                return b""
            self._unpacked += len(body)
        return body


def _why_missing(raw: RawEntry) -> str:
    if raw.is_unwanted:
        return "bodies_beyond_limit"
    if "text" in raw.long:
        return "long_body"
    if raw.has_file:
        return "file_body"
    return "missing_body" if raw.size else ""


def _meant(written: str, raw: RawEntry, kind: str) -> str | bytes:
    """The body as text, or as bytes if it is written as base64."""
    data = _of_base64(written, is_labelled=raw.encoding == "base64")
    if data is None:
        return written
    if raw.encoding == "base64":
        # A text that happens to be base64 too, under the wrong label.
        is_text = not raw.size and (kind == "script" or raw.mime.startswith("text/")) and _is_binary_bytes(data, raw)
        return written if is_text or raw.size == len(written) != len(data) else data
    if data.startswith(_GZIP) or (raw.size != len(written) and raw.size == len(data)):
        return data
    if raw.size != len(written) and _begins_as(kind, data) and not _begins_as(kind, written.encode()):
        return data
    # The answer itself may be base64: a script decodes it.
    return written


def _of_base64(written: str, *, is_labelled: bool) -> bytes | None:
    """What base64 stands for; None if it is none. With the label it may be short, and without its last signs."""
    if (len(written) < _LEAST_BASE64 and not is_labelled) or _base64(written) is None:
        return None
    if "\n" in written or written[-1:].isspace():
        written = "".join(written.split())
    try:
        return b64decode(written + "=" * (-len(written) % 4) if is_labelled else written)
    except (binascii.Error, ValueError):
        return None


def _begins_as(kind: str, data: bytes) -> bool:
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if kind in ("html", "xml"):
        return head.startswith(b"<")
    if kind == "json":
        return head.startswith((b"{", b"[", b'"')) or head.split(b",")[0].strip().isdigit()
    return kind == "manifest" and head.startswith((b"#EXT", b"<", b"[playlist]", b"http"))


def _is_binary_bytes(data: bytes, raw: RawEntry) -> bool:
    """Whether data cannot be text. Without a charset it is UTF-8, or an encoding that has few control characters."""
    head = data[:_HEAD]
    if data.startswith((b"\xff\xfe", b"\xfe\xff", _GZIP)) or _says_charset(raw.mime):
        return False
    return b"\0" in head or _is_binary(head.decode("latin-1").replace("\ufffd", ""))


def _is_binary(text: str) -> bool:
    head = text[: 16 * _HEAD]
    return len(_controls(head)) * _MOST_CONTROLS > len(head) + _MOST_CONTROLS
