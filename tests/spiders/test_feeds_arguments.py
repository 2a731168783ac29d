"""What a user may ask of the spider ``feeds``."""

import pytest

from mediacrawl.crawl.arguments import ArgumentError
from mediacrawl.spiders.feeds import FeedsArguments

OPML = """<opml version="2.0"><body><outline text="a"><outline xmlUrl="http://one.example/feed"/></outline>
<outline xmlUrl="skype:two.example"/><outline xmlUrl="http://one.example/feed"/></body></opml>"""


@pytest.mark.parametrize("rounds", ["x", "-1", "1.5", "²", "9" * 5_000])
def test_what_is_no_number_of_rounds_is_refused_in_one_sentence(rounds):
    with pytest.raises(ArgumentError, match="is no whole number; write it as in rounds=1"):
        FeedsArguments.read("http://one.example/", rounds)


def test_feeds_are_urls_or_a_list_and_what_cannot_be_used_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text("# mine\nhttp://one.example/feed\nmailto:a@b\nhttp://one.example/feed\n")
    (tmp_path / "list.opml").write_text(OPML)
    lists = [FeedsArguments.read(name, " 1 ") for name in ("list.txt", "list.opml", "http://one.example/feed")]
    assert {(read.urls, read.rounds) for read in lists} == {(("http://one.example/feed",), 1)}
    assert [len(read.problems) for read in lists] == [1, 1, 0]
    assert lists[1].problems == ("list.opml: no URL of http or https: 'skype:two.example'",)


@pytest.mark.parametrize(
    ("text", "why"), [("", "list.txt'$"), ("foo bar\n", "white space"), ("ftp://a.example/", "ftp")]
)
def test_a_list_without_a_feed_is_refused(tmp_path, monkeypatch, text, why):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises(ArgumentError, match=why):
        FeedsArguments.read("list.txt")


def test_a_list_that_is_missing_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=r"nolist\.txt"):
        FeedsArguments.read("nolist.txt")
