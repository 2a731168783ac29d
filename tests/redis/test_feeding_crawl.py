"""A crawl takes URLs that other programs put into Redis, loses none, and obeys nothing else that is there."""

import json
import pickle

import pytest
from harness import until
from judging import stat

from mediacrawl.extensions.feeding import PATIENCE
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.scope import site_of
from mediacrawl.settings import EXTENSIONS

KEY, TAKEN, REFUSED = "media:start_urls", "media:start_urls:taken", "media:start_urls:refused"


def asked(crawl):
    return {entry.url for entry in crawl.web.settled_log()}


def test_urls_join_while_the_crawl_runs_and_it_ends_when_none_is_left(crawl, client):
    crawl.start(seed=crawl.web.seeds[0])
    crawl.until(lambda log: len(log) >= 3)
    for url in crawl.web.seeds[1:]:
        client.rpush(KEY, url)
    assert crawl.wait() == 0
    assert "Spider closed (finished)" in crawl.text()
    assert stat(crawl, "start_urls/new") + stat(crawl, "start_urls/known") == len(crawl.web.seeds) - 1
    assert client.keys("*") == []
    assert stat(crawl, "media/probed") >= 30


def test_what_is_put_there_is_judged_as_a_stranger_wrote_it(crawl, client):
    seed, other = crawl.web.seeds[:2]
    assert site_of(seed) != site_of(other)
    never = "http://never.example/"
    crawl.nevercrawl.write_text("never.example\n")
    bad = {
        other.encode(): b"offsite",
        never.encode(): b"nevercrawl",
        pickle.dumps(seed): b"not_text",
        b"x" * 70_000: b"too_long",
        json.dumps({"url": seed, "method": "POST"}).encode(): b"method",
        b"{": b"bad_json",
        b"file:///etc/passwd": b"scheme",
    }
    obedient = {"url": f"{seed}fed-page", "meta": {"proxy": "http://127.0.0.1:9"}, "formdata": {"a": "b"}}
    client.rpush(KEY, *bad, json.dumps(obedient))
    crawl.start("-a", "scope=site", seed=seed)
    assert crawl.wait() == 0
    assert set(client.lrange(REFUSED, 0, -1)) == {reason + b" " + entry for entry, reason in bad.items()}
    assert client.keys("*") == [REFUSED.encode()]
    assert f"{seed}fed-page" in asked(crawl)
    assert {site_of(url) for url in asked(crawl)} == {site_of(seed)}
    for reason in bad.values():
        assert stat(crawl, f"start_urls/refused/{reason.decode()}") == 1
    text = crawl.text()
    assert "passed over: formdata, meta" in text
    assert "Traceback" not in text


FAULTY = """
from mediacrawl.extensions import feeding

class Faulty:
    def __init__(self):
        self.judge, feeding.candidate_of_entry = feeding.candidate_of_entry, self

    def __call__(self, entry, *others):
        if "faulty" in entry.url:
            raise ArithmeticError("a defect of ours")
        return self.judge(entry, *others)
"""
"""An extension by which one entry of many meets a defect. There is no known entry that does, so one has to be made."""


@pytest.mark.slow
def test_one_entry_that_cannot_be_judged_keeps_no_other_from_joining(crawl, client, tmp_path):
    home = crawl.web.seeds[0]
    good = [f"{home}fed/{number}" for number in range(20)]
    scored = [json.dumps({"url": f"{home}scored/{number}"})[:-1] for number in range(2)]
    scored = [f'{scored[0]}, "score": {"9" * 400}}}', f'{scored[1]}, "score": 1e400}}']
    faulty = [f"{home}faulty/{number}" for number in range(3)]
    nested = '{"url": "x", "a": ' + "[" * 30_000
    client.rpush(KEY, *good[:10], *scored, *faulty, nested, *good[10:])
    (tmp_path / "faulty.py").write_text(FAULTY, encoding="utf-8")
    crawl.imports.append(tmp_path)
    extensions = json.dumps({**EXTENSIONS, "faulty.Faulty": 1})
    crawl.start("-a", "scope=site", "-s", "SCOPE_MAX_DEPTH=0", "-s", f"EXTENSIONS={extensions}", seed=home)
    assert crawl.wait() == 0
    assert {*good, f"{home}scored/0", f"{home}scored/1"} <= asked(crawl)
    assert client.keys("*") == [REFUSED.encode()]
    refused = [b"fault " + url.encode() for url in faulty] + [b"bad_json " + nested.encode()]
    assert client.lrange(REFUSED, 0, -1) == refused
    assert stat(crawl, "start_urls/new") == 22
    assert stat(crawl, "start_urls/refused/fault") == 3
    text = crawl.text()
    assert "22 URLs joined, 0 were known, 3 refused (fault), 1 refused (bad_json); see media:start_urls:refused" in text
    assert text.count("An entry of start_urls was refused for a fault of ours") == 1
    assert text.count("ArithmeticError: a defect of ours") >= 1


@pytest.mark.parametrize("key", [KEY, TAKEN, REFUSED])
def test_a_key_of_another_kind_is_told_once_and_the_crawl_ends_without_it(crawl, client, key):
    client.hset(key, "precious", "x")
    crawl.start("-a", "scope=site", "-s", "SCOPE_MAX_DEPTH=0", seed=crawl.web.seeds[0])
    # As soon as it would have ended: it does not wait for a Redis that is there.
    assert crawl.wait(PATIENCE / 2) == 0
    told = [line for line in crawl.text().splitlines() if "cannot be read at" in line]
    assert len(told) == 1
    assert f"WRONGTYPE {key} is a hash and not a" in told[0]
    assert "the crawl goes on without it" in told[0]
    assert "Spider closed (finished)" in crawl.text()
    assert client.hgetall(key) == {b"precious": b"x"}


@pytest.mark.slow
def test_no_entry_is_lost_when_the_crawl_is_killed_at_any_time(crawl, client):
    home = crawl.web.seeds[0]
    urls = {f"{home}fed/{number}" for number in range(6_000)}
    client.rpush(KEY, *urls)
    for least in (5_000, 3_000, 1_000):
        crawl.start("-s", "REDIS_START_URLS_BATCH_SIZE=700", seed=home)
        # Most of the time between two looks nothing is taken; this falls into the middle of one.
        until(lambda least=least: client.llen(KEY) <= least and client.exists(TAKEN))
        crawl.kill()
    left = set(client.lrange(KEY, 0, -1)) | set(client.zrange(TAKEN, 0, -1))
    with FrontierReader(crawl.folder / "state" / "frontier.db") as reader:
        joined = {candidate.url for candidate in reader.waiting()}
    joined |= asked(crawl)
    assert left
    assert {url for url in urls if url not in joined} <= {url.decode() for url in left}


def told(crawl):
    """What its log says of entries it could not have."""
    return [line for line in crawl.text().splitlines() if "media:start_urls cannot be read" in line]
