"""The sites that came after the learner are what they say, and their recordings have what a learner needs."""

from urllib.parse import urlsplit

import pytest

from player_sites.ask import Net, at_port
from player_sites.recordings_of import read_har, recordings_of
from player_sites.server import PlayerWeb
from player_sites.site import PAGES
from player_sites.sites import SITES
from player_sites.test_player_sites import REFUSALS, Client
from player_sites.test_recordings import body_of
from player_sites.unseen import FOLDER, UNSEEN
from player_sites.urls import file_of, plain, without_noise

EVERY = pytest.mark.parametrize("site", UNSEEN.values(), ids=UNSEEN)
MOST_BYTES = 500_000
"""Of all recordings, packed."""


@pytest.fixture(scope="module")
def web():
    with PlayerWeb(UNSEEN.values()) as web:
        yield web


@pytest.fixture(scope="module")
def client(web):
    client = Client(web)
    yield client
    client.close()


def test_there_are_twelve_sites_to_learn_and_four_to_refuse_and_none_is_known():
    learnable = [site for site in UNSEEN.values() if site.learnable]
    refused = [site for site in UNSEEN.values() if not site.learnable]
    assert len(learnable) >= 12
    assert len(refused) >= 4
    assert {site.refused_as for site in refused} <= REFUSALS | {"unexplained"}
    assert not [site.name for site in learnable if site.refused_as]
    hosts = [host for site in (*SITES.values(), *UNSEEN.values()) for host in site.hosts]
    assert len(hosts) == len(set(hosts))


@EVERY
def test_a_site_answers_its_pages_and_their_media(site, web, client):
    assert len(set(site.pages)) == PAGES
    assert len(site.held_out) >= 10
    media = [url for page in site.pages for url in site.media(page)]
    assert len(media) == len(set(media)) >= PAGES
    for page in site.pages:
        at = at_port(page, web.port)
        assert client.get(at)[:2] == (200, "text/html")
        if site.refused_as != "expires":
            for url in sorted(site.media(at) | site.decoys(at)):
                assert client.get(url)[0] == 200


@EVERY
def test_only_a_page_that_shall_names_its_media(site, web, client):
    for page in site.pages:
        at = at_port(page, web.port)
        body = plain(client.get(at)[2].decode())
        assert any(file_of(url) in body for url in site.media(at)) == site.page_media


@EVERY
def test_the_data_urls_name_the_media_of_the_page(site, web, client):
    assert bool(site.data_urls(site.items[0], web.net)) >= site.learnable
    for item, page in zip(site.items, site.pages, strict=True):
        answers = [client.get(url, dict(site.data_headers)) for url in site.data_urls(item, web.net)]
        assert {status for status, _, _ in answers} <= {200}
        if site.learnable and not answers_hide(site):
            text = "".join(plain(body.decode()) for _, _, body in answers)
            assert not [url for url in site.media(at_port(page, web.port)) if file_of(url) not in text]


def answers_hide(site):
    """Whether the URLs are encoded in the answers."""
    return site.name == "teleport"


@EVERY
def test_each_recorded_page_has_its_data_request_and_plays_something(site):
    (file,) = recordings_of(site, folder=FOLDER)
    entries = read_har(file)["log"]["entries"]
    asked = {entry["request"]["url"].partition("?")[0] for entry in entries}
    for item in (site.items[place] for place in site.recorded[0]):
        data = {without_noise(url, site) for url in site.data_urls(item, Net())}
        seen = [entry for entry in entries if without_noise(entry["request"]["url"], site) in data]
        assert len(seen) == len(data)
        assert {entry["response"]["status"] for entry in seen} <= {200}
        assert all(body_of(entry) for entry in seen)
        files = {file_of(url) for url in site.media(site.pages[item.place])}
        assert files & {file_of(url) for url in asked}


def test_no_recording_is_of_nothing_and_all_are_small():
    files = list(FOLDER.glob("*.har.gz"))
    assert {file.name.partition(".")[0] for file in files} == set(UNSEEN)
    assert sum(file.stat().st_size for file in files) < MOST_BYTES


def test_all_media_of_a_site_are_on_its_own_hosts():
    for site in UNSEEN.values():
        hosts = {urlsplit(url).hostname for page in site.pages for url in site.media(page)}
        assert hosts <= set(site.hosts)
