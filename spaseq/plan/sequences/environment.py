"""Symbolic evaluation: what each column holds, as an expression over a partial match's columns and an event's row.

Columns are variables and hidden columns: ``PREV(v)``, ``FIRST@v`` (the first iteration's value) and running aggregates
such as ``COUNT(v)``.  Inside expressions a partial match's column x is the variable ``c:x``, a row's column ``r:x``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gpm.algebra import (
    XSD_BOOLEAN,
    XSD_INTEGER,
    XSD_STRING,
    Aggregate,
    Exists,
    Expression,
    Iri,
    Literal,
    Operation,
    Parameter,
    Previous,
    Variable,
    subexpressions,
)
from gpm.dispersion import SPREADS
from gpm.lists import APPENDED, list_function
from gpm.printing import print_expression
from spaseq.plan.sequences.graph import Begin, End, Item

UNBOUND = Variable("!unbound")
RULES = "!rules"  # the column with the set of rules that a partial match is of
RULE_SET = Variable(RULES)  # those that take a step
ZERO = Literal("0", XSD_INTEGER)
ONE = Literal("1", XSD_INTEGER)
TRUE = Literal("true", XSD_BOOLEAN)
FALSE = Literal("false", XSD_BOOLEAN)
STARTS = {"COUNT": ZERO, "SUM": ZERO, "VALUES": Literal("", XSD_STRING)}  # of running columns; the others are unbound
Environment = Mapping[str, Expression]


def cell(column: str) -> Variable:
    """Column of a partial match."""
    return Variable("c:" + column)


def row(column: str) -> Variable:
    """Column of an event's row."""
    return Variable("r:" + column)


def rule_column(parameter: str) -> str:
    """The column of results that has a rule's term."""
    return f"given {parameter}"


def reads_parameters(expression: Expression) -> bool:
    """Whether it has parameters, which differ from rule to rule."""
    return any(isinstance(part, Parameter) for part in subexpressions(expression))


def previous(variable: str) -> str:
    """The column that has a variable of the iteration before."""
    return f"PREV({variable})"


def first_iteration(variable: str) -> str:
    """The column that has a variable of the first iteration."""
    return f"FIRST@{variable}"


def running(aggregate: Aggregate) -> str:
    """The hidden column of an aggregate over iterations; AVG has none of its own."""
    name = argument_name(aggregate)
    separator = "" if aggregate.separator in (None, " ") else f"; {aggregate.separator!r}"
    return f"{aggregate.function}({name}{separator})"


def argument_name(aggregate: Aggregate) -> str:
    """What an aggregate is of, as columns are called: a variable by its name, an expression as it is written."""
    argument = aggregate.argument
    if argument is None:
        return "*"
    if isinstance(argument, Variable):
        return argument.name
    text = print_expression(argument)
    return text[1:-1] if text.startswith("(") else text


@dataclass(frozen=True, slots=True)
class Accumulator:
    """A running aggregate: its column, what it is of, its value before any, and how one more changes it."""

    column: str
    argument: Expression
    start: Expression
    function: str
    separator: str = " "

    def update(self, environment: Environment) -> Expression:
        """The aggregate once an iteration with these columns is complete."""
        held, value = environment.get(self.column, UNBOUND), substitute(self.argument, environment)
        if value == UNBOUND:
            return held
        return Operation("IF", (is_bound(value), self._added(held, value), held))

    def _added(self, held: Expression, value: Expression) -> Expression:
        match self.function:
            case "COUNT":
                return Operation("+", (held, ONE))
            case "SUM":
                return Operation("+", (held, value))
            case "FIRST":
                return Operation("COALESCE", (held, value))
            case "LAST":
                return value
            case "VALUES":
                return Operation(APPENDED, (held, value))
            case "GROUP_CONCAT":
                text = Operation("STR", (value,))
                joined = Operation("CONCAT", (held, Literal(self.separator), text))
                return Operation("IF", (is_bound(held), joined, text))
            case _:
                return self._extreme(held, value)

    def _extreme(self, held: Expression, value: Expression) -> Expression:
        better = Operation("<" if self.function == "MIN" else ">", (value, held))
        chosen = Operation("IF", (better, value, held))
        return Operation("IF", (is_bound(held), chosen, value))


def accumulators(aggregate: Aggregate) -> Iterable[Accumulator]:
    """The running columns that an aggregate over iterations needs."""
    argument = aggregate.argument
    if argument is None:
        return
    for function in _running_functions(aggregate):
        one = Aggregate(function, argument, separator=aggregate.separator)
        start = STARTS.get(function, UNBOUND)
        yield Accumulator(running(one), argument, start, function, aggregate.separator or " ")


def _running_functions(aggregate: Aggregate) -> tuple[str, ...]:
    if needs_all_values(aggregate):
        return ("VALUES",)
    return ("COUNT", "SUM") if aggregate.function == "AVG" else (aggregate.function,)


def needs_all_values(aggregate: Aggregate) -> bool:
    """Whether an aggregate over iterations is computed of a list of its values, in the end."""
    return aggregate.function in SPREADS or (aggregate.distinct and aggregate.function == "COUNT")


def aggregate_value(aggregate: Aggregate) -> Expression:
    """An aggregate over iterations in terms of running columns (as plain variables)."""
    if needs_all_values(aggregate):
        values = Variable(running(Aggregate("VALUES", aggregate.argument)))
        return Operation(list_function(aggregate.function, aggregate.distinct), (values,))
    if aggregate.function != "AVG":
        return Variable(running(aggregate))
    count = Variable(running(Aggregate("COUNT", aggregate.argument)))
    total = Variable(running(Aggregate("SUM", aggregate.argument)))
    return Operation("IF", (Operation("=", (count, ZERO)), ZERO, Operation("/", (total, count))))


def substitute(expression: Expression, environment: Environment) -> Expression:
    """The expression with its variables replaced; what the environment does not have is unbound."""
    match expression:
        case Parameter():
            return expression
        case Variable(name):
            return environment.get(name, UNBOUND)
        case Operation("BOUND", (argument,)):
            return is_bound(substitute(argument, environment))
        case Operation("COALESCE", arguments):
            bound = [value for one in arguments if (value := substitute(one, environment)) != UNBOUND]
            if len(bound) < 2:
                return bound[0] if bound else UNBOUND
            return Operation("COALESCE", tuple(bound))
        case Operation(name, arguments):
            return Operation(name, tuple(substitute(one, environment) for one in arguments))
        case Iri() | Literal():
            return expression
        case _:
            raise TypeError(f"{type(expression).__name__} is left in an expression")


def is_bound(value: Expression) -> Expression:
    """BOUND of any expression, for SPARQL's own takes a variable only: an error is what is not bound."""
    match value:
        case Parameter():
            return TRUE
        case Variable():
            return Operation("BOUND", (value,))
        case Operation("COALESCE", arguments):
            parts = [is_bound(one) for one in arguments]
            return parts[0] if len(parts) == 1 else Operation("||", tuple(parts))
        case Literal() | Iri():
            return TRUE
        case _:
            return Operation("COALESCE", (Operation("IF", (Operation("ISIRI", (value,)), TRUE, TRUE)), FALSE))


def variables_of(expression: Expression) -> Iterable[str]:
    """Names of the variables that an expression reads, repeated ones too."""
    match expression:
        case Parameter():
            return
        case Variable(name):
            yield name
        case Operation(_, arguments):
            for one in arguments:
                yield from variables_of(one)
        case Previous(Variable(name)):
            yield name
        case Aggregate(argument=argument) if argument is not None:
            yield from variables_of(argument)
        case Iri() | Literal() | Exists() | Aggregate():
            return


def columns_read(expression: Expression) -> Iterable[str]:
    """Partial-match columns that an expression reads."""
    return (name[2:] for name in variables_of(expression) if name.startswith("c:"))


@dataclass(frozen=True, slots=True)
class Hidden:
    """What iterations do to columns: for each Kleene the variables it owns and the hidden columns it feeds."""

    owned: Mapping[int, tuple[str, ...]]
    previous: Mapping[int, tuple[str, ...]]  # variables whose previous value is kept, by innermost owner
    first: Mapping[int, tuple[str, ...]]
    accumulators: Mapping[int, tuple[Accumulator, ...]]

    def apply(self, items: Iterable[Item], environment: Environment) -> dict[str, Expression]:
        """The environment after the items of a path."""
        after = dict(environment)
        for item in items:
            if isinstance(item, Begin):
                self._begin(item, after)
            elif isinstance(item, End):
                for one in self.accumulators.get(item.kleene, ()):
                    after[one.column] = one.update(after)
        return after

    def _begin(self, item: Begin, after: dict[str, Expression]) -> None:
        for name in self.previous.get(item.kleene, ()):
            after[previous(name)] = UNBOUND if item.number == 1 else after.get(name, UNBOUND)
        if item.number == 2:
            for name in self.first.get(item.kleene, ()):
                after[first_iteration(name)] = after.get(name, UNBOUND)
        for name in self.owned.get(item.kleene, ()):
            after[name] = UNBOUND
