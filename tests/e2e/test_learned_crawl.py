"""From a browser's recording of two pages to the records of a site, by the commands that the documents show."""

import gzip
import json

import crawling
import pytest
from demo_recording import PORT, RECORDING
from demo_web import DemoWeb
from judging import says

from mediacrawl.scope import canonical


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A crawl of the demo's player with an adapter that was learned, and with no other."""
    with DemoWeb() as web:
        crawl = crawling.Crawl(web, tmp_path_factory.mktemp("learned"))
        recorded = gzip.decompress(RECORDING.read_bytes()).replace(b":%d" % PORT, b":%d" % web.port)
        (crawl.folder / "recording.har").write_bytes(recorded)
        for path in crawl.adapters.iterdir():
            path.unlink()
        done = crawl.command("adapters", "learn", "recording.har", "-o", "adapters/learned.json")
        assert done.returncode == 0, done.stderr
        done = crawl.command("adapters", "check", "adapters")
        assert (done.returncode, done.stderr) == (0, "")
        crawl.run("-a", "scope=site", seed=f"http://ljosvaki.example:{web.port}/")
        yield crawl


def test_the_media_of_all_pages_are_found_with_what_the_data_says_of_them(crawled):
    done = crawled.command("catalogue", "--export", "records.jsonl")
    assert done.returncode == 0, done.stderr
    lines = (crawled.folder / "records.jsonl").read_text(encoding="utf-8").splitlines()
    records = {canonical(record["content_url"]): record for record in map(json.loads, lines)}
    expected = {url: fields for url, fields in crawled.web.expected_fields.items() if "//ljosvaki.example" in url}
    assert records.keys() == expected.keys()
    assert len(records) == 4
    for url, fields in expected.items():
        assert {name: records[url][name] for name, value in fields.items() if not says(records[url][name], value)} == {}
        assert (records[url]["title"], records[url]["artist"]) == crawled.web.names[url][:2]


def test_pages_were_not_requested_but_one_whose_data_is_missing(crawled):
    asked = [entry.path for entry in crawled.web.settled_log()]
    assert [path for path in asked if path.startswith("/horfa/")] == ["/horfa/5"]
    assert sorted(path for path in asked if path.startswith("/gogn/")) == [
        "/gogn/00000005.json",
        "/gogn/00000031.json",
        "/gogn/00000107.json",
        "/gogn/00002214.json",
    ]


def test_the_crawl_was_polite_and_says_how_the_adapter_did(crawled):
    assert crawled.web.violations() == []
    assert [gap for gap in crawled.gaps() if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []
    assert f"ljosvaki.example-{crawled.web.port} 4 tried, 3 hit, 1 missed" in crawled.text()


def test_why_names_the_adapter_of_a_page(crawled):
    page = f"http://ljosvaki.example:{crawled.web.port}/horfa/2214"
    done = crawled.command("frontier", "why", page, ADAPTERS_DIR=crawled.adapters)
    assert f"its data is asked at {page.replace('/horfa/', '/gogn/0000')}.json by the adapter" in done.stdout
