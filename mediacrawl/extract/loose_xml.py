"""Makes well-formed XML of a feed that is none, by a tokenizer that expects any fault.

It reads a start tag as browsers do, escapes what is in a text, and ends what is not ended. An element without an end
tag before its entry is over ends at the next tag.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from mediacrawl.extract.xml_text import HTML_TAGS

_ROOTS = frozenset({"rss", "channel", "feed", "rdf:rdf", "rdf"})
_ENTRIES = frozenset({"item", "entry"})
_TEXTS = frozenset(
    {
        *("title", "description", "summary", "subtitle", "content", "content:encoded", "copyright", "rights"),
        *("itunes:title", "itunes:summary", "itunes:subtitle", "itunes:author", "googleplay:description"),
        *("media:title", "media:description", "dc:title", "dc:description", "dc:creator"),
    }
)
"""Elements in which writers leave unescaped markup."""
_MOST_TOKENS = 100_000
"""Tags, comments and sections that are read, in a third of a second; a feed of 3,000 entries has about as many."""
_MOST_OPEN = 100
_MOST_ATTRIBUTES = 100
_MOST_QUOTES = 20
"""Quotation marks in one value that are looked at."""
_DOUBLE, _SINGLE = "\u201c\u201d\u201e", "\u2018\u2019"
_QUOTES = {'"': '"', "'": "'", **dict.fromkeys(_DOUBLE, f'{_DOUBLE}"'), **dict.fromkeys(_SINGLE, f"{_SINGLE}'")}
"""Mark that begins a value -> those that may end it: word processors make curly ones."""

_next_token = re.compile(r"<!\[CDATA\[|<!--|<[?!][^<>]*>?|<(/?)([A-Za-z_][\w.:-]*)").search
_edges = re.compile(r"</?(?:item|entry|channel|rss|feed|rdf:rdf)(?=[\s/>])", re.IGNORECASE).finditer
_ends = re.compile(r"</([A-Za-z_][\w.:-]*)|]]>|-->").finditer
_no_name = re.compile(rf"[\s=/\"'{_DOUBLE}{_SINGLE}]*").match
_name = re.compile(rf"[^\s=<>/\"'{_DOUBLE}{_SINGLE}]+").match
_equals = re.compile(r"\s*=\s*").match
_bare_value = re.compile(rf"[^\s<>\"'{_DOUBLE}]*").match
_is_attribute = re.compile(r"[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?").fullmatch
_may_follow = re.compile(rf"[\s<>]|/\s*>|\Z|[A-Za-z_][\w:.-]*\s*=\s*[\"'{_DOUBLE}{_SINGLE}]").match
_begins_tag = re.compile(r"<[A-Za-z/!?]").search
_forbidden = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|&#(?:0*(?:[0-8]|1[124-9]|2[0-9]|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));",
    re.IGNORECASE,
).sub
_tags = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)(?=[\s/>])[^<>]*+>").sub
_bare = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6});)").sub


def well_formed(text: str) -> str:
    """Return the XML of a feed as far as it can be read. It takes time in proportion to the length of the text."""
    return _Reader(_forbidden("", text)).read()


class _Reader:
    """One pass over one feed."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._edges = [found.start() for found in _edges(text)]
        self._ends: dict[str, list[int]] = {}
        self._closers: list[int] = []
        for found in _ends(text):
            self._ends.setdefault((found[1] or found[0]).lower(), []).append(found.start())
            if found[1]:
                self._closers.append(found.start())
        self._made: list[str] = []
        self._open: list[str] = []
        self._entry = 0

    def read(self) -> str:
        place = 0
        for _ in range(_MOST_TOKENS):
            token = _next_token(self._text, place)
            if token is None:
                break
            self._add(self._text[place : token.start()])
            place = self._take(token)
        if not _ENTRIES.isdisjoint(map(str.lower, self._open)) and not self._is_whole():
            # The feed was cut off in this entry: at another visit there may be more of it.
            del self._made[self._entry :]
            while self._open and self._open.pop().lower() not in _ENTRIES:
                pass
        self._close(0)
        return "".join(self._made)

    def _is_whole(self) -> bool:
        """Whether the last entry has a title and a file."""
        made = self._made[self._entry :]
        return all(
            any(piece.startswith(tags) for piece in made) for tags in ("<title", ("<enclosure", "<media:content"))
        )

    def _take(self, token: re.Match[str]) -> int:
        """Read what begins with a token; return the place behind it."""
        if token[0] == "<![CDATA[":
            inside, end = self._characters(token.end())
            self._add(inside.replace("&", "&amp;"))
            return end
        name = token[2]
        if token[0] == "<!--":
            end = self._next(self._ends.get("-->", ()), token.end())
            return end + 3 if end < len(self._text) else token.end()
        if name is None:
            return token.end()
        if token[1]:
            self._end(name.lower())
            end = self._text.find(">", token.end(), token.end() + 100)
            return end + 1 if end >= 0 and "<" not in self._text[token.end() : end] else token.end()
        tag = _start_tag(self._text, token.end())
        return len(self._text) if tag is None else self._start(name, *tag)

    def _characters(self, start: int) -> tuple[str, int]:
        """Return the content of a CDATA section, and the place behind it; one without its end ends at the next tag."""
        end = self._next(self._ends.get("]]>", ()), start)
        if end > self._next(self._edges, start) or end == len(self._text):
            end = self._next(self._closers, start)
            return self._text[start:end], end
        return self._text[start:end], end + 3

    def _start(self, name: str, attributes: str, end: int, is_empty: bool) -> int:
        kind, text = name.lower(), self._text
        if not self._begins(kind):
            return end
        self._made.append(f"<{name}{attributes}>")
        closing = self._next(self._ends.get(kind, ()), end)
        is_closed = closing <= self._next(self._edges, end) and closing < len(text)
        if is_empty:
            closing = end
        elif is_closed and kind in _TEXTS:
            self._made += self._flat(kind, end, closing)
            closing = text.find(">", closing) + 1 or len(text)
        elif is_closed or kind in _ROOTS or kind in _ENTRIES:
            self._open.append(name)
            return end
        else:
            closing = text.find("<", end)
            if closing < 0:
                # Its text was cut off.
                self._made.pop()
                return len(text)
            self._add(text[end:closing])
        self._made.append(f"</{name}>")
        return closing

    def _begins(self, kind: str) -> bool:
        """Whether an element begins; an entry ends the one before. A second root continues the first."""
        names = {each.lower() for each in self._open}
        if kind in _ROOTS:
            return kind not in names and (kind == "channel" or not names)
        if kind in _ENTRIES:
            for each in _ENTRIES & names:
                self._end(each)
            self._entry = len(self._made)
            return True
        return 0 < len(names) <= len(self._open) <= _MOST_OPEN

    def _flat(self, kind: str, start: int, end: int) -> Iterator[str]:
        """Yield the text of an element with its markup escaped; a title has none."""
        text = self._text
        flat = _without_markup if kind.endswith("title") else _escaped
        while (found := text.find("<![CDATA[", start, end)) >= 0:
            yield flat(text[start:found])
            close = text.find("]]>", found, end)
            close = end if close < 0 else close
            yield _escaped(text[found + 9 : close].replace("&", "&amp;"))
            start = min(close + 3, end)
        yield flat(text[start:end])

    def _add(self, text: str) -> None:
        if text and self._open:
            self._made.append(_escaped(text))

    def _end(self, kind: str) -> None:
        """End an element and all that is open in it; the roots last until the end."""
        for place in range(len(self._open) - 1, -1, -1):
            open_kind = self._open[place].lower()
            if open_kind == kind and kind not in _ROOTS:
                self._close(place)
            if open_kind == kind or open_kind in _ENTRIES:
                return

    def _close(self, place: int) -> None:
        while len(self._open) > place:
            self._made.append(f"</{self._open.pop()}>")

    def _next(self, places: list[int] | tuple[()], place: int) -> int:
        number = bisect_left(places, place)
        return places[number] if number < len(places) else len(self._text)


def _without_markup(text: str) -> str:
    return _escaped(_tags(lambda tag: " " if tag[0][1] == "/" or tag[1].lower() in HTML_TAGS else tag[0], text))


def _escaped(text: str) -> str:
    return _bare("&amp;", text).replace("<", "&lt;").replace(">", "&gt;")


def _start_tag(text: str, place: int) -> tuple[str, int, bool] | None:
    """Read a start tag from the place behind its name, as the HTML standard does (13.2.5).

    Returns:
        Its attributes as XML, the place behind it, and whether it has no content; None for one that is cut, or has too
        many attributes: the feed ends there.
    """
    found: dict[str, str] = {}
    for _ in range(_MOST_ATTRIBUTES):
        before = place
        place = _no_name(text, place).end()  # type: ignore[union-attr]
        mark = text[place : place + 1]
        if not mark:
            return None
        if mark in "<>":
            written = ((name, _escaped(value).replace('"', "&quot;")) for name, value in found.items())
            attributes = "".join(f' {name}="{value}"' for name, value in written)
            return attributes, place + (mark == ">"), "/" in text[before:place]
        name = _name(text, place)
        assert name is not None
        place = name.end()
        if equals := _equals(text, place):
            value, place = _value(text, equals.end())
            if _is_attribute(name[0]):
                found.setdefault(name[0], value)
    return None


def _value(text: str, start: int) -> tuple[str, int]:
    """Return the value of an attribute, and the place behind it.

    A mark ends it if what follows may follow a value: ``'it's'`` is one value. One that reaches into the next attribute
    has no end, and lasts until the next white space.
    """
    closers = _QUOTES.get(text[start : start + 1])
    end = start
    for _ in range(_MOST_QUOTES if closers else 0):
        end = min((at for mark in closers or "" if (at := text.find(mark, end + 1, start + 10_000)) >= 0), default=-1)
        if end < 0 or _begins_tag(text, start, end):
            break
        if _may_follow(text, end + 1):
            value = text[start + 1 : end]
            reaches = re.search(rf"\s[\w:.-]+\s*=\s*[{closers}]", value)
            return (value[: reaches.start()], start + 1 + reaches.start()) if reaches else (value, end + 1)
    found = _bare_value(text, start + bool(closers))
    value = found[0] if found else ""
    is_last = value.endswith("/") and text[start + bool(closers) + len(value) :][:1] == ">"
    value = value[:-1] if is_last else value
    return value, start + bool(closers) + len(value)
