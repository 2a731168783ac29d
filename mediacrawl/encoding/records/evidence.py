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
                   `records.fields.document_element`; ``chardet`` also for a long text that it decided
=================  ====================================================================================

Plain ASCII needs no decision: such an element has none of these.
"""

from __future__ import annotations

import base64
import codecs
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast, get_args

from mediacrawl.encoding.decision import DecisionName, FieldDecision
from mediacrawl.encoding.excerpts import clean
from mediacrawl.facts import EXTERNAL_SOURCES
from mediacrawl.records import Tag

_DECISIONS = frozenset(get_args(DecisionName))
_MOST_NATS = 9999.0


def tag_element(tag: Tag) -> dict[str, Any]:
    """The entry of a text in `MediaItem.tags`.

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
    """The bytes of an entry of `MediaItem.tags` in the media file.

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


def decode(raw: bytes, declared: str) -> str:
    """Decodes bytes as declared. What fails becomes U+FFFD; there are no lone surrogates.

    UTF-16 without a byte order mark is little-endian, on every machine.
    """
    if declared == "utf-16" and not raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        declared = "utf-16-le"
    return raw.decode(declared, errors="replace")


def decision_fields(decision: FieldDecision, version: str) -> dict[str, Any]:
    """A decision in the form of the evidence."""
    proof: dict[str, Any] = {
        "encoding": decision.encoding,
        "confidence": rounded_confidence(decision.confidence),
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


def rounded_confidence(confidence: float) -> float:
    """A confidence with the digits of the evidence.

    Thresholds are compared with this one, so that a second run agrees.
    """
    return round(confidence if 0.0 <= confidence <= 1.0 else min(max(_finite(confidence), 0.0), 1.0), 4)


def stored_decision(proof: Mapping[str, Any], text: str) -> FieldDecision:
    """The decision in stored evidence; missing and invalid values get defaults.

    Args:
        proof: an element of ``tags``, or an entry of ``mojibake``.
        text: the current text of the field.
    """
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
    )


def decision_of(proof: Mapping[str, Any]) -> DecisionName | None:
    """The decision name in stored evidence; None if there is no valid one."""
    decision = proof.get("decision")
    # Lists and dicts are not hashable.
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


FILE_FIELDS = (
    "title", "artist", "albumartist", "album", "composer", "genre", "date", "tracknumber", "discnumber", "comment",
    "copyright", "language", "encodedby", "description", "keywords", "license", "license_url", "upload_date",
    "thumbnail_url", "embed_url", "player_url", "podcast", "episode", "season", "explicit", "transcript_url",
    "chapters_url", "hub_url",
)  # fmt: skip
"""Fields of a `MediaItem` that describe its file."""

LINK_FIELDS = ("page_title", "anchor_text")
"""Fields of a `MediaItem` that describe the link to its file. Plain ASCII has no evidence."""

TEXT_FIELDS = (*FILE_FIELDS, *LINK_FIELDS)
"""Fields of a `MediaItem` that come from its tags."""

_SEVERAL = frozenset({"artist", "albumartist", "composer", "genre"})

_SHORT = frozenset({"id3v1", "lyrics3"})
"""Sources that cut long texts."""

_OF_PLACES = frozenset({*LINK_FIELDS, "filename"})
"""Keys of texts about the link, whose language may differ from the file's."""

_MAX_JOINED = 10

_MAX_GENRE = 200
"""Characters of a genre that is parsed as a number; Python rejects more than 4,300 digits."""

_SURE = 0.9
"""Least confidence of a text whose language is stored in the record."""


def best_values(tags: Iterable[Mapping[str, Any]]) -> dict[str, str | None]:
    """Gives each of `FILE_FIELDS` the value of the first source that has one; None where no source has.

    Those of `LINK_FIELDS` that have evidence are there too.

    The file's own texts come before those of `facts.EXTERNAL_SOURCES`. Of its own sources those that cut long texts
    (ID3v1, Lyrics3) come last. The language is what the file declares; if it declares none, the one that most
    of its surely read texts are in. What is said of the file elsewhere counts for that only if the file has no title of
    its own and none of its texts is surely read; titles of pages, texts of links and names in URLs never count.

    Args:
        tags: elements as in `MediaItem.tags`, each with texts under ``source``, ``frame``, ``key`` and ``text``.
    """
    found: dict[str, list[Mapping[str, Any]]] = {}
    elements = list(tags)
    for element in elements:
        if element["text"]:
            found.setdefault(element["key"], []).append(element)
    values = {key: _best(found[key], key) if key in found else None for key in FILE_FIELDS}
    values |= {key: _best(found[key], key) for key in LINK_FIELDS if key in found}
    values["language"] = values["language"] or _language_read(elements)
    return values


def _best(found: Sequence[Mapping[str, Any]], key: str) -> str | None:
    best = min(found, key=_rank)
    place = (best["source"], best["frame"])
    texts = [element["text"] for element in found if (element["source"], element["frame"]) == place]
    if key == "genre":
        texts = [name for text in texts for name in _genre_names(text)]
    several = list(dict.fromkeys(texts))[: _MAX_JOINED if key in _SEVERAL else 1]
    return "; ".join(several) or None


def _rank(element: Mapping[str, Any]) -> int:
    source = element["source"]
    return 2 if source in EXTERNAL_SOURCES else 1 if source in _SHORT else 0


def _genre_names(text: str) -> Iterable[str]:
    """Writes out ID3's numbers of genres: ``(17)`` and ``17`` are Rock."""
    if len(text) <= _MAX_GENRE and (text.isdecimal() or text.startswith("(")):
        # Its import takes 120 ms, and few genres are written so.
        from mutagen.id3 import TCON  # noqa: PLC0415

        names: list[str] = cast("Any", TCON)(encoding=3, text=[text]).genres
        return names or [text]
    return [text]


def _language_read(elements: Sequence[Mapping[str, Any]]) -> str | None:
    """The language of most texts; the first one met of several that are equally frequent."""
    own = [element for element in elements if element["source"] not in EXTERNAL_SOURCES]
    votes = _votes(own)
    if not votes and not any(element["key"] == "title" and element["text"] for element in own):
        votes = _votes(
            element
            for element in elements
            if element["source"] in EXTERNAL_SOURCES and element["key"] not in _OF_PLACES
        )
    return votes.most_common(1)[0][0] if votes else None


def _votes(elements: Iterable[Mapping[str, Any]]) -> Counter[str]:
    votes: Counter[str] = Counter()
    for element in elements:
        language, confidence = element.get("language"), element.get("confidence")
        sure = isinstance(confidence, (int, float)) and confidence >= _SURE
        if sure and language and isinstance(language, str) and decision_of(element) in {"declared", "fixed"}:
            votes[language] += 1
    return votes
