"""Media in scripts that are not run: set-ups of players, and the state of a page."""

import json
import time

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.extract import MAX_LINKS, facts_by_url, parse_page
from mediacrawl.extract.medium import MOST_FILES, MOST_MEDIA
from mediacrawl.scope import Base

URL = "https://site.example/dir/page.html"


def page_of(html):
    return parse_page(html.encode("utf-8", "surrogatepass"), URL)


def code(script, kind=""):
    return f"<script{f' type={kind}' if kind else ''}>{script}</script>"


def state(value, name=""):
    text = value if isinstance(value, str) else json.dumps(value)
    return f'<script type="application/json" id="{name}">{text}</script>'


def files(html):
    return [[file.href for file in medium.files] for medium in page_of(html).media]


def told(html, place=0):
    """What is said of a medium, by key, and of its first file."""
    medium = page_of(html).media[place]
    found = {}
    for each in (*medium.facts, *medium.files[0].facts):
        found.setdefault(each.key, each.text)
    return found


# -- set-ups of players ----------------------------------------------------------------------------------------------

JW = """jwplayer("player").setup({
  // from the guide
  file: "https://cdn.example/a.mp4", 'image': '/a.jpg', title: "Der Flu\\u00df", description: 'Vom Flu\\xdf',
  tracks: [{file: "/a.vtt", kind: "captions", label: "English"}, {file: "/c.vtt", kind: "chapters"},
           {file: "/thumbs.vtt", kind: "thumbnails"}],
  logo: {file: "/logo.png"}, advertising: {schedule: [{tag: "https://ads.example/vast", file: "/ad.mp4"}]},
  width: "100%", autostart: !isMobile, events: { onReady: function () { track({file: template}); } },
});"""
PLAYLIST = """var p = jwplayer(); p.setup({playlist: [
 {title: "One", sources: [{file: "/1.m3u8", label: "auto"}, {file: "/1.mp4", type: "video/mp4", width: 640}]},
 {title: "Two", file: "2.mp3",}, ], });"""
VIDEO_JS = """var player = videojs('v', {poster: '/p.jpg', sources: [{src: '//cdn.example/a.m3u8',
 type: 'application/x-mpegURL'}, {src: '/stream/7', type: "video/mp4"}]});"""
PLYR = """const player = new Plyr('#p'); player.source = {type: 'audio', title: 'Song',
 sources: [{src: '/a.mp3', type: 'audio/mp3'}, {src: '/a.ogg', type: 'audio/ogg'}]};"""
PODLOVE = """window.podlovePlayer("#p", {version: 5, title: "Folge 1", subtitle: "Vom Meer", duration: "00:31:12.500",
 publicationDate: "2024-05-01T10:00:00+02:00", poster: "https://site.example/p.jpg", link: "https://site.example/1",
 show: {title: "Welle", link: "https://site.example/"}, chapters: "https://site.example/1.json",
 transcripts: "/1.vtt.json", audio: [
 {url: "https://cdn.example/1.mp3?source=webplayer", size: 1234, title: "MP3", mimeType: "audio/mpeg"},
 {url: "https://cdn.example/1.opus", size: "99", title: "Opus", mimeType: "audio/opus"}]}, "/config.json");"""


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (JW, [["https://cdn.example/a.mp4"]]),
        (PLAYLIST, [["/1.m3u8", "/1.mp4"], ["2.mp3"]]),
        (VIDEO_JS, [["//cdn.example/a.m3u8", "/stream/7"]]),
        ("videojs('v').src({src: '/a.webm'});", [["/a.webm"]]),
        ("videojs('v').src('/live/7');", [["/live/7"]]),
        (PLYR, [["/a.mp3", "/a.ogg"]]),
        ("new MediaElementPlayer('p', {x: 1}).setSrc('/a.mp3')", [["/a.mp3"]]),
        ("$('video').mediaelementplayer({success: function (m) { m.setSrc([{src: '/a.mp4'}]); }});", [["/a.mp4"]]),
        (PODLOVE, [["https://cdn.example/1.mp3?source=webplayer", "https://cdn.example/1.opus"]]),
        ("const e = {audio: [{url: '/1.mp3'}], title: 'x'}; podlovePlayer('#p', e)", [["/1.mp3"]]),
        ("flowplayer('#p', {src: '/a.m3u8', title: 'x'})", [["/a.m3u8"]]),
        ("flowplayer('#p', {clip: {sources: [{type: 'video/mp4', src: '/a.mp4'}]}})", [["/a.mp4"]]),
        ("new Clappr.Player({source: 'http://cdn.example/a.mpd', poster: '/p.png'})", [["http://cdn.example/a.mpd"]]),
        ("new Clappr.Player({sources: ['/a.mp4', '/b.mp4', '/c.png']})", [["/a.mp4", "/b.mp4"]]),
        ("var hls = new Hls(); hls.loadSource('https://cdn.example/live/7');", [["https://cdn.example/live/7"]]),
        ("var u = '/a.m3u8'; hls.loadSource(u)", [["/a.m3u8"]]),
        (
            "dashjs.MediaPlayer().create().initialize(v, 'https://cdn.example/a.mpd', true)",
            [["https://cdn.example/a.mpd"]],
        ),
        (
            "$('#j').jPlayer('setMedia', {title: 'x', mp3: '/a.mp3', oga: '/a.oga', poster: '/p.jpg'})",
            [["/a.mp3", "/a.oga"]],
        ),
        (
            "new APlayer({audio: [{name: 'One', url: '/1.mp3'}, {name: 'Two', url: '/2.mp3'}]})",
            [["/1.mp3"], ["/2.mp3"]],
        ),
        ("var player = new Howl({src: ['a.webm', 'a.mp3']})", [["a.webm", "a.mp3"]]),
        ("jwplayer('p').setup(JSON.parse('{\"file\": \"\\/a.mp3\"}'))", [["/a.mp3"]]),
    ],
)
@pytest.mark.parametrize("kind", ["", "text/javascript", "module"])
def test_the_files_of_a_set_up_are_found(script, found, kind):
    assert files(code(script, kind)) == found
    page = page_of(code(script, kind))
    hrefs = [href for each in found for href in each]
    assert [(link.via, link.href) for link in page.links] == [("script", href) for href in hrefs]


@pytest.mark.parametrize(
    ("script", "facts"),
    [
        (
            JW,
            {
                "title": "Der Fluß",
                "description": "Vom Fluß",
                "thumbnail_url": "https://site.example/a.jpg",
                "transcript_url": "https://site.example/a.vtt",
                "chapters_url": "https://site.example/c.vtt",
            },
        ),
        (PLYR, {"title": "Song", "mime": "audio/mp3"}),
        (
            PODLOVE,
            {
                "title": "Folge 1",
                "podcast": "Welle",
                "description": "Vom Meer",
                "duration": "1872.5",
                "date": "2024-05-01T08:00:00Z",
                "thumbnail_url": "https://site.example/p.jpg",
                "chapters_url": "https://site.example/1.json",
                "transcript_url": "https://site.example/1.vtt.json",
                "mime": "audio/mpeg",
                "size": "1234",
            },
        ),
        (
            "new APlayer({audio: [{name: 'One', artist: 'Ann', url: '/1.mp3', cover: '/1.jpg', album: {name: 'A'}}]})",
            {"title": "One", "artist": "Ann", "thumbnail_url": "https://site.example/1.jpg", "album": "A"},
        ),
        ("jwplayer().setup({title: 'a &amp; <b>b</b>', file: '/a.mp3'})", {"title": "a & b"}),
        ("jwplayer().setup({title: '{{ title }}', image: '{{ image }}', file: '/a.mp3'})", {}),
        ("jwplayer().setup({title: name + '!', author: 'https://site.example/ann', file: '/a.mp3'})", {}),
        ("jwplayer().setup({duration: 61.5, file: '/a.mp3'})", {"duration": "61.5"}),
        ("jwplayer().setup({duration_ms: 61500, file: '/a.mp3'})", {"duration": "61.5"}),
        ("jwplayer().setup({duration: 99999999, file: '/a.mp3'})", {}),
        ("jwplayer().setup({duration: true, title: null, artist: [], album: {}, file: '/a.mp3'})", {}),
    ],
)
def test_what_stands_beside_a_file_is_told_of_it(script, facts):
    assert told(code(script)) == facts


def test_what_several_works_of_a_list_say_goes_to_each():
    assert [told(code(PLAYLIST), place) for place in (0, 1)] == [{"title": "One"}, {"title": "Two"}]
    large = page_of(code(PLAYLIST)).media[0].files[1]
    assert {each.key: each.text for each in large.facts} == {"mime": "video/mp4", "width": "640"}


@pytest.mark.parametrize(
    "value",
    [
        *(
            "{{ file }}.mp3",
            "/${id}.mp3",
            "/%s.mp3",
            "<%= url %>.mp3",
            "/a.mp3' + x",
            "[[url]].mp3",
            "javascript:a.mp3",
        ),
        *("data:audio/mp3;base64,x.mp3", "blob:https://site.example/a.mp3", "a\\nb.mp3", "x" * 3_000 + ".mp3", ".mp3"),
        *("/cover.jpg", "/style.css?x", "/page.html", "https://site.example/", "https://site.example", "/", "#", ""),
        *("a title without a path", "/a path/with spaces", "stream", "//", "rtmp://cdn.example/x", "/subtitles.vtt"),
    ],
)
def test_what_is_a_template_or_no_file_is_none(value):
    quoted = value.replace("'", "\\'")
    assert files(code(f"jwplayer('p').setup({{file: '{quoted}', src: '{quoted}'}}); hls.loadSource('{quoted}')")) == []


@pytest.mark.parametrize(
    "script",
    [
        # The names of files are those of set-ups only.
        "load({file: '/stream/7'})",
        "new YT.Player('p', {videoId: 'dQw4w9WgXcQ'})",
        "var x = '/a.mp3'",
        "jwplayer.key = 'abc';",
        "jwplayer('p').setup({file: url, image: '/a.jpg', related: {file: '/related/7'}})",
        "jwplayer('p').setup({url: 'https://site.example/page', link: '/page', video: 'https://site.example/v/1'})",
        "jwplayer('p').setup({poster: {src: '/picture/7'}})",
        "videojs(`${a}.mp3`, {src: `/${b}.mp4`})",
        "/* jwplayer('p').setup({file: '/a.mp4'}) */",
        "// jwplayer('p').setup({file: '/a.mp4'})",
    ],
)
def test_other_scripts_name_no_media(script):
    page = page_of(code(script))
    assert (page.media, page.links) == ([], [])


def test_scripts_of_other_types_and_in_files_of_their_own_are_not_read():
    assert files(code(JW, "text/x-template") + f"<script src=/jwplayer.js>{JW}</script>") == []


# -- the state of a page ---------------------------------------------------------------------------------------------

EPISODE = {"title": "Folge 1", "enclosure": {"url": "https://cdn.example/1.mp3", "type": "audio/mpeg", "size": 99}}
NUXT_2 = """window.__NUXT__=(function(a,b){return {layout:"default",data:[{episode:{title:"Folge 1",id:a,
audio:"https:\\u002F\\u002Fcdn.example\\u002F1.mp3"}}],error:b}}(7,null));"""
PIECE = '5:["$","div",null,{"children":[["$","$L6",null,' + json.dumps({"episode": EPISODE}) + "]]}]\n7:null\n"
NUXT_3 = [{"data": 1}, {"episode": 2}, {"title": 3, "audio": 4, "tags": 6}, "Folge 1", {"url": 5}, "/1.mp3", [3], -1]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (state({"props": {"pageProps": {"episode": EPISODE}}}, "__NEXT_DATA__"), [["https://cdn.example/1.mp3"]]),
        (state(NUXT_3, "__NUXT_DATA__"), [["/1.mp3"]]),
        (state(json.dumps(EPISODE).replace("/", "\\/")), [["https://cdn.example/1.mp3"]]),
        (state("<!-- " + json.dumps(EPISODE)[:-1] + ",} -->"), [["https://cdn.example/1.mp3"]]),
        (
            code("window.__INITIAL_STATE__ = " + json.dumps(EPISODE) + ";(function(){})()"),
            [["https://cdn.example/1.mp3"]],
        ),
        (code("window['__PRELOADED_STATE__']=" + json.dumps(EPISODE)), [["https://cdn.example/1.mp3"]]),
        (
            code("window.__APOLLO_STATE__ = JSON.parse(" + json.dumps(json.dumps(EPISODE)) + ");"),
            [["https://cdn.example/1.mp3"]],
        ),
        (code("__INITIAL_STATE__ = {title: 'Folge 1', x: undefined, 'url': '/1.mp3',}"), [["/1.mp3"]]),
        (code(NUXT_2), [["https://cdn.example/1.mp3"]]),
        (code(f"self.__next_f.push({json.dumps([1, PIECE])})"), [["https://cdn.example/1.mp3"]]),
        (
            code(f"(self.__next_f=self.__next_f||[]).push({json.dumps([1, PIECE[:-20]])})"),
            [["https://cdn.example/1.mp3"]],
        ),
    ],
)
def test_state_names_files_and_their_titles(html, found):
    assert files(html) == found
    assert told(html)["title"] == "Folge 1"


WP = {
    "type": "audio",
    "tracklist": True,
    "tracks": [
        {
            "src": f"https://site.example/{number}.mp3",
            "type": "audio/mpeg",
            "title": f"Song {number}",
            "meta": {"artist": "Ann", "album": "A", "length_formatted": "3:20"},
            "image": {"src": "https://site.example/a.jpg", "width": 48},
        }
        for number in (1, 2)
    ],
}


def test_the_playlist_of_a_content_management_system_is_a_list_of_works():
    html = state(WP)
    assert files(html) == [["https://site.example/1.mp3"], ["https://site.example/2.mp3"]]
    assert told(html, 1) == {
        "title": "Song 2",
        "artist": "Ann",
        "album": "A",
        "duration": "200",
        "thumbnail_url": "https://site.example/a.jpg",
        "mime": "audio/mpeg",
    }


@pytest.mark.parametrize(
    ("value", "found"),
    [
        # Without the ending of a media file a type must stand beside the URL.
        ({"title": "x", "url": "https://cdn.example/7", "mimeType": "audio/mpeg"}, [["https://cdn.example/7"]]),
        ({"title": "x", "url": "https://cdn.example/7", "type": "article", "y": ".mp3"}, []),
        ({"title": "x", "file": "https://cdn.example/7", "src": "/7", "y": "'.mp3'"}, []),
        # State is absolute, or relative to the host.
        ({"file": "a.mp3"}, []),
        ({"text": "Listen to a.mp3"}, []),
        ({"text": "Listen: https://cdn.example/a.mp3"}, []),
        ({"template": "https://cdn.example/{id}.mp3"}, []),
        ({"any": {"name": ["/a.mp3", "/b.jpg", 7, None, {"x": "/b.mp3"}]}}, [["/a.mp3"], ["/b.mp3"]]),
        # Titles of files replace that of what is around them.
        ({"title": "Album", "files": [{"title": "1", "url": "/1.mp3"}, {"url": "/2.mp3"}]}, [["/1.mp3"], ["/2.mp3"]]),
        ([[["/a.mp3"]]], [["/a.mp3"]]),
        (["/a.mp3", "/a.mp3"], [["/a.mp3"]]),
    ],
)
def test_state_is_read_more_strictly_than_a_set_up(value, found):
    assert files(state(value)) == found


def test_ends_of_urls_in_a_script_are_no_state_without_a_variable_of_such_a_name():
    assert files(code("var data = " + json.dumps(EPISODE))) == []
    assert files(code("if (window.__INITIAL_STATE__ == null) { x = " + json.dumps(EPISODE) + " }")) == []


# -- beside what the page shows --------------------------------------------------------------------------------------

JSON_LD = code(json.dumps({"@type": "PodcastEpisode", "name": "One"}), "application/ld+json")
OTHERS = state([{"title": f"Folge {number}", "url": f"/{number}.mp3"} for number in range(1, 21)])
AUTHOR = "<meta name=author content=Ann>"


def test_what_a_page_shows_is_joined_as_if_there_were_no_scripts():
    html = AUTHOR + JSON_LD + "<audio src=/1.mp3></audio>" + OTHERS
    page = page_of(html)
    assert len(page.media) == 20
    told = facts_by_url(page.media, Base(URL).canonical)
    said = {each.key: each.text for each in reversed(told["https://site.example/1.mp3"])}
    assert (said["title"], said["artist"], said["type"]) == ("One", "Ann", "PodcastEpisode")
    assert [each.text for each in told["https://site.example/2.mp3"]] == ["Folge 2"]


def test_the_only_file_of_a_page_is_what_it_describes_even_if_only_a_script_names_it():
    said = told(AUTHOR + JSON_LD + code("jwplayer('p').setup({file: '/1.mp3', title: 'Play'})"))
    assert (said["title"], said["artist"], said["type"]) == ("One", "Ann", "PodcastEpisode")


def test_a_description_is_of_none_of_several_files_that_scripts_name():
    page = page_of(JSON_LD + OTHERS)
    assert [len(medium.files) for medium in page.media] == [0] + [1] * 20


# -- bounds ----------------------------------------------------------------------------------------------------------


def test_thousands_of_files_are_bounded():
    many = [{"title": str(number), "url": f"/{number}.mp3"} for number in range(5_000)]
    page = page_of(state(many) + code(f"jwplayer('p').setup({json.dumps(many)})"))
    assert len(page.media) == MOST_MEDIA
    one = page_of(state({"files": [{"url": f"/{number}.mp3"} for number in range(5_000)]}))
    assert [len(medium.files) for medium in one.media] == [MOST_FILES]
    links = page_of("<a href=x>y</a>" * (MAX_LINKS + 10) + state(EPISODE)).links
    assert (len(links), links[-1].href) == (MAX_LINKS, "https://cdn.example/1.mp3")


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
    page_of(JW)
    began = time.process_time()
    page = page_of(html[:200_000])
    assert time.process_time() - began < 3
    assert len(page.media) <= MOST_MEDIA


PIECES = st.sampled_from(
    [
        *(
            "jwplayer('p').setup({",
            "file: ",
            "'/a.mp3'",
            '"\\ud800.mp3"',
            ", ",
            "title: ",
            "'x'",
            "}",
            "])",
            "sources: [{",
        ),
        *(
            "tracks: [{kind: 'captions', file: ",
            "duration: 1e999",
            "size: -1",
            "meta: {",
            "show: {",
            "`",
            "\\",
            "'//['",
        ),
        *("__INITIAL_STATE__ = ", "JSON.parse('", "loadSource(", "image: ", "<b>", "{{", "type: 'audio/x'", "\n", "//"),
    ]
)


@settings(max_examples=examples(80))
@given(st.lists(PIECES, max_size=25))
def test_no_page_raises_and_all_facts_can_be_stored(pieces):
    script = "".join(pieces)
    page = page_of(code(f"jwplayer;{script}") + code(f"__A_STATE__ = {script} '.mp3'") + state(f"{script}'.mp3'"))
    for facts in facts_by_url(page.media, Base(URL).canonical).values():
        for each in facts:
            each.text.encode("utf-8")
    for link in page.links:
        link.href.encode("utf-8")
