"""Parts of a record that have a structure of their own: chapters, tracks, covers, people, transcripts, clips.

A record holds each as an object without its unknown fields (`as_object`), so that JSON, SQLite and every exporter can
store it. The metadata of the fields is what `base.declaration` reads.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar

from mediacrawl.base.declaration import told

TRACK_KINDS = ("audio", "video", "subtitle")
"""Values of `Track.kind`."""

COVER_TYPES = (
    "other", "icon", "other icon", "front", "back", "leaflet", "medium", "lead artist", "artist", "conductor", "band",
    "composer", "lyricist", "recording location", "during recording", "during performance", "screen capture", "fish",
    "illustration", "band logo", "publisher logo",
)  # fmt: skip
"""Values of `Cover.type`, by the numbers of ID3v2's APIC frame (ID3v2.4 frames, 4.14), which FLAC and ASF share."""


def cover_type(number: int) -> str | None:
    """Return the type of a picture by its number in ID3v2, FLAC or ASF; None for a number without a meaning."""
    return COVER_TYPES[number] if 0 <= number < len(COVER_TYPES) else None


@dataclass(slots=True)
class Chapter:
    """A part of a recording that begins at a known time."""

    schema_org: ClassVar[str] = "Clip"

    start: float = told("Where it begins.", unit="s", schema_org="startOffset", needed=True)
    end: float | None = told(
        "Where it ends; where the next one begins, if that is not stated.", unit="s", schema_org="endOffset"
    )
    title: str | None = told("Its title.", schema_org="name")
    url: str | None = told("A page about it.", form="uri", schema_org="url")
    image: str | None = told("URL of its picture.", form="uri", schema_org="image")


@dataclass(slots=True)
class Track:
    """A stream of a file: sound, pictures or subtitles. The fields that do not apply to its kind are absent."""

    schema_org: ClassVar[str] = ""

    kind: str = told("What it is.", values=TRACK_KINDS, needed=True)
    codec: str | None = told("Its codec, by ffmpeg's name: ``aac``, ``h264``, ``subrip``.", schema_org="encodingFormat")
    language: str | None = told("Its language, as the file states it.", form="bcp47", schema_org="inLanguage")
    title: str | None = told("Its name.", schema_org="name")
    default: bool | None = told("Whether a player plays it unless told otherwise.")
    forced: bool | None = told("Whether a player shows it even where subtitles are off.")
    channels: int | None = told("Channels of sound.")
    channel_layout: str | None = told("Places of the channels, by ffmpeg's name: ``stereo``, ``5.1``.")
    sample_rate: int | None = told("Samples of sound a second.", unit="Hz")
    bitrate: int | None = told("Bits a second, on average.", unit="bit/s", schema_org="bitrate")
    width: int | None = told("Width of the picture as it is coded.", unit="px", schema_org="width")
    height: int | None = told("Height of the picture as it is coded.", unit="px", schema_org="height")
    frame_rate: float | None = told("Pictures a second.", unit="1/s")
    transfer: str | None = told(
        "Transfer function, by ffmpeg's name: ``bt709``; HDR has ``smpte2084`` (PQ) or ``arib-std-b67`` (HLG)."
    )
    primaries: str | None = told("Colour primaries, by ffmpeg's name: ``bt709``, ``bt2020``.")


@dataclass(slots=True)
class Cover:
    """A picture inside the file. Its bytes are never requested for themselves."""

    schema_org: ClassVar[str] = "ImageObject"

    type: str | None = told("What it shows.", values=COVER_TYPES)
    mime: str | None = told("Its media type, as the file states it.", schema_org="encodingFormat")
    size: int | None = told("Its length.", unit="bytes", schema_org="contentSize")
    position: int | None = told("Where its bytes begin in the file.", unit="bytes")


@dataclass(slots=True)
class Person:
    """Somebody who took part."""

    schema_org: ClassVar[str] = "Role"

    role: str = told(
        "What for. Of music Picard's words (``composer``, ``conductor``, ``performer`` ...), of podcasts those of the"
        " podcast taxonomy in lower case (``host``, ``guest`` ...).",
        schema_org="roleName",
        needed=True,
    )
    name: str = told("Their name, as it is written.", schema_org="name", needed=True)
    instrument: str | None = told("What a performer plays, as it is written.")
    character: str | None = told("Whom an actor plays.", schema_org="characterName")
    url: str | None = told("A page about them.", form="uri", schema_org="url")


@dataclass(slots=True)
class Transcript:
    """A text of what is said, in a file of its own."""

    schema_org: ClassVar[str] = "MediaObject"

    url: str = told("Where it is.", form="uri", schema_org="contentUrl", needed=True)
    type: str | None = told("Its media type: ``text/vtt``, ``application/x-subrip``.", schema_org="encodingFormat")
    language: str | None = told("Its language.", form="bcp47", schema_org="inLanguage")


@dataclass(slots=True)
class Soundbite:
    """A clip that the publisher chose."""

    schema_org: ClassVar[str] = "Clip"

    start: float = told("Where it begins.", unit="s", schema_org="startOffset", needed=True)
    duration: float | None = told("Its length.", unit="s", schema_org="duration")
    title: str | None = told("Its title.", schema_org="name")


@dataclass(slots=True)
class Loudness:
    """How loud a recording was measured to be by whoever made or tagged it."""

    schema_org: ClassVar[str] = ""

    track_gain: float | None = told("ReplayGain of the recording.", unit="dB")
    track_peak: float | None = told("Its highest sample; 1 is full scale.", unit="ratio")
    album_gain: float | None = told("ReplayGain of the album.", unit="dB")
    album_peak: float | None = told("The album's highest sample; 1 is full scale.", unit="ratio")
    r128_track_gain: float | None = told("Opus's gain of the recording to -23 LUFS (RFC 7845, 5.2.1).", unit="dB")
    r128_album_gain: float | None = told("Opus's gain of the album to -23 LUFS.", unit="dB")
    output_gain: float | None = told("Gain of Opus's header, which every player applies (RFC 7845, 5.1).", unit="dB")
    itunes_gain: float | None = told("Sound Check's gain, of the louder channel in iTunNORM.", unit="dB")


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


@dataclass(slots=True)
class TagElement:
    """One text of a file, page or list with its evidence; `base.evidence` says when each field is there."""

    schema_org: ClassVar[str] = "PropertyValue"

    source: str = told("Kind of tag, ``id3v2.3``, ``vorbis`` ..., or ``page``, ``feed``, ``playlist`` ...", needed=True)
    frame: str = told("The container's own name of the field: ``TIT2``, ``©nam``, ``itunes:author``.", needed=True)
    key: str = told(
        "Its common name, Picard's: ``title``; or its place in the record: ``chapters[3].title``.", needed=True
    )
    index: int = told("Which one, if the field came several times.", needed=True)
    lang: str = told("Language code of the field, as written; empty without one.", needed=True)
    desc: str = told("Description of the field; empty without one.", needed=True)
    declared: str = told("Encoding that the container claims, as a Python codec name.", needed=True)
    text: str = told("The text, repaired if that was decided.", needed=True)
    raw_b64: str | None = told("Its bytes in the file, where the text alone does not tell them.")
    text_declared: str | None = told("The bytes read as declared, if `text` is another one.")
    encoding: str | None = told("Encoding that the text was read with.")
    confidence: float | None = told("That this reading is right, 0 to 1.")
    runner_up: str | None = told("Encoding of the best other reading.")
    margin: float | None = told("Distance to that one.", unit="nats")
    language: str | None = told("Most likely language of the text, by the models.")
    decision: str | None = told("What was decided.", values=("declared", "fixed", "undecided", "user"))
    guess: str | None = told("A likelier text that is not sure enough to replace `text`.")
    fixer: str | None = told("Version of the models that decided.")
    lossy: bool | None = told("Whether characters were lost before the text came here.")
    suspect: bool | None = told("Whether the text is known to be damaged and stays so.")
    page_url: str | None = told("The page or list that states it, if it is another one than the record's.", form="uri")
    copy_url: str | None = told("Record of the same file that it was taken from.", form="uri")
    document: str | None = told("Who decided the encoding of the page or list that the text comes from.")


def as_object(part: Any) -> dict[str, Any]:
    """Return a part as an object of JSON: without the fields that are None, times rounded to microseconds."""
    found = {}
    for each in dataclasses.fields(part):
        value = getattr(part, each.name)
        if isinstance(value, float):
            value = round(value, 6) if math.isfinite(value) else None
        if value is not None and value != "":
            found[each.name] = value
    return found


def text_place(name: str, index: int) -> str:
    """Return the key of a title in a list of the record: ``chapters[3].title``."""
    return f"{name}[{index}].title"
