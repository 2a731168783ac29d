"""Real crawls with nugget functions: what they earn, what they open, and that each find counts once."""

import sqlite3
from contextlib import closing

import pytest
from crawling import Crawl
from harness import slow
from judging import Verdict, stat
from lists_web import ListsWeb, untagged
from sins_media import song
from sins_traps import prose

QUICK = {"POLITENESS_MIN_DELAY": 0.02, "POLITENESS_FIRST_DELAY": 0.02}
TEXT = "The nightingale sang in the garden until the morning came and the village woke. "
FUNCTIONS = """\
from pathlib import Path

from mediacrawl.base.terms import Nugget


def birds(response, item):
    if item is not None:
        return None
    name = response.url.rpartition("/")[2]
    return Nugget(name.rstrip("0123456789"), 0.5) if b"nightingale" in response.body else None


def small(status, headers, url):
    with Path("opened").open("a") as told:
        told.write(f"{status} {url}\\n")
    if "/fails" in url:
        raise KeyError(url)
    return "/large" not in url


def broken(response, item):
    return response.nothing
"""


@pytest.fixture
def web():
    with ListsWeb() as web:
        yield web


@pytest.fixture
def crawl(web, tmp_path):
    (tmp_path / "finds.py").write_text(FUNCTIONS)
    with Crawl(web, tmp_path) as crawl:
        crawl.imports.append(tmp_path)
        yield crawl


def page(web, host, path, *hrefs, text=""):
    links = "".join(f"<p><a href='{href}'>{href}</a>" for href in hrefs)
    return web.put(host, path, f"<html><title>{path}</title><body><p>{text}{links}")


def run(crawl, seed, **settings):
    crawl.run(seed=seed, **QUICK, **settings)


def earned(crawl):
    """Sites and what they earned."""
    with closing(sqlite3.connect(crawl.folder / "state" / "frontier.db")) as db:
        return dict(db.execute("SELECT name, earned FROM site WHERE earned"))


def counted(crawl, name):
    return stat(crawl, name) if f"'{name}'" in crawl.text() else 0


def test_a_recording_earns_once_at_however_many_urls_and_one_without_a_name_earns_nothing(crawl, web):
    seed = page(web, "one", "/", "a.mp3", "copy.mp3", "bare.mp3", "fake.mp3", web.url("two", "/"))
    page(web, "two", "/", "mirror.mp3")
    for host, path in (("one", "/a.mp3"), ("one", "/copy.mp3"), ("two", "/mirror.mp3")):
        web.put(host, path, song(20), "audio/mpeg")
    web.put("one", "/bare.mp3", untagged("kitchen.mp3"), "audio/mpeg")
    page(web, "one", "/fake.mp3", text=TEXT)
    run(crawl, seed)
    verdict = Verdict(crawl)
    assert len(verdict.records) == 4
    assert sum(earned(crawl).values()) == 1
    assert (counted(crawl, "nugget/new"), counted(crawl, "nugget/known")) == (1, 2)
    # A crawl that continues knows it still.
    page(web, "three", "/", "again.mp3")
    web.put("three", "/again.mp3", song(20), "audio/mpeg")
    run(crawl, web.url("three", "/"))
    assert web.url("three", "/again.mp3") in Verdict(crawl).records
    assert (counted(crawl, "nugget/new"), counted(crawl, "nugget/known")) == (0, 1)
    assert sum(earned(crawl).values()) == 1


def test_what_is_not_worth_opening_ends_before_its_body_and_what_has_no_body_to_open_is_not_asked_about(crawl, web):
    seed = page(web, "one", "/", "a.mp3", "large.mp3", "large", "fails", "gone", "away")
    for path in ("/a.mp3", "/large.mp3"):
        web.put("one", path, song(20), "audio/mpeg")
    web.put("one", "/large", "<a href='behind'>")
    page(web, "one", "/fails", "beyond")
    page(web, "one", "/beyond")
    web.put("one", "/away", "", status=302, headers=(("Location", "/beyond"),))
    run(crawl, seed, NUGGET_WORTH_OPENING="finds.small")
    verdict = Verdict(crawl)
    assert verdict.ended["not_worth_opening"] == stat(crawl, "drop/not_worth_opening") == 2
    assert set(verdict.records) == {web.url("one", "/a.mp3")}
    assert verdict.of(web.url("one", "/large")) == ("not_worth_opening", 1)
    assert web.asked("one", "/behind") == []
    assert verdict.of(web.url("one", "/beyond"))[0] == "done"
    asked = sorted((crawl.folder / "opened").read_text().splitlines())
    pages = [f"200 {web.url('one', path)}" for path in ("/", "/beyond", "/fails", "/large")]
    assert asked == sorted([*pages, *(f"206 {web.url('one', path)}" for path in ("/a.mp3", "/large.mp3"))])
    assert stat(crawl, "nugget/failed") == crawl.text().count("NUGGET_WORTH_OPENING (finds.small) failed") == 1


@pytest.mark.parametrize(
    ("setting", "why"),
    [
        ({"NUGGET_FUNCTION": "finds.nothing"}, "NUGGET_FUNCTION = 'finds.nothing' cannot be loaded"),
        ({"NUGGET_FUNCTION": "nowhere.find"}, "No module named 'nowhere'"),
        ({"NUGGET_FUNCTION": "finds.small"}, "must take 2 arguments"),
        ({"NUGGET_WORTH_OPENING": "finds.birds"}, "must take 3 arguments"),
    ],
)
def test_a_path_that_leads_to_no_such_function_is_told_before_the_crawl(crawl, web, setting, why):
    crawl.start(**setting, seed=page(web, "one", "/"))
    assert crawl.wait() == 2
    assert why in crawl.text()
    assert "Traceback" not in crawl.text()
    assert web.log == []


@pytest.mark.parametrize("function", ["mediacrawl.priority.nuggets.media", *slow("finds.birds")])
def test_workers_on_one_redis_count_a_find_once(crawl, web, tmp_path, redis_server, function):
    seeds = []
    for number in range(6):
        name = f"host{number}"
        seeds.append(page(web, name, "/", "a.mp3", f"wren{number}"))
        web.put(name, "/a.mp3", song(20), "audio/mpeg")
        page(web, name, f"/wren{number}", text=TEXT + prose(name))
    (tmp_path / "second").mkdir()
    other = Crawl(web, tmp_path / "second")
    other.imports.append(tmp_path)
    workers = [crawl, other]
    on_redis = {"SCHEDULER_STORE": f"{redis_server}/9", "REDIS_FRONTIER_KEY": tmp_path.name}
    for worker, seed in zip(workers, ["\n".join(seeds), ""], strict=True):
        worker.start(seed=seed, NUGGET_FUNCTION=function, **on_redis, **QUICK)
    assert [worker.wait() for worker in workers] == [0, 0], crawl.text()[-3000:]
    assert sum(counted(worker, "nugget/new") for worker in workers) == 1
    assert sum(counted(worker, "nugget/known") for worker in workers) == 5
