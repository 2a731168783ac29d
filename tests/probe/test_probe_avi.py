"""AVI: streams from the header list, texts before or behind the pictures, lengths that were never written."""

import struct

import pytest
from probe_media import run, sample, texts


def chunk(name, body, *, size=None):
    return name + struct.pack("<I", len(body) if size is None else size) + body + b"\0" * (len(body) % 2)


def several(kind, *chunks):
    return chunk(b"LIST", kind + b"".join(chunks))


def avih(*, micros=40_000, frames=250, width=320, height=240):
    return chunk(b"avih", struct.pack("<10I", micros, 0, 0, 16, frames, 0, 2, 0, width, height) + bytes(16))


def strh(kind, handler=b"\0\0\0\0", *, scale=1, rate=25, length=250):
    numbers = struct.pack("<IHHI4I", 0, 0, 0, 0, scale, rate, 0, length)
    return chunk(b"strh", kind + handler + numbers + bytes(20))


def bitmap(fourcc=b"XVID", width=640, height=480):
    return chunk(b"strf", struct.pack("<IiiHH4s", 40, width, height, 1, 24, fourcc) + bytes(20))


def sound(number=0x55, channels=2, rate=44_100):
    return chunk(b"strf", struct.pack("<HHIIHH", number, channels, rate, 16_000, 1, 0))


VIDEO = several(b"strl", strh(b"vids"), bitmap())
AUDIO = several(b"strl", strh(b"auds", scale=1152, rate=44_100, length=380), sound())
INFO = several(b"INFO", chunk(b"INAM", b"Film\0"), chunk(b"ISFT", b"Camera"))


def avi(*chunks):
    body = b"AVI " + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def movi(size=200_000, *, stated=None):
    return chunk(b"LIST", b"movi" + bytes(size - 4), size=stated)


def film(*streams, head=None, movie=None):
    return avi(several(b"hdrl", head or avih(), *(streams or (VIDEO, AUDIO))), movie or movi())


def test_the_sample_is_read_as_ffprobe_reads_it():
    probed = run(sample("film.avi"))
    result = probed.result
    assert (result.status, result.encoding_format, result.is_video) == ("complete", "video/x-msvideo", True)
    assert (result.codec, result.video_codec, result.audio_codec) == ("mpeg4", "mpeg4", "mp3")
    assert (result.width, result.height, result.frame_rate) == (96, 64, 10)
    assert (result.duration, result.sample_rate, result.channels) == (pytest.approx(1.1), 16_000, 1)
    assert (texts(result, "title"), probed.requests) == (["Film"], 1)


def test_texts_behind_the_pictures_and_their_index_are_found():
    index = chunk(b"idx1", bytes(400_000))
    probed = run(film(movie=movi(3_000_000) + index + INFO))
    assert texts(probed.result, "title") == ["Film"]
    assert (probed.requests, probed.result.status) == (3, "complete")
    assert probed.fetched <= 32 * 1024


def test_texts_before_the_pictures_spare_the_search_behind_them():
    probed = run(avi(several(b"hdrl", avih(), VIDEO), INFO, movi(3_000_000), chunk(b"idx1", bytes(4_000))))
    assert (texts(probed.result, "title"), probed.requests) == (["Film"], 1)


def test_the_further_parts_of_a_long_file_are_not_visited():
    part = avi(movi(500_000)).replace(b"AVI movi", b"AVIXmovi")
    probed = run(film(movie=movi(500_000)) + part * 5)
    assert (probed.requests, probed.result.status) == (2, "complete")


def test_a_long_file_has_all_its_frames_in_the_extension():
    extension = several(b"odml", chunk(b"dmlh", struct.pack("<I", 9000) + bytes(244)))
    short = several(b"strl", strh(b"vids", length=250), bitmap())
    assert run(film(short, extension)).result.duration == pytest.approx(360)


@pytest.mark.parametrize("length", [0, 0xFFFFFFFF, 1 << 30])
def test_a_length_that_was_never_written_is_that_of_the_main_header(length):
    broken = several(b"strl", strh(b"vids", length=length), bitmap())
    assert run(film(broken)).result.duration == pytest.approx(10)
    assert run(film(broken, head=avih(frames=length))).result.duration is None


def test_a_film_without_its_size_ends_with_the_file():
    result = run(film(movie=movi(stated=0))).result
    assert (result.duration, result.video_codec) == (pytest.approx(10), "mpeg4")


def test_a_stream_without_a_rate_plays_as_the_main_header_says():
    result = run(film(several(b"strl", strh(b"vids", scale=0, rate=0), bitmap()))).result
    assert (result.frame_rate, result.duration) == (25, pytest.approx(10))


def test_a_film_that_stands_on_its_head_has_no_negative_height():
    assert run(film(several(b"strl", strh(b"vids"), bitmap(height=-480)))).result.height == 480


@pytest.mark.parametrize(
    ("fourcc", "codec"),
    [
        (b"XVID", "mpeg4"),
        (b"divx", "mpeg4"),
        (b"DIV3", "msmpeg4v3"),
        (b"H264", "h264"),
        (b"MJPG", "mjpeg"),
        (b"\0\0\0\0", "rawvideo"),
        (b"ABCD", "abcd"),
        (b"\xff\xfe\x01\x02", None),
    ],
)
def test_a_codec_goes_by_its_four_letters(fourcc, codec):
    assert run(film(several(b"strl", strh(b"vids"), bitmap(fourcc)))).result.video_codec == codec


def test_sound_alone_is_no_video():
    result = run(film(AUDIO)).result
    assert (result.is_video, result.codec, result.video_codec) == (False, "mp3", None)
    assert result.duration == pytest.approx(380 * 1152 / 44_100)


def test_the_tape_of_a_camera_has_both_in_one_stream():
    result = run(film(several(b"strl", strh(b"iavs", b"dvsd")))).result
    assert (result.is_video, result.codec, result.width) == (True, "dvvideo", 320)


def test_names_of_streams_and_the_date_of_a_camera_are_texts():
    named = several(b"strl", strh(b"vids"), bitmap(), chunk(b"strn", b"Main\0"))
    result = run(film(named, chunk(b"IDIT", b"2004-05-06\n\0"))).result
    assert [track.title for track in result.tracks] == ["Main"]
    assert [(tag.frame, tag.key, tag.raw) for tag in result.tags] == [("IDIT", "date", b"2004-05-06\n")]


def test_a_broken_stream_hides_no_other():
    broken = several(b"strl", chunk(b"strh", b"auds"))
    result = run(film(broken, VIDEO)).result
    assert (result.video_codec, result.status) == ("mpeg4", "partial")
