"""Notes in Redis that somebody else wrote: a reader takes them for nothing known, or can write again what it took."""

import msgpack
import pytest

from mediacrawl.politeness import address_clocks, robots_book
from mediacrawl.politeness.robots_book import FetchFailures, RobotsCopy, RobotsNote, RobotsRedirect
from mediacrawl.priority import hubs, nuggets, visits
from mediacrawl.priority.adaptive import SiteClasses
from mediacrawl.priority.visits import VisitEntry
from mediacrawl.probe import Probe, ProbePolicy, Session
from mediacrawl.scope import duplicates
from mediacrawl.scope.duplicates import SiteNotes

ODD = [
    *(None, True, -1, 0, 2**63, 2**64 - 1, -(2**63), 1e308, float("inf"), float("-inf"), float("nan")),
    *("", "x" * 5_000, b"", b"\xff" * 100, [], {}, [[]], [1, 2, 3], {"a": 1}, {1: 2}, [[[[[]]]]]),
    *(msgpack.Timestamp(0), msgpack.ExtType(5, b"x")),
]
BROKEN = [b"", b"\xc1", b"\x93" * 2_000, b"\x91" * 600 + b"\1", b"\xdd\xff\xff\xff\xff", b"\xdf\x7f\xff\xff\xff"]


class Kept(dict):
    shared = False

    def note(self, room, key):
        return self.get(key)

    def set_note(self, room, key, record):
        self[key] = record


def of_site(record):
    """Reads the note of a site, and writes it again."""

    def read(packed):
        notes = SiteNotes(Kept(site=packed), "room", record.load, record.dump)
        notes.get("site")
        notes.save("site")
        notes.save_all()

    return read


def written(read, write):
    """Reads a note, and writes what was in it again."""
    return lambda packed: [write(found) for found in [read(packed)] if found]


ROBOTS = RobotsNote(
    RobotsCopy("User-agent: *", 200, 1e9, 86_400.0, "", "", ""),
    FetchFailures(1e9, 1e9, 3, 503),
    RobotsRedirect("http://a.example/", 1, 1e9, ""),
)
HUB = ("http://a.example/", "a.example", "page", "c", 1, 1.0, 2.0, 1e9, 0.5, "e", "m", False)
ENTRY = VisitEntry(1, 2, "a.example", "class", [3, 4], 1.0).dump()
PROBE = Probe(ProbePolicy())
PROBE.feed(0, b"ID3" + bytes(100), 5_000)

READERS = {
    "robots": (robots_book.pack(ROBOTS), written(robots_book.unpack, robots_book.pack)),
    "hubs": (msgpack.packb((1, [HUB])), written(hubs.unpack, hubs.pack)),
    "visits": (msgpack.packb([ENTRY]), visits._listed),
    "a visit": (ENTRY, VisitEntry.load),
    "classes": (SiteClasses().dump(), written(SiteClasses.load, SiteClasses.dump)),
    "nuggets": (nuggets._packed("http://a.example/", is_open=True), nuggets._unpacked),
    "address": (msgpack.packb((2, 1e9, (1.0, 2.0), 0.0, 0.0, 3)), address_clocks._unpacked),
    "old address": (msgpack.packb((1, 1e9, (1.0, 2.0))), address_clocks._unpacked),
    "probe": (Session(PROBE).dump(), lambda packed: Session.load(packed, ProbePolicy())),
    **{
        record.__name__: (msgpack.packb(record.dump(record.load(None))), of_site(record))
        for record in (duplicates._Pages, duplicates._SitePaths, duplicates._Site, duplicates._Answers)
    },
}


def variants(value):
    """A value with each of its parts replaced by each odd one."""
    yield from ODD
    if isinstance(value, list):
        for place, part in enumerate(value):
            yield from ([*value[:place], other, *value[place + 1 :]] for other in variants(part))
        yield from (value[:-1], [*value, 1])
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from ({**value, key: other} for other in variants(part))
        yield from ({**value, key: 1} for key in ("x", b"x", 7, 1e308, None))


@pytest.mark.parametrize("name", READERS)
def test_no_note_of_a_stranger_breaks_its_reader(name):
    packed, read = READERS[name]
    read(packed)
    for value in variants(msgpack.unpackb(packed, strict_map_key=False)):
        read(msgpack.packb(value))
    for broken in [*BROKEN, packed + b"x", *(packed[:size] for size in range(len(packed)))]:
        read(broken)
