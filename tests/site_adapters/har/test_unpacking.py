"""Recordings that are packed."""

import gzip
import io
import zipfile
import zlib

import pytest

from mediacrawl.site_adapters.har import unpacking
from mediacrawl.site_adapters.har.recording import RecordingError
from mediacrawl.site_adapters.har.unpacking import unpacked

TEXT = b'{"log": {"entries": []}}' * 5_000


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, text in members.items():
            # Without the time of now: the names of tests are made of the data.
            member = zipfile.ZipInfo(name)
            member.compress_type = compression
            archive.writestr(member, text)
    return file.getvalue()


def everything(source, most=1_000):
    if isinstance(source, bytes):
        source = io.BytesIO(source)
    with unpacked(source, "a.har") as read:
        pieces = list(iter(lambda: read(most), b""))
    assert max(map(len, pieces), default=0) <= most
    return b"".join(pieces)


PACKED = {
    "plain": TEXT,
    "gzip": gzip.compress(TEXT, mtime=0),
    "two members of gzip": gzip.compress(TEXT[:100], mtime=0) + gzip.compress(TEXT[100:], mtime=0),
    "zlib": zlib.compress(TEXT, 9),
    "zip": zipped({"deep/b.har": b"no", "a.har": TEXT, "c.json": b"no"}),
    "zip stored": zipped({"a.har": TEXT}, zipfile.ZIP_STORED),
    "zip of another name": zipped({"recording.json": TEXT}),
    "Playwright": zipped({"0a4d55a8d778e5022fab701977c5d840bbc486d0.html": b"<p>", "har.har": TEXT}),
}


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("most", [1_000, 1 << 20])
def test_a_recording_is_read_however_it_is_packed(kind, most):
    assert everything(PACKED[kind], most) == TEXT


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zlib.compress, lambda text: zipped({"a.har": text})])
def test_a_byte_order_mark_is_left_out(pack):
    assert everything(pack(b"\xef\xbb\xbf" + TEXT)) == TEXT


def test_a_path_is_opened_and_closed(tmp_path):
    file = tmp_path / "a.har.gz"
    file.write_bytes(PACKED["gzip"])
    assert everything(file) == everything(str(file)) == TEXT


def test_a_file_that_is_not_seekable_is_read():
    class Pipe(io.RawIOBase):
        def __init__(self, data):
            self.data = io.BytesIO(data)

        def readable(self):
            return True

        def readinto(self, buffer):
            data = self.data.read(min(len(buffer), 7))
            buffer[: len(data)] = data
            return len(data)

    assert everything(Pipe(PACKED["gzip"])) == TEXT
    assert everything(Pipe(TEXT)) == TEXT


@pytest.mark.parametrize("kind", ["gzip", "zlib"])
def test_what_is_packed_and_cut_gives_what_there_is(kind):
    cut = everything(PACKED[kind][: len(PACKED[kind]) * 3 // 4])
    assert TEXT.startswith(cut)
    assert len(cut) > len(TEXT) // 4


def test_what_is_damaged_gives_what_was_before_or_an_error():
    for kind in ("gzip", "zlib", "zip"):
        for place in range(5, len(PACKED[kind]), 7):
            damaged = bytearray(PACKED[kind])
            damaged[place] ^= 0x55
            try:
                found = everything(bytes(damaged))
            except RecordingError:
                continue
            assert len(found) <= 2 * len(TEXT)


@pytest.mark.parametrize("kind", ["gzip", "zlib", "zip"])
def test_a_bomb_is_an_error_before_it_is_unpacked(kind, monkeypatch):
    monkeypatch.setattr(unpacking, "_UNPACKED_FREE", 100_000)
    zeros = bytes(10_000_000)
    pack = {"gzip": gzip.compress, "zlib": zlib.compress, "zip": lambda text: zipped({"a.har": text})}[kind]
    packed, read = pack(zeros), 0
    with pytest.raises(RecordingError, match=r"^a\.har: unpacks to more than a recording has"):  # noqa: PT012, SIM117
        with unpacked(io.BytesIO(packed), "a.har") as give:
            while data := give(1 << 16):
                read += len(data)
    assert read < 100_000 + 200 * len(packed) + (1 << 16)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped({"a.txt": b"1", "b.txt": b"2"}), "without a .har file in it; name the recording itself"),
        (zipped({}), "without a .har file in it"),
        (zipped({"a.har": TEXT}, zipfile.ZIP_BZIP2), "packed by a method that is not read; unpack it first"),
        (b"PK\x03\x04 and nothing else", "is a zip file that cannot be read"),
        (PACKED["zip"][:-30], "is a zip file that cannot be read"),
        ('{"log": {}}'.encode("utf-16"), "is in UTF-16, where HAR has UTF-8; save it as UTF-8"),
        ('{"log": {}}'.encode("utf-16-le"), "is in UTF-16"),
    ],
)
def test_what_is_not_read_is_named_in_one_sentence(data, message):
    with pytest.raises(RecordingError) as raised:
        everything(data)
    assert str(raised.value).startswith("a.har: ")
    assert message in str(raised.value)


def test_a_zip_file_with_a_huge_directory_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(unpacking, "_LONGEST_DIRECTORY", 1_000)
    with pytest.raises(RecordingError, match="MB of names"):
        everything(zipped({f"{number}.har": b"" for number in range(100)}))


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(RecordingError, match="cannot be opened"):
        everything(tmp_path / "none.har")
    with pytest.raises(RecordingError, match="cannot be opened"):
        everything(tmp_path)


def test_a_file_opened_as_text_is_the_callers_mistake():
    with pytest.raises(TypeError, match="binary mode"):
        everything(io.StringIO("{}"))
