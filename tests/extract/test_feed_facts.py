"""What feeds say of their media."""

import pytest
from extract_texts import FEED_URL as URL
from extract_texts import rss, said
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract import parse_feed, parse_list
from mediacrawl.extract.feed_model import short_name
from mediacrawl.extract.texts import moment, seconds, yes_or_no
from mediacrawl.facts import LONGEST_TEXT


def told(body, place=0):
    return said(parse_feed(body, URL).entries[place])


EPISODE = """<item><title>Folge 7</title><itunes:title>Sieben</itunes:title><itunes:author>Ada &amp; Bo</itunes:author>
<link>https://site.example/7</link><guid>id-7</guid><pubDate>Wed, 01 May 2024 12:00:00 +0200</pubDate>
<itunes:duration>1:02:03</itunes:duration><itunes:episode>7</itunes:episode><itunes:season>2</itunes:season>
<itunes:explicit>clean</itunes:explicit><itunes:keywords>Meer, Wind</itunes:keywords><itunes:image href="/7.jpg"/>
<description>&lt;p&gt;Vom &lt;b&gt;Meer&lt;/b&gt; &amp;amp; Wind.&lt;/p&gt;</description>
<podcast:transcript url="7.vtt" type="text/vtt"/><podcast:transcript url="7.srt" type="application/srt"/>
<podcast:chapters url="7.json" type="application/json+chapters"/>
<podcast:license url="https://creativecommons.org/licenses/by/4.0/">cc-by-4.0</podcast:license>
<podcast:value type="lightning"><podcast:valueRecipient name="Ada" address="x" split="100"/></podcast:value>
<enclosure url="https://cdn.example/7.mp3" length="3723" type="audio/mpeg"/></item>"""
HEAD = """<language>de-AT</language><itunes:author>Radio</itunes:author><copyright>2024 Radio</copyright>
<itunes:category text="Society"/><atom:link rel="hub" href="https://hub.example/"/><ttl>90</ttl>
<image><url>/radio.png</url></image>"""


def test_an_episode_is_described_by_its_feed():
    found = told(rss(EPISODE, HEAD))
    assert found == {
        "title": ["Folge 7", "Sieben"],
        "artist": ["Ada & Bo"],
        "duration": ["3723"],
        "episode": ["7"],
        "season": ["2"],
        "date": ["2024-05-01T10:00:00Z"],
        "license": ["cc-by-4.0"],
        "description": ["Vom Meer & Wind."],
        "explicit": ["no"],
        "keywords": ["Meer, Wind"],
        "thumbnail_url": ["https://site.example/7.jpg"],
        "transcript_url": ["https://site.example/feed/7.vtt", "https://site.example/feed/7.srt"],
        "chapters_url": ["https://site.example/feed/7.json"],
        "license_url": ["https://creativecommons.org/licenses/by/4.0/"],
        "mime": ["audio/mpeg"],
        "size": ["3723"],
        "podcast": ["Welle"],
        "copyright": ["2024 Radio"],
        "language": ["de-AT"],
        "genre": ["Society"],
        "hub_url": ["https://hub.example/"],
        "type": ["PodcastEpisode"],
    }


def test_the_channel_speaks_where_the_entry_does_not():
    bare = '<item><title>Acht</title><enclosure url="8.mp3"/></item>'
    found = told(rss(EPISODE + bare, HEAD), 1)
    assert found["artist"] == ["Radio"]
    assert found["thumbnail_url"] == ["https://site.example/radio.png"]
    assert "description" not in found


def test_a_channel_that_stands_behind_its_entries_is_read():
    found = told(rss(EPISODE.replace("<itunes:author>Ada &amp; Bo</itunes:author>", "") + HEAD))
    assert found["artist"] == ["Radio"]


def test_a_feed_says_how_often_it_wants_to_be_asked():
    assert parse_feed(rss(EPISODE, HEAD), URL).wait == 5400
    twice_a_day = "<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>2</sy:updateFrequency>"
    assert parse_feed(rss(EPISODE, twice_a_day), URL).wait == 43_200
    assert parse_feed(rss(EPISODE, "<ttl>soon</ttl>"), URL).wait == 0


def test_a_media_group_is_one_entry_in_several_encodings():
    item = """<item><title>Film</title><guid>g</guid><media:group><media:title>Der Film</media:title>
    <media:content url="/1.mp4" type="video/mp4" width="640" height="360" duration="61"/>
    <media:content url="/2.mp4" type="video/mp4" width="1280" height="720"/><media:content url="/3.jpg" medium="image"/>
    <media:thumbnail url="/t.jpg"/><media:credit role="director">Cy</media:credit></media:group></item>"""
    first, second = parse_feed(rss(item), URL).entries
    assert (first.enclosure, second.enclosure, first.guid, second.guid) == ("/1.mp4", "/2.mp4", "g", "g")
    small, large = ({each.key: each.text for each in entry.facts} for entry in (first, second))
    assert (small["width"], small["duration"], large["width"]) == ("640", "61", "1280")
    assert small["thumbnail_url"] == large["thumbnail_url"] == "https://site.example/t.jpg"
    assert "artist" not in small
    assert "type" not in small


YOUTUBE = b"""<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/"
xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="http://www.youtube.com/feeds/videos.xml?channel_id=UC1"/>
<title>Kanal</title><entry><id>yt:video:dQw4w9WgXcQ</id><yt:videoId>dQw4w9WgXcQ</yt:videoId><title>Lied</title>
<link rel="alternate" href="https://www.youtube.com/watch?v=dQw4w9WgXcQ"/><author><name>Kanal</name></author>
<published>2024-05-01T10:00:00+00:00</published><media:group><media:title>Lied</media:title>
<media:content url="https://www.youtube.com/v/dQw4w9WgXcQ?version=3" type="application/x-shockwave-flash" width="640"/>
<media:thumbnail url="https://i1.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg"/><media:description>Text</media:description>
<media:community><media:statistics views="17"/></media:community></media:group></entry></feed>"""


def test_a_video_of_youtube_is_its_player_and_its_page_is_not_asked():
    listing = parse_list("feed", YOUTUBE, "https://www.youtube.com/feeds/videos.xml?channel_id=UC1")
    assert listing.links == []
    (player,) = listing.players
    assert player.href == "https://www.youtube.com/embed/dQw4w9WgXcQ"
    said = {each.key: each.text for each in player.facts}
    assert said == {
        "title": "Lied",
        "artist": "Kanal",
        "date": "2024-05-01T10:00:00Z",
        "description": "Text",
        "thumbnail_url": "https://i1.ytimg.com/vi/dQw4w9WgXcQ/hqdefault.jpg",
        "views": "17",
        "embed_url": player.href,
    }


@pytest.mark.parametrize(
    ("author", "name"),
    [("me@site.example (Ada)", "Ada"), ("Ada", "Ada"), ("ada@site.example", "ada@site.example")],
)
def test_an_address_in_rss_has_the_name_behind_it(author, name):
    item = f'<item><author>{author}</author><enclosure url="a.mp3"/></item>'
    assert told(rss(item))["artist"] == [name]


def test_a_description_is_cut_and_has_no_markup():
    html = "&lt;p class=&quot;x&quot;&gt;wort &lt;br/&gt;" * 5_000
    (text,) = told(rss(f'<item><description>{html}</description><enclosure url="a.mp3"/></item>'))["description"]
    assert text.startswith("wort wort wort")
    assert len(text) <= LONGEST_TEXT
    assert "<" not in text


@pytest.mark.parametrize(
    "title",
    ["1 < 2", "a <b>bold", "a <br> b", "AT&T", "caf&eacute;", "a\x0bb"],
)
def test_what_is_not_well_formed_costs_no_entry(title):
    good = '<item><title>gut</title><enclosure url="g.mp3?a=1&b=2"/></item>'
    bad = f'<item><title>{title}</title><enclosure url="b.mp3"/></item>'
    feed = parse_feed(rss(good + bad + good.replace("g.mp3", "h.mp3")), URL)
    assert [entry.enclosure for entry in feed.entries] == ["g.mp3?a=1&b=2", "b.mp3", "h.mp3?a=1&b=2"]
    assert feed.entries[1].title.startswith(title[0])


def test_letters_of_another_encoding_in_a_feed_in_utf_8_stay_letters():
    body = rss('<item><title>Grüße aus Caf?</title><enclosure url="a.mp3"/></item>').replace(b"?", b"\xe9")
    assert parse_feed(body, URL).entries[0].title == "Grüße aus Café"
    shown = rss("<item><title>" + "é" * 2_000 + '</title><enclosure url="a.mp3"/></item>').decode().encode("latin-1")
    assert parse_feed(b"<?xml version='1.0' encoding='utf-8'?>" + shown, URL).entries[0].title == "é" * 200


def test_a_warning_before_a_feed_is_passed_over():
    warning = b"<br />\n<b>Warning</b>: include() in /srv/x.php on line 3<br />\n"
    assert len(parse_feed(warning + rss(EPISODE), URL).entries) == 1


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1:02:03", "3723"),
        ("62:03", "3723"),
        ("3600.50", "3600.5"),
        ("PT1H2M3S", "3723"),
        ("P0Y0M0DT0H3M30.000S", "210"),
        ("p0y0m0dt0h3m30,5s", "210.5"),
        ("PT0.5H", "1800"),
        ("PT1.5M", "90"),
        ("PT12.3450000S", "12.345"),
        ("P1DT1S", "86401"),
        ("P1W", "604800"),
        ("P0000-00-01T00:03:30", "86610"),
        ("P1M", ""),
        ("P1Y", ""),
        ("P0001-00-00T00:00:30", ""),
        ("PT", ""),
        ("P", ""),
        ("PT1H2", ""),
        ("-PT5S", ""),
        ("P0D", ""),
        ("00:00", ""),
        ("1:2:3:4", ""),
        ("99999999", ""),
        ("soon", ""),
    ],
)
def test_durations_are_seconds(written, number):
    assert seconds(f" {written} ") == number


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("Wed, 01 May 2024 12:00:00 EST", "2024-05-01T17:00:00Z"),
        ("2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00Z"),
        ("2024-05", "2024-05"),
        ("Mon, 32 Foo 99999", ""),
        ("0001-01-01T00:00:00+14:00", ""),
        ("20240501", ""),
    ],
)
def test_dates_are_those_of_iso_8601(written, date):
    assert moment(written) == date


@given(st.text(max_size=60))
def test_any_text_is_a_value(text):
    assert moment(text) == moment(f" {text} ")
    assert yes_or_no(text) in {"yes", "no", ""}
    number = seconds(text)
    assert number == "" or 0 < float(number) < 10_000_000


def test_a_namespace_is_known_by_its_url_and_else_by_its_prefix():
    assert short_name("{http://www.itunes.com/DTDs/Podcast-1.0.dtd}Author") == "itunes:author"
    assert short_name("itunes:author") == "itunes:author"
    assert short_name("{http://www.w3.org/2005/Atom}link") == "link"
    assert short_name("{urn:x}title", "urn:x") == "title"
    assert short_name("{urn:x}title") == "?:title"
