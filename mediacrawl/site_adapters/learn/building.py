"""Writes what was learned as a site adapter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from mediacrawl import __version__
from mediacrawl.site_adapters.form import ANSWER, PAGE, URL
from mediacrawl.site_adapters.learn.facts import FactFinder
from mediacrawl.site_adapters.learn.lists import Marks
from mediacrawl.site_adapters.learn.mappings import Mapping as MediaMapping
from mediacrawl.site_adapters.learn.mappings import MediaPlace
from mediacrawl.site_adapters.learn.pages import PageForm
from mediacrawl.site_adapters.learn.reach import Reach, Reached
from mediacrawl.site_adapters.learn.steps import written as written_steps
from mediacrawl.site_adapters.learn.templates import Template
from mediacrawl.site_adapters.learn.tracing import Use, names_of
from mediacrawl.site_adapters.learn.trees import json_path
from mediacrawl.site_adapters.schema import FORM

_HEADERS = {"accept": "Accept", "x-requested-with": "X-Requested-With"}
"""Headers of a data request that are kept if the page's script set them."""
_LATEST = 4_102_444_800.0
"""The year 2100: later times of recordings are errors."""
_ANY = ("*/*", "")
_years = re.compile(r"(?<![0-9A-Za-z])(?:19|20)[0-9]{2}(?![0-9A-Za-z])").findall
_not_in_name = re.compile(r"[^a-z0-9._-]+").sub


class Builder:
    """Makes the file's content of a mapping."""

    def __init__(self, reach: Reach, mapping: MediaMapping, page: PageForm) -> None:
        self._reach = reach
        self._mapping = mapping
        self._page = page
        wanted = [*reach.chain(mapping.role)[:-1], *(reach.reached[n] for n in mapping.needs)]
        before = {each.role.number: each for each in wanted}
        ordered = sorted(before.values(), key=lambda each: each.role.requests[0].entry.index)
        self.chain: list[Reached] = [*ordered, reach.reached[mapping.role]]
        self._step_of = {each.role.number: number for number, each in enumerate(self.chain, 1)}
        uses = [use for each in self.chain for use in each.template.uses]
        uses += [use for use in mapping.uses if not self._is_value(use)]
        self._uses = list(dict.fromkeys(replace(use, is_raw=False) for use in uses))
        self._names: Mapping[Use, str] = {}

    def adapter(self, recordings: Sequence[str]) -> dict[str, Any]:
        """The content of the adapter's file."""
        slots = self._slots()
        in_page = any(use.source.kind == PAGE for use in self._uses)
        page = self._page.written(fetched=in_page)
        return {
            "form": FORM,
            "name": _not_in_name("-", page["host"].removeprefix("*.")).strip("-._")[:60] or "site",
            "page": page,
            **({"slots": slots} if slots else {}),
            "requests": [self._request(each) for each in self.chain],
            "records": self._records(),
            "learned": self._learned(recordings),
        }

    def _is_value(self, use: Use) -> bool:
        """Whether a use is the value of a place of media: it is named ``value`` in templates, and is no slot."""
        return any(
            use.source.kind == ANSWER
            and use.source.role == self._mapping.role
            and dict(use.source.place)["path"] == each.path
            and use.steps == each.steps
            for each in self._mapping.media
            if each.url is not None
        )

    # Slots

    def _slots(self) -> dict[str, Any]:
        slots, names = self._page.slots([use for use in self._uses if use.source.kind == URL])
        others = [use for use in self._uses if use.source.kind != URL]
        taken = {**names}
        for use, name in names_of(others).items():
            free = next(each for each in (name, *(f"{name}_{n}" for n in range(2, 200))) if each not in slots)
            taken[use] = free
            slots[free] = self._slot(use)
        self._names = taken
        return slots

    def _slot(self, use: Use) -> dict[str, Any]:
        steps = {"as": written_steps(use.steps)} if use.steps else {}
        if use.source.kind == PAGE:
            return {"in": "page", **{k: v for k, v in use.source.place if k != "label"}, **steps}
        path = json_path(dict(use.source.place)["path"])
        return {"in": f"answer {self._step_of[use.source.role]}", "json": path, **steps}

    def _filled(self, template: Template) -> str:
        return "".join(part if isinstance(part, str) else self._written_use(part) for part in template.parts)

    def _written_use(self, use: Use) -> str:
        mark = "!" if use.is_raw else ""
        if self._is_value(use):
            return f"{{{mark}value}}"
        name = self._names[replace(use, is_raw=False)]
        return f"{{{mark}{name}}}"

    # Requests

    def _request(self, each: Reached) -> dict[str, Any]:
        headers = headers_of(each)
        form = each.role.trees[0].form
        return {"url": self._filled(each.template), **({"headers": headers} if headers else {}), "read": form}

    # Records

    def _records(self) -> dict[str, Any]:
        role = self.chain[-1].role
        values = [self._reach.tracer.values_of(use) for each in self.chain for use in each.template.uses]
        marks = [Marks(visit, [each[n] for each in values if each]) for n, visit in enumerate(self._reach.visits)]
        finder = FactFinder(role.trees, [each.entry.url for each in role.requests], marks)
        facts = finder.find(self._mapping.media[0].path, self._mapping.each)
        each_path = self._mapping.each
        each = {"each": json_path(each_path)} if each_path is not None else {}
        media = [self._media(place) for place in self._mapping.media]
        return {**each, "media": media, **facts}

    def _media(self, place: MediaPlace) -> dict[str, Any]:
        path = json_path(place.path[len(self._mapping.each or ()) :])
        steps = {"as": written_steps(place.steps)} if place.steps else {}
        url = {"url": self._filled(place.url)} if place.url is not None else {}
        return {"json": path, **steps, **url}

    def _started(self) -> list[float]:
        """When the pages were recorded, in seconds since 1970, as far as it is known."""
        times = [entry.started for visit in self._reach.visits for entry in visit.entries[:1]]
        return [time for time in times if 0 < time < _LATEST] or [0.0]

    def _learned(self, recordings: Sequence[str]) -> dict[str, Any]:
        dropped = [each for reached in self.chain for each in reached.dropped]
        found: dict[str, Any] = {
            "from": list(recordings)[:20],
            "pages": len({visit.address for visit in self._reach.visits}),
            "at": datetime.fromtimestamp(max(0.0, *self._started()), UTC).date().isoformat(),
            "by": f"mediacrawl {__version__}",
        }
        unproven = sorted({each.name for each in dropped})
        return {**found, **({"unproven": unproven} if unproven else {})}


def headers_of(reached: Reached) -> dict[str, str]:
    """Return the headers that the page's script set, if they are the same on all pages."""
    found = {}
    each = [answered.entry.request_headers for answered in reached.role.requests]
    for name, written in _HEADERS.items():
        values = {headers.get(name, "") for headers in each}
        value = values.pop() if len(values) == 1 else ""
        if value not in _ANY and value.isprintable() and value.isascii() and len(value) < 300:
            found[written] = value.replace("{", "{{").replace("}", "}}")
    return found


_SENT = frozenset({"x-requested-with", "x-client-data"})
"""Headers that an adapter sends, and one that Chrome adds itself."""


def told(chain: Sequence[Reached], mapping: MediaMapping, form: PageForm) -> list[str]:
    """One sentence for each piece of the data URLs, each parameter that is left out, and the media."""
    found = [f"Pages are on {form.host}."]
    for step, each in enumerate(chain, 1):
        found += _of_request(step, each)
    for place in mapping.media:
        found.append(f"The media are at {json_path(place.path)} in answer {len(chain)}.")
    found += [f"The media's URLs have {_use(use)}." for use in dict.fromkeys(mapping.uses)]
    if mapping.each is not None:
        found.append(f"Each item of {json_path(mapping.each)} is a record of its own.")
    return found


def _of_request(step: int, reached: Reached) -> Iterator[str]:
    for use in dict.fromkeys(reached.template.uses):
        yield f"Data request {step} has {_use(use)}."
    if not reached.template.uses:
        yield f"Data request {step} is the same on all pages."
    texts = [part for part in reached.template.parts if isinstance(part, str)]
    for year in sorted({year for text in texts for year in _years(text)}):
        yield f"Data request {step} has {year} on all recorded pages. If it is a year, record a page of another one."
    if reached.callback:
        yield f"Data request {step} has any name of a function in its parameter {reached.callback}."
    for name in _other_headers(reached):
        yield f"Data request {step} is made without the header {name} that the page's script set (not proven)."
    for each in reached.dropped:
        yield f"Data request {step} leaves out the parameter {each.name} (not proven): {each.why}."


def _use(use: Use) -> str:
    steps = f", changed by {', '.join(map(str, written_steps(use.steps)))}" if use.steps else ""
    return f"{use.source.written}{steps}"


def _other_headers(reached: Reached) -> list[str]:
    """Headers of the page's script that an adapter cannot send."""
    each = [set(answered.entry.request_headers) for answered in reached.role.requests]
    return sorted(name for name in set.intersection(*each) if name.startswith("x-") and name not in _SENT)[:10]
