"""Which data requests can be made from what is known before: the page's URL, the page, earlier answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from mediacrawl.site_adapters.form import ANSWER, PAGE, URL
from mediacrawl.site_adapters.har.bodies import text_kind
from mediacrawl.site_adapters.learn.pages import PageForm
from mediacrawl.site_adapters.learn.protection import is_signature
from mediacrawl.site_adapters.learn.roles import Role
from mediacrawl.site_adapters.learn.secrets import is_account, kind_of, random_parts, secret_kind, value_kind
from mediacrawl.site_adapters.learn.sources import Joint, Source, answer_values, joint, merged
from mediacrawl.site_adapters.learn.templates import Explainer, Gap, Part, Template, joined
from mediacrawl.site_adapters.learn.tracing import Among, Tracer
from mediacrawl.site_adapters.learn.urls import QUERY, SEGMENT, Component, braced, literal
from mediacrawl.site_adapters.learn.visits import Answered, Visit
from mediacrawl.site_adapters.learn.words import WORDS
from mediacrawl.site_adapters.schema import MOST_REQUESTS

_BEFORE, _AFTER = 60.0, 5.0
"""Seconds before and after the start of a request in which a time in its URL was made for it."""
_SHORTEST = 6
"""Characters of a value that looks random."""
_DIGITS = {10: 1.0, 13: 1e3, 16: 1e6}
"""Digits of a time since 1970 -> its parts of a second. So it is from 2001 to 2286."""
_signs = re.compile(r"[^a-z0-9]").sub
_looks_random = re.compile(r"(?=.*[0-9])[A-Za-z0-9._-]+").fullmatch


@dataclass(frozen=True, slots=True)
class Dropped:
    """A parameter that is left out of a data URL.

    Attributes:
        name: of the parameter.
        why: one clause for people.
    """

    name: str
    why: str


def made_up(name: str, values: Sequence[str], requests: Sequence[Answered], visits: Sequence[Visit]) -> Dropped | None:
    """Whether it is plain that the page's script made the values of a parameter up; None if it is not."""
    pairs = list(zip(values, requests, strict=True))
    if all(is_time(value, each.entry.started) for value, each in pairs):
        return Dropped(name, why="the time of the request")
    plain = _signs("", name.lower()) or name
    if plain not in WORDS["made_up"]:
        return None
    if any(is_signature(name, value) for value in values):
        return None
    if all(_is_random(value) for value in values) and not any(
        _is_issued(name, value, each, visit) for (value, each), visit in zip(pairs, visits, strict=True)
    ):
        return Dropped(name, why="a value that the page's script makes up")
    return None


def is_time(value: str, started: float) -> bool:
    """Whether a value is the time of a request, in seconds, milliseconds or microseconds since 1970."""
    parts = _DIGITS.get(len(value)) if value.isdecimal() and value.isascii() and started else None
    return parts is not None and started - _BEFORE <= int(value) / parts <= started + _AFTER


def _is_random(value: str) -> bool:
    return (len(value) >= _SHORTEST and _looks_random(value) is not None) or value.startswith("0.")


def _is_issued(name: str, value: str, request: Answered, visit: Visit) -> bool:
    """Whether the server made a value: it stands in the page or an earlier answer, or in a cookie of its name."""
    plain = _signs("", name.lower())
    before = [entry for entry in visit.entries if entry.index < request.entry.index]
    if any(_signs("", cookie.lower()) == plain for entry in before for cookie in entry.set_cookie):
        return True
    return any(value in entry.body for entry in before if entry.body)


def is_callback(values: Sequence[str], requests: Sequence[Answered]) -> bool:
    """Whether a parameter has the name of the function that JSONP calls."""
    known = all(each.tree.form == "jsonp" for each in requests)
    return known and all(each.tree.callback == value for each, value in zip(requests, values, strict=True))


_LONG = 8
"""Characters of a value that looks like one of a visit."""
_has_digit = re.compile("[0-9]").search


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
        """The data requests up to one, in the order in which they are made."""
        last = self.reached[number]
        before = [self.reached[each] for each in last.needs]
        return [*sorted(before, key=lambda each: each.role.requests[0].entry.index), last]


def explore(visits: Sequence[Visit], form: PageForm, roles: Sequence[Role]) -> Reach:
    """Find out which data requests can be made."""
    found = Reach(visits, roles)
    pages = [merged((form.values(visit.url) if visit.url else {}, visit.values(len(visits)))) for visit in visits]
    values = joint(pages)
    open_roles = list(roles)
    for _ in range(MOST_REQUESTS):
        found.tracer = Tracer(values)
        new = _level(found, open_roles)
        open_roles = [role for role in open_roles if role.number not in found.reached]
        if not new:
            break
        for each in new:
            values |= _answers(each, len(visits))
    found.tracer = Tracer(values)
    return found


def _answers(reached: Reached, pages: int) -> Joint:
    if len(reached.needs) + 1 > MOST_REQUESTS:
        return {}
    return joint([answer_values(tree, reached.role.number, pages) for tree in reached.role.trees])


def _level(found: Reach, roles: Sequence[Role]) -> list[Reached]:
    new = []
    for role in roles:
        explained = _explain(role, found)
        if isinstance(explained, Reached):
            new.append(explained)
            found.gaps.pop(role.number, None)
        else:
            found.gaps[role.number] = explained
    found.reached |= {each.role.number: each for each in new}
    return new


def usable(found: Reach, role: Role) -> Among:
    """Which sources a role may use: the page, and answers that came before on all pages."""
    known = {
        number: each
        for number, each in found.reached.items()
        if role.is_after(each.role) and len(each.needs) + 2 <= MOST_REQUESTS
    }

    def among(source: Source) -> bool:
        return source.kind in (URL, PAGE) or source.role in known

    return among


def _explain(role: Role, found: Reach) -> Reached | list[Gap]:
    among = usable(found, role)
    explainer = Explainer(found.tracer, among)
    by_parts = _by_parts(role, explainer, found.visits)
    if isinstance(by_parts, list) and explainer.has_found:
        # Folders are often parts of what comes behind them: /94/36/94368456.json
        by_parts = _by_parts(role, explainer, found.visits)
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
    """The roles whose answers a template needs, and those that they need."""
    direct = {use.source.role for use in template.uses if use.source.kind == ANSWER}
    return frozenset(direct).union(*(found.reached[number].needs for number in direct))


def _by_parts(role: Role, explainer: Explainer, visits: Sequence[Visit]) -> Reached | list[Gap]:
    host = explainer.host(role.urls)
    gaps: list[Gap] = []
    parts: list[Part] = []
    if isinstance(host, Gap):
        gaps.append(host)
    else:
        parts += host
    for column in zip(*(url.segments for url in role.urls), strict=True):
        place = int(column[0].name)
        before = {url.segments[place - 1].value for url in role.urls} if place else set()
        found = _component(column, explainer, visits, before.pop().rstrip("s") if len(before) == 1 else "")
        parts += ["/", *(found if isinstance(found, list) else ())]
        gaps += [found] if isinstance(found, Gap) else []
    query = _Query(role, explainer, visits)
    gaps += query.gaps
    if gaps:
        return gaps
    return Reached(role, Template(joined([*parts, *query.parts])), tuple(query.dropped), query.callback)


def _component(
    column: Sequence[Component], explainer: Explainer, visits: Sequence[Visit], name: str
) -> list[Part] | Gap:
    values = tuple(each.value for each in column)
    is_same = len(set(values)) == 1
    # Folders are named by what they have: the account of a broadcaster is no secret.
    in_path = column[0].kind == SEGMENT
    kinds = {value_kind(each) or (secret_kind(name) if in_path else kind_of(name, each)) for each in values}
    if kinds - {""} or (is_same and is_account(values[0])):
        return Gap(column[0].kind, column[0].name, values)
    is_nonce = name.lower().endswith("nonce") and _has_digit(values[0]) is not None
    if is_same and (is_nonce or not is_given(values[0], visits)):
        # A build, a nonce, or a key: it is taken from the page, which has that of the day.
        use = explainer.constant(values, visits)
        return Gap(column[0].kind, column[0].name, values) if use is None else [use]
    return explainer.component(column, name)


def is_given(value: str, visits: Sequence[Visit]) -> bool:
    """Return whether a constant is the site's: words, or what its scripts have, which are the same for everybody."""
    answers = {each.entry.index for visit in visits for each in visit.answers}
    scripts = [
        each.body
        for visit in visits
        for each in visit.entries
        if text_kind(each.mime) == "script" and each.body and each.index not in answers
    ]
    return all(any(part in script for script in scripts) for part in random_parts(value))


class _Query:
    """The parameters of a role's URL: explained, dropped, or unknown.

    Attributes:
        parts: of the template.
        gaps: those that are unknown.
        dropped: those that are left out.
        callback: the one that names a function of JSONP.
    """

    def __init__(self, role: Role, explainer: Explainer, visits: Sequence[Visit]) -> None:
        self.parts: list[Part] = []
        self.gaps: list[Gap] = []
        self.dropped: list[Dropped] = []
        self.callback = ""
        self._role = role
        self._visits = visits
        self.gaps = [gap for column in self._columns() if (gap := self._take(column, explainer)) is not None]

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
                self.dropped.append(Dropped(name, why="it is not sent on all pages"))
        return found

    def _take(self, column: list[Component], explainer: Explainer) -> Gap | None:
        name, values = column[0].name, [each.value for each in column]
        if is_callback(values, self._role.requests):
            self.callback = name
            self._add(name, [braced(column[0].raw)])
            return None
        if len(set(values)) == 1 and self._looks_made_up(name, values[0]) and self._made_up(name, values):
            return None
        found = _component(column, explainer, self._visits, name)
        if isinstance(found, list):
            self._add(name, found)
            return None
        return None if len(set(values)) > 1 and self._made_up(name, values) else found

    def _add(self, name: str, parts: list[Part]) -> None:
        self.parts += ["&" if self.parts else "?", literal(name, QUERY), "=", *parts]

    @staticmethod
    def _looks_made_up(name: str, value: str) -> bool:
        """Whether a value that is the same on all pages may be one of the visit, and not of the site."""
        return name.lower() in WORDS["of_visit"] and len(value) >= _LONG

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
