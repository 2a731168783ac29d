"""What is logged when nothing was read, and at the start."""

import pytest

from mediacrawl.log.messages import nothing_read, start_line

ANEW = "-a seed=... adds seeds; -a fresh=1 starts over"
NOTHING = {"refused": {}, "ends": {}, "failures": {}, "waiting": 0, "shelved": 0}


@pytest.mark.parametrize(
    ("facts", "shown"),
    [
        (
            {"ends": {"address": 14}},
            (
                "Nothing was read: 14 URLs have ended: address 14. -s GUARD_ALLOW=... allows"
                f" addresses that are not public; what was refused is added again. {ANEW}"
            ),
        ),
        (
            {"refused": {"not_included": 1}},
            ("Nothing was read: 1 seed was refused: not_included 1. -a include=FILE names another whitelist"),
        ),
        (
            {"refused": {"nevercrawl": 2}, "failures": {"CannotResolveHostError": 3, "404": 1}},
            (
                "Nothing was read: 2 seeds were refused: nevercrawl 2; 3 requests without an answer: host name"
                " not found 3. To see which NeverCrawl list names it: mediacrawl nevercrawl check URL"
                " (NEVERCRAWL_FILES). Look at the spelling of the names, and at the name servers of this machine"
            ),
        ),
        (
            {"ends": {"done": 3, "robots": 1}, "waiting": 1, "shelved": 2},
            (
                "Nothing was read: 4 URLs have ended: done 3, robots 1; 1 URL waits on sites that rest or were not"
                " reached; mediacrawl frontier show SITE shows when each can be requested; 2 URLs wait on paused or"
                " retired sites: mediacrawl frontier resume SITE. Its robots.txt forbids it: mediacrawl frontier why"
                f" URL says more. {ANEW}"
            ),
        ),
        ({"failures": {"404": 2}}, ""),
        ({}, ""),
    ],
)
def test_what_became_of_the_urls_is_counted_by_reason_with_what_to_do(facts, shown):
    assert nothing_read(**{**NOTHING, **facts}) == shown


def outset(**changes):
    known = {"seeds": 3, "sites": 2, "border_sites": None, "whitelist": "", "minimum": 15.0, "factor": 30.0}
    known |= {"first": 60.0, "frontier": ".mediacrawl", "catalogue": ".mediacrawl/media.db", "waiting": 0}
    return {**known, **changes}


def test_the_first_line_says_where_the_crawl_may_go_and_how_to_change_it():
    assert start_line(**outset()) == (
        "Start: 3 seeds on 2 sites; scope=web: links to other sites are followed (-a scope=site stays on those 2 sites)"
        "; no whitelist (-a include=FILE); a site is left alone for 30 times its response time, at least"
        " 15 s, 60 s while it is new; frontier .mediacrawl; records .mediacrawl/media.db"
    )
    resumed = start_line(**outset(seeds=0, sites=0, border_sites=2, whitelist="/x/include.txt", waiting=1))
    assert resumed.startswith("Resuming: 1 URL waits. No seeds; scope=site: only the 2 sites of the seeds")
    assert "only what /x/include.txt names" in resumed
