"""The same fields in each container: whatever an identifier, a person or a gain is called there, it has one key.

The names are those of the tables of MusicBrainz Picard, and for films those of Matroska's registry of tags.
"""

import struct

from mutagen import id3
from mutagen.oggspeex import OggSpeex
from probe_media import audio, changed, saved
from tag_writers import (
    COLUMNS,
    WRITERS,
    matroska,
    write_ape,
    write_asf,
    write_film,
    write_flac,
    write_id3,
    write_mp4,
    write_opus,
    write_vorbis,
)  # fmt: skip

UUIDS = [f"{n:08x}-1111-4222-8333-{n:012x}" for n in range(1, 12)]
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
NORM = " 000003E8 000007D0 00002710 00002710 00024CA8 00024CA8 00007FFF 00007FFF 00024CA8 00024CA8"
GAINS = {
    "REPLAYGAIN_TRACK_GAIN": "-6.50 dB", "REPLAYGAIN_TRACK_PEAK": "0.988547", "REPLAYGAIN_ALBUM_GAIN": "+1,25 dB",
    "REPLAYGAIN_ALBUM_PEAK": "1.024",
}  # fmt: skip


def names(mp3, mp4, vorbis, ape, asf, matroska=None):
    """The names of one field by container."""
    return {"id3": mp3, "mp4": mp4, "vorbis": vorbis, "ape": ape, "asf": asf, "matroska": matroska or vorbis}


def of_musicbrainz(words):
    """The forms that Picard writes a MusicBrainz identifier in: ``Album Id`` has five of them."""
    plain = "MUSICBRAINZ_" + words.replace(" ", "").upper()
    return names(f"TXXX:MusicBrainz {words}", f"MusicBrainz {words}", plain, plain, f"MusicBrainz/{words}")


def plain(name, asf=None):
    return names(f"TXXX:{name}", name, name, name, asf or name)


IDENTIFIERS = {
    "musicbrainz_recording": (UUIDS[0], of_musicbrainz("Track Id") | {"id3": "UFID:http://musicbrainz.org"}),
    "musicbrainz_track": (UUIDS[1], of_musicbrainz("Release Track Id")),
    "musicbrainz_release": (UUIDS[2], of_musicbrainz("Album Id")),
    "musicbrainz_release_group": (UUIDS[3], of_musicbrainz("Release Group Id")),
    "musicbrainz_artist": (UUIDS[4], of_musicbrainz("Artist Id")),
    "musicbrainz_release_artist": (UUIDS[5], of_musicbrainz("Album Artist Id")),
    "musicbrainz_work": (UUIDS[6], of_musicbrainz("Work Id")),
    "musicbrainz_disc": ("I5l9cCSFccLKFEKS.7wqSZAorPU-", of_musicbrainz("Disc Id")),
    "isrc": ("USRC17607839", names("TSRC", "ISRC", "ISRC", "ISRC", "WM/ISRC")),
    "barcode": ("4006408126348", plain("BARCODE", "WM/Barcode") | {"ape": "Barcode"}),
    "catalog_number": ("TIC 01", plain("CATALOGNUMBER", "WM/CatalogNo") | {"ape": "CatalogNumber",
                                                                          "matroska": "CATALOG_NUMBER"}),
    "asin": ("B000002UAL", plain("ASIN")),
    "acoustid": (UUIDS[7], names("TXXX:Acoustid Id", "Acoustid Id", "ACOUSTID_ID", "ACOUSTID_ID", "Acoustid/Id")),
    "discogs_release": ("249504", plain("DISCOGS_RELEASE_ID")),
    "discogs_artist": ("72872", plain("DISCOGS_ARTIST_ID")),
    "eidr": ("10.5240/7791-8534-2C23-9030-8610-5", plain("EIDR")),
    "isan": ("0000-0000-D07A-0090-Q-0000-0000-X", plain("ISAN")),
    "imdb": ("tt0068646", plain("IMDB")),
    "tmdb": ("movie/238", plain("TMDB")),
    "tvdb": ("81189", plain("TVDB")),
}  # fmt: skip
PEOPLE = {
    "composer": names("TCOM", "©wrt", "COMPOSER", "Composer", "WM/Composer"),
    "lyricist": names("TEXT", "LYRICIST", "LYRICIST", "Lyricist", "WM/Writer"),
    "conductor": names("TPE3", "CONDUCTOR", "CONDUCTOR", "Conductor", "WM/Conductor"),
    "arranger": names("TXXX:ARRANGER", "ARRANGER", "ARRANGER", "Arranger", "WM/Arranger"),
    "remixer": names("TPE4", "REMIXER", "REMIXER", "MixArtist", "WM/ModifiedBy", "REMIXED_BY"),
    "producer": names("TXXX:PRODUCER", "PRODUCER", "PRODUCER", "Producer", "WM/Producer"),
    "engineer": names("TXXX:ENGINEER", "ENGINEER", "ENGINEER", "Engineer", "WM/Engineer", "SOUND_ENGINEER"),
    "mixer": names("TXXX:MIXER", "MIXER", "MIXER", "Mixer", "WM/Mixer"),
    "djmixer": names("TXXX:DJMIXER", "DJMIXER", "DJMIXER", "DJMixer", "WM/DJMixer", "MIXED_BY"),
    "director": names("TXXX:DIRECTOR", "DIRECTOR", "DIRECTOR", "Director", "WM/Director"),
}
OTHERS = {
    "releasestatus": of_musicbrainz("Album Status") | {"vorbis": "RELEASESTATUS"},
    "releasetype": of_musicbrainz("Album Type") | {"vorbis": "RELEASETYPE"},
    "releasecountry": of_musicbrainz("Album Release Country") | {"vorbis": "RELEASECOUNTRY", "ape": "RELEASECOUNTRY"},
    "script": plain("SCRIPT", "WM/Script"),
    "artists": plain("ARTISTS", "WM/ARTISTS") | {"id3": "TXXX:Artists"},
    "work": plain("WORK", "WM/Work"),
    "writer": plain("WRITER") | {"id3": "TXXX:Writer", "ape": "Writer"},
    "acoustid_fingerprint": names("TXXX:Acoustid Fingerprint", "Acoustid Fingerprint", "ACOUSTID_FINGERPRINT",
                                  "ACOUSTID_FINGERPRINT", "Acoustid/Fingerprint"),
    "discsubtitle": names("TSST", "DISCSUBTITLE", "DISCSUBTITLE", "DiscSubtitle", "WM/SetSubTitle"),
    "musicbrainz_originalalbumid": of_musicbrainz("Original Album Id"),
    "musicbrainz_originalartistid": of_musicbrainz("Original Artist Id"),
    "musicip_puid": names("TXXX:MusicIP PUID", "MusicIP PUID", "MUSICIP_PUID", "MUSICIP_PUID", "MusicIP/PUID"),
}  # fmt: skip
VARIANTS = {
    "comment": ["COMMENTS"], "totaltracks": ["TRACKTOTAL", "TOTALTRACKS", "Total Tracks"],
    "totaldiscs": ["DISCTOTAL", "TOTALDISCS", "TOTAL_DISCS"], "originaldate": ["ORIGINALDATE", "Original_Date"],
}  # fmt: skip


def files():
    yield from in_each_container()
    yield from people()
    yield from loudness()
    yield from facts()


def in_each_container():
    for container, write in WRITERS.items():
        column = COLUMNS[container]
        yield f"identifiers in {container}", write({spelt[column]: [value] for value, spelt in IDENTIFIERS.values()})
        several = {"musicbrainz_artist": UUIDS[:2], "isrc": ["USRC17607839", "GBAYE0000351"]}
        listed = {IDENTIFIERS[name][1][column]: values for name, values in several.items()}
        yield f"several of one kind in {container}", write(listed)
        yield f"people in {container}", write({spelt[column]: [f"{role} of it"] for role, spelt in PEOPLE.items()})
        yield f"other names in {container}", write({spelt[column]: [key] for key, spelt in OTHERS.items()})
        if column != "id3":
            for number in range(3):
                fields = {spelt[number]: [key] for key, spelt in VARIANTS.items() if number < len(spelt)}
                yield f"spellings of one name in {container} {number}", write(fields)
        for spelling in (str, str.lower):
            prefix = "TXXX:" if column == "id3" else ""
            fields = {prefix + spelling(name): [text] for name, text in GAINS.items()}
            yield f"replaygain in {container} {spelling('X')}", write(fields)
    for owner, data in (
        ("http://www.cddb.com/id3/taginfo1.html", b"3CD3N48Q241232290U1"),
        ("http://a.org", b"\1\2\xff"),
    ):
        tags = id3.ID3()
        tags.add(id3.UFID(owner=owner, data=data))
        yield f"identifier of {owner}", saved(tags, audio(4))
    unknown = {f"TXXX:{name}": ["x"] for name in ("Mood", "Anything else", "x" * 70_000, "MusicBrainz", "")}
    yield "names that nobody knows", write_id3(unknown)
    levels = matroska((70, {"IMDB": ["tt0000001"]}), (50, {"TMDB": ["tv/1"]}))
    yield "identifiers of a collection", levels


def people():
    performers = ["Ann (guitar)", "Bob (drums (drum set))", "Prince", "(both)", "Eve ()"]
    for container in ("ogg", "flac", "ape", "mp4", "matroska"):
        yield f"instruments in {container}", WRITERS[container]({"PERFORMER": performers})
    words = ["producer", "Engineer", "mix", "DJ-mix", "arranger", "guitar", "Lead vocals", "гитара", "artwork"]
    for word in words:
        for version, frame in ((3, "IPLS"), (4, "TIPL")):
            yield f"{word} in a list {version}", write_id3({frame: [[word, "Anna Ö"], [word, "Bob"]]}, version)
    pairs = [["guitar", "Анна"], ["", "Nobody"], ["bass", ""], ["piano", "Bob"]]
    yield "musicians and instruments", write_id3({"TMCL": pairs})
    cast = [("Ann Lee", {"CHARACTER": "The Captain"}), "Bob Ray"]
    yield (
        "people of a film",
        write_film({"DIRECTOR": ["Dee"], "PRODUCER": ["Pat"], "WRITTEN_BY": ["Wil"], "ACTOR": cast}),
    )
    band = [("Ann", {"SORT_WITH": "A", "INSTRUMENTS": "guitar, bass"}), "Bob"]
    yield "instruments that nest", WRITERS["matroska"]({"ACCOMPANIMENT": band})


def loudness():
    track = 30, {"TITLE": ["x"], "REPLAYGAIN_GAIN": ["-6.50 dB"], "REPLAYGAIN_PEAK": ["0.988547"]}
    album = 50, {"REPLAYGAIN_GAIN": ["1.25"], "REPLAYGAIN_PEAK": ["1.024"]}
    yield "gains by what a tag is about", matroska(album, track)
    opus = write_opus({"R128_TRACK_GAIN": ["-1280"], "R128_ALBUM_GAIN": ["384"]})
    yield "gains of opus", opus
    at = opus.index(b"OpusHead") + 16
    yield "gain of the header of opus", opus[:at] + struct.pack("<h", -896) + opus[at + 2 :]
    # 2000 in the second channel; 1000 is no change: ten times the logarithm of a half.
    yield "sound check in id3", write_id3({"COMM:iTunNORM": [NORM]})
    yield "sound check in mp4", write_mp4({"iTunNORM": [NORM]})


def facts():
    for name, data in {
        "WCOP": write_id3({"WCOP": [LICENCE]}), "TXXX": write_id3({"TXXX:LICENSE": [LICENCE]}),
        "vorbis": write_vorbis({"LICENSE": [LICENCE]}), "flac": write_flac({"license": [LICENCE]}),
        "ape": write_ape({"License": [LICENCE]}), "mp4": write_mp4({"LICENSE": [LICENCE]}),
    }.items():  # fmt: skip
        yield f"licence in {name}", data
    for text in ("CC BY 4.0", "see https://example.org/licence", "ftp.example.org"):
        yield f"licence {text}", write_vorbis({"LICENSE": [text]})
    for text in ("1", "4", "true", "Explicit", "2", "0", "clean", "", "maybe"):
        for name in ("EXPLICIT", "ITUNESADVISORY"):
            yield f"{name} {text} in vorbis", write_vorbis({name: [text]})
            yield f"{name} {text} in id3", write_id3({f"TXXX:{name}": [text]})
            yield f"{name} {text} in mp4", write_mp4({name: [text]})
    for name, data in {
        "id3": write_id3({"TLAN": ["ger"]}), "id3v2.3": write_id3({"TLAN": ["por"]}, 3),
        "vorbis": write_vorbis({"LANGUAGE": ["pt_BR"]}), "ape": write_ape({"Language": ["German"]}),
        "asf": write_asf({"WM/Language": ["en-US"]}), "mp4": write_mp4({"LANGUAGE": ["jpn"]}),
    }.items():  # fmt: skip
        yield f"language in {name}", data
    for name, data in {
        "id3": write_id3({"TCMP": ["1"]}), "mp4": write_mp4({"cpil": True}),
        "vorbis": write_vorbis({"COMPILATION": ["1"]}),
        "ape": write_ape({"Compilation": ["1"]}), "asf": write_asf({"WM/IsCompilation": [True]}),
    }.items():  # fmt: skip
        yield f"compilation in {name}", data
    library = {"WM/MediaClassPrimaryID": ["{D1607DBC-E323-4BE2-86A1-48A42A28441E}"], "WM/Mood": ["calm"]}
    yield "what a library keeps for itself", write_asf(library)

    def spoken(file):
        file.tags.clear()
        file.update({"TITLE": "Tone", "AUTHOR": "Sine", "COMMENTS": "Recorded in one take"})

    # speexenc has the options --title, --author and --comment, each of which becomes a comment of that name.
    yield "author of speech", changed(OggSpeex, "tone.spx", spoken)
