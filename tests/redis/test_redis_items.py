"""Items as lines of JSON in a Redis list: all of them, while Redis comes and goes, from any project."""

import json
import os
import time

import harness
import pytest
import redis
from crawling import Crawl
from harness import until
from judging import stat
from redis_server import RedisServer

from mediacrawl.scope import canonical

KEY = "media:items"
PIPELINES = {"mediacrawl.pipelines.MojibakePipeline": 200, "mediacrawl.pipelines.RedisItemsPipeline": 400}
SWITCHED_ON = ("-s", f"ITEM_PIPELINES={json.dumps(PIPELINES)}")

SPIDER = """
import datetime, decimal, scrapy

class Plain(scrapy.Spider):
    name = "plain"
    start_urls = ["data:,nothing"]

    def parse(self, response):
        when, price = datetime.date(2026, 1, 2), decimal.Decimal("1.5")
        yield {"title": "\\u00dcbung \\u202e", "when": when, "price": price, "raw": b"\\xff"}

def shout(item):
    return item["title"].upper()
"""


def by_url(lines):
    return {canonical(record["content_url"]): record for record in map(json.loads, lines)}


@pytest.fixture
def own(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("own"), durable=True).start()
    yield server
    server.stop()


@pytest.fixture
def lonely(web, tmp_path, own, monkeypatch):
    """A crawl whose Redis comes and goes."""
    monkeypatch.setenv("REDIS_URL", own.url)
    with Crawl(web, tmp_path) as crawl:
        yield crawl


def test_each_item_is_a_line_of_the_list_as_it_is_one_of_the_output(crawl, client, tmp_path):
    crawl.start(*SWITCHED_ON, "-o", "items.jl")
    assert crawl.wait() == 0
    listed = client.lrange(KEY, 0, -1)
    assert len(listed) == stat(crawl, "redis_items/stored") >= 30
    assert by_url(listed) == by_url((crawl.folder / "items.jl").read_bytes().splitlines())
    command = ["demojibake", f"{crawl_url(client)}?key={KEY}", "-o", "again.jl"]
    with (tmp_path / "out").open("wb") as out:
        assert harness.start("mediacrawl", command, tmp_path, dict(os.environ), out, out).wait(60) == 0
    assert by_url((tmp_path / "again.jl").read_bytes().splitlines()).keys() == by_url(listed).keys()


def crawl_url(client):
    return f"redis://127.0.0.1:{client.get_connection_kwargs()['port']}/0"


@pytest.mark.slow
def test_items_wait_for_a_redis_that_is_away(lonely, own):
    lonely.start(*SWITCHED_ON, "-o", "items.jl")
    until(lambda: redis.Redis.from_url(own.url).llen(KEY) >= 3)
    own.kill()
    until(lambda: "Items wait" in lonely.text())
    time.sleep(1.5)
    own.start()
    assert lonely.wait() == 0
    with redis.Redis.from_url(own.url) as client:
        listed = by_url(client.lrange(KEY, 0, -1))
    assert listed == by_url((lonely.folder / "items.jl").read_bytes().splitlines())
    assert len(listed) >= 30
    text = lonely.text()
    assert text.count("Items wait") == 1
    assert "Items go to media:items again" in text
    assert "Traceback" not in text


@pytest.mark.parametrize("serializer", ["", "plain.shout"])
def test_it_works_alone_in_any_project(client, tmp_path, serializer):
    (tmp_path / "plain.py").write_text(SPIDER, encoding="utf-8")
    settings = {
        "REDIS_URL": crawl_url(client),
        "REDIS_ITEMS_KEY": "found:%(spider)s",
        "REDIS_ITEMS_SERIALIZER": serializer,
        "ITEM_PIPELINES": json.dumps({"mediacrawl.pipelines.RedisItemsPipeline": 1}),
    }
    command = ["runspider", "plain.py"]
    for name, value in settings.items():
        command += ["-s", f"{name}={value}"]
    with (tmp_path / "log").open("wb") as log:
        code = harness.start("scrapy", command, tmp_path, dict(os.environ), log, log).wait(60)
    text = (tmp_path / "log").read_text()
    assert code == 0, text
    assert "Deprecat" not in text
    (line,) = client.lrange("found:plain", 0, -1)
    if serializer:
        assert line.decode() == "\u00dcBUNG \u202e"
    else:
        record = json.loads(line)
        assert record["title"] == "\u00dcbung \u202e"
        assert (record["when"], record["price"]) == ("2026-01-02", "1.5")
        assert "\u202e" not in line.decode()
        assert "\u00dcbung" in line.decode()
