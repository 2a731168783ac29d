"""Tags with more attributes than anybody reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract.charset import MOST_ATTRIBUTES, shorten
from mediacrawl.extract.links import parse_page

MANY = 20_000


def tag(form, number=MANY, name=b"a"):
    return b"<" + name + b"".join(form % (b"n%x" % each) for each in range(number)) + b" >"


@pytest.mark.parametrize(
    "form", [b" %s</b", b"</%s", b" %s", b' %s=">"', b" %s='<b c>'", b' %s = "it\'s"', b"\n%s=1", b'/%s="x"', b' %s=""']
)
def test_a_tag_with_thousands_of_attributes_keeps_the_first_thousand_and_the_page_its_links(form):
    page = b"<a href=/first>1</a>" + tag(form) + b"<a href=/last>2</a>"
    short, number = shorten(page)
    assert number == 1
    assert short.startswith(b"<a href=/first>1</a><a")
    assert short.endswith(b">2</a>")
    kept = [link for link in parse_page(short, "http://a.example/").links if link.href != "/first"]
    assert [link.href for link in kept] == ["/last"]
    assert parse_page(page, "http://a.example/").tags_cut == 1


def test_the_first_attributes_are_still_read():
    player = tag(b" %s=1", name=b"audio src=/a.mp3")
    page = parse_page(player, "http://a.example/")
    assert [link.href for link in page.links] == ["/a.mp3"]
    assert page.tags_cut == 1


@pytest.mark.parametrize(
    "page",
    [
        b"<p title=\"it's\">it's</p> " * 8_000,
        b"<img src='data:image/png;base64," + b"A/b+" * 40_000 + b"'>" + b"a b " * 8_000,
        b'<div data-props="' + b"{'a': [1, 2 ]} " * 10_000 + b'"><a href=/x>',
        tag(b" %s", MOST_ATTRIBUTES) * 30,
    ],
)
def test_ordinary_pages_stay_as_they_are(page):
    assert shorten(page) == (page, 0)


def test_the_end_of_a_script_is_no_attribute_of_what_looks_like_a_tag_in_it():
    script = b"<script>" + b"if (a <b && c < d) { e = 'f' } " * 6_000 + b"x()</script>"
    page = parse_page(script + b"<a href=/after>after</a>", "http://a.example/")
    assert [link.href for link in page.links] == ["/after"]
    assert page.tags_cut == 1


@given(st.lists(st.sampled_from([b"<a", b" ", b"x", b"=", b'"', b"'", b">", b"/", b"<", b"\n", b"ab"]), max_size=30))
def test_what_is_cut_is_the_end_of_a_tag_and_nothing_else(pieces):
    page = b"".join(pieces)
    short, number = shorten(page * 3 + b" " * 13_000 + b"x" * 13_000)
    assert number == 0
    assert short.startswith(page * 3)
