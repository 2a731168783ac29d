"""The load of the frontier's benchmarks: sites, their URLs, the pages that name them, and what is measured with it.

Sites are drawn evenly, which no cache likes. A page names 100 URLs: ten new ones, eight of its own site and two of
others, and 90 known ones, of its own site as far as that has so many, else of others.
"""

from __future__ import annotations

import ctypes
import gc
import random
import time
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import shared

from mediacrawl.base.terms import Candidate, Evidence

NEW_OWN = 8
NEW_OTHER = 2
NEW = NEW_OWN + NEW_OTHER
KNOWN = 90
KNOWN_OWN = 60
WORDS = ("harbour", "lantern", "meadow", "signal", "orchard", "granite", "velvet", "compass")
# The classes of a site, by the number of the URL: most of its links have the same shape.
SHAPES = (
    "archive/listening/episode",
    "music/recordings/concert",
    "programme/evenings/calendar",
)
SHAPE_OF = (0, 1, 2, 0, 0, 0, 1, 0, 0, 0)
COUNTS_FILE = "counts.bin"


class Load:
    """URLs that can be named again: the URL of a site's number and its own number, and how many each site has.

    Args:
        sites: how many there are.
        classes: link classes of a site, 1 to 3.
        seed: of the draws.
    """

    def __init__(self, sites: int, classes: int = 3, seed: int = 7) -> None:
        self.sites = sites
        self.counts = array("I", bytes(4 * sites))
        self._shapes = [place % classes for place in SHAPE_OF]
        self._random = random.Random(seed)

    def site(self, number: int) -> str:
        """A registrable domain."""
        return f"{WORDS[number % 8]}{number:06x}.org"

    def url(self, site: int, number: int) -> str:
        """A URL of some 70 characters."""
        return f"https://www.{self.site(site)}/{SHAPES[self._shapes[number % 10]]}-{number:05d}.html"

    def new(self, site: int) -> Candidate:
        """The next URL of a site, as the spider would hand it in."""
        number = self.counts[site]
        self.counts[site] = number + 1
        name = self.site(site)
        shape = SHAPES[self._shapes[number % 10]]
        host = f"www.{name}/{shape}"
        return Candidate(
            url=f"https://{host}-{number:05d}.html",
            site=name,
            link_class=f"{host}-#.html",
            depth=2,
            parent=f"https://{host}-{number // 10:05d}.html",
            evidence=Evidence(anchor=f"Evening {number} at the harbour", page_title=f"Recordings of {name}"),
        )

    def seeds(self) -> list[int]:
        """All sites, in no order that a disk could like."""
        order = list(range(self.sites))
        self._random.shuffle(order)
        return order

    def links(self) -> list[Candidate]:
        """What a page of an evenly drawn site has that is new."""
        draw = self._random.randrange
        own = draw(self.sites)
        return [self.new(own) for _ in range(NEW_OWN)] + [self.new(draw(self.sites)) for _ in range(NEW_OTHER)]

    def page(self, *, known: bool = True) -> tuple[list[str], dict[str, Candidate]]:
        """All that a page names, in mixed order, with known URLs or without, and what of it is new."""
        draw = self._random.randrange
        own = draw(self.sites)
        old = {self.url(own, number) for number in range(min(self.counts[own], KNOWN_OWN))} if known else set()
        while known and len(old) < KNOWN:
            old.add(self.known())
        fresh = [self.new(own) for _ in range(NEW_OWN)] + [self.new(draw(self.sites)) for _ in range(NEW_OTHER)]
        new = {candidate.url: candidate for candidate in fresh}
        urls = [*old, *new]
        self._random.shuffle(urls)
        return urls, new

    def known(self) -> str:
        """An evenly drawn URL that was handed out before."""
        while True:
            site = self._random.randrange(self.sites)
            if self.counts[site]:
                return self.url(site, self._random.randrange(self.counts[site]))

    def absent(self) -> str:
        """A URL that is never handed out."""
        return self.url(self._random.randrange(self.sites), 50_000 + self._random.randrange(40_000))

    def save(self, folder: Path) -> None:
        """Write beside the store what it was filled with."""
        (folder / COUNTS_FILE).write_bytes(self.counts.tobytes())

    def restore(self, folder: Path, seed: int) -> None:
        """Go on with what `save` wrote, and other draws."""
        self.counts = array("I", (folder / COUNTS_FILE).read_bytes())
        self._random = random.Random(seed)


@dataclass
class Spent:
    """Time that was spent inside ``with`` blocks: wall seconds, and user plus system seconds of this process.

    To read the CPU clock is a system call, so the blocks must be much longer than that.
    """

    wall: float = 0.0
    cpu: float = 0.0

    def __enter__(self) -> Self:
        self.cpu -= time.process_time()
        self.wall -= time.perf_counter()
        return self

    def __exit__(self, *error: object) -> None:
        self.wall += time.perf_counter()
        self.cpu += time.process_time()

    def per(self, count: int) -> dict[str, float]:
        """Microseconds each."""
        return {"wall": 1e6 * self.wall / count, "cpu": 1e6 * self.cpu / count}


def tune() -> None:
    """Keep the collector from what is measured, for ours and for the peers."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


def resident(name: str = "VmRSS") -> int:
    """Return bytes of memory of this process, after garbage and what malloc keeps for later are given back."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
    return shared.resident(name)
