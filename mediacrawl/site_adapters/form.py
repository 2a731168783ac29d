"""A site adapter as it is applied."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from mediacrawl.base.queued import ADAPTER
from mediacrawl.site_adapters.documents import Place
from mediacrawl.site_adapters.paths import JsonPath
from mediacrawl.site_adapters.patterns import PagePattern, Template, split

URL, PAGE, ANSWER, SLOT = "url", "page", "answer", "slot"
"""Where the value of a slot comes from."""
FACTS = ("title", "description", "artist", "album", "thumbnail", "duration", "date")
"""Fields of a record besides its media."""


@dataclass(frozen=True)
class Slot:
    """A value that is inserted in templates.

    `source` is `URL`, `PAGE`, `ANSWER` (to the data request `step`, from 1) or `SLOT` (made of the slot `of`).
    """

    name: str
    source: str
    step: int = 0
    of: str = ""
    place: Place = field(default_factory=Place)


@dataclass(frozen=True)
class RequestTemplate:
    """A data request; its answer is read as ``json``, ``jsonp``, ``xml``, ``html`` or ``text``."""

    url: Template
    headers: Mapping[str, Template]
    read: str


@dataclass(frozen=True)
class MediaPlace:
    """Where the URLs of media are. With a template `url` the value is inserted in it as ``{value}``."""

    place: Place
    url: Template | None = None


@dataclass(frozen=True)
class NextPage:
    """How the next page of a list is found: its URL is at `place`, or the number of a `parameter` grows by `step`.

    A URL without the parameter has the page `first`.
    """

    place: Place | None = None
    parameter: str = ""
    step: int = 1
    first: int = 1


@dataclass(frozen=True)
class Records:
    """What the last answer says of media: one record for each object at `each`, or one in all.

    `facts` are the places of `FACTS`, by name; units are those of numbers.
    """

    media: tuple[MediaPlace, ...]
    each: JsonPath | None = None
    facts: Mapping[str, Place] = field(default_factory=dict)
    duration_unit: str = "s"
    date_unit: str = "s"
    next: NextPage | None = None


@dataclass(frozen=True)
class SiteAdapter:
    """Maps pages of one site to data requests, and their answers to media.

    With `fetches_page` the page itself is requested, too. `written` is the content of its file, and `digest` a hash of
    that: a changed file is a new adapter.
    """

    name: str
    pages: PagePattern
    slots: Mapping[str, Slot]
    requests: tuple[RequestTemplate, ...]
    records: Records
    fetches_page: bool
    written: Mapping[str, Any]
    digest: str

    def match(self, url: str) -> dict[str, str] | None:
        """Return the slots of a page's URL; None if it is no page of this adapter."""
        parts = split(url)
        return None if parts is None else self.pages.match(parts)

    @cached_property
    def slots_of_page(self) -> tuple[Slot, ...]:
        """The slots whose values are in the page."""
        return tuple(slot for slot in self.slots.values() if slot.source == PAGE)

    @cached_property
    def slots_of_facts(self) -> frozenset[str]:
        """The slots that are facts of the records. A page may be without them."""
        return frozenset(place.slot for place in self.records.facts.values() if place.slot)

    def slots_of_answer(self, step: int) -> tuple[Slot, ...]:
        """Return the slots whose values are in an answer."""
        return tuple(slot for slot in self.slots.values() if slot.source == ANSWER and slot.step == step)

    def needed_slots(self, step: int) -> frozenset[str]:
        """Return the slots whose values are needed after the answer to a data request; with step 0 all of them."""
        waiting = [name for template in self._templates(step) for name in template.slots] + [*self.slots_of_facts]
        found = set[str]()
        while waiting:
            name = waiting.pop()
            slot = self.slots.get(name)
            if slot is not None and name not in found:
                found.add(name)
                waiting += [slot.of] if slot.source == SLOT else []
        return frozenset(found)

    def _templates(self, step: int) -> Iterable[Template]:
        for request in self.requests[step:]:
            yield request.url
            yield from request.headers.values()
        yield from (media.url for media in self.records.media if media.url is not None)

    def kept_slots(self, step: int, slots: Mapping[str, str]) -> dict[str, str]:
        """Return the slots that a waiting data request keeps."""
        needed = self.needed_slots(step - 1)
        return {name: value for name, value in slots.items() if name in needed}

    def mark(self, step: int, slots: Mapping[str, str], again: str = "") -> str:
        """Return what tells data requests of one URL apart, as a fragment (`base.queued`)."""
        later = self.needed_slots(step)
        told = sorted((name, value) for name, value in slots.items() if name in later)
        parts = [ADAPTER, self.name, again, sha256(json.dumps(told).encode()).hexdigest()[:16] if told else ""]
        return ":".join(parts).rstrip(":")
