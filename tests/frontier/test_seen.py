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
