"""The settings of scope as plain values, and the one place where a `Scope` is made of them.

A crawl makes its scope here, and so does what judges URLs without a crawl, in other processes or on other machines.
What is added here is in all of them.
"""

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
    """What a scope is made of; small, and can be pickled. What is left out lets everything pass.

    Attributes:
        traps: the trap rules with their limits, the length of a URL among them.
        session_names: of parameters that are taken out of links if their value looks like a session id.
        max_depth: clicks from a seed; None for no limit.
        extensions: file of endings that are never asked.
        nevercrawl: files of domains that are never asked.
        refused_ports: ports that are never asked.
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
            today: gives the date that the calendar rules count from.
            nevercrawl: the list in force, if somebody keeps it up to date; else it is read once.
            include: if given, only what it allows.
            only_sites: if given, only these sites.
            loopback_only: only this machine.

        Raises:
            NeverCrawlError: a list of domains cannot be used.
            OSError: the file of endings cannot be read.
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
    """Where a crawl may begin with its contact.

    Attributes:
        anonymous: there is no contact: only addresses and names of this machine.
        nowhere: there is one that cannot be reached from outside: names that can belong to nobody, too, as tests and
            demonstrations have them.
        names: of this machine, in lower case, beside those that everybody knows.
    """

    anonymous: bool
    nowhere: bool
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, contact: str, hosts: Mapping[str, Iterable[str]], *, anonymous: bool) -> ContactScope:
        """The reach of a crawl.

        Args:
            contact: as it stands in the User-Agent.
            hosts: names in canonical form with fixed addresses.
            anonymous: the contact is still the placeholder.
        """
        names = frozenset(name for name, some in hosts.items() if all(map(_is_loopback_address, some)))
        return cls(anonymous, contact_problem(contact) is not None or leads_nowhere(contact), names)

    def covers(self, host: str) -> bool:
        """Tell whether a crawl may begin at a host.

        Args:
            host: in canonical form.
        """
        if is_loopback(host) or not (self.anonymous or self.nowhere):
            return True
        return not self.anonymous and (host in self.names or is_nobodys(host))


def _is_loopback_address(address: str) -> bool:
    return is_loopback(canonical_host(f"[{address}]" if ":" in address else address) or "")
