"""What was written is read: texts of any bytes, frames of any modes, values of any kind."""

import struct

import pytest
from golden import asf_flv, riff
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_builders import NARROW, amr, caf, caf_data, caf_desc, caf_info
from probe_media import chunk, run

from mediacrawl.probe import sniff
from mediacrawl.probe.formats.aac_streams import LATM, LatmConfig, find_config, frame_format
from mediacrawl.probe.formats.audio_frames import FrameFormat, find, follow
from mediacrawl.probe.formats.mpeg_audio import MPEG, read_frame
from mediacrawl.probe.formats.mpeg_video import find_video_header
from mediacrawl.probe.formats.raw_audio import AAC, AC3, DTS

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30)


@given(st.lists(TEXT, max_size=6), st.booleans())
@settings(max_examples=examples(50))
def test_texts_of_caf_are_read_wherever_they_stand(values, behind):
    info = caf_info(*[(b"comments", value.encode()) for value in values])
    parts = [caf_data(bytes(400)), info] if behind else [info, caf_data(bytes(400))]
    found = run(caf(caf_desc(), *parts), restart=False).result.tags
    assert [tag.raw for tag in found] == [value.encode() for value in values]


RAW = st.binary(min_size=1, max_size=40).map(lambda raw: raw.rstrip(b"\0") + b".")


@given(st.lists(RAW, max_size=6), st.booleans())
@settings(max_examples=examples(50))
def test_texts_of_wav_are_read_wherever_they_stand(values, behind):
    listed = riff.info(*[(b"ICMT", value) for value in values])
    parts = [riff.data(1), listed] if behind else [listed, riff.data(1)]
    assert [tag.raw for tag in run(riff.wav(riff.fmt(), *parts), restart=False).result.tags] == values


VALUES = st.recursive(
    st.floats(allow_nan=False).map(asf_flv.number)
    | st.binary(max_size=20).map(asf_flv.string)
    | st.sampled_from([b"\5", b"\1\1"]),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda values: b"\x0a" + struct.pack(">I", len(values)) + b"".join(values))
        | st.lists(inner, max_size=4).map(
            lambda values: asf_flv.values(*(asf_flv.named(b"k", each) for each in values))
        )
    ),
    max_leaves=12,
)


@given(VALUES, st.binary(min_size=1, max_size=20).filter(lambda raw: not raw.endswith(b"\0") and raw.strip()))
@settings(max_examples=examples(50))
def test_what_stands_behind_any_value_of_flv_is_read(value, raw):
    listed = asf_flv.array(asf_flv.named(b"any", value), asf_flv.named(b"zz", asf_flv.string(raw)))
    tags = run(asf_flv.flv(asf_flv.script(listed), asf_flv.HEARD), restart=False).result.tags
    assert raw in [each.raw for each in tags]


@given(st.lists(st.sampled_from([*range(9), 15]), min_size=1, max_size=60), st.integers(0, 40))
@settings(max_examples=examples(60))
def test_any_modes_of_amr_are_counted(modes, cut):
    data = amr(*modes)
    sizes = [1 if mode == 15 else NARROW[mode] for mode in modes]
    cut = min(cut, len(data) - 6)
    there, frames = len(data) - 6 - cut, 0
    while frames < len(sizes) and sum(sizes[: frames + 1]) <= there:
        frames += 1
    duration = run(data[: len(data) - cut], restart=False).result.duration
    assert duration == (pytest.approx(frames * 0.02) if frames else None)


SYNCS = st.sampled_from(
    [b"\xff\xf1", b"\xff\xfb\x90", b"\xff\xfb\x00", b"\x0b\x77", b"\x7f\xfe\x80\x01", b"\x56\xe0\x08"]
)


@pytest.mark.parametrize("kind", [AAC, AC3, DTS, MPEG, LATM, frame_format(LatmConfig(44_100, 2, 1024))])
@given(st.binary(max_size=400), SYNCS)
@settings(max_examples=examples(40))
def test_any_bytes_are_frames_or_none(kind, data, sync):
    data = sync.join([data[:7], data[7:30], data[30:]])
    at = find(kind, data)
    assert at is None or at < len(data)
    assert all(frame.size > 0 and frame.rate > 0 for frame in follow(kind, data, data.index(sync)))
    find_config(data)


@given(st.sampled_from(["h264", "hevc", "mpeg2video"]), st.binary(max_size=80))
def test_any_bytes_behind_a_start_code_are_a_picture_or_none(codec, body):
    for start in (b"\0\0\1\x67", b"\0\0\1\x42\1", b"\0\0\1\xb3"):
        found = find_video_header(codec, start + body)
        assert found is None or (found.width > 0 and found.height > 0)


@given(st.binary(max_size=300))
def test_any_bytes_are_something_or_nothing(head):
    assert sniff(head).container is None or sniff(head).mime


def test_bytes_that_all_look_like_headers_cost_little():
    steps = [0]

    def counting(data, at):
        steps[0] += 1
        return read_frame(data, at)

    find(FrameFormat(counting, MPEG.sync), b"\xff\xfb\x90\xc4" * 20_000)
    assert steps[0] <= 10_000


def test_a_size_that_did_not_fit_into_its_field_is_that_of_the_file():
    # 2^32 bytes more than stated; none of the audio is a chunk's header.
    head = riff.wav(riff.fmt(), chunk(b"data", b"", size=176_400))
    size = len(head) + 2**32 + 176_400

    class Sparse(bytes):
        """The head and zeros."""

        def __len__(self):
            return size

        def __getitem__(self, part):
            return head[part.start : part.stop] + bytes(min(part.stop, size) - max(part.start, len(head)))

    probed = run(Sparse())
    assert probed.result.duration == pytest.approx((2**32 + 176_400) / 176_400, rel=0.001)
    assert probed.requests == 2
