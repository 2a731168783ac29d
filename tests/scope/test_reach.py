"""Where a crawl may begin whose contact nobody can reach."""

import pytest

from mediacrawl.scope.rules import ContactScope
from mediacrawl.settings import MEDIACRAWL_CONTACT

HOSTS = {
    "blog.org": ["127.0.0.1"],
    "both.org": ["127.0.0.1", "::1"],
    "half.org": ["127.0.0.1", "192.0.2.1"],
    "a.org": [],
}


@pytest.mark.parametrize("host", ["localhost", "www.localhost", "127.0.0.9", "[::1]"])
@pytest.mark.parametrize("contact", [MEDIACRAWL_CONTACT, "http://localhost/", "https://uni-graz.at/bot"])
def test_this_machine_may_always_be_asked(host, contact):
    assert ContactScope.of(contact, {}, anonymous=contact == MEDIACRAWL_CONTACT).covers(host)


@pytest.mark.parametrize("host", ["blog.org", "both.org", "tonspur.example", "x.test"])
def test_a_contact_on_this_machine_is_enough_for_names_that_lead_here_or_to_nobody(host):
    assert ContactScope.of("http://localhost/", HOSTS, anonymous=False).covers(host)
    assert not ContactScope.of(MEDIACRAWL_CONTACT, HOSTS, anonymous=True).covers(host)


@pytest.mark.parametrize("host", ["half.org", "uni-graz.at", "example.com", "10.0.0.1", "192.0.2.1"])
def test_strangers_need_a_contact_that_they_can_reach(host):
    assert not ContactScope.of("http://localhost/", HOSTS, anonymous=False).covers(host)
    assert ContactScope.of("https://uni-graz.at/bot", HOSTS, anonymous=False).covers(host)
