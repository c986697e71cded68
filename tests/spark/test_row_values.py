"""Values that are rows become events by a mapping, as the messages of a transport do without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.csv
import pytest

from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.graphs import Engine
from spaseq.spark import Losses, from_wire, match
from spaseq.spark.packing import EVENT
from spaseq.spark.sources.row_values import RowOptions, row_events, row_options
from spaseq.spark.sources.values import read_values
from spaseq.tuples import CsvFormat
from tests.mapped.test_doors import EXPECTED, LINES, MAPPING, QUERY, TABLE, TRADES, told
from tests.spark.session import session, why_not

DECIMAL = "<http://www.w3.org/2001/XMLSchema#decimal>"
SIMPLE = "AT ?t CONSTRUCT { <urn:x> <urn:v> ?v }"
LATER = b'{"time": "2027-01-01T00:00:00Z", "name": "NORD", "price": 1.0, "volume": 1}'
ROWS = TRADES.read_bytes().splitlines()
NAMES = CsvFormat(names=tuple(ROWS[0].decode().split(",")))


def as_arrow(rows: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, rows.schema) as writer:
        writer.write(rows)
    data: bytes = sink.getvalue().to_pybytes()
    return data


class Values:
    """What a data frame with one column of values tells before a job begins."""

    def __init__(self, values: Sequence[bytes | None], is_streaming: bool = False) -> None:
        self.isStreaming = is_streaming
        self._values = values

    def limit(self, count: int) -> Values:
        return Values(self._values[:count])

    def toArrow(self) -> pyarrow.Table:  # noqa: N802
        return pyarrow.table({"value": pyarrow.array(self._values, pyarrow.binary())})


def options(values: Sequence[bytes | None], mapping: Any, is_streaming: bool = False, **more: Any) -> RowOptions:
    given = {"kind": None, "types": None, "csv": None, "skip": False} | more
    return row_options(Values(values, is_streaming), mapping, **given)  # type: ignore[arg-type]


def events(values: Sequence[bytes | None], mapping: Any, size: int = 1000, **more: Any) -> list[dict[str, Any]]:
    """The rows of ``EVENT`` of a partition whose batches have that size; ``kafka``: it says where values were."""
    places = {"topic": ["t"], "partition": [3], "offset": [17]} if more.pop("kafka", False) else {}
    reading = partial(row_events, options(values, mapping, **more))
    batches = [
        pyarrow.RecordBatch.from_pydict(
            {
                "stream": ["stock"] * len(some),
                "value": pyarrow.array(some, pyarrow.binary()),
                **{name: one * len(some) for name, one in places.items()},
            }
        )
        for some in (values[at : at + size] for at in range(0, len(values), size))
    ]
    found = list(read_values(reading, batches))
    assert all(batch.schema == EVENT for batch in found)
    return [row for batch in found for row in batch.to_pylist()]


def objects(found: list[dict[str, Any]]) -> list[str]:
    return [row["graph"].decode().split(" ")[2] for row in found]


FORMS: dict[str, tuple[Sequence[bytes], dict[str, Any]]] = {
    "json": (LINES, {}),
    "csv": (ROWS[1:], {"csv": NAMES}),
    "arrow": ([as_arrow(TABLE.slice(at, 7)) for at in range(0, TABLE.num_rows, 7)], {"kind": "arrow"}),
}


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("form", FORMS)
def test_the_matches_of_all_other_doors(form: str, size: int) -> None:
    values, more = FORMS[form]
    engine = Engine()
    engine.register(QUERY)
    rows = pyarrow.Table.from_pylist(events(values, MAPPING, size, **more), EVENT)
    found = [one for table in engine.push_arrow(rows) for one in table]
    assert sorted(map(told, [*found, *engine.close()])) == sorted(EXPECTED)


def test_a_row_means_the_same_wherever_it_is_read() -> None:
    """Types are those of the first values, also for a task that sees none of them."""
    found = events([b'{"t": 1, "v": 1}', b'{"t": 2, "v": 1.5}'], SIMPLE, size=1)
    assert objects(found) == [f'"{number}"^^<http://www.w3.org/2001/XMLSchema#double>' for number in ("1", "1.5")]


@pytest.mark.parametrize("is_streaming", [False, True])
def test_members_of_objects_have_the_types_of_casts_and_those_that_are_declared(is_streaming: bool) -> None:
    mapping = f"""
        COLUMN "p.of.v" AS ?v COLUMN "p.n" AS ?n EACH "p.of" AS ?one
        AT ?t CONSTRUCT {{ <urn:x> <urn:v> ?w ; <urn:n> ?n }} WHERE {{ BIND({DECIMAL}(?v) AS ?w) }}
    """
    values = [b'{"t": 1, "p": {"n": 7, "of": [{"v": 1.10, "w": 0}, {"v": null}]}, "more": true}']
    found = events(values, mapping, is_streaming=is_streaming, types={"t": "int64", "p.n": "double"})
    assert set(found[0]["graph"].decode().splitlines()) == {
        '<urn:x> <urn:n> "7"^^<http://www.w3.org/2001/XMLSchema#double> .',
        f'<urn:x> <urn:v> "1.1"^^{DECIMAL} .',
    }


def test_values_of_csv_have_the_types_of_casts() -> None:
    string = "<http://www.w3.org/2001/XMLSchema#string>"
    mapping = f"AT ?t CONSTRUCT {{ <urn:x> <urn:v> ?w }} WHERE {{ BIND({string}(?v) AS ?w) }}"
    form = CsvFormat(";", names=("t", "v"), nulls=("-",))
    found = events([b"1;007\n2;-\n", b"3;8", None], mapping, csv=form, types={"t": "int64"}, skip=True)
    assert objects(found) == ['"007"', '"8"']


@pytest.mark.parametrize(
    ("value", "kafka", "message"),
    [
        (b'{"t": 1, "v": }', False, r"<rows>, row 2:1:15: error: this is no JSON"),
        (b'{"t": 1, "v": {}}', False, r"<rows>, row 2: error: the message has no such rows: .*changed from number"),
        (b'{"t": null, "v": 1}', False, r"<rows>, row 2: error: the row is no event: \?t is unbound"),
        (b'{"t": 1}', True, r"t\[3\]@17: error: the row is no event: none of its triples is whole"),
    ],
)
def test_malformed_values(value: bytes, kafka: bool, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    values = [b'{"t": 1, "v": 5}', b'{"t": 2, "v": 6}', value, b'{"t": 3, "v": 7}']
    with pytest.raises(StreamError, match=message):
        events(values, SIMPLE, kafka=kafka)
    assert len(events(values, SIMPLE, skip=True)) == 3
    assert (
        "1 malformed event of <stock> was skipped: mend the source; first at <rows>, row 2" in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"mapping": "AT ?tt CONSTRUCT { <urn:x> <urn:v> ?v }"}, QueryError, r"column tt\n(.*\n)*hint: did you mean"),
        ({"types": {"w": "double"}, "csv": CsvFormat(names=("t", "v"))}, OptionError, "no column w to declare"),
        ({"kind": "turtle"}, OptionError, "the format of rows is json or csv or arrow, not 'turtle'"),
        ({"kind": "csv"}, OptionError, "values in CSV have no header"),
        ({"csv": CsvFormat(names=("t", "w"))}, QueryError, "the table has no column v"),
        ({"is_streaming": True, "types": {"t": "int64"}}, OptionError, 'the column v: types={"v": "double"}'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_before_a_job_begins(more: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        options([b'{"t": 1, "v": 1}'], more.pop("mapping", SIMPLE), **more)


def test_where_no_value_is_a_row() -> None:
    assert events([], SIMPLE) == events([b"", None], SIMPLE) == []
    assert events([b"{"] * 9, SIMPLE, skip=True) == []
    with pytest.raises(StreamError, match="<rows>, row 0:1: error: an object has a line of its own"):
        events([b"{"] * 1000, SIMPLE)
    with pytest.raises(OptionError, match="none of the first 1,000 values is a row that tells types"):
        events([b"{"] * 1000, SIMPLE, skip=True)


@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_with_spark() -> None:
    spark = session()
    values = [("stock", 0, number, bytearray(line)) for number, line in enumerate([*LINES, b'{"time": '])]
    rows = spark.createDataFrame(values, "topic string, partition int, offset bigint, value binary")
    losses = Losses(spark)
    found = from_wire(rows, "value", rows["topic"], mapping=MAPPING, on_error="skip", losses=losses)
    assert match(found, QUERY).count() == len(EXPECTED) and losses.counts["skipped"] == 1
    with pytest.raises(OptionError, match="are about graphs: AT in the mapping"):
        from_wire(rows, "value", "stock", "offset", mapping=MAPPING)
    with pytest.raises(OptionError, match="types and csv are about rows of tables"):
        from_wire(rows, "value", "stock", types={"price": "double"})
    stream = spark.readStream.format("rate").load().selectExpr("CAST(value AS STRING) AS value")
    with pytest.raises(OptionError, match="a stream has no first values to tell the type of the column"):
        from_wire(stream, "value", "stock", mapping=MAPPING)


@pytest.mark.deep
@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_a_streaming_job(tmp_path: Path) -> None:
    """Its types are declared; what ends last is told by a later event."""
    spark, types = session(), {"time": "timestamp", "name": "string", "price": "double", "volume": "int64"}
    (tmp_path / "in").mkdir()
    values = spark.readStream.text(str(tmp_path / "in"))
    found = match(from_wire(values, "value", "stock", mapping=MAPPING, types=types), QUERY)
    writing = found.writeStream.format("parquet").option("path", str(tmp_path / "out"))
    writing = writing.option("checkpointLocation", str(tmp_path / "state")).trigger(availableNow=True)
    for number, lines in enumerate((LINES[:20], LINES[20:], [LATER])):
        (tmp_path / "in" / f"{number}.txt").write_bytes(b"\n".join(lines))
        writing.start().awaitTermination()
    assert spark.read.parquet(str(tmp_path / "out")).count() == len(EXPECTED)
