"""A checkpoint of the first format, kept as a fixture: ``python -m tests.spark.upgrading`` makes it again.

``checkpoint-v1`` is that of a streaming job over the first half of some quotes, ``given.json`` what it gave.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet

from spaseq.spark import match
from spaseq.spark.packing import EVENT
from tests.spark.session import stream_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FIXTURE = Path("tests/spark/checkpoint-v1")
NOWHERE = "file:/checkpoint"  # the place that the fixture says
BUCKETS, HALF, LATENESS = 2, 60, 500_000  # engines, events, µs
QUERY = """PREFIX : <urn:> SELECT ?company ?a ?name ?b WITHIN 5 SECONDS FROM STREAM stock <urn:stock>
WHERE { SEQ(A ; B)
  DEFINE GPM A ON stock { ?q :company ?company ; :price ?a . GRAPH :kb { ?company :name ?name } }
  DEFINE GPM B ON stock { ?r :company ?company ; :price ?b . FILTER(?b > ?a) } }"""
GRAPH = "<urn:q> <urn:company> <urn:c{}> .\n<urn:q> <urn:price> {} ."


def background(name: str = "name") -> dict[str, bytes]:
    """The names of the companies."""
    return {"urn:kb": "".join(f'<urn:c{n}> <urn:name> "{name} {n}" .\n' for n in range(4)).encode()}


def rows() -> pyarrow.Table:
    """Quotes of four companies."""
    found = [
        {"stream": "stock", "time": n * 100_000, "event": f"urn:e{n}", "graph": GRAPH.format(n * 7 % 4, n * 37 % 50)}
        for n in range(2 * HALF)
    ]
    return pyarrow.Table.from_pylist([row | {"graph": row["graph"].encode()} for row in found], EVENT)


def written(table: pyarrow.Table, folder: Path, first: int) -> None:
    """A table as files, each a microbatch."""
    folder.mkdir(exist_ok=True)
    for number in range(3):
        path = folder / f"{first + number}.parquet"
        size = -(-len(table) // 3)
        pyarrow.parquet.write_table(table.slice(number * size, size), path)
        os.utime(path, (first + number, first + number))


def run(folder: Path, checkpoint: Path, **more: Any) -> list[dict[str, Any]]:
    """What the job gives for the files of a folder."""
    given = {"background": background(), "lateness": LATENESS, "buckets": BUCKETS} | more
    rows: list[dict[str, Any]] = []

    def take(batch: DataFrame, number: int) -> None:
        rows.extend(batch.toArrow().to_pylist())

    found = match(stream_of(folder / "in"), given.pop("query", QUERY), **given)
    writing = found.writeStream.foreachBatch(take).option("checkpointLocation", str(checkpoint))
    writing.trigger(availableNow=True).start().awaitTermination()
    return told(rows)


def moved(checkpoint: Path, place: str, other: str) -> None:
    """Spark keeps the absolute path of the schema of a state: the checkpoint is at another place now."""
    for path in (checkpoint / "state").glob("*/_metadata/v2/*"):
        path.write_text(path.read_text().replace(place, other))


def told(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results as JSON has them, in order."""
    plain = [{"events": dict(row["events"]), "bindings": dict(row["bindings"])} for row in found]
    return sorted(plain, key=json.dumps)


def main() -> None:
    """Make the fixture."""
    shutil.rmtree(FIXTURE, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        written(rows().slice(0, HALF), Path(name) / "in", 0)
        given = run(Path(name), Path(name) / "checkpoint")
        shutil.copytree(Path(name) / "checkpoint", FIXTURE / "checkpoint", ignore=shutil.ignore_patterns("*.crc"))
        moved(FIXTURE / "checkpoint", f"file:{name}/checkpoint", NOWHERE)
    (FIXTURE / "given.json").write_text(json.dumps(given, indent=1) + "\n")


if __name__ == "__main__":
    main()
