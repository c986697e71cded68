"""A query as SQL text, with all parentheses."""

from __future__ import annotations

from collections.abc import Iterable

from .expressions import (
    BetweenTest,
    Classifier,
    CountRows,
    DistinctTest,
    Expression,
    ExtractField,
    InList,
    LikeTest,
    LogicalNavigation,
    MatchNumber,
    NullTest,
    PhysicalNavigation,
    SqlAggregate,
    SqlBinary,
    SqlCall,
    SqlCase,
    SqlCast,
    SqlColumn,
    SqlLiteral,
    SqlUnary,
)
from .literals import interval_text, literal_text, name_text, text_literal, variable_text
from .model import (
    Alternation,
    Concatenation,
    EmptyPattern,
    EndAnchor,
    Exclusion,
    OrderKey,
    PatternVariable,
    Permutation,
    Quantified,
    RowPattern,
    SelectItem,
    SqlQuery,
    StartAnchor,
)

SHORT_QUANTIFIERS = {(0, None): "*", (1, None): "+", (0, 1): "?"}


def query_text(query: SqlQuery) -> str:
    """The query as SQL."""
    alias = f" AS {name_text(query.alias)}" if query.alias else ""
    inside = "\n".join(f"    {clause}" for clause in _clauses(query) if clause)
    return f"{_select_text(query)}{name_text(query.table)} MATCH_RECOGNIZE (\n{inside}\n){alias}"


def _clauses(query: SqlQuery) -> Iterable[str]:
    yield _listed("PARTITION BY ", map(name_text, query.partition))
    yield _listed("ORDER BY ", map(_order_text, query.order))
    yield _listed("MEASURES ", (f"{expression_text(m.value)} AS {name_text(m.name)}" for m in query.measures))
    yield str(query.mode)
    yield _skip_text(query)
    yield f"PATTERN ({pattern_text(query.pattern)})"
    yield "" if query.within is None else f"WITHIN {interval_text(query.within)}"
    members = (f"{variable_text(s.name)} = ({', '.join(map(variable_text, s.members))})" for s in query.subsets)
    yield _listed("SUBSET ", members)
    yield _listed("DEFINE ", (f"{variable_text(d.variable)} AS {expression_text(d.condition)}" for d in query.defines))


def _listed(start: str, items: Iterable[str]) -> str:
    text = ", ".join(items)
    return start + text if text else ""


def _select_text(query: SqlQuery) -> str:
    if query.select is None:
        return "" if query.bare else "SELECT * FROM "
    return f"SELECT {', '.join(_item_text(item, query.alias) for item in query.select)} FROM "


def _item_text(item: SelectItem, alias: str | None) -> str:
    before = f"{name_text(alias)}." if item.qualified and alias else ""
    behind = f" AS {name_text(item.name)}" if item.name else ""
    return before + name_text(item.column) + behind


def _order_text(key: OrderKey) -> str:
    nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}[key.nulls_first]
    return name_text(key.column) + (" DESC" if key.descending else "") + nulls


def _skip_text(query: SqlQuery) -> str:
    if not query.skip.mode:
        return ""
    variable = f" {variable_text(query.skip.variable)}" if query.skip.variable else ""
    return f"AFTER MATCH SKIP {query.skip.mode}{variable}"


def pattern_text(pattern: RowPattern) -> str:
    """A pattern with all parentheses."""
    match pattern:
        case PatternVariable(name):
            return variable_text(name)
        case EmptyPattern():
            return "()"
        case StartAnchor():
            return "^"
        case EndAnchor():
            return "$"
        case Concatenation(parts):
            return " ".join(map(_part_text, parts))
        case Alternation(parts):
            return " | ".join(map(_part_text, parts))
        case Permutation(parts):
            return f"PERMUTE({', '.join(map(pattern_text, parts))})"
        case Exclusion(body):
            return f"{{- {pattern_text(body)} -}}"
        case Quantified(body, low, high, greedy):
            return _part_text(body) + quantifier_text(low, high) + ("" if greedy else "?")


def _part_text(pattern: RowPattern) -> str:
    alone = isinstance(pattern, PatternVariable | EmptyPattern | StartAnchor | EndAnchor | Permutation | Exclusion)
    return pattern_text(pattern) if alone else f"({pattern_text(pattern)})"


def quantifier_text(low: int, high: int | None) -> str:
    """A quantifier in its shortest form."""
    if (low, high) in SHORT_QUANTIFIERS:
        return SHORT_QUANTIFIERS[low, high]
    return f"{{{low}}}" if low == high else f"{{{low or ''},{'' if high is None else high}}}"


def expression_text(expression: Expression) -> str:
    """An expression with all parentheses."""
    match expression:
        case SqlLiteral():
            return literal_text(expression)
        case SqlUnary(operator, operand):
            return f"({operator} {expression_text(operand)})"
        case SqlBinary(operator, left, right):
            return f"({expression_text(left)} {operator} {expression_text(right)})"
        case SqlCase():
            return _case_text(expression)
        case SqlCall("SUBSTRING FROM", arguments):
            words = zip(("", " FROM ", " FOR "), map(expression_text, arguments), strict=False)
            return f"SUBSTRING({''.join(word + text for word, text in words)})"
        case SqlCall(name, arguments):
            return f"{name}({', '.join(map(expression_text, arguments))})"
        case SqlCast(operand, target, digits, tried):
            size = f"({', '.join(map(str, digits))})" if digits else ""
            return f"{'TRY_' * tried}CAST({expression_text(operand)} AS {target}{size})"
        case ExtractField(field, operand):
            return f"EXTRACT({field} FROM {expression_text(operand)})"
        case NullTest() | DistinctTest() | InList() | BetweenTest() | LikeTest():
            return f"({_test_text(expression)})"
        case _:
            return _read_text(expression)


def _test_text(test: NullTest | DistinctTest | InList | BetweenTest | LikeTest) -> str:
    word = " NOT" if test.negated else ""
    match test:
        case NullTest(operand):
            return f"{expression_text(operand)} IS{word} NULL"
        case DistinctTest(left, right):
            return f"{expression_text(left)} IS{word} DISTINCT FROM {expression_text(right)}"
        case InList(operand, items):
            return f"{expression_text(operand)}{word} IN ({', '.join(map(expression_text, items))})"
        case BetweenTest(operand, low, high):
            bounds = f"{expression_text(low)} AND {expression_text(high)}"
            return f"{expression_text(operand)}{word} BETWEEN {bounds}"
        case LikeTest(operand, pattern, escape):
            end = "" if escape is None else f" ESCAPE {text_literal(escape)}"
            return f"{expression_text(operand)}{word} LIKE {expression_text(pattern)}{end}"


def _case_text(case: SqlCase) -> str:
    words = ["CASE"] if case.operand is None else ["CASE", expression_text(case.operand)]
    for branch in case.branches:
        words += ["WHEN", expression_text(branch.condition), "THEN", expression_text(branch.result)]
    words += [] if case.otherwise is None else ["ELSE", expression_text(case.otherwise)]
    return " ".join([*words, "END"])


def _read_text(expression: Expression) -> str:
    match expression:
        case SqlColumn(name, variable):
            return f"{variable_text(variable)}.{name_text(name)}" if variable else name_text(name)
        case Classifier(variable):
            return f"CLASSIFIER({variable_text(variable) if variable else ''})"
        case MatchNumber():
            return "MATCH_NUMBER()"
        case LogicalNavigation(function, body, offset, final):
            return f"{_semantics(final)}{function}({expression_text(body)}{_offset(offset)})"
        case PhysicalNavigation(function, body, offset):
            return f"{function}({expression_text(body)}{_offset(offset)})"
        case CountRows(variable, final):
            return f"{_semantics(final)}COUNT({f'{variable_text(variable)}.' if variable else ''}*)"
        case SqlAggregate(function, argument, final):
            return f"{_semantics(final)}{function}({expression_text(argument)})"
    raise TypeError(expression)


def _semantics(final: bool | None) -> str:
    return {None: "", True: "FINAL ", False: "RUNNING "}[final]


def _offset(offset: int | None) -> str:
    return "" if offset is None else f", {offset}"
