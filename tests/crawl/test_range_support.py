"""What is remembered of servers that ignore Range."""

from mediacrawl.base.notes import NoNotes
from mediacrawl.crawl.range_support import RangeSupport


class Notes(NoNotes):
    shared = False

    def __init__(self):
        self.kept = {}
        self.looks = 0

    def note(self, room, key):
        self.looks += 1
        return self.kept.get((room, key))

    def set_note(self, room, key, record):
        self.kept[room, key] = record


def test_a_server_that_ignored_a_range_is_remembered_over_a_restart_until_it_gives_one():
    notes = Notes()
    habits = RangeSupport(notes)
    assert not habits.ignores("http://a.example")
    habits.learn("http://a.example", obeys=False)
    assert RangeSupport(notes).ignores("http://a.example")
    assert not RangeSupport(notes).ignores("https://a.example")
    habits.learn("http://a.example", obeys=True)
    assert not RangeSupport(notes).ignores("http://a.example")


def test_of_servers_that_give_ranges_nothing_is_written_and_few_are_held():
    notes = Notes()
    habits = RangeSupport(notes, size=2)
    for _ in range(3):
        for name in "abc":
            habits.learn(name, obeys=True)
    assert not notes.kept
    assert len(habits._held) == 2
    habits.ignores("c")
    looks = notes.looks
    habits.ignores("c")
    assert notes.looks == looks


def test_what_other_workers_learn_of_a_server_is_seen():
    notes = Notes()
    notes.shared = True
    habits = RangeSupport(notes)
    assert not habits.ignores("http://a.example")
    RangeSupport(notes).learn("http://a.example", obeys=False)
    assert habits.ignores("http://a.example")
