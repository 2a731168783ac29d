"""From the recording of two pages of the demo's player an adapter is learned that finds the media of all its pages."""

import pytest
from adapter_files import text_of
from demo_recording import PAGES, PATHS, PORT, RECORDING, SITES, media_of, served, url

from mediacrawl.site_adapters.engine import data_request, read_answer
from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.learn.learning import learn
from mediacrawl.site_adapters.loading import parse


@pytest.fixture(scope="module")
def recording():
    return read_recording(RECORDING, RECORDING.name)


@pytest.fixture(scope="module")
def learned(recording):
    found = learn([recording])
    assert found.refusals == []
    return parse(text_of(found.adapter), "learned.json")


@pytest.fixture(scope="module")
def own():
    """The adapter that goes with the demo web."""
    ((name, body),) = SITES.adapters.items()
    return parse(body, name)


def records(adapter, path):
    """What an adapter finds of a page, by what the host answers."""
    slots = adapter.match(url(path))
    wanted = data_request(adapter, 1, slots)
    answer = served(wanted.url)
    assert answer.status == 200, wanted.url
    return read_answer(adapter, 1, slots, answer.body, wanted.url, content_type=answer.content_type).records


def test_the_recording_is_of_the_demo_as_it_is(recording):
    """Otherwise it is to be made anew: see demo_recording.py."""
    assert [page.url for page in recording.pages] == [url(path) for path in PATHS]
    bodies = {entry.url: entry.body for page in recording.pages for entry in page.entries if entry.body is not None}
    assert bodies == {where: served(where).body.decode() for where in bodies}
    assert len(bodies) >= len(PATHS) + 2


def test_two_of_three_pages_were_recorded():
    assert len(set(PAGES) & set(PATHS)) == 2
    assert len(PAGES) == 3


@pytest.mark.parametrize("path", PAGES)
def test_the_learned_adapter_finds_the_media_of_a_page(learned, own, path):
    (found,) = records(learned, path)
    assert set(found.media) == media_of(path)
    (by_hand,) = records(own, path)
    names = ("media", "title", "description", "artist", "duration", "date", "thumbnail")
    assert all(getattr(found, name) == getattr(by_hand, name) != "" for name in names)


def test_a_robots_txt_that_was_opened_while_recording_forbids_the_data(recording):
    def allows(text, where):
        assert text == served(url("/robots.txt")).body.decode()
        return "/gogn/" not in where

    refused = learn([recording], allows=allows)
    assert [each.name for each in refused.refusals] == ["robots"]
    assert refused.adapter is None


def test_the_learned_adapter_maps_no_other_page_of_the_site(learned):
    assert learned.match(url("/")) is None
    assert learned.match(f"http://ljosvaki.example:{PORT + 1}/horfa/107") is None
