"""Which page of a recording an entry belongs to.

Chrome gives each navigation a page (``pageref``). Safari, Playwright and older versions of Firefox give a whole tab one
page, whatever was opened in it; proxies know no pages. So what has one ``pageref``, or none, is divided by its
documents, in order of time. What a script opens in one document (History API) is of that document's page.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

from mediacrawl.site_adapters.har.bodies import text_kind
from mediacrawl.site_adapters.har.recording import Entry, Flavour, RecordedPage

_MOST_FOLLOWERS = 200
"""Entries behind a document that are asked which page they refer to."""
_LONGEST_TITLE = 500
_TITLE_WITHIN = 100_000

_title = re.compile(r"<title[^<>]{0,200}>([^<]{0,2000})</title", re.IGNORECASE).search


@dataclass(slots=True)
class Draft:
    """An entry, and what decides which page it belongs to: the ids of its page and of its frame, if they are known.

    `navigation` is ``page`` for the document of a page, ``frame`` for one of an iframe, ``either`` if the recording
    does not say; empty if it is no document.
    """

    entry: Entry
    pageref: str
    frame: str
    navigation: str

    @property
    def referer(self) -> str:
        """URL of the document, or of the style sheet, that made the request; empty if unknown."""
        return self.entry.request_headers.get("referer", "").partition("#")[0]


@dataclass(slots=True)
class _Page:
    """A page while its entries are collected; `awaited` is the URL that its document redirects to."""

    url: str = ""
    document: Draft | None = None
    drafts: list[Draft] = field(default_factory=list)
    awaited: str = ""

    @property
    def started(self) -> tuple[float, int]:
        first = min((each.entry for each in self.all()), key=lambda entry: (entry.started, entry.index))
        return first.started, first.index

    def all(self) -> Iterable[Draft]:
        return chain([self.document] if self.document else [], self.drafts)


def recorded_pages(
    drafts: Sequence[Draft], titles: dict[str, str], flavour: Flavour, skipped: Counter[str]
) -> list[RecordedPage]:
    """Return the pages of a recording with their entries."""
    ordered = sorted(drafts, key=lambda draft: (draft.entry.started, draft.entry.index))
    groups = dict[str, list[Draft]]()
    for draft in ordered:
        groups.setdefault(draft.pageref, []).append(draft)
    loose = groups.pop("", []) if len(groups) > 1 else []
    pages = list[tuple[_Page, str]]()
    for pageref, group in groups.items():
        title = titles.get(pageref, "")
        is_told_apart = flavour == "chrome" and bool(pageref)
        divided = _Divider(title if is_told_apart and _is_url(title) else "", is_one_page=is_told_apart).divide(group)
        for page in divided:
            # Firefox and Safari name the URL that the tab had in the end.
            referers = Counter(_bare(draft.referer) for draft in page.all() if draft.referer).most_common(1)
            page.url = page.url or (referers[0][0] if referers else "") or (title if _is_url(title) else "")
        pages += [(page, "" if len(divided) > 1 or _is_url(title) else title) for page in divided]
    pages = sorted((each for each in pages if each[0].url), key=lambda each: each[0].started)
    starts = [page.started for page, _ in pages]
    for draft in loose if pages else ():
        # Of the page that was open then.
        open_then = bisect_right(starts, (draft.entry.started, draft.entry.index)) - 1
        pages[max(open_then, 0)][0].drafts.append(draft)
    skipped["no_page"] += len(ordered) - sum(len(list(page.all())) for page, _ in pages)
    return [_recorded(page, title) for page, title in pages]


class _Divider:
    """Divides the entries of one tab into pages."""

    def __init__(self, url: str, *, is_one_page: bool) -> None:
        """Begin."""
        self._url = url
        self._is_one_page = is_one_page
        self._pages = list[_Page]()

    def divide(self, drafts: Sequence[Draft]) -> list[_Page]:
        for place, draft in enumerate(drafts):
            current = self._pages[-1] if self._pages else None
            if draft.navigation and current and current.awaited and _same(current.awaited, draft.entry.url):
                self._go_on(current, draft)
            elif draft.navigation and self._is_page(draft, current, drafts[place + 1 : place + 1 + _MOST_FOLLOWERS]):
                # Chrome may give a page requests that began before its document.
                if current is None or current.document or not self._is_one_page:
                    current = _Page()
                    self._pages.append(current)
                self._go_on(current, draft)
            else:
                if current is None:
                    current = _Page(self._url)
                    self._pages.append(current)
                if not current.url and draft.referer and not _is_root(draft.referer):
                    current.url = draft.referer
                current.drafts.append(draft)
        return self._pages

    def _go_on(self, page: _Page, draft: Draft) -> None:
        """Take the document of a page; one that redirected to it is an entry as others are."""
        if page.document:
            page.drafts.append(page.document)
        page.document, page.url, page.awaited = draft, draft.entry.url, draft.entry.redirect

    def _is_page(self, draft: Draft, current: _Page | None, next_ones: Sequence[Draft]) -> bool:
        if current is None or current.document is None:
            return draft.navigation != "frame"
        is_again = _same(draft.entry.url, current.url)
        if draft.navigation != "either":
            # What a service worker requests again for Chrome is no second page; a reload has a pageref of its own.
            return draft.navigation == "page" and not (is_again and self._is_one_page)
        if self._is_one_page or is_again:
            return not self._is_one_page
        if draft.frame and current.document.frame:
            return draft.frame == current.document.frame
        referers = [_bare(each.referer) for each in next_ones if each.referer]
        if _bare(current.url) in referers:
            return False
        return _bare(draft.entry.url) in referers or _origin(draft.entry.url) == _origin(current.url)


def _recorded(page: _Page, title: str) -> RecordedPage:
    others = sorted((draft.entry for draft in page.drafts), key=lambda entry: (entry.started, entry.index))
    document = page.document.entry if page.document else None
    text = (document.body or "") if document and text_kind(document.mime) == "html" else ""
    if not title and (found := _title(text, 0, _TITLE_WITHIN)):
        title = html.unescape(found[1])
    url = page.awaited or page.url
    entries = [document, *others] if document else others
    return RecordedPage(url.partition("#")[0], text, " ".join(title.split())[:_LONGEST_TITLE], entries)


def _bare(url: str) -> str:
    return url.partition("#")[0]


def _same(one: str, other: str) -> bool:
    return _bare(one) == _bare(other)


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3]).lower()


def _is_root(url: str) -> bool:
    return url.count("/") <= 3 and url.endswith("/")
