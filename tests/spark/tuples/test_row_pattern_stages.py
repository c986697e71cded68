"""What workers do with rows of a query in SQL, and what is refused at once; no Java is needed for that."""

from __future__ import annotations

import random
from typing import Any

import pyarrow
import pytest
from pyspark.sql.types import ArrayType, BinaryType, LongType, StructField, StructType, TimestampType

from spaseq.errors import OptionError, QueryError
from spaseq.spark.tuples.key_spread import assigned
from spaseq.spark.tuples.row_pattern_batch import whole_partitions
from spaseq.spark.tuples.row_pattern_matching import RowPatternOptions
from spaseq.spark.tuples.row_pattern_reading import row_pattern_reading
from spaseq.tuples.queries import ReadingOptions
from spaseq.tuples.row_patterns.prepared import prepared_row_pattern

TEXT = "t MATCH_RECOGNIZE ({} MEASURES COUNT(*) AS n PATTERN (a+) DEFINE a AS TRUE)"
COLUMNS = StructType([StructField("k", LongType()), StructField("at", TimestampType()),
                      StructField("some", ArrayType(LongType())), StructField("raw", BinaryType())])  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_partitions_stay_whole(seed: int) -> None:
    draw = random.Random(seed)
    keys = [None, *range(draw.randrange(8))] if seed % 5 else [float("nan")]
    rows = [{"k": key, "i": number} for key in keys for number in range(draw.choice((1, 2, 9, 40)))]
    table, at, parts = pyarrow.Table.from_pylist(rows), 0, []
    while at < len(table):
        parts.append(table.slice(at, draw.choice((0, 1, 2, 7, 30))))
        at += len(parts[-1])
    most = draw.choice((1, 5, 1000))
    found = list(whole_partitions(parts, ("k",), most))
    assert repr([row for part in found for row in part.to_pylist()]) == repr(rows)
    seen = [set(map(repr, part["k"].to_pylist())) for part in found]
    assert sum(map(len, seen)) == len(keys) and all(len(part) >= most for part in found[:-1])
    assert [len(part) for part in whole_partitions(parts, (), most)] == [len(rows)]


def test_keys_go_where_the_fewest_rows_are() -> None:
    assert assigned({1: 1, 2: 5, 3: 1, 4: 1, 5: 2}, 2) == {2: 0, 5: 1, 1: 1, 3: 1, 4: 1}
    places = assigned(dict.fromkeys(range(8), 10), 2)
    assert sorted(places.values()) == [0] * 4 + [1] * 4


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"type": "k"}, "type is for CEQL: a row has no type in SQL; write DEFINE A AS k = '…'"),
        ({"relation": "k"}, "relation is for CEQL"),
        ({"stream": "k"}, "stream is for CEQL: a query in SQL is about one table"),
        ({"unit": "s"}, "unit is for CEQL: times are timestamps in SQL"),
        ({"form": "%Y"}, "time_format is for CEQL: times are timestamps in SQL; to_timestamp makes one of a text"),
        ({"totals": "double"}, "totals is for CEQL: COUNT is a BIGINT"),
        ({"whole": 1}, "whole is True or False, not 1"),
    ],
)
def test_options_of_ceql(given: dict[str, Any], message: str) -> None:
    whole = given.pop("whole", False)
    with pytest.raises(OptionError) as caught:
        RowPatternOptions(ReadingOptions(**given), 8, 2, whole).check(prepared_row_pattern(TEXT.format("")))
    assert str(caught.value).startswith(message)


def test_an_order_of_another_column_than_time() -> None:
    options = RowPatternOptions(ReadingOptions(time="at"), 8, 2)
    options.check(prepared_row_pattern(TEXT.format("ORDER BY AT, k")))
    with pytest.raises(QueryError, match="<query>:1:29: error: rows come in the order of at"):
        options.check(prepared_row_pattern(TEXT.format("ORDER BY k, at")))


@pytest.mark.parametrize(
    ("clauses", "time", "error", "message"),
    [
        ("PARTITION BY some", None, QueryError, "arrays are not compared: some is of type ARRAY"),
        ("PARTITION BY raw", None, QueryError, "the column raw is of type binary, which SQL has no values of"),
        ("PARTITION BY kk", None, QueryError, "no column kk"),
        ("", "att", OptionError, "there is no column att for the times; did you mean at?"),
    ],
)
def test_columns_that_do_not_fit(clauses: str, time: str | None, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        assert row_pattern_reading(prepared_row_pattern(TEXT.format(clauses)), COLUMNS, time).meaning
