"""Recordings of other browsers have the same answers, and less around them."""

import pytest

from player_sites.ask import Net
from player_sites.flavours import as_safari, as_sanitized
from player_sites.recordings_of import FOLDER, read_har, recordings_of
from player_sites.sites import SITES
from player_sites.urls import file_of, plain, without_noise

FIREFOX = {name: site for name, site in SITES.items() if recordings_of(site, "firefox")}


def test_firefox_has_recorded_enough_sites():
    assert len(FIREFOX) >= 12
    assert len([site for site in FIREFOX.values() if site.learnable]) >= 10
    known = {name for site in SITES.values() for name in site.recordings()}
    assert {file.name.removesuffix(".firefox.har.gz") for file in FOLDER.glob("*.firefox.har.gz")} <= known


@pytest.mark.parametrize("site", FIREFOX.values(), ids=FIREFOX)
def test_firefox_has_the_answers_that_name_the_media_of_each_page(site):
    files = recordings_of(site, "firefox")
    assert len(files) == len(site.recorded)
    for file, places in zip(files, site.recorded, strict=True):
        log = read_har(file)["log"]
        assert log["creator"]["name"] == "Firefox"
        bodies = {
            without_noise(entry["request"]["url"], site): entry["response"]["content"].get("text") or ""
            for entry in log["entries"]
        }
        for item in (site.items[place] for place in places):
            text = "".join(plain(bodies[url]) for url in site.data_urls(item, Net()))
            missing = [url for url in site.media(site.pages[item.place]) if file_of(url) not in text]
            assert not missing or not site.data_urls(item, Net())


def test_a_sanitized_export_tells_nothing_of_a_login_but_the_request_for_it():
    (file,) = recordings_of(SITES["leden"])
    whole = read_har(file)
    names = {header["name"].lower() for entry in whole["log"]["entries"] for header in entry["request"]["headers"]} & {
        "authorization",
        "cookie",
    }
    assert names == {"authorization", "cookie"}
    sides = [side for entry in as_sanitized(whole)["log"]["entries"] for side in (entry["request"], entry["response"])]
    assert not [each for side in sides for each in side["headers"] if each["name"].lower() in names | {"set-cookie"}]
    assert not [side for side in sides if side["cookies"]]
    assert [entry["request"]["postData"]["text"] for entry in whole["log"]["entries"] if "postData" in entry["request"]]


def test_safari_has_one_page_and_tells_no_kind_of_a_resource():
    (file,) = recordings_of(SITES["zive"])
    har = read_har(file)
    log = as_safari(har)["log"]
    assert log["creator"]["name"] == "WebKit Web Inspector"
    assert [page["title"] for page in log["pages"]] == [SITES["zive"].pages[1]]
    assert {entry["pageref"] for entry in log["entries"]} == {"page_0"}
    assert not [entry for entry in log["entries"] if "_resourceType" in entry or "_initiator" in entry]
    # The two WebSockets are not there.
    assert len(log["entries"]) == len(har["log"]["entries"]) - 2
