"""Sets of solutions: expected ones from result files, and comparison up to the names of blank nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from pyoxigraph import (
    BlankNode,
    NamedNode,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    Store,
    Triple,
    parse_query_results,
)

from tests.w3c.manifests import file_of, triples

Solution = frozenset[tuple[str, Any]]  # (variable, term) for each bound variable
Solutions = frozenset[Solution]

SOLUTION_FORMATS = {
    ".srx": QueryResultsFormat.XML,
    ".srj": QueryResultsFormat.JSON,
    ".tsv": QueryResultsFormat.TSV,
}
_RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
_TRUE: Solutions = frozenset([frozenset()])
_FALSE: Solutions = frozenset()


@cache
def canonical(term: Any) -> Any:
    """A term in the form that a Store gives it."""
    store = Store()
    store.add(Quad(NamedNode("urn:s"), NamedNode("urn:p"), term))
    return next(iter(store)).object


def solution(bindings: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> Solution:
    """A solution of canonical terms; None means unbound."""
    return frozenset((name, canonical(term)) for name, term in dict(bindings).items() if term is not None)


def expected(iri: str) -> Solutions:
    """What a result file says; for ASK one empty solution, or none."""
    file = file_of(iri)
    if file.suffix in (".ttl", ".rdf"):
        return _from_graph(iri)
    return of_results(parse_query_results(file.read_bytes(), SOLUTION_FORMATS[file.suffix]))


def of_results(results: Any) -> Solutions:
    """The set of solutions that pyoxigraph gives."""
    if isinstance(results, QueryBoolean):
        return _TRUE if results else _FALSE
    assert isinstance(results, QuerySolutions)
    names = [variable.value for variable in results.variables]
    return frozenset(solution((name, row[name]) for name in names) for row in results)


def _from_graph(iri: str) -> Solutions:
    """A result set written as RDF."""
    store: Any = Store()
    store.extend(Quad(triple.subject, triple.predicate, triple.object) for triple in triples(iri))
    answers = list(store.quads_for_pattern(None, NamedNode(_RS + "boolean"), None))
    if answers:
        return _TRUE if answers[0].object.value in ("true", "1") else _FALSE
    rows = [quad.object for quad in store.quads_for_pattern(None, NamedNode(_RS + "solution"), None)]
    return frozenset(solution(_bindings(store, row)) for row in rows)


def _bindings(store: Any, row: Any) -> Iterator[tuple[str, Any]]:
    for quad in store.quads_for_pattern(row, NamedNode(_RS + "binding"), None):
        (name,) = store.quads_for_pattern(quad.object, NamedNode(_RS + "variable"), None)
        (value,) = store.quads_for_pattern(quad.object, NamedNode(_RS + "value"), None)
        yield name.object.value, value.object


def equal(first: Solutions, second: Solutions) -> bool:
    """Whether the sets are the same but for the names of blank nodes."""
    if len(first) != len(second):
        return False
    return _match(sorted(first, key=_rarity), set(second), {})


def _rarity(row: Solution) -> tuple[int, list[str]]:
    """Solutions with few blank nodes first: they say most about the others."""
    return sum(isinstance(term, BlankNode) for _, term in row), sorted(f"{name} {_shape(term)}" for name, term in row)


def _shape(term: Any) -> str:
    return "_:" if isinstance(term, BlankNode) else str(term)


def _match(rows: list[Solution], others: set[Solution], names: dict[Any, Any]) -> bool:
    """Whether ``rows`` can be paired with ``others`` by a renaming, one to one, that extends ``names``."""
    if not rows:
        return not others
    for other in others:
        extended = _renaming(rows[0], other, names)
        if extended is not None and _match(rows[1:], others - {other}, extended):
            return True
    return False


def _renaming(row: Solution, other: Solution, names: dict[Any, Any]) -> dict[Any, Any] | None:
    left, right = dict(row), dict(other)
    if left.keys() != right.keys():
        return None
    extended = dict(names)
    for name, term in left.items():
        if not _pair(term, right[name], extended):
            return None
    return extended


def _pair(term: Any, other: Any, names: dict[Any, Any]) -> bool:
    """Whether two terms can be the same; a new pair of blank nodes is put into ``names``."""
    if isinstance(term, Triple) and isinstance(other, Triple):
        parts = zip(term, other, strict=True)
        return all(_pair(part, another, names) for part, another in parts)
    if not (isinstance(term, BlankNode) and isinstance(other, BlankNode)):
        return bool(term == other)
    if term not in names and other not in names.values():
        names[term] = other
    return bool(names.get(term) == other)
