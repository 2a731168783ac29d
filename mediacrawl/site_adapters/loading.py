"""Reads and checks the file of a site adapter."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from mediacrawl.site_adapters.documents import Place
from mediacrawl.site_adapters.form import (
    ANSWER,
    FACTS,
    PAGE,
    SLOT,
    URL,
    MediaPlace,
    NextPage,
    Records,
    RequestTemplate,
    SiteAdapter,
    Slot,
)
from mediacrawl.site_adapters.paths import JsonPath, Pattern, Selector
from mediacrawl.site_adapters.patterns import PagePattern, SlotUse, Template, site_of, split
from mediacrawl.site_adapters.schema import Located, Problem, join, problems
from mediacrawl.site_adapters.transforms import step_of

LONGEST = 256_000
"""Bytes of a file. A learned adapter has some two KB."""
_is_host = re.compile(
    r"(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::[0-9]{1,5})?|\[[0-9a-f:.]{2,45}\](?::[0-9]{1,5})?"
)
_is_attribute = re.compile(r"[a-z_:][a-z0-9_:.-]{0,99}")
_MOST_IN_PAGE = 10
"""Slots in the page: each is looked for in all of it, which takes up to a tenth of a second."""
_source = re.compile(r"(url|page)|answer ([123])|slot ([a-z][a-z0-9_]{0,29})")
_Made = TypeVar("_Made")
_PLACES = ("json", "css", "regex", "script")
_KINDS: dict[str, Callable[[str], Any]] = {"json": JsonPath, "css": Selector, "regex": Pattern}
_READABLE = {
    "json": {"json"},
    "jsonp": {"json"},
    "xml": {"json"},
    "html": {"css", "script", "regex"},
    "text": {"regex"},
}
"""The places that an answer of each form has."""


def _too_wide(host: str) -> str:
    """Why an adapter may not be for a host: the end of a sentence; empty if it may."""
    name = re.sub(r":[0-9]+$", "", host.removeprefix("*."))
    if name.startswith("[") or name.replace(".", "").isdigit():
        return f"is {host!r}, an address; name a host"
    if host.startswith("*.") and site_of(f"x.{name}").count(".") > name.count("."):
        return f"is {host!r}, below which are the sites of many; name one site (*.player.example)"
    return ""


class AdapterError(ValueError):
    """The file of a site adapter cannot be used. The message has one line a fault: ``file:line: field what``."""

    def __init__(self, name: str, found: list[Problem]) -> None:
        self.problems = found
        super().__init__("\n".join(f"{name}:{each}" for each in found))

    @classmethod
    def of(cls, errors: Iterable[AdapterError]) -> AdapterError:
        """Return the faults of several files as one error."""
        made, together = cls("", []), list(errors)
        made.problems = [problem for each in together for problem in each.problems]
        made.args = ("\n".join(map(str, together)),)
        return made


def load(path: Path) -> SiteAdapter:
    """Read a site adapter.

    Raises:
        AdapterError: it cannot be read, or has faults.
    """
    try:
        body = path.read_bytes() if path.stat().st_size <= LONGEST else None
    except OSError as error:
        raise AdapterError(str(path), [Problem(1, "", f"cannot be read: {error.strerror}")]) from error
    if body is None:
        raise AdapterError(str(path), [Problem(1, "", f"has more than {LONGEST} bytes")])
    return parse(body, str(path))


def parse(body: bytes, name: str) -> SiteAdapter:
    """Make a site adapter of the content of its file.

    Raises:
        AdapterError: it has faults.
    """
    try:
        read = Located(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise AdapterError(name, [Problem(1, "", f"is no UTF-8 at byte {error.start}")]) from error
    except ValueError as error:
        line, _, what = str(error).partition(": ")
        raise AdapterError(name, [Problem(int(line), "", f"cannot be read: {what}")]) from error
    if found := problems(read):
        raise AdapterError(name, found)
    builder = _Builder(read)
    made = builder.adapter(hashlib.sha256(body).hexdigest()[:16])
    if builder.problems:
        raise AdapterError(name, sorted(builder.problems))
    return made


class _Builder:
    """Makes an adapter of a file that has the right types; collects the other faults."""

    def __init__(self, read: Located) -> None:
        self._read = read
        self.problems: list[Problem] = []
        self._written: Mapping[str, Any] = read.value
        self._slots: dict[str, Slot] = {}
        self._used: set[str] = set()
        # Slots by which the data of one page are told from those of another, as `queued.mark` does.
        self._telling: set[str] = set()

    def adapter(self, digest: str) -> SiteAdapter:
        page = self._written["page"]
        slots = self._written.get("slots", {})
        self._slots = {name: slot for name, each in slots.items() if (slot := self._slot(name, each)) is not None}
        pages = self._pages(page, {name: each["like"] for name, each in slots.items() if "like" in each})
        requests = tuple(self._request(place, each) for place, each in enumerate(self._written["requests"]))
        records = self._records(self._written["records"], len(requests))
        self._check_slots(pages, len(requests))
        in_page = any(slot.source == PAGE for slot in self._slots.values())
        if in_page and page.get("fetched") is False:
            self._fault("page.fetched", "is false, but a slot is in the page, so that the page must be requested")
        fetched = bool(page.get("fetched", in_page))
        return SiteAdapter(self._written["name"], pages, self._slots, requests, records, fetched, self._written, digest)

    def _fault(self, field: str, what: str) -> None:
        self.problems.append(Problem(self._read.line(field), field, what))

    def _made(self, make: Callable[[Any], _Made], written: Any, field: str) -> _Made | None:
        try:
            return make(written)
        except ValueError as error:
            self._fault(field, str(error))
            return None

    def _pages(self, page: Mapping[str, Any], like: Mapping[str, str]) -> PagePattern:
        if not _is_host.fullmatch(page["host"]):
            self._fault("page.host", f"is {page['host']!r}, and no host in lower-case ASCII (player.example, xn--...)")
        elif why := _too_wide(page["host"]):
            self._fault("page.host", why)
        if page["host"].endswith((":80", ":443")):
            self._fault("page.host", "has the port that is left out in URLs; leave it out here, too")
        if not page["path"].startswith("/"):
            self._fault("page.path", "does not begin with /")
        if any(sign in page["path"] for sign in "?#"):
            self._fault("page.path", "has a ? or #; name parameters in page.query, and leave out what follows #")
        try:
            return PagePattern(page["host"], page["path"], page.get("query", {}), like)
        except ValueError as error:
            self._fault("page.path", str(error))
            return PagePattern("", "/", {}, {})

    def _slot(self, name: str, written: Mapping[str, Any]) -> Slot | None:
        field = f"slots.{name}"
        found = _source.fullmatch(written["in"])
        if found is None:
            self._fault(f"{field}.in", f"is {written['in']!r}; url, page, answer 1 to 3 or slot NAME is expected")
            return None
        simple, step, of = found.groups()
        source = simple or (ANSWER if step else SLOT)
        place = self._place(written, field, needed=source in (PAGE, ANSWER))
        if "like" in written and source != URL:
            self._fault(f"{field}.like", "is only for a slot of the URL")
        if source == PAGE:
            self._check_form(place, "html", field)
        if source in (URL, SLOT) and any(name in written for name in _PLACES):
            self._fault(field, "has a place, but is in no document")
        if source == URL and place.steps:
            self._fault(f"{field}.as", 'is not for a slot of the URL itself; make another slot of it: "in": "slot id"')
        return Slot(name, source, int(step or 0), of or "", place)

    def _place(self, written: Mapping[str, Any], field: str, *, needed: bool = True) -> Place:
        named = [name for name in _PLACES if name in written]
        if needed and (not named or (len(named) > 1 and set(named) != {"script", "json"})):
            self._fault(field, f"needs one place of {', '.join(_PLACES)} (or script with json)")
        attribute = written.get("attribute", "").lower()
        if "attribute" in written and ("css" not in written or not _is_attribute.fullmatch(attribute)):
            self._fault(f"{field}.attribute", "is no name of an attribute, or not beside css")
        steps = []
        for number, each in enumerate(written.get("as", ())):
            step = self._made(step_of, each, f"{field}.as[{number}]")
            steps += [step] if step is not None else []
        made: dict[str, Any] = {
            name: self._made(kind, written[name], join(field, name)) for name, kind in _KINDS.items() if name in written
        }
        return Place(**made, attribute=attribute, script=written.get("script", ""), steps=tuple(steps))

    def _check_form(self, place: Place, form: str, field: str) -> None:
        names = {"script"} if place.script else {name for name in _KINDS if getattr(place, name) is not None}
        if not names <= _READABLE[form]:
            self._fault(field, f"has a place by {', '.join(names)}, which {form} does not have")

    def _template(self, written: str, field: str, *, own: str = "") -> Template:
        template = self._made(Template, written, field) or Template("")
        if any(ord(sign) < ord(" ") or sign == "\x7f" for sign in written):
            self._fault(field, "has a control character, such as the end of a line")
        for name in template.slots:
            if name != own and name not in self._written.get("slots", {}):
                self._fault(field, f"has the slot {name}, which is not among the slots")
        self._used.update(template.slots)
        return template

    def _request(self, place: int, written: Mapping[str, Any]) -> RequestTemplate:
        field = f"requests[{place}]"
        url = self._template(written["url"], f"{field}.url")
        if not _makes_urls(url):
            self._fault(f"{field}.url", "does not begin with https://HOST/, http://HOST/ or a slot {!name} for the URL")
        headers = {
            name: self._template(text, f"{field}.headers.{name}") for name, text in written.get("headers", {}).items()
        }
        self._telling.update(url.slots, *(header.slots for header in headers.values() if place))
        for name, header in headers.items():
            if any(ord(mark) < 0x20 or ord(mark) > 0x7E for mark in header.written):
                self._fault(f"{field}.headers.{name}", "has characters that no header may have")
        for name in {*url.slots, *(name for header in headers.values() for name in header.slots)}:
            slot = self._slots.get(self._base(name))
            if slot is not None and slot.step > place:
                self._fault(f"{field}.url", f"has the slot {name}, which is known only after this request")
        return RequestTemplate(url, headers, written["read"])

    def _records(self, written: Mapping[str, Any], requests: int) -> Records:
        form = self._written["requests"][requests - 1]["read"]
        each = written.get("each")
        if each is not None and _READABLE[form] != {"json"}:
            self._fault("records.each", f"is only for json, jsonp and xml; the answer is {form}")
        following = None
        if next_page := written.get("next"):
            place = None if "parameter" in next_page else self._read_place(next_page, "records.next", form)
            following = NextPage(
                place, next_page.get("parameter", ""), next_page.get("step", 1), next_page.get("first", 1)
            )
        return Records(
            tuple(self._media(number, one, form) for number, one in enumerate(written["media"])),
            each=self._made(JsonPath, each, "records.each") if each is not None else None,
            facts={name: self._fact(written[name], f"records.{name}", form) for name in FACTS if name in written},
            duration_unit=written.get("duration", {}).get("unit", "s"),
            date_unit=written.get("date", {}).get("unit", "s"),
            next=following,
        )

    def _fact(self, written: Mapping[str, Any], field: str, form: str) -> Place:
        name = written.get("slot")
        if name is None:
            return self._read_place(written, field, form)
        slot = self._slots.get(name)
        if slot is None or slot.source == SLOT or any(each in written for each in (*_PLACES, "as")):
            self._fault(field, f"has the slot {name}, which is none of the URL, the page or an answer, or a place, too")
        self._used.add(name)
        return Place(slot=name)

    def _read_place(self, written: Mapping[str, Any], field: str, form: str) -> Place:
        place = self._place(written, field)
        self._check_form(place, form, field)
        return place

    def _media(self, number: int, written: Mapping[str, Any], form: str) -> MediaPlace:
        field = f"records.media[{number}]"
        place = self._read_place(written, field, form)
        if "url" not in written:
            return MediaPlace(place)
        template = self._template(written["url"], f"{field}.url", own="value")
        if "value" not in template.slots:
            self._fault(f"{field}.url", "has no {value}")
        self._telling.update(template.slots)
        return MediaPlace(place, template)

    def _check_slots(self, pages: PagePattern, requests: int) -> None:
        for name in pages.slots:
            if self._written.get("slots", {}).get(name, {}).get("in") != URL:
                self._fault("page", f'has the slot {name}, which is not among the slots with "in": "url"')
        for name, what in self._slot_faults(pages, requests):
            self._fault(f"slots.{name}", what)
        in_page = [slot for slot in self._slots.values() if slot.source == PAGE]
        if len(in_page) > _MOST_IN_PAGE:
            self._fault("slots", f"has {len(in_page)} slots in the page, more than {_MOST_IN_PAGE}")
        bases = {self._base(name) for name in self._telling}
        if pages.slots and not in_page and bases.isdisjoint(pages.slots):
            self._fault("page", "has slots, but none is in a data URL, so that all pages would have the same data")

    def _slot_faults(self, pages: PagePattern, requests: int) -> Iterator[tuple[str, str]]:
        used = self._used | {slot.of for slot in self._slots.values()}
        for name, slot in self._slots.items():
            if slot.source == URL and name not in pages.slots:
                yield name, "is in the URL, but not in page.path or page.query"
            base = self._slots.get(self._base(name))
            if slot.source == SLOT and (base is None or base.source == SLOT):
                yield name, f"is made of the slot {slot.of}, which does not exist or is made of this one"
            if slot.step > requests:
                yield name, f"is in answer {slot.step}, but there are {requests} requests"
            elif slot.source == ANSWER:
                self._check_form(slot.place, self._written["requests"][slot.step - 1]["read"], f"slots.{name}")
            if slot.source != URL and name not in used:
                yield name, "is used nowhere; delete it"

    def _base(self, name: str) -> str:
        """The slot that a slot is made of, at last."""
        for _ in range(len(self._slots)):
            slot = self._slots.get(name)
            if slot is None or slot.source != SLOT:
                break
            name = slot.of
        return name


def _makes_urls(template: Template) -> bool:
    """Whether a template can give URLs: a slot may be a whole one, or a path with its first slash."""
    first = template.parts[1] if template.parts[:1] == [""] and len(template.parts) > 1 else template.parts[0]
    if isinstance(first, SlotUse) and first.is_raw:
        return True
    samples = (split(template.fill(dict.fromkeys(template.slots, value))) for value in ("x", "/x"))
    return any(sample is not None and sample.username is None for sample in samples)
