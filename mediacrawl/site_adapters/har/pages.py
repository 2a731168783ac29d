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

_LONGEST_TITLE = 500
_TITLE_WITHIN = 100_000

_title = re.compile(r"<title[^<>]{0,200}>([^<]{0,2000})</title", re.IGNORECASE).search


@dataclass(slots=True)
class Draft:
    """An entry, and what decides which page it belongs to: the id of its page, if it is known.

    `navigation` is ``page`` for the document of a page, ``frame`` for one of an iframe, ``either`` if the recording
    does not say; empty if it is no document.
    """

    entry: Entry
    pageref: str
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
        divided = _divided(group, title if is_told_apart and _is_url(title) else "", is_one_page=is_told_apart)
        for page in divided:
            # Firefox and Safari name the URL that the tab had in the end.
            referers = Counter(draft.referer for draft in page.all() if draft.referer).most_common(1)
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


def _divided(drafts: Sequence[Draft], url: str, *, is_one_page: bool) -> list[_Page]:
    """Divide the entries of one tab into pages, or those of one page of Chrome, which has the URL."""
    pages = list[_Page]()
    for draft in drafts:
        current = pages[-1] if pages else None
        is_target = current is not None and current.awaited == draft.entry.url
        if not draft.navigation or not (is_target or _is_page(draft, current, is_one_page=is_one_page)):
            if current is None:
                current = _Page(url)
                pages.append(current)
            if not current.url and not _is_root(draft.referer):
                current.url = draft.referer
            current.drafts.append(draft)
            continue
        # Chrome may give a page requests that began before its document.
        if current is None or not (is_target or (is_one_page and current.document is None)):
            current = _Page()
            pages.append(current)
        if current.document:  # it redirected to this one, and is an entry as others are
            current.drafts.append(current.document)
        current.document, current.url = draft, draft.entry.url
        current.awaited = draft.entry.redirect.partition("#")[0]
    return pages


def _is_page(draft: Draft, current: _Page | None, *, is_one_page: bool) -> bool:
    """Whether a document is that of a new page."""
    if current is None or current.document is None:
        return draft.navigation != "frame"
    if draft.navigation == "either":
        return not is_one_page and _origin(draft.entry.url) == _origin(current.url)
    # What a service worker requests again for Chrome is no second page; a reload has a pageref of its own.
    return draft.navigation == "page" and not (is_one_page and draft.entry.url == current.url)


def _recorded(page: _Page, title: str) -> RecordedPage:
    others = sorted((draft.entry for draft in page.drafts), key=lambda entry: (entry.started, entry.index))
    document = page.document.entry if page.document else None
    text = (document.body or "") if document and text_kind(document.mime) == "html" else ""
    if not title and (found := _title(text, 0, _TITLE_WITHIN)):
        title = html.unescape(found[1])
    url = page.awaited or page.url
    entries = [document, *others] if document else others
    return RecordedPage(url.partition("#")[0], text, " ".join(title.split())[:_LONGEST_TITLE], entries)


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _origin(url: str) -> str:
    return "/".join(url.split("/", 3)[:3]).lower()


def _is_root(url: str) -> bool:
    return url.count("/") <= 3 and url.endswith("/")
