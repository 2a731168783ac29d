"""Which bodies are kept, and what they are, whatever their label says."""

import base64
import gzip
import json

import pytest
from har_files import Har, bodies
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples

from mediacrawl.site_adapters.har import bodies as bodies_module
from mediacrawl.site_adapters.har import kept_bodies

PAGE = "https://a.example/watch/1"
JSON = '{"id": 5, "file": "https://cdn.example/5.mp4"}'
LONG = json.dumps({"list": list(range(300))})


def b64(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


def read(body="", mime="application/json", content=None, **options):
    """The body of one answer, and what was skipped."""
    har = Har("Charles Proxy").document(PAGE, "<p>").add("https://a.example/x", body, mime, content=content, **options)
    recording = har.read()
    return bodies(recording)[1], dict(recording.skipped)


def content(text, mime="application/json", size=-1, **fields):
    return {"size": size, "mimeType": mime, "text": text, **fields}


@pytest.mark.parametrize(
    ("mime", "body"),
    [
        ("application/json", JSON),
        ("application/json; charset=utf-8", JSON),
        ("application/vnd.api+json", JSON),
        ("text/xml", "<a/>"),
        ("application/rss+xml", "<rss/>"),
        ("text/html", "<p>"),
        ("application/javascript", "f({})"),
        ("text/javascript", "f({})"),
        ("text/plain", "a text"),
        ("text/vtt", "WEBVTT"),
        ("application/vnd.apple.mpegurl", "#EXTM3U"),
        ("audio/mpegurl", "#EXTM3U"),
        ("application/dash+xml", "<MPD/>"),
        ("application/octet-stream", "#EXTM3U"),
        ("x-unknown", JSON),
        ("", JSON),
    ],
)
def test_texts_are_kept_whatever_their_type(mime, body):
    assert read(body, mime) == (body, {})


@pytest.mark.parametrize(
    ("mime", "body"),
    [
        ("video/mp4", b"\0\0\0\x20ftyp"),
        ("audio/mpeg", "text that says it is music"),
        ("image/svg+xml", "<svg/>"),
        ("font/woff2", b"wOF2"),
        ("text/css", "a{}"),
        ("application/octet-stream", b"\0\0\0\x20ftypisom" + bytes(range(256))),
        ("text/plain", "G@\0\x11\x10" * 50),
        ("application/json", bytes(range(256)) * 2),
    ],
)
def test_what_is_binary_is_dropped_whatever_its_type(mime, body):
    assert read(body, mime) == (None, {"binary": 1})


@pytest.mark.parametrize(
    ("written", "left"),
    [
        # Chrome and Playwright: base64 with its label.
        (content(b64(JSON), encoding="base64"), JSON),
        (content(b64(JSON), encoding="Base64"), JSON),
        (content(b64(JSON).rstrip("="), encoding="base64"), JSON),
        (content("\n".join([b64(LONG)[:76], b64(LONG)[76:]]), encoding="base64"), LONG),
        # Firefox: the label with text.
        (content(JSON, encoding="base64"), JSON),
        (content("plain", "text/plain", 5, encoding="base64"), "plain"),
        (content("OKAY", "text/plain", 4, encoding="base64"), "OKAY"),
        (content("OKAYOKAY", "text/plain", encoding="base64"), "OKAYOKAY"),
        # Charles: base64 without its label.
        (content(b64(JSON), size=len(JSON)), JSON),
        (content(b64(JSON)), JSON),
        (content(b64("<p>é</p>"), "text/html"), "<p>é</p>"),
        (content(b64("#EXTM3U\n#EXT-X-ENDLIST"), "audio/mpegurl"), "#EXTM3U\n#EXT-X-ENDLIST"),
        (content(b64("a plain text"), "text/plain", len("a plain text")), "a plain text"),
        # The answer itself is base64, which a script decodes.
        (content(b64(JSON), "text/plain"), b64(JSON)),
        (content(b64(JSON), "text/plain", len(b64(JSON))), b64(JSON)),
        (content(b64(JSON), "application/json", len(b64(JSON))), b64(JSON)),
        (content(b64(b64(JSON)), "text/plain", len(b64(JSON)), encoding="base64"), b64(JSON)),
        # Text that looks like it.
        (content("1234567890123456"), "1234567890123456"),
        (content("abcdefghijklmnop", "text/plain", 16), "abcdefghijklmnop"),
        (content("dQw4w9WgXcQ+", "text/plain"), "dQw4w9WgXcQ+"),
        (content("jQuery1234567890", "application/javascript"), "jQuery1234567890"),
        # Compressed, as it came.
        (content(b64(gzip.compress(JSON.encode())), encoding="base64"), JSON),
        (content(b64(gzip.compress(JSON.encode()))), JSON),
        (content(b64(gzip.compress(gzip.compress(JSON.encode()))), encoding="base64"), JSON),
        # Signs that JSON cannot have in UTF-8.
        (content("\ufeff" + JSON), JSON),
        (content("a\ud800b", "text/plain"), "a\ufffdb"),
    ],
)
def test_a_body_is_what_its_content_says(written, left):
    assert read(content=written)[0] == left


@pytest.mark.parametrize(
    ("text", "encoding", "mime"),
    [
        ("<p>Привет, мир</p>", "windows-1251", "text/html; charset=windows-1251"),
        ('<meta charset="windows-1251"><p>Привет, мир</p>', "windows-1251", "text/html"),
        ('<?xml version="1.0" encoding="iso-8859-2"?><a>žluťoučký</a>', "iso-8859-2", "application/xml"),
        ("日本語のテキスト", "shift_jis", "text/plain; charset=Shift_JIS"),
        ("日本語のテキスト", "utf-16", "text/plain"),
        ('{"a": "日本語"}', "utf-8", "application/json"),
    ],
)
def test_bytes_are_decoded_as_they_declare(text, encoding, mime):
    assert read(text.encode(encoding), mime)[0] == text
    if ";" in mime:
        # The declaration may stand in the headers of the answer only.
        found, _ = read(text.encode(encoding), mime.partition(";")[0], answer={"Content-Type": mime})
        assert found == text


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ({"size": 77300, "mimeType": "text/html", "comment": "Response bodies are not included."}, "missing_body"),
        ({"size": 5, "mimeType": "application/json"}, "missing_body"),
        ({"size": 5, "mimeType": "application/json", "text": None}, "missing_body"),
        ({"size": 5, "mimeType": "application/json", "text": {"a": 5}}, "missing_body"),
        ({"size": -1, "mimeType": "application/json", "_file": "/etc/hostname"}, "file_body"),
        ({"size": -1, "mimeType": "application/json", "_sha1": "../../etc/hostname"}, "file_body"),
        (content(b64(b"\x1f\x8b\x08 and no more"), encoding="base64"), "long_body"),
    ],
)
def test_a_body_that_is_not_there_is_counted(written, reason):
    assert read(content=written) == (None, {reason: 1})


def test_an_answer_without_content_has_no_body_to_miss():
    assert read(content={}, status=0) == (None, {})
    assert read(content={"size": 0, "mimeType": "text/html", "text": ""}) == (None, {})


def test_a_body_beyond_the_limit_is_dropped(monkeypatch):
    monkeypatch.setattr(bodies_module, "LONGEST_BODY", 1_000)
    monkeypatch.setattr(bodies_module, "_MOST_BYTES", 4_000)
    assert read("x" * 1_000, "text/plain")[0] == "x" * 1_000
    assert read("x" * 1_001, "text/plain") == (None, {"long_body": 1})
    bomb = b64(gzip.compress(bytes(32) * 1_000_000))
    assert read(content=content(bomb, encoding="base64")) == (None, {"long_body": 1})
    assert read(content=content("x" * (5 << 20), "text/plain")) == (None, {"long_body": 1})


def test_compressed_bodies_are_unpacked_up_to_a_limit_for_all_of_them(monkeypatch):
    monkeypatch.setattr(bodies_module, "_MOST_UNPACKED", 5_000)
    har = Har().document(PAGE, "<p>")
    for number in range(4):
        packed = b64(gzip.compress(b"%d" % number * 4_000))
        har.add(f"https://a.example/{number}", content=content(packed, encoding="base64"))
    recording = har.read()
    assert [len(body or "") for body in bodies(recording)[1:]] == [4_000, 4_000, 0, 0]
    assert recording.skipped == {"long_body": 2}


def test_models_decide_on_the_encoding_of_some_bodies_only(monkeypatch):
    monkeypatch.setattr(bodies_module, "_MOST_ESTIMATED", 2)
    text = "<p>Съешь же ещё этих мягких французских булок, да выпей чаю</p>"
    har = Har().document(PAGE, "<p>")
    for number in range(3):
        har.add(f"https://a.example/{number}", text.encode("cp1251"), "text/html", kind="fetch")
    first, second, third = bodies(har.read())[1:]
    assert first == second == text
    assert third is None or "\ufffd" in third


def test_bodies_beyond_the_limit_of_the_recording_are_dropped(monkeypatch):
    monkeypatch.setattr(kept_bodies, "MOST_BODIES", 10_000)
    har = Har().document(PAGE, "<p>")
    for number in range(4):
        har.add(f"https://a.example/{number}", f"{number}" * 4_000, "text/plain")
    recording = har.read()
    assert [len(body or "") for body in bodies(recording)] == [3, 4_000, 4_000, 0, 0]
    assert recording.skipped == {"bodies_beyond_limit": 2}


def test_the_same_body_is_held_once(monkeypatch):
    monkeypatch.setattr(kept_bodies, "MOST_BODIES", 10_000)
    har = Har().document(PAGE, "<p>")
    for number in range(9):
        har.add(f"https://a.example/{number}", "y" * 5_000, "text/plain")
    recording = har.read()
    assert len({id(body) for body in bodies(recording)[1:]}) == 1
    assert recording.skipped == {}


def test_size_is_that_of_the_answer():
    sizes = []
    for size, body_size in ((5, 3), (-1, 3), (-1, -1), (0, 7), ("5", None), (2.0, 1), (float("nan"), 1), (10**30, 4)):
        har = Har().document(PAGE, "<p>").add("https://a.example/x", content={"size": size, "mimeType": ""})
        har.entries[1]["response"]["bodySize"] = body_size
        sizes.append(har.read().pages[0].entries[1].size)
    assert sizes == [5, 3, 0, 7, 0, 2, 1, 4]


@given(
    st.binary(max_size=200), st.sampled_from(["text/plain", "application/json", "text/html", ""]), st.integers(-1, 300)
)
@settings(max_examples=examples(100), deadline=None)
def test_any_bytes_under_any_label_give_a_text_or_none(data, mime, size):
    for encoding in ({}, {"encoding": "base64"}):
        for text in (b64(data), data.decode("latin-1")):
            found, _ = read(content=content(text, mime, size, **encoding))
            assert found is None or found.encode()
