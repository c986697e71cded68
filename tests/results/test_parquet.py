"""Parquet files of matches are read back as the frames that they are."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet
from pyoxigraph import Literal

import spaseq
from spaseq.errors import OptionError, StreamError
from spaseq.results.formats import Layout, open_writer
from spaseq.results.formats.parquet import GROUP_ROWS
from spaseq.results.frames import all_to_arrow
from spaseq.results.table import MatchTable
from tests.results.tables import iri, make_table
from tests.results.test_frames import STOCKS, V_SHAPE, parts_of, typed


def written(tables: list[MatchTable], path: Path, **types: str) -> parquet.ParquetFile:
    """The file of these tables."""
    with path.open("w", encoding="utf-8", newline="") as output:
        writer = open_writer("parquet", output, Layout(types=types))
        try:
            for table in tables:
                writer.write(table)
        finally:
            writer.close()
            assert not output.closed
    return parquet.ParquetFile(path)


@pytest.mark.parametrize("types", [{}, {"p1": "decimal(18,4)", "company": "dictionary", "p2": "double"}])
def test_what_is_written_is_read_back(types: dict[str, str], tmp_path: Path) -> None:
    run = spaseq.Run(V_SHAPE, STOCKS)
    file = written([run.empty("query1"), *run.tables()], tmp_path / "some.parquet", **types)
    frame = spaseq.run(V_SHAPE, STOCKS).to_arrow(types)
    assert file.schema_arrow.equals(frame.schema)
    assert file.read().to_pylist() == frame.to_pylist()  # texts may be numbered in another order


@pytest.mark.parametrize("size", [1000, 70_000])
def test_row_groups_do_not_depend_on_batches(size: int, tmp_path: Path) -> None:
    table = make_table(("n",), [(Literal(number),) for number in range(GROUP_ROWS + 10)])
    file = written(parts_of(table, size), tmp_path / "some.parquet")
    assert [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)] == [GROUP_ROWS, 10]
    assert file.read().equals(all_to_arrow([table]))


def test_without_matches_there_are_columns(tmp_path: Path) -> None:
    file = written([make_table(("n", "m"), [])], tmp_path / "some.parquet", m="int64")
    assert file.schema_arrow.names == ["first", "last", "n", "m", "events"]
    assert file.schema_arrow.field("n").type == pyarrow.string()
    assert file.schema_arrow.field("m").type == pyarrow.int64()


def test_types_are_those_of_the_first_row_group(tmp_path: Path) -> None:
    rows = [(Literal(1), None)] * GROUP_ROWS + [(Literal(2), iri("x")), (typed("2.5", "decimal"), None)]
    table = make_table(("n", "who"), rows)
    with pytest.raises(StreamError, match=f"row {GROUP_ROWS + 1}: error: the column n is of type int64, but has"):
        written([table], tmp_path / "some.parquet")
    assert parquet.read_metadata(tmp_path / "some.parquet").num_rows == GROUP_ROWS  # what was right is there
    file = written([table], tmp_path / "some.parquet", n="decimal")
    assert file.read().column("who").to_pylist()[-2:] == ["http://example.org/x", None]


def test_types_that_do_not_fit_leave_an_empty_file(tmp_path: Path) -> None:
    with pytest.raises(StreamError, match="row 0"):
        written([make_table(("n",), [(Literal("a"),)])], tmp_path / "some.parquet", n="int64")
    assert parquet.read_table(tmp_path / "some.parquet").num_rows == 0


def test_a_terminal_gets_no_parquet() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    with pytest.raises(OptionError, match="parquet is nothing for a terminal"):
        open_writer("parquet", Terminal(), Layout())
