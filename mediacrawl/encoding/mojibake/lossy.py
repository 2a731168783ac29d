"""Routes back from a wrong reading that lost characters; the models propose what is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mediacrawl.encoding.codepages import MULTIBYTE, STEP
from mediacrawl.encoding.mojibake.gaps import KEPT_INSIDE, fill_lost_bytes, small_words
from mediacrawl.encoding.mojibake.routes import CROSSED, MANGLED, Route, RouteSet, StoredRecord, in_order, undo
from mediacrawl.encoding.mojibake.wrecks import (
    LONGEST,
    MOST_OPEN,
    DamagedUtf8,
    FilledText,
    damaged_utf8,
    fill_damaged_utf8,
)
from mediacrawl.encoding.pricing.decoding import MARKS, bytes_of
from mediacrawl.encoding.pricing.hypotheses import losable
from mediacrawl.encoding.pricing.reading import read
from mediacrawl.encoding.pricing.scoring import NEVER
from mediacrawl.encoding.pricing.signs import signs_as_letters

LOSSY: Final = 6 * STEP
"""What it costs to believe that something was lost on the route."""

INSERT: Final = 5 * STEP
"""A proposed letter that nothing shows to be lost, where the page does not read what is left."""

DROPPED: Final = 5 * STEP // 2
"""The same of a code page whose letters are gone without a mark. All of them are then, so a proposed letter costs no
more than it does in any text."""

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

Page = tuple[str, str, int]
"""A code page: encoding, language, and the cost of both."""

DOUBLE_BYTE: Final = (("cp932", "ja"), ("cp949", "ko"), ("gb18030", "zh-Hans"), ("cp950", "zh-Hant"))

DOUBLE_PRIOR: Final = 5 * STEP
"""What a double-byte encoding costs that could not read what is left."""

_WITHOUT_MARKS: Final = {ord(mark): None for mark in MARKS}

MIXED: Final = 10 * STEP
"""Cost of a Latin letter beside one of another script."""

_MIXED: Final = re.compile("[A-Za-z\u00c0-\u024f][\u0370-\u1dff]|[\u0370-\u1dff][A-Za-z\u00c0-\u024f]")

_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")

_KEPT: Final = re.compile("[\u0081\u008d\u008f\u0090\u009d]")
"""What a reading that drops nothing has for the bytes that cp1252 lacks."""

_TORN: Final = re.compile("[\uff61-\uff9f]|[!-~](?=[\u3000-\u9fff])|(?<=[\u3000-\u9fff])[!-~]")
"""Half-width kana, or ASCII next to a character: what is left of double bytes that lost one."""

NEAR: Final = 6 * STEP
"""A way that costs no more than the best one and this may be the right one."""

_DROPPING: Final = frozenset({"cp1250", "cp1251", "cp1256", "kz1048"})
"""Windows code pages of which cp1252 loses letters. DOS and Mac encodings have common letters there: where one of them
reads a text well, nothing was dropped."""

_MARKED: Final = re.compile(r"\ufffd|\?(?=[^\s?!.,;:)\]\"'»”\ufffd])")
"""A question mark where no question ends."""


def is_marked(texts: Sequence[str]) -> bool:
    """Whether there are marks in the texts that stand for lost characters."""
    return any(_MARKED.search(text) for text in texts)


def kept_marks_cost(text: str) -> int:
    """What it costs to leave the question marks inside a text's words; U+FFFD is in its price already."""
    marks: list[str] = _MARKED.findall(text)
    return KEPT_INSIDE * marks.count("?")


def may_have_lost(stored: StoredRecord) -> bool:
    """Whether `lossy_routes` may find anything, but for letters dropped from texts that look right without them."""
    return stored.badness() > BAD or is_marked(stored.odd) or any(_damaged_texts(stored.odd, "cp1252"))


def lossy_routes(stored: StoredRecord, found: RouteSet, dropping: Sequence[Page]) -> list[Route]:
    """The routes back that guess at what was lost.

    Args:
        stored: the record.
        found: the routes that lose nothing.
        dropping: see `dropping_pages`.
    """
    searched = _searched(stored.odd)
    wrecks = _damaged_texts(stored.odd, "cp1252")
    if any(wreck.stripped for wreck in wrecks if wreck):
        return []
    whole = {route.steps[0] for route in found.known() if route.steps[1:] == ("utf-8",) and max(route.costs) < NEVER}
    routes = [_utf8_route(stored, wrecks, "cp1252", whole="cp1252" in whole)] if any(wrecks) else []
    if stored.badness() > BAD:
        routes += _crossed_utf8_routes(stored, whole)
    if sum(wreck.whole for wreck in wrecks if wreck) >= SURELY_UTF8 or not searched:
        return routes
    if is_marked(stored.odd):
        # What is left between the marks tells the encoding.
        rest = [text.replace("\ufffd", "?") for text in stored.odd]
        pages = _likely_pages(stored, undo(StoredRecord.of(rest, rest, stored.shift), "cp1252", MANGLED).routes())
        return routes + _marked_routes(stored, searched, pages)
    if any(map(_KEPT.search, stored.odd)):
        return routes
    others = _likely_pages(stored, found.routes()) if found.badness() > BAD else []
    return routes + _dropped_routes(stored, searched, dropping, others)


def dropping_pages(found: RouteSet) -> list[Page]:
    """The code pages of which letters may have been dropped, though the texts look right without them.

    Args:
        found: the routes that lose nothing.

    Returns:
        Encoding, language and prior of the routes that are about as good as the best one, if cp1252 loses letters of
        theirs; none if such a letter stands in a text, for what keeps one drops none.
    """
    stored, stays = found.stored, sum(found.stored.clean)
    if any(map(_KEPT.search, stored.odd)) or all(candidate.least >= stays for candidate in found.candidates):
        return []
    pages: dict[tuple[str, str], int] = {}
    best = NEVER
    for total, route in in_order(found.candidates):
        best = min(best, total)
        if best >= stays or total > best + NEAR or len(pages) == MOST_PAGES:
            break
        if len(route.steps) != 2 or route.steps[0] != "cp1252" or route.steps[1] == "utf-8":
            continue
        page = route.steps[1], route.language
        if any(map(_TORN.search, route.texts)) if page[0] in MULTIBYTE else page[0] in _DROPPING and losable(*page):
            pages.setdefault(page, max(0, route.damage - MANGLED))
    return [(*page, prior) for page, prior in pages.items()]


def _crossed_utf8_routes(stored: StoredRecord, whole: set[str]) -> list[Route]:
    """Texts of which a part was UTF-8 and was read as another code page than cp1252."""
    western = all(bytes_of(text.translate(_WITHOUT_MARKS), "cp1252") is not None for text in stored.odd)
    wrecks = {
        misread: _damaged_texts(stored.odd, misread)
        for misread in (BALTIC if western else CROSSED_WRECKS)
        if misread not in whole
    }
    return [_utf8_route(stored, crossed, misread, whole=False) for misread, crossed in wrecks.items() if any(crossed)]


def _damaged_texts(texts: Sequence[str], misread: str) -> list[DamagedUtf8 | None]:
    """What is left of each text if it was UTF-8; nothing of all of them if there is no sign of that."""
    wrecks = [damaged_utf8(text, misread) for text in texts]
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


def _utf8_route(stored: StoredRecord, wrecks: list[DamagedUtf8 | None], misread: str, *, whole: bool) -> Route:
    """UTF-8 that was read as cp1252, or as another 8-bit encoding; it may be whole as it stands."""
    kept = " ".join("".join(slot[0] for slot in wreck.slots if len(slot) == 1) for wreck in wrecks if wreck)
    language = read(kept).language
    filled = [fill_damaged_utf8(wreck, language) if wreck else None for wreck in wrecks]
    damage = MANGLED + (LOSSY if whole or any(wreck.gone for wreck in wrecks if wreck) else BLANKS)
    if misread != "cp1252":
        damage += CROSSED + MIXED * sum(len(_MIXED.findall(some.text)) for some in filled if some)
    return _filled_route(stored, "utf-8", "", filled, damage)._replace(steps=(misread, "utf-8"))


def _marked_routes(stored: StoredRecord, searched: set[str], pages: Sequence[Page]) -> list[Route]:
    """Text in a code page that was read as cp1252, with a mark for each lost byte."""
    found = []
    for encoding, language, prior in pages:
        filled = _filled(stored, searched, encoding, language, marked=True)
        if any(filled):
            mends = any(some and some.text.count("\ufffd") < some.lost for some in filled)
            damage = MANGLED + prior + (MARKED if mends else LOSSY)
            found.append(_filled_route(stored, encoding, language, filled, damage))
    return found


def _dropped_routes(
    stored: StoredRecord, searched: set[str], reading: Sequence[Page], others: Sequence[Page]
) -> list[Route]:
    """The same where nothing shows what was lost."""
    found = []
    known = {page[:2] for page in reading}
    for encoding, language, prior in (*reading, *(page for page in others if page[:2] not in known)):
        filled = _filled(stored, searched, encoding, language, marked=False)
        if any(filled):
            likely = (encoding, language) in known
            lost = 0 if likely else INSERT * sum(some.lost for some in filled if some)
            damage = MANGLED + prior + (DROPPED if likely else LOSSY) + lost
            found.append(_filled_route(stored, encoding, language, filled, damage))
    return found


def _filled(
    stored: StoredRecord, searched: set[str], encoding: str, language: str, *, marked: bool
) -> list[FilledText | None]:
    """Proposals for the texts of a record, in a code page."""
    small = encoding not in MULTIBYTE and small_words(stored.odd, encoding)
    return [
        fill_lost_bytes(text, encoding, language, marked=marked, small=small) if text in searched else None
        for text in stored.odd
    ]


def _filled_route(
    stored: StoredRecord, encoding: str, language: str, filled: list[FilledText | None], damage: int
) -> Route:
    """The route of a record to what was proposed for some of its texts."""
    return Route(
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


def _likely_pages(stored: StoredRecord, routes: list[Route]) -> list[Page]:
    """The encodings worth a search, with language and prior.

    They are the best of those that read what is left, and the double-byte ones, which cannot.
    """
    ranked = sorted(
        [route for route in routes if len(route.steps) == 2], key=lambda route: route.total(stored.clean, 0)
    )
    pages = {(route.steps[1], route.language): max(0, route.damage - MANGLED) for route in reversed(ranked)}
    single = [(route.steps[1], route.language) for route in ranked if route.steps[1] not in {"utf-8", *MULTIBYTE}]
    likely = [page for page in dict.fromkeys(single) if losable(*page)][:MOST_PAGES]
    odd = [char for text in stored.odd for char in text if not char.isascii()]
    # Of marks alone anything can be made, and nothing tells what they were.
    if len(odd) >= MOST_LIKE_CJK and any(char != "\ufffd" for char in odd):
        likely += DOUBLE_BYTE
    return [(*page, pages.get(page, DOUBLE_PRIOR)) for page in likely]
