"""The optional native part (``deploy/native``, ``make native``): the same prices, computed in C.

The modules of this package stay the reference: `scoring`, `hypotheses`, `reading` and `gaps` ask `kernel` first, and
price in Python where it answers None. The C code has no table and no price of its own: `_spec` hands over those of the
modules. All costs are integers, and `tests/encoding/test_native.py` compares both bit for bit.
"""

from __future__ import annotations

import importlib
import logging
import os
import re
from array import array
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import characters
from mediacrawl.encoding.languages import LANGUAGES

if TYPE_CHECKING:
    from mediacrawl.encoding.hints import Shift
from mediacrawl.encoding.pricing.scoring import pairs

logger = logging.getLogger(__name__)

MODULE: Final = "mediacrawl_native"

ABI: Final = 3
"""Raised with every change of what `_spec` hands over or of what the kernel's methods take and give; the version in
``deploy/native/pyproject.toml`` begins with it."""

SWITCH: Final = "MEDIACRAWL_NATIVE"
"""Environment variable; ``0`` decides in pure Python although the native part is installed."""

MOST_GAIN_STEPS: Final = 480
"""`scoring.gain_cost` is constant beyond so many twelfths of a nat, on either side."""

UNUSED: Final = 16

LAST_NEAR: Final = 0xFFFF
"""The kernel has a table of what the code points up to this one are, and ranges of the unused ones beyond."""

RecordContext = tuple[list[bytes], bytes | None, tuple[tuple[int, ...], ...]]
"""What is known of a record: all its fields, whose ASCII words tell of the language; what hints do to the priors
(`weighing.shifts`); tuples of pairs, of each of which the cheapest is priced in any case."""


class Kernel(Protocol):
    """What ``mediacrawl_native.Kernel`` computes. Pairs, encodings and languages go by their numbers in `_spec`."""

    def weigh(
        self,
        pieces: list[bytes],
        of_record: list[int],
        about: RecordContext,
        utf8: list[int] | None,
        may_mix: bool,
        /,
    ) -> list[tuple[int, int, list[int]]]:
        """The hypotheses of a record: number, prior, cost of each piece. Numbers are those of `weighing`.

        Args:
            pieces: what is priced of each field, and more.
            of_record: for each field the number of what makes up the record's cost.
            about: what else is known of the record.
            utf8: the cost of each piece in UTF-8; None if none of them is UTF-8.
            may_mix: fields may be in several languages of one encoding.
        """

    def choose(
        self,
        piece: bytes,
        about: RecordContext,
        utf8: int | None,
        trusted: int,
        declared: int,
        /,
    ) -> tuple[int, int, int, list[tuple[int, int]]]:
        """The decision on a record of one field beyond ASCII.

        Args:
            piece: what is priced of the field.
            about: what else is known of the record.
            utf8: the cost in UTF-8; None if the piece is none.
            trusted: an encoding that is believed because it is declared, or -1.
            declared: the encoding that the field is left in, or -1.

        Returns:
            The number of the best hypothesis; its margin over the declared encoding, in twelfths of a nat; whether the
            last rival does read another text; the cheapest other hypotheses that may read another text, with the margin
            over each.
        """

    def grow(
        self,
        options: list[tuple[tuple[str, int, int, bool], ...]],
        kept: list[int],
        language: int,
        prices: tuple[int, int, int],
        beam: int,
        /,
    ) -> list[tuple[int, str, int, int, int]]:
        """What a word in a double-byte encoding can have been before it lost bytes, see `gaps`.

        Args:
            options: for each unit the characters that may stand there, see `gaps._options`.
            kept: for each unit what it costs to keep the mark that stands there; 0 where none does.
            language: written in characters.
            prices: of a byte that is put in, of a character of ASCII, and of another one that the models do not know.
            beam: how many words go on from each unit.

        Returns:
            Each word with its cost, its text, how many bytes are put in, what the losses cost, and what it costs with
            the characters that the models know.
        """

    def double(self, raw: bytes, encoding: int, /) -> int | None:
        """What bytes cost in a double-byte encoding; None where Python must decode them."""

    def price(self, raw: bytes, pair: int, /) -> int:
        """What the odd words of some bytes cost in a pair, without its prior."""

    def ascii(self, words: list[bytes], languages: list[int], lone: bool, /) -> list[int]:
        """What ASCII words cost in each of the languages, beside English."""

    def alphabet(
        self, text: str, toned: str, encodings: tuple[int, ...], tonal: int, only: int, /
    ) -> tuple[int, int, int]:
        """The best pair for a text (-1 for none), its cost, and what no encoding can write of the text."""

    def scan(self, text: str, /) -> int:
        """What a text may have, in the bits of `reading.telling`. All of them where it has characters beyond U+FFFF."""

    def characters(self, text: str, languages: tuple[int, ...], /) -> tuple[int, int]:
        """The best language for a text with Chinese, Japanese or Korean runs, and the text's cost."""


@cache
def _module() -> Any:
    """The module, if it is installed and is made for this version; otherwise None."""
    try:
        found = importlib.import_module(MODULE)
    except ImportError:
        return None
    return found if getattr(found, "ABI", None) == ABI else None


def is_native() -> bool:
    """Whether the native part is installed, fits, and is not switched off."""
    return os.environ.get(SWITCH) != "0" and _module() is not None


def description() -> str:
    """What prices texts here, in a few words for a person."""
    if is_native():
        return "native"
    if os.environ.get(SWITCH) == "0":
        return f"pure Python ({SWITCH}=0)"
    return f"pure Python ({MODULE} is not installed, or is of another version)"


@cache
def kernel() -> Kernel | None:
    """The kernel over the models in use; None where Python prices, also for models that do not fit its tables."""
    if not is_native():
        return None
    try:
        return cast("Kernel", _module().Kernel(_spec(), _load))
    except ValueError as error:
        logger.warning("Texts are priced in pure Python, since the models do not fit the native part: %s", error)
        return None


@cache
def languages() -> dict[str, int]:
    """The numbers of the languages with an alphabet."""
    return {language.code: number for number, language in enumerate(_lettered())}


@cache
def written_in_characters() -> dict[str, int]:
    """The numbers of the languages without one."""
    codes = [language.code for language in LANGUAGES.values() if not language.letters]
    return {code: number for number, code in enumerate(codes)}


def _lettered() -> list[Any]:
    return [language for language in LANGUAGES.values() if language.letters]


@cache
def encodings() -> dict[str, int]:
    """The numbers of the 8-bit encodings."""
    from mediacrawl.encoding.pricing.scoring import pairs  # noqa: PLC0415 - that module asks this one

    return {encoding: number for number, encoding in enumerate(dict.fromkeys(pair.encoding for pair in pairs()))}


def _load(name: str | tuple[int, int] | tuple[int, bytes]) -> tuple[Any, ...] | str | int:
    """What the kernel asks for.

    The large tables of a language, or a row of a double-byte encoding, when it first needs them; the cost of bytes
    that it cannot decode.
    """
    if isinstance(name, tuple):
        number, asked = name
        return _row(number, asked) if isinstance(asked, int) else _price(number, asked)
    trained = models.in_use()
    if LANGUAGES[name].letters:
        return trained.letters(name).tables()
    model = trained.characters(name)
    points = array("I", map(ord, model.numbers))
    return points, model.unigrams, model.gaps, model.keys, model.costs, model.unseen


def _spec() -> dict[str, Any]:
    """All tables and constants that the kernel works with."""
    from mediacrawl.encoding import codepages  # noqa: PLC0415
    from mediacrawl.encoding.pricing import reading, scoring  # noqa: PLC0415

    return {
        **_constants(),
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
        "english": languages()["en"],
        "declared": encodings()["cp1252"],
        "names": [*languages(), *written_in_characters()],
        "languages": [_language(code) for code in languages()],
        "pairs": [_pair(pair) for pair in scoring.pairs()],
        "encodings": [_codes(encoding) for encoding in encodings()],
        "gains": [scoring.gain_cost(gain) for gain in range(-MOST_GAIN_STEPS, MOST_GAIN_STEPS + 1)],
        "kinds": _kinds(),
        "outside": _outside(),
        "telling": _telling(),
        "doubles": [_double(*each) for each in _doubles()],
    }


def _constants() -> dict[str, int]:
    from mediacrawl.encoding import codepages  # noqa: PLC0415
    from mediacrawl.encoding.pricing import decoding, hypotheses, reading, scoring  # noqa: PLC0415

    return {
        "foreign": scoring.FOREIGN,
        "alien": scoring.ALIEN,
        "ascii_letter": scoring.ASCII_LETTER,
        "acronym": scoring.ACRONYM,
        "acronym_letter": scoring.ACRONYM_LETTER,
        "longest_acronym": scoring.LONGEST_ACRONYM,
        "clitic": scoring.CLITIC,
        "odd_apostrophe": scoring.ODD_APOSTROPHE,
        "latin_word": scoring.LATIN_WORD,
        "most_latin": scoring.MOST_LATIN,
        "most_gain": scoring.MOST_GAIN,
        "least_difference": -MOST_GAIN_STEPS,
        "lane_step": scoring.LANE_STEP,
        "longest_word": scoring.LONGEST_WORD,
        "step": codepages.STEP,
        "gate": hypotheses.GATE,
        "most_pairs": hypotheses.MOST_PAIRS,
        "hopeless": hypotheses.HOPELESS,
        "most_languages": hypotheses.MOST_LANGUAGES,
        "most_western": hypotheses.MOST_WESTERN,
        "field_gate": hypotheses.FIELD_GATE,
        "field_pairs": hypotheses.FIELD_PAIRS,
        "never": scoring.NEVER,
        "near_pairs": reading.MOST_PAIRS,
        "lost": reading.LOST,
        "unread": reading.UNREAD,
        "glued": reading.GLUED,
        "joined": reading.JOINED,
        "private": reading.PRIVATE,
        "signs_only": reading.SIGNS_ONLY,
        "lone": reading.LONE,
        "rare": reading.RARE,
        "plain_apostrophe": reading.APOSTROPHE[0],
        "shortest_cut": decoding.SHORTEST_CUT,
    }


def _language(code: str) -> dict[str, Any]:
    from mediacrawl.encoding.pricing.scoring import ascii_numbers  # noqa: PLC0415 - that module asks this one

    model = models.in_use().letters(code)
    return {
        "size": model.size,
        "latin": LANGUAGES[code].script == "latin",
        "bigrams": model.bigrams,
        "ascii_numbers": ascii_numbers(code),
    }


def _pair(pair: Any) -> dict[str, Any]:
    from mediacrawl.encoding.pricing.scoring import extra_costs, prior_lane  # noqa: PLC0415 - that module asks this one

    if len(pair.apostrophe) > 1:
        raise ValueError(f"{pair.encoding} has {len(pair.apostrophe)} apostrophes.")
    return {
        "encoding": encodings()[pair.encoding],
        "language": languages()[pair.language],
        "latin": pair.latin,
        "apostrophe": pair.apostrophe[0] if pair.apostrophe else -1,
        "prior": pair.prior,
        "prior_lane": prior_lane(pair),
        "letters": pair.letters,
        "classes": pair.classes,
        "capitals": _marked(pair.capitals),
        "foreign": _marked(pair.foreign),
        "extra": extra_costs(pair),
    }


def _marked(some: bytes) -> bytes:
    return bytes(byte in some for byte in range(256))


def _codes(encoding: str) -> bytes:
    """The characters that an encoding can write: three bytes each, the code point and the byte."""
    from mediacrawl.encoding.codepages import characters, encode  # noqa: PLC0415 - of what this module serves

    found = bytearray()
    for char in sorted(set(characters(encoding))):
        raw = encode(char, encoding)
        if char > "\uffff":
            raise ValueError(f"{encoding} has the character U+{ord(char):X}.")
        if raw != b"?" or char == "?":
            found += ord(char).to_bytes(2, "big") + raw
    return bytes(found)


def _ranges(pattern: str) -> list[tuple[int, int]]:
    """The code points of a regular expression's character class."""
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), pattern)
    found = re.search(r"\[((?:.-.|.)+)\]", plain, re.DOTALL)
    pieces = re.findall(r".-.|.", found[1], re.DOTALL) if found else []
    return [(ord(piece[0]), ord(piece[-1])) for piece in pieces]


def _kinds() -> list[tuple[int, int, int]]:
    """Ranges of code points, with a bit for what their characters are."""
    from mediacrawl.encoding.pricing import reading  # noqa: PLC0415 - that module asks this one

    classes = (
        (reading.CJK_RUN.pattern, 1),
        (reading.WIDE, 2),
        (reading.SMALL, 4),
        (reading.CAPITAL, 8),
        (reading.UNUSED.pattern, UNUSED),
    )
    every = [(first, last, bit) for pattern, bit in classes for first, last in _ranges(pattern)]
    return [(first, last, bit) for first, last, bit in every if first <= LAST_NEAR or bit == UNUSED]


def _telling() -> list[tuple[int, int, int]]:
    """Ranges of code points, with a bit for what a text may have that has one of them."""
    from mediacrawl.encoding.pricing import reading  # noqa: PLC0415 - that module asks this one

    every = [(first, last, bit) for pattern, bit in reading.telling() for first, last in _ranges(pattern)]
    return [(first, min(last, LAST_NEAR), bit) for first, last, bit in every if first <= LAST_NEAR]


def _outside() -> list[tuple[int, int, int]]:
    from mediacrawl.encoding.pricing import reading  # noqa: PLC0415 - that module asks this one

    return [(0, 0xFFFF, reading.RARE), *((ord(char), ord(char), cost) for char, cost in reading.OUTSIDE.items())]


_SINGLE, _FIRST, _NONE, _UNTOLD = range(4)


def _doubles() -> tuple[tuple[str, str, int], ...]:
    """The double-byte encodings, each with the language that is written in it, and its prior."""
    from mediacrawl.encoding.pricing.hypotheses import double_byte  # noqa: PLC0415 - that module asks this one

    return double_byte()


def _double(encoding: str, language: str, prior: int) -> dict[str, Any]:
    """What a byte at the beginning of a character is: one of its own, the first of two, none, or not told here."""
    kinds, singles = bytearray(256), array("H", bytes(512))
    for byte in range(256):
        try:
            singles[byte] = ord(bytes((byte,)).decode(encoding))
        except UnicodeDecodeError as error:
            kinds[byte] = _FIRST if error.reason.startswith("incomplete") else _NONE
    if encoding == "euc_jp":
        kinds[0x8F] = _UNTOLD  # three bytes
    return {
        "language": written_in_characters()[language],
        "encoding": all_encodings()[encoding],
        "prior": prior,
        "kinds": bytes(kinds),
        "singles": singles.tobytes(),
        "least_second": _LEAST_SECOND,
        "untold": _marked(b"0123456789" if encoding == "gb18030" else b""),  # four bytes
    }


@cache
def double_bytes() -> dict[tuple[str, str], int]:
    """The numbers of the double-byte encodings, by encoding and language."""
    return {(encoding, language): number for number, (encoding, language, _) in enumerate(_doubles())}


_LEAST_SECOND: Final = 0x31
"""None of these encodings has a character of two bytes with a lower second one."""

_SECONDS: Final = b"".join(bytes((0, second, 10)) for second in range(_LEAST_SECOND, 256))


def _row(number: int, first: int) -> str:
    """What characters begin with a byte: for each second byte from `_LEAST_SECOND` on one, or several where none is."""
    encoding, _, _ = _doubles()[number]
    return _SECONDS.replace(b"\0", bytes((first,))).decode(encoding, "replace")


def _price(number: int, raw: bytes) -> int:
    """What bytes cost in a double-byte encoding."""
    from mediacrawl.encoding.pricing.hypotheses import price_bytes  # noqa: PLC0415 - that module asks this one

    encoding, language, _ = _doubles()[number]
    return price_bytes(raw, encoding, language)


@cache
def hypothesis_names() -> tuple[tuple[str, str], ...]:
    """The encoding and the language of each hypothesis by its number; UTF-8 has no language."""
    from mediacrawl.encoding.pricing.hypotheses import double_byte  # noqa: PLC0415 - that module asks this one

    eight_bit = [(pair.encoding, pair.language) for pair in pairs()]
    return (*eight_bit, ("utf-8", ""), *[(encoding, language) for encoding, language, _ in double_byte()])


@cache
def all_encodings() -> dict[str, int]:
    """The numbers of all encodings."""
    known = dict(encodings())
    for encoding, _ in hypothesis_names()[len(pairs()) :]:
        known.setdefault(encoding, len(known))
    return known


@lru_cache(maxsize=64)
def prior_shifts(shift: Shift) -> bytes:
    """What hints do to the prior of each hypothesis, as the kernel takes it."""
    return array("i", [shift(encoding, language) for encoding, language in hypothesis_names()]).tobytes()


def _weighing_spec() -> dict[str, Any]:
    """The tables and constants that the kernel weighs with."""
    from mediacrawl.encoding import excerpts  # noqa: PLC0415
    from mediacrawl.encoding.pricing import hypotheses, reading, signs  # noqa: PLC0415

    tone = min(byte for byte in range(256) if signs.LOOSE_TONE_SIGN.match(bytes((byte,))))
    return {
        "forgiven": reading.FORGIVEN,
        "language_switch": hypotheses.LANGUAGE_SWITCH,
        "loose_tone": signs.LOOSE_TONE,
        "telling_words": hypotheses.TELLING_WORDS,
        "most_words": hypotheses.MOST_ASCII_WORDS,
        "most_scored": excerpts.MOST_SCORED,
        "lone": hypotheses.LONE,
        "trusted": hypotheses.TRUSTED,
        "utf8_prior": hypotheses.utf8_prior(),
        "unpaired": signs.UNPAIRED,
        "quotes": array("H", map(ord, signs.QUOTES)).tobytes(),
        "tonal": encodings().get("cp1258", -1),
        "set_apart": bytes(signs.SET_APART.match(bytes((0xA0, byte))) is not None for byte in range(256)),
        "tones": bytes(signs.LOOSE_TONE_SIGN.match(bytes((byte,))) is not None for byte in range(256)),
        "toned": bytes(signs.LOOSE_TONE_SIGN.match(bytes((byte, tone)), 1) is None for byte in range(256)),
        "characters": [_code_points(encoding) for encoding in encodings()],
    }


def _code_points(encoding: str) -> bytes:
    """The code points of the 256 characters of an 8-bit encoding, 16 bits each."""
    points = list(map(ord, characters(encoding)))
    if max(points) > LAST_NEAR:
        raise ValueError(f"{encoding} has the character U+{max(points):X}.")
    return array("H", points).tobytes()
