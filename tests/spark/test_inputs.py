"""What is wrong with what a job is given is said at once, in one line of ours; no Java is needed for that."""

from __future__ import annotations

from typing import Any

import pandas
import pytest
from pyspark.sql import types

from spaseq.errors import OptionError
from spaseq.spark import Losses, from_wire, match, match_tuples
from spaseq.spark.data_frames import check_losses
from spaseq.spark.matching import event_columns

QUERY = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:p> ?b } }"
TEXT = types.StringType()
FITS: dict[str, types.DataType] = {"stream": TEXT, "time": types.TimestampType(), "event": TEXT, "graph": TEXT}


def schema(**others: types.DataType | None) -> types.StructType:
    found = (FITS | others).items()
    return types.StructType([types.StructField(name, type_) for name, type_ in found if type_ is not None])


@pytest.mark.parametrize(
    "others", [{}, {"time": types.LongType()}, {"event": types.NullType(), "graph": types.BinaryType()}]
)
def test_columns_that_fit(others: dict[str, types.DataType]) -> None:
    assert event_columns(schema(**others, more=types.DoubleType())) == list(FITS)
    assert event_columns(schema(**{**others, "event": None})) == ["stream", "time", "graph"]


@pytest.mark.parametrize(
    ("others", "message"),
    [
        (
            {"time": TEXT},
            "the column time is of type timestamp or bigint, not string; to_timestamp makes one of a text",
        ),
        ({"time": types.DateType()}, "not date"),
        ({"graph": types.IntegerType()}, "the column graph is of type string or binary, not int"),
        ({"stream": types.ArrayType(TEXT)}, "the column stream is of type string, not array<string>"),
        ({"event": types.LongType()}, "the column event is of type string, not bigint"),
        ({"graph": None}, "a stream of events has the columns stream, time, event, graph; graph is missing"),
    ],
)
def test_columns_that_do_not(others: dict[str, types.DataType | None], message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        event_columns(schema(**others))
    assert "\n" not in str(caught.value)


def test_a_column_that_is_there_twice() -> None:
    with pytest.raises(OptionError, match="there are 2 columns time"):
        event_columns(types.StructType([*schema().fields, schema()["time"]]))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "not None$"),
        (pandas.DataFrame({"time": [1]}), "not pandas.DataFrame: spark.createDataFrame makes one"),
        ("rows.csv", "not str"),
        ([None], "not None"),
        ([], "there is no data frame|not list"),
    ],
)
def test_what_is_no_data_frame_of_spark(given: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        match(given, QUERY)
    with pytest.raises(OptionError, match="rows are a data frame of Spark"):
        match_tuples(given, "SELECT * FROM S WHERE A", time="at")
    with pytest.raises(OptionError, match="rows are a data frame of Spark"):
        from_wire(given, "value", "s", time=None)


def test_losses_are_of_bounded_jobs() -> None:
    with pytest.raises(OptionError, match=r"losses is a spaseq\.spark\.Losses, not 3"):
        check_losses(3, False)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="the progress of a streaming query has the same"):
        check_losses(Losses.__new__(Losses), True)
    check_losses(None, True)
