"""A real crawl of a web of traps: few requests for each, nothing lost, and each rule is counted by its name."""

import pytest
from honest_sites import HONEST, honest_files
from sins_traps import TRAPS, TrapWeb
from trap_crawl import Finished

DUPLICATES = "mediacrawl.scope.duplicates.DuplicatePolicy"

# Trap -> requests at most, robots.txt not counted: two for each file that is there, one for each page that shows
# something new, and what it takes to see that the others do not.
AT_MOST = {
    "sessions": 2 * 10 + 11,
    "calendar": 2 + 1 + 3 + 3,
    # Of 1,080 combinations; which are met first is drawn, and 140 to 187 were seen.
    "facets": 2 + 1 + 240,
    "growing": 2 + 1 + 4,
    # Twenty pages with the same text may be a list's. Those that they lead to have waited by then.
    "rooted": 2 + 3 * 25,
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
