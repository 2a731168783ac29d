"""``make deploy`` to a real scrapyd: what runs afterwards, and what is said when it went wrong.

This scrapyd keeps items, and has no folders for jobs: a crawl's state is where its own setting says.
"""

import json
import time
import zipfile

import pytest
from demo_web import DemoWeb
from harness import ROOT
from scrapyd_daemon import Checkout, Daemon

pytestmark = pytest.mark.slow

VERSION = '__version__ = "0.2.0"'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    daemon = Daemon(tmp_path_factory.mktemp("daemon"), "items_dir = items", "jobs_dir =").start()
    try:
        yield daemon
    finally:
        daemon.stop()


@pytest.fixture(scope="module")
def first(daemon, tmp_path_factory):
    """What the deployment of the project as it is has said, and its version."""
    code, output = Checkout(tmp_path_factory.mktemp("first") / "checkout", daemon).make("deploy")
    assert code == 0, output
    (version,) = daemon.versions()
    return output.splitlines()[-1], version


@pytest.fixture
def checkout(first, daemon, tmp_path):
    return Checkout(tmp_path / "checkout", daemon)


@pytest.fixture
def later(daemon, first):
    """Wait until the clock shows another second than that which the newest version is named by."""
    newest = int(daemon.versions()[-1])
    while time.time() < newest + 1:
        time.sleep(0.05)


def crawl_one_page(daemon, ident):
    """A job that asks for one page and a file; answers the server's log, and the items."""
    with DemoWeb() as web:
        settings = {
            "POLITENESS_MIN_DELAY": 0.1,
            "POLITENESS_FIRST_DELAY": 0.1,
            "POLITENESS_ADDRESS_FACTOR": 0.0,
            "POLITENESS_ADDRESS_MIN_DELAY": 0.0,
            "MEDIACRAWL_CONTACT": "http://localhost/tests",
            "RESOLVER_HOSTS": json.dumps(web.hosts),
            "SCOPE_MAX_DEPTH": 0,
            "MEDIACRAWL_DIR": daemon.folder / ident,
        }
        (seed,) = [url for url in web.expected_media if url.endswith("/kitchen.mp3")]
        daemon.schedule(settings, seed=seed, jobid=ident)
        assert "Spider closed (finished)" in daemon.finish(ident)
        items = daemon.folder / "items" / "mediacrawl" / "media" / f"{ident}.jl"
        lines = items.read_text(encoding="utf-8").splitlines()
        return web.settled_log(), [json.loads(line)["content_url"] for line in lines], seed


def test_what_is_deployed_is_said_in_one_line(daemon, first):
    said, version = first
    assert said == f"mediacrawl {version} is deployed at {daemon.url}, 3 spiders"


def test_the_egg_has_all_modules_and_data_and_nothing_else(daemon, first):
    _, version = first
    with zipfile.ZipFile(daemon.folder / "eggs" / "mediacrawl" / f"{version}.egg") as egg:
        names = set(egg.namelist())
    bytecode = {name for name in names if name.endswith(".pyc")}
    assert bytecode == {f"{name}c" for name in names if name.endswith(".py")}
    names -= bytecode
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mediacrawl").rglob("*") if path.is_file()}
    files |= {f"mediacrawl/exclusions/{path.name}" for path in (ROOT / "exclusions").glob("*.txt")}
    # The extension is for one kind of machine, and cannot be loaded from a zip.
    modules_and_data = {name for name in files if "__pycache__" not in name and not name.endswith(".so")}
    assert {name for name in names if not name.startswith("EGG-INFO/")} == modules_and_data


def test_a_second_egg_is_what_runs_from_then_on(daemon, checkout, later):
    checkout.change("mediacrawl/__init__.py", VERSION, '__version__ = "0.2.0+second"')
    code, output = checkout.make("deploy")
    assert code == 0, output
    log, items, seed = crawl_one_page(daemon, "second")
    assert {entry.headers.get("user-agent") for entry in log} == {"mediacrawl/0.2.0+second (+http://localhost/tests)"}
    assert items == [seed]


def test_a_project_that_cannot_be_imported_is_told_and_taken_back(daemon, checkout, later):
    before = daemon.versions()
    checkout.change("mediacrawl/settings.py", "from importlib.util import find_spec", "import what_nobody_has")
    code, output = checkout.make("deploy")
    assert code == 2  # of make; it tells the script's own
    assert "[Makefile:" in output
    assert "Error 1" in output
    (said,) = [line for line in output.splitlines() if line.startswith("not deployed: ")]
    assert "ModuleNotFoundError: No module named 'what_nobody_has'" in said
    assert said.endswith("was deleted again")
    assert "Traceback" in output
    assert daemon.versions() == before
