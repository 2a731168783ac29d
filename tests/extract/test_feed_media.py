"""The media of a feed's entries: groups of Media RSS, live items and other elements of podcasts."""

import pytest
from extract_texts import FEED_URL as URL
from extract_texts import entries, rss, said
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract import parse_feed, parse_list
from mediacrawl.extract.feed_facts import name_beside_address
from mediacrawl.extract.feed_model import MOST_FILES

# -- groups of Media RSS ---------------------------------------------------------------------------------------------

TWO_FILMS = """<item><title>Zwei Filme</title><dc:creator>Ada</dc:creator><itunes:duration>10</itunes:duration>
<media:group><media:title>Ein Fluss</media:title><media:credit role="author">Bo</media:credit>
<media:rating scheme="urn:simple">adult</media:rating><media:thumbnail url="/fluss.jpg"/>
<media:keywords>Wasser</media:keywords><media:description>Vom Fluss</media:description>
<media:content url="/fluss-gross.mp4" type="video/mp4" duration="61" bitrate="800"><media:title>Groß</media:title>
</media:content><media:content url="/fluss-klein.mp4" type="video/mp4"/></media:group>
<media:group><media:title>Ein Berg</media:title><media:content url="/berg.mp4" type="video/mp4"/></media:group>
<enclosure url="/ton.mp3" type="audio/mpeg"/></item>"""


def test_what_a_group_says_is_about_its_own_files():
    sound, large, small, mountain = entries(TWO_FILMS)
    assert [each.enclosure for each in (sound, large, small, mountain)] == [
        "/ton.mp3",
        "/fluss-gross.mp4",
        "/fluss-klein.mp4",
        "/berg.mp4",
    ]
    of_all = {"artist": ["Ada"], "duration": ["10"], "podcast": ["Welle"], "type": ["PodcastEpisode"]}
    assert said(sound) == {**of_all, "title": ["Zwei Filme"], "mime": ["audio/mpeg"]}
    assert said(mountain) == {**of_all, "title": ["Ein Berg", "Zwei Filme"], "mime": ["video/mp4"]}
    of_river = {
        "artist": ["Bo", "Ada"],
        "explicit": ["yes"],
        "thumbnail_url": ["https://site.example/fluss.jpg"],
        "keywords": ["Wasser"],
        "description": ["Vom Fluss"],
    }
    assert said(small) == {**of_all, **of_river, "title": ["Ein Fluss", "Zwei Filme"], "mime": ["video/mp4"]}
    # Its own title replaces that of the group, for it is the same element.
    assert said(large) == {
        **of_all,
        **of_river,
        "title": ["Groß", "Zwei Filme"],
        "duration": ["61", "10"],
        "bitrate": ["800000"],
        "mime": ["video/mp4"],
    }


def test_a_file_that_is_enclosed_and_in_a_group_has_what_both_say():
    item = """<item><title>x</title><enclosure url="a.mp4" length="9" type="video/mp4"/><media:group>
    <media:content url="a.mp4" width="640"/><media:credit>Bo</media:credit></media:group></item>"""
    (entry,) = entries(item)
    assert (entry.type, entry.length) == ("video/mp4", 9)
    assert said(entry) == {"title": ["x"], "artist": ["Bo"], "mime": ["video/mp4"], "size": ["9"], "width": ["640"]}


def test_without_a_file_the_player_has_what_groups_say():
    item = """<item><title>x</title><media:group><media:content medium="video">
    <media:player url="/p?v=1"/></media:content><media:credit>Bo</media:credit></media:group></item>"""
    (entry,) = entries(item)
    assert entry.player == "/p?v=1"
    assert said(entry) == {"title": ["x"], "artist": ["Bo"], "player_url": ["/p?v=1"]}


def test_thousands_of_groups_and_files_are_bounded():
    content = "<media:content url='/{}.mp4' type='video/mp4'><media:title>{}</media:title></media:content>"
    group = "<media:group>" + "".join(content.format(n, n) for n in range(200)) + "<media:title>x</media:title>" * 500
    assert len(entries(f"<item>{group}</media:group></item>")) == MOST_FILES
    same = "<media:group><media:content url='/1.mp4'/></media:group>" * 5_000
    assert len(entries(f"<item>{same}</item>")) == 1


# -- dates, ids and authors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("elements", "dates"),
    [
        ("<a10:updated>2024-05-01T10:00:00Z</a10:updated>", ["2024-05-01T10:00:00Z"]),
        ("<dcterms:modified>2024-05-01</dcterms:modified>", ["2024-05-01"]),
        (
            "<a10:updated>2024-05-02T10:00:00Z</a10:updated><pubDate>Wed, 01 May 2024 10:00:00 GMT</pubDate>",
            ["2024-05-01T10:00:00Z"],
        ),
        ("<a10:updated>soon</a10:updated>", None),
    ],
)
def test_the_last_change_is_the_date_only_if_there_is_no_other(elements, dates):
    (entry,) = entries(f'<item>{elements}<enclosure url="a.mp3"/></item>')
    assert said(entry).get("date") == dates


def test_an_entry_of_atom_that_was_only_updated_has_a_date():
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>1</id><updated>2024-05-01T10:00:00Z</updated>
    <link rel="enclosure" href="a.mp3"/></entry></feed>"""
    assert said(parse_feed(body, URL).entries[0]) == {"date": ["2024-05-01T10:00:00Z"]}


@pytest.mark.parametrize(
    ("item", "link", "guid"),
    [
        ("<guid>https://site.example/7</guid>", "https://site.example/7", "https://site.example/7"),
        ('<guid isPermaLink="TRUE">https://site.example/7</guid>', "https://site.example/7", "https://site.example/7"),
        ('<guid isPermaLink="false">https://site.example/7</guid>', "", "https://site.example/7"),
        ('<guid ispermalink="false">https://site.example/7</guid>', "", "https://site.example/7"),
        ("<guid>id-7</guid>", "", "id-7"),
        ("<guid>https://site.example/7 and more</guid>", "", "https://site.example/7 and more"),
        ("<link>/8</link><guid>https://site.example/7</guid>", "/8", "https://site.example/7"),
        ("<guid>https://site.example/" + "x" * 600 + "</guid>", "", ("https://site.example/" + "x" * 600)[:500]),
    ],
)
def test_the_id_of_an_entry_is_its_page_unless_it_says_that_it_is_none(item, link, guid):
    (entry,) = entries(f"<item>{item}</item>")
    assert (entry.link, entry.guid) == (link, guid)
    followed = [each.href for each in parse_list("feed", rss(f"<item>{item}</item>"), URL).links]
    assert followed == ([link] if link else [])


@pytest.mark.parametrize(
    ("about", "inside", "link", "guid"),
    [
        ("https://site.example/1", "", "https://site.example/1", "https://site.example/1"),
        ("/1", "", "/1", "/1"),
        ("urn:x:1", "", "", "urn:x:1"),
        ("/1", "<link>/2</link>", "/2", "/1"),
    ],
)
def test_an_item_of_rdf_is_known_by_what_it_is_about(about, inside, link, guid):
    body = f"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
    <item rdf:about="{about}"><title>Eins</title>{inside}</item></rdf:RDF>"""
    (entry,) = parse_feed(body.encode(), URL).entries
    assert (entry.link, entry.guid) == (link, guid)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("john@site.example (John Doe)", "John Doe"),
        ("john@site.example(John Doe)", "John Doe"),
        ("John Doe (john@site.example)", "John Doe"),
        ("John Doe <john@site.example>", "John Doe"),
        ('"Doe, John" <john@site.example>', "Doe, John"),
        ("john@site.example (Doe (John))", "Doe (John)"),
        ("john@site.example ()", "john@site.example"),
        ("(john@site.example)", "(john@site.example)"),
        ("<john@site.example>", "john@site.example"),
        ("John Doe (Radio)", "John Doe (Radio)"),
        ("John @ Doe (Radio)", "John @ Doe (Radio)"),
        ("John Doe", "John Doe"),
        ("", ""),
        ("(" * 500, "(" * 500),
        ("@" * 500 + ")", "@" * 500 + ")"),
    ],
)
def test_a_name_is_read_beside_the_address(written, name):
    assert name_beside_address(written) == name


@given(st.text(alphabet='a@()<> ".', max_size=40))
def test_any_author_has_a_name_of_no_other_letters(written):
    assert name_beside_address(written) in written


# -- podcasts --------------------------------------------------------------------------------------------------------

GUID = "917393e3-1b1e-5cef-ace4-edaa54e1f810"
BARE = '<item><title>x</title><enclosure url="a.mp3"/></item>'


@pytest.mark.parametrize(
    ("head", "key", "texts"),
    [
        (f"<podcast:guid> {GUID.upper()} </podcast:guid>", "podcast_guid", [GUID]),
        ("<podcast:guid>https://site.example/</podcast:guid>", "podcast_guid", None),
        ("<podcast:medium>music</podcast:medium>", "media_kind", ["music"]),
        ("<podcast:medium>film</podcast:medium>", "media_kind", ["movie"]),
        ("<podcast:medium>course</podcast:medium>", "media_kind", ["lecture"]),
        ("<podcast:medium>audiobook</podcast:medium>", "media_kind", ["audiobook"]),
        ("<podcast:medium>musicL</podcast:medium>", "media_kind", ["music"]),
        ("<podcast:medium>mixed</podcast:medium>", "media_kind", None),
        ("<podcast:medium>podcast</podcast:medium>", "type", ["PodcastEpisode"]),
        ("<podcast:medium>music</podcast:medium>", "type", ["MusicRecording"]),
        ("<podcast:medium>audiobook</podcast:medium>", "type", None),
        ('<podcast:location geo="geo:48.2,16.3" osm="R1">Wien</podcast:location>', "location", ["Wien"]),
    ],
)
def test_the_channel_of_a_podcast_says_what_it_is(head, key, texts):
    assert said(entries(BARE, head)[0]).get(key) == texts


@pytest.mark.parametrize(
    ("element", "key", "texts"),
    [
        ("<itunes:episodeType>Full</itunes:episodeType>", "episode_type", ["full"]),
        ("<itunes:episodeType>bonus</itunes:episodeType>", "episode_type", ["bonus"]),
        ("<itunes:episodeType>trailer</itunes:episodeType>", "episode_type", ["trailer"]),
        ("<itunes:episodeType>best</itunes:episodeType>", "episode_type", None),
        ("<itunes:season>3</itunes:season>", "season", ["3"]),
        ('<podcast:season name="Winter">4</podcast:season>', "season", ["4"]),
        ('<podcast:location geo="geo:48.2,16.3">Graz</podcast:location>', "location", ["Graz"]),
    ],
)
def test_an_episode_says_what_it_is(element, key, texts):
    head = "<podcast:location>Wien</podcast:location>" if key != "location" else ""
    (entry,) = entries(f'<item><title>x</title>{element}<enclosure url="a.mp3"/></item>', head)
    assert said(entry).get(key) == texts


def test_value_blocks_are_left_alone():
    value = '<podcast:value type="lightning"><podcast:valueRecipient name="Ada" address="x"/></podcast:value>'
    (entry,) = entries(f'<item><title>x</title>{value}<enclosure url="a.mp3"/></item>')
    assert said(entry, "podcast", "type") == {"title": ["x"]}


ALTERNATE = """<item><title>Folge</title><enclosure url="a.mp3" type="audio/mpeg"/>
<podcast:alternateEnclosure type="video/mp4" length="9" bitrate="511276.52" height="720" lang="de" title="Mit Bild">
<podcast:source uri="https://one.example/a.mp4"/><podcast:source uri="https://three.example/a.mp4"/>
<podcast:source uri="ipfs://Qm" contentType="application/x-x"/>
<podcast:source uri="https://two.example/a.torrent" contentType="application/x-bittorrent"/>
</podcast:alternateEnclosure></item>"""


def test_each_source_of_an_alternate_enclosure_has_what_it_says():
    sound, picture, again, other = entries(ALTERNATE)
    assert [sound.enclosure, picture.enclosure, other.enclosure] == ["a.mp3", "https://one.example/a.mp4", "ipfs://Qm"]
    assert (again.enclosure, said(again)) == ("https://three.example/a.mp4", said(picture))
    told = {"size": ["9"], "bitrate": ["511277"], "height": ["720"], "language": ["de"], "title": ["Folge", "Mit Bild"]}
    assert said(picture, "podcast", "type") == {**told, "mime": ["video/mp4"]}
    assert said(other, "podcast", "type") == {**told, "mime": ["application/x-x"]}
    assert (picture.type, other.type) == ("video/mp4", "application/x-x")
    assert said(sound, "podcast", "type") == {"title": ["Folge"], "mime": ["audio/mpeg"]}


LIVE = """<podcast:liveItem status="{}" start="2024-05-01T10:00:00+02:00" end="2024-05-01T11:00:00+02:00">
<title>Heute</title><guid isPermaLink="false">live-1</guid><link>https://site.example/live</link>
<enclosure url="https://stream.example/1" type="audio/mpeg"/>
<podcast:contentLink href="https://site.example/chat">Chat</podcast:contentLink></podcast:liveItem>"""


@pytest.mark.parametrize("status", ["live", "LIVE", "pending", ""])
def test_a_live_item_is_an_entry_and_live_while_it_says_so(status):
    (entry,) = entries(LIVE.format(status))
    assert (entry.title, entry.enclosure, entry.link) == (
        "Heute",
        "https://stream.example/1",
        "https://site.example/live",
    )
    found = said(entry, "podcast", "type")
    assert found.pop("is_live", None) == (["yes"] if status.lower() == "live" else None)
    assert found == {"title": ["Heute"], "date": ["2024-05-01T08:00:00Z"], "mime": ["audio/mpeg"]}


def test_a_live_item_that_ended_has_a_page_and_no_stream():
    first, second = entries(LIVE.format("ended") + BARE)
    assert (first.title, first.enclosure, first.link) == ("Heute", "", "https://site.example/live")
    assert "is_live" not in said(second)
