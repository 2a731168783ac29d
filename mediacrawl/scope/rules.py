"""The settings of scope as plain values, and where a crawl may start with its contact."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from mediacrawl.politeness.identity import contact_problem, is_nobodys, leads_nowhere
from mediacrawl.scope.exclusions import NeverCrawl
from mediacrawl.scope.extensions import ExtensionFilter
from mediacrawl.scope.gate import Scope, Whitelist
from mediacrawl.scope.hosts import canonical_host, is_loopback
from mediacrawl.scope.parameters import SESSION_NAMES, SessionIds
from mediacrawl.scope.traps import Traps


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
