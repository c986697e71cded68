"""One event's graph pattern, asked of pyoxigraph."""

from __future__ import annotations

from functools import lru_cache

import pyoxigraph as ox

from .formulas import Environment, holds
from .model import Event, Gpm, Query
from .plan import is_stateful
from .values import UnsupportedTermError

Bindings = frozenset[tuple[str, str]]


def mappings(query: Query, gpm: Gpm, event: Event) -> frozenset[Bindings]:
    """The set of solution mappings of a GPM on one event, its stateful filters left out; empty on other streams."""
    if query.stream_iri(gpm) != event.stream:
        return frozenset()
    found = ask(query.prefixes, gpm.pattern, event.triples)
    local = [expression for expression in gpm.filters if not is_stateful(expression, gpm)]
    return frozenset(
        bindings
        for bindings in found
        if all(holds(expression, Environment(dict(bindings), lambda _: ())) for expression in local)
    )


@lru_cache(maxsize=200_000)
def ask(
    prefixes: tuple[tuple[str, str], ...], pattern: str, triples: tuple[tuple[str, str, str], ...]
) -> frozenset[Bindings]:
    """The set of solutions of a graph pattern on a graph, as variable and canonical term."""
    store = ox.Store()
    store.load("".join(f"{s} {p} {o} .\n" for s, p, o in triples), ox.RdfFormat.N_TRIPLES)
    head = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in prefixes)
    solutions = store.query(f"{head}SELECT * WHERE {{ {pattern} }}")
    assert isinstance(solutions, ox.QuerySolutions)
    names = [variable.value for variable in solutions.variables]
    return frozenset(
        frozenset((name, term_text(term)) for name in names if (term := solution[name]) is not None)
        for solution in solutions
    )


def term_text(term: object) -> str:
    """A term in N-Triples text; blank nodes, which would need the scope of their event, are beyond this oracle."""
    if isinstance(term, ox.BlankNode):
        raise UnsupportedTermError(str(term))
    return str(term)
