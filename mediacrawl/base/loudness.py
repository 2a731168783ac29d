"""Loudness as tags state it: ReplayGain, Opus's R128 and iTunes' Sound Check."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from mediacrawl.base.parts import Loudness, as_object

_DECIBELS = {
    "replaygain_track_gain": "track_gain",
    "replaygain_album_gain": "album_gain",
    "output_gain": "output_gain",
}
_PEAKS = {"replaygain_track_peak": "track_peak", "replaygain_album_peak": "album_peak"}
_R128 = {"r128_track_gain": "r128_track_gain", "r128_album_gain": "r128_album_gain"}
_SOUND_CHECK = frozenset({"itunnorm", "comment:itunnorm"})
LOUDNESS_KEYS = frozenset({*_DECIBELS, *_PEAKS, *_R128, *_SOUND_CHECK})
"""Keys of tags that state loudness."""

_number = re.compile(r"\s*([+-]?\d{1,5}(?:[.,]\d{1,12})?)\s*(?:dB)?\s*", re.ASCII | re.IGNORECASE).fullmatch
_sound_check = re.compile(r"\s*([0-9A-F]{8})\s+([0-9A-F]{8})\b", re.ASCII | re.IGNORECASE).match
_OF_ENCODERS = frozenset({"lame"})
_NO_MEASUREMENTS = frozenset({"RVAD", "RVA"})
_LOUDEST = 100.0
"""Decibels; more is no gain of a recording."""
_HIGHEST = 100.0
"""A peak beyond it is no sample."""


def loudness_of(tags: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return the loudness that elements of ``tags`` state, by the names of `Loudness`; the first valid one counts.

    What a tagger measured comes before what the encoder wrote (LAME's header), and before what is no measurement
    (ID3v2's RVAD).

    R128 gains are in 256ths of a decibel (RFC 7845, 5.2.1). ``iTunNORM`` has ten hexadecimal numbers; the first two
    are the two channels' adjustments, where 1000 is none, and the greater one is applied.
    """
    found = Loudness()
    measured = [element for element in tags if element["key"] in LOUDNESS_KEYS]
    for element in sorted(
        measured, key=lambda each: each["source"] in _OF_ENCODERS or each["frame"] in _NO_MEASUREMENTS
    ):
        name, value = _read(element["key"], element["text"])
        if value is not None and getattr(found, name) is None:
            setattr(found, name, value)
    return as_object(found)


def _read(key: str, text: str) -> tuple[str, float | None]:
    if key in _SOUND_CHECK:
        return "itunes_gain", _of_sound_check(text)
    match = _number(text[:40])
    value = float(match[1].replace(",", ".")) if match else None
    if key in _PEAKS:
        return _PEAKS[key], value if value is not None and 0 <= value <= _HIGHEST else None
    if key in _R128:
        return _R128[key], _plausible(None if value is None else value / 256)
    return _DECIBELS[key], _plausible(value)


def _plausible(gain: float | None) -> float | None:
    return round(gain, 4) if gain is not None and abs(gain) <= _LOUDEST else None


def _of_sound_check(text: str) -> float | None:
    match = _sound_check(text)
    adjustment = max(int(match[1], 16), int(match[2], 16)) if match else 0
    return _plausible(round(-10 * math.log10(adjustment / 1000), 2)) if adjustment else None
