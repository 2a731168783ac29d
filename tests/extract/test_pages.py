"""The media of pages beyond all bounds: attributes, JSON-LD, microdata, scripts. Others are in `golden_texts`."""

import json
import time

import pytest
from extract_texts import PAGE_URL as URL
from extract_texts import page_of
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.base.content_type import names_media
from mediacrawl.base.facts import PAGE, Fact
from mediacrawl.extract import parse_page
from mediacrawl.extract.links import MAX_LINKS
from mediacrawl.extract.medium import MOST_ALONE, MOST_FILES, MOST_MEDIA
from mediacrawl.extract.structured_data import LONGEST_SCRIPTS, MOST_SCRIPTS, read_items, read_scripts
from mediacrawl.scope import Base

EPISODE = {"@type": "PodcastEpisode", "name": "One", "audio": "2.mp3"}
VIDEO = 'itemscope itemtype="https://schema.org/VideoObject"'


@pytest.mark.parametrize(
    ("href", "stays"),
    [
        *(("../", False), ("/", False), ("?C=M;O=A", False), ("/music/", False), ("//SITE.example/", False)),
        *(("http://mirror.example/", True), ("https://mirror.example/music/", True), ("//mirror.example/?C=M", True)),
        *(("http://mirror.example/music/old/?C=M", True), ("http://site.example:81/", True), ("new/", True)),
        *(("/%6Dusic/", False), ("/mus%69c/x/", True)),
    ],
)
def test_a_listing_has_its_parent_on_its_own_host(href, stays):
    html = f"<title>Index of /music/old</title><a href='{href}'>x</a>"
    page = parse_page(html.encode(), "https://site.example/music/old/")
    assert page.is_directory
    assert page.leave_steering() == (not stays)
    assert [link.href for link in page.links] == [href] * stays


def card(*pairs):
    return "".join(f'<meta property="{name}" content="{content}">' for name, content in pairs)


def json_ld(value):
    return f'<script type="application/ld+json">{json.dumps(value)}</script>'


def code(script):
    return f"<script>{script}</script>"


def state(value, name=""):
    text = value if isinstance(value, str) else json.dumps(value)
    return f'<script type="application/json" id="{name}">{text}</script>'


@pytest.mark.parametrize(
    ("content", "target"),
    [
        *((f"0{mark}/next", "/next") for mark in (";", "; ", ";\n", ",", " ", " ; ", ";url=", "; URL = ", ", url=")),
        *((f"5;url={mark}/next{mark} x", "/next") for mark in "\"'"),
        ("0;'/next'", "/next"),
        ("0.5; url=next.html?a=b;c&url=d", "next.html?a=b;c&url=d"),
        ("url=/next", "/next"),
        ("1;  urls.html ", "urls.html"),
        *((content, "") for content in ("5", "5;", "", "/next", "0;url=", "x; url=/next", "next 5", "0;url=''")),
    ],
)
def test_a_page_that_forwards_links_to_its_target(content, target):
    html = f"<meta http-equiv=Refresh content='{content.replace(chr(39), '&#39;')}'>"
    for page in (html, f"<noscript>{html}</noscript>"):
        assert [link.href for link in page_of(page).links] == [target] * bool(target)
    for body in (b"<p>x", b""):
        found = parse_page(body, URL, refresh=content).links
        assert [(link.href, link.via) for link in found] == [(target, "refresh")] * bool(target)


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


def test_a_medium_whose_file_may_be_asked_does_not_stand_alone():
    page = page_of(json_ld({**EPISODE, "embedUrl": "https://play.example/1", "audio": "https://cdn.example/1.mp3"}))
    resolve = Base(URL).canonical
    assert page.standing_alone(URL, resolve, lambda url: True) == {}
    alone = page.standing_alone(URL, resolve, lambda url: "cdn.example" not in url)
    assert list(alone) == ["https://play.example/1"]


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


def test_a_player_inherits_what_was_said_where_it_was_found():
    said = [Fact(PAGE, "json-ld:name", "title", "Film"), Fact(PAGE, "json-ld:author", "artist", "Ann")]
    page = page_of("<video src=a.mp4 title=Play></video>")
    page.inherit(said)
    assert [each.text for each in page.media[0].facts] == ["Play", "Film", "Ann"]
    two = page_of("<video src=a.mp4></video><video src=b.mp4></video>")
    two.inherit(said)
    assert [medium.facts for medium in two.media] == [[], []]


# -- JSON-LD as people write it ----------------------------------------------------------------------------------------


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


# -- bounds ------------------------------------------------------------------------------------------------------------


def test_of_too_many_links_those_to_media_stay():
    media = card(("og:audio", "1.mp3")) + json_ld(EPISODE) + state(["/3.mp3"])
    page = page_of("<a href=x>y</a>" * (MAX_LINKS + 10) + media)
    assert len(page.links) == MAX_LINKS
    assert [link.href for link in page.links[-4:]] == ["x", "1.mp3", "2.mp3", "/3.mp3"]
    assert page.cut == 13


MANY = [{"title": str(number), "url": f"/{number}.mp3"} for number in range(5_000)]


@pytest.mark.parametrize(
    "html",
    [
        card(("og:video", "a.mp4"), ("og:video:url", "b.mp4"), ("author", "x")) * 30_000,
        "<audio src=a.mp3></audio>" * 10_000,
        "".join(f"<p data-mp3=/{number}.mp3>" for number in range(6_000)),
        "<p " + " ".join(f"data-{number}=/{number}.mp3" for number in range(900)) + ">",
        state(MANY) + code(f"jwplayer('p').setup({json.dumps(MANY)})"),
        state({"files": MANY}),
        json_ld([{"@type": "VideoObject", "name": "Film", "contentUrl": f"{number}.mp4"} for number in range(1_000)]),
    ],
)
def test_media_files_and_links_are_bounded(html):
    page = page_of(html)
    assert 0 < len(page.media) <= MOST_MEDIA
    assert all(len(medium.files) <= MOST_FILES for medium in page.media)
    assert len(page.links) <= MAX_LINKS


def test_players_without_files_are_bounded():
    videos = [{"@type": "VideoObject", "name": "x", "embedUrl": f"https://play.example/{n}"} for n in range(100)]
    page = page_of(json_ld({"@graph": videos}))
    assert len(page.standing_alone(URL, Base(URL).canonical, lambda url: True)) == MOST_ALONE


def read(html):
    return read_items(page_of(html).tree, ("VideoObject",))


def test_items_that_all_name_the_same_long_part_take_bounded_steps():
    part = "<div id=a>" + "<i itemprop=x>y</i>" * 5_000 + "</div>"
    items = read(part + f"<p {VIDEO} itemref=a></p>" * 400)
    assert 5_000 <= sum(len(item.get("x", ())) for item in items) <= 20_000


def test_each_element_is_looked_at_once_however_deep_items_nest():
    nested = f"<div itemprop=video {VIDEO}>" * 300 + "</div>" * 300
    assert read(nested + f"<p {VIDEO}><b itemprop=name>Film</b>")[-1]["name"] == ["Film"]


def deep(opened, closed, inner, depth):
    return opened * depth + inner + closed * depth


@pytest.mark.parametrize(
    "html",
    [
        state(deep("[", "]", '"/a.mp3"', 50_000)),
        state(deep('{"a":', "}", '"/a.mp3"', 30_000)),
        state('{"a":"/a.mp3"' * 10_000),
        state(json.dumps({"a": ["/a.mp3"] * 20_000})),
        state(json.dumps([{"title": "x"}] * 15_000 + ["/a.mp3"])),
        state(json.dumps({f"{number}": "/a.mp3" for number in range(10_000)})),
        state(json.dumps([{"a": 1}, *([1] * 100) * 500, "/a.mp3"]), "__NUXT_DATA__"),
        state(json.dumps([{str(n): 0 for n in range(50)}] * 500 + ["/a.mp3"]), "__NUXT_DATA__"),
        code("jwplayer('p').setup(" + deep("{a:", "}", "'/a.mp3'", 30_000)),
        code("jwplayer" + "({file:'/a" * 18_000),
        code("jwplayer" * 25_000),
        code("jwplayer" + "{" * 190_000),
        code("self.__next_f.push([" + "'{.mp3'," * 20_000),
        code("self.__next_f.push(['" + "{.mp3" * 30_000 + "'])"),
        code("__A_STATE__=" * 15_000 + "'.mp3'"),
        code("__A_STATE__={" * 15_000 + "'.mp3'"),
        code("hls.loadSource('/a.m3u8');" * 8_000),
        code("jwplayer({file:'/a.mp3'})") * 5_000,
        "".join(state([f"/{number}.mp3"]) for number in range(3_000)),
    ],
)
def test_a_hostile_page_takes_a_bounded_time(html):
    page_of(code("jwplayer({file: '/a.mp3'})"))
    began = time.process_time()
    page = page_of(html[:200_000])
    assert time.process_time() - began < 3
    assert len(page.media) <= MOST_MEDIA


# -- any page ----------------------------------------------------------------------------------------------------------


def check(html):
    """Assert that all that is read of a page can be stored."""
    page = page_of(html)
    resolve = Base(URL).canonical
    assert all(each.is_declared for each in page.standing_alone(URL, resolve, lambda url: False).values())
    texts = [each.text for facts in page.facts_by_url(resolve).values() for each in facts]
    texts += [file.href for medium in page.media for file in medium.files]
    for text in (*texts, *(link.href for link in page.links)):
        text.encode("utf-8")


ELEMENTS = (
    *("<video src=a.mp4>", "<video>", "</video>", "<source src=b.mp4>", "<track src=c>", "<figure>", "<figcaption>x"),
    *(
        "<audio data-src=//[ poster=//[>",
        '<audio data-setup=\'{"sources":[{"src":"\\ud800.mp3"}]}\'>',
        "<base href=//[>",
    ),
    *(card(("og:video", "http://[")), card(("og:video:url", "a")), card(("og:video:type", "text/html"))),
    *(card(("twitter:player", "//p.example")), card(("og:title", "\x00 x")), "<a rel=license href=//[>", "</html>"),
    *(json_ld({"@type": "VideoObject", "embedUrl": "//[", "contentUrl": ["a.mp4", "//["]}), json_ld(EPISODE)),
)


@settings(max_examples=examples(80))
@given(st.lists(st.sampled_from(ELEMENTS), max_size=12).map("".join))
def test_any_elements_are_a_page(html):
    check(html)


ATTRIBUTES = (*"'\" {}[]:>x", "<p ", "data-src=", "data-mp3=", "/a.mp3", ".mp3", "</p>", "é", "&quot;")


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from(ATTRIBUTES), max_size=30).map("".join))
def test_any_attributes_are_a_page(html):
    check("<p data-src=/a.mp3>" + html)


OF_ITEMS = (VIDEO, "itemscope", "itemprop=name", "itemprop=video", "itemref=a", "itemref='b a'", "id=a", "content=x")
TAGS = st.tuples(
    st.sampled_from(["<div", "<b", "<meta", "<a", "</div"]), st.lists(st.sampled_from(OF_ITEMS), max_size=4)
)


@settings(max_examples=examples(60))
@given(st.lists(TAGS, max_size=25))
def test_any_items_are_a_page(elements):
    check(VIDEO.join(["<p ", ">"]) + "".join(f"{tag} {' '.join(words)}>" for tag, words in elements))


OF_SCRIPTS = (
    *("jwplayer('p').setup({", "file: ", "'/a.mp3'", '"\\ud800.mp3"', ", ", "title: ", "'x'", "}", "])", "sources: [{"),
    *("tracks: [{kind: 'captions', file: ", "duration: 1e999", "size: -1", "meta: {", "show: {", "`", "\\", "'//['"),
    *("__INITIAL_STATE__ = ", "JSON.parse('", "loadSource(", "image: ", "<b>", "{{", "type: 'audio/x'", "\n", "//"),
)


@settings(max_examples=examples(80))
@given(st.lists(st.sampled_from(OF_SCRIPTS), max_size=25).map("".join))
def test_any_scripts_are_a_page(script):
    check(code(f"jwplayer;{script}") + code(f"__A_STATE__ = {script} '.mp3'") + state(f"{script}'.mp3'"))


PROPERTIES = """@type @id @graph name contentUrl embedUrl duration author license video audio associatedMedia url image
    inLanguage interactionStatistic partOfSeason mainEntity mainEntityOfPage width encodingFormat"""
LEAVES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8)
LEAVES |= st.sampled_from(["a.mp3", "PT1M", "//[", "VideoObject", "PodcastEpisode", "MediaObject"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PROPERTIES.split()), inner | LEAVES, max_size=6)
    ),
    max_leaves=15,
)


@settings(max_examples=examples(80))
@given(VALUES)
def test_any_object_is_of_a_page(value):
    written = json.dumps({"@type": "VideoObject", "x": value}).replace("</", "<\\/")
    check(f'<script type="application/ld+json">{written}</script>')


@given(st.lists(st.sampled_from(["<tr>", "<td>", "<a href='a.mp3'>", "</a>", "<table>", "1.5K", "2021-12-24", "\n"])))
def test_any_page_may_call_itself_a_list_of_files(pieces):
    page = page_of("<title>Index of /</title>" + "".join(pieces))
    page.leave_steering()
    for link in page.links:
        page.file_facts(link)


@pytest.mark.parametrize(
    "html",
    [
        json_ld({"@type": "AudioObject", "contentUrl": "/x.mp3?a=1&section=2"}),
        json_ld({"@type": "AudioObject", "contentUrl": "/x.mp3?a=1&amp;section=2"}),
        "<p itemscope itemtype='http://schema.org/AudioObject'><link itemprop=contentUrl href='/x.mp3?a=1&section=2'>",
    ],
)
def test_a_parameter_in_structured_data_is_no_character_reference(html):
    page = parse_page(html.encode(), "https://site.example/")
    assert [link.href for link in page.links] == ["/x.mp3?a=1&section=2"]
    assert [[file.href for file in medium.files] for medium in page.media] == [["/x.mp3?a=1&section=2"]]
