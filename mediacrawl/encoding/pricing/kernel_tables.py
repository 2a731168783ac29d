"""The tables and constants of the native part: those of the Python modules, which are the reference."""

from __future__ import annotations

import re
from array import array
from typing import Any, Final

from mediacrawl.encoding import codepages, excerpts, models
from mediacrawl.encoding.codepages import characters, encode
from mediacrawl.encoding.languages import LANGUAGES
from mediacrawl.encoding.native import language_numbers
from mediacrawl.encoding.pricing import decoding, hypotheses, reading, scoring
from mediacrawl.encoding.pricing.hypotheses import all_encoding_numbers, double_byte
from mediacrawl.encoding.pricing.scoring import EncodingPair, encoding_numbers

MOST_GAIN_STEPS: Final = 480
"""`scoring.gain_cost` is constant beyond so many twelfths of a nat, on either side."""

LAST_NEAR: Final = 0xFFFF
"""The kernel has tables of the code points up to this one."""


def load(name: str | tuple[int, int] | tuple[int, bytes]) -> tuple[Any, ...] | str | int:
    """Load what the kernel first needs: large tables of a language, a row of a double-byte encoding, or a price.

    The price is that of bytes which the kernel cannot decode.
    """
    if isinstance(name, tuple):
        number, asked = name
        encoding, language, _ = double_byte()[number]
        if isinstance(asked, bytes):
            return hypotheses.price_bytes(asked, encoding, language)
        # The characters with this first byte, for each second byte.
        return _SECONDS.replace(b"\0", bytes((asked,))).decode(encoding, "replace")
    trained = models.in_use()
    if LANGUAGES[name].letters:
        return trained.letters(name).tables()
    model = trained.characters(name)
    points = array("I", map(ord, model.numbers))
    return points, model.unigrams, model.gaps, model.keys, model.costs, model.unseen


def spec() -> dict[str, Any]:
    """Return all tables and constants of the kernel."""
    lettered = [language.code for language in LANGUAGES.values() if language.letters]
    return {
        **{name.lower(): getattr(module, name) for module, names in _CONSTANTS for name in names.split()},
        "least_difference": -MOST_GAIN_STEPS,
        "near_pairs": reading.MOST_PAIRS,
        "plain_apostrophe": reading.APOSTROPHE[0],
        "weighing": _weighing_spec(),
        "steps": codepages.steps(),
        "pair_steps": codepages.pair_steps(),
        "half": scoring.HALF,
        "clitics": [
            sorted(scoring.CLITICS_BEFORE),
            sorted(scoring.CLITICS_AFTER),
            list(reading.PLAIN_BEFORE),
            list(reading.PLAIN_AFTER),
        ],
        "english": language_numbers()["en"],
        "declared": encoding_numbers()["cp1252"],
        "names": [*lettered, *[code for code in LANGUAGES if code not in lettered]],
        "languages": [
            {
                "size": (model := models.in_use().letters(code)).size,
                "latin": LANGUAGES[code].script == "latin",
                "bigrams": model.bigrams,
                "ascii_numbers": scoring.ascii_numbers(code),
            }
            for code in lettered
        ],
        "pairs": [_pair(pair) for pair in scoring.pairs()],
        "encodings": [_codes(encoding) for encoding in encoding_numbers()],
        "gains": [scoring.gain_cost(gain) for gain in range(-MOST_GAIN_STEPS, MOST_GAIN_STEPS + 1)],
        "kinds": _kinds(),
        "outside": [
            (0, 0xFFFF, reading.RARE),
            *((ord(char), ord(char), cost) for char, cost in reading.OUTSIDE.items()),
        ],
        "doubles": [_double(*each) for each in double_byte()],
    }


_CONSTANTS: Final = (
    (
        scoring,
        """FOREIGN ALIEN ASCII_LETTER ACRONYM ACRONYM_LETTER LONGEST_ACRONYM CLITIC ODD_APOSTROPHE LATIN_WORD MOST_LATIN
        MOST_GAIN LANE_STEP LONGEST_WORD NEVER""",
    ),
    (codepages, "STEP"),
    (hypotheses, "GATE MOST_PAIRS HOPELESS MOST_LANGUAGES MOST_WESTERN FIELD_GATE FIELD_PAIRS"),
    (reading, "LOST UNREAD GLUED JOINED PRIVATE SIGNS_ONLY LONE"),
    (decoding, "SHORTEST_CUT"),
)
"""Constants that have the same name in the kernel, in lower case."""


def _pair(pair: EncodingPair) -> dict[str, Any]:
    if len(pair.apostrophe) > 1:
        raise ValueError(f"{pair.encoding} has {len(pair.apostrophe)} apostrophes.")
    return {
        "encoding": encoding_numbers()[pair.encoding],
        "language": language_numbers()[pair.language],
        "latin": pair.latin,
        "apostrophe": pair.apostrophe[0] if pair.apostrophe else -1,
        "prior": pair.prior,
        "prior_lane": scoring.prior_lane(pair),
        "letters": pair.letters,
        "classes": pair.classes,
        "capitals": _marked(pair.capitals),
        "foreign": _marked(pair.foreign),
        "extra": scoring.extra_costs(pair),
    }


def _marked(some: bytes) -> bytes:
    return bytes(byte in some for byte in range(256))


def _codes(encoding: str) -> bytes:
    """Return the characters of an encoding: three bytes each, the code point and the byte."""
    found = bytearray()
    for char in sorted(set(characters(encoding))):
        raw = encode(char, encoding)
        if char > "\uffff":
            raise ValueError(f"{encoding} has the character U+{ord(char):X}.")
        if raw != b"?" or char == "?":
            found += ord(char).to_bytes(2, "big") + raw
    return bytes(found)


def _ranges(pattern: str) -> list[tuple[int, int]]:
    """Return the code points of a regular expression's character class."""
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), pattern)
    found = re.search(r"\[((?:.-.|.)+)\]", plain, re.DOTALL)
    pieces = re.findall(r".-.|.", found[1], re.DOTALL) if found else []
    return [(ord(piece[0]), ord(piece[-1])) for piece in pieces]


def _kinds() -> list[tuple[int, int, int]]:
    """Ranges of code points, with a bit for the kind of their characters."""
    classes = (
        (reading.CJK_RUN.pattern, 1),
        (reading.WIDE, 2),
        (reading.SMALL, 4),
        (reading.CAPITAL, 8),
        (reading.UNUSED.pattern, 16),
    )
    every = [(first, last, bit) for pattern, bit in classes for first, last in _ranges(pattern)]
    return [(first, min(last, LAST_NEAR), bit) for first, last, bit in every if first <= LAST_NEAR]


_SINGLE, _FIRST, _NONE, _UNTOLD = range(4)


def _double(encoding: str, language: str, prior: int) -> dict[str, Any]:
    """The kind of each first byte in a double-byte encoding: single, first of two, invalid, or decoded in Python."""
    kinds, singles = bytearray(256), array("H", bytes(512))
    for byte in range(256):
        try:
            singles[byte] = ord(bytes((byte,)).decode(encoding))
        except UnicodeDecodeError as error:
            kinds[byte] = _FIRST if error.reason.startswith("incomplete") else _NONE
    if encoding == "euc_jp":
        kinds[0x8F] = _UNTOLD  # three bytes
    return {
        "language": language_numbers()[language],
        "encoding": all_encoding_numbers()[encoding],
        "prior": prior,
        "kinds": bytes(kinds),
        "singles": singles.tobytes(),
        "least_second": _LEAST_SECOND,
        "untold": _marked(b"0123456789" if encoding == "gb18030" else b""),  # four bytes
    }


_LEAST_SECOND: Final = 0x31
"""The lowest second byte of a two-byte character in these encodings."""

_SECONDS: Final = b"".join(bytes((0, second, 10)) for second in range(_LEAST_SECOND, 256))


def _weighing_spec() -> dict[str, Any]:
    """Return the tables and constants of `Kernel.weigh` and `Kernel.choose`."""
    return {
        "language_switch": hypotheses.LANGUAGE_SWITCH,
        "most_words": hypotheses.MOST_ASCII_WORDS,
        "most_scored": excerpts.MOST_SCORED,
        "lone": hypotheses.LONE,
        "trusted": hypotheses.TRUSTED,
        "close": hypotheses.CLOSE,
        "utf8_prior": hypotheses.utf8_prior(),
        "tonal": encoding_numbers().get("cp1258", -1),
        "characters": [_code_points(encoding) for encoding in encoding_numbers()],
    }


def _code_points(encoding: str) -> bytes:
    """Return the code points of the 256 characters of an 8-bit encoding, 16 bits each."""
    points = list(map(ord, characters(encoding)))
    if max(points) > LAST_NEAR:
        raise ValueError(f"{encoding} has the character U+{max(points):X}.")
    return array("H", points).tobytes()
