"""Which URLs are known."""

from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.frontier.seen import RecentUrls, url_key


def test_keys_are_the_same_in_every_process():
    assert url_key("http://a.org/") == -4685876740618480027
    assert url_key("http://a.org/1") != url_key("http://a.org/2")


@given(st.text())
def test_a_key_fits_sixty_four_bits_whatever_the_text(text):
    assert -(2**63) <= url_key(text) < 2**63


def test_recent_urls_are_bounded_and_never_wrong():
    recent = RecentUrls(size=10)
    urls = [f"http://a.org/{n}" for n in range(100)]
    for url in urls:
        recent.add(url)
    remembered = [url for url in urls if url in recent]
    assert urls[-1] in remembered
    assert 5 <= len(remembered) <= 10
    assert recent.unknown([urls[-1], "http://b.org/", "http://b.org/"]) == ["http://b.org/"]
    recent.discard(urls[-1])
    assert urls[-1] not in recent


def test_no_reference_outlives_the_url_that_it_leads_to():
    for forget in (
        lambda recent: recent.discard("http://a.org/1"),
        lambda recent: recent.difference_update(["http://a.org/1"]),
        lambda recent: recent.clear(),
    ):
        recent = RecentUrls()
        recent.add("http://a.org/1")
        recent.remember("http://a.org/ ./1", "http://a.org/1")
        assert recent.references
        forget(recent)
        assert not recent.references
        # Another thread forgot the URL while the page was read.
        recent.remember("http://a.org/ ./1", "http://a.org/1")
        assert not recent.references


def test_references_are_bounded():
    recent = RecentUrls(size=50)
    recent.add("http://a.org/")
    for number in range(100):
        recent.remember(f"http://a.org/ .?{number}", "http://a.org/")
    assert 0 < len(recent.references) <= 10
