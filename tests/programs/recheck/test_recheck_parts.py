"""What a recheck decides: which records are in doubt, what outlives a new record, what a damage teaches."""

import json
import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.evidence import raw_bytes, tag_element
from mediacrawl.base.facts import of_tags
from mediacrawl.base.terms import Candidate, End, Outcome, Tag, Trouble
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import open_store
from mediacrawl.programs.recheck.locate import Doubts, check_items, keep_user, kept, pairs, records
from mediacrawl.programs.recheck.spider import Round, report
from mediacrawl.record import Fixer, MediaItem
from mediacrawl.record.values import best_values
from mediacrawl.spiders.base import MediaCrawlClocks

NOW = 1_800_000_000.0
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
NAMES = st.sampled_from(["source", "frame", "key", "declared", "text", "raw_b64", "decision", "confidence", "index"])
ELEMENTS = st.dictionaries(NAMES, JSON | st.sampled_from(["user", "latin-1", "title", "4PDh"]))
RECORDS = st.dictionaries(
    st.sampled_from(["title", "artist", "fixed_by_user", "extra", "tags", "mojibake", "head_bytes"]),
    JSON | st.lists(ELEMENTS | JSON, max_size=4),
)


def clock_at(now):
    """A clock that does not tell how it was set."""
    return SimpleNamespace(now=lambda: now, offset=None)


@pytest.fixture(scope="module")
def doubts():
    return Doubts(0.0, Fixer())


def element(words, key="title", **more):
    raw = words.encode("cp1251")
    tag = Tag("id3v2.3", {"title": "TIT2", "artist": "TPE1"}[key], key, "latin-1", raw, raw.decode("latin-1"))
    return {**tag_element(tag), **more}


def record(*tags, **values):
    return {"content_url": "http://a.example/x.mp3", "tags": list(tags), **best_values(tags), **values}


# -- doubts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        ({"title": "Ñòàðûé ìîñò"}, "no_bytes"),
        ({"title": "Caf\ufffd"}, "lost"),
        ({"title": "?????? ????"}, "lost"),
        ({"title": "Low Water", "comment": "GrÃ¶ÃŸe und LÃ¤nge"}, "no_bytes"),
        ({"tags": [{**element("мост"), "text": "Ñòàðûé ìîñò", "raw_b64": None}]}, "no_bytes"),
        ({"tags": "none", "title": "CafÃ© crÃ¨me"}, "no_bytes"),
        # What this program made of it is no proof.
        (
            {"title": "Старый мост", "mojibake": {"title": {"before": "Ñòàðûé ìîñò", "after": "Старый мост"}}},
            "no_bytes",
        ),
    ],
)
def test_a_record_with_a_damaged_text_without_bytes_is_in_doubt(doubts, stored, reason):
    assert reason in doubts.of(stored)


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"title": "Low Water", "artist": "Harbour & Sons"},
        {"title": "Is it? Yes."},
        {"title": "Größe", "fixed_by_user": ["title"]},
        {"title": "Größe", "extra": {"fixed_by_user": ["title"]}},
        {"title": None, "tags": None},
        {"title": "Größe"},
        {"title": "Low Water", "comment": "Ночной поезд", "artist": "夜の電車"},
        {"tags": [{**element("мост"), "text": "мост", "raw_b64": None}]},
        {"tags": "none", "title": "Beyoncé"},
        # There is no file that could be requested.
        {"title": "Caf\ufffd", "probe_status": "page"},
    ],
)
def test_what_is_right_or_decided_by_a_person_or_a_page_alone_is_in_no_doubt(doubts, stored):
    assert doubts.of(stored) == []


def test_a_decision_below_the_confidence_that_is_asked_for_is_in_doubt():
    stored = record(element("Старый мост через реку"), element("Тихая Пристань", "artist"))
    Fixer().fix(stored)
    sure = stored["tags"][0]["confidence"]
    assert Doubts(sure, Fixer()).of(stored) == []
    assert Doubts(min(sure + 0.01, 1.01), Fixer()).of(stored) == ["unsure"]


def test_a_record_that_the_models_of_today_can_read_is_not_asked_for_again(doubts):
    stored = record(element("Старый мост через реку", decision="undecided", fixer="0" * 12, encoding="cp1251"))
    assert doubts.of(stored) == []


def test_looking_at_a_record_changes_nothing_of_it(doubts):
    stored = record(element("Старый мост через реку"))
    before = json.dumps(stored)
    doubts.of(stored)
    assert json.dumps(stored) == before


@given(RECORDS)
def test_no_record_is_too_strange_to_be_looked_at(stored):
    assert set(Doubts(0.5, Fixer()).of(stored)) <= {"undecided", "unsure", "lost", "no_bytes"}
    old = json.loads(json.dumps(kept(stored)))
    new = record(element("Старый мост"))
    keep_user(old, new)
    list(pairs(old, new, 0.0))


@pytest.mark.parametrize(
    ("odd", "reasons"),
    [
        ({"confidence": 10**400}, []),
        ({"confidence": -(10**400)}, ["unsure"]),
        ({"confidence": math.nan}, ["unsure"]),
        ({"confidence": [1]}, []),
        ({"decision": []}, []),
        ({"decision": {"user": 1}}, []),
        ({"key": []}, []),
    ],
    ids=["huge", "below all", "nan", "list", "decision list", "decision dict", "key list"],
)
def test_values_of_an_element_that_are_of_no_use_are_passed_over(odd, reasons):
    mine = {**element("My bridge"), "index": 7, "decision": "user"}
    stored = {"title": "Low Water", "tags": [{**element("Low Water"), **odd}, {**mine, **odd}]}
    assert Doubts(0.9, Fixer()).of(stored) == reasons
    new = record({**element("High Water"), "confidence": 1.0, "decision": "declared"})
    keep_user(stored, new)
    assert new["tags"][0]["text"] == "High Water"
    taught = list(pairs(stored, {"tags": [{**new["tags"][0], **odd}]}, 0.9))
    assert len(taught) == (not reasons and "decision" not in odd)


def test_a_record_nested_beyond_reason_is_made_shallow(doubts):
    deep = nested = []
    for _ in range(5000):
        nested.append([])
        nested = nested[0]
    stored = {"title": "CafÃ© crÃ¨me", "tags": [{"key": deep}], "extra": {"deep": deep}}
    assert doubts.of(stored) == ["no_bytes"]
    assert len(json.dumps(kept(stored))) < 1000


# -- what a person decided ---------------------------------------------------------------------------------------


def test_an_element_of_a_person_gives_its_text_and_the_file_its_bytes():
    mine = element("мост", text="My bridge", decision="user", text_declared="ìîñò")
    new = record(element("дом"), element("Тихая", "artist"))
    keep_user(record(mine), new)
    title = new["tags"][0]
    assert (title["text"], title["decision"], new["title"]) == ("My bridge", "user", "My bridge")
    assert raw_bytes(title) == "дом".encode("cp1251")
    assert "decision" not in new["tags"][1]


def test_an_element_of_a_person_whose_field_is_gone_is_kept_as_it_was():
    mine = element("мост", decision="user", text="My bridge")
    new = record(element("Тихая", "artist"))
    keep_user(record(mine), new)
    assert new["tags"][1] == mine
    assert new["title"] == "My bridge"


def test_a_value_that_is_another_one_than_its_evidence_gives_stays():
    new = record(element("мост"))
    keep_user(record(element("мост"), title="My bridge"), new)
    assert new["title"] == "My bridge"
    Fixer().fix(new)
    assert new["title"] == "My bridge"


def test_a_value_that_a_person_says_is_right_stays_even_where_the_file_says_the_same():
    wrong = element("Старый мост через реку")
    new = record(dict(wrong))
    keep_user(record(wrong, fixed_by_user=["title"]), new)
    Fixer().fix(new)
    assert new["title"] == wrong["text"]


def test_titles_of_chapters_that_a_person_decided_go_into_the_list():
    title = {**element("мост"), "frame": "TIT2", "desc": "chapter", "key": "chapters[1].title"}
    chapters = [{"start": 0.0, "title": "One"}, {"start": 9.0, "title": "ìîñò"}]
    new = {**record(dict(title)), "chapters": chapters}
    keep_user(record({**title, "text": "My bridge", "decision": "user"}), new)
    assert new["chapters"] == [chapters[0], {"start": 9.0, "title": "My bridge"}]
    mine = [{"start": 0.0, "title": "Mine"}]
    keep_user(record(chapters=mine, fixed_by_user=["chapters"]), new)
    assert new["chapters"] == mine


def test_what_another_page_said_is_carried_over_with_its_page():
    told = {
        "source": "feed",
        "frame": "podcast:person[@role='guest']",
        "key": "person",
        "index": 0,
        "lang": "",
        "desc": "",
    }
    told |= {"declared": "utf-8", "text": "Jane", "page_url": "https://b.example/feed"}
    chapter = {**told, "frame": "psc:chapter[@start='0']", "key": "chapters[0].title"}
    heads = {"head_sha256": "a" * 64, "head_bytes": 9}
    assert of_tags([told]) == []
    assert [each.text for each in of_tags([{**told, "page_url": None}])] == ["Jane"]
    new = record(element("Тихая", "artist"), **heads)
    keep_user(record(told, chapter, **heads), new)
    assert new["tags"][1:] == [told]
    assert new["persons"][1:] == [{"role": "guest", "name": "Jane"}]
    other = record(**{**heads, "head_sha256": "b" * 64})
    keep_user(record(told, **heads), other)
    assert other["tags"] == []


@given(st.text(min_size=1), st.binary(min_size=1, max_size=60))
def test_the_bytes_of_the_file_can_be_had_back_whatever_a_person_wrote(text, raw):
    mine = {**element("мост"), "text": text, "decision": "user"}
    new = record(tag_element(Tag("id3v2.3", "TIT2", "title", "latin-1", raw, raw.decode("latin-1"))))
    keep_user(record(mine), new)
    assert raw_bytes(new["tags"][0]) == raw
    assert set(MediaItem.FILE_FIELDS) <= new.keys()


# -- pairs -------------------------------------------------------------------------------------------------------

FIXED = {"decision": "fixed", "confidence": 0.99, "encoding": "cp1251"}


def test_a_damaged_text_and_the_right_one_are_a_pair():
    new = record({**element("мост"), "text": "мост", **FIXED})
    assert list(pairs({"title": "ìî?ò"}, new, 0.9)) == [{"before": "ìî?ò", "after": "мост", "encoding": "cp1251"}]
    stored = record({**element("мост"), "text": "ì¥ñò", "raw_b64": ""})
    assert [pair["before"] for pair in pairs(stored, new, 0.9)] == ["ì¥ñò"]


@pytest.mark.parametrize(
    "guess",
    [
        {"tags": [{**element("мост"), "text": "мест", "text_declared": "ì?ñò", "raw_b64": None}]},
        {"title": "мест", "mojibake": {"title": {"before": "ì?ñò", "after": "мест"}}},
        {"title": "мест", "extra": {"mojibake": {"title": {"before": "ì?ñò", "after": "мест"}}}},
    ],
)
def test_a_pair_has_what_was_stored_and_not_what_was_made_of_it(guess):
    new = record({**element("мост"), "text": "мост", **FIXED})
    assert [pair["before"] for pair in pairs(guess, new, 0.9)] == ["ì?ñò"]
    assert [pair["before"] for pair in pairs(kept(guess), new, 0.9)] == ["ì?ñò"]


@pytest.mark.parametrize(
    ("old", "decided"),
    [
        ({"title": "мост"}, FIXED),
        ({"title": ""}, FIXED),
        ({}, FIXED),
        ({"title": "ìî?ò"}, {**FIXED, "confidence": 0.5}),
        ({"title": "ìî?ò"}, {**FIXED, "decision": "undecided"}),
        ({"title": "ìî?ò"}, {**FIXED, "decision": "user"}),
        ({"title": "ìî?ò", "head_sha256": "a", "head_bytes": 9}, FIXED),
    ],
)
def test_what_is_not_sure_or_not_of_the_same_file_teaches_nothing(old, decided):
    new = {**record({**element("мост"), "text": "мост", **decided}), "head_sha256": "b", "head_bytes": 9}
    assert list(pairs(old, new, 0.9)) == []


# -- rounds and clocks -------------------------------------------------------------------------------------------


def begun(folder, now):
    file = Round(folder)
    file.begin(now)
    return file


def test_a_round_remembers_over_a_restart_and_the_next_one_begins_anew(tmp_path):
    first = begun(tmp_path, NOW)
    first_number = first.number
    first.add([("http://a.example/1", {"title": "é"}), ("http://a.example/2", {"title": "ü"})])
    assert first.end("http://a.example/1", "sure")
    assert not first.end("http://a.example/1", "gone")
    first.close()
    again = begun(tmp_path, NOW + 9)
    rows = [(f"http://a.example/{number}", {"title": "other"}) for number in (1, 2, 3)]
    assert again.add(rows) == {"http://a.example/2", "http://a.example/3"}
    assert (again.number, dict(again.tally())) == (first_number, {"sure": 1, "waiting": 2})
    assert again.record("http://a.example/1") == {"title": "é"}
    again.read_up("items", 7)
    assert (again.was_read("items"), again.was_read("others"), again.records) == (True, False, 7)
    again.over()
    again.close()
    last = begun(tmp_path, NOW)
    assert (last.number, dict(last.tally()), last.was_read("items")) == (first_number + 1, {}, False)
    last_number = last.number
    last.close()
    Round.delete(tmp_path)
    after = begun(tmp_path, NOW + 0.1)
    assert after.number > last_number
    after.close()


def test_the_report_counts_every_record_once():
    told = report("media.db", 54, {"sure": 5, "doubtful": 1, "gone": 2, "robots": 1, "waiting": 3})
    assert told == (
        "media.db: 12 of 54 records in doubt, 6 probed again: 5 now sure, 1 still in doubt; "
        "3 not had, their records stay as they were (gone 2, robots 1); 3 left for the next run"
    )


def test_a_site_that_the_media_crawl_just_asked_waits_its_delay_in_the_recheck_and_the_other_way_round(tmp_path):
    policy = FrontierPolicy()
    other = open_store("sqlite", tmp_path, policy, NOW)
    other.charge("a.example", Outcome(End.DONE, response_time=0.5, crawl_delay=300.0), NOW)
    other.close()
    clocks = MediaCrawlClocks.of(tmp_path, policy, clock_at(NOW + 10))
    own = open_store("memory", tmp_path, policy, NOW)
    for site in ("a.example", "b.example", "a.example"):
        clocks.copy(site, own, NOW + 10)
    own.add([Candidate("http://a.example/x.mp3", "a.example"), Candidate("http://b.example/x.mp3", "b.example")])
    assert [lease.site for lease in own.take(NOW + 299, 9)] == ["b.example"]
    assert [lease.site for lease in own.take(NOW + 311, 9)] == ["a.example"]
    clocks.charge("b.example", Outcome(End.DONE, response_time=1.0), NOW + 400)
    clocks.close()
    other = open_store("sqlite", tmp_path, policy, NOW + 401)
    assert other.site("b.example").release == NOW + 460
    other.close()


def test_what_a_site_has_asked_of_the_media_crawl_holds_for_the_recheck(tmp_path):
    policy = FrontierPolicy()
    other = open_store("sqlite", tmp_path, policy, NOW)
    other.charge("asks.example", Outcome(End.DONE, trouble=Trouble.THROTTLED, retry_after=5000.0), NOW)
    for number in range(20):
        other.charge("away.example", Outcome(End.DONE, trouble=Trouble.FORBIDDEN), NOW + number)
    other.charge("paused.example", Outcome(End.DONE), NOW)
    other.pause("paused.example")
    other.close()
    clocks, own = MediaCrawlClocks.of(tmp_path, policy, clock_at(NOW + 20)), open_store("memory", tmp_path, policy, NOW)
    names = ("asks.example", "away.example", "paused.example", "new.example")
    assert [name for name in names if clocks.excludes(name)] == ["away.example", "paused.example"]
    clocks.copy("asks.example", own, NOW + 20)
    assert own.site("asks.example").release == NOW + 5000
    clocks.close()


# -- stored items ------------------------------------------------------------------------------------------------


def test_lines_that_are_no_records_are_counted_and_passed_over(tmp_path):
    path = tmp_path / "items.jl"
    good = json.dumps({"content_url": "http://a.example/x.mp3"}).encode()
    path.write_bytes(b"\n".join([good, b"", b"{", b"[1]", b'"' + b"x" * (9 << 20) + b'"', good, b"\xff\xfe", good]))
    found = list(records(path))
    assert [record is not None for record in found] == [True, False, False, False, True, False, True]
    assert check_items(path) == {"content_url": "http://a.example/x.mp3"}
