"""Common names (MusicBrainz Picard's) for the containers' own names of text fields."""

from __future__ import annotations

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
    "originaldate": "TDOR TORY TOR",
    "tracknumber": "TRCK TRK",
    "discnumber": "TPOS TPA",
    "comment": "COMM COM",
    "lyrics": "USLT ULT",
    "copyright": "TCOP TCR",
    "language": "TLAN TLA",
    "encodedby": "TENC TEN",
    "encodersettings": "TSSE TSS",
    "grouping": "TIT1 TT1 GRP1",
    "subtitle": "TIT3 TT3",
    "bpm": "TBPM TBP",
    "isrc": "TSRC TRC",
    "label": "TPUB TPB",
    "media": "TMED TMT",
    "mood": "TMOO",
    "key": "TKEY TKE",
    "originalartist": "TOPE TOA",
    "originalalbum": "TOAL TOT",
    "titlesort": "TSOT TST",
    "artistsort": "TSOP TSP",
    "albumsort": "TSOA TSA",
    "albumartistsort": "TSO2 TS2",
    "website": "WOAR WAR",
    "license": "WCOP WCP",
}

_MP4 = {
    "title": "©nam",
    "artist": "©ART",
    "albumartist": "aART",
    "album": "©alb",
    "composer": "©wrt",
    "genre": "©gen gnre",
    "date": "©day",
    "tracknumber": "trkn ©trk",
    "discnumber": "disk",
    "comment": "©cmt",
    "copyright": "cprt ©cpy",
    "encodedby": "©too ©enc",
    "lyrics": "©lyr",
    "grouping": "©grp",
    "description": "desc ©des",
    "synopsis": "ldes",
    "bpm": "tmpo",
    "show": "tvsh",
    "category": "catg",
    "keywords": "keyw",
    "podcasturl": "purl",
    "titlesort": "sonm",
    "artistsort": "soar",
    "albumsort": "soal",
    "albumartistsort": "soaa",
    "composersort": "soco",
}

_VORBIS = {
    "albumartist": "ALBUM ARTIST|ALBUM_ARTIST",
    "comment": "DESCRIPTION",
    "date": "YEAR",
    "label": "ORGANIZATION",
    "tracknumber": "TRACK",
    "discnumber": "DISC",
    "encodersettings": "ENCODER|ENCODER_OPTIONS",
    "encodedby": "ENCODED-BY|ENCODED_BY",
    "lyrics": "UNSYNCEDLYRICS",
}


def _turned(table: dict[str, str], separator: str = " ") -> dict[str, str]:
    return {name: key for key, names in table.items() for name in names.split(separator)}


_BY_ID3 = _turned(_ID3)
_BY_MP4 = _turned(_MP4)
_BY_VORBIS = _turned(_VORBIS, "|")
_MAX_KEY = 100
"""Characters of a key. A description can have 64 KB, a key is a name."""


def id3_key(frame: str, desc: str = "") -> str:
    """Names an ID3v2 frame: ``TIT2`` is ``title``, a user's own text is ``txxx:<description>``.

    A comment with a description is ``comment:<description>`` and never *the* comment of the file:
    programs keep their own data there (iTunNORM).
    """
    if frame in {"TXXX", "TXX"}:
        return f"txxx:{desc.lower()}"[:_MAX_KEY]
    key = _BY_ID3.get(frame, frame.lower())
    if key == "comment" and desc and desc.lower() != "id3v1 comment":
        return f"comment:{desc.lower()}"[:_MAX_KEY]
    return key


def mp4_key(atom: str) -> str:
    """Names an MP4 text atom; ``----:com.apple.iTunes:ISRC`` and QuickTime's keys go by their last part."""
    for prefix in ("----:com.apple.iTunes:", "com.apple.quicktime."):
        if atom.startswith(prefix):
            return atom.removeprefix(prefix).lower()[:_MAX_KEY]
    return _BY_MP4.get(atom, atom.lower()[:_MAX_KEY])


def vorbis_key(name: str) -> str:
    """Names a Vorbis comment; most are Picard's names already."""
    return _BY_VORBIS.get(name.upper(), name.lower()[:_MAX_KEY])
