"""Conditions of the syntax tree to filters and column predicates, of variables that are there.

A filter holds for all events of the variables that each of its clauses compares: ``x[a < 3 AND a < y.b]`` is
``x[a < 3] AND x[a < y.b]``, so if y has no event the first part counts all the same.  A condition on several variables
is taken apart into clauses, as far as these are about different variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from spaseq.languages.ceql import tree
from spaseq.languages.node import Node, Span, children
from spaseq.languages.query_text import Problem
from spaseq.pattern.formulas import predicates as columns
from spaseq.pattern.formulas.parameters import Placeholder
from spaseq.pattern.formulas.predicates import And, Not, Or, Predicate, attributes, conjunction, disjunction
from spaseq.pattern.formulas.query import AllOf, AnyOf, Filter, ForAll, Formula, bound, named_in
from spaseq.text import did_you_mean


class Variables:
    """The variables of a formula, for those who name one."""

    def __init__(self, formula: Formula) -> None:
        self.names = bound(formula)
        self.example = min(named_in(formula) or self.names)

    def check(self, name: str, span: Span, otherwise: str = "") -> None:
        """Problem if there is no such variable; ``otherwise`` is the hint where no other name is like it."""
        if name not in self.names:
            near = did_you_mean(name, sorted(self.names))
            hint = near if near.startswith("did") or not otherwise else f"{near}; {otherwise}"
            raise Problem(f"unknown variable {name}", span, hint)


# ── for all of whom a condition must hold ────────────────────────────────────────────────────────────────
MOST_CLAUSES = 256
Clauses = dict[frozenset[str], Predicate]


class ClauseError(ValueError):
    """A condition comes to more than MOST_CLAUSES clauses."""


def for_all(predicate: Predicate, own: str | None) -> Filter:
    """The filter that ``predicate`` is, within the brackets of the variable ``own`` if there is one.

    AllOf without filters if it is about no variable; ClauseError if it is too involved.
    """
    order = tuple(dict.fromkeys(_read(predicate, own)))
    found = _clauses(predicate, own) if len(order) > 1 else {frozenset(order): predicate}
    filters = tuple(_filter(clause, names, order, own) for names, clause in found.items() if names)
    return filters[0] if len(filters) == 1 else AllOf(filters)


def _filter(clause: Predicate, names: frozenset[str], order: tuple[str, ...], own: str | None) -> Filter:
    """The clause as a filter; alternatives that have no variable in common are filters of their own."""
    groups = _unrelated(clause.parts, own) if isinstance(clause, Or) else {names: clause}
    filters = tuple(ForAll(tuple(name for name in order if name in each), part) for each, part in groups.items())
    return filters[0] if len(filters) == 1 else AnyOf(filters)


def _unrelated(parts: tuple[Predicate, ...], own: str | None) -> Clauses:
    """The alternatives in groups, by their variables: no two groups share one."""
    groups: Clauses = {}
    for part in parts:
        names = frozenset(_read(part, own))
        related = [each for each in groups if each & names or not each or not names]
        alternatives = [groups.pop(each) for each in related]
        groups[names.union(*related)] = disjunction(*alternatives, part)
    return groups


def _read(predicate: Predicate, own: str | None) -> Iterator[str]:
    if own is not None:
        yield own
    yield from (attribute.variable for attribute in attributes(predicate) if attribute.variable is not None)


def _clauses(predicate: Predicate, own: str | None, negated: bool = False) -> Clauses:
    """What must hold by the variables that it is about, all of it together being ``predicate`` or its negation."""
    match predicate:
        case Not(inner):
            return _clauses(inner, own, not negated)
        case And(parts) | Or(parts):
            each = [_clauses(part, own, negated) for part in parts]
            return _all(each) if isinstance(predicate, And) != negated else _any(each)
    return {frozenset(_read(predicate, own)): Not(predicate) if negated else predicate}


def _all(parts: list[Clauses]) -> Clauses:
    """Every clause of every part, those about the same variables in one."""
    found: Clauses = {}
    for part in parts:
        for names, clause in part.items():
            found[names] = conjunction(found[names], clause) if names in found else clause
    return found


def _any(parts: list[Clauses]) -> Clauses:
    """One of the parts: by the law of distribution, one clause of each part in every combination."""
    if prod(map(len, parts)) > MOST_CLAUSES:
        raise ClauseError(f"more than {MOST_CLAUSES} clauses")
    combined = [
        {frozenset[str]().union(*(names for names, _ in choice)): disjunction(*(clause for _, clause in choice))}
        for choice in product(*(part.items() for part in parts))
    ]
    return _all(combined)


# ── conditions ───────────────────────────────────────────────────────────────────────────────────────────
LONGEST_NUMBER = 300


def lower_filter(node: tree.Expression, variables: Variables, within: str = "") -> Filter:
    """What follows FILTER; ``variables`` are those of the formula before it, ``within`` is the operator around it.

    AND and OR between ``x[…]`` join filters; a condition without brackets is a single one, whatever it is made of.
    Problem for an unknown variable, an attribute that belongs to no variable, and what is no condition.
    """
    match node:
        case tree.Operation("AND" | "OR" as operator, (left, right)) if _has_test(node):
            kind = AllOf if operator == "AND" else AnyOf
            return _joined(kind, *(lower_filter(each, variables, operator) for each in (left, right)))
        case tree.Test(variable, condition):
            variables.check(variable.variable, variable.span)
            return _condition(condition, variables, variable.variable)
        case tree.Attribute(name, None):
            raise _alone(name, node, variables, within)
    return _condition(node, variables, None)


def lower_value(node: tree.Expression, variables: Variables) -> columns.Value:
    """A value that is calculated of attributes with their variables; Problem for what is none, or unknown."""
    for part in _parts(node):
        if isinstance(part, tree.Attribute) and part.variable is None:
            if part.name in variables.names:
                hint = f"name an attribute of it, as in {part.name}.price"
                raise Problem(f"{part.name} is a variable, and no value", part.span, hint)
            hint = f"write {variables.example}.{part.name}"
            raise Problem(f"{part.name} belongs to no variable here", part.span, hint)
    return _Lowering(variables, None).value(node)


def _parts(node: Node) -> Iterator[Node]:
    yield node
    for child in children(node):
        yield from _parts(child)


def _has_test(node: Node) -> bool:
    return isinstance(node, tree.Test) or any(map(_has_test, children(node)))


def _joined(kind: type[AllOf] | type[AnyOf], *filters: Filter) -> Filter:
    """A chain of one operator is one filter with many parts."""
    return kind(tuple(part for each in filters for part in (each.filters if isinstance(each, kind) else (each,))))


def _condition(node: tree.Expression, variables: Variables, own: str | None) -> Filter:
    predicate = _Lowering(variables, own).predicate(node)
    try:
        found = for_all(predicate, own)
    except ClauseError as error:
        raise Problem(f"the condition is too involved: {error}", node.span, "use several FILTERs") from None
    if found == AllOf(()):
        raise Problem("this filter is about no event", node.span, "name a variable, as in FILTER x[price > 3]")
    return found


def _alone(name: str, node: tree.Attribute, variables: Variables, operator: str) -> Problem:
    """A word after FILTER: a variable without condition, or what was meant as an event behind OR or AND."""
    if name in variables.names:
        return Problem(f"{name} alone is no condition", node.span, f"say which events pass: {name}[price > 3]")
    hint = "an OR between events needs parentheses: (A FILTER A[x > 1]) OR B"
    if operator == "AND":
        hint = "AND joins filters; both events, in any order, are (A FILTER A[x > 1]) ALL B"
    return Problem(f"{name} alone is no condition", node.span, hint)


def _no_variable(node: tree.Attribute, variables: Variables) -> Problem:
    hint = f"write {variables.example}[{node.name} …] or {variables.example}.{node.name}"
    return Problem(f"{node.name} belongs to no variable here", node.span, hint)


class _Lowering:
    """Lowers one condition; bare attributes are those of the variable ``own``."""

    def __init__(self, variables: Variables, own: str | None) -> None:
        self.variables = variables
        self.own = own

    def predicate(self, node: tree.Expression) -> columns.Predicate:
        match node:
            case tree.Operation("AND" | "OR" as operator, operands):
                parts = map(self.predicate, operands)
                return columns.conjunction(*parts) if operator == "AND" else columns.disjunction(*parts)
            case tree.Operation("NOT", (operand,)):
                return columns.Not(self.predicate(operand))
            case tree.Operation(operator, (left, right)) if operator in tree.COMPARISONS:
                return self.comparison(operator, left, right)
            case tree.Like() | tree.Membership() | tree.Interval() | tree.IsNull():
                return self.tested(node)
            case tree.Attribute() | tree.Boolean() | tree.Parameter():
                return columns.Comparison("=", self.value(node), columns.Constant(True))
            case tree.Test(variable):
                raise self.misplaced(variable, node)
        raise Problem("a condition is expected here, not a value", node.span, "compare it with something")

    def misplaced(self, variable: tree.Reference, node: tree.Test) -> Problem:
        message = f"{variable.variable}[…] stands only behind FILTER, AND and OR"
        if self.own is None:
            return Problem(message, node.span, f"NOT goes into the brackets: {variable.variable}[NOT (…)]")
        return Problem(message, node.span, f"an attribute of another variable is written {variable.variable}.price")

    def comparison(self, operator: str, left: tree.Expression, right: tree.Expression) -> columns.Predicate:
        for operand in (left, right):
            if isinstance(operand, tree.Null):
                hint = "write IS NULL" if operator == "=" else "write IS NOT NULL"
                raise Problem("NULL satisfies no comparison", operand.span, hint)
        return columns.Comparison(operator, self.value(left), self.value(right))

    def tested(self, node: tree.Like | tree.Membership | tree.Interval | tree.IsNull) -> columns.Predicate:
        found = self.positive(node)
        return columns.Not(found) if node.negated else found

    def positive(self, node: tree.Like | tree.Membership | tree.Interval | tree.IsNull) -> columns.Predicate:
        value = self.value(node.operand)
        match node:
            case tree.Like(_, pattern):
                return columns.Like(
                    value, pattern.value if isinstance(pattern, tree.Text) else Placeholder(pattern.name)
                )
            case tree.Membership(_, items):
                return columns.In(value, tuple(map(constant, items)))
            case tree.IsNull():
                return columns.IsNull(value)
            case tree.Interval(_, low, high):
                bounds = ((">=", low), ("<=", high))
                return columns.conjunction(
                    *(columns.Comparison(operator, value, self.value(bound)) for operator, bound in bounds if bound)
                )

    def value(self, node: tree.Expression) -> columns.Value:
        match node:
            case tree.Attribute():
                return self.attribute(node)
            case tree.Number() | tree.Text() | tree.Boolean() | tree.Null() | tree.Parameter():
                return constant(node)
            case tree.Operation("-", (operand,)):
                return columns.Negative(self.number(operand))
            case tree.Operation("+", (operand,)):
                return self.number(operand)
            case tree.Operation("+" | "-" | "*" | "/" | "%" as operator, (left, right)):
                return columns.Arithmetic(operator, self.number(left), self.number(right))
            case tree.Test(variable):
                raise self.misplaced(variable, node)
        raise Problem("a value is expected here, not a condition", node.span, "conditions are joined by AND and OR")

    def number(self, node: tree.Expression) -> columns.Value:
        if isinstance(node, tree.Text | tree.Boolean):
            raise Problem("arithmetic needs numbers", node.span, "a number is written without quotes")
        return self.value(node)

    def attribute(self, node: tree.Attribute) -> columns.Attribute:
        if node.variable is not None:
            self.variables.check(node.variable, node.span, self.of_field(node))
        elif self.own is None:
            raise _no_variable(node, self.variables)
        return columns.Attribute(node.name, node.variable if node.variable is not None else self.own)

    def of_field(self, node: tree.Attribute) -> str:
        """How ``node`` is written if it is a field of a struct."""
        return "" if self.own is None else f"a field of a struct is written {self.own}.{node.variable}.{node.name}"


def constant(node: tree.Constant | tree.Parameter) -> columns.Constant:
    """The constant, or what stands for one; Problem for NULL and for numbers out of range."""
    match node:
        case tree.Parameter(name):
            return columns.Constant(Placeholder(name))
        case tree.Number():
            return columns.Constant(number(node))
        case tree.Text(value) | tree.Boolean(value):
            return columns.Constant(value)
        case tree.Null():
            raise Problem("NULL equals nothing", node.span, "write IS NULL or IS NOT NULL")


def number(node: tree.Number) -> int | float:
    """An integer if it is written as one, else a double; Problem if it is out of range."""
    text = node.text
    if len(text) <= LONGEST_NUMBER:
        value = int(text) if text.lstrip("+-").isdecimal() else float(text)
        if abs(value) < float("inf"):
            return value
    raise Problem(f"the number {text[:20]}… is out of range", node.span)
