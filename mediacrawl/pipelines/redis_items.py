"""Appends each item to a Redis list as a line of JSON, as scrapy-redis' pipeline does."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import run_in_thread, sleep
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred

from mediacrawl.base.text import cut, printable
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.connection import Client, ConnectionSettingError, connect, hidden, key_of, redis_url
from mediacrawl.crawl.housekeeping import refuse_start
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.store import StoreError, json_line

logger = logging.getLogger(__name__)

PAUSE = 1.0
"""Seconds between two attempts while Redis is away."""

LAST_TRIES = 3
"""Attempts once the crawl is closing."""

AT_ONCE = 500
"""Items in one command."""


@dataclass(slots=True)
class _PendingItem:
    """An item that is being stored: its line, and a Deferred that fires when Redis has it."""

    line: bytes
    stored: Deferred[None] = field(default_factory=Deferred)


@dataclass(frozen=True, slots=True)
class _PushError:
    """Why Redis has not stored items, and whether that passes by itself."""

    words: str
    passes: bool


class RedisItemsPipeline:
    """Adds items to the end of a Redis list and passes them on unchanged. Works alone in any Scrapy project.

    The settings are scrapy-redis': ``REDIS_URL`` and its like, ``REDIS_ITEMS_KEY`` (``%(spider)s:items``), and
    ``REDIS_ITEMS_SERIALIZER``, the path of a function that makes text or bytes of an item. Without one an item is one
    JSON object in UTF-8, as in a line of ``-o items.jl``: ``redis-cli lrange media:items 0 0`` shows it, and ``scrapy
    demojibake 'redis://HOST/0?key=media:items'`` reads it.

    An item is in Redis when `process_item` returns, as durable as Redis' ``appendfsync`` makes it. While Redis is away
    items wait, and so do their visits: nothing is dropped, nothing is finished. After a lost answer the items of that
    command are in the list twice. The reactor never waits: a thread sends one command at a time, with all pending
    items.

    Stats: ``redis_items/stored``, ``redis_items/error`` (not stored, since the crawl was closing).
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._settings = crawler.settings
        self._client: Client = None
        self._serialize: Callable[[Any], str | bytes] = _as_json
        self._key = ""
        self._waiting: list[_PendingItem] = []
        self._sending = False
        self._away = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        return cls(crawler)

    def open_spider(self) -> Coroutine[Any, Any, None] | None:
        """Read the settings; a crawl that cannot store its items does not begin."""
        assert self._crawler.spider is not None
        own = OwnSettings(self._settings)
        try:
            self._key = key_of(own.getstr("REDIS_ITEMS_KEY"), self._crawler.spider.name)
            self._client = connect(self._settings)
            self._serialize = _serializer(own.get("REDIS_ITEMS_SERIALIZER"))
        except ConnectionSettingError as error:
            logger.critical("%s", error)
            return refuse_start("redis_error")
        logger.info("Items go to %s at %s", self._key, self._where)
        return None

    async def process_item(self, item: Any) -> Any:
        """Store the item.

        Raises:
            StoreError: Redis was away, and the crawl is closing; or the key is no list, or forbidden, and the crawl
                ends (with our scheduler the file is requested again by the next one). The whole item is in the log.
        """
        line = self._serialize(item)
        waiting = _PendingItem(line.encode() if isinstance(line, str) else bytes(line))
        self._waiting.append(waiting)
        if not self._sending:
            self._sending = True
            deferred_from_coro(self._send_all())
        await maybe_deferred_to_future(waiting.stored)
        return item

    def close_spider(self) -> None:
        """Close the connection. The engine has waited for all items."""
        if self._client is not None:
            self._client.close()

    @property
    def _where(self) -> str:
        return hidden(redis_url(self._settings) or "redis://localhost:6379/0")

    async def _send_all(self) -> None:
        """Send until no item is pending. Runs once at a time."""
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:AT_ONCE], self._waiting[AT_ONCE:]
                try:
                    await self._send(batch)
                except Exception as error:  # noqa: BLE001 - another project's client may raise anything
                    self._give_up(batch, repr(error))
        finally:
            self._sending = False

    async def _send(self, batch: list[_PendingItem]) -> None:
        lines = [waiting.line for waiting in batch]
        failed = 0
        while error := await run_in_thread(self._push, lines):
            if not error.passes:
                self._give_up(batch, error.words)
                return
            if not self._away:
                self._away = True
                logger.error(
                    "Items wait, since %s at %s cannot be written: %s; tried again", self._key, self._where, error.words
                )
            failed += scrapy_internals.is_closing(self._crawler.engine)
            if failed >= LAST_TRIES:
                self._give_up(batch, error.words)
                return
            await sleep(PAUSE)
        if self._away:
            self._away = False
            logger.info("Items go to %s again", self._key)
        self._crawler.stats.inc_value("redis_items/stored", len(batch))
        for waiting in batch:
            waiting.stored.callback(None)

    def _push(self, lines: list[bytes]) -> _PushError | None:
        """Append lines to the list, in a thread; answers the error, if there is one."""
        import redis  # noqa: PLC0415 - installed where this runs, and not needed elsewhere

        from mediacrawl.frontier.redis.errors import is_away  # noqa: PLC0415

        try:
            self._client.rpush(self._key, *lines)
        except (redis.RedisError, OSError) as error:
            words = f"{type(error).__name__}: {cut(printable(str(error)), 200)}"
            if str(error).startswith("WRONGTYPE"):
                words = f"it is a {self._kind()} and not a list: rename or delete that key, or name another one in"
                words += " REDIS_ITEMS_KEY, and start the crawl again"
            return _PushError(words, passes=is_away(error))
        return None

    def _kind(self) -> str:
        kind = self._client.type(self._key)
        return kind.decode() if isinstance(kind, bytes) else str(kind)

    def _give_up(self, batch: list[_PendingItem], error: str) -> None:
        for waiting in batch:
            self._crawler.stats.inc_value("redis_items/error")
            line = waiting.line.decode("utf-8", "backslashreplace")
            logger.critical("This item is not stored in %s, keep it from here: %s", self._key, line)
            waiting.stored.errback(StoreError(f"{self._key} at {self._where} cannot be written: {error}"))


def _as_json(item: Any) -> str:
    return json_line(ItemAdapter(item).asdict())


def _serializer(path: Any) -> Callable[[Any], str | bytes]:
    if not path:
        return _as_json
    try:
        found: Callable[[Any], str | bytes] = load_object(path)
    except (ImportError, NameError, ValueError, TypeError) as error:
        raise ConnectionSettingError(f"REDIS_ITEMS_SERIALIZER = {path!r} cannot be loaded: {error}") from error
    return found
