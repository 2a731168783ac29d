"""Fails if a test of the project passed in none of the runs whose records are named, or cannot be collected.

The records are those of ``pytest --record`` (tests/second_run.py).
"""

import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest


class Collection:
    """Takes down what pytest finds."""

    def __init__(self) -> None:
        self.tests: set[str] = set()
        self.skipped: set[str] = set()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take the tests."""
        self.tests = {item.nodeid for item in session.items}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Take a module that skips itself."""
        if report.skipped:
            self.skipped.add(report.nodeid)


def main(records: list[str]) -> int:
    """Compare the records with what there is; answers the exit code."""
    passed = {json.loads(line) for name in records for line in Path(name).read_text(encoding="utf-8").splitlines()}
    found = Collection()
    with redirect_stdout(StringIO()) as said:
        code = pytest.main(["--collect-only", "--quiet"], [found])
    if code:
        print(said.getvalue())
    missing = sorted(found.skipped | found.tests - passed)
    print(f"{len(found.tests)} tests, of which {len(missing)} did not run", *missing[:100], sep="\n  ")
    return 1 if missing or code or not found.tests else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
