"""What mediacrawl's decisions are worth besides: its confidence, hosts that it learns, and undeclared documents."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import chardet
from encoding_peers import codec
from encoding_units import ENCODINGS, FIRST_ON_HOST, HELD_OUT, Score, Unit, texts_of, units

from mediacrawl.encoding import Hints, History, detect
from mediacrawl.encoding.detection import document


def right_if_sure(least: float) -> float:
    """Return how many of the single fields that are decided with so much confidence are right, in percent."""
    found = [(unit, detect(unit.raws)) for unit in units("field")]
    marks = [unit.is_right(decided.texts) for unit, decided in found if decided.confidence >= least]
    return 100 * sum(marks) / len(marks)


# -- hosts ----------------------------------------------------------------------------------------------------------

ON_HOST = 40
"""Fields of a simulated host."""


def hosts(seeds: int, learn: bool) -> tuple[Score, Score]:
    """Simulate hosts, one for each language and encoding, with up to 40 files of one field each.

    Args:
        seeds: orders of each host's files.
        learn: whether what is found on a host is remembered, and given as a hint.

    Returns:
        The score of all fields, and of those after the first `FIRST_ON_HOST`.
    """
    of_cell: dict[tuple[str, str], list[Unit]] = {}
    for unit in units("field"):
        of_cell.setdefault((unit.language, unit.encoding), []).append(unit)
    everything, later = Score(), Score()
    for (cell, found), seed in itertools.product(of_cell.items(), range(seeds)):
        files = random.Random(f"{cell} {seed}").sample(found, min(ON_HOST, len(found)))
        for place, (unit, is_right) in enumerate(_crawled(files, learn=learn)):
            everything.add(unit, is_right)
            if place >= FIRST_ON_HOST:
                later.add(unit, is_right)
    return everything, later


def _crawled(files: list[Unit], *, learn: bool) -> Iterator[tuple[Unit, bool]]:
    history = History()
    for number, unit in enumerate(files):
        url = f"http://media.example/music/{number}.mp3"
        decided = detect(unit.raws, Hints(seen=history.prior(url)) if learn else None)
        if learn:
            history.learn(url, decided)
        yield unit, unit.is_right(decided.texts)


# -- whole documents that declare nothing -----------------------------------------------------------------------------

SIZES = (1, 5, 30)
"""Titles of a document."""


class Page(NamedTuple):
    """One document: how many titles it has, its bytes, and what they are."""

    size: int
    raw: bytes
    text: str


@cache
def pages() -> tuple[Page, ...]:
    """Return a document of each size for each language and encoding."""
    cells = [(language, name) for language, names in ENCODINGS.items() for name in names]
    found = (_page(language, name, size) for language, name in cells for size in SIZES)
    return tuple(page for page in found if page is not None)


def _page(language: str, name: str, size: int) -> Page | None:
    """Return a page with a script, a style and a link around each title, so that about half of it is markup."""
    texts = [text for of, text in texts_of(HELD_OUT) if of == language and _writes(text, name)]
    if not texts:
        return None
    chosen = random.Random(f"{language} {name} {size}").sample(texts, min(size, len(texts)))
    links = "\n".join(f'<li class="item"><a href="/a/{number}.html">{text}</a>' for number, text in enumerate(chosen))
    head = f"<title>{chosen[0]}</title><script>if (a < b) {{ show('x') }}</script><style>a {{ color: red }}</style>"
    text = f"<html><head>{head}</head><body><ul>{links}</ul></body></html>"
    raw = text.encode(name)
    return Page(size, raw, text) if raw.decode(name) == text else None


def _writes(text: str, name: str) -> bool:
    if text.isascii() or "&" in text or "<" in text:
        return False
    try:
        return text.encode(name).decode(name) == text
    except UnicodeError:
        return False


def _by_chardet(page: Page) -> str:
    try:
        return page.raw.decode(codec(chardet.detect(page.raw)["encoding"]))
    except (UnicodeError, LookupError):
        return ""


WAYS: dict[str, Callable[[Page], str]] = {
    "chardet alone": _by_chardet,
    "mediacrawl, with chardet": lambda page: document.DecodedDocument.of(page.raw).text,
}


def documents(way: str) -> dict[int, tuple[int, int]]:
    """Return for each size how many documents one of `WAYS` reads right to the last character, and of how many."""
    found = dict.fromkeys(SIZES, (0, 0))
    for page in pages():
        right, count = found[page.size]
        found[page.size] = right + (WAYS[way](page) == page.text), count + 1
    return found
