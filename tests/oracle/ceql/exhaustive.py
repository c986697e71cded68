"""Small worlds without chance: all formulas of a few operators, all streams of a few events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from types import MappingProxyType

from .generate import SECOND
from .model import (
    STRATEGIES,
    All,
    As,
    Contiguous,
    ContiguousKleene,
    Event,
    Filter,
    FilterOn,
    Formula,
    Kleene,
    Or,
    Query,
    Relation,
    Sequence,
    has_all,
    parts,
    walk_formulas,
)
from .predicates import Attribute, Comparison, Value

UNARY = (Kleene, ContiguousKleene)
BINARY = (Sequence, Contiguous, Or)
WITH_ALL = (*BINARY, All)
VARIABLES = "xyzuvw"


def formulas(operators: int = 2, types: str = "AB", any_order: bool = False) -> Iterator[Formula]:
    """All formulas of at most so many of `; : OR + :+`, or those with ALL; of those that differ in types only, one."""
    for count in range(operators + 1):
        for shape in _shapes(count, WITH_ALL if any_order else BINARY):
            if has_all(shape) != any_order:
                continue
            for names in product(types, repeat=_size(shape)):
                firsts = list(dict.fromkeys(names))
                if firsts == list(types)[: len(firsts)]:
                    yield _filled(shape, [Relation(name) for name in names])


def labelled(formula: Formula) -> Formula:
    """The formula with its relations named x, y, z, … in order of mention."""
    relations = [part for part in walk_formulas(formula) if isinstance(part, Relation)]
    return _filled(formula, [As(part, name) for part, name in zip(relations, VARIABLES, strict=False)])


def correlated(operators: int = 2, types: str = "AB", any_order: bool = False) -> Iterator[Formula]:
    """All formulas of two relations or more with one FILTER on the whole that compares two of them."""
    for formula in formulas(operators, types, any_order):
        for left, right in product(VARIABLES[: _size(formula)], repeat=2):
            if left != right:
                for operator in ("<", "="):
                    predicate = Comparison(operator, Attribute("value"), Attribute("value", right))
                    yield Filter(labelled(formula), FilterOn(left, predicate))


def queries(of: Iterable[Formula], consume: Iterable[str] = ("NONE",)) -> Iterator[Query]:
    """For every formula every strategy, with `*` and with the formula's first name only."""
    policies = tuple(consume)
    for formula in of:
        first = next(part.name for part in walk_formulas(formula) if isinstance(part, Relation))
        for strategy, select, policy in product(STRATEGIES, (None, (first,)), policies):
            yield Query(formula, select, strategy, consume=policy)


def streams(
    events: int = 3, types: str = "AB", values: tuple[Value, ...] = (0,), gaps: tuple[int, ...] = (1,)
) -> Iterator[tuple[Event, ...]]:
    """All streams of 1 to `events` events, each of a type, a value and so many seconds after the one before."""
    kinds = list(product(types, values, gaps))
    for count in range(1, events + 1):
        for chosen in product(kinds, repeat=count):
            if chosen[0][2] == gaps[0]:
                yield tuple(_stream(chosen))


def _stream(chosen: Iterable[tuple[str, Value, int]]) -> Iterator[Event]:
    time = 0
    for kind, value, gap in chosen:
        time += gap * SECOND
        yield Event(kind, time, MappingProxyType({"value": value}))


def _shapes(count: int, signs: Iterable[type[Or | All | Sequence | Contiguous]]) -> Iterator[Formula]:
    """All formulas of exactly so many operators, every relation named alike."""
    if count == 0:
        yield Relation("")
        return
    for body in _shapes(count - 1, signs):
        if not isinstance(body, All):
            yield from (unary(body) for unary in UNARY)
    for size in range(count):
        for left, right in product(_shapes(size, signs), _shapes(count - 1 - size, signs)):
            yield from (binary(left, right) for binary in signs)


def _size(formula: Formula) -> int:
    """The number of relations."""
    return sum(isinstance(part, Relation) for part in walk_formulas(formula))


def _filled(shape: Formula, leaves: list[Formula]) -> Formula:
    """The formula with its relations replaced in order."""
    match shape:
        case Relation():
            return leaves[0]
        case Or() | All() | Sequence() | Contiguous():
            size = _size(shape.left)
            return type(shape)(_filled(shape.left, leaves[:size]), _filled(shape.right, leaves[size:]))
        case Kleene() | ContiguousKleene():
            return type(shape)(_filled(parts(shape)[0], leaves))
    raise ValueError(f"not a shape: {shape}")
