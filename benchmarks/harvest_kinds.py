"""What kinds of sites the synthetic web has: how many of each, how large, and with what habits.

All of it is invented, and the strength of signals is a choice, so figures from this web are orders of magnitude. What
was fixed beforehand: who picks evenly finds one new recording in some 500 fetches, and of the hosts with media not
quite half are called after them. Nothing was fitted to any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from pathlib import Path
from random import Random
from statistics import NormalDist
from typing import Any

from harvest_words import ENDINGS, LANGUAGES, STEMS

MASK = (1 << 64) - 1
FIB = 0x9E3779B97F4A7C15
"""2**64 divided by the golden ratio: its multiples are spread evenly over 64 bits (Knuth, TAOCP 6.4)."""

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class KindOfSite:
    """What the sites of one kind have in common; a pair is the least and the most of what is drawn evenly for each.

    Attributes:
        share: of all sites, in per cent.
        items: median of the number of articles, threads, products, episodes; it is log-normal.
        spread: of its logarithm.
        rich: sixteenths of the items that have media; none for ordinary sites.
        files: recordings of such an item.
        extras: pages beside each item that hold nothing: comments, prints, replies.
        people: users, as a share of the items.
        outward: links to other sites on the page of an item.
        feed: share of the sites with a feed.
        stray: share of the sites where now and then an item has a file all the same.
        hints: share of the hosts that are called after media.
    """

    share: float
    items: float
    spread: float
    rich: Range | None
    files: Range
    extras: Range
    people: float
    outward: Range
    feed: float
    stray: float
    hints: float


def _read() -> dict[str, KindOfSite]:
    """Return the kinds of ``harvest_kinds.tsv``, those with media first, those that pretend or have no end last."""
    lines = Path(__file__).with_name("harvest_kinds.tsv").read_text(encoding="utf-8").splitlines()
    rows = (dict(zip(lines[0].split("\t"), line.split("\t"), strict=True)) for line in lines[1:])
    return {row.pop("kind"): KindOfSite(**{name: _value(cell) for name, cell in row.items()}) for row in rows}


def _value(cell: str) -> Any:
    numbers = tuple(float(number) for number in cell.split("-") if number)
    return numbers if len(numbers) > 1 else numbers[0] if numbers else None


KINDS = _read()
"""Mirrors show a site that has media under another name, copied sites one that has none."""

_REST = "company"
_LOUD = 0.75
"""Share of the sites with media whose topic is one where media are local."""
_TOPIC = 125
"""Sites of a topic, on average."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What is drawn of all sites at once.

    Attributes:
        number: of the site.
        host: its name.
        kind: one of `KINDS`; that of the original if it is a mirror.
        shown_as: the same, but of a mirror ``mirror`` or ``copied site``.
        key: 64 bits, from which all else of the site comes; a mirror has that of its original.
        topic: what it is about.
        language: place in `LANGUAGES`.
    """

    number: int
    host: str
    kind: str
    shown_as: str
    key: int
    topic: int
    language: int


def mix(number: int) -> int:
    """Sixty-four bits that look like chance (splitmix64, Steele, Lea and Flood, OOPSLA 2014).

    Args:
        number: any.
    """
    number = (number + FIB) & MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & MASK
    return number ^ (number >> 31)


def lognormal(chance: Random, median: float, spread: float) -> float:
    """A number that is log-normal, cut at three deviations."""
    deviation = NormalDist().inv_cdf(min(max(chance.random(), 0.00135), 0.99865))
    return median * exp(spread * deviation)


def topics(sites: int) -> tuple[int, int]:
    """How many topics a web has; and in how many of them, the first ones, media are local."""
    every = max(sites // _TOPIC, 4)
    return every, max(every // 10, 1)


def outlines(seed: int, sites: int) -> list[Outline]:
    """All sites of a web.

    Args:
        seed: of the web.
        sites: how many.
    """
    order = sorted(range(sites), key=lambda number: mix(mix(seed) ^ number))
    kinds = [""] * sites
    for number, kind in zip(order, _listed(sites), strict=True):
        kinds[number] = kind
    every, loud = topics(sites)
    taken: set[str] = set()
    drawn = []
    for number, kind in enumerate(kinds):
        chance = Random(mix(mix(seed + 1) ^ number))
        language = min(int(chance.random() * 11), 10)
        # English is the language of four in eleven.
        language = language if language < len(LANGUAGES) else 0
        is_rich = KINDS[kind].rich is not None
        topic = int(chance.random() * (loud if is_rich and chance.random() < _LOUD else every))
        host = _host(chance, kind, language, taken)
        drawn.append(Outline(number, host, kind, kind, mix(mix(seed + 2) ^ number), topic, language))
    return _mirrored(seed, drawn)


def _listed(sites: int) -> list[str]:
    """Kind after kind, each as often as its share says."""
    listed: list[str] = []
    for name, kind in KINDS.items():
        if name != _REST:
            listed += [name] * max(round(kind.share * sites / 100), 1)
    return (listed + [_REST] * max(sites - len(listed), 0))[:sites]


def _host(chance: Random, kind: str, language: int, taken: set[str]) -> str:
    words = LANGUAGES[language].hosts if chance.random() < KINDS[kind].hints else STEMS
    first = words[int(chance.random() * len(words))]
    second = (STEMS + ENDINGS)[int(chance.random() * len(STEMS + ENDINGS))]
    if chance.random() < 0.3:
        first, second = second, first
    name = base = f"{first}{('', '-')[chance.random() < 0.4]}{second}"
    while name in taken:
        name = f"{base}{int(chance.random() * 1000)}"
    taken.add(name)
    return f"{name}.example"


def _mirrored(seed: int, drawn: list[Outline]) -> list[Outline]:
    """The same, with the originals of mirrors chosen."""
    rich = [site for site in drawn if KINDS[site.kind].rich is not None]
    plain = [site for site in drawn if site.kind in {"blog", "home page", "reference", "news"}]
    originals = {"mirror": rich, "copied site": plain}
    return [_shown(site, originals.get(site.kind, []), mix(seed ^ site.key)) for site in drawn]


def _shown(site: Outline, originals: list[Outline], luck: int) -> Outline:
    if not originals:
        return site
    first = originals[luck % len(originals)]
    return Outline(site.number, site.host, first.kind, site.kind, first.key, first.topic, first.language)
