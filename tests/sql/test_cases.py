"""Every case file, on a whole table."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from spaseq import tuples
from spaseq.errors import LocatedError
from tests.sql.case_files import CASES, case_files, compared, read_case


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
