"""Front pages that have come to their end: only what has ended may join the frontier once more.

Any other hub was seen to end, or it would be none. The front page of a host becomes a hub by what is found elsewhere on
the host: hours after its own visit, or before that.
"""

from __future__ import annotations

from concurrent.futures import Future
from enum import StrEnum
from math import isfinite
from typing import cast

import msgpack

from mediacrawl.notes import Later, Notes
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.priority.revisit_rate import DAY

ROOM = "front_pages"
FORGIVEN = 30 * DAY
"""Seconds after which a front page that was gone may be asked again: a server that was moved is back by then."""
_ASKED = 10_000
"""Answers of a store on another machine that are kept until somebody wants them."""


class FrontPageState(StrEnum):
    """What is known of a front page."""

    UNKNOWN = "unknown"
    """It has not ended as far as is known: it waits, or was never found."""
    ENDED = "ended"
    GONE = "gone"
    """It has, and there was nothing."""
    ASKED = "asked"
    """The store will tell."""


class FrontPages:
    """Remembers which front pages have come to their end.

    In the notes: one for each in the room ``front_pages``, some 60 bytes, by URL (msgpack: when it was gone, seconds
    since the epoch; 0 if it was not). It is written behind the visit's end, so a kill may lose it: then the page is not
    known to have ended, and does not come back.

    Args:
        notes: where they are kept.
        later: how a note is read where the notes stand on another machine, so that nothing waits; None where they do
            not.
    """

    def __init__(self, notes: Notes, later: Later | None = None) -> None:
        self._notes = notes
        self._later = later
        self._answers: LastUsed[Future[bytes]] = LastUsed(_ASKED, _ASKED)

    def ended(self, url: str, now: float, *, gone: bool = False) -> None:
        """The visit of a front page has come to its end.

        Args:
            url: in canonical form.
            now: seconds since the epoch.
            gone: whether nothing was there.

        Raises:
            FrontierError: the notes cannot be used.
        """
        self._answers.drop(url)
        self._notes.set_note(ROOM, url, cast("bytes", msgpack.packb(now if gone else 0.0)))

    def known(self, url: str, now: float) -> FrontPageState:
        """What is known of a front page.

        Args:
            url: in canonical form.
            now: seconds since the epoch.

        Raises:
            FrontierError: the notes cannot be used.
        """
        if self._later is None:
            return _read(self._notes.note(ROOM, url), now)
        answer = self._answers.get(url)
        if answer is None:
            self._answers.put(url, self._later(ROOM, url, _as_it_is), 1)
            return FrontPageState.ASKED
        if not answer.done():
            return FrontPageState.ASKED
        self._answers.drop(url)
        return FrontPageState.ASKED if answer.exception() is not None else _read(answer.result(), now)


def _as_it_is(record: bytes | None) -> bytes:
    return record or b""


def _read(record: bytes | None, now: float) -> FrontPageState:
    if not record:
        return FrontPageState.UNKNOWN
    try:
        gone = float(msgpack.unpackb(record))
    except (ValueError, TypeError, msgpack.UnpackException):
        return FrontPageState.UNKNOWN
    return FrontPageState.GONE if isfinite(gone) and 0 < gone <= now < gone + FORGIVEN else FrontPageState.ENDED
