"""Wishes that come with an answer: the header X-Robots-Tag, and ``<meta name="robots">`` on a page.

Both say the same things in the same words, the header also for files that are no pages. There is no RFC; the form is
the one that the large search engines document: rules by comma, in the header with a robot's name before them if they
are meant for that robot only (``otherbot: noindex, nofollow``). What binds us, and what it means here:

``nofollow``
    No link of the page joins: none of its media, feeds and players either, through whatever door they were found.
``noindex``
    A media file gives no record. A page is not a record of ours; of one that asks this no words get into the records
    of the files found there, neither its title nor the text of its links. Its links are followed: that is what
    ``nofollow`` is for.
``none``
    Both.
``unavailable_after``
    From that time on as ``noindex``. A record made before stays until the file is asked again.

Rules add up: of what is said to all robots and what is said to us each binds, since search engines read it so too.
Others (``noarchive``, ``nosnippet``, ``max-snippet`` ...) are about copies and excerpts of pages, which are not kept.
On a link only ``rel=nofollow`` binds (`extract.Page.nofollow`): ``ugc`` and ``sponsored`` tell a search engine whose
word a link is, and ask for nothing.
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
"""What may stand behind a robot's name. Behind anything else a colon makes no robot, and what follows binds us."""

_LONGEST = 8_192
"""Characters that are read of all values together; nobody has that many wishes."""
_LONGEST_DATE = 64


@dataclass(frozen=True, slots=True)
class RobotsDirectives:
    """What the site wishes.

    Attributes:
        nofollow: do not follow the links of this page.
        noindex: do not keep a record of this file.
        until: keep none from this time on, seconds since the epoch; None if no time is set.
    """

    nofollow: bool = False
    noindex: bool = False
    until: float | None = None

    def __or__(self, other: RobotsDirectives) -> RobotsDirectives:
        """Both of them; of two times the earlier."""
        times = [time for time in (self.until, other.until) if time is not None]
        return RobotsDirectives(
            self.nofollow or other.nofollow, self.noindex or other.noindex, min(times, default=None)
        )

    def unlisted(self, now: float) -> bool:
        """Tell whether this file or page is not to be listed.

        Args:
            now: seconds since the epoch.
        """
        return self.noindex or (self.until is not None and self.until <= now)


NO_DIRECTIVES = RobotsDirectives()


def directives_of(values: Iterable[str], token: str) -> RobotsDirectives:
    """The wishes of X-Robots-Tag headers, or of meta elements that are meant for us. Never raises.

    Args:
        values: of the headers or elements, one each.
        token: our product token; what is meant for another robot does not bind us.
    """
    wishes, room = NO_DIRECTIVES, _LONGEST
    for value in values:
        if room > 0:
            wishes |= _read(value[:room].lower(), token.lower())
        room -= len(value)
    return wishes


def _read(value: str, token: str) -> RobotsDirectives:
    """The wishes of one value that are meant for us. A robot's name holds until the next one."""
    ours, words, until = True, set[str](), None
    parts = value.split(",")
    for place, part in enumerate(parts):
        name, _, rest = part.partition(":")
        if _is_robot(name, rest):
            ours = name.strip() in {token, "*", "robots"}
            part = rest  # noqa: PLW2901 - what stands behind the robot's name
        if ours:
            words.update(part.replace(";", " ").split())
            until = _earlier(until, _time(part, parts[place + 1 : place + 2]))
    return RobotsDirectives(
        nofollow=not words.isdisjoint(("nofollow", "none")),
        noindex=not words.isdisjoint(("noindex", "none")),
        until=until,
    )


def _is_robot(name: str, rest: str) -> bool:
    """Whether what stands before a colon is a robot's name: a rule follows, and it is none itself."""
    first = rest.replace(":", " ").split(None, 1)
    return bool(first) and first[0] in _RULES and name.strip() not in _VALUED


def _time(part: str, next_part: list[str]) -> float | None:
    """The time of ``unavailable_after: ...``. One that begins with the day of the week goes on behind its comma."""
    _, found, rest = part.partition(_UNAVAILABLE)
    if not found:
        return None
    text = rest.strip(" \t:")
    time = _seconds(text)
    return time if time is not None else _seconds(", ".join([text, *next_part]))


def _seconds(text: str) -> float | None:
    """A date of RFC 822, RFC 850 or ISO 8601, in UTC if it names no zone; None if it is none."""
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


def _earlier(one: float | None, other: float | None) -> float | None:
    return min((time for time in (one, other) if time is not None), default=None)
