"""The text columns of an input: those that the user named, or in a CSV file those with text in them.

Columns of numbers and dates, URLs, paths or file names, or JSON are excluded: any change would break their values. A
column of numbers with one text in it counts as text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from mediacrawl.encoding.records.fixer import COMMON_NAMES
from mediacrawl.nearest import did_you_mean
from mediacrawl.observe.text import cut
from mediacrawl.rerun.blocks import Location, RecordSource, RerunError
from mediacrawl.rerun.csv_rows import CsvSource
from mediacrawl.rerun.json_lines import EVIDENCE, NESTED, LineSource
from mediacrawl.store.schema import COLUMNS

TEXT: Final = "text"
_NUMBERS: Final = "numbers"

_BLOCKS: Final = 4
"""Blocks of an input, 512 KiB, whose records determine the content of its columns."""

_OURS: Final = frozenset({"tags", "content_url"})
"""Columns that identify our own records, whose texts are in their tags."""

_LONGEST: Final = 60
"""Characters of a name in an error message."""

_SHOWN: Final = 12
"""Columns in an error message."""

_FILES: Final = (
    "3ga 3gp aac aif aifc aiff amr ape asf avi awb caf dff dsf flac flv kar m3u m3u8 m4a m4b m4v mid midi mkv mov mp2"
    " mp3 mp4 mpc mpg oga ogg ogv opus pls rm rmi rmvb s3m spx tta wav weba webm wma wmv wv xspf cue lrc srt bmp gif"
    " jpeg jpg png svg tif tiff webp csv djvu doc docx epub fb2 htm html json mobi nfo odt pdf ppt pptx rtf txt xls"
    " xlsx xml 7z cbr cbz gz rar"
    " tar tgz torrent zip"
)
"""Suffixes of media, playlists, pictures, documents and archives."""

_KINDS: Final = (
    ("addresses", re.compile(r"(?:[a-z][a-z0-9+.-]{1,15}://|mailto:|magnet:|www\.)\S", re.IGNORECASE)),
    ("paths", re.compile(r"(?:/|\.{1,2}/|[A-Za-z]:[\\/]|\\\\)[^/\\]++[/\\.]")),
    ("paths", re.compile(rf".{{1,255}}\.(?:{_FILES.replace(' ', '|')})\Z", re.IGNORECASE)),
    ("JSON", re.compile(r"[\[{].*[\]}]\Z", re.DOTALL)),
    (_NUMBERS, re.compile(r"[-+(]?[\d\s.,:;/+()%€$£¥'\u2019-]*+(?:T[\d:.]++)?Z?\Z")),
)


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The fields that are decided.

    Attributes:
        fields: names of fields with text, as `encoding.records.fixer.Fixer` takes them; empty for its defaults.
        kinds: content of each column of a CSV file: ``text``, or the reason why it is excluded.
    """

    fields: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)


def columns_of(
    source: RecordSource, where: Location, fields: Sequence[str], raws: Sequence[tuple[str, str]], *, must_exist: bool
) -> tuple[TextColumns, tuple[tuple[str, str], ...]]:
    """Chooses the text columns of an input.

    Args:
        source: the input, opened.
        where: its location.
        fields: names that the user gave, in any case; empty to choose.
        raws: pairs of a field and that of its bytes, likewise.
        must_exist: a name that the input does not have is an error; else it is ignored.

    Returns:
        The columns, and `raws` by their names in the input.

    Raises:
        RerunError: a field does not exist.
    """
    known, is_all = _names(source, where)
    if known is None:
        return TextColumns(tuple(fields)), tuple(raws)
    if isinstance(source, CsvSource) and not must_exist:
        # Settings apply to all inputs; in a table without any of these columns they are chosen by content.
        present = {name.casefold() for name in known}
        fields = [name for name in fields if name.casefold() in present]
        raws = [pair for pair in raws if present.issuperset(name.casefold() for name in pair if name)]
    names = _Names(known, where.name, must_exist=must_exist and is_all, near=must_exist)
    chosen = tuple(names.found(name, "--fields") for name in fields)
    # The second name is empty for a field without bytes.
    pairs = tuple((names.found(name, "--raw"), raw and names.found(raw, "--raw")) for name, raw in raws)
    if not isinstance(source, CsvSource):
        more = _in_other_case(known) if not chosen and not pairs else ()
        return TextColumns(chosen or more), pairs
    kinds = _kinds(source) if source.can_resume else dict.fromkeys(known, TEXT)
    kinds.pop(EVIDENCE, None)
    if chosen or pairs:
        named = {*chosen, *(name for name, _ in pairs)}
        return TextColumns(chosen, {name: TEXT if name in named else "not named" for name in kinds}), pairs
    if set(known) >= _OURS:
        return TextColumns(), pairs
    return TextColumns(tuple(name for name, kind in kinds.items() if kind == TEXT), kinds), pairs


def first_records(source: RecordSource, blocks: int) -> Iterator[dict[str, Any]]:
    """The records of the first blocks of an input that can be read again."""
    for block in islice(source.blocks(None, 1), blocks):
        if not block.unread:
            yield from (entry.record for entry in source.reader.read(block) if entry.record)


class _Names:
    def __init__(self, known: Iterable[str], where: str, *, must_exist: bool, near: bool) -> None:
        self._known = list(known)
        self._by_case = {name.casefold(): name for name in reversed(self._known)}
        self._where = where
        self._must_exist, self._near = must_exist, near

    def found(self, name: str, option: str) -> str:
        """The name as the input spells it."""
        if name in self._known or name.casefold() in self._by_case:
            return name if name in self._known else self._by_case[name.casefold()]
        advice = did_you_mean(name[:_LONGEST], self._known)
        if self._must_exist or (self._near and advice):
            rest = len(self._known) - _SHOWN
            listed = ", ".join(self._known[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
            raise RerunError(
                f"{option}: {self._where} has no field {cut(name, _LONGEST)}{advice or '.'} It has: {listed or 'none'}."
            )
        return name


def _names(source: RecordSource, where: Location) -> tuple[list[str] | None, bool]:
    """The field names of an input, None if unknown; and whether the list is complete."""
    if isinstance(source, CsvSource):
        return list(source.dialect.columns), True
    if where.kind == "catalogue":
        return list(COLUMNS), True
    if where.kind == "parquet":
        from mediacrawl.rerun.parquet import ParquetSource  # noqa: PLC0415 - an extra

        return (list(source.output.names), True) if isinstance(source, ParquetSource) else (None, False)
    if isinstance(source, LineSource) and source.can_resume:
        names = dict.fromkeys(name for record in first_records(source, _BLOCKS) for name in record)
        return list(names), False
    return None, False


def _in_other_case(known: Iterable[str]) -> tuple[str, ...]:
    """The common names, and their spellings in another case in the input."""
    common = {name.casefold() for name in COMMON_NAMES}
    other = [name for name in known if name.casefold() in common and name not in COMMON_NAMES]
    return (*COMMON_NAMES, *other) if other else ()


def _kinds(source: CsvSource) -> dict[str, str]:
    values: dict[str, list[str]] = {name: [] for name in source.dialect.columns}
    for record in first_records(source, _BLOCKS):
        for name, value in record.items():
            if isinstance(value, str) and value.strip() and name in values:
                values[name].append(value.strip())
    return {name: _kind(name, found) for name, found in values.items()}


def _kind(name: str, values: Sequence[str]) -> str:
    """The content of a column by the majority of its cells; numbers only if all are."""
    if name in NESTED:
        return "JSON"
    votes = Counter(next((kind for kind, form in _KINDS if form.match(value)), TEXT) for value in values)
    found = max(votes, key=lambda kind: (votes[kind], kind == TEXT)) if votes else TEXT
    # A title may be a number, 1984, and a number never changes.
    return TEXT if found == _NUMBERS and votes[TEXT] else found
