"""Files that pages name without a link: in scripts, in attributes of any name, in text."""

import time

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.base.urls import absolute
from mediacrawl.extract import parse_page

A = "http://a.example/x.mp3"


def page_of(html):
    return parse_page(html.encode("utf-8", "surrogatepass"), "http://a.example/p/")


def named(html):
    """Return the absolute URLs of the links of a page that are media, in order, without repetitions."""
    page = page_of(html)
    return list(dict.fromkeys(absolute(page.base, link.href.strip()) for link in page.links))


def code(text):
    return f"<script>{text}</script>"


FORMS = {
    "variable": code(f'var audioUrl="{A}";'),
    "single quotes": code(f"let a = '{A}'"),
    "template without a part": code(f"const a = `{A}`;"),
    "list of objects": code(f"tracks=[{{url:'{A}'}}]"),
    "list of texts": code(f'var list = ["{A}"];'),
    "argument": code(f'play("{A}")'),
    "new Audio": code(f"new Audio('{A}').play()"),
    "second argument": code(f'so.addVariable("file", "{A}");'),
    "escaped slashes": code(r'var a = "http:\/\/a.example\/x.mp3";'),
    "u002F": code(r'var a = "http:\u002F\u002Fa.example\u002Fx.mp3";'),
    "x2f": code(r'var a = "http:\x2f\x2fa.example\x2fx.mp3";'),
    "JSON in JSON": code(r'var a = "{\"url\":\"http:\\\/\\\/a.example\\\/x.mp3\"}"'),
    "JSON in JSON with u0022": code(r"var a = '{\u0022url\u0022:\u0022http:\/\/a.example\/x.mp3\u0022}'"),
    "HTML in a script": code(f"document.write('<audio src=\"{A}\"></audio>')"),
    "HTML in JSON": code(r'x = {"html": "\u003caudio src=\"http:\/\/a.example\/x.mp3\"\u003e"}'),
    "entities in a script": code("var a = '&lt;audio src=&quot;http://a.example/x.mp3&quot;&gt;'"),
    "old comment in a script": code(f"<!--\nvar a='{A}';\n//-->"),
    "JSON of another type": f'<script type="application/x-track">{{"a": "{A}"}}</script>',
    "encoded in a script": code('var v = "file=http%3A%2F%2Fa.example%2Fx.mp3&auto=1"'),
    "onclick": f"<a href='#' onclick=\"play('{A}')\">play</a>",
    "onclick with entities": f"<b onclick='play(&quot;{A}&quot;)'>play</b>",
    "javascript:": f"<a href=\"javascript:play('{A}')\">play</a>",
    "javascript: with escapes": f'<a href="javascript:play(%27{A}%27)">play</a>',
    "flashvars of embed": f'<embed src="/p.swf" flashvars="file={A}&amp;autostart=true">',
    "flashvars, encoded": '<embed src="/p.swf" flashvars="soundFile=http%3A%2F%2Fa.example%2Fx.mp3">',
    "param flashvars": f'<object><param name="FlashVars" value="mp3={A}&amp;width=200"></object>',
    "param src": f"<object><param name=src value={A}></object>",
    "movie with a query": f'<object data="/p.swf?mp3={A}"></object>',
    "option": f"<select><option value='{A}'>One</option></select>",
    "hidden input": f"<input type=hidden name=f value='{A}'>",
    "button value": f"<button value='{A}'>Play</button>",
    "data, any name": f"<div data-q7-z='{A}'></div>",
    "data with a list": f'<div data-list="[&quot;{A}&quot;]"></div>',
    "data with JSON": f"<div data-x='{{\"deep\": {{\"er\": \"{A}\"}}}}'></div>",
    "data with escaped JSON": r"<div data-x='{&quot;u&quot;:&quot;http:\/\/a.example\/x.mp3&quot;}'></div>",
    "data with two": f"<div data-x='http://b.example/y.ogg|{A}'></div>",
    "an attribute of its own": f"<div audio-file='{A}'></div>",
    "an attribute of a framework": f'<p x-data="player({{src: \'{A}\'}})"></p>',
    "element of its own": f"<my-player src='{A}'></my-player>",
    "srcdoc": f'<iframe srcdoc="<audio src=\'{A}\'></audio>"></iframe>',
    "srcdoc with entities": f'<iframe srcdoc="&lt;audio src=&quot;{A}&quot;&gt;"></iframe>',
    "amp-audio": f"<amp-audio src='{A}'></amp-audio>",
    "amp-video with a source": f"<amp-video><source src='{A}'></amp-video>",
    "link enclosure": f"<link rel=enclosure type=audio/mpeg href='{A}'>",
    "link alternate": f"<link rel=alternate type='audio/mpeg' href='{A}'>",
    "plain text": f"<p>Download it at {A}.</p>",
    "plain text in brackets": f"<p>Kalo ({A}), 3 MB</p>",
    "text behind an element": f"<p><b>Kalo:</b> {A}</p>",
    "code for embedding": f'<textarea>&lt;audio src="{A}"&gt;</textarea>',
    "tags of a forum": f"<textarea>[audio]{A}[/audio]</textarea>",
    "shortcode": f"<p>[audio:{A}]</p>",
    "preformatted": f"<pre>1 {A}\n2 http://a.example/</pre>",
    "a shared link": "<a href='http://share.example/?u=http%3A%2F%2Fa.example%2Fx.mp3'>x</a>",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_found_however_a_page_names_it(form):
    assert A in named(FORMS[form])


@pytest.mark.parametrize(
    ("html", "url"),
    [
        (code("var a = '/music/x.mp3'"), "http://a.example/music/x.mp3"),
        (code("var a = '//cdn.example/x.mp3'"), "http://cdn.example/x.mp3"),
        (code("play('x.mp3')"), "http://a.example/p/x.mp3"),
        (code("tracks = [{url: 'music/x.mp3'}]"), "http://a.example/p/music/x.mp3"),
        (code("a = b ? 'x.mp3' : 'y.mp3'"), "http://a.example/p/x.mp3"),
        (code("a = '/x.mp3?a=1&section=2&copy=3'"), "http://a.example/x.mp3?a=1&section=2&copy=3"),
        ("<p data-x='/x.mp3?a=1&amp;reg=2&amp;lt=3'>", "http://a.example/x.mp3?a=1&reg=2&lt=3"),
        (code("a = '/x.mp3?a=1&amp;b=2&#38;c=&#x33;'"), "http://a.example/x.mp3?a=1&b=2&c=3"),
        ("<p data-x='/x.mp3?v=2#t=10'>", "http://a.example/x.mp3?v=2"),
        ("<p data-x='/d%20e/x.mp3'>", "http://a.example/d%20e/x.mp3"),
        (code("unescape('%3Caudio%20src%3D%22http%3A//a.example/x.mp3%22%3E')"), "http://a.example/x.mp3"),
        (code("a = {'/music/x.mp3': 'Kalo'}"), "http://a.example/music/x.mp3"),
        (code("tracks = ['a.mp3', 'x.mp3']"), "http://a.example/p/x.mp3"),
        (code("a = '../x.mp3?v=2'"), "http://a.example/x.mp3?v=2"),
        (code("a = '/x.mp3?v=' + Math.random()"), "http://a.example/x.mp3?v="),
        (code("a = '/get.php?f=x.mp3&id=7'"), "http://a.example/get.php?f=x.mp3&id=7"),
        (code(r"a = '\/music\/x.mp3'"), "http://a.example/music/x.mp3"),
        (code("a = {html: '<audio src=\"x.mp3\">'}"), "http://a.example/p/x.mp3"),
        ("<a href=\"javascript:play('x.mp3')\">x</a>", "http://a.example/p/x.mp3"),
        ("<option value=x.mp3>", "http://a.example/p/x.mp3"),
        ("<option value='my song.mp3'>", ""),
        (code("play('music/my song.mp3')"), "http://a.example/p/music/my song.mp3"),
        (code("a = location.protocol + '//cdn.example/x.mp3'"), "http://cdn.example/x.mp3"),
        ("<meta name=audio content='/music/x.mp3'>", "http://a.example/music/x.mp3"),
        (code("window.open('x.mp3'); a.setAttribute('src', 'y.mp3')"), "http://a.example/p/y.mp3"),
        (code("$('#p').jPlayer('setMedia', {mp3: 'x.mp3'})"), "http://a.example/p/x.mp3"),
        (code(r"a = {f: 'x.mp3?sig=a\u0026t=1'}"), "http://a.example/p/x.mp3?sig=a&t=1"),
        ("<a onclick=\"return play(this, '/x.mp3')\">x</a>", "http://a.example/x.mp3"),
        ("<body onload='play(\"X.MP3\")'>", "http://a.example/p/X.MP3"),
        ("<embed src='p.swf?file=http%3A%2F%2Fb.example%2Fx.mp3'>", "http://b.example/x.mp3"),
        (code('new XSPF("list.xspf")'), "http://a.example/p/list.xspf"),
        ("<option value='/my song.mp3'>", "http://a.example/my song.mp3"),
        ("<p data-x='http://a.example/my song.mp3'>", "http://a.example/my song.mp3"),
        ("<embed flashvars='file=music/x.mp3&a=b'>", "http://a.example/p/music/x.mp3"),
        ("<embed flashvars='a=b&amp;file=%2Fx.mp3'>", "http://a.example/x.mp3"),
        ("<object data='p.swf?file=/x.mp3&a=1'></object>", "http://a.example/x.mp3"),
        ("<p data-x='a.mp3,x.mp3'>", "http://a.example/p/x.mp3"),
        ("<iframe srcdoc=\"<audio src='x.mp3'>\">", "http://a.example/p/x.mp3"),
        ("<iframe srcdoc='<audio controls src=x.mp3></audio>'>", "http://a.example/p/x.mp3"),
        ("<iframe srcdoc='<p data-url=../x.mp3>&lt;b>'>", "http://a.example/x.mp3"),
        ("<base href=/b/><p data-x=x.mp3>", "http://a.example/b/x.mp3"),
        ("<p>http://a.example/x.mp3?a=b&amp;c=d.</p>", "http://a.example/x.mp3?a=b&c=d"),
        ("<p>http://a.example/x.mp3, http://a.example/y.mp3</p>", "http://a.example/y.mp3"),
        (code("p('HTTP://A.example/X.MP3')"), "http://A.example/X.MP3"),
        ("<link rel=enclosure type=audio/ogg href=/get/7>", "http://a.example/get/7"),
        ("<link rel=alternate type=video/mp4 href=/get/8>", "http://a.example/get/8"),
        ("<amp-audio src=/get/9></amp-audio>", "http://a.example/get/9"),
    ],
)
def test_a_relative_reference_is_relative_to_the_page(html, url):
    found = [each for each in named(html) if each]
    assert url in found if url else not found


@pytest.mark.parametrize(
    "html",
    [
        code("a = base + '/x.mp3'"),
        code('a = base+"x.mp3"'),
        code("a = `${base}/x.mp3`"),
        code("a = '{{ base }}/x.mp3'"),
        code("a = 'http://' + host + '/x.mp3'"),
        code("a = 'http://{host}/x.mp3'"),
        code("a = 'http://%s/x.mp3'"),
        code("if (a.endsWith('.mp3') || b.match('x.mp3')) c()"),
        code("a = {fileName: 'x.mp3', title: 'y.mp3', 'name': 'z.mp3'}"),
        code("settings.mimes.mp3, a.mid, b.ra(c), 'ok'"),
        code("a = '*.mp3'"),
        code("a = 'mp4:videos/x.mp4'"),
        code("// play x.mp3\n/* y.mp3 */"),
        code("a = 'Cannot play song.mp3'"),
        "<style>a[href$='x.mp3'] {}</style>",
        "<p>The file x.mp3 and 'music/y.mp3' are here.</p>",
        "<p title='x.mp3' data-filename='music/y.mp3'>",
        "<img alt='x.mp3' id='y.mp3'>",
        "<p>http://a.example/x.mp3a http://site.mpg.de/x http://a.example/x.mp3/y</p>",
        "<!-- http://a.example/x.mp3 <audio src=y.mp3> -->",
        code("/* a = '/x.mp3' */ b = 1"),
        code("b = 1\n  // a = '/x.mp3'\n"),
        code("a = 'blob:http://a.example/x.mp3'"),
        code("a = {alarm: 'http://a.example/wp-content/plugins/timer/alarm.mp3', b: '/js/silence.mp3'}"),
        "<pre>C:\\music\\x.mp3</pre>",
        "<code>&lt;audio src=&quot;x.mp3&quot;&gt;</code>",
        code("a = '.mp3|.mp4|.ogg'"),
        code("a = 'http://site.mp3'; b = '//site.mp3'"),
        code("a = base.concat('/x.mp3')"),
        code("a = {'upload.mp3': 'Upload', \"x.mp3\" : 1}"),
        code("a = ['http://a.example/%s.mp3', '/a/:id.mp3', '/:album/x.mp3', '/%d.mp3', '%1$s/x.mp3', '/$id.mp3']"),
        code("if (a == 'x.mp3' || a === '/y.mp3') b(a ? '-low.mp3' : '.mp3')"),
        "<label for=x.mp3></label>",
        "<input placeholder='http://a.example/x.mp3'>",
    ],
)
def test_what_is_no_reference_gives_none(html):
    assert named(html) == []


def test_a_link_that_is_known_is_not_found_again():
    page = page_of("<a href='a%20b.mp3' title='a b.mp3'>http://a.example/p/a%20b.mp3</a><a href='x.mp3'>x.mp3</a>")
    assert [(link.href, link.via) for link in page.links] == [("a%20b.mp3", "a"), ("x.mp3", "a")]


def test_the_link_source_says_where_a_file_was_named():
    page = page_of(f"<p data-x=1.mp3 onclick='play(\"2.mp3\")'>http://a.example/3.mp3</p>{code('a = {f: `4.mp3`}')}")
    assert {link.href: link.via for link in page.links} == {
        "1.mp3": "data-src",
        "2.mp3": "named",
        "http://a.example/3.mp3": "named",
        "4.mp3": "named",
    }


@pytest.mark.parametrize(
    "html",
    [
        code("tracks = [{url: 'x.mp3', title: 'Kalo'}, {url: 'y.mp3', title: 'Mira'}]"),
        code("load({name: 'Kalo', file: 'http://a.example/p/x.mp3'})"),
        "<p onclick=\"play({mp3: 'x.mp3', title: 'Kalo'})\">",
        '<p data-list=\'[{"src": "x.mp3", "title": "Kalo"}]\'>',
        "<p data-file=x.mp3 data-title=Kalo>",
        "<option value=x.mp3 data-title=Kalo>",
    ],
)
def test_the_title_beside_a_file_is_its_own(html):
    page = page_of(html)
    titles = {absolute(page.base, file.href): [fact.text for fact in medium.facts if fact.key == "title"]
              for medium in page.media for file in medium.files}  # fmt: skip
    assert titles["http://a.example/p/x.mp3"] == ["Kalo"]


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "data-a=x.mp3 ",
            "<p data-a='x.mp3'>",
            "'x.mp3",
            "http://a.example/x.mp3",
            "<p a='\\\\\\\\x.mp3'>",
            "&quot;x.mp3",
        ),
        *(
            "<script>a='x.mp3'</script>",
            "x.mp3&",
            "x.mp3?",
            "a=x.mp3&",
            "https://x.mp3,",
            "<p>x.mp3",
            ".mp3 ",
            "http://",
        ),
        *('{"a":"\\/x.mp3"},', "<i a=x.mp3>" + "y" * 500, "\\u002Fx.mp3 ", "%2Fx.mp3|"),
    ],
)
@pytest.mark.parametrize("around", ["<script>{}</script>", "<p>{}</p>", '<p a="{}">', "{}"])
def test_any_number_of_endings_takes_a_bounded_time(unit, around):
    page_of("<p data-a=x.mp3>")
    began = time.process_time()
    page = page_of(around.format(unit * (200_000 // len(unit))))
    assert time.process_time() - began < 3
    assert len(page.media) <= 200


PIECES = (
    "http://",
    "a.example",
    "/x",
    ".mp3",
    "'",
    '"',
    "\\",
    "&quot;",
    "\\u002f",
    "\ud800",
    "%3A%2F%2F",
    "<p a=",
    ">",
    "=",
    "&",
    "?",
)


@settings(max_examples=examples(60))
@given(st.lists(st.sampled_from((*PIECES, "<script>", "</script>", " ", "+", ",", "{", "}")), max_size=40).map("".join))
def test_any_text_is_searched(html):
    for link in page_of(html).links:
        link.href.encode("utf-8")
