"""How likely an encoding and a language are before a byte was read: one table, the dial between common and rare cases.

The weights are a judgement of what files hold that claim Latin-1 and are not ASCII, relative to each other. Flat
priors would find rare encodings more often and common ones less, and change more of what is right.
"""

from __future__ import annotations

import codecs
import math
from functools import cache, lru_cache
from typing import Final

from mediacrawl.encoding.languages import LANGUAGES

ENCODING_WEIGHTS: Final[dict[str, float]] = {
    # What is declared is mostly right.
    "cp1252": 2000.0,
    "cp1251": 45.0, "gb18030": 11.0, "cp932": 18.0, "utf-8": 24.0, "cp949": 7.0, "cp1250": 7.0, "cp950": 5.5,
    "cp1256": 2.25, "cp1253": 3.0,
    "cp1255": 5.4, "cp1254": 2.7, "cp874": 2.7, "cp1257": 1.0, "cp1258": 0.6,
    "koi8_r": 0.6, "koi8_u": 0.2, "cp866": 0.6, "cp1125": 0.2, "mac_cyrillic": 0.4, "iso8859_5": 0.4, "kz1048": 0.15,
    "ptcp154": 0.01,
    "iso8859_2": 0.5, "cp852": 0.5, "mac_latin2": 0.4, "iso8859_16": 0.02, "cp855": 0.02,
    "mac_roman": 0.8, "cp850": 1.5, "iso8859_15": 0.05, "iso8859_14": 0.02, "iso8859_3": 0.05,
    "mac_turkish": 0.15, "cp857": 0.15, "iso8859_4": 0.2, "iso8859_13": 0.1, "cp775": 0.1,
    "iso8859_7": 0.1, "cp737": 0.2, "cp862": 0.2, "iso8859_6": 0.2, "euc_jp": 0.5,
}  # fmt: skip

SOFTEN: Final = 0.75
"""Weights to this power: between flat (0) and as they are (1)."""

UTF8: Final = ("utf-8", "")
"""UTF-8 says nothing of the language before it is read."""


def prior_nats(encoding: str, code: str) -> float:
    """The cost of an encoding with a language, in nats over the likeliest; less is likelier."""
    share = 1.0
    if code:
        rivals = [language for language in LANGUAGES.values() if encoding in language.encodings]
        share = LANGUAGES[code].weight / sum(language.weight for language in rivals)
    return -math.log((ENCODING_WEIGHTS[encoding] / ENCODING_WEIGHTS["cp1252"]) ** SOFTEN * share**SOFTEN)


@cache
def all_priors() -> dict[tuple[str, str], float]:
    """The probability of each encoding with each language; together 1."""
    keys = [(encoding, language.code) for language in LANGUAGES.values() for encoding in language.encodings]
    weights = {key: math.exp(-prior_nats(*key)) for key in (*keys, UTF8)}
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


_SAME: Final = {
    "iso8859-1": "cp1252", "latin-1": "cp1252", "ascii": "cp1252", "iso8859-9": "cp1254", "iso8859-8": "cp1255",
    "iso8859-11": "cp874", "tis-620": "cp874",
    "shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030", "big5": "cp950",
    "big5hkscs": "cp950", "mac-cyrillic": "mac_cyrillic",
    "mac-roman": "mac_roman", "mac-latin2": "mac_latin2", "mac-turkish": "mac_turkish", "koi8-r": "koi8_r",
    "koi8-u": "koi8_u",
}  # fmt: skip


LONGEST_NAME: Final = 40


@lru_cache(maxsize=256)
def codec_name(name: str) -> str:
    """Our name for an encoding, by any name that Python knows; empty if it has no prior.

    Encodings that another one contains go by the larger one's name: GB2312 is gb18030, Shift_JIS cp932, Latin-1 cp1252.
    """
    if not name or len(name) > LONGEST_NAME:
        return ""
    try:
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    known = _SAME.get(known, known)
    dashed = known.replace("-", "_")
    return known if known in ENCODING_WEIGHTS else dashed if dashed in ENCODING_WEIGHTS else ""
