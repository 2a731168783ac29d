"""The cost of Unicode text in the language that suits it best."""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from mediacrawl.encoding import models, native
from mediacrawl.encoding.codepages import STEP, char_class, encode, steps
from mediacrawl.encoding.excerpts import cached_if_short
from mediacrawl.encoding.languages import LANGUAGES, toned
from mediacrawl.encoding.pricing.scoring import ODD_WORD, EncodingPair, encoding_numbers, pairs, spread, word_lanes

_FIRST_CJK: Final = "\u3000"
CJK_RUN: Final = re.compile(r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]+")

_ALPHABETS: Final = (
    (
        re.compile("[\u00c0-\u024f\u1e00-\u1eff]"),
        ("cp1252", "cp1250", "cp1257", "cp1254", "iso8859_3", "cp1258", "iso8859_14", "u-az"),
    ),
    (re.compile("[\u0400-\u04ff]"), ("cp1251", "kz1048", "u-ky", "u-tt", "u-mn")),
    (re.compile("[\u0370-\u03ff]"), ("cp1253",)),
    (re.compile("[\u0590-\u05ff]"), ("cp1255",)),
    (re.compile("[\u0600-\u06ff]"), ("cp1256",)),
    (re.compile("[\u0e00-\u0e7f]"), ("cp874",)),
    (re.compile("[\u10d0-\u10ff]"), ("u-ka",)),
    (re.compile("[\u0530-\u058f]"), ("u-hy",)),
    (re.compile("[\u0900-\u097f]"), ("u-hi",)),
)

APOSTROPHE: Final = b"\x92"
PLAIN_AFTER: Final = (b"s", b"t", b"m", b"d", b"re", b"ll", b"ve")
PLAIN_BEFORE: Final = (b"l", b"d", b"j", b"n", b"c", b"qu", b"s", b"t", b"m", b"dell", b"un")

_CLITIC: Final = re.compile(
    b"[A-Za-z]++%b(?:%b)|(?:%b)%b[A-Za-z]++"
    % (APOSTROPHE, b"|".join(PLAIN_AFTER), b"|".join(PLAIN_BEFORE), APOSTROPHE),
    re.IGNORECASE,
)
"""An ASCII word with an apostrophe of cp1252 in a place where many languages have one."""

MOST_PAIRS: Final = 6

GUEST: Final = 5 * STEP
"""Surcharge for a word of another language."""

SUITS: Final = 14 * STEP
"""A text that costs more than this for each word beyond ASCII is searched for words of other languages."""

MOST_TOKENS: Final = 20
_BROKEN: Final = re.compile("ï¿½|[\x80-\x9f\ufffd\ufffe\uffff\ud800-\udfff]")

_SET_APART: Final = re.compile(
    "[\u00a0\u202f](?=[!?;:»%€$£°])|(?<=[«№§°º©])\u00a0|(?<=[a-z]\\.)\u00a0(?=\\d)|(?<=[A-ZÀ-Þ])[–—](?=[A-ZÀ-Þ])"
    "|(?<=[\\wÀ-ɏ`])¬(?=[\\w´](?!\\w))|√(?=π)"
)

FORGIVEN: Final = 8 * STEP
"""Discount for a no-break space before punctuation or between a sign and its figure, for a dash between capitals, and
for the nose of an emoticon."""

BROKEN: Final = 20 * STEP
"""Cost of what correct text never has: C1 controls, U+FFFD or its UTF-8 bytes as Latin-1, half a surrogate pair."""

_TORN: Final = re.compile("(?<![A-Z][A-Z])Ã\u00a0(?=[a-z])|ï¿½")

TORN: Final = 12 * STEP
"""Cost of the UTF-8 of ``à`` inside a word, and of U+FFFD, decoded as Latin-1."""

UNREAD: Final = 1 << 30

LOST: Final = 14 * STEP
"""Cost of a character that no encoding of the language has."""

PICTURE: Final = 8 * STEP
"""Cost of an arrow, a mathematical sign, a musical note, an emoji: in no encoding, but in titles."""

_PICTURES: Final = re.compile("(?<![A-Za-z√])[←-⇿∀-∙∛-⋿♀-♯★☆✓✔❤⚠\U0001f300-\U0001faff]")

PLAIN: Final = 4 * STEP
"""Cost of a letter of a script without a model."""


@dataclass(slots=True)
class PricedReading:
    """The cost of a text in twelfths of a nat, and the language with that cost."""

    cost: int
    language: str


@cache
def _alphabets() -> tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...]:
    """Return the alphabets by their lowest letter, with those of a user's own languages that no other one covers."""
    known = {encoding for _, encodings in _ALPHABETS for encoding in encodings}
    own = []
    for language in LANGUAGES.values():
        encodings = language.encodings or (f"u-{language.code}",)
        letters = {char for char in language.letters + language.letters.upper() if not char.isascii()}
        if letters and known.isdisjoint(encodings):
            own.append((re.compile(f"[{''.join(sorted(letters))}]"), encodings[:1]))
    return tuple((pattern.pattern[1], pattern, encodings) for pattern, encodings in (*_ALPHABETS, *own))


@cache
def _by_encoding(encoding: str) -> tuple[EncodingPair, ...]:
    return tuple(pair for pair in pairs() if pair.encoding == encoding)


@cached_if_short(8192)
def read(text: str) -> PricedReading:
    """Return the cost of a text in the language that suits it best. ASCII words cost nothing."""
    if text.isascii():
        return PricedReading(sum(14 * STEP for char in text if char < " " and char not in "\n\t"), "")
    highest = max(text)
    runs = CJK_RUN.findall(text) if highest >= _FIRST_CJK else ()
    readings = [cjk_reading(text, tuple(runs))] if runs else []
    for lowest, pattern, encodings in _alphabets():
        if lowest <= highest and pattern.search(text):
            readings.append(alphabet_reading(text, encodings))
    best = min(readings, key=lambda reading: reading.cost) if readings else alphabet_reading(text, ("cp1252",))
    return PricedReading(best.cost + _besides(text), best.language)


def _besides(text: str) -> int:
    """Return the cost of signs, whatever the language."""
    if not _ANY_BESIDES.search(text):
        return 0
    worst = BROKEN * len(_BROKEN.findall(text)) + PRIVATE * len(UNUSED.findall(text)) + TORN * len(_TORN.findall(text))
    return worst - FORGIVEN * len(_SET_APART.findall(text))


@cached_if_short(8192)
def read_in(text: str, language: str) -> int:
    """Return the cost of a text in one language; in the best one if that is unknown, or is not alphabetic."""
    if not language or text.isascii() or not LANGUAGES[language].letters:
        return read(text).cost
    encoding = (*LANGUAGES[language].encodings, f"u-{language}")[0]
    return alphabet_reading(text, (encoding,), language).cost


def _signs(text: str) -> PricedReading:
    """Return the cost of a text without any letter of a model."""
    total = last = 0
    for char in text:
        cls = char_class(char)
        last = (last << 5 | cls) & 0x7FFF
        total += steps()[last] + (PLAIN if not char.isascii() and char.isalpha() else 0)
        total += PRIVATE if char > "\uffff" else 0
    return PricedReading(total + 6 * STEP, "")


def alphabet_reading(text: str, encodings: tuple[str, ...], only: str = "") -> PricedReading:
    """Return the cost of a text in the languages of these encodings, or in one of them.

    The text is priced as bytes, in the encoding that can write most of it.
    """
    kernel = native.kernel()
    if kernel is not None:
        numbers, tonal, language = _numbers(encodings, only)
        # Only the encoding of Vietnamese writes marks as characters of their own.
        number, cost, lost = kernel.alphabet(text, toned(text) if tonal >= 0 else text, numbers, tonal, language)
        found = PricedReading(cost + _lost(lost, text), pairs()[number].language if number >= 0 else "")
        return _chosen(text, encodings, found, only)
    written = [(encoding, encode(toned(text) if encoding == "cp1258" else text, encoding)) for encoding in encodings]
    marks = text.count("?")
    least = min(raw.count(b"?") for _, raw in written)
    lost = _lost((least - marks) * LOST, text)
    near = []
    for encoding, raw in written:
        if raw.count(b"?") == least:
            words = [word for word in ODD_WORD.findall(raw) if not _CLITIC.fullmatch(word)]
            lanes = spread(sum(map(word_lanes, words)))
            near += [
                (lanes[pair.number], pair.number, pair, words)
                for pair in _by_encoding(encoding)
                if not only or pair.language == only
            ]
    best = PricedReading(UNREAD, "")
    for _, _, pair, words in sorted(near)[:MOST_PAIRS]:
        cost = lost
        for word in words:
            if cost >= best.cost:
                break  # no word costs less than 0
            cost += pair.cost(word)
        if cost < best.cost:
            best = PricedReading(cost, pair.language)
    return _chosen(text, encodings, best, only)


def _chosen(text: str, encodings: tuple[str, ...], best: PricedReading, only: str) -> PricedReading:
    if not best.language or not best.cost:
        return _signs(text)
    return best if only else _with_guests(text, encodings, best)


def _lost(cost: int, text: str) -> int:
    """Return the cost of characters that no encoding of the language has; pictures cost less than unknown letters."""
    return cost - min(cost, (LOST - PICTURE) * len(_PICTURES.findall(text))) if cost > 0 else cost


@cache
def _numbers(encodings: tuple[str, ...], only: str) -> tuple[tuple[int, ...], int, int]:
    """Return the kernel's numbers of the encodings, of cp1258, and of the language; -1 for none."""
    every = encoding_numbers()
    tonal = every["cp1258"] if "cp1258" in encodings else -1
    return tuple(every[encoding] for encoding in encodings), tonal, native.language_numbers()[only] if only else -1


def _with_guests(text: str, encodings: tuple[str, ...], host: PricedReading) -> PricedReading:
    """Return the cost of a text that its language does not suit well, with words of other languages in it."""
    if host.cost <= 2 * SUITS:
        return host
    tokens = [token for token in text.split() if not token.isascii()]
    if not 1 < len(tokens) <= MOST_TOKENS or host.cost <= SUITS * len(tokens):
        return host
    cost = sum(min(read_in(token, host.language), alphabet_reading(token, encodings).cost + GUEST) for token in tokens)
    return PricedReading(min(cost, host.cost), host.language)


WIDE: Final = "[\u2010-\u2bff\u3000-\ud7a3\ue000-\uf8ff\uf900-\uffef]"
_LATIN: Final = re.compile("[A-Za-z\u00c0-\u024f]")
SMALL: Final = "[a-z\u00df-\u024f]"
CAPITAL: Final = "[A-Z\u00c0-\u00de]"
_BESIDE_SMALL: Final = re.compile(f"(?<={SMALL})(?={WIDE})|(?<={WIDE})(?={SMALL})")
_BESIDE_CAPITAL: Final = re.compile(f"(?<={CAPITAL})(?={WIDE})|(?<={WIDE})(?={CAPITAL})")
GLUED: Final = 9 * STEP
JOINED: Final = 4 * STEP
PRIVATE: Final = 18 * STEP

UNUSED: Final = re.compile("[\ue000-\uf8ff\u2500-\u257f\U00030000-\U000e00ff\U000e01f0-\U0010ffff]")
"""Private use, planes without characters, and box-drawing characters: no title has them."""

SIGNS_ONLY: Final = 6 * STEP

LONE: Final = 3 * STEP // 2
"""Cost of a run of one character. The model has no end of a run, and few words are one character long."""

RARE: Final = 15 * STEP

OUTSIDE: Final = {
    "…": 4 * STEP, "’": 5 * STEP, "“": 4 * STEP, "”": 4 * STEP, "–": 6 * STEP, "—": 6 * STEP, "·": 5 * STEP, "×": 6
    * STEP, "♪": 6 * STEP, "☆": 5 * STEP, "★": 5 * STEP,
}  # fmt: skip


_ANY_BESIDES: Final = re.compile("[\x80-\xa0¬¿Ã–—√\u202f\u2500-\u257f\ud800-\uf8ff\ufffd-\uffff\U00030000-\U0010ffff]")
"""Characters one of which is in every text that `_besides` charges or forgives."""


def has_unused(text: str) -> bool:
    """Whether a text has characters that no title has."""
    return UNUSED.search(text) is not None


def cjk_reading(
    text: str, runs: tuple[str, ...], languages: tuple[str, ...] = ("ja", "ko", "zh-Hans", "zh-Hant")
) -> PricedReading:
    """Return the cost of a text with Chinese, Japanese or Korean runs."""
    rest = 0
    if _LATIN.search(text):
        rest += GLUED * len(_BESIDE_SMALL.findall(text)) + JOINED * len(_BESIDE_CAPITAL.findall(text))
    if not runs:
        rest += SIGNS_ONLY
    if sum(map(len, runs)) < len(text):
        # Between the runs: half-width katakana, Cyrillic in a Chinese encoding, private characters; all are rare.
        odd = [char for char in CJK_RUN.sub("", text) if char > "\x7f"]
        rest += sum([PRIVATE if UNUSED.match(char) else OUTSIDE.get(char, RARE) for char in odd])
    rest += LONE * sum([len(run) == 1 for run in runs])
    best = PricedReading(UNREAD, "")
    for code in languages:
        cost = rest + sum(map(models.in_use().characters(code).cost, runs))
        if cost < best.cost:
            best = PricedReading(cost, code)
    return best


GOOD_WORD: Final = 3 * STEP
GOOD_LETTER: Final = 30

GOOD_IDEOGRAM: Final = 15 * STEP // 2
"""A text that costs no more than this for each word, letter and CJK character of its words beyond ASCII counts as
correct."""

WORD: Final = re.compile(r"[^\W\d_]+")


@cached_if_short(4096)
def good(text: str) -> int:
    """Return the cost up to which a text of this length counts as correct."""
    total = 0
    for word in WORD.findall(text):
        if not word.isascii():
            wide = sum(char >= "\u2e80" for char in word)
            total += GOOD_WORD + (GOOD_IDEOGRAM * wide if wide else GOOD_LETTER * len(word))
    return total


@lru_cache(maxsize=128)
def worth(texts: tuple[str, ...]) -> int:
    """Return the sum of `good` over some texts, at least 1."""
    return max(1, sum(map(good, texts)))
