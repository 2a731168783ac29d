"""Endless streams: what their headers say, and what their first bytes show."""

# ruff: noqa: RUF001 - a station's words are Russian

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_media import sample

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.base.terms import Evidence, Kind
from mediacrawl.download.body_bytes import BodyLimits, bytes_wanted
from mediacrawl.probe import Probe, ProbePolicy
from mediacrawl.probe.icecast import STREAM_BYTES, is_stream, lacks_song, read_stream, stream_bytes
from mediacrawl.record import Fixer, build_item

POLICY = ProbePolicy()
MP3 = b"\xff\xfb\x90\x00" + bytes(413)
AAC = b"\xff\xf1\x50\x80\x20\x1f\xfc" + bytes(249)
NAME = "Радио Дальние Огни"
HEADERS = [
    ("content-type", b"audio/mpeg"),
    ("icy-name", NAME.encode("cp1251")),
    ("icy-genre", b"folk"),
    ("icy-description", "Песни и новости с берега Белого моря".encode("cp1251")),
    ("icy-url", b"http://radio.example/"),
    ("icy-br", b"192"),
    ("icy-pub", b"1"),
]


def read(headers=HEADERS, body=b""):
    return read_stream(headers, body, POLICY)


def item_of(result):
    return build_item(result, Probe(POLICY), url="http://radio.example:8000/live")


def test_the_bytes_of_a_stations_headers_are_kept_and_its_name_is_found():
    item = item_of(read(body=MP3 * 20))
    named = next(tag for tag in item.tags if tag["frame"] == "icy-name")
    assert (named["source"], named["key"], named["declared"]) == ("icy", "title", "latin-1")
    assert raw_bytes(named) == NAME.encode("cp1251")
    from itemadapter import ItemAdapter

    Fixer().fix(ItemAdapter(item))
    assert (item.title, item.genre) == (NAME, "folk")
    assert item.description == "Песни и новости с берега Белого моря"


def interleaved(words, metaint=8_192, sound=MP3 * 60):
    words += bytes(-len(words) % 16)
    parts = [sound[at : at + metaint] for at in range(0, len(sound), metaint)]
    return parts[0] + bytes((len(words) // 16,)) + words + b"\0".join(parts[1:])


SONG = "Ансамбль Север - Туман у моря"
METAINT = [*HEADERS, ("icy-metaint", b"8192")]


@pytest.mark.parametrize("encoding", ["cp1251", "utf-8", "koi8-r"])
def test_the_song_of_the_moment_is_read_between_the_bytes_of_the_sound(encoding):
    words = b"StreamTitle='" + SONG.encode(encoding) + b"';StreamUrl='';"
    item = item_of(read(METAINT, interleaved(words)))
    told = next(tag for tag in item.tags if tag["frame"] == "StreamTitle")
    assert (told["source"], told["key"], told["declared"]) == ("icy", "playing_title", "latin-1")
    assert raw_bytes(told) == SONG.encode(encoding)
    from itemadapter import ItemAdapter

    Fixer().fix(ItemAdapter(item))
    assert next(tag for tag in item.tags if tag["frame"] == "StreamTitle")["text"] == SONG
    assert (item.title, item.now_playing, item.is_live) == (NAME, SONG, True)


def test_as_much_of_a_stream_is_read_as_its_first_words_need():
    assert stream_bytes({"icy-metaint": "16000"}) == 16_000 + 1 + 255 * 16
    for metaint in ("", "0", "x", "64", "1024", "16385", "40000", "9" * 5_000):
        assert stream_bytes({"icy-metaint": metaint}) == STREAM_BYTES


def test_what_a_page_says_of_its_length_is_not_believed():
    from mediacrawl.base.facts import fact, pack

    told = Evidence(facts=pack([fact("page", "og:audio:duration", "duration", "180")]))
    assert build_item(read(), Probe(POLICY), url="http://radio.example/", evidence=told).duration is None


@pytest.mark.parametrize(
    ("headers", "body", "lacks"),
    [
        (HEADERS, MP3 * 20, True),
        (HEADERS, AAC * 20, True),
        ([*HEADERS, ("icy-metaint", b"8192")], MP3 * 20, False),
        # Ogg names the song in the stream, and a server of another kind names it nowhere.
        (HEADERS, sample("tone.ogg")[:STREAM_BYTES], False),
        ([("ice-audio-info", b"channels=2")], MP3 * 20, False),
    ],
)
def test_a_station_is_asked_for_its_song_if_the_first_request_did_not(headers, body, lacks):
    assert lacks_song({name for name, _ in headers}, read(headers, body)) is lacks


@pytest.mark.parametrize(
    ("headers", "endless"),
    [
        ({"icy-name": "x"}, True),
        ({"icy-metaint": "0", "content-length": "221183499"}, True),
        ({"ice-audio-info": ""}, True),
        ({"icy-name": "x", "content-range": "bytes 0-16383/99999"}, False),
        # Icecast-KH gives ranges of what has no end.
        ({"icy-name": "x", "content-range": "bytes 0-16383/*"}, True),
        ({"content-range": "bytes 0-16383/*"}, False),
        ({"content-type": "audio/mpeg", "server": "Icecast"}, False),
    ],
)
def test_a_stream_is_known_by_its_headers(headers, endless):
    assert is_stream(headers) is endless


@pytest.mark.parametrize("kind", [Kind.PAGE, Kind.MEDIA])
def test_little_of_a_stream_is_listened_to(kind):
    headers = {"content-type": "audio/mpeg", "icy-br": "128"}
    assert bytes_wanted(kind, headers, BodyLimits(200_000, 16_384, 65_536), asked=16_384) == STREAM_BYTES


@pytest.mark.parametrize(
    ("kind", "headers", "wanted"),
    [
        (Kind.MEDIA, {"content-type": "audio/mpeg"}, 65_536),
        (Kind.MEDIA, {"content-type": "audio/mpeg", "content-range": "bytes 0-16383/99999"}, 16_385),
        (Kind.MEDIA, {"content-type": "multipart/byteranges; boundary=x"}, 17_408),
        (Kind.MEDIA, {"content-type": "text/html"}, 200_000),
        (Kind.PAGE, {"content-type": "audio/mpeg"}, 16_384),
        (Kind.PAGE, {"content-type": "image/png"}, 0),
        (Kind.PAGE, {"content-type": "image/png", "content-disposition": "inline; filename=a.ogg"}, 16_384),
        (Kind.PAGE, {"content-type": "unknown/unknown"}, 200_000),
    ],
)
def test_as_much_is_read_as_the_answer_is_good_for(kind, headers, wanted):
    asked = 16_384 if kind is Kind.MEDIA else 0
    assert bytes_wanted(kind, headers, BodyLimits(200_000, 16_384, 65_536), asked=asked) == wanted


@settings(max_examples=examples(50))
@given(
    st.lists(
        st.tuples(st.sampled_from(["icy-name", "icy-br", "icy-sr", "ice-audio-info", "content-type"]), st.binary())
    ),
    st.binary(max_size=2000) | st.binary(max_size=9).map(lambda piece: piece * 2000),
)
def test_nothing_that_comes_breaks_the_reader(headers, body):
    assert read(headers, body).status == "stream"
    item_of(read(headers, body))
