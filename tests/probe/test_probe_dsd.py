"""DSF and DSDIFF: one-bit audio, its length, the texts behind it."""

import io
import struct

import pytest
from mutagen.dsdiff import DSDIFF
from mutagen.dsf import DSF
from probe_builders import dff, dff_chunk, dff_comments, dff_prop, dff_text, dsf
from probe_media import frame, id3, picture, run, texts

from mediacrawl.probe import Probe

SECOND = 2_822_400
TAG = id3(frame("TIT2", b"\0Tone"), frame("TPE1", b"\0Sine"))


@pytest.mark.parametrize(("rate", "channels"), [(2_822_400, 2), (5_644_800, 1), (11_289_600, 6)])
def test_facts_of_dsf_are_those_of_mutagen(rate, channels):
    data = dsf(rate // 4, rate=rate, channels=channels, tag=TAG)
    result, known = run(data).result, DSF(io.BytesIO(data)).info
    assert (result.status, result.container, result.encoding_format) == ("complete", "dsf", "audio/x-dsf")
    assert (result.codec, result.bits_per_sample) == ("dsd_lsbf_planar", 1)
    assert (result.sample_rate, result.channels) == (known.sample_rate, known.channels) == (rate, channels)
    assert (result.duration, result.bitrate) == (pytest.approx(known.length), known.bitrate)
    assert (result.duration, result.duration_estimated) == (pytest.approx(0.25), False)


def test_the_order_of_bits_in_dsf_names_the_codec():
    assert run(dsf(SECOND, bits=8)).result.codec == "dsd_msbf_planar"
    assert run(dsf(SECOND, bits=3)).result.codec is None


def test_the_tag_of_dsf_costs_one_more_request():
    probed = run(dsf(SECOND * 4, tag=TAG))
    assert (texts(probed.result, "title"), texts(probed.result, "artist")) == (["Tone"], ["Sine"])
    assert (probed.requests, probed.result.status) == (2, "complete")
    assert probed.fetched == 16 * 1024 + len(TAG)


def test_a_dsf_file_without_a_tag_costs_its_head():
    probed = run(dsf(SECOND * 4))
    assert (probed.result.duration, probed.requests, probed.result.status) == (pytest.approx(4), 1, "complete")
    assert probed.result.has_cover is False


def test_the_cover_of_dsf_is_not_fetched():
    tag = id3(frame("TIT2", b"\0Tone"), picture(500_000), frame("TPE1", b"\0Sine"))
    probed = run(dsf(SECOND * 2, tag=tag))
    assert (texts(probed.result, "artist"), probed.result.cover_size) == (["Sine"], 500_000)
    assert (probed.requests <= 4, probed.fetched <= 48 * 1024) == (True, True)


@pytest.mark.parametrize("claim", [0, 2**62])
def test_the_samples_of_dsf_are_no_more_than_there_is_room_for(claim):
    data = bytes(4096 * 2 * 100)
    result = run(dsf(claim, data=data)).result
    assert result.duration == pytest.approx(4096 * 8 * 100 / SECOND)


def test_a_cut_dsf_file_has_the_length_that_is_there():
    whole = dsf(4096 * 8 * 100, tag=TAG)
    result = run(whole[: 92 + 4096 * 2 * 40]).result
    assert result.duration == pytest.approx(4096 * 8 * 40 / SECOND)
    assert (result.notes, result.status) == (["dsf:truncated", "id3v2:truncated"], "partial")


@pytest.mark.parametrize("place", [40, 2**63])
def test_a_pointer_of_dsf_that_leads_nowhere_ends_calmly(place):
    result = run(dsf(SECOND, place=place)).result
    assert (result.duration, result.tags, result.status) == (pytest.approx(1), [], "partial")


@pytest.mark.parametrize("change", [(28, b"JUNK"), (80, b"JUNK"), (56, bytes(4)), (52, bytes(4))])
def test_a_broken_header_of_dsf_does_not_hide_the_tag(change):
    at, new = change
    data = dsf(SECOND, tag=TAG)
    result = run(data[:at] + new + data[at + 4 :]).result
    assert (result.duration, texts(result, "title"), result.notes) == (None, ["Tone"], ["header:BrokenError"])


# DSDIFF.


def dsd(seconds, channels=2):
    return dff_chunk(b"DSD ", b"\x69" * (SECOND // 8 * channels * seconds))


@pytest.mark.parametrize(("rate", "channels"), [(2_822_400, 2), (5_644_800, 1), (2_822_400, 6)])
def test_facts_of_dsdiff_are_those_of_mutagen(rate, channels):
    data = dff(dff_prop(rate=rate, channels=channels), dff_chunk(b"DSD ", bytes(rate // 32 * channels)))
    result, known = run(data).result, DSDIFF(io.BytesIO(data)).info
    assert (result.status, result.container, result.encoding_format) == ("complete", "dff", "audio/x-dff")
    assert (result.codec, result.bits_per_sample, result.bitrate_mode) == ("dsd_msbf", 1, "cbr")
    assert (result.sample_rate, result.channels) == (known.sample_rate, known.channels) == (rate, channels)
    assert (result.duration, result.bitrate) == (pytest.approx(known.length), known.bitrate)
    assert result.duration == pytest.approx(0.25)


def test_frames_of_packed_dsd_are_counted_by_their_chunk():
    frames = dff_chunk(b"FRTE", struct.pack(">IH", 750, 75)) + dff_chunk(b"DSTF", bytes(2_000_000))
    probed = run(dff(dff_prop(codec=b"DST "), dff_chunk(b"DST ", frames)))
    assert (probed.result.codec, probed.result.duration, probed.requests) == ("dst", pytest.approx(10), 1)
    assert probed.result.bitrate == pytest.approx(len(frames) * 8 / 10, abs=1)


def test_texts_behind_the_audio_of_dsdiff_cost_one_more_request():
    title = "Тон".encode("cp1251")
    info = dff_chunk(b"DIIN", dff_text(b"DIAR", b"Sine\0") + dff_chunk(b"EMID", b"x1") + dff_text(b"DITI", title))
    probed = run(dff(dff_prop(), dsd(2), info, dff_comments(b"one", b"four"), dff_chunk(b"MANF", b"abcd12")))
    assert [(tag.source, tag.frame, tag.key, tag.raw, tag.declared) for tag in probed.result.tags] == [
        ("dsdiff", "DIAR", "artist", b"Sine", "latin-1"),
        ("dsdiff", "DITI", "title", title, "latin-1"),
        ("dsdiff", "COMT", "comment", b"one", "latin-1"),
        ("dsdiff", "COMT", "comment", b"four", "latin-1"),
    ]
    assert (probed.requests, probed.result.status, probed.result.duration) == (2, "complete", pytest.approx(2))


@pytest.mark.parametrize("inside", [True, False])
def test_an_id3_tag_of_dsdiff_may_stand_in_either_place(inside):
    tag = dff_chunk(b"ID3 ", id3(frame("TIT2", b"\0Tone"), picture(300_000)))
    chunks = [dff_prop(more=tag), dsd(1)] if inside else [dff_prop(), dsd(1), tag]
    probed = run(dff(*chunks))
    assert (texts(probed.result, "title"), probed.result.cover_size) == (["Tone"], 300_000)
    assert (probed.result.duration, probed.result.status) == (pytest.approx(1), "complete")
    assert probed.fetched <= 48 * 1024


def test_a_cut_dsdiff_file_has_the_length_that_is_there():
    whole = dff(dff_prop(), dsd(4))
    result = run(whole[: len(whole) - SECOND // 8 * 2 * 3]).result
    assert (result.duration, result.notes, result.status) == (pytest.approx(1), ["dff:truncated"], "partial")


def test_where_the_server_tells_no_size_the_dsdiff_file_does():
    whole, probe = dff(dff_prop(), dsd(1), dff_chunk(b"DIIN", dff_text(b"DITI", b"Tone"))), Probe()
    while (wanted := probe.next_range()) is not None:
        probe.feed(wanted[0], whole[slice(*wanted)], None)
    result = probe.result()
    assert (result.duration, texts(result, "title"), result.status) == (pytest.approx(1), ["Tone"], "complete")


@pytest.mark.parametrize(
    "prop",
    [dff_chunk(b"PROP", b"SND " + dff_chunk(b"FS  ", b"\0")), dff_chunk(b"PROP", b""), dff_chunk(b"PROP", b"XYZ ")],
)
def test_broken_properties_do_not_hide_the_texts(prop):
    result = run(dff(prop, dff_chunk(b"DIIN", dff_text(b"DITI", b"Tone")), dsd(1))).result
    assert (texts(result, "title"), result.duration, result.sample_rate) == (["Tone"], None, None)


def test_another_form_of_the_same_container_is_not_read():
    result = run(dff(dff_prop(), form=b"XYZ ")).result
    assert (result.status, result.container) == ("error:BrokenError", "dff")


def test_lengths_of_dsdiff_that_claim_more_than_there_is_end_with_the_chunk():
    long = dff_chunk(b"DITI", struct.pack(">I", 2**32 - 1) + b"Tone")
    comments = dff_chunk(b"COMT", b"\0\x09" + bytes(10) + struct.pack(">I", 2**32 - 1) + b"one")
    result = run(dff(dff_prop(), dff_chunk(b"DIIN", long), comments, dsd(1))).result
    assert (texts(result, "title"), texts(result, "comment")) == (["Tone"], ["one"])
    assert result.duration == pytest.approx(1)
