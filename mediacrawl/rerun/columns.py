"""The fields of an input that the user named, and those that it has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from mediacrawl.nearest import did_you_mean
from mediacrawl.observe.text import cut
from mediacrawl.rerun.blocks import Location, RecordSource, RerunError
from mediacrawl.rerun.csv_rows import CsvSource
from mediacrawl.rerun.text_fields import TEXT, TextFields, form_of, leaves

_BLOCKS: Final = 4
"""Blocks of an input, 512 KiB, whose records tell what its fields hold."""

_MAY_BE_TEXT: Final = frozenset({TEXT, "numbers"})

_LONGEST: Final = 60
"""Characters of a name in an error message."""

_SHOWN: Final = 12
"""Fields in an error message."""

_MOST_KNOWN: Final = 10_000
"""Names of fields that are kept while an input is searched for one."""


def fields_of(
    source: RecordSource, where: Location, fields: Sequence[str], raws: Sequence[tuple[str, str]], *, must_exist: bool
) -> TextFields:
    """Chooses the text fields of an input.

    Args:
        source: the input, opened.
        where: its location.
        fields: names that the user gave, in any case; empty to choose.
        raws: pairs of a field and that of its bytes, likewise; the second name is empty for a field without bytes.
        must_exist: a name that the input does not have is an error; else it is ignored. An input that is read only once
            is checked at its end, see `refuse_missing`.

    Raises:
        RerunError: a field does not exist.
    """
    if source.can_resume:
        names = [*fields, *(name for pair in raws for name in pair if name)]
        known = _known(source, names, None if must_exist else _BLOCKS)
        if must_exist:
            refuse_missing(where.name, fields, raws, known)
        found = {name: spelled for name in names if (spelled := _spelled(name, known))}
        # Settings apply to all inputs; in one without any of these fields they are chosen by content.
        fields = [found[name] for name in fields if name in found]
        raws = [(found[name], found.get(raw, "")) for name, raw in raws if name in found and (not raw or raw in found)]
    named = (*fields, *(name for name, _ in raws))
    left = {} if named or not source.can_resume else _left(source)
    return TextFields(named or None, {name: raw for name, raw in raws if raw}, left)


def refuse_missing(where: str, fields: Sequence[str], raws: Sequence[tuple[str, str]], known: Sequence[str]) -> None:
    """Raises a RerunError if one of the fields that the user named is not `known` of the input `where`."""
    asked = [(name, "--fields") for name in fields] + [(name, "--raw") for pair in raws for name in pair if name]
    for name, option in asked:
        if not _spelled(name, known):
            advice = did_you_mean(name[:_LONGEST], known) or "."
            raise RerunError(f"{option}: {where} has no field {cut(name, _LONGEST)}{advice} It has: {listed(known)}.")


def listed(names: Sequence[str]) -> str:
    """Names of fields for a sentence."""
    rest = len(names) - _SHOWN
    shown = ", ".join(cut(name, _LONGEST) for name in names[:_SHOWN])
    return (shown + f" and {rest} more" if rest > 0 else shown) or "none"


def first_records(source: RecordSource, blocks: int | None) -> Iterator[dict[str, Any]]:
    """The records of the first blocks, or of all, of an input that can be read again."""
    for block in islice(source.blocks(None, 1), blocks):
        if not block.unread:
            yield from (entry.record for entry in source.reader.read(block) if entry.record)


def _left(source: RecordSource) -> dict[str, str]:
    """The fields most of whose values are no text. A title may be a number, and no number changes."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for record in first_records(source, _BLOCKS):
        for _, name, _, _, value in leaves(record):
            if isinstance(value, str) and value.strip():
                votes[name][form_of(name, value.strip())] += 1
    most = {name: found.most_common(1)[0] for name, found in votes.items()}
    return {name: kind for name, (kind, n) in most.items() if 2 * n > votes[name].total() and kind not in _MAY_BE_TEXT}


def _known(source: RecordSource, names: Sequence[str], blocks: int | None) -> list[str]:
    """The fields of an input, of which so many blocks are read until these names occur."""
    known: dict[str, None] = dict.fromkeys(source.dialect.columns if isinstance(source, CsvSource) else ())
    left = [name for name in names if not _spelled(name, known)]
    is_empty = not known
    for record in first_records(source, blocks) if left else ():
        is_empty = False
        for _, name, *_ in leaves(record):
            if name not in known:
                left = [each for each in left if not _spelled(each, [name])]
                if len(known) < _MOST_KNOWN or not left:
                    known[name] = None
        if not left:
            break
    # Nothing is missing where nothing is.
    return [*names, *known] if left and is_empty else list(known)


def _spelled(name: str, known: Iterable[str]) -> str:
    """The name of a field as the input spells it; that of an object comes back as it is. Empty if there is none."""
    folded = name.casefold()
    alike = [each for each in known if f"{each.casefold()}.".startswith(f"{folded}.")]
    if not alike or name in alike:
        return name if alike else ""
    return next((each for each in alike if each.casefold() == folded), name)
