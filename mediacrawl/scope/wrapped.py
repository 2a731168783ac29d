"""URLs whose path is the host and the path of a file: the counting prefixes of podcasts.

A publisher puts them in front of an enclosure, often several, to count its downloads: each redirects to what follows in
its path. A crawler is no listener, so the file is requested directly.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import NamedTuple
from urllib.parse import unquote

from mediacrawl.scope.canonical import Spelling, spelling
from mediacrawl.scope.extensions import MEDIA_EXTENSIONS, extension_of
from mediacrawl.scope.sites import RESERVED, is_top_level

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
_scheme = re.compile(r"(https?)(?:(?::|%3A)(?:/|%2F){1,3}|/)", re.IGNORECASE).match
_is_name = re.compile(r"(?=.{4,253}(?::|$))[\w-]+(?:\.[\w-]+)+(:[0-9]{1,5})?", re.ASCII).fullmatch
_is_address = re.compile(r"(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|localhost)(:[0-9]{1,5})?", re.ASCII).fullmatch


class _Step(NamedTuple):
    """The URL in the path of another one, and whether that wraps it for certain, by the list, and at what distance."""

    scheme: str
    rest: str
    is_proven: bool
    is_listed: bool = False
    gap: int = 0


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
        step = _inner(scheme, rest)
        if step is None or not (step.is_listed or ((is_enclosure or number) and _ends_in_media(step.rest))):
            break
        scheme, rest = step.scheme, step.rest
        unproven += bool(step.gap) and not step.is_proven
        if step.is_proven or unproven > 1:
            found = f"{scheme}://{rest}"
    return spelling(found) if found else None


def file_key(url: Spelling, *, is_enclosure: bool) -> str:
    """Return the canonical URL of the file that a URL is for, which `unwrapped` may find in it."""
    return (unwrapped(url.requested, is_enclosure=is_enclosure) or url).key


def _inner(scheme: str, rest: str) -> _Step | None:
    """Return the first URL in the path of another one, which is given without its scheme; None without one."""
    known = _prefixes()[1](rest)
    if known is not None:
        named = next((word for word in known[0].lower().split("/") if word in {"http", "https"}), scheme)
        target = _url_at(rest[known.end() + 1 :], named)
        return _Step(*target[:2], is_proven=True, is_listed=True) if target else None
    host, *segments = rest.partition("?")[0].split("/")
    if not _NO_WRAPPERS.isdisjoint(host.partition(":")[0].lower().split(".")):
        return None
    place, words = len(host) + 1, list[str]()
    for segment in segments[: _LONGEST_GAP + 1]:
        target = _url_at(rest[place:], scheme)
        if target is not None:
            has_word = bool(words) and (words[0] in _WORDS or _is_word(words[0]) is not None)
            if not has_word and any(map(_is_timestamp, words)):
                return None
            return _Step(*target[:2], is_proven=target[2] or has_word, gap=len(words))
        word = segment.lower()
        if word in _NO_WRAPPERS:
            return None
        scheme = word if word in {"http", "https"} else scheme
        words.append(word)
        place += len(segment) + 1
    return None


def _url_at(text: str, scheme: str) -> tuple[str, str, bool] | None:
    """Return the scheme of the URL at the start of a text, its rest, and whether the text names the scheme."""
    named = _scheme(text)
    if named is not None:
        scheme, text = named[1].lower(), text[named.end() :]
    host, slash, _ = text.partition("/")
    if "%2f" in host.lower():
        # It is one escaped segment, with its own query.
        escaped, mark, query = text.partition("?")
        text = unquote(escaped).replace("#", "%23")
        text += "" if "?" in text else mark + query
        host, slash, _ = text.partition("/")
    return (scheme, text, named is not None) if slash and _is_host(host, named is not None) else None


def _is_host(text: str, after_scheme: bool) -> bool:
    """Whether a segment is a host: names of folders look like hosts, and versions like addresses."""
    address = _is_address(text)
    if address is not None:
        return after_scheme or address[1] is not None
    name = _is_name(text)
    last = text.partition(":")[0].rpartition(".")[2].lower()
    return name is not None and (last in RESERVED or is_top_level(last))


def _ends_in_media(rest: str) -> bool:
    return extension_of(f"http://{rest}") in MEDIA_EXTENSIONS


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
