"""The fields of an input that the user named, and those that it has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from mediacrawl.base.nearest import did_you_mean
from mediacrawl.base.text import cut
from mediacrawl.programs.rerun.blocks import Reader, RerunError, RerunOptions
from mediacrawl.programs.rerun.text_fields import TEXT, TextFields, form_of, leaves

_BLOCKS: Final = 4
"""Blocks of an input, 512 KiB, whose records tell what its fields hold."""

_MAY_BE_TEXT: Final = frozenset({TEXT, "numbers"})

_LONGEST: Final = 60
"""Characters of a name in an error message."""

_SHOWN: Final = 12
"""Fields in an error message."""


def fields_of(reader: Reader, options: RerunOptions) -> tuple[TextFields, list[str]]:
    """Choose the text fields of an input, by its first blocks.

    Returns:
        The fields, and the names of those that occur in these blocks; none of an input that is read only once.

    Raises:
        RerunError: the input ends there, and has not a field that the user named (`refuse_missing`).
    """
    fields, raws = options.fields, options.raws
    known = dict.fromkeys(reader.columns)
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    first = list(islice(reader.blocks(None, 1), _BLOCKS)) if reader.can_resume else []
    for block in first:
        for entry in reader.records(block):
            for _, name, _, _, value in leaves(entry.record or {}):
                known[name] = None
                if isinstance(value, str) and value.strip():
                    votes[name][form_of(name, value.strip())] += 1
    if options.must_exist and known and len(first) < _BLOCKS:
        refuse_missing(options, list(known))
    if reader.can_resume:
        # Settings apply to all inputs; in one without any of these fields they are chosen by content.
        found = {name: _spelled(name, known) or (name if options.must_exist else "") for name in named(options)}
        fields = tuple(found[name] for name in fields if found[name])
        raws = tuple((found[name], found.get(raw, "")) for name, raw in raws if found[name] and (not raw or found[raw]))
    names = (*fields, *(name for name, _ in raws))
    left = {}
    for name, kinds in votes.items() if not names else ():
        # A title may be a number, and no number changes.
        kind, number = kinds.most_common(1)[0]
        if 2 * number > kinds.total() and kind not in _MAY_BE_TEXT:
            left[name] = kind
    return TextFields(names or None, {name: raw for name, raw in raws if raw}, left), list(known)


def named(options: RerunOptions) -> list[str]:
    """Return the fields that the user named."""
    return [*options.fields, *(name for pair in options.raws for name in pair if name)]


def refuse_missing(options: RerunOptions, known: Sequence[str]) -> None:
    """Raise a RerunError if one of the fields that the user named is not `known` of the input."""
    for name in named(options):
        if not _spelled(name, known):
            option = "--fields" if name in options.fields else "--raw"
            advice = did_you_mean(name[:_LONGEST], known) or "."
            raise RerunError(
                f"{option}: {options.source} has no field {cut(name, _LONGEST)}{advice} It has: {listed(known)}."
            )


def listed(names: Sequence[str]) -> str:
    """Return names of fields for a sentence."""
    rest = len(names) - _SHOWN
    shown = ", ".join(cut(name, _LONGEST) for name in names[:_SHOWN])
    return (shown + f" and {rest} more" if rest > 0 else shown) or "none"


def _spelled(name: str, known: Iterable[str]) -> str:
    """Return the name of a field as the input spells it; that of an object stays. Empty if there is none."""
    folded = name.casefold()
    alike = [each for each in known if f"{each.casefold()}.".startswith(f"{folded}.")]
    if not alike or name in alike:
        return name if alike else ""
    return next((each for each in alike if each.casefold() == folded), name)
