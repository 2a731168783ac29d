"""Identifiers and loudness, read from the texts of a record's ``tags``, and the keys of all texts with a structure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from mediacrawl.base.facts import PERSON, ROLES
from mediacrawl.base.parts import Loudness, as_object

_PAIRS = """
    musicbrainz_recording=musicbrainz_recordingid musicbrainz_track=musicbrainz_trackid
    musicbrainz_release=musicbrainz_albumid musicbrainz_release_group=musicbrainz_releasegroupid
    musicbrainz_artist=musicbrainz_artistid musicbrainz_release_artist=musicbrainz_albumartistid
    musicbrainz_work=musicbrainz_workid musicbrainz_disc=musicbrainz_discid isrc=isrc barcode=barcode
    catalog_number=catalognumber asin=asin acoustid=acoustid_id discogs_release=discogs_release_id
    discogs_artist=discogs_artist_id ufid=ufid itunes_track=itunes_track_id itunes_artist=itunes_artist_id
    itunes_album=itunes_album_id podcast=podcast_guid episode=episode_guid eidr=eidr isan=isan imdb=imdb
    tmdb=tmdb tvdb=tvdb
"""
"""Kinds of identifiers, each with the key of its tags: Picard's, which `probe` gives to each container's own names."""
_IDENTIFIERS = dict(pair.split("=") for pair in _PAIRS.split())
_IDENTIFIER_BY_KEY = {key: name for name, key in _IDENTIFIERS.items()}
_UUIDS = {name for name in _IDENTIFIERS if name.startswith("musicbrainz_")} - {"musicbrainz_disc"} | {"acoustid"}
"""Kinds whose values are UUIDs."""
IDENTIFIER_KEYS = frozenset(_IDENTIFIER_BY_KEY)
"""Keys of tags that hold identifiers."""

_MOST_IDENTIFIERS = 20
"""Identifiers of one kind that are kept."""
_LONGEST_IDENTIFIER = 200
"""Characters of one; longer ones are texts of another kind."""
_BETWEEN = re.compile(r"[;/,\s]+")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_ISRC = re.compile(r"[A-Z]{2}[A-Z0-9]{3}[0-9]{7}", re.ASCII)


def identifiers_of(tags: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the identifiers that elements of ``tags`` state, by the names of `Identifiers`.

    A text that has not the form of its kind is left out: taggers write remarks into these fields too. Several in
    one text (ID3v2.3 joins them with a slash, others with a semicolon) are separated.
    """
    found: dict[str, list[str]] = {}
    for element in tags:
        name = _IDENTIFIER_BY_KEY.get(element["key"])
        if name is None:
            continue
        kept = found.setdefault(name, [])
        for text in _identifiers(name, element["text"]):
            if text not in kept and len(kept) < _MOST_IDENTIFIERS:
                kept.append(text)
    return {name: found[name] for name in _IDENTIFIERS if found.get(name)}


def _identifiers(name: str, text: str) -> Iterable[str]:
    text = text.strip()
    if name in _UUIDS:
        return [match.lower() for match in _UUID.findall(text)]
    if name == "isrc":
        return [each for each in map(_isrc, _BETWEEN.split(text)) if each]
    return [text] if 0 < len(text) <= _LONGEST_IDENTIFIER else []


def _isrc(text: str) -> str:
    plain = text.replace("-", "").upper()
    return plain if _ISRC.fullmatch(plain) else ""


_DECIBELS = {
    "replaygain_track_gain": "track_gain", "replaygain_album_gain": "album_gain", "output_gain": "output_gain",
}  # fmt: skip
_PEAKS = {"replaygain_track_peak": "track_peak", "replaygain_album_peak": "album_peak"}
_R128 = {"r128_track_gain": "r128_track_gain", "r128_album_gain": "r128_album_gain"}
_SOUND_CHECK = frozenset({"itunnorm", "comment:itunnorm"})
LOUDNESS_KEYS = frozenset({*_DECIBELS, *_PEAKS, *_R128, *_SOUND_CHECK})
"""Keys of tags that state loudness."""

_decibels = re.compile(r"\s*([+-]?\d{1,5}(?:[.,]\d{1,12})?)\s*(?:dB)?\s*", re.ASCII | re.IGNORECASE).fullmatch
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
        name, value = _loudness(element["key"], element["text"])
        if value is not None and getattr(found, name) is None:
            setattr(found, name, value)
    return as_object(found)


def _loudness(key: str, text: str) -> tuple[str, float | None]:
    if key in _SOUND_CHECK:
        return "itunes_gain", _of_sound_check(text)
    match = _decibels(text[:40])
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


PLAYING = ("playing_artist", "playing_title")
"""Keys of what a station plays; `MediaItem.now_playing` joins them."""

STRUCTURED_KEYS = frozenset({*IDENTIFIER_KEYS, *LOUDNESS_KEYS, *ROLES, *PLAYING, PERSON, "soundbite"})
"""Keys of tags whose texts are in a structure of the record."""
