"""A real crawl of a web of traps: few requests for each, nothing lost, and each rule is counted by its name."""

import pytest
from honest_sites import HONEST, honest_files
from sins_traps import TRAPS, TrapWeb
from trap_crawl import Finished

URL_RULES = "mediacrawl.scope.traps.Traps"
DUPLICATES = "mediacrawl.scope.duplicates.DuplicatePolicy"

# Trap -> requests at most, robots.txt not counted: two for each file that is there, one for each page that shows
# something new, and what it takes to see that the others do not.
AT_MOST = {
    "sessions": 2 * 10 + 11,
    "calendar": 2 + 1 + 3 + 3,
    # Of 1,080 combinations; which are met first is drawn, and 140 to 187 were seen.
    "facets": 2 + 1 + 240,
    "growing": 2 + 1 + 4,
    "soft-404": 60 + 2 + 2,
    "dust": 2 * 20 + 21 + 25,
    "episodes": 2 * 20 + 21,
    "numbered": 2 * 25 + 25 + 28,
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One whole crawl of all traps, for all tests that only look at it."""
    return Finished(tmp_path_factory.mktemp("traps"), *TRAPS)


def test_the_crawl_ends_by_itself(finished):
    assert finished.code == 0, finished.crawl.text()[-3000:]
    assert "Traceback" not in finished.crawl.text()


@pytest.mark.parametrize("name", AT_MOST)
def test_a_trap_takes_few_requests(finished, name):
    assert 0 < finished.requests[name] <= AT_MOST[name]


@pytest.mark.parametrize("name", AT_MOST)
def test_nothing_is_lost_in_a_trap_or_where_only_a_careless_rule_would_see_one(finished, name):
    assert finished.media[name] - finished.found == set()


@pytest.mark.parametrize("reason", ["session", "dust", "duplicate", "near_duplicate", "soft_404"])
def test_each_rule_is_counted_by_its_name(finished, reason):
    assert finished.drops(reason) > 0


@pytest.mark.slow
def test_the_rules_on_urls_alone_end_the_traps_as_well(tmp_path):
    finished = Finished(
        tmp_path,
        *("calendar", "facets", "growing"),
        SCOPE_MAX_DEPTH=4,
        **{f"{DUPLICATES}.pages": 0, f"{DUPLICATES}.combinations": 60},
        **{f"{URL_RULES}.max_repeats": 1, f"{URL_RULES}.first_year": 2026},
    )
    assert finished.code == 0
    assert all(finished.media[name] <= finished.found for name in ("calendar", "facets", "growing"))
    assert finished.requests["facets"] <= 2 + 1 + 15 + 60
    assert finished.drops("trap_facets") > 100
    assert finished.drops("trap_repeat") > 10


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    """One crawl of all honest sites.

    So few combinations are let through that an archive by date is beyond them, and as many clicks as it takes.
    """
    return Finished(
        tmp_path_factory.mktemp("honest"),
        *HONEST,
        web=lambda: TrapWeb(HONEST, honest_files),
        SCOPE_MAX_DEPTH=200,
        **{f"{DUPLICATES}.combinations": 50},
    )


@pytest.mark.parametrize("name", HONEST)
def test_nothing_is_lost_on_an_honest_site(honest, name):
    assert honest.media[name]
    assert honest.media[name] - honest.found == set()


def test_on_honest_sites_there_was_something_to_take_for_a_trap(honest):
    assert honest.drops("near_duplicate") > 20
    assert honest.drops("soft_404") > 5
    assert honest.requests.total() > 1000


BUDGET, EARNS = 30, 3
NO_RULES = {
    f"{DUPLICATES}.pages": 0,
    f"{DUPLICATES}.dust_pages": 0,
    f"{DUPLICATES}.combinations": 0,
    "SCOPE_SOFT_404": 0,
    "SCOPE_MAX_DEPTH": 1000,
    f"{URL_RULES}.max_repeats": 1000,
    f"{URL_RULES}.max_cycles": 1000,
    f"{URL_RULES}.max_segments": 1000,
    f"{URL_RULES}.first_year": 0,
    f"{URL_RULES}.years_ahead": 1000,
    "mediacrawl.frontier.contract.FrontierPolicy.earns": EARNS,
}
ENDLESS = ("calendar", "facets", "growing", "dust")


@pytest.mark.slow
def test_without_any_rule_a_trap_gets_its_budget_and_an_honest_site_earns_its_way(tmp_path):
    def spent(budget):
        assert finished.code == 0, finished.crawl.text()[-3000:]
        for name in ENDLESS:
            earned = EARNS * len(finished.media[name] & finished.found)
            assert budget <= finished.visits[name] <= budget + earned, name
        assert finished.media["episodes"] <= finished.found

    with TrapWeb() as web:
        finished = Finished.on(web, tmp_path, *ENDLESS, "episodes")
        finished.run(**NO_RULES, FRONTIER_SITE_BUDGET=BUDGET)
        spent(BUDGET)
        assert finished.visits["episodes"] > BUDGET
        assert "on 4 retired sites; retired: see frontier show SITE" in finished.crawl.text()
        finished.run(**NO_RULES, FRONTIER_SITE_BUDGET=2 * BUDGET)
        spent(2 * BUDGET)
