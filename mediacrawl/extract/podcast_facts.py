"""Facts of podcasts that have parts of their own: people, transcripts, chapters and clips.

Sources: the podcast namespace (podcastindex.org), Podlove Simple Chapters 1.2 (podlove.org), Media RSS 1.5.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mediacrawl.extract.feed_names import Children
from mediacrawl.extract.texts import fact_link, media_type, seconds
from mediacrawl.extract.xml_text import words_of
from mediacrawl.facts import FEED, LONGEST_TEXT, Fact, fact, framed

_MOST_PERSONS = 12
_MOST_TRANSCRIPTS = 8
_MOST_CHAPTERS = 60
"""Chapters of an entry that are kept: they wait in the frontier with its file, see `facts.pack`."""
_MOST_SOUNDBITES = 5
_LONGEST_WORD = 40
_CREDITS = frozenset(
    {
        *("composer", "conductor", "lyricist", "arranger", "producer", "director", "actor", "engineer", "mixer"),
        *("narrator", "writer", "editor", "host", "guest", "anchor person", "cast member"),
    }
)
"""Roles of ``media:credit`` that name a person; author, artist and performer are the artist of the file."""


def podcast_facts(children: Children, base: str) -> Iterator[Fact | None]:
    """Yield the facts of an entry or a channel that have attributes."""
    for element in children.get("podcast:person", ())[:_MOST_PERSONS]:
        role = (element.get("role") or "host").strip().lower()[:_LONGEST_WORD]
        frame = framed("podcast:person", role=role, href=fact_link(base, element.get("href")))
        yield fact(FEED, frame, "person", words_of(element, LONGEST_TEXT))
    for element in children.get("media:credit", ())[:_MOST_PERSONS]:
        role = (element.get("role") or "").strip().lower()[:_LONGEST_WORD]
        if role in _CREDITS:
            yield fact(FEED, framed("media:credit", role=role), "person", words_of(element, LONGEST_TEXT))
    for element in children.get("podcast:transcript", ())[:_MOST_TRANSCRIPTS]:
        language = (element.get("language") or "")[:_LONGEST_WORD]
        frame = framed("podcast:transcript", type=media_type(element.get("type")), language=language)
        yield fact(FEED, frame, "transcript_url", fact_link(base, element.get("url")))
    yield from _chapters(children, base)
    yield from _soundbites(children)


def _chapters(children: Children, base: str) -> Iterator[Fact | None]:
    found: list[tuple[float, str, Any]] = []
    for parent in children.get("psc:chapters", ())[:1]:
        for element in parent.iterchildren("{*}chapter"):
            start = _start(element.get("start"))
            if start and len(found) < _MOST_CHAPTERS:
                found.append((float(start), start, element))
    number = 0
    for _, start, element in sorted(found, key=lambda each: each[0]):
        link, image = (fact_link(base, element.get(name)) for name in ("href", "image"))
        frame = framed("psc:chapter", start=start, href=link, image=image)
        title = (element.get("title") or "").strip() or f"{number + 1}"
        made = fact(FEED, frame, f"chapters[{number}].title", title)
        # The numbers have no gap, whatever a title consists of.
        number += made is not None
        yield made


def _soundbites(children: Children) -> Iterator[Fact | None]:
    for element in children.get("podcast:soundbite", ())[:_MOST_SOUNDBITES]:
        start, duration = _start(element.get("startTime")), seconds(element.get("duration"))
        # One without a text has the title of its entry.
        title = words_of(element, LONGEST_TEXT) or next(
            (words_of(each, LONGEST_TEXT) for each in children.get("title", ())), ""
        )
        if start:
            frame = framed("podcast:soundbite", start=start, duration=duration)
            yield fact(FEED, frame, "soundbite", title)


_is_zero = re.compile(r"[0:.]{1,20}", re.ASCII).fullmatch


def _start(written: str | None) -> str:
    """Return a time in decimal seconds, which may be zero; empty for none."""
    return seconds(written) or ("0" if _is_zero((written or "").strip()) else "")
