"""The player sites: learned from recordings of browsers, and right on all pages that were not recorded."""

import io
import json
from functools import cache

import pytest
from player_sites.applying import records_of
from player_sites.client import Client
from player_sites.flavours import as_safari, as_sanitized
from player_sites.recordings_of import read_har, recordings_of
from player_sites.server import PlayerWeb
from player_sites.sites import SITES

from mediacrawl.politeness.robots import RobotsRules
from mediacrawl.site_adapters.har.reading import read_recording
from mediacrawl.site_adapters.learn.learning import learn
from mediacrawl.site_adapters.learn.proof import adapter_of

LEAST_SHARE = 0.8
"""Of the sites that can be learned."""
FIREFOX = [site for site in SITES.values() if recordings_of(site, "firefox")]
EVERY = pytest.mark.parametrize("site", SITES.values(), ids=SITES)
LEARNABLE = pytest.mark.parametrize(
    "site", [site for site in SITES.values() if site.learnable], ids=lambda site: site.name
)


def allows(text, url):
    return bool(RobotsRules.parse(text.encode(), "mediacrawl").allowed(url))


def of_files(paths):
    return learn([read_recording(path, path.name) for path in paths], allows=allows)


@cache
def learned(name, flavour=""):
    return of_files(recordings_of(SITES[name], flavour))


def changed(site, change):
    """What is learned of a site's recordings in another shape."""
    files = [io.BytesIO(json.dumps(change(read_har(path))).encode()) for path in recordings_of(site)]
    return learn([read_recording(file, site.name) for file in files], allows=allows)


@pytest.fixture(scope="module")
def client():
    with PlayerWeb() as web:
        client = Client(web)
        yield client
        client.close()


def faults(site, written, client):
    """Held-out pages on which an adapter finds something else than what the site says is true."""
    adapter = adapter_of(written)
    found = []
    for page in site.held_out:
        records = records_of(adapter, page, client.get)
        media = [set(record.media) for record in records]
        truth = [set(record.media) for record in site.truth(page)]
        is_right = len(media) == len(truth) and all(own and own <= true for own, true in zip(media, truth, strict=True))
        if not is_right:
            found.append((page, media, truth))
    return found


@EVERY
def test_a_site_is_learned_or_refused_as_it_should(site):
    found = learned(site.name)
    if site.learnable:
        assert found.adapter is not None, found.refusals
        assert found.steps
    else:
        assert found.adapter is None
        assert found.refusals[0].name == site.refused_as, found.refusals


@LEARNABLE
def test_what_was_learned_is_right_on_ten_pages_that_were_not_recorded(site, client):
    adapter = learned(site.name).adapter
    assert len(site.held_out) >= 10
    assert faults(site, adapter, client) == []


@LEARNABLE
def test_facts_are_those_of_the_site(site, client):
    adapter = adapter_of(learned(site.name).adapter)
    for page in site.held_out[:3]:
        for record, truth in zip(records_of(adapter, page, client.get), site.truth(page), strict=True):
            assert record.title in {truth.title, ""}
            assert record.thumbnail in {truth.thumbnail, ""}
            if record.duration and truth.duration:
                assert abs(float(record.duration) - truth.duration) < 1


def test_most_sites_are_learned_and_no_wrong_mapping_is_accepted(client):
    wrong, right = [], []
    for site in SITES.values():
        adapter = learned(site.name).adapter
        if adapter is not None:
            (wrong if faults(site, adapter, client) or not site.learnable else right).append(site.name)
    assert wrong == []
    assert len(right) >= LEAST_SHARE * sum(site.learnable for site in SITES.values())


def test_most_facts_are_found(client):
    found, known = 0, 0
    for site in SITES.values():
        adapter = learned(site.name).adapter
        for record, truth in (
            zip(
                records_of(adapter_of(adapter), site.held_out[0], client.get), site.truth(site.held_out[0]), strict=True
            )
            if adapter
            else ()
        ):
            wanted = [name for name in ("title", "duration", "date", "thumbnail") if getattr(truth, name)]
            known += len(wanted)
            found += sum(bool(getattr(record, name)) for name in wanted)
    assert found >= 0.9 * known


@pytest.mark.parametrize("site", FIREFOX, ids=[site.name for site in FIREFOX])
def test_recordings_of_firefox_are_learned_from_too(site, client):
    found = learned(site.name, "firefox")
    assert (found.adapter is not None) is site.learnable
    if site.learnable:
        assert faults(site, found.adapter, client) == []
    else:
        assert found.refusals[0].name == site.refused_as


@EVERY
def test_recordings_without_cookies_and_authorization_are_learned_from_too(site, client):
    found = changed(site, as_sanitized)
    assert (found.adapter is not None) is site.learnable
    if site.learnable:
        assert faults(site, found.adapter, client) == []
    else:
        assert found.refusals[0].name == site.refused_as


@EVERY
def test_recordings_of_safari_are_learned_from_too(site, client):
    found = changed(site, as_safari)
    assert (found.adapter is not None) is site.learnable
    if site.learnable:
        assert faults(site, found.adapter, client) == []
    else:
        # Safari does not record WebSockets.
        assert found.refusals[0].name == ("not_found" if site.refused_as == "websocket" else site.refused_as)


@EVERY
def test_one_recorded_page_gives_no_adapter_and_says_what_is_unknown(site):
    recordings = [read_recording(path, path.name) for path in recordings_of(site)]
    recordings = recordings[:1]
    addresses = list(dict.fromkeys(page.url for page in recordings[0].pages))
    recordings[0].pages = [page for page in recordings[0].pages if page.url == site.pages[site.recorded[0][0]]]
    assert recordings[0].pages, addresses
    found = learn(recordings, allows=allows)
    assert found.adapter is None
    if site.learnable:
        assert [each.name for each in found.refusals] == ["one_page"]


def test_a_recorded_page_can_be_held_out():
    site = SITES["arkhiv"]
    recordings = [read_recording(path, path.name) for path in recordings_of(site)]
    found = learn(recordings, hold_out=1, allows=allows)
    assert [each.right for each in found.held_out] == [True]
    assert set(found.held_out[0].found) <= site.media(found.held_out[0].url)
