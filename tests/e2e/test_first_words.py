"""What a user reads of a crawl, with the log as it is by default: its first lines, its last ones, and their numbers."""

import re

import pytest
from crawling import Crawl

from mediacrawl.demo import DemoWeb


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """A whole crawl of the demo web, as a user starts it who says nothing of a log."""
    with DemoWeb() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("crawl"))
        crawl.level = ""
        # A server that is not there.
        more = ("-s", "LOGSTATS_INTERVAL=1", "-s", "GUARD_ALLOW=127.0.0.1", "-s", "BACKOFF_REST_AFTER=1")
        crawl.start(*more, seed="\n".join([*web.seeds, "http://127.0.0.1:1/"]))
        crawl.code = crawl.wait()
        yield crawl


def loggers(text):
    return set(re.findall(r"^\S+ \S+ \[([\w.]+)\]", text, re.MULTILINE))


def test_the_log_has_what_the_crawl_says_and_nothing_that_scrapy_says_of_itself(read):
    assert read.code == 0
    assert {name for name in loggers(read.text()) if not name.startswith("mediacrawl.") and name != "media"} == set()
    assert "Summary" in read.text()
    assert "page/read" not in read.text()


def test_errors_have_words(read):
    assert re.search(r"^  errors .*\bconnection refused \d", read.text(), re.MULTILINE)
    assert not re.search(r"\wError\b", read.text())


@pytest.mark.parametrize(
    "words", [["-v"], ["-L", "INFO"], ["-s", "LOG_LEVEL=INFO"], ["-s", "LOG_FILE=job.log"]], ids=lambda words: words[-1]
)
def test_a_user_who_wants_all_gets_the_stats_and_what_scrapy_says(crawl, words):
    crawl.level = ""
    crawl.start("-a", "scope=site", *words, seed=crawl.web.seeds[0])
    assert crawl.wait() == 0
    log = crawl.folder / "job.log"
    text = log.read_text(encoding="utf-8") if log.exists() else crawl.text()
    assert "Overridden settings" in text
    assert "'page/read'" in text
    assert "Spider closed (finished)" in text
    assert "Crawled " not in text


def test_what_the_user_did_is_answered_in_a_quiet_log_too(crawl):
    crawl.level = ""
    crawl.start("-o", "items.jl")
    crawl.until(lambda log: len(log) > 10)
    assert crawl.interrupt() == 0
    assert "Received SIGINT, shutting down gracefully" in crawl.text()
    assert re.search(r"Stored jl feed \(\d+ items\) in: items.jl", crawl.text())
