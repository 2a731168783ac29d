"""What a robots.txt says about us."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.politeness.robots import MAX_BYTES, RobotsRules
from mediacrawl.scope.urls import canonical

CASES = json.loads((Path(__file__).parents[1] / "cases" / "robots_cases.json").read_text("utf-8"))
SITE = "https://site.example"


def rules(text, agent="mediacrawl"):
    return RobotsRules.parse(text if isinstance(text, bytes) else text.encode(), agent)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_rules_are_read_as_the_standard_says(case):
    verdict = rules(case["robots_txt"], case["user_agent"]).allowed(case["url"])
    assert bool(verdict) is case["allowed"], case["why"]


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_our_group_alone_says_the_same(case):
    whole = rules(case["robots_txt"], case["user_agent"])
    again = rules(whole.group_text, case["user_agent"])
    assert again.allowed(case["url"]) == whole.allowed(case["url"])
    assert (again.crawl_delay, again.group_text) == (whole.crawl_delay, whole.group_text)


def test_a_verdict_names_the_rule_that_decided():
    file = rules("User-agent: *\nDisallow: /a/ # private\nAllow: /a/b\n")
    assert (file.allowed(f"{SITE}/a/x").rule, file.allowed(f"{SITE}/a/b").rule) == ("Disallow: /a/", "Allow: /a/b")
    assert file.allowed(f"{SITE}/c").rule == ""


def test_the_group_is_kept_as_short_text():
    text = (
        "User-agent: x\nDisallow: /\n\n# us\nuser-agent: MediaCrawl/2 x\nDISALLOW:/caf\u00e9\nCrawl-delay: 7.50\nAllow:"
    )
    assert rules(text).group_text == "User-agent: mediacrawl\nDisallow: /caf%C3%A9\nCrawl-delay: 7.5\n"
    assert rules("User-agent: x\nDisallow: /").group_text == ""


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 10", 10.0),
        ("User-agent: *\nCrawl-Delay : .5 # half", 0.5),
        ("User-agent: *\ncrawl-delay: 10s", 10.0),
        ("User-agent: *\nCrawl-delay: 5\nDisallow: /\nCrawl-delay: 20\nCrawl-delay: 1", 20.0),
        ("User-agent: *\nCrawl-delay: -1", None),
        ("User-agent: *\nCrawl-delay: inf", None),
        ("User-agent: *\nCrawl-delay: nan", None),
        ("User-agent: *\nCrawl-delay:", None),
        ("Crawl-delay: 5\nUser-agent: *\nDisallow:", None),
        ("User-agent: *\nCrawl-delay: 5\nUser-agent: mediacrawl\nDisallow:", None),
        ("User-agent: mediacrawl\nCrawl-delay: 5\nUser-agent: x\nDisallow:\nUser-agent: x\nCrawl-delay: 9", 5.0),
    ],
)
def test_a_site_that_asks_for_a_delay_is_heard(text, delay):
    assert rules(text).crawl_delay == delay


def test_a_crawl_delay_between_agents_does_not_part_them():
    file = rules("User-agent: *\nCrawl-delay: 5\nUser-agent: badbot\nDisallow: /\n")
    assert not file.allowed(f"{SITE}/")
    assert file.ambiguous_group


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\nCrawl-delay: 5\nDisallow: /a\nUser-agent: x\nDisallow: /",
        "User-agent: x\nCrawl-delay: 5\nUser-agent: y\nDisallow: /\nUser-agent: *\nDisallow: /a",
        "User-agent: *\nDisallow: /a\nCrawl-delay: 5\nUser-agent: x\nDisallow: /",
    ],
)
def test_a_crawl_delay_elsewhere_is_not_ambiguous(text):
    assert not rules(text).ambiguous_group


def test_sitemaps_belong_to_no_group():
    file = rules("Sitemap: https://site.example/1.xml\nUser-agent: x\nsite-map:/2.xml\nDisallow: /\nSitemap:\n")
    assert file.sitemaps == ["https://site.example/1.xml", "/2.xml"]


def test_a_long_file_counts_up_to_500_kib_and_no_rule_is_cut_in_half():
    line = b"Disallow: /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
    head = b"User-agent: *\nDisallow: /first\n"
    body = head + line * (MAX_BYTES // len(line)) + b"Disallow: /\n"
    file = rules(body)
    assert not file.allowed(f"{SITE}/first")
    assert file.allowed(f"{SITE}/other")
    # The cut goes through "Disallow: /private" behind its slash.
    filler = b"#" * (MAX_BYTES - len(head) - len(b"\nDisallow: /")) + b"\nDisallow: /private\n"
    assert rules(head + filler).allowed(f"{SITE}/x")


def test_a_pattern_of_many_stars_takes_linear_time():
    file = rules("User-agent: *\nDisallow: /" + "*a" * 2_000 + "b$\nDisallow: /" + "a*" * 2_000 + "c\n")
    assert file.allowed(f"{SITE}/" + "a" * 50_000)


@pytest.mark.parametrize(
    ("rule", "url"),
    [
        ("/search?url=http://", "http://site.example/search?url=http://a.example/"),
        ("/*?id=a:b", "http://site.example/x?id=a:b"),
        ("/*?tags=a,b", "http://site.example/x?tags=a,b,c"),
        ("/list[1]", "http://site.example/list[1]"),
        ("/a|b", "http://site.example/a|b"),
        ("/a b", "http://site.example/a b"),
        ("/*?q=ü", "http://site.example/?q=ü"),
    ],
)
def test_a_rule_binds_a_url_also_when_we_spell_it_canonically(rule, url):
    assert not rules(f"User-agent: *\nDisallow: {rule}\n").allowed(canonical(url))


LINES = """User-agent: *
User-agent: mediacrawl
User-agent: x
Disallow: /
Disallow:
Disallow: *c
Disallow: /ü%2f
Disallow: /%2a
Allow: /a*b$
Allow: /$x
Allow: /index.html
Crawl-delay: 3
Sitemap: /s
# x

nonsense"""
files = st.lists(st.sampled_from(LINES.split("\n")), max_size=12).map("\n".join)


@given(files, st.text("/abc?%2fü.", max_size=12))
def test_storing_our_group_loses_nothing(text, path):
    file = rules(text)
    again = rules(file.group_text)
    assert again.allowed(f"{SITE}/{path}") == file.allowed(f"{SITE}/{path}")
    assert again.group_text == file.group_text


@given(st.binary(max_size=300), st.text(max_size=50))
def test_any_bytes_are_a_file_and_any_text_gets_a_verdict(body, url):
    file = rules(b"User-agent: *\n" + body)
    assert file.allowed(url).rule.isascii()
    assert rules(file.group_text).group_text == file.group_text
