"""Matches of a query as a table, which can become frames of other libraries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spaseq.results.match import MatchColumns
from spaseq.results.packages import require

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from spaseq.results.frame_types import Types


@dataclass(frozen=True, eq=False, repr=False)
class MatchTable(MatchColumns):
    """``m`` matches of one query with ``k`` columns (``MatchColumns``), as a sequence of ``Match``.

    ``to_arrow``, ``to_pandas`` and ``to_polars`` make frames of them; a notebook shows the first.
    """

    def to_arrow(self, types: Types | None = None, terms: str | None = None) -> pyarrow.Table:
        """An Arrow table (``spaseq.results.frames``), with these types of some columns.

        ``terms="ntriples"``: columns of variables have no types, but their terms in N-Triples, as strings; that is
        faster, and nothing is lost.  OptionError: pyarrow is not installed, a type or column is unknown, or types and
        terms are asked for.  StreamError: a term is none of its column's type.
        """
        require("pyarrow")
        from spaseq.results.frames import to_arrow

        return to_arrow(self, types, terms)

    def to_pandas(self, types: Types | None = None) -> pandas.DataFrame:
        """A data frame of pandas; errors as of ``to_arrow``."""
        require("pandas", "pyarrow")
        from spaseq.results.frames import to_pandas

        return to_pandas(self.to_arrow(types))

    def to_polars(self, types: Types | None = None) -> polars.DataFrame:
        """A data frame of polars; errors as of ``to_arrow``."""
        require("polars", "pyarrow")
        from spaseq.results.frames import to_polars

        return to_polars(self.to_arrow(types))

    def _repr_html_(self) -> str:
        from spaseq.results.html import to_html

        return to_html(self)
