"""``scrapy frontier``, called as an operator calls it."""

import gzip
import json
import os
import time

import pytest
from command_line import MEDIACRAWL, run

from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Lease, Outcome
from mediacrawl.crawl.data_requests import first_request
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.operator_orders import OrderFolder
from mediacrawl.frontier.sqlite.database import lock
from mediacrawl.frontier.stores import open_store
from mediacrawl.log.request_log import RequestLine, RequestLog
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.priority import Scores, link_class
from mediacrawl.site_adapters.loading import load
from mediacrawl.watch.adapter_counts import NAMESPACE, AdapterCounts
from mediacrawl.watch.status import CrawlStatus

# So long that a minute until the test looks makes no difference.
DELAY = 75_500.0
POLICY = FrontierPolicy(delay=DelayPolicy(0, DELAY, DELAY, DELAY), explore=0.0)


def page(url, kind=Kind.PAGE, score=0.3, **fields):
    return Candidate(url, url.split("/")[2], link_class(url), kind, score=score, **fields)


def lease_of(url):
    """The lease of a page."""
    return Lease(1, url, "a.example", "", Kind.PAGE, 0, 0, "", Evidence(), 0, b"", 0.0, time.time())


@pytest.fixture
def folder(tmp_path):
    """A state folder: two sites, a URL that ended, one that was dropped, three that wait."""
    store = open_store("sqlite", tmp_path / ".mediacrawl", POLICY, time.time() - 5)
    store.add([page("http://a.example/")])
    store.add([page("http://b.example/secret")])
    ends = {
        "http://a.example/": Outcome(End.DONE, response_time=0.5),
        "http://b.example/secret": Outcome(End.DROPPED, Drop.ROBOTS),
    }
    for lease in store.take(time.time(), 5):
        store.finish(lease, ends[lease.url], time.time() - 5)
    found = Evidence("audio", "Lied \x1b[31m 1")
    store.add(
        [
            page("http://a.example/2"),
            page("http://a.example/1.mp3", Kind.MEDIA, 1.0, depth=1, parent="http://a.example/", evidence=found),
            page("http://b.example/x"),
        ]
    )
    store.close()
    return tmp_path


CONTACT = ("-s", "MEDIACRAWL_CONTACT=http://localhost/")


def frontier(folder, *words):
    return run(folder, *MEDIACRAWL, "frontier", *words)


def test_what_waits_is_not_said_to_be_dropped_for_want_of_a_contact(folder):
    said = frontier(folder, "why", "http://a.example/2").check().out
    assert "it waits until a start with -s MEDIACRAWL_CONTACT=" in said
    assert "dropped" not in said
    # The crawl had a contact, which this command need not repeat.
    CrawlStatus(written=time.time(), settings={"MEDIACRAWL_CONTACT": "'https://x.org/'"}).save(folder / ".mediacrawl")
    for url in ("http://a.example/2", "http://b.example/x", "http://c.example/never-met"):
        said = frontier(folder, "why", url).check().out
        assert "placeholder" not in said
        assert "dropped" not in said
    assert "it will be dropped" in frontier(folder, "why", "http://b.example/x", "-s", "SCOPE_MAX_LENGTH=9").out


@pytest.mark.parametrize(
    ("listing", "url"),
    [
        ("/musik/", "/musik/?C=N;O=D"),
        ("/musik/", "/musik/?sort=name&order=desc"),
        ("/musik/index.html", "/musik/?C=M;O=A"),
        ("/musik/alt/", "/musik/"),
        ("/musik/alt/neu/", "/musik/"),
    ],
)
def test_a_link_that_steers_a_list_of_files_is_named_as_such(folder, listing, url):
    with RequestLog(folder / ".mediacrawl" / "log") as log:
        for host, path in (("b.example", url.partition("?")[0] + "x/"), ("a.example", listing)):
            log.write(RequestLine(time.time(), f"http://{host}{path}", 200, duration=0.1, site=host, kind=Kind.PAGE))
    said = frontier(folder, "why", f"http://a.example{url}", *CONTACT).check().out
    assert f"index_link: on http://a.example{listing}, if that is a list of files" in said
    assert "scope would let it in" not in said
    other = frontier(folder, "why", "http://a.example/musik/datei.mp3", *CONTACT).check().out
    assert "index_link" not in other
    assert "scope would let it in" in other


def test_sites_are_listed_in_any_order_and_state(folder):
    lines = frontier(folder, "sites").check().out.splitlines()
    assert lines[0].split() == ["requests", "finds", "waiting", "state", "next", "site"]
    assert [line.split()[:4] for line in lines[1:]] == [["1", "0", "2", "waiting"], ["1", "0", "1", "waiting"]]
    assert [line.split()[-1] for line in lines[1:]] == ["a.example", "b.example"]
    assert "b.example" not in frontier(folder, "sites", "--limit", "1", "--sort", "name").check().out
    assert len(frontier(folder, "sites", "--state", "without finds").check().out.splitlines()) == 3
    assert len(frontier(folder, "sites", "--state", "retired").check().out.splitlines()) == 1
    frontier(folder, "pause", "b.example").check()
    assert "b.example" in frontier(folder, "sites", "--state", "paused").check().out
    (folder / "seeds.txt").write_text("a.example\nnever-met.example\nno url at all\n")
    of_seeds = frontier(folder, "sites", "--seeds", "seeds.txt").check()
    assert "a.example" in of_seeds.out.splitlines()[1]
    assert of_seeds.out.endswith("1 site of the list that this crawl has not met:\n  never-met.example\n")
    assert "seeds.txt:3: " in of_seeds.err
    assert "b.example" not in of_seeds.out
    assert "--limit must be 1 or more" in frontier(folder, "sites", "--limit", "0").err


def test_a_site_is_shown_with_its_clocks_and_classes(folder):
    out = frontier(folder, "show", "http://www.a.example/x").check().out
    assert "a.example" in out
    assert "waiting, may be asked in 20 h" in out
    assert "0 sites go before it" in out
    assert "response times in seconds: 0.50" in out
    assert "1.000          1  a.example/#.mp3" in out
    assert frontier(folder, "show", "nowhere.example").code == 1


def test_why_says_where_a_url_is(folder):
    waits = frontier(folder, "why", "http://a.example/1.mp3").check().out
    assert "0 URLs of its class before it" in waits
    assert "on http://a.example/ by audio" in waits
    assert "\x1b" not in waits
    assert "robots (its robots.txt forbids it)" in frontier(folder, "why", "http://b.example/secret").check().out
    assert "done (it was visited" in frontier(folder, "why", "HTTP://A.example:80/#top").check().out
    assert "scope would let it in" in frontier(folder, "why", "http://a.example/never", *CONTACT).check().out
    assert "refuses it now: extension" in frontier(folder, "why", "http://a.example/x.zip", *CONTACT).check().out
    assert "is no http or https URL" in frontier(folder, "why", "mailto:a@b.example").err


def test_why_names_the_site_adapter_of_a_page_and_of_a_data_request(folder):
    slots = {"id": {"in": "url"}, "key": {"in": "answer 1", "json": "key"}}
    requests = [{"url": f"http://c.example/{name}.json", "read": "json"} for name in ("{id}", "data/{key}")]
    written = {"form": 1, "name": "a", "page": {"host": "a.example", "path": "/v/{id}"}, "slots": slots}
    written |= {"requests": requests, "records": {"media": [{"json": "f", "url": "http://c.example/{id}/{value}"}]}}
    (folder / "adapters").mkdir()
    (folder / "adapters" / "a.json").write_text(json.dumps(written))
    adapter = load(folder / "adapters" / "a.json")
    found = first_request(lease_of("http://a.example/v/1"), adapter, {"id": "1"}, Scores())
    store = open_store("sqlite", folder / ".mediacrawl", POLICY, time.time())
    store.add([page("http://a.example/v/1"), found])
    counts = AdapterCounts(adapter.digest, tried=3, missed=2, row=2)
    store.set_note(NAMESPACE, "a", counts.dump())
    store.close()
    switches = (*CONTACT, "-s", "ADAPTERS_DIR=adapters")
    told = frontier(folder, "why", "http://a.example/v/1", *switches).check().out
    assert "its data is asked at http://c.example/1.json by the adapter a (3 tried, 0 hit, 2 missed, 2 misses" in told
    assert "its data       the request waits" in told
    told = frontier(folder, "why", "http://c.example/1.json", *switches).check().out
    assert "request 1 of 2 of the adapter a for http://a.example/v/1 (3 tried" in told
    assert "scope refuses" not in told
    (folder / "adapters" / "b.json").write_text("{")
    assert "ADAPTERS_DIR = 'adapters' cannot be used" in frontier(folder, "why", "http://c.example/", *switches).err


def test_what_waits_is_exported_sorted_by_site_and_joins_another_frontier(folder, tmp_path_factory):
    assert frontier(folder, "export").check().out.splitlines() == [
        "# a.example",
        "http://a.example/1.mp3",
        "http://a.example/2",
        "# b.example",
        "http://b.example/x",
    ]
    frontier(folder, "export", "-o", "next.jl.gz").check()
    lines = gzip.decompress((folder / "next.jl.gz").read_bytes()).decode().splitlines()
    assert json.loads(lines[0])["url"] == "http://a.example/1.mp3"
    other = tmp_path_factory.mktemp("other")
    said = frontier(other, "import", str(folder / "next.jl.gz"), *CONTACT).check().out
    assert "3 URLs joined, 0 were known" in said
    assert "0 URLs joined, 3 were known" in frontier(other, "import", str(folder / "next.jl.gz"), *CONTACT).check().out
    assert "Lied" in frontier(other, "why", "http://a.example/1.mp3", *CONTACT).check().out


def test_a_site_is_paused_resumed_and_dropped(folder):
    assert "is paused: 2 URLs wait there" in frontier(folder, "pause", "a.example").check().out
    assert "paused: by the operator" in frontier(folder, "show", "a.example").check().out
    assert "is asked again" in frontier(folder, "resume", "www.a.example").check().out
    assert "2 URLs of a.example dropped (operator)" in frontier(folder, "drop", "a.example").check().out
    assert "operator (mediacrawl frontier drop)" in frontier(folder, "why", "http://a.example/2").check().out
    assert "is not known here" in frontier(folder, "pause", "nowhere.example").check().out


@pytest.mark.slow
def test_while_a_crawl_runs_orders_go_to_it_and_reading_works(folder):
    descriptor = lock(folder / ".mediacrawl" / "frontier.db")
    try:
        assert "3 wait" in frontier(folder, "stats").check().out
        unanswered = frontier(folder, "pause", "a.example")
        assert (unanswered.code, unanswered.err.count("\n")) == (1, 1)
        assert "has not answered" in unanswered.err
        (order,) = OrderFolder(folder / ".mediacrawl").orders()
        assert (order.verb, order.what) == ("pause", "a.example")
    finally:
        os.close(descriptor)
