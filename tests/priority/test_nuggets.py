"""What is a find, what it is worth, and whether it is new."""

import logging
import random
import tempfile
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.notes import NoNotes
from mediacrawl.base.terms import Drop, End, Evidence, Kind, Lease, Nugget, Outcome
from mediacrawl.base.visit import FetchFacts, Visit
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.redis.store import RedisFrontier
from mediacrawl.frontier.redis.worker import RedisWorker
from mediacrawl.frontier.stores import open_store
from mediacrawl.priority.nuggets import (
    NAMESPACE,
    SAYING,
    UNREAD,
    NoAnswer,
    Nuggets,
    UserFunction,
    is_worth_opening,
    may_be_nugget,
    media,
    recording,
)
from mediacrawl.record import MediaItem
from mediacrawl.store import Catalogue

ANSWER = NoAnswer("http://a.example/song.mp3", 200)
URL, OTHER = "http://a.example/song.mp3", "http://b.example/other.mp3"


def song(url=URL, **facts):
    return MediaItem(
        **{
            "content_url": url,
            "probe_status": "complete",
            "title": "Nachtzug",
            "head_sha256": "a" * 64,
            "head_bytes": 16_384,
            "content_size": 300_000,
            "codec": "mp3",
            **facts,
        }
    )


def visit(url=URL):
    lease = Lease(1, url, "a.example", "", Kind.MEDIA, 0, 0, "", Evidence(), 0, b"", 0.0, 0.0)
    return Visit(lease, FetchFacts(url, Kind.MEDIA, sent=1.0))


# -- what is a find ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAYING)
def test_a_record_that_says_something_of_itself_is_a_find(name):
    silent = {"title": None, "genre": "Other", "date": "2004", "encodedby": "LAME", "comment": "0000041A"}
    assert media(ANSWER, song(**silent)) is None
    assert media(ANSWER, song(**{**silent, name: "Nachtzug"})).reward == 1.0


@pytest.mark.parametrize("status", ["error:HeaderNotFoundError", "error:BudgetError"])
def test_a_file_of_which_nothing_could_be_read_is_none_whatever_a_page_says_of_it(status):
    assert media(ANSWER, song(probe_status=status)) is None


@pytest.mark.parametrize(
    ("status", "reward"),
    [("complete", 1.0), ("partial", 1.0), ("stream", 1.0), ("page", UNREAD), ("unsupported", UNREAD)],
)
def test_a_record_whose_file_was_not_read_is_worth_less(status, reward):
    assert media(ANSWER, song(probe_status=status)).reward == reward


def test_an_answer_without_a_record_is_none():
    assert media(ANSWER, None) is None
    assert media(ANSWER, object()) is None


def test_an_item_of_another_project_is_a_find_by_all_that_it_says():
    book = {"title": "Emil", "price": 7, "when": {1, 2}, "raw": b"\xff"}
    keys = [media(ANSWER, item).key for item in (book, dict(reversed(book.items())), {**book, "price": 8})]
    assert keys[0] == keys[1] != keys[2]


@dataclass
class Theirs:
    content_url: str
    title: str
    audio_md5: str


def test_a_media_record_of_any_kind_is_named_as_ours_is():
    md5 = "d41d8cd98f00b204e9800998ecf8427e"
    ours = song(audio_md5=md5)
    kinds = [ours, Theirs(OTHER, "x", md5), {"content_url": URL, "title": "y", "audio_md5": md5}]
    assert {media(ANSWER, item).key for item in kinds} == {f"audio:{md5}"}
    assert media(ANSWER, {"content_url": URL, "size": 3}) is None


def text(value):
    return {"source": "id3v1", "frame": "title", "key": "title", "text": value, "index": 0}


HEADS = st.fixed_dictionaries(
    {
        "audio_md5": st.sampled_from([None, "", "0" * 32, "1" * 32, "2" * 32]),
        "head_sha256": st.sampled_from([None, "a" * 64, "b" * 64]),
        "head_bytes": st.sampled_from([None, 1000, 4096, 16_384]),
        "content_size": st.sampled_from([None, 1000, 4096, 300_000]),
        "codec": st.sampled_from([None, "mp3", "pcm_s16le"]),
        "tags": st.sampled_from([[text("one")], [text("two")], [text("one"), {**text("x"), "source": "page"}]]),
    }
)


def works(records):
    """For each record the work that the catalogue finds it to be of."""
    with tempfile.TemporaryDirectory() as folder, Catalogue(Path(folder) / "media.db") as catalogue:
        for record in records:
            catalogue.upsert(record)
        found = {record["content_url"]: record["work"] or record["id"] for record in catalogue.newest()}
    return [found[record.content_url] for record in records]


@given(HEADS, HEADS)
def test_what_has_one_name_is_one_work_and_a_copy_of_a_work_has_its_name(one, other):
    records = [song(f"http://{host}.example/x", **facts) for host, facts in (("a", one), ("b", other), ("c", one))]
    keys, found = [recording(media_of(record)) for record in records], works(records)
    assert keys[0] != keys[1] or found[0] == found[1]
    assert (keys[0] == keys[2]) == (found[0] == found[2])


def test_a_short_file_at_many_urls_is_one_find():
    short = [song(f"http://a.example/{n}", head_bytes=900, content_size=900, tags=[text("one")]) for n in range(9)]
    assert len({media(ANSWER, item).key for item in short}) == 1
    begun = [song(f"http://a.example/{n}", head_bytes=900, content_size=901) for n in range(9)]
    assert len({media(ANSWER, item).key for item in begun}) == 9


def media_of(record):
    return {name: getattr(record, name) for name in MediaItem.__slots__}


def test_what_was_decided_about_a_text_does_not_change_the_name():
    before = {**text("Gr\xc3\xbcn"), "raw_b64": "R3LDg8K8bg=="}
    after = {**before, "text": "Grün", "text_declared": before["text"], "decision": "fixed"}
    assert len({recording(media_of(song(tags=[element]))) for element in (before, after)}) == 1


@pytest.mark.parametrize(
    ("outcome", "may"),
    [
        (None, False),
        (Outcome(End.DONE), True),
        (Outcome(End.CONTINUE), False),
        (Outcome(End.AGAIN), False),
        (Outcome(End.RETURNED), False),
        *((Outcome(End.DROPPED, reason), reason is Drop.CONTENT_TYPE) for reason in Drop),
    ],
)
def test_only_what_was_read_or_cannot_be_read_may_be_a_find(outcome, may):
    assert may_be_nugget(outcome) is may


# -- functions of the user's -------------------------------------------------------------------------------------


def nuggets(function=media, notes=None, later=None):
    return Nuggets(UserFunction("NUGGET_FUNCTION", function, 2), notes or NoNotes(), later)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()


@given(st.builds(Nugget, SCALARS, SCALARS) | SCALARS)
def test_whatever_a_function_gives_is_a_nugget_worth_something_or_none_and_counted(given_back):
    asked, counted = nuggets(lambda response, item: given_back), []
    asked.function.count = counted.append
    found = asked.judge(ANSWER, None)
    if found is None:
        is_none = given_back is None or (isinstance(given_back, Nugget) and counted == [] and given_back.reward <= 0)
        assert counted == ([] if is_none else ["nugget/failed"])
    else:
        assert counted == []
        assert found.key == given_back.key != ""
        assert found.reward == min(given_back.reward, 1.0) > 0


def test_a_fault_is_told_once_for_each_kind_and_counted_each_time(caplog):
    def failing(response, item):
        raise item

    asked, counted = nuggets(failing), []
    asked.function.count = counted.append
    for fault in [ValueError("first"), KeyError("second"), *[ValueError("third")] * 5]:
        assert asked.judge(ANSWER, fault) is None
    assert len(counted) == 7
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert len(told) == 2
    assert all("failing" in line and ANSWER.url in line for line in told)


async def to_be_awaited(response, item):
    return None


def one_by_one(response, item):
    yield None


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (7, "is no function"),
        (lambda response: None, "must take 2 arguments"),
        (lambda response, item, more: None, "must take 2 arguments"),
        (to_be_awaited, "no coroutine"),
        (one_by_one, "no generator"),
    ],
)
def test_what_cannot_be_called_as_it_will_be_is_refused_before_the_crawl(function, why):
    with pytest.raises(ValueError, match=f"^NUGGET_FUNCTION .* {why}"):
        UserFunction("NUGGET_FUNCTION", function, 2)


def test_a_function_that_does_not_say_what_it_takes_is_tried():
    assert UserFunction("NUGGET_WORTH_OPENING", dict.get, 2).name.startswith("NUGGET_WORTH_OPENING")


def test_a_body_is_opened_unless_the_function_says_no_and_in_doubt_it_is():
    seen = []

    def worth(status, headers, url):
        seen.append((status, dict(headers), url))
        return int(headers["content-length"]) > 10

    asked = UserFunction("NUGGET_WORTH_OPENING", worth, 3)
    answers = [
        is_worth_opening(asked, 200, headers, URL)
        for headers in ({"content-length": "9"}, {"content-length": "11"}, {})
    ]
    assert answers == [False, True, True]
    assert seen[0] == (200, {"content-length": "9"}, URL)


# -- what is new -------------------------------------------------------------------------------------------------


def meet(asked, url, *keys, closes=True):
    """A visit that gives these keys; it is killed before its end unless it closes."""
    made = visit(url)
    for key in keys:
        nugget = Nugget(key, 0.5)
        known = asked.look(made, nugget)
        asked.credit(made, nugget, known.result(10) if isinstance(known, Future) else known)
    if closes:
        asked.close(made)
    return made


def counted(made):
    return made.decision.earned, made.decision.repeats, made.decision.reward


@pytest.fixture(params=["memory", "sqlite", "redis"])
def opened(request, tmp_path):
    """Makes a new process's nuggets on the notes of a real store, each time the same ones."""
    if request.param == "redis":
        request.getfixturevalue("redis_server")
    stores = []

    def remote():
        client = redis.Redis.from_url(request.getfixturevalue("redis_server"))
        if not stores:
            client.flushall()
        return RedisWorker(RedisFrontier(client, "t", FrontierPolicy(), time.time(), random.Random(1)), time.time)

    def opened():
        if request.param == "redis":
            stores.append(remote())
            return nuggets(notes=stores[-1], later=stores[-1].later)
        if stores and request.param == "sqlite":
            stores.pop().close()
        if not stores:
            stores.append(open_store(request.param, tmp_path, FrontierPolicy(), time.time()))
        return nuggets(notes=stores[-1])

    yield opened
    for store in stores:
        store.close()


def test_a_key_is_new_once_whatever_its_url_and_in_whatever_process(opened):
    asked = opened()
    assert counted(meet(asked, URL, "k")) == (1, 0, 0.5)
    assert counted(meet(asked, OTHER, "k")) == (0, 1, 0.0)
    assert counted(meet(asked, URL, "k", "other")) == (1, 1, 0.5)
    again = opened()
    assert counted(meet(again, OTHER, "k", "other")) == (0, 2, 0.0)
    assert counted(meet(again, URL, "k")) == (0, 1, 0.0)


def test_in_one_visit_too_a_key_is_new_once(opened):
    made = meet(opened(), URL, "k", "k", "l")
    assert counted(made) == (2, 1, 1.0)
    assert [nugget.key for nugget in made.decision.nuggets] == ["k", "l"]


def test_the_find_of_a_killed_visit_is_new_when_its_url_is_asked_again_and_to_no_other(opened):
    meet(opened(), URL, "k", closes=False)
    asked = opened()
    assert counted(meet(asked, OTHER, "k")) == (0, 1, 0.0)
    assert counted(meet(asked, URL, "k")) == (1, 0, 0.5)
    assert counted(meet(opened(), URL, "k")) == (0, 1, 0.0)


def test_a_note_that_cannot_be_read_is_none():
    store = open_store("memory", Path(), FrontierPolicy(), time.time())
    asked = nuggets(notes=store)
    meet(asked, URL, "k")
    ((room, name),) = store._db.execute("SELECT room, key FROM note")
    assert room == NAMESPACE
    for damaged in (b"", b"\xc1", b"\x01", b"\x92\x01\x02"):
        store.set_note(room, name, damaged)
        assert meet(nuggets(notes=store), OTHER, "k").decision.earned == 1
        assert meet(nuggets(notes=store), URL, "k").decision.earned == 0


def test_without_notes_what_is_remembered_decides():
    asked = nuggets()
    assert meet(asked, URL, "k").decision.earned == 1
    assert meet(asked, OTHER, "k").decision.earned == 0


def told_at_once(store):
    def later(room, key, change):
        answer = Future()
        answer.set_result(store.update_note(room, key, change))
        return answer

    return later


VISITS = st.lists(st.tuples(st.lists(st.sampled_from("klmn"), max_size=3), st.integers(0, 2)), min_size=1, max_size=6)


@given(VISITS, st.randoms(use_true_random=False), st.booleans())
def test_however_often_visits_are_killed_and_repeated_each_key_is_new_in_one_that_ends(visits, rng, far):
    store = open_store("memory", Path(), FrontierPolicy(), time.time())
    turns = [place for place, (_, kills) in enumerate(visits) for _ in range(kills + 1)]
    rng.shuffle(turns)
    later = told_at_once(store) if far else None
    workers = [nuggets(notes=store, later=later) for _ in range(2)]
    earned = []
    for turn, place in enumerate(turns):
        is_last, number = place not in turns[turn + 1 :], rng.randrange(2)
        made = meet(workers[number], f"http://{place}.example/", *visits[place][0], closes=is_last)
        if not is_last:
            # After a kill nothing is left but the notes.
            workers[number] = nuggets(notes=store, later=later)
        else:
            earned += [nugget.key for nugget in made.decision.nuggets]
            assert made.decision.earned + made.decision.repeats == len(visits[place][0])
    assert sorted(earned) == sorted({key for keys, _ in visits for key in keys})
