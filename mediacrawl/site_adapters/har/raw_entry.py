"""An entry of a recording as programs write it (HAR 1.1 and 1.2), before anything is decided about it.

Fields that only some programs write begin with an underscore. The wrong type of a field is as good as none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from mediacrawl.extract.texts import media_type
from mediacrawl.site_adapters.har.json_stream import JsonStream

LONGEST_URL = 32_768
"""Bytes of a URL, as JSON writes it. Servers accept 8,000."""
LONGEST_WRITTEN = 4 << 20
"""Bytes of a body, as JSON writes it: base64 takes four thirds, and each line and quote a backslash."""
_LONGEST_LIST = 1 << 20
"""Bytes of all headers, cookies or parameters of an entry. Servers accept 16 KB of headers."""
_MOST_PAIRS = 1_000
_LONGEST_WORD = 1_000
"""Bytes of a method, media type, id, date or number."""
_MOST_SIZE = 1 << 50

Pairs = list[tuple[str, str]]


@dataclass(slots=True)
class RawEntry:
    """What is used of an entry.

    Attributes:
        started: ``startedDateTime`` as written.
        pageref: id of its page.
        frame: id of its frame (Playwright).
        resource_type: what Chrome says that it was requested as.
        initiator: what made Chrome request it: ``parser``, ``script``, ``other``.
        extras: names of the fields that begin with an underscore.
        method: of the request.
        url: of the request; empty if it is missing or too long.
        request_headers: name and value of each.
        request_cookies: likewise.
        has_post: whether the request has a body.
        post: the body of the request, if the recording has it.
        post_fields: name and value of each field of the body, if the recording lists them.
        status: of the answer, 0 to 999; 0 if there is none.
        response_headers: name and value of each.
        response_cookies: likewise.
        redirect: ``redirectURL`` as written.
        mime: media type of the answer with its parameters.
        text: the body of the answer as written; None if it is missing, or was not asked for.
        encoding: of ``text``: ``base64`` or empty.
        size: bytes of the answer; 0 if unknown.
        has_file: whether the body is in another file (Playwright).
        long: names of what was longer than its limit: ``url``, ``pairs``, ``post``, ``text``.
    """

    started: str = ""
    pageref: str = ""
    frame: str = ""
    resource_type: str = ""
    initiator: str = ""
    extras: set[str] = field(default_factory=set)
    method: str = ""
    url: str = ""
    request_headers: Pairs = field(default_factory=list)
    request_cookies: Pairs = field(default_factory=list)
    has_post: bool = False
    post: str = ""
    post_fields: Pairs = field(default_factory=list)
    status: int = 0
    response_headers: Pairs = field(default_factory=list)
    response_cookies: Pairs = field(default_factory=list)
    redirect: str = ""
    mime: str = ""
    text: str | None = None
    encoding: str = ""
    size: int = 0
    has_file: bool = False
    long: set[str] = field(default_factory=set)


def read_raw_entry(stream: JsonStream, is_wanted: Callable[[str], bool]) -> RawEntry:
    """Read the entry that comes next.

    Args:
        stream: before the entry.
        is_wanted: whether the body of an answer of this media type is wanted. It is asked if the media type stands
            before the body, as all browsers write it; other bodies are skipped without being held.

    Raises:
        JsonError: the recording ends in the middle, or is no JSON.
    """
    raw = RawEntry()
    for key in stream.members():
        if key.startswith("_"):
            raw.extras.add(key)
        if key == "request":
            _read_request(stream, raw)
        elif key == "response":
            _read_response(stream, raw, is_wanted)
        elif key == "startedDateTime":
            raw.started = _word(stream)
        elif key == "pageref":
            raw.pageref = _word(stream)
        elif key == "_frameref":
            raw.frame = _word(stream)
        elif key == "_resourceType":
            raw.resource_type = _word(stream).lower()
        elif key == "_initiator":
            raw.initiator = _type_of(stream)
    return raw


def _read_request(stream: JsonStream, raw: RawEntry) -> None:
    for key in stream.members():
        if key == "method":
            raw.method = _word(stream).upper()
        elif key == "url":
            raw.url = _text(stream, raw, LONGEST_URL, "url")
        elif key == "headers":
            raw.request_headers = _pairs(stream, raw)
        elif key == "cookies":
            raw.request_cookies = _pairs(stream, raw)
        elif key == "bodySize":
            raw.has_post |= _whole(stream) > 0
        elif key == "postData":
            _read_post(stream, raw)


def _read_post(stream: JsonStream, raw: RawEntry) -> None:
    for key in stream.members():
        raw.has_post = True
        if key == "text":
            raw.post = _text(stream, raw, LONGEST_WRITTEN, "post")
        elif key == "params":
            raw.post_fields = _pairs(stream, raw)


def _read_response(stream: JsonStream, raw: RawEntry, is_wanted: Callable[[str], bool]) -> None:
    for key in stream.members():
        if key == "status":
            status = _whole(stream)
            raw.status = status if status < 1_000 else 0
        elif key == "headers":
            raw.response_headers = _pairs(stream, raw)
        elif key == "cookies":
            raw.response_cookies = _pairs(stream, raw)
        elif key == "redirectURL":
            raw.redirect = _text(stream, raw, LONGEST_URL, "redirect")
        elif key == "bodySize":
            raw.size = raw.size or _whole(stream)
        elif key == "content":
            _read_content(stream, raw, is_wanted)


def _read_content(stream: JsonStream, raw: RawEntry, is_wanted: Callable[[str], bool]) -> None:
    for key in stream.members():
        if key == "mimeType":
            raw.mime = _word(stream)
        elif key == "size":
            raw.size = _whole(stream) or raw.size
        elif key == "encoding":
            raw.encoding = _word(stream).lower()
        elif key == "text" and is_wanted(media_type(raw.mime)):
            raw.text = stream.text(LONGEST_WRITTEN)
            if stream.was_long:
                raw.long.add("text")
        elif key in ("_file", "_sha1"):
            raw.has_file = True


def _text(stream: JsonStream, raw: RawEntry, most: int, name: str) -> str:
    text = stream.text(most)
    if stream.was_long:
        raw.long.add(name)
    return without_halves(text or "")


def _word(stream: JsonStream) -> str:
    value = stream.value(_LONGEST_WORD)
    if isinstance(value, str):
        return without_halves(value)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _whole(stream: JsonStream) -> int:
    """A number of bytes, or a status; 0 for all that is none."""
    value = stream.value(_LONGEST_WORD)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_SIZE:
        return 0
    return int(value)


def _type_of(stream: JsonStream) -> str:
    """``type`` of an initiator; beside it stands a stack of calls, which may be long."""
    found = ""
    for key in stream.members():
        if key == "type":
            found = _word(stream)
    return found


def _pairs(stream: JsonStream, raw: RawEntry) -> Pairs:
    """Headers, cookies or parameters: a list of objects with name and value. Some tools write one object."""
    value = stream.value(_LONGEST_LIST)
    if isinstance(value, dict):
        value = [{"name": name, "value": each} for name, each in value.items()]
    if stream.was_long or (isinstance(value, list) and len(value) > _MOST_PAIRS):
        raw.long.add("pairs")
        return []
    pairs = [
        (without_halves(each["name"]), _value(each.get("value")))
        for each in (value if isinstance(value, list) else ())
        if isinstance(each, dict) and isinstance(each.get("name"), str)
    ]
    return [pair for pair in pairs if pair[0]]


def _value(value: Any) -> str:
    if isinstance(value, str):
        return without_halves(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64 else ""


def without_halves(text: str) -> str:
    """Replace surrogates that stand alone: JSON can write them, and no encoding can.

    Args:
        text: of any length.
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
