"""Which media an answer names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mediacrawl.extract.texts import absolute, names_media
from mediacrawl.site_adapters.learn.steps import Step, Steps, apply
from mediacrawl.site_adapters.learn.trees import Path
from mediacrawl.site_adapters.learn.urls import without_fragment
from mediacrawl.site_adapters.learn.visits import Answered, Visit

MOST_NAMED = 5_000
"""Media of one answer that are looked at."""
_LONGEST_REFERENCE = 3_000
_looks_base64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}").fullmatch
_is_suffix = re.compile(r"[A-Za-z0-9]{2,5}").fullmatch
_is_reference = re.compile(r"(?:https?:)?/|[\w.-]+/|[\w.-]+\.\w{2,5}(?:\?|$)").match


@dataclass(frozen=True, slots=True)
class Named:
    """A medium in an answer.

    Attributes:
        url: absolute.
        steps: what makes it of the value.
        base: what stands before the value in the URL, if that is not the answer's own; else empty.
    """

    url: str
    steps: Steps
    base: str = ""


def named_media(answered: Answered, visit: Visit) -> dict[Path, Named]:
    """The media that an answer names: by their suffix, or because the browser asked for them."""
    key = answered.entry.index
    known = visit.named.get(key)
    if known is None:
        known = visit.named[key] = _named(answered, visit)
    return known


def _named(answered: Answered, visit: Visit) -> dict[Path, Named]:
    found: dict[Path, Named] = {}
    relative: dict[Path, str] = {}
    names = {_last_part(url) for url in visit.played.values()}
    for path, text in answered.tree.leaves.items():
        if len(found) == MOST_NAMED:
            break
        if 4 < len(text) <= _LONGEST_REFERENCE:
            for steps in _ways(text):
                value = (apply(text, steps) if steps else text) or ""
                if not names_media(value) and _last_part(value) not in names:
                    continue
                url = _url(answered.entry.url, value)
                if url and (names_media(url) or visit.is_played(url)):
                    found[path] = Named(url, steps)
                    if "//" not in value and not visit.is_played(url):
                        relative[path] = value.strip()
                    break
    return found | _on_base(found, relative, visit)


def _on_base(found: Mapping[Path, Named], relative: Mapping[Path, str], visit: Visit) -> dict[Path, Named]:
    """Media that are relative to another base than the answer: that of one which was played is that of all."""
    played = list(visit.played.values())
    bases = {base for value in relative.values() for base in _bases(value, played)}
    if len(bases) != 1:
        return {}
    base = bases.pop()
    return {path: Named(f"{base}{value}", found[path].steps, base) for path, value in relative.items()}


def _bases(value: str, played: Sequence[str]) -> Iterator[str]:
    tail = value if value.startswith("/") else f"/{value}"
    for url in played:
        if url.endswith(tail) and (base := url[: len(url) - len(value)]).count("/") > 1:
            yield base


def _last_part(url: str) -> str:
    return url.rstrip().rpartition("/")[2].partition("#")[0].partition("?")[0]


def _ways(text: str) -> Iterable[Steps]:
    yield ()
    if text[:12].lower().startswith(("http%3a%2f", "https%3a%2f", "%2f")):
        yield ("url_decode",)
    if _looks_base64(text):
        yield ("base64",)


def _url(base: str, value: str) -> str:
    written = value.strip()
    if not written or any(mark.isspace() for mark in written) or not _is_reference(written):
        return ""
    return without_fragment(absolute(base, written))


def differ(media: Sequence[Collection[str]]) -> bool:
    """Whether pages have media of their own: a jingle is the same on all."""
    sets = [frozenset(each) for each in media]
    return len(set(sets)) > 1 and all(sets)


def only_suffixes(urls: Iterable[str]) -> Step:
    """The step that leaves out all but files with the suffixes of some media."""
    names = {url.partition("?")[0].rpartition("/")[2] for url in urls}
    suffixes = sorted({name.rpartition(".")[2].lower() for name in names if _is_suffix(name.rpartition(".")[2])})
    return (("regex", rf"(?i)^([^?#]*\.(?:{'|'.join(suffixes)})(?:[?#].*)?)$"),)
