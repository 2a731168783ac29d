"""Identifiers of recordings and releases: one name each, whatever the container calls it.

Keys of tags are Picard's, which `probe.formats.keys` gives to each container's own names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from mediacrawl.base.declaration import told


@dataclass(slots=True)
class Identifiers:
    """Identifiers of what a file holds. Each has a list of texts, since a recording may have several artists."""

    schema_org: ClassVar[str] = "PropertyValue"

    musicbrainz_recording: list[str] | None = told("MusicBrainz, the recording.")
    musicbrainz_track: list[str] | None = told("MusicBrainz, the track of a release.")
    musicbrainz_release: list[str] | None = told("MusicBrainz, the release.")
    musicbrainz_release_group: list[str] | None = told("MusicBrainz, the release group.")
    musicbrainz_artist: list[str] | None = told("MusicBrainz, the artists of the recording.")
    musicbrainz_release_artist: list[str] | None = told("MusicBrainz, the artists of the release.")
    musicbrainz_work: list[str] | None = told("MusicBrainz, the work.")
    musicbrainz_disc: list[str] | None = told("MusicBrainz, the disc.")
    isrc: list[str] | None = told("International Standard Recording Code, without hyphens.", schema_org="isrcCode")
    barcode: list[str] | None = told("EAN or UPC of the release.", schema_org="gtin")
    catalog_number: list[str] | None = told("The label's number of the release.", schema_org="catalogNumber")
    asin: list[str] | None = told("Amazon's number.")
    acoustid: list[str] | None = told("AcoustID.")
    discogs_release: list[str] | None = told("Discogs, the release.")
    discogs_artist: list[str] | None = told("Discogs, the artists.")
    ufid: list[str] | None = told("Further unique file identifiers of ID3v2, as ``owner identifier``.")
    itunes_track: list[str] | None = told("Apple's number of the recording.")
    itunes_artist: list[str] | None = told("Apple's number of the artist.")
    itunes_album: list[str] | None = told("Apple's number of the album.")
    podcast: list[str] | None = told("GUID of the podcast (``podcast:guid``).", schema_org="identifier")
    episode: list[str] | None = told("GUID of the episode.", schema_org="identifier")
    eidr: list[str] | None = told("Entertainment Identifier Registry.", schema_org="titleEIDR")
    isan: list[str] | None = told("International Standard Audiovisual Number (ISO 15706).")
    imdb: list[str] | None = told("IMDb.")
    tmdb: list[str] | None = told("The Movie Database.")
    tvdb: list[str] | None = told("TheTVDB.")


_KEYS = {
    "musicbrainz_recording": "musicbrainz_recordingid",
    "musicbrainz_track": "musicbrainz_trackid",
    "musicbrainz_release": "musicbrainz_albumid",
    "musicbrainz_release_group": "musicbrainz_releasegroupid",
    "musicbrainz_artist": "musicbrainz_artistid",
    "musicbrainz_release_artist": "musicbrainz_albumartistid",
    "musicbrainz_work": "musicbrainz_workid",
    "musicbrainz_disc": "musicbrainz_discid",
    "isrc": "isrc",
    "barcode": "barcode",
    "catalog_number": "catalognumber",
    "asin": "asin",
    "acoustid": "acoustid_id",
    "discogs_release": "discogs_release_id",
    "discogs_artist": "discogs_artist_id",
    "ufid": "ufid",
    "itunes_track": "itunes_track_id",
    "itunes_artist": "itunes_artist_id",
    "itunes_album": "itunes_album_id",
    "podcast": "podcast_guid",
    "episode": "episode_guid",
    "eidr": "eidr",
    "isan": "isan",
    "imdb": "imdb",
    "tmdb": "tmdb",
    "tvdb": "tvdb",
}
_BY_KEY = {key: name for name, key in _KEYS.items()}
_UUIDS = {name for name in _KEYS if name.startswith("musicbrainz_")} - {"musicbrainz_disc"} | {"acoustid"}
"""Kinds whose values are UUIDs."""
IDENTIFIER_KEYS = frozenset(_BY_KEY)
"""Keys of tags that hold identifiers."""

_MOST = 20
"""Identifiers of one kind that are kept."""
_LONGEST = 200
"""Characters of one; longer ones are texts of another kind."""
_SEVERAL = re.compile(r"[;/,\s]+")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_ISRC = re.compile(r"[A-Z]{2}[A-Z0-9]{3}[0-9]{7}", re.ASCII)


def identifiers_of(tags: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the identifiers that elements of ``tags`` state, by the names of `Identifiers`.

    A text that has not the form of its kind is left out: taggers write remarks into these fields too. Several in
    one text (ID3v2.3 joins them with a slash, others with a semicolon) are separated.
    """
    found: dict[str, list[str]] = {}
    for element in tags:
        name = _BY_KEY.get(element["key"])
        if name is None:
            continue
        kept = found.setdefault(name, [])
        for text in _values(name, element["text"]):
            if text not in kept and len(kept) < _MOST:
                kept.append(text)
    return {name: found[name] for name in _KEYS if found.get(name)}


def _values(name: str, text: str) -> Iterable[str]:
    text = text.strip()
    if name in _UUIDS:
        return [match.lower() for match in _UUID.findall(text)]
    if name == "isrc":
        return [each for each in map(_isrc, _SEVERAL.split(text)) if each]
    return [text] if 0 < len(text) <= _LONGEST else []


def _isrc(text: str) -> str:
    plain = text.replace("-", "").upper()
    return plain if _ISRC.fullmatch(plain) else ""
