"""A log handler that gets all records, those of mediacrawl too if its logger does not propagate."""

from __future__ import annotations

import logging


class AttachedHandler(logging.Handler):
    """The base of handlers that listen to the whole log while a crawl runs.

    Args:
        level: the least level of the records that it gets.
    """

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._attached: list[logging.Logger] = []

    def attach(self) -> None:
        """Attach to the root logger, and to mediacrawl's if it does not propagate."""
        ours = logging.getLogger("mediacrawl")
        self._attached = [logging.getLogger(), *([] if ours.propagate else [ours])]
        for each in self._attached:
            each.addHandler(self)

    def detach(self) -> None:
        """Detach from all loggers."""
        for each in self._attached:
            each.removeHandler(self)
