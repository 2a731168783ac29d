"""The fields of an input that the user named, and those that it has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from mediacrawl.nearest import did_you_mean
from mediacrawl.observe.text import cut
from mediacrawl.rerun.blocks import Reader, RerunError
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
    reader: Reader, fields: Sequence[str], raws: Sequence[tuple[str, str]], *, must_exist: bool
) -> TextFields:
    """Choose the text fields of an input.

    Args:
        reader: of the input.
        fields: names that the user gave, in any case; empty to choose.
        raws: pairs of a field and that of its bytes, likewise; the second name is empty for a field without bytes.
        must_exist: a name that the input does not have is an error; else it is ignored. An input that is read only once
            is checked at its end, see `refuse_missing`.

    Raises:
        RerunError: a field does not exist.
    """
    if reader.can_resume:
        names = [*fields, *(name for pair in raws for name in pair if name)]
        known = _known(reader, names, None if must_exist else _BLOCKS)
        if must_exist:
            refuse_missing(reader.where.name, fields, raws, known)
        found = {name: spelled for name in names if (spelled := _spelled(name, known))}
        # Settings apply to all inputs; in one without any of these fields they are chosen by content.
        fields = [found[name] for name in fields if name in found]
        raws = [(found[name], found.get(raw, "")) for name, raw in raws if name in found and (not raw or raw in found)]
    named = (*fields, *(name for name, _ in raws))
    left = {} if named or not reader.can_resume else _left(reader)
    return TextFields(named or None, {name: raw for name, raw in raws if raw}, left)


def refuse_missing(where: str, fields: Sequence[str], raws: Sequence[tuple[str, str]], known: Sequence[str]) -> None:
    """Raise a RerunError if one of the fields that the user named is not `known` of the input `where`."""
    asked = [(name, "--fields") for name in fields] + [(name, "--raw") for pair in raws for name in pair if name]
    for name, option in asked:
        if not _spelled(name, known):
            advice = did_you_mean(name[:_LONGEST], known) or "."
            raise RerunError(f"{option}: {where} has no field {cut(name, _LONGEST)}{advice} It has: {listed(known)}.")


def listed(names: Sequence[str]) -> str:
    """Return names of fields for a sentence."""
    rest = len(names) - _SHOWN
    shown = ", ".join(cut(name, _LONGEST) for name in names[:_SHOWN])
    return (shown + f" and {rest} more" if rest > 0 else shown) or "none"


def first_records(reader: Reader, blocks: int | None) -> Iterator[dict[str, Any]]:
    """Return the records of the first blocks, or of all, of an input that can be read again."""
    for block in islice(reader.blocks(None, 1), blocks):
        if block.problem is None:
            yield from (entry.record for entry in reader.records(block) if entry.record)


def _left(reader: Reader) -> dict[str, str]:
    """Return the fields most of whose values are no text. A title may be a number, and no number changes."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for record in first_records(reader, _BLOCKS):
        for _, name, _, _, value in leaves(record):
            if isinstance(value, str) and value.strip():
                votes[name][form_of(name, value.strip())] += 1
    most = {name: found.most_common(1)[0] for name, found in votes.items()}
    return {name: kind for name, (kind, n) in most.items() if 2 * n > votes[name].total() and kind not in _MAY_BE_TEXT}


def _known(reader: Reader, names: Sequence[str], blocks: int | None) -> list[str]:
    """Return the fields of an input, of which so many blocks are read until these names occur."""
    known = dict.fromkeys(reader.columns)
    left = {name for name in names if not _spelled(name, known)}
    for record in first_records(reader, blocks) if left else ():
        new = {name for _, name, *_ in leaves(record)} - known.keys()
        left -= {name for name in left if _spelled(name, new)}
        if len(known) < _MOST_KNOWN or not left:
            known |= dict.fromkeys(name for _, name, *_ in leaves(record))
        if not left:
            break
    # Nothing is missing where nothing is.
    return list(known) or list(names)


def _spelled(name: str, known: Iterable[str]) -> str:
    """Return the name of a field as the input spells it; that of an object stays. Empty if there is none."""
    folded = name.casefold()
    alike = [each for each in known if f"{each.casefold()}.".startswith(f"{folded}.")]
    if not alike or name in alike:
        return name if alike else ""
    return next((each for each in alike if each.casefold() == folded), name)
