"""``-a revisit=``, and how a crawl that continues, or is joined by other workers, keeps it."""

import pytest

from mediacrawl.crawl.arguments import ArgumentError, Arguments
from mediacrawl.crawl.crawl_scope import CrawlScope


def revisit(folder, text=None, **more):
    told = {} if text is None else {"revisit": text}
    return Arguments.read(folder, **told, **more).borders.revisit


@pytest.mark.parametrize(
    ("text", "share"),
    [("yes", 0.3), ("1", 0.3), ("On", 0.3), ("0.1", 0.1), (" 1.0 ", 1.0), ("no", 0.0), ("0", 0.0), ("", 0.0)],
)
def test_it_is_yes_or_no_or_a_share(tmp_path, text, share):
    assert revisit(tmp_path, text, share=0.3) == share


@pytest.mark.parametrize("text", ["2", "0.0", "-0.1", "nan", "inf", "often", "20%"])
def test_anything_else_is_told_in_one_sentence(tmp_path, text):
    with pytest.raises(ArgumentError) as error:
        revisit(tmp_path, text)
    assert str(error.value) == (
        f"revisit={text} is neither yes nor no nor a share of the requests; "
        "that is above 0 and at most 1, as in revisit=0.1"
    )


def test_a_crawl_that_goes_on_without_a_word_keeps_it_until_another_is_said(tmp_path):
    Arguments.read(tmp_path, revisit="0.1").borders.save(tmp_path)
    assert revisit(tmp_path) == revisit(tmp_path, "  ") == 0.1
    assert revisit(tmp_path, "no") == 0.0
    assert revisit(tmp_path, fresh="1") == 0.0


def test_borders_of_an_earlier_version_have_none():
    record = b'{"same_site": true, "sites": ["a.example"], "include": ""}'
    assert CrawlScope.read(record) == CrawlScope(same_site=True, sites=frozenset({"a.example"}))
    assert CrawlScope.read(record[:-1] + b', "revisit": 7}').revisit == 1.0
    assert CrawlScope.read(record[:-1] + b', "revisit": "often"}') is None


def test_of_several_workers_each_that_says_it_has_its_own_and_the_last_one_said_counts_for_the_silent():
    first = CrawlScope(revisit=0.1).after(None, {"revisit"})
    silent = CrawlScope(revisit=0.9).after(first.dump())
    assert silent.revisit == 0.1
    telling = CrawlScope(revisit=0.3).after(silent.dump(), {"revisit"})
    assert telling.revisit == 0.3
    assert CrawlScope().after(telling.dump()).revisit == 0.3


def test_a_worker_that_brings_seeds_and_says_nothing_of_scope_and_whitelist_opens_neither():
    first = CrawlScope(same_site=True, sites=frozenset({"a.example"}), include="/list.txt")
    second = CrawlScope(sites=frozenset({"b.example"})).after(first.dump())
    assert second == CrawlScope(same_site=True, sites=frozenset({"a.example", "b.example"}), include="/list.txt")
    third = CrawlScope().after(second.dump(), {"scope"})
    assert (third.same_site, third.include) == (False, "/list.txt")


def test_a_worker_takes_the_whitelist_of_its_crawl_in_place_of_one_that_lay_in_its_folder(tmp_path):
    for name in ("own", "crawls"):
        (tmp_path / f"{name}.txt").write_text(f"{name}.example\n", encoding="utf-8")
    CrawlScope(include=str(tmp_path / "own.txt")).save(tmp_path)
    arguments = Arguments.read(tmp_path)
    assert arguments.include.domains == {"own.example"}
    arguments.adopt(CrawlScope(include=str(tmp_path / "crawls.txt")), None)
    assert arguments.include.domains == {"crawls.example"}
    arguments.adopt(CrawlScope(), None)
    assert arguments.include is None
