"""Feeds with one fault: each of their episodes is found, with its title."""

import pytest

from mediacrawl.extract.feeds import parse_feed
from mediacrawl.extract.loose_xml import well_formed

SPACES = 'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
URL = "http://c.example/2.mp3"
FILE = f'<enclosure url="{URL}" length="1" type="audio/mpeg"/>'
TITLE = "<title>Episode 2</title>"


def item(number):
    file = f'<enclosure url="http://c.example/{number}.mp3" length="1" type="audio/mpeg"/>'
    return f"<item><title>Episode {number}</title><guid>g{number}</guid>{file}</item>\n"


def feed(second, *, root=f'<rss version="2.0" {SPACES}>', before="<?xml version='1.0'?>", after=""):
    return f"{before}{root}<channel><title>Show</title>{item(1)}{second}{item(3)}</channel></rss>{after}"


def second(file=FILE, title=TITLE, more=""):
    return f"<item>{title}<guid>g2</guid>{file}{more}</item>\n"


FAULTS = {
    "no blank": second(f'<enclosure url="{URL}"length="1"type="audio/mpeg"/>'),
    "no quotes": second(f"<enclosure url={URL} length=1 type=audio/mpeg />"),
    "no quotes, slash": second(f"<enclosure type=audio/mpeg url={URL}/>"),
    "curly quotes": second(f"<enclosure url=\u201c{URL}\u201d length=\u201c1\u201d type=\u201caudio/mpeg\u201d/>"),
    "single curly quotes": second(f"<enclosure url=\u2018{URL}\u2019 type=\u2018audio/mpeg\u2019/>"),
    "apostrophe": second(f"<enclosure url='{URL}' title='it's' type='audio/mpeg'/>"),
    "apostrophe, no blank": second(f"<enclosure title='it's'url='{URL}'type='audio/mpeg'/>"),
    "attribute twice": second(f'<enclosure url="{URL}" url="{URL}" type="audio/mpeg"/>'),
    "less in a value": second(f'<enclosure title="1 < 2" url="{URL}" type="audio/mpeg"/>'),
    "quote not closed": second(f'<enclosure url="{URL} type="audio/mpeg" length="1"/>'),
    "last quote not closed": second(f'<enclosure type="audio/mpeg" url="{URL} />'),
    "no value": second(f'<enclosure nodownload url="{URL}" type="audio/mpeg"/>'),
    "tag not closed": second(f'<enclosure url="{URL}" type="audio/mpeg"'),
    "element not ended": second(f'<enclosure url="{URL}" type="audio/mpeg">'),
    "image not ended": second(more='<itunes:image href="x.jpg">' + FILE),
    "first not ended": f'<item><itunes:image href="x.jpg">{TITLE}{FILE}</item>',
    "title not ended": second(title="<title>Episode 2"),
    "entry not ended": second().replace("</item>", ""),
    "entry ended twice": second(more="</item>"),
    "undeclared entity": second(more="<description>&foo; &nbsp; &bar</description>"),
    "bare ampersand": second(more="<description>a & b &amp; c</description>"),
    "html in a text": second(more="<description>a <br> <p>b <img src=x></description>"),
    "control characters": second(title="<title>Epi\x0bsode\x00 2\x1f</title>"),
    "reference to a control character": second(title="<title>Episode&#11; 2</title>"),
    "wrong nesting": second(more="<description><b><i>x</b></i></description><author><name>y</author></name>"),
    "end of another element": second(title="<title>Episode 2</guid></title>"),
    "section not ended": second(more="<description><![CDATA[a <b>b</b></description>"),
    "comment in a comment": second(more="<!-- a -- b <!-- c -->"),
    "comment not ended": second(more="<!-- a"),
    "undeclared prefix": second(more='<foo:bar foo:x="1">y</foo:bar>'),
    "two signs": second(more="<description>a << b</description>"),
    "attribute of an end tag": second().replace("</title>", "</title x='1'>"),
    "channel ended early": second() + "</channel>",
}


def episodes(text):
    return [(entry.title, entry.enclosure) for entry in parse_feed(text.encode(), "http://a.example/feed").entries]


EXPECTED = [(f"Episode {number}", f"http://c.example/{number}.mp3") for number in (1, 2, 3)]


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_an_entry_loses_none(name):
    assert [each for each in episodes(feed(FAULTS[name])) if each[1]] == EXPECTED


@pytest.mark.parametrize(
    "around",
    [
        {"root": f"<rss version=2.0 {SPACES}>"},
        {"before": "Warning: foo() in /x.php on line 3<br />\n"},
        {"after": "<script>var a = 1 < 2;</script><!-- cached"},
        {"after": "</rss><p>"},
    ],
)
def test_a_fault_around_the_entries_loses_none(around):
    assert episodes(feed(FAULTS["apostrophe"], **around)) == EXPECTED


@pytest.mark.parametrize("fault", ["", " title='it's'"])
@pytest.mark.parametrize("name", ["content:encoded", "description", "title"])
def test_a_feed_that_an_entry_quotes_is_text(name, fault):
    quoted = "<rss><channel><item><title>No</title><enclosure url='http://no.example/n.mp3'/></item></channel></rss>"
    quoting = f"<{name}><![CDATA[{quoted}]]></{name}>"
    found = episodes(feed(item(2).replace("<enclosure", f"{quoting}<enclosure{fault}")))
    assert [url for _, url in found if url] == [url for _, url in EXPECTED]


def test_a_second_root_continues_the_first():
    other = feed(item(5)).replace("Episode 1", "Episode 4").replace("/1.mp3", "/4.mp3")
    found = episodes(feed(second()) + other.replace("Episode 3", "Episode 6").replace("/3.mp3", "/6.mp3"))
    assert found == [(f"Episode {number}", f"http://c.example/{number}.mp3") for number in range(1, 7)]


def test_an_entry_that_is_cut_counts_if_it_has_its_title_and_its_file():
    text = feed(second())
    assert episodes(text[: text.rindex("</item>")]) == EXPECTED
    assert episodes(text[: text.rindex("<enclosure") + 20]) == EXPECTED[:2]
    assert episodes(text[: text.rindex("Episode 3") + 4]) == EXPECTED[:2]


@pytest.mark.parametrize(
    "piece", ["<![CDATA[", "<!--", "<?", "<a>", "</a>", "<title>", "<a b='", "<a b=\u201c", "=", "<item>"]
)
def test_what_is_made_of_any_text_is_bounded(piece):
    text = "<rss><channel>" + piece * (200_000 // len(piece))
    made = well_formed(text)
    assert len(made) < 5 * len(text)
    assert made.count("<item") == made.count("</item")
