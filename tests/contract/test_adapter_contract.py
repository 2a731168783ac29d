"""Data requests of site adapters, and what is counted of them, in any store."""

from contract_kit import DELAY, NOW, balances, done, kill, page, visit

from mediacrawl.base.queued import LINK_CLASS, LONGEST, WAITS, QueuedRequest, WaitingPage
from mediacrawl.base.terms import Evidence, Kind
from mediacrawl.frontier.byte_budget import text_bytes
from mediacrawl.frontier.contract import FrontierPolicy
from mediacrawl.frontier.sqlite.store import MemoryFrontier
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.watch.adapter_counts import NAMESPACE, AdapterCounts

PAGE = "http://a.org/watch/1"
DATA = "http://api.org/v/1.json"
QUEUED = QueuedRequest("a.org", "0" * 16, 1, {"id": "ü" * 600}, page=WaitingPage(parent="http://a.org/"))


def request(number=1, **fields):
    evidence = Evidence(WAITS, "Lied ü", guid=QUEUED.dump(), facts='[["page","h1","title","x"]]')
    marked = {"requested": DATA, "parent": PAGE, "link_class": LINK_CLASS, "kind": Kind.LIST, "score": 1.0}
    return page(f"{DATA}#adapter:a.org:{number}", evidence=evidence, **marked, **fields)


def test_a_data_request_is_kept_whole_and_counts_with_all_its_bytes(frontier):
    found = request()
    assert LONGEST * 0.85 < len(found.evidence.guid) <= LONGEST
    assert text_bytes(found) > len(found.evidence.guid)
    frontier.add([found])
    assert frontier.counts().bytes > (0 if frontier.shared else len(found.evidence.guid))
    (lease,) = frontier.take(NOW, 1)
    assert (lease.url, lease.request_url, lease.parent, lease.kind) == (found.url, DATA, PAGE, Kind.LIST)
    assert lease.evidence == found.evidence
    assert QueuedRequest.of(lease.evidence) == QUEUED


def test_a_url_waits_beside_the_data_requests_for_it(frontier):
    assert frontier.add([page(DATA), request(1), request(2), request(1)]).new == 3
    assert frontier.unknown([DATA, f"{DATA}#adapter:a.org:1", f"{DATA}#adapter:a.org:3"]) == [f"{DATA}#adapter:a.org:3"]
    now = NOW
    for _ in range(3):
        (lease,) = visit(frontier, now)
        assert lease.request_url == DATA
        now += DELAY
    assert balances(frontier)


def test_on_a_site_of_many_classes_there_is_room_for_data_requests(make):
    frontier = make(FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=0.0, classes=5))
    frontier.add([page(f"http://api.org/x{n}", link_class=f"api.org/c{n}/", score=0.1) for n in range(10)])
    frontier.add([request()])
    scores = {name: score for name, score, waiting in frontier.site("api.org").classes if waiting}
    assert scores[LINK_CLASS] == 1.0
    (lease,) = frontier.take(NOW, 1)
    assert lease.url == request().url


def test_a_page_that_ended_for_its_data_request_joins_again_when_that_misses(frontier):
    frontier.add([page(PAGE)])
    (lease,) = frontier.take(NOW, 1)
    frontier.add([request()])
    frontier.finish(lease, done(asked=False), NOW)
    (lease,) = frontier.take(NOW, 1)
    assert lease.link_class == LINK_CLASS
    again = page(PAGE, evidence=Evidence("adapter_missed", "Lied"))
    assert frontier.rejoin(again)
    frontier.finish(lease, done(), NOW)
    (lease,) = frontier.take(NOW, 1)
    assert (lease.url, lease.evidence) == (PAGE, again.evidence)
    frontier.finish(lease, done(), NOW)
    assert balances(frontier)
    assert frontier.pending() == 0


def test_the_counts_are_in_the_commit_of_the_visit_that_they_count(make):
    def counted(old):
        return AdapterCounts.load(old, "d").plus(AdapterCounts("d").after_miss(PAGE, "why"), 2).dump()

    frontier = make()
    frontier.add([request(1), request(2)])
    (lease,) = frontier.take(NOW, 1)
    frontier.update_note(NAMESPACE, "a.org", counted)
    frontier.finish(lease, done(), NOW)
    frontier.commit()
    known = frontier
    if not isinstance(frontier, MemoryFrontier):
        kill(frontier)
        known = make()
    assert AdapterCounts.load(known.note(NAMESPACE, "a.org"), "d").missed == 1
    assert known.counts().ends == {"done": 1}
    known.update_note(NAMESPACE, "a.org", counted)
    assert AdapterCounts.load(known.note(NAMESPACE, "a.org"), "d").off


def test_of_what_one_worker_counted_later_nothing_is_lost(frontier):
    if not hasattr(frontier, "later"):
        return
    answers = [
        frontier.later(
            NAMESPACE, "a.org", lambda old: AdapterCounts.load(old, "d").plus(AdapterCounts("d").after_page(), 2).dump()
        )
        for _ in range(20)
    ]
    assert AdapterCounts.load([each.result(30) for each in answers][-1], "d").tried == 20
