"""What manifests of HLS and DASH say: whether they are live, and their tracks."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract import ManifestTrack, parse_list
from mediacrawl.extract.manifests import MOST_TRACKS

URL = "https://site.example/list"


def hls(*lines):
    return parse_list("hls", "\n".join(("#EXTM3U", *lines)).encode(), URL).manifest


def dash(sets, attributes='type="static" mediaPresentationDuration="PT1M"'):
    body = f'<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" {attributes}><Period>{sets}</Period></MPD>'
    return parse_list("dash", body.encode(), URL).manifest


def told(track):
    """What a track says besides its kind, without what is not known."""
    said = {name: value for name, value in dataclasses.asdict(track).items() if value not in (None, "", False)}
    return said.pop("kind"), said


# -- live ------------------------------------------------------------------------------------------------------------

SEGMENTS = ("#EXT-X-TARGETDURATION:4", "#EXTINF:4.0,", "0.ts", "#EXTINF:4.0,", "1.ts")


@pytest.mark.parametrize(
    ("lines", "live", "duration"),
    [
        ((*SEGMENTS, "#EXT-X-ENDLIST"), False, 8.0),
        (("#EXT-X-ENDLIST", *SEGMENTS), False, 8.0),
        (SEGMENTS, True, None),
        (("#EXT-X-PLAYLIST-TYPE:EVENT", *SEGMENTS), True, None),
        (("#EXT-X-PLAYLIST-TYPE:EVENT", *SEGMENTS, "#EXT-X-ENDLIST"), False, 8.0),
        # It is complete, and was cut on its way.
        (("#EXT-X-PLAYLIST-TYPE:VOD", *SEGMENTS), False, None),
        # Of low latency, before its first segment is whole.
        (('#EXT-X-PART:DURATION=0.33,URI="0.0.mp4"', '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="0.1.mp4"'), True, None),
        (("#EXT-X-SKIP:SKIPPED-SEGMENTS=3",), True, None),
        (('#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1"', "low.m3u8"), False, None),
    ],
)
def test_a_media_playlist_is_live_unless_it_ends(lines, live, duration):
    found = hls(*lines)
    assert (found.live, found.duration) == (live, duration)


def test_a_list_of_more_lines_than_are_read_has_no_length_and_still_an_end():
    found = hls(*["#EXTINF:1,", "a.ts"] * 100_001, "#EXT-X-ENDLIST")
    assert (found.live, found.duration) == (False, None)


@pytest.mark.parametrize(
    ("attributes", "live", "duration"),
    [
        ('type="static" mediaPresentationDuration="P0Y0M0DT0H3M30.000S"', False, 210.0),
        ('mediaPresentationDuration="PT1.5S"', False, 1.5),
        ('type="dynamic" minimumUpdatePeriod="PT2S"', True, None),
        ('type="dynamic" mediaPresentationDuration="PT1M"', True, None),
    ],
)
def test_a_dynamic_presentation_is_live(attributes, live, duration):
    found = dash("<AdaptationSet/>", attributes)
    assert (found.live, found.duration) == (live, duration)


# -- codecs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("codecs", "video", "audio"),
    [
        ("avc1.42c01e,mp4a.40.2", "h264", "aac"),
        ("hvc1.1.6.L93.B0, ec-3", "hevc", "eac3"),
        ("Opus,vp09.00.10.08", "vp9", "opus"),
        ("av01.0.04M.08,fLaC", "av1", "flac"),
        ("ac-3", None, "ac3"),
        ("mp4a.40.34", None, "mp3"),
        ("wvtt", None, None),
        ("xyz1.2", None, None),
        ("", None, None),
    ],
)
def test_codecs_have_ffmpegs_names_in_both_formats(codecs, video, audio):
    of_hls = hls(f'#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="{codecs}"', "a.m3u8")
    of_dash = dash(f'<AdaptationSet><Representation codecs="{codecs}"/></AdaptationSet>')
    assert (of_hls.video_codec, of_hls.audio_codec) == (video, audio)
    assert (of_dash.video_codec, of_dash.audio_codec) == (video, audio)


def test_the_codec_is_that_of_the_largest_picture():
    small = '#EXT-X-STREAM-INF:BANDWIDTH=9,RESOLUTION=640x360,CODECS="avc1.4d401e"'
    large = '#EXT-X-STREAM-INF:BANDWIDTH=5,RESOLUTION=1920x1080,CODECS="hvc1.1"'
    for lines in ((small, "a", large, "b"), (large, "a", small, "b")):
        found = hls(*lines)
        assert (found.video_codec, found.width, found.bitrate) == ("hevc", 1920, 9)


# -- tracks ----------------------------------------------------------------------------------------------------------

MASTER = """#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="stereo",NAME="English",LANGUAGE="en",DEFAULT=YES,CHANNELS="2",URI="e.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="stereo",NAME="Deutsch, Kommentar",LANGUAGE="de-AT",CHANNELS="2",URI="d.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="around",NAME="English",LANGUAGE="en",DEFAULT=YES,CHANNELS="6/JOC",URI="s.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="around",NAME="English",LANGUAGE="en",DEFAULT=YES,CHANNELS="6/JOC",URI="t.m3u8"
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="Français",LANGUAGE="fr",FORCED=YES,URI="f.m3u8"
#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="CC",LANGUAGE="und",INSTREAM-ID="CC1"
#EXT-X-MEDIA:TYPE=VIDEO,GROUP-ID="angle",NAME="Left",URI="l.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=1000,RESOLUTION=640x360,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="stereo",SUBTITLES="subs"
low.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=9000,RESOLUTION=1280x720,FRAME-RATE=50.000,CODECS="avc1.4d401f,ec-3",AUDIO="around"
high.m3u8"""


def test_a_master_playlist_names_its_tracks_once_each():
    assert [told(track) for track in hls(MASTER).tracks] == [
        ("video", {"codec": "h264", "width": 1280, "height": 720, "frame_rate": 50.0}),
        ("audio", {"codec": "aac", "language": "en", "title": "English", "default": True, "channels": 2}),
        ("audio", {"codec": "aac", "language": "de-AT", "title": "Deutsch, Kommentar", "channels": 2}),
        ("audio", {"codec": "eac3", "language": "en", "title": "English", "default": True, "channels": 6}),
        ("subtitle", {"codec": "webvtt", "language": "fr", "title": "Français", "forced": True}),
        ("subtitle", {"codec": "eia_608", "title": "CC"}),
    ]


def test_sound_that_is_in_the_same_segments_as_the_picture_is_a_track_too():
    found = hls('#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=64x36,CODECS="avc1,mp4a.40.5"', "a.m3u8")
    assert [told(track) for track in found.tracks] == [
        ("video", {"codec": "h264", "width": 64, "height": 36}),
        ("audio", {"codec": "aac"}),
    ]


def test_subtitles_of_ttml_are_named_by_the_variants():
    found = hls(
        '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="x",LANGUAGE="en"',
        '#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1,stpp.ttml.im1t",SUBTITLES="s"',
        "a.m3u8",
    )
    assert told(found.tracks[1]) == ("subtitle", {"codec": "ttml", "language": "en", "title": "x"})


def test_a_media_playlist_has_no_tracks_to_name():
    assert hls(*SEGMENTS).tracks == []


SETS = """<AdaptationSet contentType="image"><Representation width="9600" height="5400"/></AdaptationSet>
<AdaptationSet mimeType="image/jpeg"><Representation width="9600" height="5400"/></AdaptationSet>
<AdaptationSet mimeType="video/mp4" codecs="avc1.4d401e" frameRate="25"><Representation width="640" height="360"/>
<Representation codecs="hvc1.1" width="1920" height="1080" frameRate="50"/></AdaptationSet>
<AdaptationSet contentType="audio" lang="en"><Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
<Label>English <b>stereo</b></Label>
<AudioChannelConfiguration schemeIdUri="urn:mpeg:dash:23003:3:audio_channel_configuration:2011" value="2"/>
<Representation mimeType="audio/mp4" codecs="mp4a.40.2" bandwidth="99"/></AdaptationSet>
<AdaptationSet mimeType="audio/mp4" lang="de" codecs="ec-3"><Representation bandwidth="9">
<AudioChannelConfiguration schemeIdUri="tag:dolby.com,2014:dash:audio_channel_configuration:2011" value="F801"/>
</Representation></AdaptationSet>
<AdaptationSet mimeType="application/mp4" codecs="stpp" lang="und"><Representation/>
<Role schemeIdUri="urn:mpeg:dash:role:2011" value="forced-subtitle"/></AdaptationSet>
<AdaptationSet contentType="text" mimeType="text/vtt" lang="fr"><Representation bandwidth="1"/></AdaptationSet>"""
TRACKS = [
    ("video", {"codec": "hevc", "width": 1920, "height": 1080, "frame_rate": 50.0}),
    ("audio", {"codec": "aac", "language": "en", "title": "English stereo", "default": True, "channels": 2}),
    ("audio", {"codec": "eac3", "language": "de", "channels": 6}),
    ("subtitle", {"codec": "ttml", "forced": True}),
    ("subtitle", {"codec": "webvtt", "language": "fr"}),
]


def test_each_adaptation_set_of_dash_is_a_track_and_still_pictures_are_none():
    found = dash(SETS)
    assert [told(track) for track in found.tracks] == TRACKS
    assert (found.width, found.height, found.video_codec, found.frame_rate) == (1920, 1080, "hevc", 50.0)


def test_the_same_sets_of_another_period_are_no_other_tracks():
    assert [told(track) for track in dash(f"{SETS}</Period><Period>{SETS}").tracks] == TRACKS


def test_of_a_manifest_that_was_cut_the_set_before_the_end_is_read():
    end = SETS.index("</Representation>") + len("</Representation>")
    cut = parse_list("dash", f"<MPD><Period>{SETS[:end]}".encode(), URL).manifest
    assert [told(track) for track in cut.tracks] == TRACKS[:3]


def test_sound_and_picture_in_one_set_are_two_tracks():
    found = dash(
        '<AdaptationSet lang="en"><Representation mimeType="video/mp4" width="64" height="36" codecs="avc1,mp4a.40.2"/>'
        "</AdaptationSet>"
    )
    assert [told(track) for track in found.tracks] == [
        ("video", {"codec": "h264", "language": "en", "width": 64, "height": 36}),
        ("audio", {"codec": "aac", "language": "en"}),
    ]


@pytest.mark.parametrize(
    ("scheme", "value", "channels"),
    [
        ("urn:mpeg:dash:23003:3:audio_channel_configuration:2011", "1", 1),
        ("urn:mpeg:dash:23003:3:audio_channel_configuration:2011", "6", 6),
        ("urn:mpeg:dash:23003:3:audio_channel_configuration:2011", "7", 8),
        ("urn:mpeg:mpegB:cicp:ChannelConfiguration", "2", 2),
        ("urn:mpeg:mpegB:cicp:ChannelConfiguration", "12", 8),
        ("urn:mpeg:mpegB:cicp:ChannelConfiguration", "99", None),
        ("urn:mpeg:dash:outputChannelPositionList:2012", "2 0 1 4 5 3", 6),
        ("urn:dts:dash:audio_channel_configuration:2012", "6", 6),
        ("urn:dolby:dash:audio_channel_configuration:2011", "A000", 2),
        # Left, centre, right, two surrounds, the pair behind them, and the woofer.
        ("urn:dolby:dash:audio_channel_configuration:2011", "FA01", 8),
        ("urn:dolby:dash:audio_channel_configuration:2011", "0000", None),
        ("urn:dolby:dash:audio_channel_configuration:2011", "6", None),
        ("urn:mpeg:dash:23003:3:audio_channel_configuration:2011", "0", None),
        ("urn:mpeg:dash:23003:3:audio_channel_configuration:2011", "-2", None),
        ("urn:mpeg:dash:23003:3:audio_channel_configuration:2011", "99999", None),
    ],
)
def test_channels_are_counted_in_each_scheme(scheme, value, channels):
    (track,) = dash(
        f'<AdaptationSet contentType="audio"><AudioChannelConfiguration schemeIdUri="{scheme}" value="{value}"/>'
        "</AdaptationSet>"
    ).tracks
    assert track == ManifestTrack("audio", channels=channels)


def test_thousands_of_tracks_are_bounded():
    renditions = [f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="{number}"' for number in range(5_000)]
    assert len(hls(*renditions).tracks) == MOST_TRACKS
    assert len(dash('<AdaptationSet contentType="audio"/>' * 5_000).tracks) == 1
    sets = "".join(f"<AdaptationSet contentType='text' lang='{'a' * (1 + n % 8)}-{n}'/>" for n in range(5_000))
    assert len(dash(sets).tracks) == MOST_TRACKS


@given(st.text(alphabet='ACDEGIMNORTUPY-_="x0,: \n#', max_size=200))
def test_any_rendition_is_a_track_or_none(text):
    found = hls(f"#EXT-X-MEDIA:{text}", f"#EXT-X-MEDIA:TYPE=AUDIO,{text}", f"#EXT-X-STREAM-INF:{text}")
    assert all(track.kind in ("audio", "video", "subtitle") for track in found.tracks)


@pytest.mark.parametrize(
    ("written", "size", "rate"),
    [
        ("RESOLUTION=65535x65535,FRAME-RATE=1000", (65_535, 65_535), 1000.0),
        ("RESOLUTION=65536x720,FRAME-RATE=1000.1", (None, None), None),
        ("RESOLUTION=1280x99999,FRAME-RATE=9999999", (None, None), None),
        ("RESOLUTION=1280x0,FRAME-RATE=0.0001", (None, None), None),
    ],
)
def test_what_no_picture_has_is_not_known(written, size, rate):
    found = hls(f"#EXT-X-STREAM-INF:BANDWIDTH=1,{written}", "a.m3u8")
    assert ((found.width, found.height), found.frame_rate) == (size, rate)
