"""Which media an answer names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mediacrawl.extract.texts import absolute, names_media
from mediacrawl.site_adapters.learn.trees import Path
from mediacrawl.site_adapters.learn.visits import Answered, Visit

MOST_NAMED = 5_000
"""Media of one answer that are looked at."""
_LONGEST_REFERENCE = 3_000
_is_reference = re.compile(r"(?:(?:https?:)?/|[\w.-]+/|[\w.-]+\.\w{2,5}(?:\?|$))\S*").fullmatch


@dataclass(frozen=True, slots=True)
class Named:
    """A medium in an answer: its absolute URL, and what stands before the value in it, if not the answer's own."""

    url: str
    base: str = ""


def named_media(answered: Answered, visit: Visit) -> dict[Path, Named]:
    """Return the media that an answer names: by their suffix, or because the browser asked for them."""
    key = answered.entry.index
    if key not in visit.named:
        visit.named[key] = _named(answered, visit)
    return visit.named[key]


def _named(answered: Answered, visit: Visit) -> dict[Path, Named]:
    found: dict[Path, Named] = {}
    relative: dict[Path, str] = {}
    names = {_last_part(url) for url in visit.played.values()}
    for path, text in answered.tree.leaves.items():
        if len(found) == MOST_NAMED:
            break
        value = text.strip() if 4 < len(text) <= _LONGEST_REFERENCE else ""
        if not (names_media(value) or _last_part(value) in names) or not _is_reference(value):
            continue
        url = absolute(answered.entry.url, value).partition("#")[0]
        if url and (names_media(url) or visit.is_played(url)):
            found[path] = Named(url)
            if "//" not in value and not visit.is_played(url):
                relative[path] = value
    return found | _on_base(relative, visit)


def _on_base(relative: Mapping[Path, str], visit: Visit) -> dict[Path, Named]:
    """Return media that are relative to another base than the answer: that of one which was played is that of all."""
    bases = {
        url[: len(url) - len(value)]
        for value in relative.values()
        for url in visit.played.values()
        if url.endswith(value if value.startswith("/") else f"/{value}")
    }
    base = bases.pop() if len(bases) == 1 else ""
    if base.count("/") < 2:
        return {}
    return {path: Named(f"{base}{value}", base) for path, value in relative.items()}


def _last_part(url: str) -> str:
    return url.rstrip().rpartition("/")[2].partition("#")[0].partition("?")[0]
