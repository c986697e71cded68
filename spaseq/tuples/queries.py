"""Queries on tuples, from their text to what is run, and the streams that are given for them."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property, lru_cache, partial, reduce
from operator import or_
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import pyarrow

from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.languages import sql
from spaseq.languages.ceql import ParsedFormulaQuery, parse
from spaseq.languages.query_text import made_of_file, source_of
from spaseq.languages.sql import ParsedRowPatternQuery, is_row_pattern
from spaseq.pattern.formulas.parameters import ConstantRow, RowKey
from spaseq.pattern.formulas.predicates import attributes
from spaseq.pattern.formulas.query import AttributeWindow, FormulaQuery, Relation, TimeWindow, parts
from spaseq.plan.formulas.aggregation import check_groups
from spaseq.plan.formulas.automaton import RecognitionPlan, planned
from spaseq.plan.formulas.templates import FormulaInstance, instance_of
from spaseq.sources.tables.columns import texts_as_times
from spaseq.sources.tables.opening import FileReading, declared_members, piped
from spaseq.sources.tables.source import (
    CsvFormat,
    LeaveOut,
    LeftOut,
    TableSource,
    Types,
    check_csv,
    check_declared,
    check_texts,
    declared,
)
from spaseq.sources.tables.types import integers_of
from spaseq.text import did_you_mean
from spaseq.tuples.encoding.correlation import correlated_attributes, texts
from spaseq.tuples.encoding.symbol_groups import Naming, Setting
from spaseq.tuples.encoding.symbols import Atom
from spaseq.tuples.live_tables import Before, OpenTable, opened_table
from spaseq.tuples.row_patterns.prepared import PreparedRowPattern, prepared_row_pattern


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How sources are read; the names are those of ``match``."""

    type: str | None = None
    relation: str | None = None
    time: str | None = None
    unit: str = "us"
    types: Types | None = None
    csv: CsvFormat | None = None
    skip: bool = False
    form: str | None = None  # of times that are texts
    stream: str | None = None  # the column with the streams
    totals: str = "int64"

    def setting(self, has_names: bool, own: str | None = None, known: tuple[str, ...] | None = None) -> Setting:
        """What is known of the events; ``has_names``, ``own`` and ``known`` are about their streams."""
        column = None if self.relation is not None else self.type or "type"
        naming = Naming(column, self.relation, self.stream)
        return Setting(naming, self.time, has_names, own, known, integers_of(self.totals))


@dataclass(frozen=True, slots=True)
class Streams:
    """Tables by the names of their streams; the one that has none is that of "".  ``sources`` have their rows."""

    tables: Mapping[str, OpenTable]
    sources: Mapping[str, TableSource]
    reading: ReadingOptions
    setting: Setting

    @property
    def names(self) -> Sequence[str]:
        """All columns that there are; twice, if a source has one twice."""
        counts = reduce(or_, (Counter(source.names) for source in self.sources.values()))
        return tuple(counts.elements())

    def names_of(self, stream: str) -> Sequence[str]:
        """All columns of a stream; where these have no names, of the source."""
        return self.sources[stream if self.setting.has_names else ""].names


@dataclass(frozen=True, slots=True)
class Following:
    """How tables are read on: ``follow``: as files grow; behind what was ``before``.

    ``keep`` is told what is left out of which stream.
    """

    follow: bool = False
    before: Before | None = None
    keep: Callable[[str, StreamError], object] | None = None


def open_streams(
    queries: Sequence[AnyPrepared], given: Any, reading: ReadingOptions, following: Following = Following()
) -> Streams:
    """The streams of queries: ``given`` is one source, or a mapping of sources by the names of their streams.

    OptionError: a stream without source or a source without stream.
    """
    if isinstance(given, Mapping):
        if reading.stream is not None:
            raise OptionError(f"sources with names are streams, so that no column ({reading.stream}) says which")
        return _named(queries, given, reading, following)
    return _streams({"": given}, reading, following, reading.setting(has_names=False))


def _streams(given: Mapping[str, Any], reading: ReadingOptions, following: Following, setting: Setting) -> Streams:
    check_csv(reading.csv)
    given = {name: piped(data, following.follow) for name, data in given.items()}  # all, before one is waited for
    types, csv = declared(reading.types), reading.csv or CsvFormat()
    tables = {}
    for name, data in given.items():
        left_out = LeftOut(_keeper(following.keep, name)) if reading.skip else None
        how = FileReading(types, csv, None if left_out is None else left_out.note)
        tables[name] = opened_table(name, data, how, left_out, following.before)
    sources = {name: with_times(table.rows, reading) for name, table in tables.items()}
    streams = Streams(tables, sources, reading, setting)
    members = (one for table in tables.values() for one in declared_members(table.rows, reading.types))
    check_declared(reading.types, (*streams.names, *members))
    return streams


def _keeper(keep: Callable[[str, StreamError], object] | None, stream: str) -> LeaveOut | None:
    return None if keep is None else partial(keep, stream)


def _named(
    queries: Sequence[AnyPrepared], given: Mapping[str, Any], reading: ReadingOptions, following: Following
) -> Streams:
    is_open = not all(each.query.streams for each in queries)
    asked = dict.fromkeys(name for each in queries for name in each.query.streams)
    names = tuple(dict.fromkeys([*asked, *given]) if is_open else asked)
    _check_names(names, given)
    if len(names) == 1:
        return _streams({"": given[names[0]]}, reading, following, reading.setting(False, names[0], names))
    if reading.time is None:
        raise OptionError("several streams are merged by time: say which column has the times (time)")
    streams = _streams({name: given[name] for name in names}, reading, following, reading.setting(True, None, names))
    for name, source in streams.sources.items():
        _check_columns(name, source.names, reading)
    return streams


def with_times(source: TableSource, reading: ReadingOptions) -> TableSource:
    """The source with times that are texts read as times."""
    return source if reading.time is None else texts_as_times(source, reading.time, reading.form)


def _check_names(names: Sequence[str], given: Mapping[str, Any]) -> None:
    if not given:
        raise OptionError("there is no source")
    check_texts(**{f"the stream {name!r:.80}": name for name in given})
    for name in names:
        if name not in given:
            raise OptionError(f"nothing supplies the stream {name}")
    for name in given:
        if name not in names:
            raise OptionError(f"FROM names no stream {name}; {did_you_mean(name, names)}")


def _check_columns(stream: str, names: Sequence[str], reading: ReadingOptions) -> None:
    """OptionError if a stream lacks a column that says what its events are."""
    type_ = None if reading.relation is not None else reading.type or "type"
    for role, column in (("types", type_), ("times", reading.time)):
        if column is not None and column not in names:
            raise OptionError(
                f"the stream {stream} has no column {column} for the {role}; {did_you_mean(column, names)}"
            )


MOST_REMEMBERED = 256  # of the queries that were prepared, in a process


@dataclass(frozen=True, eq=False)
class Prepared:
    """A query that was read, checked and planned; wherever a query in CEQL may stand, it may stand.

    It never changes, pickles as its text (``source``), and is prepared again once in a process.  With parameters it
    stands for a query for each of its ``rows``; ``members`` are those of them that are in use
    (``parameter_rows.of_row``).  What it takes to run by itself is made when it is asked for.
    """

    source: str | ParsedFormulaQuery
    query: FormulaQuery
    rows: tuple[ConstantRow, ...] | None = None
    members: WeakValueDictionary[RowKey, Prepared] = field(default_factory=WeakValueDictionary, repr=False)

    @cached_property
    def parsed(self) -> ParsedFormulaQuery:
        """What was read."""
        return self.source if isinstance(self.source, ParsedFormulaQuery) else parse(self.source)

    @cached_property
    def plan(self) -> RecognitionPlan:
        """What recognizes its matches, where the attributes ``ordered`` are numbers.  QueryError: it has no meaning."""
        plan = planned(self.query, self.parsed.normal_form)
        check_groups(self.query, plan)
        return plan

    @cached_property
    def ordered(self) -> frozenset[str]:
        """The attributes whose order is compared between events."""
        compared = (each.comparison for each in self.plan.measured if each.comparison.operator in ("<", "<="))
        return frozenset(attribute.name for each in compared for attribute in attributes(each.written))

    @cached_property
    def instance(self) -> FormulaInstance | None:
        """What it has in common with queries of other constants; None: nothing that these could share."""
        return instance_of(self.query)

    @cached_property
    def of_streams(self) -> tuple[tuple[str, str], ...]:
        """The types of events for which it names a stream: (stream, type)."""
        relations = (part for part in parts(self.query.formula) if isinstance(part, Relation))
        return tuple((kind.stream, kind.type) for kind in relations if kind.stream is not None)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The attributes of events that it reads."""
        return _columns(self.query, self.plan)

    @cached_property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, equal in all processes for queries that mean the same, with any rows."""
        meaning = repr(_ordered((self.query, self.parsed.normal_form)))
        given = "" if self.query.given is None else self.query.given.fingerprint
        return hashlib.sha256((meaning + given).encode()).hexdigest()[:32]

    def __reduce__(self) -> tuple[Callable[..., Prepared], tuple[Any, ...]]:
        return (_prepared, (self.source,)) if self.rows is None else (_prepared_with, (self.source, self.rows))

    def with_rows(self, rows: tuple[ConstantRow, ...] | None) -> Prepared:
        """The same with other rows; what is made stays."""
        if rows is self.rows:
            return self
        found = replace(self, rows=rows)
        found.__dict__.update({name: made for name, made in self.__dict__.items() if name not in found.__dict__})
        return found

    def plan_for(self, schema: pyarrow.Schema) -> RecognitionPlan:
        """The plan for events of this schema: the order of texts is not that of any number."""
        of_texts = texts(schema)
        return planned(self.query, self.parsed.normal_form, of_texts) if self.ordered & of_texts else self.plan


AnyParsed: TypeAlias = "ParsedFormulaQuery | ParsedRowPatternQuery"
AnyPrepared: TypeAlias = "Prepared | PreparedRowPattern"
AnyQuery: TypeAlias = "str | os.PathLike[str] | AnyParsed | AnyPrepared"
AnyQueries: TypeAlias = "AnyQuery | Mapping[str, AnyQuery] | Iterable[AnyQuery]"


def prepare(query: AnyQuery) -> AnyPrepared:
    """A query in CEQL, or in SQL with MATCH_RECOGNIZE, ready to be run.

    It is a text, a ``pathlib.Path`` of a file, what ``parse`` of either language gave, or what is prepared already.
    QuerySyntaxError, QueryError; OptionError: it is none of these, or a file that cannot be read.
    """
    match query:
        case Prepared() | PreparedRowPattern():
            return query
        case ParsedRowPatternQuery():
            return prepared_row_pattern(query)
        case os.PathLike():
            return made_of_file(query, _prepared_text, _parsed_file)
        case str():
            return _prepared_text(query)
        case _:
            return _prepared(query if isinstance(query, ParsedFormulaQuery) else parse(query))


def prepare_formula(query: AnyQuery, where: str) -> Prepared:
    """``prepare`` of a query in CEQL.  OptionError: it is in SQL, which is not for ``where``."""
    found = prepare(query)
    if isinstance(found, PreparedRowPattern):
        raise OptionError(f"row patterns in SQL are matched in whole tables so far (tuples.match), not {where}")
    return found


def _prepared_text(text: str) -> AnyPrepared:
    return prepared_row_pattern(text) if is_row_pattern(text) else _prepared(text)


def _parsed_file(path: os.PathLike[str]) -> AnyParsed:
    return sql.parse(path) if is_row_pattern(source_of(path, "").text) else parse(path)


@lru_cache(maxsize=MOST_REMEMBERED)
def _prepared(source: str | ParsedFormulaQuery) -> Prepared:
    return planned_query(source)


def _prepared_with(source: str | ParsedFormulaQuery, rows: tuple[ConstantRow, ...]) -> Prepared:
    return _prepared(source).with_rows(rows)


def planned_query(source: str | ParsedFormulaQuery) -> Prepared:
    """The same, made anew."""
    parsed = source if isinstance(source, ParsedFormulaQuery) else parse(source)
    found = Prepared(source, parsed.query)
    found.__dict__["parsed"] = parsed
    assert found.plan
    return found


def _ordered(value: Any) -> Any:
    """A syntax tree as tuples, sets in an order that all processes agree on; what is given is told apart."""
    if is_dataclass(value):
        return type(value).__name__, *(_ordered(getattr(value, one.name)) for one in fields(value) if one.repr)
    if isinstance(value, tuple):
        return tuple(map(_ordered, value))
    return tuple(sorted(map(repr, map(_ordered, value)))) if isinstance(value, frozenset) else value


def _columns(query: FormulaQuery, plan: RecognitionPlan) -> tuple[str, ...]:
    """The attributes of events that it reads."""
    found = [attribute.name for atom in plan.atoms for attribute in attributes(atom.predicate)]
    found += [query.window.attribute] if isinstance(query.window, AttributeWindow) else []
    found += [*plan.partition, *needed(query), *correlated_attributes(plan)]
    return tuple(dict.fromkeys([*found, *(one.attribute.name for one in query.projected)]))


def prepared_queries(queries: AnyQueries) -> dict[str, AnyPrepared]:
    """Queries by name: a mapping, or a list, whose queries are ``query1``, ``query2`` …; a single one has the name "".

    Errors as of ``prepare``; OptionError: there are none.
    """
    if not isinstance(queries, Iterable) or isinstance(queries, str):
        return {"": prepare(queries)}
    by_name = (
        dict(queries)
        if isinstance(queries, Mapping)
        else {f"query{number}": query for number, query in enumerate(queries, 1)}
    )
    for name in by_name:
        check_name(name)
    if not by_name:
        raise OptionError("there is no query")
    return {name: prepare(query) for name, query in by_name.items()}


def check_name(name: object) -> None:
    """OptionError if it is not the name of a query."""
    if not isinstance(name, str) or not name:
        raise OptionError(f"the name of a query is a text, not {name!r:.80}")


def atoms_of(plan: RecognitionPlan, own: str | None) -> Sequence[Atom]:
    """What a plan asks of single events; where all events are of the stream ``own``, that is no question."""
    return [Atom(kind.type, None if kind.stream == own else kind.stream, kind.predicate) for kind in plan.atoms]


def needed(query: FormulaQuery) -> tuple[str, ...]:
    """The attributes that aggregates and GROUP BY read."""
    values = (each.value for each in query.aggregates if each.value is not None)
    aggregated = (attribute.name for value in values for attribute in attributes(value))
    return tuple(dict.fromkeys([*aggregated, *(key.attribute.name for key in query.group_by)]))


def steps_of(max_steps: int | None) -> int:
    """How many steps a search from one row may take; 0: any number.  OptionError."""
    if max_steps is not None and not (isinstance(max_steps, int) and max_steps > 0):
        raise OptionError(f"max_steps is a number of steps, as in 1_000_000, not {max_steps!r:.80}")
    return max_steps or 0


def check_order(prepared: AnyPrepared, time: str | None) -> None:
    """QueryError: a query in SQL wants its rows in another order than that in which they come, of ``time`` if any."""
    if isinstance(prepared, Prepared) or not prepared.query.order:
        return
    first = prepared.query.order[0]
    with prepared.parsed.about("ORDER BY"):
        if time is None:
            hint = "say which column has them (time), or leave ORDER BY out: rows are in the order in which they come"
            raise QueryError("ORDER BY asks for an order of time, but the rows have no times here", hint=hint)
        if first.column.lower() != time.lower() or first.descending:
            told = f"rows come in the order of {time}, so that is what ORDER BY begins with"
            raise QueryError(told, hint=f"write ORDER BY {time}, or match a whole table, without time")


def check_window(prepared: AnyPrepared, time: str | None) -> None:
    """QueryError for a window of time where events have none."""
    if isinstance(prepared, Prepared) and isinstance(prepared.query.window, TimeWindow) and time is None:
        hint = "say which column has them (time), or count events, as in WITHIN 100 EVENTS"
        raise QueryError("WITHIN measures time here, but the events have no times", hint=hint)
