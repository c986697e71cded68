"""Conditions of the syntax tree to filters and column predicates."""

from __future__ import annotations

from collections.abc import Iterator

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.for_all import ClauseError, for_all
from spaseq.languages.ceql.scope import Variables
from spaseq.languages.node import Node, children
from spaseq.languages.problem import Problem
from spaseq.pattern.formulas import predicates as columns
from spaseq.pattern.formulas.query import AllOf, AnyOf, Filter

LONGEST_NUMBER = 300


def lower_filter(node: tree.Expression, variables: Variables) -> Filter:
    """What follows FILTER; ``variables`` are those of the formula before it.

    AND and OR between ``x[…]`` join filters; a condition without brackets is a single one, whatever it is made of.
    Problem for an unknown variable, an attribute that belongs to no variable, and what is no condition.
    """
    match node:
        case tree.Operation("AND" | "OR" as operator, (left, right)) if _has_test(node):
            kind = AllOf if operator == "AND" else AnyOf
            return _joined(kind, lower_filter(left, variables), lower_filter(right, variables))
        case tree.Test(variable, condition):
            variables.check(variable.variable, variable.span)
            return _condition(condition, variables, variable.variable)
        case tree.Attribute(name, None):
            raise _alone(name, node, variables)
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


def _alone(name: str, node: tree.Attribute, variables: Variables) -> Problem:
    """A word after FILTER: a variable without condition, or what was meant as an event behind OR."""
    if name in variables.names:
        return Problem(f"{name} alone is no condition", node.span, f"say which events pass: {name}[price > 3]")
    hint = "an OR between events needs parentheses: (A FILTER A[x > 1]) OR B"
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
            case tree.Attribute() | tree.Boolean():
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
                return columns.Like(value, pattern.value)
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
            case tree.Number() | tree.Text() | tree.Boolean() | tree.Null():
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


def constant(node: tree.Constant) -> columns.Constant:
    """The constant; Problem for NULL and for numbers out of range."""
    match node:
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
