"""``?x = PREV(?x)``: a join of an iteration with the one before, where IRIs are equal exactly if their words are.

``=`` compares values: 1 and 1.0 are equal, but they are two terms.  So iterations join on a hidden variable that has
the value of ?x if it is an IRI, and else none, which joins with anything; the filter itself is tested as ever.
"""

from __future__ import annotations

from dataclasses import replace

from gpm.algebra import Bind, Expression, Group, Operation, Previous, Variable
from gpm.scope import certain
from spaseq.pattern.sequences import AtomDefinition

SUFFIX = "_as_before"
EQUALITIES = ("=", "SAMETERM")
NOTHING = Variable("nothing" + SUFFIX)


def join_iterations(definition: AtomDefinition) -> AtomDefinition:
    """The GPM with a hidden variable for each of its variables that a filter wants as it was one iteration before."""
    own = certain(definition.pattern)
    names = dict.fromkeys(name for one in definition.stateful for name in sorted(_equal(one, own)))
    binds = tuple(Bind(_iri(name), Variable(name + SUFFIX)) for name in names)
    if not binds:
        return definition
    hidden = tuple(name + SUFFIX for name in names)
    pattern = Group((*definition.pattern.elements, *binds))
    return replace(definition, pattern=pattern, variables=definition.variables + hidden)


def as_before(definition: AtomDefinition) -> tuple[str, ...]:
    """The hidden variables that ``join_iterations`` gave."""
    return tuple(name for name in definition.variables if name.endswith(SUFFIX))


def _iri(name: str) -> Expression:
    return Operation("IF", (Operation("ISIRI", (Variable(name),)), Variable(name), NOTHING))


def _equal(expression: Expression, own: frozenset[str]) -> frozenset[str]:
    """Variables that are equal IRIs if the filter holds, and they and their values before are IRIs.

    ``own`` are variables that the GPM always binds: if one of them has no value before, no other of them has.
    """
    match expression:
        case Operation(name, (Variable(x), Previous(Variable(y))) | (Previous(Variable(x)), Variable(y))) if (
            name in EQUALITIES and x == y
        ):
            return frozenset({x})
        case Operation("&&", (left, right)):
            return _equal(left, own) | _equal(right, own)
        case Operation("COALESCE", (first, *_)):
            return _equal(first, own)
        case Operation("||", (Operation("!", (Operation("BOUND", (Previous(Variable(y)),)),)), rest)):
            return frozenset(x for x in _equal(rest, own) if x == y or {x, y} <= own)
        case _:
            return frozenset()
