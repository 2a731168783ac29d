"""References as pages and feeds write them, and the URLs that they mean."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote, urljoin, urlsplit

_LONGEST_REFERENCE = 8_000

_is_rooted = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*+)++/?").fullmatch
"""Most references of a page are absolute paths without dot segments."""


@lru_cache(maxsize=256)
def absolute(base: str, href: str) -> str:
    """Resolve a reference as written in a page; empty if it is too long, or the result is no http(s) URL."""
    if not href or len(href) > _LONGEST_REFERENCE:
        return ""
    if _is_rooted(href) and (origin := _origin(base)):
        return origin + href
    try:
        joined = urljoin(base, href.strip())
        parts = urlsplit(joined)
        # Reading an invalid port raises.
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return ""
    return joined if usable else ""


@lru_cache(maxsize=64)
def _origin(base: str) -> str:
    """Return the origin of an http(s) URL; empty for another."""
    root = absolute(base, "/.")
    return root.removesuffix("/")


def is_navigation(url: str, own: str) -> bool:
    """Whether a link of the directory listing at `own` sorts it, or leads to a folder above. Both URLs are absolute."""
    (host, path, query), (own_host, own_path) = urlsplit(url)[1:4], urlsplit(own)[1:3]
    # Servers escape more than canonical URLs do: ``/%7Efolder/``.
    path, own_path = unquote(path), unquote(own_path)
    folder = own_path.rpartition("/")[0] + "/"
    return host.lower() == own_host.lower() and (
        bool(query and path in {own_path, folder})
        or (len(path) < len(folder) and path.endswith("/") and folder.startswith(path))
    )
