"""Whether a station is asked for the song of the moment."""

import pytest

from mediacrawl.probe import ProbeResult
from mediacrawl.reading.file_reader import lacks_song

HEADERS = {"content-type", "icy-name", "icy-br"}


@pytest.mark.parametrize(
    ("names", "codec", "lacks"),
    [
        (HEADERS, "mp3", True),
        (HEADERS, "aac", True),
        (HEADERS | {"icy-metaint"}, "mp3", False),
        # Ogg names the song in the stream, and a server of another kind names it nowhere.
        (HEADERS, "vorbis", False),
        ({"ice-audio-info"}, "mp3", False),
    ],
)
def test_a_station_is_asked_for_its_song_if_the_first_request_did_not(names, codec, lacks):
    assert lacks_song(names, ProbeResult(codec=codec)) is lacks
