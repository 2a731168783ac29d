"""What the demo's files say of themselves besides title, artist and album, by how make.sh made them."""

# ruff: noqa: RUF001 - the titles are Russian on purpose
from __future__ import annotations

from typing import Any

FIELDS: dict[str, dict[str, Any]] = {
    "can-y-mor.dsf": {"codec": "dsd_lsbf_planar", "sample_rate": 2_822_400, "channels": 1},
    "chai-2.mp3": {
        "chapters": [
            {"start": 0, "title": "Чайник ставят на плиту"},
            {"start": 95, "title": "Разговор о варенье"},
            {"start": 610, "title": "Письма наших слушателей"},
            {"start": 1105, "title": "Прощание"},
        ],
    },
    "chai-3.opus": {"container": "ogg", "codec": "opus"},
    "gradina.w64": {"codec": "pcm_mulaw", "sample_rate": 8000, "duration": 1.0},
    "hajo.mkv": {
        "chapters": [{"start": 0, "title": "Indulás"}, {"start": 1, "title": "A köd"}],
        "tracks": [
            {"kind": "video", "codec": "h264", "width": 64, "height": 48},
            {"kind": "audio", "codec": "aac", "language": "hu", "default": True},
            {"kind": "audio", "codec": "aac", "language": "de", "default": False, "title": "Deutsche Fassung"},
            {"kind": "subtitle", "codec": "subrip", "language": "de", "forced": True},
        ],
        "language": "hu",
    },
    "haus.m4b": {
        "chapters": [
            {"start": 0, "title": "Die Tür"},
            {"start": 1, "title": "Größere Räume"},
            {"start": 3, "title": "Der Schlüssel überm Türstock"},
        ],
        "tracks": [{"kind": "audio", "codec": "aac", "language": "de", "channels": 1, "sample_rate": 16_000}],
        "media_kind": "audiobook",
        "season": "2",
        "episode": "7",
        "language": "de",
        "persons": ({"role": "composer", "name": "Jörg Grün"},),
    },
    "heidi.caf": {"codec": "alac", "sample_rate": 8000, "date": "2013"},
    "mosty.flac": {
        "chapters": [
            {"start": 0, "title": "Předehra"},
            {"start": 0.75, "title": "Most první"},
            {"start": 1.5, "title": "Most druhý a třetí"},
        ],
        "identifiers": {
            "musicbrainz_recording": ["8f1d3c52-6a0b-4e7d-9b15-2c4e6f708192"],
            "musicbrainz_track": ["0b5e8a31-77c4-4f0e-8d26-91a3b5c7d9e0"],
            "musicbrainz_release": ["c41f7e09-5d83-4b2a-a6f4-3e1d0c9b8a76"],
            "musicbrainz_release_group": ["2d9a6b74-1f38-4c5e-b780-6f5e4d3c2b1a"],
            "musicbrainz_artist": ["5a7c9e1f-3b2d-4860-9f71-a8b6c4d2e0f1"],
            "musicbrainz_release_artist": ["5a7c9e1f-3b2d-4860-9f71-a8b6c4d2e0f1"],
            "acoustid": ["e6f0a1b2-c3d4-4e5f-8091-a2b3c4d5e6f7"],
            "isrc": ["CZX121600042"],
            "barcode": ["8590000000429"],
            "catalog_number": ["ŽEBŘÍK 12"],
        },
        "loudness": {"track_gain": -6.3, "track_peak": 0.988525, "album_gain": -7.15, "album_peak": 1.0},
        "persons": (
            {"role": "composer", "name": "Hedvika Říčná"},
            {"role": "performer", "name": "Bořivoj Kůs", "instrument": "cimbál"},
        ),
    },
    "notat.amr": {"codec": "amr_nb", "sample_rate": 8000, "duration": 1.2},
    "raba.au": {"codec": "pcm_mulaw", "duration": 1.0},
    "ranta.loas": {"codec": "aac_latm", "sample_rate": 16_000},
    "regendak.mod": {
        "container": "mod",
        "comment": "geschreven in de trein\ntussen Delft en Leiden\ngroeten aan Joost\nen de hele zolder",
    },
    "spole.mp3": {"container": "mp3", "codec": "mp3", "date": "1999"},
    "svetilka.mid": {"container": "midi", "comment": "Za tiste, ki berejo ponoci", "copyright": "CC0", "duration": 3.5},
    "tramvai.kar": {"container": "midi", "duration": 4.0},
    "udvar.mp4": {"rotation": 90, "width": 48, "height": 64},
    "vecer.rm": {"container": "realmedia", "codec": "ra_144", "comment": "Posneto s čolna", "duration": 2.0},
}
"""File name -> fields of its record, see `VirtualHost.expect`. What has no entry is not looked at."""
