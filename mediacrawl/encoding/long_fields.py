"""Fields of any length: a head of each decides, and the whole is read as its head was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mediacrawl.encoding.damage import bytes_of, joined_halves
from mediacrawl.encoding.decision import FieldDecision
from mediacrawl.encoding.hypotheses import decode_as, decode_single
from mediacrawl.encoding.priors import codec_name

LONGEST: Final = 16_384
"""Bytes of a field that decide, so that any field is decided in bounded time."""
LONGEST_STEPS: Final = 1 << 18
"""Bytes of a field that is read in more than one step; a longer one is left as it is declared."""
_WORD: Final = 100
"""Bytes before the first one beyond ASCII in which its word begins."""
_ODD: Final = re.compile(rb"[\x80-\xff]")
_DOUBT: Final = 0.5


def head_of(raw: bytes, declared: str, longest: int = LONGEST) -> bytes:
    """A piece that begins and ends where no character is cut: no encoding has a space inside one, but UTF-16.

    Args:
        raw: a field; it is its own head if it is not longer than `longest`.
        declared: encoding that the container claims, as a Python codec name.
        longest: bytes; an even number.
    """
    if len(raw) <= longest:
        return raw
    if declared.startswith("utf-16"):
        return raw[:longest]
    odd = _ODD.search(raw, 0, longest * 64)
    start = odd.start() if odd and odd.start() > longest // 2 else 0
    start = raw.rfind(b" ", max(start - _WORD, 0), start) + 1 or start
    head = raw[start : start + longest]
    end = head.rfind(b" ", longest // 2)
    return head[:end] if end > 0 else head


def heads_of(raws: Sequence[bytes], declared: Sequence[str]) -> list[bytes]:
    """The head of each field."""
    return [head_of(raw, claim) for raw, claim in zip(raws, declared, strict=True)]


def undone(text: str, steps: Sequence[str]) -> str | None:
    """A text as `repair` mended another one; None if it cannot be mended so.

    Args:
        text: as it is stored.
        steps: encodings in pairs: as which the text's bytes were read, and what they really are.
    """
    for misread, really in zip(steps[::2], steps[1::2], strict=False):
        # What was read as Latin-1 in one place may have characters of cp1252 in another.
        raw = bytes_of(text, "cp1252" if misread == "latin-1" else misread)
        found = None if raw is None else decode_as(joined_halves(raw), really)
        if found is None:
            return None
        text = found
    return text


def read_alike(raw: bytes, encoding: str) -> str | None:
    """Reads bytes with ``cp1251``, or with ``utf-8>cp1252>cp1251``: UTF-8, whose cp1252 bytes are really cp1251."""
    first, *steps = encoding.split(">")
    if steps and len(raw) > LONGEST_STEPS:
        return None
    text = decode_as(raw, first)
    return None if text is None else undone(text, steps)


def whole_of(raw: bytes, head: bytes, declared: str, found: FieldDecision) -> FieldDecision:
    """The decision on a head, for the whole of its field; ``undecided`` where the whole cannot be read alike.

    Args:
        raw: a field.
        head: of it, as `head_of` gave it.
        declared: encoding that the container claims, as a Python codec name.
        found: on the head.
    """
    if raw is head:
        return found
    text = read_alike(raw, found.encoding)
    if text is not None:
        return replace(found, text=text)
    left = _as_declared(raw, declared, found.encoding.partition(">")[0])
    return replace(found, text=left, confidence=min(found.confidence, _DOUBT), decision="undecided", suspect=True)


def _as_declared(raw: bytes, declared: str, first: str) -> str:
    if declared.startswith("utf-16") and first.startswith("utf-16"):
        return raw.decode(first, "replace")
    known = codec_name(declared)
    return decode_single(raw, "cp1252") if known in ("", "cp1252") else raw.decode(known, "replace")
