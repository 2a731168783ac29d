"""What mutagen and tinytag say of the same files, in the words of `probe_samples`. tinytag may be missing."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import mutagen
from probe_samples import Text

HEAD = 64 * 1024
"""Bytes of a file that mutagen is given: what a crawler would fetch that knows no containers."""


class Said(NamedTuple):
    """What a program says of a file: its texts, how many seconds it plays, and by name what else it says."""

    texts: frozenset[str]
    seconds: float | None
    facts: dict[str, Any]

    def has(self, texts: Iterable[Text]) -> bool:
        """Whether all these are among its texts; one that is wrongly encoded may also be there as Latin-1."""
        return all(
            text.text in self.texts or (text.raw is not None and text.raw.decode("latin-1") in self.texts)
            for text in texts
        )


NOTHING = Said(frozenset(), None, {})


class _Named(io.BytesIO):
    """Bytes with the name of a file: mutagen also goes by the extension."""

    name = ""


def mutagen_head(name: str, data: bytes) -> Said:
    """What mutagen says of the first `HEAD` bytes."""
    head = _Named(data[:HEAD])
    head.name = name
    try:
        file = mutagen.File(head)
        if file is None:
            return NOTHING
        texts = frozenset(_texts(list((file.tags or {}).values())))
        return Said(texts, getattr(file.info, "length", None), {})
    except Exception:  # noqa: BLE001  (it may raise anything on a part of a file)
        return NOTHING


def _texts(value: Any) -> Iterator[str]:
    """All texts in what mutagen keeps as a value: lists, frames, attributes, pairs of numbers."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple) and all(isinstance(part, int) for part in value):
        yield "/".join(map(str, value))
    elif isinstance(value, bytes):
        yield value.decode("utf-8", errors="replace")
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif hasattr(value, "text"):
        yield from _texts([str(one) for one in value.text] if isinstance(value.text, list) else str(value.text))
    elif isinstance(getattr(value, "value", None), str):
        yield from value.value.split("\0")


def tinytag_whole(name: str, data: bytes) -> Said | None:
    """What tinytag says of the whole file; None if it is not installed, or cannot read such a file."""
    try:
        reader = importlib.import_module("tinytag").TinyTag
    except ImportError:
        return None
    try:
        found = reader.get(filename=name, file_obj=io.BytesIO(data))
    except Exception:  # noqa: BLE001
        return None
    facts = {"sample_rate": found.samplerate, "channels": found.channels, "bits_per_sample": found.bitdepth}
    texts = {key: value for key, value in found.as_dict().items() if isinstance(value, str | list)}
    bitrate = round(found.bitrate * 1000) if found.bitrate else None
    named = {"title": found.title, "artist": found.artist, "album": found.album, "bitrate": bitrate, **facts}
    return Said(frozenset(_texts(list(texts.values()))), found.duration, named)
