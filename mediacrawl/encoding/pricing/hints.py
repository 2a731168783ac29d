"""Shifts of the prior costs by hints. No hint decides alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from mediacrawl.base.charsets import Seen
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.decision import Hints
from mediacrawl.encoding.languages import LANGUAGES, all_priors, codec_name, languages_named
from mediacrawl.encoding.pricing.reading import read

Shift = Callable[[str, str], int]
"""A function of encoding and language: what to add to their prior cost; negative if hints favour them."""

COUNTRY_NATS: Final = 4.0
PAGE_LANGUAGE_NATS: Final = 3.5
PAGE_CHARSET_NATS: Final = 3.0
TAG_LANGUAGE_NATS: Final = 3.5
ANCHOR_NATS: Final = 3.5
SCRIPT_NATS: Final = 2.0
DECLARED_NATS: Final = 6.0
MOST_NATS: Final = 8.0

PRIOR_WORTH: Final = 3.0
"""The prior counts as so many observations in addition to those of the host."""


def _language_nats(tld: str, page: str, tags: tuple[str, ...], anchor: str) -> dict[str, float]:
    """Return the evidence of the hints for each language, in nats."""
    nats: dict[str, float] = {}

    def add(codes: tuple[str, ...], worth: float) -> None:
        for code in codes:
            nats[code] = min(MOST_NATS, nats.get(code, 0.0) + worth)

    add(tuple(language.code for language in LANGUAGES.values() if tld in language.tlds), COUNTRY_NATS)
    add(languages_named(page), PAGE_LANGUAGE_NATS)
    for tag in tags:
        # Taggers write "eng" into every comment, whatever its language.
        if tag.lower() not in ("eng", "en"):
            add(languages_named(tag), TAG_LANGUAGE_NATS)
    spoken = read(anchor).language if anchor else ""
    if spoken:
        add((spoken,), ANCHOR_NATS - SCRIPT_NATS)
        script = LANGUAGES[spoken].script
        if script != "latin":
            add(tuple(code for code, language in LANGUAGES.items() if language.script == script), SCRIPT_NATS)
    return nats


def shift_of(hints: Hints) -> Shift | None:
    """Return the shift of the priors by hints; None if there is none."""
    named = _named_shift(hints.tld, hints.page_language, hints.tag_languages, hints.anchor[:200], hints.page_charset)
    if not hints.seen:
        return named
    seen = _history_shift(hints.seen)
    return seen if named is None else lambda encoding, language: named(encoding, language) + seen(encoding, language)


@lru_cache(maxsize=256)
def _named_shift(tld: str, page: str, tags: tuple[str, ...], anchor: str, page_charset: str) -> Shift | None:
    """Return the shift by named languages and encodings. Cached: the records of a host or an album share them."""
    nats = _language_nats(tld, page, tags, anchor)
    charset = codec_name(page_charset)
    if not nats and not charset:
        return None

    def shift(encoding: str, language: str) -> int:
        total = nats.get(language, 0.0)
        if charset and encoding == charset and charset not in ("cp1252", "utf-8"):
            total += PAGE_CHARSET_NATS
        return -round(min(total, MOST_NATS) * STEP)

    return shift


def _history_shift(seen: Seen) -> Shift:
    """Return the shift from the global prior to the posterior with the counts of the host."""
    total = sum(seen.values())
    by_encoding: dict[str, float] = {}
    for (encoding, _), count in seen.items():
        by_encoding[encoding] = by_encoding.get(encoding, 0.0) + count
    priors = all_priors()

    def shift(encoding: str, language: str) -> int:
        prior = priors.get((encoding, language), 1e-6)
        # Where Russian was found in an encoding, Bulgarian in it is likelier than another encoding.
        found = 0.7 * seen.get((encoding, language), 0.0) + 0.3 * by_encoding.get(encoding, 0.0) * min(1.0, 5 * prior)
        learned = (PRIOR_WORTH * prior + found) / (PRIOR_WORTH + total)
        return round((math.log(prior) - math.log(learned)) * STEP)

    return shift
