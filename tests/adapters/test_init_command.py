"""A newcomer's way: a project, a crawl of a seed, the report."""

import itertools
import json

import pytest
from command_line import MEDIACRAWL, QUICK, SCRAPY, run
from demo_web import DemoWeb

from mediacrawl.demo import Resource, media_bytes


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
        given = {**QUICK, "RESOLVER_HOSTS": json.dumps(web.hosts)}
        settings = [word for name, value in given.items() for word in ("-s", f"{name}={value}")]
        run(project, *SCRAPY, "crawl", "media", "-a", "seed=seeds.txt", "-a", "scope=site", *settings).check()
    told = run(project, *MEDIACRAWL, "settings", "--get", "MEDIACRAWL_CONTACT").check().out
    assert told == "https://crawl.radio.museum/bot\n"
    facts = json.loads(run(project, *SCRAPY, "report", "--json").check().out)
    assert facts["records"] > 0
    assert (project / ".mediacrawl" / "media.db").is_file()


def test_a_folder_with_files_is_left_alone(tmp_path):
    (tmp_path / "settings.py").write_text("mine")
    ended = run(tmp_path, *MEDIACRAWL, "init", ".")
    assert "is no empty folder; nothing was written" in ended.sentence
    assert [path.name for path in tmp_path.iterdir()] == ["settings.py"]


def test_a_contact_that_cannot_be_used_is_refused(tmp_path):
    ended = run(tmp_path, *MEDIACRAWL, "init", "mine", "--contact", "me and you")
    assert "--contact me and you holds a blank" in ended.sentence
    assert not (tmp_path / "mine").exists()


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
    switches = {**QUICK, **delays, "SCHEDULER_STORE": store, "FRONTIER_EXPLORE": 0, "CLOSESPIDER_ITEMCOUNT": 1}
    words = [word for name, value in switches.items() for word in ("-s", f"{name}={value}")]
    key = {"REDIS_URL": f"{redis_server}/7"} if store == "redis" else {}
    words += ["-s", f"REDIS_FRONTIER_KEY=first:{len(way)}"]
    run(tmp_path / "mine", *SCRAPY, "crawl", "media", "-a", "seed=seeds.txt", *words, **key).check()
    assert site.paths[: len(way) + 1] == [*way, "/songs/1.mp3"]


def test_a_new_project_waits_the_least_that_the_rule_allows(tmp_path):
    run(tmp_path, *MEDIACRAWL, "init", "mine").check()
    delays = [
        run(tmp_path / "mine", *MEDIACRAWL, "settings", "--getfloat", f"POLITENESS_{name}_DELAY").check().out
        for name in ("FIRST", "MIN")
    ]
    assert delays == ["15.0\n", "15.0\n"]
