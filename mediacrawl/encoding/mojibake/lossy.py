"""Routes back from a wrong reading that lost characters; the models propose what is missing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import compress
from typing import Final

from mediacrawl.encoding.codepages import MULTIBYTE, STEP
from mediacrawl.encoding.languages import LANGUAGES, prior_nats
from mediacrawl.encoding.mojibake.lossless import undo
from mediacrawl.encoding.mojibake.lost_bytes import KEPT_INSIDE, fill_lost_bytes, small_words
from mediacrawl.encoding.mojibake.routes import CROSSED, MANGLED, RepairRoute, RouteSet, StoredRecord, in_order
from mediacrawl.encoding.mojibake.utf8_losses import (
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

LOSSY: Final = 6 * STEP
"""Cost of assuming that characters were lost."""

INSERT: Final = 5 * STEP
"""Cost of a proposed letter without any mark of a loss, in a code page that does not suit the remaining text."""

DROPPED: Final = 5 * STEP // 2
"""Cost of assuming a code page whose letters were dropped without a mark. All of them are dropped then, so that a
proposed letter costs no more than in any text."""

BLANKS: Final = 4 * STEP
"""Cost of assuming that only no-break spaces became blanks, or that only a part of a text was decoded wrongly."""

CROSSED_WRECKS: Final = ("cp1251", "cp1250", "cp1257", "mac_roman")
"""Other decoders than cp1252 that are considered for texts of which only a part is UTF-8."""

BALTIC: Final = ("cp1257",)
"""The one of these whose signs and letters mostly coincide with those of cp1252."""

MARKED: Final = 2 * STEP
"""Cost of assuming that lost characters left marks."""

MOST_REPLACED: Final = 3
"""Most letters of a text that are proposed for U+FFFD in Latin-1 that was decoded as UTF-8."""

SURELY_UTF8: Final = 4
"""Number of complete UTF-8 sequences that do not occur in other text by chance."""

BAD: Final = 1.3
"""Ratio to the cost of correct text that 7 of 100 correct texts exceed, and 85 of 100 wrong ones."""

MOST_LIKE_CJK: Final = 4
"""Least number of characters beyond ASCII that are left of double-byte text."""

MOST_PAGES: Final = 4

MOST_SEARCHED: Final = 360
"""Characters of a record that are searched."""

Page = tuple[str, str, int]
"""A code page: encoding, language, and the cost of both."""

DOUBLE_BYTE: Final = (("cp932", "ja"), ("cp949", "ko"), ("gb18030", "zh-Hans"), ("cp950", "zh-Hant"))

DOUBLE_PRIOR: Final = 5 * STEP
"""Prior cost of a double-byte encoding that cannot decode the remaining bytes."""

_WITHOUT_MARKS: Final = {ord(mark): None for mark in MARKS}

MIXED: Final = 10 * STEP
"""Cost of a Latin letter next to one of another script; of a small one, if that is Chinese, Japanese or Korean."""

_MIXED: Final = re.compile("[A-Za-z\u00c0-\u024f][\u0370-\u1dff]|[\u0370-\u1dff][A-Za-z\u00c0-\u024f]")
_MIXED_WIDE: Final = re.compile("[a-z\u00df-\u024f](?=[\u3040-\ud7a3])|(?<=[\u3040-\ud7a3])[a-z\u00df-\u024f]")
_HALF_PAIR: Final = re.compile("[\ud800-\udfff]")

_KEPT: Final = re.compile("[\u0081\u008d\u008f\u0090\u009d]")
"""C1 controls: a decoder that drops nothing has them for the bytes that cp1252 lacks."""

_TORN: Final = re.compile("[\uff61-\uff9f]|[!-~](?=[\u3000-\u9fff])|(?<=[\u3000-\u9fff])[!-~]")
"""Half-width kana, or ASCII next to a CJK character: remains of double bytes of which one was lost."""

NEAR: Final = 6 * STEP
"""Routes that cost at most so much more than the best one are searched as well."""

_DROPPING: Final = frozenset({"cp1250", "cp1251", "cp1256", "kz1048"})
"""Windows code pages of which cp1252 loses letters. DOS and Mac encodings have common letters in those places: where
one of them suits a text, nothing was dropped."""

_MARKED: Final = re.compile(r"\ufffd|\?(?=[^\s?!.,;:)\]\"'»”\ufffd])")
"""U+FFFD, or a question mark where no question ends."""
_IN_WORD: Final = re.compile("(?<=[A-Za-z]{2})\ufffd(?![A-Za-z]*\ufffd)")
"""One U+FFFD in an ASCII word."""


def is_marked(texts: Sequence[str]) -> bool:
    """Whether the texts have marks for lost characters."""
    return any(_MARKED.search(text) for text in texts)


def kept_marks_cost(text: str) -> int:
    """Return the cost of leaving the marks inside ASCII words; the price of a text includes U+FFFD already."""
    marks: list[str] = _MARKED.findall(text)
    return KEPT_INSIDE * (marks.count("?") + len(_IN_WORD.findall(text)))


def may_have_lost(stored: StoredRecord) -> bool:
    """Whether `lossy_routes` may find a route, except for letters dropped without a trace."""
    return stored.badness() > BAD or is_marked(stored.odd) or any(_damaged_texts(stored, "cp1252"))


def lossy_routes(stored: StoredRecord, found: RouteSet, dropping: Sequence[Page]) -> list[RepairRoute]:
    """Routes for texts that lost characters."""
    searched = _searched(stored)
    wrecks = _damaged_texts(stored, "cp1252")
    if any(wreck.stripped for wreck in wrecks if wreck):
        return []
    whole = {route.steps[0] for route in found.known() if route.steps[1:] == ("utf-8",) and max(route.costs) < NEVER}
    routes = [_utf8_route(stored, wrecks, "cp1252", whole="cp1252" in whole)] if any(wrecks) else []
    if stored.badness() > BAD:
        routes += _crossed_utf8_routes(stored, whole)
    if sum(wreck.whole for wreck in compress(wrecks, stored.counts) if wreck) >= SURELY_UTF8 or not searched:
        return routes
    if is_marked(stored.odd):
        # The text between the marks identifies the encoding.
        rest = [text.replace("\ufffd", "?") for text in stored.odd]
        unmarked = StoredRecord.priced(rest, rest, stored.counts, stored.shift)
        pages = _likely_pages(stored, undo(unmarked, "cp1252", MANGLED).routes())
        return routes + _marked_routes(stored, searched, pages) + _replaced_routes(stored, searched)
    if any(map(_KEPT.search, stored.odd)):
        return routes
    others = _likely_pages(stored, found.routes()) if found.badness() > BAD else []
    return routes + _dropped_routes(stored, searched, dropping, others)


def dropping_pages(found: RouteSet) -> list[Page]:
    """Code pages whose letters may have been dropped without a trace.

    Returns:
        Encoding, language and prior of the routes that are about as good as the best one, if cp1252 loses some of their
        letters; none if such a letter occurs in a text, since a decoder that keeps one drops none.
    """
    stored, stays = found.stored, found.stored.total(found.stored.clean)
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


def _crossed_utf8_routes(stored: StoredRecord, whole: set[str]) -> list[RepairRoute]:
    """Routes for texts of which a part is UTF-8 that was decoded with another code page than cp1252."""
    western = all(bytes_of(text.translate(_WITHOUT_MARKS), "cp1252") is not None for text in stored.odd)
    wrecks = {
        misread: _damaged_texts(stored, misread)
        for misread in (BALTIC if western else CROSSED_WRECKS)
        if misread not in whole
    }
    return [_utf8_route(stored, crossed, misread, whole=False) for misread, crossed in wrecks.items() if any(crossed)]


def _damaged_texts(stored: StoredRecord, misread: str) -> list[DamagedUtf8 | None]:
    """Return the damaged UTF-8 in each text; None for all of them if there is no evidence of it, or too much of it."""
    wrecks = [damaged_utf8(text, misread) for text in stored.odd]
    known = [wreck for wreck in wrecks if wreck]
    telling = any(wreck.telling and (wreck.whole or misread == "cp1252") for wreck in known)
    of_record = sum(wreck.open for wreck in compress(wrecks, stored.counts) if wreck)
    # A text that repeats words is searched twice.
    if not telling or of_record > MOST_OPEN or sum(wreck.open for wreck in known) > 2 * MOST_OPEN:
        return [None] * len(wrecks)
    return wrecks


def _searched(stored: StoredRecord) -> set[str]:
    """Return the texts that are searched, within a limit for each record; first those that count for the record."""
    searched: set[str] = set()
    room = MOST_SEARCHED
    repeating = [text for text, counts in zip(stored.odd, stored.counts, strict=True) if not counts]
    for text in dict.fromkeys((*compress(stored.odd, stored.counts), *repeating)):
        if len(text) <= min(LONGEST, room) and not _HALF_PAIR.search(text):
            searched.add(text)
            room -= len(text)
    return searched


def _utf8_route(stored: StoredRecord, wrecks: list[DamagedUtf8 | None], misread: str, *, whole: bool) -> RepairRoute:
    """Return the route for UTF-8 that was decoded as `misread` and may have lost bytes."""
    telling = [wreck.slots for wreck in compress(wrecks, stored.counts) if wreck]
    kept = " ".join("".join(slot[0] for slot in slots if len(slot) == 1) for slots in telling)
    language = read(kept).language
    filled = [fill_damaged_utf8(wreck, language) if wreck else None for wreck in wrecks]
    damage = MANGLED + (LOSSY if whole or any(wreck.gone for wreck in wrecks if wreck) else BLANKS)
    proposed = [some.text for some in compress(filled, stored.counts) if some]
    # Two signs and a blank of correct text may be such a character by chance.
    damage += MIXED * sum(len(_MIXED_WIDE.findall(text)) for text in proposed)
    if misread != "cp1252":
        damage += CROSSED + MIXED * sum(len(_MIXED.findall(text)) for text in proposed)
    return _filled_route(stored, "utf-8", "", filled, damage)._replace(steps=(misread, "utf-8"))


def _marked_routes(stored: StoredRecord, searched: set[str], pages: Sequence[Page]) -> list[RepairRoute]:
    """Routes for text in a code page that was decoded as cp1252 and has a mark for each lost byte."""
    found = []
    for encoding, language, prior in pages:
        filled = _filled(stored, searched, encoding, language, marked=True)
        if any(filled):
            mends = any(some and some.text.count("\ufffd") < some.lost for some in filled)
            damage = MANGLED + prior + (MARKED if mends else LOSSY)
            found.append(_filled_route(stored, encoding, language, filled, damage))
    return found


def _replaced_routes(stored: StoredRecord, searched: set[str]) -> list[RepairRoute]:
    """Routes for Latin-1 or cp1252 that was decoded as UTF-8, with U+FFFD for each letter that is not ASCII."""
    if "?" in "".join(stored.odd) or not 0 < max(text.count("\ufffd") for text in stored.odd) <= MOST_REPLACED:
        return []
    found = _marked_routes(stored, searched, [("cp1252", code, prior) for code, prior in _western()])
    return [route._replace(steps=("utf-8", "cp1252")) for route in found]


@cache
def _western() -> tuple[tuple[str, int], ...]:
    """Return the languages that are written in cp1252, each with its prior."""
    codes = [code for code, language in LANGUAGES.items() if "cp1252" in language.encodings]
    return tuple((code, round(prior_nats("cp1252", code) * STEP)) for code in codes)


def _dropped_routes(
    stored: StoredRecord, searched: set[str], reading: Sequence[Page], others: Sequence[Page]
) -> list[RepairRoute]:
    """Routes for text in a code page that lost bytes without a mark."""
    found = []
    known = {page[:2] for page in reading}
    for encoding, language, prior in (*reading, *(page for page in others if page[:2] not in known)):
        filled = _filled(stored, searched, encoding, language, marked=False)
        if any(filled):
            likely = (encoding, language) in known
            lost = 0 if likely else INSERT * sum(some.lost for some in compress(filled, stored.counts) if some)
            damage = MANGLED + prior + (DROPPED if likely else LOSSY) + lost
            found.append(_filled_route(stored, encoding, language, filled, damage))
    return found


def _filled(
    stored: StoredRecord, searched: set[str], encoding: str, language: str, *, marked: bool
) -> list[FilledText | None]:
    """Return the proposals for the texts of a record in a code page."""
    small = encoding not in MULTIBYTE and small_words(stored.odd, encoding)
    return [
        fill_lost_bytes(text, encoding, language, marked=marked, small=small) if text in searched else None
        for text in stored.odd
    ]


def _filled_route(
    stored: StoredRecord, encoding: str, language: str, filled: list[FilledText | None], damage: int
) -> RepairRoute:
    """Return the route to the proposals."""
    return RepairRoute(
        ("cp1252", encoding),
        language,
        damage,
        tuple(some.cost if some else NEVER for some in filled),
        tuple(some.text if some else text for some, text in zip(filled, stored.odd, strict=True)),
        tuple(some.lost if some else 0 for some in filled),
        tuple(some.margin if some else 0 for some in filled),
    )


def _likely_pages(stored: StoredRecord, routes: list[RepairRoute]) -> list[Page]:
    """Return the encodings that are searched, with language and prior.

    They are the best of those that decode the remaining bytes, and the double-byte ones, which cannot.
    """
    ranked = sorted([route for route in routes if len(route.steps) == 2], key=lambda route: route.total(stored))
    pages = {(route.steps[1], route.language): max(0, route.damage - MANGLED) for route in reversed(ranked)}
    single = [(route.steps[1], route.language) for route in ranked if route.steps[1] not in {"utf-8", *MULTIBYTE}]
    likely = [page for page in dict.fromkeys(single) if losable(*page)][:MOST_PAGES]
    odd = [char for text in compress(stored.odd, stored.counts) for char in text if not char.isascii()]
    # Marks alone fit any text.
    if len(odd) >= MOST_LIKE_CJK and any(char != "\ufffd" for char in odd):
        likely += DOUBLE_BYTE
    return [(*page, pages.get(page, DOUBLE_PRIOR)) for page in likely]
