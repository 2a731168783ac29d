"""The record of one file by `mediacrawl.describe`."""

import io
import re
import struct
import threading
import zipfile
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path

import pytest

from mediacrawl import DescribeError, describe

MEDIA = Path(str(resources.files("mediacrawl.demo").joinpath("media")))
SONG = next(iter(sorted(MEDIA.glob("*.mp3"))))
LOOPBACK = ("127.0.0.0/8",)


class Handler(BaseHTTPRequestHandler):
    """Answers by the first part of the path."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        kind = self.path.strip("/").split("/")[0]
        self.server.asked.append((self.path, self.headers.get("Range"), self.headers.get("User-Agent")))
        if kind == "hop":
            number = int(self.path.rpartition("/")[2])
            self.redirect(f"/hop/{number - 1}" if number > 1 else "/ranges")
        elif kind == "inside":
            self.redirect("http://10.1.2.3/song.mp3")
        elif kind == "missing":
            self.answer(404, b"no", {})
        elif kind == "page":
            self.answer(200, b"<!doctype html><title>x</title><p>text", {"Content-Type": "text/html"})
        elif kind == "whole":
            self.answer(200, self.server.song, {"Content-Type": "audio/mpeg"})
        elif kind == "cut":
            self.answer(200, self.server.song[:3000], {"Content-Length": "9000000", "Content-Type": "audio/mpeg"})
            self.close_connection = True
        elif kind == "silent":
            self.server.over.wait(20)
        else:
            start, stop = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
            data = self.server.song[start : stop + 1]
            last, size = start + len(data) - 1, len(self.server.song)
            self.answer(206, data, {"Content-Range": f"bytes {start}-{last}/{size}", "Content-Type": "audio/mpeg"})

    def redirect(self, target):
        self.answer(302, b"", {"Location": target})

    def answer(self, status, body, headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        """Keep the test's output free of requests."""


@contextmanager
def served(song):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.song, server.asked, server.over = song, [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.asked
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


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
    with served(SONG.read_bytes()) as (web, _):
        assert facts(describe(f"{web}/ranges", allow=LOOPBACK)) == facts(of_path)
        assert facts(describe(f"{web}/whole", allow=LOOPBACK)) == facts(of_path)


def test_a_large_file_is_read_in_ranges():
    song = SONG.read_bytes() + bytes(3_000_000)
    with served(song) as (web, asked):
        record = describe(f"{web}/ranges", allow=LOOPBACK, contact="https://radio.example/bot")
    assert record["content_size"] == len(song)
    assert record["bytes_fetched"] < 100_000
    assert all(given for _, given, _ in asked)
    assert asked[0][2].endswith("(+https://radio.example/bot)")


def test_three_redirects_are_followed_and_no_fourth():
    with served(SONG.read_bytes()) as (web, _):
        record = describe(f"{web}/hop/3", allow=LOOPBACK)
        assert record["content_url"] == f"{web}/ranges"
        assert record["requested_url"] == f"{web}/hop/3"
        with pytest.raises(DescribeError, match="redirects once more"):
            describe(f"{web}/hop/4", allow=LOOPBACK)


def test_addresses_that_are_not_public_are_refused():
    with served(b"") as (web, asked):
        with pytest.raises(DescribeError, match=r"127\.0\.0\.1 is loopback; name it in allow"):
            describe(f"{web}/ranges")
        assert asked == []
        with pytest.raises(DescribeError, match=r"10\.1\.2\.3 is private"):
            describe(f"{web}/inside", allow=LOOPBACK)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [("missing", "was answered with status 404"), ("page", "is html, neither audio nor video")],
)
def test_what_is_no_media_file_is_an_error_with_a_sentence(path, sentence):
    with served(b"") as (web, _), pytest.raises(DescribeError, match=sentence):
        describe(f"{web}/{path}", allow=LOOPBACK)


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
