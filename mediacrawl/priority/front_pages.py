"""Remembers which front pages have ended, since only a URL that has ended may be queued again.

Any other hub has ended, or it would be none. The front page of a host becomes a hub by finds elsewhere on the host,
hours after its own visit or before it.
"""

from __future__ import annotations

from concurrent.futures import Future
from enum import StrEnum
from math import isfinite
from typing import cast

import msgpack

from mediacrawl.notes import Later, Notes
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.priority.revisit_schedule import DAY

NAMESPACE = "front_pages"
FORGIVEN = 30 * DAY
"""Seconds after which a front page that was gone may be requested again."""
_ASKED = 10_000
"""Answers of a store on another machine that are kept until they are used."""


class FrontPageState(StrEnum):
    """The state of a front page."""

    UNKNOWN = "unknown"
    """It is not known to have ended: it waits, or was never found."""
    ENDED = "ended"
    GONE = "gone"
    """It has ended, and there was no page."""
    ASKED = "asked"
    """The store was asked, and has not answered."""


class FrontPages:
    """Remembers which front pages have ended.

    In the notes: one for each in the namespace ``front_pages``, some 60 bytes, by URL (msgpack: when it was gone,
    seconds since the epoch; 0 if it was not). It is written after the visit's end, so a kill may lose it: then the page
    is not known to have ended, and is not revisited.

    Args:
        notes: stores them.
        later: reads a note without blocking, where the notes are on another machine; None where they are not.
    """

    def __init__(self, notes: Notes, later: Later | None = None) -> None:
        self._notes = notes
        self._later = later
        self._answers: LastUsed[Future[bytes]] = LastUsed(_ASKED, _ASKED)

    def ended(self, url: str, now: float, *, gone: bool = False) -> None:
        """Note the end of a visit of a front page.

        Args:
            url: in canonical form.
            now: seconds since the epoch.
            gone: whether there was no page.

        Raises:
            FrontierError: the notes cannot be used.
        """
        self._answers.drop(url)
        self._notes.set_note(NAMESPACE, url, cast("bytes", msgpack.packb(now if gone else 0.0)))

    def known(self, url: str, now: float) -> FrontPageState:
        """The state of a front page.

        Args:
            url: in canonical form.
            now: seconds since the epoch.

        Raises:
            FrontierError: the notes cannot be used.
        """
        if self._later is None:
            return _read(self._notes.note(NAMESPACE, url), now)
        answer = self._answers.get(url)
        if answer is None:
            self._answers.put(url, self._later(NAMESPACE, url, _as_it_is), 1)
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
