"""Four workers on one Redis, to all of whom everything happens, judged by the server's log and what is left."""

import itertools
from collections import Counter

import crash_plan
import pytest
from crash_web import CRAWL_DELAY, PATIENT, CrashWeb, names_of
from crawling import CLOCK
from fleet_evidence import BESIDE, too_soon, worker_of
from fleet_ordeal import DECK, WORKERS, FleetOrdeal
from redis_server import RedisServer

from mediacrawl.scope import canonical

pytestmark = pytest.mark.slow

ACTS = crash_plan.KILLS // 2
"""Four workers do as much in each as one does in two kills."""
STEPS = 4
"""Pages of a chain before it has grown."""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fleet")
    server = RedisServer(folder / "redis", durable=True).start()
    with CrashWeb(STEPS) as web:
        fleet = FleetOrdeal(web, folder, server, crash_plan.dice("fleet"))
        try:
            fleet.codes = fleet.suffer(ACTS)
            fleet.note_end()
            yield fleet
        finally:
            fleet.stop()
            server.stop()


def test_everything_happened_and_all_workers_end_by_themselves_after_all(fleet):
    assert len(fleet.acts) == ACTS >= len(DECK)
    assert Counter(fleet.acts).keys() == set(DECK)
    assert fleet.codes == [0] * WORKERS, [worker.text()[-2000:] for worker in fleet.workers]


def test_many_losses_found_leases_out(fleet):
    assert sum(bool(loss.leased) for loss in fleet.losses) > len(fleet.losses) / 4


def test_no_worker_showed_a_traceback(fleet):
    logs = [log for worker in fleet.workers for log in worker.logs()]
    assert [log for log in logs if "Traceback" in log or "CRITICAL" in log] == []


def test_the_workers_say_that_redis_was_away_and_is_back(fleet):
    logs = "".join(log for worker in fleet.workers for log in worker.logs())
    assert " is away (" in logs
    assert " is back after " in logs


def test_every_reachable_url_is_asked_and_answered(fleet):
    whole = {canonical(entry.url) for entry in fleet.web.settled_log() if entry.status or entry.path == "/hangs.mp3"}
    assert {canonical(url) for url in fleet.web.kinds} - whole == set()


def test_urls_end_as_they_would_in_one_process_without_kills(fleet):
    assert fleet.numbers[-1].ends == Counter(fleet.web.ends.values()) + BESIDE


def test_nothing_waits_and_nothing_is_leased_at_the_end(fleet):
    total = fleet.numbers[-1].total
    assert (total["waiting"], total["leased"], total["active"]) == (0, 0, 0)
    assert fleet.leased() == frozenset()
    assert fleet.keys("q:*") | fleet.keys("due:*") | fleet.keys("workers") | fleet.keys("dead") == set()


def test_at_every_act_each_url_was_counted_in_one_place(fleet):
    for numbers in fleet.numbers:
        total = numbers.total
        assert total["seen"] == total["waiting"] + total["leased"] + numbers.ends.total(), numbers.act


def test_redis_with_its_file_synced_takes_nothing_back(fleet):
    for before, after in itertools.pairwise(fleet.numbers):
        assert before.ends <= after.ends, after.act
        assert before.total["seen"] <= after.total["seen"], after.act


def test_every_media_file_is_stored_and_whole_whoever_stored_it(fleet):
    records = [row for worker in fleet.workers for row in worker.records()]
    assert {row["content_url"] for row in records} == fleet.web.files.keys()
    for row in records:
        url = row["content_url"]
        names = names_of(fleet.web.files[url])
        assert (row["probe_status"], row["content_size"]) == ("complete", fleet.web.sizes[url]), url
        assert (row["title"], row["artist"]) == (names.title, names.artist), url
        assert row["duration"] > 0


def test_no_site_is_asked_sooner_than_its_delay_by_all_workers_together(fleet):
    early = too_soon(fleet.gaps(), CLOCK)
    assert early == [], fleet.story(early[0][2].url)


def test_a_crawl_delay_is_kept_by_all_workers_together(fleet):
    patient = [gap for gap in fleet.gaps() if gap[1].removesuffix(".example") in PATIENT]
    early = [gap for gap in patient if gap[0] < CRAWL_DELAY - CLOCK]
    assert early == [], fleet.story(early[0][2].url)
    assert len({worker_of(after) for _, _, _, after in patient}) > 1


def test_no_url_is_asked_again_but_those_that_were_leased_at_a_loss(fleet):
    tries = fleet.web.tries
    often = [what for what, times in fleet.unexplained().items() if times > tries.get(what[0], 1) - 1]
    assert often == [], fleet.story(often[0][0])
