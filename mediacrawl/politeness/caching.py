"""HTTP freshness (RFC 9111, sections 4.2 and 5), and conditional requests."""

from __future__ import annotations

from calendar import timegm
from collections.abc import Container
from email.utils import parsedate

_LONGEST = 1_024
"""Characters of a header that are read."""

_LONGEST_VALIDATOR = 128
"""Characters of an ETag; a longer one is not sent back."""
_CONDITIONS = ("If-None-Match", "If-Modified-Since")


def lifetime(cache_control: str, expires: str, date: str, age: str, now: float) -> float | None:
    """Return the seconds from now for which a response is fresh; None if the server does not say. Never negative.

    We are a private cache, so ``s-maxage`` does not apply. ``max-age`` goes before ``Expires``, and an invalid date
    has expired (RFC 9111, 5.3). The arguments are the headers of these names; `now` is when the response came.
    """
    # Of a repeated directive the first counts (RFC 9111, 4.2.1).
    directives: dict[str, str] = {}
    for part in cache_control[:_LONGEST].split(","):
        name, _, value = part.partition("=")
        directives.setdefault(name.strip().lower(), value.strip().strip('"'))
    if "no-cache" in directives or "no-store" in directives:
        return 0.0
    said = directives.get("max-age")
    if said is not None:
        return max(_seconds(said) - _seconds(age.strip()), 0.0)
    if not expires.strip():
        return None
    then, sent = http_time(expires), http_time(date)
    return max(then - (now if sent is None else sent), 0.0) if then is not None else 0.0


def usable_validator(value: str) -> str:
    """Return a validator (ETag or Last-Modified) that may be stored and sent back; empty if it may not."""
    return value if len(value) <= _LONGEST_VALIDATOR and value.isascii() and value.isprintable() else ""


def conditional_headers(etag: str, modified: str) -> dict[str, str]:
    """Return the headers of a conditional request (RFC 9110, 13.1), from ETag and Last-Modified of a response."""
    return {name: value for name, value in zip(_CONDITIONS, (etag, modified), strict=True) if value}


def is_conditional(headers: Container[str]) -> bool:
    """Whether these are the headers of a conditional request; without a condition a 304 means nothing."""
    return any(name in headers for name in _CONDITIONS)


def _seconds(value: str) -> float:
    """Delta seconds; anything else is 0, and more than ten digits are cut (RFC 9111, 1.2.2)."""
    return float(value[:10]) if value.isascii() and value.isdigit() else 0.0


def http_time(value: str) -> float | None:
    """Return an HTTP date (RFC 9110, 5.6.7), or a date as in mail, in seconds since the epoch; None if it is none."""
    try:
        fields = parsedate(value[:64])
        return float(timegm((*fields[:6], 0, 1, 0))) if fields else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
