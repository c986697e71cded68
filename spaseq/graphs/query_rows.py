"""The rows of a query with parameters, which come and go while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gpm.terms import term_bytes
from spaseq.results.terms import from_bytes
from spaseq.sources.parameter_tables import RowSource

if TYPE_CHECKING:
    from rdflib.term import Identifier

    from spaseq.graphs.graph_engine import Engine


class QueryRows:
    """Made by ``Engine.given``.  A row is a query of its own, which sees the events pushed after it was added.

    ``len`` tells how many there are; they are iterated over as dictionaries of terms.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name

    def add(self, rows: RowSource) -> int:
        """Let rows of a table (as of ``register``) run that are not there yet; how many these were.

        OptionError, StreamError: as of ``register``, and no row is added.
        """
        return self._engine.add_rows(self._name, rows)

    def remove(self, rows: RowSource) -> int:
        """Forget rows, with all that they hold; how many of them were there.  Errors as of ``add``."""
        return self._engine.remove_rows(self._name, rows)

    def __len__(self) -> int:
        return len(self._engine.kind.parametric(self._name)[0].rows)

    def __iter__(self) -> Iterator[dict[str, Identifier]]:
        query, _ = self._engine.kind.parametric(self._name)
        names = query.plan.query.given.names if query.plan.query.given else ()
        for member in list(query.rows.values()):
            row = member.plan.query.row or ()
            yield {name: from_bytes(term_bytes(term)).to_rdflib() for name, term in zip(names, row, strict=True)}
