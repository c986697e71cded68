"""Whether Trino and SPAseq give the same for a query with row patterns, and if not, what explains it.

A random query whose results differ is asked again of SPAseq as Trino means it: only if they are equal then, that is
what explains them.  So one difference hides no other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from benchmarks.peers.row_patterns.answers import (
    CRASH,
    Answer,
    Failure,
    Output,
    Row,
    arranged,
    has_nan,
    ours,
    rounded,
    without,
)
from benchmarks.peers.row_patterns.differences import CASES, TRINO_FAILS, Difference
from benchmarks.peers.row_patterns.jobs import Job
from benchmarks.peers.row_patterns.meanings import MEANINGS, NOT_COMPARED, may_repeat_nothing
from spaseq.pattern.rows.query import PastLastRow, RowPatternQuery, Shown
from tests.oracle import sql as oracle
from tests.oracle.sql.generate import SqlPair

REFUSED = "is the first row of every match"  # what we say of SKIP before any match is looked for

Explanation = tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Both answers to a query, and what explains that they differ: () if they do not, None if nothing does."""

    job: Job
    trino: Answer
    ours: Answer
    explanation: Explanation | None


def verdict(job: Job, trino: Answer) -> Verdict:
    """Ask SPAseq, too, and judge."""
    given = ours(job.text, job.table)
    return Verdict(job, trino, given, _explanation(job, trino, given))


def _explanation(job: Job, trino: Answer, given: Answer) -> Explanation | None:
    if isinstance(given, Failure) and given.message.startswith(CRASH):
        return None
    return _of_case(job, trino, given) if job.pair is None else _of_random(job, job.pair, trino, given)


def _of_case(job: Job, trino: Answer, given: Answer) -> Explanation | None:
    """Two errors are alike here: what of its message counts is in the case file."""
    if isinstance(trino, Failure) and isinstance(given, Failure):
        return ()
    same = _same(job, trino, given)
    return (CASES[job.name],) if same is None and job.name in CASES else same


def _of_random(job: Job, pair: SqlPair, trino: Answer, given: Answer) -> Explanation | None:
    if isinstance(trino, Failure) and (known := [what for what, said in TRINO_FAILS if said.search(trino.message)]):
        return (known[0],)
    same = _same(job, trino, given)
    if same is not None:
        return same
    is_refused = isinstance(given, Failure) and REFUSED in given.message
    meant = _as_trino_means(job, pair, trino, is_refused)
    if meant is not None:
        return (Difference.SKIP_TO_FIRST, *meant) if is_refused else meant
    has_results = isinstance(trino, Output) and isinstance(given, Output)
    return (Difference.EMPTY_ITERATION,) if has_results and may_repeat_nothing(pair.query.pattern) else None


def _same(job: Job, trino: Answer, given: Answer) -> Explanation | None:
    """Whether two answers are equal, perhaps but for columns that Trino shows twice; None: they are not."""
    if isinstance(trino, Failure) or isinstance(given, Failure):
        both = [each.message for each in (trino, given) if isinstance(each, Failure)]
        return () if len(both) == 2 and all("SKIP" in message for message in both) else None
    once = tuple(dict.fromkeys(trino.names))
    if job.meaning is None or once != given.names:
        return None
    if _in_order(arranged(trino, once), job.meaning) != _in_order(given, job.meaning):
        return None
    return (Difference.COLUMN_TWICE,) if len(once) < len(trino.names) else ()


def _in_order(output: Output, meaning: RowPatternQuery) -> Any:
    """The rows of each partition in order; all rows without order if they do not say of which they are.

    A query that shows each row once, and no measure, is nothing but its input to Trino, and so has no order.
    """
    shown = {column.source: column.name.lower() for column in reversed(meaning.columns or ()) if not column.is_measure}
    names = [shown.get(name, "") for name in meaning.partition]
    each_once = meaning.shown is Shown.WITH_UNMATCHED and isinstance(meaning.skipping, PastLastRow)
    is_input = each_once and not any(column.is_measure for column in meaning.columns or ())
    if is_input or not set(names) <= set(output.names):
        return Counter(output.rows)
    places = [output.names.index(name) for name in names]
    partitions: dict[Row, list[Row]] = defaultdict(list)
    for row in output.rows:
        partitions[tuple(row[place] for place in places)].append(row)
    return partitions


def _as_trino_means(job: Job, pair: SqlPair, trino: Answer, is_refused: bool) -> Explanation | None:
    """What makes the answers equal: other meanings, or not to look at some measures; None: nothing does."""
    meant = list(_meant(job, pair, checked=not is_refused))
    for left_out, names in _left_out(job, pair.query):
        for meanings, given in meant:
            one, other = without(trino, names), without(given, names)
            if (same := _same(job, one, other)) is not None:
                return (*meanings, *left_out, *same)
            if (same := _same(job, rounded(one), rounded(other))) is not None:
                return (*meanings, *left_out, Difference.INTERVAL, *same)
    return None


def _meant(job: Job, pair: SqlPair, checked: bool) -> Iterator[tuple[Explanation, Answer]]:
    """What we give for a query with some of the meanings, and these: fewer first."""
    for meanings in _choices(MEANINGS):
        query = pair.query
        for meaning in meanings:
            query = MEANINGS[meaning](query, pair.table)
        yield meanings, ours(oracle.query_text(query), job.table, checked)


def _left_out(job: Job, query: oracle.SqlQuery) -> Iterator[tuple[Explanation, frozenset[str]]]:
    """Names of output columns that are not compared, with the reasons: fewer first."""
    for reasons in _choices(each for each in NOT_COMPARED if each is not Difference.NAN or has_nan(job.table)):
        measures = [{m.name for m in query.measures if NOT_COMPARED[each](m.value)} for each in reasons]
        if all(measures):
            named = {item.column: item.name or item.column for item in query.select or ()}
            yield reasons, frozenset(named.get(name, name) for names in measures for name in names)


def _choices(differences: Iterable[Difference]) -> Iterator[Explanation]:
    """Any number of them, fewer first."""
    known = tuple(differences)
    return (chosen for size in range(len(known) + 1) for chosen in combinations(known, size))
