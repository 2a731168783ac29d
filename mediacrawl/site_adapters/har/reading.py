"""Reads a recording in the HTTP Archive format (HAR 1.1, 1.2).

Its file is mapped into memory, and only what is used of it is parsed: bodies of media are passed over. Nothing of a
recording is stored, so nothing is removed from it; `learn.secrets` judges what an adapter would have of it.
"""

from __future__ import annotations

import mmap
import os
import re
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import IO, Any
from urllib.parse import urljoin, urlsplit
from zipfile import BadZipFile, ZipFile

import msgspec

from mediacrawl.base.content_type import media_type
from mediacrawl.site_adapters.har.bodies import Bodies, is_unwanted, text_kind
from mediacrawl.site_adapters.har.pages import Draft, recorded_pages
from mediacrawl.site_adapters.har.recording import Entry, Flavour, Recording, RecordingError

LARGEST = 4 << 30
"""Bytes of a recording, unpacked. Browsers build recordings in memory, and write none of this size."""
_MOST_RATIO = 200
_UNPACKED_FREE = 256 << 20
"""Bytes that a packed recording may unpack to; behind them 200 for each packed byte. Bombs give 1,000."""
_CHUNK = 1 << 20
_MOST_ENTRIES = 50_000
_LONGEST_URL = 32_768
_LONGEST_WORD = 1_000
"""Characters of a method, media type, id or date."""
_LONGEST_HEADER = 16_384
_MOST_HEADERS = 100

_FLAVOURS: dict[str, Flavour] = {"webinspector": "chrome", "firefox": "firefox", "webkit web inspector": "safari"}
_FRAMES = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})
_usable = re.compile(r"(?:https?|wss?)://[^/?#\s]", re.IGNORECASE).match
_escapes = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
).sub
_posted_names = re.compile(r'(?:^|&)([^=&]{1,100})=|"([^"\\]{1,100})"\s{0,9}:').findall


class _Named(msgspec.Struct):
    """A header, a cookie or a field of a form."""

    name: str = ""
    value: Any = ""


class _Post(msgspec.Struct):
    text: Any = ""
    params: list[_Named] | None = None


class _Request(msgspec.Struct):
    url: str
    method: str = "GET"
    headers: list[_Named] | None = None
    bodySize: Any = 0  # noqa: N815 - the name in HAR
    postData: _Post | None = None  # noqa: N815


class _Content(msgspec.Struct):
    mimeType: Any = ""  # noqa: N815
    size: Any = 0
    encoding: Any = ""
    text: msgspec.Raw = msgspec.Raw(b"")
    file: Any = msgspec.field(default=None, name="_file")


class _Response(msgspec.Struct):
    status: Any = 0
    headers: list[_Named] | None = None
    redirectURL: Any = ""  # noqa: N815
    bodySize: Any = 0  # noqa: N815
    content: _Content | None = None


class _Raw(msgspec.Struct):
    request: _Request
    response: _Response | None = None
    startedDateTime: Any = ""  # noqa: N815
    pageref: Any = ""
    resource: Any = msgspec.field(default="", name="_resourceType")
    initiator: Any = msgspec.field(default=None, name="_initiator")


class _Page(msgspec.Struct):
    id: Any = ""
    title: Any = ""


class _Log(msgspec.Struct):
    entries: list[msgspec.Raw]
    pages: list[_Page] | None = None
    creator: Any = None


class _Har(msgspec.Struct):
    log: _Log


_HAR, _ENTRY = msgspec.json.Decoder(_Har), msgspec.json.Decoder(_Raw)


def read_recording(path_or_file: str | os.PathLike[str] | IO[bytes], name: str) -> Recording:
    """Read a recording, plain or packed by gzip or zip. Files that it names are never opened.

    On disk: a packed one is unpacked into a temporary file without a name, of which a kill leaves nothing.

    Args:
        path_or_file: a path, or a file opened in binary mode.
        name: of the recording, for messages.

    Raises:
        RecordingError: it cannot be opened, is no HAR, ends in the middle, or is larger than `LARGEST`.
    """
    with ExitStack() as stack:
        try:
            file = path_or_file if not isinstance(path_or_file, str | os.PathLike) else None
            file = file or stack.enter_context(Path(os.fspath(path_or_file)).open("rb"))  # type: ignore[arg-type]
            data = _mapped(stack, file, name)
        except OSError as error:
            why = error.strerror or str(error)
            raise RecordingError(f"{name}: cannot be read ({why}); name a recording that exists.") from None
        return _recording(data, name)


def _mapped(stack: ExitStack, file: IO[bytes], name: str) -> memoryview:
    """The bytes of a recording's JSON text."""
    head = file.read(4)
    file.seek(0)
    if head.startswith((b"\x1f\x8b", b"PK\x03\x04")):
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        packed, file = file, stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        try:
            with ZipFile(packed) if head.startswith(b"PK") else GzipFile(fileobj=packed) as archive:
                opened = archive.open(_member(archive, name)) if isinstance(archive, ZipFile) else archive
                _unpack(opened, file, size, name)
        except (BadGzipFile, BadZipFile, EOFError, zlib.error, ValueError, RuntimeError, NotImplementedError) as error:
            raise RecordingError(f"{name}: cannot be unpacked ({error}); export or copy it again.") from None
    size = file.seek(0, os.SEEK_END)
    if size > LARGEST:
        raise RecordingError(f"{name}: has more than {LARGEST >> 30} GB; record fewer pages.")
    if not size:
        raise RecordingError(f"{name}: is empty; export it as HAR with content.")
    try:
        data: Any = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError:  # a file in memory, or a pipe
        file.seek(0)
        data = file.read()
    view = memoryview(data)
    if bytes(view[:2]) in (b"\xff\xfe", b"\xfe\xff"):
        raise RecordingError(f"{name}: is in UTF-16, where HAR has UTF-8; save it as UTF-8.")
    return view[3:] if bytes(view[:3]) == b"\xef\xbb\xbf" else view


def _member(archive: ZipFile, name: str) -> str:
    """The member of a zip file that is the recording: Playwright puts the bodies next to it as files."""
    found = [each for each in archive.namelist() if each.lower().endswith(".har")]
    if not found:
        raise RecordingError(f"{name}: is a zip file without a .har file in it; name the recording itself.")
    return min(found, key=lambda each: each.count("/"))


def _unpack(packed: IO[bytes] | GzipFile, file: IO[bytes], size: int, name: str) -> None:
    most, given = min(_UNPACKED_FREE + _MOST_RATIO * size, LARGEST), 0
    while data := packed.read(_CHUNK):
        given += len(data)
        if given > most:
            raise RecordingError(f"{name}: unpacks to more than {most >> 20} MB; record fewer pages.")
        file.write(data)


def _recording(data: memoryview, name: str) -> Recording:
    try:
        try:
            log = _HAR.decode(data).log
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError as error:
            if "escape" not in str(error) and "surrogate" not in str(error):
                raise
            # Surrogates that are alone: a browser cuts texts anywhere, and no encoding can write them.
            log = _HAR.decode(_escapes(lambda match: rb"\ufffd" if match[1] else match[0], data)).log
    except msgspec.ValidationError as error:
        raise RecordingError(f"{name}: is no HAR ({error}); export it as HAR with content.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise RecordingError(f"{name}: is no JSON, or ends in the middle ({error}); export it again.") from None
    creator = log.creator.get("name") if isinstance(log.creator, dict) else ""
    flavour = _FLAVOURS.get(_word(creator).strip().lower(), "other")
    titles = {_word(page.id): _word(page.title) for page in log.pages or ()}
    skipped = Counter[str]()
    drafts = list(_drafts(log.entries, skipped))
    pages = recorded_pages(drafts, titles, flavour, skipped)
    return Recording(name, flavour, pages, +skipped)


def _drafts(entries: list[msgspec.Raw], skipped: Counter[str]) -> Iterator[Draft]:
    bodies = Bodies(skipped)
    started = 0.0
    skipped["entries_beyond_limit"] += len(entries) > _MOST_ENTRIES
    for index, written in enumerate(entries[:_MOST_ENTRIES]):
        try:
            raw = _ENTRY.decode(written)
            urlsplit(raw.request.url)
        except (msgspec.DecodeError, RecursionError, ValueError):
            raw = None
        if raw is None or len(raw.request.url) > _LONGEST_URL or not _usable(raw.request.url):
            skipped["entry"] += 1
            continue
        entry = _entry(raw, index, bodies, skipped)
        started = entry.started = entry.started or started
        yield Draft(entry, _word(raw.pageref), _navigation(raw, entry))


def _entry(raw: _Raw, index: int, bodies: Bodies, skipped: Counter[str]) -> Entry:
    request, response = raw.request, raw.response or _Response()
    content = response.content or _Content()
    headers, answer = _headers(request.headers), _headers(response.headers)
    mime = _word(content.mimeType)
    mime = answer.get("content-type", "") if media_type(mime) in ("", "x-unknown") else mime
    size = _whole(content.size) or _whole(response.bodySize)
    body = None
    text = memoryview(content.text)
    if len(text) > len('""') and text[0] == ord('"'):
        body = bodies.read(text, _word(content.encoding).lower(), mime, request.url, answer)
    elif content.file is not None:
        skipped["file_body"] += 1
    elif size:
        skipped["binary" if is_unwanted(media_type(mime)) else "missing_body"] += 1
    status = _whole(response.status)
    post = request.postData
    fields = {field.name for field in post.params or ()} if post else set()
    fields |= {one or other for one, other in _posted_names(_text(post.text)[:10_000])} if post else set()
    return Entry(
        index=index,
        method=request.method.upper()[:20],
        url=request.url.partition("#")[0],
        started=_moment(_word(raw.startedDateTime)),
        status=status if status < 1_000 else 0,
        request_headers=headers,
        post=_whole(request.bodySize) > 0 or post is not None,
        mime=media_type(mime),
        body=body,
        is_media=_word(raw.resource).lower() == "media" or headers.get("sec-fetch-dest") in ("audio", "video"),
        redirect=_redirect(request.url, _text(response.redirectURL) or answer.get("location", ""), status),
        posted=frozenset(fields),
    )


def _headers(pairs: list[_Named] | None) -> dict[str, str]:
    """Headers by their names in lower case. Those with one name are joined (RFC 9110, 5.2)."""
    found: dict[str, str] = {}
    for each in (pairs or ())[:_MOST_HEADERS]:
        name, value = each.name.strip().lower()[:100], _text(each.value)
        if name and not name.startswith(":") and len(value) <= _LONGEST_HEADER:
            found[name] = value if found.get(name, value) == value else f"{found[name]}, {value}"
    return found


def _redirect(url: str, target: str, status: int) -> str:
    try:
        joined = urljoin(url, target.strip()) if target and (300 <= status < 400 or not status) else ""
    except ValueError:
        return ""
    return joined if _usable(joined) and len(joined) <= _LONGEST_URL else ""


def _moment(text: str) -> float:
    """ISO 8601, as HAR asks for, in seconds since 1970; 0 if it is none."""
    try:
        moment = datetime.fromisoformat(text)
        return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError, OSError):
        return 0.0


def _navigation(raw: _Raw, entry: Entry) -> str:
    """Whether an entry is the document of a page or an iframe; see `pages.Draft`."""
    headers = entry.request_headers
    purpose = headers.get("sec-purpose", "") + headers.get("purpose", "") + headers.get("x-moz", "")
    may_show = entry.redirect or text_kind(entry.mime) == "html" or (not entry.mime and entry.body is None)
    if "prefetch" in purpose or not may_show or entry.status in (204, 205) or entry.method not in ("GET", "POST"):
        return ""
    if destination := headers.get("sec-fetch-dest", ""):
        return "page" if destination == "document" else "frame" if destination in _FRAMES else ""
    if kind := _word(raw.resource).lower():
        is_document = kind == "document"
    else:
        is_document = "text/html" in headers.get("accept", entry.mime) and "x-requested-with" not in headers
    if not is_document:
        return ""
    initiator = raw.initiator.get("type") if isinstance(raw.initiator, dict) else ""
    return "frame" if initiator == "parser" else "either"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _word(value: Any) -> str:
    return _text(value)[:_LONGEST_WORD]


def _whole(value: Any) -> int:
    """A number of bytes, or a status; 0 for all that is none."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < 1 << 50 else 0
