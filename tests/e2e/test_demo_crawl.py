"""A real crawl of the demo web: polite by the server's own log, complete by the catalogue."""

import gzip
import json
import re
import sqlite3
import statistics
import time
from collections import Counter

import crawling
import pytest
from launcher import environment, launcher

from mediacrawl.observe import read
from mediacrawl.scope import canonical, site_of


def records(crawl):
    with sqlite3.connect(crawl.folder / "state" / "media.db") as db:
        db.row_factory = sqlite3.Row
        rows = [dict(row) for row in db.execute("SELECT * FROM media")]
    db.close()
    return rows


def urls(rows):
    """The files of records by canonical URL; a record has the spelling that was found first."""
    return {canonical(row["content_url"]) for row in rows}


def test_it_ends_by_itself_and_says_so(finished):
    assert finished.code == 0, finished.text()[-3000:]
    assert "Summary" in finished.text()
    assert "ERROR" not in finished.text()
    assert "Traceback" not in finished.text()


def test_nothing_is_printed_on_stdout(finished):
    assert finished.output == ""


def test_no_site_was_asked_sooner_than_its_delay(finished):
    gaps = list(finished.gaps())
    assert len(gaps) > 50
    early = [gap for gap in gaps if gap[0] < crawling.MIN_DELAY - crawling.CLOCK]
    assert early == []


def test_the_first_visits_of_a_site_got_the_longer_delay(finished):
    visits = Counter()
    for gap, site, _, _ in finished.gaps():
        visits[site] += 1
        if visits[site] < 5:
            assert gap >= crawling.FIRST_DELAY - crawling.CLOCK, (site, visits[site])


def test_a_crawl_delay_was_waited_for(finished):
    assert finished.web.crawl_delays
    for host, seconds in finished.web.crawl_delays.items():
        gaps = [gap for gap, _, before, after in finished.gaps() if before.host == after.host == host]
        assert gaps
        assert min(gaps) >= seconds - crawling.CLOCK


def test_a_site_had_one_request_at_a_time(finished):
    assert all(gap > 0 for gap, *_ in finished.gaps())


def test_the_first_request_of_every_host_was_its_robots_txt(finished):
    first = {}
    for entry in finished.web.settled_log():
        first.setdefault(entry.host, entry.path)
    assert set(first.values()) == {"/robots.txt"}


def test_a_robots_txt_was_asked_once(finished):
    asked = Counter(entry.host for entry in finished.web.settled_log() if entry.path == "/robots.txt")
    assert set(asked.values()) == {1}


def test_nothing_was_asked_that_a_well_behaved_crawl_leaves_alone(finished):
    assert finished.web.violations() == []


def test_only_links_that_are_dead_on_purpose_are_dead_and_every_host_is_reached(finished):
    log = finished.web.settled_log()
    dead = {entry.path: entry.status for entry in log if entry.status >= 400 and entry.path != "/robots.txt"}
    assert dead == {"/fehlt": 404, "/verschwunden": 410, "/gogn/00000005.json": 404}
    assert {entry.host for entry in log} == {host for host in finished.web.hosts if "bitte-nicht" not in host}
    assert len(log) <= 270


def test_every_request_said_who_asks(finished):
    agents = {entry.user_agent for entry in finished.web.settled_log()}
    assert len(agents) == 1
    assert "mediacrawl/" in (agent := agents.pop())
    assert "+http://localhost/tests" in agent


def test_no_url_was_asked_twice(finished):
    asked = Counter((entry.url, entry.range) for entry in finished.web.settled_log())
    assert {url for url, times in asked.items() if times > 1} == set()


def test_all_media_and_nothing_else_is_in_the_catalogue(finished):
    assert urls(records(finished)) == finished.web.expected_records


def test_a_record_says_what_the_file_is_where_it_was_found_and_what_it_cost(finished):
    probed = [row for row in records(finished) if canonical(row["content_url"]) in finished.web.expected_media]
    for row in probed:
        assert row["probe_status"] == "complete", row["content_url"]
        # How long a module plays shows only when it is played.
        assert row["container"] == "mod" or row["duration"] > 0
        assert row["encoding_format"].startswith(("audio/", "video/"))
        assert row["content_size"] == finished.web.sizes[canonical(row["content_url"])]
        assert row["page_url"]
        assert row["discovered_via"]
        assert row["site"] == site_of(row["content_url"])
        assert row["checked_at"] >= row["found_at"]


def test_a_player_without_an_author_got_what_its_site_says_when_asked(finished):
    (found,) = [row for row in records(finished) if row["content_url"].endswith("/lecteur/8")]
    assert (found["probe_status"], found["title"]) == ("page", "L'horloge muette")
    assert (found["artist"], found["duration"]) == ("Club des horlogers", 61)


def test_the_median_record_costs_less_than_32_kb(finished):
    assert statistics.median(row["bytes_fetched"] for row in records(finished)) <= 32_768


def test_the_feed_export_has_the_same_records(finished):
    lines = (finished.folder / "items.jl").read_text(encoding="utf-8").splitlines()
    exported = {json.loads(line)["id"]: json.loads(line) for line in lines}
    assert exported.keys() == {row["id"] for row in records(finished)}
    assert all(list(item)[:3] == ["type", "id", "content_url"] for item in exported.values())


def test_the_request_log_has_a_line_for_every_request_the_server_saw(finished):
    logged = Counter(line["url"] for line in read(finished.folder / "state" / "log") if line["status"])
    seen = Counter(entry.url for entry in finished.web.settled_log())
    assert logged == seen


def test_the_request_log_says_why_urls_were_dropped(finished):
    drops = Counter(line["drop"] for line in read(finished.folder / "state" / "log"))
    assert drops["redirect_cap"] == 1
    assert drops["robots"] >= 1
    assert drops["http_status"] >= 1


def test_the_text_of_each_robots_txt_is_kept(finished):
    lines = list(read(finished.folder / "state" / "log", name="robots"))
    assert {line["url"] for line in lines} == {
        canonical(entry.url) for entry in finished.web.settled_log() if entry.path == "/robots.txt"
    }
    assert any("Crawl-delay" in line["text"] for line in lines)


def test_a_page_is_not_requested_if_a_site_adapter_finds_its_media(finished):
    asked = {entry.path: entry.status for entry in finished.web.settled_log() if entry.host == "ljosvaki.example"}
    # The data of one page is missing, so that it was requested after all.
    assert {path for path in asked if path.startswith("/horfa/")} == {"/horfa/5"}
    data = {path: status for path, status in asked.items() if path.startswith("/gogn/")}
    assert Counter(data.values()) == {200: 3, 404: 1}
    assert data["/gogn/00000005.json"] == 404


def test_every_url_ended_in_exactly_one_way(finished):
    db = sqlite3.connect(finished.folder / "state" / "frontier.db")
    (seen,) = db.execute("SELECT count(*) FROM seen").fetchone()
    ends = Counter(key for (key,) in db.execute("SELECT key FROM ended"))
    (ended,) = db.execute("SELECT sum(urls) FROM ending").fetchone()
    (waiting,) = db.execute("SELECT (SELECT count(*) FROM url) + (SELECT count(*) FROM inbox)").fetchone()
    db.close()
    # But the page whose data is missing: it ended when its data was requested instead, and was requested after all.
    assert (sorted(ends.values())[-2:], waiting) == ([1, 2], 0)
    assert seen == ended - 1 == len(ends) > 60


def test_a_domain_added_to_nevercrawl_gets_no_request_after_the_reload(crawl):
    crawl.start()
    target = "tonspur.example"
    crawl.until(lambda log: sum(site_of(entry.url) == target for entry in log) >= 3)
    crawl.nevercrawl.write_text(crawl.web.never_crawl + f"\n{target}  # complained\n", encoding="utf-8")
    written = time.monotonic()
    crawl.until(lambda _: re.search(r"NeverCrawl: \d+ URLs? that waited (is|are) dropped", crawl.text()))
    # What went out before may be read by the server after the line is read here.
    in_force = time.monotonic() + 0.5
    assert crawl.wait() == 0
    log = crawl.web.settled_log()
    assert [entry for entry in log if site_of(entry.url) == target and entry.received_monotonic > in_force] == []
    assert any(entry.received_monotonic > in_force for entry in log), "the crawl ended before the reload"
    # One was on its way; the others had their delay between them while half a second, the time to reload, went by.
    last = [entry for entry in log if site_of(entry.url) == target and entry.received_monotonic > written]
    assert len(last) <= 1 + 4


def test_a_crawl_stopped_with_ctrl_c_goes_on_and_asks_no_finished_url_twice(crawl):
    crawl.start()
    crawl.until(lambda log: len(log) > 25)
    assert crawl.interrupt() == 0
    before = len(crawl.web.settled_log())
    crawl.start(seed="")
    assert crawl.wait() == 0
    assert "Resuming" in crawl.text()
    assert len(crawl.web.settled_log()) > before + 20
    asked = Counter((entry.url, entry.range) for entry in crawl.web.settled_log())
    assert {url for url, times in asked.items() if times > 1} == set()
    assert urls(records(crawl)) == crawl.web.expected_records
    assert [gap for gap in crawl.gaps() if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []


def test_a_crawl_killed_again_and_again_loses_nothing_and_asks_nobody_early(crawl):
    for requests in (10, 30, 55):
        crawl.start(seed=None if requests == 10 else "")
        crawl.until(lambda log, requests=requests: len(log) > requests)
        crawl.kill()
    crawl.start(seed="")
    assert crawl.wait() == 0
    assert urls(records(crawl)) == crawl.web.expected_records
    assert [gap for gap in crawl.gaps() if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []
    asked = Counter((entry.url, entry.range) for entry in crawl.web.settled_log())
    twice = [url for url, times in asked.items() if times > 1]
    assert max(asked.values()) <= 4
    # What was out or just back when the process died: one a site at most, at each of three kills.
    assert len(twice) <= 3 * len(crawl.web.hosts)


def test_fresh_forgets_the_crawl_and_says_what_it_deletes(crawl):
    crawl.start("-s", "PRIORITY=adaptive")
    crawl.until(lambda log: len(log) > 10)
    assert crawl.interrupt() == 0
    crawl.start("-a", "fresh=1", seed=crawl.web.seeds[0])
    crawl.until(lambda log: len(log) > 20)
    assert crawl.interrupt() == 0
    assert "deleted" in crawl.text()
    assert "frontier.db" in crawl.text()
    assert "Resuming" not in crawl.text()
    assert (crawl.folder / "state" / "model.old.npz").exists()


@pytest.mark.parametrize("store", ["sqlite", "memory"])
def test_scope_site_keeps_to_the_sites_of_the_seeds(crawl, store):
    seed = crawl.web.seeds[0]
    crawl.start("-a", "scope=site", "-s", f"SCHEDULER_STORE={store}", seed=seed)
    assert crawl.wait() == 0
    assert {site_of(entry.url) for entry in crawl.web.settled_log()} == {site_of(seed)}
    assert "'drop/offsite'" in crawl.text()


def test_a_whitelist_lets_only_what_it_names_pass(crawl):
    whitelist = crawl.folder / "include.txt"
    site = site_of(crawl.web.seeds[0])
    whitelist.write_text(f"{site}\nre:/robots\\.txt$\n", encoding="utf-8")
    crawl.start("-a", f"include={whitelist}")
    assert crawl.wait() == 0
    assert {site_of(entry.url) for entry in crawl.web.settled_log()} == {site}
    assert "'drop/not_included'" in crawl.text()


@pytest.mark.parametrize("name", ["requests", "robots"])
def test_old_logs_are_packed_when_a_crawl_starts(crawl, name):
    log = crawl.folder / "state" / "log"
    log.mkdir(parents=True)
    import datetime as dt

    day = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=2)
    (log / f"{name}-{day}.jsonl").write_text('{"url": "http://a.example/"}\n')
    crawl.start()
    # The end of the crawl breaks off the thread that packs.
    crawl.until(lambda seen: len(seen) > 3 and (log / f"{name}-{day}.jsonl.gz").exists())
    assert crawl.interrupt() == 0
    with gzip.open(log / f"{name}-{day}.jsonl.gz", "rt") as lines:
        assert json.loads(lines.read()) == {"url": "http://a.example/"}


def test_a_crawl_that_goes_on_keeps_to_the_borders_it_began_with(crawl):
    seed = crawl.web.seeds[0]
    crawl.start("-a", "scope=site", seed=seed)
    crawl.until(lambda log: len(log) > 5)
    assert crawl.interrupt() == 0
    crawl.start(seed="")
    assert crawl.wait() == 0
    assert "scope=site" in crawl.text()
    assert {site_of(entry.url) for entry in crawl.web.settled_log()} == {site_of(seed)}


def test_a_crawl_does_not_go_on_among_strangers_without_a_contact(crawl):
    crawl.start()
    crawl.until(lambda log: len(log) > 5)
    assert crawl.interrupt() == 0
    before = len(crawl.web.settled_log())
    placeholder = ("-s", "MEDIACRAWL_CONTACT=https://example.invalid/nobody")
    crawl.start(*placeholder, seed="")
    assert crawl.wait() == 2
    crawl.start(*placeholder, seed=f"http://127.0.0.1:{crawl.web.port}/")
    crawl.until(lambda log: len(log) > before)
    assert crawl.interrupt() == 0
    late = crawl.web.settled_log()[before:]
    assert {entry.host for entry in late} == {"127.0.0.1"}


def test_the_report_has_the_facts_of_the_log_and_proves_politeness(finished):
    folder = finished.folder / "state"
    words = ["report", str(folder), "--json"]
    done = launcher().run_and_read("mediacrawl", words, finished.folder, environment(), seconds=60)
    facts = json.loads(done.stdout)
    sent = [line for line in read(folder / "log") if line["duration"] is not None]
    assert (facts["state"], facts["reason"]) == ("ended", "finished")
    assert facts["requests"] == len(sent)
    assert facts["records"] == len(records(finished))
    assert facts["waiting"] == 0
    assert facts["estimate"]["sentence"] == "nothing waits"
    assert facts["politeness"]["judged"] > 50
    assert facts["politeness"]["too_soon"] == 0
    assert facts["notes"] == []
    drops = {each["name"]: each for each in facts["named"] if each["kind"] == "drop"}
    assert {"robots", "nevercrawl", "extension", "depth"} <= set(drops)
    assert all(each["meaning"] for each in drops.values())
    assert drops["robots"]["example"].startswith("http://")
    assert facts["curve"][-1][1] == facts["done"]
