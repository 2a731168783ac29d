"""Hints: gathered from a stored record, and turned into shifts of the prior costs. No hint decides alone."""

from __future__ import annotations

import codecs
import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.decision import Hints, Seen
from mediacrawl.encoding.history import place_of
from mediacrawl.encoding.languages import LANGUAGES, all_priors, codec_name, languages_named
from mediacrawl.encoding.pricing.reading import read
from mediacrawl.encoding.records.fields import TextField

Shift = Callable[[str, str], int]
"""What an encoding and a language cost more or, negative, less than their prior."""

COUNTRY_NATS: Final = 4.0

PAGE_LANGUAGE_NATS: Final = 3.5

PAGE_CHARSET_NATS: Final = 3.0

TAG_LANGUAGE_NATS: Final = 3.0

ANCHOR_NATS: Final = 3.5

SCRIPT_NATS: Final = 2.0

DECLARED_NATS: Final = 6.0

MOST_NATS: Final = 8.0

PRIOR_WORTH: Final = 3.0
"""The prior counts as so many observations beside what was found on the host."""


@lru_cache(maxsize=512)
def _of_country(tld: str) -> tuple[str, ...]:
    return tuple(language.code for language in LANGUAGES.values() if tld in language.tlds)


def _language_nats(tld: str, page: str, tags: tuple[str, ...], anchor: str) -> dict[str, float]:
    """How much likelier each language is, in nats."""
    nats: dict[str, float] = {}

    def add(codes: tuple[str, ...], worth: float) -> None:
        for code in codes:
            nats[code] = min(MOST_NATS, nats.get(code, 0.0) + worth)

    add(_of_country(tld), COUNTRY_NATS)
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
    """The shift of every prior that hints ask for; None if they ask for none."""
    named = _named_shift(hints.tld, hints.page_language, hints.tag_languages, hints.anchor[:200], hints.page_charset)
    if not hints.seen:
        return named
    seen = _history_shift(hints.seen)
    return seen if named is None else lambda encoding, language: named(encoding, language) + seen(encoding, language)


@lru_cache(maxsize=256)
def _named_shift(tld: str, page: str, tags: tuple[str, ...], anchor: str, page_charset: str) -> Shift | None:
    """The same for what names languages and encodings. Remembered: the records of a host or an album have the same."""
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
    """From a global prior to one that has learned from the host: both are counts, and counts add."""
    total = sum(seen.values())
    by_encoding: dict[str, float] = {}
    for (encoding, _), count in seen.items():
        by_encoding[encoding] = by_encoding.get(encoding, 0.0) + count
    priors = all_priors()

    def shift(encoding: str, language: str) -> int:
        prior = priors.get((encoding, language), 1e-6)
        # A host that is found to be Russian today holds Bulgarian tomorrow rather than another encoding.
        found = 0.7 * seen.get((encoding, language), 0.0) + 0.3 * by_encoding.get(encoding, 0.0) * min(1.0, 5 * prior)
        learned = (PRIOR_WORTH * prior + found) / (PRIOR_WORTH + total)
        return round((math.log(prior) - math.log(learned)) * STEP)

    return shift


_ADDRESSES = ("content_url", "url", "page_url")

_NO_LANGUAGE = frozenset({"", "xxx", "und", "zxx", "mul"})

_LONGEST_ANCHOR = 400

_LONGEST_NAME = 40


def address(item: Mapping[str, Any]) -> str:
    """The URL of the file, or of what else the record is about; empty without one."""
    return next((url for name in _ADDRESSES if (url := _text(item, name))), "")


def hints_of(
    item: Mapping[str, Any], fields: Iterable[TextField], elements: Iterable[Mapping[str, Any]], seen: Seen
) -> Hints:
    """Gathers what else is known of the bytes; `Hints.declared` is left to who knows the order of the fields.

    Args:
        item: the record, of any project.
        fields: all of it that are not plain ASCII.
        elements: of its ``tags``.
        seen: what was found before where the file lies.
    """
    return Hints(
        tld=top_level(address(item)),
        page_language=_text(item, "page_language")[:_LONGEST_NAME],
        page_charset=_text(item, "page_charset")[:_LONGEST_NAME],
        tag_languages=tuple(_languages(elements)),
        anchor=f"{_text(item, 'anchor_text')} {_text(item, 'page_title')}".strip()[:_LONGEST_ANCHOR],
        known=tuple(dict.fromkeys(field.text for field in fields if field.by_user or _reads_as_itself(field))),
        seen=seen,
    )


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def top_level(url: str) -> str:
    """The last label of a URL's host, in lower case; empty for an address."""
    # The records of a host differ in what follows it.
    end = url.find("/", len("https://")) if url.startswith(("http://", "https://")) else -1
    return _label(url[:end] if end > 0 else url)


@lru_cache(maxsize=256)
def _label(url: str) -> str:
    label = place_of(url).host.rpartition(".")[2]
    return label if label.isalpha() or label.startswith("xn--") else ""


def _languages(elements: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    """What frames say (COMM, USLT), and what the file says of itself (TLAN); each once."""
    named: dict[str, None] = {}
    for element in elements:
        language = element["text"] if element["key"] == "language" else element.get("lang")
        if isinstance(language, str) and len(language) <= _LONGEST_NAME and language.isascii():
            named[language.lower()] = None
    return (name for name in named if name not in _NO_LANGUAGE)


def _reads_as_itself(field: TextField) -> bool:
    """Whether a field that is declared as Unicode surely is what it says.

    UTF-16 needs its byte order mark, for 8-bit text read as UTF-16 looks like Chinese. And one character beyond
    cp1252, for UTF-8 and UTF-16 made from misread text hold nothing else.
    """
    if not field.declared.startswith("utf-") or field.raw is None or "\ufffd" in field.before:
        return False
    if field.declared == "utf-16" and not field.raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    if not field.before.replace("\n", " ").isprintable():
        return False
    try:
        field.before.encode("cp1252")
    except UnicodeEncodeError:
        return True
    return False
