"""Excerpts of long fields: the bytes that are priced, and the head that decides on the encoding of the whole.

Every hypothesis is priced on the same bytes. If an 8-bit encoding were charged for the beginning of a text and UTF-8
for all of it, the 8-bit encoding would win for every long text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from itertools import zip_longest
from typing import Any, Final, TypeVar

from mediacrawl.base.charsets import UTF16_MARKS

Function = TypeVar("Function", bound=Callable[..., Any])

LONGEST_KEPT: Final = 256
"""Characters or bytes of an argument whose result is cached."""


def cached_if_short(entries: int) -> Callable[[Function], Function]:
    """Cache so many results by arguments, unless the first argument, a text or bytes, is long."""

    def decorate(function: Function) -> Function:
        cached = lru_cache(maxsize=entries)(function)

        if function.__code__.co_argcount == 1:
            # The common case, without packing arguments.
            @wraps(function)
            def ask(text: str | bytes) -> Any:
                return cached(text) if len(text) <= LONGEST_KEPT else function(text)
        else:

            @wraps(function)
            def ask(text: str | bytes, *more: Any) -> Any:
                return cached(text, *more) if len(text) <= LONGEST_KEPT else function(text, *more)

        # `models.clear_caches` calls it.
        vars(ask)["cache_clear"] = cached.cache_clear
        return ask  # type: ignore[return-value]

    return decorate


MOST_SCORED: Final = 400
"""Bytes of a field that are priced."""

_SEARCHED: Final = 16_384
"""Bytes of a field, from its first byte beyond ASCII, in which words are searched."""

_TOKEN: Final = re.compile(rb"[^\t\n\r ]++")

# No double-byte encoding has one of these bytes inside a character; gb18030 may have digits.
_WORD: Final = re.compile(rb"[^\x00-/:-?]++")


def piece_of(raw: bytes) -> bytes:
    """Return the bytes of a field that are priced: all of a short field, the words beyond ASCII of a long one.

    No character is cut at either end, whatever the encoding, except in UTF-16, and in a text without blanks: its
    excerpt has exactly `MOST_SCORED` bytes.
    """
    if len(raw) <= MOST_SCORED:
        return raw
    try:
        raw.decode("ascii")  # it searches eight bytes at a time, which no regular expression does
        return raw[:MOST_SCORED]
    except UnicodeDecodeError as error:
        odd = error.start
    # Everything before the first byte beyond ASCII is ASCII, so an excerpt may begin anywhere there.
    start = max(raw.rfind(b" ", max(odd - MOST_SCORED // 4, 0), odd) + 1, odd - MOST_SCORED // 4, 0)
    tokens = [token for token in _TOKEN.findall(raw, start, start + _SEARCHED) if not token.isascii()]
    chosen: list[bytes] = []
    length = -1
    # First the words with a new byte: encodings such as cp1253 and ISO-8859-7 differ in few bytes.
    seen: set[int] = set()
    telling: list[bytes] = []
    others: list[bytes] = []
    for token in tokens:
        (others if seen.issuperset(token) else telling).append(token)
        seen.update(token)
    for token in telling + others:
        length += len(token) + 1
        if length > MOST_SCORED:
            break
        chosen.append(token)
    return b" ".join(chosen) if chosen else tokens[0][:MOST_SCORED]


def without_repeats(pieces: Sequence[bytes]) -> list[bytes]:
    """Return the excerpts without the words of earlier ones; empty where nothing beyond ASCII is left.

    A repeated word is one piece of evidence: the artist's name may be artist, album artist, and part of the title.
    """
    known: set[bytes] = set()
    found = []
    for piece in pieces:
        words = _WORD.findall(piece)
        if known.isdisjoint(words):
            found.append(piece)
        else:
            rest = _WORD.sub(lambda word: b"" if word[0] in known else word[0], piece)
            found.append(b"" if rest.isascii() else rest)
        known.update(word for word in words if not word.isascii())
    return found


# Also the no-break space, which is the second byte of many letters of UTF-8, belongs to a word.
_WORD_OF_TEXT: Final = re.compile("[^\\x00-/:-?]++")


def new_words(texts: Sequence[str]) -> list[str]:
    """Return the texts without the words beyond ASCII that came before; empty where nothing beyond ASCII is left.

    As `without_repeats`, for texts: a title stands in a feed, in the text of a link and in the title of a page, there
    in capitals or with the name of the site behind it. The case of a word does not matter, and a word counts once in a
    text, too.
    """
    known: set[str] = set()

    def once(word: re.Match[str]) -> str:
        if word[0].isascii():
            return word[0]
        key = word[0].casefold()
        if key in known:
            return ""
        known.add(key)
        return word[0]

    found = [_WORD_OF_TEXT.sub(once, text) for text in texts]
    return ["" if new.isascii() else new for new in found]


LONGEST_FIELD: Final = 16_384
"""Bytes that decide on the encoding of a field, or of several that are decided jointly."""

_SHORTEST_HEAD: Final = 256

_WORD_BEFORE: Final = 100
"""Bytes before the first one beyond ASCII in which the beginning of its word is searched."""

_ODD: Final = re.compile(rb"[\x80-\xff]")


def head_of(raw: bytes, declared: str, longest: int = LONGEST_FIELD) -> bytes:
    """Return the excerpt of a field that decides, of an even number of bytes; a short field is its own head.

    It begins and ends at a blank, which no encoding but UTF-16 has in a character.
    """
    if len(raw) <= longest:
        return raw
    if declared.startswith("utf-16"):
        return raw[:longest]
    odd = _ODD.search(raw, 0, longest * 64)
    start = odd.start() if odd and odd.start() > longest // 2 else 0
    start = raw.rfind(b" ", max(start - _WORD_BEFORE, 0), start) + 1 or start
    head = raw[start : start + longest]
    end = head.rfind(b" ", longest // 2)
    return head[:end] if end > 0 else head


def heads_of(raws: Sequence[bytes], declared: Sequence[str]) -> list[bytes]:
    """Return the heads of fields that are decided jointly; the more fields, the shorter."""
    longest = max(LONGEST_FIELD // len(raws), _SHORTEST_HEAD)
    return [head_of(raw, claim, longest) for raw, claim in zip(raws, declared, strict=True)]


LONGEST_READ: Final = 65_536
"""Characters of a text that is decoded like its excerpt; a longer one stays as it is."""

_BEFORE: Final = 40
"""Characters before the first one beyond ASCII, whose words are evidence of the language."""

_ODD_CHARACTER: Final = re.compile("[^\\x00-\\x7f]")


def head_of_text(text: str) -> str:
    """Return the excerpt of a text that decides; a short text is its own head."""
    if len(text) <= MOST_SCORED:
        return text
    found = _ODD_CHARACTER.search(text, 0, LONGEST_READ)
    first = found.start() if found else 0
    start = 0 if first < _BEFORE else text.find(" ", first - _BEFORE, first) + 1 or first
    head = text[start : start + MOST_SCORED]
    end = head.rfind(" ", MOST_SCORED // 2)
    return head[:end] if end > 0 else head


def narrowed(text: str) -> tuple[str, str] | None:
    """Return the text of UTF-16 that was read as 8-bit text, with zeros as blanks (``ÿþA n n a``), and its encoding.

    None for other text, also without the byte order mark, since people write ``A n n a`` too.
    """
    for page in ("latin-1", "cp1252", "cp1251") if text[:2] in {"ÿþ", "þÿ", "яю", "юя"} else ():
        try:
            raw = text.encode(page)
        except UnicodeEncodeError:
            continue
        order = UTF16_MARKS.get(raw[:2], "")
        first, last = (2, 3) if order.endswith("le") else (3, 2)
        pairs = list(zip_longest(raw[first::2], raw[last::2], fillvalue=0))
        if order and pairs and all(high <= 0x20 for _, high in pairs):
            # A blank is the high byte of a quote only before what is no letter of Latin-1.
            units = [low | (high if high < 0x20 or low < 0x20 else 0) << 8 for low, high in pairs]
            return "".join(map(chr, units)).strip("\0 "), order
    return None
