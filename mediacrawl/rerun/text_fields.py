"""The text fields of a record, nested ones too: those that the user named, or those with text in them.

Numbers and dates, URLs, paths and file names, identifiers and JSON are no text: any change would break them. Evidence
is none either.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, MutableMapping
from typing import Any, Final

from mediacrawl.encoding.records.fields import BY_USER, EVIDENCE, by_user, is_element
from mediacrawl.encoding.records.fixer import COMMON_NAMES
from mediacrawl.encoding.records.values import FILE_FIELDS
from mediacrawl.store.schema import COLUMNS

TEXT: Final = "text"
NUMBERS: Final = "numbers"
_EMPTY: Final = "empty"
NOT_NAMED: Final = "not named"

_MOST_NAMES: Final = 200
"""Fields whose content is kept; of those with text twice as many. Objects may have a key for each record."""

_LONGEST_PATH: Final = 1_000
"""Characters of a name within which values are looked for, so that a long key is not repeated for each of them."""

_COMMON: Final = frozenset(COMMON_NAMES)
_EVIDENCE: Final = frozenset({EVIDENCE, BY_USER})
_IN_TAGS: Final = frozenset(COLUMNS) - {"extra"}
"""Fields of a record of ours whose texts have evidence in its tags, or are none."""

_FILES: Final = (
    "3ga 3gp aac aif aifc aiff amr ape asf avi awb caf dff dsf flac flv kar m3u m3u8 m4a m4b m4v mid midi mkv mov mp2"
    " mp3 mp4 mpc mpg oga ogg ogv opus pls rm rmi rmvb s3m spx tta wav weba webm wma wmv wv xspf cue lrc srt bmp gif"
    " jpeg jpg png svg tif tiff webp csv djvu doc docx epub fb2 htm html json mobi nfo odt pdf ppt pptx rtf txt xls"
    " xlsx xml 7z cbr cbz gz rar"
    " tar tgz torrent zip"
)
"""Suffixes of media, playlists, pictures, documents and archives."""

_IDENTIFIER: Final = re.compile(
    r"(?:\A|[\W_]|(?<=[a-z0-9])(?=[A-Z]))(?i:u?uid|id|guid|hash|md5|sha\d*|digest|checksum|etag|raw|bytes|b64|base64|ur[il]|href)\Z"
)
"""The end of a name whose values are identifiers, addresses or bytes, in any form."""

_KINDS: Final = (
    ("bytes", re.compile(r"(?:[^\1-\x08\x0e-\x1a\x1c-\x1f]*[\1-\x08\x0e-\x1a\x1c-\x1f]){2}")),
    ("identifiers", re.compile(r"[0-9a-fA-F-]{16,}\Z|[A-Za-z0-9+/_-]{32,}={0,2}\Z")),
    ("addresses", re.compile(r"(?:[a-z][a-z0-9+.-]{1,15}://|mailto:|magnet:|www\.)\S", re.IGNORECASE)),
    ("paths", re.compile(r"(?:/|\.{1,2}/|[A-Za-z]:[\\/]|\\\\)[^/\\]++[/\\.]")),
    ("paths", re.compile(rf".{{1,255}}\.(?:{_FILES.replace(' ', '|')})\Z", re.IGNORECASE)),
    ("JSON", re.compile(r"[\[{].*[\]}]\Z", re.DOTALL)),
    (NUMBERS, re.compile(r"[-+(]?[\d\s.,:;/+()%€$£¥'\u2019-]*+(?:T[\d:.]++)?Z?\Z")),
)


class NestedRecord(MutableMapping[str, Any]):
    """A record whose nested texts have names of their own: ``meta.author``, ``artists[1].name``.

    Args:
        record: as it was read; a text that is set under its name changes it in place.

    Attributes:
        names: of its text fields.
        places: the list or object that holds each value with a name, and its key or index there.
    """

    def __init__(self, record: dict[str, Any]) -> None:
        self._record = record
        self.names: list[str] = []
        self.places: dict[str, tuple[Any, Any]] = {}

    def __getitem__(self, name: str) -> Any:
        holder, key = self.places.get(name, (self._record, name))
        return holder[key]

    def __setitem__(self, name: str, value: Any) -> None:
        holder, key = self.places.get(name, (self._record, name))
        holder[key] = value

    def __delitem__(self, name: str) -> None:
        del self._record[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._record)

    def __len__(self) -> int:
        return len(self._record)


class TextFields:
    """Finds the text fields of records, in the worker processes: it is pickled.

    In a record of ours, whose texts are in its tags, only other projects' fields and named fields without tags are
    found. Evidence is never text, wherever it is.

    Args:
        named: names of fields, in any case: ``meta`` selects all in it, ``meta.author`` also that of each object of a
            list. None selects what holds text, and the common names, such as title, whatever they hold.
        raws: for some of them, the name of the field with the raw bytes.
        exact: `named` are columns, as a table spells them.
    """

    def __init__(
        self, named: Iterable[str] | None = None, raws: Mapping[str, str] | None = None, *, exact: bool = False
    ) -> None:
        self.raws = dict(raws or {})
        self._exact = exact
        self._named = None if named is None else frozenset(name if exact else name.casefold() for name in named)
        self._within = () if exact else tuple(f"{name}." for name in self._named or ())

    def of(self, record: dict[str, Any], kinds: dict[str, str]) -> NestedRecord:
        """The record with the names of its text fields.

        Args:
            record: of any project.
            kinds: gets the content of each field, see `note`.
        """
        found = NestedRecord(record)
        others: list[str] = []
        tags = record.get("tags")
        elements = list(filter(is_element, tags)) if isinstance(tags, list) else []
        proven = {str(element.get("key")) for element in elements}
        for key in sorted(proven):
            note(kinds, key, TEXT)
        proven |= set(FILE_FIELDS if elements else ())
        skipped = _IN_TAGS if elements and self._named is None else frozenset({"tags"} if elements else ())
        untouched = by_user(record)
        extra = record.get("extra")
        is_decided = EVIDENCE in record or (isinstance(extra, dict) and EVIDENCE in extra)
        raw_fields = frozenset(self.raws.values())
        for path, name, holder, key, value in leaves(record, skipped):
            if path in raw_fields:
                found.places[path] = (holder, key)
            is_known = isinstance(value, str) and value.isascii() and not is_decided and path not in self.raws
            if is_known and kinds.get(name) == TEXT:
                continue
            kind = "by hand" if name in untouched else self._kind(name, value)
            note(kinds, name, kind)
            if kind == TEXT and name not in proven:
                found.places[path] = (holder, key)
                # The first texts of a large record are decided, and these matter most.
                (found.names if name in COMMON_NAMES else others).append(path)
        found.names += others
        return found

    def has(self, name: str) -> bool:
        """Whether a field is one of the named ones."""
        name = name if self._exact else name.casefold()
        return self._named is not None and (name in self._named or name.startswith(self._within))

    def _kind(self, name: str, value: Any) -> str:
        if self._named is not None and not self.has(name):
            return NOT_NAMED
        if value is None or value in ("", [], {}):
            return _EMPTY
        if isinstance(value, (int, float)):
            return NUMBERS
        if len(name) > _LONGEST_PATH:
            return "within a long name"
        if not isinstance(value, str):
            return "evidence" if isinstance(value, dict) else f"of the type {type(value).__name__}"
        if self._named is not None or name.casefold() in _COMMON:
            return TEXT
        return _EMPTY if not value.strip() else form_of(name, value.strip())


def note(kinds: dict[str, str], name: str, kind: str) -> None:
    """Keeps the content of a field: ``text`` if a record has text there, else the first reason why it is left out."""
    if name in kinds:
        if kind == TEXT or kinds[name] == _EMPTY:
            kinds[name] = kind
    elif len(kinds) < (_MOST_NAMES if kind == NOT_NAMED else 2 * _MOST_NAMES):
        kinds[name] = kind


def leaves(record: dict[str, Any], skipped: Container[str] = frozenset()) -> Iterator[tuple[str, str, Any, Any, Any]]:
    """The values of a record that hold no others: name, name without indexes, holder, key or index there, value."""
    # No recursion: JSON may be nested deeper than Python's stack.
    rest = [_parts("", "", record)]
    while rest:
        part = next(rest[-1], None)
        if part is None:
            rest.pop()
            continue
        path, name, _, key, value = part
        if key in _EVIDENCE or (len(rest) == 1 and name in skipped):
            continue
        if isinstance(value, (dict, list)) and value and len(path) <= _LONGEST_PATH and not _is_evidence(value):
            rest.append(_parts(path, name, value))
        else:
            yield part


def _is_evidence(value: Any) -> bool:
    return is_element(value) and ("raw_b64" in value or {"text", "declared"} <= value.keys())


def _parts(path: str, name: str, holder: Any) -> Iterator[tuple[str, str, Any, Any, Any]]:
    if isinstance(holder, list):
        return ((f"{path}[{index}]", name, holder, index, value) for index, value in enumerate(holder))
    before, known = (f"{path}.", f"{name}.") if path else ("", "")
    return ((f"{before}{key}", f"{known}{key}", holder, key, value) for key, value in holder.items())


def form_of(name: str, value: str) -> str:
    """The content of a value: ``text``, or what else it is."""
    if _IDENTIFIER.search(name):
        return "identifiers"
    return next((kind for kind, form in _KINDS if form.match(value)), TEXT)
