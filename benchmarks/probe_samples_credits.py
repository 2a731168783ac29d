"""The files of `probe_samples` that name people, state loudness, or say what they are meant as."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import probe_bytes as by_hand
from mutagen.asf import ASF
from mutagen.flac import FLAC
from mutagen.id3 import COMM, ID3, PCST, TCOM, TDES, TEXT, TIPL, TIT2, TKWD, TLAN, TMCL, TPE3, TPE4, TXXX
from mutagen.mp4 import MP4
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from mutagen.wavpack import WavPack
from probe_bytes_parts import ebml, matroska, tag, track, with_lame_gain, with_output_gain
from probe_samples import TEXTS, Kitchen, Sample, Text, saved, texts
from probe_truth import Credit, Level, Stream

KB = 1024
_MP3 = "-c:a libmp3lame -b:a 64k -id3v2_version 0"
_ROLES = {
    "composer": "Antonín Dvořák",
    "lyricist": "Jaroslav Kvapil",
    "conductor": "Václav Talich",
    "remixer": "Low Tide",
    "producer": "Ann Lee",
    "engineer": "Ben Ray",
    "mixer": "Cy Vee",
    "djmixer": "Dee Jay",
    "arranger": "Eva Nová",
}
_PLAYERS = (("violin", "Fay Wu"), ("piano", "Gil Oz"))
PEOPLE = (
    *(Credit(role, name) for role, name in _ROLES.items()),
    *(Credit("performer", name, instrument) for instrument, name in _PLAYERS),
)
NAMED = PEOPLE[: len(_ROLES)]
"""Those that formats without players can name."""


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    yield from people(kitchen)
    yield from loudness(kitchen)
    yield from purposes(kitchen)


def _of_song(kitchen: Kitchen, extension: str, options: str) -> Callable[[], bytes]:
    return lambda: kitchen.audio(extension, options).read_bytes()


# -- people ------------------------------------------------------------------------------------------------------------


def people(kitchen: Kitchen) -> Iterator[Sample]:
    one = partial(Sample, seconds=kitchen.song, people=PEOPLE, texts=texts("title"))
    mp3 = _of_song(kitchen, "mp3", _MP3)
    for version in (3, 4):
        yield one(
            f"people-id3v2{version}.mp3",
            "ID3v2",
            lambda version=version: saved(lambda _: ID3(), mp3(), _set_people_id3, v2_version=version),
            mime="audio/mpeg",
        )
    files: list[tuple[str, str, str, str, Any]] = [
        ("people.flac", "FLAC", "audio/flac", "-c:a flac", FLAC),
        ("people.ogg", "Ogg", "audio/ogg", "-c:a libvorbis -q:a 2", OggVorbis),
        ("people.opus", "Ogg", "audio/ogg", "-c:a libopus -b:a 48k", OggOpus),
        ("people.wv", "APE", "audio/x-wavpack", "-c:a wavpack", WavPack),
    ]
    for name, group, mime, options, kind in files:
        song = _of_song(kitchen, name.rpartition(".")[2], options)
        yield one(name, group, lambda kind=kind, song=song: saved(kind, song(), _set_people_comments), mime=mime)
    song = _of_song(kitchen, "m4a", "-c:a aac -b:a 64k")
    yield one("people.m4a", "M4A", lambda: saved(MP4, song(), _set_people_mp4), mime="audio/mp4", people=NAMED)
    wma = _of_song(kitchen, "wma", "-c:a wmav2 -b:a 64k")
    yield one("people.wma", "ASF", lambda: saved(ASF, wma(), _set_people_asf), mime="audio/x-ms-wma", people=NAMED)
    yield _film_with_people()


def _set_people_id3(tags: Any) -> None:
    """Picard's roles in TIPL are ``mix`` and ``DJ-mix``; ID3v2.3 has one list for these and the players."""
    tags.add(TIT2(encoding=3, text=TEXTS["title"]))
    for kind, role in ((TCOM, "composer"), (TEXT, "lyricist"), (TPE3, "conductor"), (TPE4, "remixer")):
        tags.add(kind(encoding=3, text=_ROLES[role]))
    words = {
        "producer": "producer",
        "engineer": "engineer",
        "mixer": "mix",
        "djmixer": "DJ-mix",
        "arranger": "arranger",
    }
    tags.add(TIPL(encoding=3, people=[[word, _ROLES[role]] for role, word in words.items()]))
    tags.add(TMCL(encoding=3, people=[list(player) for player in _PLAYERS]))


def _set_people_comments(file: Any) -> None:
    """Vorbis comments and APEv2 have the instrument in brackets; APEv2 calls a remixer MixArtist."""
    file["TITLE"] = TEXTS["title"]
    for role, name in _ROLES.items():
        file["MixArtist" if role == "remixer" and isinstance(file, WavPack) else role.upper()] = [name]
    file["PERFORMER"] = [f"{name} ({instrument})" for instrument, name in _PLAYERS]


def _set_people_mp4(file: Any) -> None:
    file["\xa9nam"], file["\xa9wrt"] = TEXTS["title"], _ROLES["composer"]
    for role, name in _ROLES.items():
        if role != "composer":
            file[f"----:com.apple.iTunes:{role.upper()}"] = name.encode()


def _set_people_asf(file: Any) -> None:
    names = {"lyricist": "Writer", "remixer": "ModifiedBy", "djmixer": "DJMixer"}
    file["Title"] = TEXTS["title"]
    for role, name in _ROLES.items():
        file[f"WM/{names.get(role, role.title())}"] = name


def _film_with_people() -> Sample:
    named = {"director": "Hana Malá", "writer": "Ivo Dub", "producer": "Ann Lee", "composer": "Antonín Dvořák"}
    words = {"director": "DIRECTOR", "writer": "WRITTEN_BY", "producer": "PRODUCER", "composer": "COMPOSER"}
    of_film = tag(ebml("68ca", 50), *((words[role], name) for role, name in named.items()), ("ACTOR", "Jan Fox"))
    tracks = [track(1, 1, "V_VP9", ebml("e0", ebml("b0", 640), ebml("ba", 360))), track(2, 2, "A_OPUS")]
    return Sample(
        "people.mkv",
        "Matroska",
        lambda: matroska(5400.0, tracks, tags=[of_film], title=TEXTS["title"], size=300 * KB),
        5400.0,
        texts("title"),
        "video/x-matroska",
        countable=False,
        tracks=[Stream("video", "vp9"), Stream("audio", "opus")],
        people=[*(Credit(role, name) for role, name in named.items()), Credit("actor", "Jan Fox")],
    )


# -- loudness ----------------------------------------------------------------------------------------------------------

_SOUND_CHECK = " 00000FA0 000007D0 00003E80 00001F40 00024CA8 00024CA8 00007FFF 00007FFF 00024CA8 00024CA8"
"""The louder channel is adjusted by 4,000 thousandths of a milliwatt, 10 log 4 decibels down."""
_CHECKED = Level("itunes_gain", -6.02, _SOUND_CHECK)


def loudness(kitchen: Kitchen) -> Iterator[Sample]:
    one = partial(Sample, seconds=kitchen.song)
    mp3 = _of_song(kitchen, "mp3", _MP3)
    yield one(
        "gain-lame-header.mp3",
        "MP3",
        lambda: with_lame_gain(_of_song(kitchen, "mp3", "-c:a libmp3lame -q:a 4 -id3v2_version 0")(), -7.3, 0.75),
        mime="audio/mpeg",
        loudness=[Level("track_gain", -7.3), Level("track_peak", 0.75)],
    )
    gain = [("REPLAYGAIN_TRACK_GAIN", b"-4.120000 dB"), ("REPLAYGAIN_TRACK_PEAK", b"0.871124")]
    yield one(
        "gain-mp3gain.mp3",
        "APE/v1",
        lambda: mp3() + by_hand.ape([*gain, ("MP3GAIN_MINMAX", b"110,205"), ("MP3GAIN_UNDO", b"+003,+003,N")]),
        mime="audio/mpeg",
        loudness=[Level("track_gain", -4.12, "-4.120000 dB"), Level("track_peak", 0.871124, "0.871124")],
    )
    yield one(
        "gain-itunes.mp3",
        "ID3v2",
        lambda: saved(
            lambda _: ID3(),
            mp3(),
            lambda tags: tags.add(COMM(encoding=0, lang="eng", desc="iTunNORM", text=_SOUND_CHECK)),
        ),
        mime="audio/mpeg",
        loudness=[_CHECKED],
    )
    song = _of_song(kitchen, "m4a", "-c:a aac -b:a 64k")
    yield one(
        "gain-itunes.m4a",
        "M4A",
        lambda: saved(
            MP4, song(), lambda file: file.__setitem__("----:com.apple.iTunes:iTunNORM", _SOUND_CHECK.encode())
        ),
        mime="audio/mp4",
        loudness=[_CHECKED],
    )
    opus = _of_song(kitchen, "opus", "-c:a libopus -b:a 48k")
    # In 256ths of a decibel (RFC 7845, 5.1 and 5.2.1).
    r128 = [Level("r128_track_gain", -4.5, "-1152"), Level("r128_album_gain", 1.25, "320")]
    yield one(
        "gain-r128.opus",
        "Ogg",
        lambda: saved(OggOpus, opus(), lambda file: file.update(R128_TRACK_GAIN=["-1152"], R128_ALBUM_GAIN=["320"])),
        mime="audio/ogg",
        loudness=r128,
    )
    yield one(
        "gain-of-header.opus",
        "Ogg",
        lambda: with_output_gain(opus(), -640),
        mime="audio/ogg",
        loudness=[Level("output_gain", -2.5)],
    )


# -- what it is meant as -----------------------------------------------------------------------------------------------


def purposes(kitchen: Kitchen) -> Iterator[Sample]:
    one = partial(Sample, seconds=kitchen.song, mime="audio/mp4", texts=texts("title"))
    song = _of_song(kitchen, "m4a", "-c:a aac -b:a 64k")
    film = lambda: kitchen.video("mp4", "-c:v libx264 -preset veryfast -b:v 300k -c:a aac").read_bytes()  # noqa: E731

    def dressed(data: Callable[[], bytes], **values: Any) -> Callable[[], bytes]:
        named = {"\xa9nam": TEXTS["title"], **values}
        return lambda: saved(MP4, data(), lambda file: file.update(named))

    show = {"media_kind": "tv show", "episode": "7", "season": "2", "explicit": "no", "is_video": True}
    yield one(
        "show.m4v",
        "MP4",
        dressed(film, stik=[10], tves=[7], tvsn=[2], tvsh="Low Water", rtng=[2]),
        seconds=kitchen.film,
        mime="video/mp4",
        texts=[*texts("title"), Text("show", "Low Water")],
        facts=show,
    )
    yield one(
        "podcast.m4a",
        "M4A",
        dressed(song, stik=[21], pcst=True, rtng=[4], desc="An evening song", keyw="song, evening"),
        facts={
            "media_kind": "podcast",
            "explicit": "yes",
            "description": "An evening song",
            "keywords": "song, evening",
        },
    )
    yield one("audiobook.m4b", "M4B", dressed(song, stik=[2]), facts={"media_kind": "audiobook"})
    yield one(
        "movie.mp4", "MP4", dressed(film, stik=[9], rtng=[0]), seconds=kitchen.film, mime="video/mp4",
        facts={"media_kind": "movie", "is_video": True},
    )  # fmt: skip
    mp3 = _of_song(kitchen, "mp3", _MP3)
    yield one(
        "podcast.mp3",
        "ID3v2",
        lambda: saved(lambda _: ID3(), mp3(), _set_podcast, v2_version=3),
        mime="audio/mpeg",
        facts={
            "media_kind": "podcast",
            "description": "An evening song",
            "keywords": "song, evening",
            "language": "cs",
            "explicit": "yes",
        },
    )


def _set_podcast(tags: Any) -> None:
    """The frames of iTunes for podcasts, and its advisory."""
    tags.add(TIT2(encoding=3, text=TEXTS["title"]))
    tags.add(PCST(value=1))
    tags.add(TDES(encoding=3, text="An evening song"))
    tags.add(TKWD(encoding=3, text="song, evening"))
    tags.add(TLAN(encoding=3, text="ces"))
    tags.add(TXXX(encoding=3, desc="ITUNESADVISORY", text="1"))
