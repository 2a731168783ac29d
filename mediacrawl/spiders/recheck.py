"""The spider ``recheck``, which probes the files of records with uncertain texts again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import CloseSpider

from mediacrawl.config.own_settings import OwnSettings, state_folder
from mediacrawl.crawl.arguments import (
    BELOW,
    Argument,
    ArgumentError,
    RecheckArguments,
    check_contact,
    check_frontiers,
    check_nevercrawl,
    confidence,
    refuse_unknown,
    switch,
)
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import listen_to_visits
from mediacrawl.encoding.mojibake.substitutions import SUBSTITUTIONS_FILE, Substitutions
from mediacrawl.encoding.records.values import LISTS_WITH_TEXTS
from mediacrawl.facts import of_tags, pack
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.stores import SQLITE_FILE, delete_store
from mediacrawl.observe.format import plural
from mediacrawl.pipelines.mojibake import fixer_of
from mediacrawl.priority import Scores
from mediacrawl.probe.record import item_id
from mediacrawl.recheck.doubtful_texts import Doubts, keep_user, kept, pairs
from mediacrawl.recheck.round import Round, RoundError, delete_round, report
from mediacrawl.recheck.stored_records import ItemsError, check_items, is_catalogue, records
from mediacrawl.records import Candidate, End, Evidence, Kind, MediaItem, Outcome
from mediacrawl.scope import Spelling, canonical, spelling
from mediacrawl.scope.candidates import candidate
from mediacrawl.spiders.base import OwnFrontierSpider
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

PAIRS = "pairs.jl"
"""File in the state folder to which learned pairs are appended: ``before``, ``after``, ``encoding``."""

_BATCH = 20
"""Records that are decided between two turns of the reactor; one may take a millisecond."""
_GONE = frozenset({404, 410})
_PROVENANCE = {
    "via": "discovered_via",
    "anchor": "anchor_text",
    "page_title": "page_title",
    "feed_url": "feed_url",
    "guid": "guid",
    "requested_url": "requested_url",
    "page_language": "page_language",
    "page_charset": "page_charset",
}
"""Field of the evidence -> field of the record."""


class RecheckSpider(OwnFrontierSpider):
    """Probes the files of doubtful records again, and replaces those records.

    A record is doubtful if a decision on its texts has a low confidence.

    `Doubts` selects the records. Their URLs are added to a frontier of their own (``recheck/frontier.db``, see
    `OwnFrontierSpider`) and are requested as any media file is, with robots.txt, NeverCrawl, delays and ranges. A page
    in place of a file is not read. An interrupted recheck continues with the same command; after a finished one the
    next begins a new round.

    A record is replaced, under its ``id``, when the new one is stored; a file that is gone or fails leaves its record
    as it is. A user's decisions are carried over, see `keep_user`.

    `takes` has its arguments (``-a name=value``).
    """

    name = "recheck"
    folder = "recheck"
    errors = (ItemsError, RoundError, FrontierError)
    takes = (
        Argument(
            "items",
            "FILE",
            "a catalogue (media.db), in which records are replaced, unless -s MEDIACRAWL_DB= names another one; or a"
            " file of JSON lines, plain or gzip, whose new records are stored in MEDIACRAWL_DB. A bare name is also"
            " searched in the state folder.",
        ),
        Argument(
            "below",
            "NUMBER",
            f"a decision with a confidence below this, 0 to 1, is doubtful; default {BELOW}.",
            lambda text: confidence(text or "0"),
        ),
        Argument("fresh", "1", "delete an interrupted round.", partial(switch, "fresh")),
    )

    def __init__(self, arguments: RecheckArguments, crawler: Crawler, **kwargs: Any) -> None:
        super().__init__(crawler, **kwargs)
        self.arguments = arguments
        self._doubts = Doubts(arguments.below, fixer_of(crawler.settings))
        self._round: Round | None = None
        self._learned = 0
        self._taught = Substitutions.load(self._context.folder / SUBSTITUTIONS_FILE)

    @classmethod
    def from_crawler(cls, crawler: Crawler, items: str = "", below: str = "", fresh: str = "", **kwargs: Any) -> Self:
        """Make it for a crawl; scrapyd's ``_job`` and ``_version`` become attributes.

        Raises:
            ArgumentError: an argument cannot be used, or there is none of its name.
        """
        context = CrawlContext.of(crawler)
        refuse_unknown(kwargs, cls)
        arguments = RecheckArguments.read(context.folder, items, below, fresh)
        _check_contact(crawler.settings, arguments)
        cls.move(context)
        if is_catalogue(arguments.items):
            crawler.settings.set("MEDIACRAWL_DB", str(arguments.items.resolve()), priority="spider")
        spider = cls(arguments, crawler, **kwargs)
        spider._set_crawler(crawler)
        if arguments.fresh or OwnSettings(crawler.settings).get("SCHEDULER_STORE") == "memory":
            spider._delete_old()
        elif not (context.frontier_folder / SQLITE_FILE).exists():
            # The frontier was deleted, so it is unknown whether the last round ended: a new one begins.
            delete_store(context.frontier_folder)
        connect = crawler.signals.connect
        connect(spider._opened, signals.spider_opened)
        connect(spider._item_stored, signals.item_scraped)
        connect(spider._item_lost, signals.item_dropped)
        connect(spider._item_lost, signals.item_error)
        listen_to_visits(crawler, spider._visit_ended)
        connect(spider._closed, signals.spider_closed)
        return spider

    @classmethod
    def check_arguments(cls, arguments: dict[str, str], settings: BaseSettings) -> None:
        """Check before the crawl starts that it can.

        Raises:
            ArgumentError: it cannot start; the message says why and what to do.
        """
        own = cls.own_folder(settings)
        known = {each.name: arguments[each.name] for each in cls.takes if each.name in arguments}
        read = RecheckArguments.read(state_folder(settings), **known)
        _check_contact(settings, read)
        check_nevercrawl(settings)
        check_frontiers(settings, own, fresh=read.fresh or not (own / SQLITE_FILE).exists())

    def _delete_old(self) -> None:
        folder = self._context.frontier_folder
        for path in [*delete_store(folder), *delete_round(folder)]:
            self.logger.info("fresh: deleted %s", path)

    # -- start -----------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        try:
            self._open_media_clocks()
            self._round = Round(self._context.frontier_folder, self._context.clock.now())
        except (FrontierError, RoundError) as error:
            self.logger.critical("%s", error)
            raise CloseSpider("start_error") from error

    @property
    def round(self) -> Round:
        """The round of this recheck; set when the spider opens."""
        assert self._round is not None
        return self._round

    async def start(self) -> AsyncIterator[Any]:
        """Add the URLs of doubtful records to the frontier, in batches: there may be millions of records."""
        with self._stopping():
            if self._is_resumed():
                self.logger.info("Resuming: the doubtful records of %s are known", self.arguments.items)
            else:
                await self._read_items()
        return
        yield  # type: ignore[unreachable]  # Scrapy requires an asynchronous generator

    def _is_resumed(self) -> bool:
        """Whether an earlier run read all items, and the remaining ones wait in the frontier."""
        left, counts = self.round.tally()["waiting"], self.scheduler.frontier.counts()
        return self.round.was_read(str(self.arguments.items.resolve())) and counts.waiting + counts.leased >= left

    async def _read_items(self) -> None:
        items, read, unusable = self.arguments.items, 0, 0
        batch: list[tuple[Spelling, Mapping[str, Any]]] = []
        for record in records(items):
            read += 1
            url = spelling(record["content_url"]) if record else None
            is_doubtful = self._is_doubtful(record) if record and url else None
            if record is None or url is None or is_doubtful is None:
                unusable += 1
            elif is_doubtful:
                batch.append((url, record))
            if read % _BATCH == 0:
                self._queue(batch)
                batch = []
                await asyncio.sleep(0)
        self._queue(batch)
        self.scheduler.frontier.commit()
        self.round.read_up(str(items.resolve()), read)
        if unusable:
            text = "%d lines of %s are no record, have no http(s) URL, or cannot be decided; they are skipped"
            self.logger.warning(text, unusable, items)
        if not self.round.tally():
            self.logger.info("None of the %d records of %s is doubtful, so there is nothing to request", read, items)

    def _is_doubtful(self, record: Mapping[str, Any]) -> bool | None:
        """Whether a record is doubtful; None if that cannot be decided."""
        try:
            return bool(self._doubts.of(record))
        except Exception:
            # One record among millions must not end every run at the same place.
            self.logger.debug("%s cannot be decided", record["content_url"], exc_info=True)
            return None

    def _queue(self, batch: list[tuple[Spelling, Mapping[str, Any]]]) -> None:
        if not batch:
            return
        waiting = self.round.add((url.key, kept(record)) for url, record in batch)
        scores = self._context.scores
        found = [_candidate(url, record, scores) for url, record in batch if url.key in waiting]
        self._add([self._of_round(known) for known in found if self._is_accepted(known)])

    def _is_accepted(self, known: Candidate) -> bool:
        if self._is_left_alone(known.site):
            self.round.end(known.url, "left_alone")
            return False
        reason = self.scope.check(known.url, known.depth)
        if reason is not None:
            self.crawler.stats.inc_value(f"drop/{reason}")
            self.round.end(known.url, str(reason))
        return reason is None

    def _of_round(self, known: Candidate) -> Candidate:
        """The candidate with a URL of this round, so that the frontier accepts it even if an earlier round had it."""
        return replace(known, url=f"{known.url}#{self.round.number}", requested=known.request_url)

    # -- requests and responses ------------------------------------------------------------------------------

    async def parse(self, response: Response, **_: Any) -> list[MediaItem] | None:
        """Read a response; a new record keeps the user's decisions in the old one."""
        response.meta[VISIT].receive(response.status)
        return self._replacements(await self.parsed(response))

    async def range_failed(self, failure: Failure) -> list[MediaItem] | None:
        """Errback of a probe's later ranges."""
        return self._replacements(await super().range_failed(failure))

    def _replacements(self, items: list[MediaItem] | None) -> list[MediaItem] | None:
        for item in items or ():
            with self._stopping():
                old = self.round.record(canonical(item.content_url) or "")
                if old is not None:
                    _replace(old, item)
        return items

    def _item_stored(self, item: Any) -> None:
        record = ItemAdapter(item).asdict()
        url = canonical(str(record.get("content_url")))
        with self._stopping():
            old = self.round.record(url) if url else None
            if url is None or old is None:
                return
            if self.round.end(url, "doubtful" if self._stays_doubtful(old, record) else "sure"):
                self._teach(old, record)

    def _stays_doubtful(self, old: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
        # An incomplete probe does not replace a complete one, see `store.rows.merge`.
        is_poorer = old.get("probe_status") == "complete" != record.get("probe_status")
        return is_poorer or bool(self._doubts.of(record))

    def _teach(self, old: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        found = list(pairs(old, record, self.arguments.below))
        lines = [json.dumps(pair, ensure_ascii=False) for pair in found]
        if not lines:
            return
        for pair in found:
            self._taught.learn(pair["before"], pair["after"], pair["encoding"])
        try:
            with (self._context.folder / PAIRS).open("a", encoding="utf-8", errors="replace") as file:
                file.write("\n".join(lines) + "\n")
            self._learned += len(lines)
        except OSError as error:
            self.logger.warning("%s cannot be written: %s", self._context.folder / PAIRS, error.strerror)

    def _item_lost(self, item: Any) -> None:
        url = canonical(str(ItemAdapter(item).get("content_url")))
        if url is not None:
            with self._stopping():
                self.round.end(url, "not_stored")

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        with self._stopping():
            self._share_visit(visit, outcome)
            end = _end_of(visit, outcome)
            if end:
                self.round.end(visit.lease.key, end)

    # -- end -------------------------------------------------------------------------------------------------

    def _closed(self, reason: str) -> None:
        if self._round is not None:
            try:
                self._report(self._round, reason)
            except RoundError as error:
                self.logger.critical("%s", error)
            self._round.close()
        self._close_media_clocks()

    def _report(self, done: Round, reason: str) -> None:
        tally = done.tally()
        for name, number in tally.items():
            self.crawler.stats.set_value(f"recheck/{name}", number)
        self.crawler.stats.set_value("recheck/pairs", self._learned)
        self.logger.info("%s", report(self.arguments.items.name, done.records, tally))
        if self._learned:
            added = plural(self._learned, "pair")
            self.logger.info("%s of wrong and right text added to %s", added, PAIRS)
            self._taught.save(self._context.folder / SUBSTITUTIONS_FILE)
        counts = self._context.counts()
        if reason == "finished" and not counts.waiting + counts.leased:
            done.over()


def _candidate(url: Spelling, record: Mapping[str, Any], scores: Scores) -> Candidate:
    """The candidate of a record, with the record's provenance as evidence."""
    known = {field: _text(record.get(name)) for field, name in _PROVENANCE.items()}
    known["via"] = known["via"] or "recheck"
    tags = record.get("tags")
    known["facts"] = pack(of_tags(tags)) if isinstance(tags, list) else ""
    return candidate(url, Evidence(**known), scores, Kind.MEDIA, parent=_text(record.get("page_url")))


def _check_contact(settings: BaseSettings, arguments: RecheckArguments) -> None:
    try:
        first = check_items(arguments.items)
    except ItemsError as error:
        raise ArgumentError(str(error)) from error
    check_contact(settings, [str(first["content_url"])] if first else [])


def _replace(old: Mapping[str, Any], item: MediaItem) -> None:
    """Give a new record the id, the first sighting and the user's decisions of the stored one."""
    item.content_url = old["content_url"]
    item.id = item_id(canonical(item.content_url) or item.content_url)
    item.found_at = _text(old.get("found_at")) or item.found_at
    new = {name: getattr(item, name) for name in ("tags", "head_sha256", "head_bytes", *LISTS_WITH_TEXTS)}
    keep_user(old, new)
    for name, value in new.items():
        setattr(item, name, value)


def _end_of(visit: Visit, outcome: Outcome) -> str:
    """The end of a record whose visit gave none, as stored in the round; empty if the visit does not end it."""
    if outcome.end is End.DROPPED:
        return "gone" if visit.fetch.status in _GONE else str(outcome.reason)
    return "moved" if outcome.end is End.DONE and 300 <= visit.fetch.status < 400 else ""


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
