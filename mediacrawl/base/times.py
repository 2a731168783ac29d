"""Durations and dates as pages, feeds and lists write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_LONGEST_VALUE = 64
"""Characters of a value that are looked at."""
_clock = re.compile(r"(?:(\d{1,4}):)?(\d{1,5}):(\d{1,5})(\.\d{1,9})?", re.ASCII).fullmatch
_plain_seconds = re.compile(r"(\d{1,7}(?:\.\d{1,9})?)\s*(?:s|sec|seconds)?", re.ASCII | re.IGNORECASE).fullmatch
_NUMBER = r"(\d{1,7}(?:[.,]\d{1,20})?)"
_period = re.compile(
    rf"P(?:0{{1,4}}Y)?(?:0{{1,4}}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?",
    re.ASCII | re.IGNORECASE,
).fullmatch
"""Years and months have no length in seconds, so they are read only if they are zero."""
_period_of_date = re.compile(
    r"P0000-00-(\d\d)T(\d\d):(\d\d):(\d\d(?:[.,]\d{1,20})?)", re.ASCII | re.IGNORECASE
).fullmatch
_WEEK, _DAY = 604_800, 86_400
_day = re.compile(r"(\d{4}(?:-\d\d(?:-\d\d)?)?)(?![\d-])", re.ASCII).match
_slashes = re.compile(r"^(\d{4})/(\d\d)/(\d\d)\b", re.ASCII).sub
_zone = re.compile(r"(:\d\d:\d\d ?[+-]\d\d):(\d\d)$", re.ASCII).sub
_half_of_day = re.compile(r"\d:\d\d(?::\d\d)? ?([AP])\.?M\b", re.ASCII | re.IGNORECASE).search
_clock_and_rest = re.compile(r"\d{1,2}:.*", re.ASCII | re.DOTALL).sub


def seconds(text: str | None) -> str:
    """Return a duration in decimal seconds; empty if it is none, or nothing.

    It is written ``HH:MM:SS``, ``MM:SS``, in seconds, or as a period of ISO 8601 (4.4.3: ``PT1H2M``,
    ``P0Y0M0DT0H3M30.000S``, ``P0000-00-00T00:03:30``).
    """
    written = (text or "").strip()[:_LONGEST_VALUE]
    if found := _clock(written):
        hours, minutes, rest, fraction = found.groups()
        number = int(hours or 0) * 3600 + int(minutes) * 60 + int(rest) + float(fraction or 0)
    elif found := _plain_seconds(written):
        number = float(found[1])
    elif (found := _period(written)) and any(found.groups()):
        number = _added((_WEEK, _DAY, 3600, 60, 1), found.groups())
    elif found := _period_of_date(written):
        number = _added((_DAY, 3600, 60, 1), found.groups())
    else:
        return ""
    return f"{number:.6f}".rstrip("0").rstrip(".") if 0 < number < 10_000_000 else ""


def _added(units: Iterable[int], numbers: Iterable[str | None]) -> float:
    return sum(unit * float((number or "0").replace(",", ".")) for unit, number in zip(units, numbers, strict=True))


def moment(text: str | None) -> str:
    """Return a date of a mail (RFC 5322) or of ISO 8601 as the latter writes it, in UTC with a time; or nothing.

    Common variants are read too: ``5 Mar 2024``, ``+01:00`` behind a date of a mail, ``9:10 PM``, ``2024/03/05``. A
    date whose time is none (``24:00:00``) is returned without it.
    """
    written = (text or "").strip()[:_LONGEST_VALUE]
    if not written:
        return ""
    is_iso = written[:4].isdigit()
    written = _slashes(r"\1-\2-\3", written) if is_iso else _zone(r"\1\2", written)
    found = _of_iso(written) if is_iso else _of_mail(written)
    if found is None:
        if day := _day(written):
            return day[1]
        found = _of_mail(f"{_clock_and_rest('', written)} 00:00")
        return found.date().isoformat() if found else ""
    if found.tzinfo is None:
        return found.isoformat(timespec="seconds")
    try:
        return found.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except OverflowError:
        return ""


def _of_iso(written: str) -> datetime | None:
    if len(written) <= 10:
        return None
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None


def _of_mail(written: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(written)
        half = _half_of_day(written)
        return found.replace(hour=found.hour % 12 + 12 * (half[1] in "pP")) if half else found
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
