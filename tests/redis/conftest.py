"""Crawls of the demo web with a Redis server beside."""

import pytest
import redis
from crawling import Crawl
from demo_web import DemoWeb


@pytest.fixture
def web():
    with DemoWeb() as web:
        yield web


@pytest.fixture
def crawl(web, tmp_path, redis_server, monkeypatch):
    """A crawl that knows the server from its environment."""
    monkeypatch.setenv("REDIS_URL", redis_server)
    with Crawl(web, tmp_path) as crawl:
        yield crawl


@pytest.fixture
def client(redis_server):
    """A client of the emptied server."""
    client = redis.Redis.from_url(redis_server)
    client.flushall()
    yield client
    client.close()
