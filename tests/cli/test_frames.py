"""``--times``, ``--format parquet`` and ``--declare`` of ``spaseq run``."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.cli.conftest import CONSTRUCT, MATCHES, Invoke

NS = "http://example.org/"
RUN = ("run", "q.spaseq", "--stream", "s=s.nq")


def test_times_come_first(invoke: Invoke) -> None:
    result = invoke(*RUN, "--format", "csv", "--times")
    head, *rows = csv.reader(result.stdout.splitlines())
    assert head == ["first", "last", "x", "v", "w"]
    times = [(f"2026-01-01T00:00:0{a}Z", f"2026-01-01T00:00:0{b}Z") for *_, a, b in MATCHES]
    assert [(row[0], row[1]) for row in rows] == times


@pytest.mark.parametrize(
    ("format", "says"),
    [
        ("jsonl", "jsonl shows the times anyway"),
        ("table", "table shows the times anyway"),
        ("parquet", "parquet shows the times anyway"),
    ],
)
def test_times_are_not_for_every_format(invoke: Invoke, format: str, says: str) -> None:
    result = invoke(*RUN, "--format", format, "--times")
    assert result.exit_code == 2
    assert result.stderr == f"error: --times is for csv, tsv, json and xml; {says}\n"


def test_parquet(invoke: Invoke, folder: Path) -> None:
    result = invoke(*RUN, "--format", "parquet", "--output", "some.parquet", "--declare", "x=dictionary")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    second = [datetime(2026, 1, 1, 0, 0, number, tzinfo=UTC) for number in range(4)]
    assert parquet.read_table(folder / "some.parquet").to_pylist() == [
        {"first": second[a], "last": second[b], "x": NS + x, "v": v, "w": w,
         "events": {"A": [f"{NS}e{a}"], "B": [f"{NS}e{b}"]}}
        for x, v, w, a, b in MATCHES
    ]  # fmt: skip


def test_parquet_on_standard_output(invoke: Invoke, folder: Path) -> None:
    (folder / "some.parquet").write_bytes(invoke(*RUN, "--format", "parquet", "--limit", "1").stdout_bytes)
    assert parquet.read_table(folder / "some.parquet").column("v").to_pylist() == ["1"]


def test_parquet_without_results_has_columns(invoke: Invoke, folder: Path) -> None:
    (folder / "empty.nq").write_text("")
    result = invoke("run", "q.spaseq", "--stream", "s=empty.nq", "--format", "parquet", "--output", "some.parquet")
    assert result.exit_code == 0, result.stderr
    assert parquet.read_schema(folder / "some.parquet").names == ["first", "last", "x", "v", "w", "events"]


def test_parquet_of_derived_events(invoke: Invoke, folder: Path) -> None:
    (folder / "c.spaseq").write_text(CONSTRUCT)
    invoke("run", "c.spaseq", "--stream", "s=s.nq", "--format", "parquet", "--output", "some.parquet")
    rows = parquet.read_table(folder / "some.parquet").to_pylist()
    assert [row["triples"] for row in rows] == [[f'<{NS}{x}> <{NS}sum> "{v}" .'] for x, v, *_ in MATCHES]


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (("--declare", "v"), 2, "error: --declare v: write COLUMN=TYPE, as in price=double\n"),
        (("--declare", "u=int64"), 2, "error: there is no column u to give a type to; known are x, v, w\n"),
        (("--declare", "v=int"), 2,
         "error: unknown type int of the column v; write string, dictionary, int64, double, decimal(p, s), boolean, "
         "timestamp or date\n"),
        (("--declare", "v=int64"), 1,
         '<results>, row 0: error: the column v is of type int64, but has "1"\n'
         "hint: declare its type: --declare v=string\n"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_types(invoke: Invoke, options: tuple[str, ...], code: int, says: str) -> None:
    result = invoke(*RUN, "--format", "parquet", "--output", "some.parquet", *options)
    assert (result.exit_code, result.stderr) == (code, says)


def test_types_are_for_parquet(invoke: Invoke) -> None:
    result = invoke(*RUN, "--format", "csv", "--declare", "v=int64")
    assert (result.exit_code, result.stderr) == (2, "error: --declare is for parquet: in csv columns have no types\n")


def test_parquet_has_one_query(invoke: Invoke, folder: Path) -> None:
    (folder / "r.spaseq").write_text((folder / "q.spaseq").read_text())
    result = invoke("run", "q.spaseq", "r.spaseq", "--stream", "s=s.nq", "--format", "parquet")
    assert result.exit_code == 2
    assert "parquet holds the results of one SELECT query, here are q, r" in result.stderr
