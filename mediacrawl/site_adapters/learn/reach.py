"""Which data requests can be made from what is known before: the page's URL, the page, earlier answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mediacrawl.site_adapters.form import ANSWER, PAGE, URL
from mediacrawl.site_adapters.har.bodies import text_kind
from mediacrawl.site_adapters.learn.pages import PageForm
from mediacrawl.site_adapters.learn.protection import is_signature
from mediacrawl.site_adapters.learn.secrets import is_account, kind_of, random_parts, secret_kind, value_kind
from mediacrawl.site_adapters.learn.sources import answer_values, joint
from mediacrawl.site_adapters.learn.templates import Explainer, Gap, Part, Template, joined
from mediacrawl.site_adapters.learn.tracing import Among, Tracer
from mediacrawl.site_adapters.learn.trees import Tree
from mediacrawl.site_adapters.learn.urls import QUERY, SEGMENT, Component, Url, braced, literal
from mediacrawl.site_adapters.learn.visits import Answered, Visit
from mediacrawl.site_adapters.learn.words import WORDS
from mediacrawl.site_adapters.schema import MOST_REQUESTS

MOST_ROLES = 200
"""Data requests of a site that are looked at; a page has some ten."""
_MOST_ALIKE = 3
"""Requests of one shape on a page that are tried for one role."""
_SHORTEST = 6
"""Characters of a value that looks random."""
_signs = re.compile(r"[^a-z0-9]").sub
_looks_random = re.compile(r"(?=.*[0-9])[A-Za-z0-9._-]+").fullmatch
_has_digit = re.compile("[0-9]").search


@dataclass(frozen=True)
class Role:
    """A data request that each page makes: its number, and that of each page, in the order of the pages."""

    number: int
    requests: tuple[Answered, ...]

    @property
    def trees(self) -> list[Tree]:
        """The answers."""
        return [each.tree for each in self.requests]

    @property
    def urls(self) -> list[Url]:
        """The URLs of the requests."""
        return [each.url for each in self.requests]

    def is_after(self, other: Role) -> bool:
        """Return whether all of its requests were made after those of another one."""
        pairs = zip(self.requests, other.requests, strict=True)
        return all(mine.entry.index > theirs.entry.index for mine, theirs in pairs)


def roles(visits: Sequence[Visit]) -> list[Role]:
    """Return the requests that all pages make, aligned by shape, and those of one shape by their order."""
    shaped = []
    for visit in visits:
        found: dict[object, dict[str, Answered]] = {}
        for each in visit.answers:
            shape = each.url.host, len(each.url.segments), tuple(sorted(each.url.names)), each.tree.form
            found.setdefault(shape, {}).setdefault(each.entry.url, each)
        shaped.append(found)
    aligned = [
        requests
        for shape in shaped[0]
        for requests in zip(*(list(each.get(shape, {}).values())[:_MOST_ALIKE] for each in shaped), strict=False)
    ]
    return [Role(number, requests) for number, requests in enumerate(aligned[:MOST_ROLES])]


def made_up(name: str, values: Sequence[str]) -> bool:
    """Return whether it is plain that the page's script made the values of a parameter up."""
    return (
        (_signs("", name.lower()) or name) in WORDS["made_up"]
        and not any(is_signature(name, value) for value in values)
        and all((len(each) >= _SHORTEST and _looks_random(each)) or each.startswith("0.") for each in values)
    )


def is_callback(values: Sequence[str], requests: Sequence[Answered]) -> bool:
    """Return whether a parameter has the name of the function that JSONP calls."""
    return all(each.tree.callback == value != "" for each, value in zip(requests, values, strict=True))


@dataclass(frozen=True)
class Reached:
    """A data request whose URL is explained on all pages.

    `dropped` are parameters that are left out, each with a clause for people; JSONP calls the value of `callback`. The
    answers of the roles in `needs` are needed before.
    """

    role: Role
    template: Template
    dropped: dict[str, str] = field(default_factory=dict)
    callback: str = ""
    needs: frozenset[int] = frozenset()

    @property
    def needs_page(self) -> bool:
        """Whether a value of its URL is in the page."""
        return any(use.source.kind == PAGE for use in self.template.uses)

    @property
    def ignored(self) -> frozenset[str]:
        """Parameters in which its URL may differ from that of the browser."""
        return frozenset({*self.dropped, *([self.callback] if self.callback else ())})


@dataclass
class Reach:
    """The data requests of a site: those that can be made by the number of their role, and what is not known of others.

    The tracer finds values in all that is known at the end.
    """

    visits: Sequence[Visit]
    roles: Sequence[Role] = ()
    reached: dict[int, Reached] = field(default_factory=dict)
    gaps: dict[int, list[Gap]] = field(default_factory=dict)
    tracer: Tracer = field(default_factory=lambda: Tracer({}))

    def chain(self, number: int) -> list[Reached]:
        """Return the data requests up to one, in the order in which they are made."""
        last = self.reached[number]
        before = [self.reached[each] for each in last.needs]
        return [*sorted(before, key=lambda each: each.role.requests[0].entry.index), last]


def explore(visits: Sequence[Visit], form: PageForm) -> Reach:
    """Find out which data requests can be made."""
    found = Reach(visits, roles(visits))
    pages = [{**form.values(visit.url), **visit.values(len(visits))} for visit in visits]
    values = joint(pages)
    for _ in range(MOST_REQUESTS):
        found.tracer = Tracer(values)
        new = [_explain(role, found) for role in found.roles if role.number not in found.reached]
        reached = [each for each in new if isinstance(each, Reached)]
        if not reached:
            break
        for each in reached:
            found.reached[each.role.number] = each
            found.gaps.pop(each.role.number, None)
            if len(each.needs) + 1 <= MOST_REQUESTS:
                number = each.role.number
                values |= joint([answer_values(tree, number, len(visits)) for tree in each.role.trees])
    return found


def usable(found: Reach, role: Role) -> Among:
    """Return which sources a role may use: the page, and answers that came before on all pages."""
    known = {
        number
        for number, each in found.reached.items()
        if role.is_after(each.role) and len(each.needs) + 2 <= MOST_REQUESTS
    }
    return lambda source: source.kind in (URL, PAGE) or source.role in known


def _explain(role: Role, found: Reach) -> Reached | None:
    """Explain the URLs of a role, or note what is not known of them."""
    explainer = Explainer(found.tracer, usable(found, role))
    best = _by_parts(role, explainer, found)
    if best is None:
        return None
    needs = needed(found, best.template)
    if len(needs) + 1 > MOST_REQUESTS:
        found.gaps[role.number] = [Gap(QUERY, "", ())]
        return None
    return replace(best, needs=needs)


def needed(found: Reach, template: Template) -> frozenset[int]:
    """Return the roles whose answers a template needs, and those that they need."""
    direct = {use.source.role for use in template.uses if use.source.kind == ANSWER}
    return frozenset(direct).union(*(found.reached[number].needs for number in direct))


def _by_parts(role: Role, explainer: Explainer, found: Reach) -> Reached | None:
    host = explainer.host(role.urls)
    made: list[list[Part] | Gap] = [host]
    for column in zip(*(url.segments for url in role.urls), strict=True):
        place = int(column[0].name)
        before = {url.segments[place - 1].value for url in role.urls} if place else set()
        name = before.pop().rstrip("s") if len(before) == 1 else ""
        made += [["/"], _component(column, explainer, found.visits, name)]
    dropped, callback, mark = dict[str, str](), "", "?"
    for column in zip(*(_sorted(url, role.urls[0]) for url in role.urls), strict=True):
        name, values = column[0].name, [each.value for each in column]
        part = _component(column, explainer, found.visits, name)
        if is_callback(values, role.requests):
            callback, part = name, [braced(column[0].raw)]
        elif isinstance(part, Gap) and len(set(values)) > 1 and made_up(name, values):
            dropped[name] = "a value that the page's script makes up"
            continue
        made += [[mark, literal(name, QUERY), "="], part]
        mark = "&"
    gaps = [each for each in made if isinstance(each, Gap)]
    if gaps:
        found.gaps[role.number] = gaps
        return None
    parts = [part for each in made if not isinstance(each, Gap) for part in each]
    return Reached(role, Template(joined(parts)), dropped, callback)


def _sorted(url: Url, other: Url) -> list[Component]:
    """The parameters of a URL in the order of those of another one of the same shape."""
    found: dict[str, list[Component]] = {}
    for each in url.parameters:
        found.setdefault(each.name, []).append(each)
    return [found[name].pop(0) for name in other.names]


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
    return explainer.component(column)


def is_given(value: str, visits: Sequence[Visit]) -> bool:
    """Return whether a constant is the site's: words, or what its scripts have, which are the same for everybody."""
    parts = random_parts(value)
    if not parts:
        return True
    answers = {each.entry.index for visit in visits for each in visit.answers}
    scripts = [
        each.body
        for visit in visits
        for each in visit.entries
        if text_kind(each.mime) == "script" and each.body and each.index not in answers
    ]
    return all(any(part in script for script in scripts) for part in parts)
