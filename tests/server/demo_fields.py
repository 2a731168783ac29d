"""What the records of the demo's media say besides title, artist and album: by file, page, list and feed."""

# ruff: noqa: RUF001 - the texts are Russian on purpose
from typing import Any

FIELDS: dict[str, dict[str, Any]] = {
    "wunderkammer.example/kasse/can-y-mor.dsf": {"codec": "dsd_lsbf_planar", "sample_rate": 2822400, "channels": 1},
    "wunderkammer.example/kasse/regendak.mod": {
        "container": "mod",
        "comment": "geschreven in de trein\ntussen Delft en Leiden\ngroeten aan Joost\nen de hele zolder",
    },
    "wunderkammer.example/kasse/spole.mp3": {"container": "mp3", "codec": "mp3", "date": "1999"},
    "wunderkammer.example/kasse/svetilka.mid": {
        "container": "midi",
        "comment": "Za tiste, ki berejo ponoci",
        "copyright": "CC0",
        "duration": 3.5,
    },
    "wunderkammer.example/kasse/tramvai.kar": {"container": "midi", "duration": 4.0},
    "wunderkammer.example/kasse/vecer.rm": {
        "container": "realmedia",
        "codec": "ra_144",
        "comment": "Posneto s čolna",
        "duration": 2.0,
    },
    "wunderkammer.example/notater/notat.amr": {
        "codec": "amr_nb",
        "sample_rate": 8000,
        "duration": 1.2,
        "feed_url": "http://wunderkammer.example:PORT/notater/feed.json",
        "guid": "notat-1",
        "description": "Motoren stoppet ved holmen.",
        "keywords": "båt",
        "language": "nb-NO",
    },
    "staroe-radio.example/zvuk/chai-2.mp3": {
        "chapters": [
            {"start": 0, "title": "Чайник ставят на плиту"},
            {"start": 95, "title": "Разговор о варенье"},
            {"start": 610, "title": "Письма наших слушателей"},
            {"start": 1105, "title": "Прощание"},
        ],
        "feed_url": "http://staroe-radio.example:PORT/feed.xml",
        "podcast": "Чай у окна",
        "media_kind": "podcast",
        "explicit": "no",
        "language": "ru",
        "season": "1",
        "identifiers": {"podcast": ["7c1e5a9d-2b64-5f08-93d7-4e6a8b0c1d2f"]},
        "persons": (
            {"role": "host", "name": "Вера Лужина", "url": "http://staroe-radio.example:PORT/chai/"},
            {"role": "guest", "name": "Пётр Смычков"},
        ),
        "guid": "chai-2",
        "episode": "2",
        "episode_type": "full",
        "location": "Нижняя Пристань",
        "soundbites": [{"start": 614.5, "duration": 31.0, "title": "Письмо о пропавшей банке"}],
        "transcripts": [
            {"url": "http://staroe-radio.example:PORT/tekst/2.vtt", "type": "text/vtt", "language": "ru"},
            {
                "url": "http://staroe-radio.example:PORT/tekst/2.en.srt",
                "type": "application/x-subrip",
                "language": "en",
            },
        ],
        "transcript_url": "http://staroe-radio.example:PORT/tekst/2.vtt",
        "chapters_url": "http://staroe-radio.example:PORT/glavy/2.json",
    },
    "staroe-radio.example/zvuk/chai-3.opus": {
        "container": "ogg",
        "codec": "opus",
        "feed_url": "http://staroe-radio.example:PORT/feed.xml",
        "podcast": "Чай у окна",
        "media_kind": "podcast",
        "explicit": "no",
        "language": "ru",
        "season": "1",
        "identifiers": {"podcast": ["7c1e5a9d-2b64-5f08-93d7-4e6a8b0c1d2f"]},
        "persons": ({"role": "host", "name": "Вера Лужина", "url": "http://staroe-radio.example:PORT/chai/"},),
        "guid": "chai-3",
        "episode": "3",
        "episode_type": "full",
        "chapters": [
            {"start": 0.0, "title": "Сосед настраивает струны"},
            {"start": 250.0, "title": "Почему виолончель"},
            {"start": 695.5, "title": "Соната на кухне"},
        ],
    },
    "staroe-radio.example/zvuk/chai-1.mp3": {
        "feed_url": "http://staroe-radio.example:PORT/feed.xml",
        "podcast": "Чай у окна",
        "media_kind": "podcast",
        "explicit": "no",
        "language": "ru",
        "season": "1",
        "identifiers": {"podcast": ["7c1e5a9d-2b64-5f08-93d7-4e6a8b0c1d2f"]},
        "persons": ({"role": "host", "name": "Вера Лужина", "url": "http://staroe-radio.example:PORT/chai/"},),
        "guid": "chai-1",
        "episode_type": "trailer",
    },
    "staroe-radio.example/zvuk/chai-3.mp3": {
        "feed_url": "http://staroe-radio.example:PORT/feed.xml",
        "podcast": "Чай у окна",
        "media_kind": "podcast",
        "explicit": "no",
        "language": "ru",
        "season": "1",
        "identifiers": {"podcast": ["7c1e5a9d-2b64-5f08-93d7-4e6a8b0c1d2f"]},
        "persons": ({"role": "host", "name": "Вера Лужина", "url": "http://staroe-radio.example:PORT/chai/"},),
        "guid": "chai-3",
        "episode": "3",
        "episode_type": "full",
        "chapters": [
            {"start": 0.0, "title": "Сосед настраивает струны"},
            {"start": 250.0, "title": "Почему виолончель"},
            {"start": 695.5, "title": "Соната на кухне"},
        ],
    },
    "staroe-radio.example/efir": {
        "is_live": True,
        "title": "Радио Дальний Свет",
        "genre": "Тихие песни",
        "now_playing": "Группа Тихий Двор - Дождь над старым городом",
    },
    "wunderkammer.example/lade/gradina.w64": {
        "codec": "pcm_mulaw",
        "sample_rate": 8000,
        "duration": 1.0,
        "description": "Tropfen auf Blech, dann ein Lied.",
        "license_url": "https://creativecommons.org/publicdomain/zero/1.0/",
    },
    "wunderkammer.example/lade/haus.m4b": {
        "chapters": [
            {"start": 0, "title": "Die Tür"},
            {"start": 1, "title": "Größere Räume"},
            {"start": 3, "title": "Der Schlüssel überm Türstock"},
        ],
        "tracks": [{"kind": "audio", "codec": "aac", "language": "de", "channels": 1, "sample_rate": 16000}],
        "media_kind": "audiobook",
        "season": "2",
        "episode": "7",
        "language": "de",
        "persons": ({"role": "composer", "name": "Jörg Grün"},),
        "description": "Drei Kapitel, eine Treppe und ein Schlüssel.",
        "license_url": "https://creativecommons.org/publicdomain/zero/1.0/",
    },
    "wunderkammer.example/lade/heidi.caf": {
        "codec": "alac",
        "sample_rate": 8000,
        "date": "2013",
        "license_url": "https://creativecommons.org/publicdomain/zero/1.0/",
    },
    "wunderkammer.example/lade/mosty.flac": {
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
    "wunderkammer.example/lade/raba.au": {"codec": "pcm_mulaw", "duration": 1.0},
    "kino-lumiere.example/tar/hajo.mkv": {
        "chapters": [{"start": 0, "title": "Indulás"}, {"start": 1, "title": "A köd"}],
        "tracks": [
            {"kind": "video", "codec": "h264", "width": 64, "height": 48},
            {"kind": "audio", "codec": "aac", "language": "hu", "default": True},
            {"kind": "audio", "codec": "aac", "language": "de", "default": False, "title": "Deutsche Fassung"},
            {"kind": "subtitle", "codec": "subrip", "language": "de", "forced": True},
        ],
        "language": "hu",
        "description": "Két percen át csak köd.",
        "thumbnail_url": "http://kino-lumiere.example:PORT/tar/hajo.jpg",
        "transcript_url": "http://kino-lumiere.example:PORT/tar/hajo.hu.vtt",
        "transcripts": ({"url": "http://kino-lumiere.example:PORT/tar/hajo.hu.vtt"},),
    },
    "kino-lumiere.example/tar/ranta.loas": {
        "codec": "aac_latm",
        "sample_rate": 16000,
        "podcast": "Rannalta",
        "description": "Szél, víz, egy csónak.",
    },
    "kino-lumiere.example/tar/udvar.mp4": {"rotation": 90, "width": 48, "height": 64},
    "kino-lumiere.example/adas/mester.m3u8": {
        "container": "hls",
        "encoding_format": "application/vnd.apple.mpegurl",
        "video_codec": "h264",
        "audio_codec": "aac",
        "width": 640,
        "height": 360,
        "frame_rate": 25.0,
        "tracks": [
            {"kind": "video", "codec": "h264", "width": 640, "height": 360},
            {"kind": "audio", "codec": "aac", "language": "hu", "title": "Magyar", "default": True, "channels": 2},
        ],
    },
    "kino-lumiere.example/adas/elo.m3u8": {
        "container": "hls",
        "is_live": True,
        "type": "BroadcastService",
        "duration": None,
    },
    "kino-lumiere.example/tar/baile.avi": {
        "description": "Un baile junto al arrabal.",
        "keywords": "baile",
        "explicit": "no",
        "is_live": None,
    },
    "ljosvaki.example/safn/nordurljos.mp4": {
        "page_url": "http://ljosvaki.example:PORT/horfa/107",
        "description": "Tvær sekúndur af grænum himni.",
        "thumbnail_url": "http://ljosvaki.example:PORT/myndir/107.png",
        "upload_date": "2026-02-14",
        "discovered_via": "adapter",
    },
    "ljosvaki.example/safn/brim.webm": {
        "page_url": "http://ljosvaki.example:PORT/horfa/2214",
        "description": "Öldurnar ná upp á veginn.",
        "thumbnail_url": "http://ljosvaki.example:PORT/myndir/2214.png",
        "upload_date": "2026-03-01",
        "discovered_via": "adapter",
    },
    "ljosvaki.example/safn/vogguvisa.mp3": {
        "page_url": "http://ljosvaki.example:PORT/horfa/31",
        "description": "Sungin við opinn glugga.",
        "thumbnail_url": "http://ljosvaki.example:PORT/myndir/31.png",
        "upload_date": "2025-12-21",
        "discovered_via": "adapter",
    },
    "ljosvaki.example/safn/gestir.aiff": {"page_url": "http://ljosvaki.example:PORT/horfa/5", "discovered_via": "a"},
}
"""Host and path -> name of a field of the record -> its value, in which ``PORT`` is the server's port.

Of an object only the given fields count. A list has as many objects as the record's; a tuple has some of them, in any
order.
"""

PLAYERS = frozenset(
    {
        "kino-lumiere.example/adas/elo.m3u8",
        "kino-lumiere.example/adas/mester.m3u8",
        "kino-lumiere.example/lecteur/8",
        "staroe-radio.example/efir",
    }
)
"""Host and path of what has a record, and no file: players, stations and lists of pieces."""

UNTAGGED = frozenset(
    {"brim.webm", "gradina.w64", "marea.ac3", "notat.amr", "ranta.loas", "vogguvisa.mp3", "vonat.m2ts"}
)
"""Files that hold no text; of them a page speaks, or the data of a player."""
