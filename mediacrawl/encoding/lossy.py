"""The ways back from texts that lost something when they were read wrongly: what is gone is proposed by the models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mediacrawl.encoding.chance import signs_as_letters
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.damage import MARKS, Wreck, bytes_of, utf8_wreck
from mediacrawl.encoding.filling import LONGEST, MOST_OPEN, Filled, fill_wreck
from mediacrawl.encoding.gaps import KEPT_INSIDE, fill_gaps
from mediacrawl.encoding.hypotheses import NEVER, losable
from mediacrawl.encoding.reading import read
from mediacrawl.encoding.scoring import MULTIBYTE
from mediacrawl.encoding.undoing import Found, undo
from mediacrawl.encoding.ways import CROSSED, MANGLED, Stored, Way

LOSSY: Final = 6 * STEP
"""What it costs to believe that something was lost on the way."""
BLANKS: Final = 4 * STEP
"""And that no more was lost than that no-break spaces became blanks, or that only a part of a text was mangled."""
CROSSED_WRECKS: Final = ("cp1251", "cp1250", "cp1257", "mac_roman")
"""What UTF-8 is misread in, besides cp1252, where only a part of it is left."""
BALTIC: Final = ("cp1257",)
"""And of these the one that has the same signs and letters for Latin ones as cp1252, but for a few."""
MARKED: Final = 2 * STEP
"""And left marks."""
SURELY_UTF8: Final = 4
"""So many whole characters of UTF-8 do not stand in other text by chance."""
BAD: Final = 1.3
"""So many times as much do 7 of 100 right texts cost, and 85 of 100 wrong ones."""
MOST_LIKE_CJK: Final = 4
"""So many characters beyond ASCII, at least, are left of what was double-byte text."""
MOST_PAGES: Final = 4
MOST_SEARCHED: Final = 360
"""Characters of a record."""

DOUBLE_BYTE: Final = (("cp932", "ja"), ("cp949", "ko"), ("gb18030", "zh-Hans"), ("cp950", "zh-Hant"))
DOUBLE_PRIOR: Final = 5 * STEP
"""What a double-byte encoding costs that could not read what is left."""
_WITHOUT_MARKS: Final = {ord(mark): None for mark in MARKS}
MIXED: Final = 10 * STEP
"""Cost of a Latin letter beside one of another script."""
_MIXED: Final = re.compile("[A-Za-z\u00c0-\u024f][\u0370-\u1dff]|[\u0370-\u1dff][A-Za-z\u00c0-\u024f]")
_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")
_MARKED: Final = re.compile(r"\ufffd|\?(?=[^\s?!.,;:)\]\"'»”\ufffd])")
"""A question mark where no question ends."""


def is_marked(texts: Sequence[str]) -> bool:
    """Whether there are marks in the texts that stand for lost characters."""
    return any(_MARKED.search(text) for text in texts)


def unmended(text: str) -> int:
    """What it costs to leave the question marks inside a text's words; U+FFFD is in its price already."""
    marks: list[str] = _MARKED.findall(text)
    return KEPT_INSIDE * marks.count("?")


def may_have_lost(stored: Stored) -> bool:
    """Whether `lossy_ways` may find anything."""
    return stored.badness() > BAD or is_marked(stored.odd) or any(_wrecks(stored.odd, "cp1252"))


def lossy_ways(stored: Stored, found: Found) -> list[Way]:
    """The ways back that guess at what was lost.

    Args:
        stored: the record.
        found: the ways that lose nothing.
    """
    searched = _searched(stored.odd)
    wrecks = _wrecks(stored.odd, "cp1252")
    if any(wreck.stripped for wreck in wrecks if wreck):
        return []
    whole = {way.steps[0] for way in found.known() if way.steps[1:] == ("utf-8",) and max(way.costs) < NEVER}
    ways = [_wreck_way(stored, wrecks, "cp1252", whole="cp1252" in whole)] if any(wrecks) else []
    if stored.badness() > BAD:
        ways += _crossed_wreck_ways(stored, whole)
    if sum(wreck.whole for wreck in wrecks if wreck) >= SURELY_UTF8 or not searched:
        return ways
    marked = is_marked(stored.odd)
    if marked or found.badness() > BAD:
        ways += _page_ways(stored, found, searched, marked=marked)
    return ways


def _crossed_wreck_ways(stored: Stored, whole: set[str]) -> list[Way]:
    """Texts of which a part was UTF-8 and was read as another code page than cp1252."""
    western = all(bytes_of(text.translate(_WITHOUT_MARKS), "cp1252") is not None for text in stored.odd)
    wrecks = {
        misread: _wrecks(stored.odd, misread)
        for misread in (BALTIC if western else CROSSED_WRECKS)
        if misread not in whole
    }
    return [_wreck_way(stored, crossed, misread, whole=False) for misread, crossed in wrecks.items() if any(crossed)]


def _wrecks(texts: Sequence[str], misread: str) -> list[Wreck | None]:
    """What is left of each text if it was UTF-8; nothing of all of them if there is no sign of that."""
    wrecks = [utf8_wreck(text, misread) for text in texts]
    known = [wreck for wreck in wrecks if wreck]
    telling = any(wreck.telling and (wreck.whole or misread == "cp1252") for wreck in known)
    if not telling or sum(wreck.open for wreck in known) > MOST_OPEN:
        return [None] * len(wrecks)
    return wrecks


def _searched(texts: Sequence[str]) -> set[str]:
    """The texts that are searched: a search takes a while, so a record has so much of it and no more."""
    searched: set[str] = set()
    room = MOST_SEARCHED
    for text in dict.fromkeys(texts):
        if len(text) <= min(LONGEST, room) and not _HALF_PAIR.search(text):
            searched.add(text)
            room -= len(text)
    return searched


def _wreck_way(stored: Stored, wrecks: list[Wreck | None], misread: str, *, whole: bool) -> Way:
    """UTF-8 that was read as cp1252, or as another 8-bit encoding; it may be whole as it stands."""
    kept = " ".join("".join(slot[0] for slot in wreck.slots if len(slot) == 1) for wreck in wrecks if wreck)
    language = read(kept).language
    filled = [fill_wreck(wreck, language) if wreck else None for wreck in wrecks]
    damage = MANGLED + (LOSSY if whole or any(wreck.gone for wreck in wrecks if wreck) else BLANKS)
    if misread != "cp1252":
        damage += CROSSED + MIXED * sum(len(_MIXED.findall(some.text)) for some in filled if some)
    return _filled_way(stored, "utf-8", "", filled, damage)._replace(steps=(misread, "utf-8"))


def _page_ways(stored: Stored, lossless: Found, searched: set[str], *, marked: bool) -> list[Way]:
    """Text in a code page that was read as cp1252."""
    if marked:
        # What is left between the marks tells the encoding.
        rest = [text.replace("\ufffd", "?") for text in stored.odd]
        lossless = undo(Stored.of(rest, rest, stored.shift), "cp1252", MANGLED)
    found = []
    for encoding, language, prior in _likely_pages(stored, lossless.ways()):
        filled = [
            fill_gaps(text, encoding, language, marked=marked) if text in searched else None for text in stored.odd
        ]
        if any(filled):
            mends = marked and any(some and some.text.count("\ufffd") < some.lost for some in filled)
            damage = MANGLED + prior + (MARKED if mends else LOSSY)
            found.append(_filled_way(stored, encoding, language, filled, damage))
    return found


def _filled_way(stored: Stored, encoding: str, language: str, filled: list[Filled | None], damage: int) -> Way:
    """The way of a record to what was proposed for some of its texts."""
    return Way(
        ("cp1252", encoding),
        language,
        damage,
        tuple(
            some.cost + (signs_as_letters(text, some.text) if encoding != "utf-8" else 0) if some else NEVER
            for some, text in zip(filled, stored.odd, strict=True)
        ),
        tuple(some.text if some else text for some, text in zip(filled, stored.odd, strict=True)),
        tuple(some.lost if some else 0 for some in filled),
        tuple(some.margin if some else 0 for some in filled),
    )


def _likely_pages(stored: Stored, ways: list[Way]) -> list[tuple[str, str, int]]:
    """The encodings worth a search, with language and prior.

    They are the best of those that read what is left, and the double-byte ones, which cannot.
    """
    ranked = sorted([way for way in ways if len(way.steps) == 2], key=lambda way: way.total(stored.clean, 0))
    pages = {(way.steps[1], way.language): max(0, way.damage - MANGLED) for way in reversed(ranked)}
    single = [(way.steps[1], way.language) for way in ranked if way.steps[1] not in {"utf-8", *MULTIBYTE}]
    likely = [page for page in dict.fromkeys(single) if losable(*page)][:MOST_PAGES]
    odd = [char for text in stored.odd for char in text if not char.isascii()]
    # Of marks alone anything can be made, and nothing tells what they were.
    if len(odd) >= MOST_LIKE_CJK and any(char != "\ufffd" for char in odd):
        likely += DOUBLE_BYTE
    return [(*page, pages.get(page, DOUBLE_PRIOR)) for page in likely]
