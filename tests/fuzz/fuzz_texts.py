"""Texts that a stranger writes to take a reader's time: families of inputs, each of any length.

A family repeats one unit behind a beginning. What is quadratic in the number of units shows when the length doubles.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

Unit = bytes | Callable[[int], bytes]
"""What is repeated; a function gets the number of the unit, as ``%d`` in bytes does, so that no two are the same."""

_STORED: dict[str, list] = json.loads((Path(__file__).parent / "fuzz_texts.json").read_text())
"""``units``: themes, each some units, in Latin-1; other names: beginnings of the inputs of a reader."""
UNITS: tuple[bytes, ...] = tuple(unit.encode("latin-1") for theme in _STORED["units"] for unit in theme)


_ATTRIBUTES = b" ".join(b"b%x" % number for number in range(1_000))


class Family(NamedTuple):
    """Inputs of one kind.

    Attributes:
        name: says which.
        unit: what is repeated.
        before: what each begins with.
        after: what each ends with.
        grown: what is repeated for half of the size in place of ``%s`` in `before`: a class around links, and links.
    """

    name: str
    unit: Unit
    before: bytes = b""
    after: bytes = b""
    grown: Unit = b""

    @property
    def least(self) -> int:
        """Bytes of the smallest input."""
        return 4 * 1024

    def make(self, size: int) -> bytes:
        """Return an input.

        Args:
            size: bytes of what is repeated.
        """
        before = self.before
        if self.grown:
            size //= 2
            before = before.replace(b"%s", _repeated(self.grown, size))
        return before + _repeated(self.unit, size) + self.after


def _repeated(unit: Unit, size: int) -> bytes:
    if isinstance(unit, bytes) and b"%d" not in unit:
        return unit * (size // len(unit))
    pieces, length = list[bytes](), 0
    while length < size:
        number = len(pieces)
        pieces.append(unit.replace(b"%d", b"%d" % number) if isinstance(unit, bytes) else unit(number))
        length += len(pieces[-1])
    return b"".join(pieces)


class Plain(Family):
    """One that repeats one of `UNITS`."""


class Deep(Family):
    """One that is measured when its elements are as deep as a parser lets them be: each step up is dear until then."""

    @property
    def least(self) -> int:
        return 64 * 1024


def plain(reader: str) -> Iterator[Plain]:
    """All units behind each of the beginnings that are stored for a reader."""
    for beginning in _STORED[reader]:
        for unit in UNITS:
            yield Plain(f"{beginning!r} and {unit.decode('latin-1')!r}", unit, beginning.encode("latin-1"))


_LINKS = b"<a href=%d></a>"
_OPEN_LINKS = b"<a href=%d>"
_OBJECTS = b"<object data=%d>"
_FIGURES = b"<figure><figcaption><video src=%d.mp4></video>"
_LONG = b"a" * 30_000
_BASE = b'<base href="http://x.example/%s/">'
_HEAVY = b'<script type="application/ld+json">'
_STATE = b'<script type="application/json">'
_PLAYER = b"<script>jwplayer('p')"
_PERSON = b'{"@id":"#p","@type":"Person","name":"%s"},' % (b"&amp;" * 800)
_BY = b",".join([b'{"@id":"#p"}'] * 8)

PAGES: tuple[Family, ...] = (
    # What is counted for each link or element: an attribute of an ancestor, the base, what is below.
    Family("a long class around many links", _LINKS, b'<p class="%s">', grown=b"a"),
    Family("a long class of digits around many links", _LINKS, b'<p class="%s">', grown=b"a1"),
    Family("a long class of words around many links", _LINKS, b'<p class="%s">', grown=b"a "),
    Family("a base of a long name, and many links", _LINKS, b'<base href="/%s/">', grown=b"a"),
    Family("a base of many folders, and many links", _LINKS, b'<base href="/%s/">', grown=b"a/"),
    Family("a base of many escapes, and many queries", b"<a href=?%d></a>", b'<base href="/%s">', grown=b"%2a"),
    Family(
        "a base of many folders, and many files", b"<audio src=../%d.mp3></audio>", b'<base href="/%s/">', grown=b"a/"
    ),
    Deep("objects around many elements", b"<i></i>", b"%s", grown=_OBJECTS),
    Deep("objects around many pieces of text", b"<i>a</i>", b"%s", grown=_OBJECTS),
    Deep("objects around a long text", b"a ", b"%s", grown=_OBJECTS),
    Deep(
        "properties of microdata around many elements",
        b"<b></b>",
        b"<p itemscope itemtype=VideoObject>%s",
        grown=b"<i itemprop=name>",
    ),
    Deep("captions around many elements", b"<b></b>", b"%s", grown=_FIGURES),
    Family("a long class of one link, and many links", _LINKS, b'<a href=1 class="%s">', grown=b"a"),
    Family(
        "an author of a long name, and many objects by him",
        lambda n: b'{"@type":"VideoObject","contentUrl":"%d.mp4","author":[%s]},' % (n, _BY),
        _HEAVY + b'[{"@id":"#p","name":"%s"},',
        b"{}]",
        grown=b"&amp;",
    ),
    Family("four long classes around many links", _LINKS, b"".join(b'<p class="%s">' % _LONG for _ in range(4))),
    Family("many links on a long base", _LINKS, _BASE % (b"a" * 7_900)),
    Family("many queries on a long base", b"<a href=?%d></a>", _BASE % (b"a" * 7_900)),
    Family("many links on a base of 2,000 characters", _LINKS, _BASE % (b"a" * 2_000)),
    Family("many queries on a base of 2,000 characters", b"<a href=?%d></a>", _BASE % (b"%2a" * 660)),
    Family("many steps up on a deep base", b"<a href=../%d></a>", _BASE % (b"a/" * 1_000)),
    Family("many canonical URLs on a long base", b"<link rel=canonical href=../%d>", _BASE % (b"a/" * 1_000)),
    Family(
        "many licences on a long base",
        b"<a rel=license href=../%d></a>",
        b"<video src=1.mp4></video>" + _BASE % (b"a/" * 1_000),
    ),
    Family(
        "many files on a long base, and one video",
        b"<a href=../%d.mp3></a>",
        _HEAVY + b'{"@type":"VideoObject"}</script>' + _BASE % (b"a/" * 1_000),
    ),
    Family(
        "a list of files on a long base",
        b"<a href=../%d.mp3>x</a> 1M<br>",
        b"<title>Index of /</title>" + _BASE % (b"a/" * 1_000),
    ),
    Family("many files of players on a long base", b"<audio src=../%d.mp3></audio>", _BASE % (b"a/" * 1_000)),
    Family("many cards on a long base", b"<meta property=og:audio content=../%d.mp3>", _BASE % (b"a/" * 1_000)),
    # Elements in each other.
    Deep("links in each other", _OPEN_LINKS),
    Deep("links in tables in each other", b"<a href=%d><table><tr><td>"),
    Deep("links in fonts in each other", b"<font><a href=%d>"),
    Deep("objects in each other", b"<object data=%d>"),
    Deep("objects in each other, with elements that have no text", b"<object data=%d><i></i>"),
    Family("objects that hold many elements", b"<i></i>", b"".join(b"<object data=%d>" % n for n in range(2_000))),
    Family(
        "objects that hold many pieces of text", b"<i>a</i>", b"".join(b"<object data=%d>" % n for n in range(2_000))
    ),
    Family("objects that hold one long text", b"\xc3\xa4 ", b"".join(b"<object data=%d>" % n for n in range(2_000))),
    Family("objects that hold white space", b" ", b"".join(b"<object data=%d>" % n for n in range(2_000))),
    Deep(
        "links with pieces of text in each other",
        lambda n: b"<object data=%d>%s" % (n, b"<i>a</i>" * (n % 50 == 49) * 200),
    ),
    Deep("players in each other", b"<video src=%d.mp4>"),
    Deep("sources in each other", b"<source src=%d.mp4>", b"<video>"),
    Family("sources beside each other", b"<source src=%d.mp4></source>", b"<video>" + _BASE % (b"a/" * 1_000)),
    Deep("tracks of a player", b"<track src=%d.vtt>", b"<video src=1.mp4>"),
    Deep("figures in each other", b"<figure><video src=%d.mp4>"),
    Deep("areas of maps in each other", b"<map><area href=%d>"),
    Family("elements that close what is not open", b"</b></p>", b"<font>" * 2_000),
    Deep("tables in each other", b"<table><tr><td>"),
    Family("titles", b"<title></title>"),
    *(
        Deep(f"{name} in a deep tree", unit, b"<i>" * 2_000)
        for name, unit in (
            *(
                ("tracks", b"<track src=1></track>"),
                ("metas", b"<meta name=a content=b>"),
                ("pictures", b"<img src=a>"),
            ),
            *(("links", _LINKS), ("sources", b"<source src=%d></source>")),
        )
    ),
    Family(
        "a list of files of many hosts",
        lambda n: b"<a href=//a%x.example/1.mp3>x</a>1M<br>" % n,
        b"<title>Index of /</title>",
    ),
    Family("a title of many elements", b"<i>", b"<title>"),
    # Attributes.
    Family("one link with many attributes", b"a%d ", b"<a href=1 ", b">x</a>"),
    Family("one link with many quoted brackets", lambda n: b'a%x=">"' % n, b"<a href=1 ", b">x</a>"),
    Family(
        "links with a hundred attributes", lambda n: b"<a href=%d %s>" % (n, b" ".join(b"a%d" % i for i in range(100)))
    ),
    Family("a player with many attributes", b"data-%d=x.mp3 ", b"<audio src=1.mp3 ", b">"),
    Family("players with a thousand attributes", lambda n: b"<audio src=%d.mp3 %s>" % (n, _ATTRIBUTES)),
    Family(
        "players with many files",
        lambda n: b"<audio src=%d.mp3 %s>" % (n, b" ".join(b"data-a%d=1.mp3" % i for i in range(50))),
    ),
    Family("a player with an attribute that no XML may have", b"<audio data-\1%d=a.mp3 src=%d.mp3>"),
    Family(
        "setups of players",
        lambda n: b"<video src=%d.mp4 data-setup='{\"sources\":[%s]}'>" % (n, b'{"src":"1.mp4"},' * 500 + b"{}"),
    ),
    Family("metas for robots of commas", lambda n: b'<meta name=robots content="%s">' % (b"," * 8_000)),
    Family("metas for robots of times", lambda n: b'<meta name=robots content="%s">' % (b"unavailable_after:1," * 400)),
    Family("metas of many names", b"<meta name=a%d content=b>"),
    Family("cards of many videos", b"<meta property=og:video content=%d.mp4>"),
    Family("canonical URLs", b"<link rel=canonical href=%d>"),
    Family("licences", b"<a rel=license href=%d></a>icense"),
    # References.
    Family("many short links", _LINKS),
    Family("links to many hosts", lambda n: b"<a href=//a%x.example>x</a>" % n),
    Family("links to many hosts of many labels", lambda n: b"<a href=//%s%d.example></a>" % (b"a." * 100, n)),
    Family("links to hosts beyond ASCII", lambda n: b"<a href=//%s%d.example></a>" % (b"\xc3\xbc." * 50, n)),
    Family(
        "links to hosts in Punycode", lambda n: b"<a href=//%sxn--%d-kva.example></a>" % (b"xn--bcher-kva." * 10, n)
    ),
    Family("links to long hosts in Punycode", lambda n: b"<a href=//xn--%s%d></a>" % (b"a9" * 4_000, n)),
    Family("links with long paths", lambda n: b"<a href=/%d%s></a>" % (n, b"a/" * 900)),
    Family("links with long names", lambda n: b"<a href=/%d%s></a>" % (n, b"a1" * 900)),
    Family("links with many words", lambda n: b"<a href=/%d%s></a>" % (n, b"-a" * 900)),
    Family("links with many escapes", lambda n: b"<a href=/%d%s></a>" % (n, b"%2a" * 600)),
    Family("links with many parameters", lambda n: b'<a href="?%d%s"></a>' % (n, b"&a=1" * 400)),
    Family("links with many years", lambda n: b"<a href=/%d%s></a>" % (n, b"/2031-05" * 200)),
    Family("links with many brackets", lambda n: b"<a href=/%d%s></a>" % (n, b"/(S(" * 400)),
    Family("links with session ids", lambda n: b"<a href=?sid=%032x></a>" % n),
    Family("links that are white space", lambda n: b'<a href="%s%d"></a>' % (b" " * 1_800, n)),
    Family("links in three parameters", lambda n: b'<a href="?a=%d&b=%d&c=%d"></a>' % (n, n * 7, n * 13)),
    Family("queries in another charset", lambda n: b"<a href=?%d%s>" % (n, b"\xe4" * 900), b"<meta charset=shift_jis>"),
    Family(
        "queries that a charset lacks",
        lambda n: b"<a href=?%d%s>" % (n, b"&#1234;" * 250),
        b"<meta charset=windows-1252>",
    ),
    Family("a list of files", b"<a href=%d.mp3>x</a> 2020-01-01 12:00 3M<br>", b"<title>Index of /</title>"),
    Family(
        "a table of files", b"<tr><td><a href=%d.mp3>x</a><td>2020-01-01<td>3M", b"<title>Index of /</title><table>"
    ),
    # Facts.
    Family("objects of JSON-LD", b'{"@type":"VideoObject","name":"%d","contentUrl":"%d.mp4"},', _HEAVY + b"[", b"{}]"),
    Family("scripts of JSON-LD", lambda n: _HEAVY + b'{"@type":"VideoObject","contentUrl":"%d.mp4"}</script>' % n),
    Family(
        "files of JSON-LD",
        lambda n: b'{"@type":"VideoObject","contentUrl":[%s]},' % b",".join(b'"%d-%d.mp4"' % (n, i) for i in range(8)),
        _HEAVY + b"[",
        b"{}]",
    ),
    Family(
        "objects of JSON-LD by one author",
        lambda n: b'{"@type":"VideoObject","contentUrl":"%d.mp4","author":[%s],"genre":[%s]},' % (n, _BY, _BY),
        _HEAVY + b"[" + _PERSON,
        b"{}]",
    ),
    Family("a long number in JSON-LD", b"9", _HEAVY + b'{"a":', b"}"),
    Family(
        "a long number in JSON-LD that is escaped as a whole",
        b"9",
        _HEAVY + b"{&quot;@type&quot;:&quot;VideoObject&quot;,&quot;contentUrl&quot;:&quot;1.mp4&quot;,"
        b"&quot;name&quot;:&quot;&#",
        b";&quot;}",
    ),
    Deep("items of microdata in each other", b"<p itemscope itemtype=VideoObject itemprop=video>"),
    Deep("properties of microdata in each other", b"<i itemprop=name>x", b"<p itemscope itemtype=VideoObject>"),
    Family(
        "properties of microdata that hold elements without text",
        b"<b></b>",
        b"<p itemscope itemtype=VideoObject>" + b"<i itemprop=name>" * 1_500,
    ),
    Family(
        "items of microdata that refer to a long text",
        b"<i itemscope itemtype=VideoObject itemref=x></i>",
        b"<i id=x itemprop=name>%s</i>" % (b"a " * 10_000),
    ),
    Family("broken JSON-LD", b"{'@type':'VideoObject','contentUrl':'%d.mp4' 'a':1},", _HEAVY + b"x ["),
    Family("set-ups of players in code", b".setup({file:'/%d.mp3',title:'%d',meta:{a:1}});", _PLAYER),
    Family("scripts with a set-up each", lambda n: _PLAYER + b".setup({file:'/%d.mp3'})</script>" % n),
    Family("one file in many set-ups", b".setup({file:'/1.mp3',title:'a',image:'/b'});", _PLAYER),
    Family("code without an end", b"{a:function(){b([", _PLAYER),
    Family("objects of state", b'{"title":"%d","url":"/%d.mp3"},', _STATE + b"[", b"{}]"),
    Family("files of one object of state", b'"/%d.mp3",', _STATE + b'{"title":"a","files":[', b"1]}"),
    Family("objects of state in each other", b'{"a":', _STATE + b'["/1.mp3",'),
    Family("broken state", b"{'a':'/1.mp3' ", _STATE),
    Family("variables of state", b"window.__A_STATE__={a:'/%d.mp3'};", b"<script>"),
    Family(
        "places of state",
        lambda n: b'{"a":%d,"b":%d},' % (n, n + 1),
        b'<script id=__NUXT_DATA__ type="application/json">[',
        b'"/1.mp3"]',
    ),
    Family("attributes for scripts", b"<p data-mp3=/%d.mp3 title=%d>"),
    Family("attributes for scripts of many names", b"<p data-%d=/1.mp3>"),
    Family("set-ups in attributes", b'<p data-x=\'{"title":"%d","src":"/%d.mp3"}\'>'),
    Family("items of microdata of many types", b'<i itemscope itemtype="VideoObject a%d"></i>'),
    *plain("pages"),
)
"""Pages of HTML."""

_ITEM = b"<rss xmlns:media='http://search.yahoo.com/mrss/'><channel><item><title>a</title>"
_GROUP = b"<media:group>" + b"<media:content url='1.mp3' type='audio/mpeg'/>" * 20
_PODCAST = b"<rss xmlns:podcast='https://podcastindex.org/namespace/1.0'><channel>"
_JSON_FEED = b'{"version":"https://jsonfeed.org/version/1.1","items":['
LISTS: dict[str, tuple[Family, ...]] = {
    "feed": (
        Family(
            "a long number in a description",
            b"9",
            _ITEM + b"<enclosure url='1.mp3'/><description><![CDATA[&#",
            b";]]></description></item>",
        ),
        Family("empty items", b"<item/>", b"<rss><channel>"),
        Family("items", b"<item><title>%d</title><enclosure url='%d.mp3'/></item>", b"<rss><channel>"),
        Deep("items in each other", b"<item><title>a</title>", b"<rss>"),
        Family(
            "items below many bases",
            b"<item><link>a</link></item>",
            b"<rss>" + b"<a xml:base='http://x.example/%s/'>" % (b"a" * 400) * 100,
        ),
        Family(
            "items with a base each",
            b"<item xml:base='b%d/'><link>a</link></item>",
            b"<rss xml:base='http://x.example/%s/'>" % (b"a/" * 2_000),
        ),
        Family("files of an entry", b"<enclosure url='%d.mp3'/>", _ITEM),
        Family("the same file of an entry", b"<enclosure url='1.mp3'/>", _ITEM),
        Family("groups of an entry", b"<media:group><media:content url='1.mp3'/></media:group>", _ITEM),
        Family(
            "files of a group of long texts",
            b"<media:content url='%d.mp3' type='audio/mpeg'/>",
            _ITEM + b"<media:group><media:description>" + b"a &amp;lt;b&amp;gt; " * 500 + b"</media:description>",
        ),
        Family("texts of a group of files", b"<media:title>a</media:title>", _ITEM + _GROUP),
        Family("live items", b"<podcast:liveItem status='live'><enclosure url='1'/></podcast:liveItem>", _PODCAST),
        Family(
            "sources of a file",
            b"<podcast:source uri='http://a.example/%d.mp3'/>",
            _PODCAST + b"<item><podcast:alternateEnclosure type='audio/mpeg' title='a'>",
        ),
        Family("authors in brackets", b"<author>a@a (</author>", _ITEM),
        Family("items of JSON", b'{"id":%d,"attachments":[{"url":"%d.mp3"}]},', _JSON_FEED, b"{}]}"),
        Family("files of an item of JSON", b'{"url":"1.mp3"},', _JSON_FEED + b'{"attachments":[', b"{}]}]}"),
        Family("items of JSON that was cut", b'{"id":%d,"url":"/%d"},', _JSON_FEED),
        Family("titles of an entry", b"<title/>", b"<rss><item>"),
        Family("names of an entry", b"<a%d/>", _ITEM),
        Family("markup in titles", b"<item><title>a<br>b</title><link>a</link></item>", b"<rss><channel>"),
        Family("authors", b"<author><name>a</name></author>", _ITEM),
        *plain("feed"),
    ),
    "sitemap": (
        Family("URLs", b"<url><loc>http://a.example/%d</loc></url>", b"<urlset>"),
        Family("empty URLs", b"<url/>", b"<urlset>"),
        Deep("URLs in each other", b"<url><loc>a</loc>", b"<urlset>"),
        Family("videos of a URL", b"<video><content_loc>1.mp4</content_loc></video>", b"<urlset><url>"),
        Family(
            "news of a URL",
            b"<news><title>a</title></news>",
            b"<urlset><url><video><content_loc>1.mp4</content_loc></video>",
        ),
        Family("tags of a video", b"<tag>a</tag>", b"<urlset><url><video><content_loc>1.mp4</content_loc>"),
        *plain("sitemap"),
    ),
    "xspf": (
        Deep("tracks of a player", b"<track><location>%d.mp3</location></track>", b"<playlist>"),
        Family("places of a track", b"<location>a</location>", b"<playlist><track>"),
        Family(
            "places of a track below many bases",
            b"<location>a</location>",
            b"<playlist>" + b"<a xml:base='http://x.example/%s/'>" % (b"a" * 400) * 100 + b"<track>",
        ),
        Family("tracks with a base each", b"<track xml:base='b%d/'><location>a</location></track>", b"<playlist>"),
        *plain("xspf"),
    ),
    "asx": (
        Family("entries", b"<entry><ref href=%d></entry>", b"<asx>"),
        Family("an opening bracket and white space", b" ", b"<asx><"),
        Family("a long number", b"9", b"<asx><entry><title>&#", b";</title>"),
        *plain("asx"),
    ),
    "m3u": tuple(plain("m3u")),
    "pls": (Family("files", b"File%d=http://a.example/\n", b"[playlist]\n"), *plain("pls")),
    "opml": (
        Deep("outlines in each other", b"<outline xmlUrl='a'>", b"<opml>"),
        Family("outlines of media", b"<outline type='audio' text='a' URL='%d'/>", b"<opml>"),
        *plain("opml"),
    ),
    "urls": tuple(plain("urls")),
    "hls": (
        Family("sizes", b'#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1"\n', b"#EXTM3U\n"),
        Family("renditions", b'#EXT-X-MEDIA:TYPE=AUDIO,NAME="%d",LANGUAGE="en"\n', b"#EXTM3U\n"),
        *plain("hls"),
    ),
    "dash": (
        Family("sets", b"<AdaptationSet contentType='audio' lang='en-%d'><Role/></AdaptationSet>", b"<MPD><Period>"),
        Family("roles of a set", b"<Role value='main'/>", b"<MPD><Period><AdaptationSet contentType='audio'>"),
        Family("representations", b"<Representation bandwidth='%d'/>", b"<MPD><Period><AdaptationSet>"),
        *plain("dash"),
    ),
    "oembed": (Family("frames", b"<iframe src='%d'></iframe>", b'{"type":"video","html":"', b'"}'), *plain("oembed")),
}
"""Lists, by their form (`extract.recognize_list`)."""

ROBOTS: tuple[Family, ...] = (
    Family("rules", b"Disallow: /%d\n", b"User-agent: *\n"),
    Family("groups", b"User-agent: *\nDisallow: /\n"),
    Family("agents", b"User-agent: *\n"),
    Family("a rule of stars", b"*a", b"User-agent: *\nDisallow: /"),
    Family("rules of stars", lambda n: b"Disallow: /%d%s\n" % (n, b"*a" * 50), b"User-agent: *\n"),
    Family("rules of dollars", lambda n: b"Disallow: /%d%s\n" % (n, b"$" * 50), b"User-agent: *\n"),
    Family("sitemaps", b"Sitemap: http://a.example/%d\n"),
    Family("delays", b"Crawl-delay: 9\n", b"User-agent: *\n"),
    *plain("robots"),
)
"""Files of robots.txt."""

HEADERS: tuple[Family, ...] = (
    Family("links", b'<http://a.example/>; rel="canonical", '),
    Family("parameters of a link", b"; a=b", b"<http://a.example/>"),
    *plain("headers"),
)
"""Values of headers."""

URLS: tuple[Family, ...] = (
    *plain("references"),
    Family("a host of many labels", b"a.", b"http://", b"example/"),
    Family("a host of labels in Punycode", b"xn--tda.", b"http://", b"example/"),
    Family("a host in Punycode", b"a9", b"http://xn--"),
    Family("a port", b"1", b"http://a.example:"),
)
"""URLs, and references."""

TEXTS: tuple[Family, ...] = (
    Family("words of another encoding", "Ночной поезд ".encode("cp1251")),
    Family("letters of another encoding", "ночь".encode("cp1251")),
    Family("Latin-1", "Füße und Öfen ".encode("latin-1")),
    Family("Japanese", "夜の列車".encode("shift_jis")),
    Family("damaged text", "Ночной поезд ".encode("cp1251").decode("latin-1").encode()),
    Family("damaged text without spaces", "ночь".encode("cp1251").decode("latin-1").encode()),
    Family("twice damaged", "Füße".encode().decode("latin-1").encode().decode("latin-1").encode()),
    Family("lost letters", "Ноч?ой ??езд ".encode("cp1251")),
    Family("lost in Unicode", "F\ufffd\ufffde ".encode()),
    *plain("texts"),
)
"""Texts of tags."""

JSON: tuple[Family, ...] = (
    Family("names", b'"a%d":1,', b'{"url":"http://a.example/",', b'"b":1}'),
    Family("a score of many digits", b"9", b'{"url":"http://a.example/","score":1', b"}"),
    *plain("json"),
)
"""Lines of JSON: what is in Redis, what other programs stored."""
