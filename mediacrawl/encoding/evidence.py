"""The evidence: one element of ``tags`` for each text of a media file, with its bytes and with what was decided.

An element has ``source``, ``frame``, ``key``, ``index``, ``lang``, ``desc``, ``declared`` and ``text``, and ``raw_b64``
where `text` alone does not tell the bytes. One that was decided has besides:

=================  ====================================================================================
``text_declared``  the bytes read as declared; only if `text` is another one
``encoding``       that `text` was read with; for ``undecided`` the one that was not sure enough
``confidence``     that this reading is right, 0 to 1, four digits
``runner_up``      encoding of the best other reading
``margin``         over that one, in nats, two digits
``language``       most likely one
``decision``       ``declared``, ``fixed``, ``undecided``; or ``user``, which a person writes and nobody overwrites
``fixer``          `mediacrawl.encoding.model_version` of the models that decided; behind a ``+``, the version of what
                   pairs of texts had taught, where that had a say
``lossy``          true if characters were lost before the text came here; not there otherwise
``suspect``        true if the text is known to be damaged and stays so; not there otherwise
``document``       who decided the encoding of the page or list that it comes from, if no claim there did, see
                   `mediacrawl.encoding.told`; ``chardet`` also for a long text that it decided
=================  ====================================================================================

Plain ASCII needs no decision: such an element has none of these.
"""

from __future__ import annotations

import base64
import codecs
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast, get_args

from mediacrawl.encoding.decision import DecisionName, FieldDecision
from mediacrawl.encoding.priors import LONGEST_NAME
from mediacrawl.records import Tag

_DECISIONS = frozenset(get_args(DecisionName))
_UNFIT = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined"})
"""Codecs of Python that no file means: slow on crafted input, or no encoding of text at all."""
_MOST_NATS = 9999.0


def tag_element(tag: Tag) -> dict[str, Any]:
    """Turns one text value into its entry in `MediaItem.tags`.

    ``raw_b64`` is there only where it is needed: the bytes are always ``b64decode(raw_b64)`` if present,
    else ``text.encode("ascii")``, see `raw_bytes`.
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
    """Gives back the bytes of an entry of `MediaItem.tags` as they stand in the media file.

    Raises:
        ValueError: the entry does not tell them: it was not made by `tag_element`, or was damaged since.
    """
    packed = element.get("raw_b64")
    if packed is not None:
        if not isinstance(packed, str):
            raise ValueError("raw_b64 is no text")
        return base64.b64decode(packed, validate=True)
    text = element.get("text")
    # Text that was repaired without its bytes tells nothing of them.
    if not isinstance(text, str) or element.get("text_declared") is not None:
        raise ValueError("an element without its bytes")
    return text.encode("ascii")


def decode(raw: bytes, declared: str) -> str:
    """Reads bytes as declared. What cannot be read becomes U+FFFD; no lone surrogate gets out.

    UTF-16 without a byte order mark is read as little-endian, on every machine.
    """
    if declared == "utf-16" and not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        declared = "utf-16-le"
    return raw.decode(declared, errors="replace")


def clean(text: str) -> str:
    """Makes text that any export can write: no NULs, no lone surrogates, nothing around it.

    A byte order mark at the front is not text either.
    """
    if text.isascii() and "\0" not in text:
        return text.strip()
    whole = text.encode("utf-16", errors="surrogatepass").decode("utf-16", errors="replace")
    return whole.replace("\0", " ").removeprefix("\ufeff").strip()


@lru_cache(maxsize=256)
def is_codec(name: str) -> bool:
    """Tells whether a stored record names an encoding of text that is safe to decode with."""
    if len(name) > LONGEST_NAME:
        return False
    try:
        found = codecs.lookup(name)
        b"x".decode(name, "replace")
    except (LookupError, ValueError):
        return False
    return found.name not in _UNFIT


def noted(decision: FieldDecision, version: str) -> dict[str, Any]:
    """A decision as the evidence keeps it.

    Args:
        decision: of one field; its text is not part of it.
        version: of the models that decided.
    """
    proof: dict[str, Any] = {
        "encoding": decision.encoding,
        "confidence": as_stored(decision.confidence),
        "runner_up": decision.runner_up,
        "margin": round(_finite(decision.margin), 2),
        "language": decision.language,
        "decision": decision.decision,
        "fixer": version,
    }
    if decision.asked:
        proof["document"] = decision.asked
    if decision.lossy:
        proof["lossy"] = True
    if decision.suspect:
        proof["suspect"] = True
    return proof


def as_stored(confidence: float) -> float:
    """A confidence as the evidence keeps it; thresholds are compared with this one, so that a second run agrees."""
    return round(confidence if 0.0 <= confidence <= 1.0 else min(max(_finite(confidence), 0.0), 1.0), 4)


def remembered(proof: Mapping[str, Any], text: str) -> FieldDecision:
    """The decision that an earlier run noted; what is missing or no such value counts as nothing known.

    Args:
        proof: an element of ``tags``, or an entry of ``mojibake``.
        text: the field as it stands.
    """
    return FieldDecision(
        text,
        _text(proof.get("encoding")),
        _text(proof.get("language")),
        as_stored(number(proof.get("confidence"))),
        number(proof.get("margin")),
        _text(proof.get("runner_up")),
        decision_of(proof) or "declared",
        lossy=proof.get("lossy") is True,
        suspect=proof.get("suspect") is True,
    )


def decision_of(proof: Mapping[str, Any]) -> DecisionName | None:
    """The decision that an earlier run or a person noted; None if there is none, or no such."""
    decision = proof.get("decision")
    # A list or a dict cannot even be looked for in a set.
    is_one = isinstance(decision, str) and decision in _DECISIONS
    return cast("DecisionName", decision) if is_one else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def number(value: Any, otherwise: float = 0.0) -> float:
    """A number of a stored record, made finite; `otherwise` if it is none."""
    return _finite(value) if isinstance(value, (int, float)) else otherwise


def _finite(value: float) -> float:
    """JSON has no infinity."""
    bounded = float(min(max(value, -_MOST_NATS), _MOST_NATS))
    return 0.0 if math.isnan(bounded) else bounded
