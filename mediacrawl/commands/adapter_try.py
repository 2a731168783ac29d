"""The spider of ``scrapy adapters try``: requests the data of a few pages as every crawl does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request

from mediacrawl.commands.single import SingleSpider
from mediacrawl.facts import unpack
from mediacrawl.observe.text import cut, printable
from mediacrawl.probe.report import ProbeReport, ProbeRequest, as_object, lines
from mediacrawl.records import Candidate, Drop, Kind, MediaItem, Outcome
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.sites import site_of
from mediacrawl.site_adapters.queued import ADAPTER, WAITS, QueuedRequest
from mediacrawl.visit import Visit

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from mediacrawl.encoding.records.fixer import Fixer

PROBED = 1
"""Media of a page that are probed. Each costs at least one delay of its site; the others are only named."""
_SEED = "probe"
"""The link source of the pages."""
_SHOWN = 300
"""Characters of the facts of one medium; ``--json`` has all."""


@dataclass
class PageTrial(ProbeReport):
    """What an adapter made of one page.

    Attributes:
        requests: URLs of the data requests, each with the values of the slots that were known before it.
        media: what the last answer named: URL, and its facts.
        probed: reports of the media that were probed.
    """

    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    media: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    probed: list[ProbeReport] = field(default_factory=list)

    def as_object(self) -> dict[str, Any]:
        """Return the trial as an object for JSON."""
        return {
            "page": self.target,
            "requests": [{"url": url, "slots": slots} for url, slots in self.requests],
            "media": [{"url": url, **facts} for url, facts in self.media],
            "probed": [as_object(report) for report in self.probed],
            "why": self.why or None,
        }

    def lines(self) -> Iterator[str]:
        """Yield the trial for people, one line each; the requests were told when they ended."""
        for number, (url, slots) in enumerate(self.requests, 1):
            values = ", ".join(f"{name} = {value}" for name, value in slots.items())
            yield f"  data request {number}: {printable(url)}{printable(values and f' ({values})')}"
        for number, (url, facts) in enumerate(self.media):
            told = ", ".join(f"{name} {value}" for name, value in facts.items())
            left = "" if number < PROBED else " (not probed here)"
            yield f"  media: {printable(url)}{printable(told and f' ({cut(told, _SHOWN)})')}{left}"
        if not self.media:
            yield f"  no media: {printable(self.why or 'the log says why')}"
        for report in self.probed:
            yield f"\n{printable(report.target)}"
            yield from lines(report)


class AdapterTrySpider(SingleSpider):
    """Tries a site adapter on pages: requests their data, and probes the first medium of each.

    Links of a page that is requested are not followed. The rest is as for `SingleSpider`.

    Args:
        crawler: of the spider, whose ``ADAPTERS_DIR`` has the one adapter.
        urls: of the pages, in canonical form.
        folder: the state folder of the media crawl.
        fixer: decodes the texts of a record.
        tell: called after each request, with the URL that it was made for.
    """

    name = "adapters"
    follows = True
    kind = Kind.PAGE

    def __init__(
        self, crawler: Crawler, urls: list[str], folder: Path, fixer: Fixer, tell: Callable[[str, ProbeRequest], None]
    ) -> None:
        super().__init__(crawler, urls, folder, fixer, tell)
        self.trials = {url: PageTrial(url) for url in urls}
        self.accounts = {**self.trials}

    def make_request(self, visit: Visit) -> Request:
        """Return the request of a lease; a data request is told as one."""
        request = super().make_request(visit)
        if visit.lease.kind is not Kind.MEDIA:
            self._ranges[visit.lease.id] = "the data" if visit.lease.evidence.via == WAITS else "the page"
        return request

    def _finish(self, visit: Visit, items: list[MediaItem]) -> list[MediaItem] | None:
        trial = self._trial(visit)
        kept = [found for found in visit.decision.found if found.evidence.via in {WAITS, _SEED}]
        media = [found for found in visit.decision.found if found.evidence.via == ADAPTER]
        if trial is not None and media:
            room = PROBED - len(trial.media)
            trial.media += [(found.request_url, _facts_of(found)) for found in media]
            kept += media[: max(room, 0)]
        visit.decision.found[:] = kept
        return super()._finish(visit, items)

    def _trial(self, visit: Visit) -> PageTrial | None:
        lease = visit.lease
        page = lease.parent if lease.evidence.via in {WAITS, ADAPTER} else lease.evidence.requested_url or lease.url
        return self.trials.get(canonical(page) or page)

    def _account(self, visit: Visit) -> ProbeReport:
        trial = self._trial(visit)
        if visit.lease.kind is Kind.ROBOTS or trial is None:
            return super()._account(visit)
        if visit.lease.kind is not Kind.MEDIA:
            return trial
        account = super()._account(visit)
        if account not in trial.probed:
            trial.probed.append(account)
        return account

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        super()._visit_ended(visit, outcome)
        trial, use = self._trial(visit), visit.decision.adapter
        if trial is None or visit.lease.kind is Kind.MEDIA:
            return
        for found in visit.decision.found:
            queued = QueuedRequest.of(found.evidence)
            if queued is not None:
                trial.requests.append((found.request_url, dict(queued.slots)))
        if use is not None and use.missed:
            trial.why = use.missed
        if visit.lease.evidence.via == WAITS:
            # A crawl requests the page of a miss as an ordinary one, which would try nothing.
            page = trial.target
            self.scheduler.frontier.drop(site_of(page), Drop.OPERATOR, lambda url: url == page)


def _facts_of(found: Candidate) -> dict[str, str]:
    return {each.key: each.text for each in unpack(found.evidence.facts)}
