"""Searches that read the match: what is remembered of dead ends keeps them from taking every way."""

from __future__ import annotations

import pyarrow
import pytest

from spaseq import tuples
from spaseq.errors import QueryError
from spaseq.tuples.row_patterns.recognition import StuckError
from tests.sql.compared import found

HEAD = "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY i MEASURES COUNT(*) AS n"
VALUES = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]


def rows(count: int) -> pyarrow.Table:
    """Numbers that repeat."""
    values = [VALUES[number % len(VALUES)] for number in range(count)]
    return pyarrow.table({"i": list(range(count)), "v": values, "name": [f"n{value}" for value in values]})


@pytest.mark.parametrize(
    "conditions",
    [
        "A AS v >= FIRST(A.v) - 9, B AS v > LAST(A.v) - 9, X AS v > LAST(A.v) + 99",
        "A AS v > LAST(B.v, 1) - 9 OR LAST(B.v, 1) IS NULL, B AS TRUE, X AS v > LAST(B.v) + 99",
    ],
)
def test_every_way_of_two_variables_is_not_taken(conditions: str) -> None:
    assert found(f"{HEAD} PATTERN ((A | B)* X) DEFINE {conditions})", rows(60)).num_rows == 0


def test_functions_of_one_row_stand_in_conditions_that_read_the_match() -> None:
    asked = "A AS TRUE, B AS UPPER(name) = UPPER(LAST(A.name)) AND LENGTH(name) = COUNT(*) - 1"
    assert found(f"{HEAD} PATTERN (A+ B) DEFINE {asked})", rows(30)).num_rows == 0
    asked = "A AS TRUE, B AS UPPER(name) <> UPPER(LAST(A.name)) AND LENGTH(name) = COUNT(*) - 1"
    assert found(f"{HEAD} PATTERN (A+ B) DEFINE {asked})", rows(30)).column("n").to_pylist() == [3] * 10


def test_functions_of_several_rows_are_refused_there() -> None:
    told = r"<query>:\d+:\d+: error: LIKE is not supported here, in a condition that reads the match\n.*\n +\^+\nhint"
    with pytest.raises(QueryError, match=told):
        tuples.match(f"{HEAD} PATTERN (A+ B) DEFINE B AS name || FIRST(A.name) LIKE 'n%')", rows(3))


def test_a_number_that_is_too_large_is_an_error() -> None:
    with pytest.raises(StuckError, match="beyond 64 bits"):
        found(f"{HEAD} PATTERN (A+ B) DEFINE B AS COUNT(*) * 9223372036854775807 > v)", rows(9))
    with pytest.raises(StuckError, match="division by zero"):
        found(f"{HEAD} PATTERN (A+ B) DEFINE B AS v / (COUNT(*) - COUNT(*)) > 0)", rows(9))
