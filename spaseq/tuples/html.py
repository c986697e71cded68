"""Results in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow

from spaseq.results.table import MOST_SHOWN, html_table


def to_html(heads: Sequence[str], batch: pyarrow.RecordBatch | None, found: int) -> str:
    """An HTML table of the first results of a batch, and how many were found so far."""
    rows = [] if batch is None else batch.slice(0, MOST_SHOWN).to_pylist()
    told = f"the next {len(rows)} results; {found} found so far" if rows else f"no more results; {found} were found"
    return html_table(heads, (map(_cell, row.values()) for row in rows), told)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
