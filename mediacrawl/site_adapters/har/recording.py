"""A recording as data: its pages, and the requests that each page made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from mediacrawl.base.format import plural

Flavour = Literal["chrome", "firefox", "safari", "other"]
"""Which program wrote a recording: browsers on Chromium, Firefox, Safari; ``other`` are proxies and test tools."""

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
    """One request and its answer; what is unknown is empty or 0.

    The URL is absolute and without fragment, the time in seconds since 1970; names of headers are in lower case, and so
    is the media type, without parameters. The body is a text if it is JSON, XML, HTML, JavaScript, plain text or a
    manifest; None if it is missing, binary, or longer than `bodies.LONGEST_BODY`. `post` says whether the request had a
    body, and `posted` has the names of its fields.
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
    is_media: bool
    redirect: str
    posted: frozenset[str] = frozenset()


@dataclass(slots=True)
class RecordedPage:
    """A page as the address bar showed it, with all requests that it made: the document, then others by their start.

    The URL is that of the document after redirects, or the one that a script gave the page (History API). The document
    is as it was received; empty if its body is missing, or if a script made the page.
    """

    url: str
    html: str
    title: str
    entries: list[Entry]


@dataclass(slots=True)
class Recording:
    """The pages of a recording in order of their start, and how many things were not kept, by reason (`SKIPPED`)."""

    name: str
    flavour: Flavour
    pages: list[RecordedPage]
    skipped: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        """Return what was read and what was not, for people."""
        pages = plural(len(self.pages), "page")
        requests = plural(sum(len(page.entries) for page in self.pages), "request")
        yield f"{self.name}: {pages}, {requests} ({self.flavour})"
        for why, number in sorted(self.skipped.items()):
            yield f"  not read: {number} {SKIPPED.get(why, why)}"
