"""Reads a recording: a HAR file of any size, in bounded memory, without its secrets.

It is read once, entry by entry. Of each entry that is kept the secrets are removed at once, and their values noted.
When all is read, the noted values are removed from all other places, and forgotten.

A recording of 500 MB from a browser takes 63 MB of memory and 2.5 s of the processor. Whatever a recording has, all its
bodies take 64 MB (`kept_bodies`), the rest of its entries 32 MB, its secrets 30 MB at most, and so does one entry while
it is read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import IO, Any
from urllib.parse import unquote

from mediacrawl.site_adapters.har.bodies import is_kept_type
from mediacrawl.site_adapters.har.cleaning import clean_text, clean_url
from mediacrawl.site_adapters.har.entries import Draft, Drafts
from mediacrawl.site_adapters.har.found import Found, TooManySecretsError
from mediacrawl.site_adapters.har.json_stream import JsonError, JsonStream
from mediacrawl.site_adapters.har.kept_bodies import KeptBodies
from mediacrawl.site_adapters.har.pages import recorded_pages
from mediacrawl.site_adapters.har.raw_entry import read_raw_entry, without_halves
from mediacrawl.site_adapters.har.recording import Flavour, RecordedPage, Recording, RecordingError
from mediacrawl.site_adapters.har.removal import Removal
from mediacrawl.site_adapters.har.unpacking import Read, unpacked

MOST_MEMORY = 200 << 20
"""Bytes of memory that a process takes at most that reads a recording, of any size; Python and libraries are 45 MB."""
_MOST_OTHER = 32 << 20
"""Bytes of memory that URLs, headers and all else of entries take: 20,000 entries of a browser."""
_MOST_ENTRIES = 200_000
"""Entries that are looked at, kept or not."""
_BATCH = 1 << 20
"""Characters of short texts that are searched at once."""
_LONGEST_PAGE = 1 << 16
_MOST_PAGES = 10_000
_LONGEST_NAME = 1_000

_CREATORS: dict[str, Flavour] = {
    "webinspector": "chrome",
    "firefox": "firefox",
    "webkit web inspector": "safari",
}
_OTHERS = frozenset({"playwright", "mitmproxy", "charles proxy"})
_EXTRAS: dict[str, Flavour] = {
    "_initiator": "chrome",
    "_priority": "chrome",
    "_securityState": "firefox",
    "_fetchType": "safari",
}
"""Fields of entries by which a browser is told if a fork of it, or a library, names itself as the creator."""


def read_recording(path_or_file: str | os.PathLike[str] | IO[bytes], name: str) -> Recording:
    """Read a recording in the HTTP Archive format (HAR 1.1, 1.2), plain or packed by gzip, zlib or zip.

    A recording that ends in the middle, or is damaged, gives what was before; ``skipped`` says so as ``cut`` or
    ``damaged``. Files that it names are never opened.

    Args:
        path_or_file: a path, or a file opened in binary mode.
        name: of the recording, for messages.

    Returns:
        Its pages without secrets.

    Raises:
        RecordingError: it cannot be opened, is no HAR, is a bomb, or has more secrets than a person has.
        TypeError: the file is opened as text.
    """
    with unpacked(path_or_file, name) as read:
        reader = _Reader(name)
        try:
            reader.read(read)
            return reader.recording()
        except TooManySecretsError:
            raise RecordingError(
                f"{name}: has more secrets than can be removed for sure; record fewer pages in a fresh profile."
            ) from None
        except OSError as error:
            raise RecordingError(f"{name}: cannot be read to its end ({error}); copy the file again.") from None


class _Reader:
    """Reads one recording."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._found = Found()
        self._skipped = Counter[str]()
        self._bodies = KeptBodies(self._found, self._skipped)
        self._maker = Drafts(self._found, self._bodies, self._skipped)
        self._drafts = list[Draft]()
        self._titles = dict[str, str]()
        self._creator = ""
        self._extras = set[str]()
        self._index = 0
        self._has_entries = False

    def read(self, read: Read) -> None:
        stream = JsonStream(read)
        try:
            for key in stream.members():
                if key == "log":
                    self._read_log(stream)
        except JsonError as error:
            self._skipped["cut" if error.is_cut else "damaged"] += 1
            if not self._index:
                what = "ends" if error.is_cut else "is no JSON"
                raise RecordingError(
                    f"{self._name}: {what} at byte {error.offset}, before its first entry; export it as HAR again."
                ) from None
        if not self._has_entries:
            raise RecordingError(f"{self._name}: is no HAR, it has no log.entries; export it as HAR with content.")

    def _read_log(self, stream: JsonStream) -> None:
        for key in stream.members():
            if key == "entries":
                self._has_entries = True
                for _ in stream.elements():
                    self._read_entry(stream)
            elif key == "pages":
                for _ in stream.elements():
                    self._read_page(stream.value(_LONGEST_PAGE))
            elif key == "creator":
                self._read_creator(stream.value(_LONGEST_PAGE))

    def _read_entry(self, stream: JsonStream) -> None:
        if self._maker.held > _MOST_OTHER or self._index >= _MOST_ENTRIES:
            self._skipped["entries_beyond_limit"] += 1
            stream.skip_rest()
            return
        index, self._index = self._index, self._index + 1
        raw = read_raw_entry(stream, self._is_wanted)
        if len(self._extras) < len(_EXTRAS):
            self._extras |= raw.extras & _EXTRAS.keys()
        draft = self._maker.draft(raw, index)
        if draft is not None:
            self._drafts.append(draft)

    def _is_wanted(self, mime: str) -> bool:
        return is_kept_type(mime) and self._bodies.has_room

    def _read_page(self, value: Any) -> None:
        if not isinstance(value, dict) or len(self._titles) >= _MOST_PAGES:
            return
        page_id, title = value.get("id"), value.get("title")
        if isinstance(page_id, str) and isinstance(title, str):
            title = without_halves(title)[:_LONGEST_NAME]
            clean = clean_url if "://" in title[:12] else clean_text
            self._titles[without_halves(page_id)[:_LONGEST_NAME]] = clean(title, self._found)

    def _read_creator(self, value: Any) -> None:
        name = value.get("name") if isinstance(value, dict) else ""
        self._creator = name.strip().lower() if isinstance(name, str) else ""

    def recording(self) -> Recording:
        flavour = self._flavour()
        pages = recorded_pages(self._drafts, self._titles, flavour, self._skipped)
        self._drafts.clear()
        known = " ".join({*(page.url for page in pages), *(_host(each.url) for page in pages for each in page.entries)})
        removal = Removal(self._found.values(f"{known} {unquote(known)}"), self._found.counts)
        self._bodies.finish(pages, removal)
        _remove_from_rest(pages, removal)
        return Recording(self._name, flavour, pages, +self._found.counts, +self._skipped)

    def _flavour(self) -> Flavour:
        if self._creator in _CREATORS or self._creator in _OTHERS:
            return _CREATORS.get(self._creator, "other")
        return next((flavour for extra, flavour in _EXTRAS.items() if extra in self._extras), "other")


def _remove_from_rest(pages: Iterable[RecordedPage], removal: Removal) -> None:
    """Remove values from all that is short. Most of it stands in many entries."""
    texts = list(dict.fromkeys(each for page in pages for each in _short_texts(page)))
    changed = dict[str, str]()
    for batch in _batches(texts):
        changed |= {old: new for old, new in zip(batch, removal.clean_all(batch), strict=True) if new != old}
    if not changed:
        return
    for page in pages:
        page.url, page.title = changed.get(page.url, page.url), changed.get(page.title, page.title)
        for entry in page.entries:
            entry.url = changed.get(entry.url, entry.url)
            entry.redirect = changed.get(entry.redirect, entry.redirect)
            entry.set_cookie = frozenset(changed.get(name, name) for name in entry.set_cookie)
            for name, value in entry.request_headers.items():
                entry.request_headers[name] = changed.get(value, value)


def _short_texts(page: RecordedPage) -> Iterator[str]:
    yield page.url
    yield page.title
    for entry in page.entries:
        yield entry.url
        yield entry.redirect
        yield from entry.set_cookie
        yield from entry.request_headers.values()


def _batches(texts: list[str]) -> Iterator[list[str]]:
    batch, size = list[str](), 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    yield batch


def _host(url: str) -> str:
    return url.split("/", 3)[2] if url.count("/") > 1 else ""
