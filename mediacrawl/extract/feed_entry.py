"""One entry of a feed in XML: its page, its id, and its media files with what is said of each.

Of Media RSS what is nearest to a file has precedence (Media RSS 1.5.1, "Optional Elements"): an element of its
``media:content``, then of its ``media:group``, then of the entry. The channel comes last (`feeds`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lxml import etree

from mediacrawl.base.content_type import media_type, names_media
from mediacrawl.base.facts import FEED, Fact, fact
from mediacrawl.base.urls import absolute
from mediacrawl.extract.feed_facts import (
    CLAIMED_TITLE,
    after_own,
    entry_facts,
    file_facts,
    live_facts,
    nearest_first,
)
from mediacrawl.extract.feed_model import (
    ID_LENGTH,
    MOST_FILES,
    NO_MEDIA,
    Children,
    FeedEntry,
    encoding_of,
    is_reference,
    short_name,
    unlabelled,
)
from mediacrawl.extract.texts import TEXT_LENGTH, whole
from mediacrawl.extract.xml_text import text_of, words_of

OF_PODCASTS = ("itunes:", "podcast:", "googleplay:")
"""Prefixes of elements that only feeds of podcasts have."""
_MEDIA = ("audio", "video", "application/x-mpegurl", "application/vnd.apple.mpegurl", "application/dash+xml")
_ABOUT, _RESOURCE = (f"{{http://www.w3.org/1999/02/22-rdf-syntax-ns#}}{name}" for name in ("about", "resource"))
_ENC_TYPE = "{http://purl.oclc.org/net/rss_2.0/enc#}type"
_PERMALINK = ("isPermaLink", "isPermalink", "ispermalink")
_MOST_OF_A_FILE = 4
"""Elements that describe one file, which are read: an enclosure, and the same file in a group."""
_BESIDE = "beside"
"""Name of the element of a file that an entry has besides others."""
_HTML = ("content:encoded", "description", "content", "summary")
_is_video_id = re.compile(r"[\w-]{6,20}", re.ASCII).fullmatch


class _File(NamedTuple):
    """An element that names a media file.

    Attributes:
        element: itself.
        type: that its source claims, if that is another element.
        near: children of its ``media:content``, and of the ``media:group`` around it, the nearest first.
    """

    element: Any
    type: str = ""
    near: tuple[Children, ...] = ()

    @property
    def claimed(self) -> str:
        """The media type that it claims."""
        return self.type or media_type(self.element.get("type"))

    def claims(self) -> list[Fact]:
        """What its attributes say of the file."""
        return [each for each in file_facts(self.element, self.type) if each.frame != CLAIMED_TITLE]

    def titles(self) -> list[Fact]:
        """Return the title of this encoding ("High quality"), which is the least title of the work."""
        return [each for each in file_facts(self.element) if each.frame == CLAIMED_TITLE]


class Entry:
    """An ``item``, ``entry`` or ``podcast:liveItem`` while it is read. An empty `base` stands for the feed's URL."""

    def __init__(self, element: Any, base: str) -> None:
        children = children_of(element)
        self._own = children
        self._groups = [children_of(group) for group in children.pop("media:group", ())[:MOST_FILES]]
        self._all: dict[str, list[Any]] = {}
        for level in (children, *self._groups):
            for name, elements in level.items():
                self._all.setdefault(name, []).extend(elements)
        self._base = base
        self._about = (element.get(_ABOUT) or "").strip()
        self._is_live = str(element.tag).lower().endswith("liveitem")
        self._live_facts = live_facts(element) if self._is_live else []
        self._is_over = self._is_live and (element.get("status") or "").strip().lower() == "ended"
        self.is_podcast = self._is_live or any(name.startswith(OF_PODCASTS) for name in children)
        # By identity of what `_File.near` holds, which lives as long as the entry.
        self._said: dict[int, list[Fact]] = {}

    def whole(self, base: str) -> Iterator[FeedEntry]:
        """Yield one entry for each media file, or one without."""
        title = next(filter(None, (words_of(each, TEXT_LENGTH) for each in self._all.get("title", ()))), "")
        guid = self._first("guid", ID_LENGTH) or self._first("id", ID_LENGTH) or self._about[:ID_LENGTH]
        link = self._link()
        files = self._files(link)
        link = "" if names_media(link) else link
        kinds = {url: _kind_of(url, told[0]) for url, told in files.items()}
        number = Counter(kinds.values())
        for url, told in files.items():
            claimed = next(filter(None, (each.claimed for each in told)), "")
            lengths = (whole(each.element.get("length") or each.element.get("fileSize")) for each in told)
            length = next(filter(None, lengths), 0)
            facts = self._facts(told, base)
            # Of several enclosures of one type the title of the entry names none.
            is_shared = self._is_live or number[kinds[url]] > 1 or not kinds[url]
            facts = after_own(facts) if is_shared else facts
            yield FeedEntry(title, link, guid, url, claimed, length, "", facts)
        player = "" if files else self._player()
        if not files and (title or link or guid or player):
            player_fact = fact(FEED, "media:player", "embed_url" if "/embed/" in player else "player_url", player)
            facts = (*entry_facts(self._all, base), player_fact) if player_fact else ()
            yield FeedEntry(title, link, guid, player=player, facts=facts)

    def _facts(self, told: Sequence[_File], base: str) -> tuple[Fact, ...]:
        near = list[list[Fact]]()
        for each in told:
            levels = [self._said_in(children, base) for children in each.near]
            near += [*levels[:1], each.claims(), *levels[1:]]
        titles = [each.titles() for each in told]
        return nearest_first([*near, self._said_in(self._own, base), self._live_facts, *titles])

    def _said_in(self, children: Children, base: str) -> list[Fact]:
        """What elements say of all files that they are around; read once."""
        found = self._said.get(id(children))
        if found is None:
            found = self._said[id(children)] = entry_facts(children, base)
        return found

    def _first(self, name: str, longest: int) -> str:
        return next(filter(None, (text_of(each, longest) for each in self._all.get(name, ()))), "")

    def _link(self) -> str:
        """Return the page of the entry; none for a video with a player, whose page is not requested."""
        if self._video_id():
            return ""
        for link in self._own.get("link", ()):
            href = link.get("href")
            if href is None or (link.get("rel") or "alternate") == "alternate":
                found = text_of(link) if href is None else href.strip()
                if found:
                    return self._joined(found)
        return self._permalink() or (self._joined(self._about) if is_reference(self._about) else "")

    def _permalink(self) -> str:
        """Return the id of an entry of RSS 2.0, which is its URL unless it says that it is none."""
        for guid in self._own.get("guid", ()):
            said = next((value for name in _PERMALINK if (value := guid.get(name)) is not None), "true")
            found = text_of(guid, ID_LENGTH + 1)
            is_url = found.startswith(("http://", "https://")) and len(found) <= ID_LENGTH and " " not in found
            if is_url and said.strip().lower() != "false":
                return found
        return ""

    def _files(self, link: str) -> dict[str, list[_File]]:
        """Return URL -> the elements that describe it; also of what only `link`, the id or HTML names."""
        found: dict[str, list[_File]] = {}
        if self._is_over:
            # What it named was the stream.
            return found
        for url, file in self._named():
            href = (url or "").strip()
            if not href or (file.claimed.startswith(NO_MEDIA) and not names_media(href)):
                continue
            href = self._joined(href)
            told = found.get(href)
            if told is None and len(found) < MOST_FILES:
                found[href] = [file]
            elif told is not None and len(told) < _MOST_OF_A_FILE:
                told.append(file)
        guid = self._first("guid", ID_LENGTH) or self._first("id", ID_LENGTH)
        for url, is_own in unlabelled(link, guid, self._html(), has_file=bool(found)):
            if len(found) < MOST_FILES:
                found.setdefault(self._joined(url), [_File(etree.Element("link" if is_own else _BESIDE))])
        return found

    def _html(self) -> Iterator[str]:
        for element in (each for name in _HTML for each in self._own.get(name, ())):
            yield etree.tostring(element, encoding="unicode", with_tail=False) if len(element) else element.text or ""

    def _named(self) -> Iterator[tuple[str | None, _File]]:
        get = self._own.get
        for element in get("enclosure", ()):
            yield element.get("url") or element.get("href"), _File(element)
        for element in get("enc:enclosure", ()):
            # Of RSS 1.0 (mod_enclosure).
            yield element.get(_RESOURCE), _File(element, media_type(element.get(_ENC_TYPE)))
        for element in get("link", ()):
            if element.get("rel") == "enclosure":
                yield element.get("href"), _File(element)
        yield from _contents(self._own, ())
        for group in self._groups:
            yield from _contents(group, (group,))
        for element in get("podcast:alternateenclosure", ()):
            for source in element.iterchildren("{*}source"):
                yield source.get("uri"), _File(element, media_type(source.get("contentType")))

    def _player(self) -> str:
        video = self._video_id()
        if video:
            return f"https://www.youtube.com/embed/{video}"
        players = [*self._all.get("media:player", ())]
        for content in self._all.get("media:content", ())[:MOST_FILES]:
            players += content.iterchildren("{*}player")
        return next(filter(None, (self._joined((each.get("url") or "").strip()) for each in players)), "")

    def _video_id(self) -> str:
        found = self._first("yt:videoid", 40)
        return found if _is_video_id(found) else ""

    def _joined(self, reference: str) -> str:
        return (self._base and absolute(self._base, reference)) or reference


def _kind_of(url: str, first: _File) -> str:
    """Return what tells the encodings of one work apart; empty for a file that its entry has besides others."""
    name = str(first.element.tag)
    if first.near or name.endswith("alternateEnclosure"):
        return url
    return "" if name == _BESIDE else encoding_of(url, first.claimed)


def _contents(children: Children, around: tuple[Children, ...]) -> Iterator[tuple[str | None, _File]]:
    """Yield the files of ``media:content``, and of Atom's ``content``."""
    for element in (*children.get("media:content", ()), *children.get("content", ())):
        medium = (element.get("medium") or element.get("type") or "").lower()
        is_untyped = not medium and not element.get("src")
        url = element.get("url") or element.get("src")
        if url and (is_untyped or medium.startswith(_MEDIA)):
            yield url, _File(element, near=(children_of(element), *around))


def children_of(element: Any) -> dict[str, list[Any]]:
    """Return the elements below one by their names (`feed_facts.short_name`)."""
    found: dict[str, list[Any]] = {}
    own = str(element.tag).rpartition("}")[0].removeprefix("{")
    for child in element.iterchildren(tag=etree.Element):
        name = short_name(child.tag, own) if len(child.tag) < 200 else "?"
        found.setdefault(name, []).append(child)
    return found
