"""Names of fields that several containers share: identifiers, people, loudness and what else Picard names.

Where a tagger chooses the name of a field freely, it writes the same name in several forms: ``MusicBrainz Album Id``
in ID3v2 and MP4, ``MusicBrainz/Album Id`` in ASF, ``MUSICBRAINZ_ALBUMID`` in Vorbis comments and APE. Compared without
capitals and separators they are one. Source: appendix "Tag Mapping" of the user guide of MusicBrainz Picard, whose
internal names are the keys; RFC 9559's registry of tags for the catalogues of films.
"""

from __future__ import annotations

import re

_LONGEST = 60
_SEPARATORS = re.compile(r"[\s_/-]+")

_NAMES = {
    # Picard calls the recording a track, and the track of a release a release track.
    "musicbrainz_recordingid": "musicbrainztrackid musicbrainzrecordingid",
    "musicbrainz_trackid": "musicbrainzreleasetrackid",
    "musicbrainz_albumid": "musicbrainzalbumid musicbrainzreleaseid",
    "musicbrainz_releasegroupid": "musicbrainzreleasegroupid",
    "musicbrainz_artistid": "musicbrainzartistid",
    "musicbrainz_albumartistid": "musicbrainzalbumartistid musicbrainzreleaseartistid",
    "musicbrainz_workid": "musicbrainzworkid",
    "musicbrainz_discid": "musicbrainzdiscid",
    "musicbrainz_originalalbumid": "musicbrainzoriginalalbumid",
    "musicbrainz_originalartistid": "musicbrainzoriginalartistid",
    "musicbrainz_trmid": "musicbrainztrmid",
    "musicip_puid": "musicippuid",
    "musicip_fingerprint": "musicmagicfingerprint",
    "acoustid_id": "acoustidid",
    "acoustid_fingerprint": "acoustidfingerprint",
    "isrc": "isrc",
    "barcode": "barcode upc ean eanupc upcean eanupn",
    "catalognumber": "catalognumber catalogno labelno",
    "asin": "asin",
    "discogs_release_id": "discogsreleaseid",
    "discogs_artist_id": "discogsartistid",
    "itunes_track_id": "itunestrackid itunescatalogid",
    "itunes_artist_id": "itunesartistid",
    "itunes_album_id": "itunesalbumid",
    "podcast_guid": "podcastguid",
    "episode_guid": "episodeguid",
    "eidr": "eidr",
    "isan": "isan",
    "imdb": "imdb imdbid",
    "tmdb": "tmdb tmdbid",
    "tvdb": "tvdb tvdbid tvdb2",
    "replaygain_track_gain": "replaygaintrackgain",
    "replaygain_track_peak": "replaygaintrackpeak",
    "replaygain_track_range": "replaygaintrackrange",
    "replaygain_album_gain": "replaygainalbumgain",
    "replaygain_album_peak": "replaygainalbumpeak",
    "replaygain_album_range": "replaygainalbumrange",
    "replaygain_reference_loudness": "replaygainreferenceloudness",
    "r128_track_gain": "r128trackgain",
    "r128_album_gain": "r128albumgain",
    "itunnorm": "itunnorm",
    "composer": "composer",
    "lyricist": "lyricist",
    "writer": "writer writtenby",
    "conductor": "conductor",
    "performer": "performer",
    "arranger": "arranger",
    "remixer": "remixer remixedby mixartist",
    "producer": "producer producedby coproducer",
    "engineer": "engineer soundengineer audioengineer masteredby",
    "mixer": "mixer",
    "djmixer": "djmixer",
    "director": "director",
    "actor": "actor",
    "narrator": "narrator",
    "artists": "artists",
    "compilation": "compilation iscompilation itunescompilation",
    "discsubtitle": "discsubtitle setsubtitle",
    "explicit": "explicit itunesadvisory",
    "key": "initialkey",
    "license": "license licence",
    "movement": "movementname",
    "movementtotal": "movementtotal",
    "originalfilename": "originalfilename",
    "originalyear": "originalyear",
    "releasecountry": "releasecountry musicbrainzalbumreleasecountry",
    "releasestatus": "releasestatus musicbrainzalbumstatus",
    "releasetype": "releasetype musicbrainzalbumtype",
    "script": "script",
    "showmovement": "showmovement",
    "work": "work",
}
_BY_NAME = {name: key for key, names in _NAMES.items() for name in names.split()}


def shared_key(name: str) -> str | None:
    """The common key of a field's name; None if the name is none of those that containers share.

    Args:
        name: as the file has it, in any case, with any separators; ``WM/`` in front of it is left out.
    """
    if len(name) > _LONGEST:
        return None
    return _BY_NAME.get(_SEPARATORS.sub("", name.lower().removeprefix("wm/")))
