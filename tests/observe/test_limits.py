"""Which answers went beyond a limit: counted, and named once for each site."""

from mediacrawl.observe import CrawlFacts, summary
from mediacrawl.observe.errors import OverLimits
from mediacrawl.observe.text import columns


def test_each_limit_has_a_line_with_its_answers_and_the_first_urls():
    limits = OverLimits()
    for number in range(5):
        for page in range(3):
            limits.add("links", f"s{number}.example", f"http://s{number}.example/{page}")
    limits.add("unreadable", "s.example", "http://s.example/")
    assert limits.lines() == [
        "links 15: http://s0.example/0, http://s1.example/0 and 3 more sites",
        "unreadable 1: http://s.example/",
    ]


def test_the_log_has_one_sentence_for_each_site_and_limit_and_an_end():
    limits = OverLimits()
    assert limits.add("links", "a.example", "http://a.example/1") == (
        "http://a.example/1 went beyond a limit: more links than are read of one page"
    )
    assert limits.add("links", "a.example", "http://a.example/2") == ""
    assert limits.add("slow", "a.example", "http://a.example/2") != ""
    told = sum(bool(limits.add("size", f"{number}.example", "http://x.example/")) for number in range(2_000))
    assert told == 1_000
    assert limits.answers["size"] == 2_000


def test_the_summary_has_a_row_for_each_limit_that_fits_the_screen():
    limits = OverLimits()
    for limit in ("links", "slow", "size"):
        for number in range(1_500):
            limits.add(limit, f"{number}.example", f"http://{number}.example/{'a' * 500}\x1b[2J")
    text = summary(CrawlFacts(over_limits=limits.lines()))
    begin = [line.partition(":")[0].split() for line in text.splitlines() if "1,500:" in line]
    assert begin == [["over", "limit", "links", "1,500"], ["slow", "1,500"], ["size", "1,500"]]
    assert text.count("http://0.example/aaa") == text.count("http://1.example/aaa") == 3
    assert all(columns(line) <= 100 for line in text.splitlines())
    assert "\x1b" not in text
