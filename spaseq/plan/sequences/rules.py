"""The rows of a query with parameters as rules of one automaton (semantics.md 3.7), as far as they can share it.

A parameter in a triple pattern is planned as a variable on which events join, and each step asks the rules for that
term.  What a filter asks of parameters is asked of rules when a step is taken.  Rows that differ elsewhere go apart:
they have an automaton for each value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from gpm.algebra import (
    Aggregate,
    Element,
    Exists,
    Expression,
    Filter,
    Group,
    Iri,
    Literal,
    Operation,
    Parameter,
    Triples,
    Variable,
    subexpressions,
)
from gpm.rewrite import rewrite, walk
from gpm.scope import certain, mentioned
from nfa_native.automata.kinds import RuleTestKind, Sign
from spaseq.pattern.sequences import AtomDefinition, Construction, Query, Selection, occurrences, partly_bound
from spaseq.plan.sequences.environment import reads_parameters, rule_column
from spaseq.plan.sequences.filters import EQUALITIES, SIGNS, TURNED, conjuncts

if TYPE_CHECKING:
    from spaseq.plan.sequences.analysis import Analysis
    from spaseq.plan.sequences.liveness import Liveness, SymbolicGuard


def apart(query: Query) -> frozenset[str]:
    """The parameters by whose values rows go apart: they stand where no step can ask the rules."""
    negated = {one.name for one in occurrences(query.expression) if one.negated}
    found = set(_parameters(query.partition)) | set(_summed(_shown(query)))
    for atom in query.atoms:
        found |= _parameters(atom) if atom.name in negated else _apart_in(atom)
    return frozenset(found)


def _apart_in(atom: AtomDefinition) -> set[str]:
    """Those of a GPM: in nested groups, in filters of what may be unbound, in aggregates over iterations."""
    own, found = certain(atom.pattern), set()
    for element in atom.pattern.elements:
        match element:
            case Triples():
                continue
            case Filter(expression):
                for part in conjuncts(expression):
                    if not _is_test(part) or not mentioned(part) <= own | _parameters(part):
                        found |= _parameters(part)
            case _:
                found |= _parameters(element)
    for expression in atom.stateful:
        found |= _summed((expression,))
        found |= {name for part in conjuncts(expression) if not _is_test(part) for name in _parameters(part)}
    return found


def _is_test(expression: Expression) -> bool:
    """Whether rules can be asked for it: EXISTS sees the event alone."""
    return not any(isinstance(part, Exists) for part in subexpressions(expression))


def _summed(expressions: Iterable[Expression]) -> set[str]:
    """The parameters in aggregates, which partial matches keep."""
    parts = (part for one in expressions for part in subexpressions(one))
    return {name for part in parts if isinstance(part, Aggregate) for name in _parameters(part)}


def _shown(query: Query) -> tuple[Expression, ...]:
    form = query.form
    return () if isinstance(form, Construction) else (*(one.expression for one in form.projections), *form.having)


def _parameters(node: object) -> set[str]:
    return {one.name for one in walk(node) if isinstance(one, Parameter)}


class Planned(Protocol):
    """What is asked of the plan of a query of rules."""

    query: Query
    analysis: Analysis
    liveness: Liveness

    @property
    def match_aggregates(self) -> bool:
        """Whether SELECT or HAVING aggregates over matches."""


def why_apart(plan: Planned) -> str:
    """Why each row must have an automaton of its own; empty: it need not."""
    if plan.query.given is None:
        return "they have no parameters"
    if plan.match_aggregates:
        return "aggregates range over the matches of one row"
    if plan.analysis.by_partition:
        return "substreams count their own events"
    if plan.analysis.graph.junctions:
        return "sides of && go on from one partial match"
    if plan.analysis.is_ambiguous:
        return "a match may come about in several ways"
    if any(plan.analysis.competitors.values()):
        return "steps out of several states compete"
    if any(reads_parameters(one) for guard in _guards(plan.liveness) for one in guard.whole.filters):
        return "a negated part depends on the row"
    return ""


def _guards(liveness: Liveness) -> Iterator[SymbolicGuard]:
    return (guard for guards in liveness.guards.values() for guard in guards)


# ── a query of rules ─────────────────────────────────────────────────────────────────────────────────────
def of_rules(query: Query, values: Sequence[tuple[str, Iri | Literal]]) -> Query:
    """The query of all rows with these ``values`` of the parameters that are ``apart``: the others are of rules.

    Its GPMs ask for them in filters (``split_conjunctions`` leaves these to the steps), and what it shows has them as
    columns.
    """
    bound = partly_bound(query, dict(values))
    atoms = tuple(_asking(atom) for atom in bound.atoms)
    return replace(bound, atoms=atoms, form=_with_columns(bound.form))


def _with_columns(form: Selection | Construction) -> Selection | Construction:
    return rewrite(form, lambda part: Variable(rule_column(part.name)) if isinstance(part, Parameter) else None)


def _asking(atom: AtomDefinition) -> AtomDefinition:
    """A GPM whose pattern is the same for all rules."""
    if not _parameters(atom):
        return atom
    elements: list[Element] = []
    tests: list[Expression] = []
    for element in atom.pattern.elements:
        match element:
            case Triples():
                names = sorted(_parameters(element))
                tests = [*(_same(name) for name in names), *tests]
                elements.append(rewrite(element, _as_variable))
            case Filter(expression):
                asking = [part for part in conjuncts(expression) if _parameters(part)]
                tests += asking
                elements += [Filter(part) for part in conjuncts(expression) if part not in asking]
            case _:
                elements.append(element)
    named = sorted({name for one in atom.pattern.elements if isinstance(one, Triples) for name in _parameters(one)})
    variables = tuple(dict.fromkeys((*atom.variables, *named)))
    return replace(atom, pattern=Group(tuple(elements)), variables=variables, stateful=(*tests, *atom.stateful))


def _as_variable(part: object) -> object | None:
    return Variable(part.name) if isinstance(part, Parameter) else None


def _same(name: str) -> Expression:
    return Operation("SAMETERM", (Variable(name), Parameter(name)))


# ── what steps ask ───────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class RuleQuestion:
    """What a filter asks of one parameter: how it stands to a value that is the same for all rules."""

    kind: RuleTestKind
    parameter: str
    value: Expression
    sign: Sign = Sign.LESS


def question_of(filter_: Expression) -> RuleQuestion | None:
    """What a filter with parameters asks, if it is of one alone and no more than to compare it."""
    match filter_:
        case Operation(name, (value, Parameter(parameter))) if not reads_parameters(value):
            return _question(name, parameter, value)
        case Operation(name, (Parameter(parameter), value)) if not reads_parameters(value):
            return _question(TURNED.get(name, name), parameter, value)
        case _:
            return None


def _question(name: str, parameter: str, value: Expression) -> RuleQuestion | None:
    """``name`` is the operation with the parameter on its right."""
    if name in EQUALITIES:
        kind = RuleTestKind.SAME if name == "SAMETERM" else RuleTestKind.EQUAL
        return RuleQuestion(kind, parameter, value)
    return RuleQuestion(RuleTestKind.COMPARED, parameter, value, SIGNS[TURNED[name]]) if name in SIGNS else None


def as_column(part: object) -> object | None:
    """A parameter as the register that has a rule's term."""
    return Variable(rule_column(part.name)) if isinstance(part, Parameter) else None


def rule_order(liveness: Liveness) -> tuple[str, ...]:
    """The parameters of rules, by which these are sorted: first those that must equal something."""
    assert liveness.analysis.query.given is not None
    filters = [one for step in liveness.kept_steps.values() for one in step.filters if reads_parameters(one)]
    found = (question_of(one) for one in filters)
    asked = sorted((one for one in found if one is not None), key=lambda one: one.kind)
    return tuple(dict.fromkeys((*(one.parameter for one in asked), *liveness.analysis.query.given.names)))
