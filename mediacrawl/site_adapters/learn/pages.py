"""The form that the URLs of a site's pages have in common: constant parts and slots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from mediacrawl.site_adapters.form import URL
from mediacrawl.site_adapters.learn.secrets import kind_of, random_parts
from mediacrawl.site_adapters.learn.sources import PARAMETER, SEGMENT, Source, Values
from mediacrawl.site_adapters.learn.tracing import Use, written_steps
from mediacrawl.site_adapters.learn.urls import Url, braced, common_end, literal

_MOST_QUERY = 20
"""Parameters of a page's URL that its pattern may name."""
_TRACKING = re.compile(r"utm_|fbclid|gclid|msclkid|mc_|_ga|yclid|igshid", re.IGNORECASE).match
_suffix = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,5}").fullmatch
_plain = re.compile(r"[^a-z0-9]+").sub
_word = re.compile(r"[A-Za-z0-9_-]{1,24}").fullmatch
_hex = re.compile(r"(?=.*[0-9])(?=.*[a-fA-F])[0-9A-Fa-f]{8,}").fullmatch


class PageForm:
    """What pages have in common in their URLs.

    Raises:
        ValueError: they have nothing in common. The message is a sentence.
    """

    def __init__(self, urls: Sequence[Url]) -> None:
        self._urls = urls
        self.host = urls[0].host
        if hosts := {url.host for url in urls} - {self.host}:
            raise ValueError(
                f"The pages are on several hosts ({self.host}, {', '.join(sorted(hosts)[:3])}); learn from the"
                " recordings of one host at a time."
            )
        if len({len(url.segments) for url in urls}) > 1:
            raise ValueError("The URLs of the pages have different numbers of segments, so that they have no one form.")
        columns = [[each.value for each in column] for column in zip(*(url.segments for url in urls), strict=True)]
        # Number of each segment that differs -> the ending that it has on all pages, such as ``.html``.
        self._endings = {number: _ending(texts) for number, texts in enumerate(columns) if len(set(texts)) > 1}

    def _value(self, url: Url, number: int) -> str:
        return url.segments[number].value.removesuffix(self._endings[number])

    def values(self, url: Url) -> Values:
        """Return the values in the URL of a page."""
        found = {Source(URL, ((SEGMENT, number),)): self._value(url, number) for number in self._endings}
        for each in url.parameters:
            found.setdefault(Source(URL, ((PARAMETER, each.name),), each.name), each.value)
        return found

    def slots(self, uses: Iterable[Use]) -> tuple[dict[str, Any], dict[Use, str]]:
        """Return the slots of the page's URL with what is made of them, and the name of each use."""
        wanted = list(dict.fromkeys(uses))
        slots: dict[str, Any] = {}
        self._names: dict[tuple[str, Any], str] = {}
        used = list(dict.fromkeys(use.source.place[0] for use in wanted))
        unused = [(SEGMENT, number) for number in self._endings if (SEGMENT, number) not in used]
        for place in (*used, *unused):
            name = self._name(place, slots, is_used=place in used)
            self._names[place] = name
            slots[name] = {"in": "url", "like": self._like(place, is_used=place in used)}
        names = {}
        for use in wanted:
            base = self._names[use.source.place[0]]
            names[use] = base
            if use.steps:
                names[use] = next(n for n in (f"{base}_{each}" for each in range(2, 200)) if n not in slots)
                slots[names[use]] = {"in": f"slot {base}", "as": written_steps(use.steps)}
        return slots, names

    def written(self, *, fetched: bool) -> dict[str, Any]:
        """Return the pattern of the pages; `slots` was called before."""
        first = self._urls[0]
        count = len(first.segments)
        path = "".join(f"/{self._segment(number)}" for number in range(count))
        query = self._query()
        return {
            "host": self.host,
            "path": path,
            **({"query": query} if query else {}),
            **({"fetched": True} if fetched else {}),
        }

    def _segment(self, number: int) -> str:
        if number not in self._endings:
            return braced(self._urls[0].segments[number].raw)
        return f"{{{self._names[SEGMENT, number]}}}{literal(self._endings[number], SEGMENT)}"

    def _query(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for each in self._urls[0].parameters:
            values = [{one.name: one.value for one in url.parameters}.get(each.name) for url in self._urls]
            slot = self._names.get((PARAMETER, each.name))
            if None in values or kind_of(each.name, each.value) or len(found) == _MOST_QUERY:
                continue
            if slot is not None:
                found[each.name] = f"{{{slot}}}"
            elif len(set(values)) == 1 and not _TRACKING(each.name) and not random_parts(each.value):
                found[each.name] = braced(each.value)
        return found

    def _name(self, place: tuple[str, Any], taken: dict[str, Any], *, is_used: bool) -> str:
        base = "id" if is_used else "part"
        if place[0] == PARAMETER:
            base = _plain("_", place[1].lower()).strip("_")[:20] or "id"
            base = base if base[0].isalpha() else f"p_{base}"
        return next(each for each in (base, *(f"{base}_{n}" for n in range(2, 200))) if each not in taken)

    def _like(self, place: tuple[str, Any], *, is_used: bool) -> str:
        where, which = place
        if where == PARAMETER:
            values = [each.value for url in self._urls for each in url.parameters if each.name == which]
        else:
            values = [self._value(url, which) for url in self._urls]
        if all(value.isdecimal() and value.isascii() for value in values):
            return "digits"
        if all(_hex(value) for value in values) and len({len(value) for value in values}) == 1:
            return "hex"
        # The title of another page may have letters of any script.
        if where == PARAMETER and not all(_word(value) for value in values):
            return "path"
        return "word" if is_used and all(_word(value) and value.count("-") < 2 for value in values) else "segment"


def _ending(texts: Sequence[str]) -> str:
    """The ending that all texts have, such as ``.html``."""
    common = common_end(texts)
    ending = common[common.rfind(".") :] if "." in common else ""
    return ending if _suffix(ending) and all(len(text) > len(ending) for text in texts) else ""
