"""Texts, references, media types, durations and dates as pages, feeds and lists write them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from lxml import etree

from mediacrawl.base.facts import LONGEST_TEXT

TEXT_LENGTH = 200
"""Characters of an anchor or a title that are kept."""
TEXT_PIECES = 200
"""Pieces of text that are read for one text: an element that is never closed contains the rest of the page."""

_AUDIO_ENDINGS = (
    *(".mp3", ".m4a", ".m4b", ".ogg", ".oga", ".opus", ".flac", ".wav", ".aac", ".wma", ".weba"),
    *(".aif", ".aiff", ".ape", ".wv", ".amr", ".3ga", ".awb", ".caf", ".dsf", ".dff", ".w64", ".tak"),
    *(".mid", ".midi", ".kar", ".rmi", ".s3m", ".ra"),
)
_VIDEO_ENDINGS = (
    *(".mp4", ".m4v", ".webm", ".mov", ".ogv", ".mkv", ".avi", ".wmv", ".mpg", ".flv"),
    *(".rm", ".rmvb"),
)
MEDIA_ENDINGS = (*_AUDIO_ENDINGS, *_VIDEO_ENDINGS, ".m3u8", ".mpd")
"""Suffixes that distinguish a file from a page: not ``.au``, in which hosts end too. Whether a URL may be requested is
decided elsewhere."""
_LONGEST_REFERENCE = 8_000

_tags = re.compile(r"<[^<>]*+>").sub
_long_number = re.compile(r"&#([0-9]{8,}+)").sub


def fold(pieces: Iterable[str], longest: int = TEXT_LENGTH) -> str:
    """Join pieces of text, white space folded, up to `longest` characters."""
    words: list[str] = []
    length = 0
    for piece in pieces:
        for word in piece.split(None, longest):
            words.append(word[:longest])
            length += len(words[-1]) + 1
        if length > longest:
            break
    return " ".join(words)[:longest]


def walked(element: Any, most: int) -> Iterator[str | None]:
    """Yield the texts below an element, or None for a step without text.

    `itertext` yields the same texts, but takes unlimited steps over elements without text.
    """
    for event, inside in islice(etree.iterwalk(element, ("start", "end")), most):
        text = inside.text if event == "start" else inside.tail
        yield text if inside is not element else None


def without_tags(text: str) -> str:
    """Return a text that holds HTML without its tags; each leaves a space."""
    return _tags(" ", text)


def unescape(text: str) -> str:
    """Return a text with HTML's character references replaced. Never raises.

    A number of any length is read as the HTML standard says ("numeric character reference end state"): one beyond
    Unicode is U+FFFD. `html.unescape` raises ValueError for one of more than 4,300 digits.
    """
    return html.unescape(_long_number(_shortened, text)) if "&" in text else text


def unescape_url(text: str) -> str:
    """Return a URL with the character references replaced that end in a semicolon; ``&section=2`` is a parameter."""
    return _closed_reference(lambda reference: html.unescape(reference[0]), text)


_closed_reference = re.compile(r"&#?\w{1,31};").sub


def _shortened(reference: re.Match[str]) -> str:
    digits = reference[1].lstrip("0")
    return f"&#{digits[:8] or 0}"


_parameters = re.compile(r"[;,\s]").split
"""Servers also write ``text/xml,charset=utf-8``."""


@lru_cache(maxsize=256)
def media_type(text: str | None) -> str:
    """Return a media type in lower case without its parameters; at most 100 characters."""
    return _parameters((text or "").strip().lower(), 1)[0][:100]


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


def fact_link(base: str, href: str | None) -> str:
    """Resolve a reference that becomes a fact; empty if it is longer than one: a truncated URL is another URL."""
    url = absolute(base, (href or "").strip())
    return url if len(url) <= LONGEST_TEXT else ""


@lru_cache(maxsize=64)
def _origin(base: str) -> str:
    """Return the origin of an http(s) URL; empty for another."""
    root = absolute(base, "/.")
    return root.removesuffix("/")


def names_media(href: str) -> bool:
    """Whether a reference has the suffix of a media file."""
    path = href.partition("#")[0].partition("?")[0]
    return path[-10:].rstrip().lower().endswith(MEDIA_ENDINGS)


def kind_of_media(href: str, mime: str = "") -> str:
    """Return ``audio`` or ``video`` by the media type or the suffix of a file; empty if neither says it."""
    if mime.startswith(("audio/", "video/")) and not mime.endswith("mpegurl"):
        return mime[:5]
    ending = href.partition("#")[0].partition("?")[0][-10:].rstrip().lower()
    return "audio" if ending.endswith(_AUDIO_ENDINGS) else "video" if ending.endswith(_VIDEO_ENDINGS) else ""


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
_YES = frozenset({"yes", "true", "explicit", "1"})
_NO = frozenset({"no", "false", "clean", "0"})


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


def value_of(key: str, text: str, base: str | None = None) -> str:
    """Return the text of a fact in the form that its key has: a duration, a date, an absolute URL; empty for none."""
    if key == "duration":
        return seconds(text)
    if key in ("date", "upload_date"):
        return moment(text)
    return absolute(base, text) if key == "thumbnail_url" and base is not None else text


def yes_or_no(text: str | None) -> str:
    """Return ``yes`` or ``no`` for the words that feeds have for them; empty for others."""
    word = (text or "").strip().lower()
    return "yes" if word in _YES else "no" if word in _NO else ""


def whole(text: str | None) -> int:
    """Return a whole number of at most 15 digits; 0 if it is none."""
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
        found = parsedate_to_datetime(written)
        half = _half_of_day(written)
        return found.replace(hour=found.hour % 12 + 12 * (half[1] in "pP")) if half else found
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
