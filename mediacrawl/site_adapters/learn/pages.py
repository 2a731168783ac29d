"""The form that the URLs of a site's pages have in common: constant parts and slots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mediacrawl.site_adapters.form import URL
from mediacrawl.site_adapters.learn.secrets import kind_of, random_parts
from mediacrawl.site_adapters.learn.sources import PARAMETER, SEGMENT, Source, Values
from mediacrawl.site_adapters.learn.steps import written as written_steps
from mediacrawl.site_adapters.learn.tracing import Use
from mediacrawl.site_adapters.learn.urls import Url, braced, common, common_end, literal
from mediacrawl.site_adapters.patterns import site_of

_MOST_QUERY = 20
"""Parameters of a page's URL that its pattern may name."""
_TRACKING = re.compile(r"utm_|fbclid|gclid|msclkid|mc_|_ga|yclid|igshid", re.IGNORECASE).match
_suffix = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,5}").fullmatch
_prefix = re.compile(r"(?:[A-Za-z]+[-_.,:~=@]+|[A-Za-z]{3,})").fullmatch
_has_digit = re.compile(r"[0-9]").search
_plain = re.compile(r"[^a-z0-9]+").sub
_word = re.compile(r"[A-Za-z0-9_-]{1,24}").fullmatch
_hex = re.compile(r"(?=.*[0-9])(?=.*[a-fA-F])[0-9A-Fa-f]{8,}").fullmatch


@dataclass(frozen=True, slots=True)
class _Frame:
    """A segment of the path that differs from page to page.

    Attributes:
        before: text in front of its value that is the same on all pages.
        after: text behind it.
    """

    before: str = ""
    after: str = ""

    def value(self, text: str) -> str:
        return text[len(self.before) : len(text) - len(self.after)]


class PageForm:
    """What pages have in common in their URLs.

    Raises:
        ValueError: they have nothing in common. The message is a sentence.
    """

    def __init__(self, urls: Sequence[Url]) -> None:
        self._urls = urls
        self.host = _host({url.host for url in urls})
        lengths = {len(url.segments) for url in urls}
        if len(lengths) > 1:
            raise ValueError("The URLs of the pages have different numbers of segments, so that they have no one form.")
        self._frames = {number: _frame(texts) for number, texts in self._columns() if len(set(texts)) > 1}

    def _columns(self) -> list[tuple[int, list[str]]]:
        count = len(self._urls[0].segments)
        return [(number, [url.segments[number].value for url in self._urls]) for number in range(count)]

    def values(self, url: Url) -> Values:
        """The values in the URL of a page."""
        found: Values = {}
        for number, frame in self._frames.items():
            # The name of a source is the same on all pages.
            is_named = number > 0 and number - 1 not in self._frames
            name = self._urls[0].segments[number - 1].value.rstrip("s") if is_named else ""
            found[Source(URL, ((SEGMENT, number),), name, 0)] = frame.value(url.segments[number].value)
        for each in url.parameters:
            found.setdefault(Source(URL, ((PARAMETER, each.name),), each.name, 0), each.value)
        return found

    def fits(self, url: Url) -> bool:
        """Whether the URL of another page may have this form."""
        return url.host == self._urls[0].host and len(url.segments) == len(self._urls[0].segments)

    # As the adapter has it

    def slots(self, uses: Iterable[Use]) -> tuple[dict[str, Any], dict[Use, str]]:
        """The slots of the page's URL with what is made of them, and the name of each use."""
        wanted = list(dict.fromkeys(uses))
        slots: dict[str, Any] = {}
        self._names: dict[tuple[str, Any], str] = {}
        used = list(dict.fromkeys(use.source.place[0] for use in wanted))
        unused = [(SEGMENT, number) for number in self._frames if (SEGMENT, number) not in used]
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
        """The pattern of the pages; `slots` was called before."""
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
        frame = self._frames.get(number)
        if frame is None:
            return braced(self._urls[0].segments[number].raw)
        name = self._names[SEGMENT, number]
        return f"{literal(frame.before, SEGMENT)}{{{name}}}{literal(frame.after, SEGMENT)}"

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
            values = [self._frames[which].value(url.segments[which].value) for url in self._urls]
        if all(value.isdecimal() and value.isascii() for value in values):
            return "digits"
        if all(_hex(value) for value in values) and len({len(value) for value in values}) == 1:
            return "hex"
        # The title of another page may have letters of any script.
        if where == PARAMETER and not all(_word(value) for value in values):
            return "path"
        return "word" if is_used and all(_word(value) and value.count("-") < 2 for value in values) else "segment"


def _host(hosts: set[str]) -> str:
    if len(hosts) == 1:
        return next(iter(hosts))
    labels = [host.split(".") for host in hosts]
    shared = ".".join(labels[0][1:])
    if len(labels[0]) > 2 and all(".".join(each[1:]) == shared for each in labels) and site_of(f"x.{shared}") == shared:
        return f"*.{shared}"
    raise ValueError(
        f"The pages are on several hosts ({', '.join(sorted(hosts)[:4])}); learn from the recordings of one host at a"
        " time."
    )


def _frame(texts: Sequence[str]) -> _Frame:
    """The constant texts around what differs: an ending such as ``.html``, and a word in front of a number."""
    after = common_end(texts)
    after = after[after.rfind(".") :] if "." in after else ""
    if not _suffix(after) or any(len(text) == len(after) for text in texts):
        after = ""
    inner = [text[: len(text) - len(after)] for text in texts]
    before = common(inner)
    while before and not _prefix(before):
        before = before[:-1]
    rests = [text[len(before) :] for text in inner]
    is_number = all(_has_digit(rest) for rest in rests) and not any("-" in rest for rest in rests)
    if not before or not is_number or (before[-1].isalnum() and not all(rest.isdecimal() for rest in rests)):
        before = ""
    return _Frame(before, after)
