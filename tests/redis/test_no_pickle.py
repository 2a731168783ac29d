"""Whoever can write to Redis can make the crawl stop. He cannot run code in it: nothing is ever unpickled."""

import json
import pathlib
import pickle
import re
import time

import pytest

PIPELINES = {"mediacrawl.pipelines.MojibakePipeline": 200, "mediacrawl.pipelines.RedisItemsPipeline": 400}


class Bomb:
    """Touches a file when somebody unpickles it."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return pathlib.Path.touch, (self.path,)


def into_type(client, key, bomb):
    """Put the bomb wherever the key has something, and leave its type and its shape as they are."""
    kind = client.type(key).decode()
    if kind == "list":
        for place in range(client.llen(key)):
            client.lset(key, place, bomb)
    elif kind == "set":
        client.spop(key)
        client.sadd(key, bomb)
    elif kind == "zset":
        ((_, score),) = client.zpopmin(key)
        client.zadd(key, {bomb: score})
    elif kind == "hash":
        client.hset(key, mapping=dict.fromkeys(client.hkeys(key), bomb))
    else:
        client.set(key, bomb)


def over_all(client, key, bomb):
    """Put the bomb in place of whatever was there."""
    client.set(key, bomb)


def test_the_bomb_would_go_off(tmp_path):
    pickle.loads(pickle.dumps(Bomb(tmp_path / "boom")))
    assert (tmp_path / "boom").exists()


@pytest.mark.parametrize("plant", [into_type, over_all])
def test_no_bomb_under_any_key_goes_off(crawl, client, tmp_path, plant):
    used = ["-s", f"ITEM_PIPELINES={json.dumps(PIPELINES)}", "-s", "SCHEDULER_STORE=redis"]
    crawl.start(*used)
    crawl.until(lambda log: client.llen("media:items") >= 3)
    crawl.interrupt()
    # So that nothing is missing that a crawl may read.
    client.rpush("media:start_urls", f"{crawl.web.seeds[0]}fed")
    client.zadd("media:start_urls:taken", {f"{crawl.web.seeds[0]}taken": 1})
    client.rpush("media:start_urls:refused", "offsite https://elsewhere.example/")
    keys = client.keys("*")
    assert len(keys) > 8
    boom = tmp_path / "boom"
    for key in keys:
        plant(client, key, pickle.dumps(Bomb(boom), protocol=0 if plant is into_type else None))
    crawl.start(*used)
    run_for_a_while(crawl)
    text = crawl.text()
    assert not boom.exists()
    assert "Traceback" not in text
    assert complains(text), text[-3000:]


def complains(text):
    return re.search(r"refused \((bad_url|not_text)\)|(ERROR|CRITICAL|error:).*(WRONGTYPE|media:|redis)", text)


def run_for_a_while(crawl):
    """What stands where it does not belong may end the crawl, or let it wait for somebody to repair it."""
    begun = time.monotonic()
    while crawl.process.poll() is None and time.monotonic() < begun + (15 if complains(crawl.text()) else 60):
        time.sleep(0.1)
    if crawl.process.poll() is None:
        crawl.interrupt()
