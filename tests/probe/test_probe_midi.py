"""MIDI: names, remarks and Soft Karaoke's titles as raw bytes, and the length by the tempos of all tracks."""

import io
import random
import struct
import time

import pytest
from mutagen.smf import SMF
from probe_media import run, texts
from probe_old import (
    COPYRIGHT,
    LYRIC,
    NAME,
    TEXT,
    end,
    karaoke,
    meta,
    midi,
    notes,
    number,
    riff_chunk,
    rmid,
    tempo,
    track,
)

from mediacrawl.probe import Probe, ProbePolicy

TITLE = "Вечерняя песня".encode("cp1251")
ARTIST = "Кино".encode("cp1251")


def tags(result):
    return [(tag.frame, tag.key, tag.raw) for tag in result.tags]


def song(*events, **options):
    """One track of 8 quarter notes, 4 seconds."""
    return midi(track(*events, notes(8), end()), kind=0, **options)


def test_a_song_of_one_track_is_read_whole():
    probed = run(song(meta(NAME, TITLE + b"\0"), meta(COPYRIGHT, b"(c) 1997 Sine"), meta(TEXT, b"Two remarks")))
    result = probed.result
    assert (result.status, result.container, result.encoding_format) == ("complete", "midi", "audio/midi")
    assert (result.duration, result.duration_estimated) == (4.0, False)
    assert (result.codec, result.channels, result.is_video, result.has_cover) == (None, None, False, False)
    assert tags(result) == [
        ("SequenceName", "title", TITLE),
        ("Copyright", "copyright", b"(c) 1997 Sine"),
        ("Text", "comment", b"Two remarks"),
    ]
    assert {tag.declared for tag in result.tags} == {"latin-1"}
    assert probed.requests == 1


def test_only_the_first_track_names_the_song():
    first = track(meta(NAME, b"Low Water"), meta(NAME, b"again"), tempo(500_000), end())
    others = [track(meta(NAME, name), notes(1), end()) for name in (b"Bass", b"", b"Piano ")]
    assert tags(run(midi(first, *others)).result) == [
        ("SequenceName", "title", b"Low Water"),
        ("TrackName", "track:name", b"Bass"),
        ("TrackName", "track:name", b"Piano"),
    ]


def test_texts_in_the_music_and_lyrics_are_words_that_are_sung():
    events = [meta(TEXT, b"before"), meta(LYRIC, b"la"), b"\x60\x90\x3c\x40", meta(TEXT, b"in it")]
    assert tags(run(song(*events)).result) == [("Text", "comment", b"before")]


def test_karaoke_states_title_and_artist():
    result = run(karaoke(TITLE, ARTIST)).result
    assert tags(result) == [
        ("TrackName", "track:name", b"Soft karaoke"),
        ("@I", "comment", b"Made by Sine"),
        ("TrackName", "track:name", b"Words"),
        ("@L", "language", b"RUSS"),
        ("@T", "title", TITLE),
        ("@T", "artist", ARTIST),
        ("@T", "comment", b"(c) 1999"),
        ("TrackName", "track:name", b"Bass"),
    ]
    assert result.tags[4].text == TITLE.decode("latin-1")
    assert (result.status, result.duration) == ("complete", 4.0)


def test_karaoke_without_titles_keeps_the_name_of_the_song():
    result = run(song(meta(NAME, b"Low Water"), meta(TEXT, b"@KMIDI KARAOKE FILE"), meta(TEXT, b"\\La"))).result
    assert tags(result) == [("SequenceName", "title", b"Low Water")]


LONG = [track(tempo(1_000_000), end()), track(notes(8), end(96))]


@pytest.mark.parametrize(
    ("data", "seconds"),
    [
        (song(), 4.0),  # 120 quarter notes a minute, if nothing else is said
        (midi(*LONG), 9.0),  # the end event counts, not the last note
        (midi(*reversed(LONG)), 9.0),  # wherever the tempo stands
        # 4 quarter notes of half a second, 2 of 1 s, 2 of a quarter of a second
        (midi(track(tempo(500_000), tempo(1_000_000, 384), tempo(250_000, 192), end()), track(notes(8), end())), 4.5),
        (midi(track(tempo(400_000), tempo(900_000, 384), tempo(250_000, 192), end()), track(notes(9), end())), 4.15),
        (midi(track(tempo(0), end()), track(notes(8), end())), 4.0),  # no tempo at all
        (midi(track(tempo(100_000), tempo(1_000_000), end()), track(notes(8), end())), 8.0),  # the later one holds
        (midi(track(tempo(500_000), tempo(1, 96 * 20), end()), track(notes(8), end())), 10.0),  # an event late
        (song(division=0xE728), 8 * 96 / 1000),  # 25 frames of 40 ticks
        (song(division=0xE350), 8 * 96 / (30_000 / 1001 * 80)),  # 30 frames less the dropped ones, of 80 ticks
        (song(division=0xE700), None),
        (song(division=0), None),
        (midi(track(notes(8), end()), track(notes(8), end()), kind=2), None),  # pieces that follow in no known order
        (midi(track(end())), None),
    ],
)
def test_the_length_is_that_of_the_longest_track(data, seconds):
    result = run(data).result
    assert result.duration == (None if seconds is None else pytest.approx(seconds, rel=1e-12))


@pytest.mark.parametrize("data", [karaoke(TITLE, ARTIST), song(tempo(300_000)), midi(*[track(notes(8), end())] * 2)])
def test_the_length_without_changes_of_tempo_is_that_of_mutagen(data):
    assert run(data).result.duration == pytest.approx(SMF(io.BytesIO(data)).info.length)


@pytest.mark.parametrize(
    "events",
    [
        b"\0\xf0\x05\x7e\x7f\x09\x01\xf7",  # sysex, with the status that ends in it
        b"\0\xf7\x02\x01\xf7" * 2,  # continued ones
        b"\0\xff\x7f\x81\x00" + bytes(128),  # a maker's own data
        b"\0\xd0\x40\0\xe0\0\x40\0\xb0\7\x7f\0\x0a\x40\0\xa0\x3c\x40",  # all kinds of messages
        b"\0\xff\x58\4\4\2\x18\x08\0\xff\x59\2\0\0\0\xff\x21\1\0",
    ],
)
def test_events_without_a_text_are_stepped_over(events):
    result = run(song(events, meta(NAME, b"Tone"))).result
    assert (result.status, result.duration, texts(result, "title")) == ("complete", 4.0, ["Tone"])


def test_running_status_holds_over_a_meta_event():
    events = b"\0\x90\x3c\x40" + meta(6, b"mark") + b"\x60\x3c\0"
    assert run(midi(track(events, end()))).result.duration == 0.5


def test_a_number_may_have_four_bytes():
    assert number(0x0FFFFFFF) == b"\xff\xff\xff\x7f"
    assert run(midi(track(end(0x0FFFFFFF)))).result.duration == pytest.approx(0x0FFFFFFF / 96 / 2)


def test_chunks_of_other_kinds_are_stepped_over():
    data = midi(track(notes(8), end()))
    other = b"XFIH" + struct.pack(">I", 5) + b"other"
    result = run(data[:14] + other + data[14:] + other).result
    assert (result.status, result.duration) == ("complete", 4.0)


def test_a_longer_header_is_stepped_over():
    data = song()
    result = run(b"MThd" + struct.pack(">I", 8) + data[8:14] + b"\1\2" + data[14:]).result
    assert (result.status, result.duration) == ("complete", 4.0)


def test_a_track_without_its_end_event_ends_with_its_chunk():
    result = run(midi(track(notes(8)))).result
    assert (result.status, result.duration) == ("complete", 4.0)


@pytest.mark.parametrize(
    ("broken", "notes_"),
    [
        (b"\0\x3c\x40", ["track:BrokenError"]),  # data without a status
        (b"\0\xf4", ["track:BrokenError"]),  # a status for cables only
        (b"\x80\x80\x80\x80\0\x90\x3c\x40", ["track:BrokenError"]),  # a number that does not end
        (b"\0\xff\1\x7fshort", ["track:BrokenError"]),  # a text longer than its track
    ],
)
def test_a_broken_track_does_not_hide_the_others(broken, notes_):
    result = run(midi(track(broken), track(meta(NAME, b"Bass"), notes(8), end()))).result
    assert (result.status, result.notes, result.duration) == ("partial", notes_, 4.0)
    assert texts(result, "track:name") == ["Bass"]


def test_fewer_tracks_than_the_header_says_are_noted():
    result = run(midi(track(notes(8), end()), count=3)).result
    assert (result.status, result.notes, result.duration) == ("partial", ["midi:truncated"], 4.0)


def test_a_file_that_was_cut_off_lasts_as_long_as_what_is_there():
    whole = song()
    result = run(whole[: len(whole) - 4 - 12]).result  # the end event, and two notes
    assert (result.status, result.duration) == ("partial", 3.0)


# -- RIFF --------------------------------------------------------------------------------------------------------------


def info(*fields):
    return riff_chunk(b"LIST", b"INFO" + b"".join(riff_chunk(name, body) for name, body in fields))


def test_riff_has_texts_of_its_own():
    display = riff_chunk(b"DISP", struct.pack("<I", 1) + TITLE + b"\0")
    picture = riff_chunk(b"DISP", struct.pack("<I", 8) + bytes(40))
    listed = info((b"IART", ARTIST), (b"ICOP", b"(c) 1995"))
    result = run(rmid(riff_chunk(b"data", song(meta(NAME, b"Tone"))), listed, picture, display)).result
    assert [(tag.source, tag.frame, tag.key, tag.raw) for tag in result.tags] == [
        ("midi", "SequenceName", "title", b"Tone"),
        ("riff", "IART", "artist", ARTIST),
        ("riff", "ICOP", "copyright", b"(c) 1995"),
        ("riff", "DISP", "title", TITLE),
    ]
    assert (result.status, result.container, result.duration) == ("complete", "midi", 4.0)


def test_texts_behind_a_long_song_come_with_it():
    data = rmid(riff_chunk(b"data", midi(track(notes(10_000), end()))), info((b"INAM", TITLE)))
    probed = run(data)
    assert (probed.result.duration, texts(probed.result, "title")) == (5000.0, [TITLE.decode("latin-1")])
    assert (probed.result.status, probed.requests) == ("complete", 2)


# -- budget ------------------------------------------------------------------------------------------------------------


def long_song(size):
    first = track(meta(NAME, b"Long"), tempo(500_000), end())
    return midi(first, track(meta(NAME, b"Bass"), notes(size // 12), end()), track(notes(size // 12), end()))


def test_a_long_song_takes_two_requests():
    data = long_song(200_000)
    probed = run(data)
    assert (probed.result.status, probed.requests, probed.fetched) == ("complete", 2, len(data))
    assert probed.result.duration == (200_000 // 12) / 2


def test_a_song_beyond_the_budget_has_its_names_only():
    probed = run(long_song(400_000))
    assert (probed.requests, probed.fetched) == (1, 16 * 1024)
    assert (probed.result.status, probed.result.notes) == ("partial", ["limit:bytes"])
    assert (texts(probed.result, "title"), texts(probed.result, "track:name")) == (["Long"], ["Bass"])
    assert probed.result.duration is None


def test_a_song_of_unknown_size_is_asked_for_track_by_track():
    data, probe = long_song(60_000), Probe()
    while (wanted := probe.next_range()) is not None:
        probe.feed(wanted[0], data[slice(*wanted)], None)
    assert (probe.result().status, probe.result().duration) == ("complete", (60_000 // 12) / 2)


def test_no_more_texts_are_kept_than_the_limit():
    result = run(song(meta(TEXT, b"a") * 60), ProbePolicy(max_tags=50)).result
    assert (len(result.tags), result.notes, result.duration) == (50, ["limit:tags"], 4.0)


# -- hostile files -----------------------------------------------------------------------------------------------------

WHOLE = {
    "kar": karaoke(TITLE, ARTIST),
    "rmi": rmid(riff_chunk(b"data", song(meta(NAME, b"Tone"))), info((b"INAM", TITLE))),
    "sysex": song(b"\0\xf0\x03\x7e\x7f\xf7", meta(NAME, b"T"), tempo(400_000)),
}


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_every_cut_ends_calmly(name):
    data = WHOLE[name]
    whole = run(data).result
    duration, known = whole.duration, {*tags(whole), ("SequenceName", "title", b"Soft karaoke")}
    for stop in range(1, len(data)):
        result = run(data[:stop], restart=False).result
        assert result.status.startswith(("complete", "partial", "error:", "unsupported")), stop
        assert result.duration is None or result.duration <= duration, stop
        if name != "rmi":  # chunks of RIFF are read as far as they are there
            assert set(tags(result)) <= known, stop


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_random_changes_end_calmly(name):
    chance = random.Random(name)
    for _ in range(300):
        data = bytearray(WHOLE[name])
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        result = run(bytes(data), restart=False).result
        assert result.status.startswith(("complete", "partial", "error:", "unsupported"))


@pytest.mark.parametrize(
    "events",
    [
        b"\0\xc0\1" + b"\1\2" * 100_000,
        b"\1\xff\x51\3\7\xa1\x20" * 28_000,
        b"\0\xff\1\1a" * 40_000,
        b"\0\xff\6\0" * 50_000,
        b"\x81\x82\x83\4\xf0\0" * 33_000,
    ],
)
def test_many_events_take_no_time(events):
    data = midi(track(events, end()))
    probe = Probe()
    probe.feed(0, data, len(data))
    began = time.thread_time()
    probe.result()
    run(data, restart=False)
    assert time.thread_time() - began < 1.0


def test_a_header_that_promises_tracks_without_end_is_bounded():
    result = run(midi(*[track(end())] * 20_000, count=0xFFFF)).result
    assert "limit:parts" in result.notes
