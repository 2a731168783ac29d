"""Makes the modules of this folder importable by their names, and says how a failure can be repeated."""

import sys
from pathlib import Path

import pytest

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """Add the dice to what a failure shows."""
    import crash_plan

    report = yield
    if report.failed:
        again = f"MEDIACRAWL_DICE={crash_plan.DICE} MEDIACRAWL_KILLS={crash_plan.KILLS}"
        report.sections.append(("repeat it with", again))
    return report
