"""Everything that is measured, by name: the other programs first, mediacrawl last."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from encoding_peers import Mend, Read, peers
from encoding_units import Unit

from mediacrawl.encoding import Hints, detect, repair

OURS, OURS_TLD = "mediacrawl", "mediacrawl + TLD"

Reader = Callable[[Unit], Sequence[str]]
"""Answers the texts of a unit; of the unit itself it looks at the bytes only, and at the TLD where its name says so."""


def readers() -> dict[str, Reader]:
    """All that tell encodings."""
    others = peers().readers
    return {
        **{name: _asked(read) for name, read in others.items()},
        **{f"{name} + TLD": _asked_with_tld(read) for name, read in others.items() if name.startswith("chardetng")},
        OURS: lambda unit: detect(unit.raws).texts,
        OURS_TLD: lambda unit: detect(unit.raws, Hints(tld=unit.tld)).texts,
    }


def _asked(read: Read) -> Reader:
    return lambda unit: read(unit.raws, "")


def _asked_with_tld(read: Read) -> Reader:
    return lambda unit: read(unit.raws, unit.tld)


def menders() -> dict[str, Mend]:
    """All that mend texts that were stored wrongly."""
    return {**peers().menders, OURS: lambda texts: repair(texts).texts}


def load_all() -> None:
    """Unpacks all models of mediacrawl, which it else does one by one, when it first needs them."""
    from mediacrawl.encoding import models  # noqa: PLC0415 - `encoding_costs` runs this text in processes of its own
    from mediacrawl.encoding.languages import LANGUAGES  # noqa: PLC0415

    trained = models.in_use()
    for language in LANGUAGES.values():
        if language.letters:
            trained.letters(language.code).cost(bytes(1))  # any word unpacks the trigrams
        else:
            trained.characters(language.code)
