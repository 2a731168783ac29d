"""The numbers of encodings and hypotheses, by which the native part and Python name them to each other."""

from __future__ import annotations

from array import array
from functools import cache, lru_cache

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.languages import LANGUAGES, prior_nats
from mediacrawl.encoding.pricing.scoring import Shift, pairs


@cache
def encodings() -> dict[str, int]:
    """The numbers of the 8-bit encodings."""
    return {encoding: number for number, encoding in enumerate(dict.fromkeys(pair.encoding for pair in pairs()))}


@cache
def double_byte() -> tuple[tuple[str, str, int], ...]:
    """The double-byte encodings: name, language, prior."""
    return tuple(
        (encoding, language.code, round(prior_nats(encoding, language.code) * STEP))
        for language in LANGUAGES.values()
        if language.script == "cjk"
        for encoding in language.encodings
    )


@cache
def double_bytes() -> dict[tuple[str, str], int]:
    """The numbers of the double-byte encodings, by encoding and language."""
    return {(encoding, language): number for number, (encoding, language, _) in enumerate(double_byte())}


@cache
def hypothesis_names() -> tuple[tuple[str, str], ...]:
    """The encoding and the language of each hypothesis by its number; UTF-8 has no language."""
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
    """The shift of each hypothesis's prior, as the kernel takes it."""
    return array("i", [shift(encoding, language) for encoding, language in hypothesis_names()]).tobytes()
