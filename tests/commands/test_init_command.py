"""A newcomer's way: a project, a crawl of a seed, the report."""

import itertools
import json

import pytest
from command_line import MEDIACRAWL, QUICK, SCRAPY, run
from demo_web import DemoWeb
from harness import switches

from mediacrawl.programs.demo.answers import Resource
from mediacrawl.programs.demo.library import media_bytes


def test_a_new_project_crawls_its_seeds_and_reports(tmp_path):
    project = tmp_path / "mine"
    with DemoWeb() as web:
        seed = next(iter(web.seeds))
        words = ["init", "mine", "--contact", "https://crawl.radio.museum/bot", "--seed", seed]
        ended = run(tmp_path, *MEDIACRAWL, *words).check()
        assert "scrapy crawl media -a seed=seeds.txt" in ended.out
        assert sorted(path.name for path in project.iterdir()) == [
            "NeverCrawl.txt",
            "scrapy.cfg",
            "seeds.txt",
            "settings.py",
        ]
        settings = switches({**QUICK, "RESOLVER_HOSTS": web.hosts})
        run(project, *SCRAPY, "crawl", "media", "-a", "seed=seeds.txt", "-a", "scope=site", *settings).check()
    told = run(project, *MEDIACRAWL, "settings", "--get", "MEDIACRAWL_CONTACT").check().out
    assert told == "https://crawl.radio.museum/bot\n"
    facts = json.loads(run(project, *SCRAPY, "report", "--json").check().out)
    assert facts["records"] > 0
    assert (project / ".mediacrawl" / "media.db").is_file()


FOLDERS = ["/archive/", "/news.html", "/about/us.html", "/shows/"]


@pytest.mark.parametrize("store", ["sqlite", "memory", "redis"])
@pytest.mark.parametrize("way", [["/"], ["/", "/radio/"]], ids=["start page", "page after it"])
def test_the_first_file_is_requested_as_soon_as_it_is_known(tmp_path, site, redis_server, store, way):
    for folder in FOLDERS:
        site.page(folder, f"{folder}more")
    for page, following in itertools.pairwise(way):
        site.page(page, following)
    site.page(way[-1], *FOLDERS, "/songs/1.mp3", "/songs/2.mp3")
    site.at("/songs/1.mp3", Resource(media_bytes("ozero.mp3"), "audio/mpeg"))
    run(tmp_path, *MEDIACRAWL, "init", "mine", "--seed", site.url("/")).check()
    # Scores are sent to Redis once a second, at the latest.
    delays = dict.fromkeys(("POLITENESS_MIN_DELAY", "POLITENESS_FIRST_DELAY"), 3.0 if store == "redis" else 0.05)
    settings = {**QUICK, **delays, "SCHEDULER_STORE": store, "FRONTIER_EXPLORE": 0, "CLOSESPIDER_ITEMCOUNT": 1}
    settings["REDIS_FRONTIER_KEY"] = f"first:{len(way)}"
    key = {"REDIS_URL": f"{redis_server}/7"} if store == "redis" else {}
    run(tmp_path / "mine", *SCRAPY, "crawl", "media", "-a", "seed=seeds.txt", *switches(settings), **key).check()
    assert site.paths[: len(way) + 1] == [*way, "/songs/1.mp3"]
