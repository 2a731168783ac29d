"""Which front pages have ended, as far as the notes tell."""

from concurrent.futures import Future

import pytest

from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.sqlite.store import MemoryFrontier
from mediacrawl.priority.hubs import FORGIVEN, FRONT_PAGES, FrontPages, FrontPageState

NOW = 1_700_000_000.0
URL, OTHER = "https://a.example/", "https://b.example/"


@pytest.fixture
def notes():
    return MemoryFrontier(FrontierPolicy())


def test_what_ended_is_known_after_a_restart_and_nothing_of_the_others(notes):
    FrontPages(notes).ended(URL, NOW)
    fronts = FrontPages(notes)
    assert (fronts.known(URL, NOW), fronts.known(OTHER, NOW)) == (FrontPageState.ENDED, FrontPageState.UNKNOWN)


def test_what_was_gone_is_forgiven_after_a_month_and_at_once_if_it_is_back(notes):
    fronts = FrontPages(notes)
    fronts.ended(URL, NOW, gone=True)
    assert fronts.known(URL, NOW) is fronts.known(URL, NOW + FORGIVEN - 1) is FrontPageState.GONE
    assert fronts.known(URL, NOW + FORGIVEN) is FrontPageState.ENDED
    # A clock that was set back.
    assert fronts.known(URL, NOW - 1) is FrontPageState.ENDED
    fronts.ended(URL, NOW)
    assert fronts.known(URL, NOW) is FrontPageState.ENDED


@pytest.mark.parametrize("record", [b"", b"\xc1", b"\xa1x", b"\x90"])
def test_a_note_that_cannot_be_read_is_as_good_as_none(notes, record):
    notes.set_note(FRONT_PAGES, URL, record)
    assert FrontPages(notes).known(URL, NOW) is FrontPageState.UNKNOWN


class Far:
    """Notes on another machine, which answers when the test wants."""

    def __init__(self, notes):
        self.notes = notes
        self.asked = []

    def later(self, room, key, change):
        self.asked.append((Future(), room, key, change))
        return self.asked[-1][0]

    def answer(self, error=None):
        answer, room, key, change = self.asked.pop()
        if error is None:
            answer.set_result(self.notes.update_note(room, key, change))
        else:
            answer.set_exception(error)


def test_a_store_on_another_machine_is_asked_once_and_never_waited_for(notes):
    FrontPages(notes).ended(URL, NOW)
    far = Far(notes)
    fronts = FrontPages(notes, far.later)
    for url, known in ((URL, FrontPageState.ENDED), (OTHER, FrontPageState.UNKNOWN)):
        assert fronts.known(url, NOW) is fronts.known(url, NOW) is FrontPageState.ASKED
        far.answer()
        assert fronts.known(url, NOW) is known
        assert far.asked == []
    assert FrontPages(notes).known(URL, NOW) is FrontPageState.ENDED, "to read is not to write"


def test_an_answer_that_does_not_come_is_asked_for_again(notes):
    far = Far(notes)
    fronts = FrontPages(notes, far.later)
    fronts.known(URL, NOW)
    far.answer(ConnectionError("away"))
    assert fronts.known(URL, NOW) is fronts.known(URL, NOW) is FrontPageState.ASKED
    assert len(far.asked) == 1


def test_what_ended_meanwhile_is_not_hidden_by_an_older_answer(notes):
    far = Far(notes)
    fronts = FrontPages(notes, far.later)
    fronts.known(URL, NOW)
    far.answer()
    fronts.ended(URL, NOW)
    assert fronts.known(URL, NOW) is FrontPageState.ASKED
    far.answer()
    assert fronts.known(URL, NOW) is FrontPageState.ENDED
