"""The length of fragmented MP4 files: stated, listed, or that of the last fragment."""

import struct

import pytest
from probe_media import atom, grow_mdat, run, sample

from mediacrawl.probe import Probe


def longer(data, name, more):
    at = data.index(name) - 4
    (size,) = struct.unpack_from(">I", data, at)
    return data[:at] + struct.pack(">I", size + more) + data[at + 4 :]


def index(seconds, covered, *, version=0):
    """An index of three segments, in ticks of 1/45,000 s."""
    entry = struct.pack(">III", covered // 3, seconds * 45_000 // 3, 0)
    times = bytes(16 if version else 8)
    return atom(
        b"sidx", bytes([version, 0, 0, 0]), struct.pack(">II", 1, 45_000), times, struct.pack(">HH", 0, 3), entry * 3
    )


def behind_moov(data, *atoms):
    at = data.index(b"moof") - 4
    return data[:at] + b"".join(atoms) + data[at:]


def test_the_last_fragment_tells_the_length():
    probed = run(sample("fragmented.m4a"))
    assert probed.result.duration == pytest.approx(3.0232, abs=1e-4)  # as ffprobe says
    assert (probed.result.duration_estimated, probed.result.status) == (False, "complete")


def test_a_list_at_the_end_leads_to_the_last_fragment():
    data = sample("fragmented.m4a")
    last = data.rindex(b"moof") - 4
    media = data.rindex(b"mdat") - 4
    (size,) = struct.unpack_from(">I", data, media)
    long = struct.pack(">I4s", size + 200_000, b"mdat") + data[media + 8 : media + size] + bytes(200_000)
    data = grow_mdat(data[:media], 200_000) + long + data[media + size :]
    moved = last + 200_000
    for version, layout in ((0, ">II"), (1, ">QQ")):
        entry = struct.pack(layout, 0, moved) + b"\1\1\1"
        head = bytes([version, 0, 0, 0]) + struct.pack(">III", 1, 0, 1)
        tables = atom(b"tfra", head, entry)
        size = len(tables) + 8 + 16
        end = atom(b"mfra", tables, atom(b"mfro", bytes(4), struct.pack(">I", size)))
        probed = run(data[: data.rindex(b"mfra") - 4] + end)
        assert probed.result.duration == pytest.approx(3.0232, abs=1e-4)
        assert (probed.result.duration_estimated, probed.requests) == (False, 3)


def test_without_a_last_fragment_the_first_one_gives_an_estimate():
    data = sample("fragmented.m4a")
    first, second = data.index(b"moof") - 4, data.index(b"moof", data.index(b"moof") + 4) - 4
    data = data[:second] + data[first:second] * 9 + atom(b"free", bytes(30_000))
    result = run(data).result
    share = 30_000 / (len(data) - first)
    assert result.duration_estimated is True
    assert result.duration * (1 - share) == pytest.approx(10, rel=0.05)


def test_where_the_size_is_not_known_the_length_is_missed():
    probe = Probe()
    probe.feed(0, sample("fragmented.m4a"), None)
    result = probe.result()
    assert (probe.finished, result.status, result.notes) == (True, "partial", ["size unknown"])


def test_without_any_fragment_the_length_is_missed():
    data = sample("fragmented.m4a")
    result = run(data[: data.index(b"moof") - 4] + atom(b"free", bytes(30_000))).result
    assert (result.duration, result.notes) == (None, ["length:no last fragment"])


def test_a_stated_length_costs_no_request():
    data = grow_mdat(sample("fragmented.m4a"), 1_000_000)
    at = data.index(b"mvex") - 4
    mehd = atom(b"mehd", bytes(4), struct.pack(">I", 180_000))
    data = longer(longer(data[: at + 8] + mehd + data[at + 8 :], b"mvex", len(mehd)), b"moov", len(mehd))
    probed = run(data)
    assert (probed.result.duration, probed.requests) == (pytest.approx(180), 1)  # mvhd counts in milliseconds


@pytest.mark.parametrize("version", [0, 1])
def test_an_index_of_the_whole_file_costs_no_request(version):
    data = grow_mdat(sample("fragmented.m4a"), 1_000_000)
    probed = run(behind_moov(data, atom(b"styp", bytes(8)), index(6, len(data), version=version)))
    assert (probed.result.duration, probed.requests) == (pytest.approx(6), 1)


def test_an_index_of_one_fragment_is_no_index_of_the_file():
    data = sample("fragmented.m4a")
    assert run(behind_moov(data, index(6, 900))).result.duration == pytest.approx(3.0232, abs=1e-4)


def test_the_frames_of_a_fragment_give_the_rate():
    moov = sample("film.mp4")
    moov = moov[moov.index(b"moov") - 4 :]
    empty = atom(b"stts", bytes(8))
    at = moov.index(b"stts") - 4
    (size,) = struct.unpack_from(">I", moov, at)
    (number,) = struct.unpack_from(">I", moov, moov.index(b"tkhd") + 16)
    # The time table becomes an empty one and something to skip, so that no size changes.
    moov = moov[:at] + empty + atom(b"free", bytes(size - len(empty) - 8)) + moov[at + size :]
    mvex = atom(b"mvex", atom(b"trex", bytes(4), struct.pack(">IIIII", number, 1, 0, 0, 0)))
    moov = longer(moov + mvex, b"moov", len(mvex))
    (scale,) = struct.unpack_from(">I", moov, moov.index(b"mdhd") + 16)
    tfhd = atom(b"tfhd", b"\0\0\0\x08", struct.pack(">II", number, scale // 12))
    tfdt = atom(b"tfdt", bytes(4), struct.pack(">I", 0))
    trun = atom(b"trun", bytes(4), struct.pack(">I", 24))
    media = atom(b"moof", atom(b"traf", tfhd, tfdt, trun)) + atom(b"mdat", bytes(100))
    result = run(atom(b"ftyp", b"isom" + bytes(4)) + moov + media).result
    assert result.frame_rate == pytest.approx(12, rel=0.01)
    assert result.duration == pytest.approx(2, rel=0.01)


def test_a_film_of_changing_rate_has_its_average():
    data = sample("film.mp4")
    at = data.index(b"stts", data.index(b"vide")) - 4
    (size,) = struct.unpack_from(">I", data, at)
    (scale,) = struct.unpack_from(">I", data, data.index(b"mdhd") + 16)
    runs = struct.pack(">IIII", 15, scale // 30, 10, scale // 20)
    table = atom(b"stts", struct.pack(">II", 0, 2), runs)
    moov = data[data.index(b"moov") - 4 : at] + table + data[at + size :]
    for name in (b"stbl", b"minf", b"mdia", b"trak", b"moov"):
        moov = longer(moov, name, len(table) - size)
    assert run(data[: data.index(b"moov") - 4] + moov).result.frame_rate == pytest.approx(25, rel=0.01)


def test_samples_that_state_their_own_length_are_added_up():
    data = sample("fragmented.m4a")
    at = data.rindex(b"moof") - 4
    number = 1
    (scale,) = struct.unpack_from(">I", data, data.index(b"mdhd") + 16)
    tfhd = atom(b"tfhd", b"\0\0\0\x03", struct.pack(">IQI", number, 0, 1))
    tfdt = atom(b"tfdt", b"\1\0\0\0", struct.pack(">Q", 9 * scale))
    samples = b"".join(struct.pack(">II", scale // 4, 100) for _ in range(4))
    trun = atom(b"trun", b"\0\0\3\5", struct.pack(">III", 4, 0, 0), samples)
    end = atom(b"moof", atom(b"traf", tfhd, tfdt, trun)) + atom(b"mdat", bytes(100))
    assert run(data[:at] + end).result.duration == pytest.approx(10)


def test_a_count_of_samples_that_is_a_lie_costs_nothing():
    data = sample("fragmented.m4a")
    at = data.rindex(b"moof") - 4
    tfhd = atom(b"tfhd", b"\0\0\0\0", struct.pack(">I", 1))
    trun = atom(b"trun", b"\0\0\1\0", struct.pack(">I", 0xFFFFFFFF), bytes(40))
    end = atom(b"moof", atom(b"traf", tfhd, trun))
    assert run(data[:at] + end).result.status in {"complete", "partial"}
