"""References as pages and feeds write them, and the URLs that they mean."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote, urljoin, urlsplit

_LONGEST_REFERENCE = 8_000

_NAME = r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*+"
_is_rooted = re.compile(rf"(?:/{_NAME})++/?").fullmatch
"""Most references of a page are absolute paths without dot segments."""
_is_below = re.compile(
    r"((?:\.\./)*+)((?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*+/)*+[A-Za-z0-9_~-][A-Za-z0-9._~-]*+/?)"
).fullmatch
"""Most of the others are a path below the folder of the page, or below one above it."""


@lru_cache(maxsize=256)
def absolute(base: str, href: str) -> str:
    """Resolve a reference as written in a page; empty if it is too long, or the result is no http(s) URL."""
    if not href or len(href) > _LONGEST_REFERENCE:
        return ""
    if _is_rooted(href) and (origin := _origin(base)):
        return origin + href
    if (below := _is_below(href)) and (folder := _folder(base)):
        # `urljoin` splits the base for each reference, however long it is.
        levels, rest = len(below[1]) // 3, below[2]
        return "/".join([*folder[: max(len(folder) - levels, 3)], rest])
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


@lru_cache(maxsize=64)
def _folder(base: str) -> list[str]:
    """Return the folder of an http(s) URL, split at its slashes; empty for another URL."""
    return absolute(base, "./").split("/")[:-1]


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
