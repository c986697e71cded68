"""Names of what a query and a table have."""

from __future__ import annotations

from collections.abc import Iterator

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
from .literals import name_text, variable_text
from .model import (
    Alternation,
    Concatenation,
    Definition,
    EmptyPattern,
    EndAnchor,
    Exclusion,
    Permutation,
    Quantified,
    SkipMode,
    SqlKind,
    SqlQuery,
    SqlTable,
    StartAnchor,
    variables_of,
    walk,
)
from .text import quantifier_text
from .values import is_nan

SIMPLE = {
    Classifier: "CLASSIFIER",
    MatchNumber: "MATCH_NUMBER",
    CountRows: "COUNT(*)",
    NullTest: "IS NULL",
    DistinctTest: "IS DISTINCT FROM",
    InList: "IN",
    BetweenTest: "BETWEEN",
    LikeTest: "LIKE",
    SqlCase: "CASE",
    ExtractField: "EXTRACT",
}
PATTERN_LABELS = {
    EmptyPattern: "()",
    StartAnchor: "^",
    EndAnchor: "$",
    Alternation: "|",
    Permutation: "PERMUTE",
    Exclusion: "exclusion",
}
COMPOUND = (Concatenation, Alternation, Permutation, Exclusion, Quantified)


def labels_of(query: SqlQuery, table: SqlTable) -> frozenset[str]:
    """All labels of a query and its table.

    Of expressions: "define X" is in a condition, "match X" in one that reads the match, "measure X" in a measure.
    """
    labels = {*_clauses(query), *_pattern_labels(query), *_table_labels(query, table)}
    for define in query.defines:
        kind = "match" if reads_match(define) else "row"
        labels |= {f"reads {kind}", *(f"define {label}" for label in expression_labels(define.condition))}
        labels |= {f"{kind} {label}" for label in expression_labels(define.condition)}
    for measure in query.measures:
        labels |= {f"measure {label}" for label in expression_labels(measure.value)}
    return frozenset(labels)


def reads_match(define: Definition) -> bool:
    """Whether a condition reads more than the row that is tested, and its neighbours."""
    for part in walk(define.condition):
        if isinstance(part, LogicalNavigation | SqlAggregate | CountRows | Classifier | MatchNumber):
            return True
        if isinstance(part, SqlColumn) and part.variable not in (None, define.variable):
            return True
    return False


def _clauses(query: SqlQuery) -> Iterator[str]:
    yield "ALL ROWS" if query.mode.is_all else "ONE ROW"
    yield f"rows {query.mode or 'default'}"
    yield f"skip {query.skip.mode or 'default'}"
    yield f"partition by {len(query.partition)}"
    yield f"order by {len(query.order)}"
    yield f"subsets {len(query.subsets)}"
    if query.within is not None:
        yield "WITHIN"
    if any(key.descending for key in query.order):
        yield "DESC"
    if any(key.nulls_first for key in query.order):
        yield "NULLS FIRST"
    if query.select is not None:
        yield "SELECT items"
    if query.alias:
        yield "alias"
    if query.skip.variable in [subset.name for subset in query.subsets]:
        yield "skip to subset"
    if query.skip.mode in (SkipMode.FIRST, SkipMode.LAST, SkipMode.VARIABLE):
        yield "skip to variable"
    if len(query.defines) < len(variables_of(query.pattern)):
        yield "undefined variable"
    if any(variable_text(name) != name for name in variables_of(query.pattern)):
        yield "quoted variable"


def _pattern_labels(query: SqlQuery) -> Iterator[str]:
    for part in walk(query.pattern):
        if type(part) in PATTERN_LABELS:
            yield PATTERN_LABELS[type(part)]
        if isinstance(part, Quantified):
            yield f"quantifier {quantifier_text(part.low, part.high)}{'' if part.greedy else '?'}"
            yield "greedy" if part.greedy else "reluctant"
            if any(isinstance(inner, Quantified) for inner in walk(part.body)):
                yield "nested quantifiers"
            if any(isinstance(inner, EmptyPattern | StartAnchor | EndAnchor) for inner in walk(part.body)):
                yield "empty in quantifier"
        if isinstance(part, Permutation) and any(isinstance(inner, COMPOUND) for inner in part.parts):
            yield "compound PERMUTE"


def _table_labels(query: SqlQuery, table: SqlTable) -> Iterator[str]:
    values = [value for row in table.rows for value in row]
    if None in values:
        yield "NULL"
    if any(is_nan(value) for value in values):
        yield "NaN"
    if "-0.0" in map(repr, values):
        yield "-0.0"
    if any(name_text(name) != name for name in table.names):
        yield "quoted name"
    if len({name.lower() for name in table.names}) < len(table.names):
        yield "names that differ in case"
    if not table.rows:
        yield "no rows"
    for name in query.partition:
        column = [row[table.place(name)] for row in table.rows]
        if None in column:
            yield "NULL key"
        if any(is_nan(value) for value in column):
            yield "NaN key"
    if query.order:
        keys = [repr([row[table.place(key.column)] for key in query.order]) for row in table.rows]
        if len(set(keys)) < len(keys):
            yield "ties"
        if any(row[table.place(query.order[0].column)] is None for row in table.rows):
            yield "NULL order"
    yield from (f"column {type_.kind}" for type_ in table.types)


def expression_labels(expression: Expression) -> set[str]:
    """Names of what an expression has."""
    return {label for part in walk(expression) for label in _part_labels(part)}


def _part_labels(part: object) -> Iterator[str]:
    match part:
        case LogicalNavigation(function, _, offset, final):
            yield from (function, *_semantics(final), *(() if offset is None else ("logical offset",)))
        case PhysicalNavigation(function, body, offset):
            yield from (function, *(() if offset is None else ("physical offset",)))
            if isinstance(body, LogicalNavigation):
                yield "nested navigation"
        case SqlAggregate(function, argument, final):
            yield from (function, *_semantics(final))
            if any(isinstance(inner, Classifier) for inner in walk(argument)):
                yield "CLASSIFIER in aggregate"
        case CountRows(_, final):
            yield from ("COUNT(*)", *_semantics(final))
        case SqlBinary(operator):
            yield operator
        case SqlUnary(operator):
            yield f"unary {operator}"
        case SqlCall(name):
            yield name
        case SqlCast(_, target, _, tried):
            yield from ("TRY_CAST" if tried else "CAST", f"CAST to {target}")
        case SqlColumn(_, variable):
            yield "column" if variable is None else "variable column"
        case SqlLiteral(value, type_):
            yield "NULL" if value is None else f"literal {type_.kind}"
            if type_.kind is SqlKind.INTERVAL:
                yield "INTERVAL"
        case _:
            yield from (label for kind, label in SIMPLE.items() if type(part) is kind)


def _semantics(final: bool | None) -> tuple[str, ...]:
    return {None: (), True: ("FINAL",), False: ("RUNNING",)}[final]
