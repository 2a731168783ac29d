"""The records of stations: their names, and the song of the moment."""

# ruff: noqa: RUF001 - a station's words are Russian

import pytest
from itemadapter import ItemAdapter

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.base.facts import fact, pack
from mediacrawl.base.terms import Evidence
from mediacrawl.probe import Probe, read_stream
from mediacrawl.record import Fixer, build_item

MP3 = b"\xff\xfb\x90\x00" + bytes(413)
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
    return read_stream(headers, body)


def item_of(result):
    return build_item(result, Probe(), url="http://radio.example:8000/live")


def test_the_bytes_of_a_stations_headers_are_kept_and_its_name_is_found():
    item = item_of(read(body=MP3 * 20))
    named = next(tag for tag in item.tags if tag["frame"] == "icy-name")
    assert (named["source"], named["key"], named["declared"]) == ("icy", "title", "latin-1")
    assert raw_bytes(named) == NAME.encode("cp1251")
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
    Fixer().fix(ItemAdapter(item))
    assert next(tag for tag in item.tags if tag["frame"] == "StreamTitle")["text"] == SONG
    assert (item.title, item.now_playing, item.is_live) == (NAME, SONG, True)


def test_what_a_page_says_of_its_length_is_not_believed():
    told = Evidence(facts=pack([fact("page", "og:audio:duration", "duration", "180")]))
    assert build_item(read(), Probe(), url="http://radio.example/", evidence=told).duration is None
