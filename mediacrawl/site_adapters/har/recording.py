"""A recording as data: its pages, and the requests that each page made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

Flavour = Literal["chrome", "firefox", "safari", "other"]
"""Which program wrote a recording: browsers on Chromium, Firefox, Safari; ``other`` are proxies and test tools."""

Resource = Literal["document", "xhr", "fetch", "script", "media", "image", "other"]
"""What an answer was requested as. The document of an iframe is a ``document`` too."""

SKIPPED = {
    "entry": "requests that are not as HAR 1.2 has them, or without a URL of http, https or WebSocket",
    "entries_beyond_limit": "all requests behind the first 50,000; counted once",
    "no_page": "requests that belong to no page",
    "binary": "bodies of media, pictures, fonts, style sheets and other binary data",
    "long_body": "bodies of more than 2 MB",
    "bodies_beyond_limit": "bodies beyond 64 MB in one recording",
    "missing_body": "bodies that the recording does not have: the browser had forgotten them",
    "file_body": "bodies that are in files next to the recording, which are never opened",
}
"""Why something was not kept -> what it is, for people."""


class RecordingError(Exception):
    """A recording cannot be read. The message is one sentence: which recording, what is wrong where, what to do."""


@dataclass(slots=True)
class Entry:
    """One request and its answer.

    Attributes:
        index: its place in the recording, from 0.
        method: ``GET``, ``POST`` ... in upper case.
        url: absolute, without fragment.
        started: when the request was made, in seconds since 1970; 0 if the recording does not say.
        status: of the answer; 0 if there was none.
        request_headers: names in lower case. HTTP/2 pseudo headers (``:authority``) are left out.
        post: whether the request had a body.
        mime: media type of the answer in lower case, without parameters; empty if unknown.
        body: the answer as text if it is JSON, XML, HTML, JavaScript, plain text or a manifest. None if it is missing,
            binary, or longer than `bodies.LONGEST_BODY`.
        size: bytes of the answer after decompression; 0 if unknown.
        resource: what it was requested as.
        redirect: absolute URL that the answer leads to, or empty.
        set_cookie: names of the cookies that the answer sets.
        posted: names of the fields of the request's body.
    """

    index: int
    method: str
    url: str
    started: float
    status: int
    request_headers: dict[str, str]
    post: bool
    mime: str
    body: str | None
    size: int
    resource: Resource
    redirect: str
    set_cookie: frozenset[str]
    posted: frozenset[str] = frozenset()


@dataclass(slots=True)
class RecordedPage:
    """A page as the address bar showed it, with all requests that it made.

    Attributes:
        url: of the document after redirects, or the one that a script gave the page (History API).
        html: the document as it was received; empty if its body is missing, or if a script made the page.
        title: of the page, if the recording or the document has one.
        entries: the document first, then all others in order of start, with redirects of the document and iframes.
    """

    url: str
    html: str
    title: str
    entries: list[Entry]


@dataclass(slots=True)
class Recording:
    """What `reading.read_recording` gives.

    Attributes:
        name: as messages name it.
        flavour: which program wrote it.
        pages: in order of start.
        skipped: how many things were not kept, by reason (`SKIPPED`).
    """

    name: str
    flavour: Flavour
    pages: list[RecordedPage]
    skipped: Counter[str] = field(default_factory=Counter)
