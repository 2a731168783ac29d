"""Spark, and the helpers of the packages whose rows it makes."""

import os
import sys

import pytest
from harness import ROOT

sys.path += [str(ROOT / "tests" / "programs" / folder) for folder in ("rerun", "segment")]


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
