"""A real crawl, damage to what it stored, and a recheck: what is in doubt is requested again, and nothing else is."""

import itertools
import json
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing

import crawling
import pytest
from crawling import Crawl
from demo_fields import UNTAGGED
from demo_web import DemoWeb

from mediacrawl.log.archive import read
from mediacrawl.programs.recheck.locate import Doubts
from mediacrawl.record import Fixer
from mediacrawl.scope import canonical, site_of
from mediacrawl.store import Catalogue

LOST = "\ufffd\ufffd\ufffd \u0432 \ufffd\ufffd\ufffd"
BELOW = ("-a", "below=0.0")
"""What the models are not sure of is no matter of these tests."""


class Stored:
    """The catalogue of a crawl, and ways to damage it."""

    def __init__(self, crawl):
        self.crawl = crawl
        self.path = crawl.folder / "state" / "media.db"

    def url(self, host, path):
        return f"http://{host}:{self.crawl.web.port}{path}"

    def record(self, url):
        with Catalogue(self.path, read_only=True) as catalogue:
            return next(record for record in catalogue.newest() if record["content_url"] == url)

    def all(self):
        with Catalogue(self.path, read_only=True) as catalogue:
            return list(catalogue.newest())

    def change(self, url, **columns):
        with closing(sqlite3.connect(self.path)) as db, db:
            for name, value in columns.items():
                changed = db.execute(f"UPDATE media SET {name} = ? WHERE content_url = ?", (value, url))
                assert changed.rowcount == 1

    def lose_bytes(self, url, **columns):
        """As an older program stored it: no evidence, and text that lost characters."""
        self.change(url, tags=None, **columns)

    def add(self, url, **columns):
        with Catalogue(self.path) as catalogue:
            catalogue.upsert({"content_url": url, "title": LOST, "probe_status": "complete", **columns})


def recheck(crawl, *extra, items="media.db", wait=True):
    crawl.start("-a", f"items={items}", *BELOW, *extra, spider="recheck")
    if wait:
        assert crawl.wait() == 0, crawl.text()[-3000:]


def asked_since(crawl, before):
    log = crawl.web.settled_log()[before:]
    return Counter(entry.url for entry in log if entry.path != "/robots.txt")


def pairs_of(crawl):
    path = crawl.folder / "state" / "pairs.jl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A whole crawl of the demo web, and a copy of its catalogue for each test that wants to damage one."""
    with DemoWeb() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("recheck"))
        crawl.run()
        shutil.copy(crawl.folder / "state" / "media.db", crawl.folder / "original.db")
        yield crawl


@pytest.fixture(scope="module")
def rechecked(original):
    """The crawl, its catalogue damaged in several ways, and one whole recheck right behind it."""
    crawl, web = original, original.web
    crawl.stored = stored = Stored(crawl)
    url = stored.url
    crawl.ozero = url("staroe-radio.example", "/zapisi/ozero.mp3")
    crawl.most = url("staroe-radio.example", "/zapisi/most.mp3")
    crawl.kaze = url("oto-no-michi.example", "/oto/kaze.mp3")
    crawl.nychta = url("oto-no-michi.example", "/mesimvria/nychta.opus")
    crawl.gone = url("tonspur.example", "/media/verschwunden.mp3")
    crawl.moved = url("zaehler.example", "/r/folge-3.mp3")
    crawl.page = url("tonspur.example", "/impressum/")
    crawl.never = url("bitte-nicht.example", "/lied.mp3")
    crawl.shut = url("media.podcast-am-morgen.example", "/entwurf/1.mp3")
    crawl.before = {record["content_url"]: record for record in stored.all()}
    crawl.unsure = doubted(crawl.before.values()) - {crawl.ozero, crawl.most, crawl.kaze}
    stored.lose_bytes(crawl.ozero, title="????? ? ???????", artist=LOST, found_at="2020-01-01T00:00:00Z")
    stored.lose_bytes(crawl.most, title="Ñòàðûé ìîñò")
    tags = crawl.before[crawl.kaze]["tags"]
    for element in tags:
        if element["key"] == "title":
            element |= {"text": "Station des Winds", "decision": "user"}
        if element["key"] == "artist":
            element["text"] = LOST
            del element["raw_b64"]
    mine = {"title": "Station des Winds", "album": "My own album"}
    stored.change(crawl.kaze, tags=json.dumps(tags), artist=LOST, **mine)
    for extra in (crawl.gone, crawl.moved, crawl.page, crawl.never, crawl.shut):
        stored.add(extra, page_title="kept")
    crawl.requests = len(web.settled_log())
    recheck(crawl)
    crawl.pairs = pairs_of(crawl)
    return crawl


def test_it_asks_for_what_is_in_doubt_and_for_nothing_else(rechecked):
    asked = set(asked_since(rechecked, rechecked.requests))
    assert asked == rechecked.unsure | {
        rechecked.ozero,
        rechecked.most,
        rechecked.kaze,
        rechecked.gone,
        rechecked.page,
        rechecked.moved,
        rechecked.stored.url("zaehler.example", "/z/folge-3.mp3?n=1"),
        rechecked.stored.url("media.podcast-am-morgen.example", "/folge-3.mp3"),
    }


def test_it_leaves_alone_what_the_media_spider_leaves_alone(rechecked):
    assert rechecked.web.violations() == []
    asked = asked_since(rechecked, rechecked.requests)
    assert not {rechecked.never, rechecked.shut} & set(asked)


def test_a_record_that_lost_its_bytes_is_replaced_by_a_new_one(rechecked):
    for url in (rechecked.ozero, rechecked.most):
        now, before = rechecked.stored.record(url), rechecked.before[url]
        text = ("title", "artist", "album", "id", "site")
        provenance = ("page_url", "anchor_text", "discovered_via", "page_title", "page_language", "page_charset")
        for field in text + provenance:
            assert now[field] == before[field], field
        assert [element["raw_b64"] for element in now["tags"] if not element["text"].isascii()]
        assert [(e["text"], e.get("raw_b64")) for e in now["tags"]] == [
            (e["text"], e.get("raw_b64")) for e in before["tags"]
        ]
    assert rechecked.stored.record(rechecked.ozero)["found_at"] == "2020-01-01T00:00:00Z"


def test_what_a_person_decided_outlives_the_new_record(rechecked):
    now = rechecked.stored.record(rechecked.kaze)
    assert (now["title"], now["album"]) == ("Station des Winds", "My own album")
    title, artist = (next(e for e in now["tags"] if e["key"] == key) for key in ("title", "artist"))
    assert (title["decision"], title["text"]) == ("user", "Station des Winds")
    assert title["raw_b64"] == next(
        e["raw_b64"] for e in rechecked.before[rechecked.kaze]["tags"] if e["key"] == "title"
    )
    assert artist["decision"] == "declared"
    assert now["checked_at"] >= rechecked.before[rechecked.kaze]["checked_at"]


def test_a_file_that_cannot_be_had_leaves_its_record_as_it_was(rechecked):
    for url in (rechecked.gone, rechecked.moved, rechecked.page, rechecked.never, rechecked.shut):
        kept = rechecked.stored.record(url)
        assert (kept["title"], kept["page_title"], kept["checked_at"]) == (LOST, "kept", None)


def test_it_says_what_became_of_the_doubtful_records(rechecked):
    total = len(rechecked.before) + 5
    probed = 3 + len(rechecked.unsure)
    assert f"media.db: {probed + 5} of {total} records in doubt, {probed} probed again:" in rechecked.text()
    counted = re.search(r"again: (\d+) now sure, (\d+) still in doubt", rechecked.text())
    assert sum(map(int, counted.groups())) == probed
    assert int(counted[1]) >= 2
    assert "5 not had, their records stay as they were" in rechecked.text()
    for word in ("content_type 1", "gone 1", "moved 1", "nevercrawl 1", "robots 1"):
        assert word in rechecked.text()
    assert "Traceback" not in rechecked.text()
    assert rechecked.output == ""


def test_it_teaches_what_the_damage_did(rechecked):
    told = {(pair["before"], pair["after"]) for pair in rechecked.pairs}
    assert ("Ñòàðûé ìîñò", "Старый мост") in told
    assert ("????? ? ???????", "Озеро в октябре") in told
    assert all(set(pair) == {"before", "after", "encoding"} for pair in rechecked.pairs)
    assert not any("Station" in pair["before"] for pair in rechecked.pairs)


def test_no_site_was_asked_sooner_than_its_delay_by_the_two_crawls_together(rechecked):
    gaps = list(rechecked.gaps())
    assert [gap for gap in gaps if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []
    for host, seconds in rechecked.web.crawl_delays.items():
        mine = [e for e in rechecked.web.settled_log() if site_of(e.url) == site_of(f"http://{host}/")]
        for before, after in itertools.pairwise(sorted(mine, key=lambda entry: entry.received_monotonic)):
            assert after.received_monotonic - before.received_monotonic >= seconds - crawling.CLOCK


def test_a_request_log_line_stands_for_every_request_of_both(rechecked):
    logged = Counter(line["url"] for line in read(rechecked.folder / "state" / "log") if line["status"])
    assert logged == Counter(entry.url for entry in rechecked.web.settled_log())


@pytest.fixture
def damaged(original, rechecked, tmp_path):
    """The same catalogue elsewhere; every third record has lost its bytes. No crawl has been in this folder."""
    crawl = Crawl(original.web, tmp_path)
    (tmp_path / "state").mkdir()
    shutil.copy(original.folder / "original.db", tmp_path / "state" / "media.db")
    crawl.stored = Stored(crawl)
    crawl.truth = {record["content_url"]: record for record in crawl.stored.all()}
    # What only a page told has no file to be requested, or no text in it.
    held = {url for url, record in crawl.truth.items() if record["probe_status"] != "page"}
    texts = {url for url, name in original.web.files.items() if name not in UNTAGGED}
    crawl.lost = set(sorted(url for url in held if canonical(url) in texts)[::3])
    crawl.doubtful = crawl.lost | doubted(crawl.truth.values())
    for url in crawl.lost:
        crawl.stored.lose_bytes(url, title=LOST)
    crawl.requests = len(crawl.web.settled_log())
    with crawl:
        yield crawl


def early(crawl):
    """Gaps between requests of this crawl that are shorter than any delay."""
    began = crawl.web.settled_log()[crawl.requests].received_monotonic
    gaps = [gap for gap in crawl.gaps() if gap[2].received_monotonic >= began]
    assert len(gaps) > 20
    return [gap for gap in gaps if gap[0] < crawling.MIN_DELAY - crawling.CLOCK]


def doubted(records):
    """URLs of records that the models of today doubt, which are to be few but are no matter of these tests."""
    doubts = Doubts(0.0, Fixer())
    found = {record["content_url"] for record in records if doubts.of(record)}
    assert len(found) <= 5
    return found


@pytest.mark.slow
def test_a_recheck_killed_again_and_again_goes_on_and_loses_nothing(damaged):
    for requests in (8, 20):
        recheck(damaged, wait=False)
        damaged.until(lambda log, requests=requests: len(log) > damaged.requests + requests)
        damaged.kill()
    recheck(damaged)
    assert {record["content_url"]: record["title"] for record in damaged.stored.all()} == {
        url: record["title"] for url, record in damaged.truth.items()
    }
    assert f"{len(damaged.doubtful)} of {len(damaged.truth)} records in doubt" in damaged.text()
    assert f"{len(damaged.doubtful)} probed again: " in damaged.text()
    assert early(damaged) == []
