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
def test_a_tag_with_thousands_of_attributes_is_ended_early_and_the_page_keeps_its_links(form):
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


PRETENDED = [
    b'<script>a <b c="</script><p x="> " ',
    b"<style>a <b c='</style><p x='> ' ",
    b'<textarea><b c="</textarea><p x="> " ',
    b'<!-- <b c="--><p x="> " ',
    b"<title><i<b c='</title><p x='> ' ",
    b"<p x=y='><script>a <b c=\"</script><p x='> \" ' ",
    b'<script>a <b c=\x0b"</script><p x="> " ',
    b"<p a<b/c='<p x=\"> ' \" ",
    b'<p x= \n"a"b=" ><i c="> " ',
]
"""Beginnings after which a reader that believes the first quotation mark takes a tag for a value."""


@pytest.mark.parametrize("ending", [b">", b'">', b"'>", b"\"'>"])
@pytest.mark.parametrize("form", [b" %s", b"/%s", b' %s=">"', b" %s='>'", b'\n%s = "</b>"', b"<%s="])
@pytest.mark.parametrize("begin", PRETENDED)
def test_no_tag_has_many_attributes_whatever_seems_to_be_before_it(begin, form, ending):
    flood = b"".join(form % (b"n%x" % each) for each in range(6_000))
    page = parse_page(begin + flood + ending + b"<a href=/last>2</a>", "http://a.example/")
    trees = [page.tree, *page.tree.itersiblings()]
    assert max(len(element.attrib) for tree in trees for element in tree.iter()) <= 2 * MOST_ATTRIBUTES


def test_what_is_in_no_flood_stays_as_it_is_between_two():
    flood = tag(b" %s")
    between = b"<script>if (a <b) { c = 'd' }</script><a href=/x title='>'>x</a>" * 100
    short, number = shorten(flood + between + flood)
    assert number == 2
    assert between in short


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
