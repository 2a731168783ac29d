"""All rules of scope, cheap ones first; their settings as values, and where a crawl may start with its contact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Protocol

from mediacrawl.base.terms import Drop
from mediacrawl.frontier.seen import RecentUrls
from mediacrawl.politeness.identity import contact_problem, is_nobodys, leads_nowhere
from mediacrawl.scope.canonical import Base, Spelling, scheme_of, spelling
from mediacrawl.scope.exclusions import NeverCrawl
from mediacrawl.scope.extensions import ExtensionFilter, extension_of_name
from mediacrawl.scope.hosts import canonical_host, is_loopback, port_of
from mediacrawl.scope.parameters import SESSION_NAMES, SessionIds
from mediacrawl.scope.sites import host_of, site_of
from mediacrawl.scope.traps import Traps
from mediacrawl.scope.wrapped import prefix_hosts, unwrapped

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
        *,
        today: Callable[[], date],
        traps: Traps | None = None,
        sessions: SessionIds | None = None,
        max_depth: int | None = None,
        extensions: ExtensionFilter | None = None,
        nevercrawl: NeverCrawl | None = None,
        include: Whitelist | None = None,
        only_sites: Iterable[str] | None = None,
        loopback_only: bool = False,
        refused_ports: Iterable[int] = (),
    ) -> None:
        """Combine the rules. The defaults accept everything.

        Args:
            today: gives the date for the calendar rules.
            traps: the trap rules with their limits, also for the length of a URL.
            sessions: removes session ids from links; `SessionIds(())` keeps them.
            max_depth: clicks from a seed; None for no limit.
            extensions: extensions that are never requested.
            nevercrawl: domains, paths and networks that are never requested.
            include: a whitelist.
            only_sites: limits the crawl to these sites, as `site_of` names them.
            loopback_only: limits the crawl to this machine, because the User-Agent names the placeholder contact.
            refused_ports: ports that are never requested, see `hosts.REFUSED_PORTS`.
        """
        self._today = today
        self._traps = traps or Traps()
        self._sessions = sessions or SessionIds()
        self._max_depth = max_depth
        self._extensions = extensions or ExtensionFilter()
        self._refused = self._extensions.refused
        self._nevercrawl = NeverCrawl() if nevercrawl is None else nevercrawl
        self._include = include
        self._only_sites = None if only_sites is None else frozenset(only_sites)
        self._loopback_only = loopback_only
        self._refused_ports = frozenset(refused_ports)
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
        without_session = self._sessions.without
        seen = {own or base.url, without_session(own or base.url)}
        too_deep, today = self._is_too_deep(depth), self._today()
        resolve, reason_for = base.resolve, self._reason
        longest = self._traps.max_length * _LONGEST_ESCAPE
        prefixed, no_prefix = prefix_hosts(), f"{base.origin}/"
        known = RecentUrls(1) if known is None else known
        affordable = _affordable(hrefs, len(base.requested), drops)
        for index, href, reference in known.unknown_links(affordable, base.origin, base.written):
            is_no_url = len(href) > longest or href.startswith(_NO_LINKS) or _is_unfilled(href)
            found = None if is_no_url else resolve(href)
            if found is None:
                self._refuse(_why_no_url(href, longest), href[:_EXAMPLE], drops)
                continue
            url, written = found.key, found.requested
            resolved = url
            if "?" in url or ";" in url or "(" in url:
                found = self._plain(found)
                url = found.key
                drops[Drop.SESSION] += url != resolved and (url in seen or url in known)
            if index in enclosures or (not url.startswith(no_prefix) and host_of(url).removeprefix("www.") in prefixed):
                found = self._unwrapped(found, written, is_enclosure=index in enclosures)
                url = found.key
            if url in seen:
                continue
            seen.add(url)
            if url in known:
                # Session ids are counted each time, so they are removed each time.
                known.remember(reference if url == resolved and len(reference) <= _LONGEST_REFERENCE else "", url)
                continue
            reason = Drop.DEPTH if too_deep else reason_for(url, today)
            if reason is Drop.EXTENSION and declared is not None and declared(index):
                reason = reason_for(url, today, any_extension=True)
            if reason is None:
                accepted.append((index, found))
            else:
                self._refuse(reason, url, drops)
        return accepted, +drops

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
        if not any_extension and extension_of_name(parts[-1]) in self._refused and self._extensions.refuses(url):
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


def _affordable(hrefs: Iterable[str], base_length: int, drops: Counter[Drop]) -> Iterator[tuple[int, str]]:
    """Yield the references with their indexes, without those for which the base adds too much."""
    left = _BASE_CHARACTERS // base_length
    for index, href in enumerate(hrefs):
        if href[:1] != "/" and href[:4] != "http":
            left -= 1
            if left < 0:
                drops[Drop.LONG_BASE] += 1
                continue
        yield index, href


def _is_unfilled(href: str) -> bool:
    return _placeholder(href) is not None or _is_no_value(href) is not None


def _why_no_url(href: str, longest: int) -> Drop:
    if scheme_of(href) not in ("", "http", "https"):
        return Drop.SCHEME
    if len(href) > longest:
        return Drop.LENGTH
    return Drop.TEMPLATE if _is_unfilled(href) else Drop.BAD_URL


@dataclass(frozen=True, slots=True)
class ScopeRules:
    """The parameters of a scope; small, and can be pickled. The defaults accept everything.

    Attributes:
        traps: the trap rules with their limits, also for the length of a URL.
        session_names: parameters that are removed from links if their value looks like a session id.
        max_depth: clicks from a seed; None for no limit.
        extensions: file of extensions that are never requested.
        nevercrawl: NeverCrawl lists.
        refused_ports: ports that are never requested.
    """

    traps: Traps = field(default_factory=Traps)
    session_names: tuple[str, ...] = SESSION_NAMES
    max_depth: int | None = None
    extensions: Path | None = None
    nevercrawl: tuple[Path, ...] = ()
    refused_ports: tuple[int, ...] = ()

    def scope(
        self,
        today: Callable[[], date],
        *,
        nevercrawl: NeverCrawl | None = None,
        include: Whitelist | None = None,
        only_sites: Iterable[str] | None = None,
        loopback_only: bool = False,
    ) -> Scope:
        """Make the scope; the files are read now.

        Args:
            today: gives the date for the calendar rules.
            nevercrawl: a list that is kept up to date; without it, the files are read once.
            include: a whitelist.
            only_sites: limits the crawl to these sites.
            loopback_only: limits the crawl to this machine.

        Raises:
            NeverCrawlError: a NeverCrawl list cannot be used.
            OSError: the file of extensions cannot be read.
        """
        return Scope(
            today=today,
            traps=self.traps,
            sessions=SessionIds(self.session_names),
            max_depth=self.max_depth,
            extensions=ExtensionFilter.load(self.extensions) if self.extensions else None,
            nevercrawl=nevercrawl or NeverCrawl.load(self.nevercrawl),
            include=include,
            only_sites=only_sites,
            loopback_only=loopback_only,
            refused_ports=self.refused_ports,
        )


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
