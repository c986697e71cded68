"""Expressions: syntax tree to algebra, with the checks that need no more than the place of the expression.

Of each function the language knows how many arguments it takes, and why some are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from gpm import algebra
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.slips import function_hint
from spaseq.languages.spaseq.terms import Prefixes, language_of
from spaseq.text import did_you_mean

NO_LIMIT = 1 << 30


def _all(names: str, least: int, most: int | None = None) -> dict[str, tuple[int, int]]:
    return dict.fromkeys(names.split(), (least, least if most is None else most))


# Built-in functions of SPARQL 1.1 with their least and greatest number of arguments.
BUILT_INS: dict[str, tuple[int, int]] = {
    **_all("NOW", 0),
    **_all("BNODE", 0, 1),
    **_all("CONCAT COALESCE", 0, NO_LIMIT),
    **_all("STR LANG DATATYPE BOUND IRI URI ABS CEIL FLOOR ROUND STRLEN UCASE LCASE ENCODE_FOR_URI", 1),
    **_all("YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ MD5 SHA1 SHA256 SHA384 SHA512", 1),
    **_all("ISIRI ISURI ISBLANK ISLITERAL ISNUMERIC", 1),
    **_all("LANGMATCHES CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER STRLANG STRDT SAMETERM", 2),
    **_all("REGEX SUBSTR", 2, 3),
    **_all("IF", 3),
    **_all("REPLACE", 3, 4),
}
SYNONYMS = {"URI": "IRI", "ISURI": "ISIRI"}
OF_SPARQL = ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")
AGGREGATES = (*OF_SPARQL, "FIRST", "LAST", "STDEV", "VARIANCE", "MEDIAN")
DISTINCT_OF_ITERATIONS = ("COUNT", "MIN", "MAX", "STDEV", "VARIANCE", "MEDIAN")
OF_ONE_EVENT = ("NOW", "BNODE")  # what they give depends on when they are asked
NOT_REPEATABLE = ("RAND", "UUID", "STRUUID")


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
_STATISTICS = ("STDEV", "STDDEV", "VAR", "MEDIAN")


class ExpressionPlace(Enum):
    """Where an expression stands, which says what it may contain."""

    FILTER = "a FILTER at the top level of a GPM"
    SELECT = "SELECT"
    HAVING = "HAVING"
    SUB_SELECT = "the clauses of a sub-SELECT"
    AGGREGATE = "an aggregate"
    PATTERN = "a graph pattern"


class ExpressionLowering:
    """Lowers expressions; ``group`` lowers the pattern of an EXISTS."""

    def __init__(self, names: Prefixes, group: Callable[[tree.Group], algebra.Group]) -> None:
        self.names = names
        self.group = group

    def lower(self, node: tree.Expression, place: ExpressionPlace) -> algebra.Expression:
        """The algebra of ``node``; Problem if ``place`` does not allow it."""
        match node:
            case tree.Variable():
                return algebra.Variable(node.name)
            case tree.Parameter():
                return algebra.Parameter(node.name)
            case tree.Iri() | tree.Literal() | tree.Number() | tree.Boolean():
                return self.constant(node)
            case tree.Operation():
                return algebra.Operation(node.operator, tuple(self.lower(each, place) for each in node.operands))
            case tree.Exists():
                return self.exists(node, place)
            case tree.Call():
                return self.call(node, place)

    def constant(self, node: tree.Iri | tree.Literal | tree.Number | tree.Boolean) -> algebra.Iri | algebra.Literal:
        """An IRI or a literal."""
        match node:
            case tree.Iri():
                return algebra.Iri(self.names.iri(node))
            case tree.Boolean():
                return algebra.Literal("true" if node.value else "false", algebra.XSD_BOOLEAN)
            case tree.Number():
                return algebra.Literal(node.text, number_type(node.text))
            case tree.Literal():
                datatype = self.names.iri(node.datatype) if node.datatype else algebra.XSD_STRING
                return algebra.Literal(node.text, datatype, language_of(node))

    def exists(self, node: tree.Exists, place: ExpressionPlace) -> algebra.Exists:
        """EXISTS looks at the graph of an event, so it has no meaning in SELECT, HAVING and aggregates."""
        if place in (ExpressionPlace.SELECT, ExpressionPlace.HAVING, ExpressionPlace.AGGREGATE):
            verb = "aggregate" if place is ExpressionPlace.AGGREGATE else "select"
            hint = f"BIND(EXISTS {{…}} AS ?v) in the GPM, then {verb} ?v"
            raise Problem(f"EXISTS cannot stand in {place.value}: matches have no graph", node.span, hint)
        return algebra.Exists(self.group(node.group), node.negated)

    def call(self, node: tree.Call, place: ExpressionPlace) -> algebra.Expression:
        """A function, an aggregate or PREV."""
        if isinstance(node.function, tree.Iri):
            return self.cast(node, node.function, place)
        name = node.function.text
        if name == "PREV":
            return previous(node, place)
        if name in AGGREGATES:
            return self.aggregate(node, name, place)
        check_built_in(node, name)
        if place is ExpressionPlace.AGGREGATE and name in OF_ONE_EVENT:
            hint = f"BIND({name}() AS ?v) in the GPM, then aggregate ?v"
            raise Problem(f"{name} cannot stand in an aggregate", node.function.span, hint)
        return algebra.Operation(SYNONYMS.get(name, name), self.arguments(node, place))

    def arguments(self, node: tree.Call, place: ExpressionPlace) -> tuple[algebra.Expression, ...]:
        """The arguments of a function that is no aggregate."""
        if node.distinct or node.star or node.separator is not None:
            word = "DISTINCT" if node.distinct else "*" if node.star else "SEPARATOR"
            raise Problem(f"{word} belongs to aggregates only", node.span)
        return tuple(self.lower(each, place) for each in node.arguments)

    def cast(self, node: tree.Call, function: tree.Iri, place: ExpressionPlace) -> algebra.Operation:
        """A call of an IRI: only the casts of XML Schema exist."""
        iri = self.names.iri(function)
        if not iri.startswith(algebra.XSD):
            raise Problem(f"unknown function <{iri}>", function.span, "only casts such as xsd:integer(?v) have an IRI")
        if len(node.arguments) != 1:
            raise Problem(f"{function.text} takes 1 argument, not {len(node.arguments)}", node.span)
        return algebra.Operation(f"<{iri}>", self.arguments(node, place))

    def aggregate(self, node: tree.Call, name: str, place: ExpressionPlace) -> algebra.Aggregate:
        """An aggregate: of SPARQL in a sub-SELECT, else of SPAseq."""
        if place is ExpressionPlace.AGGREGATE:
            raise Problem(f"{name} within an aggregate", node.span, "aggregates do not stand in each other")
        if place is ExpressionPlace.PATTERN:
            where = "SELECT, in HAVING and in FILTERs at the top level of a GPM"
            raise Problem(f"{name} cannot stand here", node.function.span, f"aggregates stand in {where}")
        if place is ExpressionPlace.SUB_SELECT:
            if name not in OF_SPARQL:
                raise Problem(f"{name} is no aggregate of SPARQL", node.function.span, "a sub-SELECT sees one event")
            argument = None if node.star else self.lower(only_argument(node), ExpressionPlace.PATTERN)
        else:
            argument = self.iteration_argument(node, name, place)
        if node.star and name != "COUNT":
            raise Problem(f"{name}(*) has no meaning", node.span, f"name a variable: {name}(?v)")
        if node.separator is not None and name != "GROUP_CONCAT":
            raise Problem(f"{name} takes no SEPARATOR", node.span, "only GROUP_CONCAT does")
        return algebra.Aggregate(name, argument, node.distinct, node.separator)

    def iteration_argument(self, node: tree.Call, name: str, place: ExpressionPlace) -> algebra.Expression | None:
        """What an aggregate over iterations or matches ranges over: an expression, or None for ``*``."""
        if name == "SAMPLE":
            hint = "a sample could differ from run to run: use MIN, MAX, FIRST or LAST"
            raise Problem("SAMPLE is not supported here", node.function.span, hint)
        if node.star:
            return None
        argument = only_argument(node)
        if name == "FIRST" and place is ExpressionPlace.FILTER and not isinstance(argument, tree.Variable):
            hint = "write it of each variable, as in FIRST(?a) - FIRST(?b)"
            raise Problem("FIRST takes a variable in a FILTER, not an expression", argument.span, hint)
        return self.lower(argument, ExpressionPlace.AGGREGATE)


def only_argument(node: tree.Call) -> tree.Expression:
    """The single argument of ``node``."""
    assert isinstance(node.function, tree.Name)
    if len(node.arguments) != 1:
        raise Problem(f"{node.function.text} takes 1 argument, not {len(node.arguments)}", node.span)
    return node.arguments[0]


def previous(node: tree.Call, place: ExpressionPlace) -> algebra.Previous:
    """``PREV(?v)``."""
    argument = only_argument(node)
    if not isinstance(argument, tree.Variable):
        raise Problem("PREV takes a variable, not an expression", argument.span)
    if place in (ExpressionPlace.SELECT, ExpressionPlace.HAVING):
        raise Problem("PREV outside a Kleene body", node.span, "in SELECT use FIRST(?v), LAST(?v) or another aggregate")
    if place is ExpressionPlace.AGGREGATE:
        raise Problem("PREV cannot stand in an aggregate", node.span, "FILTER(… PREV(?v) …) compares iterations")
    if place is not ExpressionPlace.FILTER:
        hint = "only FILTERs at the top level of a GPM see other events"
        raise Problem("PREV cannot stand here", node.span, hint)
    return algebra.Previous(algebra.Variable(argument.name))


def check_built_in(node: tree.Call, name: str) -> None:
    """Problem if ``name`` is no built-in, or gets the wrong number or kind of arguments."""
    if name in NOT_REPEATABLE:
        hint = "replay and snapshots need the same answer every time"
        raise Problem(f"{name} is not allowed", node.function.span, hint)
    if name not in BUILT_INS:
        raise Problem(f"unknown function {name}", node.function.span, _unknown(name))
    least, most = BUILT_INS[name]
    if not least <= len(node.arguments) <= most:
        raise Problem(f"{name} takes {_count(least, most)}, not {len(node.arguments)}", node.span)
    if name == "BOUND" and not _is_bindable(node.arguments[0]):
        raise Problem("BOUND takes a variable", node.arguments[0].span)


def _unknown(name: str) -> str:
    """What a name that is no function probably means."""
    if name.startswith(_STATISTICS):
        near = did_you_mean(name, [each for each in AGGREGATES if each.startswith(_STATISTICS)])
        return near if near.startswith("did") else f"the aggregates are {', '.join(AGGREGATES)}"
    near = did_you_mean(name, [*BUILT_INS, *AGGREGATES, "PREV"])
    return function_hint(name) or (near if near.startswith("did") else "")


def _is_bindable(node: tree.Expression) -> bool:
    """A variable or PREV(?v)."""
    if isinstance(node, tree.Call) and isinstance(node.function, tree.Name):
        return node.function.text == "PREV"
    return isinstance(node, tree.Variable)


def _count(least: int, most: int) -> str:
    if most == NO_LIMIT:
        return f"at least {least} arguments"
    if least != most:
        return f"{least} or {most} arguments" if most == least + 1 else f"{least} to {most} arguments"
    return "no arguments" if least == 0 else "1 argument" if least == 1 else f"{least} arguments"


def number_type(text: str) -> str:
    """The datatype of a number without quotes."""
    if "e" in text or "E" in text:
        return algebra.XSD_DOUBLE
    return algebra.XSD_DECIMAL if "." in text else algebra.XSD_INTEGER
