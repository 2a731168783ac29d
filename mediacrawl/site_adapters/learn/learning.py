"""From recordings to a proven site adapter, or to the reasons why there is none.

An adapter is proven if the engine makes with it the requests that were recorded, and finds the media in their answers.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediacrawl.site_adapters.engine import Miss, data_request, page_slots, read_answer
from mediacrawl.site_adapters.form import SiteAdapter
from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.har.recording import Recording
from mediacrawl.site_adapters.learn import mapper
from mediacrawl.site_adapters.learn.building import Builder, headers_of
from mediacrawl.site_adapters.learn.model import HeldOut, Learned, Refusal
from mediacrawl.site_adapters.learn.pages import PageForm
from mediacrawl.site_adapters.learn.reach import Reach, Reached, explore, is_given
from mediacrawl.site_adapters.learn.refusing import (
    Allows,
    forbidden,
    in_page,
    key_in_header,
    one_page,
    protected_data,
    protected_media,
    recorded_robots,
    rivalry,
    unnamed,
    without_mapping,
)
from mediacrawl.site_adapters.learn.secrets import secret_in
from mediacrawl.site_adapters.learn.subject import Subject, holders
from mediacrawl.site_adapters.learn.urls import request_key, same_request
from mediacrawl.site_adapters.learn.visits import Visit, visits_of
from mediacrawl.site_adapters.loading import AdapterError, parse

_MOST_VISITS = 200
"""Pages of all recordings that are read."""
_MOST_LEARNED = 8
"""Pages that are compared with each other; the others are for the proof."""


def learn(
    recordings: Sequence[Recording],
    *,
    hold_out: int = 0,
    robots: Mapping[str, str] | None = None,
    allows: Allows | None = None,
) -> Learned:
    """Learn a site adapter. Never raises, whatever the recordings are.

    Args:
        recordings: of one site's pages.
        hold_out: so many pages, the last ones, are not learned from; they are a test of the adapter.
        robots: host, with its port where it is not the default -> text of its robots.txt. Those in the recordings are
            used, too.
        allows: whether a robots.txt (its text) allows a URL; without it robots.txt is not looked at.
    """
    visits = [visit for each in recordings for visit in visits_of(each)][:_MOST_VISITS]
    addresses = list(dict.fromkeys(visit.address for visit in visits))
    kept = set(addresses[: max(len(addresses) - max(hold_out, 0), 0)])
    known = {**recorded_robots(visits), **(robots or {})}
    names = list(dict.fromkeys(each.name for each in recordings))
    study = _Study(Subject([visit for visit in visits if visit.address in kept]), known, allows, names)
    return study.learned([visit for visit in visits if visit.address not in kept])


def learn_files(names: Sequence[str | Path], *, hold_out: int = 0, allows: Allows | None = None) -> Learned:
    """Learn a site adapter from recordings of a browser. No request is made.

    Args:
        names: paths of the recordings (HAR), of one site's pages.
        hold_out: so many pages, the last ones, are kept out to try the adapter on.
        allows: whether a robots.txt (its text) allows a URL; without it robots.txt is not looked at.

    Raises:
        RecordingError: a recording cannot be read.
    """
    recordings = [read_recording(name, Path(name).name) for name in names]
    learned = learn(recordings, hold_out=hold_out, allows=allows)
    learned.read = [line for recording in recordings for line in recording.lines()]
    return learned


@dataclass(frozen=True)
class _Study:
    """Learning from the pages of one site."""

    subject: Subject
    robots: Mapping[str, str]
    allows: Allows | None
    recordings: Sequence[str]

    def learned(self, held: Sequence[Visit]) -> Learned:
        own = self.subject.holders
        refusals = [*protected_media(own)] or in_page(own)
        if refusals or not self.subject.pages:
            return _refused(refusals or without_mapping(own, None, ()))
        if len(self.subject.pages) == 1:
            return _refused(one_page(self.subject.of(self.subject.pages[0])))
        pages = self.subject.pages[:_MOST_LEARNED]
        try:
            form = PageForm([visit.url for visit in pages])
        except ValueError as error:
            return _refused([Refusal("unexplained", str(error))])
        reach = explore(pages, form)
        looked = mapper.Mapper(reach)
        best, refusals = self._chosen(looked, looked.find())
        if best is None:
            return _refused(refusals)
        builder = Builder(reach, best, form)
        if refusals := self._judged(builder.chain, reach):
            return _refused(refusals)
        written, why = self._proven(builder, reach)
        if written is None:
            what = "What was found is not proven by the recordings themselves"
            return _refused([Refusal("unexplained", f"{what}: {why:.500}.")])
        return Learned(written, steps=builder.told(), held_out=[_tested(written, builder, visit) for visit in held])

    def _chosen(self, looked: mapper.Mapper, found: mapper.Found) -> tuple[mapper.Mapping | None, list[Refusal]]:
        """The mapping that names the pages' media, or why there is none."""
        best, rivals = found.choose()
        if rivals:
            return None, [rivalry(*(min(each.found[0]) for each in rivals[:2]))]
        own = [self.subject.of(visit) for visit in self.subject.pages]
        if best is None:
            return None, without_mapping(own, looked.reach, found.doubts)
        if not best.evidence.is_named and (other := looked.left(best)):
            return None, [rivalry(min(best.found[0]), other)]
        is_sure = best.evidence.is_named or (best.evidence.is_at_home and any(each.played for each in own))
        return (best, []) if is_sure else (None, [unnamed(min(best.found[0]))])

    def _judged(self, chain: Sequence[Reached], reach: Reach) -> list[Refusal]:
        """Why not all data requests of an adapter may be made, also those that only give a piece of the media URL."""
        refusals = [
            refusal for each in chain for refusal in protected_data(each.role.requests, reach.visits, secrets=False)
        ]
        sent = [(each, value) for each in chain for value in headers_of(each).values()]
        keys = [key_in_header(each.role.requests[0].entry) for each, value in sent if not is_given(value, reach.visits)]
        return [*refusals, *keys, *forbidden(chain, self.robots, self.allows)]

    def _proven(self, builder: Builder, reach: Reach) -> tuple[dict[str, Any] | None, str]:
        """The adapter of a mapping, if the engine finds with it what was recorded; else why not."""
        try:
            written = builder.adapter(self.recordings)
            adapter = adapter_of(written)
        except (AdapterError, ValueError) as error:
            return None, str(error).partition("\n")[0]
        if where := secret_in(written):
            return None, f"it would have a secret ({where})"
        for visit, media in zip(reach.visits, builder.mapping.found, strict=True):
            tried, why = run(adapter, visit, builder.ignored)
            if not tried or not _gives(tried, media) or not _gives(media, tried):
                return None, f"on {visit.address:.120} {why or 'it finds other media than those that were recorded'}"
        return written, ""


def _refused(refusals: Sequence[Refusal]) -> Learned:
    """What was learned, with the first refusal of each name."""
    return Learned(refusals=list({each.name: each for each in reversed(refusals)}.values())[::-1])


def _tested(written: Mapping[str, Any], builder: Builder, visit: Visit) -> HeldOut:
    """How an adapter does on a page that it was not learned from."""
    expected = tuple(holders(visit).media)
    tried, why = run(adapter_of(written), visit, builder.ignored)
    is_right = any(_gives(tried, [url]) for url in expected)
    return HeldOut(visit.address, expected, tried, is_right, why or ("" if is_right else "the page played other media"))


def adapter_of(written: Mapping[str, Any]) -> SiteAdapter:
    """Return the adapter that a file with this content gives.

    Raises:
        AdapterError: it has faults.
    """
    return parse(json.dumps(written, ensure_ascii=False).encode("utf-8"), str(written.get("name", "site")))


def run(adapter: SiteAdapter, visit: Visit, ignored: Collection[str]) -> tuple[tuple[str, ...], str]:
    """Return the media that an adapter finds on a recorded page, or why it finds none as the end of a sentence."""
    slots = adapter.match(visit.address)
    if slots is None:
        return (), "the page's URL does not match the pattern"
    answers = {request_key(each.entry.url, ignored): each.entry for each in reversed(visit.answers)}
    try:
        if adapter.slots_of_page:
            body = visit.page.html.encode("utf-8", "replace")
            slots = page_slots(adapter, slots, body, visit.address, "text/html; charset=utf-8")
        for step in range(1, len(adapter.requests) + 1):
            asked = data_request(adapter, step, slots)
            entry = answers.get(request_key(asked.url, ignored))
            if entry is None:
                return (), f"its data request {step} ({asked.url:.300}) is not in the recording"
            body = (entry.body or "").encode("utf-8", "replace")
            mime = f"{entry.mime or 'text/plain'}; charset=utf-8"
            answer = read_answer(adapter, step, slots, body, entry.url, content_type=mime)
            slots = dict(answer.slots)
    except Miss as miss:
        return (), f"{miss.step}: {miss.why}"
    return tuple(url for record in answer.records for url in record.media), ""


def _gives(media: Collection[str], wanted: Collection[str]) -> bool:
    """Whether all URLs of one group are in another."""
    return all(any(same_request(url, other) for other in media) for url in wanted)
