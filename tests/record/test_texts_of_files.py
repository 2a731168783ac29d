"""Texts from the bytes of a file to the record: UTF-16 in fields of 8 bits, titles of stations, and lost texts."""

# ruff: noqa: RUF001 - typographic signs are what titles have

import pytest
from golden import Case, ask
from itemadapter import ItemAdapter
from probe_media import ape, ape_item, audio, chunk, chunks_of, form, frame, id3, id3v1, sample, texts
from tag_writers import write_asf

from mediacrawl.probe import read_stream
from mediacrawl.record import Fixer, build_item

TITLES = ["Anna", "Über den Wolken", "Ночной поезд", "Élan 9", "Ωδή στη χαρά", "L'été indien"]
MARKED = ["", "\ufeff"]
ORDERS = ["utf-16-le", "utf-16-be"]


def record(data, headers=None):
    """The record of a file, or of a station with these headers, with its texts decided."""
    probe, _ = ask(Case(data, headers=headers), restart=False)
    result = probe.result() if headers is None else read_stream(headers, data, probe.policy)
    item = build_item(result, probe, url="http://media.example/file")
    Fixer().fix(ItemAdapter(item))
    return item


def wave(*parts):
    layout = chunk(b"fmt ", bytes.fromhex("01000100401f0000401f000001000800"))
    return form(b"RIFF", b"WAVE", layout, *parts, chunk(b"data", b"\x80" * 8000))


def played(words, *headers):
    words += bytes(-len(words) % 16)
    named = [("icy-metaint", b"8"), ("content-type", b"audio/mpeg"), *headers]
    return record(bytes(8) + bytes([len(words) // 16]) + words + bytes(8), named)


PLACES = {
    "info": lambda raw: record(wave(chunks_of(b"INFO", chunk(b"INAM", raw)))).title,
    "id3v1": lambda raw: record(audio(4) + id3v1(raw[:30])).title,
    "id3v2.2": lambda raw: record(id3(frame("TT2", b"\0" + raw, 2), version=2) + audio(4)).title,
    "id3v2.3": lambda raw: record(id3(frame("TIT2", b"\0" + raw)) + audio(4)).title,
    "id3v2.4": lambda raw: record(id3(frame("TIT2", b"\0" + raw, 4), version=4) + audio(4)).title,
    "comment": lambda raw: record(id3(frame("COMM", b"\0eng\0" + raw)) + audio(4)).comment,
    "wide description": lambda raw: record(id3(frame("COMM", b"\0eng\0\0" + raw)) + audio(4)).comment,
    "ape 1": lambda raw: record(audio(4) + ape(ape_item(b"Title", raw), version=1000)).title,
    "song": lambda raw: played(b"StreamTitle='" + raw + b"';StreamUrl='';").now_playing,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("order", ORDERS)
def test_utf16_in_a_field_of_8_bits_is_read_whole(place, order):
    for title in TITLES:
        for mark in MARKED:
            raw = (mark + title).encode(order)
            for ending in (b"", b"\0\0"):
                shown = PLACES[place](raw + ending)
                assert shown == title or (place == "id3v1" and len(raw) > 30 and title.startswith(shown))
            if order == "utf-16-le" and title[-1] < "\x7f":
                shown = PLACES[place](raw[:-1])
                assert shown == title or (place == "id3v1" and len(raw) > 30 and title.startswith(shown))


def test_8_bit_text_of_wma_that_was_widened_is_read_with_several_titles():
    def wide(text):
        return text.encode("cp932").decode("latin-1")

    for title, other in (("夜の電車", "さよなら"), ("コンピューター", "雪の華"), ("アニメソング", "夜の電車")):
        item = record(write_asf({"Title": [wide(title), wide(other)], "WM/AlbumTitle": [wide(other)]}))
        assert {each["text"] for each in item.tags if each["key"] == "title"} == {title, other}
        assert item.album == other


@pytest.mark.parametrize(
    ("words", "song"),
    [
        (b"StreamTitle='Don';t stop';StreamUrl='';", "Don';t stop"),
        (b"StreamTitle='O';Brien';s band';StreamUrl='http://a';", "O';Brien';s band"),
        (b"StreamUrl='x';StreamTitle='it';s';", "it';s"),
        (b"StreamTitle='x';adw_ad='true';", "x"),
        (b"StreamTitle='x';\0left';StreamUrl='';", "x"),
        (b"StreamTitle='old'", "old"),
        (b"StreamTitle='Simon &amp; Garfunkel';", "Simon & Garfunkel"),
        (b"StreamTitle='Don&#8217;t &#x2013; caf&eacute;';", "Don’t – café"),
        (b"StreamTitle='AT&amp;amp;T';", "AT&T"),
        ("StreamTitle='Beyoncé &amp; Jay&#8217;z';".encode(), "Beyoncé & Jay’z"),
        ("StreamTitle='Ночной поезд &#8212; день &amp; ночь';".encode("cp1251"), "Ночной поезд — день & ночь"),
        (b"StreamTitle='R&B &unknown; &#0; &#xD800; a;b&c';", "R&B &unknown; &#0; &#xD800; a;b&c"),
    ],
)
def test_the_title_of_a_song_is_what_players_show(words, song):
    assert played(words).now_playing == song


def test_character_references_in_the_headers_of_a_station_are_replaced():
    assert played(b"", ("icy-name", b"Rock &amp; Pop &#8211; 24h")).title == "Rock & Pop – 24h"


def tagged(title):
    return frame("TIT2", b"\0" + title if isinstance(title, bytes) else b"\1" + title.encode("utf-16"))


LOST = [(b"????", "夜の電車"), (b"Beyonc?", "Beyoncé"), (b"????? ?????", "Ночь и день"), (b"N? ?", "Né à")]


@pytest.mark.parametrize(("lost", "title"), LOST)
def test_a_text_that_lost_letters_comes_after_any_intact_copy(lost, title):
    info = chunks_of(b"INFO", chunk(b"INAM", lost))
    assert record(wave(info, chunk(b"id3 ", id3(tagged(title))))).title == title
    front = id3(tagged(lost)) + audio(4)
    assert record(front + ape(ape_item(b"Title", title.encode()))).title == title
    assert record(front).title == lost.decode()


def test_the_order_of_the_tags_decides_between_texts_that_lost_nothing():
    item = record(wave(chunks_of(b"INFO", chunk(b"INAM", b"Why?")), chunk(b"id3 ", id3(tagged("Pourquoi ? Non")))))
    assert item.title == "Why?"
    assert record(id3(tagged(b"????")) + audio(4) + id3v1("夜の電車".encode("cp932"))).title == "夜の電車"
    assert record(id3(tagged("Caf\ufffd")) + audio(4) + ape(ape_item(b"Title", "Café".encode()))).title == "Café"


@pytest.mark.parametrize(("code", "genre"), [("RX", "Remix"), ("CR", "Cover"), ("17", "Rock"), ("(RX)", "Remix")])
def test_codes_of_genres_are_written_out(code, genre):
    assert record(id3(frame("TCON", b"\0" + code.encode(), 4), version=4) + audio(4)).genre == genre


@pytest.mark.parametrize("wrong", [-3000, -9, -4, -1, 1, 4, 8, 9, 100, 1278, 1283])
def test_moov_is_found_behind_media_data_of_a_wrong_size(wrong):
    data = sample("last.m4a")
    at = data.index(b"mdat") - 4
    size = int.from_bytes(data[at : at + 4], "big") + wrong
    item = record(data[:at] + size.to_bytes(4, "big") + data[at + 4 :])
    assert (item.title, item.duration, item.probe_status) == ("Tone", record(data).duration, "complete")


def later(data, granules):
    """Ogg whose granule positions are greater, as in a recording that was cut out of a stream."""
    made, at = b"", 0
    while at < len(data):
        begin = at + 27 + data[at + 26]
        stop = begin + sum(data[at + 27 : begin])
        granule = int.from_bytes(data[at + 6 : at + 14], "little", signed=True)
        moved = granule + granules if granule > 0 else granule
        made += data[at : at + 6] + moved.to_bytes(8, "little", signed=True) + data[at + 14 : stop]
        at = stop
    return made


@pytest.mark.parametrize(
    ("name", "rate"), [("tone.ogg", 44_100), ("tone.opus", 48_000), ("tone.oga", 8000), ("tone.spx", 16_000)]
)
def test_ogg_is_as_long_as_what_is_there(name, rate):
    data = sample(name)
    seconds = record(data).duration
    for begin in (0.5, 3, 10, 70):
        item = record(later(data, int(begin * rate)))
        assert item.duration == pytest.approx(seconds, abs=0.02)
        assert item.duration_estimated
    chained = record(data + later(data, 10 * rate))
    assert chained.duration == pytest.approx(2 * seconds, abs=0.02)
    assert texts(ask(Case(data + data), restart=False)[0].result(), "title") == ["Tone"]
