"""The record of a media file, with the declaration of each of its fields.

`store.schema` makes the catalogue's columns of it, `MediaItem.schema` the JSON Schema (draft 2020-12), and
``docs/record_page.py`` the page ``docs/record.md``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from mediacrawl.base.declaration import DeclaredField, declared_fields, told
from mediacrawl.base.parts import (
    Chapter,
    Cover,
    Identifiers,
    Loudness,
    Person,
    Soundbite,
    TagElement,
    Track,
    Transcript,
)
from mediacrawl.record.structured import STRUCTURED_KEYS

SCHEMA_VERSION = 2
"""Raised when a field is added or its meaning changes."""

TYPES = ("AudioObject", "VideoObject", "BroadcastService", "MusicRecording", "PodcastEpisode")
"""Values of `MediaItem.type`: names of schema.org."""
MEDIA_KINDS = (
    "music", "audiobook", "music video", "movie", "tv show", "podcast", "ringtone", "booklet", "lecture", "video",
    "newsletter", "blog", "publisher",
)  # fmt: skip
"""Values of `MediaItem.media_kind`."""
EPISODE_TYPES = ("full", "trailer", "bonus")
"""Values of `MediaItem.episode_type`."""

_TAGS = "ID3v2, ID3v1, APEv2, Vorbis, MP4, QuickTime, ASF, RIFF, AIFF, Matroska, FLV, CAF, RealMedia, MIDI, trackers"
_TYPED = "ID3v2, APEv2, Vorbis, MP4, ASF, Matroska"
_AROUND = "feeds, JSON-LD, microdata, Open Graph, sitemaps, playlists, site adapters"
_LINK = "the page, feed or list that has the link"
_SERVER = "the server's response"
_PROBE = "the probe"
_READERS = "all readers of files"
_VIDEOS = "MP4, QuickTime, Matroska, AVI, ASF, FLV, MPEG-TS, MPEG-PS, Ogg, RealMedia; HLS, DASH"


@dataclass(slots=True)
class MediaItem:
    """One media file: the record that is stored and exported. Order of the fields is the order of the export.

    Names are schema.org's in snake case for the object, MusicBrainz Picard's for music tags. What is not
    known is None, an empty list or an empty object; nothing is ever guessed into a field but those that say so.
    """

    FILE_FIELDS: ClassVar = (
        "title", "artist", "albumartist", "album", "composer", "genre", "date", "tracknumber", "discnumber", "comment",
        "copyright", "language", "encodedby", "description", "keywords", "license", "license_url", "upload_date",
        "thumbnail_url", "embed_url", "player_url", "podcast", "episode", "season", "explicit", "transcript_url",
        "chapters_url", "hub_url", "episode_type", "media_kind", "location", "now_playing",
    )  # fmt: skip
    """Fields that describe its file."""

    LINK_FIELDS: ClassVar = ("page_title", "anchor_text")
    """Fields that describe the link to its file. Plain ASCII has no evidence."""

    LISTS_WITH_TEXTS: ClassVar = ("chapters", "tracks")
    """Fields with lists of objects whose texts have evidence under keys like ``chapters[3].title``."""

    STRUCTURES: ClassVar = (*LISTS_WITH_TEXTS, "persons", "identifiers", "loudness", "transcripts", "soundbites")
    """Fields with a structure that a person may have set."""

    PAGE_STATUS: ClassVar = "page"
    """The `probe_status` of a record that comes from a page alone: no file was probed."""

    type: str = told(
        "schema.org's type of it.", values=TYPES, source=_READERS, schema_org="@type", default="AudioObject"
    )
    id: str = told(
        "Identifies the record: 32 hex digits of the SHA-256 of the canonical URL.", schema_org="@id", default=""
    )
    content_url: str = told("URL of the file, after redirects.", form="uri", schema_org="contentUrl", default="")
    requested_url: str | None = told(
        "The URL as published, or as it was requested first, if it is another one.", form="uri", source=_LINK
    )
    page_url: str | None = told("URL of the page, feed or list that links to the file.", form="uri", source=_LINK)
    page_title: str | None = told("Title of that page.", source=_LINK)
    page_language: str | None = told("Language that the page declares, as it is written there.", source=_LINK)
    page_charset: str | None = told(
        "Encoding that the page or list was read with, as a Python codec name.", source=_LINK
    )
    anchor_text: str | None = told("Text of the link.", source=_LINK)
    discovered_via: str | None = told(
        "The link source: ``a``, ``audio``, ``og:audio``, ``enclosure``, ``seed`` ...", source=_LINK
    )
    feed_url: str | None = told("URL of the feed that names the file.", form="uri", source="feeds")
    guid: str | None = told("The feed's identifier of the entry.", source="feeds")
    site: str | None = told("Registrable domain of the file's host.")
    found_at: str | None = told("When the server first answered for the file, in UTC.", form="date-time")
    checked_at: str | None = told("When the probe ended, in UTC.", form="date-time")
    # What the server said.
    http_status: int | None = told("HTTP status of the first response.", source=_SERVER)
    content_type: str | None = told("Header Content-Type, as sent.", source=_SERVER)
    content_size: int | None = told("Length of the whole file.", unit="bytes", source=_SERVER, schema_org="contentSize")
    etag: str | None = told("Header ETag, as sent.", source=_SERVER)
    last_modified: str | None = told("Header Last-Modified, as sent.", source=_SERVER)
    server_accepts_ranges: bool | None = told("Whether the server sent the range that was requested.", source=_SERVER)
    # What it cost, and whether it is whole.
    probe_status: str | None = told(
        "``complete``; ``partial``: something that the file announces could not be read; ``unsupported``: no reader"
        " for its format; ``error:CLASS``: nothing could be read; ``stream``: endless, or a manifest; ``page``: only"
        " seen on a page.",
        source=_PROBE,
    )
    bytes_fetched: int = told("Bytes of the file that were fetched.", unit="bytes", source=_PROBE, default=0)
    requests: int = told("Requests that the probe took.", source=_PROBE, default=0)
    head_sha256: str | None = told("SHA-256 of the first bytes, to find copies.", source=_PROBE)
    head_bytes: int | None = told("How many bytes that hash covers.", unit="bytes", source=_PROBE)
    texts_dropped: int | None = told("Texts and parts that were left out because of a limit.", source=_PROBE)
    # What it is.
    encoding_format: str | None = told(
        "Media type by content, such as ``audio/mpeg`` (IANA's names where there are).",
        source=_READERS,
        schema_org="encodingFormat",
    )
    container: str | None = told("Format of the container: ``mp3``, ``mp4``, ``ogg`` ...", source=_READERS)
    codec: str | None = told("Codec of the main stream, by ffmpeg's name: ``mp3``, ``aac``, ``h264``.", source=_READERS)
    duration: float | None = told("Playing time.", unit="s", source=f"{_READERS}; {_AROUND}", schema_org="duration")
    duration_estimated: bool | None = told(
        "Whether the duration is computed from the bit rate, or is what a page or feed claims.", source=_PROBE
    )
    bitrate: int | None = told("Bits a second.", unit="bit/s", source=_READERS, schema_org="bitrate")
    bitrate_mode: str | None = told("How the bit rate varies.", values=("cbr", "vbr", "abr"), source="MPEG audio")
    sample_rate: int | None = told("Samples a second.", unit="Hz", source=_READERS)
    bits_per_sample: int | None = told("Bits of a sample, where the codec has such a thing.", source=_READERS)
    channels: int | None = told("Channels of the main audio track.", source=_READERS)
    width: int | None = told(
        "Width of the picture as it is shown: a picture that is turned by `rotation` is measured after that.",
        unit="px", source=_VIDEOS, schema_org="width",
    )  # fmt: skip
    height: int | None = told("Height of the picture as it is shown.", unit="px", source=_VIDEOS, schema_org="height")
    rotation: int | None = told(
        "Degrees clockwise by which a player turns the picture.", unit="degrees", source="MP4, QuickTime, Matroska"
    )
    frame_rate: float | None = told("Pictures a second.", unit="1/s", source=_VIDEOS)
    video_codec: str | None = told("Codec of the first video stream, by ffmpeg's name.", source=_VIDEOS)
    audio_codec: str | None = told("Codec of the first audio stream, by ffmpeg's name.", source=_READERS)
    audio_md5: str | None = told("MD5 of the decoded audio, 32 hex digits.", source="FLAC")
    tracks: list[dict[str, Any]] = told(
        "The streams, in the order of the file. MP3, WAV, FLAC, Ogg with one stream and the like have none.",
        source=_VIDEOS, of=Track, default=list,
    )  # fmt: skip
    chapters: list[dict[str, Any]] = told(
        "The chapters, by their beginnings, or as an ordered table of contents in ID3v2 has them.",
        source="ID3v2 CHAP, MP4 chpl and chapter tracks, Matroska, Vorbis CHAPTERxxx, FLAC cue sheets, ASF markers,"
        " named marks of WAV and AIFF; psc:chapters",
        schema_org="hasPart", of=Chapter, default=list,
    )  # fmt: skip
    covers: list[dict[str, Any]] = told(
        "The pictures inside the file, in its order.",
        source="ID3v2, FLAC, Vorbis, APEv2, MP4, ASF, Matroska",
        schema_org="image", of=Cover, default=list,
    )  # fmt: skip
    has_cover: bool | None = told("Whether the file has a picture; None if that was not examined.", source=_TYPED)
    cover_mime: str | None = told("Media type of the first picture.", source=_TYPED)
    cover_size: int | None = told("Length of the first picture.", unit="bytes", source=_TYPED)
    is_live: bool | None = told(
        "Whether it is sent as it happens: a station, or a manifest without an end.",
        source="Icecast and Shoutcast headers, HLS, DASH; podcast:liveItem, video:live, JSON-LD",
        schema_org="isLiveBroadcast",
    )
    now_playing: str | None = told("What a station played when it was probed.", source="StreamTitle of ICY metadata")
    # What it says about itself.
    title: str | None = told(
        "Title; where the file has none, from the feed or page.", source=f"{_TAGS}; {_AROUND}", schema_org="name"
    )
    artist: str | None = told("Artist, as `title`.", source=f"{_TAGS}; {_AROUND}", schema_org="byArtist")
    albumartist: str | None = told("Artist of the album.", source=_TYPED)
    album: str | None = told("Album.", source=f"{_TAGS}; {_AROUND}", schema_org="inAlbum")
    composer: str | None = told("Composer.", source=_TAGS, schema_org="composer")
    genre: str | None = told("Genre.", source=f"{_TAGS}; {_AROUND}", schema_org="genre")
    date: str | None = told("Date of the recording or release, as written.", source=_TAGS, schema_org="datePublished")
    tracknumber: str | None = told("Number of the track, as written.", source=_TAGS, schema_org="position")
    discnumber: str | None = told("Number of the disc, as written.", source=_TYPED)
    comment: str | None = told("Comment.", source=_TAGS, schema_org="comment")
    copyright: str | None = told("Copyright notice.", source=f"{_TAGS}; {_AROUND}", schema_org="copyrightNotice")
    language: str | None = told(
        "Language that the file declares, or the feed or page of it; never one that was concluded from texts.",
        form="bcp47",
        source="Matroska's default track, MP4 mdhd and elng, MPEG-TS, ID3v2 TLAN, tags; xml:lang, inLanguage",
        schema_org="inLanguage",
    )
    guessed_language: str | None = told(
        "Language of most texts, as the trigram models read them.", form="bcp47", source="the encoding models"
    )
    guessed_language_confidence: float | None = told(
        "How sure that is, 0 to 1: the mean confidence of the texts in that language, times their share.",
        source="the encoding models",
    )
    encodedby: str | None = told("The program or person that encoded the file.", source=_TAGS)
    persons: list[dict[str, Any]] = told(
        "Who took part.",
        source=f"{_TAGS}; podcast:person, media:credit",
        schema_org="contributor", of=Person, default=list,
    )  # fmt: skip
    identifiers: dict[str, Any] = told(
        "Identifiers in other catalogues, each a list of texts.",
        source=f"{_TYPED}; feeds", schema_org="identifier", of=Identifiers, default=dict,
    )  # fmt: skip
    loudness: dict[str, Any] = told(
        "Measured loudness.", source="ID3v2, APEv2, Vorbis, Opus, MP4, ASF, Matroska, LAME", of=Loudness, default=dict
    )
    # What is said of it beside it, where it says nothing itself: on pages, in feeds and lists.
    description: str | None = told("Description.", source=f"MP4 desc, ID3v2 TDES; {_AROUND}", schema_org="description")
    keywords: str | None = told("Keywords.", source=f"MP4 keyw, ID3v2 TKWD; {_AROUND}", schema_org="keywords")
    license: str | None = told(
        "Name of the licence.", source=f"ID3v2, APEv2, Vorbis and MP4 LICENSE; {_AROUND}", schema_org="license"
    )
    license_url: str | None = told(
        "URL of the licence.", form="uri", source=f"ID3v2 WCOP, LICENSE; {_AROUND}", schema_org="license"
    )
    upload_date: str | None = told("When it was published, as written.", source=_AROUND, schema_org="uploadDate")
    thumbnail_url: str | None = told("URL of a picture.", form="uri", source=_AROUND, schema_org="thumbnailUrl")
    embed_url: str | None = told("URL of a player for other pages.", form="uri", source=_AROUND, schema_org="embedUrl")
    player_url: str | None = told("URL of the player's page.", form="uri", source=_AROUND)
    podcast: str | None = told(
        "Title of the podcast.", source="feeds, MP4 and ID3v2 podcast tags", schema_org="partOfSeries"
    )
    episode: str | None = told("Number of the episode.", source="feeds, MP4 tves", schema_org="episodeNumber")
    season: str | None = told("Number of the season.", source="feeds, MP4 tvsn", schema_org="partOfSeason")
    episode_type: str | None = told("What the episode is.", values=EPISODE_TYPES, source="feeds")
    media_kind: str | None = told(
        "What it is meant as.", values=MEDIA_KINDS, source="MP4 stik and pcst, ID3v2 PCST; podcast:medium"
    )
    explicit: str | None = told(
        "Whether it has explicit content: the opposite of schema.org's property.",
        values=("yes", "no"),
        source="feeds, MP4 rtng; EXPLICIT and ITUNESADVISORY of ID3v2, APEv2, Vorbis, MP4",
        schema_org="isFamilyFriendly",
    )
    location: str | None = told("The place that it is about.", source="podcast:location", schema_org="contentLocation")
    transcript_url: str | None = told("URL of the first transcript.", form="uri", source=_AROUND)
    transcripts: list[dict[str, Any]] = told(
        "Transcripts, captions and subtitles in files of their own.",
        source="podcast:transcript, <track>, players", schema_org="transcript", of=Transcript, default=list,
    )  # fmt: skip
    chapters_url: str | None = told("URL of a list of chapters.", form="uri", source="podcast:chapters, <track>")
    soundbites: list[dict[str, Any]] = told(
        "Clips that the publisher chose.", source="podcast:soundbite", of=Soundbite, default=list
    )
    hub_url: str | None = told("The WebSub hub of the feed.", form="uri", source="feeds")
    schema_version: int = told("Version of this declaration.", default=SCHEMA_VERSION)
    # The evidence: one object per text field, see `base.evidence`.
    tags: list[dict[str, Any]] = told(
        "The evidence: one object for each text, with its bytes, its encodings and who decided, see"
        " [Text in wrong encodings](encodings.md).",
        source=_READERS, of=TagElement, default=list,
    )  # fmt: skip

    @staticmethod
    def id_of(url: str) -> str:
        """Return the id of a URL's record: the first 32 hex digits of its SHA-256."""
        return hashlib.sha256(url.encode("utf-8", errors="replace")).hexdigest()[:32]

    def stored_bytes(self) -> int:
        """Return an upper estimate of the bytes of the record in the catalogue."""
        urls = (self.content_url, self.page_url, self.feed_url)
        return _RECORD + 2 * sum(len(url or "") for url in urls) + sum(map(stored_bytes, self.tags))

    @staticmethod
    def schema() -> dict[str, Any]:
        """Return the JSON Schema of a record of a crawl: an item, or a line of ``scrapy catalogue --export``.

        Items of another project that were stored in a catalogue may have null where it wants a value.
        """
        return {
            "$schema": DIALECT,
            "title": "mediacrawl record",
            "description": f"The record of one media file, version {SCHEMA_VERSION} of the declaration.",
            **_of_class(MediaItem),
            "required": ["type", "id", "content_url", "tags"],
            "properties": _properties(MediaItem) | _OF_THE_CATALOGUE,
            "additionalProperties": False,
        }


DIALECT = "https://json-schema.org/draft/2020-12/schema"
_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
_BCP47 = r"^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*$"
_OF_THE_CATALOGUE = {
    "last_seen_at": {
        "type": ["string", "null"],
        "format": "date-time",
        "description": "When the file was last requested, in UTC. Records of a catalogue have it.",
    },
    "work": {
        "type": ["string", "null"],
        "description": "Id of the first record of the same file; null in that one. Records of a catalogue have it.",
    },
    "extra": {"type": "object", "description": "Further fields of an item. Records of a catalogue may have it."},
}


def _of_class(owner: type) -> dict[str, Any]:
    needed = [each.name for each in declared_fields(owner) if not each.optional]
    return {
        "type": "object",
        "properties": _properties(owner),
        **({"required": needed} if needed else {}),
        "additionalProperties": False,
    }


def _properties(owner: type) -> dict[str, Any]:
    return {each.name: _of_field(each) for each in declared_fields(owner)}


def _of_field(each: DeclaredField) -> dict[str, Any]:
    kind, about = _KINDS[each.kind], each.about
    schema: dict[str, Any] = {"type": [kind, "null"] if each.optional else kind}
    meaning = about.meaning if not about.unit else f"{about.meaning} Unit: {about.unit}."
    if each.kind is list:
        schema["items"] = _of_class(about.of) if about.of else {"type": "string" if _is_texts(each) else "object"}
    elif each.kind is dict and about.of:
        schema |= _of_class(about.of)
    if about.values:
        schema["enum"] = [*about.values, None] if each.optional else list(about.values)
    if about.form == "bcp47":
        schema["pattern"] = _BCP47
    elif about.form:
        schema["format"] = about.form
    if each.kind in (int, float) and about.unit not in {"dB", "nats"}:
        schema["minimum"] = 0
    return schema | {"description": meaning.replace("``", "`")}


def _is_texts(each: DeclaredField) -> bool:
    return each.optional


_RECORD = 1_200
"""Bytes of a record without its texts and URLs."""
_PROOF = 200
"""Bytes that the fixer adds to a text beyond ASCII."""
_PART = 30
"""Bytes of a person or identifier beside its text."""


def stored_bytes(element: Mapping[str, Any]) -> int:
    """Upper estimate of the bytes of a text in the catalogue: its element, its column, and the search index."""
    text = element["text"]
    size = len(text.encode())
    # The fixer stores the declared text together with the repaired one.
    decided = 0 if text.isascii() else size + _PROOF
    shown = (
        2 * size
        if element["key"] in MediaItem.FILE_FIELDS
        else size + _PART
        if element["key"] in STRUCTURED_KEYS
        else 0
    )
    return len(json.dumps(element, ensure_ascii=False).encode()) + decided + shown
