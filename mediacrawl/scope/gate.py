"""The rules on one URL: whether it may be added to the crawl; their settings as values.

`Scope` asks them in turn, cheap ones first: the extension, the host (`exclusions`, the sites that the crawl keeps to),
traps, the whitelist. `ContactScope` says where a crawl may start with its contact.

Traps are URLs that programs generate without end: growing paths, calendars, and combinations of filters. Each rule
reads the URL alone. The rules are few and conservative, since a false positive loses real pages: a trap that they miss
is bounded by the queue of its site. Session ids name the visitor, and make a new URL of every page for each visit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Protocol

from mediacrawl.base.terms import Drop
from mediacrawl.frontier.seen import RecentUrls
from mediacrawl.politeness.identity import contact_problem, is_nobodys, leads_nowhere
from mediacrawl.scope.exclusions import NeverCrawl
from mediacrawl.scope.urls import (
    MEDIA_EXTENSIONS,
    Base,
    Spelling,
    canonical_host,
    ending,
    extension_of,
    extension_set,
    host_of,
    is_loopback,
    is_packed_list,
    port_of,
    scheme_of,
    site_of,
    spelling,
)
from mediacrawl.scope.wrapped import prefix_hosts, unwrapped

# -- extensions -------------------------------------------------------------------------------------------------------

_OF_NAMES = extension_set(
    "ai app bin c cc class com cpp cs dll dot go h java js key kt lua map numbers one pages pub py rb rs run sh so"
)
"""Extensions that hosts, tools and other names end in, too: ``/review/a.com``, ``/docker.run``, ``/wiki/Node.js``."""
_is_filed = re.compile(
    r"/(?:assets?|blob|dist|downloads?|files?|firmware|include|js|lib|packages?|raw|releases?|scripts?|src|source|static"
    r"|trunk|vendor)/|/(?:config|index|install|main|setup)\.[^/]*$|[-_.](?:v?[0-9]+|min)\.[^/.]*$",
    re.IGNORECASE,
).search
"""A folder of files, a name of a program or a version number: there such an extension is a file's."""

_is_extension = re.compile(r"\.?[\w~+-]+").fullmatch


class ExtensionFilter:
    """Refuses URLs whose extension is neither a page's nor that of media.

    Attributes:
        refused: the extensions, in lower case without a dot. Extensions of media are never refused, whatever the file
            says.
    """

    __slots__ = ("refused",)

    def __init__(self, refused: Iterable[str] = ()) -> None:
        self.refused = frozenset(refused) - MEDIA_EXTENSIONS

    @classmethod
    def load(cls, path: Path) -> ExtensionFilter:
        """Read a file with one extension a line, with or without its dot; ``#`` begins a comment.

        Raises:
            OSError: the file cannot be read.
            ValueError: a word in it is no extension.
        """
        return cls(parse_extensions(path.read_text("utf-8", "replace"), path.name))

    def refuses(self, url: str) -> bool:
        """Whether a canonical URL is refused."""
        # A compressed sitemap has the extension of an archive, and a JSON Feed that of data: ``audio-feed.json``.
        extension, name = extension_of(url), url.partition("?")[0].rpartition("/")[2]
        if extension not in self.refused or is_packed_list(url) or (extension == "json" and "feed" in name.lower()):
            return False
        return extension not in _OF_NAMES or _is_filed(url.partition("?")[0], url.find("/", 8)) is not None


def parse_extensions(text: str, where: str) -> frozenset[str]:
    """Parse a list of extensions, separated by white space.

    Raises:
        ValueError: a word is no extension.
    """
    found = set()
    for number, line in enumerate(text.splitlines(), start=1):
        for word in line.partition("#")[0].split():
            if not _is_extension(word):
                raise ValueError(
                    f"{where}:{number}: {word[:99]!r} is no extension; write what follows the last dot of a path: pdf"
                )
            found.add(word.lower().removeprefix("."))
    return frozenset(found)


# -- traps ------------------------------------------------------------------------------------------------------------

# The years of all that has the shape of a date: "2031-05", "20310512", "=2031", "=203105", "5%2F12%2F2031". It passes
# over most identifiers. Four classes in a row are found twice as fast as one with {4}.
_years = re.compile(
    r"([0-9][0-9][0-9][0-9])(?:(?:[-/._]|%2F)(?:0?[1-9]|1[0-2])(?![0-9])|(?=[0-9]{4}(?![0-9]))"
    r"|(?<=[=F.-][0-9]{4})(?:[0-9]{2})?(?![0-9]))"
).findall
# Year, mark and month of "2031-05", "2031/5", "2031/05/12", "20310512", but not of "4f4468e8-1114-9a"; in a query also
# of "203105", behind a name of dates: six digits are an identifier more often.
_DASHED = r"(?<![0-9a-z])([0-9]{4})([-/._]|%2f)(0?[1-9]|1[0-2])(?![0-9a-z])"
_COMPACT = r"(?<![0-9a-z])(2[01][0-9]{2})()(0[1-9]|1[0-2])"
_DAY = "(?:0[1-9]|[12][0-9]|3[01])"
_date_in_path = re.compile(rf"{_DASHED}|{_COMPACT}{_DAY}(?![0-9])").search
_dashed = re.compile(_DASHED).findall
_compact = re.compile(
    r"[?&](?:[a-z_]*(?:date|day|month|year|start|end|from|since|until|tag|monat|jahr|mois|mes)[a-z_]*|[dmy]|cal)="
    rf"{_COMPACT}{_DAY}?(?![0-9])"
).findall
_years_in_query = re.compile(
    r"[?&](?:[a-z_]*year|[a-z_]*date|y|jahr|datum|annee|anno)="
    r"(?:(?:[0-9]{1,2}(?:[-/.]|%2f)){2})?([0-9]{4})(?![0-9])"
).findall

# f[0]=colour&f[1]=size: one name with a number in it.
_number_in_brackets = re.compile(r"(%5B|\[)[0-9]+(?=%5D|\])").sub

# Whole words of the path, or names in the query. Only a calendar has pages for every month of the past;
# archives have real pages of 1977.
_WORD = r"[/?&_.\-](?:{})(?=[/=&_.?\-]|$)"
_CALENDAR = "[ck]alend[a-z]*|agenda|schedule|termine|cal|ical|month|monat|mois|mes|week|day|tribe"
_DATED = (
    "events?|veranstaltung(?:en)?|even(?:e?ments?|ementen|emang)|eventos|eventi|akce|wydarzenia|tapahtumat|etkinlikler"
    "|arrangement(?:er)?|esemenyek|programma?|archiv[a-z]*|year|date|jahr"
)
_is_calendar = re.compile(_WORD.format(_CALENDAR)).search
_is_dated = re.compile(_WORD.format(_DATED)).search
# A page of a calendar has no name of its own behind its date: only a day, how it is shown, the page of a list.
_VIEW = f"{_CALENDAR}|{_DATED}|list|grid|view|page|index|default|today|all|print|feed|html?|php|aspx?|ics|t[0-9]+z?"
_is_view = re.compile(
    rf"(?:[-/._~:]|(?:{_VIEW})(?![a-z])|w?[0-9]{{1,2}}(?![0-9a-z])|2[01][0-9]{{2}}(?![0-9a-z]))*+"
).fullmatch


@dataclass(slots=True)
class Traps:
    """The trap rules with their limits.

    Attributes:
        max_length: characters of a URL.
        max_segments: segments of a path.
        max_repeats: occurrences of one segment in a path.
        max_cycles: repetitions in a row of a run of two or more segments, the first one included.
        years_ahead: how far a calendar may reach into the future.
        first_year: the earliest year of a calendar.
        max_parameters: parameters of a query.
        max_same_parameter: occurrences of one name in a query, regardless of numbers in brackets.
    """

    max_length: int = 2_048
    max_segments: int = 20
    max_repeats: int = 3
    max_cycles: int = 2
    years_ahead: int = 1
    first_year: int = 1990
    max_parameters: int = 12
    max_same_parameter: int = 3
    _few: int = field(init=False, repr=False)
    _doubles: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # Up to so many parts of a URL there is no trap in its path, and none with fewer doubles among them. A query
        # makes the last segment look different, so the doubles are one fewer than the rules ask for.
        self._few = 3 + min(self.max_segments, self.max_repeats)
        self._doubles = min(self.max_repeats, 2 * self.max_cycles) - 1

    def reason(self, url: str, today: date) -> Drop | None:
        """Return why a canonical URL looks like a trap, or None."""
        return self.reason_of_parts(url, url.split("/"), today)

    def reason_of_parts(self, url: str, parts: list[str], today: date) -> Drop | None:
        """As `reason`, for a URL that is split at its slashes already: scheme, nothing, authority, segments."""
        if len(url) > self.max_length:
            return Drop.LENGTH
        number = len(parts)
        if number > self._few and (number - len(set(parts)) >= self._doubles or number > 3 + self.max_segments):
            reason = self._path_reason(parts)
            # Prefixes that count downloads repeat segments, and each adds some.
            if reason is not None and unwrapped(url, is_enclosure=True) is None:
                return reason
        if "&" in url and self._is_facet(parts[-1]):
            return Drop.TRAP_FACETS
        first, last = self.first_year, today.year
        for year in _years(url, 8 + len(parts[2])):
            # Nearly all dates are in these years.
            if not first <= int(year) <= last:
                return Drop.TRAP_CALENDAR if self._is_endless_calendar(url, today) else None
        return None

    def _path_reason(self, parts: list[str]) -> Drop | None:
        if len(parts) > 3 + self.max_segments:
            return Drop.TRAP_SEGMENTS
        segments = [*parts[3:-1], parts[-1].partition("?")[0]]
        if any(segments.count(segment) > self.max_repeats for segment in set(segments)):
            return Drop.TRAP_REPEAT
        return Drop.TRAP_REPEAT if self._cycles(segments) else None

    def _cycles(self, segments: list[str]) -> bool:
        """Tell whether a run of segments is repeated too often: a/b/a/b/a/b."""
        times = self.max_cycles + 1
        for period in range(2, len(segments) // times + 1):
            alike = 0
            for first, second in zip(segments, segments[period:], strict=False):
                alike = alike + 1 if first == second else 0
                if alike == period * (times - 1):
                    return True
        return False

    def _is_facet(self, last: str) -> bool:
        # Most queries are short: there are never more names than marks between them, plus one.
        marks = last.count("&") + 1
        if marks <= min(self.max_parameters, self.max_same_parameter):
            return False
        names = [part.partition("=")[0] for part in last.partition("?")[2].split("&")]
        if len(names) > self.max_parameters:
            return True
        names = [_number_in_brackets(r"\1", name) for name in names]
        return any(names.count(name) > self.max_same_parameter for name in set(names))

    def _is_endless_calendar(self, url: str, today: date) -> bool:
        path = url[url.find("/", 8) :].lower()
        # Media are no pages of a calendar.
        return self._is_out_of_time(path, today) and extension_of(url) not in MEDIA_EXTENSIONS

    def _is_out_of_time(self, url: str, today: date) -> bool:
        """Tell whether a URL has a date out of time, and nothing behind it that tells it from others of its class."""
        path, _, query = url.partition("?")
        found = _date_in_path(path)
        if found and not _is_view(path, found.end()):
            return False
        written = f"?d={found[0] if found else ''}&{query}"
        dates = [((int(year), int(month)), mark) for year, mark, month in _dashed(written) + _compact(written)]
        limit = (today.year + self.years_ahead, today.month)
        # A calendar is walked month by month, so /2031/05/ is stopped in the years that follow. /4821/11/ may be an
        # identifier.
        if any(mark == "/" and limit < month < (2200, 1) for month, mark in dates):
            return True
        if any(month[0] < self.first_year for month, _ in dates) and _is_calendar(url):
            return True
        if any(month > limit for month, _ in dates) and (_is_calendar(url) or _is_dated(url)):
            return True
        return any((int(year), 1) > limit for year in _years_in_query(url))


# -- session ids ------------------------------------------------------------------------------------------------------

SESSION_NAMES = (
    *("phpsessid", "jsessionid", "sessionid", "session_id", "sessid", "sess", "sid", "asid", "oscsid", "oscid"),
    *("zenid", "xtcsid", "mscsid", "s_id", "aspsessionid", "cfid", "cftoken"),
)
"""Names of session ids, in lower case."""

# Letters and digits mixed, long, and perhaps the name of a server behind it. No hyphen before: a UUID may name a song.
_is_random = re.compile(
    r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[0-9A-Za-z]{16,128}(?:(?:[.!_-]|%21)[0-9A-Za-z.!_%-]{0,64})?"
).fullmatch
# ColdFusion's ids are numbers.
_is_of_coldfusion = re.compile(r"[0-9A-Fa-f-]{3,128}").fullmatch
_SHORTEST = len("sid=0123456789abcdef")
"""Characters of the shortest query with a session id."""
_COLDFUSION = frozenset({"cfid", "cftoken"})
# ASP.NET: /(S(55mfgh55vgblurtywsityvjq))/ and, in its first version, /(55mfgh55vgblurtywsityvjq)/
_aspnet = re.compile(r"/\((?:(?:[AFSX]\([0-9A-Za-z_-]{20,200}\)){1,4}|[0-9a-z]{24})\)(?=/)").sub


class SessionIds:
    """Removes known session ids, such as ``;jsessionid=``, from URLs.

    A parameter is removed only if its name is known *and* its value looks like an id: ``sid=12`` may be a song.
    """

    __slots__ = ("_in_path", "_names")

    def __init__(self, names: Iterable[str] = SESSION_NAMES) -> None:
        known = {name.lower() for name in names if name}
        # "&amp;sid=" occurs in pages that were escaped twice.
        self._names = frozenset(known | {f"amp%3b{name}" for name in known})
        either = "|".join(map(re.escape, sorted(known))) or "(?!)"
        self._in_path = re.compile(rf";(?:{either})=([^/;?]*)", re.IGNORECASE).sub

    def without(self, url: str) -> str:
        """Return the canonical URL without its session ids. A URL without any takes 0.3 us."""
        if "(" in url and self._names:
            url = _aspnet("", url)
        path, _, query = url.partition("?")
        if ";" in path:
            path = self._in_path(lambda match: "" if _is_random(match[1]) else match[0], path)
        elif len(query) < _SHORTEST or not self._has_name(query):
            return url
        kept = "&".join(part for part in query.split("&") if not self._is_session(part))
        return f"{path}?{kept}" if kept else path

    def _has_name(self, query: str) -> bool:
        return any(part.partition("=")[0].lower() in self._names for part in query.split("&"))

    def _is_session(self, part: str) -> bool:
        name, _, value = part.partition("=")
        name = name.lower()
        if name not in self._names:
            return False
        return bool(_is_of_coldfusion(value) if name in _COLDFUSION else _is_random(value))


# -- the scope --------------------------------------------------------------------------------------------------------

_REMEMBERED = 100_000
"""Hosts whose verdict is cached."""
_BASE_CHARACTERS = 1_000_000
"""Characters that the base adds to the references of one page, all together: 5,000 references to 200 each. The links of
a page should take at most five times its bytes in the frontier."""
_LONGEST_REFERENCE = 500
"""Characters of a reference that is remembered, with what it is relative to."""
_EXAMPLE = 500
"""Characters of an example that are kept."""
_LONGEST_ESCAPE = 9
"""Characters of a URL for one of a reference: three escaped octets."""
_NO_LINKS = ("mailto:", "javascript:", "tel:", "data:")
"""Schemes that many pages have; a look at them takes a tenth of the time of resolving."""
_placeholder = re.compile(
    # Each alternative begins with a character of its own, or the search would try all of them at each place.
    r"\{(?:\{|%7B|%(?:25)?(?:[-=+ ]|%20))|\$(?:\{|%7B)|<%(?:25)?(?:[-=+ ]|%20)"
    r"|\[(?:\[[\w. ()]{1,60}\]\]|object(?: |%20|\+))"
    r"|%(?:7B(?:\{|%7B|%(?:25)?(?:[-=+ ]|%20))|3C%(?:25)?(?:[-=+ ]|%20)|5Bobject(?: |%20|\+))",
    re.IGNORECASE,
).search
"""Finds what a script or a server should have filled, or what scripts write for an object: ``{{ url }}``, ``${url}``,
``<%= url %>``, ``{% url %}``, ``[[url]]``, ``[object Object]``."""
_is_no_value = re.compile(r"\s*\.?/?(?:undefined|null|nan)/?\s*", re.IGNORECASE).fullmatch


@dataclass(frozen=True, slots=True)
class ScopeRules:
    """The rules that settings give; small, and can be pickled. The defaults accept everything.

    Attributes:
        traps: the trap rules with their limits, also for the length of a URL.
        session_names: parameters that are removed from links if their value looks like a session id.
        max_depth: clicks from a seed; None for no limit.
        extensions: extensions that are never requested, or the file that lists them.
        nevercrawl: the files of the NeverCrawl list.
        refused_ports: ports that are never requested, see `urls.REFUSED_PORTS`.
    """

    traps: Traps = field(default_factory=Traps)
    session_names: tuple[str, ...] = SESSION_NAMES
    max_depth: int | None = None
    extensions: Path | ExtensionFilter | None = None
    nevercrawl: tuple[Path, ...] = ()
    refused_ports: tuple[int, ...] = ()


class Whitelist(Protocol):
    """The interface of `scope.include.Include`."""

    def allows(self, url: str, host: str) -> bool:
        """Tell whether a URL is on the whitelist."""
        ...


class Scope:
    """Decides whether a URL may be added to the crawl.

    Every refusal has its reason from `base.terms.Drop`. Verdicts on hosts (NeverCrawl, other sites, the placeholder
    contact) are cached until NeverCrawl changes.

    Attributes:
        examples: reason -> the first link that was refused for it, for the report.
    """

    def __init__(
        self,
        today: Callable[[], date],
        rules: ScopeRules | None = None,
        *,
        nevercrawl: NeverCrawl | None = None,
        include: Whitelist | None = None,
        only_sites: Iterable[str] | None = None,
        loopback_only: bool = False,
    ) -> None:
        """Combine the rules; files are read now.

        Args:
            today: gives the date for the calendar rules.
            rules: those of the settings.
            nevercrawl: a list that is kept up to date, in place of the files of the rules.
            include: a whitelist.
            only_sites: limits the crawl to these sites, as `site_of` names them.
            loopback_only: limits the crawl to this machine, because the User-Agent names the placeholder contact.

        Raises:
            NeverCrawlError: a NeverCrawl list cannot be used.
            OSError: the file of extensions cannot be read.
            ValueError: a word in it is no extension.
        """
        rules = rules or ScopeRules()
        listed = rules.extensions
        self._extensions = ExtensionFilter.load(listed) if isinstance(listed, Path) else listed or ExtensionFilter()
        self._refused = self._extensions.refused
        self._nevercrawl = NeverCrawl.load(rules.nevercrawl) if nevercrawl is None else nevercrawl
        self._sessions = SessionIds(rules.session_names)
        self._refused_ports = frozenset(rules.refused_ports)
        self._traps, self._max_depth = rules.traps, rules.max_depth
        self._today = today
        self._include = include
        self._only_sites = None if only_sites is None else frozenset(only_sites)
        self._loopback_only = loopback_only
        self.examples: dict[Drop, str] = {}
        self._hosts: dict[str, Drop | None] = {}
        self._version = self._nevercrawl.version
        self._paths = self._nevercrawl.has_paths

    def check(self, url: str, depth: int = 0, *, any_extension: bool = False) -> Drop | None:
        """Return why a canonical URL must not join, or None if it may. A data request may have any extension."""
        reason = Drop.DEPTH if self._is_too_deep(depth) else self._reason(url, self._today(), any_extension)
        if reason is not None and reason not in self.examples:
            self.examples[reason] = url
        return reason

    def spelled(self, written: str) -> Spelling | Drop:
        """Return the URL of an absolute reference, as `sift` does; or why it is none."""
        longest = self._traps.max_length * _LONGEST_ESCAPE
        url = spelling(written) if len(written) <= longest else None
        return _why_no_url(written, longest) if url is None else self._plain(url)

    def sift(
        self,
        base: Base | str,
        hrefs: Iterable[str],
        depth: int = 0,
        known: RecentUrls | None = None,
        charset: str = "utf-8",
        *,
        own: str = "",
        declared: Callable[[int], bool] | None = None,
        enclosures: Container[int] = (),
    ) -> tuple[list[tuple[int, Spelling]], Counter[Drop]]:
        """Filter the links of one page: resolve, canonicalize, unwrap, remove session ids and duplicates, check.

        A link that is on the page twice, or leads to the page itself, is skipped and not counted, unless a session
        id hid it.

        Args:
            base: what the links are relative to.
            hrefs: the references as they are in the page.
            depth: clicks from a seed, of the links.
            known: URLs that were added before; they are skipped, as nine of ten links are. It learns which references
                lead to them.
            charset: of the page, as a Python codec name: the queries of its links are encoded with it.
            own: canonical URL of the page; empty if that is what the links are relative to.
            declared: called with the index of a link whose extension is refused; returns whether the page says that
                it leads to media or a list, so that its extension does not count.
            enclosures: indexes of media files in a feed, see `wrapped.unwrapped`.

        Returns:
            For each URL that may be added to its index in `hrefs` and its two forms; and the number of refusals by
            reason. With a base that is no http or https URL, every reference is a bad URL.
        """
        accepted: list[tuple[int, Spelling]] = []
        drops: Counter[Drop] = Counter()
        try:
            base = base if isinstance(base, Base) else Base(base, charset=charset)
        except ValueError:
            drops[Drop.BAD_URL] = sum(1 for _ in hrefs)
            return accepted, +drops
        known = RecentUrls(1) if known is None else known
        today, too_deep, reason_for = self._today(), self._is_too_deep(depth), self._reason
        affordable = _affordable(hrefs, len(base.requested), drops)
        links = list(known.unknown_links(affordable, base.origin, base.written))
        longest = self._traps.max_length * _LONGEST_ESCAPE
        urls = [
            None
            if len(href) > longest or href.startswith(_NO_LINKS) or _placeholder(href) or _is_no_value(href)
            else base.resolve(href)
            for _, href, _ in links
        ]
        found = zip(links, urls, strict=True)
        fresh = list[tuple[int, Spelling]]()
        for index, url, reference in self._each_once(found, base, own or base.url, known, drops, enclosures=enclosures):
            if url.key in known:
                known.remember(reference, url.key)
            else:
                fresh.append((index, url))
        for index, url in fresh:
            reason = Drop.DEPTH if too_deep else reason_for(url.key, today)
            if reason is Drop.EXTENSION and declared is not None and declared(index):
                reason = reason_for(url.key, today, any_extension=True)
            if reason is None:
                accepted.append((index, url))
            else:
                self._refuse(reason, url.key, drops)
        return accepted, +drops

    def _each_once(
        self,
        links: Iterable[tuple[tuple[int, str, str], Spelling | None]],
        base: Base,
        own: str,
        known: RecentUrls,
        drops: Counter[Drop],
        *,
        enclosures: Container[int],
    ) -> list[tuple[int, Spelling, str]]:
        """Return each URL once, without session ids and prefixes, with the reference that leads to it.

        The reference is empty if it must not be remembered: session ids are counted each time, so they are removed each
        time.
        """
        longest = self._traps.max_length * _LONGEST_ESCAPE
        prefixed, no_prefix = prefix_hosts(), f"{base.origin}/"
        seen = {own, self._sessions.without(own)}
        once = list[tuple[int, Spelling, str]]()
        for (index, href, reference), resolved in links:
            if resolved is None:
                self._refuse(_why_no_url(href, longest), href[:_EXAMPLE], drops)
                continue
            found, url = resolved, resolved.key
            if "?" in url or ";" in url or "(" in url:
                found = self._plain(resolved)
                url = found.key
                drops[Drop.SESSION] += url != resolved.key and (url in seen or url in known)
            if index in enclosures or (not url.startswith(no_prefix) and host_of(url).removeprefix("www.") in prefixed):
                found = self._unwrapped(found, resolved.requested, is_enclosure=index in enclosures)
                url = found.key
            if url not in seen:
                seen.add(url)
                is_kept = url == resolved.key and len(reference) <= _LONGEST_REFERENCE
                once.append((index, found, reference if is_kept else ""))
        return once

    def _refuse(self, reason: Drop, url: str, drops: Counter[Drop]) -> None:
        drops[reason] += 1
        if reason not in self.examples:
            self.examples[reason] = url

    def check_host(self, host: str) -> Drop | None:
        """Return why no URL of a canonical host, with its port unless it is the default, may be added; or None."""
        if self._nevercrawl.version != self._version:
            self._version = self._nevercrawl.version
            self._paths = self._nevercrawl.has_paths
            self._hosts.clear()
        try:
            return self._hosts[host]
        except KeyError:
            pass
        if len(self._hosts) >= _REMEMBERED:
            self._hosts.clear()
        reason = self._hosts[host] = self._host_reason(host_of(f"//{host}"), port_of(host))
        return reason

    def _reason(self, url: str, today: date, any_extension: bool = False) -> Drop | None:
        # Cut once for all rules: scheme, nothing, authority, segments; the query is part of the last.
        parts = url.split("/")
        named = None if any_extension else ending(parts[-1])
        if named is not None and named[1].lower() in self._refused and self._extensions.refuses(url):
            return Drop.EXTENSION
        reason = self.check_host(parts[2]) or self._traps.reason_of_parts(url, parts, today)
        if self._paths and reason is None and self._nevercrawl.match_url(url) is not None:
            return Drop.NEVERCRAWL
        if reason is None and self._include is not None:
            return None if self._include.allows(url, host_of(url)) else Drop.NOT_INCLUDED
        return reason

    def _host_reason(self, host: str, port: int | None) -> Drop | None:
        if self._nevercrawl.match(host):
            return Drop.NEVERCRAWL
        if self._only_sites is not None and site_of(host) not in self._only_sites:
            return Drop.OFFSITE
        if self._loopback_only and not is_loopback(host):
            return Drop.PLACEHOLDER_CONTACT
        return Drop.PORT if port in self._refused_ports else None

    def _plain(self, url: Spelling) -> Spelling:
        """Return the URL without its session ids, which are not requested either."""
        key = self._sessions.without(url.key)
        return url if key == url.key else url._replace(key=key, requested=self._sessions.without(url.requested))

    def _unwrapped(self, url: Spelling, written: str, *, is_enclosure: bool) -> Spelling:
        """Return the file that a URL is for, even one of NeverCrawl; the URL itself if no file may be added."""
        inner = unwrapped(written, is_enclosure=is_enclosure)
        if inner is None or self._reason(inner.key, self._today()) not in {None, Drop.NEVERCRAWL}:
            return url
        return self._plain(inner)._replace(published=written)

    def _is_too_deep(self, depth: int) -> bool:
        return self._max_depth is not None and depth > self._max_depth


def _affordable(hrefs: Iterable[str], base_length: int, drops: Counter[Drop]) -> list[tuple[int, str]]:
    """Return the references with their indexes, without those for which the base adds too much."""
    left, affordable = _BASE_CHARACTERS // base_length, list[tuple[int, str]]()
    for index, href in enumerate(hrefs):
        if href[:1] != "/" and href[:4] != "http":
            left -= 1
            if left < 0:
                drops[Drop.LONG_BASE] += 1
                continue
        affordable.append((index, href))
    return affordable


def _why_no_url(href: str, longest: int) -> Drop:
    if scheme_of(href) not in ("", "http", "https"):
        return Drop.SCHEME
    if len(href) > longest:
        return Drop.LENGTH
    return Drop.TEMPLATE if _placeholder(href) or _is_no_value(href) else Drop.BAD_URL


@dataclass(frozen=True, slots=True)
class ContactScope:
    """The hosts where a crawl may start with its contact.

    Attributes:
        anonymous: there is no contact: only addresses and names of this machine.
        nowhere: the contact cannot be reached from outside: also reserved names, as tests and demonstrations use them.
        names: further names of this machine, in lower case.
    """

    anonymous: bool
    nowhere: bool
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, contact: str, hosts: Mapping[str, Iterable[str]], *, anonymous: bool) -> ContactScope:
        """Return the scope of a contact; `hosts` are names in canonical form with fixed addresses."""
        names = frozenset(name for name, some in hosts.items() if all(map(_is_loopback_address, some)))
        return cls(anonymous, contact_problem(contact) is not None or leads_nowhere(contact), names)

    def covers(self, host: str) -> bool:
        """Tell whether a crawl may start at a host."""
        if is_loopback(host) or not (self.anonymous or self.nowhere):
            return True
        return not self.anonymous and (host in self.names or is_nobodys(host))


def _is_loopback_address(address: str) -> bool:
    return is_loopback(canonical_host(f"[{address}]" if ":" in address else address) or "")
