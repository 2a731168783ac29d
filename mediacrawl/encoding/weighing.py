"""The hypotheses of a record, weighed by the native part (`mediacrawl.encoding.native`).

`mediacrawl.encoding.hypotheses` and `mediacrawl.encoding.detector` hold the same arithmetic in Python, and what few
fields need besides. A hypothesis goes by its number here: first the pairs of an 8-bit encoding and a language, then
UTF-8, then the double-byte encodings. So do encodings.
"""

from __future__ import annotations

from array import array
from functools import cache, lru_cache
from typing import Any, Final

from mediacrawl.encoding import native
from mediacrawl.encoding.codepages import STEP, characters
from mediacrawl.encoding.hinting import DECLARED_NATS, Shift
from mediacrawl.encoding.scoring import pairs

TRUSTED: Final = round(DECLARED_NATS * STEP)
"""What a declared encoding other than Latin-1 is worth."""


@cache
def names() -> tuple[tuple[str, str], ...]:
    """The encoding and the language of each hypothesis by its number; UTF-8 has no language."""
    from mediacrawl.encoding.hypotheses import double_byte  # noqa: PLC0415 - that module asks this one

    eight_bit = [(pair.encoding, pair.language) for pair in pairs()]
    return (*eight_bit, ("utf-8", ""), *[(encoding, language) for encoding, language, _ in double_byte()])


@cache
def encodings() -> dict[str, int]:
    """The numbers of all encodings."""
    known = dict(native.encodings())
    for encoding, _ in names()[len(pairs()) :]:
        known.setdefault(encoding, len(known))
    return known


@lru_cache(maxsize=64)
def shifts(shift: Shift) -> bytes:
    """What hints do to the prior of each hypothesis, as the kernel takes it."""
    return array("i", [shift(encoding, language) for encoding, language in names()]).tobytes()


def spec() -> dict[str, Any]:
    """The tables and constants that the kernel weighs with.

    Raises:
        ValueError: an encoding has characters that do not fit the tables.
    """
    from mediacrawl.encoding import hypotheses, pieces, reading  # noqa: PLC0415 - the first and last ask this one

    tone = min(byte for byte in range(256) if hypotheses.LOOSE_TONE_SIGN.match(bytes((byte,))))
    return {
        "forgiven": reading.FORGIVEN,
        "language_switch": hypotheses.LANGUAGE_SWITCH,
        "loose_tone": hypotheses.LOOSE_TONE,
        "telling_words": hypotheses.TELLING_WORDS,
        "most_words": hypotheses.MOST_ASCII_WORDS,
        "most_scored": pieces.MOST_SCORED,
        "lone": hypotheses.LONE,
        "trusted": TRUSTED,
        "utf8_prior": hypotheses.utf8_prior(),
        "unpaired": hypotheses.UNPAIRED,
        "quotes": array("H", map(ord, hypotheses.QUOTES)).tobytes(),
        "tonal": native.encodings().get("cp1258", -1),
        "set_apart": bytes(hypotheses.SET_APART.match(bytes((0xA0, byte))) is not None for byte in range(256)),
        "tones": bytes(hypotheses.LOOSE_TONE_SIGN.match(bytes((byte,))) is not None for byte in range(256)),
        "toned": bytes(hypotheses.LOOSE_TONE_SIGN.match(bytes((byte, tone)), 1) is None for byte in range(256)),
        "characters": [_code_points(encoding) for encoding in native.encodings()],
    }


def _code_points(encoding: str) -> bytes:
    """The code points of the 256 characters of an 8-bit encoding, 16 bits each.

    Raises:
        ValueError: one of them is beyond U+FFFF, as in the alphabet of a user's own language.
    """
    points = list(map(ord, characters(encoding)))
    if max(points) > native.LAST_NEAR:
        raise ValueError(f"{encoding} has the character U+{max(points):X}.")
    return array("H", points).tobytes()
