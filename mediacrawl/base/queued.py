"""A data request of a site adapter as it waits in the frontier: in the evidence of its URL.

The URL of a data request in the frontier has a *mark* behind a ``#``, which is never sent: the same URL that a page
links to is another one. Two data requests of one adapter are the same if they have one URL and the same values in the
slots that are needed later, so that two URLs of one page lead to one data request.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from mediacrawl.base.terms import Evidence

ADAPTER = "adapter"
"""The link source of media that the answer to a data request names."""
WAITS = "adapter_request"
"""The link source of data requests."""
MISSED = "adapter_missed"
"""The link source of pages that are requested because their data requests missed."""
REPEATED = "adapter_again"
"""The link source of pages whose data requests were not made, since the adapter was switched off, changed or removed. A
data request that is made for such a page is another one for the frontier, which has seen the first one end."""
LINK_CLASS = "adapter"
"""The link class of data requests, one on each site. Its score is not learned: the page's turn has come already."""

LONGEST = 4_096
"""Characters of a data request's evidence; one slot is an id. Beyond it the page is requested as an ordinary one."""
_MOST_SLOTS = 100
_STEPS = 3
_MOST_PAGES = 1_000_000


@dataclass(frozen=True, slots=True)
class WaitingPage:
    """What is kept of a page while its data is requested instead, so that it can be requested after all.

    Its evidence, the URL of the page that it was found on, and how many redirects in a row led to it.
    """

    via: str = "a"
    guid: str = ""
    requested_url: str = ""
    parent: str = ""
    hops: int = 0


@dataclass(frozen=True, slots=True)
class QueuedRequest:
    """A data request that waits: of which adapter, and the digest of its file when the request was made.

    It is the `step`-th data request of a page, from 1, with the slots that are known and needed, for the `number`-th
    page of a list. `again` tells a further one of a page apart, as that of a revisit. Unless it is `listed`, no words
    of the answer are stored. `page` is None if the page itself was requested, too.
    """

    adapter: str
    digest: str
    step: int
    slots: Mapping[str, str] = field(default_factory=dict)
    number: int = 1
    again: str = ""
    listed: bool = True
    page: WaitingPage | None = None

    def dump(self) -> str:
        """Return the request as JSON; empty if that has more than `LONGEST` characters."""
        page = self.page
        kept = [page.via, page.guid, page.requested_url, page.parent, page.hops] if page is not None else None
        told = [self.adapter, self.digest, self.step, dict(self.slots), self.number, self.again, self.listed, kept]
        written = json.dumps(told, separators=(",", ":"))
        return written if len(written) <= LONGEST else ""

    @classmethod
    def of(cls, evidence: Evidence) -> QueuedRequest | None:
        """Return what `dump` wrote; None for other evidence. Another program may have written it."""
        if evidence.via != WAITS or len(evidence.guid) > LONGEST:
            return None
        try:
            told = json.loads(evidence.guid)
        except (ValueError, RecursionError):
            return None
        return _read(told) if isinstance(told, list) else None


def _read(told: list[Any]) -> QueuedRequest | None:
    match told:
        case [str(name), str(digest), int(step), dict(slots), int(number), str(again), bool(listed), page]:
            kept = None
            if isinstance(page, list) and [type(each) for each in page] == [str, str, str, str, int] and page[4] >= 0:
                kept = WaitingPage(*page)
            is_whole = 1 <= step <= _STEPS and 1 <= number <= _MOST_PAGES and len(slots) <= _MOST_SLOTS
            if is_whole and all(isinstance(value, str) for value in slots.values()) and (kept or page is None):
                return QueuedRequest(name, digest, step, slots, number, again, listed, kept)
    return None


def is_marked(url: str) -> bool:
    """Return whether a URL in the frontier, with its fragment, is that of a data request."""
    return url.partition("#")[2].startswith(f"{ADAPTER}:")


def mark_of_redirect(before: str, url: str) -> str:
    """Return the mark of a redirect's target: dead ids often lead to one URL, and each of them is a page's miss.

    It is made of the mark of the data request that was redirected, and its URL in canonical form.
    """
    way = sha256(f"{before} {url}".encode("utf-8", "replace")).hexdigest()[:16]
    return f"{before.partition('~')[0]}~{way}"
