"""The parts of the learner: URLs in components, answers as trees, steps between values, tracing."""

import json

import pytest
from hand_made import entry, media, page
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.site_adapters.learn.sources import Source
from mediacrawl.site_adapters.learn.tracing import Tracer, applied, bits, cut
from mediacrawl.site_adapters.learn.trees import EVERY, form_of, json_path, read_tree
from mediacrawl.site_adapters.learn.urls import parsed, request_key, same_request
from mediacrawl.site_adapters.learn.visits import Visit
from mediacrawl.site_adapters.paths import JsonPath
from mediacrawl.site_adapters.patterns import site_of


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("https://a.example/x?a=1&b=2", "https://a.example/x?b=2&a=1", True),
        ("https://a.example/%7Ex?q=a%20b", "https://A.example/~x?q=a+b", True),
        ("https://a.example/x?a=1", "https://a.example/x?a=2", False),
        ("https://a.example/x", "http://a.example/x", False),
        ("https://a.example/x", "https://a.example/x/", False),
        ("https://a.example:81/x", "https://a.example/x", False),
        ("http://[", "http://[", True),
        ("http://[", "http://]", False),
    ],
)
def test_requests_are_the_same_however_they_are_written(one, other, is_same):
    assert same_request(one, other) is is_same


def test_parameters_that_are_not_needed_do_not_count():
    assert same_request("https://a.example/?a=1&_=5", "https://a.example/?a=1&_=6", {"_"})
    assert request_key("https://a.example/?_=1", {"_"}) == request_key("https://a.example/", ())


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("a.example", "a.example"),
        ("x.y.a.example:81", "a.example"),
        ("www.a.co.uk", "a.co.uk"),
        ("cdn.a.de", "a.de"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("localhost", "localhost"),
    ],
)
def test_hosts_of_one_site_share_a_part(host, site):
    assert site_of(host) == site


@pytest.mark.parametrize(
    "url", ["ftp://a.example/", "https://u:p@a.example/", "x", "", "https://a.example/" + "a/" * 2_000]
)
def test_what_is_no_url_of_the_web_is_none(url):
    assert parsed(url) is None


@pytest.mark.parametrize(
    ("body", "form"),
    [
        ('{"a": 1}', "json"),
        (" \ufeff[1]", "json"),
        (")]}'\n{}", "json"),
        ("cb({})", "jsonp"),
        ("/**/ a.b.c( [] );\n", "jsonp"),
        ("<?xml version='1.0'?><a/>", "xml"),
        ("<!DOCTYPE html><p>", "html"),
        ("f(1); g(2)", "jsonp"),
        ("var a = 1;", "text"),
        ("", "text"),
    ],
)
def test_the_form_of_an_answer_is_told_by_its_beginning(body, form):
    assert form_of(body) == form


def test_json_and_xml_have_the_same_tree():
    tree = read_tree('{"r": {"i": [{"a": 1.50}, {"a": true}], "n": null}}', "https://a.example/")
    assert tree.leaves == {("r", "i", 0, "a"): "1.50", ("r", "i", 1, "a"): "true"}
    assert tree.lists == {("r", "i"): 2}
    tree = read_tree('<r xmlns="urn:x"><i a="1"/><i>two</i></r>', "https://a.example/")
    assert tree.leaves == {("r", "i", 0, "@a"): "1", ("r", "i", 1): "two"}
    assert tree.lists == {("r", "i"): 2}


def test_paths_are_written_as_the_engine_reads_them():
    assert json_path(("a b", 0, "it's", EVERY, "x")) == '"a b"[0]."it\'s"[*].x'
    value = {"a b": [{"it's": [{"x": "1"}, {"x": "2"}]}]}
    assert JsonPath(json_path(("a b", 0, "it's", EVERY, "x"))).find(value) == ["1", "2"]
    tree = read_tree("<r><i><a/></i><i><a k='2'>1</a></i></r>", "https://a.example/")
    assert {json_path(path): text for path, text in tree.leaves.items()} == {
        "r.i[0].a[0]": "",
        'r.i[1].a[0]."@k"': "2",
        "r.i[1].a[0]": "1",
    }


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_each_value_is_at_its_path(value):
    tree = read_tree(json.dumps({"v": value}), "https://a.example/")
    for path, text in tree.leaves.items():
        found = value
        for step in path[1:]:
            found = found[step]
        assert str(found) == text


@pytest.mark.parametrize(
    ("values", "wanted", "steps"),
    [
        (("a-1", "bb-2"), ("1", "2"), ((("split", "-"), ("take", -1)),)),
        (("1-a", "2-b-c"), ("1", "2"), ((("split", "-"), ("take", 0)),)),
        (("x/1.mp4", "y/22.mp4"), ("1", "22"), ((("split", "/"), ("take", -1)), (("split", "."), ("take", 0)))),
        (("video12", "video345"), ("12", "345"), ((("after", "video"),),)),
        (("id=12&x", "a=1&id=3&y"), ("12", "3"), ((("after", "id="),), (("before", "&"),))),
        (("abc", "def"), ("x", "y"), None),
        (("", ""), ("a", "b"), None),
    ],
)
def test_a_part_is_taken_in_few_steps(values, wanted, steps):
    found = cut(values, wanted)
    assert (found is None) is (steps is None)
    if found is not None:
        assert applied(values, found) == wanted
        assert len(found) <= len(steps)


@given(st.lists(st.text("ab1-_./?=&", max_size=12), min_size=2, max_size=3), st.data())
def test_steps_that_are_found_lead_to_what_is_wanted(values, data):
    wanted = []
    for value in values:
        start = data.draw(st.integers(0, len(value)))
        wanted.append(value[start : data.draw(st.integers(start, len(value)))])
    steps = cut(tuple(values), tuple(wanted))
    assert steps is None or applied(values, steps) == tuple(wanted)


def test_short_values_tell_little():
    assert bits("7") < bits("42") < bits("4711") < bits("a81b20c9")
    assert bits("true") == bits("EN") == 2.0


def test_the_smallest_sure_explanation_is_taken():
    url = Source("url", (("segment", 1),), "", 0)
    attribute = Source("page", (("css", "#a"), ("attribute", "data-x")), "x", 10)
    tracer = Tracer({attribute: ("8340112", "5520937"), url: ("8340112", "5520937")})
    assert tracer.find(("8340112", "5520937")).source == url
    assert tracer.find(("8340113", "5520937")) is None
    assert tracer.find(("8340112", "8340112")) is None


def test_a_short_value_needs_more_pages_or_a_source_that_is_known():
    many = {Source("page", (("css", f"#e{n}"),), f"e{n}", 10): (f"{n}1", f"{n}2") for n in range(200)}
    source = Source("page", (("css", "#a"),), "number", 10)
    assert Tracer({**many, source: ("52", "71")}).find(("52", "71")) is None
    assert Tracer({**many, source: ("52", "71")}).find(("52", "71"), known={source}) is not None
    three = {each: (*values, "9") for each, values in many.items()}
    assert Tracer({**three, source: ("152", "171", "188")}).find(("152", "171", "188")) is not None


def test_parts_of_a_manifest_are_no_media_of_their_own():
    manifest = '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,URI="a/audio.m3u8"\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv/low.m3u8\n'
    made = page(
        "https://s.example/",
        entry("https://c.example/m.m3u8", manifest, "application/vnd.apple.mpegurl"),
        entry("https://c.example/v/low.m3u8", "#EXTM3U\n#EXTINF:4,\n1.mp4\n", "application/x-mpegurl"),
        entry("https://c.example/a/audio.m3u8", None, "application/x-mpegurl"),
        media("https://c.example/v/1.mp4"),
        media("https://c.example/v/2.ts", mime="video/mp2t"),
        media("https://c.example/other.mp4"),
        entry("https://c.example/d/x.mpd", '<?xml version="1.0"?><MPD></MPD>', "application/dash+xml"),
        media("https://c.example/d/1/1.m4s"),
    )
    assert list(Visit(made, parsed(made.url)).played.values()) == [
        "https://c.example/m.m3u8",
        "https://c.example/other.mp4",
        "https://c.example/d/x.mpd",
    ]


def test_what_redirects_to_a_medium_is_one():
    made = page(
        "https://s.example/",
        entry("https://s.example/play/1", None, "", status=302, redirect="https://c.example/1.mp4"),
        media("https://c.example/1.mp4"),
    )
    assert Visit(made, parsed(made.url)).is_played("https://s.example/play/1")
    assert not Visit(made, parsed(made.url)).is_played("https://s.example/play/2")
