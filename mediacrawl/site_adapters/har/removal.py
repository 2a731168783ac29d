"""Removes the values of secrets from wherever else they stand in a recording.

Up to 20,000 values are searched in up to 100 MB at once. Of each value the first eight bytes are known. For every
place of a text numpy looks up the eight bytes that stand there in a table of bits, at 50 MB/s, and what passes is
compared with the values that begin so.
"""

from __future__ import annotations

import html
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from urllib.parse import quote, quote_plus

import numpy as np
from numpy.typing import NDArray

from mediacrawl.site_adapters.har.found import SHORTEST_VALUE, TooManySecretsError
from mediacrawl.site_adapters.har.secrets import REMOVED

_BLOCK = 1 << 20
"""Bytes that are looked up at a time; the tables for them take eight times as much."""
_MOST_FORMS = 100_000
"""Values in each way to write them, which take 25 MB. Most values are letters and digits, and have one."""
_MOST_COMPARED = 1 << 30
"""Bytes of values that are compared in one recording: ten times what the texts of a recording have. Only values made
for it begin alike so often."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_BITS_A_VALUE = 64
"""Bits of the table for each value, so that one place in 64 is compared in vain."""
_REMOVED = REMOVED.encode()
_plain = re.compile(r"[A-Za-z0-9_.~-]*+").fullmatch
_Words = NDArray[np.uint64]


class Removal:
    """The values of one recording, made ready for the search."""

    def __init__(self, values: Mapping[str, str], counts: Counter[str]) -> None:
        """Prepare the search.

        Args:
            values: each value -> the kind of secret that it is.
            counts: secrets that were removed, by kind; what is removed here is added.

        Raises:
            TooManySecretsError: there are too many ways to write them.
        """
        self._counts = counts
        self._kinds = dict[bytes, str]()
        for value, kind in values.items():
            self._kinds.update(dict.fromkeys(_forms(value), kind))
            if len(self._kinds) > _MOST_FORMS:
                raise TooManySecretsError
        self._lengths = dict[bytes, list[int]]()
        for form in self._kinds:
            self._lengths.setdefault(form[:SHORTEST_VALUE], []).append(len(form))
        self._lengths = {start: sorted(set(each), reverse=True) for start, each in self._lengths.items()}
        self._shift = np.uint64(64 - max(12, (_BITS_A_VALUE * len(self._lengths)).bit_length()))
        self._table = np.zeros(1 << (64 - int(self._shift)), dtype=np.bool_)
        self._table[self._hashed(np.frombuffer(b"".join(self._lengths), dtype="<u8"))] = True
        self._compared = 0

    def clean(self, text: str) -> str:
        """Remove all values from a text.

        Args:
            text: of any length.

        Raises:
            TooManySecretsError: too many values begin alike.
        """
        return self.clean_all([text])[0]

    def clean_all(self, texts: Sequence[str]) -> list[str]:
        """Remove all values from texts, which is faster at once if they are short.

        Args:
            texts: without lone surrogates.

        Raises:
            TooManySecretsError: too many values begin alike.
        """
        parts = [text.encode() for text in texts]
        ends = list(accumulate(len(part) + 1 for part in parts))
        cleaned = list(texts)
        spans = dict[int, list[tuple[int, int]]]()
        for start, end in self._found(b"\n".join(parts)) if self._kinds else ():
            place = bisect_right(ends, start)
            before = ends[place] - len(parts[place]) - 1
            if end < ends[place]:
                spans.setdefault(place, []).append((start - before, end - before))
        for place, found in spans.items():
            cleaned[place] = _without(parts[place], found).decode("utf-8", "replace")
        return cleaned

    def _found(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where values stand: the first and longest at each place, none inside another one."""
        over = 0
        for block in range(0, len(data), _BLOCK):
            # A value may begin in one block and end in the next.
            for start in self._candidates(data[block : block + _BLOCK + SHORTEST_VALUE - 1]):
                place = block + start
                if place >= over and (end := self._end(data, place)):
                    over = end
                    yield place, end

    def _candidates(self, block: bytes) -> list[int]:
        places = []
        for offset in range(min(SHORTEST_VALUE, len(block) - SHORTEST_VALUE + 1)):
            words = np.frombuffer(block, dtype="<u8", count=(len(block) - offset) // SHORTEST_VALUE, offset=offset)
            places.append(np.flatnonzero(self._table[self._hashed(words)]) * SHORTEST_VALUE + offset)
        return sorted(np.concatenate(places).tolist()) if places else []

    def _hashed(self, words: _Words) -> _Words:
        hashed: _Words = (words * _SPREAD) >> self._shift
        return hashed

    def _end(self, data: bytes, start: int) -> int:
        """Where the value ends that begins here; 0 if there is none."""
        for length in self._lengths.get(data[start : start + SHORTEST_VALUE], ()):
            self._compared += length
            if self._compared > _MOST_COMPARED:
                raise TooManySecretsError
            value = data[start : start + length]
            # At the end of the text it is shorter.
            kind, end = self._kinds.get(value), start + len(value)
            if kind is not None and not (value.isdigit() and _is_in_number(data, start, end)):
                self._counts[kind] += 1
                return end
        return 0


def _is_in_number(data: bytes, start: int, end: int) -> bool:
    """Whether digits are a part of a longer number, in which they stand by chance."""
    return data[max(0, start - 1) : start].isdigit() or data[end : end + 1].isdigit()


def _without(data: bytes, spans: Iterable[tuple[int, int]]) -> bytes:
    pieces, at = list[bytes](), 0
    for start, end in spans:
        pieces += (data[at:start], _REMOVED)
        at = end
    return b"".join([*pieces, data[at:]])


def _forms(value: str) -> set[bytes]:
    """How a value may be written: as it is, in a URL, in JSON, in HTML."""
    if _plain(value):
        return {value.encode()}
    encoded = quote(value, safe="")
    json_text = json.dumps(value)[1:-1]
    forms = {value, encoded, encoded.replace("%2F", "/"), quote_plus(value), quote(encoded, safe=""), json_text}
    forms |= {json_text.replace("/", "\\/"), json.dumps(value, ensure_ascii=False)[1:-1].replace("/", "\\/")}
    forms |= {html.escape(value), re.sub("%..", lambda match: match[0].lower(), encoded)}
    return {form.encode("utf-8", "replace") for form in forms}
