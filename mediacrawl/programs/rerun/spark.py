"""The fixer over a Spark DataFrame, for a store that is too large for one machine. Needs the extra ``spark``.

::

    from mediacrawl.programs.rerun.spark import demojibake

    frame = spark.read.parquet("s3://bucket/items")
    demojibake(frame).write.parquet("s3://bucket/items-mended")

mediacrawl must be installed on the executors. Rows pass as Arrow batches; a Python worker loads the models once and
keeps them for all its tasks (``spark.python.worker.reuse``, on by default).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType

    from mediacrawl.record import Fixer

_Fields = tuple[tuple[str, str | None], ...] | None
_Models = tuple[tuple[str, bytes], ...]
"""Names and contents of model files."""


def demojibake(
    frame: DataFrame,
    fields: Sequence[str] | Mapping[str, str] | None = None,
    min_confidence: float = 0.0,
    models: Sequence[str | Path] = (),
    pairs: str | Path | None = None,
) -> DataFrame:
    """Decide the text of all rows again.

    Each row is decided alone, exactly as by ``scrapy demojibake``. A row that cannot be decided stays unchanged. A row
    of ours, with its evidence in a column ``tags`` of structs, is decided from its raw bytes. No other column changes,
    rows keep their order within a partition, and deciding the result again changes nothing.

    Args:
        frame: records of ours, or any table with texts.
        fields: names of columns with text; a mapping also names the column with the raw bytes of each, as binary or in
            base64. None selects those that hold text, nested ones too.
        min_confidence: 0 to 1; a less certain change is not made.
        models: files of the driver with models of your own languages (``scrapy trainencoding``). Their content, some 10
            to 100 KB each, is sent to the executors with the job.
        pairs: a file of the driver with pairs of stored and right texts (``pairs.jl`` of ``scrapy crawl recheck``). The
            substitutions, a few MB at most, are sent to the executors likewise; lines that are no pairs are ignored.

    Returns:
        The columns of `frame`; the structs in ``tags`` have the members of the evidence as well; and a column
        ``mojibake`` holds, as JSON text, the decisions on columns without raw bytes.

    Raises:
        ValueError: there is a column ``mojibake`` that is no text, or `min_confidence` is out of range.
        mediacrawl.encoding.ModelError: a file of `models` cannot be used.
        OSError: `pairs` cannot be read.
    """
    if not 0 <= min_confidence <= 1:
        raise ValueError(f"min_confidence must be between 0 and 1, not {min_confidence}")
    work = partial(_decided, _hashable(fields), min_confidence, _contents(models), _learned(pairs))
    return frame.mapInArrow(work, _schema(frame.schema))


def _hashable(fields: Sequence[str] | Mapping[str, str] | None) -> _Fields:
    if fields is None:
        return None
    if isinstance(fields, Mapping):
        return tuple(fields.items())
    return tuple((name, None) for name in fields)


def _contents(models: Sequence[str | Path]) -> _Models:
    """Read and checks model files here, not on an executor."""
    from mediacrawl.encoding import use_models  # noqa: PLC0415 - this module imports in a moment

    return tuple(use_models(models, check_only=True).contents.items())


def _learned(pairs: str | Path | None) -> str:
    """Return the substitutions of a file of pairs, as JSON; empty without one."""
    if pairs is None:
        return ""
    from mediacrawl.encoding import Substitutions  # noqa: PLC0415 - this module imports in a moment

    return Substitutions.of_pairs(Path(pairs)).substitutions.as_json()


@lru_cache(maxsize=1)
def _load(models: _Models) -> None:
    """Set the models of the process, which an earlier call may have set differently."""
    from mediacrawl.encoding import use_models  # noqa: PLC0415 - on the executor

    use_models(dict(models))
    _fixer.cache_clear()


@lru_cache(maxsize=8)
def _fixer(raws: tuple[tuple[str, str], ...], min_confidence: float, learned: str) -> Fixer:
    """Return one for each Python worker, kept from one task to the next."""
    from mediacrawl.encoding import Substitutions  # noqa: PLC0415
    from mediacrawl.record import Fixer  # noqa: PLC0415 - on the executor

    substitutions = Substitutions.from_json(learned) if learned else None
    return Fixer(dict(raws), min_confidence=min_confidence, substitutions=substitutions)


def _decided(
    fields: _Fields, min_confidence: float, models: _Models, learned: str, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Decide batches, on an executor."""
    from mediacrawl.programs.rerun import parquet  # noqa: PLC0415 - on the executor
    from mediacrawl.programs.rerun.text_fields import TextFields  # noqa: PLC0415

    _load(models)
    raws = {name: raw for name, raw in fields or () if raw}
    texts = TextFields(None if fields is None else dict(fields), raws)
    fixer = _fixer(tuple(raws.items()), min_confidence, learned)
    for batch in batches:
        yield parquet.decided(batch, fixer, texts)


def _schema(schema: StructType) -> StructType:
    """Return the schema of the result in Spark's types, equal to `programs.rerun.parquet.output_schema` in Arrow's."""
    from pyspark.sql.types import StringType, StructField, StructType  # noqa: PLC0415 - an extra

    columns = [
        StructField(field.name, _widened(field.dataType) if field.name == "tags" else field.dataType, field.nullable)
        for field in schema
    ]
    if "mojibake" not in schema.names:
        return StructType([*columns, StructField("mojibake", StringType())])
    if schema["mojibake"].dataType != StringType():
        raise ValueError(f"the column mojibake of this table is {schema['mojibake'].dataType}, not text")
    return StructType(columns)


def _widened(kind: DataType) -> DataType:
    from pyspark.sql.pandas.types import from_arrow_type, to_arrow_type  # noqa: PLC0415 - an extra
    from pyspark.sql.types import ArrayType, StructType  # noqa: PLC0415

    from mediacrawl.programs.rerun import parquet  # noqa: PLC0415

    if not isinstance(kind, ArrayType) or not isinstance(kind.elementType, StructType):
        return kind
    return from_arrow_type(parquet.widened(to_arrow_type(kind)))
