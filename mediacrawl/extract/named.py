"""Files that a page names without a link: in scripts, in attributes of any name, and in plain text.

The bytes of a page are searched for endings of media files; most pages have none. Of the others the texts and
attributes with such an ending are read. Nothing is run: what a script composes of pieces is left out.

* An absolute URL is taken from any text. Comments are not read.
* A relative one is taken from a string in a script or an attribute, unless that is the title or the name of something.
  It is relative to the page, as for most players.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import unquote

import re2
from lxml import etree

from mediacrawl.base.content_type import MEDIA_ENDINGS, kind_of_media
from mediacrawl.base.facts import PAGE, Fact, fact, stated
from mediacrawl.base.urls import absolute
from mediacrawl.extract.literals import Literal, literals
from mediacrawl.extract.medium import MOST_MEDIA, Medium
from mediacrawl.extract.script_media import ScriptMedia, is_url
from mediacrawl.extract.scripts import BEFORE, LONGEST_CODE, MOST_TOKENS, values_of_attribute
from mediacrawl.extract.texts import fact_link, fold, unescape_url

VIA = "named"
"""The link source of files that scripts, attributes and texts name."""
DATA_SRC = "data-src"
"""The link source of files that are the whole value of an attribute ``data-...``."""
_MOST_ENDINGS = 8
"""Spellings of endings that are searched for in the tree of one page."""
_MOST_TEXTS = 2_000
"""Texts and attributes of one page that are read."""
_MOST_HITS = 1_000
"""Endings of one page before which a URL is looked for, in 20 ms."""
_ESCAPES = 50
"""Escapes before an ending that count as one more ending."""
_BEFORE, _BEHIND = 1_000, 300
"""Characters before and behind an ending in which a URL is looked for."""
_LONGEST_NAME = 80
"""Characters before a string in which the name is that it is given to."""
_MOST_ATTRIBUTES = 50
_LONGEST_DOCUMENT = 10_000
"""Characters of a document in an attribute that are read; libxml2 takes 0.1 s for as many in one tag."""

_ALL = "|".join(each[1:] for each in (*MEDIA_ENDINGS, ".m3u", ".pls", ".asx", ".xspf", ".3gp", ".mpeg"))
# RE2 takes a fourth of the time of the module `re`; half of that without a group and with one first octet.
_octets = re2.Options()
_octets.encoding = re2.Options.Encoding.LATIN1
_in_bytes = re2.compile(rf"\.(?i:{_ALL})(?:[^A-Za-z0-9_.(={{-]|\.[\s<\"]|\z)".encode(), _octets)
may_name_files = _in_bytes.search
"""Whether the bytes of a page may name a file."""
_endings_of = re.compile(rb"\.\w+").findall
# What begins with one character is searched for fastest, so that the character before it is looked at behind it.
_ending = re.compile(rf"\.(?<=[^\s\"'`<>=(,|./\\*?#]\.)(?i:{_ALL})(?![A-Za-z0-9_(={{-]|\.\w|\\*/)").finditer
_ends = re.compile(rf"\.(?i:{_ALL})\Z").search
_escape = re.compile(r"\\+(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([nrt])|([/\"'&=?]))").sub
_scheme = re.compile(r"https?(?:://|%3A(?://|%2F%2F))", re.IGNORECASE).finditer
_is_whole_url = re.compile(r"https?://[\w.-]*\w\.\w[\w.-]*(?::\d{1,5})?/[^\s\"'`<>\\{}|^*]+", re.IGNORECASE).fullmatch
_rest = re.compile(r"(?:[^\s\"'`<>\\{}|^#;$]|;(?=[\w.-]+=))*+").match
_MARKS = "\"'`"
_given_to = re.compile(r"([\w$-]+)[\"'\]]?\s*[:=(\[][\[(\s]*\Z").search
_pair = re.compile(r"(?:\A|[&;?])([\w.%\[\]-]{1,40})=([^&=;?]*)\Z").search
_is_player = re.compile(r"\.(?:swf|html?)\?", re.IGNORECASE).search
_listed = re.compile(rf"\.(?:{_ALL})[|,](?! )", re.IGNORECASE).split
_names_things = re.compile(
    r"(?:name|title|label|alt|text|caption|description|content|download|id|class|summary|placeholder"
    r"|concat|join|endswith|indexof|includes|split|replace|match|test|log|alert|error|\bfor)\Z",
    re.IGNORECASE,
).search
"""Whether what a text is given to, a property, an attribute or a function, takes no reference."""
_of_program = re.compile(
    r"/(?:wp-content/(?:plugins|themes)|node_modules|bower_components)/|[/_-](?:blank|silence|silent|empty)\.\w+\Z"
    r"|%(?:\d\$)?[sd](?![0-9A-Fa-f])|/[:$\[][a-z]\w*\]?[/.]"
).search
"""Sounds and empty files of the page's own program, a fifth of what captured pages name, and patterns of URLs."""
_UNSEEN = frozenset({"style", "title"})
_PLAYING = frozenset({"audio", "video", "amp-audio", "amp-video"})

_TITLES = ("data-title", "data-audio-title", "data-video-title", "data-song-title", "data-track-title", "data-name")
"""Attributes with the title. ``title`` and ``aria-label`` of other elements than players say what a click does."""
_ARTISTS = ("data-artist", "data-author", "data-singer")
_PICTURES = ("data-cover", "data-image", "data-poster", "data-thumb", "data-thumbnail", "data-artwork")


class Named(NamedTuple):
    """The media that a page names without a link.

    Attributes:
        media: at most `medium.MOST_MEDIA`.
        links: references to their files, each with its link source and its element, an empty one for scripts and texts.
    """

    media: list[Medium]
    links: list[tuple[str, str, Any]]


NOTHING_NAMED = Named([], [])
_NO_ELEMENT = etree.Element("link")
"""The element of references in scripts and texts."""


def read_named(
    root: Any, body: bytes, base: str, known: Sequence[str], said: Callable[[Any, str], Iterable[Fact]]
) -> Named:
    """Find the media that scripts, attributes and texts of a page name. Never raises.

    Args:
        root: the tree of the page.
        body: the page in UTF-8.
        base: what its references are relative to.
        known: references that were found otherwise, as written.
        said: returns what the page says of a playing element, see `players.Players.facts`.
    """
    hits: list[bytes] = _endings_of(b" ".join(match[0] for match in islice(_in_bytes.finditer(body), _MOST_HITS)))
    if not hits:
        return NOTHING_NAMED
    endings = [each.decode("ascii") for each in islice(dict.fromkeys(hits), _MOST_ENDINGS)]
    linked = {absolute(base, href) for href in known if any(each in href for each in endings)} - {""}
    if len(hits) == len(linked) < _MOST_HITS and not any("?" in url for url in linked):
        # Each is the end of a link.
        return NOTHING_NAMED
    search = _Search(base, linked, said)
    wanted = " or ".join(f"contains(., '{ending}')" for ending in endings)
    for text in islice(root.xpath(f"/descendant::*/@*[{wanted}] | /descendant::text()[{wanted}]"), _MOST_TEXTS):
        element = text.getparent()
        if text.is_attribute:
            search.attribute(str(text).strip(), text.attrname, element)
        elif text.is_text and element.tag == "script":
            search.code(str(text))
        elif text.is_tail or element.tag not in _UNSEEN:
            search.text(str(text))
    return Named([*search.setups.media(), *search.values.media(), *search.media][:MOST_MEDIA], search.links)


class _Search:
    """The search in the texts and attributes of one page."""

    def __init__(self, base: str, linked: set[str], said: Callable[[Any, str], Iterable[Fact]]) -> None:
        self._wanted = set[str]()
        self.setups, self.values = ScriptMedia(base), ScriptMedia(base, VIA, self._wanted)
        self.media: list[Medium] = []
        self.links: list[tuple[str, str, Any]] = []
        self._of_element: dict[Any, Medium] = {}
        self._base, self._said = base, said
        self._known = linked | {""}
        self._hits, self._tokens = _MOST_HITS, MOST_TOKENS

    def text(self, text: str) -> None:
        for href in self._new(text, None):
            self._add([href], VIA, _NO_ELEMENT)

    def code(self, text: str) -> None:
        found = self._new(text, "")
        self._read_facts(text, found)
        for href in found:
            self._add([href], VIA, _NO_ELEMENT)

    def attribute(self, text: str, name: str, element: Any) -> None:
        if name == "srcdoc":
            self._document(text)
        # An example of what may be typed.
        if name in ("srcdoc", "placeholder"):
            return
        if "?" not in text and (url := absolute(self._base, text)) and url in self._known:
            return
        found = self._new(text, name)
        if text[:1] in ("{", "["):
            for value in values_of_attribute(text):
                self.setups.take(Literal("", value), is_setup=True)
        elif found != [text]:
            self._read_facts(text, found)
        self._add(found, DATA_SRC if found == [text] and name.startswith("data-") else VIA, element)

    def _document(self, text: str) -> None:
        """Search the page that is the value of an attribute; a document in it is text."""
        root: Any = etree.HTML(text[:_LONGEST_DOCUMENT])
        for inner in islice(() if root is None else root.xpath("//@* | //text()"), _MOST_TEXTS):
            if inner.is_attribute and inner.attrname != "srcdoc":
                self.attribute(str(inner).strip(), inner.attrname, inner.getparent())
            else:
                self.text(str(inner))

    def _add(self, hrefs: list[str], via: str, element: Any) -> None:
        """Add references. Those of an element are one medium, unless they are in objects."""
        self.links += [(href, via, element) for href in hrefs]
        for href in hrefs:
            medium = self.setups.by_href.get(href) or self.values.by_href.get(href)
            if medium is None:
                medium = self._of_element.get(element) or Medium(via, kind_of_media(href))
                medium.add_file(href, via)
                if len(medium.files) == 1 and len(self.media) < MOST_MEDIA:
                    self.media.append(medium)
            if element is not _NO_ELEMENT and element not in self._of_element:
                self._of_element[element] = medium
                medium.add_facts((self._said if element.tag in _PLAYING else _facts)(element, self._base))

    def _read_facts(self, code: str, found: list[str]) -> None:
        if not found or "{" not in code or self._tokens <= 0:
            return
        name = re.split(r"[/?]", found[0])[-1]
        start = max(code.find(name) - BEFORE, 0)
        part = code[start : start + LONGEST_CODE]
        self._wanted.update(found)
        for each in literals(part, most=self._tokens):
            if not isinstance(each.value, str):
                self.values.take(each, is_setup=False)
        self._tokens -= len(part) // 4

    def _new(self, text: str, name: str | None) -> list[str]:
        """Return the references in a text that are not known; see `_reference`."""
        found = list[str]()
        for match in _ending(text):
            before = text[max(match.start() - _BEFORE, 0) : match.end()]
            # Escapes take most of the time.
            self._hits -= 1 + (before.count("&") + before.count("\\")) // _ESCAPES
            if self._hits < 0:
                break
            before = _plain(before)
            behind = _plain(text[match.end() : match.end() + _BEHIND])
            is_start = match.start() <= _BEFORE
            if name == "" and _is_comment(before):
                continue
            href = _absolute(before, behind) or (_relative(before, behind, name, is_start) if name is not None else "")
            url = absolute(self._base, href)
            if url not in self._known and not _of_program(url):
                self._known.add(url)
                found.append(href.encode("utf-8", "replace").decode("utf-8"))
        return found


def _plain(text: str) -> str:
    """Return a text without the escapes of HTML, of scripts, of JSON in JSON, and of quotes in ``javascript:`` URLs."""
    if "&" in text:
        text = unescape_url(text)
    if "%2" in text:
        text = text.replace("%22", '"').replace("%27", "'")
    return _escape(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else "\n" if match[3] else match[4]


def _is_comment(before: str) -> bool:
    """Whether code up to an ending ends in a comment."""
    block = before.rfind("/*")
    is_block = block > before.rfind("*/") and not before[block - 1 : block].isalpha()
    return is_block or before[before.rfind("\n") + 1 :].lstrip().startswith("//")


def _absolute(before: str, behind: str) -> str:
    """Return the absolute URL that a text up to an ending and the text behind it have; empty without one."""
    start = max((match.start() for match in _scheme(before)), default=-1)
    if start < 0 or before[:start].endswith("blob:"):
        return ""
    url, mark = before[start:], before[start - 1 : start]
    if "%" in url[:7]:
        return url if _is_whole_url(url := unquote(url)) else ""
    url += _query(url, behind)
    # In quotes a URL may have spaces.
    is_quoted = " " in url and mark in ("", '"', "'") and behind[:1] == mark
    return url if _is_whole_url(url.replace(" ", "%20") if is_quoted else url) else ""


def _query(url: str, behind: str) -> str:
    """Return the query behind an ending, or the rest of the query that the ending is in."""
    found = _rest(behind)
    rest = found[0] if found else ""
    return rest.rstrip(".,;:!?)]") if rest.startswith("?") or "?" in url else ""


def _relative(before: str, behind: str, name: str, is_start: bool) -> str:
    """Return the relative reference that is a string in code, a value of an attribute, or a pair in either.

    The attribute is `name`, which is empty for a script; `is_start` says whether `before` begins with its text.
    """
    place = max(map(before.rfind, _MARKS))
    if place >= 0:
        mark, written, code = before[place], before[place + 1 :], before[:place]
        given = _given_to(code[-_LONGEST_NAME:])
        name = given[1] if given else ""
        if code.rstrip().endswith(("+", "==", "concat(")) and not written.startswith("//"):
            # A part of a URL, or what one is compared with; ``location.protocol + "//a.example/x.mp3"`` is a whole one.
            return ""
    elif name and is_start:
        mark, written, code = "", before, ""
    else:
        return ""
    pair = _pair(written) if "?" not in written or _is_player(written) else None
    if pair is not None:
        name, written = pair[1], unquote(pair[2])
    written = _listed(written)[-1].strip()
    rest = "" if pair is not None else _query(written, behind)
    end = behind[len(rest) :][:1]
    is_closed = end == mark or end in ("|", ",", "#") or (pair is not None and end in ("&", ";"))
    if not is_closed or "*" in written or not _ends(written.partition("?")[2] or written):
        return ""
    href = written + rest
    # A name without a folder may be a sentence, or that of a property.
    is_key = mark and behind[1:].lstrip().startswith(":") and not code.rstrip().endswith("?")
    is_path = "/" in href or (" " not in href and href[:1] != "-" and not is_key)
    is_path = is_path and ":" not in href.partition("/")[0] and not _names_things(name)
    return href if is_url(href) or (is_path and is_url(f"/{href}")) else ""


def _facts(element: Any, base: str) -> Iterator[Fact]:
    if len(element.attrib) > _MOST_ATTRIBUTES:
        return
    for key, names in (("title", _TITLES), ("artist", _ARTISTS)):
        name, text = next(((each, element.get(each)) for each in names if element.get(each)), ("", ""))
        yield from stated([fact(PAGE, name, key, fold([text]))])
    picture = next((fact_link(base, url) for each in _PICTURES if (url := element.get(each))), "")
    yield from stated([fact(PAGE, "data-image", "thumbnail_url", picture)])
