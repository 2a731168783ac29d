"""Whole documents that declare nothing: pages of held-out titles, decided by our models, by chardet, and by both.

A document counts if each of its characters is right. Beside the encodings that have a model there are those that only
chardet knows. Its HTML has a script, a style and links around each title, so that about half of it is markup.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple
from unittest import mock

import chardet
from encoding_peers import codec
from encoding_units import ENCODINGS, HELD_OUT, texts_of

from mediacrawl.encoding import Hints
from mediacrawl.encoding.detection import document
from mediacrawl.encoding.languages import LANGUAGES

SIZES = (1, 5, 30)
"""Titles of a document."""
BEYOND = {
    "johab": "ko",
    "iso2022_kr": "ko",
    "cp720": "ar",
    "mac_greek": "el",
    "cp869": "el",
    "cp861": "is",
    "mac_iceland": "is",
    "cp856": "he",
    "tis_620": "th",
    "big5hkscs": "zh-Hant",
}
"""Encodings without a model of ours -> a language that was written in each."""
KNOWN, UNKNOWN = "with a model", "beyond our models"


class Page(NamedTuple):
    """One document.

    Attributes:
        kind: `KNOWN` or `UNKNOWN`.
        size: titles in it.
        raw: its bytes.
        text: what they are.
        language: of its titles.
    """

    kind: str
    size: int
    raw: bytes
    text: str
    language: str


class Marks(NamedTuple):
    """What one way of reading came to: percent of documents that are right, how many there were, ms of CPU of each."""

    share: float
    count: int
    millis: float


@cache
def pages() -> tuple[Page, ...]:
    """A document of each size for each language and encoding."""
    found = [(KNOWN, language, name) for language, names in ENCODINGS.items() for name in names]
    found += [(UNKNOWN, language, name) for name, language in BEYOND.items()]
    return tuple(page for kind, language, name in found for size in SIZES for page in _page(kind, language, name, size))


def _page(kind: str, language: str, name: str, size: int) -> Iterator[Page]:
    texts = [text for of, text in texts_of(HELD_OUT) if of == language and _writes(text, name)]
    if not texts:
        return
    chosen = random.Random(f"{language} {name} {size}").sample(texts, min(size, len(texts)))
    links = "\n".join(f'<li class="item"><a href="/a/{number}.html">{text}</a>' for number, text in enumerate(chosen))
    head = f"<title>{chosen[0]}</title><script>if (a < b) {{ show('x') }}</script><style>a {{ color: red }}</style>"
    text = f"<html><head>{head}</head><body><ul>{links}</ul></body></html>"
    raw = text.encode(name)
    if raw.decode(name) == text:
        yield Page(kind, size, raw, text, language)


def _writes(text: str, name: str) -> bool:
    if text.isascii() or "&" in text or "<" in text:
        return False
    try:
        return text.encode(name).decode(name) == text
    except UnicodeError:
        return False


def _both(page: Page) -> str:
    return document.decide_document(page.raw).text


def _ours(page: Page) -> str:
    # Without chardet's answer the models are alone.
    with mock.patch.object(document, "_chardet_answer", return_value=None):
        return document.decide_document(page.raw).text


def _hinted(page: Page) -> str:
    language = LANGUAGES.get(page.language)
    tld = language.tlds[0] if language and language.tlds else ""
    return document.decide_document(page.raw, (), lambda: Hints(tld=tld, page_language=page.language)).text


def _chardet(page: Page) -> str:
    name = codec(chardet.detect(page.raw)["encoding"])
    try:
        return page.raw.decode(name)
    except (UnicodeError, LookupError):
        return ""


OURS, CHARDET, BOTH, HINTED = "our models alone", "chardet alone", "both", "both, with language and TLD"
WAYS: dict[str, Callable[[Page], str]] = {
    OURS: _ours,
    CHARDET: _chardet,
    BOTH: _both,
    HINTED: _hinted,
}


def documents(way: str) -> dict[tuple[str, int], Marks]:
    """How many documents of each kind and size one way reads right.

    Args:
        way: one of `WAYS`.
    """
    read = WAYS[way]
    read(pages()[0])
    found: dict[tuple[str, int], list[tuple[bool, float]]] = {}
    for page in pages():
        began = time.process_time()
        is_right = read(page) == page.text
        found.setdefault((page.kind, page.size), []).append((is_right, time.process_time() - began))
    return {
        group: Marks(
            100 * sum(right for right, _ in each) / len(each),
            len(each),
            1e3 * sum(took for _, took in each) / len(each),
        )
        for group, each in found.items()
    }


def print_documents(found: dict[str, dict[tuple[str, int], Marks]]) -> None:
    """Print a table: ways by kinds and sizes."""
    groups = sorted(next(iter(found.values())), key=lambda group: (group[0] == UNKNOWN, group[1]))
    print("\nWhole documents without a declaration: % read right (ms of CPU each)")
    for kind, size in groups:
        count = next(iter(found.values()))[kind, size].count
        print(f"{kind}, {size} titles ({count} documents)")
        for way, marks in found.items():
            print(f"    {way:30}{marks[kind, size].share:8.1f}{marks[kind, size].millis:10.2f}")


def shares(marks: dict[tuple[str, int], Marks], kind: str) -> float:
    """Percent of the documents of a kind, all sizes together."""
    of_kind = [each for (found, _), each in marks.items() if found == kind]
    return sum(each.share * each.count for each in of_kind) / sum(each.count for each in of_kind)


if __name__ == "__main__":
    print_documents({way: documents(way) for way in WAYS})
