"""Texts that a stranger writes to take a reader's time: families of inputs, each of any length.

A family repeats one unit behind a beginning. What is quadratic in the number of units shows when the length doubles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

Unit = bytes | Callable[[int], bytes]
"""What is repeated; a function gets the number of the unit, so that no two are the same."""

UNITS: tuple[bytes, ...] = (
    *(
        b"<",
        b"< ",
        b"</",
        b"<a",
        b"<a ",
        b"<a>",
        b"<i>",
        b"</i>",
        b"<!--",
        b"<!-->",
        b"<![CDATA[",
        b"<?",
        b"<a a=",
        b"/>",
    ),
    *(
        b"&",
        b"&#",
        b"&#9",
        b"&#x9",
        b"&lt",
        b"&amp;",
        b"&#xd800;",
        b"9",
        b"0",
        b"a",
        b"A",
        b"a1",
        b"aA",
        b" ",
        b"a ",
        b" a",
        b"\t",
    ),
    *(
        b"\n",
        b"\r\n",
        b"a\n",
        b"\n ",
        b'"',
        b"'",
        b'""',
        b"=",
        b"a=",
        b'a="',
        b"a='",
        b'a=""',
        b"a= ",
        b",",
        b", ",
        b"a,",
    ),
    *(
        b";",
        b"; ",
        b"a;",
        b";a=",
        b":",
        b"a:",
        b".",
        b"a.",
        b"..",
        b"/",
        b"../",
        b"/a",
        b"//",
        b"%",
        b"%2",
        b"%61",
        b"%C3",
    ),
    *(
        b"#",
        b"?",
        b"&a=1",
        b"(",
        b")",
        b"[",
        b"]",
        b"[]",
        b"{",
        b'{"a":',
        b'{"":',
        b"[[",
        b"\\",
        b'\\"',
        b'"a",',
        b"//\n",
    ),
    *(
        b"/*",
        b"*/",
        b"*",
        b"-",
        b"--",
        b"-->",
        b"]]>",
        b"|",
        b"~",
        b"_",
        b"+",
        b"\0",
        b"\1",
        b"\x1b$B",
        b"\xff",
        b"\x80",
    ),
    *(
        b"\xc3\xa4",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"url",
        b"url=",
        b"rel=",
        b"2031-05-",
        b"2031/05/",
    ),
    *(b"a-b", b"xn--", b"http://", b"http://a.de/ ", b"mailto:", b"File1=", b"#EXTINF:", b"#EXTINF:1,a\n", b"<ref "),
)


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
    if isinstance(unit, bytes):
        return unit * (size // len(unit))
    pieces, length = list[bytes](), 0
    while length < size:
        pieces.append(unit(len(pieces)))
        length += len(pieces[-1])
    return b"".join(pieces)


class Plain(Family):
    """One that repeats one of `UNITS`."""


class Deep(Family):
    """One that is measured when its elements are as deep as a parser lets them be: each step up is dear until then."""

    @property
    def least(self) -> int:
        return 64 * 1024


def plain(*beginnings: bytes) -> Iterator[Plain]:
    """All units behind each of some beginnings.

    Args:
        beginnings: of a reader's input, ``<base href="`` for one.
    """
    for before in beginnings:
        for unit in UNITS:
            yield Plain(f"{before.decode('latin-1')!r} and {unit.decode('latin-1')!r}", unit, before)


def _links(number: int) -> bytes:
    return b"<a href=%d></a>" % number


def _open_links(number: int) -> bytes:
    return b"<a href=%d>" % number


def _objects(number: int) -> bytes:
    return b"<object data=%d>" % number


def _figures(number: int) -> bytes:
    return b"<figure><figcaption><video src=%d.mp4></video>" % number


_LONG = b"a" * 30_000
_BASE = b'<base href="http://x.example/%s/">'
_HEAVY = b'<script type="application/ld+json">'
_STATE = b'<script type="application/json">'
_PLAYER = b"<script>jwplayer('p')"
_PERSON = b'{"@id":"#p","@type":"Person","name":"%s"},' % (b"&amp;" * 800)
_BY = b",".join([b'{"@id":"#p"}'] * 8)

PAGES: tuple[Family, ...] = (
    # What is counted for each link or element: an attribute of an ancestor, the base, what is below.
    Family("a long class around many links", _links, b'<p class="%s">', grown=b"a"),
    Family("a long class of digits around many links", _links, b'<p class="%s">', grown=b"a1"),
    Family("a long class of words around many links", _links, b'<p class="%s">', grown=b"a "),
    Family("a base of a long name, and many links", _links, b'<base href="/%s/">', grown=b"a"),
    Family("a base of many folders, and many links", _links, b'<base href="/%s/">', grown=b"a/"),
    Family(
        "a base of many escapes, and many queries",
        lambda n: b"<a href=?%d></a>" % n,
        b'<base href="/%s">',
        grown=b"%2a",
    ),
    Family(
        "a base of many folders, and many files",
        lambda n: b"<audio src=../%d.mp3></audio>" % n,
        b'<base href="/%s/">',
        grown=b"a/",
    ),
    Deep("objects around many elements", b"<i></i>", b"%s", grown=_objects),
    Deep("objects around many pieces of text", b"<i>a</i>", b"%s", grown=_objects),
    Deep("objects around a long text", b"a ", b"%s", grown=_objects),
    Deep(
        "properties of microdata around many elements",
        b"<b></b>",
        b"<p itemscope itemtype=VideoObject>%s",
        grown=b"<i itemprop=name>",
    ),
    Deep("captions around many elements", b"<b></b>", b"%s", grown=_figures),
    Family("a long class of one link, and many links", _links, b'<a href=1 class="%s">', grown=b"a"),
    Family(
        "an author of a long name, and many objects by him",
        lambda n: b'{"@type":"VideoObject","contentUrl":"%d.mp4","author":[%s]},' % (n, _BY),
        _HEAVY + b'[{"@id":"#p","name":"%s"},',
        b"{}]",
        grown=b"&amp;",
    ),
    Family("four long classes around many links", _links, b"".join(b'<p class="%s">' % _LONG for _ in range(4))),
    Family("many links on a long base", _links, _BASE % (b"a" * 7_900)),
    Family("many queries on a long base", lambda n: b"<a href=?%d></a>" % n, _BASE % (b"a" * 7_900)),
    Family("many links on a base of 2,000 characters", _links, _BASE % (b"a" * 2_000)),
    Family("many queries on a base of 2,000 characters", lambda n: b"<a href=?%d></a>" % n, _BASE % (b"%2a" * 660)),
    Family("many steps up on a deep base", lambda n: b"<a href=../%d></a>" % n, _BASE % (b"a/" * 1_000)),
    Family(
        "many canonical URLs on a long base", lambda n: b"<link rel=canonical href=../%d>" % n, _BASE % (b"a/" * 1_000)
    ),
    Family(
        "many licences on a long base",
        lambda n: b"<a rel=license href=../%d></a>" % n,
        b"<video src=1.mp4></video>" + _BASE % (b"a/" * 1_000),
    ),
    Family(
        "many files on a long base, and one video",
        lambda n: b"<a href=../%d.mp3></a>" % n,
        _HEAVY + b'{"@type":"VideoObject"}</script>' + _BASE % (b"a/" * 1_000),
    ),
    Family(
        "a list of files on a long base",
        lambda n: b"<a href=../%d.mp3>x</a> 1M<br>" % n,
        b"<title>Index of /</title>" + _BASE % (b"a/" * 1_000),
    ),
    Family(
        "many files of players on a long base", lambda n: b"<audio src=../%d.mp3></audio>" % n, _BASE % (b"a/" * 1_000)
    ),
    Family(
        "many cards on a long base",
        lambda n: b"<meta property=og:audio content=../%d.mp3>" % n,
        _BASE % (b"a/" * 1_000),
    ),
    # Elements in each other.
    Deep("links in each other", _open_links),
    Deep("links in tables in each other", lambda n: b"<a href=%d><table><tr><td>" % n),
    Deep("links in fonts in each other", lambda n: b"<font><a href=%d>" % n),
    Deep("objects in each other", lambda n: b"<object data=%d>" % n),
    Deep("objects in each other, with elements that have no text", lambda n: b"<object data=%d><i></i>" % n),
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
    Deep("players in each other", lambda n: b"<video src=%d.mp4>" % n),
    Deep("sources in each other", lambda n: b"<source src=%d.mp4>" % n, b"<video>"),
    Family(
        "sources beside each other", lambda n: b"<source src=%d.mp4></source>" % n, b"<video>" + _BASE % (b"a/" * 1_000)
    ),
    Deep("tracks of a player", lambda n: b"<track src=%d.vtt>" % n, b"<video src=1.mp4>"),
    Deep("figures in each other", lambda n: b"<figure><video src=%d.mp4>" % n),
    Deep("areas of maps in each other", lambda n: b"<map><area href=%d>" % n),
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
            *(("links", _links), ("sources", lambda n: b"<source src=%d></source>" % n)),
        )
    ),
    Family(
        "a list of files of many hosts",
        lambda n: b"<a href=//a%x.example/1.mp3>x</a>1M<br>" % n,
        b"<title>Index of /</title>",
    ),
    Family("a title of many elements", b"<i>", b"<title>"),
    # Attributes.
    Family("one link with many attributes", lambda n: b"a%d " % n, b"<a href=1 ", b">x</a>"),
    Family("one link with many quoted brackets", lambda n: b'a%x=">"' % n, b"<a href=1 ", b">x</a>"),
    Family(
        "links with a hundred attributes", lambda n: b"<a href=%d %s>" % (n, b" ".join(b"a%d" % i for i in range(100)))
    ),
    Family("a player with many attributes", lambda n: b"data-%d=x.mp3 " % n, b"<audio src=1.mp3 ", b">"),
    Family("players with a thousand attributes", lambda n: b"<audio src=%d.mp3 %s>" % (n, _ATTRIBUTES)),
    Family(
        "players with many files",
        lambda n: b"<audio src=%d.mp3 %s>" % (n, b" ".join(b"data-a%d=1.mp3" % i for i in range(50))),
    ),
    Family("a player with an attribute that no XML may have", lambda n: b"<audio data-\1%d=a.mp3 src=%d.mp3>" % (n, n)),
    Family(
        "setups of players",
        lambda n: b"<video src=%d.mp4 data-setup='{\"sources\":[%s]}'>" % (n, b'{"src":"1.mp4"},' * 500 + b"{}"),
    ),
    Family("metas for robots of commas", lambda n: b'<meta name=robots content="%s">' % (b"," * 8_000)),
    Family("metas for robots of times", lambda n: b'<meta name=robots content="%s">' % (b"unavailable_after:1," * 400)),
    Family("metas of many names", lambda n: b"<meta name=a%d content=b>" % n),
    Family("cards of many videos", lambda n: b"<meta property=og:video content=%d.mp4>" % n),
    Family("canonical URLs", lambda n: b"<link rel=canonical href=%d>" % n),
    Family("licences", lambda n: b"<a rel=license href=%d></a>icense" % n),
    # References.
    Family("many short links", _links),
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
    Family(
        "a list of files", lambda n: b"<a href=%d.mp3>x</a> 2020-01-01 12:00 3M<br>" % n, b"<title>Index of /</title>"
    ),
    Family(
        "a table of files",
        lambda n: b"<tr><td><a href=%d.mp3>x</a><td>2020-01-01<td>3M" % n,
        b"<title>Index of /</title><table>",
    ),
    # Facts.
    Family(
        "objects of JSON-LD",
        lambda n: b'{"@type":"VideoObject","name":"%d","contentUrl":"%d.mp4"},' % (n, n),
        _HEAVY + b"[",
        b"{}]",
    ),
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
    Family("broken JSON-LD", lambda n: b"{'@type':'VideoObject','contentUrl':'%d.mp4' 'a':1}," % n, _HEAVY + b"x ["),
    Family(
        "set-ups of players in code", lambda n: b".setup({file:'/%d.mp3',title:'%d',meta:{a:1}});" % (n, n), _PLAYER
    ),
    Family("scripts with a set-up each", lambda n: _PLAYER + b".setup({file:'/%d.mp3'})</script>" % n),
    Family("one file in many set-ups", b".setup({file:'/1.mp3',title:'a',image:'/b'});", _PLAYER),
    Family("code without an end", b"{a:function(){b([", _PLAYER),
    Family("objects of state", lambda n: b'{"title":"%d","url":"/%d.mp3"},' % (n, n), _STATE + b"[", b"{}]"),
    Family("files of one object of state", lambda n: b'"/%d.mp3",' % n, _STATE + b'{"title":"a","files":[', b"1]}"),
    Family("objects of state in each other", b'{"a":', _STATE + b'["/1.mp3",'),
    Family("broken state", b"{'a':'/1.mp3' ", _STATE),
    Family("variables of state", lambda n: b"window.__A_STATE__={a:'/%d.mp3'};" % n, b"<script>"),
    Family(
        "places of state",
        lambda n: b'{"a":%d,"b":%d},' % (n, n + 1),
        b'<script id=__NUXT_DATA__ type="application/json">[',
        b'"/1.mp3"]',
    ),
    Family("attributes for scripts", lambda n: b"<p data-mp3=/%d.mp3 title=%d>" % (n, n)),
    Family("attributes for scripts of many names", lambda n: b"<p data-%d=/1.mp3>" % n),
    Family("set-ups in attributes", lambda n: b'<p data-x=\'{"title":"%d","src":"/%d.mp3"}\'>' % (n, n)),
    Family("items of microdata of many types", lambda n: b'<i itemscope itemtype="VideoObject a%d"></i>' % n),
    *plain(
        *(
            b"",
            b'<a href="',
            b'<a href="http://a.example/',
            b'<base href="http://a.example/',
            b'<a href=1 class="',
            b"<a href=1>",
        ),
        *(
            b'<a href=1 title="',
            b"<p ",
            b"<title>",
            b'<meta name=robots content="',
            b'<meta http-equiv=refresh content="',
        ),
        *(
            b'<meta http-equiv=refresh content="0;url=',
            b'<meta property=og:video content="',
            b'<link href=1 rel="',
            b"<script>",
        ),
        *(
            b"<!--",
            _HEAVY,
            _HEAVY + b'{"a":"',
            _HEAVY + b"{",
            _HEAVY + b'{"a":1}',
            _PLAYER + b"({",
            _PLAYER + b".setup({file:'",
            _STATE + b'{"a":"/1.mp3","b":',
            b"<p data-src=/1.mp3 data-x='[",
            b'<p typeof="VideoObject"><b property=name content="',
            b'<video src="',
            b'<video data-setup=\'{"src"',
        ),
        *(
            b'<p itemscope itemtype="VideoObject"><b itemprop=name content="',
            b'<p itemscope itemtype="',
            b"<a href=1>x</a>2020-",
        ),
        *(b"<meta charset=shift_jis>", b"<meta charset=utf-7>", b"<meta charset=iso-2022-jp>", b'<meta charset="'),
    ),
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
        Family(
            "items", lambda n: b"<item><title>%d</title><enclosure url='%d.mp3'/></item>" % (n, n), b"<rss><channel>"
        ),
        Deep("items in each other", b"<item><title>a</title>", b"<rss>"),
        Family(
            "items below many bases",
            b"<item><link>a</link></item>",
            b"<rss>" + b"<a xml:base='http://x.example/%s/'>" % (b"a" * 400) * 100,
        ),
        Family(
            "items with a base each",
            lambda n: b"<item xml:base='b%d/'><link>a</link></item>" % n,
            b"<rss xml:base='http://x.example/%s/'>" % (b"a/" * 2_000),
        ),
        Family("files of an entry", lambda n: b"<enclosure url='%d.mp3'/>" % n, _ITEM),
        Family("the same file of an entry", b"<enclosure url='1.mp3'/>", _ITEM),
        Family("groups of an entry", b"<media:group><media:content url='1.mp3'/></media:group>", _ITEM),
        Family(
            "files of a group of long texts",
            lambda n: b"<media:content url='%d.mp3' type='audio/mpeg'/>" % n,
            _ITEM + b"<media:group><media:description>" + b"a &amp;lt;b&amp;gt; " * 500 + b"</media:description>",
        ),
        Family("texts of a group of files", b"<media:title>a</media:title>", _ITEM + _GROUP),
        Family("live items", b"<podcast:liveItem status='live'><enclosure url='1'/></podcast:liveItem>", _PODCAST),
        Family(
            "sources of a file",
            lambda n: b"<podcast:source uri='http://a.example/%d.mp3'/>" % n,
            _PODCAST + b"<item><podcast:alternateEnclosure type='audio/mpeg' title='a'>",
        ),
        Family("authors in brackets", b"<author>a@a (</author>", _ITEM),
        Family("items of JSON", lambda n: b'{"id":%d,"attachments":[{"url":"%d.mp3"}]},' % (n, n), _JSON_FEED, b"{}]}"),
        Family("files of an item of JSON", b'{"url":"1.mp3"},', _JSON_FEED + b'{"attachments":[', b"{}]}]}"),
        Family("items of JSON that was cut", lambda n: b'{"id":%d,"url":"/%d"},' % (n, n), _JSON_FEED),
        Family("titles of an entry", b"<title/>", b"<rss><item>"),
        Family("names of an entry", lambda n: b"<a%d/>" % n, _ITEM),
        Family("markup in titles", b"<item><title>a<br>b</title><link>a</link></item>", b"<rss><channel>"),
        Family("authors", b"<author><name>a</name></author>", _ITEM),
        *plain(
            *(
                b"",
                b"<rss><channel><item><title>",
                b"<rss><item><description>",
                b'<rss><item><enclosure url="',
                b"<feed><entry ",
            ),
            *(
                b'<rss xmlns:a="',
                b'<!DOCTYPE rss [<!ENTITY a "',
                b"<?xml version='1.0' encoding='",
                b"<rss><item><description><![CDATA[",
            ),
            *(b"<rss><item><link>", b"<rss><item><pubDate>", b"<rss><title><br></title><item><title>"),
            *(_JSON_FEED, _JSON_FEED + b'{"title":"', b'{"version":"https://jsonfeed.org/version/1",'),
        ),
    ),
    "sitemap": (
        Family("URLs", lambda n: b"<url><loc>http://a.example/%d</loc></url>" % n, b"<urlset>"),
        Family("empty URLs", b"<url/>", b"<urlset>"),
        Deep("URLs in each other", b"<url><loc>a</loc>", b"<urlset>"),
        Family("videos of a URL", b"<video><content_loc>1.mp4</content_loc></video>", b"<urlset><url>"),
        Family(
            "news of a URL",
            b"<news><title>a</title></news>",
            b"<urlset><url><video><content_loc>1.mp4</content_loc></video>",
        ),
        Family("tags of a video", b"<tag>a</tag>", b"<urlset><url><video><content_loc>1.mp4</content_loc>"),
        *plain(b"", b"<urlset>", b"<urlset><url><loc>", b"<urlset><url><video><title>"),
    ),
    "xspf": (
        Deep("tracks of a player", lambda n: b"<track><location>%d.mp3</location></track>" % n, b"<playlist>"),
        Family("places of a track", b"<location>a</location>", b"<playlist><track>"),
        Family(
            "places of a track below many bases",
            b"<location>a</location>",
            b"<playlist>" + b"<a xml:base='http://x.example/%s/'>" % (b"a" * 400) * 100 + b"<track>",
        ),
        Family(
            "tracks with a base each",
            lambda n: b"<track xml:base='b%d/'><location>a</location></track>" % n,
            b"<playlist>",
        ),
        *plain(b"<playlist>", b"<playlist><track><location>"),
    ),
    "asx": (
        Family("entries", lambda n: b"<entry><ref href=%d></entry>" % n, b"<asx>"),
        Family("an opening bracket and white space", b" ", b"<asx><"),
        Family("a long number", b"9", b"<asx><entry><title>&#", b";</title>"),
        *plain(
            b"<asx>",
            b"<asx><",
            b"<asx><entry ",
            b"<asx><entry><ref href=",
            b'<asx><ref href="',
            b"<asx><title>",
            b"<asx><ref a",
        ),
    ),
    "m3u": tuple(plain(b"#EXTM3U\n", b"#EXTM3U\n#EXTINF:", b'#EXTM3U\n#EXTINF:-1 tvg-logo="', b"#EXTM3U\n#EXTART:")),
    "pls": (
        Family("files", lambda n: b"File%d=http://a.example/\n" % n, b"[playlist]\n"),
        *plain(b"[playlist]\n", b"[playlist]\nFile1=", b"[playlist]\nFile1"),
    ),
    "opml": (
        Deep("outlines in each other", b"<outline xmlUrl='a'>", b"<opml>"),
        Family("outlines of media", lambda n: b"<outline type='audio' text='a' URL='%d'/>" % n, b"<opml>"),
        *plain(b"<opml>", b'<opml><outline xmlUrl="'),
    ),
    "urls": tuple(plain(b"http://a.example/\n", b"http://a.example/")),
    "hls": (
        Family("sizes", b'#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1"\n', b"#EXTM3U\n"),
        Family("renditions", lambda n: b'#EXT-X-MEDIA:TYPE=AUDIO,NAME="%d",LANGUAGE="en"\n' % n, b"#EXTM3U\n"),
        *plain(
            b"#EXTM3U\n#EXT-X-A\n",
            b"#EXTM3U\n#EXT-X-STREAM-INF:",
            b'#EXTM3U\n#EXT-X-STREAM-INF:CODECS="',
            b"#EXTM3U\n#EXTINF:",
        ),
    ),
    "dash": (
        Family(
            "sets",
            lambda n: b"<AdaptationSet contentType='audio' lang='en-%d'><Role/></AdaptationSet>" % n,
            b"<MPD><Period>",
        ),
        Family("roles of a set", b"<Role value='main'/>", b"<MPD><Period><AdaptationSet contentType='audio'>"),
        Family("representations", lambda n: b"<Representation bandwidth='%d'/>" % n, b"<MPD><Period><AdaptationSet>"),
        *plain(b"<MPD>", b'<MPD mediaPresentationDuration="', b'<MPD><Representation codecs="'),
    ),
    "oembed": (
        Family("frames", lambda n: b"<iframe src='%d'></iframe>" % n, b'{"type":"video","html":"', b'"}'),
        *plain(
            b"", b"{", b'{"type":"video","html":"', b'{"type":"video","title":"', b"<oembed><html>", b'{"duration":'
        ),
    ),
}
"""Lists, by their form (`extract.list_form`)."""

ROBOTS: tuple[Family, ...] = (
    Family("rules", lambda n: b"Disallow: /%d\n" % n, b"User-agent: *\n"),
    Family("groups", b"User-agent: *\nDisallow: /\n"),
    Family("agents", b"User-agent: *\n"),
    Family("a rule of stars", b"*a", b"User-agent: *\nDisallow: /"),
    Family("rules of stars", lambda n: b"Disallow: /%d%s\n" % (n, b"*a" * 50), b"User-agent: *\n"),
    Family("rules of dollars", lambda n: b"Disallow: /%d%s\n" % (n, b"$" * 50), b"User-agent: *\n"),
    Family("sitemaps", lambda n: b"Sitemap: http://a.example/%d\n" % n),
    Family("delays", b"Crawl-delay: 9\n", b"User-agent: *\n"),
    *plain(b"", b"User-agent: ", b"User-agent: *\nDisallow: /", b"User-agent: *\nCrawl-delay: ", b"Sitemap: "),
)
"""Files of robots.txt."""

HEADERS: tuple[Family, ...] = (
    Family("links", b'<http://a.example/>; rel="canonical", '),
    Family("parameters of a link", b"; a=b", b"<http://a.example/>"),
    *plain(
        *(
            b"",
            b"<",
            b"<>",
            b'<>; rel="',
            b"<>;a",
            b"text/html; charset=",
            b"text/html; boundary=",
            b"bytes 0-",
            b"bytes 0-1/",
        ),
        *(b"max-age=", b"noindex, unavailable_after: ", b"otherbot: ", b"Wed, 21 Oct 2026 ", b'attachment; filename="'),
    ),
)
"""Values of headers."""

URLS: tuple[Family, ...] = (
    *plain(
        b"",
        b"http://a.example/",
        b"http://a.example/?",
        b"http://a.example/?a=",
        b"http://",
        b"http://xn--",
        b"http://a@",
    ),
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
    *plain(b"", "Ночной поезд ".encode("cp1251")),
)
"""Texts of tags."""

JSON: tuple[Family, ...] = (
    Family("names", lambda n: b'"a%d":1,' % n, b'{"url":"http://a.example/",', b'"b":1}'),
    Family("a score of many digits", b"9", b'{"url":"http://a.example/","score":1', b"}"),
    *plain(
        b"", b'{"', b'{"url":"http://a.example/","title":"', b'{"url":"', b'{"url":"http://a.example/","a":', b'{"a":'
    ),
)
"""Lines of JSON: what is in Redis, what other programs stored."""
