"""A real crawl of the demo web: polite by the server's own log, complete and right by the catalogue."""

import json
import sqlite3
import statistics
from collections import Counter

import crawling
import harness
import pytest
from demo_fields import FIELDS as PLACES
from demo_fields import UNTAGGED
from harness import environment
from jsonschema import Draft202012Validator
from judging import says

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.base.facts import EXTERNAL_SOURCES
from mediacrawl.log.archive import read
from mediacrawl.programs.demo.library import LEGACY_ENCODINGS, NAMES, media_bytes
from mediacrawl.record import MediaItem
from mediacrawl.scope import canonical, site_of

FIELDS = ("title", "artist", "album")


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
    assert finished.output == ""


def test_no_site_was_asked_sooner_than_its_delay(finished):
    gaps = list(finished.gaps())
    assert len(gaps) > 50
    assert [gap for gap in gaps if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []
    visits = Counter()
    for gap, site, _, _ in gaps:
        visits[site] += 1
        # The first visits get a longer delay.
        assert visits[site] >= 5 or gap >= crawling.FIRST_DELAY - crawling.CLOCK, (site, visits[site])
    assert finished.web.crawl_delays
    for host, seconds in finished.web.crawl_delays.items():
        of_host = [gap for gap, _, before, after in gaps if before.host == after.host == host]
        assert min(of_host) >= seconds - crawling.CLOCK


def test_robots_txt_of_each_host_was_asked_first_and_once_and_nothing_that_is_to_be_left_alone(finished):
    of_hosts = {}
    for entry in finished.web.settled_log():
        of_hosts.setdefault(entry.host, []).append(entry.path)
    assert {paths[0] for paths in of_hosts.values()} == {"/robots.txt"}
    assert {paths.count("/robots.txt") for paths in of_hosts.values()} == {1}
    assert finished.web.violations() == []
    (agent,) = {entry.user_agent for entry in finished.web.settled_log()}
    assert "mediacrawl/" in agent
    assert "+http://localhost/tests" in agent


def test_only_links_that_are_dead_on_purpose_are_dead_and_every_host_is_reached(finished):
    log = finished.web.settled_log()
    dead = {entry.path: entry.status for entry in log if entry.status >= 400 and entry.path != "/robots.txt"}
    assert dead == {"/fehlt": 404, "/verschwunden": 410, "/gogn/00000005.json": 404}
    assert {entry.host for entry in log} == {host for host in finished.web.hosts if "bitte-nicht" not in host}
    assert len(log) <= 270


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


def test_the_request_log_has_a_line_for_every_request_and_drop_and_the_text_of_each_robots_txt(finished):
    lines = list(read(finished.folder / "state" / "log"))
    assert Counter(line["url"] for line in lines if line["status"]) == Counter(
        entry.url for entry in finished.web.settled_log()
    )
    drops = Counter(line["drop"] for line in lines)
    assert drops["redirect_cap"] == 1
    assert drops["robots"] >= 1
    assert drops["http_status"] >= 1
    texts = list(read(finished.folder / "state" / "log", name="robots"))
    assert {line["url"] for line in texts} == {
        canonical(entry.url) for entry in finished.web.settled_log() if entry.path == "/robots.txt"
    }
    assert any("Crawl-delay" in line["text"] for line in texts)


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


def test_a_crawl_stopped_with_ctrl_c_goes_on_and_asks_no_finished_url_twice(crawl):
    crawl.start()
    crawl.until(lambda log: len(log) > 25)
    assert crawl.interrupt() == 0
    before = len(crawl.web.settled_log())
    crawl.run(seed="")
    assert "Resuming" in crawl.text()
    assert len(crawl.web.settled_log()) > before + 20
    asked = Counter((entry.url, entry.range) for entry in crawl.web.settled_log())
    assert {url for url, times in asked.items() if times > 1} == set()
    assert urls(records(crawl)) == crawl.web.expected_records
    assert [gap for gap in crawl.gaps() if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []


def test_fresh_forgets_the_crawl_and_says_what_it_deletes(crawl):
    crawl.start(PRIORITY="adaptive")
    crawl.until(lambda log: len(log) > 10)
    assert crawl.interrupt() == 0
    crawl.start("-a", "fresh=1", seed=crawl.web.seeds[0])
    crawl.until(lambda log: len(log) > 20)
    assert crawl.interrupt() == 0
    assert "deleted" in crawl.text()
    assert "frontier.db" in crawl.text()
    assert "Resuming" not in crawl.text()
    assert (crawl.folder / "state" / "model.old.npz").exists()


def test_scope_site_keeps_to_the_sites_of_the_seeds(crawl):
    seed = crawl.web.seeds[0]
    crawl.run("-a", "scope=site", seed=seed)
    assert {site_of(entry.url) for entry in crawl.web.settled_log()} == {site_of(seed)}
    assert "'drop/offsite'" in crawl.text()


def test_a_whitelist_lets_only_what_it_names_pass(crawl):
    whitelist = crawl.folder / "include.txt"
    site = site_of(crawl.web.seeds[0])
    whitelist.write_text(f"{site}\nre:/robots\\.txt$\n", encoding="utf-8")
    crawl.run("-a", f"include={whitelist}")
    assert {site_of(entry.url) for entry in crawl.web.settled_log()} == {site}
    assert "'drop/not_included'" in crawl.text()


def test_the_report_has_the_facts_of_the_log_and_proves_politeness(finished):
    folder = finished.folder / "state"
    words = ["report", str(folder), "--json"]
    done = harness.run("mediacrawl", words, finished.folder, environment(), seconds=60)
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


# -- records -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def exported(finished):
    """The records as ``scrapy catalogue --export`` writes them."""
    path = finished.folder / "records.jsonl"
    done = finished.command("catalogue", "--export", str(path))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_record_and_every_item_of_the_feed_export_has_the_declared_form(finished, exported):
    lines = (finished.folder / "items.jl").read_text(encoding="utf-8").splitlines()
    validator = Draft202012Validator(MediaItem.schema())
    wrong = [
        (record["content_url"], error.json_path, error.message)
        for record in [*exported, *map(json.loads, lines)]
        for error in validator.iter_errors(record)
    ]
    assert wrong == []


@pytest.mark.parametrize("place", sorted(PLACES))
def test_a_record_says_what_its_file_its_page_and_its_list_say(finished, exported, place):
    host, slash, path = place.partition("/")
    url = f"http://{host}:{finished.web.port}{slash}{path}"
    (record,) = [each for each in exported if canonical(each["content_url"]) == url]
    expected = finished.web.expected_fields[url]
    wrong = {name: record[name] for name, value in expected.items() if not says(record[name], value)}
    assert wrong == {}, {name: expected[name] for name in wrong}


def test_a_second_page_that_describes_a_file_is_named_in_the_evidence(finished, exported):
    (record,) = [each for each in exported if each["content_url"].endswith("/lade/heidi.caf")]
    pages = {tag["key"]: tag.get("page_url") or record["page_url"] for tag in record["tags"] if tag["source"] == "page"}
    second = f"http://wunderkammer.example:{finished.web.port}/brett/heidi/urheber"
    assert (pages["artist"], pages["license_url"]) == (second, second)
    assert record["page_url"] == second.removesuffix("/urheber")


def test_titles_of_chapters_in_another_encoding_than_they_claim_keep_their_bytes(exported):
    (record,) = [each for each in exported if each["content_url"].endswith("/zvuk/chai-2.mp3")]
    titles = [tag for tag in record["tags"] if tag["key"].startswith("chapters[")]
    assert [tag["text"] for tag in titles] == [chapter["title"] for chapter in record["chapters"]]
    assert {(tag["declared"], tag["encoding"], tag["decision"]) for tag in titles} == {("latin-1", "cp1251", "fixed")}
    assert all(tag["text_declared"].encode("latin-1") == tag["text"].encode("cp1251") for tag in titles)


# -- texts -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shown(finished):
    """The records of each file by its name; some are on two hosts."""
    by_name = {}
    for row in records(finished):
        if name := finished.web.files.get(canonical(row["content_url"])):
            row["tags"] = json.loads(row["tags"])
            by_name.setdefault(name, []).append(row)
    assert sum(map(len, by_name.values())) == len(finished.web.files)
    return by_name


def elements(rows):
    """What the files themselves say of the three names."""
    found = [element for row in rows for element in row["tags"] if element["key"] in FIELDS]
    return [element for element in found if element["source"] not in EXTERNAL_SOURCES]


def test_the_demo_has_files_in_more_than_ten_wrong_encodings(finished):
    assert len(set(finished.web.encodings.values())) >= 16
    assert set(finished.web.files.values()) == set(NAMES)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_file_is_shown_as_its_maker_meant_it_and_the_bytes_of_every_text_can_be_had_back(shown, name):
    for row in shown[name]:
        assert tuple(row[field] or "" for field in FIELDS) == NAMES[name]
    data = media_bytes(name)
    assert elements(shown[name]) or name in UNTAGGED
    for element in elements(shown[name]):
        assert raw_bytes(element) in data


@pytest.mark.parametrize("name", sorted(LEGACY_ENCODINGS))
def test_both_tags_of_a_file_are_read_right_and_the_evidence_says_what_was_decided(shown, name):
    """An ID3v1 tag holds the beginning of what the other tag says, in whatever encoding."""
    for element in elements(shown[name]):
        true, text = getattr(NAMES[name], element["key"]), element["text"]
        assert text
        assert true.startswith(text) if element["source"] == "id3v1" else text == true, element
    decided = [element for element in elements(shown[name]) if element.get("decision") == "fixed"]
    assert decided
    for element in decided:
        assert element["text_declared"] != element["text"]
        assert element["encoding"]
        # UTF-8 tells what it is by its form; whose words it holds need not be known.
        assert element["language"] or element["encoding"] == "utf-8"
        assert 0.5 < element["confidence"] <= 1
        assert len(element["fixer"]) == 12


def test_what_is_declared_right_is_left_as_it_is(shown):
    for name in sorted(set(NAMES) - set(LEGACY_ENCODINGS) - UNTAGGED):
        decisions = {element.get("decision", "declared") for element in elements(shown[name])}
        assert decisions == {"declared"}, name
