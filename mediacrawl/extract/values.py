"""Values as feeds and lists write them: times, dates, yes and no."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST = 64
"""Characters of a value that are looked at."""
_clock = re.compile(r"(?:(\d{1,4}):)?(\d{1,5}):(\d{1,5})(\.\d{1,9})?", re.ASCII).fullmatch
_plain = re.compile(r"(\d{1,7}(?:\.\d{1,9})?)\s*(?:s|sec|seconds)?", re.ASCII | re.IGNORECASE).fullmatch
_period = re.compile(
    r"P(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,7}(?:[.,]\d{1,9})?)S)?)?", re.ASCII | re.IGNORECASE
).fullmatch
_day = re.compile(r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(?![\d-])", re.ASCII).match
_YES = frozenset({"yes", "true", "explicit", "1"})
_NO = frozenset({"no", "false", "clean", "0"})


def seconds(text: str | None) -> str:
    """Return a duration in decimal seconds; empty if it is none, or nothing.

    Args:
        text: ``HH:MM:SS``, ``MM:SS``, seconds, or a period of ISO 8601 (``PT1H2M``), white space around it.
    """
    written = (text or "").strip()[:_LONGEST]
    if found := _clock(written):
        hours, minutes, rest, fraction = found.groups()
        number = int(hours or 0) * 3600 + int(minutes) * 60 + int(rest) + float(fraction or 0)
    elif found := _plain(written):
        number = float(found[1])
    elif (found := _period(written)) and any(found.groups()):
        days, hours, minutes, rest = found.groups()
        number = int(days or 0) * 86400 + int(hours or 0) * 3600 + int(minutes or 0) * 60
        number += float((rest or "0").replace(",", "."))
    else:
        return ""
    return f"{number:.6f}".rstrip("0").rstrip(".") if 0 < number < 10_000_000 else ""


def moment(text: str | None) -> str:
    """Return a date in the form of ISO 8601, in UTC if it has a time; empty if it is none.

    Args:
        text: as mail writes it (RFC 5322, what RSS asks for), or as ISO 8601 does (RFC 3339, what Atom asks for).
    """
    written = (text or "").strip()[:_LONGEST]
    if not written:
        return ""
    found = _of_iso(written) if written[:4].isdigit() else _of_mail(written)
    if found is None:
        day = _day(written)
        return day[1] if day else ""
    if found.tzinfo is None:
        return found.isoformat(timespec="seconds")
    try:
        return found.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except OverflowError:
        return ""


def yes_or_no(text: str | None) -> str:
    """Return ``yes`` or ``no`` for the words that feeds have for them; empty for others.

    Args:
        text: ``true``, ``clean`` ..., in any case.
    """
    word = (text or "").strip().lower()
    return "yes" if word in _YES else "no" if word in _NO else ""


def whole(text: str | None) -> int:
    """Return a whole number of at most 15 digits; 0 if it is none.

    Args:
        text: decimal digits, white space around them.
    """
    written = (text or "").strip()
    return int(written) if written.isascii() and written.isdigit() and len(written) < 16 else 0


def _of_iso(written: str) -> datetime | None:
    if len(written) <= 10:
        return None
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None


def _of_mail(written: str) -> datetime | None:
    try:
        return parsedate_to_datetime(written)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
