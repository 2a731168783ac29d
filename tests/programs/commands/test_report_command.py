"""``scrapy report``, called as an operator calls it."""

import json
import time

import pytest
from command_line import MEDIACRAWL, run

from mediacrawl.log.request_log import RequestLine, RequestLog
from mediacrawl.record import MediaItem
from mediacrawl.store import Catalogue
from mediacrawl.watch.status import CrawlStatus, HistoryFile, Sample


def state(folder, site, **fields):
    """A state folder as a process leaves it."""
    folder.mkdir(parents=True)
    now = time.time()
    status = CrawlStatus(
        written=now - 600,
        began=now - 700,
        first_began=now - 700,
        pid=2**22 + 1,
        requests=2,
        waiting=30,
        drops={"robots": 1},
        examples={"robots": f"http://{site}/secret"},
        log=str(folder / "log"),
        catalogue=str(folder / "media.db"),
        **fields,
    )
    status.save(folder)
    HistoryFile(folder).append(Sample.of(status))
    with RequestLog(folder / "log") as log:
        for number in range(2):
            sent = now - 700 + 30 * number
            log.write(RequestLine(sent, f"http://{site}/{number}", 200, duration=0.5, bytes=9, site=site, delay=20.0))
    with Catalogue(folder / "media.db") as catalogue:
        catalogue.upsert(
            MediaItem(id=site, content_url=f"http://{site}/a.mp3", site=site, encoding_format="audio/mpeg")
        )
    return folder


@pytest.fixture
def crawl(tmp_path):
    state(tmp_path / ".mediacrawl", "a.example")
    return tmp_path


def report(folder, *words):
    return run(folder, *MEDIACRAWL, "report", *words, "-s", "MEDIACRAWL_CONTACT=http://localhost/")


def test_a_killed_crawl_has_a_page_and_the_same_facts_as_json(crawl):
    ended = report(crawl, "-o", "page.html").check()
    assert "the report is in page.html" in ended.err
    page = (crawl / "page.html").read_text()
    assert "killed" in page
    assert "http://a.example/secret" in page
    facts = json.loads(report(crawl, "--json").check().out)
    assert (facts["state"], facts["requests"], facts["records"]) == ("killed", 2, 1)
    assert facts["politeness"]["too_soon"] == 0
    assert facts["politeness"]["bars"] == [[1.45, 1]]
    assert facts["formats"] == {"audio/mpeg": 1}
    assert not facts["found"].keys() & {"formats", "records", "requests"}


def test_the_jobs_below_a_folder_are_added_up(tmp_path):
    for job, site in [("radio", "a.example"), ("archive", "b.example")]:
        state(tmp_path / "jobs" / "mediacrawl" / "media" / job, site, reason="finished")
    facts = json.loads(report(tmp_path, "jobs", "--json").check().out)
    assert (facts["processes"], facts["requests"], facts["records"], facts["sites_asked"]) == (2, 4, 2, 2)
    assert [(each["name"], each["count"]) for each in facts["named"]] == [("robots", 2)]


def test_a_recheck_below_a_crawl_is_another_crawl(crawl):
    state(crawl / ".mediacrawl" / "recheck", "b.example", reason="finished")
    facts = json.loads(report(crawl, "--json").check().out)
    assert (facts["processes"], facts["requests"], facts["state"]) == (1, 2, "killed")


def test_a_place_that_cannot_be_written_is_named(crawl):
    (crawl / "file").touch()
    ended = report(crawl, "-o", "file/page.html")
    assert ended.code == 1
    assert "file" in ended.err
    assert "Traceback" not in ended.err
    assert report(crawl, "-o", ".mediacrawl").code == 2


def test_a_damaged_frontier_is_told_on_the_page_and_the_rest_is_there(crawl):
    (crawl / ".mediacrawl" / "frontier.db").write_bytes(b"no database" * 100)
    page = report(crawl, "-o", "page.html").check() and (crawl / "page.html").read_text()
    assert "frontier.db" in page
    assert "1 media file" in page


def test_an_earlier_crawl_and_a_recheck_in_the_same_folder_are_not_counted(tmp_path):
    folder = state(tmp_path / ".mediacrawl", "a.example", reason="finished")
    with RequestLog(folder / "log") as log:
        for ago in (9000, 10):
            log.write(RequestLine(time.time() - ago, "http://a.example/x", 200, duration=0.5, site="a.example"))
    with Catalogue(folder / "media.db", clock=lambda: time.time() - 9000) as catalogue:
        catalogue.upsert(MediaItem(id="old", content_url="http://old.example/a.mp3", site="old.example"))
    facts = json.loads(report(tmp_path, "--json").check().out)
    assert (facts["requests"], facts["records"], facts["media_sites"]) == (2, 1, 1)
