"""One-call functions for single texts and for batches of records.

`detect` and `repair` decide the fields of one record jointly. `detect_text`, `candidates` and `fix_text` take a single
text of any length, as chardet, charset-normalizer and ftfy do; `detect_many` and `repair_many` take many records.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from mediacrawl.base.charsets import BYTE_ORDER_MARKS
from mediacrawl.base.garbage import no_collection
from mediacrawl.base.text import in_groups
from mediacrawl.encoding.decision import (
    PER_NAT,
    Detection,
    Hints,
    Octets,
    Repair,
    as_bytes,
    as_text,
    bytes_fields,
    check_hints,
    text_fields,
)
from mediacrawl.encoding.detection.detector import detect_record, rivals
from mediacrawl.encoding.detection.document import DecidedBy, DecodedDocument, chardet_if_doubtful
from mediacrawl.encoding.detection.forms import form_of
from mediacrawl.encoding.excerpts import head_of
from mediacrawl.encoding.mojibake.repairer import repair
from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.encoding.pricing.decoding import decode_as

_LONG: Final = 1024
"""Bytes of a text above which an excerpt determines its other readings, and few of them are returned."""

_MOST_LONG: Final = 4

_PIECE: Final = 1000
"""Characters of a piece of a line."""

_TOGETHER: Final = 8192
"""Characters that are repaired jointly."""


@dataclass(frozen=True, slots=True)
class Match:
    """One reading of some bytes.

    Attributes:
        text: the bytes as text, without a byte order mark.
        encoding: Python codec name; ``utf-8>cp1251`` for text that was decoded wrongly before it was stored (UTF-8,
            whose characters in cp1252 are bytes of cp1251), which no single codec decodes.
        language: most likely one, ``ru`` or ``zh-Hans``; empty without evidence.
        confidence: probability that `text` is right, 0 to 1. It cannot be compared with that of other programs.
    """

    text: str
    encoding: str
    language: str
    confidence: float


def detect(fields: Sequence[Octets], hints: Hints | None = None, *, chardet_from: int | None = None) -> Detection:
    """Detect the encoding of the fields of one record, jointly.

    Args:
        fields: raw bytes of each text field, without padding; any bytes (also ``bytearray`` and ``memoryview``), any
            number, empty ones too. They are decided in groups, so that time and memory are linear.
        hints: what else is known of the bytes.
        chardet_from: bytes from which on chardet is asked for a field of which the models are in doubt; None never.

    Returns:
        The decision, with a text for each field in their order. Where another encoding is likelier than the declared
        one, but not by enough, the field keeps its declared text and is ``undecided``.

    Raises:
        TypeError: the fields are no sequence of bytes, or the hints are no `Hints`.
    """
    raws = bytes_fields(fields, "detect", hints)
    found = detect_record(raws, hints)
    if chardet_from is None or all(len(raw) < chardet_from for raw in raws):
        return found
    decided = (
        chardet_if_doubtful(raw, field) if len(raw) >= chardet_from else field
        for raw, field in zip(raws, found.fields, strict=True)
    )
    return replace(found, fields=tuple(decided))


def detect_text(data: Octets, hints: Hints | None = None) -> Match:
    """Return the best reading of one text.

    Args:
        data: bytes of a title or of a whole document, in any encoding; any bytes at all, also none.
        hints: what else is known of the bytes: the encoding that is declared, the language of the page, the domain.

    Returns:
        A reading, always. Where it is a guess, the confidence says so.

    Raises:
        TypeError: `data` is no bytes, or `hints` are no `Hints`.

    >>> detect_text("Ночной поезд".encode("cp1251"))
    Match(text='Ночной поезд', encoding='cp1251', language='ru', confidence=1.0)
    >>> detect_text(b"plain").encoding
    'ascii'
    """
    raw = as_bytes(data, "detect_text(): data")
    check_hints(hints, "detect_text")
    return _decided(raw, hints)


def candidates(data: Octets, hints: Hints | None = None) -> list[Match]:
    """Return the readings of one text, best first, each distinct text once; arguments and errors as for `detect_text`.

    The first is that of `detect_text`; then comes what else the bytes may be, of falling confidence. Together the
    confidences are at most 1.

    >>> [match.encoding for match in candidates("Ночной поезд".encode("cp1251"))][0]
    'cp1251'
    """
    raw = as_bytes(data, "candidates(): data")
    check_hints(hints, "candidates")
    best = _decided(raw, hints)
    return [best, *_others(raw, hints or Hints(), best)]


def fix_text(text: str, hints: Hints | None = None, *, min_confidence: float = 0.5) -> str:
    """Return a text as it was before it was read in a wrong encoding. Right text comes back unchanged.

    Nothing else is changed: quotes, line ends, HTML entities and the form of Unicode stay.

    Args:
        text: any text, from a word to a document, with halves of surrogate pairs too. A long one is mended by lines.
            For each million characters that are not in lines of ASCII this takes some two seconds if they are words,
            right or mangled; up to twenty if they are random letters; and up to four minutes if these are in lines of
            some fifty, since lost bytes are looked for in short lines.
        hints: what else is known of it.
        min_confidence: 0 to 1; a change that is less sure is not made.

    Raises:
        TypeError: `text` is no ``str``, or `hints` are no `Hints`.
        ValueError: `min_confidence` is not between 0 and 1.

    >>> fix_text("Íî÷íîé ïîåçä")
    'Ночной поезд'
    >>> fix_text("L'Ã©tÃ© indien"), fix_text("L'été indien")
    ("L'été indien", "L'été indien")
    """
    whole = as_text(text, "fix_text(): text")
    check_hints(hints, "fix_text")
    if not 0 <= min_confidence <= 1:
        raise ValueError(f"fix_text(): min_confidence must be between 0 and 1, but is {min_confidence}.")
    if whole.isascii():
        return whole
    pieces = list(_pieces(whole))
    mended: dict[str, str] = {}
    odd = dict.fromkeys(piece for piece in pieces if not piece.isascii())
    for group in in_groups(odd, len, _TOGETHER, len(odd)):
        for piece, found in zip(group, repair(group, hints).fields, strict=True):
            mended[piece] = found.text if found.confidence >= min_confidence else piece
    return "".join(mended.get(piece, piece) for piece in pieces)


def _decided(raw: bytes, hints: Hints | None) -> Match:
    if len(raw) > _LONG:
        return _document(raw, hints or Hints())
    found = detect([raw], hints, chardet_from=0).fields[0]
    return Match(found.text, found.encoding, found.language, found.confidence)


def _document(raw: bytes, hints: Hints) -> Match:
    declared = hints.declared if isinstance(hints.declared, str) else "".join(hints.declared[:1])
    # Any bytes decode in an 8-bit encoding, so that is no evidence for the declared one.
    claims: list[tuple[str, DecidedBy]] = [(declared, "header")] if declared.lower().startswith("utf") else []
    for mark, encoding in BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            raw, claims = raw[len(mark) :], [(encoding, "bom")]
            break
    else:
        # UTF-16 without a mark may be all ASCII bytes, such as Cyrillic.
        shape = form_of(raw[:_LONG], declared)
        claims += [(shape.encoding, "bom")] if shape.encoding.startswith("utf-16") else []
    found = DecodedDocument.of(raw, claims, lambda: hints)
    encoding = "ascii" if found.encoding == "utf-8" and raw.isascii() else found.encoding
    return Match(found.text, encoding, found.language, found.confidence)


def _others(raw: bytes, hints: Hints, best: Match) -> Iterator[Match]:
    """Yield the other readings; they share the remaining confidence by their costs."""
    rest = 1 - best.confidence
    if ">" in best.encoding:
        first = best.encoding.partition(">")[0]
        as_stored = decode_as(raw, first)
        if as_stored is not None and as_stored != best.text:
            yield Match(as_stored, first, "", round(min(rest, best.confidence), 4))
        return
    found = [rival for rival in rivals(head_of(raw, "", _LONG), hints) if rival.text != best.text]
    if len(raw) > _LONG:
        whole = [(decode_as(raw, rival.encoding), rival) for rival in found]
        found = [replace(rival, text=text) for text, rival in whole if text not in {None, best.text}][:_MOST_LONG]
    shares = [math.exp(PER_NAT * (rival.margin - found[0].margin)) for rival in found]
    for rival, share in zip(found, shares, strict=True):
        confidence = min(rest * share / sum(shares), best.confidence)
        yield Match(rival.text, rival.encoding, rival.language, round(confidence, 4))


def _pieces(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends; a long line in pieces that begin with a space, where it has any.

    Not ``splitlines``: it also splits at control characters, which mojibake is full of.
    """
    for number, line in enumerate(text.split("\n")):
        if number:
            yield "\n"
        at = 0
        while len(line) - at > _PIECE:
            cut = line.rfind(" ", at + _PIECE // 2, at + _PIECE)
            end = cut if cut > 0 else at + _PIECE
            yield line[at:end]
            at = end
        yield line[at:]


Decision = TypeVar("Decision", Detection, Repair)
Field = TypeVar("Field", bytes, str)


def detect_many(records: Sequence[Sequence[Octets]], hints: Hints | None = None) -> list[Detection]:
    """Apply `detect` to many records, with the same hints; one decision for each, in the order they came.

    Raises:
        TypeError: the records are no sequence of sequences of bytes, or the hints are no `Hints`.
    """
    check_hints(hints, "detect_many")
    every = _records(records, "detect_many", "bytes")
    return _each_once([bytes_fields(fields, "detect_many") for fields in every], lambda fields: detect(fields, hints))


def repair_many(
    records: Sequence[Sequence[str]], hints: Hints | None = None, substitutions: Substitutions | None = None
) -> list[Repair]:
    """Apply `repair` to many records, with the same hints; one decision for each, in the order they came.

    Raises:
        TypeError: the records are no sequence of sequences of str, or the hints are no `Hints`.
    """
    check_hints(hints, "repair_many")
    every = _records(records, "repair_many", "str")
    return _each_once(
        [text_fields(some, "repair_many") for some in every], lambda some: repair(some, hints, substitutions)
    )


def _records(records: Any, function: str, kind: str) -> list[Any]:
    if isinstance(records, (str, bytes, bytearray, memoryview, Mapping)) or not isinstance(records, Iterable):
        single = function.removesuffix("_many")
        raise TypeError(
            f"{function}() takes a sequence of records, each a sequence of {kind}, but got {type(records).__name__}. "
            f"One record goes to {single}()."
        )
    return list(records)


def _each_once(records: Sequence[list[Field]], decide: Callable[[list[Field]], Decision]) -> list[Decision]:
    known: dict[Hashable, Decision] = {}
    with no_collection():
        for fields in records:
            if (key := tuple(fields)) not in known:
                known[key] = decide(fields)
    return [known[tuple(fields)] for fields in records]
