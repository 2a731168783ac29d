"""WavPack streams whose header does not state a length: the last block does, or the blocks together."""

import io
import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.wavpack import WavPack
from probe_media import id3, id3v1, run

UNKNOWN = 2**32 - 1
STEREO, INITIAL, FINAL = 9 << 23 | 1, 1 << 11, 1 << 12
RATE = 44100


def block(index, samples, size, *, total=UNKNOWN, flags=STEREO | INITIAL | FINAL, body=b"\x55"):
    """One block of 44.1 kHz; the index of its first sample has 40 bits."""
    fields = size - 8, 0x410, (index >> 32) % 256, 0, total, index & UNKNOWN, samples, flags, 0
    return struct.pack("<4sIHBBIIIII", b"wvpk", *fields) + body * (size - 32)


def stream(*blocks, start=0, total=UNKNOWN):
    """Blocks of (samples, bytes) that follow each other."""
    out, index = [], start
    for samples, size in blocks:
        out.append(block(index, samples, size, total=total))
        index += samples
    return b"".join(out)


HALF = RATE // 2
SHORT = [(HALF, 9000), *[(HALF, 3500)] * 6, (8820, 1400)]
"""3.7 seconds, of which the first half takes more bytes than the others."""
LONG = [(HALF, 52_000), *[(HALF, 31_000)] * 400, (1000, 2000)]


@pytest.mark.parametrize("total", [UNKNOWN, 0])
@pytest.mark.parametrize("tags", [b"", id3v1(b"Tone")])
def test_blocks_at_hand_are_counted(total, tags):
    data = stream(*SHORT, total=total) + tags
    probed = run(data)
    assert (probed.result.duration, probed.result.duration_estimated) == (pytest.approx(3.7), False)
    assert (probed.result.status, probed.requests <= 2) == ("complete", True)
    if total:
        # mutagen takes a length of 0 as it stands.
        assert probed.result.duration == pytest.approx(WavPack(io.BytesIO(data)).info.length)


@pytest.mark.parametrize("start", [0, 5_000_000, 2**32 - 1000])
def test_the_last_block_gives_the_length(start):
    data = stream(*LONG, start=start) + id3v1(b"Tone")
    probed = run(id3(padding=100) + data)
    seconds = sum(samples for samples, _ in LONG) / RATE
    assert (probed.result.duration, probed.result.duration_estimated) == (pytest.approx(seconds), False)
    assert (probed.result.status, probed.requests) == ("complete", 2)
    if not start:
        assert seconds == pytest.approx(WavPack(io.BytesIO(data)).info.length)


def test_a_last_block_that_begins_earlier_costs_one_request_more():
    data = stream((HALF, 30_000), *[(HALF, 90_000)] * 20)
    probed = run(data)
    assert (probed.result.duration, probed.requests) == (pytest.approx(10.5), 3)
    assert probed.fetched <= 160 * 1024


def test_blocks_without_audio_at_the_end_are_stepped_over():
    checksum = block(HALF * 50, 0, 60)
    probed = run(stream(*[(HALF, 20_000)] * 50) + checksum * 2)
    assert (probed.result.duration, probed.result.duration_estimated) == (25, False)


def test_blocks_of_several_channels_hold_the_same_samples():
    six = [(INITIAL, 8000), (0, 8000), (FINAL, 5000)]
    data = b"".join(block(HALF * n, HALF, size, flags=STEREO | flag) for n in range(30) for flag, size in six)
    result = run(data).result
    assert (result.duration, result.duration_estimated) == (15, False)
    # Of a short one all blocks are at hand.
    assert run(data[: 21_000 * 2]).result.duration == 1


@pytest.mark.parametrize(
    "letters",
    [
        b"wvpk" * 8,
        block(2**33, 500, 100)[:32],  # it ends where none begins
        block(HALF * 3, HALF, 200, flags=3 << 23 | INITIAL | FINAL) + b"wvpk",  # of another rate
    ],
)
def test_letters_of_a_block_in_the_audio_are_none(letters):
    data = bytearray(stream(*[(HALF, 20_000)] * 50))
    data[-10_000 : -10_000 + len(letters)] = letters
    assert run(bytes(data)).result.duration == 25


def test_where_no_last_block_is_found_the_first_ones_are_measured():
    data = stream(*[(HALF, 4000)] * 100)
    result = run(data[:-1] + bytes(200_000)).result
    assert result.duration_estimated
    assert result.duration == pytest.approx((len(data) + 199_999) / 4000 / 2)


def test_a_refused_tail_leaves_an_estimate():
    probe = run(stream(*LONG)).probe.__class__()
    data = stream(*[(HALF, 5000)] * 500)
    while (wanted := probe.next_range()) and wanted[1] - wanted[0] <= 16 * 1024:
        probe.feed(wanted[0], data[slice(*wanted)], len(data))
    probe.refuse("status 503")
    assert (probe.result().duration, probe.result().duration_estimated) == (pytest.approx(250), True)


@given(
    st.lists(st.tuples(st.integers(0, 99_999), st.integers(32, 9000)), max_size=6),
    st.integers(0, 2**40 - 1),
    st.lists(st.tuples(st.integers(0, 8000), st.integers(0, 255)), max_size=8),
    st.integers(0, 400),
)
@settings(max_examples=examples(60))
def test_damaged_streams_end_calmly(blocks, start, changes, cut):
    data = bytearray(stream((HALF, 300), *blocks, start=start))
    for at, value in changes:
        data[at % len(data)] = value
    result = run(bytes(data[: len(data) - cut]), restart=False).result
    assert result.duration is None or result.duration > 0
