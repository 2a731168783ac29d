"""Links of one shape are one class."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.priority import link_class


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://a.org/", "a.org/"),
        ("http://a.org/2024/05/song.html", "a.org/#/#/song.html"),
        ("http://a.org/2024/song12b.mp3?id=7&x=1", "a.org/#/*#*.mp3?id&x"),
        ("http://a.org/node/17", "a.org/node/#"),
        ("https://a.org:8443/x?b=2&a=1&b=3", "a.org:8443/x?a&b"),
        ("http://a.org/v1.2/", "a.org/*#.#/"),
        ("http://a.org/news/what-came-of-it.html", "a.org/news/*.html"),
        ("http://a.org/about-us", "a.org/about-us"),
        ("http://a.org/2024/05/12/the_last_of_them/", "a.org/#/#/#/*/"),
        ("http://a.org/%D0%BC%D1%83%D0%B7%D1%8B%D0%BA%D0%B0", "a.org/*"),
        ("http://a.org/users/john.smith/averyveryverylongnamewithoutwords", "a.org/users/john.smith/*"),
        ("http://a.org/some-band-live-2024.mp3", "a.org/*.mp3"),
        ("http://a.org/x/y-z-w?a-b-c=1", "a.org/x/*?a-b-c"),
    ],
)
def test_what_varies_is_taken_out(url, name):
    assert link_class(url) == name


def test_two_hosts_never_share_a_class():
    assert link_class("http://a.org/1") != link_class("http://b.org/1")


@given(st.text())
def test_no_url_makes_a_name_that_is_too_long(text):
    assert len(link_class("http://a.org/" + text)) <= 120


def test_a_hostile_url_costs_no_more_than_its_length():
    # Against the square: 20,000 letters took minutes when each of them began a new try.
    assert link_class("http://a.org/" + "a" * 20_000 + "1") == link_class("http://a.org/" + "b" * 20_000 + "2")
