"""Wishes that come with an answer: the header X-Robots-Tag.

It says in a header what ``<meta name="robots">`` says in a page, also for files that are no pages. There is no RFC; the
form is the one that the large search engines document: names by comma, with a robot's name before them if they are
meant for that robot only (``otherbot: noindex, nofollow``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_TIMED = frozenset({"unavailable_after"})
_VALUED = _TIMED | {"max-snippet", "max-image-preview", "max-video-preview"}


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the site wishes.

    Attributes:
        nofollow: do not follow the links of this page.
        noindex: do not keep a record of this file.
    """

    nofollow: bool = False
    noindex: bool = False


def robots_tag(values: Iterable[str], token: str) -> Wishes:
    """The wishes of X-Robots-Tag headers.

    Args:
        values: the headers' values, one each.
        token: our product token; what is meant for another robot does not bind us.
    """
    words: set[str] = set()
    for value in values:
        words |= _words(value.lower(), token.lower())
    return Wishes(
        nofollow=not words.isdisjoint(("nofollow", "none")), noindex=not words.isdisjoint(("noindex", "none"))
    )


def _words(value: str, token: str) -> set[str]:
    """The names in one header that are meant for us. A robot's name holds until the next one."""
    ours = True
    words = set()
    for part in value.split(","):
        name, colon, rest = part.partition(":")
        if colon and name.strip() not in _VALUED:
            ours = name.strip() in {token, "*", "robots"}
            part = rest  # noqa: PLW2901 - what stands behind the robot's name
        if ours:
            words.update(part.split())
    return words
