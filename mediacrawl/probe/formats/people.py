"""People in lists of pairs: ID3v2's TIPL, TMCL and IPLS, each a role and a name.

Sources: id3v2.4.0-frames, 4.2.2; id3v2.3.0, 4.4; the user guide of MusicBrainz Picard, appendix "Tag Mapping", for the
words. The standards leave the words open. One that is no known role is an instrument, as Picard reads it: ID3v2.3 has
no other frame for musicians.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from mediacrawl.base.charsets import decode
from mediacrawl.probe.context import ParseContext
from mediacrawl.probe.formats.keys import id3_key
from mediacrawl.probe.text import UTF8, UTF16, UTF16BE, Value

FRAMES = frozenset({"TIPL", "TMCL", "IPLS", "IPL"})
"""Frames of ID3v2 that hold pairs."""

_ROLES = {
    "arranger": "arranger|arranged by|arrangement",
    "composer": "composer|composed by|music|music by",
    "conductor": "conductor|conducted by",
    "director": "director|directed by",
    "actor": "actor|actress|starring|cast",
    "djmixer": "dj-mix|dj mix|djmix|djmixer|dj-mixer|dj mixer",
    "engineer": "engineer|engineered by|recording engineer|audio engineer|sound engineer|mastering engineer|recording"
    "|recorded by|mastering|mastered by|sound",
    "lyricist": "lyricist|lyrics|lyrics by|words|words by",
    "mixer": "mix|mixer|mixing|mixed by|mixing engineer|mix engineer",
    "narrator": "narrator|narrated by|reader|read by",
    "performer": "performer|performed by|musician",
    "producer": "producer|produced by|production|co-producer|coproducer",
    "remixer": "remixer|remix|remixed by",
    "writer": "writer|written by|author|songwriter|screenplay",
}
_BY_WORD = {word: role for role, words in _ROLES.items() for word in words.split("|")}
_OTHER_WORK = re.compile(
    r"photo|\bart\b|artwork|cover|design|illustrat|layout|liner|notes|legal|manage|market|publish|a&r|executive"
    r"|assist|coordinat|supervis|studio|label|thanks|costume|make-?up|edit|camera|cinemat|translat",
    re.IGNORECASE,
)
_UNICODE = frozenset({UTF8, UTF16, UTF16BE})
_LONGEST_ROLE = 60


def role_of(word: str) -> tuple[str, str]:
    """The key of a role, and the instrument if it is that of a musician.

    Returns:
        One of `base.facts.ROLES` and the instrument or nothing; an empty key for other work.
    """
    word = word.strip("\ufeff\0 ")
    plain = " ".join(word.lower().split())
    if plain in _BY_WORD:
        return _BY_WORD[plain], ""
    if not plain or len(plain) > _LONGEST_ROLE or _OTHER_WORK.search(plain):
        return "", ""
    return "performer", word


def shows_role(role: str) -> bool:
    """Whether a role is a text of its own in the evidence: one that is not known, or not plain ASCII."""
    return not role.isascii() or not role_of(role)[0]


def add_pairs(context: ParseContext, source: str, frame: str, values: Iterable[Value]) -> None:
    """Adds the names of a list of pairs, each with the key of its role; those of other work have the frame's key."""
    other = id3_key(frame)
    for role, *names in _pairs(values):
        word = decode(*role)
        key, instrument = role_of(word) if names else ("", "")
        if shows_role(word) or not names:
            context.add(source, frame, other, role)
        # An instrument whose encoding may be wrong is told with its bytes only.
        is_certain = word.isascii() or (role.declared in _UNICODE and "\ufffd" not in word)
        for name in names:
            context.add(source, frame, key or other, name, desc=instrument if is_certain else "")


def _pairs(values: Iterable[Value]) -> Iterator[list[Value]]:
    """Yields the pairs; the last one may lack its name."""
    each = iter(values)
    while pair := list(islice(each, 2)):
        yield pair
