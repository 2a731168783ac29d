"""Robots directives that come with a response: the header X-Robots-Tag, and ``<meta name="robots">`` on a page.

Both use the same words. There is no RFC; the syntax is the one that search engines document: directives separated by
commas, in the header after a robot's name if they are meant for that robot only (``otherbot: noindex, nofollow``).
Directives that are obeyed:

``nofollow``
    No link of the page is followed, and none of its media, feeds and players.
``noindex``
    A media file gives no record. Of a page no text (title, text of links) gets into the records of files found there;
    its links are followed.
``none``
    Both.
``unavailable_after``
    From that time on as ``noindex``. An earlier record stays until the file is requested again.

Directives add up: those for all robots and those for us both apply, as with search engines. Others (``noarchive``,
``nosnippet``, ``max-snippet`` ...) concern copies and excerpts of pages, which are not kept. On a link only
``rel=nofollow`` is obeyed (`extract.Page.nofollow`): ``ugc`` and ``sponsored`` describe a link and forbid nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import mktime_tz, parsedate_tz

_UNAVAILABLE = "unavailable_after"
_VALUED = frozenset({_UNAVAILABLE, "max-snippet", "max-image-preview", "max-video-preview"})
_RULES = _VALUED | {
    *("all", "index", "follow", "noindex", "nofollow", "none", "noarchive", "nocache", "nosnippet", "notranslate"),
    *("noimageindex", "indexifembedded", "noodp", "noydir", "noai", "noimageai"),
}
"""Directives that may stand after a robot's name. Anything else with a colon is no robot's name."""

_LONGEST = 8_192
"""Characters that are read of all values together."""
_LONGEST_DATE = 64


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """The directives of a response.

    Attributes:
        nofollow: do not follow the links of this page.
        noindex: keep no record of this file.
        until: keep none from this time on, seconds since the epoch; None without a time.
    """

    nofollow: bool = False
    noindex: bool = False
    until: float | None = None

    def __or__(self, other: RobotsDirectives) -> RobotsDirectives:
        """Both together; of two times the earlier."""
        times = [time for time in (self.until, other.until) if time is not None]
        return RobotsDirectives(
            self.nofollow or other.nofollow, self.noindex or other.noindex, min(times, default=None)
        )

    def unlisted(self, now: float) -> bool:
        """Tell whether no record of this file is to be kept."""
        return self.noindex or (self.until is not None and self.until <= now)


NO_DIRECTIVES = RobotsDirectives()


def directives_of(values: Iterable[str], token: str) -> RobotsDirectives:
    """Parse X-Robots-Tag headers, or meta elements, for a product token. Never raises."""
    found, left = NO_DIRECTIVES, _LONGEST
    for value in values:
        if left > 0:
            found |= _read(value[:left].lower(), token.lower())
        left -= len(value)
    return found


def _read(value: str, token: str) -> RobotsDirectives:
    """Return the directives of one value that apply to us. A robot's name holds until the next one."""
    ours, words, until = True, set[str](), None
    parts = value.split(",")
    for place, part in enumerate(parts):
        name, _, rest = part.partition(":")
        if _is_robot(name, rest):
            ours = name.strip() in {token, "*", "robots"}
            part = rest  # noqa: PLW2901 - without the robot's name
        if ours:
            words.update(part.replace(";", " ").split())
            times = until, _time(part, parts[place + 1 : place + 2])
            until = min((time for time in times if time is not None), default=None)
    return RobotsDirectives(
        nofollow=not words.isdisjoint(("nofollow", "none")),
        noindex=not words.isdisjoint(("noindex", "none")),
        until=until,
    )


def _is_robot(name: str, rest: str) -> bool:
    """Whether the text before a colon is a robot's name: a directive follows, and it is none itself."""
    first = rest.replace(":", " ").split(None, 1)
    return bool(first) and first[0] in _RULES and name.strip() not in _VALUED


def _time(part: str, next_part: list[str]) -> float | None:
    """The time of ``unavailable_after: ...``. One that begins with the day of the week continues after the comma."""
    _, found, rest = part.partition(_UNAVAILABLE)
    if not found:
        return None
    text = rest.strip(" \t:")
    time = _seconds(text)
    return time if time is not None else _seconds(", ".join([text, *next_part]))


def _seconds(text: str) -> float | None:
    """Return a date of RFC 822, RFC 850 or ISO 8601, in UTC if it has no zone; None if it is none."""
    text = text.strip(" \t\"'").upper()[:_LONGEST_DATE]
    try:
        day = datetime.fromisoformat(text)
        return (day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        pass
    try:
        parsed = parsedate_tz(text)
        return mktime_tz(parsed) if parsed else None
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
