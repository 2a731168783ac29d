"""Changes of a value on its way from where it stands to where it is used: base64, padding, parts."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote, unquote

from mediacrawl.site_adapters.paths import DECODER, JsonPath, Pattern, scalar

UNESCAPED = "-_.!~*'()"
"""Characters that ``encodeURIComponent`` leaves as they are (ECMA-262, 19.2.6.5), besides letters and digits."""
_LONGEST = 20_000
"""Characters of a value; a URL is shorter, and so is the state that a page has for its player."""
MOST_DIGITS = 40
"""The longest number that is padded."""

Step = Callable[[str], str | None]
"""Makes a value of a value; None if it cannot."""


def _base64(value: str) -> str | None:
    plain = value.strip().rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None


def percent_encoded(value: str) -> str:
    """Return a value as ``encodeURIComponent`` writes it."""
    return quote(value, safe=UNESCAPED, errors="replace")


WORDS: dict[str, Step] = {
    "base64": _base64,
    "base64_encode": lambda value: base64.b64encode(value.encode()).decode("ascii"),
    "base64url_encode": lambda value: base64.urlsafe_b64encode(value.encode()).decode("ascii").rstrip("="),
    "url_decode": unquote,
    "url_encode": percent_encoded,
    "lower": str.lower,
    "upper": str.upper,
    "unpad": lambda value: value.lstrip("0") or "0" if value.isascii() and value.isdigit() else None,
}
"""Changes without an argument."""


def _part(separator: str, place: int) -> Step:
    def part(value: str) -> str | None:
        parts = value.split(separator)
        return parts[place] if -len(parts) <= place < len(parts) else None

    return part


def _inside(path: JsonPath) -> Step:
    def inside(value: str) -> str | None:
        try:
            found = path.find(DECODER.decode(value), 1)
        except (ValueError, RecursionError):
            return None
        return scalar(found[0]) if found else None

    return inside


def step_of(written: Any) -> Step:
    """Return the step that the file says.

    Raises:
        ValueError: it is none. The message is the end of a sentence.
    """
    if isinstance(written, str) and written in WORDS:
        return WORDS[written]
    if isinstance(written, dict):
        match written:
            case {"pad": int(width), **rest} if not rest and 1 <= width <= MOST_DIGITS:
                return lambda value: value.zfill(width) if value.isascii() and value.isalnum() else None
            case {"split": str(separator), "take": int(place), **rest} if not rest and separator:
                return _part(separator, place)
            case {"after": str(mark), **rest} if not rest and mark:
                return lambda value: value.partition(mark)[2] if mark in value else None
            case {"before": str(mark), **rest} if not rest and mark:
                return lambda value: value.partition(mark)[0] if mark in value else None
            case {"regex": str(pattern), **rest} if not rest:
                return Pattern(pattern).first
            case {"json": str(path), **rest} if not rest:
                return _inside(JsonPath(path))
    raise ValueError(
        f"is no change of a value; there are {', '.join(WORDS)}, and objects with pad, split and take, after,"
        " before, regex or json"
    )


def changed(value: str, steps: Iterable[Step]) -> str | None:
    """Apply steps in their order; None if one cannot be applied, or the value becomes too long."""
    found: str | None = value
    for step in steps:
        if found is None or len(found) > _LONGEST:
            return None
        found = step(found)
    return found if found is not None and len(found) <= _LONGEST else None
