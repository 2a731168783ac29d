"""NeverCrawl: the waiting URLs in a frontier when an entry is added."""

import pytest

from mediacrawl.base.terms import Candidate, Drop
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import open_store
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.priority import link_class
from mediacrawl.scope import NeverCrawl, site_of
from mediacrawl.scope.exclusions.never import drop_excluded

URLS = [
    "http://a.example/",
    "http://a.example/private/1",
    "http://www.a.example/private/2",
    "http://www.a.example/public",
    "http://media.a.example/",
    "http://b.example/",
    "http://one.co.uk/",
    "http://www.two.co.uk/x",
    "http://one.github.io/",
    "http://bucket.s3.amazonaws.com/",
    "http://192.0.2.7/",
    "http://192.0.3.7/",
    "http://[2001:db8::7]/x",
    "http://[2001:db8::ffff:7]/y",
    "http://localhost/",
    "http://a.localhost/",
]


@pytest.fixture(params=["memory", "sqlite"])
def frontier(request, tmp_path):
    store = open_store(request.param, tmp_path, FrontierPolicy(delay=DelayPolicy(0, 50, 50, 50), explore=0.0), 1_000.0)
    store.add(Candidate(url, site_of(url), link_class(url)) for url in URLS)
    yield store
    store.close()


def dropped(frontier, *lines):
    """The URLs that these entries drop."""
    never = NeverCrawl.of(*lines)
    gone = sum(drop_excluded(frontier, never))
    counts = frontier.counts()
    assert counts.ends.get(Drop.NEVERCRAWL, 0) == gone
    assert counts.waiting == len(URLS) - gone
    left = set()
    for site in frontier.sites_under():
        frontier.drop(site, Drop.OPERATOR, left.add)
    return [url for url in URLS if url not in left]


@pytest.mark.parametrize(
    ("lines", "gone"),
    [
        (["a.example"], URLS[:5]),
        (["media.a.example"], ["http://media.a.example/"]),
        (["a.example/private"], URLS[1:3]),
        (["www.a.example/private", "b.example"], [URLS[2], "http://b.example/"]),
        (["co.uk"], ["http://one.co.uk/", "http://www.two.co.uk/x"]),
        (["co.uk/x"], ["http://www.two.co.uk/x"]),
        (["github.io"], ["http://one.github.io/"]),
        # No public suffix, but there are some below it, and sites below those.
        (["amazonaws.com"], ["http://bucket.s3.amazonaws.com/"]),
        (["192.0.2.7"], ["http://192.0.2.7/"]),
        (["192.0.2.0/23", "b.example"], ["http://b.example/", "http://192.0.2.7/", "http://192.0.3.7/"]),
        (["2001:db8::/32"], URLS[12:14]),
        # Both are of one site.
        (["2001:db8::7"], ["http://[2001:db8::7]/x"]),
        (["2001:db8::ffff:0/112"], ["http://[2001:db8::ffff:7]/y"]),
        (["2001:db8::/65"], URLS[12:14]),
        (["localhost"], ["http://localhost/", "http://a.localhost/"]),
        (["nobody.example", "x.b.example", "de", "10.0.0.0/8"], []),
        ([], []),
    ],
)
def test_what_waits_for_an_entry_is_dropped_and_counted_and_nothing_else(frontier, lines, gone):
    assert dropped(frontier, *lines) == gone


def test_thousands_of_sites_are_walked_through_once_in_pieces(frontier):
    urls = [f"http://s{number}.co.uk/" for number in range(1_200)]
    frontier.add(Candidate(url, site_of(url), link_class(url)) for url in urls)
    never = NeverCrawl.of("co.uk", "ac.uk", "org.uk")
    slices = list(drop_excluded(frontier, never))
    assert sum(slices) == 1_202
    assert len(slices) <= 1_200 + len(URLS)
    assert sum(drop_excluded(frontier, never)) == 0
