"""What the nugget function is shown, and what comes of it when an answer, or the word of Redis, does not come."""

from concurrent.futures import Future

import msgpack
import pytest
from reactor_thread import running, wait_for
from scrapy.http import TextResponse
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from mediacrawl.base.notes import NoNotes
from mediacrawl.base.terms import Drop, End, Evidence, Kind, Lease, Nugget, Outcome
from mediacrawl.base.visit import FetchFacts, Visit, VisitDecision
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.leases import Rewards
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.contract import FrontierAwayError
from mediacrawl.priority.nuggets import Nuggets

URL = "http://a.example/song.mp3"


def shown(response, item):
    """A nugget function that names what it was shown."""
    return Nugget(f"{response.url} {response.status} {response.headers.get('Server')} {response.body!r} {item}")


@pytest.fixture
def context():
    return CrawlContext.of(get_crawler(settings_dict={"NUGGET_FUNCTION": shown, "SCHEDULER": None}))


@pytest.fixture
def told():
    """What the scheduler would be told."""
    return []


@pytest.fixture
def door(context, told):
    return Rewards(context, told.append, told.append)


@pytest.fixture
def visit():
    lease = Lease(1, URL, "a.example", "", Kind.MEDIA, 0, 0, "", Evidence(), 0, b"", 0.0, 0.0)
    return Visit(lease, FetchFacts(URL, Kind.MEDIA, sent=1.0), VisitDecision(Outcome(End.DONE)))


ANSWER = TextResponse(URL, headers={"Server": "ours"}, body=b"hello")


def test_the_function_sees_the_answer_with_its_record_or_none(door, visit, told):
    assert door.item(visit, ANSWER, "record") is None
    assert door.answer(visit, ANSWER) is None
    keys = [nugget.key for nugget in visit.decision.nuggets]
    assert keys == [f"{URL} 200 b'ours' b'hello' record", f"{URL} 200 b'ours' b'hello' None"]
    assert (visit.decision.stored, visit.decision.earned, visit.decision.reward, told) == (
        1,
        2,
        2.0,
        ["nugget/new"] * 2,
    )


def test_a_record_whose_last_range_did_not_come_is_judged_without_an_answer(door, visit):
    door.item(visit, Failure(ConnectionError("lost")), "record")
    assert [nugget.key for nugget in visit.decision.nuggets] == [f"{URL} 0 None b'' record"]


@pytest.mark.parametrize("outcome", [None, Outcome(End.CONTINUE), Outcome(End.DROPPED, Drop.DUPLICATE)])
def test_an_answer_that_came_to_nothing_is_not_shown(door, visit, outcome):
    visit.decision.outcome = outcome
    assert door.answer(visit, ANSWER) is None
    assert visit.decision.nuggets == []


def test_a_visit_that_is_over_gets_nothing(door, visit):
    visit.decision.over = True
    assert (door.answer(visit, ANSWER), door.item(visit, ANSWER, "record")) == (None, None)
    assert (visit.decision.stored, visit.decision.earned) == (0, 0)


class Broken(NoNotes):
    """Notes of a frontier that has failed."""

    error = FrontierError("the disk is full")

    def note(self, room, key):
        raise self.error


def test_notes_that_cannot_be_read_are_told_and_nothing_is_earned(door, visit, told, context):
    context.nuggets = Nuggets(context.nugget_function, Broken())
    assert door.item(visit, ANSWER, "record") is None
    assert told == [Broken.error]
    assert (visit.decision.stored, visit.decision.earned) == (1, 0)


@pytest.fixture
def far(context):
    """Answers of a Redis that are told when the test wants."""
    answers = []

    def later(room, key, change):
        answers.append((Future(), change))
        return answers[-1][0]

    context.nuggets = Nuggets(context.nugget_function, NoNotes(), later)
    return answers


def tell(far, note):
    answer, change = far.pop()
    answer.set_result(change(note and msgpack.packb(note)))


def judged(door, visit, meanwhile=lambda: None):
    running()
    waiting = door.item(visit, ANSWER, "record")
    meanwhile()
    wait_for(lambda: waiting)


@pytest.mark.parametrize(
    ("note", "earned"),
    [
        (None, 1),
        ((URL, True), 1),
        ((URL, False), 0),
        (("http://b.example/", True), 0),
        (("http://b.example/", False), 0),
    ],
)
def test_where_redis_is_asked_its_word_is_waited_for(door, visit, far, told, note, earned):
    judged(door, visit, lambda: tell(far, note))
    assert (visit.decision.earned, visit.decision.repeats) == (earned, 1 - earned)
    assert told == ["nugget/new" if earned else "nugget/known"]


def test_a_find_is_believed_when_redis_is_silent_and_its_late_word_changes_nothing(door, visit, far, told, monkeypatch):
    monkeypatch.setattr("mediacrawl.crawl.leases.LOOKUP_TIMEOUT", 0.01)
    judged(door, visit)
    tell(far, ("http://b.example/", False))
    assert (visit.decision.earned, visit.decision.repeats, told) == (1, 0, ["nugget/new"])


def test_a_redis_that_is_not_asked_any_more_is_told_and_the_visit_goes_on(door, visit, far, told):
    away = FrontierAwayError("not asked any more")
    judged(door, visit, lambda: far.pop()[0].set_exception(away))
    assert (visit.decision.earned, told) == (0, [away])
