"""AMR and AMR-WB: modes of the frames, lengths counted or estimated, several channels."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_builders import NARROW, WIDE, amr, amr_frame
from probe_media import run, sample

from mediacrawl.probe import Probe

WB = b"#!AMR-WB\n"


def test_a_real_file_is_counted():
    result = run(sample("tone.amr")).result
    assert (result.status, result.container, result.encoding_format) == ("complete", "amr", "audio/amr")
    assert (result.codec, result.audio_codec, result.sample_rate, result.channels) == ("amr_nb", "amr_nb", 8000, 1)
    assert (result.duration, result.duration_estimated) == (pytest.approx(2.0), False)
    assert result.bitrate == (len(sample("tone.amr")) - 6) * 8 // 2


@pytest.mark.parametrize(("mode", "size"), list(enumerate(NARROW)))
def test_frames_of_each_mode_last_twenty_milliseconds(mode, size):
    data = amr(*[mode] * 100)
    result = run(data).result
    assert (len(data), result.duration) == (6 + 100 * size, pytest.approx(2.0))
    assert result.bitrate == size * 400


@pytest.mark.parametrize(("mode", "size"), list(enumerate(WIDE)))
def test_wide_frames_have_sizes_of_their_own(mode, size):
    result = run(amr(*[mode] * 100, magic=WB)).result
    assert (result.codec, result.sample_rate, result.encoding_format) == ("amr_wb", 16000, "audio/amr-wb")
    assert (result.duration, result.bitrate) == (pytest.approx(2.0), size * 400)


@pytest.mark.parametrize(("magic", "modes", "frames"), [(b"#!AMR\n", [7, 15, 8, 0], 4), (WB, [8, 14, 15, 9], 4)])
def test_frames_without_speech_last_as_long(magic, modes, frames):
    assert run(amr(*modes * 20, magic=magic)).result.duration == pytest.approx(frames * 20 * 0.02)


def test_a_long_file_of_one_mode_costs_its_ends():
    probed = run(amr(*[7] * 30_000))
    assert probed.result.duration == pytest.approx(600)
    assert (probed.result.duration_estimated, probed.result.status) == (True, "complete")
    assert (probed.requests, probed.fetched) == (2, 20 * 1024)
    assert probed.result.bitrate == 12_800


def test_the_frames_at_the_end_are_counted_in():
    loud, quiet = amr(*[7] * 3000), amr(*[0] * 3000)
    both = run(loud + quiet[6:]).result
    assert run(loud).result.bitrate > both.bitrate > run(quiet).result.bitrate


def test_an_end_that_is_no_frame_leaves_those_of_the_front():
    result = run(amr(*[7] * 3000) + b"\xff" * 200).result
    assert (result.bitrate, result.duration_estimated) == (12_800, True)
    assert result.duration == pytest.approx(60, rel=0.01)


def test_a_file_cut_inside_a_frame_has_those_before():
    whole = amr(*[7] * 100)
    assert run(whole[:-5]).result.duration == pytest.approx(99 * 0.02)


@pytest.mark.parametrize(("channels", "seconds"), [(1, 2.4), (2, 1.2), (6, 0.4)])
def test_frames_of_several_channels_alternate(channels, seconds):
    data = amr(*[4] * 120, magic=b"#!AMR_MC1.0\n", channels=channels)
    result = run(data).result
    assert (result.channels, result.duration) == (channels, pytest.approx(seconds))
    assert result.bitrate == 8000 * channels
    long = run(amr(*[4] * 12_000, magic=b"#!AMR_MC1.0\n", channels=channels)).result
    assert (long.duration, long.bitrate) == (pytest.approx(seconds * 100, rel=0.001), 8000 * channels)


@pytest.mark.parametrize(
    "data",
    [
        amr(),
        amr(*[4] * 100, magic=b"#!AMR_MC1.0\n", channels=0),
        b"#!AMR\n" + amr_frame(12, 20) * 20,
        b"#!AMR\n" + b"\xff" * 300,
        b"#!AMR-WB_MC1.0\n\0\0",
    ],
)
def test_what_has_no_frames_has_no_length(data):
    result = run(data).result
    assert (result.duration, result.notes) == (None, ["audio:BrokenError"])


def test_a_server_that_tells_no_size_gives_the_bit_rate():
    probe = Probe()
    probe.feed(0, amr(*[7] * 600), None)
    result = probe.result()
    assert (result.bitrate, result.duration, result.notes) == (12_800, None, ["size unknown"])


@given(st.lists(st.sampled_from([*range(9), 15]), min_size=1, max_size=60), st.integers(0, 40))
@settings(max_examples=examples(60))
def test_any_modes_are_counted(modes, cut):
    data = amr(*modes)
    sizes = [1 if mode == 15 else NARROW[mode] for mode in modes]
    cut = min(cut, len(data) - 6)
    there, frames = len(data) - 6 - cut, 0
    while frames < len(sizes) and sum(sizes[: frames + 1]) <= there:
        frames += 1
    duration = run(data[: len(data) - cut], restart=False).result.duration
    assert duration == (pytest.approx(frames * 0.02) if frames else None)
