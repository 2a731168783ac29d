"""The key from which a crawl takes URLs while it runs: scrapy-redis' ``start_urls``, with nothing lost by a kill.

An entry is a URL, or a JSON object with one and its evidence. Entries are untrusted: scrapy-redis' ``meta``, ``method``
and form data are ignored, and nothing is ever unpickled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import resources
from math import isfinite
from typing import Any

from mediacrawl.base.terms import Evidence, Kind
from mediacrawl.base.text import clean, cut, printable
from mediacrawl.frontier.export import kind_of, read_json

LONGEST = 65_536
"""Bytes of an entry. A URL has 2,048 characters at most; the rest is left for titles."""

LEASE = 60.0
"""Seconds, by Redis's clock, after which any worker takes entries again that have not joined. A thousand URLs join
within a tenth of a second."""

BATCH_BYTES = 1 << 20
"""Bytes of entries taken at a time, one entry aside."""

REFUSED_KEPT = 10_000
"""Refused entries that are kept, the newest."""

_SCRIPTS = resources.files("mediacrawl.frontier.redis").joinpath("lua")

_LONG_TEXT = 200
_LONG_PATH = 120
_LONG_URL = 2_048
_LONG_FACTS = 16_000
_MOST_CLICKS = 1_000_000

_TEXTS = {
    "via": ("via",),
    "anchor": ("anchor", "title"),
    "page_title": ("page_title",),
    "feed_url": ("feed_url",),
    "guid": ("guid",),
    "requested_url": ("requested_url",),
    "page_language": ("page_language",),
    "page_charset": ("page_charset",),
    "facts": ("facts",),
    "path": ("path",),
}
"""Fields of the evidence, and their names in an entry."""
_PARENT = ("parent", "page_url")
_WORKED_OUT = frozenset({"site", "link_class"})
"""Fields of an exported frontier that are derived again."""
_KNOWN = _WORKED_OUT.union({"url", "kind", "depth", "hops", "score", "method"}, _PARENT, *_TEXTS.values())


class FeedError(Exception):
    """Redis is away. The message is one sentence without secrets."""


class FeedKeyError(FeedError):
    """The key is of another type, or forbidden: waiting does not help."""


class Unreadable(StrEnum):
    """Why an entry cannot be read. The stat is ``start_urls/refused/<value>``, as for `base.terms.Drop`."""

    TOO_LONG = "too_long"
    NOT_TEXT = "not_text"
    """Not UTF-8; a pickle, for example."""
    BAD_JSON = "bad_json"
    """Begins as a JSON object, but is not one with a ``url``."""
    METHOD = "method"
    """Asks for another method than GET."""
    FAULT = "fault"
    """Raised an exception in our own code; the log has the traceback."""


@dataclass(frozen=True, slots=True)
class StartUrlEntry:
    """An entry of ``start_urls``.

    Attributes:
        url: as written; a bare domain is enough.
        kind: expected there; None to judge by the extension.
        depth, hops, parent, evidence: as in `base.terms.Candidate`; the parent as written.
        score: 0 to 1, of its class if this URL is its first; None for the rules' score.
        passed_over: names of unknown fields, in their order.
    """

    url: str
    kind: Kind | None = None
    depth: int = 0
    hops: int = 0
    parent: str = ""
    score: float | None = None
    evidence: Evidence = field(default_factory=lambda: Evidence("seed"))
    passed_over: tuple[str, ...] = ()


def read_entry(raw: bytes) -> StartUrlEntry | Unreadable:
    """Read an entry.

    Args:
        raw: a URL or a domain; or a JSON object with ``url`` and, optionally, ``kind``
            (``page`` or ``media``), ``title`` or ``anchor``, ``page_url`` or ``parent``, ``page_title``, ``feed_url``,
            ``guid``, ``via``, ``requested_url``, ``page_language``, ``page_charset``, ``facts`` (see
            `base.facts.pack`), ``path`` (of tags), ``score`` (0 to 1), ``depth``, ``hops``. A line of an
            exported frontier is one.
    """
    if len(raw) > LONGEST:
        return Unreadable.TOO_LONG
    try:
        text = raw.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        return Unreadable.NOT_TEXT
    if "\0" in text:
        return Unreadable.NOT_TEXT
    return _of_json(text) if text.startswith("{") else StartUrlEntry(text)


def _of_json(text: str) -> StartUrlEntry | Unreadable:
    try:
        found = read_json(text)
    except ValueError:
        return Unreadable.BAD_JSON
    if str(found.get("method") or "GET").upper() != "GET":
        return Unreadable.METHOD
    texts = {name: _text(found, names, _longest(name)) for name, names in _TEXTS.items()}
    return StartUrlEntry(
        url=clean(found["url"]).strip(),
        kind=kind_of(found),
        depth=_whole(found.get("depth")),
        hops=_whole(found.get("hops")),
        parent=_text(found, _PARENT, _LONG_URL),
        score=_share(found.get("score")),
        evidence=Evidence(**{**texts, "via": texts["via"] or "seed"}),
        passed_over=tuple(clean(name) for name in found if name not in _KNOWN),
    )


def _text(found: dict[str, Any], names: tuple[str, ...], longest: int) -> str:
    """The first text under one of these names; empty if there is none."""
    texts = (value for name in names if isinstance(value := found.get(name), str) and value)
    return clean(next(texts, ""))[:longest]


def _longest(name: str) -> int:
    if name == "facts":
        # Truncated facts could not be read.
        return _LONG_FACTS
    if name == "path":
        return _LONG_PATH
    return _LONG_URL if "url" in name else _LONG_TEXT


def _whole(value: object) -> int:
    return value if type(value) is int and 0 <= value < _MOST_CLICKS else 0


def _share(value: object) -> float | None:
    if type(value) is int:
        # Clamped before the conversion: a JSON integer may exceed the range of a float.
        return float(min(max(value, 0), 1))
    return min(max(value, 0.0), 1.0) if isinstance(value, float) and isfinite(value) else None


@dataclass(frozen=True, slots=True)
class TakenEntries:
    """The answer of `StartUrls.take`.

    Attributes:
        entries: unread.
        too_long: entries that were refused for their length.
        left: entries that still wait, or are taken by other workers and have not joined yet.
    """

    entries: Sequence[bytes]
    too_long: int = 0
    left: int = 0


class StartUrls:
    """Entries of one key, which is a list (first in, first out), a set, or a sorted set (the highest score first).

    In Redis: other programs fill ``<key>``. ``<key>:taken``, a sorted set, holds the entries that a worker has taken
    and that have not joined, by the deadline after which any worker takes them again. ``<key>:refused``, a list, holds
    the newest 10,000 entries that did not join, each as the reason, a space, and the entry. An entry is always in one
    of the three or joined, whatever is killed; one that joined may be taken again, and is known then.

    Every method waits for Redis; call it in a thread.
    """

    def __init__(self, client: Any, key: str) -> None:
        self.key = key
        self.refused_key = f"{key}:refused"
        self._taken_key = f"{key}:taken"
        self._client = client
        self._take = client.register_script(_SCRIPTS.joinpath("feed_take.lua").read_bytes())
        self._done = client.register_script(_SCRIPTS.joinpath("feed_done.lua").read_bytes())

    def take(self, most: int) -> TakenEntries:
        """Take entries, for `LEASE` seconds.

        Raises:
            FeedError: Redis is away.
            FeedKeyError: the key holds something else.
        """
        keys = [self.key, self._taken_key, self.refused_key]
        limits = [max(most, 1), BATCH_BYTES, LEASE, LONGEST, REFUSED_KEPT]
        left, too_long, entries = _asked(lambda: self._take(keys=keys, args=limits))
        return TakenEntries(entries, too_long, left)

    def settle(self, ends: Iterable[tuple[str, bytes]]) -> None:
        """Remove taken entries whose end is durable. Idempotent.

        Args:
            ends: for each entry the reason of its refusal, empty if it joined, and the entry.

        Raises:
            FeedError: Redis is away. They are taken again after their deadline, if this is not repeated.
        """
        flat = [part for end in ends for part in end]
        _asked(lambda: self._done(keys=[self._taken_key, self.refused_key], args=[REFUSED_KEPT, *flat]))

    def give_back(self, entries: Sequence[bytes]) -> None:
        """Let any worker take them at once.

        Raises:
            FeedError: Redis is away. They are taken again after their deadline.
        """
        if entries:
            _asked(lambda: self._client.zadd(self._taken_key, dict.fromkeys(entries, 0), xx=True))


def _asked(ask: Callable[[], Any]) -> Any:
    import redis  # noqa: PLC0415 - what only reads entries does without it

    from mediacrawl.frontier.redis.errors import is_away  # noqa: PLC0415

    try:
        return ask()
    except (redis.RedisError, OSError) as error:
        kind = FeedError if is_away(error) else FeedKeyError
        raise kind(f"{type(error).__name__}: {cut(printable(str(error)), 200)}") from error
