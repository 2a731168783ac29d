"""Links of one shape are one class."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.priority import link_class


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://a.org/", "a.org/"),
        ("http://a.org/2024/05/song.html", "a.org/#/#/*.html"),
        ("http://a.org/12-kalo.html", "a.org/#-*.html"),
        ("http://a.org/01-Intro.mp3", "a.org/#-*.mp3"),
        ("http://a.org/f97-kalo.mp3", "a.org/*#-*.mp3"),
        ("http://a.org/Music/Kalo_12.HTML", "a.org/Music/*_#.html"),
        ("http://a.org/e/2019-05-21-kalo", "a.org/e/*"),
        ("http://a.org/e/1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b.mp3", "a.org/e/*.mp3"),
        ("http://a.org/e/k3x9a2q", "a.org/e/*#"),
        ("http://a.org/e/9a2q7", "a.org/e/*#"),
        ("http://a.org/e/?v=dQw4w9WgXcQ", "a.org/e/?v"),
        ("http://a.org/episodes/123/kalo/", "a.org/episodes/#/*/"),
        ("http://a.org/episodes/123/", "a.org/episodes/#/"),
        ("http://a.org/kalo-mera", "a.org/*"),
        ("http://a.org/wp-content/uploads/a.pdf", "a.org/wp-content/uploads/a.pdf"),
        ("http://a.org/v1.12", "a.org/*#.#"),
        ("http://a.org/2024/song12b.mp3?id=7&x=1", "a.org/#/*#*.mp3?id&x"),
        ("http://a.org/node/17", "a.org/node/#"),
        ("https://a.org:8443/x?b=2&a=1&b=3", "a.org:8443/x?a&b"),
        ("http://a.org/v1.2/", "a.org/*#.#/"),
        ("http://a.org/news/what-came-of-it.html", "a.org/news/*.html"),
        ("http://a.org/about-us", "a.org/*"),
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
