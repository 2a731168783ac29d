"""The evidence: one element of ``tags`` for each text of a media file, with its bytes and with what was decided.

`model.parts.TagElement` declares its fields. Plain ASCII needs no decision: such an element has only the first ones.
A ``user`` is a person, and no program overwrites what one decided. ``fixer`` is the version of the
models that decided; behind a ``+``, that of what pairs of texts had taught, where it had a say.
"""

from __future__ import annotations

import base64
import codecs
import math
import re
from collections.abc import Mapping
from typing import Any, cast, get_args

from mediacrawl.encoding.decision import DecisionName, FieldDecision
from mediacrawl.encoding.excerpts import UTF16_MARKS, clean
from mediacrawl.encoding.pricing.decoding import may_be_seven_bit
from mediacrawl.records import Tag

_DECISIONS = frozenset(get_args(DecisionName))
_MOST_NATS = 9999.0


def tag_element(tag: Tag) -> dict[str, Any]:
    """Return the entry of a text in `MediaItem.tags`.

    The bytes are always ``b64decode(raw_b64)`` if present, else ``text.encode("ascii")``, see `raw_bytes`.
    """
    element: dict[str, Any] = {
        "source": tag.source,
        "frame": clean(tag.frame),
        "key": clean(tag.key),
        "index": tag.index,
        "lang": clean(tag.lang),
        "desc": clean(tag.desc),
        "declared": tag.declared,
        "text": clean(tag.text),
    }
    if not element["text"].isascii() or element["text"].encode("ascii") != tag.raw:
        element["raw_b64"] = base64.b64encode(tag.raw).decode("ascii")
    return element


def raw_bytes(element: Mapping[str, Any]) -> bytes:
    """Return the bytes of an entry of `MediaItem.tags` in the media file.

    Raises:
        ValueError: the entry does not determine them: it was not made by `tag_element`, or is damaged.
    """
    packed = element.get("raw_b64")
    if packed is not None:
        if not isinstance(packed, str):
            raise ValueError("raw_b64 is no text")
        return base64.b64decode(packed, validate=True)
    text = element.get("text")
    # A text that was repaired without its bytes does not determine them.
    if not isinstance(text, str) or element.get("text_declared") is not None:
        raise ValueError("an element without its bytes")
    return text.encode("ascii")


_HIGH_HALVES = bytes((*range(0x20), 0x30))
"""High bytes of UTF-16 that 8-bit text lacks; 30 is that of kana."""
_NO_LETTERS = bytes((*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)))
_UNITS = re.compile(rb"(?:(?!\0\0)..)*", re.DOTALL)


def wide_order(raw: bytes, least: int = 4) -> str:
    """Return the byte order of UTF-16 in a field of 8 bits; empty for 8-bit text.

    A byte order mark shows it. So do high bytes that are all zero or controls, in at least `least` units; a
    terminator counts as two, and a zero at the beginning as one. The last zero may have been cut off. A list of values
    of one letter looks the same, so fields with several values need four, and different letters.
    """
    for mark, order in UTF16_MARKS.items():
        if raw.startswith(mark):
            return order
    text = raw[: found.end()] if (found := _UNITS.match(raw)) else b""
    text += raw[len(text) :][:1].rstrip(b"\0")
    big, is_ended = text.startswith(b"\0"), len(raw) > len(text) + 1
    if len(text) < 3 - big or (len(text) + 1) // 2 + 2 * is_ended + big < least:
        return ""
    for order, high, low in (("utf-16-le", text[1::2], text[::2]), ("utf-16-be", text[::2], text[1::2])):
        latin = bytes(byte for byte, above in zip(low, high, strict=False) if not above)
        if (
            len(high) <= len(low)
            and (least == 2 or len(set(low)) > 1)
            and not high.translate(None, _HIGH_HALVES)
            and high.translate(None, b"\t\n\r0")
            and latin == latin.translate(None, _NO_LETTERS)
        ):
            return order
    return ""


def is_plain(text: str, raw: bytes) -> bool:
    """Return whether a text is its own evidence: ASCII that is neither a 7-bit encoding of another text nor UTF-16."""
    return text.isascii() and not may_be_seven_bit(raw) and not ("\0" in text and wide_order(raw, least=2))


def decode(raw: bytes, declared: str) -> str:
    """Decode bytes as declared. What fails becomes U+FFFD; there are no lone surrogates.

    UTF-16 without a byte order mark is little-endian, on every machine.
    """
    if declared == "utf-16" and not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        declared = "utf-16-le"
    return raw.decode(declared, errors="replace")


def decision_fields(decision: FieldDecision, version: str) -> dict[str, Any]:
    """Return a decision in the form of the evidence."""
    proof: dict[str, Any] = {
        "encoding": decision.encoding,
        "confidence": rounded_confidence(decision.confidence),
        "runner_up": decision.runner_up,
        "margin": round(_finite(decision.margin), 2),
        "language": decision.language,
        "decision": decision.decision,
        "fixer": version,
    }
    marks = {"document": decision.asked, "guess": decision.guess, "lossy": decision.lossy, "suspect": decision.suspect}
    return proof | {name: mark for name, mark in marks.items() if mark}


def rounded_confidence(confidence: float) -> float:
    """Return a confidence with the digits of the evidence.

    Thresholds are compared with this one, so that a second run agrees.
    """
    return round(confidence if 0.0 <= confidence <= 1.0 else min(max(_finite(confidence), 0.0), 1.0), 4)


def stored_decision(proof: Mapping[str, Any], text: str) -> FieldDecision:
    """Return the decision in stored evidence; missing and invalid values get defaults."""
    return FieldDecision(
        text,
        _text(proof.get("encoding")),
        _text(proof.get("language")),
        rounded_confidence(number(proof.get("confidence"))),
        number(proof.get("margin")),
        _text(proof.get("runner_up")),
        decision_of(proof) or "declared",
        lossy=proof.get("lossy") is True,
        suspect=proof.get("suspect") is True,
        guess=_text(proof.get("guess")),
    )


def decision_of(proof: Mapping[str, Any]) -> DecisionName | None:
    """Return the decision name in stored evidence; None if there is no valid one."""
    decision = proof.get("decision")
    # Lists and dicts are not hashable.
    is_one = isinstance(decision, str) and decision in _DECISIONS
    return cast("DecisionName", decision) if is_one else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def number(value: Any, otherwise: float = 0.0) -> float:
    """Return a number of a stored record, made finite; `otherwise` if it is none."""
    return _finite(value) if isinstance(value, (int, float)) else otherwise


def _finite(value: float) -> float:
    """JSON has no infinity."""
    bounded = float(min(max(value, -_MOST_NATS), _MOST_NATS))
    return 0.0 if math.isnan(bounded) else bounded
