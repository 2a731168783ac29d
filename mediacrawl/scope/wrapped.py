"""URLs whose path is the host and the path of a file: the counting prefixes of podcasts.

A publisher puts them in front of an enclosure, often several, to count its downloads: each redirects to what follows in
its path. A crawler is no listener, so the file is requested directly.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from urllib.parse import unquote

from mediacrawl.scope.urls import MEDIA_EXTENSIONS, RESERVED, Spelling, extension_of, is_top_level, spelling

_MOST_STEPS = 40
_LONGEST_GAP = 4
"""Segments between the host of a wrapper and the host that it wraps."""
_WORDS = frozenset(
    {
        *("c", "click", "count", "counter", "d", "dl", "e", "go", "h", "hit", "http", "https", "l", "link", "listen"),
        *("m", "measure", "out", "p", "pfx", "pixel", "prefix", "pts", "r", "redir", "redirect", "rss", "s", "stat"),
        *("stats", "t", "track", "tracker", "tracking", "trk", "u", "v1", "v2", "via", "x"),
    }
)
"""First segments of the path of wrappers."""
_NO_WRAPPERS = frozenset(
    {
        *("archive", "archives", "backup", "cache", "cached", "fetch", "ftp", "image", "images", "img", "insecure"),
        *("ipfs", "ipns", "mirror", "mirrors", "plain", "proxy", "pub", "resize", "save", "snapshot", "snapshots"),
        *("thumb", "thumbs", "unsafe", "wayback", "web", "webarchive"),
    }
)
"""Labels of hosts, and segments, of archives, mirrors and converters: what they have is not what its own host has."""
_is_word = re.compile(r"redirect\.\w{2,4}|[a-z],.*").fullmatch
_is_timestamp = re.compile(r"[0-9]{4,14}(?:[a-z]{2}_)?").fullmatch
_SCHEME = r"(https?)(?:(?::|%3A)(?:/|%2F){1,3}|/)"
_escaped = re.compile(rf"(?:{_SCHEME})?[\w.:-]*%2F[^?]*", re.IGNORECASE | re.ASCII).match
_HOST = r"(?:[\w-]+\.)+([a-z][\w-]*)|localhost|(?:[0-9]{1,3}\.){3}[0-9]{1,3}"
_url = re.compile(rf"(?:{_SCHEME})?((?=[^/]{{4,259}}/)(?:{_HOST})(:[0-9]{{1,5}})?/.*)", re.IGNORECASE | re.ASCII).match
"""Its scheme; the host and all that follows; the last label of the host; the port."""


def unwrapped(url: str, *, is_enclosure: bool) -> Spelling | None:
    """Return the innermost URL in the path of a URL; None if it wraps none.

    Prefixes of the list are wrappers in any link. In an enclosure of a feed any prefix is, if it ends in a media
    extension, each name has a known suffix, and the path says so by a scheme, by a segment such as ``track`` or
    ``redirect.mp3``, or by several names in it. Archives, mirrors, gateways and converters are none. The file may be
    missing all the same: the caller asks for the outer URL then.

    Args:
        url: absolute, as it is requested.
        is_enclosure: whether it is the URL of a media file in a feed.
    """
    scheme, _, rest = url.partition("://")
    if not (is_enclosure or rest.partition("/")[0].removeprefix("www.") in prefix_hosts()):
        return None
    found, unproven = None, 0
    for number in range(_MOST_STEPS):
        listed = _prefixes()[1](rest)
        inner = _inner(scheme, rest, listed)
        if inner is None:
            break
        scheme, rest, is_proven, has_gap = inner
        is_file = extension_of(f"http://{rest}") in MEDIA_EXTENSIONS
        if not (listed or ((is_enclosure or number) and is_file)):
            break
        unproven += has_gap and not is_proven
        if is_proven or unproven > 1:
            found = f"{scheme}://{rest}"
    return spelling(found) if found else None


def file_key(url: Spelling, *, is_enclosure: bool) -> str:
    """Return the canonical URL of the file that a URL is for, which `unwrapped` may find in it."""
    return (unwrapped(url.requested, is_enclosure=is_enclosure) or url).key


def _inner(scheme: str, rest: str, listed: re.Match[str] | None) -> tuple[str, str, bool, bool] | None:
    """Return the first URL in the path of another one; None without one.

    Returns:
        Its scheme and rest, whether it is wrapped for certain, and whether segments are before it.
    """
    prefix = listed[0] if listed else rest.partition("/")[0]
    host, *words = prefix.lower().split("/")
    if not listed and not _NO_WRAPPERS.isdisjoint(host.partition(":")[0].split(".")):
        return None
    place = len(prefix) + 1
    for _ in range(1 if listed else _LONGEST_GAP + 1):
        target = _url_at(rest[place:])
        if target is not None:
            has_word = bool(listed or (words and (words[0] in _WORDS or _is_word(words[0]))))
            if not has_word and any(map(_is_timestamp, words)):
                return None
            scheme = target[1] or next((word for word in words if word in {"http", "https"}), scheme)
            return scheme.lower(), target[2], has_word or target[1] is not None, bool(words)
        word, slash, _ = rest[place:].partition("/")
        if not slash or "?" in word or word.lower() in _NO_WRAPPERS:
            return None
        words.append(word.lower())
        place += len(word) + 1
    return None


def _url_at(text: str) -> re.Match[str] | None:
    """Match a URL at the start of a text. Names of folders look like hosts, and versions like addresses."""
    escaped = _escaped(text)
    if escaped is not None:
        # It is one escaped segment, with its own query.
        segment = unquote(escaped[0]).replace("#", "%23")
        text = segment + ("" if "?" in segment else text[escaped.end() :])
    found = _url(text)
    if found is None:
        return None
    named, _, label, port = found.groups()
    is_host = (named or port) if label is None else label.lower() in RESERVED or is_top_level(label.lower())
    return found if is_host else None


@cache
def prefix_hosts() -> frozenset[str]:
    """Return the hosts of known prefixes."""
    return _prefixes()[0]


@cache
def _prefixes() -> tuple[frozenset[str], Callable[[str], re.Match[str] | None]]:
    """Return the hosts of the list, and what matches its prefixes."""
    text = resources.files("mediacrawl.scope").joinpath("tracking_prefixes.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    longest_first = sorted(lines, key=lambda line: -line.count("/"))
    patterns = "|".join(re.escape(line).replace(r"\*", "[^/?]+") for line in longest_first)
    hosts = frozenset(line.partition("/")[0] for line in lines)
    return hosts, re.compile(rf"(?:www\.)?(?:{patterns})(?=/)", re.IGNORECASE).match
