"""Entries that cover more than an owner can have: whole public suffixes, and large parts of the internet."""

from __future__ import annotations

from functools import cache
from ipaddress import ip_network

from mediacrawl.scope.hosts import canonical_host, is_address
from mediacrawl.scope.sites import public_suffixes

_SHORTEST = {4: 8, 6: 16}
"""Bits of a network by its family: what is shorter was probably a mistake. No owner has more than a /8."""


@cache
def suffix_keys() -> frozenset[bytes]:
    """The rules of the public suffix list in the form of keys: ``co.uk``, ``*.ck`` and, excepted, ``!www.ck``."""
    rules = (_rule(rule) for rule in public_suffixes())
    return frozenset(rule.encode() for rule in rules if rule)


def is_suffix(domain: str) -> bool:
    """Tell whether a domain is a public suffix: the sites below it have owners of their own.

    A single label is one too, by the list's own last rule.

    Args:
        domain: in canonical form.
    """
    if is_address(domain):
        return False
    _, dot, rest = domain.partition(".")
    if not dot or domain.encode() in suffix_keys():
        return True
    return f"*.{rest}".encode() in suffix_keys() and f"!{domain}".encode() not in suffix_keys()


def is_above_suffix(domain: str) -> bool:
    """Tell whether public suffixes lie below a domain, as ``s3.amazonaws.com`` does below ``amazonaws.com``.

    Args:
        domain: in canonical form.
    """
    return domain in _above_suffixes()


def remark(domain: str, path: str) -> str:
    """What to say of an entry that covers much, to stand behind its name; empty if it does not.

    Args:
        domain: see `Entry`.
        path: see `Entry`.
    """
    if "/" in domain:
        network = ip_network(domain)
        return "covers a large part of the internet" if network.prefixlen < _SHORTEST[network.version] else ""
    if path or domain == "localhost" or not is_suffix(domain):
        return ""
    return "is a public suffix, and covers every site below it"


@cache
def _above_suffixes() -> frozenset[str]:
    labels = [rule.decode().lstrip("!").split(".") for rule in suffix_keys()]
    return frozenset(".".join(rule[start:]) for rule in labels for start in range(1, len(rule)))


def _rule(written: str) -> str | None:
    name = written.lstrip("!*.")
    ascii_name = name if name.isascii() else canonical_host(name)
    return None if ascii_name is None else written.removesuffix(name) + ascii_name
