"""Arguments of spiders that are mistyped: told before anything is asked, each with the nearest name."""

from functools import partial

import pytest
from command_line import MEDIACRAWL, QUICK, crawl, crawl_command, run
from launcher import ROOT
from scrapy.utils.test import get_crawler

from mediacrawl.crawl.arguments import ArgumentError, Arguments
from mediacrawl.spiders.feeds import FeedsArguments, FeedsSpider
from mediacrawl.spiders.media import MediaSpider
from mediacrawl.spiders.recheck import RecheckSpider

TAKEN = {
    "media": ["seed", "scope", "include", "fresh", "stop_below", "revisit"],
    "feeds": ["feeds", "rounds", "fresh"],
    "recheck": ["items", "below", "fresh"],
}

SHARE = "that is above 0 and at most 1, as in revisit=0.1"


@pytest.mark.parametrize(
    ("spider", "name", "hint"),
    [
        ("media", "seeds", "did you mean seed?"),
        ("media", "scoop", "did you mean scope?"),
        ("media", "inclde", "did you mean include?"),
        ("media", "Fresh", "did you mean fresh?"),
        ("media", "url", f"it takes {', '.join(TAKEN['media'])}"),
        ("media", "\\x1b[31m", f"it takes {', '.join(TAKEN['media'])}"),
        ("feeds", "feed", "did you mean feeds?"),
        ("recheck", "item", "did you mean items?"),
    ],
)
def test_an_argument_that_no_spider_takes_is_told_with_the_nearest_and_nothing_is_asked(
    tmp_path, site, spider, name, hint
):
    site.page("/")
    (tmp_path / "list.txt").write_text(site.url("/"), encoding="utf-8")
    given = {TAKEN[spider][0]: "list.txt", name.replace("\\x1b", "\x1b"): "list.txt"}
    done = run(tmp_path, *crawl_command(given, QUICK, spider))
    assert done.sentence == f"-a {name}= is no argument of the spider {spider}; {hint}"
    assert site.paths == []
    assert not (tmp_path / ".mediacrawl").exists()


def test_all_mistakes_are_told_at_once(tmp_path):
    done = crawl(tmp_path, seeds="list.txt", scope="sites", fresh="maybe", stop_below="few", revisit="often")
    assert done.sentences == [
        "-a seeds= is no argument of the spider media; did you mean seed?",
        "scope=sites is not known; use scope=web (the default) or scope=site",
        "fresh=maybe is neither yes nor no; use fresh=1 or leave it out",
        "stop_below=few is no whole number; write it as in stop_below=1",
        f"revisit=often is neither yes nor no nor a share of the requests; {SHARE}",
    ]


def test_an_argument_that_is_given_twice_is_told(tmp_path):
    words = ["crawl", "media", "-a", "seed=http://127.0.0.1/", "-a", "seed=http://127.0.0.2/"]
    assert run(tmp_path, *MEDIACRAWL, *words).sentence == (
        "-a seed= is given more than once; several URLs go in one, separated by comma"
    )


def test_where_a_log_file_is_named_the_mistakes_stand_in_it_too(tmp_path):
    log = tmp_path / "crawl.log"
    done = crawl(tmp_path, {"LOG_FILE": log, "LOG_LEVEL": "loud"}, seed="http://127.0.0.1/", scoop="site")
    assert len(done.sentences) == 2
    assert [line.partition("CRITICAL: ")[2] for line in log.read_text(encoding="utf-8").splitlines()] == done.sentences


def test_a_fleet_tells_it_before_it_starts_its_redis_server(tmp_path):
    done = run(tmp_path, *MEDIACRAWL, "fleet", "-a", "seed=http://127.0.0.1/", "-a", "scoop=site")
    assert done.sentence == "-a scoop= is no argument of the spider media; did you mean scope?"
    assert not (tmp_path / ".mediacrawl").exists()


def test_parse_tells_it_too(tmp_path):
    words = ["parse", "http://127.0.0.1:1/", "--spider", "media", "-a", "scoop=site"]
    done = run(tmp_path, *MEDIACRAWL, *words)
    assert done.sentence == "-a scoop= is no argument of the spider media; did you mean scope?"


def test_an_argument_that_is_written_as_an_option_is_told_how_to_write(tmp_path):
    done = run(tmp_path, *MEDIACRAWL, "crawl", "media", "--seed=list.txt")
    assert done.sentence == "unknown option --seed=list.txt; an argument of a spider is written -a name=value"


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


def test_help_without_a_spider_says_how_to_see_its_arguments(tmp_path):
    done = run(tmp_path, *MEDIACRAWL, "crawl", "--help").check()
    assert done.out.endswith("With a spider, -h lists its arguments as well: feeds, media, recheck\n")


def test_a_fleet_lists_the_arguments_of_its_spider(tmp_path):
    done = run(tmp_path, *MEDIACRAWL, "fleet", "-h").check()
    assert all(f"  -a {name}=" in done.out for name in TAKEN["media"])
    assert "--workers" in done.out


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
