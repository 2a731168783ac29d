"""Requests that did not come from our spider: how they are kept in the frontier, and made again.

What Scrapy needs to make a request again (callback by name, method, headers, body, meta) is kept as JSON. Never as
pickle: a frontier that somebody else can write to must not be able to run code.

What is the same URL is asked once. A request with a body or another method than GET is another one for each body, and
so is each request with ``dont_filter``, save those of ``start()``: Scrapy marks all of them, and a crawl that goes on
would ask them anew.
"""

from __future__ import annotations

import base64
import json
import logging
import sys
from typing import Any
from uuid import uuid4

from scrapy import Request, Spider
from scrapy.core.scheduler import BaseScheduler
from scrapy.http import Response
from scrapy.utils.request import fingerprint, request_from_dict

from mediacrawl.priority import Scores, link_class
from mediacrawl.records import VISIT, Candidate, Evidence, Kind, Lease, Visit
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.extensions import extension_of
from mediacrawl.scope.sites import site_of

logger = logging.getLogger(__name__)

_VIA = "request"
_NOT_KEPT = frozenset({VISIT, "download_slot", "download_latency"})


def candidate(request: Request, spider: Spider | None, scores: Scores, of: Lease | None = None) -> Candidate | None:
    """The candidate of a request that a spider or a middleware made; None if it cannot be kept.

    Args:
        request: any request.
        spider: whose methods its callbacks are.
        scores: the rules by which it is scored, as a seed if it comes from ``start()``; its priority is added.
        of: the lease it came out of, if it is a redirect.
    """
    url = canonical(request.url)
    if url is None:
        return None
    facts = _facts(request, spider)
    if facts is None:
        return None
    depth = of.depth if of else _whole(request.meta.get("depth"))
    door = "seed" if request.meta.get("is_start_request") else "a"
    return Candidate(
        # A spider that makes its own requests makes them of the URL alone.
        url=url if hasattr(spider, "make_request") else url + _mark(request),
        site=site_of(url),
        link_class=link_class(url),
        depth=depth,
        hops=of.hops + 1 if of else 0,
        parent=of.url if of else "",
        score=scores.first(Kind.PAGE, door, depth, extension_of(url)) + request.priority,
        evidence=Evidence(via=_VIA, guid=facts),
    )


def request(visit: Visit, spider: Spider | None) -> Request:
    """The request of a lease, for a spider that does not make its own.

    Raises:
        ValueError, TypeError, KeyError: what was kept fits this spider no more, or was tampered with.
    """
    lease = visit.lease
    meta = {VISIT: visit, "download_slot": lease.site}
    if lease.evidence.via != _VIA or not lease.evidence.guid:
        return Request(visit.url, meta=meta)
    made = _made(lease, meta, spider)
    visit.url = made.url
    return made


def hide(request: Request, spider: Spider | None) -> Request:
    """Keep the answer to a request from a spider that knows nothing of leases: a robots.txt, a redirect that is queued.

    Our own spider sees all answers, since it ends their leases.
    """
    if not hasattr(spider, "make_request"):
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
    facts["meta"] = {**facts["meta"], **meta}
    if lease.attempt:
        # Scrapy's RetryMiddleware counts here, and hands over the last failure when the count is full.
        facts["meta"]["retry_times"] = lease.attempt
    if canonical(facts["url"]) != lease.url.partition("#")[0]:
        # A redirect that RedirectCapMiddleware has queued: the same request, at its target.
        facts |= {"url": lease.url, "method": "HEAD" if facts["method"] == "HEAD" else "GET", "body": b""}
    if not _is_request_class(facts.get("_class", "")):
        facts.pop("_class", None)
    return request_from_dict(facts, spider=spider)


def _is_request_class(path: str) -> bool:
    """Whether this names a class of requests that is loaded already; what a file names is not imported."""
    module, _, name = path.rpartition(".")
    found = getattr(sys.modules.get(module), name, None)
    return isinstance(found, type) and issubclass(found, Request)


def _facts(request: Request, spider: Spider | None) -> str | None:
    if isinstance(getattr(request.errback, "__self__", None), BaseScheduler):
        # The scheduler gave it one because it had none.
        request = request.replace(errback=None)
    try:
        facts = request.to_dict(spider=spider)
        facts["body"] = base64.b64encode(facts["body"]).decode()
        facts["headers"] = {
            name.decode("latin-1"): [value.decode("latin-1") for value in values]
            for name, values in facts["headers"].items()
        }
        facts["meta"] = {name: value for name, value in facts["meta"].items() if name not in _NOT_KEPT}
        return json.dumps(facts)
    except (ValueError, TypeError) as error:
        logger.warning("%s cannot be kept in the frontier: %s", request, error)
        return None


def _mark(request: Request) -> str:
    """What tells requests of one URL apart, as a fragment, which is never sent."""
    if request.dont_filter and not request.meta.get("is_start_request"):
        return f"#{uuid4().hex}"
    return f"#{fingerprint(request).hex()}" if request.method != "GET" or request.body else ""


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0
