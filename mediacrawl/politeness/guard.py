"""May this address be asked, in this crawl? The registries' verdict, what the operator allows, and further judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from ipaddress import ip_address, ip_network

from mediacrawl.politeness.address import NO_ADDRESS, Address, Network, layers, refusal, reserved_for

Judge = Callable[[Address, str], str | None]
"""Asked for an address and the host that led to it; answers the word of a refusal, or None."""

LOOPBACK = ("127.0.0.0/8", "::1/128")
"""This machine, as networks to allow."""


class GuardedAddressError(Exception):
    """A host leads to nothing that may be asked.

    Attributes:
        host: as it stood in the URL.
        address: the one that decided.
        word: why, as `politeness.address.refusal` or a judge says it.
    """

    def __init__(self, host: str, address: str, word: str) -> None:
        super().__init__(f"{host} leads to {address} ({word})")
        self.host = host
        self.address = address
        self.word = word


class Guard:
    """Judges addresses just before they are asked.

    A host that the operator himself has given an address (``RESOLVER_HOSTS``) may be asked there: he wrote both.

    Attributes:
        judges: asked about every address, allowed or not; add one's own. Of IPv6 that carries IPv4 inside they are
            asked about each address.
    """

    def __init__(
        self,
        allow: Iterable[str] = (),
        fixed: Mapping[str, Sequence[str]] | None = None,
        judges: Iterable[Judge] = (),
    ) -> None:
        """Read what is allowed.

        Args:
            allow: networks (``10.1.0.0/16``), addresses, and names, which cover what is below them (``intra.example``).
            fixed: host in canonical form -> addresses that it was given by hand.
            judges: see the attribute.

        Raises:
            ValueError: an entry of `allow` is none of these.
        """
        self._networks: list[Network] = []
        self._names: list[str] = []
        for entry in allow:
            self._allow(entry.strip())
        self._fixed = dict(fixed or {})
        self.judges = list(judges)

    def refusal(self, address: str, host: str) -> str | None:
        """Return why an address is not asked, or None if it may be.

        Args:
            address: as text.
            host: that led to it, in canonical form, or the address itself.
        """
        try:
            parsed = ip_address(address)
        except ValueError:
            return NO_ADDRESS
        judged = self._judged(parsed, host) if self.judges else None
        if judged is not None or refusal(address) is None or self._is_named(address, host):
            return judged
        return next(filter(None, map(self._reserved, layers(parsed))), None)

    def choose(self, host: str, addresses: Sequence[str]) -> str:
        """Return the first address that may be asked.

        Args:
            host: that led to them, in canonical form.
            addresses: in the order in which they are tried; at least one.

        Raises:
            GuardedAddressError: none may.
        """
        words: list[str] = []
        for address in addresses:
            word = self.refusal(address, host)
            if word is None:
                return address
            words.append(word)
        raise GuardedAddressError(host, addresses[0], words[0])

    def _judged(self, address: Address, host: str) -> str | None:
        words = (judge(layer, host) for layer in layers(address) for judge in self.judges)
        return next(filter(None, words), None)

    def _is_named(self, address: str, host: str) -> bool:
        """Whether the operator has named this host, or given it this address."""
        named = any(host == name or host.endswith("." + name) for name in self._names)
        return named or address in self._fixed.get(host, ())

    def _reserved(self, address: Address) -> str | None:
        """The word for an address itself that is in no allowed network."""
        return None if any(address in network for network in self._networks) else reserved_for(address)

    def _allow(self, entry: str) -> None:
        try:
            self._networks.append(ip_network(entry))
        except ValueError as error:
            if not _is_name(entry):
                raise ValueError(
                    f"GUARD_ALLOW: {entry!r} is neither a network nor a name ({error}); "
                    "write it as '10.1.0.0/16', '::1/128' or 'intra.example'"
                ) from None
            self._names.append(entry.lower().strip("."))


def _is_name(entry: str) -> bool:
    labels = entry.strip(".").split(".")
    if labels[-1].isdigit():
        return False  # an address with an error in it
    return all(label.replace("-", "").replace("_", "").isalnum() and label.isascii() for label in labels)
