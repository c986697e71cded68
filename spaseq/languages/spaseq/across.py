"""What filters of one side of ``X && Y`` see of the others: they are tested on the union (semantics.md 3.6)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from gpm import algebra
from spaseq.languages.spaseq.checks import NONE, Names, binds
from spaseq.pattern.sequences import (
    AnyOrder,
    Atom,
    Conjunction,
    Disjunction,
    Kleene,
    Optional,
    Sequence,
    SequenceExpression,
)

Variables = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Around:
    """One && around an atom: what nothing but the atom's own side binds, and what all sides bind."""

    own: Names
    all: Names

    def seen(self, names: Names) -> Names:
        """What a filter that reads ``names``, and its GPM does not bind, sees of the sides: all, if it is across."""
        return self.all if (names & self.all) - self.own else NONE


def seen_across(filter_: algebra.Expression, scope: Collection[str], around: Collection[Around]) -> Names:
    """What the sides bind for a filter of a GPM with ``scope`` that has these && around it; nothing if none is across.

    Errs on the side of too much: who reads a variable of another side need not be across, if it is bound before.
    """
    parts = algebra.subexpressions(filter_)
    names = frozenset(part.name for part in parts if isinstance(part, algebra.Variable)).difference(scope)
    return NONE.union(*(one.seen(names) for one in around))


def around_atoms(expression: SequenceExpression, variables: Variables) -> Mapping[str, Collection[Around]]:
    """The && around each atom, in all of its places but negated ones; ``variables`` are those in scope in each."""
    found: defaultdict[str, set[Around]] = defaultdict(set)
    for name, around in _around(expression, (), variables):
        found[name].update(around)
    return found


def _around(
    node: SequenceExpression, around: tuple[Around, ...], variables: Variables
) -> Iterator[tuple[str, tuple[Around, ...]]]:
    match node:
        case Atom(name):
            yield name, around
        case Sequence(left, _, right) | Conjunction(left, right) | Disjunction(left, right):
            yield from _around(left, around, variables)
            yield from _around(right, around, variables)
        case Kleene(body) | Optional(body):
            yield from _around(body, around, variables)
        case AnyOrder(sides):
            bound = [binds(side, variables) for side in sides]
            count = Counter(chain.from_iterable(bound))
            together = frozenset(count)
            for side, names in zip(sides, bound, strict=True):
                own = frozenset(name for name in names if count[name] == 1)
                yield from _around(side, (*around, Around(own, together)), variables)
