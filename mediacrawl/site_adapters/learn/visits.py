"""A recorded page with its answers parsed, and the media that its browser asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from mediacrawl.base.content_type import names_media
from mediacrawl.base.urls import absolute
from mediacrawl.site_adapters.documents import Node
from mediacrawl.site_adapters.har.recording import Entry, RecordedPage, Recording
from mediacrawl.site_adapters.learn.secrets import secret_kind
from mediacrawl.site_adapters.learn.sources import Values, page_node, page_values
from mediacrawl.site_adapters.learn.trees import Path, Tree, read_tree
from mediacrawl.site_adapters.learn.urls import Url, parsed, request_key

MOST_ANSWERS = 200
"""Answers of a page that are parsed; a page makes some ten requests for data."""
_MOST_ENTRIES = 5_000
_LONGEST_ANSWERS = 20_000_000
"""Characters of all answers of a page that are parsed, in some ten seconds."""
_MANIFESTS = frozenset(
    {
        "application/vnd.apple.mpegurl",
        "application/x-mpegurl",
        "audio/mpegurl",
        "audio/x-mpegurl",
        "application/dash+xml",
    }
)
_has_no_data = re.compile(r"(?:image|audio|video|font)/|.*(?:html|css)").match
_SEGMENTS = (".ts", ".m4s", ".cmfv", ".cmfa", ".init", ".mp2t")
_is_dash = re.compile(r"\s{0,9}(?:<\?xml[^>]{0,200}\?>)?\s{0,9}(?:<!--.{0,2000}-->)?\s{0,9}<MPD[\s>]", re.DOTALL).match
_quoted_uri = re.compile(r'URI="([^"\n]{1,2000})"').findall
_password_field = re.compile(r"""<input\b[^<>]{0,2000}\btype\s*=\s*["']?password\b""", re.IGNORECASE).search
_MOST_LINES = 20_000
_MOST_FIELDS = 1_000
"""Fields of a page's forms that are looked at."""
MOST_NAMED = 5_000
"""Media of one answer that are looked at."""
_LONGEST_REFERENCE = 3_000
_is_reference = re.compile(r"(?:(?:https?:)?/|[\w.-]+/|[\w.-]+\.\w{2,5}(?:\?|$))\S*").fullmatch


@dataclass(frozen=True)
class Answered:
    """A request of a page whose answer has values."""

    entry: Entry
    url: Url
    tree: Tree


@dataclass(frozen=True, slots=True)
class Named:
    """A medium in an answer: its absolute URL, and what stands before the value in it, if not the answer's own."""

    url: str
    base: str = ""


def visits_of(recording: Recording) -> list[Visit]:
    """Return the pages of a recording with a URL of http or https."""
    login = next(_logins(recording), None)
    pages = ((page, parsed(page.url.partition("#")[0])) for page in recording.pages)
    return [Visit(page, url, login) for page, url in pages if url is not None]


def _logins(recording: Recording) -> Iterator[int]:
    """Index of each request that posted a password: a field says so, or a page has a form with a password for it.

    Names of fields are words of any language, so that the names alone do not tell.
    """
    actions: set[Any] = set()
    for page in recording.pages:
        for entry in page.entries:
            is_login = any(secret_kind(name) == "password" for name in entry.posted)
            if entry.method == "POST" and entry.post and (is_login or request_key(entry.url) in actions):
                yield entry.index
            if "html" in entry.mime and entry.body and _password_field(entry.body):
                actions |= _password_actions(entry)


def _password_actions(document: Entry) -> set[Any]:
    """Where the forms of a page that ask for a password are sent to."""
    node = page_node(document.body or "", document.url)
    fields = islice(node.element.iter("input"), _MOST_FIELDS) if node is not None else ()
    passwords = [field for field in fields if (field.get("type") or "").lower() == "password"]
    forms = [form for field in passwords for form in islice(field.iterancestors("form"), 1)]
    return {request_key(absolute(document.url, form.get("action") or document.url)) for form in forms}


class Visit:
    """A page of a recording, with the index of the first request that posted a password."""

    def __init__(self, page: RecordedPage, url: Url, login: int | None = None) -> None:
        self.page = page
        self.url = url
        self.login = login
        self._values: dict[int, Values] = {}
        self._named: dict[int, dict[Path, Named]] = {}
        self.entries = page.entries[:_MOST_ENTRIES]

    @property
    def address(self) -> str:
        """The page's URL without fragment."""
        return self.page.url.partition("#")[0]

    @cached_property
    def node(self) -> Node | None:
        """The page, parsed; None if its body is missing."""
        return page_node(self.page.html, self.address) if self.page.html else None

    def values(self, pages: int) -> Values:
        """Return the values in the page."""
        if pages not in self._values:
            self._values[pages] = page_values(self.node, pages) if self.node is not None else {}
        return self._values[pages]

    @cached_property
    def answers(self) -> list[Answered]:
        """Its GET requests whose answers are JSON, JSONP or XML, without manifests, in order of their start."""
        found: list[Answered] = []
        left = _LONGEST_ANSWERS
        for entry in self.entries:
            is_data = entry.method == "GET" and 200 <= entry.status < 300 and entry.body and not is_manifest(entry)
            if not is_data or len(found) == MOST_ANSWERS or _has_no_data(entry.mime):
                continue
            left -= len(entry.body or "")
            url = parsed(entry.url) if left >= 0 else None
            tree = read_tree(entry.body or "", entry.url, entry.mime) if url is not None else None
            if url is not None and tree is not None:
                found.append(Answered(entry, url, tree))
        return found

    @cached_property
    def played(self) -> dict[Any, str]:
        """Media that the browser asked for: key of the request -> URL. Parts that a manifest names are left out.

        A URL that redirected to a medium is one, too.
        """
        manifests = [entry for entry in self.entries if is_manifest(entry)]
        lists = [entry for entry in manifests if not _is_dash(entry.body or "")]
        lines = [(entry.url, line) for entry in lists for line in (entry.body or "").splitlines()[:_MOST_LINES]]
        names = ((url, _quoted_uri(line) if line.startswith("#") else [line.strip()]) for url, line in lines)
        parts = {request_key(absolute(url, name)) for url, found in names for name in found if name}
        found: dict[Any, str] = {}
        for entry in self.entries:
            key = request_key(entry.url)
            if key is None or key in parts or not is_medium(entry):
                continue
            found.setdefault(key, entry.url)
        for entry in reversed(self.entries):
            if entry.redirect and request_key(entry.redirect) in found:
                found.setdefault(request_key(entry.url), entry.url)
        return found

    def is_played(self, url: str) -> bool:
        """Return whether the browser asked for a medium."""
        return request_key(url.partition("#")[0]) in self.played

    def named(self, answered: Answered) -> dict[Path, Named]:
        """Return the media that an answer names: by their suffix, or because the browser asked for them."""
        key = answered.entry.index
        if key not in self._named:
            self._named[key] = _named(answered, self)
        return self._named[key]


def is_manifest(entry: Entry) -> bool:
    """Return whether an answer is a manifest of HLS or DASH."""
    if entry.status >= 400:
        return False
    body = entry.body or ""
    path = entry.url.partition("?")[0].lower()
    is_one = body.lstrip("\ufeff \r\n").startswith("#EXTM3U") or _is_dash(body) is not None
    return is_one or (not body and (entry.mime in _MANIFESTS or path.endswith((".m3u8", ".mpd"))))


def is_medium(entry: Entry) -> bool:
    """Return whether an answer is a media file or a manifest."""
    if entry.method != "GET" or entry.status >= 300:
        return False
    if is_manifest(entry):
        return True
    path = entry.url.partition("?")[0].lower()
    if path.endswith(_SEGMENTS) or entry.body:
        return False
    is_media_type = entry.mime.startswith(("audio/", "video/")) or entry.mime in _MANIFESTS
    return is_media_type or entry.is_media or (names_media(entry.url) and not entry.mime.startswith("text/"))


def _named(answered: Answered, visit: Visit) -> dict[Path, Named]:
    found: dict[Path, Named] = {}
    relative: dict[Path, str] = {}
    names = {_last_part(url) for url in visit.played.values()}
    for path, text in answered.tree.leaves.items():
        if len(found) == MOST_NAMED:
            break
        value = text.strip() if 4 < len(text) <= _LONGEST_REFERENCE else ""
        if not (names_media(value) or _last_part(value) in names) or not _is_reference(value):
            continue
        url = absolute(answered.entry.url, value).partition("#")[0]
        if url and (names_media(url) or visit.is_played(url)):
            found[path] = Named(url)
            if "//" not in value and not visit.is_played(url):
                relative[path] = value
    return found | _on_base(relative, visit)


def _on_base(relative: Mapping[Path, str], visit: Visit) -> dict[Path, Named]:
    """Return media that are relative to another base than the answer: that of one which was played is that of all."""
    bases = {
        url[: len(url) - len(value)]
        for value in relative.values()
        for url in visit.played.values()
        if url.endswith(value if value.startswith("/") else f"/{value}")
    }
    base = bases.pop() if len(bases) == 1 else ""
    if base.count("/") < 2:
        return {}
    return {path: Named(f"{base}{value}", base) for path, value in relative.items()}


def _last_part(url: str) -> str:
    return url.rstrip().rpartition("/")[2].partition("#")[0].partition("?")[0]
