"""The evidence: one element of ``tags`` for each text of a media file, with its bytes and with what was decided.

`base.parts.TagElement` declares its fields. Plain ASCII needs no decision: such an element has only the first ones.
A ``user`` is a person, and no program overwrites what one decided. ``fixer`` is the version of the
models that decided; behind a ``+``, that of what pairs of texts had taught, where it had a say.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any, cast, get_args

from mediacrawl.base.charsets import clean
from mediacrawl.base.terms import Tag
from mediacrawl.encoding.decision import DecisionName, FieldDecision

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
