"""A second page that describes a known file adds to its record, and replaces nothing."""

import pytest

from mediacrawl.base.facts import FEED, MOST_FACTS, PAGE, Fact, fact, framed, pack
from mediacrawl.base.terms import Evidence, Tag
from mediacrawl.probe import Probe, ProbePolicy, ProbeResult
from mediacrawl.record import Description, build_item
from mediacrawl.store import Catalogue

URL = "https://a.example/song.mp3"
FIRST, SECOND = "https://a.example/first", "https://b.example/second"


def record(*facts, tags=(), **known):
    result = ProbeResult(status="complete", container="mp3", encoding_format="audio/mpeg", tags=list(tags))
    evidence = Evidence(facts=pack(facts))
    item = build_item(result, Probe(ProbePolicy()), url=URL, evidence=evidence, page_url=FIRST)
    made = {name: getattr(item, name) for name in item.__slots__}
    return {**made, **known}


def of_page(key, text, declared="utf-8"):
    return Fact(PAGE, f"json-ld:{key}", key, text, declared)


def test_gaps_are_filled_and_the_page_is_named():
    old = record(of_page("title", "Song"), tags=[Tag("id3v2.3", "TPE1", "artist", "latin-1", b"Ann", "Ann")])
    facts = [of_page("title", "Another"), of_page("artist", "Nobody"), of_page("license", "CC BY 4.0")]
    new = Description(URL, SECOND, facts).added_to(old)
    assert (new["title"], new["artist"], new["license"]) == ("Song", "Ann", "CC BY 4.0")
    assert [(tag["text"], tag.get("page_url")) for tag in new["tags"]][-3:] == [
        ("Another", SECOND),
        ("Nobody", SECOND),
        ("CC BY 4.0", SECOND),
    ]
    assert Description(URL, SECOND, facts).added_to(new) is None


@pytest.mark.parametrize(
    "told",
    [
        Description(URL, SECOND, []),
        Description(URL, SECOND, [of_page("title", "Song")]),
        Description(URL, FIRST, [of_page("license", "CC0")]),
        # Octets in an unknown encoding, and a page whose encoding the models only guess: the fixer is over.
        Description(URL, SECOND, [of_page("license", "Ñ", "latin-1 models ru 0.5000")]),
    ],
)
def test_what_adds_nothing_changes_nothing(told):
    assert told.added_to(record(of_page("title", "Song"))) is None


def test_people_and_chapters_of_a_feed_are_added():
    host = fact(FEED, framed("podcast:person", role="host"), "person", "Jane")
    chapters = [
        fact(FEED, framed("psc:chapter", start=start), f"chapters[{number}].title", title)
        for number, (start, title) in enumerate([("0", "Intro"), ("61.5", "Ça")])
    ]
    new = Description(URL, SECOND, [host, *chapters]).added_to(record())
    assert new["persons"] == [{"role": "host", "name": "Jane"}]
    assert new["chapters"] == [{"start": 0.0, "end": 61.5, "title": "Intro"}, {"start": 61.5, "title": "Ça"}]
    # A title whose encoding is not sure ends them: the places of those behind it would be wrong.
    unsure = chapters[1]._replace(text="Ã", declared="latin-1 models ru 0.5000")
    last = chapters[1]._replace(frame=framed("psc:chapter", start="99"), key="chapters[2].title")
    new = Description(URL, SECOND, [chapters[0], unsure, last]).added_to(record())
    assert new["chapters"] == [{"start": 0.0, "title": "Intro"}]
    own = record(chapters=[{"start": 0.0, "title": "Own"}])
    assert Description(URL, SECOND, [host, *chapters]).added_to(own)["chapters"] == own["chapters"]


def test_a_thousand_pages_do_not_make_a_record_grow():
    held = record()
    for number in range(MOST_FACTS + 20):
        facts = [of_page("description", f"text {number}")]
        held = Description(URL, f"{SECOND}/{number}", facts).added_to(held) or held
    assert len(held["tags"]) == MOST_FACTS


def test_what_a_person_decided_stays():
    held = record(fixed_by_user=["license"])
    facts = [of_page("license", "CC0"), of_page("copyright", "Ann")]
    new = Description(URL, SECOND, facts).added_to(held)
    assert (new["license"], new["copyright"]) == (None, "Ann")


def test_the_catalogue_is_changed_in_place(tmp_path):
    told = Description(URL, SECOND, [of_page("license", "CC0")])
    with Catalogue(tmp_path / "media.db") as catalogue:
        assert not catalogue.change(told.record_id, told.added_to)
        catalogue.upsert(record(of_page("title", "Song")))
        before = catalogue.get(told.record_id)
        assert catalogue.change(told.record_id, told.added_to)
        assert not catalogue.change(told.record_id, told.added_to)
        after = catalogue.get(told.record_id)
        assert (after["license"], after["title"], after["last_seen_at"]) == ("CC0", "Song", before["last_seen_at"])
        assert [found["id"] for found in catalogue.search("song")] == [told.record_id]
