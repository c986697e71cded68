"""Short ways to write examples: tables of letters or numbers, patterns, and what a query gives on them."""

from __future__ import annotations

from dataclasses import replace

from .evaluate import evaluate
from .expressions import (
    TRUE,
    Classifier,
    Expression,
    InList,
    LogicalNavigation,
    MatchNumber,
    SqlAggregate,
    SqlBinary,
    SqlColumn,
    integer,
    varchar,
)
from .model import (
    BIGINT,
    VARCHAR,
    Alternation,
    Concatenation,
    Definition,
    Measure,
    PatternVariable,
    Permutation,
    Quantified,
    RowPattern,
    SqlQuery,
    SqlRow,
    SqlTable,
    Subset,
    variables_of,
)

A, B, C, X, Y = map(PatternVariable, "ABCXY")
T, V, S = SqlColumn("t"), SqlColumn("v"), SqlColumn("s")
LETTERS = {"A": "a", "B": "b", "C": "c", "X": "abc"}


def letters(text: str) -> SqlTable:
    """A row for each letter: t counts from 1, s is the letter."""
    rows = tuple((place, letter) for place, letter in enumerate(text, 1))
    return SqlTable(("t", "s"), (BIGINT, VARCHAR), rows)


def numbers(*values: int | None) -> SqlTable:
    """A row for each number: t counts from 1, v is the number."""
    return SqlTable(("t", "v"), (BIGINT, BIGINT), tuple(enumerate(values, 1)))


def seq(*parts: RowPattern) -> Concatenation:
    """`P Q …`."""
    return Concatenation(parts)


def alt(*parts: RowPattern) -> Alternation:
    """`P | Q | …`."""
    return Alternation(parts)


def permute(*parts: RowPattern) -> Permutation:
    """`PERMUTE(P, Q, …)`."""
    return Permutation(parts)


def rep(body: RowPattern, form: str) -> Quantified:
    """`P*`, `P+?`, `P2,3` for `P{2,3}`, and so on."""
    greedy = form == "?" or not form.endswith("?")
    form = form if greedy else form[:-1]
    short: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if form in short:
        return Quantified(body, *short[form], greedy)
    low, comma, high = form.partition(",")
    end = int(high) if high else None if comma else int(low)
    return Quantified(body, int(low or 0), end, greedy)


def by_letter(pattern: RowPattern) -> tuple[Definition, ...]:
    """A, B and C are the letters a, b and c, X is any of these; other variables are any row."""
    names = [name for name in variables_of(pattern) if name in LETTERS]
    defines = tuple(Definition(name, InList(S, tuple(map(varchar, LETTERS[name])))) for name in names)
    return defines or (Definition(variables_of(pattern)[0], TRUE),)


def below(operand: Expression, limit: int) -> SqlBinary:
    """`operand < limit`."""
    return SqlBinary("<", operand, integer(limit))


def query_on(pattern: RowPattern, *measures: Expression) -> SqlQuery:
    """ONE ROW PER MATCH on letters, in the order of the input."""
    named = tuple(Measure(f"m{place}", value) for place, value in enumerate(measures, 1))
    return SqlQuery("t", pattern, by_letter(pattern), measures=named)


def matched(query: SqlQuery, table: SqlTable) -> list[str]:
    """The labels of each match, "" of an empty one."""
    measure = Measure("labels", SqlAggregate("ARRAY_AGG", Classifier()))
    rows = evaluate(replace(query, measures=(measure,)), table).rows
    return ["".join(row[0]) if isinstance(row[0], tuple) else "" for row in rows]


def spans(query: SqlQuery, table: SqlTable) -> list[SqlRow]:
    """The number of each match, and t at its first and last row."""
    first, last = LogicalNavigation("FIRST", T), LogicalNavigation("LAST", T)
    measures = (Measure("number", MatchNumber()), Measure("first", first), Measure("last", last))
    return list(evaluate(replace(query, measures=measures), table).rows)


def subset(name: str, members: str) -> Subset:
    """`name = (…)` of variables of one letter."""
    return Subset(name, tuple(members))
