"""Which data requests can be made from what is known before: the page's URL, the page, earlier answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mediacrawl.site_adapters.form import ANSWER, PAGE, URL
from mediacrawl.site_adapters.har.secrets import REMOVED
from mediacrawl.site_adapters.learn.constants import Dates, is_nonce
from mediacrawl.site_adapters.learn.noise import Dropped, Noise, is_callback, made_up
from mediacrawl.site_adapters.learn.pages import PageForm
from mediacrawl.site_adapters.learn.roles import Role
from mediacrawl.site_adapters.learn.sources import Joint, Source, answer_values, joint, merged
from mediacrawl.site_adapters.learn.templates import Explainer, Gap, Part, Template, joined
from mediacrawl.site_adapters.learn.tracing import Among, Tracer
from mediacrawl.site_adapters.learn.urls import QUERY, Component, braced, literal
from mediacrawl.site_adapters.learn.visits import Visit
from mediacrawl.site_adapters.schema import MOST_REQUESTS

_PROOF = "other values of it got the same answer"
_OF_VISIT = frozenset({"_", "sid", "session", "sessionid", "visitor", "visitorid", "nocache", "uuid", "guid"})
_LONG = 8
"""Characters of a value that looks like one of a visit."""


@dataclass(frozen=True)
class Reached:
    """A data request whose URL is explained on all pages.

    Attributes:
        role: of the request.
        template: of its URL.
        dropped: parameters that are left out.
        callback: name of the parameter whose value JSONP calls; empty without one.
        needs: numbers of the roles whose answers are needed before.
    """

    role: Role
    template: Template
    dropped: tuple[Dropped, ...] = ()
    callback: str = ""
    needs: frozenset[int] = frozenset()

    @property
    def needs_page(self) -> bool:
        """Whether a value of its URL is in the page."""
        return any(use.source.kind == PAGE for use in self.template.uses)

    @property
    def ignored(self) -> frozenset[str]:
        """Parameters in which its URL may differ from that of the browser."""
        return frozenset({each.name for each in self.dropped} | ({self.callback} if self.callback else set()))


@dataclass
class Reach:
    """The data requests of a site.

    Attributes:
        visits: the pages.
        roles: the requests that all of them make.
        reached: those that can be made, by the number of their role.
        gaps: what is not known of the others.
        tracer: finds values in all that is known at the end.
    """

    visits: Sequence[Visit]
    roles: Sequence[Role] = ()
    reached: dict[int, Reached] = field(default_factory=dict)
    gaps: dict[int, list[Gap]] = field(default_factory=dict)
    tracer: Tracer = field(default_factory=lambda: Tracer({}))

    def chain(self, number: int) -> list[Reached]:
        """The data requests up to one, in the order in which they are made.

        Args:
            number: of its role.
        """
        last = self.reached[number]
        before = [self.reached[each] for each in last.needs]
        return [*sorted(before, key=lambda each: each.role.requests[0].entry.index), last]


def explore(visits: Sequence[Visit], form: PageForm, roles: Sequence[Role], noise: Noise) -> Reach:
    """Find out which data requests can be made.

    Args:
        visits: the pages.
        form: of their URLs.
        roles: the requests that all of them make.
        noise: tells which parameters can be dropped.
    """
    found = Reach(visits, roles)
    texts = [visit.node.text for visit in visits if visit.node is not None]
    pages = [merged((form.values(visit.url) if visit.url else {}, visit.values(len(visits)))) for visit in visits]
    values = joint(pages)
    open_roles = list(roles)
    for _ in range(MOST_REQUESTS):
        found.tracer = Tracer(values, texts if len(texts) == len(visits) else (), found.tracer.in_text)
        new = _level(found, open_roles, noise)
        open_roles = [role for role in open_roles if role.number not in found.reached]
        if not new:
            break
        for each in new:
            values |= _answers(each, len(visits))
    found.tracer = Tracer(values, texts if len(texts) == len(visits) else (), found.tracer.in_text)
    return found


def _answers(reached: Reached, pages: int) -> Joint:
    if len(reached.needs) + 1 > MOST_REQUESTS:
        return {}
    return joint([answer_values(tree, reached.role.number, pages) for tree in reached.role.trees])


def _level(found: Reach, roles: Sequence[Role], noise: Noise) -> list[Reached]:
    new = []
    for role in roles:
        explained = _explain(role, found, noise)
        if isinstance(explained, Reached):
            new.append(explained)
            found.gaps.pop(role.number, None)
        else:
            found.gaps[role.number] = explained
    found.reached |= {each.role.number: each for each in new}
    return new


def usable(found: Reach, role: Role) -> Among:
    """Which sources a role may use: the page, and answers that came before on all pages.

    Args:
        found: what can be made so far.
        role: that uses them.
    """
    known = {
        number: each
        for number, each in found.reached.items()
        if role.is_after(each.role) and len(each.needs) + 2 <= MOST_REQUESTS
    }

    def among(source: Source) -> bool:
        return source.kind in (URL, PAGE) or source.role in known

    return among


def _explain(role: Role, found: Reach, noise: Noise) -> Reached | list[Gap]:
    among = usable(found, role)
    explainer = Explainer(found.tracer, among)
    by_parts = _by_parts(role, explainer, noise, found.visits)
    if isinstance(by_parts, list) and explainer.has_found:
        # Folders are often parts of what comes behind them: /94/36/94368456.json
        by_parts = _by_parts(role, explainer, noise, found.visits)
    whole = Explainer(found.tracer, among).whole([each.entry.url for each in role.requests])
    best = by_parts if isinstance(by_parts, Reached) else None
    if whole is not None and (best is None or whole.cost < best.template.cost):
        best = Reached(role, whole)
    if best is None:
        return by_parts if isinstance(by_parts, list) else []
    needs = needed(found, best.template)
    if len(needs) + 1 > MOST_REQUESTS:
        return [Gap(QUERY, "", ())]
    return Reached(role, best.template, best.dropped, best.callback, needs)


def needed(found: Reach, template: Template) -> frozenset[int]:
    """The roles whose answers a template needs, and those that they need.

    Args:
        found: what can be made so far.
        template: of a URL.
    """
    direct = {use.source.role for use in template.uses if use.source.kind == ANSWER}
    return frozenset(direct).union(*(found.reached[number].needs for number in direct))


def _by_parts(role: Role, explainer: Explainer, noise: Noise, visits: Sequence[Visit]) -> Reached | list[Gap]:
    host = explainer.host(role.urls)
    dates = Dates(visits)
    gaps: list[Gap] = []
    parts: list[Part] = []
    if isinstance(host, Gap):
        gaps.append(host)
    else:
        parts += host
    for column in zip(*(url.segments for url in role.urls), strict=True):
        place = int(column[0].name)
        before = {url.segments[place - 1].value for url in role.urls} if place else set()
        found = _component(column, explainer, dates, before.pop().rstrip("s") if len(before) == 1 else "")
        parts += ["/", *(found if isinstance(found, list) else ())]
        gaps += [found] if isinstance(found, Gap) else []
    query = _Query(role, explainer, noise, visits, dates)
    gaps += query.gaps
    if gaps:
        return gaps
    return Reached(role, Template(joined([*parts, *query.parts])), tuple(query.dropped), query.callback)


def _component(column: Sequence[Component], explainer: Explainer, dates: Dates, name: str) -> list[Part] | Gap:
    values = tuple(each.value for each in column)
    if any(REMOVED in value for value in values) or (len(set(values)) == 1 and dates.has(values[0])):
        return Gap(column[0].kind, column[0].name, values)
    return explainer.component(column, name)


class _Query:
    """The parameters of a role's URL: explained, dropped, or unknown.

    Attributes:
        parts: of the template.
        gaps: those that are unknown.
        dropped: those that are left out.
        callback: the one that names a function of JSONP.
    """

    def __init__(self, role: Role, explainer: Explainer, noise: Noise, visits: Sequence[Visit], dates: Dates) -> None:
        self.parts: list[Part] = []
        self.gaps: list[Gap] = []
        self.dropped: list[Dropped] = []
        self.callback = ""
        self._role = role
        self._visits = visits
        self._dates = dates
        open_gaps = [gap for column in self._columns() if (gap := self._take(column, explainer)) is not None]
        names = {gap.name for gap in open_gaps}
        dropped = {each.name for each in self.dropped}
        is_secret = any(REMOVED in value for gap in open_gaps for value in gap.values)
        if names and not is_secret and (noise.proven(names) or noise.proven(names | dropped)):
            self.dropped += [Dropped(name, proven=True, why=_PROOF) for name in sorted(names)]
        else:
            self.gaps = open_gaps
        if dropped and noise.proven(dropped | names):
            self.dropped = [self._proved(each) for each in self.dropped]

    def _columns(self) -> list[list[Component]]:
        """Each parameter with its value on all pages."""
        found = []
        counts: dict[str, int] = {}
        pages = [_numbered(url.parameters) for url in self._role.urls]
        for each in self._role.urls[0].parameters:
            number = counts[each.name] = counts.get(each.name, -1) + 1
            column = [page[each.name, number] for page in pages if (each.name, number) in page]
            if len(column) == len(pages):
                found.append(column)
        for name in sorted({name for url in self._role.urls for name in url.names}):
            if any(name not in url.names for url in self._role.urls):
                self.dropped.append(Dropped(name, proven=False, why="it is not sent on all pages"))
        return found

    def _take(self, column: list[Component], explainer: Explainer) -> Gap | None:
        name, values = column[0].name, [each.value for each in column]
        if is_callback(values, self._role.requests):
            self.callback = name
            self._add(name, [braced(column[0].raw)])
            return None
        if len(set(values)) == 1 and self._looks_made_up(name, values[0]) and self._made_up(name, values):
            return None
        if len(set(values)) == 1 and is_nonce(name, values[0]):
            use = explainer.constant(values, self._visits)
            self._add(name, [use] if use is not None else [])
            return Gap(QUERY, name, tuple(values)) if use is None else None
        found = _component(column, explainer, self._dates, name)
        if isinstance(found, list):
            self._add(name, found)
            return None
        return None if self._made_up(name, values) else found

    def _add(self, name: str, parts: list[Part]) -> None:
        self.parts += ["&" if self.parts else "?", literal(name, QUERY), "=", *parts]

    def _proved(self, dropped: Dropped) -> Dropped:
        values = {each.value for url in self._role.urls for each in url.parameters if each.name == dropped.name}
        return dropped if REMOVED in values else replace(dropped, proven=True, why=_PROOF)

    @staticmethod
    def _looks_made_up(name: str, value: str) -> bool:
        """Whether a value that is the same on all pages may be one of the visit, and not of the site."""
        return value == REMOVED or (name.lower() in _OF_VISIT and len(value) >= _LONG)

    def _made_up(self, name: str, values: Sequence[str]) -> bool:
        dropped = made_up(name, values, self._role.requests, self._visits)
        if dropped is not None:
            self.dropped.append(dropped)
        return dropped is not None


def _numbered(parameters: Sequence[Component]) -> dict[tuple[str, int], Component]:
    found: dict[tuple[str, int], Component] = {}
    counts: dict[str, int] = {}
    for each in parameters:
        number = counts[each.name] = counts.get(each.name, -1) + 1
        found[each.name, number] = each
    return found
