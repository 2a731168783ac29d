"""Makes well-formed XML of a feed that is none: it writes each start tag anew, escapes texts, and ends all that begins.

An element without an end tag in its entry ends at the next tag.
"""

from __future__ import annotations

import re
from itertools import islice

_MOST_TAGS = 200_000
"""Signs "<" up to which a feed is read, in a second; a feed of 5,000 entries has as many."""
_MOST_OPEN = 100
_MOST_ATTRIBUTES = 40
_NAME = r"[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?"
_NEXT = rf"{_NAME}\s*+=\s*+[\"']"
_AFTER = rf"(?=[\s/]|\Z|{_NEXT})"

# A quotation mark ends a value if what follows may follow a value: 'it's' is one. No value reaches into the next
# attribute.
_attributes = re.compile(
    rf"({_NAME})\s*+=\s*+(?:([\"'])((?:(?!\2)\S|\2(?!{_AFTER})|\s(?!{_NEXT}))*+)\2{_AFTER}|[\"']?([^\s\"'<>]*+))"
).finditer
_parts = re.compile(r"(?=</?(?:item|entry|channel|rss|feed|rdf:rdf)[\s/>])", re.IGNORECASE).split
_ends = re.compile(r"</([A-Za-z_][\w.:-]*)").findall
_has_file = re.compile(r"<(?:enclosure|media:content)\s[^<>]*>").search
# A value in quotation marks may contain ">", and any text "<". Behind a tag is its text.
_tags = re.compile(
    r"<(/?)([A-Za-z_][\w.:-]*)((?:=\s*+(?:\"[^\"<]*+\"|'[^'<]*+')(?=[\s/>])|[^<>]|<(?![A-Za-z/!?]))*+)>?([^<]*+)"
    r"|<[?!][^<>]*+>?|<"
).sub
_curly = re.compile("=\\s*[\u201c\u201d\u201e\u2018\u2019]").search
_STRAIGHT = str.maketrans("\u201c\u201d\u201e\u2018\u2019", '"""\'\'')
_forbidden = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|&#(?:0*(?:[0-8]|1[124-9]|2[0-9]|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));",
    re.IGNORECASE,
).sub
_ROOTS = frozenset({"rss", "channel", "feed", "rdf:rdf"})
_ENTRIES = frozenset({"item", "entry"})


def well_formed(text: str) -> str:
    """Return the XML of a feed as far as it can be read. It takes time in proportion to the length of the text.

    Args:
        text: of the feed, without bare ampersands (`xml_text.readable`).
    """
    *sections, rest = _forbidden("", text).split("]]>")
    # One without its end has markup, as far as the next one begins.
    pieces = (section.rpartition("<![CDATA[") for section in sections)
    made = (before + _escaped(inside.replace("&", "&amp;")) if mark else inside for before, mark, inside in pieces)
    text = ("".join(made) + rest).replace("<![CDATA[", "")
    _, *parts = _parts("<".join(text.split("<", _MOST_TAGS)[:_MOST_TAGS]))
    if parts and not parts[-1].startswith("</") and not ("</title" in parts[-1] and _has_file(parts[-1])):
        # The feed was cut off in this entry: at another visit there may be more of it.
        del parts[-1]
    writer = _Writer()
    return "".join([*map(writer.write, parts), writer.end(0)])


class _Writer:
    """Writes a feed part by part: each begins with the tag of an entry or of a root."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._end_tags: list[str] = []
        self._ended: set[str] = set()

    def write(self, part: str) -> str:
        """Return a part without comments, and with whole tags."""
        *comments, rest = part.split("-->")
        part = "".join(comment.partition("<!--")[0] for comment in comments) + rest
        self._ended = {name.lower() for name in _ends(part)}
        return _tags(self._tag, part)

    def _tag(self, tag: re.Match[str]) -> str:
        end, name, attributes, text = tag.groups()
        if name is None:
            return "&lt;" if tag[0] == "<" else ""
        kind, opened = name.lower(), self._open
        place = next((at for at in range(len(opened) - 1, -1, -1) if opened[at] in {kind, *_ENTRIES}), 0)
        is_open = kind in opened[place : place + 1]
        if end:
            return (self.end(place) if is_open and kind not in _ROOTS else "") + text
        if kind in _ROOTS:
            # They last until the end. A second one continues the first.
            if kind in opened or (opened and kind != "channel"):
                return text
        elif not 0 < len(opened) < _MOST_OPEN:
            return text if opened else ""
        before = self.end(place) if kind in _ENTRIES and opened[place] in _ENTRIES else ""
        values = (f' {key}="{_escaped(value)}"' for key, value in attributes_of(attributes).items())
        written = f"{before}<{name}{''.join(values)}"
        if attributes.endswith("/"):
            return f"{written}/>{text}"
        if kind not in self._ended | _ROOTS | _ENTRIES:
            return f"{written}>{text}</{name}>"
        self._open.append(kind)
        self._end_tags.append(f"</{name}>")
        return f"{written}>{text}"

    def end(self, depth: int) -> str:
        """Return the end tags of all open elements but the outermost `depth`."""
        tags = self._end_tags[depth:]
        del self._open[depth:], self._end_tags[depth:]
        return "".join(reversed(tags))


def attributes_of(tag: str) -> dict[str, str]:
    """Return the attributes of a start tag from what is behind its name, as written; of equal names the first."""
    if _curly(tag):
        tag = tag.translate(_STRAIGHT)
    values: dict[str, str] = {}
    for found in islice(_attributes(tag), _MOST_ATTRIBUTES):
        values.setdefault(found[1], found[3] or (found[4] or "").removesuffix("/"))
    return values


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
