"""Whether fields of any length are read right: the held-out titles of a language, joined to so many bytes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

from encoding_readers import readers
from encoding_units import ENCODINGS, HELD_OUT, Score, Unit, encoded, texts_of

LENGTHS = (5, 10, 20, 40, 100, 300, 500, 1_000, 2_000, 4_000, 8_000)
"""Bytes of a field, at most; the last title is left out where it would be longer."""
LONG = 1_000
"""From so many bytes on nothing is left to doubt."""
OF_EACH = 6
"""Fields of each language, encoding and length."""


def by_length(name: str, length: int) -> Score:
    """How a reader reads fields of so many bytes."""
    read = readers()[name]
    units = list(_units(length))
    return Score.of(units, [unit.is_right(read(unit)) for unit in units])


def _units(length: int) -> Iterator[Unit]:
    for language, encodings in ENCODINGS.items():
        titles = [text for of, text in texts_of(HELD_OUT) if of == language and not text.isascii()]
        for encoding in encodings:
            written = [text for text in titles if (raw := encoded(text, encoding)) and len(raw) <= length]
            for start in range(min(OF_EACH, len(written))):
                text = _joined(written, start * len(written) // OF_EACH, encoding, length)
                raw = encoded(text, encoding)
                if raw is not None:
                    yield Unit(language, encoding, (text,), (raw,))


def _joined(titles: list[str], start: int, encoding: str, length: int) -> str:
    """Titles in turn, a line each, of together at most so many bytes."""
    chosen: list[str] = []
    size = -1
    for text in cycle(titles[start:] + titles[:start]):
        size += 1 + len(encoded(text, encoding) or b"")
        if size > length:
            break
        chosen.append(text)
    return "\n".join(chosen)
