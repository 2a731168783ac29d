"""Candidates for the frontier: data requests of site adapters, and the pages that are requested after all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mediacrawl.base.queued import LINK_CLASS, MISSED, REPEATED, WAITS, QueuedRequest, WaitingPage, mark_of_redirect
from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Lease, Outcome
from mediacrawl.base.visit import AdapterUse, Visit
from mediacrawl.politeness.delay import is_passing
from mediacrawl.priority import Scores
from mediacrawl.priority.revisits import evidence_for_other, is_revisit
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import spelling
from mediacrawl.site_adapters import Miss, SiteAdapter, data_request

if TYPE_CHECKING:
    from mediacrawl.crawl.context import CrawlContext
    from mediacrawl.crawl.intake import Intake


@dataclass(frozen=True, slots=True)
class PageWords:
    """What a page that was requested says of itself.

    Attributes:
        title, language: of the page; empty if they may not be stored.
        listed: whether words about its media may be stored.
    """

    title: str = ""
    language: str = ""
    listed: bool = True


def first_request(
    lease: Lease, adapter: SiteAdapter, slots: Mapping[str, str], scores: Scores, page: PageWords | None = None
) -> Candidate | None:
    """Return the first data request of a page; None if its slots are too long to be kept.

    Args:
        lease: of the page.
        adapter: of it.
        slots: of its URL, and those that are in it.
        scores: the rules of the crawl.
        page: what the page says of itself; None if it is not requested.

    Raises:
        Miss: the slots give no URL.
    """
    found = evidence_for_other(lease)
    kept, listed, words = None, True, found
    if page is None:
        kept = WaitingPage(found.via, found.guid, found.requested_url, lease.parent, lease.hops)
    else:
        listed, words = page.listed, replace(found, page_title=page.title, page_language=page.language)
    queued = QueuedRequest(
        adapter=adapter.name,
        digest=adapter.digest,
        step=1,
        slots=adapter.kept_slots(1, slots),
        # The data are requested again, and the frontier knows their URL.
        again=f"{lease.taken:.6f}" if is_revisit(lease) or lease.evidence.via == REPEATED else "",
        listed=listed,
        page=kept,
    )
    # With the page's own depth, so that its media have the depth that they have as links of the page.
    return _candidate(queued, adapter, words, scores, depth=lease.depth, parent=lease.request_url)


def following_request(
    lease: Lease, queued: QueuedRequest, adapter: SiteAdapter, slots: Mapping[str, str], scores: Scores
) -> Candidate | None:
    """Return the data request after one that was answered; None if its slots are too long to be kept.

    Raises:
        Miss: the slots give no URL.
    """
    following = replace(queued, step=queued.step + 1, slots=adapter.kept_slots(queued.step + 1, slots))
    return _candidate(following, adapter, lease.evidence, scores, depth=lease.depth, parent=lease.parent)


def request_of_next_page(
    lease: Lease, queued: QueuedRequest, adapter: SiteAdapter, url: str, scores: Scores
) -> Candidate | None:
    """Return the data request for the next page of a list; None if its URL is none."""
    following = replace(queued, number=queued.number + 1)
    return _waiting(following, adapter, url, lease.evidence, scores, depth=lease.depth, parent=lease.parent)


def _candidate(
    queued: QueuedRequest, adapter: SiteAdapter, evidence: Evidence, scores: Scores, *, depth: int, parent: str
) -> Candidate | None:
    url = data_request(adapter, queued.step, queued.slots).url
    if spelling(url) is None:
        raise Miss(f"request {queued.step}", f"{url[:200]!r} is no http or https URL")
    return _waiting(queued, adapter, url, evidence, scores, depth=depth, parent=parent)


def _waiting(
    queued: QueuedRequest,
    adapter: SiteAdapter,
    written_url: str,
    evidence: Evidence,
    scores: Scores,
    *,
    depth: int,
    parent: str,
) -> Candidate | None:
    url, written = spelling(written_url), queued.dump()
    if url is None or not written:
        return None
    waits = replace(evidence, via=WAITS, guid=written, requested_url="")
    found = candidate(url, waits, scores, Kind.LIST, depth=depth, parent=parent)
    # The page had its turn already, by its own class: its data comes as early as media does.
    score = scores.first(Kind.MEDIA, WAITS, depth)
    url_in_frontier = f"{url.key}#{adapter.mark(queued.step, queued.slots, queued.again)}"
    return replace(found, url=url_in_frontier, requested=url.requested, link_class=LINK_CLASS, score=score)


def redirected(found: Candidate, lease: Lease) -> Candidate:
    """Return the candidate for the target of a redirect; for that of a data request one that waits as such."""
    if lease.evidence.via != WAITS:
        return found
    fragment = mark_of_redirect(lease.url.partition("#")[2], lease.key)
    return replace(
        found,
        url=f"{found.url}#{fragment}",
        requested=found.request_url,
        link_class=LINK_CLASS,
    )


def page_again(lease: Lease, queued: QueuedRequest, scores: Scores, *, missed: bool) -> Candidate | None:
    """Return the page of a data request that gave nothing; None if it was requested, too, or its URL is none.

    Args:
        lease: of the data request.
        queued: the same.
        scores: the rules of the crawl.
        missed: whether the page is to be read as an ordinary one, without a data request. Else an adapter that is on
            is applied to it once more.
    """
    page, url = queued.page, spelling(lease.parent)
    if page is None or queued.number > 1 or url is None:
        return None
    via = MISSED if missed else REPEATED
    evidence = replace(lease.evidence, via=via, guid=page.guid, requested_url=page.requested_url)
    return candidate(url, evidence, scores, Kind.PAGE, depth=lease.depth, hops=page.hops, parent=page.parent)


_NOT_FOLLOWED = frozenset({Drop.REDIRECT_CAP, Drop.REDIRECT_BROKEN})


class AdapterEnds:
    """Counts what visits say of site adapters, and lets pages join again whose data requests gave nothing.

    An answer that names new media counts as a find of its site, which raises the site's budget.

    It is called before the end of the visit is written, so that all is in one commit.

    Stats: ``adapter/page_again`` (pages that are requested after all), those of `CrawlAdapters`.
    """

    def __init__(self, context: CrawlContext, intake: Intake) -> None:
        self._context = context
        self._intake = intake

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
            self._context.counted["adapter/page_again"] += 1


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
