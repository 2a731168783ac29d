"""The scripts of a page that may name media: which they are, and the values in them. Nothing is run.

* Code that sets up a usual player: JW Player, Video.js, Plyr, MediaElement.js, the Podlove Web Player, Flowplayer,
  Clappr, hls.js, dash.js, howler.js and kin.
* State: what a page hands to its own program, as JSON (``<script type="application/json">``), as the value of a
  variable (``__NEXT_DATA__``, ``__NUXT__``, ``__INITIAL_STATE__``), or in pieces (``__next_f``).

Most pages have none; their scripts are searched for a few words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import re2

from mediacrawl.base.content_type import MEDIA_ENDINGS
from mediacrawl.extract.literals import Literal, literals
from mediacrawl.extract.medium import Medium
from mediacrawl.extract.script_media import ScriptMedia

_MOST_SCRIPTS = 30
"""Scripts of one kind that are read of a page."""
_LONGEST_STATE = 500_000
"""Characters of all state of a page that is parsed."""
LONGEST_CODE = 60_000
"""Characters of one script that are read, from shortly before the first name of a player on."""
BEFORE = 5_000
MOST_TOKENS = 40_000
"""Tokens of all code of a page that are read, in 50 ms."""
_LONGEST_ATTRIBUTE = 20_000
_MOST_STATES = 5
_MOST_RESOLVED = 20_000
_DEEPEST_REFERENCE = 4

_CODE_TYPES = frozenset({"", "text/javascript", "application/javascript", "module", "application/x-javascript"})
_STATE_TYPE = "application/json"
_WORDS = ("layer", "ideojs", "Source(")
"""Parts of what is in the code around a player. A search for each costs a tenth of one for all names below."""
_SEARCHED = 20_000
"""Characters of a script that are searched for them. Longer scripts are programs or state, and no set-ups."""
_STATE_WITHIN = 300
"""Characters of a script in which the variable of its state is named."""
# RE2 searches for all of them at once, `re` for each in each place.
_names_player = re2.compile(
    r"jwplayer|flowplayer|videojs|Plyr\b|[Mm]edia[Ee]lement[Pp]layer|[Pp]odlove\w{0,20}[Pp]layer|Clappr|Playerjs"
    r"|(?:load|attach)Source\(|dashjs|MediaPlayer\(|jPlayer|APlayer|Howl\("
).search
_state_begins = re.compile(r"__(?:[A-Z][A-Z_]{2,40}__|remixContext\b)[\"']?\]?\s{0,9}=(?!=)\s{0,9}").finditer
_PIECES = "__next_f"
_ENDINGS = "|".join(each[1:] for each in MEDIA_ENDINGS)
# Two expressions that each begin with a character take a third of the time of one.
_has_ending = re2.compile(rf"\.(?i:{_ENDINGS})(?:[^A-Za-z0-9]|$)").search
_has_type = re2.compile(r'"(?:audio|video)\\{0,2}/').search
_decode = json.JSONDecoder(strict=False).raw_decode


class _State(NamedTuple):
    """A script of JSON: its id and its text."""

    name: str
    text: str


class Scripts:
    """Collects the scripts of a page that may name media."""

    def __init__(self) -> None:
        self._code: list[str] = []
        self._states: list[_State] = []

    def take(self, kind: str, element: Any) -> None:
        """Take a script of a media type (empty for JavaScript), if it may name media."""
        if kind in _CODE_TYPES:
            text = element.text
            if text and len(self._code) < _MOST_SCRIPTS and _may_name_media(text):
                self._code.append(text)
        elif kind == _STATE_TYPE and len(self._states) < _MOST_SCRIPTS:
            text = element.text
            if text and _names_media(text):
                self._states.append(_State(element.get("id") or "", text))

    def media(self, base: str) -> list[Medium]:
        """Return the media in them, at most `medium.MOST_MEDIA`. Never raises."""
        if not self._code and not self._states:
            return []
        found, left, tokens = ScriptMedia(base), _LONGEST_STATE, MOST_TOKENS
        for state in self._states:
            if len(state.text) <= left:
                left -= len(state.text)
                for value in _values_of_json(state.text, tokens):
                    found.take(
                        Literal("", _resolved(value) if state.name == "__NUXT_DATA__" else value), is_setup=False
                    )
        for code in self._code:
            begins = _names_player(code)
            if begins is not None:
                start = max(begins.start() - BEFORE, 0)
                for each in literals(code[start : start + LONGEST_CODE], most=tokens):
                    found.take(_unpacked(each), is_setup=True)
                tokens = max(tokens - len(code[start : start + LONGEST_CODE]) // 4, 0)
            elif "__" in code[:_STATE_WITHIN] and len(code) <= left and _names_media(code):
                left -= len(code)
                for value in _states_of(code, tokens):
                    found.take(Literal("", value), is_setup=False)
        return found.media()


def _names_media(text: str) -> bool:
    """Whether a text may name a media file, by its ending or its type."""
    return _has_ending(text) is not None or _has_type(text) is not None


def _may_name_media(code: str) -> bool:
    head = code[:_SEARCHED]
    return "__" in code[:_STATE_WITHIN] or any(word in head for word in _WORDS)


def values_of_attribute(text: str) -> Iterator[Any]:
    """Yield the values of an attribute that holds JSON: ``data-setup``, ``data-plyr-config``. Never raises."""
    if len(text) <= _LONGEST_ATTRIBUTE:
        yield from _values_of_json(text, _LONGEST_ATTRIBUTE)


def _values_of_json(text: str, most: int) -> Iterator[Any]:
    try:
        value = json.loads(text.strip())
    except (ValueError, RecursionError):
        yield from (each.value for each in literals(text, is_json=True, most=most))
        return
    if isinstance(value, (dict, list)):
        yield value


def _states_of(code: str, most: int) -> Iterator[Any]:
    """The values of variables for state: objects, texts of JSON, or what a function returns (as Nuxt 2 writes it)."""
    if _PIECES in code[:_STATE_WITHIN]:
        yield from _of_pieces(code, most)
        return
    for begins in islice(_state_begins(code), _MOST_STATES):
        try:
            value, _ = _decode(code, begins.end())
        except (ValueError, RecursionError):
            for each in literals(code[begins.end() :], most=most):
                yield _unpacked(each).value
            # Those behind it were read, too.
            return
        else:
            if isinstance(value, (dict, list)):
                yield value


def _of_pieces(code: str, most: int) -> Iterator[Any]:
    """The values in the pieces of state that Next.js pushes: a number, and a text with JSON behind short names."""
    for each in literals(code, most=most):
        for text in each.value if isinstance(each.value, list) else ():
            if isinstance(text, str) and _names_media(text):
                yield from (inner.value for inner in literals(text, is_json=True, most=most))


def _unpacked(found: Literal) -> Literal:
    """Return the value of ``JSON.parse("...")``; another one as it is."""
    if found.name == "parse" and isinstance(found.value, str) and found.value.lstrip()[:1] in ("{", "["):
        return found._replace(value=next(_values_of_json(found.value, MOST_TOKENS), {}))
    return found


def _resolved(value: Any) -> Any:
    """State of Nuxt 3: a list in which objects name their properties' values by their places."""
    if not isinstance(value, list):
        return value
    left = [_MOST_RESOLVED]

    def at(place: Any, depth: int) -> Any:
        left[0] -= 1
        is_place = isinstance(place, int) and not isinstance(place, bool) and 0 <= place < len(value)
        found = value[place] if is_place else None
        if left[0] < 0 or depth > _DEEPEST_REFERENCE:
            return None
        if isinstance(found, dict):
            return {name: at(inner, depth + 1) for name, inner in islice(found.items(), 50)}
        if isinstance(found, list):
            return [at(inner, depth + 1) for inner in found[:50]]
        return found

    return [at(place, 0) for place, each in enumerate(value) if isinstance(each, dict)]
