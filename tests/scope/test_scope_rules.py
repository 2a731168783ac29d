"""The settings of scope as values, and the scope that is made of them."""

import pickle
from datetime import date

import pytest

from mediacrawl.base.terms import Drop
from mediacrawl.scope import NeverCrawl, NeverCrawlError, Scope, ScopeRules
from mediacrawl.scope.gate import ContactScope, Traps
from mediacrawl.settings import MEDIACRAWL_CONTACT


def today():
    return date(2026, 11, 21)


@pytest.fixture
def rules(tmp_path):
    (tmp_path / "extensions.txt").write_text("zip\n")
    (tmp_path / "never.txt").write_text("never.example\n")
    return ScopeRules(
        traps=Traps(max_length=60, max_parameters=1),
        session_names=("token",),
        max_depth=3,
        extensions=tmp_path / "extensions.txt",
        nevercrawl=(tmp_path / "never.txt",),
    )


def test_every_rule_is_in_the_scope_also_after_a_way_to_another_process(rules):
    sent = pickle.loads(pickle.dumps(rules))
    assert sent == rules
    scope = Scope(today, sent)
    assert scope.check("http://a.example/", 4) is Drop.DEPTH
    assert scope.check("http://a.example/x.zip") is Drop.EXTENSION
    assert scope.check("http://www.never.example/") is Drop.NEVERCRAWL
    assert scope.check("http://a.example/" + "x" * 60) is Drop.LENGTH
    assert scope.check("http://a.example/?x=1&y=2") is Drop.TRAP_FACETS
    assert scope.spelled("http://A.example/?token=0123456789abcdef").key == "http://a.example/"
    assert scope.check("http://a.example/", 3) is None


def test_a_list_that_is_kept_up_to_date_counts_in_place_of_the_files(rules):
    kept = NeverCrawl.of("other.example")
    scope = Scope(today, rules, nevercrawl=kept, only_sites={"a.example", "never.example"}, loopback_only=True)
    assert scope.check("http://other.example/") is Drop.NEVERCRAWL
    assert scope.check("http://c.example/") is Drop.OFFSITE
    assert scope.check("http://never.example/") is Drop.PLACEHOLDER_CONTACT


def test_a_file_that_is_not_there_stops_it(tmp_path):
    missing = tmp_path / "missing.txt"
    with pytest.raises(OSError, match="missing"):
        Scope(today, ScopeRules(extensions=missing))
    with pytest.raises(NeverCrawlError, match="missing"):
        Scope(today, ScopeRules(nevercrawl=(missing,)))


@pytest.mark.parametrize(
    ("written", "reason"),
    [("mailto:x@a.example", Drop.SCHEME), ("http:// /", Drop.BAD_URL), ("nothing", Drop.BAD_URL), ("", Drop.BAD_URL)],
)
def test_what_is_no_url_has_a_reason(written, reason):
    assert Scope(today, ScopeRules()).spelled(written) is reason


def test_what_is_far_too_long_is_not_worth_the_work(rules):
    assert Scope(today, rules).spelled("http://a.example/" + "x" * 600) is Drop.LENGTH


HOSTS = {
    "blog.org": ["127.0.0.1"],
    "both.org": ["127.0.0.1", "::1"],
    "half.org": ["127.0.0.1", "192.0.2.1"],
    "a.org": [],
}


@pytest.mark.parametrize("host", ["localhost", "www.localhost", "127.0.0.9", "[::1]"])
@pytest.mark.parametrize("contact", [MEDIACRAWL_CONTACT, "http://localhost/", "https://uni-graz.at/bot"])
def test_this_machine_may_always_be_asked(host, contact):
    assert ContactScope.of(contact, {}, anonymous=contact == MEDIACRAWL_CONTACT).covers(host)


@pytest.mark.parametrize("host", ["blog.org", "both.org", "tonspur.example", "x.test"])
def test_a_contact_on_this_machine_is_enough_for_names_that_lead_here_or_to_nobody(host):
    assert ContactScope.of("http://localhost/", HOSTS, anonymous=False).covers(host)
    assert not ContactScope.of(MEDIACRAWL_CONTACT, HOSTS, anonymous=True).covers(host)


@pytest.mark.parametrize("host", ["half.org", "uni-graz.at", "example.com", "10.0.0.1", "192.0.2.1"])
def test_strangers_need_a_contact_that_they_can_reach(host):
    assert not ContactScope.of("http://localhost/", HOSTS, anonymous=False).covers(host)
    assert ContactScope.of("https://uni-graz.at/bot", HOSTS, anonymous=False).covers(host)
