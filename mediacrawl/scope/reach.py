"""Where may a crawl begin whose contact nobody can reach?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mediacrawl.politeness.identity import contact_problem, is_nobodys, leads_nowhere
from mediacrawl.scope.hosts import canonical_host, is_loopback


@dataclass(frozen=True, slots=True)
class Reach:
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
    def of(cls, contact: str, hosts: Mapping[str, Iterable[str]], *, anonymous: bool) -> Reach:
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
