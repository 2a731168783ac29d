"""How recordings are packed, and how bodies are written in them."""

import base64
import gzip
import io
import json
import zipfile

import pytest
from har_files import Har, bodies

from mediacrawl.site_adapters.har import bodies as bodies_module
from mediacrawl.site_adapters.har import reading
from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.har.recording import SKIPPED, RecordingError

PAGE = "https://a.example/watch/1"
JSON = '{"id": 5, "file": "https://cdn.example/5.mp4"}'


def b64(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


def read(body="", mime="application/json", content=None, **options):
    """The body of one answer, and what was skipped."""
    har = Har("Charles Proxy").document(PAGE, "<p>").add("https://a.example/x", body, mime, content=content, **options)
    recording = har.read()
    return bodies(recording)[1], dict(recording.skipped)


def content(text, mime="application/json", **fields):
    return {"size": -1, "mimeType": mime, "text": text, **fields}


def zipped(*members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return file.getvalue()


@pytest.mark.parametrize(
    ("mime", "body"),
    [
        ("application/vnd.api+json", JSON),
        ("application/rss+xml", "<rss/>"),
        ("text/html", "<p>"),
        ("text/javascript", "f({})"),
        ("application/vnd.apple.mpegurl", "#EXTM3U"),
        ("application/octet-stream", "#EXTM3U"),
        ("", JSON),
    ],
)
def test_texts_are_kept_whatever_their_type(mime, body):
    assert read(body, mime) == (body, {})


@pytest.mark.parametrize(
    ("mime", "body"),
    [
        ("audio/mpeg", "text that says it is music"),
        ("text/css", "a{}"),
        ("application/octet-stream", b"\0\0\0\x20ftypisom" + bytes(range(256))),
        ("application/json", bytes(range(256)) * 2),
    ],
)
def test_what_is_binary_is_dropped_whatever_its_type(mime, body):
    assert read(body, mime) == (None, {"binary": 1})


@pytest.mark.parametrize(
    ("written", "left"),
    [
        (content(b64(JSON), encoding="base64"), JSON),
        # Firefox wrote this label with text.
        (content(JSON, encoding="base64"), JSON),
        # Safari and Charles leave it out.
        (content(b64(JSON)), JSON),
        (content(b64("<p>é</p>"), "text/html"), "<p>é</p>"),
        # The answer itself is base64, which a script decodes.
        (content(b64(JSON), "text/plain"), b64(JSON)),
        (content("1234567890123456"), "1234567890123456"),
        (content(b64("<p>привет</p>".encode("cp1251")), "text/html; charset=windows-1251", encoding="base64"),
         "<p>привет</p>"),
        (content("\ufeff" + JSON), JSON),
        # A browser cut the text within a pair of surrogates.
        (content("a\ud800b", "text/plain"), "a\ufffdb"),
    ],
)  # fmt: skip
def test_a_body_is_what_its_content_says(written, left):
    assert read(content=written)[0] == left


def test_what_is_too_long_or_missing_is_counted(monkeypatch):
    monkeypatch.setattr(bodies_module, "MOST_BODIES", 100)
    monkeypatch.setattr(bodies_module, "LONGEST_BODY", 80)
    har = Har().document(PAGE, "<p>").add("https://a.example/1", "x" * 81, "text/plain")
    har.add("https://a.example/2", "y" * 80, "text/plain").add("https://a.example/3", "y" * 80, "text/plain")
    har.add("https://a.example/4", "z" * 80, "text/plain")
    har.add("https://a.example/5", content={"size": 7, "mimeType": "application/json"})
    recording = har.read()
    assert [body and body[0] for body in bodies(recording)] == ["<", None, "y", "y", None, None]
    assert recording.skipped == {"long_body": 1, "bodies_beyond_limit": 1, "missing_body": 1}
    assert recording.skipped.keys() <= SKIPPED.keys()


@pytest.mark.parametrize(
    "packed",
    [
        lambda data: data,
        lambda data: b"\xef\xbb\xbf" + data,
        gzip.compress,
        lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]),
        lambda data: zipped(("resources/a.json", b"{}"), ("trace.har", data)),
    ],
)
def test_a_recording_may_be_packed(packed, tmp_path):
    data = packed(Har().document(PAGE, "<p>").data())
    path = tmp_path / "a.har"
    path.write_bytes(data)
    for source in (path, str(path), io.BytesIO(data)):
        assert bodies(read_recording(source, "a.har")) == ["<p>"]


GOOD = Har().document(PAGE, "<p>").data()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (GOOD[:-20], "ends in the middle"),
        (b"<html>", "is no JSON"),
        (b"{}", "is no HAR"),
        (b'{"log": {"entries": 5}}', "is no HAR"),
        (b"[" * 100_000, "is no HAR"),
        (b'{"a": ' + b"[" * 100_000, "is no JSON"),
        (GOOD.decode().encode("utf-16"), "UTF-16"),
        (gzip.compress(GOOD)[:-30], "cannot be unpacked"),
        (zipped(("a.txt", GOOD), ("b.txt", GOOD)), "without a .har file"),
        (zipped(("a.har", GOOD))[:-30], "cannot be unpacked"),
    ],
)
def test_what_is_no_recording_is_refused_in_one_sentence(data, words):
    with pytest.raises(RecordingError, match=words) as refused:
        read_recording(io.BytesIO(data), "a.har")
    assert str(refused.value).startswith("a.har: ")
    assert "\n" not in str(refused.value)


def test_a_body_that_is_no_utf_8_is_read_as_far_as_it_is_text():
    data = Har().document(PAGE, "<p>@</p>").data().replace(b"@", b"\xff")
    assert bodies(read_recording(io.BytesIO(data), "a.har")) == ["<p>\ufffd</p>"]


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(RecordingError, match=r"gone\.har: cannot be read \(No such file or directory\)"):
        read_recording(tmp_path / "gone.har", "gone.har")


def test_a_bomb_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "_UNPACKED_FREE", 1 << 20)
    with pytest.raises(RecordingError, match="unpacks to more than"):
        read_recording(io.BytesIO(gzip.compress(b" " * (50 << 20))), "a.har")


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry.update(request=None),
        lambda entry: entry["request"].pop("url"),
        lambda entry: entry["request"].update(url=5),
        lambda entry: entry["request"].update(headers="x"),
        lambda entry: entry["request"].update(url="https://a.example/" + "x" * 40_000),
        lambda entry: entry["response"].update(content=[]),
    ],
)
def test_an_entry_that_is_not_as_har_has_it_is_counted(change):
    har = Har().document(PAGE, "<p>").add("https://a.example/x", JSON)
    change(har.entries[1])
    recording = har.read()
    assert (bodies(recording), recording.skipped) == (["<p>"], {"entry": 1})


def test_fields_of_a_wrong_type_are_as_good_as_none():
    har = Har().document(PAGE, "<p>").add("https://a.example/x", JSON)
    har.entries[1] |= {"startedDateTime": 5, "pageref": None, "_resourceType": []}
    har.entries[1]["response"] |= {"status": "x", "redirectURL": 5, "cookies": None}
    entry = har.read().pages[0].entries[1]
    assert (entry.status, entry.redirect, entry.body) == (0, "", JSON)
    assert json.loads(entry.body)["id"] == 5
