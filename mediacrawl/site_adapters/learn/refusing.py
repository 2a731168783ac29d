"""The reasons why there is no adapter: each is a sentence that says what is where, and what can be done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from mediacrawl.site_adapters.har.recording import Entry
from mediacrawl.site_adapters.learn import protection
from mediacrawl.site_adapters.learn.model import Refusal, RefusalName
from mediacrawl.site_adapters.learn.reach import Reach, Reached
from mediacrawl.site_adapters.learn.subject import Holders
from mediacrawl.site_adapters.learn.templates import Gap
from mediacrawl.site_adapters.learn.urls import QUERY, request_key
from mediacrawl.site_adapters.learn.visits import Answered, Visit
from mediacrawl.site_adapters.patterns import split

Allows = Callable[[str, str], bool]
"""Whether a robots.txt (its text) allows a URL."""
_MOST_NAMED = 3
_OF_ONE_PAGE = frozenset({"login", "post_only", "websocket"})
"""What one page tells."""
_NO_CREDENTIALS = "mediacrawl sends no credentials."


def protected_media(found: Sequence[Holders]) -> Iterator[Refusal]:
    """Signatures, times of expiry and DRM of the media themselves."""
    for each in found:
        starts = {request_key(entry.url): entry.started for entry in each.visit.entries}
        latest = max((entry.started for entry in each.visit.entries), default=0.0)
        for url in each.media:
            if name := protection.expiry_in(url, starts.get(request_key(url), latest)):
                why = "so that they are useless when the crawl comes to them."
                yield Refusal("expires", f"The URLs of the media expire ({name} in {_short(url)}), {why}")
            if name := protection.signature_in(url):
                why = (
                    "so that nobody but the site can make or keep them. Such a site cannot be crawled with an adapter."
                )
                yield Refusal("signed", f"The URLs of the media are signed ({name} in {_short(url)}), {why}")
        signs = [(protection.drm_in_entry(entry), entry) for entry in each.visit.entries]
        signs += [(protection.drm_in_answer(answered.tree), answered.entry) for answered in each.answers]
        for sign, entry in signs:
            if sign:
                what = f"The medium is protected by DRM ({sign} at {_short(entry.url)})."
                yield Refusal("drm", f"{what} mediacrawl does not read protected media.")


def in_page(found: Sequence[Holders]) -> list[Refusal]:
    """Pages that name their media themselves."""
    with_media = [each for each in found if each.media]
    if not with_media or not all(each.in_page for each in with_media):
        return []
    what = f"The page itself names its medium ({_short(with_media[0].media[0])})"
    return [Refusal("page_names_it", f"{what}: the crawl finds it without an adapter.")]


def one_page(found: Holders) -> list[Refusal]:
    """Return that only one page shows media."""
    why = "Only one page of the recordings shows media, and one page does not tell which parts of its data requests are"
    refusals = [Refusal("one_page", f"{why} the same on all pages. Record a second page, and start its player.")]
    return refusals + [each for each in without_mapping([found], None, ()) if each.name in _OF_ONE_PAGE]


def unnamed(url: str) -> Refusal:
    """Nothing tells that a medium is the page's."""
    return Refusal(
        "ambiguous",
        f"Nothing in the answer that names {_short(url)} names the page, and it was not played, or the answer is"
        " of another site, as those about advertisements are. Start the player while you record.",
    )


def rivalry(first: str, second: str) -> Refusal:
    """Two media of a page, and nothing that tells which is the page's."""
    return Refusal(
        "ambiguous",
        f"Two answers name media, and nothing tells which are the page's: {_short(first)} and {_short(second)}. Reload"
        " each page while you record, start its player, and let nothing else play.",
    )


def protected_data(data: Sequence[Answered], visits: Sequence[Visit], *, secrets: bool = True) -> Iterator[Refusal]:
    """Data requests that need a login, a signature, or expire; without `secrets` only by their headers and answers."""
    for answered, visit in zip(data, visits, strict=True):
        entry, url = answered.entry, _short(answered.entry.url)
        if why := protection.login_in(entry) or ("needs a login" if _needs_login(entry, visit) else ""):
            yield Refusal("login", f"The data request {url} {why}. {_NO_CREDENTIALS}")
        for name, parameter in protection.gap_reasons(answered.url, entry.started):
            if secrets:
                yield Refusal(name, f"The parameter {parameter} of the data request {url} {_WHAT[name]}")
    if found := protection.unsendable([answered.entry for answered in data]):
        name, header = found
        yield Refusal(name, f"The header {header} of the data request {_short(data[0].entry.url)} {_WHAT[name]}")


_WHAT: dict[RefusalName, str] = {
    "login": f"is a key. {_NO_CREDENTIALS}",
    "expires": "says until when it is valid, so that it cannot be made later.",
    "signed": "is a signature or a token, which only the site can make.",
    "unexplained": "differs from page to page, and no adapter can send it.",
}


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
    for url in [answered.entry.url for reached in chain for answered in reached.role.requests] if allows else ():
        parts = split(url)
        host = parts.netloc.lower() if parts is not None else ""
        if host in robots and allows is not None and not allows(robots[host], url):
            yield Refusal("robots", f"The robots.txt of {host} forbids the data request {_short(url)}.")


def recorded_robots(visits: Sequence[Visit]) -> dict[str, str]:
    """Return the robots.txt files of recordings: host -> text."""
    found = {}
    for entry in (entry for visit in visits for entry in visit.entries):
        parts = split(entry.url) if entry.body is not None and entry.status == 200 else None
        if parts is not None and parts.path == "/robots.txt":
            found[parts.netloc.lower()] = entry.body or ""
    return found


def without_mapping(found: Sequence[Holders], reach: Reach | None, doubts: Sequence[str]) -> list[Refusal]:
    """Return why no answer gives the media."""
    answered = [each for each in found if each.answers]
    if not answered:
        return [_unanswered(found)]
    refusals = [Refusal("ambiguous", doubt) for doubt in dict.fromkeys(doubts)]
    refusals += protected_data([each.answers[0] for each in answered], [each.visit for each in answered])
    return refusals or [_several(answered) or _unexplained(answered, reach)]


def _unanswered(found: Sequence[Holders]) -> Refusal:
    if not any(each.media for each in found):
        what = "No page of the recordings plays a medium or names one. Start the player while you record, and keep the"
        return Refusal("not_found", f"{what} bodies of answers in the recording.")
    for post in (entry for each in found for entry in each.posts):
        what = f"The media are named only in the answer of {post.method} {_short(post.url)}."
        return Refusal("post_only", f"{what} mediacrawl makes GET requests only.")
    for entry in (entry for each in found for entry in each.visit.entries if entry.url.startswith(("ws:", "wss:"))):
        what = f"The media stand in no answer; the page talks to {_short(entry.url)} by WebSocket"
        return Refusal("websocket", f"{what}, which mediacrawl does not do.")
    media = next(url for each in found for url in each.media)
    what = f"The medium {_short(media)} stands in no answer of the recording, and is not made of values in one."
    return Refusal("not_found", f"{what} If bodies of answers are missing, record again with them.")


def _several(answered: Sequence[Holders]) -> Refusal | None:
    """Whether each page played media of several answers."""
    pairs = []
    for each in answered:
        named = [{one.url for one in each.visit.named(answer).values()} for answer in each.answers]
        played = [min((url for url in urls if each.visit.is_played(url)), default="") for urls in named]
        pairs.append(list(dict.fromkeys(filter(None, played)))[:2])
    return rivalry(*pairs[0]) if all(len(pair) > 1 for pair in pairs) else None


def _unexplained(answered: Sequence[Holders], reach: Reach | None) -> Refusal:
    wanted = {id(answer.entry) for each in answered for answer in each.answers}
    for role in reach.roles if reach is not None else ():
        gaps = reach.gaps.get(role.number) if reach is not None else None
        if gaps and any(id(each.entry) in wanted for each in role.requests):
            return Refusal("unexplained", f"{_unknown(gaps, _short(answered[0].answers[0].entry.url))}")
    first, last = (_short(each.answers[0].entry.url) for each in (answered[0], answered[-1]))
    if len(answered) == 1:
        what = f"Only one page has a data request that names media ({first})."
        return Refusal("one_page", f"{what} Record a second page, and start its player.")
    return Refusal("unexplained", f"The requests of the pages do not have the same form: {first} and {last}.")


def _unknown(gaps: Sequence[Gap], url: str) -> str:
    if not gaps[0].values:
        return f"The data request {url} needs more than two requests before it."
    if same := [gap for gap in gaps if len(set(gap.values)) == 1]:
        return (
            f"In the data request {url} {same[0].written} is the same on all recorded pages, and is a key, an id of the"
            " visitor, or given out by the site for a while. The pages do not have it."
        )
    parts = " and ".join(gap.written for gap in gaps[:_MOST_NAMED])
    is_short = gaps[0].kind != QUERY or max(map(len, gaps[0].values), default=0) < 4
    return (
        f"In the data request {url} {parts} differs from page to page, and stands neither in the page's URL, nor in the"
        f" page, nor in an earlier answer.{' It may be too short to tell: record a third page.' if is_short else ''}"
    )


def _short(url: str) -> str:
    return url if len(url) <= 120 else f"{url[:119]}…"
