"""What both engines are asked: the case files of ``tests/sql/cases``, and random pairs of the oracle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from random import Random

import pyarrow

from benchmarks.peers.row_patterns.answers import comparable, has_nan, meaning_of
from benchmarks.peers.row_patterns.meanings import without_within
from benchmarks.peers.row_patterns.texts import trino_text
from spaseq.pattern.rows.query import RowPatternQuery
from tests.oracle import sql as oracle
from tests.oracle.sql.generate import SqlPair, random_pair
from tests.oracle.sql.model import BIGINT, OrderKey
from tests.sql.case_files import case_files, read_case
from tests.sql.compared import arrow_table

PLACE = "nth"  # the column that random tables get, which makes their order total


@dataclass(frozen=True, slots=True)
class Job:
    """A query in our text and in Trino's; ``meaning`` None: we refuse it. ``pair`` None: it is that of a case file."""

    name: str
    text: str
    table: pyarrow.Table
    trino: str
    meaning: RowPatternQuery | None
    pair: SqlPair | None = None

    @property
    def is_random(self) -> bool:
        """Whether it is no case file."""
        return self.pair is not None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A query that Trino is not asked, and why."""

    why: str
    is_random: bool


def case_jobs() -> Iterator[Job | Skipped]:
    """The case files."""
    for path in case_files():
        case = read_case(path)
        if re.search(r"\bWITHIN\s+INTERVAL\b", case.query, re.IGNORECASE):
            yield Skipped("WITHIN", is_random=False)
        else:
            text = trino_text(case.query, case.rows)
            meaning = meaning_of(case.query, case.rows)
            yield _asked(Job(f"{path.parent.name}/{path.stem}", case.query, case.rows, text, meaning))


def random_jobs(pairs: int, first: int = 0, rows: int = 0) -> Iterator[Job | Skipped]:
    """So many random pairs, and those between that Trino cannot be asked.

    ``first`` is the seed of the first one; ``rows``: each table has so many.  Each table has one more column, which
    ORDER BY ends with.
    """
    seeds = count(first)
    while pairs:
        made = _random_job(next(seeds), rows)
        pairs -= isinstance(made, Job)
        yield made


def _random_job(seed: int, rows: int) -> Job | Skipped:
    pair = random_pair(seed)
    pair = ordered(longer(pair, rows, Random(seed)) if rows else pair)
    text, table = oracle.query_text(pair.query), arrow_table(pair.table)
    asked = oracle.query_text(replace(without_within(pair.query, pair.table), bare=False))
    return _asked(Job(f"seed {seed}", text, table, trino_text(asked, table), meaning_of(text, table), pair))


def longer(pair: SqlPair, rows: int, random: Random) -> SqlPair:
    """A pair with so many rows of the same values; no rows stay none."""
    columns = [[random.choice(values) for _ in range(rows)] for values in zip(*pair.table.rows, strict=True)]
    return replace(pair, table=replace(pair.table, rows=tuple(zip(*columns, strict=True))))


def ordered(pair: SqlPair) -> SqlPair:
    """A pair whose rows have a total order, and whose table is called ticks."""
    rows = tuple((*row, place) for place, row in enumerate(pair.table.rows))
    table = oracle.SqlTable((*pair.table.names, PLACE), (*pair.table.types, BIGINT), rows)
    query = replace(pair.query, table="ticks", order=(*pair.query.order, OrderKey(PLACE)))
    return SqlPair(query, table, pair.labels)


def _asked(job: Job) -> Job | Skipped:
    """The job, if Trino has an order of its rows as SQL here has, and tells its columns apart."""
    if len({name.lower() for name in job.table.column_names}) < job.table.num_columns:
        return Skipped("columns that differ in case only", job.is_random)
    if job.meaning is not None and job.meaning.order:
        if _has_ties(job.table, job.meaning):
            return Skipped("ORDER BY with ties", job.is_random)
        if any(key.nulls_first and has_nan(job.table.select([key.column])) for key in job.meaning.order):
            return Skipped("NaN under NULLS FIRST", job.is_random)
    return job


def _has_ties(table: pyarrow.Table, meaning: RowPatternQuery) -> bool:
    columns = [*meaning.partition, *(key.column for key in meaning.order)]
    rows = [tuple(map(comparable, row.values())) for row in table.select(list(dict.fromkeys(columns))).to_pylist()]
    return len(set(rows)) < len(rows)
