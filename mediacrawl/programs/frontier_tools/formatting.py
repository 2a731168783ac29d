"""What ``scrapy frontier`` says of a frontier: plain text for a terminal, without a line feed at the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mediacrawl.base.format import count, elapsed, in_words, plural, size
from mediacrawl.base.terms import Drop, End, SiteInfo, SiteState, Trouble
from mediacrawl.base.text import pad, printable
from mediacrawl.frontier.sqlite.reader import FrontierOverview, UrlStatus
from mediacrawl.log.search import UrlHistory
from mediacrawl.politeness.robots_book import RobotsNote

_LABEL = 14
_CLASSES = 10
"""Link classes that are shown."""

_NOT_HERE = (
    "scope would let it in: nothing that was read has named it, or a rule on copies, parameters or facets passed it"
    " over, or it was pruned (drop/... in the crawl's stats)"
)
_DROPPED = "it will be dropped"
_HELD = "it waits until a start with -s MEDIACRAWL_CONTACT=URL-OR-ADDRESS"
_MEANINGS = {
    End.DONE: "it was visited, and what it gave is stored",
    Drop.OPERATOR: "mediacrawl frontier drop",
    Drop.ADDRESS: "its name leads to an address that is no public server's",
    Drop.ROBOTS: "its robots.txt forbids it",
    Drop.NEVERCRAWL: "its domain is on a NeverCrawl list",
    Drop.HTTP_STATUS: "the server refused it, or failed at each attempt",
    Drop.DOWNLOAD_ERROR: "no answer came at any attempt",
    Drop.UNREADABLE: "its body could not be unpacked, or broke off, at each attempt",
    Drop.CONTENT_TYPE: "it is neither a page, nor a feed, nor media",
    Drop.REDIRECT_CAP: "too many redirects in a row led to it",
    Drop.ADAPTER_MISSED: "its answer is not as the site adapter says, so its page was requested",
    Drop.ADAPTER_OFF: "its site adapter was switched off, changed or removed, so its page was requested",
}


def format_overview(overview: FrontierOverview, now: float) -> str:
    """The frontier in numbers."""
    sites = ", ".join(f"{count(number)} {state}" for state, number in overview.sites.items() if number)
    first = "nothing waits" if overview.first_due is None else _when(overview.first_due, now)
    again = f", {count(overview.again)} times one of them again" if overview.again else ""
    accepted = f"{count(overview.seen)} accepted{again}"
    return format_rows(
        [
            ("URLs", f"{accepted}: {plural(overview.waiting, '', 'waits')}, {plural(overview.leased, '', 'is')} out"),
            ("ended", ", ".join(f"{name} {count(number)}" for name, number in overview.ends.items())),
            ("sites", sites or "none"),
            ("next", first),
            (overview.medium, size(overview.bytes)),
        ]
    )


def format_site(site: SiteInfo, before: int, now: float) -> str:
    """A site."""
    rows = [
        (site.name, _state(site, before, now)),
        ("delay", _delay(site)),
        ("trouble", _trouble(site, now)),
        ("visits", f"{plural(site.visits, 'request')}, {plural(site.earned, 'find')}"),
        ("waiting", f"{plural(site.waiting, 'URL')} in {plural(len(site.classes), 'link class')}"),
    ]
    shown = [(name, score, urls) for name, score, urls in site.classes if urls][:_CLASSES]
    rows += [("", f"{score:6.3f}  {count(urls):>9}  {name}") for name, score, urls in shown]
    return format_rows(rows)


def format_sites(sites: Iterable[SiteInfo], now: float) -> str:
    """A table of sites, a line each."""
    lines = [f"{'requests':>9} {'finds':>7} {'waiting':>9}  {'state':<9} {'next':>12}  site"]
    for site in sites:
        trouble = _trouble(site, now)
        waits = site.state in {SiteState.WAITING, SiteState.RESTING} and site.release > now
        due = elapsed(site.release - now) if waits else ""
        lines.append(
            f"{count(site.visits):>9} {count(site.earned):>7} {count(site.waiting):>9}  {site.state:<9} {due:>12}"
            f"  {printable(site.name)}{f'  ({trouble})' if trouble else ''}"
        )
    return "\n".join(lines)


def format_url(
    url: str,
    where: UrlStatus,
    refusal: Drop | None,
    *,
    before: UrlHistory,
    rules: UrlHistory,
    robots: RobotsNote | None,
    now: float,
    listing: str = "",
    more: Iterable[tuple[str, str]] = (),
) -> str:
    """Where a URL is, and why, and what was answered when it was requested last.

    Args:
        url: as it was asked about; one that waits is shown as it will be requested.
        where: see there.
        refusal: why scope would refuse it now, if it would.
        before: what the request log says of it.
        rules: the same of the robots.txt of its authority.
        robots: what is known of the robots.txt of its authority; None if nothing is.
        listing: URL of a page of which this would be a link that sorts it, or leads to a folder above, if the page is a
            list of files; empty for none.
        now: seconds since the epoch.
        more: further rows.
    """
    shown = where.candidate.request_url if where.candidate else url
    end = where.end or (before.end if where.known and where.candidate is None else "")
    rows = [
        *_where(replace(where, end=end), refusal, listing),
        *more,
        ("last asked", before.summary()),
        ("robots.txt", _robots(robots, rules, now) or rules.summary() or "not asked yet"),
        ("guard", _guard(shown) if end == Drop.ADDRESS else ""),
        ("asked again", _never(end) if where.known and where.candidate is None else ""),
    ]
    return "\n".join([printable(shown), format_rows(rows)])


def _robots(note: RobotsNote | None, rules: UrlHistory, now: float) -> str:
    """What the robots.txt of an authority answered last; empty if nothing is kept of it."""
    if note is not None and note.failing is not None:
        failing = note.failing
        answer = str(failing.status or in_words(str(rules.last.get("error") or "")) or "no answer")
        times = f"{plural(failing.times, 'time')} in a row, last " if failing.times > 1 else ""
        return f"{answer}, {times}{_ago(failing.last, now)}: nothing is asked without it"
    if note is None or note.copy is None:
        return ""
    status = note.copy.status
    no_rules = "" if 200 <= status < 300 else ": there are no rules"
    return f"{status}, {_ago(note.copy.fetched, now)}{no_rules}"


def _ago(when: float, now: float) -> str:
    return f"{elapsed(max(now - when, 0.0))} ago"


def _guard(url: str) -> str:
    """How a host that was refused is allowed."""
    host = url.partition("://")[2].partition("/")[0]
    host = host.rpartition("@")[2]
    name = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
    return printable(f"-s GUARD_ALLOW={name} allows it; the next start with that lets it join again")


def _never(end: str) -> str:
    if end == Drop.ADDRESS:
        return ""
    return "no, it has ended; pages that led to finds are with -a revisit=yes, and -a fresh=1 starts over"


def meaning(end: str) -> str:
    """An end in words: its name, and what it means where the name does not say."""
    said = next((text for name, text in _MEANINGS.items() if name == end), "")
    return f"{end} ({said})" if said else end


def _where(where: UrlStatus, refusal: Drop | None, listing: str) -> list[tuple[str, str]]:
    refused = f"scope refuses it now: {meaning(refusal)}" if refusal else ""
    if not where.known:
        steers = f"index_link: on {listing}, if that is a list of files, it sorts the list or is a folder above"
        return [("not here", refused or (steers if listing else _NOT_HERE))]
    if where.candidate is None:
        return [("ended", meaning(where.end) if where.end else "how is not known any more"), ("", refused)]
    found = where.candidate
    waits = "is out: it is asked now" if where.leased else f"{count(where.before)} URLs of its class before it"
    named = f" ({found.evidence.anchor!r})" if found.evidence.anchor else ""
    source = f"on {found.parent}" if found.parent else "as a seed"
    return [
        ("waits", waits),
        ("class", f"{where.link_class}, score {where.score:.3f}"),
        ("found", f"{source} by {found.evidence.via}{named}, depth {found.depth}, {found.hops} redirects"),
        ("attempts", f"{count(where.attempt)}, not counting failures of its whole site" if where.attempt else ""),
        ("when taken", refused and f"{refused}: {_HELD if refusal is Drop.PLACEHOLDER_CONTACT else _DROPPED}"),
    ]


def _state(site: SiteInfo, before: int, now: float) -> str:
    if site.state in {SiteState.READY, SiteState.WAITING, SiteState.RESTING}:
        return f"{site.state}, {_when(site.release, now)}; {plural(before, 'site', 'goes')} before it"
    explained = {
        SiteState.LEASED: "a request is out",
        SiteState.PAUSED: "by the operator, until mediacrawl frontier resume",
        SiteState.RETIRED: f"{_why_retired(site)}, until mediacrawl frontier resume",
        SiteState.IDLE: f"nothing waits; {_when(site.release, now)}",
    }
    return f"{site.state}: {explained[site.state]}"


def _why_retired(site: SiteInfo) -> str:
    if not site.gone:
        return "it has had its budget of requests (FRONTIER_SITE_BUDGET)"
    if site.trouble is Trouble.FORBIDDEN:
        return f"it has answered 403 to {plural(site.forbidden, 'request')} in a row"
    return "nothing but trouble for too long (BACKOFF_RETIRE_AFTER)"


def _trouble(site: SiteInfo, now: float) -> str:
    """What is held against a site; empty if nothing is."""
    said = []
    if site.troubles:
        said.append(f"{count(site.troubles)} in a row for {elapsed(now - site.since)}, the last: {site.trouble}")
    if site.forbidden:
        said.append(f"{plural(site.forbidden, 'time')} 403 in a row")
    if site.level:
        said.append(f"its delay is doubled {plural(site.level, 'time')}")
    return "; ".join(said)


def _when(release: float, now: float) -> str:
    return f"may be asked in {elapsed(release - now)}" if release > now else "may be asked now"


def _delay(site: SiteInfo) -> str:
    samples = " ".join(f"{seconds:.2f}" for seconds in site.samples) or "none yet"
    asked = f"; robots.txt asks for {elapsed(site.crawl_delay)}" if site.crawl_delay else ""
    return f"{elapsed(site.delay)} after its last visit; response times in seconds: {samples}{asked}"


def format_rows(rows: Iterable[tuple[str, str]]) -> str:
    """Rows of label and text, one below the other; without those that have no text."""
    return "\n".join(printable(f"  {pad(label, _LABEL)} {text}") for label, text in rows if text)
