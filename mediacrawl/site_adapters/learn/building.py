"""Writes what was learned as a site adapter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from mediacrawl import __version__
from mediacrawl.site_adapters.form import ANSWER, PAGE, URL
from mediacrawl.site_adapters.learn.facts import FactFinder
from mediacrawl.site_adapters.learn.lists import Marks
from mediacrawl.site_adapters.learn.mapper import Mapping
from mediacrawl.site_adapters.learn.pages import PageForm
from mediacrawl.site_adapters.learn.reach import Reach, Reached
from mediacrawl.site_adapters.learn.templates import Template
from mediacrawl.site_adapters.learn.tracing import Use, written_steps
from mediacrawl.site_adapters.learn.trees import json_path
from mediacrawl.site_adapters.learn.urls import braced
from mediacrawl.site_adapters.schema import FORM

_HEADERS = {"accept": "Accept", "x-requested-with": "X-Requested-With"}
"""Headers of a data request that are kept if the page's script set them."""
_LATEST = 4_102_444_800.0
"""The year 2100: later times of recordings are errors."""
_ANY = ("*/*", "")
_SENT = frozenset({"x-requested-with", "x-client-data"})
"""Headers that an adapter sends, and one that Chrome adds itself."""
_years = re.compile(r"(?<![0-9A-Za-z])(?:19|20)[0-9]{2}(?![0-9A-Za-z])").findall
_not_in_slot = re.compile(r"[^a-z0-9]+").sub
_not_in_name = re.compile(r"[^a-z0-9._-]+").sub


class Builder:
    """Makes the file's content of a mapping."""

    def __init__(self, reach: Reach, mapping: Mapping, page: PageForm) -> None:
        self._reach = reach
        self.mapping = mapping
        self._page = page
        before = {*reach.reached[mapping.role].needs, *mapping.needs}
        ordered = sorted((reach.reached[n] for n in before), key=lambda each: each.role.requests[0].entry.index)
        self.chain: list[Reached] = [*ordered, reach.reached[mapping.role]]
        self._step_of = {each.role.number: number for number, each in enumerate(self.chain, 1)}
        uses = [use for each in self.chain for use in each.template.uses]
        uses += [use for use in mapping.uses if not self._is_value(use)]
        self._uses = list(dict.fromkeys(uses))
        self._names: dict[Use, str] = {}

    @property
    def ignored(self) -> set[str]:
        """Parameters in which its data URLs may differ from those of the browser."""
        return {name for each in self.chain for name in each.ignored}

    def adapter(self, recordings: Sequence[str]) -> dict[str, Any]:
        """Return the content of the adapter's file."""
        slots = self._slots()
        records = self._records(slots)
        page = self._page.written(fetched=any(use.source.kind == PAGE for use in self._uses))
        return {
            "form": FORM,
            "name": _not_in_name("-", page["host"]).strip("-._")[:60] or "site",
            "page": page,
            **({"slots": slots} if slots else {}),
            "requests": [
                {
                    "url": self._filled(each.template),
                    **({"headers": headers} if (headers := headers_of(each)) else {}),
                    "read": each.role.trees[0].form,
                }
                for each in self.chain
            ],
            "records": records,
            "learned": self._learned(recordings),
        }

    def _is_value(self, use: Use) -> bool:
        """Whether a use is the value of the place of media: it is named ``value`` in templates, and is no slot."""
        media = self.mapping.media
        is_own = media.url is not None and use.source.kind == ANSWER and use.source.role == self.mapping.role
        return is_own and dict(use.source.place)["path"] == media.path and use.steps == media.steps

    def _slots(self) -> dict[str, Any]:
        slots, self._names = self._page.slots([use for use in self._uses if use.source.kind == URL])
        for use in self._uses:
            if use.source.kind != URL:
                base = _not_in_slot("_", use.source.name.lower())[:20].strip("_") or "value"
                base = base if base[0].isalpha() else f"v_{base}"
                name = next(each for each in (base, *(f"{base}_{n}" for n in range(2, 200))) if each not in slots)
                self._names[use] = name
                steps = {"as": written_steps(use.steps)} if use.steps else {}
                where = {"in": "page", **dict(use.source.place)}
                if use.source.kind == ANSWER:
                    path = json_path(dict(use.source.place)["path"])
                    where = {"in": f"answer {self._step_of[use.source.role]}", "json": path}
                slots[name] = {**where, **steps}
        return slots

    def _filled(self, template: Template) -> str:
        found = ""
        for part in template.parts:
            if isinstance(part, str):
                found += part
            else:
                found += f"{{{'value' if self._is_value(part) else self._names[part]}}}"
        return found

    def _records(self, slots: dict[str, Any]) -> dict[str, Any]:
        role, media, each = self.chain[-1].role, self.mapping.media, self.mapping.each
        marks = [Marks(visit) for visit in self._reach.visits]
        facts = FactFinder(role.trees, [one.entry.url for one in role.requests], marks, media.path, each).find()
        # What stands in earlier answers beside the values that lead to the last one.
        for use in self._uses if each is None else ():
            if use.source.kind == ANSWER and use.source.role != role.number:
                before = self._reach.reached[use.source.role].role
                urls = [one.entry.url for one in before.requests]
                earlier = FactFinder(before.trees, urls, marks, dict(use.source.place)["path"], None).find()
                for name, place in earlier.items():
                    if name in facts or name == "description":
                        continue  # what waits in the frontier is short
                    slots[f"fact_{name}"] = {"in": f"answer {self._step_of[before.number]}", "json": place.pop("json")}
                    facts[name] = {"slot": f"fact_{name}", **place}
        url = self._filled(media.url) if media.url is not None else media.base and f"{braced(media.base)}{{!value}}"
        place = {
            "json": json_path(media.path[len(each or ()) :]),
            **({"as": written_steps(media.steps)} if media.steps else {}),
            **({"url": url} if url else {}),
        }
        return {**({"each": json_path(each)} if each is not None else {}), "media": [place], **facts}

    def _learned(self, recordings: Sequence[str]) -> dict[str, Any]:
        times = [entry.started for visit in self._reach.visits for entry in visit.entries[:1]]
        found: dict[str, Any] = {
            "from": list(recordings)[:20],
            "pages": len({visit.address for visit in self._reach.visits}),
            "at": datetime.fromtimestamp(max((time for time in times if time < _LATEST), default=0.0), UTC)
            .date()
            .isoformat(),
            "by": f"mediacrawl {__version__}",
        }
        unproven = sorted({name for reached in self.chain for name in reached.dropped})
        return {**found, **({"unproven": unproven} if unproven else {})}

    def told(self) -> list[str]:
        """Return a sentence for each piece of the data URLs, each parameter that is left out, and the media."""
        found = [f"Pages are on {self._page.host}."]
        for step, reached in enumerate(self.chain, 1):
            found += [f"Data request {step} {what}." for what in _of_request(reached)]
        found.append(f"The media are at {json_path(self.mapping.media.path)} in answer {len(self.chain)}.")
        found += [f"The media's URLs have {_use(use)}." for use in dict.fromkeys(self.mapping.uses)]
        if self.mapping.each is not None:
            found.append(f"Each item of {json_path(self.mapping.each)} is a record of its own.")
        return found


def _of_request(reached: Reached) -> Iterator[str]:
    template = reached.template
    yield from (f"has {_use(use)}" for use in dict.fromkeys(template.uses))
    if not template.uses:
        yield "is the same on all pages"
    for year in sorted({year for part in template.parts if isinstance(part, str) for year in _years(part)}):
        yield f"has {year} on all recorded pages. If it is a year, record a page of another one"
    if reached.callback:
        yield f"has any name of a function in its parameter {reached.callback}"
    sent = set.intersection(*(set(answered.entry.request_headers) for answered in reached.role.requests))
    for name in sorted(name for name in sent if name.startswith("x-") and name not in _SENT)[:10]:
        yield f"is made without the header {name} that the page's script set (not proven)"
    for name, why in reached.dropped.items():
        yield f"leaves out the parameter {name} (not proven): {why}"


def _use(use: Use) -> str:
    steps = f", changed by {', '.join(map(str, written_steps(use.steps)))}" if use.steps else ""
    return f"{use.source.written}{steps}"


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
