"""Requests that did not come from our spider: how they are kept in the frontier, and made again.

What Scrapy needs to make a request again (callback by name, method, headers, body, meta) is kept as JSON. Never as
pickle: a frontier that somebody else can write to must not be able to run code. A request that JSON does not carry
exactly (a lambda as callback, an item in ``cb_kwargs``, a tuple in ``meta``) waits in memory
(`HeldRequests`), as with Scrapy's own scheduler, and so does each request where the frontier is in memory
itself.

What is the same URL is requested once. A request with a body or another method than GET is another one for each body,
and so is each request with ``dont_filter``, save those of ``start()``: Scrapy marks all of them, and a crawl that
continues would ask them again.

Spiders copy ``response.meta`` into new requests. What is ours there is not taken over, nor that the copied request came
from ``start()``.
"""

from __future__ import annotations

import base64
import json
import sys
from typing import Any
from uuid import uuid4

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.http import Response
from scrapy.utils.request import fingerprint, request_from_dict

from mediacrawl.base.notes import NoNotes, Notes
from mediacrawl.base.terms import Candidate, Evidence, Kind, Lease
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.priority import Scores, link_class
from mediacrawl.scope.urls import canonical, extension_of, site_of

_VIA = "request"
HELD = "held request"
"""How the evidence of a URL says that its request waits in memory."""
_NOT_KEPT = frozenset({VISIT, "download_slot", "download_latency"})


class UnstorableError(Exception):
    """JSON does not carry a request exactly. The message says what of it."""


class LostRequestError(Exception):
    """A request was held by a process that has ended."""


def is_ours(spider: object) -> bool:
    """Whether a spider, or a class of spiders, makes its requests of leases itself, as ours do."""
    return bool(getattr(spider, "makes_requests_of_leases", False))


def candidate(
    request: Request, spider: Spider | None, scores: Scores, facts: str | None, of: Lease | None = None
) -> Candidate | None:
    """Return the candidate of a request that a spider or a middleware made; None if its URL is no URL of the web.

    Args:
        request: any request.
        spider: who made it.
        scores: the rules by which it is scored, as a seed if it comes from ``start()``; its priority is added.
        facts: the request, as `facts_of` wrote it; None if it waits in memory.
        of: the lease it came out of, if it is a redirect.
    """
    url = canonical(request.url)
    if url is None:
        return None
    depth = of.depth if of else _whole(request.meta.get("depth"))
    is_start = _is_start(request, of)
    via = "seed" if is_start else "a"
    # A spider that makes its own requests makes them of the URL alone.
    key = url if is_ours(spider) else url + _mark(request, is_start=is_start)
    return Candidate(
        url=key,
        site=site_of(url),
        link_class=link_class(url),
        depth=depth,
        hops=of.hops + 1 if of else 0,
        parent=of.request_url if of else "",
        score=scores.first(Kind.PAGE, via, depth, extension_of(url)) + request.priority,
        evidence=Evidence(via=HELD, guid=key) if facts is None else Evidence(via=_VIA, guid=facts),
    )


def held_key(evidence: Evidence) -> str:
    """Return the key under which the request of a URL waits in memory; empty if it does not.

    Args:
        evidence: of the URL's candidate or lease. The target of a redirect has that of the URL that was requested
            first.
    """
    return evidence.guid if evidence.via == HELD else ""


def request(visit: Visit, spider: Spider | None, held: HeldRequests) -> Request:
    """Return the request of a lease, for a spider that does not make its own.

    Raises:
        LostRequestError: it was held in memory by a process that has ended.
        ValueError, TypeError, KeyError: what was kept fits this spider no more, or was tampered with.
    """
    lease = visit.lease
    meta = {VISIT: visit, "download_slot": lease.site}
    if key := held_key(lease.evidence):
        made = _made_of(held.get(key), lease, meta)
    elif lease.evidence.via == _VIA and lease.evidence.guid:
        made = _made(lease, meta, spider)
    else:
        return Request(visit.fetch.url, meta=meta | {"verbatim_url": True})
    visit.fetch.url = made.url
    return made


def hide(request: Request, spider: Spider | None) -> Request:
    """Keep the answer to a request from a spider that knows nothing of leases: a robots.txt, a redirect that is queued.

    Our own spider sees all answers, since it ends their leases.
    """
    if not is_ours(spider):
        request.callback, request.errback = _leave, None
        request.cb_kwargs.clear()
        request.meta["handle_httpstatus_all"] = True
    return request


def _leave(response: Response) -> None:
    """The scheduler sees that nobody ended this visit, and ends it."""


def _made(lease: Lease, meta: dict[str, Any], spider: Spider | None) -> Request:
    facts: dict[str, Any] = json.loads(lease.evidence.guid)
    facts["body"] = base64.b64decode(facts["body"])
    facts["headers"] = {
        name.encode("latin-1"): [value.encode("latin-1") for value in values]
        for name, values in facts["headers"].items()
    }
    changed = _redirected(facts["url"], facts["method"], lease)
    facts["meta"] = _meta(facts["meta"], meta | _verbatim(changed), lease)
    facts |= changed
    if not _is_request_class(facts.get("_class", "")):
        facts.pop("_class", None)
    return request_from_dict(facts, spider=spider)


def _made_of(held: Request | None, lease: Lease, meta: dict[str, Any]) -> Request:
    """Return a copy of a request that waits in memory: middlewares change requests, and this one may be sent again."""
    if held is None:
        raise LostRequestError("the process that held its request in memory has ended")
    kept = _without_ours(held)
    changed = _redirected(kept.url, kept.method, lease)
    made: Request = kept.replace(meta=_meta(_kept(kept.meta), meta | _verbatim(changed), lease), **changed)
    return made


def _meta(kept: dict[str, Any], ours: dict[str, Any], lease: Lease) -> dict[str, Any]:
    made = {**kept, **ours}
    if lease.attempt:
        # Scrapy's RetryMiddleware counts here, and hands over the last failure when the count is full.
        made["retry_times"] = made.get("retry_times", 0) + lease.attempt
    return made


def _redirected(url: str, method: str, lease: Lease) -> dict[str, Any]:
    """Return what is different in a redirect that RedirectCapMiddleware has queued: the same request, at its target."""
    if canonical(url) == lease.key:
        return {}
    return {"url": lease.request_url, "method": "HEAD" if method == "HEAD" else "GET", "body": b""}


def _verbatim(changed: dict[str, Any]) -> dict[str, Any]:
    """Return what keeps Scrapy from escaping the URL of a redirect's target again."""
    return {"verbatim_url": True} if changed else {}


def _is_request_class(path: str) -> bool:
    """Whether this names a class of requests that is loaded already; what a file names is not imported."""
    module, _, name = path.rpartition(".")
    found = getattr(sys.modules.get(module), name, None)
    return isinstance(found, type) and issubclass(found, Request)


def facts_of(request: Request, spider: Spider | None) -> str:
    """Return a request as JSON, from which the same request can be made again.

    Raises:
        UnstorableError: JSON does not carry it, or would make something else of a part of it.
    """
    try:
        facts = _without_ours(request).to_dict(spider=spider)
        facts["body"] = base64.b64encode(facts["body"]).decode()
        facts["headers"] = {
            name.decode("latin-1"): [value.decode("latin-1") for value in values]
            for name, values in facts["headers"].items()
        }
        facts["meta"] = _kept(facts["meta"])
        written = json.dumps(facts)
        changed = [name for name, value in json.loads(written).items() if not _is_same(value, facts[name])]
    except (ValueError, TypeError, RecursionError) as error:
        raise UnstorableError(str(error)) from error
    if changed:
        raise UnstorableError(f"JSON does not carry its {' and '.join(changed)} exactly")
    return written


def _kept(meta: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in meta.items() if name not in _NOT_KEPT}


def _without_ours(request: Request) -> Request:
    """Return a request without the errback that the scheduler gave to the one that it was copied from."""
    is_copied = isinstance(getattr(request.errback, "__self__", None), BaseScheduler)
    return request.replace(errback=None) if is_copied else request


def _is_same(read: Any, written: Any) -> bool:
    """Whether JSON gave back what it got: the same types all through, and no key twice.

    A text of lxml, such as the ``link_text`` of a CrawlSpider, is a text: that it knows its element is of no use later.
    """
    if type(read) is not type(written) and not (type(read) is str and hasattr(written, "getparent")):
        return False
    if isinstance(read, dict):
        return read.keys() == written.keys() and all(_is_same(read[name], written[name]) for name in read)
    if isinstance(read, list):
        return len(read) == len(written) and all(map(_is_same, read, written))
    return bool(read == written or read != read)  # noqa: PLR0124 - not a number


def _is_start(request: Request, of: Lease | None) -> bool:
    """Whether a request came from ``start()``, or a middleware made it of one that did. A copy has our visit, too."""
    return bool(request.meta.get("is_start_request")) and (of is not None or VISIT not in request.meta)


def _mark(request: Request, *, is_start: bool) -> str:
    """Return what tells requests of one URL apart, as a fragment, which is never sent."""
    if request.dont_filter and not is_start:
        return f"#{uuid4().hex}"
    return f"#{fingerprint(request).hex()}" if request.method != "GET" or request.body else ""


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


_NAMESPACE = "held"
_LOST = b"lost"


class HeldRequests:
    """Requests of other people's spiders that JSON does not carry exactly, or that a frontier in memory need not store.

    The URL of such a request waits in the frontier as any other does, and the request itself waits here under its key.
    It ends with the process. Of each the notes of the frontier say (namespace ``held``, by key) that it waits here, so
    that a later process knows a URL whose request is gone: it is not requested, and joins again when the spider asks
    for it again.

    On disk: these notes, in the frontier's own commits. A kill loses the requests.

    Args:
        notes: the frontier, if it outlives the process.
        resumes: whether it comes from an earlier process.
    """

    def __init__(self, notes: Notes | None, *, resumes: bool) -> None:
        self._notes = notes or NoNotes()
        self._resumes = resumes and notes is not None
        self._process = uuid4().hex.encode("ascii")
        self._requests = dict[str, Request]()

    def __len__(self) -> int:
        """How many requests wait here."""
        return len(self._requests)

    def hold(self, key: str, request: Request) -> None:
        """Hold a request until `end`."""
        self._requests[key] = request
        self._notes.set_note(_NAMESPACE, key, self._process)

    def get(self, key: str) -> Request | None:
        """Return the request of a row; None if it was held by a process that has ended."""
        return self._requests.get(key)

    def end(self, key: str) -> None:
        """The row of a request has ended."""
        if self._requests.pop(key, None) is not None:
            self._notes.set_note(_NAMESPACE, key, b"")
        else:
            self._notes.set_note(_NAMESPACE, key, _LOST)

    def found_again(self, key: str) -> None:
        """A row that ended because nobody held its request is added again."""
        self._notes.set_note(_NAMESPACE, key, b"")

    def waits_in_vain(self, key: str) -> bool:
        """Whether the row of a key waits, and the process that held its request has ended."""
        return self._resumes and self._notes.note(_NAMESPACE, key) not in {None, b"", _LOST, self._process}

    def is_lost(self, key: str) -> bool:
        """Whether the row of a key ended because nobody held its request any more."""
        return self._resumes and self._notes.note(_NAMESPACE, key) == _LOST
