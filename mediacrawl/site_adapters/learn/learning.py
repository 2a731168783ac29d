"""From recordings to a proven site adapter, or to the reasons why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mediacrawl.site_adapters.har.recording import Recording
from mediacrawl.site_adapters.learn.building import Builder
from mediacrawl.site_adapters.learn.holders import Holders, holders
from mediacrawl.site_adapters.learn.mappings import Found, Mapper, choose
from mediacrawl.site_adapters.learn.mappings import Mapping as MediaMapping
from mediacrawl.site_adapters.learn.model import HeldOut, Learned, Refusal
from mediacrawl.site_adapters.learn.noise import Noise
from mediacrawl.site_adapters.learn.onepage import unknown_of
from mediacrawl.site_adapters.learn.pages import PageForm
from mediacrawl.site_adapters.learn.proof import adapter_of, gives, run
from mediacrawl.site_adapters.learn.reach import Reach, Reached, explore
from mediacrawl.site_adapters.learn.refusing import (
    Allows,
    changing_media,
    forbidden,
    protected_data,
    protected_media,
    without_mapping,
)
from mediacrawl.site_adapters.learn.roles import roles
from mediacrawl.site_adapters.learn.telling import told
from mediacrawl.site_adapters.learn.visits import Visit
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
    visits = [Visit(page, each.name) for each in recordings for page in each.pages][:_MOST_VISITS]
    visits = [visit for visit in visits if visit.url is not None]
    addresses = list(dict.fromkeys(visit.address for visit in visits))
    kept = set(addresses[: len(addresses) - hold_out] if hold_out > 0 else addresses)
    task = _Task([visit for visit in visits if visit.address in kept], robots or {}, allows)
    held = [visit for visit in visits if visit.address not in kept]
    return task.learned(held, list(dict.fromkeys(each.name for each in recordings)))


@dataclass
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


class _Task:
    """Learning from the pages of one site.

    Args:
        visits: the pages to learn from.
        robots: see `learn`.
        allows: see `learn`.
    """

    def __init__(self, visits: Sequence[Visit], robots: Mapping[str, str], allows: Allows | None) -> None:
        self._all = visits
        self._robots = robots
        self._allows = allows

    def learned(self, held: Sequence[Visit], recordings: Sequence[str]) -> Learned:
        """What was learned.

        Args:
            held: pages to test the adapter on.
            recordings: names of the recordings.
        """
        groups = _groups(self._all)
        found = {id(visit): holders(visit, _everywhere(self._all)) for visit in self._all}
        subject = max(groups, key=lambda group: _weight(group, found), default=[])
        distinct = _distinct(subject)
        own = [found[id(visit)] for visit in subject]
        refusals = self._first_refusals(own)
        if refusals or not any(each.media for each in own):
            return Learned(refusals=_once(refusals or without_mapping(own, None, ())))
        with_media = [visit for visit in distinct if found[id(visit)].media]
        if len(with_media) < 2:
            return _one_page(with_media[0], found[id(with_media[0])])
        return self._of_pages(with_media, subject, found, held, recordings)

    def _first_refusals(self, own: Sequence[Holders]) -> list[Refusal]:
        """Reasons that hold whatever the requests are."""
        with_media = [each for each in own if each.media]
        refusals = list(protected_media(own))
        by_address: dict[str, list[Holders]] = {}
        for each in own:
            by_address.setdefault(each.visit.address, []).append(each)
        refusals += changing_media(list(by_address.values()))
        if not refusals and with_media and all(each.in_page for each in with_media):
            url = with_media[0].media[0]
            refusals.append(
                Refusal(
                    "page_names_it",
                    f"The page itself names its medium ({url:.120}): the crawl finds it without an adapter.",
                )
            )
        return refusals

    def _of_pages(
        self,
        pages: Sequence[Visit],
        subject: Sequence[Visit],
        found: Mapping[int, Holders],
        held: Sequence[Visit],
        recordings: Sequence[str],
    ) -> Learned:
        own = [found[id(visit)] for visit in pages]
        pages = pages[:_MOST_LEARNED]
        try:
            form = PageForm([visit.url for visit in pages if visit.url is not None])
        except ValueError as error:
            return Learned(refusals=[Refusal("unexplained", str(error))])
        reach = explore(pages, form, roles(pages), Noise(self._all))
        mapper = Mapper(reach)
        mappings = mapper.find()
        best, rivals = choose(mappings)
        other = mapper.left(best) if best is not None and not best.named else ""
        if best is not None and other:
            return Learned(refusals=[_rivalry(min(best.found[0]), other)])
        if best is None:
            refusals = (
                [_rivalry(*(min(each.found[0]) for each in rivals[:2]))]
                if rivals
                else without_mapping(own, reach, mappings.doubts)
            )
            return Learned(refusals=_once(refusals))
        return self._of_mapping(best, mappings, reach, form, subject, held, recordings)

    def _of_mapping(
        self,
        best: MediaMapping,
        mappings: Found,
        reach: Reach,
        form: PageForm,
        subject: Sequence[Visit],
        held: Sequence[Visit],
        recordings: Sequence[str],
    ) -> Learned:
        chain = reach.chain(best.role)
        refusals = [refusal for each in chain for refusal in protected_data(each.role.requests, reach.visits, ())]
        refusals += forbidden(chain, reach.visits, self._robots, self._allows)
        if refusals:
            return Learned(refusals=_once(refusals))
        why = ""
        same = [each for each in mappings.mappings if each.is_same(best)]
        for mapping in same[:_MOST_PROVED]:
            result, why_not = _proven(mapping, reach, form, subject, recordings)
            if result is not None:
                return _with_tests(result, form, held)
            why = why or why_not
        sentence = f"What was found is not proven by the recordings themselves: {why}."
        return Learned(refusals=[Refusal("unexplained", sentence)])


def _groups(visits: Sequence[Visit]) -> list[list[Visit]]:
    """Pages whose URLs have one form: the same host and number of segments; or else the same host."""
    exact: dict[object, list[Visit]] = {}
    loose: dict[object, list[Visit]] = {}
    for visit in visits:
        if visit.url is not None:
            exact.setdefault((visit.url.host, len(visit.url.segments)), []).append(visit)
            loose.setdefault(visit.url.host, []).append(visit)
    return [*exact.values(), *loose.values()]


def _distinct(visits: Sequence[Visit]) -> list[Visit]:
    """One visit of each page: the one with the most answers."""
    found: dict[str, Visit] = {}
    for visit in visits:
        known = found.get(visit.address)
        if known is None or len(visit.answers) > len(known.answers):
            found[visit.address] = visit
    return list(found.values())


def _weight(group: Sequence[Visit], found: Mapping[int, Holders]) -> tuple[int, int, int]:
    """How much a group of pages has to learn from: pages with media, with media that were played, few others."""
    own = {visit.address: found[id(visit)] for visit in group}
    media = sum(bool(each.media) for each in own.values())
    return media, sum(each.played for each in own.values()), -len(own)


def _everywhere(visits: Sequence[Visit]) -> set[object]:
    """Keys of media that each page plays, if there are several pages."""
    by_address: dict[str, set[object]] = {}
    for visit in visits:
        by_address.setdefault(visit.address, set()).update(visit.played)
    sets = [each for each in by_address.values() if each]
    return set.intersection(*sets) if len(sets) > 1 else set()


def _proven(
    mapping: MediaMapping, reach: Reach, form: PageForm, subject: Sequence[Visit], recordings: Sequence[str]
) -> tuple[_Result | None, str]:
    """The adapter of a mapping, if the engine finds with it what was recorded; else why not."""
    builder = Builder(reach, mapping, form)
    try:
        written = builder.adapter(recordings)
        adapter = adapter_of(written)
    except (AdapterError, ValueError) as error:
        return None, str(error).splitlines()[0]
    ignored = {name for each in builder.chain for name in each.ignored}
    for visit, media in zip(reach.visits, mapping.found, strict=True):
        tried = run(adapter, visit, ignored)
        if not tried.media or not gives(tried.media, media) or not gives(media, tried.media):
            return None, f"on {visit.address:.120} {tried.why or 'it finds other media than those that were recorded'}"
    for visit in subject:
        others = _refuted(run(adapter, visit, ignored).media, visit)
        if others:
            return None, f"on {visit.address:.120} it finds {others:.120}, and the page played something else"
    return _Result(written, builder.chain, mapping), ""


def _refuted(media: Sequence[str], visit: Visit) -> str:
    """A medium that the adapter finds on a page that played others only; empty if there is none."""
    own = holders(visit)
    if not media or not own.played or any(visit.is_played(url) for url in media):
        return ""
    return media[0]


def _with_tests(result: _Result, form: PageForm, held: Sequence[Visit]) -> Learned:
    adapter = adapter_of(result.written)
    ignored = {name for each in result.chain for name in each.ignored}
    tests = []
    for visit in held:
        expected = tuple(holders(visit).media)
        tried = run(adapter, visit, ignored)
        is_right = bool(tried.media) and bool(expected) and any(gives([url], tried.media) for url in expected)
        why = tried.why or ("" if is_right else "the page played other media")
        tests.append(HeldOut(visit.address, expected, tried.media, is_right, why))
    return Learned(result.written, steps=told(result.chain, result.mapping, form), held_out=tests)


def _one_page(visit: Visit, found: Holders) -> Learned:
    refusals = [
        Refusal(
            "one_page",
            "Only one page of the recordings shows media, and one page does not tell which parts of"
            " its data requests are the same on all pages. Record a second page, and start its player.",
        )
    ]
    if found.answers:
        refusals += protected_data(found.answers[:1], [visit])
    else:
        refusals += without_mapping([found], None, ())
    return Learned(refusals=_once(refusals), unknown=unknown_of(visit, found))


def _rivalry(first: str, second: str) -> Refusal:
    return Refusal(
        "ambiguous",
        f"Two answers name media, and nothing tells which are the page's: {first:.120} and"
        f" {second:.120}. Start the player while you record, and let nothing else play.",
    )


def _once(refusals: Sequence[Refusal]) -> list[Refusal]:
    """The first refusal of each name."""
    found: dict[str, Refusal] = {}
    for each in refusals:
        found.setdefault(each.name, each)
    return list(found.values())
