"""The media of a page: cards, players, and what the page says of the one that it is about."""

import json

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.extract import MAX_LINKS, facts_by_url, inherit, parse_page, standing_alone
from mediacrawl.extract.medium import MOST_ALONE, MOST_FILES, MOST_MEDIA
from mediacrawl.extract.texts import names_media
from mediacrawl.facts import PAGE, Fact, frame_attributes
from mediacrawl.scope import Base

URL = "https://site.example/dir/page.html"
HOME = "https://site.example/dir/"


def page_of(html):
    return parse_page(html.encode(), URL)


def card(*pairs):
    return "".join(f'<meta property="{name}" content="{content}">' for name, content in pairs)


def json_ld(**properties):
    return f'<script type="application/ld+json">{json.dumps(properties)}</script>'


def told(html, url=None):
    """What is said of a file, or of the only medium, by key."""
    page = page_of(html)
    if url is None:
        (medium,) = page.media
        facts = medium.facts
    else:
        facts = facts_by_url(page.media, Base(page.base).canonical).get(HOME + url, [])
    found = {}
    for each in facts:
        found.setdefault(each.key, each.text)
    return found


def alone(html, admits=lambda url: True):
    page = page_of(html)
    return standing_alone(page.media, URL, Base(page.base).canonical, admits)


# -- OpenGraph and player cards --------------------------------------------------------------------------------------


def test_a_page_with_a_song_of_opengraph_tells_of_it():
    html = card(
        ("og:type", "music.song"),
        ("og:title", "Song"),
        ("og:description", "Sung by the river"),
        ("og:image", "cover.jpg"),
        ("og:audio", "song.mp3"),
        ("og:audio:type", "audio/mpeg"),
        ("music:musician", "https://site.example/ann"),
        ("music:musician_description", "Ann"),
        ("music:duration", "215"),
        ("music:release_date", "2020-02-01"),
        ("music:album:track", "4"),
    )
    assert told(html, "song.mp3") == {
        "type": "MusicRecording",
        "title": "Song",
        "description": "Sung by the river",
        "thumbnail_url": HOME + "cover.jpg",
        "mime": "audio/mpeg",
        "artist": "Ann",
        "duration": "215",
        "date": "2020-02-01",
        "tracknumber": "4",
    }


def test_several_encodings_of_a_film_and_its_player_are_one_medium():
    html = card(
        ("og:title", "Film"),
        *(("og:video", "https://play.example/1"), ("og:video:type", "text/html")),
        *(("og:video", "film.mp4"), ("og:video:type", "video/mp4"), ("og:video:width", "640")),
        *(("og:video", "film.webm"), ("og:video:type", "video/webm")),
        *(("twitter:player", "https://play.example/1"), ("twitter:player:stream", "film.mp4")),
    )
    (medium,) = page_of(html).media
    assert [file.href for file in medium.files] == ["film.mp4", "film.webm", "film.mp4"]
    assert (medium.player, medium.kind, medium.is_main) == ("https://play.example/1", "video", True)
    assert told(html, "film.mp4")["width"] == "640"
    assert told(html, "film.webm") == {
        "mime": "video/webm",
        "title": "Film",
        "type": "VideoObject",
        "player_url": "https://play.example/1",
    }


def test_several_songs_of_one_kind_are_several_media_and_none_has_the_title_of_the_page():
    html = card(("og:title", "Album"), ("og:audio", "1.mp3"), ("og:audio", "2.mp3"))
    assert [[file.href for file in medium.files] for medium in page_of(html).media] == [["1.mp3"], ["2.mp3"]]
    assert "title" not in told(html, "1.mp3")


def test_a_player_of_flash_is_no_player():
    assert page_of(card(("og:video", "film.swf"), ("og:video:type", "application/x-shockwave-flash"))).media == []


def test_a_player_that_is_named_once_more_behind_its_type_is_no_file():
    player = "https://play.example/e/1"
    page = page_of(card(("og:video", player), ("og:video:type", "text/html"), ("og:video:url", player)))
    (medium,) = page.media
    assert (medium.player, medium.files) == (player, [])


@pytest.mark.parametrize("name", ["url", "secure_url"])
def test_each_url_behind_a_type_begins_an_object_of_its_own(name):
    # So the largest video sites write it.
    html = card(
        *((f"og:video:{name}", "https://play.example/e/1"), ("og:video:secure_url", "https://play.example/e/1")),
        *(("og:video:type", "text/html"), ("og:video:width", "1280"), ("og:video:height", "720")),
        *((f"og:video:{name}", "http://play.example/1.mp4"), ("og:video:secure_url", "https://play.example/1.mp4")),
        *(("og:video:type", "video/mp4"), ("og:video:width", "640")),
        *((f"og:video:{name}", "http://play.example/1.swf"), ("og:video:type", "application/x-shockwave-flash")),
    )
    page = page_of(html)
    (medium,) = page.media
    assert medium.player == "https://play.example/e/1"
    files = {file.href: {each.key: each.text for each in file.facts} for file in medium.files}
    told = {"mime": "video/mp4", "width": "640"}
    assert files == {"http://play.example/1.mp4": told, "https://play.example/1.mp4": told}
    assert {link.href: link.via for link in page.links} == {
        "https://play.example/e/1": "player",
        **dict.fromkeys(files, "og:video"),
        "http://play.example/1.swf": "player",
    }


def test_the_secure_player_goes_first():
    group = (
        ("og:video", "http://a.example/"),
        ("og:video:secure_url", "https://a.example/"),
        ("og:video:type", "text/html"),
    )
    assert page_of(card(*group)).media[0].player == "https://a.example/"


# -- elements --------------------------------------------------------------------------------------------------------


def test_the_sources_of_a_player_are_one_work_with_what_stands_around_it():
    html = """<figure><div><video poster=p.jpg title="The boat"><source src=a.mp4 type="video/mp4; codecs=x">
    <source data-src=a.webm><track kind=captions src=c.vtt></video></div><figcaption>Two  <i>seconds</i></figcaption>"""
    (medium,) = page_of(html).media
    assert [(file.via, file.href) for file in medium.files] == [("source", "a.mp4"), ("source", "a.webm")]
    assert told(html, "a.mp4") == {
        "mime": "video/mp4",
        "title": "The boat",
        "description": "Two seconds",
        "thumbnail_url": HOME + "p.jpg",
        "transcript_url": HOME + "c.vtt",
    }


@pytest.mark.parametrize(
    ("attributes", "hrefs"),
    [
        ('data-mp4="a.mp4" data-webm="b.webm"', ["a.mp4", "b.webm"]),
        ('data-video-src="a.mp4?x=1"', ["a.mp4?x=1"]),
        ('data-poster="p.jpg" data-id="7"', []),
        ("""data-setup='{"sources": [{"src": "a.mp4", "type": "video/mp4"}, 3], "x": 1}'""", ["a.mp4"]),
        ("""data-setup='{"sources": {"src": "a.mp4"'""", []),
        ("""data-playlist='[{"file": "a.jpg"}]'""", []),
    ],
)
def test_lazy_attributes_of_a_player_name_files(attributes, hrefs):
    page = page_of(f"<video {attributes}></video>")
    assert [link.href for link in page.links if link.via == "data-src"] == hrefs
    assert [file.href for medium in page.media for file in medium.files] == hrefs


def test_an_attribute_whose_name_no_xml_may_have_is_read_like_others():
    page = parse_page(b"<audio data-\x01x=a.mp3 data-y=b.mp3 src=c.mp3></audio>", URL)
    assert [link.href for link in page.links] == ["c.mp3", "a.mp3", "b.mp3"]


def test_a_character_of_too_long_a_number_in_json_ld_is_unreadable_and_the_rest_is_read():
    # Python reads numbers of 4,300 digits at most (sys.set_int_max_str_digits).
    written = '{"@type":"VideoObject","name":"&#' + "9" * 5_000 + ';Eins","contentUrl":"a.mp4"}'
    page = page_of(f'<script type="application/ld+json">{written.replace(chr(34), "&quot;")}</script><a href=x>y</a>')
    assert [file.href for medium in page.media for file in medium.files] == ["a.mp4"]
    assert [each.text for each in page.media[0].facts if each.key == "title"] == ["\ufffdEins"]
    assert [link.href for link in page.links] == ["x", "a.mp4"]


@pytest.mark.parametrize("src", ["blob:https://site.example/1", "BLOB:x", "data:audio/wav;base64,AAAA"])
def test_what_a_script_made_is_no_link(src):
    page = page_of(f'<audio src="{src}"></audio>')
    assert (page.links, page.media) == ([], [])


def test_what_loops_without_sound_is_decoration():
    page = page_of("<video src=a.mp4 autoplay loop muted></video>")
    assert page.media == []
    assert [link.href for link in page.links] == ["a.mp4"]


@pytest.mark.parametrize(
    ("kind", "key"), [("subtitles", "transcript_url"), ("", "transcript_url"), ("chapters", "chapters_url")]
)
def test_a_track_is_told_of_and_not_followed(kind, key):
    html = f'<video src=a.mp4><track kind="{kind}" src=t.vtt></video>'
    assert told(html) == {key: HOME + "t.vtt"}
    assert [link.href for link in page_of(html).links] == ["a.mp4"]


def test_each_language_of_the_subtitles_is_told_of():
    html = "<video src=a.mp4><track src=de.vtt srclang=de><track src=en.vtt srclang=en label=English></video>"
    (medium,) = page_of(html).media
    found = [(frame_attributes(each.frame), each.text) for each in medium.facts if each.key == "transcript_url"]
    assert found == [({"language": "de"}, HOME + "de.vtt"), ({"language": "en"}, HOME + "en.vtt")]


# -- one work, told several times ------------------------------------------------------------------------------------

EPISODE = {"@type": "PodcastEpisode", "name": "One"}


def test_what_names_the_same_file_is_one_medium_and_json_ld_goes_first():
    html = (
        card(("og:title", "One | Show"), ("og:audio", URL.replace("page.html", "1.mp3")))
        + json_ld(**EPISODE, audio="1.mp3")
        + "<audio src=./1.mp3 title='play'></audio>"
    )
    (medium,) = page_of(html).media
    assert [each.text for each in medium.facts if each.key == "title"] == ["One", "One | Show", "play"]


def test_the_only_description_belongs_to_the_only_file():
    assert told(json_ld(**EPISODE) + "<audio src=1.mp3></audio>", "1.mp3")["title"] == "One"
    assert told(json_ld(**EPISODE) + "<a href=1.mp3>Get it</a><a href=2.html>x</a>", "1.mp3")["title"] == "One"


@pytest.mark.parametrize(
    "html",
    [
        json_ld(**EPISODE) + "<audio src=1.mp3></audio><audio src=2.mp3></audio>",
        json_ld(**EPISODE) + "<a href=1.mp3></a><a href=2.mp3></a>",
        json_ld(**EPISODE, embedUrl="https://play.example/1") + "<audio src=1.mp3></audio>",
        json_ld(**{**EPISODE, "@type": "VideoObject"}) + "<audio src=1.mp3></audio>",
    ],
)
def test_a_description_that_may_be_of_something_else_goes_to_no_file(html):
    assert "title" not in told(html, "1.mp3")


PAGE_FACTS = (
    '<meta name=Author content=Ann><meta name=keywords content="a, b"><a rel="nofollow license" href=/cc>CC</a>'
)
OF_PAGE = {"artist": "Ann", "keywords": "a, b", "license_url": "https://site.example/cc"}


def test_what_is_said_of_the_page_goes_to_its_only_medium():
    assert told(PAGE_FACTS + "<audio src=1.mp3></audio>", "1.mp3") == OF_PAGE


def test_with_several_media_it_goes_to_the_main_one_or_to_none():
    two = "<audio src=1.mp3></audio><audio src=2.mp3></audio>"
    assert told(PAGE_FACTS + two, "1.mp3") == {}
    html = PAGE_FACTS + two + json_ld(**EPISODE, audio="2.mp3", mainEntityOfPage=URL)
    assert told(html, "1.mp3") == {}
    assert told(html, "2.mp3") == {"title": "One", "type": "PodcastEpisode", **OF_PAGE}


def test_what_json_ld_names_goes_before_what_a_card_plays():
    html = PAGE_FACTS + card(("og:audio", "1.mp3")) + json_ld(**EPISODE, audio="2.mp3", mainEntityOfPage=URL)
    assert "keywords" not in told(html, "1.mp3")
    assert told(html, "2.mp3")["keywords"] == "a, b"


def test_of_two_licences_none_is_sure():
    html = "<link rel=license href=/a><a rel=license href=/b></a><audio src=1.mp3></audio>"
    assert told(html, "1.mp3") == {}


def test_the_title_of_an_article_is_no_title_of_what_it_plays():
    html = card(("og:type", "article"), ("og:title", "Article")) + "<audio src=1.mp3></audio>"
    assert told(html, "1.mp3") == {}
    html = card(("og:type", "music.song"), ("og:title", "Song")) + "<audio src=1.mp3></audio>"
    assert told(html, "1.mp3")["title"] == "Song"


# -- without a file --------------------------------------------------------------------------------------------------


def test_a_player_without_a_file_stands_alone_under_its_own_url():
    html = card(("og:title", "Film"), ("og:video:url", "https://play.example/e/1#t"), ("og:video:type", "text/html"))
    assert list(alone(html)) == ["https://play.example/e/1"]
    html = json_ld(**{"@type": "VideoObject", "name": "Film", "embedUrl": "//play.example/e/2"})
    assert list(alone(html)) == ["https://play.example/e/2"]
    assert ("player", "https://play.example/e/2") in [(link.via, link.href) for link in page_of(html).links]


def test_a_medium_whose_file_may_be_asked_does_not():
    html = json_ld(**EPISODE, embedUrl="https://play.example/1", audio="https://cdn.example/1.mp3")
    assert alone(html) == {}
    assert list(alone(html, lambda url: "cdn.example" not in url)) == ["https://play.example/1"]


def test_one_without_a_player_has_the_url_of_the_page_if_the_page_is_about_it():
    assert list(alone(json_ld(**EPISODE))) == [URL]
    assert list(alone(json_ld(**EPISODE) * 2)) == []
    assert list(alone(json_ld(**EPISODE) + json_ld(**EPISODE, mainEntityOfPage=URL))) == [URL]


@pytest.mark.parametrize(
    "html",
    [
        "<iframe src=https://play.example/1></iframe>",
        card(("og:title", "Film"), ("og:type", "video.movie")),
        json_ld(**{"@type": "MusicRecording", "name": "Song"}),
        "<video title=x></video>",
    ],
)
def test_what_is_not_declared_or_names_nothing_does_not(html):
    assert alone(html) == {}


def test_a_list_of_players_is_bounded():
    videos = [{"@type": "VideoObject", "name": "x", "embedUrl": f"https://play.example/{n}"} for n in range(100)]
    assert len(alone(json_ld(**{"@graph": videos}))) == MOST_ALONE


def test_a_player_inherits_what_was_said_where_it_was_found():
    said = [Fact(PAGE, "json-ld:name", "title", "Film"), Fact(PAGE, "json-ld:author", "artist", "Ann")]
    page = page_of("<video src=a.mp4 title=Play></video>")
    inherit(page.media, said)
    assert [each.text for each in page.media[0].facts] == ["Play", "Film", "Ann"]
    two = page_of("<video src=a.mp4></video><video src=b.mp4></video>")
    inherit(two.media, said)
    assert [medium.facts for medium in two.media] == [[], []]


# -- bounds ----------------------------------------------------------------------------------------------------------


def test_of_too_many_links_those_to_media_stay():
    page = page_of(
        "<a href=x>y</a>" * (MAX_LINKS + 10) + card(("og:audio", "1.mp3")) + json_ld(**EPISODE, audio="2.mp3")
    )
    assert len(page.links) == MAX_LINKS
    assert [link.href for link in page.links[-3:]] == ["x", "1.mp3", "2.mp3"]
    assert page.cut == 12


def test_a_hundred_thousand_of_anything_is_bounded():
    page = page_of(
        card(("og:video", "a.mp4"), ("og:video:url", "b.mp4"), ("author", "x")) * 30_000
        + "<audio src=a.mp3></audio>" * 10_000
    )
    assert len(page.media) <= MOST_MEDIA
    assert all(len(medium.files) <= MOST_FILES for medium in page.media)
    assert len(page.links) <= MAX_LINKS


PIECES = st.sampled_from(
    [
        *(
            "<video src=a.mp4>",
            "<video>",
            "</video>",
            "<source src=b.mp4>",
            "<track src=c>",
            "<figure>",
            "<figcaption>x",
        ),
        *(
            "<audio data-src=//[ poster=//[>",
            '<audio data-setup=\'{"sources":[{"src":"\\ud800.mp3"}]}\'>',
            "<base href=//[>",
        ),
        *(card(("og:video", "http://[")), card(("og:video:url", "a")), card(("og:video:type", "text/html"))),
        *(card(("twitter:player", "//p.example")), card(("og:title", "\x00 x")), "<a rel=license href=//[>", "</html>"),
        *(json_ld(**{"@type": "VideoObject", "embedUrl": "//[", "contentUrl": ["a.mp4", "//["]}), json_ld(**EPISODE)),
    ]
)


@settings(max_examples=examples(80))
@given(st.lists(PIECES, max_size=12))
def test_no_page_raises_and_all_facts_can_be_stored(pieces):
    page = page_of("".join(pieces))
    resolve = Base(URL).canonical
    for medium in standing_alone(page.media, URL, resolve, lambda url: False).values():
        assert medium.is_declared
    for facts in facts_by_url(page.media, resolve).values():
        for each in facts:
            each.text.encode("utf-8")
    for link in page.links:
        link.href.encode("utf-8")


@pytest.mark.parametrize(
    ("href", "is_media"),
    [
        ("a.mp3", True),
        ("A.MP3?x=/y.html#z", True),
        ("a.mp3#t=1", True),
        ("a.mp3?" + "x" * 500, True),
        ("a.amr", True),
        ("a.dsf", True),
        ("//site.com.au", False),
        ("a.mp3.html", False),
        ("mp3", False),
        ("", False),
    ],
)
def test_a_file_is_told_by_its_ending(href, is_media):
    assert names_media(href) is is_media
