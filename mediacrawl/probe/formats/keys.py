"""Common keys (MusicBrainz Picard's) for the text fields of each container.

Where a tagger chooses the name of a field freely, it writes the same name in several forms: ``MusicBrainz Album Id``
in ID3v2 and MP4, ``MusicBrainz/Album Id`` in ASF, ``MUSICBRAINZ_ALBUMID`` in Vorbis comments and APE. Compared without
capitals and separators they are one. Source: appendix "Tag Mapping" of the user guide of MusicBrainz Picard, whose
internal names are the keys; RFC 9559's registry of tags for the catalogues of films.
"""

from __future__ import annotations

import re

_LONGEST = 60
_SEPARATORS = re.compile(r"[\s_/-]+")

_OWN_NAMES = """
    musicbrainz_releasegroupid musicbrainz_artistid musicbrainz_workid musicbrainz_discid
    musicbrainz_originalalbumid musicbrainz_originalartistid musicbrainz_trmid musicip_puid acoustid_id
    acoustid_fingerprint isrc asin discogs_release_id discogs_artist_id itunes_artist_id itunes_album_id
    podcast_guid episode_guid eidr isan replaygain_track_gain replaygain_track_peak replaygain_track_range
    replaygain_album_gain replaygain_album_peak replaygain_album_range replaygain_reference_loudness
    r128_track_gain r128_album_gain itunnorm composer lyricist conductor performer arranger mixer djmixer
    director actor narrator artists movementtotal originalfilename originalyear script showmovement work
"""
"""Keys that are the names of their fields but for the underscores."""
_NAMES = {
    # Picard calls the recording a track, and the track of a release a release track.
    "musicbrainz_recordingid": "musicbrainztrackid musicbrainzrecordingid",
    "musicbrainz_trackid": "musicbrainzreleasetrackid",
    "musicbrainz_albumid": "musicbrainzalbumid musicbrainzreleaseid",
    "musicbrainz_albumartistid": "musicbrainzalbumartistid musicbrainzreleaseartistid",
    "musicip_fingerprint": "musicmagicfingerprint",
    "barcode": "barcode upc ean eanupc upcean eanupn",
    "catalognumber": "catalognumber catalogno labelno",
    "itunes_track_id": "itunestrackid itunescatalogid",
    "imdb": "imdb imdbid",
    "tmdb": "tmdb tmdbid",
    "tvdb": "tvdb tvdbid tvdb2",
    "writer": "writer writtenby",
    "remixer": "remixer remixedby mixartist",
    "producer": "producer producedby coproducer",
    "engineer": "engineer soundengineer audioengineer masteredby",
    "compilation": "compilation iscompilation itunescompilation",
    "discsubtitle": "discsubtitle setsubtitle",
    "explicit": "explicit itunesadvisory",
    "key": "initialkey",
    "license": "license licence",
    "movement": "movementname",
    "releasecountry": "releasecountry musicbrainzalbumreleasecountry",
    "releasestatus": "releasestatus musicbrainzalbumstatus",
    "releasetype": "releasetype musicbrainzalbumtype",
}
_BY_NAME = {key.replace("_", ""): key for key in _OWN_NAMES.split()}
_BY_NAME |= {name: key for key, names in _NAMES.items() for name in names.split()}


def shared_key(name: str) -> str | None:
    """The common key of a field's name; None if the name is none of those that containers share."""
    if len(name) > _LONGEST:
        return None
    return _BY_NAME.get(_SEPARATORS.sub("", name.lower().removeprefix("wm/")))


_ID3 = {
    "title": "TIT2 TT2",
    "artist": "TPE1 TP1",
    "albumartist": "TPE2 TP2",
    "conductor": "TPE3 TP3",
    "remixer": "TPE4 TP4",
    "album": "TALB TAL",
    "composer": "TCOM TCM",
    "lyricist": "TEXT TXT",
    "genre": "TCON TCO",
    "date": "TDRC TYER TYE",
    "originaldate": "TDOR TORY TOR XDOR",
    "tracknumber": "TRCK TRK",
    "discnumber": "TPOS TPA",
    "comment": "COMM COM",
    "lyrics": "USLT ULT",
    "copyright": "TCOP TCR",
    "language": "TLAN TLA",
    "encodedby": "TENC TEN",
    "encodersettings": "TSSE TSS",
    "grouping": "TIT1 TT1 GRP1 GP1",
    "subtitle": "TIT3 TT3",
    "bpm": "TBPM TBP",
    "isrc": "TSRC TRC",
    "label": "TPUB TPB",
    "media": "TMED TMT",
    "mood": "TMOO",
    "key": "TKEY TKE",
    "originalartist": "TOPE TOA",
    "originalalbum": "TOAL TOT",
    "titlesort": "TSOT TST XSOT",
    "artistsort": "TSOP TSP XSOP",
    "albumsort": "TSOA TSA XSOA",
    "albumartistsort": "TSO2 TS2",
    "website": "WOAR WAR",
    "license": "WCOP WCP",
    "movement": "MVNM MVN",
    "movementnumber": "MVIN MVI",
    "composersort": "TSOC TSC",
    "discsubtitle": "TSST",
    "originalfilename": "TOFN TOF",
    "compilation": "TCMP TCP",
    # iTunes' frames of podcasts.
    "episode_guid": "TGID TID",
    "category": "TCAT TCT",
    "description": "TDES TDS",
    "keywords": "TKWD TKW",
    "podcasturl": "WFED WFD",
}

_MP4 = {
    "title": "©nam titl",
    "artist": "©ART perf auth",
    "albumartist": "aART",
    "album": "©alb albm",
    "composer": "©wrt ©com",
    "genre": "©gen gnre",
    "date": "©day yrrc",
    "tracknumber": "trkn ©trk",
    "discnumber": "disk",
    "comment": "©cmt",
    "copyright": "cprt ©cpy",
    "encodedby": "©too ©enc ©swr",
    "lyrics": "©lyr",
    "grouping": "©grp",
    "description": "desc ©des dscp",
    "synopsis": "ldes",
    "bpm": "tmpo",
    "show": "tvsh",
    "category": "catg",
    "keywords": "keyw kywd",
    "podcasturl": "purl",
    "media_kind": "stik pcst",
    "explicit": "rtng",
    "compilation": "cpil",
    "season": "tvsn",
    "episode": "tves",
    "episode_id": "tven",
    "episode_guid": "egid",
    "itunes_track_id": "cnID",
    "itunes_artist_id": "atID",
    "itunes_album_id": "plID",
    "titlesort": "sonm",
    "artistsort": "soar",
    "albumsort": "soal",
    "albumartistsort": "soaa",
    "composersort": "soco",
    "movement": "©mvn",
    "work": "©wrk",
    "showsort": "sosn",
    # QuickTime's names of people.
    "arranger": "©arg",
    "conductor": "©con",
    "director": "©dir",
    "narrator": "©nrt",
    "performer": "©prf ©sol",
    "producer": "©prd",
    "writer": "©swf",
    "isrc": "©isr",
    "label": "©lab",
}

_MP4_NAMES = {
    "albumartist": "ALBUM_ARTIST",
    "date": "CREATIONDATE|YEAR",
    "tracknumber": "TRACK",
    "discnumber": "DISC",
    "encodedby": "SOFTWARE",
    "encodersettings": "ENCODER",
}

_VORBIS = {
    # The name in files of speexenc, which has no ARTIST.
    "artist": "AUTHOR",
    "albumartist": "ALBUM ARTIST|ALBUM_ARTIST",
    "comment": "DESCRIPTION",
    "date": "YEAR",
    "label": "ORGANIZATION",
    "tracknumber": "TRACK",
    "discnumber": "DISC",
    "encodersettings": "ENCODER|ENCODER_OPTIONS",
    "encodedby": "ENCODED-BY|ENCODED_BY",
    "lyrics": "UNSYNCEDLYRICS",
    "movementnumber": "MOVEMENT",
}

_RIFF = {
    "title": "INAM TITL",
    "artist": "IART",
    "album": "IPRD",
    "composer": "IMUS",
    "lyricist": "IWRI",
    "genre": "IGNR",
    "date": "ICRD IDIT",
    "tracknumber": "ITRK IPRT TRCK itrk",
    "comment": "ICMT",
    "copyright": "ICOP",
    "language": "ILNG",
    "encodedby": "ITCH IENC",
    "encodersettings": "ISFT",
    "engineer": "IENG",
    "keywords": "IKEY",
    "producer": "IPRO",
    # "Starring" of films; taggers of music write the performer there.
    "performer": "ISTR",
    "subject": "ISBJ",
    "media": "IMED",
    "website": "IWEB",
}

_AIFF = {"title": "NAME", "artist": "AUTH", "comment": "ANNO|COMT", "copyright": "(c)"}

_DSDIFF = {"title": "DITI", "artist": "DIAR"}

_CAF = {
    "bpm": "tempo",
    "key": "key signature",
    "tracknumber": "track number",
    "date": "year|recorded date",
    "comment": "comments",
    "encodersettings": "encoding application|encoder",
    "encodedby": "source application",
}

_ASF = {
    "title": "Title|WM/Title",
    "artist": "Author|WM/Author",
    "albumartist": "WM/AlbumArtist",
    "album": "WM/AlbumTitle|Album",
    "composer": "WM/Composer",
    "conductor": "WM/Conductor",
    "lyricist": "WM/Writer",
    "remixer": "WM/ModifiedBy",
    "producer": "WM/Producer",
    "genre": "WM/Genre|Genre",
    "date": "WM/Year|Year",
    "originaldate": "WM/OriginalReleaseYear|WM/OriginalReleaseTime",
    "tracknumber": "WM/TrackNumber",
    "discnumber": "WM/PartOfSet",
    "comment": "Description|WM/Comments|Comment",
    "copyright": "Copyright",
    "rating": "Rating",
    "language": "WM/Language|Language",
    "lyrics": "WM/Lyrics",
    "label": "WM/Publisher",
    "encodedby": "WM/EncodedBy",
    "encodersettings": "WM/EncodingSettings|WM/ToolName|Encoder",
    "grouping": "WM/ContentGroupDescription",
    "subtitle": "WM/SubTitle",
    "description": "WM/SubTitleDescription",
    "bpm": "WM/BeatsPerMinute",
    "isrc": "WM/ISRC",
    "mood": "WM/Mood",
    "key": "WM/InitialKey",
    "media": "WM/Media",
    "originalartist": "WM/OriginalArtist",
    "originalalbum": "WM/OriginalAlbumTitle",
    "titlesort": "WM/TitleSortOrder",
    "artistsort": "WM/ArtistSortOrder",
    "albumsort": "WM/AlbumSortOrder",
    "website": "WM/AuthorURL",
}

_FLV = {
    "artist": "AUTHOR|CREATOR",
    "date": "CREATIONDATE|CREATION_TIME",
    "encodersettings": "ENCODER|METADATACREATOR",
    "albumartist": "ALBUM_ARTIST",
    "tracknumber": "TRACK",
    "discnumber": "DISC",
}

_MATROSKA = {
    "title": "TITLE",
    "artist": "ARTIST LEAD_PERFORMER",
    "albumartist": "ALBUM_ARTIST ALBUMARTIST",
    "conductor": "CONDUCTOR",
    "remixer": "REMIXED_BY",
    "composer": "COMPOSER",
    "lyricist": "LYRICIST",
    "performer": "ACCOMPANIMENT",
    "writer": "WRITTEN_BY SCREENPLAY_BY",
    "djmixer": "MIXED_BY",
    "replaygain_track_gain": "REPLAYGAIN_GAIN",
    "replaygain_track_peak": "REPLAYGAIN_PEAK",
    "date": "DATE_RELEASED DATE_RELEASE DATE YEAR DATE_RECORDED",
    "tracknumber": "PART_NUMBER TRACK TRACKNUMBER",
    "totaltracks": "TOTAL_PARTS TOTALTRACKS",
    "discnumber": "DISC DISCNUMBER",
    "comment": "COMMENT COMMENTS",
    "encodedby": "ENCODED_BY",
    "encodersettings": "ENCODER ENCODER_SETTINGS",
    "label": "LABEL PUBLISHER",
    "website": "URL",
    "key": "INITIAL_KEY",
}

_OF_AN_ALBUM = {
    "title": "album",
    "artist": "albumartist",
    "tracknumber": "album:tracknumber",
    "replaygain_track_gain": "replaygain_album_gain",
    "replaygain_track_peak": "replaygain_album_peak",
}
_OF_A_DISC = {"title": "discsubtitle", "tracknumber": "discnumber"}

_APE = {
    "albumartist": "ALBUM ARTIST|ALBUM_ARTIST",
    "comment": "DESCRIPTION",
    "date": "YEAR|RECORD DATE",
    "tracknumber": "TRACK",
    "discnumber": "DISC|DISCNUMBER",
    "remixer": "MIXARTIST",
    "label": "PUBLISHER",
    "encodedby": "ENCODED BY",
    "encodersettings": "TOOL NAME",
    "originalartist": "ORIGINAL ARTIST",
    "lyrics": "UNSYNCEDLYRICS",
    "website": "RELATED|WEBLINK",
    "movementnumber": "MOVEMENT",
}

_MIDI = {
    "title": "SequenceName",
    "track:name": "TrackName",
    "copyright": "Copyright",
    "comment": "Text|@I",
    "language": "@L",
}
_KARAOKE_TITLES = ("title", "artist")
"""Keys of the texts that Soft Karaoke marks as titles, in order; further ones are remarks."""

_TRACKER = {"title": "Title", "comment": "Message|Instruments|Samples", "encodersettings": "Tracker"}

_REAL = {
    "title": "TITLE",
    "artist": "AUTHOR",
    "date": "CREATION DATE",
    "encodersettings": "GENERATED BY",
}
REAL_TEXTS = ("Title", "Author", "Copyright", "Comment")
"""The four texts of RealAudio and RealMedia, in the order of the file."""


_COMMON = {
    "comment": "COMMENTS",
    "originaldate": "ORIGINAL_DATE|ORIGINAL DATE",
    "totaltracks": "TRACKTOTAL|TRACK_TOTAL|TRACK TOTAL|TOTAL_TRACKS|TOTAL TRACKS",
    "totaldiscs": "DISCTOTAL|DISC_TOTAL|DISC TOTAL|TOTAL_DISCS|TOTAL DISCS",
}
"""Other spellings of names, in all containers where writers choose the names of fields."""


def _turned(table: dict[str, str], separator: str = " ") -> dict[str, str]:
    return {name: key for key, names in table.items() for name in names.split(separator)}


_BY_ID3 = _turned(_ID3)
_BY_MP4 = _turned(_MP4)
_BY_COMMON_NAME = _turned(_COMMON, "|")
_BY_MP4_NAME = _turned(_MP4_NAMES, "|")
_BY_VORBIS = _turned(_VORBIS, "|")
_BY_APE = _turned(_APE, "|")
_BY_RIFF = _turned(_RIFF)
_BY_AIFF = _turned(_AIFF, "|")
_BY_DSDIFF = _turned(_DSDIFF)
_BY_CAF = _turned(_CAF, "|")
_BY_ASF = {name.lower(): key for name, key in _turned(_ASF, "|").items()}
_BY_FLV = _turned(_FLV, "|")
_BY_MATROSKA = _turned(_MATROSKA)
_BY_MIDI = _turned(_MIDI, "|")
_BY_TRACKER = _turned(_TRACKER, "|")
_BY_REAL = _turned(_REAL, "|")
_MAX_KEY = 100
"""Characters of a key. A description can have 64 KB, a key is a name."""


def id3_key(frame: str, desc: str = "") -> str:
    """Names an ID3v2 frame: ``TIT2`` is ``title``, a user's own text is ``txxx:<description>``.

    A description that several containers share has its common key: ``MusicBrainz Album Id``. A comment with a
    description is ``comment:<description>`` and never *the* comment of the file: programs keep their own data there
    (iTunNORM).
    """
    if frame in {"TXXX", "TXX"}:
        return shared_key(desc) or f"txxx:{desc.lower()}"[:_MAX_KEY]
    key = _BY_ID3.get(frame, frame.lower())
    if key == "comment" and desc and desc.lower() != "id3v1 comment":
        return f"comment:{desc.lower()}"[:_MAX_KEY]
    return key


def mp4_key(atom: str) -> str:
    """Names an MP4 text atom; ``----:com.apple.iTunes:ISRC`` and QuickTime's keys go by their last part."""
    if atom in _BY_MP4:
        return _BY_MP4[atom]
    name = atom.removeprefix("----:com.apple.iTunes:").removeprefix("com.apple.quicktime.")
    return _BY_MP4_NAME.get(name.upper()) or _free_key(name)


def _free_key(name: str) -> str:
    """Names a field whose name a writer chose freely."""
    return shared_key(name) or _BY_COMMON_NAME.get(name.upper()) or name.lower()[:_MAX_KEY]


def has_mp4_key(atom: str) -> bool:
    """Whether an MP4 atom has a common name of its own."""
    return atom in _BY_MP4


def vorbis_key(name: str) -> str:
    """Names a Vorbis comment; most are Picard's names already."""
    return _BY_VORBIS.get(name.upper()) or _free_key(name)


def riff_key(chunk: str) -> str:
    """Names a chunk of RIFF's ``INFO`` list."""
    return _BY_RIFF.get(chunk, chunk.strip().lower())


def aiff_key(chunk: str) -> str:
    """Names a text chunk of AIFF."""
    return _BY_AIFF.get(chunk.strip(), chunk.strip().lower())


def dsdiff_key(chunk: str) -> str:
    """Names a text chunk of DSDIFF."""
    return _BY_DSDIFF.get(chunk, chunk.lower())


def caf_key(name: str) -> str:
    """Names a text of Core Audio Format; ffmpeg writes names of its own, which are those of Vorbis comments."""
    return _BY_CAF.get(name.lower()) or vorbis_key(name)


def asf_key(name: str) -> str:
    """Names an ASF attribute; ffmpeg writes Windows' names and others, each in any case."""
    return _BY_ASF.get(name.lower()) or _free_key(name.lower().removeprefix("wm/"))


def flv_key(name: str) -> str:
    """Names a property of FLV's ``onMetaData``."""
    return _BY_FLV.get(name.upper()) or _free_key(name)


def matroska_key(name: str, place: str = "") -> str:
    """Names a Matroska tag. What nests in another goes by both names, but a sort form is ``artistsort``."""
    outer, _, last = name.upper().rpartition("/")
    key = _BY_MATROSKA.get(outer or last) or _free_key(outer or last)
    if outer:
        key = f"{key}sort" if last == "SORT_WITH" else f"{key}/{last.lower()}"
    if place == "album":
        key = _OF_AN_ALBUM.get(key, key)
    elif place == "disc":
        key = _OF_A_DISC.get(key, f"disc:{key}")
    elif place:
        key = f"{place}:{key}"
    return key[:_MAX_KEY]


def ape_key(name: str) -> str:
    """Names an item of an APE tag; most are Picard's names but for capitals."""
    return _BY_APE.get(name.upper()) or _free_key(name)


def midi_key(name: str, number: int = 0) -> str:
    """Names a text of a MIDI file, by its event or the mark of Soft Karaoke; `number` counts the titles before it."""
    if name == "@T":
        return _KARAOKE_TITLES[number] if number < len(_KARAOKE_TITLES) else "comment"
    return _BY_MIDI.get(name, name.lower())


def tracker_key(name: str) -> str:
    """Names a text of a tracker's module: musicians wrote what they had to say into all but the title."""
    return _BY_TRACKER[name]


def real_key(name: str) -> str:
    """Names a text of RealAudio or RealMedia, or a property of a file."""
    return _BY_REAL.get(name.upper()) or _free_key(name)
