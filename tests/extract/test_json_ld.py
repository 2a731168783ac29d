"""JSON-LD as people write it, and the media in it."""

import json

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.extract import parse_page
from mediacrawl.extract.medium import MOST_MEDIA
from mediacrawl.extract.structured_data import LONGEST_SCRIPTS, MOST_SCRIPTS, read_scripts

URL = "https://site.example/dir/page.html"
FILM = {"@context": "https://schema.org", "@type": "VideoObject", "name": "Film", "contentUrl": "film.mp4"}


def page_of(*scripts, head=""):
    texts = [script if isinstance(script, str) else json.dumps(script) for script in scripts]
    return parse_page((head + "".join(f'<script type="application/ld+json">{t}</script>' for t in texts)).encode(), URL)


def told(*scripts, key=None, head=""):
    """What the only medium of a page says, by the property it is in; or all texts of one key."""
    (medium,) = page_of(*scripts, head=head).media
    if key is not None:
        return [each.text for each in medium.facts if each.key == key]
    return {each.frame.partition(":")[2]: each.text for each in medium.facts}


def files(page):
    return [[file.href for file in medium.files] for medium in page.media]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        ' \n\ufeff{"a": 1}\n',
        '<!-- {"a": 1} -->',
        '<!--\n{"a": 1}\n//-->',
        '<![CDATA[{"a": 1}]]>',
        '//<![CDATA[\n{"a": 1}\n//]]>',
        '/*<![CDATA[*/{"a": 1}/*]]>*/',
        '{"a": 1};',
        '{"a": 1,}',
        '{"a": 1 , \n }',
        '{"a": /* one */ 1}',
        '{"a": 1 // one\n}',
        "{&quot;a&quot;: 1}",
    ],
)
def test_what_stands_around_an_object_or_too_much_in_it_does_no_harm(text):
    assert read_scripts([text]) == [{"a": 1}]


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ('{"a": 1}{"b": 2}', [{"a": 1}, {"b": 2}]),
        ('{"a": 1},\n{"b": 2};', [{"a": 1}, {"b": 2}]),
        ('[{"a": 1}, {"b": [1, 2,],},]', [[{"a": 1}, {"b": [1, 2]}]]),
        ('{"a": "x\ny, } // /* \\" ,]"}', [{"a": 'x\ny, } // /* " ,]'}]),
        ('{"a": "x ,]",}', [{"a": "x ,]"}]),
        ('{"a": 1} and more', [{"a": 1}]),
        ('{"a": 1} and {"b": 2}; more', [{"a": 1}, {"b": 2}]),
        ('schema: {"a": 1}', [{"a": 1}]),
        ('var data = {"a": 1, }; {"b": 2}', [{"a": 1}, {"b": 2}]),
        (';;{"a": 1};;[{"b": 2}];', [{"a": 1}, [{"b": 2}]]),
        ('{"a": 1}{"b": ', [{"a": 1}]),
        ('{"a": 1, "b": {"c": [2, 3', [{"a": 1, "b": {"c": [2, 3]}}]),
        ('{"a": [{"b": 2}, "c": 3}', [{"a": [{"b": 2}], "c": 3}]),
        ('{"a": [1, 2 "c": 3}', [{"a": [1, 2], "c": 3}]),
        ('{"a": 1 "b": 2\n"c": {"d": 4} "e": [5] "f": 6}', [{"a": 1, "b": 2, "c": {"d": 4}, "e": [5], "f": 6}]),
        ('{"a": 1 + 2 "b": 2, "c": 3}', [{"b": 2, "c": 3}]),
        ('{"a": 1}}, {"b": 2}]', [{"a": 1}, {"b": 2}]),
        ('{"a": "one\ntwo\tthree", b: \'it"s\'}', [{"a": "one\ntwo\tthree", "b": 'it"s'}]),
        ('{"a": "\\u00e9\\ud83d\\ude00\\ud83d", x: 1', [{"a": "é😀\ufffd", "x": 1}]),
        ("{'a': 1}", [{"a": 1}]),
        ("[1, 2, [3", []),
        ("42 'x'", []),
        ("", []),
        ("<!--", []),
    ],
)
def test_objects_follow_each_other_and_strings_stay_as_they_are(text, objects):
    assert read_scripts([text]) == objects


def test_a_broken_script_loses_nothing_of_the_others():
    assert read_scripts(['{"a": 1}', '{"b": ', '{"c": 3}']) == [{"a": 1}, {"c": 3}]


def test_too_deep_too_long_and_too_many_scripts_are_left_out():
    assert read_scripts(["[" * 100_000, '{"a": 1}']) == [{"a": 1}]
    long = '{"a": "' + "x" * LONGEST_SCRIPTS + '"}'
    assert read_scripts([long]) == []
    assert read_scripts([long, '{"a": 1}']) == [{"a": 1}]
    assert read_scripts(['{"a": ' * 50_000 + "x", '{"a": 1}'])[-1] == {"a": 1}
    assert len(read_scripts(['{"a": 1}'] * 1_000)) == MOST_SCRIPTS
    assert read_scripts(['{"a": ' + "1" * 10_000 + "}"]) == []


@pytest.mark.parametrize("end", ["", "\\", "\n}"])
def test_a_text_that_never_ends_is_looked_for_once(end):
    # Looked for at each of its quotes this takes minutes.
    endless = '{"' + '\\"' * 100_000 + end
    assert read_scripts([endless, '{"a": "/* 1 */", /* 2 */ "b": 3,}']) == [{"a": "/* 1 */", "b": 3}]


@settings(max_examples=examples(60))
@given(st.text(alphabet='{}[]",:/*\\;<!->x1 \n', max_size=300))
def test_no_script_raises(text):
    read_scripts([text])


NAMES = """@type @id @graph name contentUrl embedUrl duration author license video audio associatedMedia url image
    inLanguage interactionStatistic partOfSeason mainEntity mainEntityOfPage width encodingFormat"""
LEAVES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8)
LEAVES |= st.sampled_from(["a.mp3", "PT1M", "//[", "VideoObject", "PodcastEpisode", "MediaObject"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES.split()), inner | LEAVES, max_size=6)
    ),
    max_leaves=15,
)


@settings(max_examples=examples(80))
@given(VALUES)
def test_no_object_raises_whatever_its_properties_are(value):
    page = page_of(json.dumps({"@type": "VideoObject", "x": value}).replace("</", "<\\/"))
    for medium in page.media:
        for each in medium.facts:
            each.text.encode("utf-8")


@pytest.mark.parametrize(
    "wrap",
    [
        lambda film: film,
        lambda film: [film],
        lambda film: {"@graph": [{"@type": "WebSite"}, film]},
        lambda film: {"@type": "Article", "video": film},
        lambda film: {"@type": "Product", "subjectOf": [{"x": film}]},
        lambda film: {"@type": "Movie", "name": "Feature", "trailer": film},
        lambda film: {"@type": ["Thing", "Recipe"], "video": {**film, "@type": None}},
        lambda film: {**film, "@type": ["CreativeWork", "VideoObject"]},
        lambda film: {**film, "@type": "https://schema.org/VideoObject"},
        lambda film: {**film, "@type": "schema:VideoObject"},
    ],
)
def test_a_video_is_found_wherever_it_stands(wrap):
    page = page_of(wrap(FILM))
    assert files(page) == [["film.mp4"]]
    assert ("json-ld", "film.mp4") in [(link.via, link.href) for link in page.links]
    assert told(wrap(FILM), key="title") == ["Film"]


def test_the_files_of_an_episode_are_its_parts_and_their_facts_join():
    episode = {
        "@type": "PodcastEpisode",
        "name": "One",
        "episodeNumber": 7,
        "partOfSeason": {"seasonNumber": 2},
        "partOfSeries": {"@type": "PodcastSeries", "name": "Show"},
        "associatedMedia": {"@type": "MediaObject", "name": "file", "contentUrl": "/1.mp3", "duration": "PT1H2M3S"},
    }
    said = told(episode)
    assert said.pop("@type") == "PodcastEpisode"
    assert said == {
        "name": "One",
        "episodeNumber": "7",
        "partOfSeason": "2",
        "partOfSeries": "Show",
        "duration": "3723",
    }
    assert files(page_of(episode)) == [["/1.mp3"]]


def test_several_encodings_are_one_work_and_tell_of_themselves():
    song = {
        "@type": "MusicRecording",
        "name": "Song",
        "encoding": [
            {"@type": "AudioObject", "contentUrl": "a.ogg", "encodingFormat": "audio/ogg", "contentSize": "1234 B"},
            {"@type": "AudioObject", "contentUrl": "a.mp3", "encodingFormat": "audio/mpeg"},
            {"@type": "ImageObject", "contentUrl": "cover.jpg"},
        ],
    }
    (medium,) = page_of(song).media
    of_files = {file.href: {each.key: each.text for each in file.facts} for file in medium.files}
    assert of_files == {"a.ogg": {"mime": "audio/ogg", "size": "1234"}, "a.mp3": {"mime": "audio/mpeg"}}


@pytest.mark.parametrize(
    ("properties", "key", "texts"),
    [
        ({"duration": "PT1H2M3S"}, "duration", ["3723"]),
        ({"duration": "P0Y0M0DT0H3M25S"}, "duration", ["205"]),
        ({"duration": "P0D"}, "duration", []),
        ({"duration": "P"}, "duration", []),
        ({"duration": 61.5}, "duration", ["61.5"]),
        ({"duration": {"@type": "Duration", "name": "PT2M"}}, "duration", ["120"]),
        ({"duration": "soon"}, "duration", []),
        ({"author": "Ann"}, "artist", ["Ann"]),
        ({"author": {"@type": "Person", "name": "Ann"}}, "artist", ["Ann"]),
        ({"author": [{"name": "Ann"}, "Bo"]}, "artist", ["Ann", "Bo"]),
        ({"creator": "Cy", "byArtist": "By"}, "artist", ["By"]),
        ({"author": {"@id": "#ann"}}, "artist", ["Ann of the graph"]),
        ({"author": {"@id": "#nobody"}}, "artist", []),
        ({"name": "Tom &amp; Jo"}, "title", ["Tom & Jo"]),
        ({"name": {"@value": "Nom", "@language": "fr"}}, "title", ["Nom"]),
        ({"name": "\ud83d!"}, "title", ["?!"]),
        ({"description": "<p>One <b>two</b></p>"}, "description", ["One two"]),
        ({"keywords": ["a", {"@type": "DefinedTerm", "name": "b"}]}, "keywords", ["a", "b"]),
        ({"inLanguage": "de_AT"}, "language", ["de-AT"]),
        ({"inLanguage": {"@type": "Language", "name": "Spanish", "alternateName": "es"}}, "language", ["es"]),
        ({"inLanguage": "German"}, "language", []),
        ({"license": "https://cc.example/by/"}, "license_url", ["https://cc.example/by/"]),
        ({"license": "/terms"}, "license_url", ["https://site.example/terms"]),
        ({"license": {"@type": "CreativeWork", "name": "BY", "url": "https://cc.example/"}}, "license", ["BY"]),
        ({"license": "All rights reserved"}, "license", ["All rights reserved"]),
        ({"thumbnailUrl": ["t.jpg", "u.jpg"]}, "thumbnail_url", ["https://site.example/dir/t.jpg"]),
        ({"thumbnail": {"@type": "ImageObject", "url": "t.jpg"}}, "thumbnail_url", ["https://site.example/dir/t.jpg"]),
        ({"uploadDate": "2024-05-01T10:00:00+02:00"}, "upload_date", ["2024-05-01T08:00:00Z"]),
        ({"embedUrl": "//play.example/1"}, "embed_url", ["https://play.example/1"]),
        ({"isFamilyFriendly": False}, "explicit", ["yes"]),
        ({"caption": {"contentUrl": "c.vtt"}}, "transcript_url", ["https://site.example/dir/c.vtt"]),
        (
            {"interactionStatistic": [{"interactionType": {"@type": "WatchAction"}, "userInteractionCount": 12}]},
            "views",
            ["12"],
        ),
        ({"interactionStatistic": {"interactionType": "LikeAction", "userInteractionCount": 12}}, "views", []),
    ],
)
def test_properties_are_texts_numbers_objects_or_lists_of_them(properties, key, texts):
    ann = {"@type": "Person", "@id": "#ann", "name": "Ann of the graph"}
    assert told({"@graph": [ann, {**FILM, "name": "", **properties}]}, key=key) == texts


@pytest.mark.parametrize(
    "href", ["blob:https://site.example/1", "data:audio/mpeg;base64,AAAA", "http://", "", " ", 7, {}, None]
)
def test_what_is_no_url_is_no_file(href):
    page = page_of({**FILM, "contentUrl": href})
    assert files(page) == [[]]
    assert page.links == []


def test_the_main_entity_is_known():
    main = {"@type": "WebPage", "mainEntity": {"@id": "#two"}}
    videos = [{**FILM, "@id": f"#{name}", "contentUrl": f"{name}.mp4"} for name in ("one", "two")]
    assert [medium.is_main for medium in page_of([main, *videos]).media] == [False, True]
    videos[0]["mainEntityOfPage"] = {"@id": URL + "#top"}
    videos[1]["mainEntityOfPage"] = "https://site.example/other"
    assert [medium.is_main for medium in page_of(videos).media] == [True, False]


def test_a_song_that_is_only_talked_about_is_no_medium():
    assert (
        page_of({"@type": "MusicAlbum", "track": [{"@type": "MusicRecording", "name": "Song", "url": "/s"}]}).media
        == []
    )


def test_a_list_of_a_thousand_videos_is_bounded():
    page = page_of([{**FILM, "contentUrl": f"{number}.mp4"} for number in range(1_000)])
    assert len(page.media) == MOST_MEDIA


def test_objects_that_refer_to_each_other_in_a_circle_end():
    one = {"@type": "VideoObject", "@id": "#1", "contentUrl": "1.mp4", "author": {"@id": "#1"}, "video": {"@id": "#2"}}
    two = {"@type": "VideoObject", "@id": "#2", "contentUrl": "2.mp4", "encoding": {"@id": "#1"}}
    assert page_of([one, two]).media


def test_a_script_is_no_anchor_text():
    page = page_of(FILM)
    assert [page.anchor(link) for link in page.links] == [""]
