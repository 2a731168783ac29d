"""Headers of data requests that an adapter cannot send: keys, signatures, and what a script makes for each request."""

from __future__ import annotations

from collections.abc import Sequence

from mediacrawl.site_adapters.har.recording import Entry
from mediacrawl.site_adapters.learn.protection import is_signature
from mediacrawl.site_adapters.learn.secrets import header_kind
from mediacrawl.site_adapters.learn.words import WORDS

_STARTS = ("sec-", "if-", ":", "access-control-")
_TRACING_STARTS = ("x-b3-", "x-datadog-", "x-dynatrace")
_KEYS = frozenset({"api_key", "token", "jwt", "password", "authorization", "session"})


def unsendable(entries: Sequence[Entry]) -> tuple[str, str] | None:
    """A header without which the answer may be another one: name of the refusal and of the header; None if all can go.

    A header that is the same on all pages, and named like no secret, may be needed or not: it is taken for not needed.
    """
    for name in sorted({name for entry in entries for name in entry.request_headers}):
        if name in WORDS["by_browser"] or name in WORDS["tracing"] or name.startswith((*_STARTS, *_TRACING_STARTS)):
            continue
        values = [entry.request_headers.get(name, "") for entry in entries]
        kind = header_kind(name)
        if kind == "signature" or any(is_signature(word, "") for word in name.split("-")):
            return "signed", name
        if kind in _KEYS:
            return "login", name
        if len(set(values)) > 1:
            return "unexplained", name
    return None
