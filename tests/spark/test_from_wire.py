"""Messages in a column of a data frame become events."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pyarrow
import pytest

import spaseq
from spaseq.errors import OptionError, StreamError
from spaseq.spark import from_wire, match
from spaseq.spark.packing import EVENT, INSTANT
from spaseq.spark.sources.values import graph_events, read_values, value_options
from spaseq.streams import TIME_PROPERTIES
from tests.docs.console import ROOT
from tests.spark.session import session, why_not
from tests.spark.test_reading import STOCKS, reader, rows_of as read_rows

NAMED = "<urn:e{0}> <http://www.w3.org/ns/prov#generatedAtTime> {0} . <urn:e{0}> {{ <urn:a> <urn:p> <urn:b> }}"


def rows(values: list[Any], streams: list[str | None], on_error: str = "stop", **more: Any) -> list[dict[str, Any]]:
    given = {"stream": streams, "value": pyarrow.array(values, pyarrow.binary()), **more}
    reading = partial(graph_events, value_options(None, TIME_PROPERTIES, "s", on_error))
    found = list(read_values(reading, [pyarrow.RecordBatch.from_pydict(given)]))
    assert all(batch.schema == EVENT for batch in found)
    return [row for batch in found for row in batch.to_pylist()]


def messages() -> list[bytes]:
    """Each event of the file as a message."""
    found: dict[str, list[str]] = {}
    for line in STOCKS.read_text().splitlines(keepends=True):
        subject = line.split(" ", 1)[0]
        found.setdefault(subject, []).append(line)
    return ["".join(lines).encode() for lines in found.values()]


def test_values_of_streams() -> None:
    found = rows([NAMED.format(n).encode() for n in range(4)], ["s", "s", "t", "s"])
    assert [(row["stream"], row["event"]) for row in found] == [(s, f"urn:e{n}") for n, s in enumerate("ssts")]
    assert [row["time"] for row in found] == [datetime(1970, 1, 1, 0, 0, n, tzinfo=UTC) for n in range(4)]


def test_times_of_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    times = pyarrow.array([5, 6, None, 8], pyarrow.int64()).cast(INSTANT)
    values = [b"<urn:a> <urn:p> <urn:b> .", b"<urn:a> <urn:p> <urn:b> <urn:g> .", b"<urn:a> <urn:p> <urn:b> .", None]
    found = rows(values, ["s"] * 4, "skip", time=times)
    assert [(row["time"].microsecond, row["event"]) for row in found] == [(5, None), (6, "urn:g")]
    assert "2 malformed events of <s> were skipped: mend the source; first at <value>: there is no time" in (
        capsys.readouterr().err
    )
    with pytest.raises(StreamError, match="there is no time"):
        rows(values, ["s"] * 4, time=times)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("csv", TIME_PROPERTIES, "s", "stop"), "format is nquads or"),
        ((None, TIME_PROPERTIES, "h", "stop"), "time_unit is us or ms or s"),
        ((None, TIME_PROPERTIES, "s", "go"), "on_error is stop or skip"),
        ((None, "urn:p", "s", "stop"), "time_properties is a tuple"),
    ],
)
def test_wrong_arguments(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        value_options(*arguments)


@pytest.mark.xdist_group("spark")
@pytest.mark.skipif(bool(why_not()), reason=why_not())
def test_with_spark() -> None:
    found = session().createDataFrame([("stock", bytearray(one)) for one in messages()], "topic string, value binary")
    wanted = sorted(map(str, read_rows(reader(STOCKS))))
    query = spaseq.prepare((ROOT / "examples/stocks/v_shape.spaseq").read_text())
    for column, stream in (("value", "stock"), (found["value"].cast("string"), found["topic"])):
        events = from_wire(found, column, stream)
        assert sorted(map(str, events.toArrow().to_pylist())) == wanted
    assert match(events, query).count() == sum(map(len, spaseq.run(query, {"stock": str(STOCKS)}).tables()))
