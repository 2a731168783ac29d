"""``mediacrawl fleet`` as a user types it: what cannot work is told in one sentence, and nothing is started."""

import pytest
from command_line import MEDIACRAWL, run

from mediacrawl.crawl.crawl_scope import CrawlScope
from mediacrawl.programs.fleet import FleetError, lock_folder

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


def test_a_server_that_does_not_answer_is_told(fleet, tmp_path):
    store = f"SCHEDULER_STORE=unix://{tmp_path}/no.sock"
    assert "no.sock" in fleet("-s", store, *CONTACT, "-a", "seed=http://localhost/").sentence


def test_a_second_fleet_in_a_folder_is_refused(on_redis, tmp_path):
    folder = tmp_path / "state"
    with lock_folder(folder):
        done = on_redis("-a", "seed=http://localhost/", "-s", "MEDIACRAWL_DIR=state")
    assert "another fleet works in" in done.sentence
    assert not list(folder.glob("worker-*"))
    with lock_folder(folder), pytest.raises(FleetError, match="another fleet"), lock_folder(folder):
        pass


def test_the_borders_of_a_crawl_that_lies_there_are_those_of_the_first_worker(tmp_path):
    from mediacrawl.programs.commands.fleet import _continue_scope, _share_scope

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
    from mediacrawl.programs.commands.fleet import _share_scope

    with pytest.raises(OSError, match="borders"):
        _share_scope(tmp_path / "worker-1", [tmp_path / "worker-2"])
