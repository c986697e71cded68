"""CEQL on Spark: one batch job and one streaming job with many queries give what they give in process."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

from spaseq.spark import finish_tuples, match_tuples
from spaseq.tuples.prepared import prepare
from tests.cli.conftest import ROOT
from tests.oracle.ceql.generate import Size, random_pair
from tests.spark.session import session, why_not
from tests.spark.tuples.jobs import ROWS, Found, counted, in_process, query_of, table_of
from tests.tuples.aggregated import pair_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]
EXAMPLES = sorted((ROOT / "examples" / "tuples").glob("*.ceql"))
DELAY = 2_000_000  # µs by which rows may be disordered
JSON = {"ignoreNullFields": "false", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}
DDL = "price double, volume double, name string, clock double, value double, type string, time bigint, id bigint"


def trades() -> pyarrow.Table:
    """The trades of the examples, in the columns of random pairs."""
    found = pyarrow.csv.read_csv(EXAMPLES[0].parent / "trades.csv").to_pylist()
    rows = [row | {"id": number, "time": int(row["time"].timestamp() * 1_000_000)} for number, row in enumerate(found)]
    return pyarrow.Table.from_pylist(rows, ROWS)


def random_texts(count: int, windows: tuple[str, ...]) -> list[str]:
    """Random queries with such windows."""
    drawn = (pair for seed in range(10_000) for pair in (random_pair(seed, Size(operators=3)), pair_of(seed)))
    timed = (query_of(pair) for pair in drawn if any(window in query_of(pair) for window in windows))
    return [text for _, text in zip(range(count), timed, strict=False)]


def spread(table: pyarrow.Table) -> pyarrow.Table:
    """The rows with times of their own: Spark has no order of rows that come at one time."""
    times = [row["time"] + number for number, row in enumerate(table.to_pylist())]
    return table.set_column(table.schema.get_field_index("time"), "time", pyarrow.array(times))


def rows() -> pyarrow.Table:
    """Many rows for random queries."""
    return spread(pyarrow.concat_tables([shifted(table_of(random_pair(seed)), seed) for seed in range(12)]))


def shifted(table: pyarrow.Table, number: int) -> pyarrow.Table:
    """The rows some time later."""
    moved = [
        row | {"time": row["time"] + 10_000_000 * number, "id": row["id"] + 100 * number} for row in table.to_pylist()
    ]
    return pyarrow.Table.from_pylist(moved, ROWS)


def as_json(frames: Iterable[tuple[str, DataFrame]]) -> DataFrame:
    """The results of many queries, each row with the name of its query."""
    from pyspark.sql import functions

    some = [
        frame.select(
            functions.lit(name).alias("query"),
            functions.to_json(functions.struct("*"), JSON).alias("row"),
        )
        for name, frame in frames
    ]
    return reduce(lambda one, other: one.union(other), some)


def by_query(found: Iterable[Any], texts: dict[str, str]) -> dict[str, Found]:
    by_name: dict[str, list[dict[str, Any]]] = {name: [] for name in texts}
    for row in found:
        by_name[row["query"]].append(timed(json.loads(row["row"])))
    return {name: counted(some, prepare(texts[name])) for name, some in by_name.items()}


def timed(row: dict[str, Any]) -> dict[str, Any]:
    """The times of a result are read; they come first."""
    own = [name for name in row if name.rstrip("_") in ("first", "last")][: 1 if next(iter(row))[:4] == "last" else 2]
    return row | {name: datetime.fromisoformat(row[name]).astimezone(UTC) for name in own}


def wanted(texts: dict[str, str], table: pyarrow.Table) -> dict[str, Found]:
    return {name: in_process(text, table) for name, text in texts.items()}


def test_a_batch_job() -> None:
    texts = {f"random {n}": text for n, text in enumerate(random_texts(6, ("WITHIN", "SELECT")))}
    table = rows()
    df = session().createDataFrame(table).repartition(3)
    found = as_json((name, match_tuples(df, text, time="time", buckets=3)) for name, text in texts.items())
    assert by_query(found.collect(), texts) == wanted(texts, table)


def test_the_examples_in_a_batch_job() -> None:
    texts = {path.stem: path.read_text() for path in EXAMPLES}
    table = spread(trades())
    df = session().createDataFrame(table).repartition(3)
    found = as_json((name, match_tuples(df, text, time="time")) for name, text in texts.items())
    assert by_query(found.collect(), texts) == wanted(texts, table)


def written(table: pyarrow.Table, folder: Path, files: int) -> None:
    """Rows as so many files, one for each microbatch, out of order by less than the delay."""
    chance, times = random.Random(3), table["time"].to_pylist()
    delays = [time + chance.randrange(DELAY) for time in times]
    coming, size = table.take(sorted(range(len(table)), key=delays.__getitem__)), -(-len(table) // files)
    folder.mkdir()
    for number in range(files):
        path = folder / f"{number:03}.parquet"
        pyarrow.parquet.write_table(coming.slice(number * size, size), path)
        os.utime(path, (number, number))  # Spark reads the oldest first


def drained(found: DataFrame, folder: Path) -> tuple[list[Any], Counter[str]]:
    """All that a streaming data frame gives until its input ends, and the sums of what its progress told."""
    writing = found.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    query = writing.option("path", str(folder / "out")).trigger(availableNow=True).start()
    query.awaitTermination()
    told: Counter[str] = Counter()
    for progress in query.recentProgress:
        for metrics in progress.observedMetrics.values():
            told.update({name: value or 0 for name, value in metrics.asDict().items()})
        told["input"] += progress.numInputRows
    return session().read.parquet(str(folder / "out")).toArrow().to_pylist(), told


def test_a_streaming_job(tmp_path: Path) -> None:
    texts = {f"random {n}": text for n, text in enumerate(random_texts(3, (" SECONDS",)))}
    table = rows()
    written(table, tmp_path / "in", 5)
    stream = session().readStream.schema(DDL).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    found = as_json(
        (name, match_tuples(stream, text, time="time", lateness=DELAY, buckets=3, name=name))
        for name, text in texts.items()
    )
    given, told = drained(found, tmp_path)
    checkpoint = str(tmp_path / "checkpoint")
    left = as_json(
        (name, finish_tuples(session(), checkpoint, stream.schema, text, time="time", buckets=3))
        for name, text in texts.items()
    )
    assert by_query([*given, *(row.asDict() for row in left.collect())], texts) == wanted(texts, table)
    assert told["late"] == 0 and told["matches"] == len(given) > 0
