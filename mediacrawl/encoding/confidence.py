"""From a margin between two readings to the probability that the better one is right."""

from __future__ import annotations

import math
from typing import Final

SURE: Final = 40.0
"""Margin, in nats, of what says itself what it is."""
AT_0: Final = 0.2
PER_NAT: Final = 0.41


def confidence_of(margin: float) -> float:
    """The probability that the likeliest text is right, from its margin over the next one in nats.

    Logistic, fitted to the development titles (`benchmarks/encodings.py` prints how well it holds).
    """
    return round(1 / (1 + math.exp(-(AT_0 + PER_NAT * min(margin, SURE)))), 4)
