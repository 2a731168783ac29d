"""Recordings as browsers and other programs write them."""

import io
import json
from pathlib import Path

import pytest
from har_files import Har, outline

from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.har.recording import SKIPPED

RECORDINGS = Path(__file__).parent / "recordings"
PAGE, API = "https://player.example/watch/42", "https://api.player.example/v2/42.json"

CHROME = json.loads((RECORDINGS / "chrome-129.har").read_text("utf-8"))
"""As Chrome 129 exports it, "sanitized": no cookies, no Authorization; an answer whose body was evicted."""


def read(value):
    return read_recording(io.BytesIO(value if isinstance(value, bytes) else json.dumps(value).encode()), "test.har")


def test_a_recording_of_chrome_is_read():
    recording = read(CHROME)
    page, (document, data) = recording.pages[0], recording.pages[0].entries
    assert (recording.name, recording.flavour, len(recording.pages)) == ("test.har", "chrome", 1)
    assert (page.url, page.html, page.title) == (PAGE, "<title>Forty-two</title>", "Forty-two")
    assert (document.index, document.method, document.url, document.status) == (0, "GET", PAGE, 200)
    assert document.request_headers == {
        "accept": "text/html,application/xhtml+xml,*/*;q=0.8",
        "sec-fetch-dest": "document",
        "sec-fetch-mode": "navigate",
    }
    assert (document.mime, document.body) == ("text/html", page.html)
    assert (document.started, document.post) == (1759996800.123, False)
    assert (data.method, data.post, data.body) == ("POST", True, None)
    assert recording.skipped == {"missing_body": 1}


def test_a_recording_of_firefox_is_read():
    har = Har("Firefox", "128.0.3").page("Forty-two - Player")
    har.add(PAGE, "<p>", "text/html; charset=UTF-8", headers={"Accept": "text/html,*/*;q=0.8"}, _securityState="secure")
    har.add(API, headers={"Sec-Fetch-Dest": "empty"}, content={
        "mimeType": "application/json", "size": 9, "encoding": "base64", "text": '{"a":"b"}'
    })  # fmt: skip
    har.add(API, headers={"Sec-Fetch-Dest": "empty", "X-Requested-With": "XMLHttpRequest"}, content={
        "mimeType": "application/json", "size": 77300, "comment": "Response bodies are not included."
    })  # fmt: skip
    for entry in har.entries:
        entry["startedDateTime"] = entry["startedDateTime"].replace("Z", "+00:00")
    recording = har.read()
    assert recording.flavour == "firefox"
    assert [each.body for each in recording.pages[0].entries] == ["<p>", '{"a":"b"}', None]
    assert recording.pages[0].title == "Forty-two - Player"
    assert recording.pages[0].entries[0].mime == "text/html"


def test_a_recording_that_firefox_made_is_read():
    # Firefox 153 on a page that sets a cookie, requests two answers with a script, and changes its URL between them.
    recording = read_recording(RECORDINGS / "firefox-153.har", "firefox-153.har")
    site = "http://127.0.0.1:8971"
    assert recording.flavour == "firefox"
    assert outline(recording) == [
        (
            f"{site}/index.html?again",
            [
                f"{site}/{path}"
                for path in (
                    *("index.html?again", "frame.html", "api.json?id=42&token=pLaNtEd-token-1", "favicon.ico"),
                    "api.json?id=43",
                )
            ],
        ),
    ]
    (page,) = recording.pages
    assert page.title == "Watch 42"
    assert page.entries[-1].body == '{"file":"/v/42.mp4","session":"pLaNtEd-session-1"}\n'


def test_a_recording_of_safari_is_read():
    har = Har("WebKit Web Inspector", "20618.1.15").page(PAGE, "page_0").plain_document(PAGE)
    har.add(API, content={"size": -2, "compression": -310, "mimeType": "application/json", "text": "eyJhIjogImIifQ=="})
    har.add("https://player.example/a.ts", content={"size": 0, "compression": 0, "mimeType": "x-unknown"}, status=0)
    recording = har.read()
    assert recording.flavour == "safari"
    assert [(each.status, each.mime, each.body) for each in recording.pages[0].entries] == [
        (200, "text/html", "<title>T</title>"),
        (200, "application/json", '{"a": "b"}'),
        (0, "", None),
    ]


def test_a_recording_of_playwright_is_read_and_its_files_are_not_opened(tmp_path):
    file = tmp_path / "body.json"
    file.write_text('{"never": "read"}')
    har = Har("Playwright", "1.48.0").page("Forty-two", "page@226c463bf12178bae172e93a0e877401").document(PAGE)
    for name in (str(file), "body.json", "../body.json"):
        har.add(API, status=-1, content={"size": -1, "mimeType": "application/json", "_file": name})
    (tmp_path / "a.har").write_bytes(har.data())
    recording = read_recording(tmp_path / "a.har", "a.har")
    assert recording.flavour == "other"
    assert [(each.status, each.body) for each in recording.pages[0].entries[1:]] == [(0, None)] * 3
    assert recording.skipped == {"file_body": 3}
    assert "never" not in repr(recording)


@pytest.mark.parametrize(
    ("creator", "extra", "flavour"),
    [
        ("WebInspector", {}, "chrome"),
        ("Firefox", {}, "firefox"),
        ("WebKit Web Inspector", {}, "safari"),
        ("Playwright", {"_initiator": {}}, "other"),
        ("Charles Proxy", {}, "other"),
        ("mitmproxy", {"_resourceType": "websocket"}, "other"),
        (None, {}, "other"),
        (5, {}, "other"),
    ],
)
def test_flavours_are_told_by_their_creator(creator, extra, flavour):
    assert Har(creator).document(PAGE, **extra).read().flavour == flavour


def test_the_parts_of_a_log_stand_in_any_order():
    log = CHROME["log"]
    for order in (["entries", "pages", "creator"], ["pages", "creator", "entries", "comment"]):
        value = {"comment": "x", "log": {key: log.get(key, "") for key in order}}
        assert outline(read(value)) == outline(read(CHROME))
        assert read(value).flavour == "chrome"


@pytest.mark.parametrize("indent", [None, 2])
def test_a_byte_order_mark_and_blanks_are_accepted(indent):
    text = b"\xef\xbb\xbf \n" + json.dumps(CHROME, indent=indent).encode() + b"\n\n"
    assert outline(read(text)) == outline(read(CHROME))


def test_what_is_no_page_of_the_web_is_left_out_and_counted():
    har = Har().document(PAGE).add(API)
    for url in (
        "data:text/html,x",
        "blob:https://a.example/1",
        "chrome-extension://abc/a.js",
        "about:blank",
        "",
        "http://[::1",
    ):
        har.add(url)
    har.add("wss://player.example/live", status=101, kind="websocket")
    recording = har.read()
    assert outline(recording) == [(PAGE, [PAGE, API, "wss://player.example/live"])]
    assert recording.skipped == {"entry": 6}


def test_every_reason_is_explained():
    recording = read(CHROME)
    assert recording.skipped.keys() <= SKIPPED.keys()
    assert all(SKIPPED.values())


def test_redirects_are_absolute():
    har = Har().document(PAGE).add("https://player.example/old", status=302, answer={"Location": "/new?x=1"})
    assert har.read().pages[0].entries[1].redirect == "https://player.example/new?x=1"
