"""Titles and names in feeds that are HTML written as text become text; plain text stays as it is."""

# ruff: noqa: RUF001 - typographic signs are what this file is about

import pytest

from mediacrawl.extract import parse_feed

URL = "https://site.example/feed"
MEANT = "Salt & Pepper – Nora’s"


def rss(inside):
    head = '<rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>'
    return f'{head}<item>{inside}<enclosure url="http://a.example/1.mp3"/></item></channel></rss>'


def atom(title):
    link = '<link rel="enclosure" href="http://a.example/1.mp3"/>'
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><entry>{title}{link}</entry></feed>'


def entry(text):
    (found,) = parse_feed(text.encode(), URL).entries
    return found


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("<![CDATA[Salt &amp; Pepper &#8211; Nora&#8217;s]]>", MEANT),
        ("<![CDATA[Salt &amp;amp; Pepper &amp;#8211; Nora&amp;#8217;s]]>", MEANT),
        ("Salt &amp;amp; Pepper &amp;#8211; Nora&amp;#8217;s", MEANT),
        ("Salt &amp; Pepper &#8211; Nora&#8217;s", MEANT),
        ("<![CDATA[<b>Salt</b> &amp; <i>Pepper</i>]]>", "Salt & Pepper"),
        ("Caf&amp;eacute; &amp;#x2014; Live", "Café — Live"),
        # Plain text.
        ("AT&amp;T", "AT&T"),
        ("B&amp;O; C&amp;A;", "B&O; C&A;"),
        ("a &lt; b", "a < b"),
        ("x &lt; y &amp;amp&amp; y &gt; z", "x < y &amp& y > z"),
        ("The &lt;blink&gt; tag &lt;/blink&gt;", "The <blink> tag </blink>"),
        ("List&lt;String&gt;", "List<String>"),
    ],
)
def test_a_title_of_rss(written, meant):
    found = entry(rss(f"<title>{written}</title><itunes:author>{written}</itunes:author>"))
    told = {each.key: each.text for each in found.facts}
    assert (found.title, told["title"], told["artist"]) == (meant, meant, meant)


@pytest.mark.parametrize(
    ("title", "meant"),
    [
        ('<title type="html">Salt &amp;amp; Pepper &amp;#8211; Nora&amp;#8217;s</title>', MEANT),
        ('<title type="html">&lt;em&gt;Salt&lt;/em&gt; &amp;lt;1&amp;gt;</title>', "Salt <1>"),
        ("<title>How to write &amp;amp;</title>", "How to write &amp;"),
        ('<title type="text">How to write &amp;amp;</title>', "How to write &amp;"),
        (
            '<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Salt &amp; <b>Pepper</b></div></title>',
            "Salt & Pepper",
        ),
    ],
)
def test_a_title_of_atom_is_what_its_type_says(title, meant):
    assert entry(atom(title)).title == meant


def test_a_title_full_of_markup_is_read_in_bounded_pieces():
    title = "<b>x</b>" * 10_000 + "&amp;" * 10_000
    assert len(entry(rss(f"<title><![CDATA[{title}]]></title>")).title) <= 200


def test_the_title_of_the_feed_is_text_too():
    feed = rss("<title>x</title>").replace("<channel>", "<channel><title>Salt &amp;amp; Pepper</title>")
    assert parse_feed(feed.encode(), URL).title == "Salt & Pepper"
