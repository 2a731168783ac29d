"""Which page of a recording an entry belongs to.

Chrome gives each navigation a page (``pageref``). Safari, Playwright and older versions of Firefox give a whole tab one
page, whatever was opened in it; proxies know no pages. So what has one ``pageref``, or none, is divided by its
documents. A script can give a page another URL without a document (History API); what is requested then has that URL as
its Referer.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from urllib.parse import urlsplit

from mediacrawl.site_adapters.har.bodies import text_kind
from mediacrawl.site_adapters.har.recording import Entry, Flavour, RecordedPage

_SOON = 1.0
"""Seconds before the first request that is known to be of a new page, in which others of it may have been made."""
_MOST_FOLLOWERS = 200
"""Entries behind a document that are asked which page they refer to."""
_DATA = frozenset({"json", "xml", "script"})
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
    """A page while its entries are collected.

    `awaited` is the URL that its document redirects to; `sure` how many drafts there were when one referred to this
    page. It `is_told` if one of them named the whole URL, so that the site does not hide it (Referrer-Policy).
    """

    url: str = ""
    document: Draft | None = None
    drafts: list[Draft] = field(default_factory=list)
    awaited: str = ""
    sure: int = 0
    is_told: bool = False

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
        # URL of an entry -> the page it belongs to: style sheets and iframes are referred to as well.
        self._owners = dict[str, _Page]()

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
                self._add(draft, current)
        return self._pages

    def _go_on(self, page: _Page, draft: Draft) -> None:
        """Take the document of a page; one that redirected to it is an entry as others are."""
        if page.document:
            page.drafts.append(page.document)
        page.document, page.url, page.awaited = draft, draft.entry.url, draft.entry.redirect
        page.sure = len(page.drafts)
        self._owners[_bare(draft.entry.url)] = page

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

    def _add(self, draft: Draft, current: _Page | None) -> None:
        referer = _bare(draft.referer)
        # The Referer of a request to another site is cut to the host: that of a page is not told from the front page.
        is_cut = _is_root(referer) and _origin(draft.entry.url) != _origin(referer)
        is_current = is_cut and current is not None and _origin(current.url) == _origin(referer)
        owner = current if is_current else self._owners.get(referer) if referer else None
        if owner is None and self._is_new_state(draft, current):
            owner = self._new_state(draft, current)
        if owner is None:
            owner = current
        if owner is None:
            owner = _Page(self._url)
            self._pages.append(owner)
        if not owner.url and referer and not _is_root(referer):
            owner.url = referer
        owner.drafts.append(draft)
        if referer and owner.url and _is_shortened(owner.url, referer):
            owner.sure = len(owner.drafts)
            owner.is_told = True
        self._own(owner, draft)

    def _is_new_state(self, draft: Draft, current: _Page | None) -> bool:
        """Whether a script gave the page another URL, which this entry refers to."""
        referer, url = _bare(draft.referer), current.url if current else ""
        if not referer or not url or _origin(referer) != _origin(url) or _same(referer, url):
            return False
        if _is_root(referer):
            # A Referer is cut to the origin for other sites, and by some policies always.
            return bool(current and current.is_told) and _origin(draft.entry.url) == _origin(url)
        # Sites remove parameters for statistics when the page was read.
        return not _is_shortened(url, referer)

    def _new_state(self, draft: Draft, current: _Page | None) -> _Page:
        page = _Page(_bare(draft.referer))
        if current:
            page.drafts = _just_before(current, draft)
        self._pages.append(page)
        self._owners[page.url] = page
        for each in page.drafts:
            self._own(page, each)
        return page

    def _own(self, page: _Page, draft: Draft) -> None:
        """Note which page has requested a URL last, unless it is that of a page itself."""
        url = _bare(draft.entry.url)
        known = self._owners.get(url)
        if known is None or not _same(known.url, url):
            self._owners[url] = page


def _just_before(current: _Page, draft: Draft) -> list[Draft]:
    """Take entries from the end of a page that were made just before the first one that is known to be of the next.

    A request to another host does not say in its Referer which page of the site made it.
    """
    first = len(current.drafts)
    while first > current.sure:
        each = current.drafts[first - 1].entry
        if draft.entry.started - each.started >= _SOON or text_kind(each.mime) not in _DATA:
            break
        first -= 1
    taken = current.drafts[first:]
    del current.drafts[first:]
    return taken


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


def _is_shortened(url: str, shorter: str) -> bool:
    """Whether a URL is another one with fewer parameters, or the same."""
    if _same(url, shorter):
        return True
    try:
        one, other = urlsplit(url), urlsplit(shorter)
    except ValueError:
        return False
    return one[:3] == other[:3] and set(other.query.split("&")) - {""} <= set(one.query.split("&"))
