"""The evidence in stored records: an element of ``tags`` for each text, with its bytes and with what was decided.

`base.parts.TagElement` declares the fields of an element. Plain ASCII needs no decision: such an element has only the
first ones. Items of other projects have their evidence under the key `EVIDENCE`. A ``user`` is a person, and no program
overwrites what one decided. ``fixer`` is the version of the models that decided; behind a ``+``, that of what pairs of
texts had taught, where it had a say.

The functions take records of any age and origin: each value may be missing, or of another type.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Literal, cast, get_args

from mediacrawl.base.charsets import clean_all
from mediacrawl.base.terms import Tag

DecisionName = Literal["declared", "fixed", "undecided", "user"]
"""The decision on a field. ``declared``: the declared encoding is right, or as good as any other. ``fixed``: another
one is, and the text is decoded with it. ``undecided``: another one is likelier, but not by enough; the text stays as
declared. ``user``: a person decided, and no program changes it."""

EVIDENCE = "mojibake"
"""The key of other projects' items with their evidence."""

BY_USER = "fixed_by_user"
"""The key that names fields which must not change."""

EXTRA = "extra"
"""The key in an export of a catalogue for fields without a column."""

_DECISIONS = frozenset(get_args(DecisionName))
_MOST_NATS = 9999.0
_place = re.compile(r"(chapters|tracks)\[(\d{1,4})\]\.(title)", re.ASCII).fullmatch


def tag_elements(tags: Sequence[Tag]) -> list[dict[str, Any]]:
    """Return the entries of texts in `MediaItem.tags`, in their order.

    The bytes are always ``b64decode(raw_b64)`` if present, else ``text.encode("ascii")``, see `raw_bytes`.
    """
    texts = iter(clean_all([text for tag in tags for text in (tag.frame, tag.key, tag.lang, tag.desc, tag.text)]))
    made = []
    for tag in tags:
        frame, key, lang, desc, text = islice(texts, 5)
        element: dict[str, Any] = {
            "source": tag.source,
            "frame": frame,
            "key": key,
            "index": tag.index,
            "lang": lang,
            "desc": desc,
            "declared": tag.declared,
            "text": text,
        }
        if not text.isascii() or text.encode("ascii") != tag.raw:
            element["raw_b64"] = base64.b64encode(tag.raw).decode("ascii")
        made.append(element)
    return made


def tag_element(tag: Tag) -> dict[str, Any]:
    """Return the entry of one text, see `tag_elements`."""
    return tag_elements([tag])[0]


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


def is_element(value: Any) -> bool:
    """Whether a member of ``tags`` is an element of ours; other projects have plain words there."""
    return isinstance(value, dict) and ("declared" in value or "raw_b64" in value)


def whole_elements(tags: Any) -> list[dict[str, Any]]:
    """Return the elements of a record's ``tags``, of any kind, that have the texts which `best_values` reads."""
    names = ("source", "frame", "key", "text")
    return [
        element
        for element in (tags if isinstance(tags, list) else ())
        if isinstance(element, dict) and all(isinstance(element.get(name), str) for name in names)
    ]


def by_user(item: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields that the item's ``fixed_by_user`` names: a list, or one text with commas."""
    extra = item.get(EXTRA)
    holders = (item, extra) if isinstance(extra, dict) else (item,)
    names: set[str] = set()
    for value in (holder.get(BY_USER) for holder in holders):
        if isinstance(value, str):
            names.update(name.strip() for name in value.split(","))
        elif isinstance(value, (list, tuple)):
            names.update(name for name in value if isinstance(name, str))
    return frozenset(names)


def decision_of(proof: Mapping[str, Any]) -> DecisionName | None:
    """Return the decision name in stored evidence; None if there is no valid one."""
    decision = proof.get("decision")
    # Lists and dicts are not hashable.
    is_one = isinstance(decision, str) and decision in _DECISIONS
    return cast("DecisionName", decision) if is_one else None


def read_place(key: str) -> tuple[str, int, str] | None:
    """Return which list of a record, which object there and which of its names an element is the text of.

    Such a key is ``chapters[3].title``; None for another one.
    """
    match = _place(key)
    return (match[1], int(match[2]), match[3]) if match else None


def chapter_number(key: str) -> int | None:
    """Return which chapter a key of ``tags`` is the title of, from 0; None for another key."""
    place = read_place(key)
    return place[1] if place and place[0] == "chapters" else None


def is_better(text: Any, was: Any) -> bool:
    """Return whether a text has what a stored value lost."""
    if not isinstance(text, str) or not isinstance(was, str) or text == was or not ("?" in was or "\ufffd" in was):
        return False
    return is_lost({"text": was}, [text]) and not is_lost({"text": text})


_MOST_COMPARED = 64
"""Texts of one key that are compared with one that has question marks."""
_MARK_RUN = re.compile("[?\ufffd]+")


def is_lost(element: Mapping[str, Any], texts: Sequence[str] = ()) -> bool:
    """Return whether the text of an element lost characters: it is marked so, has U+FFFD, or is question marks only.

    Also if one of `texts` is the same but for letters beyond ASCII in place of its question marks.
    """
    text = element["text"]
    if element.get("lossy") is True or element.get("suspect") is True or "\ufffd" in text:
        return True
    if "?" not in text:
        return False
    if text.count("?") > 1 and not any(map(str.isalnum, text)):
        return True
    parts = _MARK_RUN.split(text)
    return any(_fits(parts, other) for other in texts[:_MOST_COMPARED] if not other.isascii())


def _fits(parts: Sequence[str], text: str) -> bool:
    """Return whether a text is these parts with letters beyond ASCII between them; linear in its length."""
    at, last = len(parts[0]), len(text) - len(parts[-1])
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return False
    for part in parts[1:-1]:
        found = text.find(part, at + 1, last)
        if found < 0 or not _is_beyond(text[at:found]):
            return False
        at = found + len(part)
    return at < last and _is_beyond(text[at:last])


def _is_beyond(gap: str) -> bool:
    return min(gap) > "\x7f"


def number(value: Any, otherwise: float = 0.0) -> float:
    """Return a number of a stored record, made finite; `otherwise` if it is none."""
    return _finite(value) if isinstance(value, (int, float)) else otherwise


def _finite(value: float) -> float:
    """JSON has no infinity."""
    bounded = float(min(max(value, -_MOST_NATS), _MOST_NATS))
    return 0.0 if math.isnan(bounded) else bounded
