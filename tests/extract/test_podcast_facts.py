"""What feeds say of people, transcripts, chapters and clips, up to the record."""

import pytest
from golden_texts import SPACES

from mediacrawl.base.facts import pack
from mediacrawl.base.terms import Evidence
from mediacrawl.extract.feeds import parse_feed
from mediacrawl.probe import Probe, ProbePolicy, ProbeResult
from mediacrawl.record import build_item

PERSONS = """<podcast:person href="/jane" role="Guest">Jane Roe</podcast:person>
<podcast:person>Ada</podcast:person><podcast:person role="host"> </podcast:person>"""
CHAPTERS = """<psc:chapters version="1.2">
<psc:chapter start="00:01:02.500" title="Über den Fluss" href="https://a.example/fluss" image="/fluss.png"/>
<psc:chapter start="0" title="Anfang"/><psc:chapter start="never" title="Nie"/><psc:chapter start="62:00"/>
</psc:chapters>"""
TRANSCRIPTS = """<podcast:transcript url="/1.vtt" type="text/vtt" language="de-AT" rel="captions"/>
<podcast:transcript url="/1.json" type="application/json"/>"""
SOUNDBITES = """<podcast:soundbite startTime="73.0" duration="60.0"/>
<podcast:soundbite startTime="0" duration="5">Gruß</podcast:soundbite><podcast:soundbite duration="5"/>"""


def record(item, channel=""):
    entry = f"<item><title>Folge 1</title><enclosure url='/1.mp3' type='audio/mpeg'/>{item}</item>"
    text = f"<rss {SPACES}><channel><title>Am Fluss</title>{channel}{entry}</channel></rss>"
    (found,) = parse_feed(text.encode(), "https://a.example/feed").entries
    return build_item(
        ProbeResult(), Probe(ProbePolicy()), url="https://a.example/1.mp3", evidence=Evidence(facts=pack(found.facts))
    )


def test_people_have_their_roles_and_pages():
    assert record(PERSONS).persons == [
        {"role": "guest", "name": "Jane Roe", "url": "https://a.example/jane"},
        {"role": "host", "name": "Ada"},
    ]


def test_people_of_the_channel_count_where_the_entry_names_none():
    channel = "<podcast:person role='host'>Ben</podcast:person>"
    assert record("", channel).persons == [{"role": "host", "name": "Ben"}]
    assert "Ben" not in {person["name"] for person in record(PERSONS, channel).persons}


def test_credits_of_media_rss_are_people():
    found = record("<media:credit role='Director'>Ida</media:credit><media:credit role='producer'>Kim</media:credit>")
    assert found.persons == [{"role": "director", "name": "Ida"}, {"role": "producer", "name": "Kim"}]


def test_chapters_are_sorted_and_end_where_the_next_begins():
    assert record(CHAPTERS).chapters == [
        {"start": 0.0, "end": 62.5, "title": "Anfang"},
        {
            "start": 62.5,
            "end": 3720.0,
            "title": "Über den Fluss",
            "url": "https://a.example/fluss",
            "image": "https://a.example/fluss.png",
        },
        {"start": 3720.0, "title": "3"},
    ]


def test_a_chapter_whose_title_is_nothing_leaves_no_gap():
    titles = ("Eins", "&#x7f;", "Zwei")
    chapters = (f"<psc:chapter start='{number}' title='{title}'/>" for number, title in enumerate(titles))
    found = record(f"<psc:chapters>{''.join(chapters)}</psc:chapters>").chapters
    assert found == [{"start": 0.0, "end": 2.0, "title": "Eins"}, {"start": 2.0, "title": "Zwei"}]


def test_transcripts_have_types_and_languages():
    found = record(TRANSCRIPTS)
    assert found.transcript_url == "https://a.example/1.vtt"
    assert found.transcripts == [
        {"url": "https://a.example/1.vtt", "type": "text/vtt", "language": "de-AT"},
        {"url": "https://a.example/1.json", "type": "application/json"},
    ]


def test_a_clip_without_a_title_has_that_of_its_entry():
    assert record(SOUNDBITES).soundbites == [
        {"start": 73.0, "duration": 60.0, "title": "Folge 1"},
        {"start": 0.0, "duration": 5.0, "title": "Gruß"},
    ]


@pytest.mark.parametrize(
    "many",
    [
        "<podcast:person>A</podcast:person>" * 5_000,
        "<podcast:transcript url='/x'/>" * 5_000,
        "<psc:chapters>" + "<psc:chapter start='1' title='x'/>" * 20_000 + "</psc:chapters>",
        "<podcast:soundbite startTime='1' duration='1'>" + "x" * 1_000_000 + "</podcast:soundbite>",
    ],
)
def test_an_entry_has_no_more_than_the_frontier_keeps(many):
    found = record(many)
    assert len(found.tags) <= 100
    assert found.title == "Folge 1"
