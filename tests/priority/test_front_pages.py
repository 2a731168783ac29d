"""Which front pages have ended, as far as the notes tell."""

from concurrent.futures import Future

import pytest

from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.sqlite.store import MemoryFrontier
from mediacrawl.priority.hubs import FrontPages

URL, OTHER = "https://a.example/", "https://b.example/"


@pytest.fixture
def notes():
    return MemoryFrontier(FrontierPolicy())


def test_what_ended_is_known_after_a_restart_and_nothing_of_the_others(notes):
    FrontPages(notes).ended(URL)
    fronts = FrontPages(notes)
    assert (fronts.has_ended(URL), fronts.has_ended(OTHER)) == (True, False)


def test_where_no_page_was_none_has_ended_until_it_is_back(notes):
    fronts = FrontPages(notes)
    fronts.ended(URL, gone=True)
    assert fronts.has_ended(URL) is False
    fronts.ended(URL)
    assert fronts.has_ended(URL) is True


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
    FrontPages(notes).ended(URL)
    far = Far(notes)
    fronts = FrontPages(notes, far.later)
    for url, known in ((URL, True), (OTHER, False)):
        assert fronts.has_ended(url) is fronts.has_ended(url) is None
        far.answer()
        assert fronts.has_ended(url) is known
        assert far.asked == []
    assert FrontPages(notes).has_ended(URL) is True, "to read is not to write"


def test_an_answer_that_does_not_come_is_asked_for_again(notes):
    far = Far(notes)
    fronts = FrontPages(notes, far.later)
    fronts.has_ended(URL)
    far.answer(ConnectionError("away"))
    assert fronts.has_ended(URL) is fronts.has_ended(URL) is None
    assert len(far.asked) == 1


def test_what_ended_meanwhile_is_not_hidden_by_an_older_answer(notes):
    far = Far(notes)
    fronts = FrontPages(notes, far.later)
    fronts.has_ended(URL)
    far.answer()
    fronts.ended(URL)
    assert fronts.has_ended(URL) is None
    far.answer()
    assert fronts.has_ended(URL) is True
