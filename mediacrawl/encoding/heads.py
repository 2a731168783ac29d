"""Long fields: a piece of each decides, and the rest is read alike. A title has thirty bytes, lyrics have thousands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mediacrawl.encoding.damage import bytes_of
from mediacrawl.encoding.decision import FieldDecision
from mediacrawl.encoding.evidence import clean
from mediacrawl.encoding.fields import Field
from mediacrawl.encoding.hypotheses import decode_as

LONGEST_HEAD: Final = 4096
"""Bytes of a field that decide."""
_SHORTEST_HEAD: Final = 256
_TOGETHER: Final = 16_384
"""Bytes of a record that decide together; they bound the time in which a crawl does nothing else."""
_WORD: Final = 100
"""Bytes before the first one beyond ASCII in which its word begins."""
_CUT: Final = 4
"""Characters at the end of a head that may be cut, and read otherwise in the whole."""
_ODD: Final = re.compile(rb"[\x80-\xff]")


def heads_of(fields: Sequence[Field]) -> list[bytes]:
    """The bytes of each field that decide: all of it, if it is not long."""
    longest = min(max(_TOGETHER // max(len(fields), 1), _SHORTEST_HEAD), LONGEST_HEAD)
    return [_head(field.raw or b"", field.declared, longest) for field in fields]


def _head(raw: bytes, declared: str, longest: int) -> bytes:
    """A piece that begins and ends where no character is cut: no encoding has a space inside one, but UTF-16."""
    if len(raw) <= longest:
        return raw
    if declared.startswith("utf-16"):
        return raw[: longest & ~1]
    odd = _ODD.search(raw)
    start = odd.start() if odd and odd.start() > longest // 2 else 0
    start = raw.rfind(b" ", max(start - _WORD, 0), start) + 1 or start
    head = raw[start : start + longest]
    end = head.rfind(b" ", longest // 2)
    return head[:end] if end > 0 else head


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
    whole = _read_alike(field.raw, found.encoding)
    if whole is None or text[:-_CUT] not in whole:
        return replace(found, text=field.before, decision="undecided")
    return replace(found, text=whole)


def _read_alike(raw: bytes, encoding: str) -> str | None:
    """Reads bytes with ``cp1251``, or with ``utf-8>cp1252>cp1251``: UTF-8, whose cp1252 bytes are really cp1251."""
    first, *steps = encoding.split(">")
    text = decode_as(raw, first)
    for misread, really in zip(steps[::2], steps[1::2], strict=False):
        back = None if text is None else bytes_of(text, misread)
        text = None if back is None else decode_as(back, really)
    return None if text is None else clean(text)
