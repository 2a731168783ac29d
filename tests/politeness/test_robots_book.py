"""What each authority's robots.txt said, and how long that counts. F1 to F18: what a fetcher must do, by RFC 9309."""

import pytest
from harness import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from robots_asking import DAY, ELSEWHERE, HOUR, OWN, RULES, TIMES, A, Store, learn, say

from mediacrawl.politeness.robots_book import LEAST_TRIES, LOOK, RobotsAction, RobotsBook, unpack


def test_an_authority_we_do_not_know_is_asked_for_its_robots_txt_first(book):
    saying = book.ask(A, f"{A}/x", 0.0)
    assert (saying.say, saying.url, saying.etag) == (RobotsAction.FETCH, OWN, "")


def test_f01_its_rules_decide_and_are_named(book):
    assert learn(book, 200, RULES).known
    assert say(book) is RobotsAction.ALLOWED
    denied = book.ask(A, f"{A}/private/song.mp3", 0.0)
    assert (denied.say, denied.rule) == (RobotsAction.DENIED, "Disallow: /private/")


def test_its_crawl_delay_comes_with_every_answer(book):
    assert learn(book, 200, RULES).crawl_delay == 40.0
    assert book.ask(A, f"{A}/x", 1.0).crawl_delay == 40.0
    assert book.ask(A, f"{A}/private/", 1.0).crawl_delay == 40.0


def test_f02_bytes_that_are_no_text_hide_no_rule(book):
    learn(book, 200, b"\xff\xfe\x00\r" + RULES + b"\xc3\x28\x00")
    assert say(book, "/private/") is RobotsAction.DENIED


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_f05_a_file_that_is_not_there_allows_everything(book, status):
    learn(book, 200, RULES)
    assert learn(book, status, RULES, now=DAY).known
    assert say(book, "/private/", now=DAY) is RobotsAction.ALLOWED


@pytest.mark.parametrize("status", [0, 304, 429, 500, 503, 599, 999])
def test_f06_to_f08_a_file_that_cannot_be_had_forbids_everything_for_a_while(book, status):
    assert not learn(book, status).known
    waits = book.ask(A, f"{A}/x", 100.0)
    assert (waits.say, waits.wait, waits.crawl_delay) == (RobotsAction.WAIT, 200.0, None)
    assert say(book, now=299.0) is RobotsAction.WAIT
    assert say(book, now=300.0) is RobotsAction.FETCH


def test_f08_each_failure_in_a_row_doubles_the_time_to_the_next_try_up_to_a_day(book):
    now, waits = 0.0, []
    for _ in range(12):
        learn(book, 503, now=now)
        wait = book.ask(A, f"{A}/x", now).wait
        assert say(book, now=now + wait - 1) is RobotsAction.WAIT
        assert say(book, now=now + wait) is RobotsAction.FETCH
        waits.append(wait)
        now += wait
    assert waits[:5] == [300.0, 600.0, 1_200.0, 2_400.0, 4_800.0]
    assert waits[-3:] == [DAY, DAY, DAY]


def test_f08_an_answer_ends_the_row(book):
    for _ in range(5):
        learn(book, 500)
    learn(book, 404, now=HOUR)
    learn(book, 500, now=HOUR + DAY)
    assert say(book, now=HOUR + DAY) is RobotsAction.ALLOWED
    assert say(book, now=HOUR + DAY + 300) is RobotsAction.FETCH


def test_f09_an_older_copy_goes_on_to_count_while_the_file_cannot_be_had(book):
    learn(book, 200, RULES)
    assert learn(book, 503, now=DAY).crawl_delay == 40.0
    for now in (DAY + 1, DAY + 299):
        assert say(book, now=now) is RobotsAction.ALLOWED
        assert say(book, "/private/", now=now) is RobotsAction.DENIED
    assert say(book, now=DAY + 300) is RobotsAction.FETCH
    for month in range(2, 5):
        learn(book, 0, now=month * 30 * DAY)
    assert say(book, now=120 * DAY + 1) is RobotsAction.ALLOWED
    assert say(book, "/private/", now=120 * DAY + 1) is RobotsAction.DENIED


def test_f10_a_file_that_was_never_had_is_given_up_after_thirty_days_and_still_asked_for(book):
    now = 0.0
    while now <= 30 * DAY:
        learn(book, 500, now=now)
        assert say(book, now=now) is (RobotsAction.WAIT if now < 30 * DAY else RobotsAction.DENIED)
        now += DAY
    given_up = book.ask(A, f"{A}/x", 30 * DAY + 1)
    assert given_up.say is RobotsAction.DENIED
    assert "could not be had (status 500, 31 times)" in given_up.rule
    assert say(book, now=31 * DAY) is RobotsAction.FETCH
    learn(book, 200, RULES, now=31 * DAY)
    assert say(book, now=31 * DAY) is RobotsAction.ALLOWED


def test_f10_a_crawl_that_stood_still_for_a_month_has_not_tried_for_one(book):
    learn(book, 0, now=0.0)
    for tries in range(1, LEAST_TRIES):
        assert say(book, now=40 * DAY) is RobotsAction.FETCH if tries == 1 else RobotsAction.WAIT
        learn(book, 0, now=40 * DAY + tries)
    assert say(book, now=40 * DAY + tries) is RobotsAction.DENIED


def test_f11_a_copy_counts_for_a_day(book):
    learn(book, 200, RULES)
    assert say(book, now=DAY - 1) is RobotsAction.ALLOWED
    assert say(book, now=DAY) is RobotsAction.FETCH


def test_f11_with_a_crawl_delay_of_days_each_copy_counts_for_a_page(book):
    learn(book, 200, b"User-agent: *\nCrawl-delay: 200000\n")
    assert say(book, now=200_001.0) is RobotsAction.ALLOWED
    assert say(book, now=400_001.0) is RobotsAction.FETCH


def test_f11_a_clock_that_was_set_back_makes_no_copy_count_for_longer(book):
    learn(book, 200, RULES, now=DAY)
    assert say(book, now=DAY - 1) is RobotsAction.FETCH
    learn(book, 500, now=DAY)
    assert say(book, now=DAY - 1) is RobotsAction.FETCH


@pytest.mark.parametrize(
    ("said", "life"), [(None, DAY), (0.0, HOUR), (HOUR - 1, HOUR), (5 * HOUR, 5 * HOUR), (365 * DAY, DAY)]
)
def test_f12_its_server_may_shorten_the_day_to_an_hour_and_not_lengthen_it(book, said, life):
    learn(book, 200, RULES, life=said)
    assert say(book, now=life - 1) is RobotsAction.ALLOWED
    assert say(book, now=life) is RobotsAction.FETCH


def test_f12_an_unchanged_file_counts_anew_without_being_sent_again(book):
    learn(book, 200, RULES, etag='"v1"', modified="Sat, 21 Nov 2026 10:00:00 GMT")
    asked = book.ask(A, f"{A}/x", DAY)
    assert (asked.say, asked.etag, asked.modified) == (RobotsAction.FETCH, '"v1"', "Sat, 21 Nov 2026 10:00:00 GMT")
    again = learn(book, 304, now=DAY, conditional=True, life=2 * HOUR)
    assert (again.known, again.crawl_delay) == (True, 40.0)
    assert say(book, "/private/", now=DAY + 2 * HOUR - 1) is RobotsAction.DENIED
    assert say(book, now=DAY + 2 * HOUR) is RobotsAction.FETCH
    assert book.ask(A, f"{A}/x", 3 * DAY).etag == '"v1"'


def test_f12_a_copy_counts_for_the_next_visit_of_a_slow_site_but_not_beyond_a_day(book):
    learn(book, 404, life=0.0)
    assert book.ask(A, f"{A}/x", 2 * HOUR).say is RobotsAction.FETCH
    assert book.ask(A, f"{A}/x", 2 * HOUR, owed=2 * HOUR).say is RobotsAction.ALLOWED
    assert book.ask(A, f"{A}/x", DAY, owed=20 * HOUR).say is RobotsAction.FETCH


def test_an_answer_that_brings_no_text_tells_what_counts_on(book):
    assert learn(book, 500).kept == ""
    assert learn(book, 200, RULES, etag='"v1"').kept == ""
    kept = "User-agent: mediacrawl\nDisallow: /private/\nCrawl-delay: 40\n"
    assert learn(book, 304, conditional=True).kept == kept
    assert learn(book, 500).kept == kept
    learn(book, 200, b"User-agent: other\nDisallow: /\n")
    assert learn(book, 0).kept.startswith("#")


def test_f12_unchanged_says_nothing_if_there_is_no_copy_or_no_condition_was_sent(book):
    assert not learn(book, 304, conditional=True).known
    assert say(book) is RobotsAction.WAIT
    learn(book, 200, RULES)
    assert not learn(book, 304, now=DAY).known


def test_f12_an_answer_after_failures_may_be_that_nothing_changed(book):
    learn(book, 200, RULES, etag='"v1"')
    learn(book, 0, now=DAY)
    assert book.ask(A, f"{A}/x", DAY + 300).etag == '"v1"'
    learn(book, 304, now=DAY + 300, conditional=True)
    assert say(book, now=2 * DAY) is RobotsAction.ALLOWED


@pytest.mark.parametrize("tag", ['"' + "x" * 200 + '"', '"\r\nX-Evil: 1"', '"caf\xe9"', '"\x00"'])
def test_f12_a_tag_that_is_long_or_no_header_is_not_sent_back(book, tag):
    learn(book, 200, RULES, etag=tag)
    assert book.ask(A, f"{A}/x", DAY).etag == ""


def test_f12_a_tag_of_a_file_that_is_elsewhere_is_sent_there_only(book):
    book.follow(A, ELSEWHERE, 0.0, onto="carrier")
    learn(book, 200, RULES, url=ELSEWHERE, etag='"b"')
    assert book.ask(A, f"{A}/x", DAY).etag == ""
    assert book.condition(A, OWN).etag == ""
    book.follow(A, ELSEWHERE, DAY, onto="carrier 2")
    assert book.carried(A, "carrier 2").etag == '"b"'
    learn(book, 304, now=DAY, url=ELSEWHERE, conditional=True)
    assert book.condition(A, ELSEWHERE).etag == '"b"'


def test_f14_http_and_https_and_two_ports_are_two_authorities(book):
    learn(book, 200, RULES)
    assert say(book, authority="https://a.example") is RobotsAction.FETCH
    assert say(book, authority="http://a.example:8080") is RobotsAction.FETCH


# -- redirects ---------------------------------------------------------------------------------------------------


def test_f03_a_redirected_file_is_asked_at_its_target_and_binds_the_first_authority(book):
    assert book.follow(A, "http://www.a.example/robots.txt", 0.0)
    assert book.ask(A, f"{A}/x", 0.0).url == "http://www.a.example/robots.txt"
    learn(book, 200, RULES)
    assert say(book, "/private/") is RobotsAction.DENIED
    assert say(book, authority="http://www.a.example") is RobotsAction.FETCH


def test_f03_a_file_on_another_site_is_waited_for_and_brought_by_its_carrier(book):
    assert book.follow(A, ELSEWHERE, 0.0, onto="carrier")
    waits = book.ask(A, f"{A}/x", 1.0)
    assert (waits.say, waits.wait) == (RobotsAction.WAIT, LOOK)
    assert book.carried(A, "carrier").url == ELSEWHERE
    assert book.carried(A, "another") is None
    learn(book, 200, RULES, now=2.0, url=ELSEWHERE)
    assert say(book, "/private/", now=2.0) is RobotsAction.DENIED
    assert book.carried(A, "carrier") is None


def test_f03_what_is_not_brought_in_time_counts_as_a_failure_and_is_welcome_later(book):
    book.follow(A, ELSEWHERE, 0.0, onto="carrier")
    assert book.ask(A, f"{A}/x", 299.0).wait == 1.0
    late = book.ask(A, f"{A}/x", 300.0)
    assert (late.say, late.wait) == (RobotsAction.WAIT, 300.0)
    assert say(book, now=599.0) is RobotsAction.WAIT
    assert book.ask(A, f"{A}/x", 600.0).url == OWN
    assert book.carried(A, "carrier").url == ELSEWHERE
    learn(book, 200, RULES, now=700.0, url=ELSEWHERE)
    assert say(book, now=700.0) is RobotsAction.ALLOWED


def test_f03_a_second_carrier_takes_the_place_of_one_that_never_came(book):
    book.follow(A, ELSEWHERE, 0.0, onto="carrier")
    book.ask(A, f"{A}/x", 300.0)
    book.follow(A, ELSEWHERE, 600.0, onto="carrier 2")
    assert book.carried(A, "carrier") is None
    assert book.carried(A, "carrier 2").url == ELSEWHERE
    # It may take as long as the next try would.
    assert say(book, now=600.0 + 599.0) is RobotsAction.WAIT
    assert book.ask(A, f"{A}/x", 600.0 + 600.0).wait == 600.0


def test_f03_a_copy_counts_again_when_its_successor_is_not_brought_in_time(book):
    learn(book, 200, RULES)
    book.follow(A, ELSEWHERE, DAY, onto="carrier")
    assert say(book, now=DAY + 1) is RobotsAction.WAIT
    assert say(book, now=DAY + 300) is RobotsAction.ALLOWED
    assert say(book, "/private/", now=DAY + 300) is RobotsAction.DENIED


def test_f03_a_redirect_of_long_ago_is_forgotten(book):
    book.follow(A, f"{A}/r.txt", 0.0)
    assert book.ask(A, f"{A}/x", 299.0).url == f"{A}/r.txt"
    assert book.ask(A, f"{A}/x", DAY).url == OWN
    assert [book.follow(A, f"{A}/{hop}", DAY) for hop in range(11)] == [True] * 10 + [False]


def test_f03_a_slow_site_has_time_for_each_of_its_hops(book):
    for hop in range(5):
        book.follow(A, f"{A}/robots-{hop}.txt", hop * 2_000.0)
        assert book.ask(A, f"{A}/x", (hop + 1) * 2_000.0).url == f"{A}/robots-{hop}.txt"
    learn(book, 200, RULES, now=10_000.0)
    assert say(book, now=12_000.0) is RobotsAction.ALLOWED


def test_f04_the_eleventh_redirect_is_not_followed_on_whatever_sites_they_are(book):
    carriers = [f"carrier {hop % 3}" if hop % 2 else "" for hop in range(12)]
    followed = [
        book.follow(A, f"{A}/robots-{hop}.txt", 0.0, by=carriers[hop - 1] if hop else "", onto=carriers[hop])
        for hop in range(11)
    ]
    assert followed == [True] * 10 + [False]
    learn(book, 0)
    assert say(book) is RobotsAction.WAIT
    assert book.follow(A, f"{A}/robots-0.txt", 300.0)


# -- any history -------------------------------------------------------------------------------------------------

RETRY, LIFE = 300.0, DAY


class Histories(RuleBasedStateMachine):
    """Whatever an authority does over months: nothing is allowed without a file that allows it."""

    def __init__(self):
        super().__init__()
        self.store = Store()
        self.book = RobotsBook("mediacrawl", TIMES, self.store)
        self.now = 1_000.0
        self.had = None  # the last file that was had: "rules", "none"
        self.when = 0.0

    @rule(seconds=st.sampled_from([0.5, 60.0, 299.0, 300.0, 601.0, HOUR, 7 * HOUR, DAY, 3 * DAY, 40 * DAY]))
    def time_passes(self, seconds):
        self.now += seconds

    @rule(status=st.sampled_from([200, 404, 500, 429, 0]))
    def answers(self, status):
        if say(self.book, now=self.now) is not RobotsAction.FETCH:
            return
        learn(self.book, status, RULES, now=self.now)
        if status in (200, 404):
            self.had, self.when = ("rules" if status == 200 else "none"), self.now

    @rule()
    def leads_elsewhere(self):
        if say(self.book, now=self.now) is RobotsAction.FETCH:
            self.book.follow(A, ELSEWHERE, self.now, onto=f"carrier {self.now}")

    @rule()
    def begins_anew(self):
        self.book = RobotsBook("mediacrawl", TIMES, self.store)

    @invariant()
    def allows_nothing_that_no_file_allowed(self):
        free, closed = say(self.book, now=self.now), say(self.book, "/private/x", now=self.now)
        if RobotsAction.ALLOWED in (free, closed):
            assert self.had is not None
            assert free is RobotsAction.ALLOWED
        if closed is RobotsAction.ALLOWED:
            assert self.had == "none"
        if self.had is not None:
            assert free is not RobotsAction.DENIED
        if self.now - self.when > LIFE and self.had is not None and free is RobotsAction.ALLOWED:
            assert unpack(self.store.kept[A]).failing is not None


Histories.TestCase.settings = settings(max_examples=examples(30), stateful_step_count=40, deadline=None)
TestHistories = Histories.TestCase


def test_a_file_that_broke_off_is_whole_when_the_same_bytes_come_again():
    store = Store()
    book = RobotsBook("mediacrawl", TIMES, store)
    assert not learn(book, 200, RULES, now=0.0, broke_off=True).known
    assert say(book, "/x", now=1.0) is RobotsAction.WAIT
    # After a restart, too.
    book = RobotsBook("mediacrawl", TIMES, store)
    assert learn(book, 200, RULES, now=400.0, broke_off=True).known
    assert say(book, "/x", now=401.0) is RobotsAction.ALLOWED
    assert say(book, "/private/x", now=401.0) is RobotsAction.DENIED


@pytest.mark.parametrize(("first", "second"), [(RULES, RULES[:-1]), (b"", b""), (RULES, b""), (b"", RULES)])
def test_a_file_that_broke_off_elsewhere_or_at_once_allows_nothing(first, second):
    book = RobotsBook("mediacrawl", TIMES, Store())
    for now, body in ((0.0, first), (400.0, second)):
        assert not learn(book, 200, body, now=now, broke_off=True).known
        assert say(book, "/x", now=now + 1) is RobotsAction.WAIT


def test_only_two_in_a_row_are_compared():
    book = RobotsBook("mediacrawl", TIMES, Store())
    assert not learn(book, 200, RULES, now=0.0, broke_off=True).known
    assert not learn(book, 503, now=400.0).known
    assert not learn(book, 200, RULES, now=2_000.0, broke_off=True).known
    assert learn(book, 200, RULES, now=9_000.0, broke_off=True).known
