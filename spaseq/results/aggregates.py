"""Aggregates over matches (SEMANTICS 3.4): one value for each group of rows, over its bound values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyoxigraph
from numpy.typing import NDArray

from gpm.algebra import Aggregate
from gpm.spread import spread
from gpm.terms import decode, ox_term, term_bytes
from nfa_native.joins.totals import ranks
from nfa_native.terms.words import Terms
from spaseq.errors import QueryError
from spaseq.results.exact import of_exact

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]

_ORDERED = frozenset({"FIRST", "LAST", "SAMPLE", "GROUP_CONCAT"})
_GROUP = pyoxigraph.NamedNode("urn:group")
_VALUE = pyoxigraph.NamedNode("urn:value")
_QUERY = "SELECT ?group ({}(?value) AS ?result) {{ ?row <urn:group> ?group ; <urn:value> ?value }} GROUP BY ?group"


def aggregate(function: Aggregate, values: Words, groups: Numbers, order: Numbers, number: int, terms: Terms) -> Words:
    """``uint64[number]``: the aggregate of the bound ``values[i]`` in each of the groups 0 … number − 1.

    ``groups[i]`` is the group of ``values[i]``, ``order[i]`` the place of its match in time: FIRST, LAST, SAMPLE (the
    first) and GROUP_CONCAT follow it, among equals the bytes of the terms, so that the result depends on nothing else.
    Of none: COUNT, SUM and AVG are 0, the others unbound; of what SPARQL cannot add up: unbound (gpm/spread.py).
    """
    bound = values != 0
    values, groups, order = values[bound], groups[bound], order[bound]
    if function.function in _ORDERED:
        chosen = np.lexsort((_ranks(values, terms), order))
        values, groups = values[chosen], groups[chosen]
    if function.distinct:
        _, chosen = np.unique(np.stack([groups.view(np.uint64), values]), axis=1, return_index=True)
        chosen.sort()
        values, groups = values[chosen], groups[chosen]
    match function.function:
        case "COUNT":
            return integers(np.bincount(groups, minlength=number), terms)
        case "SUM" | "AVG" | "MIN" | "MAX":
            return _of_numbers(function.function, values, groups, number, terms)
        case "STDEV" | "VARIANCE" | "MEDIAN":
            return _spread(function.function, values, groups, number, terms)
        case "FIRST" | "SAMPLE":
            return _last(values[::-1], groups[::-1], number)
        case "LAST":
            return _last(values, groups, number)
        case "GROUP_CONCAT":
            separator = " " if function.separator is None else function.separator
            return _concatenate(values, groups, number, terms, separator)
    raise QueryError(f"{function.function} cannot range over matches")


def integers(numbers: Numbers, terms: Terms) -> Words:
    """The words of xsd:integers."""
    return np.array([terms.integer(number) for number in numbers.tolist()], np.uint64)


def _ranks(values: Words, terms: Terms) -> Numbers:
    """The place of each value in the order of the terms' bytes."""
    distinct, places = np.unique(values, return_inverse=True)
    texts = [terms.bytes(word) for word in distinct.tolist()]
    ranks = np.empty(len(texts), np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks[places.reshape(-1)]


def _last(values: Words, groups: Numbers, number: int) -> Words:
    result = np.zeros(number, np.uint64)
    result[groups] = values  # the last assignment stays
    return result


def _concatenate(values: Words, groups: Numbers, number: int, terms: Terms, separator: str) -> Words:
    parts: list[list[str]] = [[] for _ in range(number)]
    failed = {-1}
    for value, group in zip(values.tolist(), groups.tolist(), strict=True):
        term = decode(terms, value)
        if isinstance(term, pyoxigraph.NamedNode | pyoxigraph.Literal):
            parts[group].append(term.value)
        else:
            failed.add(group)  # STR of a blank node is an error
    texts = (separator.join(part) for part in parts)
    words = [
        terms.intern_transient(b"S" + text.encode()) if part and group not in failed else 0
        for group, (part, text) in enumerate(zip(parts, texts, strict=True))
    ]
    return np.array(words, np.uint64)


def _spread(name: str, values: Words, groups: Numbers, number: int, terms: Terms) -> Words:
    members: list[list[object]] = [[] for _ in range(number)]
    for value, group in zip(values.tolist(), groups.tolist(), strict=True):
        members[group].append(decode(terms, value))
    found = [spread(name, some) for some in members]
    return np.array([0 if one is None else terms.intern_transient(term_bytes(one)) for one in found], np.uint64)


def _of_numbers(name: str, values: Words, groups: Numbers, number: int, terms: Terms) -> Words:
    """Exactly where all values of a group are integers and decimals, else as SPARQL does it."""
    distinct, places = np.unique(values, return_inverse=True)
    rank = ranks(terms, distinct)
    members: list[list[int | None]] = [[] for _ in range(number)]
    for place, group in zip(places.reshape(-1).tolist(), groups.tolist(), strict=True):
        members[group].append(rank[place])
    exact = [[one for one in some if one is not None] for some in members]
    others = np.array([len(one) < len(some) for one, some in zip(exact, members, strict=True)], np.bool_)
    result = np.array(
        [0 if other else of_exact(name, one, terms) for one, other in zip(exact, others.tolist(), strict=True)],
        np.uint64,
    )
    if others.any():
        theirs = others[groups]
        result[others] = _by_sparql(name, values[theirs], groups[theirs], number, terms)[others]
    return result


def _by_sparql(name: str, values: Words, groups: Numbers, number: int, terms: Terms) -> Words:
    """All groups in one query, so that numbers add up and compare exactly as SPARQL says."""
    result = np.zeros(number, np.uint64)
    store = pyoxigraph.Store()
    store.bulk_extend(_rows(values, groups, terms))
    for solution in store.query(_QUERY.format(name)):  # type: ignore[union-attr]
        value = solution["result"]
        result[int(solution["group"].value)] = terms.intern_transient(term_bytes(value)) if value is not None else 0
    return result


def _rows(values: Words, groups: Numbers, terms: Terms) -> Iterator[pyoxigraph.Quad]:
    """Every row a node of its own, so that equal values count as often as they come."""
    values_of = {word: ox_term(terms.bytes(word)) for word in set(values.tolist())}
    for number, (value, group) in enumerate(zip(values.tolist(), groups.tolist(), strict=True)):
        row = pyoxigraph.BlankNode(f"r{number}")
        yield pyoxigraph.Quad(row, _GROUP, pyoxigraph.Literal(group))
        yield pyoxigraph.Quad(row, _VALUE, values_of[value])
