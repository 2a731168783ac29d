"""The reasons why there is no adapter: each is a sentence that says what is where, and what can be done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from mediacrawl.site_adapters.har.recording import Entry
from mediacrawl.site_adapters.learn import protection
from mediacrawl.site_adapters.learn.model import Refusal
from mediacrawl.site_adapters.learn.protection import unsendable
from mediacrawl.site_adapters.learn.reach import Reach, Reached
from mediacrawl.site_adapters.learn.secrets import kind_of
from mediacrawl.site_adapters.learn.subject import Holders
from mediacrawl.site_adapters.learn.targets import named_media
from mediacrawl.site_adapters.learn.templates import Gap
from mediacrawl.site_adapters.learn.urls import QUERY, request_key, same_request
from mediacrawl.site_adapters.learn.visits import Answered, Visit, is_manifest
from mediacrawl.site_adapters.patterns import split

Allows = Callable[[str, str], bool]
"""Whether a robots.txt (its text) allows a URL."""
_MOST_NAMED = 3


def protected_media(found: Sequence[Holders]) -> Iterator[Refusal]:
    """Signatures, times of expiry and DRM of the media themselves."""
    for each in found:
        starts = {request_key(entry.url): entry.started for entry in each.visit.entries}
        latest = max((entry.started for entry in each.visit.entries), default=0.0)
        for url in each.media:
            yield from _of_url(url, starts.get(request_key(url), latest))
        for sign, where in _drm_signs(each):
            what = f"The medium is protected by DRM ({sign} {_short(where)})."
            yield Refusal("drm", f"{what} mediacrawl does not read protected media.")


def _of_url(url: str, started: float) -> Iterator[Refusal]:
    if name := protection.expiry_in(url, started):
        why = "so that they are useless when the crawl comes to them."
        yield Refusal("expires", f"The URLs of the media expire ({name} in {_short(url)}), {why}")
    if name := protection.signature_in(url):
        why = "so that nobody but the site can make or keep them. Such a site cannot be crawled with an adapter."
        yield Refusal("signed", f"The URLs of the media are signed ({name} in {_short(url)}), {why}")


def _drm_signs(found: Holders) -> Iterator[tuple[str, str]]:
    """What says that a page's medium is protected, and the URL where it says so."""
    for entry in found.visit.entries:
        if is_manifest(entry) and (name := protection.drm_in_manifest(entry)):
            yield f"{name} in", entry.url
        elif protection.is_licence(entry):
            yield "licence at", entry.url
    for answered in found.answers:
        if name := protection.drm_in_answer(answered.tree):
            yield f"{name} in the answer of", answered.entry.url


def in_page(found: Sequence[Holders]) -> list[Refusal]:
    """Pages that name their media themselves."""
    with_media = [each for each in found if each.media]
    if not with_media or not all(each.in_page for each in with_media):
        return []
    url = _short(with_media[0].media[0])
    return [
        Refusal("page_names_it", f"The page itself names its medium ({url}): the crawl finds it without an adapter.")
    ]


def one_page(found: Holders) -> list[Refusal]:
    """Only one page shows media."""
    why = "Only one page of the recordings shows media, and one page does not tell which parts of its data requests are"
    refusals = [Refusal("one_page", f"{why} the same on all pages. Record a second page, and start its player.")]
    if found.answers:
        # Of one page only what is named as a secret is surely one; other values may come from anywhere.
        kinds = {each.name: kind_of(each.name, each.value) for each in found.answers[0].url.parameters}
        secrets = {name for name, kind in kinds.items() if kind not in ("", "session")}
        return refusals + list(protected_data(found.answers[:1], [found.visit], secrets))
    return refusals + [each for each in without_mapping([found], None, ()) if each.name != "not_found"]


def unnamed(url: str) -> Refusal:
    """Nothing tells that a medium is the page's."""
    return Refusal(
        "ambiguous",
        f"Nothing in the answer that names {_short(url)} names the page, and it was not played, or the answer is"
        " of another site, as those about advertisements are. Start the player while you record.",
    )


def changing_media(groups: Sequence[Sequence[Holders]]) -> Iterator[Refusal]:
    """Media whose URLs differ between two visits of the same page."""
    for group in groups:
        first, *others = group
        for other in others:
            pair = _changed(first, other)
            if pair is not None:
                yield Refusal(
                    "expires",
                    f"The same page named its medium by another URL when it was visited again"
                    f" ({_short(pair[0])}, then {_short(pair[1])}), so that these URLs do not last.",
                )


def _changed(first: Holders, other: Holders) -> tuple[str, str] | None:
    for mine in first.answers:
        for theirs in other.answers:
            if not same_request(mine.entry.url, theirs.entry.url):
                continue
            wanted = {request_key(url): url for url in first.media}
            for path, text in mine.tree.leaves.items():
                again = theirs.tree.leaves.get(path, text)
                if again != text and request_key(text) in wanted:
                    return text, again
    return None


def protected_data(
    data: Sequence[Answered], visits: Sequence[Visit], unknown: Collection[str] | None = None
) -> Iterator[Refusal]:
    """Data requests that need a login, a signature, or expire."""
    for answered, visit in zip(data, visits, strict=True):
        entry = answered.entry
        if why := protection.login_in(entry):
            yield Refusal("login", f"The data request {_short(entry.url)} {why}. mediacrawl sends no credentials.")
        elif _needs_login(entry, visit):
            yield Refusal(
                "login", f"The data request {_short(entry.url)} needs a login. mediacrawl sends no credentials."
            )
        for name, parameter in protection.gap_reasons(answered.url, entry.started):
            if unknown is None or parameter in unknown:
                yield _of_parameter(name, parameter, entry)
    if found := unsendable([answered.entry for answered in data]):
        yield _of_header(*found, data[0].entry)


def _of_parameter(name: str, parameter: str, entry: Entry) -> Refusal:
    where = f"{parameter} of the data request {_short(entry.url)}"
    if name == "login":
        return Refusal("login", f"The parameter {where} is a key. mediacrawl sends no credentials.")
    if name == "expires":
        return Refusal(
            "expires", f"The parameter {where} says until when it is valid, so that it cannot be made later."
        )
    return Refusal("signed", f"The parameter {where} is a signature or a token, which only the site can make.")


def _of_header(name: str, header: str, entry: Entry) -> Refusal:
    where = f"The data request {_short(entry.url)} has the header {header}"
    if name == "login":
        return Refusal("login", f"{where}, which is a key. mediacrawl sends no credentials.")
    if name == "signed":
        return Refusal("signed", f"{where}, which is a signature, that only the page's script can make.")
    return Refusal("unexplained", f"{where}, which differs from page to page, and which no adapter can send.")


def key_in_header(entry: Entry) -> Refusal:
    """Return that a header which an adapter would send has a key."""
    return Refusal("login", f"The data request {_short(entry.url)} has a header with a key, or an id of the visitor.")


def _needs_login(entry: Entry, visit: Visit) -> bool:
    """Whether a password was posted before, or the same request was refused before it had what it needs.

    Some exports leave out cookies and Authorization. So whoever has logged in cannot be told from others.
    """
    key = request_key(entry.url)
    same = [other for other in visit.entries if request_key(other.url) == key]
    denied = any(other.status in (401, 403) or protection.asks_for_login(other) for other in same)
    return denied or (visit.login is not None and visit.login < entry.index)


def forbidden(chain: Sequence[Reached], robots: Mapping[str, str], allows: Allows | None) -> Iterator[Refusal]:
    """Data requests that a robots.txt forbids."""
    urls = [answered.entry.url for reached in chain for answered in reached.role.requests] if allows is not None else []
    for url in urls:
        parts = split(url)
        host = parts.netloc.lower() if parts is not None else ""
        if host in robots and allows is not None and not allows(robots[host], url):
            yield Refusal("robots", f"The robots.txt of {host} forbids the data request {_short(url)}.")


def recorded_robots(visits: Sequence[Visit]) -> dict[str, str]:
    """The robots.txt files of recordings: host -> text."""
    found = {}
    for visit in visits:
        for entry in visit.entries:
            if entry.url.endswith("/robots.txt") and entry.body is not None and entry.status == 200:
                parts = split(entry.url)
                if parts is not None and parts.path == "/robots.txt":
                    found[parts.netloc.lower()] = entry.body
    return found


def without_mapping(found: Sequence[Holders], reach: Reach | None, doubts: Sequence[str]) -> list[Refusal]:
    """Why no answer gives the media."""
    if not any(each.media for each in found):
        return [
            Refusal(
                "not_found",
                "No page of the recordings plays a medium or names one. Start the player while you"
                " record, and keep the bodies of answers in the recording.",
            )
        ]
    answered = [each for each in found if each.answers]
    if not answered:
        return _unanswered(found)
    refusals = [*(Refusal("ambiguous", doubt) for doubt in dict.fromkeys(doubts))]
    data = [each.answers[0] for each in answered]
    refusals += protected_data(data, [each.visit for each in answered], _unknown(data[0], reach))
    if not refusals:
        refusals += _several(answered) or _unexplained(answered, reach)
    return refusals


def _unanswered(found: Sequence[Holders]) -> list[Refusal]:
    posts = [entry for each in found for entry in each.posts]
    sockets = [url for each in found for url in each.sockets]
    if posts:
        what = f"The media are named only in the answer of {posts[0].method} {_short(posts[0].url)}."
        return [Refusal("post_only", f"{what} mediacrawl makes GET requests only.")]
    if sockets:
        what = f"The media stand in no answer; the page talks to {_short(sockets[0])} by WebSocket"
        return [Refusal("websocket", f"{what}, which mediacrawl does not do.")]
    media = next(url for each in found for url in each.media)
    what = f"The medium {_short(media)} stands in no answer of the recording, and is not made of values in one."
    return [Refusal("not_found", f"{what} If bodies of answers are missing, record again with them.")]


def rivalry(first: str, second: str) -> Refusal:
    """Two media of a page, and nothing that tells which is the page's."""
    return Refusal(
        "ambiguous",
        f"Two answers name media, and nothing tells which are the page's: {_short(first)} and {_short(second)}. Start"
        " the player while you record, and let nothing else play.",
    )


def _several(answered: Sequence[Holders]) -> list[Refusal]:
    """Whether each page played media of several answers."""
    pairs = []
    for each in answered:
        named = [{one.url for one in named_media(answer, each.visit).values()} for answer in each.answers]
        played = [sorted(url for url in urls if each.visit.is_played(url)) for urls in named]
        distinct = list(dict.fromkeys(urls[0] for urls in played if urls))
        pairs.append(distinct[:2])
    return [rivalry(*pairs[0])] if all(len(pair) > 1 for pair in pairs) else []


def _unknown(data: Answered, reach: Reach | None) -> set[str] | None:
    """The parameters of a data request that could not be explained; None if it was not looked at."""
    for role in reach.roles if reach is not None else ():
        if any(each.entry is data.entry for each in role.requests):
            known = reach is not None and role.number in reach.reached
            return set() if known else {gap.name for gap in reach.gaps.get(role.number, ())} if reach else None
    return None


def _unexplained(answered: Sequence[Holders], reach: Reach | None) -> Iterator[Refusal]:
    wanted = {id(answer.entry) for each in answered for answer in each.answers}
    for role in reach.roles if reach is not None else ():
        gaps = reach.gaps.get(role.number) if reach is not None else None
        if gaps and any(id(each.entry) in wanted for each in role.requests):
            yield Refusal("unexplained", _sentence(gaps, answered))
            return
    first = answered[0].answers[0].entry.url
    if len(answered) == 1:
        yield Refusal(
            "one_page",
            f"Only one page has a data request that names media ({_short(first)}). Record a second"
            " page, and start its player.",
        )
        return
    yield Refusal(
        "unexplained",
        f"The requests of the pages do not have the same form: {_short(first)} and"
        f" {_short(answered[-1].answers[0].entry.url)}.",
    )


def _sentence(gaps: Sequence[Gap], answered: Sequence[Holders]) -> str:
    url = answered[0].answers[0].entry.url
    if not gaps[0].values:
        return f"The data request {_short(url)} needs more than two requests before it."
    if same := [gap for gap in gaps if len(set(gap.values)) == 1]:
        return (
            f"In the data request {_short(url)} {same[0].written} is the same on all recorded pages, and is a key,"
            " an id of the visitor, or given out by the site for a while. The pages do not have it."
        )
    parts = " and ".join(gap.written for gap in gaps[:_MOST_NAMED])
    more = " It may be too short to tell: record a third page." if _is_short(gaps[0]) else ""
    return (
        f"In the data request {_short(url)} {parts} differs from page to page, and stands neither in the page's URL,"
        f" nor in the page, nor in an earlier answer.{more}"
    )


def _is_short(gap: Gap) -> bool:
    return gap.kind != QUERY or max(map(len, gap.values), default=0) < 4


def _short(url: str) -> str:
    return url if len(url) <= 120 else f"{url[:119]}…"
