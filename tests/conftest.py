"""Fixtures and hooks for all tests."""

import gc
import multiprocessing
import os
import signal
from pathlib import Path

import harness
import pytest
from hypothesis import is_hypothesis_test, settings
from redis_server import RedisServer

# The settings read it; no test may use a server that is not its own.
os.environ.pop("REDIS_URL", None)

# A shell lets what it starts in the background ignore Ctrl-C, and so would the commands that are stopped by it here.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No example is timed: machines are noisy. Each run draws the same ones, so that none fails by the luck of the draw.
# MEDIACRAWL_EXAMPLES=1000 looks harder, and each time elsewhere.
_EXAMPLES = os.environ.get("MEDIACRAWL_EXAMPLES")


def pytest_configure(config):
    """The short form, which ``make test`` runs, tries fewer examples."""
    if config.option.markexpr == "not slow":
        os.environ[harness.SHORT] = "1"
    number = int(_EXAMPLES) if _EXAMPLES else harness.examples(30)
    settings.register_profile("ours", deadline=None, derandomize=not _EXAMPLES, max_examples=number)
    settings.load_profile("ours")


def pytest_collection_modifyitems(items):
    """Leave out what passed in the run whose output (``-rp``) ``TESTS_AFTER`` names, unless it sees more in this one.

    Hypothesis may try more examples now, and parts of the encoding detection may be there that were not.
    """
    if after := os.environ.get("TESTS_AFTER"):
        passed = set(Path(after).read_text(encoding="utf-8").splitlines())
        items[:] = [item for item in items if _sees_more(item) or f"PASSED {item.nodeid}" not in passed]
    _spread(items)


WAITING = {"e2e", "stock", "redis", "contract", "crash", "watch", "commands"}
"""Folders whose tests mostly wait for crawls."""


def _spread(items):
    """Order the files so that those whose tests wait lie among those that compute, and all cores are busy."""
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    place = {}
    for waits in (True, False):
        alike = [path for path in files if (path.parent.name in WAITING) == waits]
        # The last part is left to those that compute: a crawl that begins last would be waited for alone.
        place |= {path: number / len(alike) * (0.7 if waits else 1) for number, path in enumerate(alike)}
    items[:] = [item for path in sorted(files, key=place.__getitem__) for item in files[path]]


def pytest_collection_finish():
    """Leave the tests themselves, a million objects, out of each garbage collection while they run."""
    gc.collect()
    gc.freeze()


def _sees_more(item):
    return is_hypothesis_test(item.obj) or item.nodeid.startswith("tests/encoding/")


def pytest_unconfigure():
    """End what a failed test left running, or this process would wait for it."""
    for process in multiprocessing.active_children():
        process.kill()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    """A Redis server for all tests of this process; its URL without a database. It may hold what others left."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    yield server.start().url
    server.stop()


@pytest.fixture(scope="session")
def oldest_redis_server(tmp_path_factory):
    """As `redis_server`, of the oldest version that is promised."""
    server = RedisServer(tmp_path_factory.mktemp("redis"), age="oldest")
    yield server.start().url
    server.stop()


@pytest.fixture
def redis_age():
    """Which Redis `server` is; a module whose tests are to run on several says so."""
    return "newest"


@pytest.fixture
def server(tmp_path, redis_age):
    """A Redis server for one test, which may kill it: it keeps all that it has answered for."""
    server = RedisServer(tmp_path / "redis", durable=True, age=redis_age).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def stock(tmp_path_factory):
    """A project that ``scrapy startproject`` has just made; one a module, since each test writes its own settings."""
    from stock_project import StockProject

    return StockProject.make(tmp_path_factory.mktemp("stock"))


@pytest.fixture
def project(stock, tmp_path):
    """The same project with its settings as they came, and state in a folder of its own."""
    stock.begin(tmp_path)
    return stock


@pytest.fixture
def site():
    """A small server; what it answers is added with ``page``, ``redirect`` and ``at``."""
    from stock_project import SmallWeb

    with SmallWeb() as web:
        yield web


@pytest.fixture(scope="session")
def breton(tmp_path_factory):
    """The file of a model of Breton, a language that the program does not have."""
    from harness import ROOT

    from mediacrawl.encoding import train

    trained = train("br", [ROOT / "training" / "sentences" / "br.txt.gz"])
    path = tmp_path_factory.mktemp("models") / "br.bin"
    path.write_bytes(trained.content)
    return path


@pytest.fixture
def bundled_models():
    """The models of the program alone, before a test and after it."""
    from mediacrawl.encoding import use_models

    use_models([])
    yield
    use_models([])
