"""Site, host and authority of a URL.

A site is what one owner can register under the public suffix list, private suffixes included: two blogs at one hoster
are two sites, ``www`` and ``media`` of one domain are one. Politeness counts by site.

The addresses of an IPv6 /64 belong to one network, often to one machine (RFC 4291 section 2.5.4, RFC 6177). As hosts
they are one site, so that one machine cannot be any number of sites.
"""

from __future__ import annotations

from functools import cache, lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_network
from typing import TYPE_CHECKING

from mediacrawl.scope.hosts import canonical_host, is_address

if TYPE_CHECKING:
    from tldextract import TLDExtract

_GLOBAL = ip_network("2000::/3")
"""IPv6 for global use (RFC 4291 section 2.4). Others are refused, unless the operator allows them."""
RESERVED = frozenset({"test", "example", "invalid", "localhost", "local", "internal"})
"""Top-level domains that no registry gives out (RFC 6761, RFC 6762; ICANN reserved ``internal``)."""


@cache
def _extract() -> TLDExtract:
    """Uses the list that comes with the package: no network at the start, and the same answer everywhere."""
    # Importing it takes a twentieth of a second, and most commands do not need it.
    from tldextract import TLDExtract  # noqa: PLC0415

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def site_of(url_or_host: str) -> str:
    """Return the site: the registrable domain, or the host itself if it has none.

    IPv4 addresses, names of one label (``localhost``, ``intranet``) and public suffixes themselves (``github.io``)
    are their own site. The site of a global IPv6 address is its /64, as in ``2001:db8::/64``; other IPv6 addresses
    are their own. By the public suffix list's own rule an unknown top-level domain is a suffix of one label, so the
    site of ``www.tonspur.example`` is ``tonspur.example``.
    """
    return _site(host_of(url_or_host) if "//" in url_or_host else url_or_host)


def host_of(url: str) -> str:
    """Return the host of an absolute URL by slicing: no user, no port, IPv6 in its square brackets."""
    start = url.find("//") + 2
    end = url.find("/", start)
    authority = url[start:end] if end >= 0 else _cut(url[start:])
    if "@" in authority:
        authority = authority.rpartition("@")[2]
    if ":" not in authority:
        return authority
    return authority[: authority.find("]") + 1] or authority.partition(":")[0]


def authority_of(url: str) -> str:
    """Return scheme, host and port of a canonical URL, ``https://site.example:8080``, to which a robots.txt applies."""
    end = url.find("/", url.find("//") + 2)
    return url[:end] if end >= 0 else url


def referer(page: str, url: str) -> str:
    """Return the header Referer of a request for a URL that a page links to; empty for none.

    This is the policy ``strict-origin-when-cross-origin``, the default of browsers (W3C Referrer Policy, section 3.7):
    the whole URL within an origin, the origin for another one, and nothing from https to http.

    Args:
        page: URL of the page, as requested: without credentials and fragment. Empty if there is none.
        url: that is requested.
    """
    if not page.startswith(("http://", "https://")) or (page.startswith("https:") and not url.startswith("https:")):
        return ""
    origin = authority_of(page)
    return page if origin == authority_of(url) else f"{origin}/"


def public_suffixes() -> list[str]:
    """Return the rules of the public suffix list, private ones too: ``co.uk``, ``*.ck``, ``!www.ck``."""
    return _extract().tlds


def is_top_level(label: str) -> bool:
    """Tell whether a label, in canonical form, is a top-level domain of the public suffix list."""
    return bool(_extract().extract_str(f"a.{label}").suffix)


def is_public_suffix(host: str) -> bool:
    """Tell whether each name below a host is a site of its own: of public suffixes, and of names of one label."""
    return site_of(f"a.{host}") != site_of(host)


def is_network(site: str) -> bool:
    """Tell whether a site is a network of IPv6 addresses."""
    return "/" in site


def _cut(rest: str) -> str:
    return rest.partition("?")[0].partition("#")[0]


@lru_cache(maxsize=100_000)
def _site(host: str) -> str:
    name = canonical_host(host) or host
    if name.startswith("["):
        return _site_of_ipv6(name)
    if is_address(name) or "." not in name:
        return name
    parts = _extract().extract_str(name)
    if parts.suffix:
        return f"{parts.domain}.{parts.suffix}" if parts.domain else name
    return ".".join(name.split(".")[-2:])


def _site_of_ipv6(host: str) -> str:
    try:
        address = IPv6Address(host[1:-1])
    except ValueError:
        return host
    return str(IPv6Network((int(address) >> 64 << 64, 64))) if address in _GLOBAL else host
