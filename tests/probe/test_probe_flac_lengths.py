"""FLAC files whose blocks state wrong lengths: what follows them is read nevertheless, as mutagen reads it."""

import io
import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.flac import FLAC, Picture
from probe_media import cover, run, sample, texts

from mediacrawl.probe.policy import ProbePolicy

INFO, PADDING, APPLICATION, SEEK_TABLE, COMMENT, CUE_SHEET, PICTURE = range(7)
WHOLE = sample("tone.flac")
STREAM = WHOLE[8:42]
AUDIO = WHOLE[WHOLE.index(b"\xff\xf8") :]


def comments(*entries):
    body = struct.pack("<I", 4) + b"made" + struct.pack("<I", len(entries))
    return body + b"".join(struct.pack("<I", len(entry)) + entry for entry in entries)


def picture(size):
    made = Picture()
    made.data, made.mime, made.type = cover(size), "image/png", 3
    return made.write()


def flac(*blocks, last=True, audio=AUDIO):
    """A FLAC file of STREAMINFO and other blocks: (type, body, what its length is wrong by)."""
    parts = [(INFO, STREAM, 0), *blocks]
    out = b"fLaC"
    for place, (kind, body, wrong) in enumerate(parts):
        flag = 0x80 if last and place == len(parts) - 1 else 0
        out += bytes([kind | flag]) + struct.pack(">I", (len(body) + wrong) % 2**24)[1:] + body
    return out + audio


TAGS = (COMMENT, comments(b"TITLE=Tone", b"ARTIST=Sine"), 0)
GARBAGE = bytes(10) + (300_164 << 44 | 8_589_934_592).to_bytes(8, "big") + bytes(16)
"""A STREAMINFO of 300,164 Hz and 28,617 seconds."""


def check(probed, data):
    """The facts are those of the first STREAMINFO, the texts all that were written, and mutagen agrees."""
    result, known = probed.result, FLAC(io.BytesIO(data))
    assert (texts(result, "title"), texts(result, "artist")) == (["Tone"], ["Sine"])
    assert (result.sample_rate, result.channels, result.bits_per_sample, result.duration) == (8000, 1, 16, 2)
    assert (known["title"], known["artist"], known.info.length) == (["Tone"], ["Sine"], 2)
    assert result.status == "complete"
    return result


@pytest.mark.parametrize("place", [1, 2])
def test_the_first_header_of_the_stream_counts(place):
    blocks = [TAGS, (PADDING, bytes(20), 0)]
    blocks.insert(place, (INFO, GARBAGE, 0))
    data = flac(*blocks)
    check(run(data), data)


def test_a_valid_header_of_the_stream_behind_a_broken_one_counts():
    data = b"fLaC" + bytes([INFO, 0, 0, 34]) + bytes(34) + flac(TAGS)[4:]
    result = run(data).result
    assert (result.sample_rate, result.duration, texts(result, "title")) == (8000, 2, ["Tone"])


@pytest.mark.parametrize("wrong", [4, 18, 60, 2**23])
def test_the_header_of_the_stream_has_one_length(wrong):
    whole = flac(TAGS)
    result = run(whole[:5] + (34 + wrong).to_bytes(3, "big") + whole[8:]).result
    assert (texts(result, "title"), result.duration, result.status) == (["Tone"], 2, "complete")


@pytest.mark.parametrize("wrong", [-1, 1, -300, 300, -900, 12_000, 2**23])
@pytest.mark.parametrize("size", [1000, 200_000])
def test_a_picture_ends_where_its_own_fields_say(size, wrong):
    data = flac((PICTURE, picture(size), wrong), TAGS, (PADDING, bytes(100), 0))
    probed = run(data)
    result = check(probed, data)
    assert (result.has_cover, result.cover_mime, result.cover_size) == (True, "image/png", size)
    assert result.bitrate == len(AUDIO) * 8 / 2
    assert (probed.requests <= 2, probed.fetched <= 40 * 1024) == (True, True)


def test_a_picture_of_more_than_the_largest_length_is_stepped_over():
    # The length has 24 bits; what does not fit was cut off.
    data = flac((PICTURE, picture(2**24 + 5000), 0), TAGS)
    probed = run(data)
    assert check(probed, data).cover_size == 2**24 + 5000
    assert probed.requests == 2


def test_a_picture_whose_fields_are_not_at_hand_is_stepped_over():
    data = flac((PADDING, bytes(16 * 1024 - 60), 0), (PICTURE, picture(50_000), -40), TAGS)
    probed = run(data)
    assert check(probed, data).cover_size == 50_000
    assert probed.requests <= 4


def test_a_picture_whose_own_length_is_wrong_ends_where_its_block_says():
    body = bytearray(picture(1000))
    body[-1004:-1000] = (700_000).to_bytes(4, "big")
    probed = run(flac((PICTURE, bytes(body), 0), TAGS))
    assert (texts(probed.result, "title"), probed.result.status) == (["Tone"], "complete")


@pytest.mark.parametrize("wrong", [-1, 1, -15, 15, -28, 3000, 2**23])
@pytest.mark.parametrize("behind", [[(PADDING, bytes(100), 0)], [(PICTURE, picture(90), 0)], []])
def test_comments_end_where_their_own_lengths_say(wrong, behind):
    data = flac((COMMENT, TAGS[1], wrong), *behind)
    result = check(run(data), data)
    assert result.has_cover is any(kind == PICTURE for kind, _, _ in behind)
    assert result.bitrate == len(AUDIO) * 8 / 2


@pytest.mark.parametrize("wrong", [-36, -18, 5, 18, 40])
@pytest.mark.parametrize("kind", [PADDING, APPLICATION, SEEK_TABLE, CUE_SHEET])
def test_behind_another_block_of_wrong_length_the_comments_are_found(kind, wrong):
    # mutagen reads none of these.
    body = (b"\xff" * 8 + b"\1" * 10) * 4
    data = flac((kind, body, wrong), (PICTURE, picture(700), 0), TAGS)
    probed = run(data)
    result = probed.result
    assert (texts(result, "title"), texts(result, "artist")) == (["Tone"], ["Sine"])
    assert (result.sample_rate, result.duration, result.cover_size) == (8000, 2, 700)
    assert (result.status, probed.requests) == ("complete", 1)


def test_comments_that_were_searched_for_may_be_behind_the_head():
    data = flac((APPLICATION, b"ab" * 20_000, -7), TAGS, audio=AUDIO + bytes(300_000))
    probed = run(data)
    assert (texts(probed.result, "title"), probed.result.status) == (["Tone"], "complete")
    assert probed.fetched <= 80 * 1024


def test_where_nothing_is_found_the_search_ends():
    probed = run(flac((PADDING, bytes(40), -9), audio=b"\0" * 500_000, last=False))
    assert probed.result.notes == ["blocks:BrokenError"]
    assert (probed.result.duration, probed.fetched <= 144 * 1024) == (2, True)


def test_a_type_of_block_that_is_not_defined_is_stepped_over():
    data = flac((9, b"\x04" * 300, 0), TAGS)
    check(run(data), data)


def test_a_file_that_was_cut_off_in_a_picture_is_not_searched():
    data = flac((PICTURE, picture(300_000), 0), TAGS)[:100_000]
    probed = run(data)
    assert (probed.result.notes, probed.requests) == (["blocks:BrokenError"], 1)
    assert (probed.result.has_cover, probed.result.duration) == (True, 2)


PARTS = st.tuples(
    st.sampled_from([INFO, PADDING, SEEK_TABLE, COMMENT, PICTURE, 9, 127]),
    st.sampled_from([TAGS[1], picture(90), GARBAGE, bytes(36), b"\x04\0\0\x20" * 30]) | st.binary(max_size=90),
    st.integers(-40, 400) | st.sampled_from([0, 2**23]),
)


@given(st.lists(PARTS, max_size=6), st.integers(0, 60), st.booleans())
@settings(max_examples=examples(120))
def test_blocks_of_any_length_end_calmly(blocks, cut, last):
    data = flac(*blocks, last=last, audio=AUDIO[:200])
    probed = run(data[: len(data) - cut], ProbePolicy(max_requests=4), restart=False)
    assert probed.result.status.startswith(("complete", "partial", "error:"))
    assert probed.result.duration in {2, None}
