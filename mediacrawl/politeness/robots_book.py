"""What each authority's robots.txt said, how long that counts, and what it means for a URL.

An authority is scheme, host and port (RFC 9309, 2.3): http and https of one name have two files.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum

import msgpack

from mediacrawl.notes import Notes
from mediacrawl.politeness.robots import RobotsRules

CACHED = 10_000
"""Parsed files in memory, some 5 KB each; the others lie in the store as our group's text, 140 bytes at the median."""
CACHED_TEXT = 8_000_000
"""Characters of rules in memory; parsed they take some twenty times that. One file may have half a million."""


class Say(StrEnum):
    """What the book says about a URL."""

    ALLOWED = "allowed"
    DENIED = "denied"
    FETCH = "fetch"
    """The robots.txt is not known or too old: fetch it first."""
    WAIT = "wait"
    """It could not be had; nothing of this authority may be fetched until it can (RFC 9309, 2.3.1.4)."""


@dataclass(frozen=True, slots=True)
class Saying:
    """The book's answer.

    Attributes:
        say: see `Say`.
        rule: the line that decided, for the log.
        url: where to fetch the robots.txt, if that is to be done.
        crawl_delay: seconds between two requests that the authority asks for; None while not known.
        wait: seconds until it is asked for again, if it could not be had.
    """

    say: Say
    rule: str = ""
    url: str = ""
    crawl_delay: float | None = None
    wait: float = 0.0


_ROOM = "robots"
_NEVER = -1.0
_FORMAT = 2


@dataclass(slots=True)
class _Entry:
    """`fetched` and `failed` are times; `_NEVER` says that it did not happen (since the last fetch).

    `failures` counts the fetches that failed in a row.
    """

    rules: RobotsRules
    text: str
    status: int
    fetched: float
    failed: float
    failures: int = 0
    url: str = ""
    hops: int = 0

    def pack(self) -> bytes:
        fields = (_FORMAT, self.text, self.status, self.fetched, self.failed, self.failures, self.url, self.hops)
        packed: bytes = msgpack.packb(fields, unicode_errors="replace")
        return packed


class RobotsBook:
    """The robots.txt of every authority met.

    On disk: one note per authority in the store (msgpack: format, our group's text, status, two dates,
    failures, where it was redirected to). A kill loses records since the last commit; they are fetched again.

    Args:
        token: our product token.
        max_age: seconds a copy counts.
        retry: seconds before a file that could not be had is asked again.
        store: where records outlive the process.
        attempts: how often a file that was never had is asked for; then it counts as a refusal of everything, for as
            long as an answer would.
    """

    MAX_HOPS = 5
    """Redirects of a robots.txt that are followed (RFC 9309, 2.3.1.2)."""

    def __init__(self, token: str, max_age: float, retry: float, store: Notes, attempts: int = 3) -> None:
        self._token = token
        self._max_age = max_age
        self._retry = retry
        self._store = store
        self._attempts = attempts
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._text = 0

    def ask(self, authority: str, url: str, now: float) -> Saying:
        """May `url` of `authority` be fetched now?

        Args:
            authority: ``scheme://host[:port]`` of `url`.
            url: in canonical form.
            now: seconds since the epoch.
        """
        entry = self._entry(authority)
        if entry is None:
            return Saying(Say.FETCH, url=f"{authority}/robots.txt")
        if self._stale(entry, now):
            return Saying(Say.FETCH, url=entry.url or f"{authority}/robots.txt", crawl_delay=_delay(entry))
        if entry.fetched == _NEVER:
            say = Say.DENIED if self._given_up(entry) else Say.WAIT
            rule = f"robots.txt could not be had (status {entry.status})"
            return Saying(say, rule=rule, wait=entry.failed + self._retry - now)
        verdict = entry.rules.allowed(url)
        if verdict:
            return Saying(Say.ALLOWED, crawl_delay=_delay(entry))
        return Saying(Say.DENIED, rule=str(verdict.rule or ""), crawl_delay=_delay(entry))

    def learn(self, authority: str, status: int, body: bytes, now: float) -> float:
        """Take down what came for an authority's robots.txt; answers its Crawl-delay in seconds, 0 if it has none.

        4xx allows everything, except 429, which with 5xx and failures (status 0) forbids everything until it can be
        had. An older copy goes on to count meanwhile (RFC 9309, 2.3.1.3 and 2.3.1.4).
        """
        old = self._entry(authority)
        if 200 <= status < 300 or (400 <= status < 500 and status != 429):
            rules = RobotsRules.parse(body if status < 300 else b"", self._token)
            entry = _Entry(rules, rules.group_text, status, now, _NEVER)
        elif old is not None:
            status = status if old.fetched == _NEVER else old.status
            entry = _Entry(old.rules, old.text, status, old.fetched, now, old.failures + 1)
        else:
            entry = _Entry(RobotsRules.parse(b"", self._token), "", status, _NEVER, now, 1)
        self._keep(authority, entry)
        self._store.set_note(_ROOM, authority, entry.pack())
        return _delay(entry) or 0.0

    def is_ambiguous(self, authority: str) -> bool:
        """Whether its file can be read in two ways, see `RobotsRules.ambiguous_group`."""
        entry = self._entry(authority)
        return entry is not None and entry.rules.ambiguous_group

    def follow(self, authority: str, url: str) -> bool:
        """The robots.txt was redirected to `url`: ask there next. False if that was one hop too many."""
        entry = self._entry(authority) or _Entry(RobotsRules.parse(b"", self._token), "", 0, _NEVER, _NEVER)
        if entry.hops >= self.MAX_HOPS:
            entry.url, entry.hops = "", 0
            return False
        entry.url = url
        entry.hops += 1
        self._keep(authority, entry)
        self._store.set_note(_ROOM, authority, entry.pack())
        return True

    def _stale(self, entry: _Entry, now: float) -> bool:
        if entry.url:
            return True
        # A date in the future shows that the clock was set back; such a copy would count for too long.
        if entry.failed != _NEVER:
            age = self._max_age if self._given_up(entry) else self._retry
            return not entry.failed <= now < entry.failed + age
        return not entry.fetched <= now < entry.fetched + self._max_age

    def _given_up(self, entry: _Entry) -> bool:
        return entry.fetched == _NEVER and entry.failures >= self._attempts

    def _entry(self, authority: str) -> _Entry | None:
        entry = self._entries.get(authority)
        if entry is not None:
            self._entries.move_to_end(authority)
            return entry
        record = self._store.note(_ROOM, authority)
        if record is None:
            return None
        entry = _read(record, self._token)
        if entry is not None:
            self._keep(authority, entry)
        return entry

    def _keep(self, authority: str, entry: _Entry) -> None:
        old = self._entries.pop(authority, None)
        self._entries[authority] = entry
        self._text += len(entry.text) - (len(old.text) if old else 0)
        while len(self._entries) > CACHED or (self._text > CACHED_TEXT and len(self._entries) > 1):
            self._text -= len(self._entries.popitem(last=False)[1].text)


def _delay(entry: _Entry) -> float | None:
    return (entry.rules.crawl_delay or 0.0) if entry.fetched != _NEVER else None


def _read(record: bytes, token: str) -> _Entry | None:
    """The entry of a stored record; None if it cannot be read, so that the file is fetched again."""
    try:
        version, text, status, fetched, failed, failures, url, hops = msgpack.unpackb(record)
        if version != _FORMAT:
            return None
        rules = RobotsRules.parse(text.encode(), token)
        return _Entry(rules, text, int(status), float(fetched), float(failed), int(failures), str(url), int(hops))
    except (ValueError, TypeError, AttributeError, msgpack.UnpackException):
        return None
