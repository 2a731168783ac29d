"""Which URLs are known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.frontier import seen
from mediacrawl.frontier.seen import RecentUrls, url_key


def test_keys_are_the_same_in_every_process():
    assert url_key("http://a.org/") == -4685876740618480027
    assert url_key("http://a.org/1") != url_key("http://a.org/2")


@given(st.text())
def test_a_key_fits_sixty_four_bits_whatever_the_text(text):
    assert -(2**63) <= url_key(text) < 2**63


def remembers(recent, reference):
    return not list(recent.unknown_links([(0, reference)], "http://a.org", lambda href: href))


def test_recent_urls_are_bounded_and_what_is_forgotten_is_unknown():
    recent = RecentUrls(slots=64)
    urls = [f"http://a.org/{n}" for n in range(1000)]
    for url in urls:
        recent.add(url)
        assert url in recent
    assert 0 < sum(url in recent for url in urls) <= 64
    assert recent.unknown([urls[-1], "http://b.org/", "http://b.org/"]) == ["http://b.org/"]
    recent.discard(urls[-1])
    assert urls[-1] not in recent


def test_most_of_as_many_urls_as_there_are_slots_are_remembered():
    recent = RecentUrls(slots=4096)
    urls = [f"http://a.org/{n}" for n in range(4096)]
    for url in urls:
        recent.add(url)
    # Each of the n slots is free of later ones with a probability of (1 - 1 / e).
    assert 0.58 < sum(url in recent for url in urls) / 4096 < 0.68


@given(st.lists(st.tuples(st.sampled_from(["add", "discard", "clear", "remember"]), st.integers(0, 40)), max_size=60))
def test_they_never_know_more_than_a_set_does(steps):
    recent, known = RecentUrls(slots=16), set()
    for step, number in steps:
        url = f"http://a.org/{number}"
        if step == "add":
            recent.add(url)
            known.add(url)
        elif step == "discard":
            recent.discard(url)
            known.discard(url)
        elif step == "clear":
            recent.clear()
            known.clear()
        else:
            recent.remember(f"written {number}", url)
        for other in range(41):
            url = f"http://a.org/{other}"
            assert url not in recent or url in known
            assert not remembers(recent, f"written {other}") or url in known


def test_the_number_of_slots_is_a_power_of_two():
    for slots in (0, 3, 100):
        with pytest.raises(ValueError, match="no power of two"):
            RecentUrls(slots)


def test_no_reference_outlives_the_url_that_it_leads_to():
    for forget in (
        lambda recent: recent.discard("http://a.org/1"),
        lambda recent: recent.difference_update(["http://a.org/1"]),
        lambda recent: recent.clear(),
    ):
        recent = RecentUrls()
        recent.add("http://a.org/1")
        recent.remember("http://a.org/ ./1", "http://a.org/1")
        assert remembers(recent, "http://a.org/ ./1")
        forget(recent)
        assert not remembers(recent, "http://a.org/ ./1")
        # Another thread forgot the URL while the page was read.
        recent.remember("http://a.org/ ./1", "http://a.org/1")
        assert not remembers(recent, "http://a.org/ ./1")


def test_where_pythons_hash_is_short_the_key_is_taken(monkeypatch):
    monkeypatch.setattr(seen, "_hash", url_key)
    recent = RecentUrls(slots=4)
    recent.add("http://a.org/1")
    assert url_key("http://a.org/1") in recent._table
    assert "http://a.org/1" in recent
    assert "http://a.org/2" not in recent


def test_a_reference_that_cannot_be_written_is_never_known():
    recent = RecentUrls(slots=1)
    recent.add("http://a.org/1")
    recent.remember("", "http://a.org/1")
    for _ in range(3):
        recent.discard("http://a.org/")
        assert [*recent.unknown_links([(7, "x y")], "http://a.org", lambda _: "")] == [(7, "x y", "")]


def test_a_path_is_looked_up_with_its_origin():
    recent = RecentUrls()
    recent.add("http://a.org/1")
    links = [(0, "/1"), (1, "/2"), (2, "//a.org/1"), (3, "http://a.org/1"), (4, "")]
    assert [number for number, _, _ in recent.unknown_links(links, "http://a.org", lambda _: "")] == [1, 2, 4]
