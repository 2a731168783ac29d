"""The item pipeline that gives each item the text that its bytes really say."""

from __future__ import annotations

import logging
from collections.abc import Coroutine, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.statscollectors import StatsCollector
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredLock

from mediacrawl.base.files import HeldFolder
from mediacrawl.base.setting_types import fields_setting
from mediacrawl.crawl.failures import LocalFaultError, fault_here
from mediacrawl.crawl.housekeeping import refuse_start
from mediacrawl.crawl.own_settings import OwnSettings, models_of, state_folder
from mediacrawl.crawl.threads import in_thread
from mediacrawl.encoding import History, ModelError, Substitutions, use_models
from mediacrawl.record import Fixer, FixResult, MediaItem

logger = logging.getLogger(__name__)

HISTORY_FILE = "encodings.json"
_SAVE_EVERY = 1000
"""Items between two saves of what was learned: some 50 ms of work for 10,000 hosts."""


_BATCH = 32
"""Items that one call of the thread decides. The answer of a thread takes a turn of the reactor, and the site of an
item waits for it: one at a time, a crawl with delays of 0.4 s found 78 % of what its order finds in process, with 32 at
a time 95 %."""


@dataclass(slots=True, eq=False)
class _Entry:
    """An item that waits for its turn, and what was decided."""

    item: Any
    fixed: FixResult | None = None


class MojibakePipeline:
    """Corrects the text of items and passes them on: ours, dicts, dataclasses, ``scrapy.Item``, attrs, pydantic.

    Put it before whatever stores items. Works in any project; what it looks at is told by ``MOJIBAKE_FIELDS``, how
    sure it must be by ``MOJIBAKE_MIN_CONFIDENCE``, models of your own languages by ``MOJIBAKE_MODELS``; what it does is
    `record.fixer.Fixer`'s. An item that it cannot handle passes untouched.

    Our records hold the texts of strangers' files, as many as those like: they are decided in a thread, one after the
    other, in the order in which they came, while the reactor continues. An item is decided when what `process_item`
    returns is done, and only then the next pipeline gets it. Items of other classes may be shared with the spider that
    yields them, so they are decided at once, in the reactor's thread. For the most that is decided of one item see
    `record.fixer.MOST_FIELDS`.

    What it learns of hosts and folders is kept in ``encodings.json`` in the state folder, see `encoding.History`; a
    kill loses what the last 1000 items taught. What rechecks learned of damaged texts is read from
    ``substitutions.json`` there, see `encoding.Substitutions`.

    Stats: ``mojibake/fields`` (texts that are not plain ASCII), of these ``mojibake/fixed``, ``mojibake/undecided``,
    ``mojibake/lossy``, and ``mojibake/encoding/<name>`` by the encoding they were read with; ``mojibake/left`` counts
    texts that are not decided because their record has too many, ``mojibake/error`` damaged elements of ``tags`` and
    items that refused their text. ``mojibake/native`` is 1 with the C extension, else 0.
    """

    def __init__(self, settings: BaseSettings, stats: StatsCollector) -> None:
        self._settings = settings
        self._stats = stats
        self._path = state_folder(settings) / HISTORY_FILE
        self._history: History | None = None
        self._held: HeldFolder | None = None
        self._fixer: Fixer | None = None
        self._items = 0
        self._refusing: set[type] = set()
        self._turn = DeferredLock()
        self._waiting: list[_Entry] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings."""
        assert crawler.stats is not None
        return cls(crawler.settings, crawler.stats)

    def open_spider(self) -> Coroutine[Any, Any, None] | None:
        """Load the models, and what earlier crawls learned."""
        history = History.load(self._path)
        try:
            self._fixer = fixer_of(self._settings, history)
        except ValueError as error:
            logger.critical("%s", error)
            return refuse_start("mojibake_error")
        self._history = history
        self._held = HeldFolder(self._path.parent)
        self._stats.set_value("mojibake/native", int(use_models(models_of(self._settings), check_only=True).is_native))
        return None

    def process_item(self, item: Any) -> Any:
        """Correct the item in place and give it back; of a record of ours, what gives it when it is awaited."""
        if not ItemAdapter.is_item(item):
            return item
        # Only one thread at a time has what was learned of hosts.
        if isinstance(item, MediaItem) or self._turn.locked:
            return self._in_turn(item)
        self._count(self._fix(item))
        return item

    async def _in_turn(self, item: Any) -> Any:
        entry = _Entry(item)
        self._waiting.append(entry)
        try:
            await maybe_deferred_to_future(self._turn.acquire())
        except BaseException:
            self._waiting.remove(entry)
            raise
        try:
            if entry.fixed is None:
                # Of those that wait this one came first, since turns come in order.
                await in_thread(self._fix_all, self._waiting[:_BATCH])
        finally:
            self._waiting = [each for each in self._waiting if each is not entry and each.fixed is None]
            self._turn.release()
        assert entry.fixed is not None
        self._count(entry.fixed)
        return item

    def _fix_all(self, entries: Sequence[_Entry]) -> None:
        for entry in entries:
            entry.fixed = self._fix(entry.item)

    def _fix(self, item: Any) -> FixResult:
        assert self._fixer is not None
        mapping: MutableMapping[str, Any] = item if isinstance(item, dict) else ItemAdapter(item)
        try:
            fixed = self._fixer.fix(mapping)
        except Exception as error:
            fault = fault_here(error)
            if fault is not None and isinstance(item, MediaItem):
                # Its file is read again, so that no record is stored with the text of a machine without files.
                raise LocalFaultError.of(fault) from error
            self._tell(type(item), error)
            return FixResult(errors=1)
        self._items += 1
        if self._items % _SAVE_EVERY == 0:
            self._save()
        return fixed

    def close_spider(self) -> None:
        """Keep what was learned."""
        if self._items:
            self._save()

    def _tell(self, kind: type, error: Exception) -> None:
        if kind not in self._refusing:
            self._refusing.add(kind)
            logger.warning("Items of the class %s refuse corrected text and pass as they are: %r", kind.__name__, error)

    def _save(self) -> None:
        if self._history and self._held is not None and self._held.is_in_place:
            self._history.save(self._path)

    def _count(self, fixed: FixResult) -> None:
        if fixed.errors:
            self._stats.inc_value("mojibake/error", fixed.errors)
        if fixed.left:
            self._stats.inc_value("mojibake/left", fixed.left)
        if not fixed.decided:
            return
        self._stats.inc_value("mojibake/fields", len(fixed.decided))
        for decision in fixed.decided:
            if decision.decision in {"fixed", "undecided"}:
                self._stats.inc_value(f"mojibake/{decision.decision}")
            if decision.lossy:
                self._stats.inc_value("mojibake/lossy")
        for encoding, count in fixed.encodings.items():
            self._stats.inc_value(f"mojibake/encoding/{encoding}", count)


def fixer_of(settings: BaseSettings, history: History | None = None) -> Fixer:
    """The fixer that the settings ask for. From now on the process decides with their models, and with no other's.

    It knows what rechecks learned of damaged texts, if that is in the state folder.

    Raises:
        ValueError: one of them cannot be used; the message is a sentence.
    """
    fields, least = use_settings(settings)
    learned = Substitutions.load(state_folder(settings) / Substitutions.FILE)
    return Fixer(fields, min_confidence=least, history=history, substitutions=learned)


def use_settings(settings: BaseSettings) -> tuple[Sequence[str] | Mapping[str, str] | None, float]:
    """Load the models of the settings; give their fields and the least confidence, see `Fixer`.

    Raises:
        ValueError: one of them cannot be used; the message is a sentence.
    """
    fields = fields_setting(OwnSettings(settings).get("MOJIBAKE_FIELDS"))
    try:
        use_models(models_of(settings))
    except ModelError as error:
        raise ValueError(f"{error} (setting MOJIBAKE_MODELS)") from error
    return fields, OwnSettings(settings).getfloat("MOJIBAKE_MIN_CONFIDENCE")
