"""The statements of the command on Spark: the same queue, row by row."""

import os
import shutil

import pytest
from segment_run import DAY, go, rows_of, write_lines

from mediacrawl.scope import ScopeRules
from mediacrawl.segment import Rules

pytest.importorskip("duckdb", reason="pip install 'mediacrawl[segment]'")
pytest.importorskip("pandas", reason="pip install 'mediacrawl[spark]'")
sql = pytest.importorskip("pyspark.sql", reason="pip install 'mediacrawl[spark]'")
pytestmark = pytest.mark.skipif(
    not (shutil.which("java") or os.environ.get("JAVA_HOME")),
    reason="Spark needs Java: apt-get install default-jre-headless",
)


def test_spark_makes_the_queue_that_the_command_makes(spark, tmp_path):
    from mediacrawl.segment.on_spark import queue

    (tmp_path / "extensions.txt").write_text("zip\n")
    rules = Rules(DAY, ScopeRules(max_depth=20, extensions=tmp_path / "extensions.txt"))
    endings = ["mp3", "html", "zip", "html#top"]
    links = [
        {
            "url": f"http://w{number % 5}.s{number % 37}.example:80/{number % 211}.{endings[number % 4]}",
            "score": None if number % 3 else number / 7, "depth": number % 30, "parent": f"http://p/{number}",
            "hops": number % 2, "via": ["a", "feed"][number // 4 % 2], "anchor": f"ä {number}", "kind": None,
        }
        for number in range(1000)
    ]  # fmt: skip
    links += [{**links[0], "url": url} for url in ("nonsense", "ftp://a.example/")]
    source = write_lines(tmp_path / "links.jl", links)
    seen = write_lines(tmp_path / "seen.jl", [{"url": link["url"]} for link in links[:50]])
    go(source, tmp_path / "next.jl", rules=rules, seen=[seen], per_site=3)
    frames = [spark.read.json(str(path)) for path in (source, seen)]
    found = [row.asDict() for row in queue(spark, *frames, rules, per_site=3).collect()]
    expected = rows_of(tmp_path / "next.jl")
    assert len(expected) > 50
    # Which of several equally good links gives the words is open on a cluster.
    words = ("parent", "anchor", "hops", "via")
    assert [{k: v for k, v in row.items() if k not in words} for row in found] == [
        {k: v for k, v in row.items() if k not in words} for row in expected
    ]
