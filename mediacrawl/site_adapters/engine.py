"""Applies a site adapter: from the URL of a page to data requests, and from their answers to media.

The crawl, ``scrapy adapters try`` and the learner go the same way: `SiteAdapter.match`, `page_slots` if the page is
needed, then for each step `data_request` and `read_answer`. Nothing here makes a request.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from mediacrawl.base.times import moment, seconds
from mediacrawl.base.urls import absolute
from mediacrawl.site_adapters.documents import Node, UnreadableError
from mediacrawl.site_adapters.form import SLOT, MediaPlace, NextPage, SiteAdapter, Slot
from mediacrawl.site_adapters.patterns import Template, split
from mediacrawl.site_adapters.transforms import changed

LONGEST_URL = 2_000
"""Characters of a data URL, as the crawl's scope has it for any URL."""
_LONGEST_SLOT = 2_000
MOST_RECORDS = 5_000
"""Records of one answer, as many as entries of a list."""
_MOST_MEDIA = 20
"""URLs of media of one record: the same file in several qualities."""
_MOST_PARAMETERS = 100
_MOST_DIGITS = 15
"""Of the number of a list's page."""
_LONGEST_TEXT = 200
"""Characters of a fact that is a text."""
_NO_LINK = frozenset({"true", "false"})
"""Values that are no relative URL: sites write ``"file": false`` for a medium that is gone."""
_UNITS = {"s": 1.0, "ms": 0.001, "min": 60.0}


class Miss(Exception):  # noqa: N818 - it is no fault of the program: the site has changed, or this page has no media
    """A page or an answer is not as the adapter says, at the step ``page``, ``request 1``, ``answer 1`` or ``records``.

    The reason is one sentence without its full stop.
    """

    def __init__(self, step: str, why: str) -> None:
        super().__init__(f"{step}: {why}")
        self.step = step
        self.why = why


@dataclass(frozen=True)
class DataRequest:
    """A request for data: absolute URL, headers (never cookies or credentials), and the form of the answer."""

    url: str
    headers: Mapping[str, str]
    read: str


@dataclass(frozen=True)
class FoundRecord:
    """What an answer says of one medium: URLs of one file or manifest, perhaps in several qualities, and facts.

    A fact that is unknown is empty. The duration is in decimal seconds, the date as ISO 8601. `places` says where each
    field stood, by its name: ``video.title``.
    """

    media: tuple[str, ...]
    title: str = ""
    description: str = ""
    artist: str = ""
    album: str = ""
    duration: str = ""
    date: str = ""
    thumbnail: str = ""
    places: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Answer:
    """What an answer gives: all slots that are known now, and of the last answer the records.

    `next` is the URL of the next page of a list, and `cut` how many records there were beyond `MOST_RECORDS`.
    """

    slots: Mapping[str, str]
    records: tuple[FoundRecord, ...] = ()
    next: str = ""
    cut: int = 0


def page_slots(
    adapter: SiteAdapter, slots: Mapping[str, str], body: bytes, url: str, content_type: str = ""
) -> dict[str, str]:
    """Return the slots of a page, with those whose values are in it.

    Raises:
        Miss: the page has not what the adapter says.
    """
    if not adapter.slots_of_page:
        return dict(slots)
    node = _read(body, "html", url, content_type, "page")
    return _with_slots(slots, adapter.slots_of_page, node, "page", adapter.slots_of_facts)


def data_request(adapter: SiteAdapter, step: int, slots: Mapping[str, str]) -> DataRequest:
    """Return the data request of a step.

    Raises:
        Miss: the values of the slots give no URL.
    """
    template, name = adapter.requests[step - 1], f"request {step}"
    values = _derived(
        adapter, slots, template.url.slots + [each for h in template.headers.values() for each in h.slots]
    )
    url = _filled(template.url, values, name)
    if split(url) is None or len(url) > LONGEST_URL or any(mark.isspace() for mark in url):
        raise Miss(name, f"{url[:200]!r} is no URL of at most {LONGEST_URL} characters")
    headers = {header: _filled(text, values, name) for header, text in template.headers.items()}
    if any(not text.isprintable() or not text.isascii() for text in headers.values()):
        raise Miss(name, "a value has characters that no header may have")
    return DataRequest(url, headers, template.read)


def read_answer(
    adapter: SiteAdapter,
    step: int,
    slots: Mapping[str, str],
    body: bytes,
    url: str,
    *,
    content_type: str = "",
    page_number: int = 1,
) -> Answer:
    """Return what the answer to a data request gives: slots, or after the last request records.

    Raises:
        Miss: the answer has not what the adapter says, or no media.
    """
    name = f"answer {step}"
    node = _read(body, adapter.requests[step - 1].read, url, content_type, name)
    found = _with_slots(slots, adapter.slots_of_answer(step), node, name, adapter.slots_of_facts)
    if step < len(adapter.requests):
        return Answer(found)
    each = adapter.records.each
    nodes = [node] if each is None else [Node(value=value) for value in each.find(node.value)]
    records = tuple(filter(None, (_record(adapter, one, found, url) for one in nodes[:MOST_RECORDS])))
    if not records and page_number == 1:
        places = ", ".join(each.place.written for each in adapter.records.media)
        raise Miss("records", f"the answer names no media at {places}")
    following = _next(adapter.records.next, node, url, page_number) if records else ""
    return Answer(found, records, following, max(len(nodes) - MOST_RECORDS, 0))


def _read(body: bytes, form: str, url: str, content_type: str, name: str) -> Node:
    try:
        return Node.read(body, form, url, content_type)
    except UnreadableError as error:
        raise Miss(name, f"it {error}") from error


def _with_slots(
    slots: Mapping[str, str], wanted: Iterable[Slot], node: Node, name: str, optional: Collection[str]
) -> dict[str, str]:
    found = dict(slots)
    for slot in wanted:
        value = slot.place.first(node)
        if value and len(value) <= _LONGEST_SLOT:
            found[slot.name] = value
        elif slot.name not in optional:
            raise Miss(name, f"there is no value for the slot {slot.name} at {slot.place.written}")
    return found


def _derived(adapter: SiteAdapter, slots: Mapping[str, str], names: Iterable[str]) -> dict[str, str]:
    """The slots, with those of these names that are made of others."""
    found = dict(slots)
    for name in names:
        chain = [name]
        while chain[-1] not in found and (slot := adapter.slots.get(chain[-1])) and slot.source == SLOT:
            chain.append(slot.of)
        value: str | None = found.get(chain.pop())
        for made in reversed(chain):
            value = None if value is None else changed(value, adapter.slots[made].place.steps)
            if value is not None:
                found[made] = value
    return found


def _filled(template: Template, values: Mapping[str, str], name: str) -> str:
    try:
        return template.fill(values)
    except KeyError as error:
        raise Miss(name, f"there is no value for the slot {error.args[0]}") from error


def _record(adapter: SiteAdapter, node: Node, slots: Mapping[str, str], url: str) -> FoundRecord | None:
    wanted = adapter.records
    media = [link for place in wanted.media for link in _media(adapter, place, node, slots, url)]
    if not media:
        return None
    fields: dict[str, str] = {}
    for name, place in wanted.facts.items():
        value = slots.get(place.slot, "") if place.slot else place.first(node)
        if name == "thumbnail":
            fields[name] = absolute(url, value)
        elif name == "duration":
            fields[name] = _duration(value, wanted.duration_unit)
        else:
            fields[name] = _date(value, wanted.date_unit) if name == "date" else " ".join(value.split())[:_LONGEST_TEXT]
    written = {name: place.written for name, place in wanted.facts.items() if fields[name]}
    return FoundRecord(tuple(dict.fromkeys(media))[:_MOST_MEDIA], **fields, places=written)


def _media(adapter: SiteAdapter, wanted: MediaPlace, node: Node, slots: Mapping[str, str], url: str) -> Iterable[str]:
    for value in wanted.place.find(node):
        link = value
        if wanted.url is not None:
            values = _derived(adapter, slots, wanted.url.slots) | {"value": value}
            link = _filled(wanted.url, values, "records")
        elif value in _NO_LINK:
            continue
        if (found := absolute(url, link)) and found.partition("#")[0] != url:
            yield found


def _duration(text: str, unit: str) -> str:
    number = _number(text) if unit != "s" else None
    return seconds(f"{number * _UNITS[unit]:.6f}") if number is not None else seconds(text) if unit == "s" else ""


def _date(text: str, unit: str) -> str:
    number = _number(text) if len(text) > 8 else None
    if number is None:
        return moment(text)
    try:
        return datetime.fromtimestamp(number * _UNITS[unit], UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        return ""


def _number(text: str) -> float | None:
    plain = text.strip()
    is_number = len(plain) < 25 and plain.isascii() and plain.replace(".", "", 1).isdigit()
    return float(plain) if is_number else None


def _next(wanted: NextPage | None, node: Node, url: str, page_number: int) -> str:
    if wanted is None:
        return ""
    if wanted.place is not None:
        link = absolute(url, wanted.place.first(node))
        return link if link != url and len(link) <= LONGEST_URL else ""
    parts = urlsplit(url)
    try:
        given = parse_qsl(parts.query, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS)
    except ValueError:
        return ""
    now = next((text for name, text in given if name == wanted.parameter), None)
    is_number = now is not None and len(now) <= _MOST_DIGITS and now.isascii() and now.isdigit()
    value = str(int(now or 0) + wanted.step if is_number else wanted.first + wanted.step * page_number)
    changed_query = [(name, value if name == wanted.parameter else text) for name, text in given]
    if now is None:
        changed_query.append((wanted.parameter, value))
    return urlunsplit(parts._replace(query=urlencode(changed_query)))
