"""The comparison with Trino, without it: what it is asked, how answers are read and judged, what is printed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow
import pytest

from benchmarks.peers.row_patterns import jobs, verdicts
from benchmarks.peers.row_patterns.__main__ import main
from benchmarks.peers.row_patterns.answers import Answer, Failure, meaning_of, read
from benchmarks.peers.row_patterns.asking import TRINO, PeerFailedError, ask
from benchmarks.peers.row_patterns.differences import CASES, Difference
from benchmarks.peers.row_patterns.jobs import Job, Skipped, case_jobs, random_jobs
from benchmarks.peers.row_patterns.meanings import (
    may_repeat_nothing,
    trino_double,
    with_double_texts,
    without_within,
)
from benchmarks.peers.row_patterns.report import described, report
from benchmarks.peers.row_patterns.texts import literal, trino_text
from benchmarks.peers.row_patterns.verdicts import Verdict, verdict
from tests.benchmarks.tools import tool
from tests.oracle import sql as oracle
from tests.oracle.sql.expressions import (
    TRUE,
    Classifier,
    Expression,
    LogicalNavigation,
    PhysicalNavigation,
    SqlCall,
    SqlCast,
    SqlColumn,
    integer,
)
from tests.oracle.sql.generate import SqlPair
from tests.oracle.sql.model import (
    BIGINT,
    DOUBLE,
    TIMESTAMP,
    Alternation,
    Concatenation,
    Definition,
    Measure,
    OrderKey,
    PatternVariable,
    Quantified,
    RowMode,
    RowPattern,
    Skip,
    SkipMode,
    SqlQuery,
    SqlTable,
)
from tests.sql.case_files import case_files
from tests.sql.compared import arrow_table

DOCUMENT = Path(__file__).parents[2] / "docs" / "sql.md"
A, B = PatternVariable("A"), PatternVariable("B")
V, X = SqlColumn("v"), SqlColumn("x")
TABLE = SqlTable(("id", "v", "x"), (BIGINT, BIGINT, DOUBLE), ((1, 5, 2.5), (2, 3, -0.0)))


def pair(measure: Expression, pattern: RowPattern = Concatenation((A, B)), skip: Skip = Skip()) -> SqlPair:
    query = SqlQuery(
        table="ticks",
        pattern=pattern,
        defines=(Definition("A", TRUE),),
        order=(OrderKey("id"),),
        measures=(Measure("m", measure),),
        mode=RowMode.ALL,
        skip=skip,
    )
    return SqlPair(query, TABLE, frozenset())


def job(given: SqlPair) -> Job:
    text, table = oracle.query_text(given.query), arrow_table(given.table)
    return Job("seed 1", text, table, trino_text(text, table), meaning_of(text, table), given)


def answer(values: list[str | None], type_: str = "bigint") -> Answer:
    """What Trino gives for the measure of both rows of the table."""
    rows = [["1", values[0], "5", "2.5"], ["2", values[1], "3", "-0.0"]]
    return read({"columns": ["id", "m", "v", "x"], "types": ["bigint", type_, "bigint", "double"], "rows": rows})


def explanation(given: SqlPair, trino: Answer) -> tuple[Difference, ...] | None:
    return verdict(job(given), trino).explanation


def test_a_query_for_trino_has_its_table() -> None:
    table = pyarrow.table({'a "b"': pyarrow.array(["it's", None])})
    text = "-- rows\nticks MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS CAST('2026-11-28T10:20:30' AS TIMESTAMP) > t);"
    assert trino_text(text, table).splitlines() == [
        'WITH ticks("a ""b""") AS (VALUES ROW(CAST(\'it\'\'s\' AS VARCHAR)), ROW(CAST(NULL AS VARCHAR)))',
        "SELECT * FROM -- rows",
        "ticks MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS CAST('2026-11-28 10:20:30' AS TIMESTAMP(6)) > t)",
    ]
    assert "AS (SELECT * FROM (VALUES ROW(CAST(NULL AS VARCHAR))) WHERE FALSE)" in trino_text(text, table[:0])


def test_values_have_their_types() -> None:
    assert literal(float("nan"), pyarrow.float64()) == "CAST('NaN' AS DOUBLE)"
    assert literal(Decimal("1.50"), pyarrow.decimal128(10, 2)) == "CAST('1.50' AS DECIMAL(10, 2))"
    assert literal(timedelta(seconds=-1.5), pyarrow.duration("us")) == "INTERVAL -'1.5' SECOND"


def test_within_becomes_a_condition_of_each_row() -> None:
    table = SqlTable(("ts",), (TIMESTAMP,))
    query = replace(pair(TRUE).query, order=(OrderKey("ts", descending=True),), within=1_000_000)
    text = oracle.query_text(without_within(query, table))
    assert "WITHIN" not in text
    assert text.count("(FIRST(ts) < (ts + INTERVAL '1' SECOND))") == 2


def test_doubles_as_trino_writes_them() -> None:
    values = [2.5, 1e20, 1e-5, 0.0, -0.0, -12.25]
    assert [trino_double(value) for value in values] == ["2.5E0", "1.0E20", "1.0E-5", "0.0E0", "-0.0E0", "-1.225E1"]
    rows = tuple((place, 0, value) for place, value in enumerate((2.5, -0.0, 0.0, float("nan"), None)))
    table = replace(TABLE, rows=rows)
    query = with_double_texts(pair(SqlCast(X, "VARCHAR"), Quantified(A, 1, None)).query, table)
    found = oracle.evaluate(query, table)
    assert [row[1] for row in found.rows] == ["2.5E0", "-0.0E0", "0.0E0", "NaN", None]


def test_answers_of_trino_are_read_by_their_types() -> None:
    types = ["decimal(10, 2)", "array(bigint)", "interval day to second", "boolean", "varchar(3)"]
    rows = [["1.50", ["1", None], "-1 00:00:00.500", True, "x"]]
    found = read({"columns": list("abcde"), "types": types, "rows": rows})
    assert not isinstance(found, Failure)
    assert found.rows == (
        (
            ("Decimal", Decimal("1.50"), -2),
            ("list", (("int", 1), None)),
            ("timedelta", -timedelta(days=1, seconds=0.5)),
            ("bool", True),
            ("str", "x"),
        ),
    )


def test_equal_answers_agree() -> None:
    assert explanation(pair(V), answer(["5", "3"])) == ()
    assert explanation(pair(V), answer(["5", "3"], "integer")) == ()
    assert explanation(pair(V), answer(["5", "3"], "double")) is None
    assert explanation(pair(V), answer(["5", "4"])) is None


def test_a_difference_is_explained_by_what_makes_it_equal() -> None:
    before = PhysicalNavigation("PREV", SqlCall("COALESCE", (V, integer(0))))
    assert explanation(pair(before), answer(["0", "5"])) == (Difference.NO_ROW,)
    assert explanation(pair(before), answer(["1", "5"])) is None
    first = LogicalNavigation("FIRST", SqlCall("COALESCE", (SqlColumn("v", "B"), integer(0))))
    assert explanation(pair(first), answer(["3", "3"])) == (Difference.RUNNING_FIRST,)
    assert explanation(pair(first), answer(["0", "3"])) == (Difference.NO_ROW,)
    assert explanation(pair(SqlCast(X, "VARCHAR")), answer(["2.5E0", "-0.0E0"], "varchar")) == (Difference.DOUBLE_TEXT,)
    assert explanation(pair(SqlCast(X, "VARCHAR")), answer(["2.5E0", "0.0"], "varchar")) is None


def test_what_sql_here_cannot_say_is_not_compared() -> None:
    label = PhysicalNavigation("NEXT", Classifier())
    assert explanation(pair(label), answer(["B", None], "varchar")) == (Difference.COMING_LABEL,)
    two = pair(label)
    two = replace(two, query=replace(two.query, measures=(*two.query.measures, Measure("n", V))))
    rows = [["1", "B", "4", "5", "2.5"], ["2", None, "3", "3", "-0.0"]]
    types = ["bigint", "varchar", "bigint", "bigint", "double"]
    assert explanation(two, read({"columns": ["id", "m", "n", "v", "x"], "types": types, "rows": rows})) is None


def test_skip_to_the_first_row() -> None:
    refused = pair(V, skip=Skip(SkipMode.FIRST, "A"))
    none = read({"columns": ["id", "m", "v", "x"], "types": ["bigint"] * 4, "rows": []})
    assert explanation(refused, Failure("AFTER MATCH SKIP failed: cannot skip to first row of match")) == ()
    assert explanation(refused, none) is None  # there is a match
    quiet = replace(refused, query=replace(refused.query, pattern=Concatenation((A, B, B))))
    assert explanation(quiet, none) == (Difference.SKIP_TO_FIRST,)


def test_failures_of_trino() -> None:
    assert explanation(pair(V), Failure("line 1:2: Column 'id' is ambiguous")) == (Difference.COLUMN_TWICE,)
    assert explanation(pair(V), Failure("java.lang.IllegalArgumentException")) == (Difference.DECIMAL_CHOICE,)
    assert explanation(pair(V), Failure("Division by zero")) is None


def test_an_internal_error_of_ours_is_never_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "ours", lambda *_: Failure("SPAseq crashes: KeyError: 'A'"))
    assert explanation(pair(V), Failure("line 1:2: Column 'id' is ambiguous")) is None


def test_iterations_without_a_row() -> None:
    optional = Quantified(A, 0, 1)
    assert may_repeat_nothing(Quantified(Alternation((optional, B)), 0, None))
    assert not may_repeat_nothing(Quantified(Alternation((optional, B)), 0, 3))
    assert not may_repeat_nothing(Quantified(Concatenation((optional, B)), 0, None))


def test_differences_are_lines_of_the_document() -> None:
    section = DOCUMENT.read_text(encoding="utf-8").partition("### Beside Trino")[2]
    told = {line.split(" | ")[0].removeprefix("| ") for line in section.splitlines() if line.startswith("| ")}
    assert set(Difference) <= told


def test_cases_that_differ_are_there() -> None:
    assert CASES.keys() <= {f"{path.parent.name}/{path.stem}" for path in case_files()}


def test_case_files_that_trino_cannot_be_asked() -> None:
    made = list(case_jobs())
    assert {each.why for each in made if isinstance(each, Skipped)} == {
        "WITHIN",
        "ORDER BY with ties",
        "columns that differ in case only",
    }
    assert len([each for each in made if isinstance(each, Job)]) > 0.9 * len(made)


def test_so_many_random_queries_are_asked() -> None:
    made = list(random_jobs(60, first=7))
    asked = [each for each in made if isinstance(each, Job)]
    assert len(asked) == 60 < len(made)
    assert all(each.table.column_names[-1] == jobs.PLACE and "WITHIN" not in each.trino for each in asked)
    assert {each.table.num_rows for each in random_jobs(10, rows=50) if isinstance(each, Job)} <= {0, 50}


def test_the_report_counts_what_explains() -> None:
    asked = job(pair(V))
    case = replace(asked, name="simple/case", pair=None)
    five = answer(["5", "3"])
    found = [
        Verdict(case, five, five, ()),
        Verdict(asked, five, five, (Difference.NO_ROW, Difference.INTERVAL)),
        Verdict(asked, five, five, None),
    ]
    assert report(found, [Skipped("WITHIN", is_random=False)]).splitlines() == [
        "                                        case files   random",
        "  agree                                          1        0",
        "  differ as docs/sql.md says                     0        1",
        "    a row that is not there + INTERVAL           0        1",
        "  unexplained                                    0        1",
        "  not asked: WITHIN                              1        0",
    ]
    assert described(found[2]).startswith("#### seed 1: unexplained\n")
    assert "-- Trino: id | m | v | x\n1 | 5 | 5 | 2.5\n" in described(found[2])


def test_trino_without_maven_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tool(tmp_path, "java")
    tool(tmp_path, "javac")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([]) == 0
    assert capsys.readouterr().out == f"Trino {TRINO.version} is missing: it needs mvn, which is not installed\n"


def test_trino_answers_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = json.dumps({"id": "seed 1", "error": "no"})
    tool(
        tmp_path, "java", f"""for last; do before=$file; file=$answers; answers=$last; done; echo '{said}' > "$file" """
    )
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert ask([job(pair(V))], "classes", 1, tmp_path) == {"seed 1": Failure("no")}
    assert json.loads((tmp_path / "queries.jsonl").read_text())["query"].startswith("WITH ticks")
    tool(tmp_path, "java", "echo 'Exception in thread main' >&2; exit 3")
    with pytest.raises(PeerFailedError, match=r"^Exception in thread main$"):
        ask([job(pair(V))], "classes", 1, tmp_path)
