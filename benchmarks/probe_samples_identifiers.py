"""The files of `probe_samples` with the identifiers and the ReplayGain that MusicBrainz Picard writes, in each format.

The names of the fields are those of Picard's table of tags; where two programs write different ones, Picard's. What is
made up here has the form of its kind: UUIDs, an ISRC (ISO 3901), an EAN-13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import probe_bytes as by_hand
from mutagen.aiff import AIFF
from mutagen.apev2 import APEv2
from mutagen.asf import ASF
from mutagen.flac import FLAC
from mutagen.id3 import ID3, TALB, TGID, TIT2, TPE1, TSRC, TXXX, UFID
from mutagen.mp4 import MP4
from mutagen.oggflac import OggFLAC
from mutagen.oggopus import OggOpus
from mutagen.oggspeex import OggSpeex
from mutagen.oggvorbis import OggVorbis
from mutagen.trueaudio import TrueAudio
from mutagen.wave import WAVE
from mutagen.wavpack import WavPack
from probe_bytes_parts import ebml, matroska, tag, track
from probe_samples import TEXTS, Kitchen, Sample, saved, texts
from probe_truth import Level, Stream


def uuid(number: int) -> str:
    """A UUID that nobody has, of version 4."""
    return f"{number:08x}-5eed-4{number:03x}-9abc-{number * 7919:012x}"


class Name(NamedTuple):
    """How an identifier is named in each kind of tag; empty where it has a frame of its own, or none."""

    id3: str
    vorbis: str
    mp4: str
    asf: str


class Known(NamedTuple):
    """An identifier: its name in the record, its values, and its names in tags."""

    record: str
    values: Sequence[str]
    name: Name


def _musicbrainz(record: str, words: str, vorbis: str, *numbers: int) -> Known:
    values = [uuid(number) for number in numbers]
    named = f"MusicBrainz {words}"
    return Known(record, values, Name(named, f"MUSICBRAINZ_{vorbis}", named, f"MusicBrainz/{words}"))


PICARD = (
    # The oldest of these names meant the recording before tracks had identifiers.
    _musicbrainz("musicbrainz_recording", "Track Id", "TRACKID", 1),
    _musicbrainz("musicbrainz_track", "Release Track Id", "RELEASETRACKID", 2),
    _musicbrainz("musicbrainz_release", "Album Id", "ALBUMID", 3),
    _musicbrainz("musicbrainz_release_group", "Release Group Id", "RELEASEGROUPID", 4),
    _musicbrainz("musicbrainz_artist", "Artist Id", "ARTISTID", 5, 6),
    _musicbrainz("musicbrainz_release_artist", "Album Artist Id", "ALBUMARTISTID", 7),
    _musicbrainz("musicbrainz_work", "Work Id", "WORKID", 8),
    Known(
        "musicbrainz_disc",
        ["I5l9cCSFccLKFEKS.7wqSZAorPU-"],
        Name("MusicBrainz Disc Id", "MUSICBRAINZ_DISCID", "MusicBrainz Disc Id", "MusicBrainz/Disc Id"),
    ),
    Known("isrc", ["CZAB12345678"], Name("", "ISRC", "ISRC", "WM/ISRC")),
    Known("barcode", ["4006381333931"], Name("BARCODE", "BARCODE", "BARCODE", "WM/Barcode")),
    Known("catalog_number", ["LOW 12-7"], Name("CATALOGNUMBER", "CATALOGNUMBER", "CATALOGNUMBER", "WM/CatalogNo")),
    Known("asin", ["B000002UAL"], Name("ASIN", "ASIN", "ASIN", "ASIN")),
    Known("acoustid", [uuid(9)], Name("Acoustid Id", "ACOUSTID_ID", "Acoustid Id", "Acoustid/Id")),
)
IDENTIFIERS = {known.record: known.values for known in PICARD}
GAINS = (
    Level("track_gain", -7.25, "-7.25 dB"),
    Level("track_peak", 0.987654, "0.987654"),
    Level("album_gain", -6.5, "-6.50 dB"),
    Level("album_peak", 1.0123, "1.012300"),
)


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    for name, group, mime, options, change in _files():
        extension = name.rpartition(".")[2]
        yield Sample(
            name,
            group,
            lambda extension=extension, options=options, change=change: change(
                kitchen.audio(extension, options).read_bytes()
            ),
            kitchen.song,
            texts("title", "artist", "album"),
            mime,
            identifiers=IDENTIFIERS,
            loudness=GAINS,
        )
    yield from others(kitchen)


def _files() -> list[tuple[str, str, str, str, Callable[[bytes], bytes]]]:
    """Name, group, media type, ffmpeg's options, and what tags the file."""
    mp3, ape = "-c:a libmp3lame -b:a 64k -id3v2_version 0", partial(saved, lambda _: APEv2(), change=set_ape)
    id3 = partial(saved, lambda _: ID3(), change=set_id3)
    vorbis = partial(_by, set_vorbis)
    return [
        ("ids-id3v23.mp3", "ID3v2", "audio/mpeg", mp3, partial(id3, v2_version=3)),
        ("ids-id3v24.mp3", "ID3v2", "audio/mpeg", mp3, id3),
        ("ids-ape.mp3", "APE/v1", "audio/mpeg", mp3, ape),
        ("ids.flac", "FLAC", "audio/flac", "-c:a flac", vorbis(FLAC)),
        ("ids-vorbis.ogg", "Ogg", "audio/ogg", "-c:a libvorbis -q:a 2", vorbis(OggVorbis)),
        ("ids.opus", "Ogg", "audio/ogg", "-c:a libopus -b:a 48k", vorbis(OggOpus)),
        ("ids.spx", "Ogg", "audio/ogg", "-c:a libspeex -ar 16000 -ac 1", vorbis(OggSpeex)),
        ("ids-flac.oga", "Ogg", "audio/ogg", "-c:a flac", vorbis(OggFLAC)),
        ("ids.m4a", "M4A", "audio/mp4", "-c:a aac -b:a 64k", _by(set_mp4, MP4)),
        ("ids-moov-first.m4a", "M4A", "audio/mp4", "-c:a aac -b:a 64k -movflags +faststart", _by(set_mp4, MP4)),
        ("ids.wma", "ASF", "audio/x-ms-wma", "-c:a wmav2 -b:a 64k", _by(set_asf, ASF)),
        ("ids.wv", "APE", "audio/x-wavpack", "-c:a wavpack", _by(set_ape, WavPack)),
        ("ids.tta", "APE", "audio/x-tta", "-c:a tta", _by(_add_id3, TrueAudio)),
        ("ids.aiff", "AIFF", "audio/aiff", "-c:a pcm_s16be", _by(_add_id3, AIFF)),
        ("ids.wav", "WAV", "audio/wav", "-c:a pcm_s16le", _by(_add_id3, WAVE)),
    ]


def _by(change: Callable[[Any], None], kind: Callable[..., Any]) -> Callable[[bytes], bytes]:
    return partial(saved, kind, change=change)


def set_id3(tags: Any) -> None:
    """Adds all to an ID3 tag of mutagen."""
    for kind, key in ((TIT2, "title"), (TPE1, "artist"), (TALB, "album")):
        tags.add(kind(encoding=3, text=TEXTS[key]))
    for known in PICARD:
        if known.record == "musicbrainz_recording":
            tags.add(UFID(owner="http://musicbrainz.org", data=known.values[0].encode()))
        elif known.name.id3:
            tags.add(TXXX(encoding=3, desc=known.name.id3, text=known.values))
        else:
            tags.add(TSRC(encoding=3, text=known.values))
    for gain in GAINS:
        tags.add(TXXX(encoding=3, desc=_gain_name(gain), text=gain.written))


def _gain_name(gain: Level) -> str:
    return f"REPLAYGAIN_{gain.name.upper()}"


def _add_id3(file: Any) -> None:
    if file.tags is None:
        file.add_tags()
    set_id3(file.tags)


def set_ape(file: Any) -> None:
    """Sets all in an APEv2 tag of mutagen."""
    for name, key in (("Title", "title"), ("Artist", "artist"), ("Album", "album")):
        file[name] = TEXTS[key]
    names = {"BARCODE": "Barcode", "CATALOGNUMBER": "CatalogNumber"}
    for known in PICARD:
        file[names.get(known.name.vorbis, known.name.vorbis)] = list(known.values)
    for gain in GAINS:
        file[_gain_name(gain)] = gain.written


def set_vorbis(file: Any) -> None:
    """Sets all in Vorbis comments of mutagen."""
    for key in ("title", "artist", "album"):
        file[key] = TEXTS[key]
    for known in PICARD:
        file[known.name.vorbis] = list(known.values)
    for gain in GAINS:
        file[_gain_name(gain)] = gain.written


def set_mp4(file: Any) -> None:
    """Sets all in an MP4 file of mutagen."""
    for name, key in (("\xa9nam", "title"), ("\xa9ART", "artist"), ("\xa9alb", "album")):
        file[name] = TEXTS[key]
    for known in PICARD:
        file[f"----:com.apple.iTunes:{known.name.mp4}"] = [value.encode() for value in known.values]
    for gain in GAINS:
        file[f"----:com.apple.iTunes:{_gain_name(gain).lower()}"] = gain.written.encode()


def set_asf(file: Any) -> None:
    """Sets all in an ASF file of mutagen."""
    for name, key in (("Title", "title"), ("Author", "artist"), ("WM/AlbumTitle", "album")):
        file[name] = TEXTS[key]
    for known in PICARD:
        file[known.name.asf] = list(known.values)
    for gain in GAINS:
        file[_gain_name(gain)] = gain.written


# -- others than Picard's ----------------------------------------------------------------------------------------------


def others(kitchen: Kitchen) -> Iterator[Sample]:
    """Identifiers of iTunes, of a podcast and of films, other owners of UFID; and Monkey's Audio."""
    ape = by_hand.ape([(name, value.encode()) for name, value in _ape_items()])
    yield Sample(
        "ids-monkey.ape",
        "APE",
        lambda: by_hand.monkey(kitchen.song, kitchen.song * 60_000) + ape,
        kitchen.song,
        texts("title", "artist", "album"),
        "audio/x-ape",
        countable=False,
        identifiers=IDENTIFIERS,
        loudness=GAINS,
    )
    song = lambda options="": kitchen.audio("m4a", f"-c:a aac -b:a 64k {options}").read_bytes()  # noqa: E731
    yield Sample(
        "ids-itunes.m4a",
        "M4A",
        lambda: saved(MP4, song(), _set_itunes),
        kitchen.song,
        texts("title"),
        "audio/mp4",
        identifiers={
            "itunes_track": ["1440833098"],
            "itunes_artist": ["909253"],
            "itunes_album": ["1440832843"],
            "episode": ["https://media.example/?p=17"],
        },
    )
    yield Sample(
        "ids-other-owners.mp3",
        "ID3v2",
        lambda: saved(
            lambda _: ID3(), kitchen.audio("mp3", "-c:a libmp3lame -b:a 64k -id3v2_version 0").read_bytes(), _set_owners
        ),
        kitchen.song,
        texts("title"),
        "audio/mpeg",
        identifiers={
            "ufid": ["http://www.cddb.com/id3/taginfo1.html 3CD3N27S1396"],
            "isrc": ["CZAB12345678"],
            "episode": ["https://media.example/?p=17"],
            "discogs_release": ["249504"],
        },
    )
    yield from _matroska(kitchen)


def _ape_items() -> list[tuple[str, str]]:
    """As `set_ape` sets them; several values are separated by NUL (APEv2, items)."""
    named: dict[str, Any] = {}
    set_ape(named)
    return [(name, "\0".join([value] if isinstance(value, str) else value)) for name, value in named.items()]


def _set_itunes(file: Any) -> None:
    file["\xa9nam"] = TEXTS["title"]
    file["cnID"], file["atID"], file["plID"] = [1440833098], [909253], [1440832843]
    file["egid"] = ["https://media.example/?p=17"]


def _set_owners(tags: Any) -> None:
    """The ISRC with the hyphens that many write, and the identifiers of CDDB, Discogs and a podcast."""
    tags.add(TIT2(encoding=3, text=TEXTS["title"]))
    tags.add(UFID(owner="http://www.cddb.com/id3/taginfo1.html", data=b"3CD3N27S1396"))
    tags.add(TSRC(encoding=3, text="CZ-AB1-23-45678"))
    tags.add(TGID(encoding=3, text="https://media.example/?p=17"))
    tags.add(TXXX(encoding=3, desc="DISCOGS_RELEASE_ID", text="249504"))


def _matroska(kitchen: Kitchen) -> Iterator[Sample]:
    """Identifiers by Matroska's own names, and as ffmpeg copies those of FLAC: several of a kind with a semicolon."""
    picture = ebml("e0", ebml("b0", 1280), ebml("ba", 720))
    film = tag(ebml("68ca", 50), ("IMDB", "tt0076759"), ("TMDB", "movie/11"), ("TVDB", "70327"))
    yield Sample(
        "ids-film.mkv",
        "Matroska",
        lambda: matroska(
            5400.0,
            [track(1, 1, "V_VP9", picture), track(2, 2, "A_OPUS")],
            tags=[film],
            title=TEXTS["title"],
            last=True,
            size=300_000,
        ),
        5400.0,
        texts("title"),
        "video/x-matroska",
        countable=False,
        tracks=[Stream("video", "vp9"), Stream("audio", "opus")],
        identifiers={"imdb": ["tt0076759"], "tmdb": ["movie/11"], "tvdb": ["70327"]},
    )
    album = tag(
        ebml("68ca", 50),
        *(("TITLE", TEXTS["album"]), ("BARCODE", "4006381333931"), ("CATALOG_NUMBER", "LOW 12-7")),
        *(("REPLAYGAIN_GAIN", GAINS[2].written), ("REPLAYGAIN_PEAK", GAINS[3].written)),
    )
    song = tag(
        ebml("68ca", 30),
        *(("TITLE", TEXTS["title"]), ("ARTIST", TEXTS["artist"]), ("ISRC", "CZAB12345678")),
        *(("REPLAYGAIN_GAIN", GAINS[0].written), ("REPLAYGAIN_PEAK", GAINS[1].written)),
    )
    yield Sample(
        "ids-own-names.mka",
        "Matroska",
        lambda: matroska(200.0, [track(1, 2, "A_OPUS")], tags=[album, song], size=300_000),
        200.0,
        texts("title", "artist", "album"),
        "audio/x-matroska",
        countable=False,
        identifiers={"isrc": ["CZAB12345678"], "barcode": ["4006381333931"], "catalog_number": ["LOW 12-7"]},
        loudness=GAINS,
    )
    copied = [f"{known.name.vorbis}={';'.join(known.values)}" for known in PICARD]
    copied += [f"{_gain_name(gain)}={gain.written}" for gain in GAINS]
    words = [word for text in copied for word in ("-metadata", text)]
    yield Sample(
        "ids-by-ffmpeg.mka",
        "Matroska",
        lambda: kitchen.audio("mka", "-c:a libvorbis -q:a 2", *words, tagged=True).read_bytes(),
        kitchen.song,
        texts(),
        "audio/x-matroska",
        identifiers=IDENTIFIERS,
        loudness=GAINS,
    )
