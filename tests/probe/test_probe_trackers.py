"""Modules of trackers: titles, messages and the names of samples, as raw bytes."""

import random

import pytest
from probe_media import run, texts
from probe_old import it, mod, s3m, xm

from mediacrawl.probe import ProbePolicy, sniff

TITLE = "весна".encode("cp866")
NAMES = [b"this song was made", b"", b"by Sine in 1994", "для друзей".encode("cp866")]
MESSAGE = b"\n".join(name for name in NAMES if name)


def tags(result):
    return [(tag.source, tag.frame, tag.key, tag.raw) for tag in result.tags]


def test_a_mod_has_a_title_and_names():
    probed = run(mod(TITLE, NAMES))
    result = probed.result
    assert tags(result) == [("mod", "Title", "title", TITLE), ("mod", "Samples", "comment", MESSAGE)]
    assert {tag.declared for tag in result.tags} == {"latin-1"}
    assert (result.status, result.container, result.encoding_format) == ("complete", "mod", "audio/x-mod")
    assert (result.duration, result.codec, result.channels, result.has_cover) == (None, None, None, False)
    assert probed.requests == 1


@pytest.mark.parametrize(
    "mark",
    [b"M.K.", b"M!K!", b"M&K!", b"FLT4", b"FLT8", b"4CHN", b"6CHN", b"8CHN", b"10CH", b"32CN", b"CD81", b"OKTA"],
)
def test_programs_have_marks_of_their_own(mark):
    assert sniff(mod(b"tone", [], mark)[:4096]) == ("mod", "audio/x-mod")


def changed(data, at, value):
    return data[:at] + bytes([value]) + data[at + 1 :]


WHOLE_MOD = mod(b"tone", [b"drum"])


@pytest.mark.parametrize(
    "data",
    [
        mod(b"tone", [b"drum"], b"M.X."),
        mod(b"tone", [b"drum"], b"0CHN"),
        changed(WHOLE_MOD, 950, 0),  # no position
        changed(WHOLE_MOD, 950, 129),  # more than there is room for
        changed(WHOLE_MOD, 1000, 128),  # a pattern that cannot be
        changed(WHOLE_MOD, 20 + 30 * 30 + 25, 65),  # louder than can be
        WHOLE_MOD[:1083],
        b"The letters " * 90 + b"M.K. stand in a text" * 90,
        bytes(1080) + b"M.K." + bytes(3000),
        (b"<p>" + b"A song by " * 300)[:1080] + b"8CHN" + b"</p>" * 500,
    ],
)
def test_four_letters_make_no_module(data):
    assert sniff(data[:4096]).container != "mod"


def test_left_overs_behind_a_zero_are_no_name():
    result = run(mod(b"tone\0old", [b"drum\0left over", b"\0left over", b"bass  "])).result
    assert (texts(result, "title"), texts(result, "comment")) == (["tone"], ["drum\nbass"])


def test_an_s3m_has_a_program_too():
    probed = run(s3m(TITLE, NAMES))
    assert tags(probed.result) == [
        ("s3m", "Title", "title", TITLE),
        ("s3m", "Tracker", "encodersettings", b"Scream Tracker 3.20"),
        ("s3m", "Instruments", "comment", MESSAGE),
    ]
    assert (probed.result.status, probed.result.encoding_format) == ("complete", "audio/x-s3m")


def test_instruments_far_behind_come_in_one_request():
    probed = run(s3m(b"tone", [b"name %d" % number for number in range(99)], gap=2000))
    assert texts(probed.result, "comment") == ["\n".join(f"name {number}" for number in range(99))]
    assert (probed.result.status, probed.requests) == ("complete", 2)


@pytest.mark.parametrize(
    ("version", "program"),
    [
        (0x0214, ["Impulse Tracker 2.14"]),
        (0x5128, ["OpenMPT 1.28"]),
        (0xF000, []),
        (0x1020, ["Schism Tracker 0.20"]),
        (0x12A5, ["Schism Tracker"]),
    ],
)
def test_the_message_of_an_it_comes_first(version, program):
    result = run(it(TITLE, NAMES, [b"drum", b"bass"], b"Two\rlines\r\0left over", version=version)).result
    assert texts(result, "comment") == ["Two\rlines", MESSAGE.decode("latin-1"), "drum\nbass"]
    assert (texts(result, "title"), texts(result, "encodersettings")) == ([TITLE.decode("latin-1")], program)
    assert [tag.frame for tag in result.tags if tag.key == "comment"] == ["Message", "Instruments", "Samples"]
    assert (result.status, result.encoding_format) == ("complete", "audio/x-it")


def test_an_it_of_samples_alone_has_no_message():
    assert texts(run(it(b"tone", [], [b"drum"])).result, "comment") == ["drum"]


def test_instruments_of_an_it_that_are_not_at_hand_are_fetched_together():
    data = it(b"tone", [b"name %d" % number for number in range(90)], [b"drum"] * 90, b"Message")
    probed = run(data)
    assert len(data) > 50_000
    assert texts(probed.result, "comment")[1].splitlines() == [f"name {number}" for number in range(90)]
    assert (probed.result.status, probed.requests) == ("complete", 2)


def test_a_message_that_is_not_there_hides_nothing():
    data = it(b"tone", [b"by sine"], [], b"Message")[:-7]
    result = run(data).result
    assert (texts(result, "title"), texts(result, "comment")) == (["tone"], ["by sine"])
    assert (result.status, result.notes) == ("partial", ["message:BrokenError"])


def test_an_xm_has_names_of_instruments_and_samples():
    instruments = [(NAMES[0], [(b"kick", 300), (b"", 20)]), (NAMES[1], []), (NAMES[2], [(b"snare", 9)]), (NAMES[3], [])]
    result = run(xm(TITLE, instruments, patterns=3)).result
    assert tags(result) == [
        ("xm", "Title", "title", TITLE),
        ("xm", "Tracker", "encodersettings", b"FastTracker v2.00"),
        ("xm", "Instruments", "comment", MESSAGE),
        ("xm", "Samples", "comment", b"kick\nsnare"),
    ]
    assert (result.status, result.encoding_format) == ("complete", "audio/x-xm")


def test_a_sample_that_was_packed_has_half_its_length():
    data = bytearray(xm(b"tone", [(b"one", [(b"kick", 51)]), (b"two", [])]))
    sample = data.index(b"kick") - 18
    data[sample + 17] = 0xAD
    data[sample : sample + 4] = (70).to_bytes(4, "little")  # 16 bytes of a table and 35 of data
    assert texts(run(bytes(data)).result, "comment") == ["one\ntwo", "kick"]


def test_an_xm_of_another_version_has_its_title():
    result = run(xm(b"tone", [(b"one", [])], version=0x0103)).result
    assert (texts(result, "title"), texts(result, "comment")) == (["tone"], [])
    assert (result.status, result.notes) == ("partial", ["xm:version"])


def test_long_samples_are_stepped_over_within_the_budget():
    probed = run(xm(b"tone", [(b"name %d" % number, [(b"kick", 100_000)]) for number in range(20)]))
    names = texts(probed.result, "comment")[0].splitlines()
    assert names == [f"name {number}" for number in range(len(names))]
    assert 4 <= len(names) < 20
    assert (probed.result.status, probed.result.notes) == ("partial", ["budget"])
    assert (texts(probed.result, "title"), probed.requests) == (["tone"], ProbePolicy().max_requests)


# -- hostile files -----------------------------------------------------------------------------------------------------

WHOLE = {
    "mod": mod(TITLE, NAMES, sound=0)[:1200],
    "s3m": s3m(TITLE, NAMES)[:600],
    "it": it(b"tone", [b"by sine"], [b"drum"], b"Message"),
    "xm": xm(b"tone", [(b"by sine", [(b"drum", 50)]), (b"1997", [])]),
}


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_every_cut_ends_calmly(name):
    data = WHOLE[name]
    whole = tags(run(data).result)
    for stop in range(1, len(data)):
        result = run(data[:stop], restart=False).result
        assert result.status.startswith(("complete", "partial", "error:", "unsupported")), stop
        if result.container == name:
            assert len(result.tags) <= len(whole), stop
            assert all(any(raw in full for *_, full in whole) for *_, raw in tags(result)), stop


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_random_changes_end_calmly(name):
    chance = random.Random(name)
    for _ in range(300):
        data = bytearray(WHOLE[name])
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        result = run(bytes(data), restart=False).result
        assert result.status.startswith(("complete", "partial", "error:", "unsupported"))


@pytest.mark.parametrize("name", ["s3m", "it", "xm"])
def test_counts_beyond_what_the_programs_have_are_bounded(name):
    data = bytearray(WHOLE[name])
    at = {"s3m": 34, "it": 34, "xm": 72}[name]
    data[at : at + 2] = b"\xff\xff"
    result = run(bytes(data) + b"\x1d\0\0\0" * 100_000, restart=False).result
    assert "limit:names" in result.notes
    assert len(result.tags) <= 6
