"""The spider ``recheck``, which probes the files of records with uncertain texts again."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import signals

from mediacrawl.base.facts import of_tags, pack
from mediacrawl.base.format import plural
from mediacrawl.base.sqlite_file import StateFile, StateFileError
from mediacrawl.base.terms import Candidate, End, Evidence, Kind, Outcome
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl.arguments import Argument, ArgumentError, check_contact, confidence, switch
from mediacrawl.crawl.own_settings import OwnSettings, state_folder
from mediacrawl.encoding import Substitutions
from mediacrawl.pipelines.mojibake import fixer_of
from mediacrawl.priority import Scores
from mediacrawl.programs.recheck.locate import (
    Doubts,
    ItemsError,
    check_items,
    is_catalogue,
    keep_user,
    kept,
    locate_items,
    pairs,
    records,
)
from mediacrawl.record import MediaItem
from mediacrawl.scope import Spelling, canonical, spelling
from mediacrawl.scope.candidates import candidate
from mediacrawl.spiders.base import OwnFrontierSpider
from mediacrawl.store import json_line

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure


_PROBED = ("sure", "doubtful")
_TABLES = """
CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS doubtful (url TEXT PRIMARY KEY, record TEXT NOT NULL, came_to TEXT);
"""


class Round(StateFile):
    """The records that one recheck takes.

    **On disk**: ``round.db`` (SQLite), beside the frontier of the recheck, holds the number of the round, which items
    were read to their end, and a row for each record in doubt: its URL, what is needed of the record (JSON), and what
    it came to. It may be deleted while no recheck runs; the next one then begins a new round.

    A kill leaves every row that `add` had answered for. What it can undo is the last ends: those files are requested
    once more. A round that ended is followed by a new one at the next start, which may ask every URL again.

    Raises:
        StateFileError: it cannot be used.
    """

    name = "round.db"
    tables = _TABLES

    def begin(self, now: float) -> None:
        """Begin a new round, if the one before is over."""
        with self._explained():
            if self._fact("over", 1):
                # Two short rounds end within a second, so it is named by milliseconds.
                number = max(self.number + 1, int(now * 1000))
                self._db.execute("BEGIN")
                self._db.execute("DELETE FROM doubtful")
                self._db.execute("DELETE FROM fact")
                self._db.executemany("INSERT INTO fact VALUES (?, ?)", [("number", number), ("over", 0)])
                self._db.execute("COMMIT")

    @property
    def number(self) -> int:
        """Names the round: larger than that of any before, also of those whose file was deleted."""
        return int(self._fact("number", 0))

    def was_read(self, items: str) -> bool:
        """Whether these items were read to their end in this round."""
        return bool(self._fact("items", "") == items)

    def read_up(self, items: str, records: int) -> None:
        """Note that these items were read to their end, and how many records they hold."""
        self._note(items=items, records=records)

    @property
    def records(self) -> int:
        """How many records the items hold, if they were read to their end."""
        return int(self._fact("records", 0))

    def add(self, doubtful: Iterable[tuple[str, Mapping[str, Any]]]) -> set[str]:
        """Keep records in doubt, by the canonical URL that is asked; the first of several with one URL stays.

        Args:
            doubtful: URL, and what is needed of the record (`doubt.kept`).

        Returns:
            The URLs that have come to no end in this round.
        """
        rows = [(url, json_line(dict(record))) for url, record in doubtful]
        with self._explained():
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR IGNORE INTO doubtful (url, record) VALUES (?, ?)", rows)
            self._db.execute("COMMIT")
            waits = "SELECT 1 FROM doubtful WHERE url = ? AND came_to IS NULL"
            return {url for url, _ in rows if self._db.execute(waits, (url,)).fetchone() is not None}

    def record(self, url: str) -> dict[str, Any] | None:
        """What `add` kept of the record of a URL; None if it is none of this round."""
        with self._explained():
            row = self._db.execute("SELECT record FROM doubtful WHERE url = ?", (url,)).fetchone()
        found: dict[str, Any] | None = json.loads(row[0]) if row else None
        return found

    def end(self, url: str, came_to: str) -> bool:
        """Note what a record came to; return whether it had no end before."""
        with self._explained():
            sql = "UPDATE doubtful SET came_to = ? WHERE url = ? AND came_to IS NULL"
            return self._db.execute(sql, (came_to, url)).rowcount > 0

    def tally(self) -> Counter[str]:
        """How many records came to what; ``waiting`` for those that have no end yet."""
        with self._explained():
            rows = self._db.execute("SELECT coalesce(came_to, 'waiting'), count(*) FROM doubtful GROUP BY 1")
            return Counter(dict(rows.fetchall()))

    def over(self) -> None:
        """End the round."""
        self._note(over=1)

    def _fact(self, name: str, default: Any) -> Any:
        with self._explained():
            row = self._db.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return row[0] if row else default

    def _note(self, **facts: str | int) -> None:
        with self._explained():
            self._db.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", facts.items())


def report(name: str, read: int, tally: Mapping[str, int]) -> str:
    """Sum up a round in a sentence or two.

    Args:
        name: of the items.
        read: records in them; 0 while they are not read to their end.
        tally: how many records in doubt came to what, see `Round.tally`.
    """
    count = Counter(tally)
    of = f" of {read:,}" if read else ""
    probed = sum(count[word] for word in _PROBED)
    doubts = f"{name}: {count.total():,}{of} records in doubt"
    told = [f"{doubts}, {probed:,} probed again: {count['sure']:,} now sure, {count['doubtful']:,} still in doubt"]
    others = {word: number for word, number in count.items() if word not in {*_PROBED, "waiting"} and number}
    if others:
        reasons = ", ".join(f"{word} {number:,}" for word, number in sorted(others.items()))
        told.append(f"{sum(others.values()):,} not had, their records stay as they were ({reasons})")
    if count["waiting"]:
        told.append(f"{count['waiting']:,} left for the next run")
    return "; ".join(told)


BELOW = 0.9
"""Confidence, 0 to 1, below which a recheck requests a file again. Of decisions at 0.9 one in ten is wrong."""
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


@dataclass(frozen=True, slots=True)
class RecheckArguments:
    """The arguments of the spider.

    Attributes:
        items: the catalogue, or another file of records.
        below: confidence, 0 to 1, below which a decision is doubtful.
        fresh: delete an interrupted round.
    """

    items: Path
    below: float
    fresh: bool

    @classmethod
    def read(cls, folder: Path, items: str = "", below: str = "", fresh: str = "") -> Self:
        """Read the arguments of the command line.

        Raises:
            ArgumentError: one of them cannot be used.
        """
        if not items.strip():
            raise ArgumentError("say whose records to look at: -a items=media.db, or a file of JSON lines")
        try:
            path = locate_items(items.strip(), folder)
        except ItemsError as error:
            raise ArgumentError(str(error)) from error
        return cls(path, confidence(below) if below else BELOW, switch("fresh", fresh))


class RecheckSpider(OwnFrontierSpider[Round]):
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
    errors = (ItemsError, *OwnFrontierSpider.errors)
    state_file = Round
    renews = True
    arguments: RecheckArguments
    takes = (
        Argument(
            "items",
            "FILE",
            "a catalogue (media.db), in which records are replaced, unless -s MEDIACRAWL_DB= names another one; or a"
            " file of JSON lines, CSV (plain or gzip) or Parquet, whose new records are stored in MEDIACRAWL_DB. A bare"
            " name is also searched in the state folder.",
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
        super().__init__(arguments, crawler, **kwargs)
        self._doubts = Doubts(arguments.below, fixer_of(crawler.settings))
        self._learned = 0
        self._taught = Substitutions.load(self._context.folder / Substitutions.FILE)

    @classmethod
    def from_crawler(cls, crawler: Crawler, **kwargs: Any) -> Self:
        """Make it for a crawl, see `OwnFrontierSpider`; a catalogue is also the one in which records are replaced."""
        spider = super().from_crawler(crawler, **kwargs)
        if is_catalogue(spider.arguments.items):
            crawler.settings.set("MEDIACRAWL_DB", str(spider.arguments.items.resolve()), priority="spider")
        return spider

    @classmethod
    def read_arguments(cls, settings: BaseSettings, **given: str) -> RecheckArguments:
        """Read the arguments of the command line, see `takes`. A frontier in memory begins a new round."""
        arguments = RecheckArguments.read(state_folder(settings), **given)
        try:
            first = check_items(arguments.items)
        except ItemsError as error:
            raise ArgumentError(str(error)) from error
        check_contact(settings, [str(first["content_url"])] if first else [])
        in_memory = OwnSettings(settings).get("SCHEDULER_STORE") == "memory"
        return replace(arguments, fresh=arguments.fresh or in_memory)

    # -- start -----------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.file.begin(self._context.clock.now())
        connect = self.crawler.signals.connect
        connect(self._item_stored, signals.item_scraped)
        connect(self._item_lost, signals.item_dropped)
        connect(self._item_lost, signals.item_error)

    async def _work(self) -> None:
        """Add the URLs of doubtful records to the frontier, in batches: there may be millions of records."""
        left, counts = self.file.tally()["waiting"], self.scheduler.frontier.counts()
        # An earlier run read all items, and the remaining ones wait in the frontier.
        if self.file.was_read(str(self.arguments.items.resolve())) and counts.waiting + counts.leased >= left:
            self.logger.info("Resuming: the doubtful records of %s are known", self.arguments.items)
        else:
            await self._read_items()

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
        self.file.read_up(str(items.resolve()), read)
        if unusable:
            text = "%d lines of %s are no record, have no http(s) URL, or cannot be decided; they are skipped"
            self.logger.warning(text, unusable, items)
        if not self.file.tally():
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
        waiting = self.file.add((url.key, kept(record)) for url, record in batch)
        scores = self._context.scores
        found = [_candidate(url, record, scores) for url, record in batch if url.key in waiting]
        self._add([self._of_round(known) for known in found if self._is_accepted(known)])

    def _is_accepted(self, known: Candidate) -> bool:
        if self._is_left_alone(known.site):
            self.file.end(known.url, "left_alone")
            return False
        reason = self.scope.check(known.url, known.depth)
        if reason is not None:
            self.crawler.stats.inc_value(f"drop/{reason}")
            self.file.end(known.url, str(reason))
        return reason is None

    def _of_round(self, known: Candidate) -> Candidate:
        """The candidate with a URL of this round, so that the frontier accepts it even if an earlier round had it."""
        return replace(known, url=f"{known.url}#{self.file.number}", requested=known.request_url)

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
                old = self.file.record(canonical(item.content_url) or "")
                if old is not None:
                    _replace(old, item)
        return items

    def _item_stored(self, item: Any) -> None:
        record = ItemAdapter(item).asdict()
        url = canonical(str(record.get("content_url")))
        with self._stopping():
            old = self.file.record(url) if url else None
            if url is None or old is None:
                return
            if self.file.end(url, "doubtful" if self._stays_doubtful(old, record) else "sure"):
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
                self.file.end(url, "not_stored")

    def _note_end(self, visit: Visit, outcome: Outcome) -> None:
        """Note the end of a record whose visit gave none, unless the visit does not end it."""
        end = ""
        if outcome.end is End.DROPPED:
            end = "gone" if visit.fetch.status in _GONE else str(outcome.reason)
        elif outcome.end is End.DONE and 300 <= visit.fetch.status < 400:
            end = "moved"
        if end:
            self.file.end(visit.lease.key, end)

    # -- end -------------------------------------------------------------------------------------------------

    def _closed(self, reason: str) -> None:
        if "file" in vars(self):
            try:
                self._report(reason)
            except StateFileError as error:
                self.logger.critical("%s", error)
        super()._closed(reason)

    def _report(self, reason: str) -> None:
        tally = self.file.tally()
        for name, number in tally.items():
            self.crawler.stats.set_value(f"recheck/{name}", number)
        self.crawler.stats.set_value("recheck/pairs", self._learned)
        self.logger.info("%s", report(self.arguments.items.name, self.file.records, tally))
        if self._learned:
            added = plural(self._learned, "pair")
            self.logger.info("%s of wrong and right text added to %s", added, PAIRS)
            self._taught.save(self._context.folder / Substitutions.FILE)
        counts = self._context.counts()
        if reason == "finished" and not counts.waiting + counts.leased:
            self.file.over()


def _candidate(url: Spelling, record: Mapping[str, Any], scores: Scores) -> Candidate:
    """Return the candidate of a record, with the record's provenance as evidence."""
    known = {field: _text(record.get(name)) for field, name in _PROVENANCE.items()}
    known["via"] = known["via"] or "recheck"
    tags = record.get("tags")
    known["facts"] = pack(of_tags(tags)) if isinstance(tags, list) else ""
    return candidate(url, Evidence(**known), scores, Kind.MEDIA, parent=_text(record.get("page_url")))


def _replace(old: Mapping[str, Any], item: MediaItem) -> None:
    """Give a new record the id, the first sighting and the user's decisions of the stored one."""
    item.content_url = old["content_url"]
    item.id = MediaItem.id_of(canonical(item.content_url) or item.content_url)
    item.found_at = _text(old.get("found_at")) or item.found_at
    new = {name: getattr(item, name) for name in ("tags", "head_sha256", "head_bytes", *MediaItem.LISTS_WITH_TEXTS)}
    keep_user(old, new)
    for name, value in new.items():
        setattr(item, name, value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
