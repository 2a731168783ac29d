"""Long texts that may be mojibake: a piece of each is decided, and the rest is read alike or left.

The time of a decision grows with the text, and a title has thirty characters. The piece begins some words before
the first character beyond ASCII, and has as many characters as bytes are priced of a field.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mediacrawl.encoding.damage import utf8_wreck
from mediacrawl.encoding.decision import FieldDecision
from mediacrawl.encoding.filling import MOST_OPEN, fill_wreck
from mediacrawl.encoding.long_fields import undone
from mediacrawl.encoding.pieces import MOST_SCORED

LONGEST_READ: Final = 65_536
"""Characters of a text that is read alike; a longer one stays as it is."""
LONGEST_FILLED: Final = 2000
"""Characters of a text that lost something, of which the rest is proposed as well."""
_BEFORE: Final = 40
"""Characters before the first one beyond ASCII: the words there tell of the language."""
_CUT: Final = 4
"""Characters at the end of a piece that may be cut, and read otherwise in the whole."""
_ODD: Final = re.compile("[^\\x00-\\x7f]")


def head_of(text: str) -> str:
    """The piece of a text that decides: all of it, if it is not long.

    Args:
        text: any text.
    """
    if len(text) <= MOST_SCORED:
        return text
    found = _ODD.search(text, 0, LONGEST_READ)
    first = found.start() if found else 0
    start = 0 if first < _BEFORE else text.find(" ", first - _BEFORE, first) + 1 or first
    head = text[start : start + MOST_SCORED]
    end = head.rfind(" ", MOST_SCORED // 2)
    return head[:end] if end > 0 else head


def whole_of(text: str, head: str, found: FieldDecision) -> FieldDecision:
    """The decision on a head, for the whole text; a text that cannot be read alike stays, and says ``suspect``.

    Args:
        text: as it is stored.
        head: of it, as `head_of` gave it.
        found: on the head.
    """
    if len(head) == len(text):
        return found
    if found.decision != "fixed":
        return replace(found, text=text)
    whole = undone(text, found.encoding.split(">")) if len(text) <= LONGEST_READ else None
    if whole is None or found.text[:-_CUT] not in whole:
        whole = _filled(text, found) if len(text) <= LONGEST_FILLED else None
    if whole is None:
        return FieldDecision(text, "", found.language, confidence=0.5, runner_up=found.encoding, suspect=True)
    return replace(found, text=whole)


def _filled(text: str, found: FieldDecision) -> str | None:
    misread, *really = found.encoding.split(">")
    if really != ["utf-8"]:
        return None
    wreck = utf8_wreck(text, misread)
    if wreck is None or wreck.stripped or wreck.open > MOST_OPEN:
        return None
    return fill_wreck(wreck, found.language).text
