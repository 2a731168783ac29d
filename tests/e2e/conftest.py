"""Fixtures of the crawls."""

import pytest
from crawling import Crawl
from demo_web import DemoWeb


@pytest.fixture
def web():
    with DemoWeb() as web:
        yield web


@pytest.fixture
def crawl(web, tmp_path):
    with Crawl(web, tmp_path) as crawl:
        yield crawl


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One whole crawl of the demo web, for all tests that only look at it."""
    with DemoWeb() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("crawl"))
        crawl.start("-o", "items.jl")
        crawl.code = crawl.wait()
        yield crawl
