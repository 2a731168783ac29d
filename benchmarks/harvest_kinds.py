"""What kinds of sites the synthetic web has: how many of each, how large, and with what habits.

All of it is invented, and the strength of signals is a choice, so figures from this web are orders of magnitude. What
was fixed beforehand: who picks evenly finds one new recording in some 500 fetches, and of the hosts with media not
quite half are called after them. Nothing was fitted to any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from random import Random
from statistics import NormalDist

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
    spread: float = 1.2
    rich: Range | None = None
    files: Range = (1, 1)
    extras: Range = (0, 2)
    people: float = 0.1
    outward: Range = (0, 2)
    feed: float = 0.4
    stray: float = 0.0
    hints: float = 0.02


KINDS: dict[str, KindOfSite] = {
    # With media.
    "podcast": KindOfSite(1.1, 380, 1.0, (7, 15), extras=(2, 5), people=0.5, feed=0.55, hints=0.6),
    "band": KindOfSite(0.8, 200, 1.0, (3, 6), (2, 7), extras=(3, 6), people=0.5, feed=0.3, hints=0.6),
    "sound archive": KindOfSite(0.6, 600, 1.1, (5, 13), (1, 3), extras=(2, 5), people=0.3, feed=0.3, hints=0.6),
    "sermons": KindOfSite(0.6, 420, 0.9, (8, 15), extras=(2, 5), people=0.3, feed=0.5, hints=0.6),
    "broadcaster": KindOfSite(0.3, 2600, 0.8, (2, 6), extras=(2, 4), people=0.1, feed=0.6, hints=0.6),
    "university": KindOfSite(0.6, 1200, 0.9, (1, 2), (1, 3), extras=(1, 3), people=0.5, feed=0.2, hints=0.15),
    "open directory": KindOfSite(0.12, 180, 0.8, (2, 4), (8, 24), hints=0.4),
    # Without.
    "blog": KindOfSite(21, 60, 1.3, extras=(1, 3), outward=(0, 4), feed=0.6, stray=0.1),
    "news": KindOfSite(6, 350, 1.2, extras=(0, 3), people=0.05, outward=(0, 2), feed=0.6, stray=0.1, hints=0.03),
    "forum": KindOfSite(9, 130, 1.3, extras=(1, 4), people=0.8, outward=(0, 3), feed=0.2, stray=0.05),
    "shop": KindOfSite(14, 110, 1.3, extras=(0, 2), people=0.0, outward=(0, 0), feed=0.1, hints=0.05),
    "company": KindOfSite(13, 20, 1.1, extras=(0, 1), people=0.0, outward=(0, 1), feed=0.1),
    "home page": KindOfSite(14, 12, 1.2, extras=(0, 0), people=0.0, outward=(0, 4), feed=0.1, stray=0.08),
    "community": KindOfSite(5, 60, 1.1, extras=(0, 2), outward=(0, 2), stray=0.05),
    "reference": KindOfSite(4, 300, 1.3, extras=(1, 3), people=0.1, outward=(0, 3), feed=0.2),
    "portal": KindOfSite(2, 60, 1.0, extras=(0, 0), people=0.0, outward=(14, 24), feed=0.0),
    # What pretends, repeats itself, or has no end.
    "spam farm": KindOfSite(2.5, 10, hints=0.7),
    "calendar": KindOfSite(1.5, 30, 1.0),
    "parked": KindOfSite(2, 5, 0.5, hints=0.05),
    "mirror": KindOfSite(0.5, 5),
    "copied site": KindOfSite(0.8, 5),
    "file host": KindOfSite(0.15, 12, 0.5, hints=0.2),
}
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
