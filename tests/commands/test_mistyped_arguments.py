"""Arguments of spiders that are mistyped: told before anything is asked, each with the nearest name."""

from functools import partial

import pytest
from command_line import MEDIACRAWL, QUICK, crawl_command, run
from harness import ROOT
from scrapy.utils.test import get_crawler

from mediacrawl.crawl.arguments import ArgumentError, Arguments
from mediacrawl.programs.recheck.spider import RecheckSpider
from mediacrawl.spiders.feeds import FeedsArguments, FeedsSpider
from mediacrawl.spiders.media import MediaSpider

TAKEN = {
    "media": ["seed", "scope", "include", "fresh", "stop_below", "revisit"],
    "feeds": ["feeds", "rounds", "fresh"],
    "recheck": ["items", "below", "fresh"],
}


@pytest.mark.parametrize("spider", [MediaSpider, FeedsSpider, RecheckSpider])
def test_a_program_that_starts_a_crawl_is_told_as_well(spider):
    with pytest.raises(ArgumentError, match=f"^-a scoop= is no argument of the spider {spider.name}"):
        spider.from_crawler(get_crawler(spider), scoop="site")


def test_spiders_of_others_keep_their_own_arguments(tmp_path, site):
    site.page("/", "/b")
    site.page("/b")
    (tmp_path / "theirs.py").write_text(
        "from scrapy import Spider\n"
        "from mediacrawl.spiders.media import MediaSpider\n"
        "class Mine(MediaSpider):\n"
        "    name = 'mine'\n"
        "    def __init__(self, arguments, crawler, station='', **kwargs):\n"
        "        super().__init__(arguments, crawler, **kwargs)\n"
        "        self.logger.info('station %s, mood %s', station, self.mood)\n"
        "class Plain(Spider):\n"
        "    name = 'plain'\n"
        "    async def start(self):\n"
        "        self.logger.info('scoop %s', self.scoop)\n"
        "        return\n"
        "        yield\n",
        encoding="utf-8",
    )
    (tmp_path / "own_settings.py").write_text(
        "from mediacrawl.settings import *\nSPIDER_MODULES = ['theirs']\n", encoding="utf-8"
    )
    own = {"PYTHONPATH": f"{ROOT}:{tmp_path}", "SCRAPY_SETTINGS_MODULE": "own_settings"}
    given = {"seed": site.url("/"), "station": "one", "mood": "good"}
    done = run(tmp_path, *crawl_command(given, QUICK, "mine"), **own).check()
    assert "station one, mood good" in done.err
    assert sorted(site.paths) == ["/", "/b"]
    # What it takes of ours is checked as ever.
    done = run(tmp_path, *crawl_command({**given, "scope": "sites"}, QUICK, "mine"), **own)
    assert "scope=sites" in done.sentence
    assert "scoop site" in run(tmp_path, *crawl_command({"scoop": "site"}, QUICK, "plain"), **own).check().err


@pytest.mark.parametrize("spider", TAKEN)
def test_help_lists_the_arguments_of_a_spider(tmp_path, spider):
    done = run(tmp_path, *MEDIACRAWL, "crawl", spider, "-h").check()
    lines = [line for line in done.out.splitlines() if line.startswith("  -a ")]
    assert [line.split("=")[0] for line in lines] == ["  -a NAME", *(f"  -a {name}" for name in TAKEN[spider])]
    assert "-s NAME=VALUE" in done.out
    assert max(map(len, done.out.splitlines())) < 80
    assert done.err == ""


DOMAINS = {
    "radio.test": "https://radio.test/",
    "radio.test/shows?page=2": "https://radio.test/shows?page=2",
    "radio.test:8080": "https://radio.test:8080/",
    "intranet.lan:8080/x": "https://intranet.lan:8080/x",
    "WWW.Radio.Example": "https://www.radio.example/",
    "müller.de": "https://xn--mller-kva.de/",
    "радио.рф": "https://xn--80aimyg.xn--p1ai/",
    "a.b.co.uk": "https://a.b.co.uk/",
    "127.0.0.1:8000": "http://127.0.0.1:8000/",
    "localhost": "http://localhost/",
    "[::1]:8080/a": "http://[::1]:8080/a",
}


@pytest.mark.parametrize("written", DOMAINS)
def test_a_domain_alone_is_a_seed_as_in_a_file(tmp_path, monkeypatch, written):
    monkeypatch.chdir(tmp_path)
    assert Arguments.read(tmp_path, seed=written).seeds == [DOMAINS[written]]
    (tmp_path / "seeds.txt").write_text(written, encoding="utf-8")
    assert Arguments.read(tmp_path, seed="seeds.txt").seeds == [DOMAINS[written]]
    assert FeedsArguments.read(feeds=written).urls == (DOMAINS[written],)


def test_a_file_goes_before_a_domain_of_its_name_and_a_folder_does_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "radio.test").mkdir()
    assert Arguments.read(tmp_path, seed="radio.test").seeds == ["https://radio.test/"]
    (tmp_path / "list.example").write_text("http://other.example/")
    assert Arguments.read(tmp_path, seed="list.example").seeds == ["http://other.example/"]


@pytest.mark.parametrize(
    ("written", "end"),
    [
        ("seeds.tx", "; did you mean seeds.txt?"),
        ("sedes.txt", "; did you mean seeds.txt?"),
        ("lists/seeds.txt", ""),
        ("intranet.lan", "; if it is a domain, write https://intranet.lan"),
        ("q.csv", ""),
    ],
)
def test_a_mistyped_list_is_told_with_what_was_meant(tmp_path, monkeypatch, written, end):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seeds.txt").write_text("http://other.example/")
    name = written.rpartition("/")[2]
    where = tmp_path / written.rpartition("/")[0]
    for read in (partial(Arguments.read, tmp_path), lambda seed: FeedsArguments.read(feeds=seed)):
        with pytest.raises(ArgumentError) as told:
            read(seed=written)
        assert str(told.value) == f"the seed list {name!r} can not be read in {where}: No such file or directory{end}"
