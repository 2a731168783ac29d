"""How long an answer may be used, by what its server says about caching (RFC 9111, sections 4.2 and 5)."""

from __future__ import annotations

from calendar import timegm
from email.utils import parsedate

_LONGEST = 1_024
"""Characters of a header that are read."""


def lifetime(cache_control: str, expires: str, date: str, age: str, now: float) -> float | None:
    """Seconds from now for which an answer counts as fresh; None if the server does not say. Never negative.

    We are a private cache, so ``s-maxage`` says nothing to us. ``max-age`` goes before ``Expires``, and what cannot be
    read as a date has expired, both as RFC 9111 wants it (5.3).

    Args:
        cache_control: header as the server wrote it; of several lines joined with commas.
        expires: header as the server wrote it, empty if there is none.
        date: the header Date, from which Expires counts; without it, `now`.
        age: the header Age, seconds that the answer lay in a proxy.
        now: when the answer came, seconds since the epoch.
    """
    directives = _directives(cache_control[:_LONGEST])
    if "no-cache" in directives or "no-store" in directives:
        return 0.0
    said = directives.get("max-age")
    if said is not None:
        return max(_seconds(said) - _seconds(age.strip()), 0.0)
    if not expires.strip():
        return None
    then, sent = _time(expires), _time(date)
    return max(then - (now if sent is None else sent), 0.0) if then is not None else 0.0


def _directives(header: str) -> dict[str, str]:
    """Name -> value. Of a directive that stands twice the first counts (RFC 9111, 4.2.1)."""
    found: dict[str, str] = {}
    for part in header.split(","):
        name, _, value = part.partition("=")
        found.setdefault(name.strip().lower(), value.strip().strip('"'))
    return found


def _seconds(value: str) -> float:
    """Delta seconds; what is none is 0, and more than ten digits are cut (RFC 9111, 1.2.2)."""
    return float(value[:10]) if value.isascii() and value.isdigit() else 0.0


def _time(value: str) -> float | None:
    try:
        fields = parsedate(value[:64])
        return float(timegm((*fields[:6], 0, 1, 0))) if fields else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
