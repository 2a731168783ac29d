"""Two sightings of one file: what wins."""

from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.store.rows import SIGHTING, as_row, merge
from mediacrawl.store.schema import COLUMNS

URL = "https://a.example/x.mp3"


def row(**fields):
    return as_row({"content_url": URL, **fields}, fields.pop("now", 0.0))


def test_a_probe_that_broke_off_does_not_erase_one_that_did_not():
    whole = row(probe_status="complete", title="Song", duration=180.0, bytes_fetched=24_000, tags=[{"text": "Song"}])
    broken = row(probe_status="partial", duration=90.0, bytes_fetched=16_384, http_status=206)
    merged = merge(whole, broken)
    assert (merged["title"], merged["duration"], merged["probe_status"]) == ("Song", 180.0, "complete")
    assert (merged["bytes_fetched"], merged["tags"]) == (24_000, [{"text": "Song"}])
    assert merged["http_status"] == 206


def test_a_file_that_answers_404_now_keeps_its_description():
    merged = merge(row(probe_status="complete", title="Song", http_status=200), row(http_status=404))
    assert (merged["title"], merged["http_status"]) == ("Song", 404)


def test_a_complete_probe_replaces_the_description_with_its_gaps():
    old = row(probe_status="complete", title="Old", artist="Somebody", page_title="Page")
    merged = merge(old, row(probe_status="complete", title="New"))
    assert (merged["title"], merged["artist"], merged["page_title"]) == ("New", None, "Page")


def test_a_partial_probe_of_another_file_replaces_the_description():
    old = row(probe_status="complete", title="Old", head_sha256="a" * 64, head_bytes=16_384)
    new = row(probe_status="partial", artist="New", head_sha256="b" * 64, head_bytes=16_384)
    merged = merge(old, new)
    assert (merged["title"], merged["artist"], merged["probe_status"]) == (None, "New", "partial")


def test_heads_of_different_length_say_nothing_but_sizes_do():
    old = row(probe_status="complete", title="Old", head_sha256="a" * 64, head_bytes=16_384, content_size=50_000)
    same = row(probe_status="partial", head_sha256="b" * 64, head_bytes=8_192, content_size=50_000)
    grown = row(probe_status="partial", head_sha256="b" * 64, head_bytes=8_192, content_size=60_000)
    assert merge(old, same)["title"] == "Old"
    assert merge(old, grown)["title"] is None


def test_a_length_that_only_a_feed_claims_is_no_other_file():
    old = row(probe_status="complete", title="Old", head_sha256="a" * 64, head_bytes=16_384, content_size=50_000)
    merged = merge(old, row(content_size=1))
    assert (merged["title"], merged["content_size"]) == ("Old", 50_000)


def said(source, key, text):
    return {"source": source, "frame": "x", "key": key, "declared": "utf-8", "text": text}


def test_what_a_page_said_outlasts_a_probe_that_came_by_another_page():
    facts = [said("page", "license", "CC0"), said("page", "title", "Of the page")]
    old = row(probe_status="complete", title="Own", license="CC0", tags=[said("id3v2.3", "title", "Own"), *facts])
    merged = merge(old, row(probe_status="complete", tags=[said("id3v2.3", "artist", "New")]))
    assert merged["tags"] == [said("id3v2.3", "artist", "New"), *facts]
    # The old title was the file's own, and is there no more.
    assert (merged["license"], merged["title"]) == ("CC0", None)


def of_feed(frame, key, text):
    return {**said("feed", key, text), "frame": frame}


GUEST = of_feed("podcast:person[@role='guest']", "person", "Jane")
CHAPTERS = [
    of_feed("psc:chapter[@start='0']", "chapters[0].title", "Intro"),
    of_feed("psc:chapter[@start='60']", "chapters[1].title", "End"),
]
TOLD = [{"start": 0.0, "end": 60.0, "title": "Intro"}, {"start": 60.0, "title": "End"}]


def test_lists_and_the_type_that_a_feed_told_outlast_a_probe_too():
    facts = [GUEST, *CHAPTERS, of_feed("channel", "type", "PodcastEpisode")]
    host = {"role": "guest", "name": "Jane"}
    old = row(probe_status="complete", type="PodcastEpisode", persons=[host], chapters=TOLD, tags=facts)
    own = said("id3v2.3", "artist", "Ann")
    artist = {"role": "artist", "name": "Ann"}
    merged = merge(old, row(probe_status="complete", type="AudioObject", persons=[artist], tags=[own]))
    assert merged["persons"] == [artist, host]
    assert (merged["chapters"], merged["type"]) == (TOLD, "PodcastEpisode")
    assert merged["tags"] == [own, *facts]
    # Stored elements may be of any kind, and people may be named by a person.
    strange = merge(
        {**old, "tags": [*facts, {"source": "feed"}, {"source": []}, "x"]},
        row(probe_status="complete", persons=[artist]),
    )
    assert (strange["persons"], strange["tags"]) == ([artist], [*facts, {"source": "feed"}])


def test_titles_of_a_feed_do_not_become_those_of_the_chapters_that_the_file_has():
    old = row(probe_status="complete", chapters=TOLD, tags=[GUEST, *CHAPTERS])
    own = [{"start": 0.0, "title": "One"}, {"start": 5.0, "title": "Two"}]
    merged = merge(old, row(probe_status="complete", chapters=own))
    assert (merged["chapters"], merged["tags"]) == (own, [GUEST])


def test_what_a_page_said_gives_way_to_what_it_says_now_and_to_another_file():
    told = [said("page", "license", "CC0"), said("feed", "license", "MIT")]
    old = row(probe_status="complete", license="CC0", tags=told, content_size=1)
    said_now = [said("feed", "license", "BY")]
    merged = merge(old, row(probe_status="complete", license="BY", tags=said_now))
    # What another place said stays beside it.
    assert (merged["license"], merged["tags"]) == ("BY", [*said_now, told[0]])
    heads = {"head_sha256": "a" * 64, "head_bytes": 9}
    replaced = merge({**old, **heads}, row(probe_status="complete", **{**heads, "head_sha256": "b" * 64}))
    assert (replaced["license"], replaced["tags"]) == (None, None)


def test_a_page_fills_the_gaps_of_a_complete_description():
    merged = merge(row(probe_status="complete", title="Tag"), row(title="Link", album="Known to the page"))
    assert (merged["title"], merged["album"]) == ("Tag", "Known to the page")


def test_a_claimed_size_is_not_filled_in_where_an_honest_one_is_compared_later():
    old = row(probe_status="complete", title="Song", head_sha256="a" * 64, head_bytes=16_384)
    claimed = merge(old, row(content_size=1))
    probed = row(probe_status="partial", head_sha256="a" * 64, head_bytes=16_384, content_size=50_000)
    assert claimed["content_size"] is None
    assert merge(claimed, probed)["title"] == "Song"


def test_two_incomplete_sightings_add_up():
    merged = merge(row(title="first", artist="A"), row(title="second", album="B"))
    assert (merged["title"], merged["artist"], merged["album"]) == ("second", "A", "B")


def test_extras_are_joined_key_by_key():
    assert merge(row(price=1, old=True), row(price=2))["extra"] == {"price": 2, "old": True}


def some_row():
    text = st.none() | st.sampled_from(["a", "b"])
    return st.fixed_dictionaries(
        {
            "probe_status": st.sampled_from([None, "complete", "partial", "error:Timeout"]),
            "head_sha256": text,
            "head_bytes": st.none() | st.sampled_from([8, 16]),
            "content_size": st.none() | st.sampled_from([100, 200]),
            "title": text,
            "page_title": text,
            "etag": text,
            "duration": st.none() | st.sampled_from([1.0, 2.0]),
            "colour": text,
            "now": st.sampled_from([0.0, 1e9]),
        }
    ).map(lambda fields: row(**fields))


@settings(max_examples=examples(100))
@given(some_row(), some_row())
def test_the_same_sighting_twice_changes_nothing_more(old, new):
    once = merge(old, new)
    assert merge(once, new) == once
    assert list(once) == list(COLUMNS)


@given(some_row(), some_row())
def test_what_is_known_of_the_link_is_never_forgotten_and_the_first_sighting_stays(old, new):
    merged = merge(old, new)
    assert merged["found_at"] == old["found_at"]
    assert merged["last_seen_at"] == new["last_seen_at"]
    for name in SIGHTING:
        assert merged[name] is not None or (old[name] is None and new[name] is None)


@given(some_row(), some_row())
def test_a_poorer_sighting_never_takes_a_known_fact_away(old, new):
    poorer = {**new, "probe_status": "partial", "head_sha256": None}
    merged = merge(old, poorer)
    assert all(merged[name] is not None for name, value in old.items() if value is not None)
    if old["probe_status"] == "complete":
        assert (merged["title"] or old["title"]) == merged["title"]
        assert old["duration"] in (None, merged["duration"])
