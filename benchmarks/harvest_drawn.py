"""What is drawn for each site of the synthetic web: its parts, its habits, and how much its words say."""

from __future__ import annotations

from random import Random

from harvest_kinds import KINDS, Outline, Range, lognormal, mix
from harvest_sites import Section, Site
from harvest_spelling import Spelling, Tree
from harvest_words import LANGUAGES, TELLING, VAGUE, Words

MOST_ITEMS = 20_000
"""Of a site."""
_WRAPS = ("main/ul.{}/li/a", "div.content/div.{}/div.item/a", "table.{}/tr/td/a", "section.{}/article/p/a")
"""Tag paths of lists; the class is drawn for each part of a site, or for all of it."""


def build(outline: Outline, hosters: list[str]) -> Site:
    """Draw a site.

    Args:
        outline: what was drawn before.
        hosters: hosts that keep the files of others.
    """
    kind, chance = KINDS[outline.kind], Random(mix(outline.key))
    words = LANGUAGES[outline.language]
    is_rich = kind.rich is not None
    items = min(max(int(lognormal(chance, kind.items, kind.spread)), 3), MOST_ITEMS)
    sections, mask, tunnel = _sections(chance, outline, words)
    shown = tuple(slot for slot in range(16) if not (tunnel and mask >> slot & 1)) or (0,)
    is_neglected = chance.random() < 0.1
    says_more = chance.random() ** 1.3 if is_rich else 0.0
    noise = 90 if chance.random() < 0.07 else 6
    site = Site(
        outline,
        f"http://{outline.host}",
        words,
        items,
        files=_within(chance, kind.files) if is_rich else 1,
        extras=_within(chance, kind.extras),
        plains=2 + int(chance.random() * 5) + tunnel,
        link_pages=1 if chance.random() < 0.5 else 0,
        tags=max(int(items**0.5 * chance.random() * 5), 2),
        users=max(int(items * kind.people), 1),
        outward=kind.outward,
        mask=mask,
        stray=int(chance.random() * 2500) if chance.random() < kind.stray else 0,
        tunnel=tunnel,
        has_get=is_rich and outline.kind != "open directory" and chance.random() < 0.4,
        is_direct=is_rich and chance.random() < 0.08,
        has_feed=not tunnel and chance.random() < kind.feed,
        dead=60 if is_neglected else int(chance.random() * 10),
        dead_files=int(100 + chance.random() * 140) if is_neglected else int(chance.random() * 20),
        untagged=int(150 + chance.random() * 106) if chance.random() < 0.1 else int(chance.random() * 30),
        again=int(150 + chance.random() * 80) if chance.random() < 0.08 else int(chance.random() * 25),
        is_soft=chance.random() < 0.2,
        loud=[int(230 * says_more) if mask >> slot & 1 else noise for slot in range(16)],
        calls=int(256 * chance.random()),
        player=chance.random() < 0.3,
        wrap=_WRAPS[int(chance.random() * len(_WRAPS))],
        sections=sections,
        shown=shown,
    )
    form = Tree if outline.kind == "open directory" else Spelling
    site.spelling = form(site, chance, _files_base(chance, site, hosters))
    return site


def _within(chance: Random, bounds: Range) -> int:
    least, most = bounds
    return int(least + chance.random() * (most - least + 1))


def _files_base(chance: Random, site: Site, hosters: list[str]) -> str:
    luck = chance.random()
    if site.outline.kind == "open directory" or luck > 0.35 or not site.mask:
        return site.base
    if luck > 0.15 or not hosters:
        return f"http://{('media', 'cdn', 'audio', 'static')[int(luck * 1000) & 3]}.{site.outline.host}"
    return f"http://{hosters[int(luck * 1e6) % len(hosters)]}/{site.outline.number}"


def _sections(chance: Random, outline: Outline, words: Words) -> tuple[list[Section], int, int]:
    """The parts of a site, its mask, and the length of its tunnel."""
    kind = KINDS[outline.kind]
    rich = _within(chance, kind.rich) if kind.rich is not None else 0
    slots = sorted(range(16), key=lambda _: chance.random())
    mask = sum(1 << slot for slot in slots[:rich])
    tunnel = (1 + (chance.random() < 0.5)) if rich and rich < 15 and chance.random() < 0.4 else 0
    groups = [(part, True) for part in _cut(slots[:rich], 1 + (chance.random() < 0.3))]
    groups += [(part, False) for part in _cut(slots[rich:], 1 + int(chance.random() * 4))]
    # What paths and classes say is drawn for each site: all, or nothing.
    tells_path, telling = chance.random() < 0.5, chance.random()
    lies = not rich and chance.random() < 0.06
    vague = sorted(VAGUE, key=lambda _: chance.random())
    wrap = _WRAPS[int(chance.random() * len(_WRAPS))]
    calm = sorted(words.sections, key=lambda _: chance.random())
    loud = sorted(words.marks, key=lambda _: chance.random())
    sections = []
    for place, (part, has_media) in enumerate(groups):
        claims = (has_media and tells_path) or (lies and not place)
        css = vague[place] if telling < 0.75 else vague[0]
        if (has_media and telling < 0.35) or (lies and not place):
            css = TELLING[int(chance.random() * len(TELLING))]
        name = loud[place] if claims else calm[place]
        sections.append(Section(tuple(sorted(part)), wrap.format(css), name, has_media))
    return sorted(sections, key=lambda section: section.slots), mask, tunnel


def _cut(slots: list[int], parts: int) -> list[list[int]]:
    groups = [slots[place::parts] for place in range(parts)]
    return [group for group in groups if group]
