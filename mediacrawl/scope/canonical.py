"""One spelling for each URL, so that no page is asked twice under two names.

A page has about a hundred links and most of them are spelled in canonical form already. One compiled
pattern recognises those. The others take the long way round, behind a cache, and both ways give the
same answer (a test compares them).
"""

from __future__ import annotations

import re
from functools import lru_cache

from w3lib.url import canonicalize_url

from mediacrawl.scope.hosts import canonical_host

_LONGEST = 65_536
"""Characters. What is longer is no URL; browsers stop there or earlier."""
_CACHED_LENGTH = 2_048
"""Longer URLs are not kept in the cache, which so stays below 20 MB whatever a page sends."""

# Escapes that stay as they are: w3lib would write the same again. Anything else goes the long way.
_PATH_ESCAPE = r"%(?:20|[89A-F][0-9A-F])"
_QUERY_ESCAPE = r"%(?:2[1-9ABCF]|3[A-F]|40|5[B-E]|60|7[BCD]|[89A-F][0-9A-F])"
_PATH = rf"[A-Za-z0-9/\-._~!$'()*+,=:@]*(?:{_PATH_ESCAPE}[A-Za-z0-9/\-._~!$'()*+,=:@]*)*"
_WORD = rf"[A-Za-z0-9\-._~+]*(?:{_QUERY_ESCAPE}[A-Za-z0-9\-._~+]*)*"
_QUERY = rf"(?:\?{_WORD}={_WORD}(?:&{_WORD}={_WORD})*)?"
# At most four labels of at most 61 characters: always below the 253 that DNS allows. The last one begins
# with a letter, so it is no IPv4 address in disguise.
_HOST = r"(?:[a-z0-9_-]{1,61}\.){1,3}[a-z][a-z0-9-]{1,60}"
_PORT = r"(?::(?!80/|443/)[1-9][0-9]{0,3})?"

_is_absolute = re.compile(rf"https?://{_HOST}{_PORT}/{_PATH}{_QUERY}").fullmatch
_is_rooted = re.compile(rf"/(?!/){_PATH}{_QUERY}").fullmatch
_is_relative = re.compile(
    rf"[A-Za-z0-9_]{_PATH.replace(':', '', 2).replace('(?', '(?:', 1)}{_QUERY}"
).fullmatch
