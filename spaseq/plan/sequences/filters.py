"""Filters where they belong: to one event, to a step's alternatives (BOps), to iterations, and to what a match keeps.

``FILTER(a && b)`` is ``FILTER(a) FILTER(b)``: what of it the event alone decides is tested on the event alone.

``?x = PREV(?x)`` is a join of an iteration with the one before, where IRIs are equal exactly if their words are.  ``=``
compares values: 1 and 1.0 are equal, but they are two terms.  So iterations join on a hidden variable that has the
value of ?x if it is an IRI, and else none, which joins with anything; the filter itself is tested as ever.

A partial match keeps of a filter its largest arithmetic parts that no event to come has a say in (how-it-works.md).
For ``?vb + ?vc < ?vd`` a match of B and C keeps one number, the sum.  A part that cannot be computed is kept unbound,
which is the same to every filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from gpm.algebra import (
    Aggregate,
    Bind,
    Exists,
    Expression,
    Filter,
    Group,
    Operation,
    Parameter,
    Previous,
    Variable,
    subexpressions,
)
from gpm.printing import print_expression
from gpm.scope import certain
from nfa_native.automata.kinds import Sign
from spaseq.errors import QueryError
from spaseq.pattern.sequences import Atom, AtomDefinition, Conjunction, Disjunction, SequenceExpression
from spaseq.plan.sequences.environment import (
    aggregate_value,
    cell,
    columns_read,
    first_iteration,
    previous,
    reads_parameters,
    variables_of,
)

SIGNS = {"<": Sign.LESS, "<=": Sign.LESS_EQUAL, ">": Sign.GREATER, ">=": Sign.GREATER_EQUAL}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


# ── conjunctions ─────────────────────────────────────────────────────────────────────────────────────────
def split_conjunctions(definition: AtomDefinition) -> AtomDefinition:
    """A GPM whose stateful filters are no conjunctions; parts that the event alone decides stand in its pattern.

    Those read variables that every solution of the pattern binds: another one may have a value from an earlier event.
    """
    parts = [part for one in definition.stateful for part in conjuncts(one)]
    own = certain(definition.pattern)
    static = tuple(Filter(part) for part in parts if _reads_only(part, own))
    stateful = tuple(part for part in parts if not _reads_only(part, own))
    return replace(definition, pattern=Group((*definition.pattern.elements, *static)), stateful=stateful)


def conjuncts(expression: Expression) -> Iterator[Expression]:
    """The parts of ``a && b && …``."""
    if isinstance(expression, Operation) and expression.name == "&&":
        for part in expression.arguments:
            yield from conjuncts(part)
    else:
        yield expression


def _reads_only(expression: Expression, variables: frozenset[str]) -> bool:
    """Whether an expression reads no other variables, and nothing of earlier events (EXISTS is left where it is)."""
    parts = list(subexpressions(expression))
    if any(isinstance(part, Aggregate | Previous | Exists | Parameter) for part in parts):
        return False
    return {part.name for part in parts if isinstance(part, Variable)} <= variables


# ── equality with the iteration before ───────────────────────────────────────────────────────────────────
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


# ── BOps: a step's alternatives, each a choice of one event for several atoms ────────────────────────────
MOST_ALTERNATIVES = 256


def alternatives(body: SequenceExpression) -> tuple[tuple[str, ...], ...]:
    """The GPM names of each way to match a BOp: the disjunction of conjunctions that it is."""
    match body:
        case Atom(name):
            return ((name,),)
        case Disjunction(left, right):
            return tuple(dict.fromkeys(alternatives(left) + alternatives(right)))
        case Conjunction(left, right):
            pairs = [a + b for a in alternatives(left) for b in alternatives(right)]
            if len(pairs) > MOST_ALTERNATIVES:
                raise QueryError(f"a conjunction has more than {MOST_ALTERNATIVES} alternatives")
            return tuple(dict.fromkeys(pairs))
        case _:
            raise TypeError(f"{type(body).__name__} is no BOp")


@dataclass(frozen=True, slots=True)
class ReferenceScope:
    """How a filter at some place reads PREV, FIRST and aggregates.

    ``innermost`` is the innermost Kleene that owns a group variable; ``enclosing`` the Kleenes around the place;
    ``first`` those of them that are in their first iteration.
    """

    innermost: Mapping[str, int]
    enclosing: tuple[int, ...]
    first: frozenset[int]

    def resolve(self, expression: Expression) -> Expression:
        """The filter over plain and hidden columns only."""
        match expression:
            case Previous(Variable(name)):
                return Variable(previous(name))
            case Aggregate(function="FIRST", argument=Variable(name)) if self.innermost.get(name) in self.enclosing:
                inside = self.innermost[name] in self.first
                return Variable(name if inside else first_iteration(name))
            case Aggregate():
                return aggregate_value(expression)
            case Operation(name, arguments):
                return Operation(name, tuple(self.resolve(one) for one in arguments))
            case _:
                return expression


def hoist_exists(definition: AtomDefinition) -> AtomDefinition:
    """Move EXISTS out of stateful filters: it sees the event alone, so its value is a column of the event's rows."""
    found: list[Exists] = []

    def replace(expression: Expression) -> Expression:
        match expression:
            case Exists():
                found.append(expression)
                return Variable(f"exists{len(found)}_{definition.name}")
            case Operation(name, arguments):
                return Operation(name, tuple(replace(one) for one in arguments))
            case _:
                return expression

    stateful = tuple(replace(one) for one in definition.stateful)
    names = tuple(f"exists{number}_{definition.name}" for number in range(1, len(found) + 1))
    binds = tuple(Bind(one, Variable(name)) for one, name in zip(found, names, strict=True))
    pattern = Group((*definition.pattern.elements, *binds))
    return AtomDefinition(definition.name, definition.stream, pattern, definition.variables + names, stateful)


# ── what a partial match keeps of a filter ───────────────────────────────────────────────────────────────
ARITHMETIC = frozenset("+-*/")


def kept_parts(filter_: Expression) -> Iterator[Expression]:
    """The parts of a filter over ``c:`` and ``r:`` that a partial match keeps, over plain columns."""
    match filter_:
        case Operation(name, arguments):
            if name in ARITHMETIC and is_kept(filter_):
                yield plain(filter_)
            else:
                for one in arguments:
                    yield from kept_parts(one)
        case _:
            yield from plain_columns(filter_)


def is_kept(expression: Expression) -> bool:
    """Whether it reads columns of the partial match, and nothing else."""
    names = set(variables_of(expression))
    return bool(names) and all(name.startswith("c:") for name in names) and not reads_parameters(expression)


def plain_columns(expression: Expression) -> Iterator[Expression]:
    """Each column of the partial match that an expression reads."""
    return (Variable(name) for name in columns_read(expression))


def plain(expression: Expression) -> Expression:
    """An expression over ``c:`` as one over plain columns."""
    match expression:
        case Variable(name):
            return Variable(name[2:])
        case Operation(name, arguments):
            return Operation(name, tuple(plain(one) for one in arguments))
        case _:
            return expression


def name_of(part: Expression) -> str:
    """The name of the column that keeps a part."""
    return part.name if isinstance(part, Variable) else print_expression(part)


def use_kept(expression: Expression, kept: Iterable[Expression]) -> Expression:
    """The expression over ``c:`` and ``r:`` with what is kept in place of what it is computed from."""
    names: dict[Expression, str] = {part: name_of(part) for part in kept if not isinstance(part, Variable)}

    def use(one: Expression) -> Expression:
        if not isinstance(one, Operation):
            return one
        if one.name in ARITHMETIC and is_kept(one) and plain(one) in names:
            return cell(names[plain(one)])
        return Operation(one.name, tuple(use(argument) for argument in one.arguments))

    return use(expression) if names else expression
