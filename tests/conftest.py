"""What tests of several rooms need."""

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
_SLOW = ("e2e", "crash", "doors")
"""Folders whose tests crawl, the slowest first."""


def pytest_collection_modifyitems(items):
    """What takes longest begins first, or the last worker is waited for (with ``--no-loadscope-reorder``)."""
    items.sort(key=lambda item: _SLOW.index(item.path.parent.name) if item.path.parent.name in _SLOW else len(_SLOW))


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
