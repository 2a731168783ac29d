"""From an entry as a program wrote it to one without secrets, and to what decides which page it belongs to."""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

from mediacrawl.extract.texts import media_type
from mediacrawl.site_adapters.har.bodies import Bodies, text_kind
from mediacrawl.site_adapters.har.cleaning import (
    TooManyPlacesError,
    add_cookies,
    clean_header,
    clean_url,
    note_form,
)
from mediacrawl.site_adapters.har.found import Found
from mediacrawl.site_adapters.har.kept_bodies import KeptBodies
from mediacrawl.site_adapters.har.marks import marks_of
from mediacrawl.site_adapters.har.raw_entry import Pairs, RawEntry
from mediacrawl.site_adapters.har.recording import Entry, Resource
from mediacrawl.site_adapters.har.secrets import secret_kind

LONGEST_HEADER = 16_384
"""Characters of a header that is kept."""
_MOST_HEADERS = 100
_LONGEST_NAME = 100
_MOST_SHARED = 10_000
_LONGEST_METHOD = 20
_DRAFT_COST, _HEADER_COST = 900, 45
"""Bytes of the objects of a draft, and of each place for a header."""

_TYPES: dict[str, Resource] = {
    "document": "document",
    "xhr": "xhr",
    "fetch": "fetch",
    "script": "script",
    "media": "media",
    "image": "image",
}
_DESTINATIONS: dict[str, Resource] = {
    "document": "document",
    "iframe": "document",
    "frame": "document",
    "empty": "fetch",
    "script": "script",
    "audio": "media",
    "video": "media",
    "image": "image",
}
"""Values of Sec-Fetch-Dest (Fetch Metadata Request Headers, 2.1)."""
_FRAMES = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})
_usable = re.compile(r"(?:https?|wss?)://[^/?#\s]", re.IGNORECASE).match


@dataclass(slots=True)
class Draft:
    """An entry without secrets, and what places it.

    Attributes:
        entry: the entry.
        pageref: id of its page in the recording, or empty.
        frame: id of its frame, or empty.
        navigation: ``page`` if it is the document of a page, ``frame`` if it is one of an iframe, ``either`` if the
            recording does not say; empty if it is no document.
    """

    entry: Entry
    pageref: str
    frame: str
    navigation: str

    @property
    def referer(self) -> str:
        """URL of the document, or of the style sheet, that made the request; empty if unknown."""
        return self.entry.request_headers.get("referer", "").partition("#")[0]


class Drafts:
    """Makes drafts of the entries of one recording.

    Attributes:
        held: bytes of memory that the drafts take without bodies, about.
    """

    def __init__(self, found: Found, kept: KeptBodies, skipped: Counter[str]) -> None:
        """Begin a recording.

        Args:
            found: takes all secrets.
            kept: takes the bodies.
            skipped: reasons of what is not kept (`recording.SKIPPED`) are counted there.
        """
        self._found = found
        self._skipped = skipped
        self._bodies = Bodies(skipped)
        self._kept = kept
        self._shared = dict[str, str]()
        self._started = 0.0
        self.held = 0

    def draft(self, raw: RawEntry, index: int) -> Draft | None:
        """An entry without secrets; None if it is not kept. All its secrets are noted in any case.

        Args:
            raw: the entry; its body is taken from it.
            index: its place in the recording.

        Raises:
            TooManySecretsError: the recording has too many.
        """
        if "post" in raw.long:
            self._skipped["long_post"] += 1
        if media_type(raw.mime) in ("", "x-unknown"):
            raw.mime = dict(_lower(raw.response_headers)).get("content-type", "")
        reason = _why_unused(raw)
        try:
            headers = self._headers(raw.request_headers)
            self._note_secrets(raw)
            url, redirect = clean_url(raw.url, self._found), self._redirect(raw)
        except TooManyPlacesError:
            reason = "many_secrets"
        if reason:
            self._skipped[reason] += 1
            return None
        self.held += _DRAFT_COST + sys.getsizeof(url) + sys.getsizeof(redirect) + _HEADER_COST * len(headers)
        entry = self._entry(raw, index, url, redirect, headers)
        return Draft(entry, self._share(raw.pageref), self._share(raw.frame), _navigation(raw, entry))

    def _entry(self, raw: RawEntry, index: int, url: str, redirect: str, headers: dict[str, str]) -> Entry:
        mime = media_type(raw.mime)
        body = self._bodies.read(raw)
        self._started = _moment(raw.started) or self._started
        return Entry(
            index=index,
            method=self._share(raw.method[:_LONGEST_METHOD]),
            url=url.partition("#")[0],
            started=self._started,
            status=raw.status,
            request_headers=headers,
            post=raw.has_post,
            mime=self._share(mime),
            body=None if body is None else self._kept.keep(body),
            size=raw.size,
            resource=_resource(raw, headers, mime),
            redirect=redirect,
            set_cookie=frozenset(self._share(name) for name in _cookie_names(raw)),
            marks=marks_of(raw, body, text_kind(mime)),
        )

    def _headers(self, pairs: Pairs) -> dict[str, str]:
        """Request headers without secrets. Those with one name are joined (RFC 9110, 5.2)."""
        headers = dict[str, str]()
        for name, value in _lower(pairs):
            if name.startswith(":"):
                continue
            cleaned = clean_header(name, value, self._found)
            if name in headers and cleaned != headers[name]:
                cleaned = f"{headers[name]}, {cleaned}"
            if len(cleaned) <= LONGEST_HEADER and len(name) <= _LONGEST_NAME and len(headers) < _MOST_HEADERS:
                headers[self._share(name)] = self._share(cleaned)
        return headers

    def _note_secrets(self, raw: RawEntry) -> None:
        """Note the secrets of what is not kept: answers' headers, cookies, what was posted."""
        for name, value in _lower(raw.response_headers):
            clean_header(name, value, self._found)
        add_cookies([*raw.request_cookies, *raw.response_cookies], self._found)
        for name, value in raw.post_fields:
            if kind := secret_kind(name):
                self._found.note(value, kind)
            else:
                note_form(value, self._found)
        note_form(raw.post, self._found)

    def _redirect(self, raw: RawEntry) -> str:
        target = raw.redirect or dict(_lower(raw.response_headers)).get("location", "")
        if not target or not (300 <= raw.status < 400 or raw.status == 0):
            return ""
        try:
            joined = urljoin(raw.url, target.strip())
        except ValueError:
            return ""
        return clean_url(joined, self._found) if _usable(joined) and len(joined) <= LONGEST_HEADER else ""

    def _share(self, text: str) -> str:
        """The same object for equal texts: browsers send most headers with each request."""
        known = self._shared.get(text)
        if known is None:
            known = text
            self.held += sys.getsizeof(text)
            if len(self._shared) < _MOST_SHARED:
                self._shared[text] = text
        return known


def _why_unused(raw: RawEntry) -> str:
    if "url" in raw.long:
        return "long_url"
    if "pairs" in raw.long:
        return "long_headers"
    if not _usable(raw.url):
        return "entry"
    try:
        urlsplit(raw.url)
    except ValueError:
        return "entry"
    return ""


def _lower(pairs: Pairs) -> Pairs:
    return [(name.strip().lower(), value) for name, value in pairs]


def _cookie_names(raw: RawEntry) -> list[str]:
    names = [name for name, _ in raw.response_cookies]
    for name, value in _lower(raw.response_headers):
        if name == "set-cookie":
            # Some tools join them by line feeds.
            names += [cookie.partition("=")[0].strip() for cookie in value.split("\n")]
    return [name[:_LONGEST_NAME] for name in names[:_MOST_HEADERS] if name]


def _moment(text: str) -> float:
    """ISO 8601, as HAR asks for, in seconds since 1970; 0 if it is none."""
    try:
        moment = datetime.fromisoformat(text)
        return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError, OSError):
        return 0.0


def _resource(raw: RawEntry, headers: dict[str, str], mime: str) -> Resource:
    """What an answer was requested as: by Chrome, by the browser's headers, else by the answer."""
    if raw.resource_type:
        return _TYPES.get(raw.resource_type, "other")
    is_xhr = headers.get("x-requested-with", "").lower() == "xmlhttprequest"
    if destination := headers.get("sec-fetch-dest", ""):
        found = _DESTINATIONS.get(destination, "other")
        return "xhr" if found == "fetch" and is_xhr else found
    kind = text_kind(mime)
    if kind == "html":
        return "xhr" if is_xhr else "document"
    if kind in ("json", "xml") or is_xhr:
        return "xhr"
    if kind == "manifest" or mime.startswith(("audio/", "video/")):
        return "media"
    return "image" if mime.startswith("image/") else "script" if kind == "script" else "other"


def _navigation(raw: RawEntry, entry: Entry) -> str:
    """Whether an entry is the document of a page or an iframe; see `Draft`."""
    headers = entry.request_headers
    purpose = headers.get("sec-purpose", "") + headers.get("purpose", "") + headers.get("x-moz", "")
    may_show = entry.redirect or text_kind(entry.mime) == "html" or (not entry.mime and entry.body is None)
    if "prefetch" in purpose or not may_show or entry.status in (204, 205) or entry.method not in ("GET", "POST"):
        return ""
    destination = headers.get("sec-fetch-dest", "")
    if destination:
        return "page" if destination == "document" else "frame" if destination in _FRAMES else ""
    if raw.resource_type:
        is_document = raw.resource_type == "document"
    else:
        accepted = headers.get("accept", entry.mime)
        is_document = "text/html" in accepted and "x-requested-with" not in headers
    if not is_document:
        return ""
    return "frame" if raw.initiator == "parser" else "either"
