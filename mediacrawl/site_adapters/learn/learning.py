"""From recordings to a proven site adapter, or to the reasons why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mediacrawl.site_adapters.har.recording import Recording
from mediacrawl.site_adapters.learn.building import Builder, headers_of, told
from mediacrawl.site_adapters.learn.mapper import Mapper
from mediacrawl.site_adapters.learn.mappings import Found, choose
from mediacrawl.site_adapters.learn.mappings import Mapping as MediaMapping
from mediacrawl.site_adapters.learn.model import HeldOut, Learned, Refusal
from mediacrawl.site_adapters.learn.pages import PageForm
from mediacrawl.site_adapters.learn.proof import adapter_of, gives, run
from mediacrawl.site_adapters.learn.reach import Reach, Reached, explore, is_given
from mediacrawl.site_adapters.learn.refusing import (
    Allows,
    changing_media,
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
from mediacrawl.site_adapters.learn.roles import roles
from mediacrawl.site_adapters.learn.secrets import secret_in
from mediacrawl.site_adapters.learn.subject import Subject, holders
from mediacrawl.site_adapters.learn.visits import Visit, visits_of
from mediacrawl.site_adapters.loading import AdapterError

_MOST_VISITS = 200
"""Pages of all recordings that are read."""
_MOST_LEARNED = 8
"""Pages that are compared with each other; the others are for the proof."""
_MOST_PROVED = 6
"""Ways to the same media that are tried until one is proven."""


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
    visits = [visit for visit in visits if visit.url is not None]
    addresses = list(dict.fromkeys(visit.address for visit in visits))
    kept = set(addresses[: max(len(addresses) - max(hold_out, 0), 0)])
    subject = Subject([visit for visit in visits if visit.address in kept])
    known = {**recorded_robots(visits), **(robots or {})}
    study = _Study(subject, known, allows, list(dict.fromkeys(each.name for each in recordings)))
    return study.learned([visit for visit in visits if visit.address not in kept])


@dataclass(frozen=True)
class _Result:
    """An adapter that is proven.

    Attributes:
        written: the content of its file.
        chain: its data requests.
        mapping: where the media are.
    """

    written: dict[str, Any]
    chain: list[Reached]
    mapping: MediaMapping

    @property
    def ignored(self) -> set[str]:
        """Parameters in which its data URLs may differ from those of the browser."""
        return {name for each in self.chain for name in each.ignored}


@dataclass(frozen=True)
class _Study:
    """Learning from the pages of one site.

    Attributes:
        subject: the pages.
        robots, allows: see `learn`.
        recordings: their names.
    """

    subject: Subject
    robots: Mapping[str, str]
    allows: Allows | None
    recordings: Sequence[str]

    def learned(self, held: Sequence[Visit]) -> Learned:
        """What was learned."""
        own = self.subject.holders
        refusals = [*protected_media(own), *changing_media(self.subject.repeated)] or in_page(own)
        if refusals or not self.subject.pages:
            return _refused(refusals or without_mapping(own, None, ()))
        if len(self.subject.pages) == 1:
            return _refused(one_page(self.subject.of(self.subject.pages[0])))
        pages = self.subject.pages[:_MOST_LEARNED]
        try:
            form = PageForm([visit.url for visit in pages if visit.url is not None])
        except ValueError as error:
            return _refused([Refusal("unexplained", str(error))])
        reach = explore(pages, form, roles(pages))
        mapper = Mapper(reach)
        found_all = mapper.find()
        best, refusals = self._chosen(mapper, found_all)
        if best is None:
            return _refused(refusals)
        return self._of_mapping(best, found_all, reach, form, held)

    def _chosen(self, mapper: Mapper, found: Found) -> tuple[MediaMapping | None, list[Refusal]]:
        """The mapping that names the pages' media, or why there is none."""
        best, rivals = choose(found)
        if rivals:
            return None, [rivalry(*(min(each.found[0]) for each in rivals[:2]))]
        own = [self.subject.of(visit) for visit in self.subject.pages]
        if best is None:
            return None, without_mapping(own, mapper.reach, found.doubts)
        if best.evidence.is_named:
            return best, []
        if other := mapper.left(best):
            return None, [rivalry(min(best.found[0]), other)]
        is_sure = best.evidence.is_at_home and any(each.played for each in own)
        return (best, []) if is_sure else (None, [unnamed(min(best.found[0]))])

    def _of_mapping(
        self, best: MediaMapping, found: Found, reach: Reach, form: PageForm, held: Sequence[Visit]
    ) -> Learned:
        if refusals := self._judged(Builder(reach, best, form).chain, reach):
            return _refused(refusals)
        why = ""
        same = [each for each in found.mappings if each.is_same(best)]
        for mapping in same[:_MOST_PROVED]:
            if self._judged(Builder(reach, mapping, form).chain, reach):
                continue
            result, why_not = self._proven(mapping, reach, form)
            if result is not None:
                steps = told(result.chain, mapping, form)
                return Learned(result.written, steps=steps, held_out=[_tested(result, visit) for visit in held])
            why = why or why_not
        return _refused(
            [Refusal("unexplained", f"What was found is not proven by the recordings themselves: {why:.500}.")]
        )

    def _judged(self, chain: Sequence[Reached], reach: Reach) -> list[Refusal]:
        """Why not all data requests of an adapter may be made, also those that only give a piece of the media URL."""
        refusals = [refusal for each in chain for refusal in protected_data(each.role.requests, reach.visits, ())]
        sent = [(each, value) for each in chain for value in headers_of(each).values()]
        keys = [key_in_header(each.role.requests[0].entry) for each, value in sent if not is_given(value, reach.visits)]
        return [*refusals, *keys, *forbidden(chain, self.robots, self.allows)]

    def _proven(self, mapping: MediaMapping, reach: Reach, form: PageForm) -> tuple[_Result | None, str]:
        """The adapter of a mapping, if the engine finds with it what was recorded; else why not."""
        builder = Builder(reach, mapping, form)
        try:
            result = _Result(builder.adapter(self.recordings), builder.chain, mapping)
            adapter = adapter_of(result.written)
        except (AdapterError, ValueError) as error:
            return None, str(error).partition("\n")[0]
        if where := secret_in(result.written):
            return None, f"it would have a secret ({where})"
        for visit, media in zip(reach.visits, mapping.found, strict=True):
            tried = run(adapter, visit, result.ignored)
            if not tried.media or not gives(tried.media, media) or not gives(media, tried.media):
                why = tried.why or "it finds other media than those that were recorded"
                return None, f"on {visit.address:.120} {why}"
        return result, ""


def _refused(refusals: Sequence[Refusal]) -> Learned:
    return Learned(refusals=_once(refusals))


def _once(refusals: Sequence[Refusal]) -> list[Refusal]:
    """The first refusal of each name."""
    found: dict[str, Refusal] = {}
    for each in refusals:
        found.setdefault(each.name, each)
    return list(found.values())


def _tested(result: _Result, visit: Visit) -> HeldOut:
    """How an adapter does on a page that it was not learned from."""
    expected = tuple(holders(visit).media)
    tried = run(adapter_of(result.written), visit, result.ignored)
    is_right = bool(expected) and any(gives(tried.media, [url]) for url in expected)
    why = tried.why or ("" if is_right else "the page played other media")
    return HeldOut(visit.address, expected, tried.media, is_right, why)
