"""Settings that are mistyped: names that nobody reads, and values that cannot be used."""

import json
import sys

import pytest
from command_line import QUICK, crawl_command, run
from harness import ROOT
from scrapy.settings import BaseSettings, default_settings

import mediacrawl.settings
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.setting_checks import unknown_names, wrong_values

NUMBERS = "must be a number of seconds, 0 or more, as in"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("POLITENESS_MIN_DELAY", "abc", f"it {NUMBERS} 15"),
        ("POLITENESS_MIN_DELAY", "-1", f"it {NUMBERS} 15"),
        ("POLITENESS_MIN_DELAY", "nan", f"it {NUMBERS} 15"),
        ("POLITENESS_MIN_DELAY", "", f"it {NUMBERS} 15"),
        ("REVISIT_SHARE", "0", "it must be a share, above 0 and at most 1, as in 0.2"),
        ("FRONTIER_ATTEMPTS", "2.5", "it must be a whole number, 1 or more, as in 3"),
        ("PAGE_MAX_BYTES", "200 KB", "it must be a whole number of bytes, 0 or more, as in 1000000"),
        ("REDIS_PORT", "70000", "it must be the number of a port, 0 to 65535, as in 0"),
        ("ROBOTS_ENABLED", "maybe", "it must be True or False (1 or 0)"),
        (
            "SCHEDULER_STORE",
            "reddis",
            "it must be sqlite, memory, redis or the URL of a Redis server; did you mean redis?",
        ),
        (
            "PRIORITY",
            "adaptve",
            "it must be adaptive, rules, levels, breadth, random or site-rate; did you mean adaptive?",
        ),
        ("LOG_LEVEL", "WARNUNG", "it must be DEBUG, INFO, WARNING, ERROR, CRITICAL or a number; did you mean WARNING?"),
        ("RESOLVER_HOSTS", "{", "it must be a mapping of names to addresses, written as JSON"),
        ("CLOSESPIDER_PAGECOUNT", "ten", "it must be a whole number, 0 or more"),
    ],
)
def test_a_value_that_cannot_be_used_is_told_with_what_is_expected(name, value, expected):
    assert wrong_values(BaseSettings({name: value})) == [f"{name} = {value!r} cannot be used: {expected}"]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("POLITENESS_HOURS", '{"25": 2}', "'25' is no span of hours"),
        ("PRIORITY_SCORES", '{"medium": 2}', "'medium' is no rule"),
        ("RESOLVER_SERVERS", "dns.example", "'dns.example' is no name server"),
        ("RESOLVER_FAMILIES", "ipv5", "ipv5 cannot be used"),
        ("GUARD_ALLOW", "10.0.0.0/99", "neither a network nor a name"),
        ("NUGGET_FUNCTION", "nowhere.find", "cannot be loaded: No module named 'nowhere'"),
        ("NUGGET_FUNCTION", "genericpath.exists", "(genericpath.exists)"),
        ("SCOPE_EXTENSIONS_FILE", "nowhere.txt", "cannot be read: No such file"),
        ("MOJIBAKE_FIELDS", "{", "it must be a list of names"),
        ("REDIS_START_URLS_KEY", "%(nme)s", "names no key"),
    ],
)
def test_a_value_of_many_parts_is_told_with_the_part_that_is_wrong(name, value, words):
    (sentence,) = wrong_values(BaseSettings({name: value}))
    assert sentence.startswith(name)
    assert words in sentence


def test_a_value_that_may_hold_a_password_is_not_shown():
    (sentence,) = wrong_values(BaseSettings({"REDIS_PARAMS": "{'password': 'hunter2'"}))
    assert sentence == "REDIS_PARAMS cannot be used: it must be a mapping, written as JSON"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("POLITENESS_MIN_DELY", "POLITENESS_MIN_DELAY"),
        ("POLITENESS_MINDELAY", "POLITENESS_MIN_DELAY"),
        ("politeness_min_delay", "POLITENESS_MIN_DELAY"),
        ("POLITNESS_MIN_DELAY", "POLITENESS_MIN_DELAY"),
        ("MEDIACRAWL_CONTCT", "MEDIACRAWL_CONTACT"),
        ("SCHEDULER_STOR", "SCHEDULER_STORE"),
        ("DOWNLOAD_TIMEOT", "DOWNLOAD_TIMEOUT"),
    ],
)
def test_a_name_that_nobody_reads_is_told_with_the_nearest(name, nearest):
    (sentence,) = unknown_names(BaseSettings({name: "1"}))
    assert sentence.startswith(f"{name} is not a setting of mediacrawl")
    assert sentence.endswith(f"; did you mean {nearest}?")


@pytest.mark.parametrize(
    ("name", "value"), [("FRONTIER_TAKE", "32"), ("RECHECK_BELOW", "0.9"), ("ROBOTS_GIVE_UP", "2592000")]
)
def test_a_setting_that_was_removed_is_told_with_the_value_that_is_fixed_now(name, value):
    sentence = f"{name} is no longer a setting; its value is fixed at {value}"
    assert list(unknown_names(BaseSettings({name: "1"}))) == [sentence]


def test_settings_of_others_are_no_business_of_ours():
    others = [
        *("MY_SETTING", "SPLASH_URL", "SCHEDULER_PERSIST", "REDIS_START_URLS_AS_SET", "CONCURRENT_REQUESTS_PER_IP"),
        *("PAGE_SIZE", "LIST_URL", "GCS_PROJECT_ID", "AWS_ACCESS_KEY_ID", "EDITOR", "STATION_NAME"),
    ]
    assert list(unknown_names(BaseSettings(dict.fromkeys(others, "1")))) == []


def test_mistyped_names_in_a_settings_module_and_on_the_command_line_are_warned_of_once(tmp_path, site):
    site.page("/")
    (tmp_path / "own_settings.py").write_text(
        "from mediacrawl.settings import *\nPOLITENESS_MIN_DELY = 5\nMY_OWN = 1\n", encoding="utf-8"
    )
    own = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "SCRAPY_SETTINGS_MODULE": "own_settings"}
    settings = {**QUICK, "BREAKER_SITE": "0"}
    done = run(tmp_path, *crawl_command({"seed": site.url("/")}, settings), **own).check()
    warned = [line.partition("WARNING: ")[2] for line in done.err.splitlines() if "is not a setting" in line]
    assert warned == [
        "POLITENESS_MIN_DELY is not a setting of mediacrawl and has no effect; did you mean POLITENESS_MIN_DELAY?",
        "BREAKER_SITE is not a setting of mediacrawl and has no effect; did you mean BREAKER_SITES?",
    ]
    assert site.paths == ["/"]


def test_a_project_that_uses_parts_of_ours_is_told_before_its_crawl_begins(project, site):
    site.page("/")
    project.set(POLITENESS_MIN_DELAY="abc")
    project.middleware("AdaptiveDelayMiddleware", 950)
    done = project.start(site.url("/")).wait()
    assert "POLITENESS_MIN_DELAY = 'abc' cannot be used" in done.log
    assert done.code == 1
    assert site.paths == []


LISTS = {
    "NEVERCRAWL_FILES": ["a list.txt", "b.txt"],
    "MOJIBAKE_MODELS": ["a.model"],
    "MEDIACRAWL_ADDRESSES": ["192.0.2.1", "2001:db8::1"],
    "SCOPE_SESSION_NAMES": ["sid", "s"],
    "SCOPE_REFUSED_PORTS": [22, 25],
    "RESOLVER_SERVERS": ["192.0.2.1", "192.0.2.2"],
    "RESOLVER_FAMILIES": ["ipv4", "ipv6"],
    "GUARD_ALLOW": ["127.0.0.0/8", "intra.example"],
}


@pytest.mark.parametrize("written", [json.dumps, ",".join, ", ".join], ids=["json", "comma", "comma and blank"])
@pytest.mark.parametrize("name", LISTS)
def test_a_list_on_the_command_line_is_read_as_json_and_by_commas(name, written):
    words = LISTS[name] if written is json.dumps else list(map(str, LISTS[name]))
    settings = BaseSettings({name: written(words)})
    assert OwnSettings(settings).getlist(name) == words
    assert wrong_values(settings) == []


def test_all_lists_are_tried():
    declared = {name for name, default in vars(mediacrawl.settings).items() if isinstance(default, list)}
    assert {name for name in declared if not hasattr(default_settings, name)} == set(LISTS)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NEVERCRAWL_FILES", '["a.txt"'),
        ("NEVERCRAWL_FILES", "[1]"),
        ("GUARD_ALLOW", "[{}]"),
        ("SCOPE_REFUSED_PORTS", "[x]"),
    ],
)
def test_a_list_that_cannot_be_read_is_told_in_a_sentence(name, value):
    (sentence,) = wrong_values(BaseSettings({name: value}))
    assert sentence.startswith(f"{name} = {value!r} cannot be used: it must be a list of ")


def test_a_middleware_alone_says_that_its_list_is_missing(tmp_path, site):
    (tmp_path / "alone.py").write_text(_ALONE.format(url=site.url("/")))
    done = run(tmp_path, sys.executable, "-m", "scrapy", "runspider", "alone.py", "-s", 'NEVERCRAWL_FILES=["no.txt"]')
    (told,) = [line for line in done.err.splitlines() if "CRITICAL" in line and "no.txt" in line]
    assert told.endswith(f"no.txt can not be read in {tmp_path}: No such file or directory. (setting NEVERCRAWL_FILES)")


_ALONE = """
import scrapy


class Alone(scrapy.Spider):
    name = "alone"
    start_urls = ["{url}"]
    custom_settings = {{
        "DOWNLOADER_MIDDLEWARES": {{"mediacrawl.middlewares.NeverCrawlMiddleware": 100}},
        "TELNETCONSOLE_ENABLED": False,
    }}
"""
