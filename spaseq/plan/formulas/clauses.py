"""What a filter on several variables asks, clause by clause: comparisons of two values, and all the rest.

Equalities that all events of every match share are partitions instead of filters: ``FILTER b[key = a.key] AND
c[key = a.key]`` joins all three events of ``a ; b ; c``.  Matches are those of the events with one key, each key on its
own, and nothing is left to compare.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from spaseq.pattern.formulas.predicates import (
    And,
    Attribute,
    Comparison,
    Predicate,
    Value,
    attributes,
    conjunction,
    local,
    local_value,
    normal,
)
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
    Pick,
    Relation,
    Sequencing,
    Unordered,
    parts,
)

_TURNED = {">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Compared:
    """``left operator right`` with one of ``= != < <=``, of all events of one variable and all of another.

    The values are those of an event by itself; ``written`` is the comparison as it stands.
    """

    operator: str
    variables: tuple[str, str]
    left: Value
    right: Value
    written: Predicate

    def value(self, variable: str) -> Value:
        """The side of one of the variables."""
        return self.left if variable == self.variables[0] else self.right


@dataclass(frozen=True, slots=True)
class Asked:
    """A predicate on one event of each of the variables, whatever it is made of, for all choices of them."""

    variables: tuple[str, ...]
    predicate: Predicate


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """What ``asked`` implies of all but its last variable: a ``value`` of theirs, compared with ``bound`` of the last.

    ``operator`` is one of ``< <= =``, with the value to the left (``is_left``) or the right of it.  ``bound`` is of an
    event by itself.
    """

    asked: Asked
    operator: str
    variables: tuple[str, ...]
    value: Value
    last: str
    bound: Value
    is_left: bool

    @property
    def written(self) -> Predicate:
        """The comparison as it stands."""
        return self.asked.predicate


Clause = Compared | Asked


def clauses(condition: ForAll, texts: frozenset[str]) -> Iterator[Clause]:
    """The filter's clauses, all of which must hold; ``texts`` are the attributes that have texts."""
    for part in _parts(normal(condition.predicate)):
        yield _compared(part, condition, texts) or Asked(condition.variables, part)


def _compared(part: Predicate, condition: ForAll, texts: frozenset[str]) -> Compared | None:
    """The clause as a comparison of two values, each of one variable; None if it is none."""
    if not isinstance(part, Comparison) or len(condition.variables) != 2:
        return None
    left, right, operator = part.left, part.right, part.operator
    if operator in _TURNED:
        left, right, operator = right, left, _TURNED[operator]
    names = [{attribute.variable or "" for attribute in attributes(side)} for side in (left, right)]
    if [len(some) for some in names] != [1, 1] or set.union(*names) != set(condition.variables):
        return None
    if operator in ("<", "<=") and any(attribute.name in texts for attribute in attributes(part)):
        return None
    (first,), (second,) = names
    own = local(Comparison(operator, left, right))
    assert isinstance(own, Comparison)
    return Compared(operator, (first, second), own.left, own.right, part)


def joined(asked: Asked) -> Joined | None:
    """The clause as a comparison of a number of several variables with one of another; None if it is none."""
    part = asked.predicate
    if not isinstance(part, Comparison) or part.operator == "!=":
        return None
    left, right, operator = part.left, part.right, part.operator
    if operator in _TURNED:
        left, right, operator = right, left, _TURNED[operator]
    names = [tuple(dict.fromkeys(attribute.variable or "" for attribute in attributes(side))) for side in (left, right)]
    if sorted(map(len, names)) != [1, len(asked.variables) - 1] or set(names[0]) & set(names[1]):
        return None
    is_left = len(names[0]) > 1
    value, bound = (left, right) if is_left else (right, left)
    several, (last,) = names if is_left else reversed(names)
    return Joined(asked, operator, several, value, last, local_value(bound), is_left) if len(several) > 1 else None


def _parts(predicate: Predicate) -> Iterator[Predicate]:
    """What must hold, conjunctions within conjunctions taken apart."""
    if isinstance(predicate, And):
        for part in predicate.parts:
            yield from _parts(part)
    else:
        yield predicate


# ── equalities that all events share ─────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class _Block:
    """Events of a match that have one value of an attribute.

    Each of ``variables`` surely holds one of them.  There may be ``several`` such blocks.  They are ``compared`` if an
    equality says so, and so none of them has NULL; or it is one event.
    """

    variables: frozenset[str] = frozenset()
    several: bool = False
    compared: bool = False


def common_keys(formula: Formula) -> tuple[str, ...]:
    """The attributes in which all events of every match of a formula in normal form are equal, and not NULL.

    None where one event has to follow directly on another: which one that is depends on events with other keys.
    """
    found = tuple(parts(formula))
    if any(isinstance(part, Sequencing | Iteration) and part.contiguous for part in found):
        return ()
    said = {id(part.filter): _by_name(part.filter) for part in found if isinstance(part, Filtered)}
    names = dict.fromkeys(name for each in said.values() for name in each)
    return tuple(name for name in names if _is_one(_blocks(formula, name, said)))


def _by_name(condition: Filter) -> dict[str, list[tuple[str, str]]]:
    """The pairs of variables that a filter says are equal, by attribute."""
    found: dict[str, list[tuple[str, str]]] = {}
    for one, other, name in _equalities(condition):
        found.setdefault(name, []).append((one, other))
    return found


Said = Mapping[int, Mapping[str, list[tuple[str, str]]]]  # of each filter, by its ``id``


def without_equalities(formula: Formula, keys: tuple[str, ...]) -> Formula:
    """The formula for events that are equal in ``keys``: without the filters that say so."""
    match formula:
        case Filtered(body, condition):
            body, left = without_equalities(body, keys), _left(condition, keys)
            return body if left == AllOf(()) else Filtered(body, left)
        case Sequencing(left, right) | Unordered(left, right) | Alternation(left, right):
            return replace(formula, left=without_equalities(left, keys), right=without_equalities(right, keys))
        case Iteration(body):
            return replace(formula, body=without_equalities(body, keys))
    return formula


def _is_one(blocks: list[_Block]) -> bool:
    return len(blocks) == 1 and blocks[0].compared and not blocks[0].several


def _blocks(formula: Formula, name: str, said: Said) -> list[_Block]:
    """The events of any match of a formula, by what is known of their attribute ``name``."""
    match formula:
        case Relation() | Pick():
            return [_Block(formula.variables)]
        case Named(body, variable):
            return [replace(block, variables=block.variables | {variable}) for block in _blocks(body, name, said)]
        case Filtered(body, condition):
            blocks = _blocks(body, name, said)
            for one, other in said[id(condition)].get(name, ()):
                blocks = _joined(blocks, one, other)
            return blocks
        case Sequencing(left, right) | Unordered(left, right):
            return _blocks(left, name, said) + _blocks(right, name, said)
        case Iteration(body):
            return [replace(block, several=True) for block in _blocks(body, name, said)]
        case Alternation(left, right):
            return [_either(_blocks(left, name, said), _blocks(right, name, said))]


def _joined(blocks: list[_Block], one: str, other: str) -> list[_Block]:
    """All events of one variable are equal to all of the other: so are the blocks that these have events in."""
    if not all(any(variable in block.variables for block in blocks) for variable in (one, other)):
        return blocks
    met = [block for block in blocks if block.variables & {one, other}]
    apart = [block for block in blocks if not block.variables & {one, other}]
    return [*apart, _Block(frozenset().union(*(block.variables for block in met)), compared=True)]


def _either(left: list[_Block], right: list[_Block]) -> _Block:
    """What is known of the events of whichever there are."""
    if len(left) != 1 or len(right) != 1:
        return _Block(several=True)
    (one,), (other,) = left, right
    return _Block(one.variables & other.variables, one.several or other.several, one.compared and other.compared)


def _equalities(condition: Filter) -> Iterator[tuple[str, str, str]]:
    """Two variables, and an attribute in which all events of one are equal to all of the other."""
    match condition:
        case AllOf(filters):
            for each in filters:
                yield from _equalities(each)
        case ForAll():
            for clause in clauses(condition, frozenset()):
                if isinstance(clause, Compared) and _is_equality(clause):
                    assert isinstance(clause.left, Attribute)
                    yield (*clause.variables, clause.left.name)


def _is_equality(clause: Compared) -> bool:
    return clause.operator == "=" and isinstance(clause.left, Attribute) and clause.left == clause.right


def _left(condition: Filter, keys: tuple[str, ...]) -> Filter:
    """What a filter asks besides."""
    match condition:
        case AllOf(filters):
            return AllOf(tuple(left for each in filters if (left := _left(each, keys)) != AllOf(())))
        case ForAll(variables):
            asked = [_said(clause) for clause in clauses(condition, frozenset()) if not _says(clause, keys)]
            return ForAll(variables, conjunction(*asked)) if asked else AllOf(())
        case AnyOf():
            return condition


def _says(clause: Clause, keys: tuple[str, ...]) -> bool:
    """Whether events that are equal in ``keys`` satisfy the clause."""
    if not isinstance(clause, Compared) or not _is_equality(clause):
        return False
    assert isinstance(clause.left, Attribute)
    return clause.left.name in keys


def _said(clause: Clause) -> Predicate:
    return clause.written if isinstance(clause, Compared) else clause.predicate
