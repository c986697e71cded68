"""Expressions over rows of words, evaluated by pyoxigraph: slow, but exact for all of SPARQL's functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyoxigraph
from pyoxigraph import NamedNode, Quad, Store

from gpm.algebra import XSD_INTEGER, Expression, Literal, Operation, Variable
from gpm.errors import PatternError
from gpm.lists import FUNCTIONS
from gpm.printing import print_expression
from gpm.rewrite import CanonicalNames, rename, rewrite
from gpm.rows import Words
from gpm.scope import has_exists, mentioned, uses
from gpm.string_limits import FUNCTIONS as BOUNDED_FUNCTIONS, bounded
from gpm.tables import CellEncoder, solution_cells
from gpm.terms import decode
from nfa_native.terms.dictionary import Terms

Times = npt.NDArray[np.int64]
Status = npt.NDArray[np.int8]

_ZERO, _ONE = Literal("0", XSD_INTEGER), Literal("1", XSD_INTEGER)
_FUNCTIONS = FUNCTIONS | BOUNDED_FUNCTIONS
_NOW = "NOW()"  # the name of the column of event times; no variable is called so


class ExternalEvaluator:
    """Evaluates expressions on many rows with one query.

    ``names`` are the variables of the ``columns`` (k, n); other variables are unbound.  ``now`` (n) are event times in
    microseconds.  PatternError: EXISTS, an aggregate, PREV or an unknown function.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._cells = CellEncoder(terms)

    def test(self, expression: Expression, names: Sequence[str], columns: Words, now: Times) -> Status:
        """The effective boolean values (n): 1 true, 0 false, −1 error."""
        asked = Operation("IF", (expression, _ONE, _ZERO))
        rows, cells = self._ask(asked, names, columns, now)
        result = np.full(columns.shape[1], -1, dtype=np.int8)
        result[rows] = [-1 if not cell else cell == b"1" for cell in cells]
        return result

    def compute(self, expression: Expression, names: Sequence[str], columns: Words, now: Times) -> Words:
        """The values (n) as words; 0 where the expression is an error."""
        rows, cells = self._ask(expression, names, columns, now)
        result = np.zeros(columns.shape[1], dtype=np.uint64)
        result[rows] = self._cells.column(cells)
        return result

    def _ask(
        self, expression: Expression, names: Sequence[str], columns: Words, now: Times
    ) -> tuple[npt.NDArray[np.uint32], list[bytes]]:
        """The row number and the TSV cell of each answer."""
        if has_exists(expression):
            raise PatternError("EXISTS in a filter that needs more than its event: its graph is gone by then")
        used = {name: column for name, column in zip(names, columns, strict=True) if name in mentioned(expression)}
        if uses(expression, "NOW"):
            expression = rewrite(expression, _now_variable)
            used[_NOW] = np.array([self.terms.datetime(int(time)) for time in now], dtype=np.uint64)
        numbering = CanonicalNames("v")
        text = print_expression(bounded(rename(expression, numbering)))
        where = " ".join(_bind(numbering(name), n, bool(column.all())) for n, (name, column) in enumerate(used.items()))
        query = f"SELECT ?row ({text} AS ?value) {{ ?row <urn:row> <urn:row> . {where} }}"
        try:
            answer = self._store(list(used.values()), columns.shape[1]).query(query, custom_functions=_FUNCTIONS)
        except (SyntaxError, RuntimeError) as error:
            raise PatternError(f"the expression {print_expression(expression)} cannot be evaluated: {error}") from None
        assert isinstance(answer, pyoxigraph.QuerySolutions)
        rows, cells = solution_cells(answer)
        return self._cells.graphs.column(rows), cells

    def _store(self, columns: list[Words], count: int) -> Store:
        """Row n as the node ``<urn:r:n>``, column k as the property ``<urn:c:k>``, absent where unbound."""
        nodes = [NamedNode(f"urn:r:{n}") for n in range(count)]
        row = NamedNode("urn:row")
        quads = [Quad(node, row, row) for node in nodes]
        for k, column in enumerate(columns):
            words, positions = np.unique(column, return_inverse=True)
            values = [decode(self.terms, int(word)) for word in words]
            property_ = NamedNode(f"urn:c:{k}")
            found = (values[position] for position in positions)
            quads += [Quad(node, property_, term) for node, term in zip(nodes, found, strict=True) if term is not None]
        store = Store()
        store.extend(quads)
        return store


def _now_variable(node: object) -> object | None:
    return Variable(_NOW) if isinstance(node, Operation) and node.name == "NOW" else None


def _bind(name: str, column: int, always: bool) -> str:
    triple = f"?row <urn:c:{column}> ?{name} ."
    return triple if always else f"OPTIONAL {{ {triple} }}"
