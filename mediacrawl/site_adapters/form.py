"""A site adapter as it is applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mediacrawl.site_adapters.documents import Place
from mediacrawl.site_adapters.paths import JsonPath, XmlPath
from mediacrawl.site_adapters.patterns import PagePattern, Template, split

URL, PAGE, ANSWER, SLOT = "url", "page", "answer", "slot"
"""Where the value of a slot comes from."""
TEXTS = ("title", "description", "artist", "album")
"""Fields of a record that are texts."""


@dataclass(frozen=True)
class Slot:
    """A value that is inserted in templates.

    Attributes:
        name: of it.
        source: `URL`, `PAGE`, `ANSWER` or `SLOT`.
        step: of the data request, from 1, if the source is its answer.
        of: the slot that it is made of, if the source is one.
        place: in the page or the answer.
    """

    name: str
    source: str
    step: int = 0
    of: str = ""
    place: Place = field(default_factory=Place)


@dataclass(frozen=True)
class RequestTemplate:
    """A data request.

    Attributes:
        url: template.
        headers: templates, by name.
        read: form of the answer: ``json``, ``jsonp``, ``xml``, ``html`` or ``text``.
    """

    url: Template
    headers: Mapping[str, Template]
    read: str


@dataclass(frozen=True)
class MediaPlace:
    """Where the URLs of media are.

    Attributes:
        place: in the answer, or in an object of it.
        url: template around ``{value}``; None if the value is the URL.
    """

    place: Place
    url: Template | None = None


@dataclass(frozen=True)
class NextPage:
    """How the next page of a list is found.

    Attributes:
        place: of its URL in the answer; None if a parameter grows.
        parameter: of the data request's URL.
        step: how much its number grows.
        first: its number for the first page, if the URL has none.
    """

    place: Place | None = None
    parameter: str = ""
    step: int = 1
    first: int = 1


@dataclass(frozen=True)
class Records:
    """What the last answer says of media.

    Attributes:
        each: path of the objects, one a record; None if the answer is about one.
        media: places of URLs.
        texts: places of `TEXTS` and ``thumbnail``, by name.
        duration, date: their places; None if it has none.
        duration_unit, date_unit: of a number.
        next: of the next page of a list; None if there is none.
    """

    media: tuple[MediaPlace, ...]
    each: JsonPath | XmlPath | None = None
    texts: Mapping[str, Place] = field(default_factory=dict)
    duration: Place | None = None
    duration_unit: str = "s"
    date: Place | None = None
    date_unit: str = "s"
    next: NextPage | None = None


@dataclass(frozen=True)
class SiteAdapter:
    """Maps pages of one site to data requests, and their answers to media.

    Attributes:
        name: in stats, logs and reports.
        pages: pattern of the pages.
        slots: by name.
        requests: the data requests, in order.
        records: what the last answer says.
        fetches_page: whether the page itself is requested, too.
        written: the file's content, as parsed.
        digest: hash of the file: a changed file is a new adapter.
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
        """The slots of a page's URL; None if it is no page of this adapter."""
        parts = split(url)
        return None if parts is None else self.pages.match(parts)

    @cached_property
    def slots_of_page(self) -> tuple[Slot, ...]:
        """The slots whose values are in the page."""
        return tuple(slot for slot in self.slots.values() if slot.source == PAGE)

    def slots_of_answer(self, step: int) -> tuple[Slot, ...]:
        """The slots whose values are in an answer."""
        return tuple(slot for slot in self.slots.values() if slot.source == ANSWER and slot.step == step)
