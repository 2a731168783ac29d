"""An entry of a recording as programs write it (HAR 1.1 and 1.2), before anything is decided about it.

Fields that only some programs write begin with an underscore. The wrong type of a field is as good as none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mediacrawl.extract.texts import media_type
from mediacrawl.site_adapters.har.json_stream import JsonStream

LONGEST_URL = 32_768
"""Bytes of a URL, as JSON writes it. Servers accept 8,000."""
LONGEST_WRITTEN = 4 << 20
"""Bytes of a body, as JSON writes it: base64 takes four thirds, and each line and quote a backslash."""
_LONGEST_LIST = 1 << 20
"""Bytes of all headers, cookies or parameters of an entry. Servers accept 16 KB of headers."""
_MOST_PAIRS = 1_000
LONGEST_WORD = 1_000
"""Bytes of a method, media type, id or date."""
_MOST_SIZE = 1 << 50
_SMALL = 1 << 16
"""Bytes of an entry that is read as a whole. Without a body Chrome's have 5,000."""

Pairs = list[tuple[str, str]]


class _Field(NamedTuple):
    """Bytes that a field may have, and the name under which it is counted if it is longer."""

    most: int
    name: str


_SHORT, _URL, _LIST = _Field(LONGEST_WORD, "word"), _Field(LONGEST_URL, "url"), _Field(_LONGEST_LIST, "pairs")
_WANTED: dict[str, Any] = {
    "startedDateTime": _SHORT,
    "pageref": _SHORT,
    "_frameref": _SHORT,
    "_resourceType": _SHORT,
    "_initiator": {"type": _SHORT},
    "request": {
        "method": _SHORT,
        "url": _URL,
        "headers": _LIST,
        "cookies": _LIST,
        "bodySize": _SHORT,
        "postData": {"text": _Field(LONGEST_WRITTEN, "post"), "params": _LIST},
    },
    "response": {
        "status": _SHORT,
        "headers": _LIST,
        "cookies": _LIST,
        "redirectURL": _Field(LONGEST_URL, "redirect"),
        "bodySize": _SHORT,
        "content": {
            "mimeType": _SHORT,
            "size": _SHORT,
            "encoding": _SHORT,
            "text": _Field(LONGEST_WRITTEN, "text"),
        },
    },
}
"""What is read of a longer entry."""


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
        is_unwanted: whether there is a body that was not asked for.
        has_file: whether the body is in another file (Playwright).
        long: names of what was longer than its limit: ``url``, ``pairs``, ``post``, ``text`` ...
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
    is_unwanted: bool = False
    has_file: bool = False
    long: set[str] = field(default_factory=set)


def read_raw_entry(stream: JsonStream, is_wanted: Callable[[str], bool]) -> RawEntry:
    """Read the entry that comes next.

    Args:
        stream: before the entry.
        is_wanted: whether the body of an answer of this media type is wanted. If the media type stands before the body,
            as all browsers write it, a long one that is not wanted is skipped without being held.

    Raises:
        JsonError: the recording ends in the middle, or is no JSON.
    """
    long = set[str]()
    value = stream.small(_SMALL)
    if value is None:
        value = _pruned(stream, _WANTED, is_wanted, long)
    raw = RawEntry(
        started=_word(value, "startedDateTime"),
        pageref=_word(value, "pageref"),
        frame=_word(value, "_frameref"),
        resource_type=_word(value, "_resourceType").lower(),
        initiator=_word(_object(value, "_initiator"), "type"),
        extras={key for key in value if key.startswith("_")},
        long=long,
    )
    _add_request(raw, _object(value, "request"))
    _add_response(raw, _object(value, "response"))
    _add_content(raw, _object(_object(value, "response"), "content"), is_wanted)
    return raw


def _add_request(raw: RawEntry, request: dict[str, Any]) -> None:
    post = _object(request, "postData")
    raw.method = _word(request, "method").upper()
    raw.url = _text(request, "url")
    if len(raw.url) > LONGEST_URL:
        raw.long.add("url")
    raw.request_headers = _pairs(request, "headers", raw.long)
    raw.request_cookies = _pairs(request, "cookies", raw.long)
    raw.has_post = _whole(request, "bodySize") > 0 or bool(post)
    raw.post = _text(post, "text")
    raw.post_fields = _pairs(post, "params", raw.long)


def _add_response(raw: RawEntry, response: dict[str, Any]) -> None:
    status = _whole(response, "status")
    raw.status = status if status < 1_000 else 0
    raw.response_headers = _pairs(response, "headers", raw.long)
    raw.response_cookies = _pairs(response, "cookies", raw.long)
    raw.redirect = _text(response, "redirectURL")
    raw.size = _whole(response, "bodySize")


def _add_content(raw: RawEntry, content: dict[str, Any], is_wanted: Callable[[str], bool]) -> None:
    raw.mime = _word(content, "mimeType")
    raw.encoding = _word(content, "encoding").lower()
    raw.size = _whole(content, "size") or raw.size
    raw.has_file = "_file" in content or "_sha1" in content
    raw.is_unwanted = "unwanted" in raw.long or ("text" in content and not is_wanted(media_type(raw.mime)))
    raw.text = None if raw.is_unwanted else _text(content, "text") or None


def _pruned(
    stream: JsonStream, wanted: Mapping[str, Any], is_wanted: Callable[[str], bool], long: set[str]
) -> dict[str, Any]:
    """What is wanted of an object that may be long; of other fields their names, if they begin with an underscore."""
    found = dict[str, Any]()
    for key in stream.members():
        what = wanted.get(key)
        if isinstance(what, dict):
            found[key] = _pruned(stream, what, is_wanted, long)
        elif what is not None:
            if key == "text" and "mimeType" in found and not is_wanted(media_type(_word(found, "mimeType"))):
                long.add("unwanted")
                continue
            found[key] = stream.text(what.most) if what.name in ("post", "text") else stream.value(what.most)
            if stream.was_long:
                long.add(what.name)
        elif key.startswith("_"):
            found[key] = None
    return found


def _object(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return without_halves(found) if isinstance(found, str) else ""


def _word(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return without_halves(found[:LONGEST_WORD]) if isinstance(found, str) else ""


def _whole(value: dict[str, Any], name: str) -> int:
    """A number of bytes, or a status; 0 for all that is none."""
    found = value.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= _MOST_SIZE:
        return 0
    return int(found)


def _pairs(value: dict[str, Any], name: str, long: set[str]) -> Pairs:
    """Headers, cookies or parameters: a list of objects with name and value. Some tools write one object."""
    found = value.get(name)
    if isinstance(found, dict):
        found = [{"name": name, "value": each} for name, each in found.items()]
    if not isinstance(found, list):
        return []
    if len(found) > _MOST_PAIRS:
        long.add("pairs")
        return []
    pairs = [
        (without_halves(each["name"]), _value(each.get("value")))
        for each in found
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
