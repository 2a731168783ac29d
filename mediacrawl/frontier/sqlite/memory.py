"""The SQLite store without a file: SQLite's own ``:memory:`` database."""

from __future__ import annotations

import random
from dataclasses import replace

from mediacrawl.frontier.contract import FrontierPolicy
from mediacrawl.frontier.sqlite.store import SQLiteFrontier


class MemoryFrontier(SQLiteFrontier):
    """A `Frontier` in memory. On disk: nothing. A kill leaves: nothing.

    It takes and finishes as many URLs a second as a file does, and a waiting URL costs some 400 bytes.

    Args:
        policy: the frontier's numbers; without a Bloom filter, which saves reads of a disk.
        rng: source of the even picks.
    """

    def __init__(self, policy: FrontierPolicy, rng: random.Random | None = None) -> None:
        super().__init__(None, replace(policy, bloom=0), 0.0, rng)
