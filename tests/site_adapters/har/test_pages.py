"""Which page of a recording an entry belongs to."""

import pytest
from har_files import Har, outline

A, B, C = "https://a.example/watch/1", "https://a.example/watch/2", "https://a.example/"
FRAME, API, CSS, FONT = (
    "https://b.example/embed",
    "https://a.example/api/1",
    "https://a.example/a.css",
    "https://a.example/a.woff2",
)


def test_chrome_gives_each_navigation_a_page():
    har = Har().page(A).document(A, kind="document").add(API, "{}", kind="fetch", referer=A)
    har.page(B).document(B, kind="document").add("https://cdn.example/2.mp4", b"\0\1", "video/mp4", kind="media")
    recording = har.read()
    assert recording.flavour == "chrome"
    assert outline(recording) == [(A, [A, API]), (B, [B, "https://cdn.example/2.mp4"])]
    assert [page.title for page in recording.pages] == ["T", "T"]


def test_what_chrome_requests_before_the_document_or_again_for_a_service_worker_is_of_the_page():
    har = (
        Har()
        .page(A)
        .add(API, kind="fetch")
        .document(A, kind="document")
        .document(A, kind="document")
        .document(B, kind="document")
    )
    assert outline(har.read()) == [(A, [A, API, A]), (B, [B])]


def test_the_documents_of_iframes_belong_to_their_page():
    har = Har().page(A).add(A, "<p>", "text/html", kind="document").add(FRAME, "<p>", "text/html", kind="document")
    har.add(B, "<p>", "text/html", kind="document", headers={"Sec-Fetch-Dest": "iframe"}).add(
        API, kind="xhr", referer=FRAME
    )
    recording = har.read()
    assert outline(recording) == [(A, [A, FRAME, B, API])]


def test_the_url_of_a_page_is_the_last_one_of_its_redirects():
    har = (
        Har()
        .page(C)
        .document(C, "", status=301, redirect="/old")
        .document("https://a.example/old", "", status=302, redirect=A)
    )
    har.document(A, "<title> A &amp; \n B </title>").add(API, referer=A)
    recording = har.read()
    assert outline(recording) == [(A, [A, C, "https://a.example/old", API])]
    assert recording.pages[0].title == "A & B"
    assert [entry.redirect for entry in recording.pages[0].entries] == ["", "https://a.example/old", A, ""]


def test_redirects_in_a_circle_end():
    har = Har()
    for _ in range(20):
        har.document(A, "", status=302, redirect=B).document(B, "", status=302, redirect=A)
    recording = har.read()
    assert [(page.url, page.html, len(page.entries)) for page in recording.pages] == [(A, "", 40)]


def test_a_reload_is_a_page_of_its_own():
    har = Har("Firefox", "128.0").page("Watch")
    for _ in range(2):
        har.plain_document(A).add(API, referer=A)
    assert outline(har.read()) == [(A, [A, API]), (A, [A, API])]


@pytest.mark.parametrize("creator", ["WebKit Web Inspector", "Playwright", "Firefox"])
def test_a_tab_with_one_pageref_is_divided_by_its_documents(creator):
    har = Har(creator).page("Start")
    har.document(A).add(API, referer=A).document(B).add(API, referer=B)
    assert outline(har.read()) == [(A, [A, API]), (B, [B, API])]


@pytest.mark.parametrize("creator", ["WebKit Web Inspector", "Playwright", "Firefox"])
def test_a_request_to_another_site_is_of_the_page_that_is_open_and_not_of_the_front_page(creator):
    other, video = "https://api.example/2", "https://cdn.example/2.mp4"
    har = Har(creator).page("Start").document(C).add("https://a.example/api/home", referer=C)
    har.document(A).add(API, referer=A).add(other, referer=C).add(video, b"\0", "video/mp4", referer=C)
    assert outline(har.read()) == [(C, [C, "https://a.example/api/home"]), (A, [A, API, other, video])]


def test_without_fetch_metadata_a_document_is_a_page_if_others_refer_to_it():
    har = Har("Charles Proxy")
    har.plain_document(A).plain_document(FRAME, referer=A).add(API, referer=A).add(
        "https://b.example/1.json", referer=FRAME
    )
    har.plain_document(B, referer=A).add(CSS, "", "text/css", referer=B)
    assert outline(har.read()) == [(A, [A, FRAME, API, "https://b.example/1.json"]), (B, [B, CSS])]


def test_without_anything_a_document_of_the_same_site_is_a_page_and_another_one_an_iframe():
    har = Har("mitmproxy").plain_document(A).plain_document(FRAME).plain_document(B)
    assert outline(har.read()) == [(A, [A, FRAME]), (B, [B])]


def test_what_a_parser_requested_is_an_iframe():
    har = (
        Har()
        .plain_document(A, kind="document")
        .plain_document(B, kind="document", _initiator={"type": "parser", "url": A})
    )
    assert outline(har.read()) == [(A, [A, B])]


@pytest.mark.parametrize(
    ("mime", "status", "headers"),
    [
        ("video/mp4", 200, {"Sec-Fetch-Dest": "document"}),
        ("application/json", 200, {"Sec-Fetch-Dest": "document"}),
        ("text/html", 204, {"Sec-Fetch-Dest": "document"}),
        ("text/html", 200, {"Sec-Fetch-Dest": "document", "Sec-Purpose": "prefetch;prerender"}),
        ("text/html", 200, {"Sec-Fetch-Dest": "empty"}),
        ("text/html", 200, {"Accept": "*/*"}),
        ("text/html", 200, {"Accept": "text/html", "X-Requested-With": "XMLHttpRequest"}),
    ],
)
def test_what_is_not_shown_in_the_address_bar_is_no_page(mime, status, headers):
    har = Har().document(A).add(B, "{}", mime, status=status, headers=headers)
    assert outline(har.read()) == [(A, [A, B])]


@pytest.mark.parametrize(
    "referer",
    [
        A,
        f"{A}#t=5",
        "",
        # Another site.
        "https://b.example/x",
        # The policy of the site cuts them all.
        C,
    ],
)
def test_a_referer_that_is_no_new_url_makes_no_page(referer):
    har = Har().page(A).document(A).add(API, referer=referer).add(API, referer=referer)
    assert outline(har.read()) == [(A, [A, API, API])]


def test_style_sheets_and_iframes_are_no_pages_though_others_refer_to_them():
    har = Har().page(A).document(A).add(CSS, "", "text/css", referer=A).add(FONT, b"\0", "font/woff2", referer=CSS)
    har.add(B, "<p>", "text/html", headers={"Sec-Fetch-Dest": "iframe"}, referer=A).add(API, referer=B)
    assert outline(har.read()) == [(A, [A, CSS, FONT, B, API])]


def test_a_page_that_was_open_before_the_recording_is_known_by_what_refers_to_it():
    har = Har("Firefox").page("Watch it").add(API, referer=C).add(API, referer=A).add("https://b.example/", referer=A)
    recording = har.read()
    assert outline(recording) == [(A, [API, API, "https://b.example/"])]
    assert [(page.html, page.title) for page in recording.pages] == [("", "Watch it")]
    har = Har().page(A).add(API)
    assert outline(har.read()) == [(A, [API])]


def test_entries_of_no_page_are_counted():
    recording = Har("mitmproxy").add(API).add(API).read()
    assert recording.pages == []
    assert recording.skipped == {"no_page": 2}


def test_entries_without_pageref_join_the_page_that_was_open():
    har = Har().page(A).document(A, started=0).page(B).document(B, started=5)
    for started in (1, 6, -1):
        har.add(f"https://a.example/{started}", started=started, pageref=False)
    assert outline(har.read()) == [
        (A, [A, "https://a.example/-1", "https://a.example/1"]),
        (B, [B, "https://a.example/6"]),
    ]


def test_entries_and_pages_are_in_order_of_start():
    har = Har().page(B).document(B, started=50).add(API, referer=B, started=51)
    har.page(A).document(A, started=3).add("https://a.example/z", started=5).add(API, referer=A, started=4)
    recording = har.read()
    assert outline(recording) == [(A, [A, API, "https://a.example/z"]), (B, [B, API])]
    assert [entry.index for entry in recording.pages[0].entries] == [2, 4, 3]


def test_entries_with_a_wrong_time_stay_where_they_stand():
    har = Har().page(A).document(A).add(API)
    har.entries[1]["startedDateTime"] = "yesterday"
    har.add("https://a.example/z")
    assert [entry.url for entry in har.read().pages[0].entries] == [A, API, "https://a.example/z"]


def test_a_recording_of_har_1_1_without_pages_is_read():
    har = Har("Fiddler").plain_document(A).add(API, referer=A)
    value = har.value()
    del value["log"]["pages"], value["log"]["version"]
    har.value = lambda: value
    assert outline(har.read()) == [(A, [A, API])]
