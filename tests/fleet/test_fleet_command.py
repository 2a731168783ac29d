"""``mediacrawl fleet`` as a user types it: what cannot work is told in one sentence, and nothing is started."""

import pytest
from command_line import MEDIACRAWL, run

from mediacrawl.crawl.crawl_scope import CrawlScope
from mediacrawl.fleet import FleetError, lock_folder

CONTACT = ["-s", "MEDIACRAWL_CONTACT=http://localhost/tests"]
ON_REDIS = ["-s", "REDIS_FRONTIER_KEY=refused", *CONTACT]


@pytest.fixture
def fleet(tmp_path):
    """Runs the command in a folder without a project."""
    return lambda *words, **changes: run(tmp_path, *MEDIACRAWL, "fleet", *words, **changes)


@pytest.fixture
def on_redis(fleet, redis_server):
    """The same, with a Redis server that is named."""
    return lambda *words: fleet(*ON_REDIS, *words, REDIS_URL=f"{redis_server}/8")


@pytest.mark.parametrize("number", ["0", "65", "-1", "two", "1.5", "99999999999999999999"])
def test_a_number_of_workers_goes_from_1_to_64(on_redis, number):
    assert f"-n {number} is no number of workers; it goes from 1 to 64" in on_redis(f"-n{number}").sentence


@pytest.mark.parametrize("store", ["sqlite", "memory"])
def test_a_frontier_of_one_process_is_refused(fleet, store):
    assert "a frontier that its workers share" in fleet("-s", f"SCHEDULER_STORE={store}", "-a", "seed=x").sentence


def test_a_server_that_does_not_answer_is_told(fleet, tmp_path):
    store = f"SCHEDULER_STORE=unix://{tmp_path}/no.sock"
    assert "no.sock" in fleet("-s", store, *CONTACT, "-a", "seed=http://localhost/").sentence


def test_arguments_are_checked_as_by_crawl(on_redis, tmp_path):
    assert "no.txt" in on_redis("-a", "seed=no.txt").sentence
    assert "scope=all is not known" in on_redis("-a", "scope=all").sentence
    assert "fresh=maybe" in on_redis("-a", "fresh=maybe").sentence
    assert "somebody's server" in on_redis("-a", "seed=https://example.org/").sentence
    assert "PRIORITY = 'fast' cannot be used" in on_redis("-s", "PRIORITY=fast").sentence
    assert not list(tmp_path.glob("**/worker-*"))


@pytest.mark.parametrize("option", ["-o", "-O"])
def test_one_file_for_the_items_of_all_is_refused(on_redis, option):
    assert "one media.db" in on_redis(option, "items.jl").sentence


def test_a_second_fleet_in_a_folder_is_refused(on_redis, tmp_path):
    folder = tmp_path / "state"
    with lock_folder(folder):
        done = on_redis("-a", "seed=http://localhost/", "-s", "MEDIACRAWL_DIR=state")
    assert "another fleet works in" in done.sentence
    assert not list(folder.glob("worker-*"))
    with lock_folder(folder), pytest.raises(FleetError, match="another fleet"), lock_folder(folder):
        pass


def test_the_borders_of_a_crawl_that_lies_there_are_those_of_the_first_worker(tmp_path):
    from mediacrawl.commands.fleet import _continue_scope, _share_scope

    crawl, first, second = tmp_path, tmp_path / "worker-1", tmp_path / "worker-2"
    CrawlScope(same_site=True, sites=frozenset({"a.example"})).save(crawl)
    _continue_scope(crawl)
    assert CrawlScope.load(first).sites == {"a.example"}
    wider = CrawlScope(same_site=True, sites=frozenset({"a.example", "b.example"}))
    wider.save(first)
    _continue_scope(crawl)
    assert CrawlScope.load(first) == wider
    _share_scope(first, [second])
    assert CrawlScope.load(second) == CrawlScope.load(crawl) == wider


def test_without_borders_the_others_do_not_begin(tmp_path):
    from mediacrawl.commands.fleet import _share_scope

    with pytest.raises(OSError, match="borders"):
        _share_scope(tmp_path / "worker-1", [tmp_path / "worker-2"])
