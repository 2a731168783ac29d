"""The whitelist."""

import re

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.scope.include import _PATTERNS_PER_SET, Include, IncludeError, _Set
from mediacrawl.scope.urls import host_of


def allows(text, url):
    return Include.parse(text, "include.txt").allows(url, host_of(url))


@pytest.mark.parametrize(
    ("line", "url", "allowed"),
    [
        ("radio.example", "https://radio.example/a", True),
        ("Radio.Example.", "https://www.radio.example:81/a", True),
        ("radio.example", "https://notradio.example/", False),
        ("radio.example", "https://a.example/radio.example", False),
        ("bücher.example # ours", "https://xn--bcher-kva.example/", True),
        ("192.0.2.7", "http://192.0.2.7/", True),
        ("re:/music/", "https://a.example/x/music/y", True),
        ("/\\.mp3$/", "https://a.example/x.mp3", True),
        ("/\\.mp3$/", "https://a.example/x.mp3?y=1", False),
        ("re: ^https://[^/]+/a  # why", "https://b.example/abc", True),
        ("re:MUSIC", "https://a.example/music", False),
        ("re:(?i)MUSIC", "https://a.example/music", True),
        ("re:a#b", "https://a.example/a#b", True),
        ("https://radio.example/", "http://radio.example/a", True),
    ],
)
def test_a_line_is_a_domain_or_a_pattern(line, url, allowed):
    assert allows(line, url) is allowed


def test_one_of_the_lines_is_enough():
    text = "a.example\nre:/b/\n/c$/\r\n"
    urls = ["https://a.example/", "https://x.example/b/", "https://x.example/c", "https://x.example/d"]
    assert [allows(text, url) for url in urls] == [True, True, True, False]


def test_each_bad_line_is_told_with_its_number_and_nothing_is_allowed():
    text = "# x\nre:(\na.example/path\nre:\nre:(?=x)\ngood.example\nre:((a{1000}){1000}){1000}"
    with pytest.raises(IncludeError) as caught:
        Include.parse(text, "list")
    first, *lines = str(caught.value).split("\n")
    assert first == "the whitelist list has 5 lines that cannot be used; mend them, or put # before them:"
    assert [line.partition(": ")[0] for line in lines] == ["list:2", "list:3", "list:4", "list:5", "list:7"]
    assert "missing )" in lines[0]
    assert lines[1] == "list:3: 'a.example/path' is no domain; a pattern is written re:PATTERN or /PATTERN/."


def test_of_many_bad_lines_the_first_are_told():
    with pytest.raises(IncludeError) as caught:
        Include.parse("no domain\n" * 100, "list")
    lines = str(caught.value).split("\n")
    assert len(lines) == 22
    assert lines[-1] == "and 80 more lines."


@pytest.mark.parametrize("text", ["", "# nothing\n", "\n \n"])
def test_a_whitelist_without_a_line_does_not_let_the_crawl_start(text):
    with pytest.raises(IncludeError, match=r"include.txt has no domain and no pattern"):
        Include.parse(text, "include.txt")


def test_a_missing_file_says_where_it_was_looked_for(tmp_path):
    with pytest.raises(IncludeError) as caught:
        Include.load(tmp_path / "include.txt")
    assert str(caught.value) == f"the whitelist 'include.txt' can not be read in {tmp_path}: No such file or directory"


def test_a_file_with_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "include.txt"
    path.write_text("a.example\r\n", "utf-8-sig")
    assert Include.load(path).domains == {"a.example"}


def test_more_patterns_than_one_set_holds_are_all_asked():
    number = 2 * _PATTERNS_PER_SET + 7
    include = Include(patterns=[f"/album{n}/" for n in range(number)])
    asked = [0, 1, _PATTERNS_PER_SET - 1, _PATTERNS_PER_SET, number - 1]
    assert all(include.allows(f"https://a.example/album{n}/", "a.example") for n in asked)
    assert not include.allows(f"https://a.example/album{number}/", "a.example")


def test_a_set_that_gives_no_answer_at_all_is_not_believed():
    patterns = _Set(["/music/", "[.]mp3$"])
    # RE2 does this when its automaton runs out of memory; a set of something else does it always.
    patterns._set = re2.Set.SearchSet()
    patterns._set.Add("never seen")
    patterns._set.Compile()
    assert patterns.matches("https://site.example/music/x")
    assert not patterns.matches("https://site.example/film/x")


def test_a_pattern_that_is_slow_elsewhere_is_linear_here():
    include = Include(patterns=["(a|aa)+$", "(.*)*x$"])
    assert not include.allows("https://site.example/" + "a" * 2_000 + "b", "site.example")


@given(
    st.lists(st.sampled_from(["a", "/b", "c+$", "[ab]c", "^https", "x|y", r"\.mp3$", "(?i)B"]), min_size=1, max_size=5),
    st.text("abcxy/.B", max_size=20),
)
def test_a_set_says_what_the_patterns_say_one_by_one(patterns, path):
    url = f"https://site.example/{path}.mp3"
    expected = any(re.search(pattern, url) for pattern in patterns)
    assert Include(patterns=patterns).allows(url, "site.example") is expected


@given(st.text(max_size=100))
def test_any_text_is_a_whitelist_or_refused(text):
    try:
        include = Include.parse(text, "list")
    except IncludeError:
        return
    assert include.allows("https://site.example/", "site.example") in {True, False}


def test_the_list_that_comes_with_it_is_good(exclusions):
    include = Include.load(exclusions / "include.txt")
    assert include.allows("https://a.example/podcasts/1", "a.example")
    assert not include.allows("https://a.example/films/1", "a.example")
