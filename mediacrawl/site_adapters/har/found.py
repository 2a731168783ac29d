"""Values of secrets that were found in a recording, while it is read.

They are needed for one thing: to remove them from all other places of the recording too. Nothing else sees them, and
they are forgotten when the recording is read.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote, unquote_plus

from mediacrawl.site_adapters.har.secrets import REMOVED

SHORTEST_VALUE = 8
"""Characters of a value that is removed from other places too. A shorter one stands in a recording by chance."""
_MOST_VALUES = 20_000
_MOST_CHARACTERS = 2_000_000
"""All values together. An hour in a browser has some thousand, most of them cookies."""

_MOST_LOOKS = 500_000
"""Places in the texts of one recording that look like secrets, each of which takes 15 to 30 us. Ten pages with all
their scripts have 5,000."""

NO_VALUES = frozenset(
    {"", "0", "1", "false", "nan", "none", "null", "true", "undefined", "[object object]", REMOVED.lower()}
)
"""What stands in the place of a secret where there is none; in lower case."""

_ORDINARY_WORDS = (
    "accepted accesstoken anonymous authenticated authorization authorized category children controls delivery "
    "description disabled document download duration encoding external fallback favorite fullscreen function language "
    "location loggedin logged_in metadata multipart navigator necessary optional original password passwort pathname "
    "playback playlist position preferences previous priority protocol published referrer register rejected required "
    "response resolution settings signature standard subtitle subtitles thumbnail undefined unlimited username"
)
_ORDINARY = frozenset(_ORDINARY_WORDS.split())
"""Words that scripts and forms have in the place of secrets. They stand everywhere, and nobody is harmed by them."""

_words = re.compile(r"[A-Za-z]?[a-z]*+(?:[A-Z][a-z]*+|[ ./:_-]++[A-Za-z]?[a-z]*+)*+").fullmatch
_LONGEST_WORDS = 40


class TooManySecretsError(Exception):
    """A recording has more secrets than are held, or than can be searched."""


class Found:
    """The values, and how many secrets were removed.

    Attributes:
        counts: secrets that were removed, by kind.
    """

    def __init__(self) -> None:
        self.counts = Counter[str]()
        self._kinds = dict[str, str]()
        self._cookies = set[str]()
        self._characters = 0
        self._looks = 0

    def look(self) -> None:
        """Count a place that looks like a secret; raises `TooManySecretsError` if there are too many."""
        self._looks += 1
        if self._looks > _MOST_LOOKS:
            raise TooManySecretsError

    def add(self, value: str, kind: str, *, from_script: bool = False) -> None:
        """Count a secret, and note its value in each spelling that other places may have it in.

        Args:
            value: as it stands in the recording.
            kind: one of `secrets.SECRET_KINDS`.
            from_script: whether it stands in a program. Such a value is not noted if it consists of words: a program
                is the same for everybody, and ``{session: "duration"}`` in it is no secret.
        """
        self.counts[kind] += 1
        self.note(value, kind, from_script=from_script)

    def note(self, value: str, kind: str, *, from_script: bool = False) -> None:
        """As `add`, without counting: for what is a part of a secret that was counted."""
        for each in _spellings(value):
            is_common = each.lower() in _ORDINARY or each.lower() in NO_VALUES
            if len(each) >= SHORTEST_VALUE and not is_common and not (from_script and is_of_words(each)):
                self._note(each, kind)

    def values(self, pages: str) -> dict[str, str]:
        """Each value that is removed from all places -> its kind.

        Args:
            pages: the URLs of all pages, and the hosts of all requests. A cookie with a value that stands in them is
                no secret: sites store the last video, the host and the last page in cookies.
        """
        return {value: kind for value, kind in self._kinds.items() if not (value in self._cookies and value in pages)}

    def _note(self, value: str, kind: str) -> None:
        known = self._kinds.get(value)
        if known is None:
            self._characters += len(value)
            if len(self._kinds) >= _MOST_VALUES or self._characters > _MOST_CHARACTERS:
                raise TooManySecretsError
            self._kinds[value] = kind
            if kind == "cookie":
                self._cookies.add(value)
        elif known == "cookie" and kind != "cookie":
            # Something else says that it is a secret.
            self._kinds[value] = kind
            self._cookies.discard(value)


def is_of_words(value: str) -> bool:
    """Whether a value consists of words, as the name of a field does: ``player-session``, ``accessToken``.

    Args:
        value: of any length.
    """
    return len(value) <= _LONGEST_WORDS and _words(value) is not None


def _spellings(value: str) -> Iterator[str]:
    """A value as it is written, and what it stands for: in a URL, in JSON, in HTML."""
    seen = {value}
    yield value
    meant = [unquote(value), unquote_plus(value)] if "%" in value or "+" in value else []
    if "\\" in value:
        meant.append(_of_json(value))
    if "&" in value:
        meant.append(html.unescape(value))
    if value[:1] == value[-1:] == '"':
        # A cookie with spaces.
        meant.append(value[1:-1])
    for each in meant:
        if each not in seen:
            seen.add(each)
            yield each


def _of_json(value: str) -> str:
    try:
        text = json.loads(f'"{value}"', strict=False)
    except ValueError:
        return value.replace("\\/", "/")
    return text if isinstance(text, str) and text.isprintable() else value
