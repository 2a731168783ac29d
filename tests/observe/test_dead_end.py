"""What is said when nothing was read."""

from collections import Counter

import pytest

from mediacrawl.observe.crawl_messages import SeedOutcomes, StartFacts, nothing_read, start_line

ANEW = "-a fresh=1 starts over"
UNREACHED = {"a.example": "CannotResolveHostError"}


@pytest.mark.parametrize(
    ("fates", "said"),
    [
        (
            SeedOutcomes(given=14, known=14, earlier=Counter(address=14)),
            [
                "Nothing was read: all 14 seeds ended in an earlier run: address 14. -s GUARD_ALLOW=... allows",
                f"addresses that are not public; what was refused is added again. {ANEW}",
            ],
        ),
        (
            SeedOutcomes(given=1, refused=Counter(not_included=1)),
            [
                "Nothing was read: the seed was refused: not_included 1. -a include=FILE names another whitelist",
            ],
        ),
        (
            SeedOutcomes(given=3, refused=Counter(nevercrawl=2), unreached=UNREACHED),
            [
                "Nothing was read: 2 of the seeds were refused: nevercrawl 2; 1 site could not be reached: host name",
                "not found 1. To see which NeverCrawl list names it: mediacrawl nevercrawl check URL",
                "(NEVERCRAWL_FILES). Look at the spelling of the names, and at the name servers of this machine",
            ],
        ),
        (
            SeedOutcomes(given=1, unreached={"a.example": "DownloadTimeoutError"}, waiting=1),
            [
                "Nothing was read: 1 site could not be reached: timeout 1; 1 URL waits on sites that rest or were not",
                "reached; mediacrawl frontier show SITE shows when each can be requested",
            ],
        ),
        (
            SeedOutcomes(earlier=Counter(done=3, robots=1)),
            [
                "Nothing was left to read: 4 URLs of this crawl ended in earlier runs: done 3, robots 1. -a seed=...",
                f"adds seeds; {ANEW}",
            ],
        ),
        (
            SeedOutcomes(earlier=Counter(done=3), waiting=3, shelved=2),
            [
                "Nothing was read: 1 URL waits on sites that rest or were not reached; mediacrawl frontier show SITE",
                "shows when each can be requested; 2 URLs wait on paused or retired sites:",
                "mediacrawl frontier resume SITE",
            ],
        ),
        (
            SeedOutcomes(ended=Counter(http_status=2), earlier=Counter(done=3)),
            [
                "Nothing was read: 2 of what was left ended in this run: http_status 2. To see what the server",
                "answered: mediacrawl frontier why URL",
            ],
        ),
        (
            SeedOutcomes(given=2, known=2, earlier=Counter(robots=1)),
            [
                "Nothing was read: both seeds were added by an earlier run, 1 ended: robots 1. Its robots.txt forbids",
                f"it: mediacrawl frontier why URL says more. {ANEW}",
            ],
        ),
        (SeedOutcomes(given=2, refused=Counter(nevercrawl=1), answered=1), []),
        (SeedOutcomes(), []),
    ],
)
def test_it_counts_by_reason_and_says_what_to_do(fates, said):
    assert nothing_read(fates) == " ".join(said)


def outset(**changes):
    known = {"seeds": 3, "sites": 2, "border_sites": None, "whitelist": "", "minimum": 15.0, "factor": 30.0}
    known |= {"first": 60.0, "frontier": ".mediacrawl", "catalogue": ".mediacrawl/media.db", "waiting": 0}
    return StartFacts(**{**known, **changes})


def test_the_first_line_says_where_the_crawl_may_go_and_how_to_change_it():
    assert start_line(outset()) == (
        "Start: 3 seeds on 2 sites; scope=web: links to other sites are followed (-a scope=site stays on those 2 sites)"
        "; no whitelist (-a include=FILE); a site is left alone for 30 times its response time, at least"
        " 15 s, 60 s while it is new; frontier .mediacrawl; records .mediacrawl/media.db"
    )
    resumed = start_line(outset(seeds=0, sites=0, border_sites=2, whitelist="/x/include.txt", waiting=1))
    assert resumed.startswith("Resuming: 1 URL waits. No seeds; scope=site: only the 2 sites of the seeds")
    assert "only what /x/include.txt names" in resumed
