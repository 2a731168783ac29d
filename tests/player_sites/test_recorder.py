"""Chromium records today what it recorded when the recordings were made."""

import pytest

from player_sites.recorder import browser, record
from player_sites.recordings_of import read_har, recordings_of
from player_sites.sites import SITES
from player_sites.urls import without_noise


def requests_in(file, site):
    """Method, URL and status of each request; the order, and how often media are asked for, may differ."""
    return {
        (entry["request"]["method"], without_noise(entry["request"]["url"], site), entry["response"]["status"])
        for entry in read_har(file)["log"]["entries"]
    }


@pytest.mark.slow
@pytest.mark.skipif(browser.PROGRAM is None, reason="needs Chromium")
def test_all_sites_recorded_again_have_the_same_requests(tmp_path):
    files = {file.name: file for file in record(SITES.values(), tmp_path)}
    kept = {file.name: (file, site) for site in SITES.values() for file in recordings_of(site)}
    assert files.keys() == kept.keys()
    for name, (file, site) in kept.items():
        assert requests_in(files[name], site) == requests_in(file, site), name
