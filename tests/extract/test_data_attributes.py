"""Media in attributes for scripts, on any element."""

import json
import time
from html import escape

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.extract import MAX_LINKS, parse_page
from mediacrawl.extract.medium import MOST_MEDIA
from mediacrawl.extract.scripts import lazy_names

URL = "https://site.example/dir/page.html"


def page_of(html):
    return parse_page(html.encode(), URL)


def files(html):
    return [[(file.via, file.href) for file in medium.files] for medium in page_of(html).media]


@pytest.mark.parametrize(
    ("html", "hrefs"),
    [
        ("<div data-src='/a.mp3'>", ["/a.mp3"]),
        ('<div data-audio-src="https://cdn.example/a.mp3?x=1&amp;y=2">', ["https://cdn.example/a.mp3?x=1&y=2"]),
        ("<button data-video-url=//cdn.example/a.mp4>Play</button>", ["//cdn.example/a.mp4"]),
        ("<li data-mp3=a.MP3>", ["a.MP3"]),
        ("<a href=# data-audio-url='sounds/a b.m4a'>x</a>", []),
        ("<a href=# data-audio-url='/sounds/a b.m4a'>x</a>", ["/sounds/a b.m4a"]),
        (
            "<p data-file='../a.flac'><p data-media-src='./b.opus'><p data-hls-src=/c.m3u8>",
            ["../a.flac", "./b.opus", "/c.m3u8"],
        ),
        ("<p data-a.b=/a.mp3 data-x_y=/b.mp3>", ["/b.mp3"]),
        ("<custom-player data-track=/a.wav></custom-player>", ["/a.wav"]),
        ("<p data-mp3=/a.mp3 data-ogg=/a.ogg>", ["/a.mp3", "/a.ogg"]),
        ("<img data-src=/a.jpg><p data-x='a.mp3.html'><p data-y=mp3><p data-z='.mp3x'>", []),
        ("<p data-x='{{ url }}.mp3'><p data-y='${x}.mp3'><p data-z='%s.mp3'><p data-q='javascript:a.mp3'>", []),
        ("<p data-title='Listen to song.mp3'><p data-x='data:audio/mp3,x.mp3'>", []),
        ("<script>x = '<p data-src=/a.mp3>'</script><!-- <p data-src=/b.mp3> -->", []),
    ],
)
def test_an_attribute_with_the_url_of_a_media_file_names_it(html, hrefs):
    assert [href for medium in files(html) for _, href in medium] == hrefs
    links = [link for link in page_of(html).links if link.href in hrefs]
    assert [(link.via, link.href) for link in links] == [("data-src", href) for href in hrefs]
    assert all(link.element.getparent() is not None for link in links)


@pytest.mark.parametrize(
    ("html", "links"),
    [
        ("<audio data-src=/a.mp3 data-x=/b.mp3></audio>", [("audio", "/a.mp3"), ("data-src", "/b.mp3")]),
        ("<video><source data-src=/a.mp4 data-hd=/b.mp4></video>", [("source", "/a.mp4"), ("data-src", "/b.mp4")]),
        ("<iframe data-src=/a.mp4></iframe><embed data-src=/b.mp4>", [("iframe", "/a.mp4"), ("embed", "/b.mp4")]),
        ("<img data-src=/a.mp4>", [("data-src", "/a.mp4")]),
    ],
)
def test_what_is_a_link_already_is_no_second_one(html, links):
    assert [(link.via, link.href) for link in page_of(html).links] == links


def test_what_an_element_says_is_told_of_its_file():
    html = """<div class=player data-mp3="/a.mp3" data-title="Der  Fluß" data-artist="Ann" data-cover="a.jpg"></div>
    <div data-mp3="/b.mp3" aria-label="Play" title="Play" data-audio-title="Der Berg"></div>
    <button data-mp3="/c.mp3" aria-label="Play" title="Play audio"></button>"""
    told = [{each.key: each.text for each in medium.facts} for medium in page_of(html).media]
    assert told == [
        {"title": "Der Fluß", "artist": "Ann", "thumbnail_url": "https://site.example/dir/a.jpg"},
        {"title": "Der Berg"},
        {},
    ]


@pytest.mark.parametrize(
    ("name", "element", "value", "hrefs"),
    [
        ("data-plyr-config", "div", {"title": "x", "sources": [{"src": "/a.mp4"}]}, ["/a.mp4"]),
        ("data-setup", "video-js", {"sources": [{"src": "/live/7", "type": "video/mp4"}], "x": ".mp4"}, ["/live/7"]),
        ("data-playlist", "video", [{"file": "a.mp4"}, {"file": "b.jpg"}], ["a.mp4"]),
        ("data-props", "div", {"episode": {"audioUrl": "https://cdn.example/1.mp3"}}, ["https://cdn.example/1.mp3"]),
        ("data-props", "div", {"url": "/page", "text": ".mp3", "file": "{{ x }}.mp3"}, []),
    ],
)
def test_an_attribute_of_json_is_a_set_up(name, element, value, hrefs):
    for written in (f'"{escape(json.dumps(value))}"', f"'{json.dumps(value)}'"):
        page = page_of(f"<{element} {name}={written}></{element}>")
        assert [file.href for medium in page.media for file in medium.files] == hrefs
        assert [(link.via, link.href) for link in page.links] == [("script", href) for href in hrefs]


def test_the_set_up_of_an_element_that_plays_is_read_once():
    html = """<video data-setup='{"sources": [{"src": "/a.mp4"}]}'></video>"""
    assert files(html) == [[("data-src", "/a.mp4")]]


@pytest.mark.parametrize(
    ("html", "names"),
    [
        (b'<p data-a="x.mp3">', ["data-a"]),
        (b"<p data-a='x.y.mp3' data-b=z.ogg data-c=x>", ["data-a", "data-b"]),
        (b'<p data-a="x y.mp3?z=1">', ["data-a"]),
        (b'<p data-a="x" y=z.mp3>', []),
        (b"<p data-a=x y=z.mp3>", []),
        (b"<p data-a=x.mp3a data-b=x.mp 3>", []),
        (b"<p data-=x.mp3>", []),
        (b"<p data-x=1><a href=/a.mp3 data-y='b.c'>x</a><img data-src='a.jpg'>", []),
        (b"<p data-" + b"a" * 50 + b"=x.mp3>", []),
        (b"".join(b"<p data-%d=x.mp3>" % number for number in range(100)), [f"data-{n}" for n in range(12)]),
    ],
)
def test_the_bytes_of_a_page_tell_which_attributes_there_may_be(html, names):
    assert lazy_names(html) == names


def test_thousands_of_elements_are_bounded():
    html = "".join(f"<p data-mp3=/{number}.mp3>" for number in range(6_000))
    page = page_of(html)
    assert len(page.media) == MOST_MEDIA
    assert len(page.links) <= MAX_LINKS
    assert len(page_of("<p " + " ".join(f"data-{n}=/{n}.mp3" for n in range(900)) + ">").media) == 1


@pytest.mark.parametrize(
    "unit",
    [
        *(b"data-a=", b"data-a=.", b"data-a=a.b.", b'data-a="', b"data-a='", b'data-a=".', b"data-a='.mp", b"data-"),
        *(b"data-a=.mp3", b'data-a="a.mp3', b"data-a=" + b"." * 50, b"data-a=x.mp4x", b"data-a='x\" data-b=\"y' "),
    ],
)
def test_bytes_are_searched_in_linear_time(unit):
    began = time.process_time()
    lazy_names(b"<p " + unit * (1_000_000 // len(unit)))
    assert time.process_time() - began < 2


PIECES = st.sampled_from(
    [
        "<p ",
        "data-src=",
        "data-mp3=",
        "'",
        '"',
        "/a.mp3",
        ".mp3",
        " ",
        "{",
        "}",
        "[",
        ":",
        ">",
        "</p>",
        "é",
        "&quot;",
        "x",
    ]
)


@settings(max_examples=examples(60))
@given(st.lists(PIECES, max_size=30))
def test_no_page_raises(pieces):
    page = page_of("<p data-src=/a.mp3>" + "".join(pieces))
    for medium in page.media:
        for file in medium.files:
            file.href.encode("utf-8")
