"""Every case file, on a whole table."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from spaseq import tuples
from spaseq.errors import LocatedError
from tests.sql.case_files import CASES, case_files, read_case


def compared(table: pyarrow.Table) -> tuple[list[str], list[list[str]]]:
    """What of results is compared: decimals by value and scale, NaN as NaN."""
    return table.column_names, [[repr(value) for value in row.values()] for row in table.to_pylist()]


@pytest.mark.parametrize("path", case_files(), ids=lambda path: str(path.relative_to(CASES).with_suffix("")))
def test_case(path: Path) -> None:
    case = read_case(path)
    try:
        results = tuples.match(case.query, case.rows).to_arrow()
        cut = pyarrow.RecordBatchReader.from_batches(case.rows.schema, case.rows.to_batches(max_chunksize=2))
        assert compared(tuples.match(case.query, cut).to_arrow()) == compared(results)
    except LocatedError as error:
        assert case.results is None, error
        assert case.error.lower() in str(error).lower()
    else:
        assert case.results is not None, f"{case.error} is not told"
        assert compared(results) == compared(case.results)
