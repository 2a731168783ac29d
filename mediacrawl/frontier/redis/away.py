"""When Redis is away, and when it is broken: the one is waited for, the other ends the crawl."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from time import monotonic

from redis import exceptions

from mediacrawl.frontier.contract import FrontierError
from mediacrawl.observe.format import plural

logger = logging.getLogger(__name__)

_PASSING = (
    *("LOADING", "MASTERDOWN", "READONLY", "CLUSTERDOWN", "TRYAGAIN", "NOREPLICAS", "BUSY ", "UNBLOCKED"),
    # It refuses to write, because its memory or its disk is full: whoever runs it has to make room.
    *("OOM", "MISCONF"),
)
# The client takes the first word away from those for which it has a class.
_PASSING_CLASSES = (
    exceptions.OutOfMemoryError,
    *(exceptions.ReadOnlyError, exceptions.ClusterDownError, exceptions.MasterDownError, exceptions.TryAgainError),
)
_NEVER = (exceptions.AuthenticationError, exceptions.NoPermissionError)
LONGEST_PAUSE = 2.0
"""Seconds between two tries at most: a crawl goes on that soon after Redis is back."""
REMIND = 60.0
"""Seconds after which the log says once more that Redis is away."""


def is_away(error: BaseException | None) -> bool:
    """Whether an error says that Redis cannot answer now, and may later."""
    if isinstance(error, FrontierError):
        error = error.__cause__
    if isinstance(error, _NEVER):
        return False
    if isinstance(error, (exceptions.ConnectionError, exceptions.TimeoutError, OSError, *_PASSING_CLASSES)):
        return True
    return isinstance(error, exceptions.ResponseError) and str(error).startswith(_PASSING)


@dataclass(slots=True)
class Away:
    """A time in which Redis is away.

    Attributes:
        server: its URL without secrets.
        since: when it began, by the steady clock.
        words: how it was seen last, in the client's words.
    """

    server: str
    since: float = field(default_factory=monotonic)
    words: str = ""
    _pause: float = 0.1
    _told: float = 0.0

    def pause(self, error: BaseException, waiting: int) -> float:
        """Say that it is away, now and then; answers the seconds to wait before it is asked again.

        Args:
            error: how it was seen this time.
            waiting: messages that wait for it.
        """
        cause = error.__cause__ if isinstance(error, FrontierError) else error
        self.words = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
        if monotonic() - self._told > REMIND:
            self._told = monotonic()
            kept = plural(waiting, "message", "is")
            logger.warning("%s is away (%s): the crawl waits, %s kept", self.server, self.words, kept)
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST_PAUSE)
        return pause

    @property
    def seconds(self) -> float:
        """How long it has been away."""
        return monotonic() - self.since

    def over(self) -> float:
        """Say that it is back; answers the seconds that it was away."""
        seconds = self.seconds
        logger.warning("%s is back after %.1f s: the crawl goes on", self.server, seconds)
        return seconds
