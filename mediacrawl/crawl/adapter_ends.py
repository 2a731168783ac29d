"""What follows from the end of a data request: counts, and the page that is requested after all."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from mediacrawl.crawl.data_requests import page_again
from mediacrawl.politeness.backoff import is_passing
from mediacrawl.records import Drop, End, Outcome
from mediacrawl.site_adapters.queued import WAITS, QueuedRequest
from mediacrawl.visit import AdapterUse, Visit

if TYPE_CHECKING:
    from mediacrawl.crawl.context import CrawlContext
    from mediacrawl.crawl.intake import Intake

_NOT_FOLLOWED = frozenset({Drop.REDIRECT_CAP, Drop.REDIRECT_BROKEN})


class AdapterEnds:
    """Counts what visits say of site adapters, and lets pages join again whose data requests gave nothing.

    An answer that names new media counts as a find of its site, which raises the site's budget.

    It is called before the end of the visit is written, so that all is in one commit.

    Stats: ``adapter/page_again`` (pages that are requested after all), those of `CrawlAdapters`.
    """

    def __init__(self, context: CrawlContext, intake: Intake, counted: Counter[str]) -> None:
        self._context = context
        self._intake = intake
        self._counted = counted

    def settle(self, visit: Visit, outcome: Outcome) -> None:
        """Count a visit that ends its URL, and request the page of its data request after all if that gave nothing.

        Raises:
            FrontierError: the counts cannot be written.
        """
        lease, use = visit.lease, visit.decision.adapter
        if lease.evidence.via != WAITS:
            if use is not None:
                self._context.adapters.note(use, lease.request_url)
            return
        queued = QueuedRequest.of(lease.evidence)
        if queued is None:
            return
        why = missed(visit, outcome, queued)
        if why:
            use = replace(use or AdapterUse(queued.adapter), missed=why)
        if use is not None:
            self._context.adapters.note(use, lease.parent)
            # The finds are of the site with the files; without this the site with the data would be retired early.
            outcome.earned += use.hit and bool(visit.decision.found)
        if is_lost(visit, outcome):
            self._request_page(visit, queued, outcome)

    def _request_page(self, visit: Visit, queued: QueuedRequest, outcome: Outcome) -> None:
        is_missed = outcome.reason is not Drop.ADAPTER_OFF
        page = page_again(visit.lease, queued, self._context.scores, missed=is_missed)
        if page is None:
            return
        # With the score that its class has: else the whole class got that of the rules.
        self._context.priority.join([page])
        if self._intake.add_again(page):
            self._counted["adapter/page_again"] += 1


def is_lost(visit: Visit, outcome: Outcome) -> bool:
    """Whether a data request ended without a further one and without an answer that was read."""
    return outcome.end is End.DROPPED or (300 <= visit.fetch.status < 400 and not visit.decision.found)


def missed(visit: Visit, outcome: Outcome, queued: QueuedRequest) -> str:
    """Why a data request is a miss; empty if it is none.

    Trouble of the network or of the server says nothing about the adapter, nor does a refusal of ours. Nor does a later
    page of a list that is not there: the list ends so.
    """
    if queued.number > 1:
        return ""
    if visit.decision.adapter is not None and visit.decision.adapter.missed:
        return visit.decision.adapter.missed
    status = visit.fetch.status
    if outcome.reason is Drop.HTTP_STATUS and not is_passing(status):
        return f"answer {queued.step}: its status is {status}"
    if outcome.reason in _NOT_FOLLOWED or (outcome.reason is None and is_lost(visit, outcome)):
        return f"answer {queued.step}: it is a redirect that is not followed"
    return ""
