"""The record of one file by `mediacrawl.describe`."""

import io
import random
import struct
import zipfile
from importlib import resources
from pathlib import Path

import pytest

from mediacrawl import DescribeError, describe

MEDIA = Path(str(resources.files("mediacrawl.programs.demo").joinpath("media")))
SONG = next(iter(sorted(MEDIA.glob("*.mp3"))))


def facts(record):
    """What does not depend on the way in."""
    ways = {"id", "content_url", "bytes_fetched", "requests", "head_sha256", "head_bytes", "tags", "http_status"}
    ways |= {"content_type", "found_at", "checked_at", "server_accepts_ranges", "requested_url"}
    return {name: value for name, value in record.items() if name not in ways}


def test_all_ways_in_give_the_same_record():
    of_path = describe(SONG)
    assert of_path["title"]
    assert of_path["content_url"] == SONG.as_uri()
    assert facts(describe(str(SONG))) == facts(of_path)
    assert facts(describe(SONG.read_bytes())) == facts(of_path)
    with SONG.open("rb") as file:
        file.seek(5)
        assert describe(file) == of_path
        assert file.tell() == 5
    assert facts(describe(io.BytesIO(SONG.read_bytes()))) == facts(of_path)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(SONG, "song.mp3")
        with archive.open("song.mp3") as member:
            of_member = describe(member)
    assert facts(of_member) == facts(of_path)
    assert (of_member["content_url"], of_member["id"]) == ("", "")


def test_other_sources_are_refused(tmp_path):
    (tmp_path / "list.txt").write_text("hello world")
    (tmp_path / "empty.mp3").touch()
    with pytest.raises(DescribeError, match=r"no-such-file\.mp3 cannot be read"):
        describe(tmp_path / "no-such-file.mp3")
    with pytest.raises(DescribeError, match="is of no format that is known"):
        describe(tmp_path / "list.txt")
    with pytest.raises(DescribeError, match="is empty"):
        describe(tmp_path / "empty.mp3")
    with (tmp_path / "list.txt").open() as text, pytest.raises(DescribeError, match="text mode"):
        describe(text)
    with pytest.raises(DescribeError, match="no URL that can be requested"):
        describe("ftp://radio.example/song.mp3")
    with pytest.raises(TypeError, match="not int"):
        describe(7)


def mp3_with_a_count(name, frames=900):
    """Frames of 64 kbit/s at 44.1 kHz, of which the first states how many follow and how many bytes they take."""
    frame = b"\xff\xfb\x50\xc0" + bytes(204)
    head = bytearray(frame)
    head[21:37] = name + struct.pack(">III", 3, frames, 208 * (frames + 1))
    return bytes(head) + frame * frames


@pytest.mark.parametrize("name", [b"Info", b"Xing"])
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_the_beginning_of_a_file_is_as_long_as_the_file_says(name, kind):
    data = mp3_with_a_count(name)
    whole, part = describe(kind(data)), describe(kind(data[:20_000]))
    assert part["duration"] == whole["duration"] == pytest.approx(900 * 1152 / 44100, abs=0.001)
    assert (whole["probe_status"], part["probe_status"]) == ("complete", "partial")
    assert (whole["content_size"], part["content_size"]) == (len(data), None)


@pytest.mark.parametrize("nothing", [b"", bytearray(), memoryview(b""), io.BytesIO()])
def test_a_source_without_bytes_is_told_in_good_english(nothing):
    with pytest.raises(DescribeError, match=r"^the (source|open file) is empty$"):
        describe(nothing)


def test_the_name_of_a_local_file_is_a_claim(tmp_path):
    """MPEG audio behind bytes of something else is searched for only where a name claims it."""
    sound = (Path(__file__).parents[1] / "probe" / "samples" / "cbr.mp3").read_bytes() * 15
    for name in ("a.mp3", "a.bin"):
        (tmp_path / name).write_bytes(random.Random(1).randbytes(40_000) + sound)
    assert describe(tmp_path / "a.mp3")["duration"] == pytest.approx(60.735, abs=0.001)
    with pytest.raises(DescribeError, match="no format that is known"):
        describe(tmp_path / "a.bin")
