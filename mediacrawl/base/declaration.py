"""How a field of a record is declared, once: the catalogue's columns, the JSON Schema and the documentation follow."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints


def told(
    meaning: str,
    *,
    unit: str = "",
    values: Sequence[str] = (),
    form: str = "",
    source: str = "",
    schema_org: str = "",
    of: type | None = None,
    default: Any = None,
    needed: bool = False,
) -> Any:
    """Declare a field of a record or of a part of one.

    Args:
        meaning: a sentence or two.
        unit: of a number: ``s``, ``Hz``, ``bit/s`` ...
        values: all that it may be, if it has a closed vocabulary.
        form: of a text, by JSON Schema's name: ``uri``, ``date-time``; or ``bcp47``.
        source: which containers, pages or lists state it.
        schema_org: the property of schema.org that it is; empty if there is none.
        of: of a list, the class of its objects; of an object, the class that declares its fields.
        default: of the field; a class makes a new object of it for each record.
        needed: whether the field has no default: who makes the object must state it.
    """
    about = FieldAbout(meaning, unit, tuple(values), form, source, schema_org, of)
    metadata = {"about": about}
    if needed:
        return dataclasses.field(metadata=metadata)
    if isinstance(default, type):
        return dataclasses.field(default_factory=default, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


class FieldAbout(NamedTuple):
    """What is declared of a field; see `told`."""

    meaning: str
    unit: str = ""
    values: tuple[str, ...] = ()
    form: str = ""
    source: str = ""
    schema_org: str = ""
    of: type | None = None


class DeclaredField(NamedTuple):
    """One field of a record or of a part of one.

    Attributes:
        name: of the field.
        kind: ``str``, ``int``, ``float``, ``bool``, ``list`` or ``dict``.
        optional: whether it may be None.
        about: what is declared of it.
    """

    name: str
    kind: type
    optional: bool
    about: FieldAbout


def declared_fields(owner: type) -> Iterator[DeclaredField]:
    """Yield the fields of a dataclass that are declared with `told`, in their order.

    Raises:
        TypeError: a field has a type that JSON and SQLite cannot hold.
    """
    hints = get_type_hints(owner)
    for each in dataclasses.fields(owner):
        hint, optional = hints[each.name], False
        if type(None) in get_args(hint):
            hint, optional = next(choice for choice in get_args(hint) if choice is not type(None)), True
        kind = get_origin(hint) or hint
        if kind not in (str, int, float, bool, list, dict):
            raise TypeError(f"a record has no field of type {hint}")
        yield DeclaredField(each.name, kind, optional, each.metadata["about"])
