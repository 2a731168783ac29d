"""The site adapters of a crawl: which of them are on, and what is counted of them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial

from mediacrawl.base.format import plural
from mediacrawl.base.notes import Later, Notes
from mediacrawl.base.queued import QueuedRequest
from mediacrawl.base.terms import Evidence
from mediacrawl.base.visit import AdapterUse
from mediacrawl.site_adapters import Miss, SiteAdapter, SiteAdapters, data_request
from mediacrawl.watch.adapter_counts import NAMESPACE, AdapterCounts

logger = logging.getLogger(__name__)

_OFF = (
    "The site adapter %s is switched off after %s in a row, the last one at %s (%s). Its pages are requested as"
    " ordinary ones. Correct it or learn it again, and prove it with scrapy adapters try; a changed file is on at the"
    " next start"
)


class CrawlAdapters:
    """The site adapters of a crawl, without those that are switched off.

    In the notes of the frontier: see `watch.adapter_counts`.

    Stats: ``adapter/tried``, ``adapter/hit``, ``adapter/missed``, ``adapter/off``, each also for an adapter alone:
    ``adapter/<name>/tried``.

    Args:
        notes: where the counts are kept.
        later: changes a note that other workers change, too; None with one worker.
        misses: in a row, after which an adapter is switched off.
        pages: of a list that are requested at most.

    Attributes:
        count: counts a stat.
        counts: of the adapters that were met in this process, as far as they are known here.
        is_empty: whether there are no adapters, those that are switched off included.
        pages: see above.
    """

    def __init__(
        self, adapters: SiteAdapters, notes: Notes, later: Later | None = None, *, misses: int = 10, pages: int = 50
    ) -> None:
        self._adapters = adapters
        self._notes = notes
        self._later = later
        self._misses = misses
        self.pages = pages
        self.count: Callable[[str], None] = lambda _: None
        self.counts: dict[str, AdapterCounts] = {}
        self.is_empty = not len(adapters)
        self._waiting: dict[str, AdapterCounts] = {}
        self._out: set[str] = set()

    def match(self, url: str) -> tuple[SiteAdapter, dict[str, str]] | None:
        """Return the first adapter of a page that is not switched off, and the slots of its URL; None if there is none.

        Raises:
            FrontierError: the notes cannot be read.
        """
        return next((found for found in self._adapters.matches(url) if self._is_on(found[0])), None)

    def named(self, name: str, digest: str) -> SiteAdapter | None:
        """Return the adapter of a data request; None if it is switched off, or was changed or removed since.

        Args:
            name: of the adapter.
            digest: of its file when the request was made.

        Raises:
            FrontierError: the notes cannot be read.
        """
        found = self._adapters.named(name)
        return found if found is not None and found.digest == digest and self._is_on(found) else None

    def headers(self, evidence: Evidence) -> dict[str, str]:
        """Return the headers that its adapter gives a data request."""
        queued = QueuedRequest.of(evidence)
        adapter = self._adapters.named(queued.adapter) if queued is not None else None
        if queued is None or adapter is None or queued.step > len(adapter.requests):
            return {}
        try:
            return dict(data_request(adapter, queued.step, queued.slots).headers)
        except Miss:
            return {}

    def note(self, use: AdapterUse, page: str) -> None:
        """Count what a visit says of an adapter.

        Raises:
            FrontierError: the notes cannot be written.
        """
        adapter = self._adapters.named(use.name)
        if adapter is None:
            return
        counted = AdapterCounts(adapter.digest)
        for happened, name, after in (
            (use.tried, "tried", counted.after_page),
            (use.hit, "hit", counted.after_hit),
            (bool(use.missed), "missed", partial(counted.after_miss, page, use.missed)),
        ):
            if happened:
                self._count(use.name, name)
                counted = counted.plus(after(), self._misses)
        if counted != AdapterCounts(adapter.digest):
            self._write(adapter, counted)

    def save_all(self) -> None:
        """Send the counts that wait for an answer to earlier ones, so that a clean stop loses none.

        Raises:
            FrontierError: the notes cannot be written.
        """
        waiting, self._waiting = self._waiting, {}
        for name, counted in waiting.items():
            adapter = self._adapters.named(name)
            if adapter is not None and self._later is not None:
                self._later(NAMESPACE, name, self._change(adapter, counted))

    def _is_on(self, adapter: SiteAdapter) -> bool:
        if adapter.name not in self.counts:
            self._read(adapter)
        return not self.counts[adapter.name].off

    def _count(self, name: str, what: str) -> None:
        self.count(f"adapter/{what}")
        self.count(f"adapter/{name}/{what}")

    # -- the notes -------------------------------------------------------------------------------------------

    def _read(self, adapter: SiteAdapter) -> None:
        if self._later is None:
            self._know(adapter, self._notes.note(NAMESPACE, adapter.name))
            return
        # Until the answer comes the adapter counts as on: what is asked meanwhile is at most what is counted later.
        self.counts[adapter.name] = AdapterCounts(adapter.digest)
        self._write(adapter, AdapterCounts(adapter.digest))

    def _write(self, adapter: SiteAdapter, counted: AdapterCounts) -> None:
        """Add to the note. In Redis one change is made at a time, since simultaneous ones would be retried."""
        if self._later is None:
            self._know(adapter, self._notes.update_note(NAMESPACE, adapter.name, self._change(adapter, counted)))
            return
        before = self._waiting.get(adapter.name)
        self._waiting[adapter.name] = counted if before is None else before.plus(counted, self._misses)
        if adapter.name not in self._out:
            self._send(adapter, self._later)

    def _change(self, adapter: SiteAdapter, counted: AdapterCounts) -> Callable[[bytes | None], bytes]:
        def change(old: bytes | None) -> bytes:
            return AdapterCounts.load(old, adapter.digest).plus(counted, self._misses).dump()

        return change

    def _send(self, adapter: SiteAdapter, later: Later) -> None:
        counted = self._waiting.pop(adapter.name)
        self._out.add(adapter.name)
        answer = later(NAMESPACE, adapter.name, self._change(adapter, counted))
        answer.add_done_callback(partial(self._heard, adapter, later))

    def _heard(self, adapter: SiteAdapter, later: Later, answer: Future[bytes]) -> None:
        """The note was written. Called in another thread."""
        from twisted.internet import reactor  # noqa: PLC0415 - it is chosen by the first import

        reactor.callFromThread(self._written, adapter, later, answer)

    def _written(self, adapter: SiteAdapter, later: Later, answer: Future[bytes]) -> None:
        self._out.discard(adapter.name)
        if answer.exception() is None:
            self._know(adapter, answer.result())
        if adapter.name in self._waiting:
            self._send(adapter, later)

    def _know(self, adapter: SiteAdapter, record: bytes | None) -> None:
        before, known = self.counts.get(adapter.name), AdapterCounts.load(record, adapter.digest)
        self.counts[adapter.name] = known
        if known.off and (before is None or not before.off):
            self._count(adapter.name, "off")
            logger.warning(_OFF, adapter.name, plural(self._misses, "miss"), known.example, known.why)
