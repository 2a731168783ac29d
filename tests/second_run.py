"""Two runs that have every test between them: the second leaves out what the first has seen as well as it could.

``--record=FILE`` writes down which tests passed. ``--after=FILE`` leaves out what passed there, but for what the second
run sees more of: tests with Hypothesis, which may have tried fewer examples, and those of `AGAIN`. The equals sign is
needed: pytest takes a file that stands alone for one of tests, and then reads no conftest.py that declares the options.
"""

import json
from pathlib import Path

from hypothesis import is_hypothesis_test

AGAIN = ("tests/encoding/",)
"""Tests that see something else where an optional part of the program is installed."""


def add_options(parser):
    """Declare the options."""
    parser.addoption("--record", metavar="FILE", help="append the ids of tests that pass to a file, one a line as JSON")
    parser.addoption("--after", metavar="FILE", help="leave out what passed in a run with --record in its only form")


def configure(config):
    """Record if that is asked; of several processes the one does that hears of all tests."""
    if config.option.record and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Recorder(Path(config.option.record)))


class _Recorder:
    def __init__(self, path):
        self._path = path

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            with self._path.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(report.nodeid) + "\n")


def recorded(path):
    """The ids in a record."""
    return set(map(json.loads, Path(path).read_text(encoding="utf-8").splitlines()))


def leave_out(config, items):
    """Take from the collected tests what need not run again."""
    if not config.option.after:
        return
    passed = recorded(config.option.after)
    left, again = [], []
    for item in items:
        (again if item.nodeid not in passed or _sees_more(item) else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = again


def _sees_more(item):
    return item.nodeid.startswith(AGAIN) or is_hypothesis_test(item.obj)
