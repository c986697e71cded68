"""Random formulas, dense in filters that are about several events; and small streams for them."""

from __future__ import annotations

from random import Random

from spaseq.pattern.formulas.predicates import Attribute, Comparison, Constant
from spaseq.pattern.formulas.query import (
    AllOf,
    Alternation,
    AnyOf,
    Filter,
    Filtered,
    ForAll,
    Formula,
    Iteration,
    Named,
    Relation,
    Sequencing,
    Unordered,
    bound,
)
from tests.language.ceql.meaning import Event


def random_formula(rng: Random, depth: int) -> Formula:
    """A formula of that depth; the filters are about variables that it binds."""
    if depth == 0:
        relation = Relation(rng.choice("AB"))
        return Named(relation, rng.choice("xy")) if rng.random() < 0.7 else relation
    body = random_formula(rng, depth - 1)
    kind = rng.choices(("as", "filter", "or", "step", "all", "plus"), (1, 3, 1, 3, 2, 0 if is_all(body) else 1))[0]
    match kind:
        case "as":
            return Named(body, rng.choice("xyA"))
        case "filter":
            return Filtered(body, random_filter(rng, sorted(bound(body)), 2))
        case "or":
            return Alternation(body, random_formula(rng, rng.randrange(depth)))
        case "plus":
            return Iteration(body, rng.random() < 0.3)
    other = random_formula(rng, rng.randrange(depth))
    left, right = (body, other) if rng.random() < 0.5 else (other, body)
    return Unordered(left, right) if kind == "all" else Sequencing(left, right, rng.random() < 0.3)


def is_all(formula: Formula) -> bool:
    """Whether a formula is an ALL, perhaps named or filtered: `+` may not stand on it."""
    return isinstance(formula, Unordered) or (isinstance(formula, Named | Filtered) and is_all(formula.body))


def random_filter(rng: Random, names: list[str], depth: int) -> Filter:
    """A filter about some of the names."""
    if depth and rng.random() < 0.5:
        parts = tuple(random_filter(rng, names, depth - 1) for _ in range(2))
        return AllOf(parts) if rng.random() < 0.5 else AnyOf(parts)
    operator, first, second = rng.choice(("<", "=", "!=")), rng.choice(names), rng.choice(names)
    if rng.random() < 0.4:
        return ForAll((first,), Comparison(operator, Attribute("p", first), Constant(rng.randrange(3))))
    predicate = Comparison(operator, Attribute("p", first), Attribute("q", second))
    return ForAll(tuple(dict.fromkeys((first, second))), predicate)


def random_stream(rng: Random) -> list[Event]:
    """Up to five events with small numbers."""
    return [(rng.choice("AB"), {"p": rng.randrange(3), "q": rng.randrange(3)}) for _ in range(rng.randrange(2, 6))]
