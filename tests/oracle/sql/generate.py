"""Random pairs of a query and a table, the same for the same seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from random import Random

from .evaluate import evaluate
from .expressions import (
    TRUE,
    Expression,
    InList,
    NullTest,
    SqlAggregate,
    SqlBinary,
    integer,
)
from .faults import MatchFault, SearchFault, ValueFault
from .labels import labels_of
from .model import (
    Definition,
    Exclusion,
    Measure,
    OrderKey,
    RowMode,
    RowPattern,
    SelectItem,
    Skip,
    SkipMode,
    SqlKind,
    SqlQuery,
    SqlTable,
    Subset,
    variables_of,
    walk,
)
from .random_expressions import RandomExpressions
from .random_patterns import random_pattern
from .random_reads import RandomReads
from .random_tables import random_table

NAMES = ("A", "B", "C", "D")
ODD_VARIABLES = ("a", "x y", "FINAL")
SECOND = 1_000_000
MOST_STEPS = 3000
WINDOWS = {
    SqlKind.TIMESTAMP: (30 * SECOND, 45 * SECOND, 60 * SECOND, 90 * SECOND + 500_000, 180 * SECOND, 3600 * SECOND),
    SqlKind.DATE: (86_400 * SECOND, 2 * 86_400 * SECOND, 7 * 86_400 * SECOND, 36 * 3600 * SECOND),
}


@dataclass(frozen=True, slots=True)
class SqlPair:
    """A query, a table for it, and names of what the pair has."""

    query: SqlQuery
    table: SqlTable
    labels: frozenset[str]


def random_pair(seed: int) -> SqlPair:
    """The pair of a seed."""
    random = Random(seed)
    table = random_table(random, odd_names=random.random() < 0.15)
    query = _short_query(random, table)
    for _ in range(3):
        if outcome(query, table) in ("rows", "fault"):
            break
        query = _short_query(random, table)
    return SqlPair(query, table, labels_of(query, table))


def _short_query(random: Random, table: SqlTable) -> SqlQuery:
    """A query that does not search long."""
    queries = (_with_skip(random, random_query(random, table), table) for _ in count())
    return next(query for query in queries if outcome(query, table) != "too long")


def outcome(query: SqlQuery, table: SqlTable) -> str:
    """What a query ends in: "rows", "nothing" (no rows), "fault", or "too long" a search."""
    try:
        return "rows" if evaluate(query, table, MOST_STEPS).rows else "nothing"
    except (MatchFault, ValueFault):
        return "fault"
    except SearchFault:
        return "too long"


def random_query(random: Random, table: SqlTable) -> SqlQuery:
    """A query on a table, without AFTER MATCH SKIP."""
    names = NAMES[: random.choice((1, 2, 2, 3, 3, 4))]
    if random.random() < 0.1:
        names = (*names[:3], random.choice(ODD_VARIABLES))
    pattern = random_pattern(random, names)
    subsets = _subsets(random, pattern)
    query = SqlQuery(
        table=random.choice(("events", "events", "Input", "the table")),
        pattern=pattern,
        defines=_defines(random, table, pattern, subsets),
        partition=_partition(random, table),
        order=_order(random, table),
        mode=_mode(random, pattern),
        subsets=subsets,
    )
    query = replace(query, within=_within(random, table, query), measures=_measures(random, table, query))
    return _selecting(random, table, query)


def _reads(random: Random, table: SqlTable, pattern: RowPattern, subsets: tuple[Subset, ...]) -> RandomReads:
    return RandomReads(random, table, (*variables_of(pattern), *(subset.name for subset in subsets)))


def _subsets(random: Random, pattern: RowPattern) -> tuple[Subset, ...]:
    variables = variables_of(pattern)
    names = ("U", "W", "u")[: random.choice((0, 0, 1, 1, 2, 3))]
    return tuple(Subset(name, tuple(random.sample(variables, random.randint(1, len(variables))))) for name in names)


def _partition(random: Random, table: SqlTable) -> tuple[str, ...]:
    chance = random.random()
    if chance < 0.3:
        return ()
    if chance < 0.8:
        return ("k",) if "k" in table.names else ()
    names = [name for name in table.names if name not in ("v", "t", "ts")]
    return tuple(random.sample(names, min(len(names), random.randint(1, 2))))


def _order(random: Random, table: SqlTable) -> tuple[OrderKey, ...]:
    times = [name for name in ("t", "ts", "d") if name in table.names]
    chance = random.random()
    if chance < 0.1:
        return ()
    names = [random.choice(times or ["v"] if chance < 0.9 else table.names)] if times or chance >= 0.9 else []
    if random.random() < 0.3:
        names += [name for name in random.sample(table.names, 1) if name not in names]
    return tuple(
        OrderKey(name, random.random() < 0.2, random.choice((None, None, None, True, False))) for name in names
    )


def _within(random: Random, table: SqlTable, query: SqlQuery) -> int | None:
    if not query.order or random.random() < 0.5:
        return None
    windows = WINDOWS.get(table.types[table.place(query.order[0].column)].kind)
    return random.choice(windows) if windows else None


def _mode(random: Random, pattern: RowPattern) -> RowMode:
    excluded = any(isinstance(part, Exclusion) for part in walk(pattern))
    if excluded and random.random() < 0.7:
        return random.choice((RowMode.ALL, RowMode.SHOW, RowMode.OMIT))
    return random.choice([mode for mode in RowMode if not (excluded and mode is RowMode.UNMATCHED)])


def _defines(
    random: Random, table: SqlTable, pattern: RowPattern, subsets: tuple[Subset, ...]
) -> tuple[Definition, ...]:
    reads = _reads(random, table, pattern, subsets)
    variables = list(variables_of(pattern))
    random.shuffle(variables)
    defined = [name for name in variables if random.random() < 0.75] or variables[:1]
    return tuple(Definition(name, _condition(random, reads, name)) for name in defined)


def _condition(random: Random, reads: RandomReads, own: str) -> Expression:
    """A condition on the row and its neighbours, or on the match, or both, in any order."""
    if random.random() < 0.03:
        return TRUE
    row = RandomExpressions(reads.row_reads(own), all_functions=True)
    match random.choice(("row", "row", "row", "match", "match", "both", "both")):
        case "row":
            return row.condition(random.choice((1, 1, 2))) if random.random() < 0.6 else _row_test(random, row.reads)
        case "match":
            return _match_test(random, reads)
    parts = [row.condition(random.randrange(2)), _match_test(random, reads)]
    parts += [_match_test(random, reads)] * (random.random() < 0.2)
    random.shuffle(parts)
    return _all_of(parts)


def _all_of(parts: list[Expression]) -> Expression:
    first, *rest = parts
    for part in rest:
        first = SqlBinary("AND", first, part)
    return first


def _row_test(random: Random, reads: RandomReads) -> Expression:
    """A condition on the row and its neighbours that often holds."""
    read, before = reads.column(SqlKind.BIGINT, reads.variable()), reads.physical(SqlKind.BIGINT)
    match random.randrange(5):
        case 0:
            return SqlBinary(">=", read, integer(random.choice((1, 2, 3))))
        case 1:
            return SqlBinary(random.choice(("<", "<=", ">", ">=")), read, before)
        case 2:
            return SqlBinary("OR", NullTest(before), SqlBinary(random.choice(("<=", ">=")), read, before))
        case 3:
            return NullTest(reads.column(random.choice(reads.kinds()), reads.variable()), negated=True)
    return InList(read, (integer(1), integer(2), integer(4), integer(5)), random.random() < 0.3)


def _match_test(random: Random, reads: RandomReads) -> Expression:
    """A condition that reads the match; it often holds in a short one."""
    match random.randrange(6):
        case 0:
            return SqlBinary("<", reads.whole_number(), integer(random.choice((2, 3, 4, 10))))
        case 1:
            return SqlBinary(random.choice(("=", "=", "<>")), reads.classifier(), reads.label())
        case 2:
            read = reads.read(SqlKind.BIGINT)
            test = SqlBinary(random.choice(("<", "<=", ">=", ">")), read, reads.column(SqlKind.BIGINT, None))
            return SqlBinary("OR", NullTest(read), test)
    return RandomExpressions(reads, all_functions=False).condition(random.choice((0, 1, 1)))


def _measures(random: Random, table: SqlTable, query: SqlQuery) -> tuple[Measure, ...]:
    reads = replace(_reads(random, table, query.pattern, query.subsets), final=True)
    least = 0 if query.partition or query.mode.is_all else 1
    expressions = [_measure(random, reads) for _ in range(max(least, random.choice((0, 1, 2, 2, 3, 3, 4))))]
    return tuple(Measure(f"m{place}", value) for place, value in enumerate(expressions, 1))


def _measure(random: Random, reads: RandomReads) -> Expression:
    chance = random.random()
    if chance < 0.12:
        argument = reads.argument(random.choice(reads.kinds()))
        return SqlAggregate("ARRAY_AGG", argument if chance < 0.1 else reads.own_label(), reads.semantics())
    if chance < 0.16:
        return RandomExpressions(reads, all_functions=True).scalar(SqlKind.INTERVAL, 1)
    if chance < 0.5:
        return reads.read(random.choice(reads.kinds()))
    if chance < 0.62:
        return reads.aggregate(random.choice(reads.kinds()))
    return RandomExpressions(reads, all_functions=True).scalar(
        random.choice(reads.kinds()), random.choice((1, 2, 2, 3))
    )


def _selecting(random: Random, table: SqlTable, query: SqlQuery) -> SqlQuery:
    """The query with an alias and SELECT, now and then."""
    alias = random.choice((None, None, "m", "The matches"))
    if random.random() < 0.7:
        return replace(query, alias=alias, bare=random.random() < 0.4)
    columns = [*query.partition, *(measure.name for measure in query.measures)]
    if query.mode.is_all:
        columns = [*(measure.name for measure in query.measures), *table.names]
    chosen = random.sample(columns, random.randint(1, min(4, len(columns))))
    names = [random.choice((None, None, f"o{place}")) for place in range(len(chosen))]
    qualified = [alias is not None and random.random() < 0.4 for _ in chosen]
    return replace(query, alias=alias, select=tuple(map(SelectItem, chosen, names, qualified)))


def _with_skip(random: Random, query: SqlQuery, table: SqlTable) -> SqlQuery:
    """The query with AFTER MATCH SKIP; of those to a variable, few end in a fault."""
    names = [*variables_of(query.pattern), *(subset.name for subset in query.subsets)]
    mode = random.choice(list(SkipMode))
    if mode in (SkipMode.DEFAULT, SkipMode.PAST_LAST, SkipMode.NEXT_ROW):
        return replace(query, skip=Skip(mode))
    for _ in range(6):
        skip = Skip(random.choice((mode, SkipMode.LAST)), random.choice(names))
        tried = replace(query, skip=skip)
        ending = outcome(tried, table)
        if ending in ("rows", "nothing") or (ending == "fault" and random.random() < 0.02):
            return tried
    return query
