"""How long a crawl may still take, from how fast what waits becomes less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.observe.format import elapsed
from mediacrawl.observe.status import Sample

WINDOW = 1_800.0
"""Seconds of the samples that count; a rate of weeks ago says nothing of the next hour."""
_FEWEST = 5
"""URLs that must have ended in the window."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The time that is left.

    Attributes:
        seconds: of it; None if it cannot be told.
        at_least: whether it is a lower bound, because what waits grows or stays: then no new URL is counted.
        sentence: the same for a person.
    """

    seconds: float | None
    at_least: bool
    sentence: str

    @property
    def short(self) -> str:
        """``about 3 h``, ``at least 4 h``; empty if the time cannot be told."""
        if not self.seconds:
            return ""
        return f"{'at least' if self.at_least else 'about'} {elapsed(self.seconds)}"


def estimate(samples: Sequence[Sample]) -> Estimate:
    """Estimate the time until nothing waits.

    Returns:
        The estimate. While what waits becomes less, its present rate counts. Otherwise the rate at which URLs end gives
        a lower bound.
    """
    if not samples:
        return Estimate(None, at_least=False, sentence="nothing is known yet")
    last = samples[-1]
    if last.waiting <= 0:
        return Estimate(0.0, at_least=False, sentence="nothing waits")
    first = next((one for one in samples if last.time - one.time <= WINDOW and one.began == last.began), last)
    seconds, ended = last.time - first.time, last.ended - first.ended
    if seconds <= 0 or ended < _FEWEST:
        return Estimate(None, at_least=False, sentence="too few URLs have ended to tell")
    falls = first.waiting - last.waiting
    # A fall of a few URLs is chance.
    if falls >= max(_FEWEST, ended // 10):
        left = last.waiting * seconds / falls
        return Estimate(left, at_least=False, sentence=f"about {elapsed(left)}, as fast as what waits becomes less")
    left = last.waiting * seconds / ended
    grows = "grows" if falls < 0 else "does not become less"
    return Estimate(left, at_least=True, sentence=f"at least {elapsed(left)}: what waits {grows}")
