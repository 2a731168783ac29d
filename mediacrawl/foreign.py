"""Requests that did not come from our spider: how they are kept in the frontier, and made again.

What Scrapy needs to make a request again (callback by name, method, headers, body, meta) is kept as JSON. Never as
pickle: a frontier that somebody else can write to must not be able to run code.
"""

from __future__ import annotations

import base64
import json
import logging
from typing import Any

from scrapy import Request, Spider
from scrapy.utils.request import request_from_dict

from mediacrawl.priority import first_score, link_class
from mediacrawl.records import VISIT, Candidate, Evidence, Kind, Lease, Visit
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.sites import site_of

logger = logging.getLogger(__name__)

_VIA = "request"


def candidate(request: Request, spider: Spider | None, of: Lease | None = None) -> Candidate | None:
    """The candidate of a request that a spider or a middleware made; None if it cannot be kept.

    Args:
        request: any request.
        spider: whose methods its callbacks are.
        of: the lease it came out of, if it is a redirect.
    """
    url = canonical(request.url)
    if url is None:
        return None
    facts = _facts(request, spider)
    if facts is None:
        return None
    return Candidate(
        url=url,
        site=site_of(url),
        link_class=link_class(url),
        depth=of.depth if of else int(request.meta.get("depth", 0)),
        hops=of.hops + 1 if of else 0,
        parent=of.url if of else "",
        score=first_score(Kind.PAGE) + request.priority,
        evidence=Evidence(via=_VIA, guid=facts),
    )


def request(visit: Visit, spider: Spider | None) -> Request:
    """The request of a lease, for a spider that does not make its own."""
    meta = {VISIT: visit, "download_slot": visit.lease.site}
    if visit.lease.evidence.via != _VIA or not visit.lease.evidence.guid:
        return Request(visit.url, meta=meta)
    facts: dict[str, Any] = json.loads(visit.lease.evidence.guid)
    facts["body"] = base64.b64decode(facts.get("body", ""))
    facts["meta"] = {**facts.get("meta", {}), **meta}
    facts["url"] = facts.get("url", visit.url)
    return request_from_dict(facts, spider=spider)


def _facts(request: Request, spider: Spider | None) -> str | None:
    try:
        facts = request.to_dict(spider=spider)
        facts["body"] = base64.b64encode(facts["body"]).decode()
        facts["headers"] = {
            name.decode("latin-1"): [value.decode("latin-1") for value in values]
            for name, values in facts["headers"].items()
        }
        facts["meta"] = {name: value for name, value in facts["meta"].items() if name not in {VISIT, "download_slot"}}
        return json.dumps(facts)
    except (ValueError, TypeError) as error:
        logger.warning("%s cannot be kept in the frontier: %s", request, error)
        return None
