"""Fixtures of these tests; the helpers are next to them."""

import sys
from pathlib import Path

import pytest

from mediacrawl.politeness.robots_book import RobotsBook

sys.path.insert(0, str(Path(__file__).parent))

from robots_asking import TIMES, Store


@pytest.fixture
def store():
    return Store()


@pytest.fixture
def book(store):
    return RobotsBook("mediacrawl", TIMES, store)
