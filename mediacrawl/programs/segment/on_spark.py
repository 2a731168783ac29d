"""The same queue on a Spark cluster, for links that outgrew one machine. Needs the extra ``spark``.

::

    from mediacrawl.programs.segment.on_spark import queue

    links = spark.read.parquet("s3://bucket/links")
    seen = spark.read.parquet("s3://bucket/seen")
    queue(spark, links, seen, rules).write.parquet("s3://bucket/next")

mediacrawl must be installed where the executors run, and the files that the rules name must be there too.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mediacrawl.programs.segment.examine import ExaminedUrls, Examiner, Rules, class_of, first_score, statements

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_COLUMNS = {
    "url": "string",
    "score": "double",
    "depth": "int",
    "hops": "int",
    "kind": "string",
    "parent": "string",
    "via": "string",
    "anchor": "string",
}

_EXAMINED = "url string, site string, key bigint, kind string, reason string"


def queue(
    spark: SparkSession,
    links: DataFrame,
    seen: DataFrame | None,
    rules: Rules,
    per_site: int | None = None,
) -> DataFrame:
    """Build the next queue by the statements that ``scrapy segment`` runs.

    The views of the statements stay in the session, under the names of ``queue.sql``; ``judged`` has the reason why a
    URL is not in the queue.

    Args:
        spark: the session.
        links: one row for each link: ``url`` and, where known, ``score``, ``depth``, ``hops``, ``kind``, ``parent``,
            ``via`` and ``anchor``. Of links to one URL with the same score any may supply the last five.
        seen: ``url`` of seen URLs; None if there are none.
        rules: of scope and priority.
        per_site: most URLs of a site; None for no limit.

    Returns:
        The columns of the queue, in its order.
    """
    from pyspark.sql import functions as f  # noqa: PLC0415 - an extra

    _register(spark, rules)
    there = [f.col(name) if name in links.columns else f.lit(None) for name in _COLUMNS]
    typed = [column.cast(kind).alias(name) for column, (name, kind) in zip(there, _COLUMNS.items(), strict=True)]
    link = links.select(f.monotonically_increasing_id().alias("id"), *typed)
    link = link.withColumn("kind", f.expr("CASE WHEN kind IN ('page', 'media', 'list') THEN kind END"))
    # The numbers must not change from one step to the next.
    link.localCheckpoint().createOrReplaceTempView("link")
    keys = seen.selectExpr("examine(url).key AS key") if seen is not None else spark.createDataFrame([], "key bigint")
    keys.createOrReplaceTempView("seen_key")
    spark.createDataFrame([(rules.scope.max_depth, per_site)], "max_depth int, per_site int").createOrReplaceTempView(
        "limits"
    )
    result = links
    for name, select in statements().items():
        # The only difference in SQL.
        result = spark.sql(select.replace("row(", "struct("))
        if name == "examined":
            # It is read twice and computed once.
            result = result.persist()
        result.createOrReplaceTempView(name)
    return result.drop("best", "site_score")


def _register(spark: SparkSession, rules: Rules) -> None:
    import pandas as pd  # noqa: PLC0415 - an extra
    from pyspark.sql import functions  # noqa: PLC0415

    packed = pickle.dumps(rules)

    def examine(batches: Any) -> Any:
        for written in batches:
            columns = dict(zip(ExaminedUrls._fields, _examiner(packed)(list(written)), strict=True))
            yield pd.DataFrame(columns, dtype=object).astype({"key": "Int64"})

    def classes(batches: Any) -> Any:
        for urls in batches:
            yield urls.map(class_of)

    def firsts(kinds: Any, vias: Any, depths: Any, urls: Any) -> Any:
        rows = zip(kinds, vias, depths.fillna(0).astype(int), urls, strict=True)
        return pd.Series([first_score(rules.scores, *row) for row in rows], dtype=float)

    # Spark takes the types of a function from its annotations.
    several, one = Iterator[pd.Series], pd.Series
    examine.__annotations__ = {"batches": several, "return": Iterator[pd.DataFrame]}
    classes.__annotations__ = {"batches": several, "return": several}
    firsts.__annotations__ = {"kinds": one, "vias": one, "depths": one, "urls": one, "return": one}
    untyped: Any = functions
    pandas_udf = untyped.pandas_udf
    spark.udf.register("examine", pandas_udf(examine, _EXAMINED))
    spark.udf.register("link_class", pandas_udf(classes, "string"))
    spark.udf.register("first_score", pandas_udf(firsts, "double"))


@lru_cache(maxsize=2)
def _examiner(packed: bytes) -> Examiner:
    """Return one for each Python worker, kept from one task to the next."""
    rules: Rules = pickle.loads(packed)  # noqa: S301 - this module pickled it
    return Examiner(rules)
