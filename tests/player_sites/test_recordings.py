"""The recordings have what a learner needs: for each page the request whose answer names the page's true media."""

import pytest

from player_sites.ask import Net
from player_sites.recordings_of import FOLDER, read_har, recordings_of
from player_sites.sites import SITES
from player_sites.urls import file_of, plain, without_noise

EVERY = pytest.mark.parametrize("site", SITES.values(), ids=SITES)
MOST_BYTES = 1_500_000
"""Of all recordings, packed."""


def entries_of(har, page):
    """The entries of a page."""
    names = [shown["id"] for shown in har["log"]["pages"] if shown["title"] == page]
    return [entry for entry in har["log"]["entries"] if entry["pageref"] in names]


def body_of(entry):
    return plain(entry["response"]["content"].get("text", ""))


@EVERY
def test_a_recording_is_of_the_pages_that_the_site_names(site):
    files = recordings_of(site)
    assert len(files) == len(site.recorded)
    for file, places in zip(files, site.recorded, strict=True):
        har = read_har(file)
        assert har["log"]["creator"]["name"] == "WebInspector"
        shown = [page["title"] for page in har["log"]["pages"]]
        documents = [step.url for step in site.recordings()[file.name.removesuffix(".har.gz")] if step.url]
        assert shown == documents
        assert len(places) in {2, 3}


@EVERY
def test_for_each_page_an_answer_names_its_media(site):
    for file, places in zip(recordings_of(site), site.recorded, strict=True):
        har = read_har(file)
        for item in (site.items[place] for place in places):
            wanted = {file_of(url) for url in site.media(site.pages[item.place])}
            data = set(site.data_urls(item, Net()))
            seen = [entry for entry in har["log"]["entries"] if without_noise(entry["request"]["url"], site) in data]
            text = "".join(body_of(entry) for entry in seen)
            assert {entry["response"]["status"] for entry in seen} <= {200}
            if site.learnable:
                assert len(seen) == len(data)
                assert not [name for name in wanted if name not in text]


@EVERY
def test_something_of_each_page_is_played(site):
    for file, places in zip(recordings_of(site), site.recorded, strict=True):
        asked = {entry["request"]["url"].partition("?")[0] for entry in read_har(file)["log"]["entries"]}
        for page in (site.pages[place] for place in places):
            assert bool(asked & site.media(page)) == site.played


@EVERY
def test_what_is_played_has_no_body_and_what_is_read_has_one(site):
    for file in recordings_of(site):
        for entry in read_har(file)["log"]["entries"]:
            has_text = "text" in entry["response"]["content"]
            if entry["_resourceType"] == "media":
                assert not has_text
            if entry["_resourceType"] in {"document", "xhr", "fetch", "script"} and entry["request"]["method"] == "GET":
                assert has_text


def test_no_recording_is_of_nothing_and_all_are_small():
    known = {name for site in SITES.values() for name in site.recordings()}
    files = list(FOLDER.glob("*.har.gz"))
    assert {file.name.partition(".")[0] for file in files} == known
    assert sum(file.stat().st_size for file in files) < MOST_BYTES
