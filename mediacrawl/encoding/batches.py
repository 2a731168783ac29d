"""Many records in one call: the same decisions as one by one, faster.

What a batch saves: a record that comes again is decided once, and the cyclic garbage collector rests meanwhile. It
would look at the thousands of small objects of each decision again and again, and none of them is part of a cycle.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mediacrawl.encoding.arguments import Octets, check_hints, octets, texts
from mediacrawl.encoding.decision import Detection, Hints, Repair
from mediacrawl.encoding.detector import detect
from mediacrawl.encoding.repairer import repair

if TYPE_CHECKING:
    from mediacrawl.encoding.substitutions import Substitutions

Decision = TypeVar("Decision", Detection, Repair)
Field = TypeVar("Field", bytes, str)

TOGETHER: Final = 1024
"""Records between which the collector may run; they hold some 10 MB at most."""


def detect_many(records: Sequence[Sequence[Octets]], hints: Hints | None = None) -> list[Detection]:
    """The encodings of many records: what `detect` answers for each of them.

    Args:
        records: the fields of each record, as `detect` takes them.
        hints: what else is known of the bytes of every record.

    Returns:
        One decision for each record, in the order they came.

    Raises:
        TypeError: the records are no sequence of sequences of bytes, or the hints are no `Hints`.
    """
    check_hints(hints, "detect_many")
    every = _records(records, "detect_many", "bytes")
    return _decided([octets(fields, "detect_many") for fields in every], lambda fields: detect(fields, hints))


def repair_many(
    records: Sequence[Sequence[str]], hints: Hints | None = None, substitutions: Substitutions | None = None
) -> list[Repair]:
    """What the texts of many records were: what `repair` answers for each of them.

    Args:
        records: the texts of each record, as `repair` takes them.
        hints: what else is known of the texts of every record.
        substitutions: see `repair`.

    Returns:
        One decision for each record, in the order they came.

    Raises:
        TypeError: the records are no sequence of sequences of str, or the hints are no `Hints`.
    """
    check_hints(hints, "repair_many")
    every = _records(records, "repair_many", "str")
    return _decided([texts(some, "repair_many") for some in every], lambda some: repair(some, hints, substitutions))


def _records(records: Any, function: str, kind: str) -> list[Any]:
    if isinstance(records, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(records, Iterable):
        single = function.removesuffix("_many")
        raise TypeError(
            f"{function}() takes a sequence of records, each a sequence of {kind}, but got {type(records).__name__}. "
            f"One record goes to {single}()."
        )
    return list(records)


def _decided(records: Sequence[list[Field]], decide: Callable[[list[Field]], Decision]) -> list[Decision]:
    known: dict[Hashable, Decision] = {}
    decided: list[Decision] = []
    for start in range(0, len(records), TOGETHER):
        with no_collection():
            for fields in records[start : start + TOGETHER]:
                key = tuple(fields)
                found = known.get(key)
                if found is None:
                    found = known[key] = decide(fields)
                decided.append(found)
    return decided


@contextmanager
def no_collection() -> Iterator[None]:
    """Lets the cyclic garbage collector rest, if it was on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
