"""The player sites are what they say: their server answers as the truth says, and hides what is to be hidden."""

from urllib.parse import urlsplit

import pytest

from player_sites.ask import at_port
from player_sites.client import Client
from player_sites.server import PlayerWeb
from player_sites.site import PAGES
from player_sites.sites import SITES
from player_sites.urls import file_of, plain

REFUSALS = {
    "ambiguous",
    "drm",
    "expires",
    "login",
    "not_found",
    "page_names_it",
    "post_only",
    "robots",
    "signed",
    "websocket",
}
EVERY = pytest.mark.parametrize("site", SITES.values(), ids=SITES)


@pytest.fixture(scope="module")
def web():
    with PlayerWeb() as web:
        yield web


@pytest.fixture(scope="module")
def client(web):
    client = Client(web)
    yield client
    client.close()


def test_there_are_twenty_sites_to_learn_and_some_to_refuse():
    learnable = [site for site in SITES.values() if site.learnable]
    assert len(learnable) >= 20
    assert {site.refused_as for site in SITES.values() if not site.learnable} == REFUSALS
    assert not [site.name for site in learnable if site.refused_as]
    hosts = [host for site in SITES.values() for host in site.hosts]
    assert len(hosts) == len(set(hosts))


@EVERY
def test_a_site_has_two_recorded_pages_and_ten_held_out_with_media_of_their_own(site):
    assert len(set(site.pages)) == len(site.pages) == PAGES
    assert len(site.held_out) >= 10
    assert len(site.pages) - len(site.held_out) >= 2
    media = [url for page in site.pages for url in site.media(page)]
    assert len(media) == len(set(media)) >= PAGES
    assert not {url for page in site.pages for url in site.decoys(page)} & set(media)


@EVERY
def test_a_site_answers_its_pages_media_and_robots(site, web, client):
    for page in site.pages:
        at = at_port(page, web.port)
        assert client.get(at)[:2] == (200, "text/html")
        (record, *_) = site.truth(at)
        assert urlsplit(record.media[0]).port == web.port
        if record.thumbnail:
            assert client.get(record.thumbnail)[:2] == (200, "image/png")
        # What is signed is not tried here.
        if site.refused_as != "expires":
            assert client.get(record.media[0])[0] == 200
    for host in site.hosts:
        status, kind, body = client.get(f"http://{host}:{web.port}/robots.txt")
        assert (status, kind, body.decode()) == (200, "text/plain", site.robots)


@EVERY
def test_only_a_page_that_shall_names_its_media(site, web, client):
    for page in site.pages:
        at = at_port(page, web.port)
        body = plain(client.get(at)[2].decode())
        named = {url for url in site.media(at) if file_of(url) in body}
        assert bool(named) == site.page_media


@EVERY
def test_the_answers_to_the_data_requests_name_the_media_of_the_page(site, web, client):
    assert bool(site.data_urls(site.items[0], web.net)) >= site.learnable
    for item, page in zip(site.items, site.pages, strict=True):
        wanted = site.media(at_port(page, web.port))
        bodies = [client.get(url, dict(site.data_headers)) for url in site.data_urls(item, web.net)]
        assert {status for status, _, _ in bodies} <= {200}
        text = "".join(plain(body.decode()) for _, _, body in bodies)
        if bodies:
            assert not [url for url in wanted if file_of(url) not in text]


def test_no_two_media_have_the_same_bytes(web, client):
    site = SITES["clips"]
    files = [url for page in site.pages for url in site.media(at_port(page, web.port))]
    assert len({client.get(url)[2] for url in files}) == len(files)


def test_the_server_notes_each_request(web, client):
    page = at_port(SITES["clips"].pages[3], web.port)
    client.get(page, {"Accept-Language": "fr"})
    (*_, entry) = web.asked(SITES["clips"])
    assert (entry.method, entry.url, entry.headers["accept-language"]) == ("GET", page, "fr")


def test_a_host_of_no_site_is_misdirected(client, web):
    assert client.get(f"http://nobody.example:{web.port}/")[0] == 421
