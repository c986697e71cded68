"""The generator makes valid pairs, the same for the same seed, that cover the spec and often match."""

from __future__ import annotations

from collections import Counter

import pytest

from . import expression_text, query_text
from .expressions import LikeTest, PhysicalNavigation, SqlCall, SqlCast, SqlColumn, SqlLiteral
from .generate import SqlPair, outcome, random_pair
from .labels import reads_match
from .model import RowMode, SkipMode, SqlKind, walk
from .random_patterns import QUANTIFIERS
from .text import quantifier_text
from .values import NUMBERS, TIMES

pytestmark = pytest.mark.xdist_group("pairs of SQL")  # they are made once
PAIRS = 2000
FUNCTIONS = {
    *("COALESCE", "NULLIF", "GREATEST", "LEAST", "ABS", "ROUND", "FLOOR", "CEIL", "CEILING", "MOD", "POWER", "POW"),
    *("SQRT", "LOWER", "UPPER", "LENGTH", "SUBSTRING", "SUBSTR", "SUBSTRING FROM", "CAST", "TRY_CAST", "EXTRACT"),
    *("CASE", "IN", "LIKE", "BETWEEN", "IS NULL", "IS DISTINCT FROM", "||", "unary -", "unary +", "unary NOT"),
    *("+", "-", "*", "/", "%", "=", "<>", "!=", "<", "<=", ">", ">=", "AND", "OR"),
    *(f"CAST to {name}" for name in ("DOUBLE", "DECIMAL", "VARCHAR", "DATE", "TIMESTAMP", "BIGINT", "INTEGER")),
    *(f"CAST to {name}" for name in ("INT", "SMALLINT", "TINYINT")),
}
READS = {
    *("FIRST", "LAST", "PREV", "NEXT", "CLASSIFIER", "MATCH_NUMBER", "COUNT(*)", "COUNT", "SUM", "AVG", "MIN", "MAX"),
    *("RUNNING", "logical offset", "physical offset", "nested navigation", "CLASSIFIER in aggregate"),
}
RESTRICTED = {
    *("CASE", "COALESCE", "NULLIF", "ABS", "LEAST", "GREATEST"),
    *("+", "-", "*", "/", "%", "=", "<", "AND", "OR", "IS NULL"),
}
QUANTIFIER_TEXTS = {quantifier_text(low, high) for low, high in QUANTIFIERS}
COVERED = {
    *(f"measure {name}" for name in FUNCTIONS | READS | {"FINAL", "ARRAY_AGG", "INTERVAL", "NULL"}),
    *(f"define {name}" for name in (FUNCTIONS | READS)),
    *(f"match {name}" for name in (RESTRICTED | READS)),
    *(f"rows {mode or 'default'}" for mode in RowMode),
    *(f"skip {mode or 'default'}" for mode in SkipMode),
    *(f"partition by {count}" for count in range(3)),
    *(f"order by {count}" for count in range(3)),
    *(f"subsets {count}" for count in range(4)),
    *(f"quantifier {text}{mark}" for text in QUANTIFIER_TEXTS for mark in ("", "?")),
    *(f"column {kind}" for kind in SqlKind if kind not in (SqlKind.INTERVAL, SqlKind.ARRAY, SqlKind.UNKNOWN)),
    *("reads row", "reads match", "WITHIN", "NaN", "NaN key", "-0.0", "NULL", "NULL key", "NULL order", "ties"),
    *("()", "^", "$", "|", "PERMUTE", "compound PERMUTE", "exclusion", "nested quantifiers", "empty in quantifier"),
    *("greedy", "reluctant", "ALL ROWS", "ONE ROW", "DESC", "NULLS FIRST", "SELECT items", "alias", "no rows"),
    *("skip to subset", "skip to variable", "undefined variable", "quoted variable", "quoted name"),
    "names that differ in case",
}


@pytest.fixture(scope="module")
def sample() -> list[SqlPair]:
    return [random_pair(seed) for seed in range(PAIRS)]


def test_labels_all_occur(sample: list[SqlPair]) -> None:
    assert {label for pair in sample for label in pair.labels} >= COVERED


def test_most_pairs_match_and_few_are_faults(sample: list[SqlPair]) -> None:
    outcomes = Counter(outcome(pair.query, pair.table) for pair in sample)
    assert outcomes["rows"] > 0.6 * PAIRS
    assert 0 < outcomes["fault"] < 0.05 * PAIRS
    assert not outcomes["too long"]


def test_pairs_depend_on_the_seed_alone(sample: list[SqlPair]) -> None:
    again = [random_pair(seed) for seed in range(200)]
    assert [repr(pair) for pair in again] == [repr(pair) for pair in sample[:200]]
    assert [query_text(pair.query) for pair in again] == [query_text(pair.query) for pair in sample[:200]]
    assert len({query_text(pair.query) for pair in sample}) > 0.95 * PAIRS


def test_sizes(sample: list[SqlPair]) -> None:
    sizes = {len(pair.table.rows) for pair in sample}
    assert (min(sizes), max(sizes)) == (0, 12)
    assert all(len(row) == len(pair.table.names) == len(pair.table.types) for pair in sample for row in pair.table.rows)


def test_conditions_on_the_match_alone_have_few_functions(sample: list[SqlPair]) -> None:
    for pair in sample:
        for define in pair.query.defines:
            parts = list(walk(define.condition))
            calls = {part.name for part in parts if isinstance(part, SqlCall)}
            free = calls <= RESTRICTED and not any(isinstance(part, SqlCast | LikeTest) for part in parts)
            assert free or not reads_match(define) or " AND " in expression_text(define.condition)


def test_values_of_two_types_meet_in_nullif(sample: list[SqlPair]) -> None:
    met = set()
    for pair in sample:
        calls = [part for part in walk(pair.query) if isinstance(part, SqlCall) and part.name == "NULLIF"]
        for one, other in (call.arguments for call in calls):
            if isinstance(one, SqlColumn) and isinstance(other, SqlLiteral):
                met.add((pair.table.types[pair.table.place(one.name)].kind, other.type.kind))
    assert met >= {(one, other) for kinds in (NUMBERS, TIMES) for one in kinds for other in kinds}


def test_neighbours_are_read_in_both_directions(sample: list[SqlPair]) -> None:
    navigations = [part for pair in sample for part in walk(pair.query) if isinstance(part, PhysicalNavigation)]
    assert {(part.function, part.offset) for part in navigations} >= {("PREV", None), ("NEXT", 2), ("PREV", 0)}
