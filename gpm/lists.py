"""Lists of terms as text, for aggregates over iterations that need all values: functions for pyoxigraph.

A list is a string: its terms in N-Triples, a line end before each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from gpm.dispersion import SPREADS, spread

Function = Callable[..., NamedNode | BlankNode | Literal | Triple | None]
APPENDED = "<urn:spaseq:appended>"  # of a list and a term: the list with the term at its end


def list_function(function: str, distinct: bool) -> str:
    """The name of the function that computes an aggregate of a list."""
    return f"<urn:spaseq:{function}{'-DISTINCT' * distinct}>"


def aggregate_of(name: str) -> tuple[str, bool] | None:
    """The aggregate that a function of lists computes, and whether of different terms; None: it is no such function."""
    if not name.startswith("<urn:spaseq:") or name == APPENDED:
        return None
    function, _, distinct = name[len("<urn:spaseq:") : -1].partition("-")
    return function, bool(distinct)


def _appended(held: Literal, term: object) -> Literal:
    return Literal(f"{held.value}\n{term}")


def _count_distinct(held: Literal) -> Literal:
    return Literal(len(set(_lines(held))))


def _spread(function: str, distinct: bool, held: Literal) -> Literal | None:
    lines = _lines(held)
    return spread(function, [_term(line) for line in (set(lines) if distinct else lines)])


def _lines(held: Literal) -> list[str]:
    return held.value.split("\n")[1:]


def _term(line: str) -> pyoxigraph.Literal | None:
    """The literal of a line that has a datatype, and so may be a number."""
    text, quote, datatype = line.rpartition('"^^<')
    return Literal(text[1:], datatype=NamedNode(datatype[:-1])) if quote else None


_NAMED: list[tuple[str, Function]] = [
    (APPENDED, _appended),
    (list_function("COUNT", True), _count_distinct),
    *((list_function(one, distinct), partial(_spread, one, distinct)) for one in SPREADS for distinct in (False, True)),
]
FUNCTIONS: dict[NamedNode, Function] = {NamedNode(name.strip("<>")): function for name, function in _NAMED}
