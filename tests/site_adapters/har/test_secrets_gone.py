"""Nothing outside ever sees the value of a secret."""

import base64
import itertools
import json

import pytest
from har_files import Har

PAGE, API = "https://player.example/watch/8f3a2b1c9d", "https://player.example/api/8f3a2b1c9d.json"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI5OTk5In0.Xyz0123456789abcdefPLANTED"
_number = itertools.count(1)


class Planted:
    """Makes values of secrets that are known again."""

    def __init__(self):
        self.values = []

    def __call__(self, form="pLaNtEd-{}-x9"):
        self.values.append(form.format(f"{next(_number):04}"))
        return self.values[-1]

    def are_gone_from(self, recording):
        text = repr(recording)
        left = [value for value in self.values if value in text]
        assert left == []
        assert "pLaNtEd" not in text
        assert "REMOVED" in text


@pytest.fixture
def planted():
    return Planted()


def har_with(**options):
    return Har().page(PAGE).document(PAGE, "<p>").add(API, **{"body": "{}", "kind": "fetch", "referer": PAGE} | options)


def removed(har):
    recording = har.read()
    return recording, dict(recording.removed)


def test_cookies_are_removed(planted):
    har = har_with(
        headers={"Cookie": f"sess={planted()}; a={planted()}"},
        cookies=[{"name": "arr", "value": planted()}],
        set_cookies=[{"name": "new", "value": planted()}],
        answer={"Set-Cookie": f"id={planted()}; Path=/; HttpOnly"},
    )
    recording, counts = removed(har)
    planted.are_gone_from(recording)
    assert counts["cookie"] >= 5
    entry = recording.pages[0].entries[1]
    assert entry.request_headers["cookie"] == "REMOVED"
    assert entry.set_cookie == {"new", "id"}
    assert entry.marks == {"cookie"}


@pytest.mark.parametrize(
    "header", ["Authorization", "Proxy-Authorization", "X-CSRF-Token", "X-XSRF-TOKEN", "X-API-Key", "X-Auth-Token"]
)
@pytest.mark.parametrize("form", ["{}", "Bearer {}", "Token {}", 'Digest username="{}", response="0"', "Negotiate {}"])
def test_headers_of_secrets_are_removed(planted, header, form):
    recording, _ = removed(har_with(headers={header: form.format(planted())}))
    planted.are_gone_from(recording)
    entry = recording.pages[0].entries[1]
    assert entry.request_headers[header.lower()] == "REMOVED"
    assert entry.marks == ({"authorization"} if "Authorization" in header else {"csrf"} if "SRF" in header else set())


@pytest.mark.parametrize(
    "url",
    [
        f"{API}?token=@",
        f"{API}?a=1&access_token=@&b=2#x",
        f"{API}#access_token=@&id_token=@",
        "https://@:@@player.example/a",
        f"{API};jsessionid=@",
        f"{API}?next=https%3A%2F%2Fplayer.example%2F%3Fsid%3D@",
        f"{API}?mail=@%40mail.example",
        f"{API}?q=@@mail.example",
        f"https://player.example/{JWT}/a.m3u8",
    ],
)
def test_urls_lose_their_secrets(planted, url):
    for sign in ("@@mail", "@"):
        while sign in url.replace("@player", "") and (sign != "@" or "/@:" in url or "=@" in url):
            place = url.replace("@player", "#player").find("@")
            url = url[:place] + planted() + url[place + 1 :]
    har = har_with().add(url, kind="xhr", referer=url).add(f"{API}?x", status=302, redirect=url)
    recording, _ = removed(har)
    planted.values.append(JWT)
    planted.are_gone_from(recording)


@pytest.mark.parametrize(
    ("body", "mime"),
    [
        ('{"a": {"b": [{"token": "@"}], "password": "@"}}', "application/json"),
        ('{"state": "{\\"session\\": \\"@\\"}"}', "application/json"),
        (f'{{"x": "{JWT}"}}', "application/json"),
        ('f({"jwt": "@"})', "application/javascript"),
        ("var csrfToken = '@';", "text/javascript"),
        ('<meta name="csrf-token" content="@"><input type="hidden" name="_csrf" value="@">', "text/html"),
        ('<a href="/x?sid=@">', "text/html"),
        ("<a token='@'><b>https://x:@@y.example/</b></a>", "application/xml"),
        ("#EXTM3U\nhttps://cdn.example/a.m3u8?token=@", "application/vnd.apple.mpegurl"),
    ],
)
def test_bodies_lose_their_secrets(planted, body, mime):
    while "@" in body.replace("@y", ""):
        place = body.replace("@y", "#y").find("@")
        body = body[:place] + planted() + body[place + 1 :]
    plain, _ = removed(har_with(body=body, mime=mime))
    packed, _ = removed(har_with(body=body.encode(), mime=mime))
    planted.values.append(JWT)
    for recording in (plain, packed):
        planted.are_gone_from(recording)
        assert "REMOVED" in recording.pages[0].entries[1].body


def test_the_document_and_titles_lose_their_secrets(planted):
    token = planted()
    har = (
        Har()
        .page(f"{PAGE}?token={token}")
        .document(f"{PAGE}?token={token}", f'<title>{token}</title><p data-token="{token}">')
    )
    recording, _ = removed(har)
    planted.are_gone_from(recording)
    page = recording.pages[0]
    assert (page.url, page.title) == (f"{PAGE}?token=REMOVED", "REMOVED")
    assert page.html == '<title>REMOVED</title><p data-token="REMOVED">'


@pytest.mark.parametrize(
    ("post", "mime"),
    [
        ("user=jane&password=@", "application/x-www-form-urlencoded"),
        ('{"user": "jane", "password": "@"}', "application/json"),
        ("anything=1&auth=@", "text/plain"),
    ],
)
def test_what_was_posted_is_not_kept_and_its_secrets_are_removed_elsewhere(planted, post, mime):
    value = planted()
    har = har_with(method="POST", post=post.replace("@", value), headers={"Content-Type": mime})
    har.add(f"{API}?x={value}", json.dumps({"again": value}), kind="xhr")
    recording, _ = removed(har)
    planted.are_gone_from(recording)
    assert recording.pages[0].entries[1].post
    assert recording.pages[0].entries[2].url == f"{API}?x=REMOVED"
    assert ("login_form" in recording.pages[0].entries[1].marks) == ("password" in post)


def test_fields_of_a_form_that_are_listed_only_are_secrets_too(planted):
    har = har_with(method="POST")
    har.entries[1]["request"]["postData"] = {"params": [{"name": "password", "value": planted()}]}
    har.add(API, json.dumps({"echo": planted.values[0]}))
    planted.are_gone_from(removed(har.add(f"{API}?token=1"))[0])
    assert "login_form" in har.read().pages[0].entries[1].marks


def test_a_value_is_removed_wherever_else_it_stands(planted):
    token = planted("pLaNtEd/{}+x==")
    quoted = token.replace("/", "%2F").replace("+", "%2B").replace("=", "%3D")
    har = har_with(body=json.dumps({"token": token, "id": "8f3a2b1c9d"}))
    har.add(f"https://cdn.example/{quoted}/a.mp4?k={quoted}", kind="media", referer=f"{PAGE}?r={quoted}")
    har.add(API, token.replace("/", "\\/"), headers={"X-Other": f"a {token} b"}, answer={"Location": token})
    har.document(f"https://player.example/{quoted}", f"<p>{token}</p>", kind="document")
    recording, counts = removed(har)
    planted.values.append(quoted)
    planted.are_gone_from(recording)
    urls = [entry.url for page in recording.pages for entry in page.entries]
    assert "https://cdn.example/REMOVED/a.mp4?k=REMOVED" in urls
    assert counts["token"] >= 6


def test_a_value_that_comes_before_its_name_is_removed_too(planted):
    token = planted()
    har = Har().page(PAGE).document(f"{PAGE}?x={token}", f"<p>{token}").add(API, json.dumps({"token": token}))
    planted.are_gone_from(removed(har)[0])


def test_a_request_that_is_not_kept_gives_its_secrets_too(planted):
    value = planted()
    har = har_with(body=json.dumps({"again": value}))
    har.add(f"{API}?{'x' * 40_000}", headers={"Cookie": f"a={value}"}).add(
        "data:,x", cookies=[{"name": "b", "value": value}]
    )
    recording, _ = removed(har)
    planted.are_gone_from(recording)
    assert recording.skipped == {"long_url": 1, "entry": 1}


def test_basic_credentials_are_removed_in_both_forms(planted):
    password = planted()
    credentials = base64.b64encode(f"jane:{password}".encode()).decode()
    har = har_with(
        headers={"Authorization": f"Basic {credentials}"}, body=json.dumps({"a": password, "b": credentials})
    )
    recording, _ = removed(har)
    planted.values.append(credentials)
    planted.are_gone_from(recording)


def test_ids_stay():
    body = {
        "id": "8f3a2b1c9d",
        "file": "https://cdn.example/b1946ac92492d2347c6235b4d2611184/5.mp4",
        "key": "dQw4w9WgXcQ",
    }
    har = har_with(
        body=json.dumps(body), headers={"Cookie": "last_video=8f3a2b1c9d; host=player.example; s=secret-1234"}
    )
    har.add(
        "https://cdn.example/b1946ac92492d2347c6235b4d2611184/5.mp4?h=secret-1234", b"\0", "video/mp4", kind="media"
    )
    recording, _ = removed(har)
    page = recording.pages[0]
    assert page.url == PAGE
    assert [entry.url for entry in page.entries] == [
        PAGE,
        API,
        "https://cdn.example/b1946ac92492d2347c6235b4d2611184/5.mp4?h=REMOVED",
    ]
    assert json.loads(page.entries[1].body) == body


def test_cookies_that_name_hosts_and_pages_take_no_urls_away():
    cookies = "cdn=cdn.example; from=https%3A%2F%2Fcdn.example%2F; title=Watch%20it%3A%20now"
    har = Har().page(PAGE).document(f"{PAGE}?t=Watch%20it:%20now", headers={"Cookie": cookies})
    har.add("https://cdn.example/Watch%20it:%20now.json", "{}")
    assert [entry.url for entry in har.read().pages[0].entries] == [
        f"{PAGE}?t=Watch%20it:%20now",
        "https://cdn.example/Watch%20it:%20now.json",
    ]


def test_a_short_value_elsewhere_stays():
    har = har_with(body='{"token": "1234567", "id": "1234567"}', headers={"Cookie": "a=1234567"})
    assert removed(har)[0].pages[0].entries[1].body == '{"token": "REMOVED", "id": "1234567"}'


def test_a_recording_without_secrets_is_unchanged():
    recording, counts = removed(har_with(body='{"author": "Jane", "list": [1, 2, 3]}'))
    assert counts == {}
    assert "REMOVED" not in repr(recording)
    assert recording.pages[0].entries[1].body == '{"author": "Jane", "list": [1, 2, 3]}'


@pytest.mark.parametrize(
    ("options", "marks"),
    [
        ({}, set()),
        ({"body": '<form><input type="password" name="p"></form>', "mime": "text/html"}, {"login_form"}),
        ({"body": '<input type="text">', "mime": "text/html"}, set()),
        ({"body": '#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://1"', "mime": "audio/mpegurl"}, {"drm"}),
        ({"body": '#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="k"', "mime": "audio/mpegurl"}, set()),
        ({"body": "<MPD><ContentProtection schemeIdUri='x'/></MPD>", "mime": "application/dash+xml"}, {"drm"}),
        ({"body": '{"drm": {"widevine": {"licenseUrl": "https://l.example"}}}'}, {"drm"}),
        ({"body": '{"drm": false, "license": "cc-by", "licenseUrl": ""}'}, set()),
        ({"body": "x('com.widevine.alpha')", "mime": "application/javascript"}, set()),
    ],
)
def test_marks_say_what_there_was(options, marks):
    assert removed(har_with(**options))[0].pages[0].entries[1].marks == marks


def test_a_licence_that_was_requested_is_a_mark():
    har = har_with().add(
        "https://drm.example/license", b"\1\2", "application/octet-stream", method="POST", post="x", kind="xhr"
    )
    har.add("https://lic.example/widevine?x=1", b"\1\2", "application/octet-stream", kind="xhr")
    assert [entry.marks for entry in har.read().pages[0].entries[2:]] == [{"drm"}, {"drm"}]
