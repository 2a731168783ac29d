"""The robots.txt of every authority: cached rules, their age, failures and redirects, and how these are stored.

An authority is scheme, host and port (RFC 9309, 2.3): http and https of one name have two files.
"""

from __future__ import annotations

import zlib
from dataclasses import astuple, dataclass, replace
from enum import StrEnum
from typing import Any
from zlib import crc32

import msgpack

from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.notes import Notes
from mediacrawl.politeness.caching import usable_validator
from mediacrawl.politeness.robots import RobotsRules

MOST_KEPT = 64 * 1024
"""Bytes of a note. Half a megabyte of real rules compresses to less."""

_FORMAT = 3
_PACKED_FROM = 150
"""Characters from which on compression saves more than it adds."""
_MOST_TEXT = 2 * 1024 * 1024
"""Characters of a decompressed text; 500 KiB with every octet escaped are less."""


@dataclass(frozen=True, slots=True)
class RobotsCopy:
    """A robots.txt as fetched last.

    Attributes:
        text: our group alone, see `RobotsRules.group_text`; None if it is too long to be stored.
        status: of the response; anything but 2xx has no rules.
        fetched: when it was fetched or last confirmed by 304, seconds since the epoch.
        life: seconds that it counts from then.
        etag, modified: the headers ETag and Last-Modified; may be empty.
        source: the URL that they belong to, after redirects; empty for the authority's own.
    """

    text: str | None
    status: int
    fetched: float
    life: float
    etag: str = ""
    modified: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class FetchFailures:
    """Failed fetches in a row.

    Attributes:
        first, last: when the first and the last one ended, seconds since the epoch.
        times: their number.
        status: of the last response; 0 without one.
        cut: checksum of the last body, if it broke off; otherwise 0.
    """

    first: float
    last: float
    times: int = 1
    status: int = 0
    cut: int = 0


@dataclass(frozen=True, slots=True)
class RobotsRedirect:
    """A redirect of a robots.txt that is being followed.

    Attributes:
        url: its target.
        hops: redirects so far.
        since: when the last of them was met, seconds since the epoch.
        carrier: URL of the lease on the target's own site that fetches it; empty while it is fetched from the
            authority's site.
    """

    url: str
    hops: int
    since: float
    carrier: str = ""


@dataclass(frozen=True, slots=True)
class RobotsNote:
    """The state of one authority's robots.txt. Each part may be None."""

    copy: RobotsCopy | None = None
    failing: FetchFailures | None = None
    way: RobotsRedirect | None = None


def pack(note: RobotsNote) -> bytes:
    """Encode a note: msgpack, a long text in it as zlib; at most some 64 KiB.

    A copy whose text does not fit is stored without it, and fetched again when it has left the memory.
    """
    text: str | bytes | None = note.copy.text if note.copy else None
    if isinstance(text, str) and len(text) >= _PACKED_FROM:
        text = zlib.compress(text.encode("ascii", "replace"))
    record = _pack(note, text)
    return record if len(record) <= MOST_KEPT or note.copy is None else _pack(note, None)


def unpack(record: bytes) -> RobotsNote | None:
    """Decode a note; None if it is invalid or of an older version: then the file is fetched again."""
    try:
        version, copy, failing, way = msgpack.unpackb(record)
        if version != _FORMAT:
            return None
        note = RobotsNote(copy=_copy(*copy) if copy else None)
        if failing:
            # Older notes have no checksum.
            first, last, *numbers = failing
            note = replace(note, failing=FetchFailures(float(first), float(last), *map(_whole, numbers)))
        if way:
            url, hops, since, carrier = way
            note = replace(note, way=RobotsRedirect(str(url), _whole(hops), float(since), str(carrier)))
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException, zlib.error):
        return None
    return note


def _pack(note: RobotsNote, text: str | bytes | None) -> bytes:
    copy = (text, *astuple(note.copy)[1:]) if note.copy else None
    failing = astuple(note.failing) if note.failing else None
    way = astuple(note.way) if note.way else None
    packed: bytes = msgpack.packb((_FORMAT, copy, failing, way), unicode_errors="replace")
    return packed


def _copy(text: Any, status: Any, fetched: Any, life: Any, *more: Any) -> RobotsCopy:
    if isinstance(text, bytes):
        text = zlib.decompressobj().decompress(text, _MOST_TEXT).decode("ascii")
    etag, modified, source = map(str, more)
    return RobotsCopy(
        None if text is None else str(text),
        _whole(status),
        float(fetched),
        float(life),
        usable_validator(etag),
        usable_validator(modified),
        source,
    )


def _whole(value: Any) -> int:
    """Return a number that msgpack can encode.

    Raises:
        OverflowError: it has too many bits.
    """
    number = int(value)
    if number.bit_length() > 63:
        raise OverflowError
    return number


READ = 1_000
"""Files in memory parsed, some 11 KB each."""
READ_TEXT = 1_000_000
"""Characters of rules in memory parsed, which take some fifteen times that. One file may have half a million."""
HELD = 50_000
"""Files in memory as stored, 600 bytes each; others are read from the store."""
HELD_BYTES = 16 * 1024 * 1024
"""Bytes of these together."""


class RobotsAction(StrEnum):
    """What to do with a URL."""

    ALLOWED = "allowed"
    DENIED = "denied"
    FETCH = "fetch"
    """The robots.txt is unknown or too old: fetch it first."""
    WAIT = "wait"
    """It is unreachable, or on its way; until then nothing of its authority is fetched (RFC 9309, 2.3.1.4)."""


@dataclass(frozen=True, slots=True)
class RobotsDecision:
    """The answer for a URL.

    Attributes:
        say: what to do.
        rule: the line that decided, for the log.
        url: of the robots.txt to fetch.
        etag, modified: for If-None-Match and If-Modified-Since of that request, if not empty.
        crawl_delay: Crawl-delay of the authority in seconds; None if unknown.
        wait: seconds until the next question, for `RobotsAction.WAIT`.
        given_up: whether it has failed more often than `RobotsTimes.retries`.
    """

    say: RobotsAction
    rule: str = ""
    url: str = ""
    etag: str = ""
    modified: str = ""
    crawl_delay: float | None = None
    wait: float = 0.0
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """The response to a request for a robots.txt.

    Attributes:
        status: HTTP status; 0 without a valid response.
        body: as received.
        url: the requested URL.
        etag, modified: the headers ETag and Last-Modified; may be empty.
        life: seconds of freshness, see `caching.lifetime`; None if the server does not say.
        conditional: whether the request had a condition, so that 304 is meaningful.
        broke_off: whether the body ended before its announced end.
    """

    status: int
    body: bytes = b""
    url: str = ""
    etag: str = ""
    modified: str = ""
    life: float | None = None
    conditional: bool = False
    broke_off: bool = False


@dataclass(frozen=True, slots=True)
class RobotsUpdate:
    """The effect of a response.

    Attributes:
        known: whether it says what may be fetched; False for a failure.
        crawl_delay: Crawl-delay of the authority in seconds, 0 without one, None if unknown. After a failure that of
            the older copy.
        ambiguous: see `RobotsRules.ambiguous_group`.
        sitemaps: the sitemaps in the file.
        kept: the rules of an older copy that stay in force, as a robots.txt; empty if there is none.
    """

    known: bool
    crawl_delay: float | None = None
    ambiguous: bool = False
    sitemaps: tuple[str, ...] = ()
    kept: str = ""


@dataclass(frozen=True, slots=True)
class RobotsTimes:
    """Times in seconds.

    Attributes:
        max_age: the longest life of a copy (RFC 9309, 2.4: a day).
        min_age: the shortest.
        retry: from the first failure of a row to the next fetch; doubled with each further one, up to `max_age`.
        give_up: from the first failure of a row until the authority is given up, if the file was never fetched.
        retries: further fetches, a number, for which only the delay of the site is waited for.
    """

    max_age: float = 86_400.0
    min_age: float = 3_600.0
    retry: float = 300.0
    give_up: float = 30 * 86_400.0
    retries: float = 0

    def life(self, said: float | None) -> float:
        """Return the life of a copy. The server may shorten the maximum, not lengthen it (RFC 9309, 2.4)."""
        return self.max_age if said is None else min(max(said, self.min_age), self.max_age)

    def pause(self, failures: int) -> float:
        """From the last of so many failures in a row to the next fetch."""
        return min(self.retry * 2.0 ** min(failures - 1, 60), self.max_age)

    def is_hopeless(self, row: FetchFailures) -> bool:
        """Whether an authority whose file was never fetched is given up."""
        return row.times >= LEAST_TRIES and row.last - row.first >= self.give_up


_DAY = 86_400.0
"""Seconds that a copy may count for a slow site at most (RFC 9309, 2.4)."""

LEAST_TRIES = 5
"""Failures in a row before an authority is given up; while no crawl runs, nothing is tried."""

LOOK = 60.0
"""Seconds after which URLs that wait for a redirected robots.txt ask again."""


@dataclass(slots=True)
class _Cached:
    """A note with its parsed rules, and as stored; without a known copy there are no rules."""

    note: RobotsNote
    rules: RobotsRules | None
    record: bytes = b""


class RobotsBook:
    """The robots.txt of every authority.

    On disk: one note per authority in the store (`pack`). A kill loses notes since the last commit; those
    files are fetched again. In memory: the notes used last, and of fewer of them the parsed rules.
    """

    MAX_HOPS = 10
    """Redirects that are followed. RFC 9309, 2.3.1.2 asks for five, and lets a crawler take a file beyond that as
    absent, which allows everything. We follow five more, and then take it as unreachable, which allows nothing."""

    def __init__(self, token: str, times: RobotsTimes, store: Notes) -> None:
        self._token = token
        self._times = times
        self._store = store
        self._is_shared = store.shared
        self._read: LastUsed[_Cached] = LastUsed(READ, READ_TEXT)
        self._held: LastUsed[bytes] = LastUsed(HELD, HELD_BYTES)

    # -- asking ----------------------------------------------------------------------------------------------

    def ask(self, authority: str, url: str, now: float, *, owed: float = 0.0) -> RobotsDecision:
        """Decide whether a canonical URL may be fetched now; `owed` is the delay before its visit in seconds."""
        entry = self._entry(authority)
        if entry is None:
            return RobotsDecision(RobotsAction.FETCH, url=own_url(authority))
        if entry.note.way is not None:
            under_way = self._under_way(authority, entry, entry.note.way, now)
            if under_way is not None:
                return under_way
            entry = self._entry(authority) or entry
        note, times = entry.note, self._times
        last, age = _last(note, times)
        if entry.rules is not None:
            age = robots_age(age, entry.rules.crawl_delay, owed)
        # With a date in the future, after the clock was set back, the copy would count for too long.
        if not last <= now < last + age:
            return _fetch(entry, authority)
        if entry.rules is not None:
            verdict = entry.rules.allowed(url)
            say = RobotsAction.ALLOWED if verdict.allowed else RobotsAction.DENIED
            return RobotsDecision(say, rule=verdict.rule, crawl_delay=entry.rules.crawl_delay or 0.0)
        row = note.failing or FetchFailures(last, last)
        rule = f"robots.txt could not be had (status {row.status}, {row.times} times)"
        say = RobotsAction.DENIED if times.is_hopeless(row) else RobotsAction.WAIT
        return RobotsDecision(say, rule=rule, wait=last + age - now, given_up=row.times > times.retries)

    def _under_way(self, authority: str, entry: _Cached, way: RobotsRedirect, now: float) -> RobotsDecision | None:
        """Return the decision while redirects are followed; None if they lead nowhere any more."""
        row = entry.note.failing
        # On the same site one lease follows all redirects; only another site may never answer.
        patience = self._times.pause(row.times + 1 if row else 1) if way.carrier else self._times.max_age
        left = way.since + patience - now
        if row is not None and row.last >= way.since:
            # It did not arrive in time, which was counted as a failure. It may still arrive.
            return None
        if left > 0 and way.since <= now:
            if not way.carrier:
                return _fetch(entry, authority, way.url)
            return RobotsDecision(
                RobotsAction.WAIT, rule=f"robots.txt is redirected to {way.url}", wait=min(left, LOOK)
            )
        if way.carrier:
            self._fail(authority, entry, 0, now, way=way)
        else:
            self._keep(authority, _Cached(replace(entry.note, way=None), entry.rules))
        return None

    # -- learning --------------------------------------------------------------------------------------------

    def learn(self, authority: str, answer: RobotsAnswer, now: float) -> RobotsUpdate:
        """Record the response for an authority's robots.txt, wherever redirects led.

        4xx allows everything, except 429, which with 5xx and failures forbids everything until the file can be
        fetched. An older copy stays in force meanwhile (RFC 9309, 2.3.1.3 and 2.3.1.4), and after 304. A file that
        broke off counts as unreachable, since the missing part may contain rules. If the next fetch gives the same
        bytes again, they are the whole file: its server ends responses wrongly.
        """
        old = self._entry(authority)
        status, cut = answer.status, 0
        if answer.broke_off and 200 <= status < 300:
            cut = crc32(answer.body) if answer.body else 0
            row = old.note.failing if old is not None else None
            status = status if cut and row is not None and row.cut == cut else 0
        if status == 304 and answer.conditional and old is not None and old.note.copy is not None:
            copy = replace(old.note.copy, fetched=now, life=self._times.life(answer.life))
            self._keep(authority, _Cached(RobotsNote(copy), old.rules))
            return RobotsUpdate(True, _delay(old.rules), kept=_kept(old.note))
        if not (200 <= status < 300 or (400 <= status < 500 and status != 429)):
            rules = self._fail(authority, old, status, now, cut=cut)
            return RobotsUpdate(False, _delay(rules), kept=_kept(old.note) if old is not None else "")
        return self._take(authority, answer, now)

    def _take(self, authority: str, answer: RobotsAnswer, now: float) -> RobotsUpdate:
        found = answer.status < 300
        rules = RobotsRules.parse(answer.body if found else b"", self._token)
        copy = RobotsCopy(
            text=rules.group_text,
            status=answer.status,
            fetched=now,
            life=self._times.life(answer.life),
            etag=usable_validator(answer.etag) if found else "",
            modified=usable_validator(answer.modified) if found else "",
            source=answer.url if answer.url != own_url(authority) else "",
        )
        learned = RobotsUpdate(True, _delay(rules), rules.ambiguous_group, tuple(rules.sitemaps))
        # They may be longer than the rules, and are not needed any more.
        rules.sitemaps = []
        self._keep(authority, _Cached(RobotsNote(copy), rules))
        return learned

    def _fail(
        self,
        authority: str,
        old: _Cached | None,
        status: int,
        now: float,
        *,
        way: RobotsRedirect | None = None,
        cut: int = 0,
    ) -> RobotsRules | None:
        """Record a failure; returns the rules that stay in force."""
        note = old.note if old is not None else RobotsNote()
        row = note.failing
        if row is None or not row.last <= now:
            failing = FetchFailures(now, now, 1, status, cut)
        else:
            failing = FetchFailures(row.first, now, row.times + 1, status, cut)
        rules = old.rules if old is not None else None
        self._keep(authority, _Cached(RobotsNote(note.copy, failing, way), rules))
        return rules

    def is_failing(self, authority: str) -> bool:
        """Whether the last fetch failed."""
        entry = self._entry(authority)
        return entry is not None and entry.note.failing is not None

    # -- redirects -------------------------------------------------------------------------------------------

    def follow(self, authority: str, url: str, now: float, *, by: str = "", onto: str = "") -> bool:
        """Follow a redirect of a robots.txt. False if it was one too many.

        `by` is the URL of the lease that met the redirect, and `onto` that of the lease that fetches the
        target; each is empty if that is a visit of the authority's own site.
        """
        entry = self._entry(authority) or _Cached(RobotsNote(), None)
        way = entry.note.way
        hops = way.hops + 1 if way is not None and way.carrier == by else 1
        if hops > self.MAX_HOPS:
            return False
        self._keep(authority, _Cached(replace(entry.note, way=RobotsRedirect(url, hops, now, onto)), entry.rules))
        return True

    def carried(self, authority: str, carrier: str) -> RobotsDecision | None:
        """Return what a lease that follows a redirect has to fetch; None if that redirect is no longer followed."""
        entry = self._entry(authority)
        if entry is None or entry.note.way is None or entry.note.way.carrier != carrier:
            return None
        return _fetch(entry, authority, entry.note.way.url)

    def condition(self, authority: str, url: str) -> RobotsDecision:
        """Return the request for `url`, if that is where the authority's robots.txt is."""
        entry = self._entry(authority)
        return RobotsDecision(RobotsAction.FETCH, url=url) if entry is None else _fetch(entry, authority, url)

    # -- memory and store ------------------------------------------------------------------------------------

    def _entry(self, authority: str) -> _Cached | None:
        entry = self._read.get(authority)
        if self._is_shared:
            # Another process may have written it.
            record = self._store.note(_NAMESPACE, authority)
            if entry is not None and record == entry.record:
                return entry
        elif entry is not None:
            return entry
        else:
            record = self._held.get(authority) or self._store.note(_NAMESPACE, authority)
        note = unpack(record) if record is not None else None
        if record is None or note is None:
            return None
        entry = _Cached(note, self._rules(note.copy), record)
        if not self._is_shared:
            self._held.put(authority, record, len(record))
        self._read.put(authority, entry, _weight(note))
        return entry

    def _rules(self, copy: RobotsCopy | None) -> RobotsRules | None:
        if copy is None or copy.text is None:
            return None
        return RobotsRules.parse(copy.text.encode(), self._token, most=len(copy.text))

    def _keep(self, authority: str, entry: _Cached) -> None:
        record = entry.record = pack(entry.note)
        self._read.put(authority, entry, _weight(entry.note))
        if not self._is_shared:
            self._held.put(authority, record, len(record))
        self._store.set_note(_NAMESPACE, authority, record)


_NAMESPACE = "robots"


def robots_age(life: float, crawl_delay: float | None, owed: float) -> float:
    """Return the seconds for which a robots.txt counts.

    A copy counts for at least one visit after the one that fetched it, or a site with long delays would only be
    asked for its robots.txt. `owed` is the delay before this visit, in seconds.
    """
    return max(life, 2.0 * (crawl_delay or 0.0), min(2.0 * owed, _DAY))


def own_url(authority: str) -> str:
    """Return the URL of an authority's robots.txt."""
    return f"{authority}/robots.txt"


def _last(note: RobotsNote, times: RobotsTimes) -> tuple[float, float]:
    """When the file was fetched last, and the seconds until the next fetch."""
    if note.failing is not None:
        failures = note.failing.times
        return note.failing.last, times.pause(failures) if failures > times.retries else 0.0
    if note.copy is None or note.copy.text is None:
        return 0.0, 0.0
    return note.copy.fetched, min(note.copy.life, times.max_age)


def _fetch(entry: _Cached, authority: str, url: str = "") -> RobotsDecision:
    """Return a conditional request if there is a copy of that URL."""
    copy, own = entry.note.copy, own_url(authority)
    saying = RobotsDecision(RobotsAction.FETCH, url=url or own, crawl_delay=_delay(entry.rules))
    if copy is None or entry.rules is None or (copy.source or own) != saying.url:
        return saying
    return replace(saying, etag=copy.etag, modified=copy.modified)


def _delay(rules: RobotsRules | None) -> float | None:
    return (rules.crawl_delay or 0.0) if rules is not None else None


def _kept(note: RobotsNote) -> str:
    return "" if note.copy is None or note.copy.text is None else note.copy.text or "# no rules for us\n"


def _weight(note: RobotsNote) -> int:
    return len(note.copy.text) if note.copy is not None and note.copy.text is not None else 0
