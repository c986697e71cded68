"""Which rows of a query with parameters one recognizer can run, and what each of them asks of an event.

A row is a rule: all rules have one automaton.  What an atom asks of an event is split: a part without parameters, which
is asked once, and a condition made of tests, comparisons with a parameter, which hold for some of the rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from nfa_native.automata.kinds import BOTH, EITHER, MOST_ATOMS
from spaseq.pattern.formulas.parameters import Placeholder
from spaseq.pattern.formulas.predicates import (
    And,
    Attribute,
    Comparison,
    Constant,
    Or,
    Predicate,
    Value,
    attributes,
    conjunction,
    normal,
)
from spaseq.pattern.formulas.query import Consumption, FormulaQuery, TimeWindow
from spaseq.plan.formulas.automaton import EventKind, RecognitionPlan, why_whole

_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class ParameterTest:
    """``value operator`` the constant of a rule for ``parameter``; the value has none."""

    value: Value
    operator: str
    parameter: str


Test = ParameterTest | Predicate  # a predicate is a literal that holds for all rules alike


@dataclass(frozen=True, slots=True)
class RuleConditions:
    """The ``atoms`` without what parameters ask, and for each of them a condition made of ``tests``, in postfix.

    A condition has the numbers of tests, BOTH and EITHER; an empty one holds for all rules.
    """

    atoms: tuple[EventKind, ...]
    tests: tuple[Test, ...]
    conditions: tuple[tuple[int, ...], ...]


def why_apart(query: FormulaQuery, plan: RecognitionPlan) -> str | None:
    """Why one recognizer cannot run the rows of a query with parameters; None: it can."""
    if query.aggregates:
        return "there are aggregates"
    if _mentions((plan.measured, plan.asked, plan.computed)):
        return "events are compared by a parameter"
    if query.lengths and (not isinstance(query.window, TimeWindow) or plan.automaton.correlation is not None):
        return "a parameter has the length of a window that is not of time, or in which events are compared"
    if query.consumption is Consumption.ANY and plan.partition:
        return "results of a partition consume what others hold"
    if len(plan.atoms) > MOST_ATOMS:
        return f"more than {MOST_ATOMS} different things are asked of events"
    return None if all(map(_is_split, plan.atoms)) else "a parameter is not compared by itself"


def rule_conditions(plan: RecognitionPlan) -> RuleConditions:
    """What the rows of a query for which ``why_apart`` is None ask of events."""
    tests: dict[Test, int] = {}
    atoms, conditions = [], []
    for atom in plan.atoms:
        common, own = _split(atom.predicate)
        atoms.append(replace(atom, predicate=common))
        conditions.append(tuple(_postfix(And(own), tests)) if own else ())
    return RuleConditions(tuple(atoms), tuple(tests), tuple(conditions))


def joined_by(query: FormulaQuery, plan: RecognitionPlan) -> tuple[str, str] | None:
    """An attribute in which all events of a match equal a parameter, and that parameter; None: there is none.

    Then no event of another value has to do with a row.
    """
    if why_whole(query) is not None or any(state.directly_after for state in plan.automaton.states):
        return None
    each = [set(_equal_parameters(atom.predicate)) for atom in plan.atoms]
    return min(set.intersection(*each), default=None) if each else None


def _equal_parameters(predicate: Predicate) -> Iterator[tuple[str, str]]:
    """The attributes that equal a parameter, whatever else holds."""
    for part in _split(predicate)[1]:
        match _test(part):
            case ParameterTest(Attribute(name), "=", parameter):
                yield name, parameter


def _split(predicate: Predicate) -> tuple[Predicate, tuple[Predicate, ...]]:
    """What has no parameters, and the parts that have some."""
    whole = conjunction(normal(predicate))
    parts = whole.parts if isinstance(whole, And) else (whole,)
    return conjunction(*(part for part in parts if not _mentions(part))), tuple(filter(_mentions, parts))


def _postfix(predicate: Predicate, tests: dict[Test, int]) -> Iterator[int]:
    if isinstance(predicate, And | Or):
        for number, part in enumerate(predicate.parts):
            yield from _postfix(part, tests)
            if number:
                yield BOTH if isinstance(predicate, And) else EITHER
    else:
        yield tests.setdefault(_test(predicate) or predicate, len(tests))


def _is_split(atom: EventKind) -> bool:
    """Whether parameters are only compared in it."""
    return all(_test(literal) is not None for literal in _literals(atom.predicate) if _mentions(literal))


def _literals(predicate: Predicate) -> Iterator[Predicate]:
    whole = normal(predicate)
    if not isinstance(whole, And | Or):
        yield whole
        return
    for part in whole.parts:
        yield from _literals(part)


def _test(literal: Predicate) -> ParameterTest | None:
    """A comparison of what has no parameter with one."""
    match literal:
        case Comparison(operator, value, Constant(Placeholder() as parameter)) if _is_of_event(value):
            return ParameterTest(value, operator, str(parameter))
        case Comparison(operator, Constant(Placeholder() as parameter), value) if _is_of_event(value):
            return ParameterTest(value, _TURNED[operator], str(parameter))
    return None


def _is_of_event(value: Value) -> bool:
    """Whether it is something of the event, without a parameter."""
    return next(attributes(value), None) is not None and not _mentions(value)


def _mentions(node: Any) -> bool:
    """Whether a parameter is somewhere in it."""
    if isinstance(node, Placeholder):
        return True
    if isinstance(node, tuple):
        return any(map(_mentions, node))
    return is_dataclass(node) and any(_mentions(getattr(node, one.name)) for one in fields(node))
