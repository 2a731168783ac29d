"""The text fields of a record, nested ones too: those that the user named, or those with text in them.

Numbers and dates, URLs, paths and file names, identifiers and JSON are no text: any change would break them. Nor are
the other values of a field most of whose values are such. Evidence is never text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from mediacrawl.base.evidence import BY_USER, EVIDENCE, by_user, is_element
from mediacrawl.record import Fixer, FixResult, MediaItem
from mediacrawl.store import BulkCatalogue

TEXT: Final = "text"
EMPTY: Final = "empty"
NOT_NAMED: Final = "not named"

_MOST_NAMES: Final = 200
"""Fields whose content is kept; of those with text twice as many. Objects may have a key for each record."""

_LONGEST_PATH: Final = 300
"""Characters of a name within which values are looked for: a long key is not repeated for each, and the stack lasts."""

_INDEX: Final = re.compile(r"\[\d++\](?=[.\[]|\Z)")
_EVIDENCE: Final = frozenset({EVIDENCE, BY_USER})
_IN_TAGS: Final = BulkCatalogue.fields - {"extra"}
"""Fields of a record of ours, whose texts have evidence in its tags."""

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
    ("identifiers", re.compile(r"(?=\D*\d)(?:[0-9a-fA-F-]{16,}|[A-Za-z0-9+/_-]{32,}={0,2})\Z")),
    ("addresses", re.compile(r"(?:[a-z][a-z0-9+.-]{1,15}://|mailto:|magnet:|www\.)\S", re.IGNORECASE)),
    ("paths", re.compile(r"(?:/|\.{1,2}/|[A-Za-z]:[\\/]|\\\\)[^/\\]++[/\\.]")),
    ("paths", re.compile(rf".{{1,255}}\.(?:{_FILES.replace(' ', '|')})\Z", re.IGNORECASE)),
    ("JSON", re.compile(r"[\[{].*[\]}]\Z", re.DOTALL)),
    ("numbers", re.compile(r"[-+(]?[\d\s.,:;/+()%€$£¥'\u2019-]*+(?:T[\d:.]++)?Z?\Z")),
)


class TextFields:
    """Finds the text fields of records, and decides them. It is pickled.

    In a record of ours, whose texts are in its tags, only other projects' fields and named fields without tags are
    found. Evidence is never text, wherever it is.

    Args:
        named: names of fields, in any case; ``meta.author`` is also that of each object of a list, and ``meta`` selects
            the texts in it. None selects what holds text, and common names, such as title, whatever they hold.
        raws: for some of them, the name of the field with the raw bytes.
        left: fields that hold no text, and what they hold.
    """

    def __init__(
        self,
        named: Iterable[str] | None = None,
        raws: Mapping[str, str] | None = None,
        left: Mapping[str, str] | None = None,
    ) -> None:
        self.raws = dict(raws or {})
        self._left = dict(left or {})
        self._named = frozenset(map(str.casefold, Fixer.COMMON_NAMES if named is None else named))
        self._within = ("",) if named is None else tuple(f"{name}." for name in self._named)

    def fix(self, record: dict[str, Any], fixer: Fixer, holds: dict[str, str]) -> FixResult:
        """Decide the texts of a record in place.

        Args:
            record: of any project.
            fixer: with the same `raws`.
            holds: gets the content of each field, see `note`.
        """
        tags = record.get("tags")
        proven = {str(each.get("key")) for each in tags if is_element(each)} if isinstance(tags, list) else set()
        for name in sorted(proven):
            note(holds, name, TEXT)
        ours = {"tags", *MediaItem.FILE_FIELDS, *proven, *(_IN_TAGS if "" in self._within else ())} if proven else ()
        untouched = by_user(record)
        places: dict[str, tuple[Any, Any]] = {}
        names: list[str] = []
        for path, name, holder, key, value in leaves(record):
            if name.partition(".")[0] in ours:
                # Known to be there, if the user named it.
                note(holds, name, EMPTY)
                continue
            kind = "by hand" if name in untouched else self._kind(name, value)
            if path in places or (path in record and holder is not record):
                kind = "two fields of one name"
            elif kind == TEXT or path in self.raws.values():
                places[path] = holder, key
                names += [path] if kind == TEXT else []
            note(holds, name, kind)
        # The first texts of a large record are decided, and these matter most.
        names.sort(key=lambda name: name.partition("[")[0].casefold() not in Fixer.COMMON_NAMES)
        flat = record | {path: holder[key] for path, (holder, key) in places.items()}
        found = fixer.fix(flat, names)
        for path, (holder, key) in places.items():
            holder[key] = flat.pop(path)
        record.update(flat)
        return found

    def _kind(self, name: str, value: Any) -> str:
        folded = name.casefold()
        if folded not in self._named and not folded.startswith(self._within):
            return NOT_NAMED
        if value is None or value in ("", [], {}):
            return EMPTY
        if len(name) > _LONGEST_PATH:
            return "within a long name"
        if isinstance(value, (int, float)):
            return "numbers"
        if not isinstance(value, str):
            return "evidence" if isinstance(value, dict) else type(value).__name__
        return TEXT if folded in self._named else self._left.get(name) or form_of(name, value.strip())


def without_indexes(name: str) -> str:
    """Return the name of a field whose values may be in lists: ``artist`` of ``artist[1]``."""
    return _INDEX.sub("", name) if "]" in name else name


def note(holds: dict[str, str], name: str, kind: str) -> None:
    """Keep the content of a field: ``text`` if a record has text there, else the first reason why it is left out."""
    name = without_indexes(name)
    if holds.get(name, "") == EMPTY or (name in holds and kind == TEXT):
        holds[name] = kind
    elif len(holds) < (_MOST_NAMES if kind == NOT_NAMED else 2 * _MOST_NAMES):
        holds.setdefault(name, kind)


def leaves(holder: Any, path: str = "", name: str = "") -> Iterator[tuple[str, str, Any, Any, Any]]:
    """Return the values that hold no others: name, name without indexes, holder, key or index there, value."""
    is_list = isinstance(holder, list)
    for key, value in enumerate(holder) if is_list else holder.items():
        at = f"{path}[{key}]" if is_list else f"{path}.{key}" if path else str(key)
        of = name if is_list else f"{name}.{key}" if name else str(key)
        if key in _EVIDENCE:
            continue
        is_evidence = is_element(value) and ("raw_b64" in value or "text" in value)
        if isinstance(value, (dict, list)) and value and len(at) <= _LONGEST_PATH and not is_evidence:
            yield from leaves(value, at, of)
        else:
            yield at, of, holder, key, value


def form_of(name: str, value: str) -> str:
    """Return the content of a value: ``text``, or what else it is."""
    if not value or _IDENTIFIER.search(name):
        return "identifiers" if value else EMPTY
    kind = next((kind for kind, form in _KINDS if form.match(value)), TEXT)
    try:
        _ = kind == "JSON" and json.loads(value)
    except (ValueError, RecursionError):
        # A title in brackets.
        return TEXT
    return kind
