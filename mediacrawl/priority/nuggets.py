"""What is a find, what is it worth, and is it new? A nugget function says the first two, a note says the third.

A function of the user's may replace ours; an exception in it ends nothing. What is new is decided by the
key of a nugget and never by its URL: the same recording at ten URLs is one find.
"""

from __future__ import annotations

import inspect
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from functools import partial
from hashlib import blake2b
from math import isfinite
from typing import Any, Protocol

import msgpack
from itemadapter import ItemAdapter

from mediacrawl.base.facts import EXTERNAL_SOURCES, LEAST_HEAD
from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.notes import Later, Notes, changed_later
from mediacrawl.base.terms import Drop, End, Nugget, Outcome
from mediacrawl.base.text import plain
from mediacrawl.base.visit import Visit

logger = logging.getLogger(__name__)

NAMESPACE = "nuggets"
"""The namespace of the notes with known keys."""
RECENT = 20_000
"""Keys held in memory, 250 bytes each: the others cost a read, or with Redis a round trip."""
UNREAD = 0.5
"""What a record is worth whose file was not read: a player's, or one of a format without a reader. The page that speaks
for it may say anything, so files go first; the number is not measured."""
SAYING = ("title", "artist", "albumartist", "album", "composer", "podcast", "description")
"""Fields of which a record needs one to say something about itself. The others are in files that nobody has named:
taggers write a genre and a year by themselves, encoders a comment and their own name."""

_UNREAD = frozenset({"page", "unsupported"})
_FAILED = "error"
"""What the `probe_status` of a file begins with of which nothing could be read."""
_NO_MD5 = frozenset({"", "0" * 32})
_SAMPLES = ("pcm_", "dsd_")


class Headers(Protocol):
    """The headers of an answer; names in any case."""

    def get(self, key: str, def_val: Any = None, /) -> bytes | None:
        """Return the last value of a name, as the server wrote it."""
        ...

    def getlist(self, key: str, def_val: Any = None, /) -> list[bytes]:
        """Return all values of a name."""
        ...


class Answer(Protocol):
    """What a nugget function sees of an answer. In a crawl it is Scrapy's ``Response``, with all that this can do."""

    @property
    def url(self) -> str:
        """The requested URL."""
        ...

    @property
    def status(self) -> int:
        """HTTP status; 0 if the response that would have completed the record failed."""
        ...

    @property
    def headers(self) -> Headers:
        """As the server sent them."""
        ...

    @property
    def body(self) -> bytes:
        """As much of it as was read."""
        ...


class NoHeaders:
    """The headers of a failed response."""

    def get(self, key: str, def_val: Any = None, /) -> bytes | None:  # noqa: ARG002
        """There is none."""
        return None

    def getlist(self, key: str, def_val: Any = None, /) -> list[bytes]:  # noqa: ARG002
        """There are none."""
        return []


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Represents a failed response: that of the last range of a file whose record is stored anyway."""

    url: str
    status: int = 0
    headers: NoHeaders = field(default_factory=NoHeaders)
    body: bytes = b""


# -- the function of ours ----------------------------------------------------------------------------------------


def media(response: Answer, item: Any) -> Nugget | None:  # noqa: ARG001 - the record is enough
    """Find a record that says something about itself, under the name of its recording.

    Whether the file says it, or a page, a feed or a list, is the same. A file that nobody names is no find, nor one of
    which nothing could be read. Records without a file (`UNREAD`) are worth less. An item that is no media record is
    another project's: it is a find by all that it says.

    Args:
        response: the answer.
        item: the record, as it was stored; None for an answer that gave none, which is no find.
    """
    record = _record(item)
    if record is None:
        return None
    url = record.get("content_url")
    if not isinstance(url, str) or not url:
        return Nugget("item:" + json.dumps(plain(record), sort_keys=True, ensure_ascii=False))
    status = str(record.get("probe_status") or "")
    if status.startswith(_FAILED) or not any(record.get(name) for name in SAYING):
        return None
    return Nugget(recording(record), UNREAD if status in _UNREAD else 1.0)


def recording(record: Mapping[str, Any]) -> str:
    """Name the recording of a media record, as `store.works` does.

    By the MD5 that FLAC states of its audio, else by head, size and own texts. What neither tells is named by its URL:
    streams, players, heads of less than 4 KB. Two things differ there and cost at worst a nugget too much: texts that
    only one of two records has, and the files that were found in a known player. A short file that was read whole is
    texts by its bytes: else a site could have as many finds as it has URLs for one of them.
    """
    md5 = record.get("audio_md5")
    if isinstance(md5, str) and md5 not in _NO_MD5:
        return f"audio:{md5}"
    head, size, digest = record.get("head_bytes"), record.get("content_size"), record.get("head_sha256")
    if not (isinstance(head, int) and isinstance(size, int) and isinstance(digest, str)) or head < min(
        LEAST_HEAD, size
    ):
        return f"url:{record['content_url']}"
    if head < size and str(record.get("codec") or "").startswith(_SAMPLES):
        # Samples may be silence: then many files begin so, and have one size.
        return f"url:{record['content_url']}"
    return f"head:{digest}:{size}:{head}:{_texts(record.get('tags'))}"


def _record(item: Any) -> Mapping[str, Any] | None:
    if is_dataclass(item) and hasattr(item, "probe_status"):
        # A media record, whose values are plain: `ItemAdapter` would copy all of them.
        return {each.name: getattr(item, each.name) for each in fields(item)}
    return ItemAdapter(item).asdict() if item is not None and ItemAdapter.is_item(item) else None


def _texts(tags: Any) -> str:
    """Return a hash of the file's own texts; of what was decided about them nothing."""
    texts = set()
    for element in tags if isinstance(tags, list) else ():
        if isinstance(element, Mapping) and element.get("source") not in EXTERNAL_SOURCES:
            place = tuple(str(element.get(name)) for name in ("source", "frame", "desc", "lang", "index"))
            texts.add((*place, str(element.get("raw_b64") or element.get("text_declared") or element.get("text"))))
    return blake2b(repr(sorted(texts)).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


# -- functions of the user's -------------------------------------------------------------------------------------


class UserFunction:
    """A function that a setting names. An exception in it is logged once for each kind, counted, and ends nothing.

    Stats: ``nugget/failed``.

    Raises:
        ValueError: it is no function, one that is to be awaited, or one that takes other arguments.
    """

    def __init__(self, setting: str, function: Any, arguments: int) -> None:
        name = getattr(function, "__qualname__", repr(function))
        self.name = f"{setting} ({getattr(function, '__module__', '?')}.{name})"
        self.function: Callable[..., Any] = function
        self.count: Callable[[str], object] = lambda _: None
        """Told the name of what is to be counted."""
        self._told: set[str] = set()
        problem = _problem(function, arguments)
        if problem:
            raise ValueError(f"{self.name} {problem}")

    def failed(self, url: str, error: Exception) -> None:
        """It could not be used for an answer.

        Args:
            url: of the answer.
            error: what it raised, or what is wrong with what it gave.
        """
        self.count("nugget/failed")
        kind = type(error).__name__
        if kind not in self._told:
            self._told.add(kind)
            logger.error("%s failed for %s; its next %s is only counted", self.name, url, kind, exc_info=error)


def _problem(function: Any, arguments: int) -> str:
    if not callable(function):
        return "is no function"
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return "must answer at once: it may be no coroutine and no generator"
    try:
        inspect.signature(function).bind(*[None] * arguments)
    except TypeError:
        return f"must take {arguments} arguments"
    except ValueError:
        # Functions that are not written in Python need not say what they take.
        return ""
    return ""


def is_worth_opening(function: UserFunction, status: int, headers: Mapping[str, str], url: str) -> bool:
    """Whether the body of a response is worth downloading; True if that is unknown.

    Args:
        function: takes the following.
        status: HTTP status.
        headers: of the answer, by name in lower case; several of one name are separated by a comma.
        url: the requested URL.
    """
    try:
        return bool(function.function(status, headers, url))
    except Exception as error:  # noqa: BLE001 - whatever a user's function raises, the crawl continues
        function.failed(url, error)
        return True


# -- what is new -------------------------------------------------------------------------------------------------


class Known(StrEnum):
    """What is known of the key of a nugget."""

    NEW = "new"
    MET = "met"
    """A visit that is not over has it: if it is killed, the key is new to its URL still."""
    OLD = "old"


class Nuggets:
    """Asks the nugget function, and knows which keys are new.

    In the notes: one for each key, named by 16 bytes of its BLAKE2b in hex; msgpack: the URL whose visit gave it first,
    and whether that visit is still open. Each key is new once, over restarts and workers: the note is written when the
    nugget is met, and closed behind the visit's end. A kill between the two has the visit repeated, and for the URL of
    an open note the key is new still: so a nugget is not lost to the learner, which a repeated one hardly disturbs. A
    later visit of the same URL finds the note closed.

    Args:
        function: the nugget function.
        notes: where keys are kept.
        later: changes a note where the notes are on another machine; None where they are not.
    """

    def __init__(self, function: UserFunction, notes: Notes, later: Later | None = None) -> None:
        self.function = function
        self._notes = notes
        self._later = later
        # What is known of a key: empty that it is, else the URL whose visit is open.
        self._recent: LastUsed[str] = LastUsed(RECENT)

    def judge(self, response: Answer, item: Any) -> Nugget | None:
        """Call the nugget function; None if it finds no nugget.

        Args:
            response: an answer.
            item: a record that it gave and that is stored, or None if it gave none.
        """
        try:
            return _usable(self.function.function(response, item))
        except Exception as error:  # noqa: BLE001 - whatever a user's function raises, the crawl continues
            self.function.failed(response.url, error)
            return None

    def look(self, visit: Visit, nugget: Nugget) -> Known | Future[Known]:
        """Look a nugget up, and make it known; with notes on another machine a future is returned.

        Raises:
            FrontierError: the notes cannot be used.
        """
        name, url = _name(nugget.key), visit.lease.url
        recent = self._recent.get(name)
        if recent == "":
            return Known.OLD
        if recent not in {None, url} or any(one.key == nugget.key for one in visit.decision.nuggets):
            return Known.MET
        if self._later is not None:
            return changed_later(self._later, NAMESPACE, name, partial(_met, url))
        record = self._notes.note(NAMESPACE, name)
        new, known = _met(url, record)
        if new is not record:
            self._notes.set_note(NAMESPACE, name, new)
        return known

    def credit(self, visit: Visit, nugget: Nugget, known: Known) -> bool:
        """Write a nugget into its visit; return whether it is new."""
        # Several records of one visit may be looked up before the first of them is rewarded.
        if known is Known.NEW and all(one.key != nugget.key for one in visit.decision.nuggets):
            visit.decision.earned += 1
            visit.decision.reward += nugget.reward
            visit.decision.nuggets.append(nugget)
            self._recent.put(_name(nugget.key), visit.lease.url)
            return True
        visit.decision.repeats += 1
        if known is Known.OLD:
            self._recent.put(_name(nugget.key), "")
        return False

    def close(self, visit: Visit) -> None:
        """Called at the end of a visit: from now on its nuggets are known to its own URL, too.

        Raises:
            FrontierError: the notes cannot be used.
        """
        for nugget in visit.decision.nuggets:
            name = _name(nugget.key)
            self._notes.set_note(NAMESPACE, name, _packed(visit.lease.url, is_open=False))
            self._recent.put(name, "")


def may_be_nugget(outcome: Outcome | None) -> bool:
    """Whether an answer that gave no record is shown to the nugget function: one that was read, or that we cannot read.

    Copies, soft 404s, refusals and failures are no finds, and what continues is not over.
    """
    if outcome is None:
        return False
    return outcome.end is End.DONE or (outcome.end is End.DROPPED and outcome.reason is Drop.CONTENT_TYPE)


def _usable(found: Any) -> Nugget | None:
    """Return a nugget with its reward between 0 and 1; one that is worth nothing is none.

    Raises:
        TypeError: it is none, or has no key, or its reward is no number.
    """
    if found is None:
        return None
    if not isinstance(found, Nugget):
        raise TypeError(f"it gave {type(found).__name__}, and not mediacrawl.base.terms.Nugget or None")
    if not isinstance(found.key, str) or not found.key:
        raise TypeError("the key of a nugget must be a text, and not empty")
    reward = found.reward
    if isinstance(reward, bool) or not isinstance(reward, int | float) or not isfinite(reward):
        raise TypeError(f"the reward of a nugget must be a number, not {type(reward).__name__}")
    if 0 < reward <= 1:
        return found
    return Nugget(found.key, 1.0, found.info) if reward > 1 else None


def _name(key: str) -> str:
    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _met(url: str, record: bytes | None) -> tuple[bytes, Known]:
    """Return the note of a key after a visit of a URL met it, and what was known of the key before."""
    first = _unpacked(record)
    if first is None or record is None:
        return _packed(url, is_open=True), Known.NEW
    if first == (url, True):
        return record, Known.NEW
    return record, Known.MET if first[1] else Known.OLD


def _packed(url: str, *, is_open: bool) -> bytes:
    record: bytes = msgpack.packb((url, is_open), unicode_errors="surrogatepass")
    return record


def _unpacked(record: bytes | None) -> tuple[str, bool] | None:
    """Return what a note says; None if there is none, or it cannot be read."""
    if record is None:
        return None
    try:
        url, is_open = msgpack.unpackb(record, unicode_errors="surrogatepass")
    except (ValueError, TypeError, msgpack.UnpackException):
        return None
    return (url, is_open) if isinstance(url, str) and isinstance(is_open, bool) else None
