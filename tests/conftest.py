"""What tests of several rooms need."""

import itertools
import os
import sys
from pathlib import Path

import launcher
import pytest
from hypothesis import settings

# No example is timed: machines are noisy. MEDIACRAWL_EXAMPLES=1000 looks harder.
settings.register_profile("ours", deadline=None, max_examples=int(os.environ.get("MEDIACRAWL_EXAMPLES", "30")))
settings.load_profile("ours")

ROOT = Path(__file__).resolve().parents[1]
_WAITING = ("e2e", "crash", "doors")
"""Folders whose tests crawl, and mostly wait; the slowest first."""
_COMPUTING = ("frontier", "segment", "rerun", "encoding")
"""Folders whose tests keep a processor busy."""


def pytest_collection_modifyitems(items):
    """The slow files first, or the last worker is waited for, and a busy one between two that wait."""
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    waiting, computing = (
        [path for name in names for path in files if path.parent.name == name] for names in (_WAITING, _COMPUTING)
    )
    order = [path for pair in itertools.zip_longest(waiting, computing) for path in pair if path]
    items[:] = [item for path in dict.fromkeys([*order, *files]) for item in files[path]]


def pytest_unconfigure():
    """The process from which the tests started commands ends with them."""
    launcher.stop()


@pytest.fixture(scope="module")
def spark():
    """Spark in this process, with two workers."""
    sql = pytest.importorskip("pyspark.sql")
    changes = pytest.MonkeyPatch()
    changes.setenv("PYSPARK_PYTHON", sys.executable)
    changes.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    # Where the package is not installed, as in an environment of its own for Spark.
    changes.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]))
    settings = {
        "spark.ui.enabled": "false",
        # For runs of seconds the better compiler costs more than it saves.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
        "spark.sql.files.maxPartitionBytes": "32k",
    }
    session = sql.SparkSession.builder.master("local[2]").appName("mediacrawl").config(map=settings).getOrCreate()
    try:
        yield session
    finally:
        session.stop()
        changes.undo()
