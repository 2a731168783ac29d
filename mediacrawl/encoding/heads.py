"""Long fields: a piece of each decides, and the rest is read alike. A title has thirty bytes, lyrics have thousands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mediacrawl.encoding.decision import FieldDecision
from mediacrawl.encoding.evidence import clean
from mediacrawl.encoding.fields import Field
from mediacrawl.encoding.long_fields import head_of, read_alike

LONGEST_HEAD: Final = 4096
"""Bytes of a field that decide."""
_SHORTEST_HEAD: Final = 256
_TOGETHER: Final = 16_384
"""Bytes of a record that decide together; they bound the time in which a crawl does nothing else."""
_CUT: Final = 4
"""Characters at the end of a head that may be cut, and read otherwise in the whole."""


def heads_of(fields: Sequence[Field]) -> list[bytes]:
    """The bytes of each field that decide: all of it, if it is not long."""
    longest = min(max(_TOGETHER // max(len(fields), 1), _SHORTEST_HEAD), LONGEST_HEAD)
    return [head_of(field.raw or b"", field.declared, longest) for field in fields]


def whole_of(field: Field, head: bytes, found: FieldDecision) -> FieldDecision:
    """The decision on a head, for the whole of its field; ``undecided`` where the whole cannot be read alike.

    Args:
        field: with bytes.
        head: of them, as `heads_of` gave it.
        found: on the head.
    """
    text = clean(found.text)
    if field.raw is None or len(head) == len(field.raw):
        return found if text == found.text else replace(found, text=text)
    if found.decision != "fixed":
        return replace(found, text=field.before)
    whole = read_alike(field.raw, found.encoding)
    whole = None if whole is None else clean(whole)
    if whole is None or text[:-_CUT] not in whole:
        return replace(found, text=field.before, decision="undecided")
    return replace(found, text=whole)
