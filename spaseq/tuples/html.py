"""Results in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import pyarrow


def to_html(heads: Sequence[str], batch: pyarrow.RecordBatch | None, found: int, most: int = 20) -> str:
    """An HTML table of the first ``most`` results of a batch, and how many were found so far."""
    rows = [] if batch is None else batch.slice(0, most).to_pylist()
    body = "".join(_row("td", map(_cell, row.values())) for row in rows)
    told = f"the next {len(rows)} results; {found} found so far" if rows else f"no more results; {found} were found"
    return f"<table><thead>{_row('th', heads)}</thead><tbody>{body}</tbody></table><p>{told}</p>"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
