"""The fixer and the segmenter on Spark: the same rows as their commands, row by row. In one file, for one Spark."""

import base64
import json
import os
import shutil
from importlib.util import find_spec

import pytest
import segment_run
from misreading import stripped
from stored_items import ALBUMS, ROOT, go, our_record, stored

from mediacrawl.encoding import train, use_models
from mediacrawl.programs.segment import Rules
from mediacrawl.scope import ScopeRules

HOW = "pip install -e '.[spark]'"
pa = pytest.importorskip("pyarrow", reason=HOW)
pq = pytest.importorskip("pyarrow.parquet", reason=HOW)
sql = pytest.importorskip("pyspark.sql", reason=HOW)
pytestmark = [
    # Not imported: that takes a second in each process that runs tests, of which one runs these.
    pytest.mark.skipif(find_spec("pandas") is None, reason=HOW),
    pytest.mark.skipif(
        not (shutil.which("java") or os.environ.get("JAVA_HOME")),
        reason="Spark needs Java: apt-get install default-jre-headless",
    ),
]


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    """A data set of three files of our records, with ``tags`` as structs, undecided."""
    folder = tmp_path_factory.mktemp("ours")
    table = pq.read_table(stored(folder / "all.parquet", *map(our_record, range(300))))
    (folder / "set").mkdir()
    for place in range(3):
        pq.write_table(table.slice(place * 100, 100), folder / "set" / f"part-{place}.parquet")
    return folder / "set"


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    """A table of another project: text, its bytes, and columns that are none of our business."""
    path = tmp_path_factory.mktemp("flat") / "flat.parquet"
    raws = [f"{title} {number}".encode(encoding) for number in range(40) for encoding, _, title, _ in ALBUMS]
    table = pa.table({
        "number": pa.array(range(len(raws)), pa.int32()),
        "title": [raw.decode("latin-1") for raw in raws],
        "title_raw": pa.array(raws, pa.binary()),
        "artist": [None if number % 7 else "Größe und Ähnlichkeit" for number in range(len(raws))],
        "when": pa.array([number * 10**6 for number in range(len(raws))], pa.timestamp("us", "UTC")),
        "price": pa.array(["1.50"] * len(raws)).cast(pa.decimal128(9, 2)),
        "words": pa.array([["a", "b"]] * len(raws), pa.list_(pa.string())),
    })  # fmt: skip
    pq.write_table(table, path)
    return path


def by(rows, name):
    return sorted(rows, key=lambda row: row[name])


def rows_of(frame):
    return frame.toArrow().to_pylist()


def test_records_of_ours_become_what_the_command_makes_of_them(spark, ours, tmp_path):
    from mediacrawl.programs.rerun.spark import demojibake

    frame = demojibake(spark.read.parquet(str(ours)))
    assert frame.rdd.getNumPartitions() > 1
    go(ours, tmp_path / "command.parquet")
    found, expected = rows_of(frame), pq.read_table(tmp_path / "command.parquet").to_pylist()
    assert by(found, "content_url") == by(expected, "content_url")
    titles = {row["content_url"]: row["title"] for row in found}
    for number in range(300):
        assert titles[our_record(number)["content_url"]] == f"{ALBUMS[number % len(ALBUMS)][2]} {number}"


def test_what_spark_writes_and_decides_again_is_the_same(spark, ours, tmp_path):
    from mediacrawl.programs.rerun.spark import demojibake

    demojibake(spark.read.parquet(str(ours))).write.parquet(str(tmp_path / "mended"))
    mended = spark.read.parquet(str(tmp_path / "mended"))
    again = demojibake(mended)
    assert again.schema == mended.schema
    assert by(rows_of(again), "content_url") == by(rows_of(mended), "content_url")
    assert go(tmp_path / "mended", tmp_path / "command.parquet").tally.changed == 0
    command = pq.read_table(tmp_path / "command.parquet").to_pylist()
    assert by(command, "content_url") == by(rows_of(mended), "content_url")


@pytest.mark.parametrize("min_confidence", [0.0, 1.0])
def test_a_table_of_another_project_keeps_its_columns(spark, flat, tmp_path, min_confidence):
    from mediacrawl.programs.rerun.spark import demojibake

    fields = {"title": "title_raw", "artist": ""}
    before = spark.read.parquet(str(flat))
    frame = demojibake(before, fields, min_confidence)
    raws = tuple(fields.items())
    go(flat, tmp_path / "command.parquet", raws=raws, min_confidence=min_confidence)
    found, expected = rows_of(frame), pq.read_table(tmp_path / "command.parquet").to_pylist()
    assert frame.schema.fields[:-1] == before.schema.fields
    assert by(found, "number") == by(expected, "number")
    untouched = ("number", "title_raw", "when", "price", "words")
    for row, was in zip(by(found, "number"), by(rows_of(before), "number"), strict=True):
        assert {name: row[name] for name in untouched} == {name: was[name] for name in untouched}
    if not min_confidence:
        assert all(row["title_raw"].decode(ALBUMS[row["number"] % len(ALBUMS)][0]) == row["title"] for row in found)


def test_raw_bytes_may_come_as_base64(spark):
    from mediacrawl.programs.rerun.spark import demojibake

    raw = "Группа крови на рукаве".encode("cp1251")
    frame = spark.createDataFrame([(raw.decode("latin-1"), base64.b64encode(raw).decode())], ["name", "bytes"])
    ((name, _, evidence),) = demojibake(frame, {"name": "bytes"}).collect()
    assert name == "Группа крови на рукаве"
    assert json.loads(evidence)["name"]["encoding"] == "cp1251"


@pytest.fixture
def breton(tmp_path):
    """A model of Breton; this process has the bundled ones afterwards."""
    trained = train("br", [ROOT / "training" / "sentences" / "br.txt.gz"])
    (tmp_path / "br.bin").write_bytes(trained.content)
    yield tmp_path / "br.bin"
    use_models([])


def test_models_of_ones_own_go_to_the_executors_with_the_job(spark, breton, tmp_path):
    from mediacrawl.programs.rerun.spark import demojibake

    pq.write_table(pa.table({"title": ["Homañ vras".encode("cp850").decode("latin-1")] * 3}), tmp_path / "in.parquet")
    frame = spark.read.parquet(str(tmp_path / "in.parquet"))
    with_it, without = demojibake(frame, models=[breton]), demojibake(frame)
    go(tmp_path / "in.parquet", tmp_path / "command.parquet", models=(str(breton),))
    # No executor needs the file.
    breton.unlink()
    found = rows_of(with_it)
    assert [row["title"] for row in found] == ["Homañ vras"] * 3
    assert found == pq.read_table(tmp_path / "command.parquet").to_pylist()
    assert [row["title"] for row in rows_of(without)] != ["Homañ vras"] * 3


def test_pairs_teach_the_executors_what_they_teach_the_command(spark, tmp_path):
    from mediacrawl.programs.rerun.spark import demojibake

    right = "Океан Ельзи"
    lost = stripped(right)
    (tmp_path / "pairs.jl").write_text(json.dumps({"before": lost, "after": right, "encoding": "utf-8"}) + "\n")
    frame = spark.createDataFrame([(lost,)], "artist string")
    once = demojibake(frame, pairs=tmp_path / "pairs.jl")
    assert [row["artist"] for row in rows_of(once)] != [right]
    with (tmp_path / "pairs.jl").open("a") as file:
        file.write(json.dumps({"before": lost, "after": right}) + "\n")
    twice = demojibake(frame, pairs=tmp_path / "pairs.jl")
    assert [row["artist"] for row in rows_of(twice)] == [right]


def test_a_wrong_call_says_so(spark):
    from mediacrawl.encoding import ModelError
    from mediacrawl.programs.rerun.spark import demojibake

    with pytest.raises(ValueError, match="mojibake"):
        demojibake(spark.createDataFrame([(1,)], ["mojibake"]))
    with pytest.raises(ValueError, match="min_confidence"):
        demojibake(spark.createDataFrame([("x",)], ["title"]), min_confidence=90)
    with pytest.raises(ModelError, match=r"none\.bin"):
        demojibake(spark.createDataFrame([("x",)], ["title"]), models=["none.bin"])


# -- the segmenter -------------------------------------------------------------------------------------------------


def test_the_next_queue_is_the_one_that_the_command_makes(spark, tmp_path):
    from mediacrawl.programs.segment.on_spark import queue

    pytest.importorskip("duckdb", reason="pip install -e '.[segment]'")
    (tmp_path / "extensions.txt").write_text("zip\n")
    rules = Rules(segment_run.DAY, ScopeRules(max_depth=20, extensions=tmp_path / "extensions.txt"))
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
    source = segment_run.write_lines(tmp_path / "links.jl", links)
    seen = segment_run.write_lines(tmp_path / "seen.jl", [{"url": link["url"]} for link in links[:50]])
    segment_run.go(source, tmp_path / "next.jl", rules=rules, seen=[seen], per_site=3)
    frames = [spark.read.json(str(path)) for path in (source, seen)]
    found = [row.asDict() for row in queue(spark, *frames, rules, per_site=3).collect()]
    expected = segment_run.rows_of(tmp_path / "next.jl")
    assert len(expected) > 50
    # Which of several equally good links gives the words is open on a cluster.
    words = ("parent", "anchor", "hops", "via")
    assert [{k: v for k, v in row.items() if k not in words} for row in found] == [
        {k: v for k, v in row.items() if k not in words} for row in expected
    ]
