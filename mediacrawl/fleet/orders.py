"""What the workers are told: the command line of each start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mediacrawl.fleet.worker import STATS

FRESH = "fresh"
SEED = "seed"


@dataclass(frozen=True, slots=True)
class Orders:
    """What the user asked for, for all workers.

    Attributes:
        program: what begins each command line: an interpreter, and what it is to run.
        spider: its name.
        arguments: of the spider.
        settings: each ``NAME=VALUE``, as the user wrote them. Ours come behind them, and the last counts.
    """

    program: tuple[str, ...]
    spider: str = "media"
    arguments: Mapping[str, str] = field(default_factory=dict)
    settings: tuple[str, ...] = ()

    def command(self, folder: Path, *, fresh: bool, seeds: bool) -> list[str]:
        """The command line of one start.

        Args:
            folder: the worker's.
            fresh: whether it is to forget what an earlier crawl left, if the user said so.
            seeds: whether it is to hand in the seeds, if there are any; if not, they have joined.
        """
        left_out = {name for name, given in ((FRESH, fresh), (SEED, seeds)) if not given}
        # Who comes after the seeds must find a crawl: an empty frontier was lost, and would be waited at for ever.
        begun = f"FRONTIER_BEGUN={not seeds}"
        own = (f"MEDIACRAWL_DIR={folder}", "JOBDIR=", "LOG_FILE=", f"STATS_FILE={folder / STATS}", begun)
        told = [f"{name}={value}" for name, value in self.arguments.items() if name not in left_out]
        return [
            *(*self.program, "crawl", self.spider),
            *(word for argument in told for word in ("-a", argument)),
            *(word for setting in (*self.settings, *own) for word in ("-s", setting)),
        ]
