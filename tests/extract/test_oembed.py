"""Answers of oEmbed: of sites that keep to the specification, and of others."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract import parse_list, parse_page

URL = "https://tube.example/oembed?url=https%3A%2F%2Ftube.example%2Fw%2F7"
FILM = {
    "type": "video",
    "version": "1.0",
    "title": "Die Brücke",
    "author_name": "Ada",
    "provider_name": "Tube",
    "thumbnail_url": "/t/7.jpg",
    "duration": 95,
    "width": 560,
    "html": '<iframe width="560" src="//tube.example/embed/7?a=1&amp;b=2"></iframe>',
}
XML = """<?xml version="1.0" encoding="utf-8"?><oembed><version>1.0</version><type>rich</type>
<title>Lied &amp; Tanz</title><author_name>Ben</author_name><thumbnail_url>https://pics.example/1.jpg</thumbnail_url>
<html>&lt;iframe src=&quot;https://sound.example/player/1&quot;&gt;&lt;/iframe&gt;</html></oembed>"""


def read(answer):
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    return parse_list("oembed", body, URL)


def told(answer):
    (player,) = read(answer).players
    return {each.key: each.text for each in player.facts}


def test_an_answer_tells_of_the_player_and_of_what_it_plays():
    (player,) = read(FILM).players
    assert (player.href, player.title) == ("https://tube.example/embed/7?a=1&b=2", "Die Brücke")
    assert told(FILM) == {
        "type": "VideoObject",
        "title": "Die Brücke",
        "artist": "Ada",
        "provider": "Tube",
        "duration": "95",
        "thumbnail_url": "https://tube.example/t/7.jpg",
        "embed_url": "https://tube.example/embed/7?a=1&b=2",
    }


def test_one_in_xml_says_the_same():
    found = told(XML.encode())
    assert (found["title"], found["artist"]) == ("Lied & Tanz", "Ben")
    assert found["embed_url"] == "https://sound.example/player/1"
    assert "type" not in found


@pytest.mark.parametrize(
    "answer",
    [
        {**FILM, "type": "photo"},
        {**FILM, "type": "link"},
        {**FILM, "type": ["video"]},
        {**FILM, "html": "<p>no player</p>"},
        {**FILM, "html": '<iframe src="javascript:alert(1)"></iframe>'},
        {**FILM, "title": "x" * 200_000},
        [FILM],
        b"",
        b"<html><iframe src='https://tube.example/embed/7'></iframe></html>",
        json.dumps(FILM).encode()[:-1],
        b"[" * 100_000,
        b'{"a":' * 30_000,
    ],
)
def test_what_plays_nothing_has_no_player(answer):
    assert read(answer).players == []


def test_values_that_are_none_are_left_out():
    odd = {
        "title": {"a": 1},
        "author_name": "\ud800x",
        "duration": "soon",
        "thumbnail_url": "data:x",
        "provider_name": 3,
    }
    assert told({**FILM, **odd}) == {
        "type": "VideoObject",
        "artist": "?x",
        "embed_url": "https://tube.example/embed/7?a=1&b=2",
    }
    assert "duration" not in told({**FILM, "duration": float("nan")})
    assert "duration" not in told({**FILM, "duration": True})


def test_a_page_names_where_more_is_said_of_it():
    forms = "".join(
        f'<link rel="alternate" type="{kind}" href="/oembed?{number}">'
        for number, kind in enumerate(("application/json+oembed", "text/xml+oembed", "application/json+oembed") * 3)
    )
    page = parse_page(f"<html><head>{forms}<link rel=alternate type=image/png href=/x>".encode(), URL)
    assert page.oembed == ["/oembed?0", "/oembed?1", "/oembed?2", "/oembed?3"]
    assert page.links == []


@given(st.one_of(st.binary(max_size=200), st.text().map(lambda text: json.dumps({**FILM, "html": text}).encode())))
def test_no_answer_makes_it_raise(body):
    assert len(read(body).players) <= 1
    assert len(read(b"<oembed>" + body).players) <= 1
