"""What runs in a job: queries by themselves, with rows of parameters, and families of those that differ in constants.

Rows, and the queries of a family, are routed and cut as one, by what all of them agree in.  If that is a parameter,
each lies where the events with its term go, and no other events are sent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from gpm.evaluator import Evaluator
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.background import compiled
from spaseq.graphs.families import LEAST, plan_of_family
from spaseq.graphs.graph_engine import Engine
from spaseq.graphs.graph_run import Queries, named_queries
from spaseq.graphs.known_forms import KnownForms
from spaseq.graphs.parameter_rows import key_of, keyed, needed_rows, rows_given
from spaseq.graphs.queries import AnyQuery, Prepared, check_is_name, checked_query, free_name, prepare
from spaseq.languages.spaseq import ParsedQuery
from spaseq.pattern.sequences import Query, Row, Selection, bound
from spaseq.plan.sequences import Plan, compile_plan
from spaseq.plan.sequences.plan import digest
from spaseq.plan.sequences.rule_plan import Key, RulePlan, groups
from spaseq.plan.sequences.templates import Instance, Variation, canonical, instance_of
from spaseq.sources.parameter_rows import RowSources, tables_by_name
from spaseq.spark.log import QUERIES

if TYPE_CHECKING:
    from spaseq.sources.parameter_tables import RowSource

ByName: TypeAlias = "Mapping[str, AnyQuery | Instance]"


class JobQuery(ABC):
    """One query, or several that are routed and cut as one.  It never changes, and pickles."""

    @property
    @abstractmethod
    def names(self) -> Sequence[str]:
        """What its queries are called."""

    @property
    def name(self) -> str:
        """What the first of them is called."""
        return self.names[0]

    @property
    @abstractmethod
    def query(self) -> Query:
        """What it reads, derives and shows, maybe with parameters."""

    @property
    @abstractmethod
    def plans(self) -> Sequence[Plan]:
        """What evaluates it: which events matter, and by what they may be cut."""

    @property
    @abstractmethod
    def identity(self) -> dict[str, str]:
        """What must be equal for a state to be of it, by what it is called in errors."""

    @property
    def is_shared(self) -> bool:
        """Whether it is more than a query: it would be cut into other engines without sharing."""
        return False

    @abstractmethod
    def by_name(self) -> ByName:
        """Its queries."""

    def terms(self, names: Sequence[str]) -> Iterator[Key]:
        """The terms of its rows for these of its parameters."""
        return iter(())

    def lying_where(self, names: Sequence[str], is_here: Callable[[Key], bool]) -> JobQuery | None:
        """The part of it whose rows have terms for these parameters that are here; None: it has no such rows."""
        return self

    def columns(self) -> dict[str, tuple[str, ...]]:
        """The variables that SELECT shows, by name of the query."""
        form = self.query.form
        shown = tuple([one.name for one in form.projections]) if isinstance(form, Selection) else ()
        return dict.fromkeys(self.names, shown)

    def parameters_in(self, keys: Sequence[str]) -> bool:
        """Whether these keys, of which there are some, are parameters."""
        given = self.query.given
        return bool(keys) and given is not None and set(keys) <= set(given.names)

    def prime(self, engine: Engine) -> None:
        """Let an engine that reads events for all others know what matters."""
        name, query = next(iter(self.by_name().items()))
        engine.registration.register(query, name, None, None)
        self._compile(engine.kind.evaluator)

    def _compile(self, evaluator: Evaluator) -> None:
        """Have the evaluator keep what the patterns of the plans ask for."""
        for plan in self.plans:
            compiled(plan, evaluator)

    def __getstate__(self) -> dict[str, object]:
        """What it was made of: plans are made again."""
        return {one.name: vars(self)[one.name] for one in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True)
class OneJobQuery(JobQuery):
    """What is one query, ``called`` so."""

    called: str
    prepared: Prepared

    @property
    def names(self) -> Sequence[str]:
        """See ``JobQuery``."""
        return (self.called,)

    @property
    def query(self) -> Query:
        """See ``JobQuery``."""
        return self.prepared.query


@dataclass(frozen=True)
class SingleQuery(OneJobQuery):
    """A query without parameters."""

    @cached_property
    def plans(self) -> Sequence[Plan]:
        """See ``JobQuery``."""
        return (self.prepared.plan.named(self.called),)

    @property
    def identity(self) -> dict[str, str]:
        """See ``JobQuery``."""
        return {_title(self.called): self.prepared.fingerprint}

    def by_name(self) -> ByName:
        """See ``JobQuery``."""
        return {self.called: self.prepared}

    def _compile(self, evaluator: Evaluator) -> None:
        """The engine that reads has done so."""


@dataclass(frozen=True)
class QueryOfRows(OneJobQuery):
    """A query with parameters and its ``rows``, which run together where they can if they are ``sharing``."""

    rows: Mapping[Key, Row]
    sharing: bool

    @cached_property
    def plans(self) -> Sequence[Plan]:
        """See ``JobQuery``."""
        return _plans_of_rows(self.prepared, self.called, tuple(self.rows.items()), self.sharing)

    @property
    def identity(self) -> dict[str, str]:
        """See ``JobQuery``."""
        rows = digest(repr(sorted(self.rows)))
        return {_title(self.called): self.prepared.fingerprint, f"the rows of {_title(self.called)}": rows}

    @property
    def is_shared(self) -> bool:
        """See ``JobQuery``."""
        return self.sharing

    def by_name(self) -> ByName:
        """See ``JobQuery``."""
        return {self.called: self._with(self.rows.values())}

    def terms(self, names: Sequence[str]) -> Iterator[Key]:
        """See ``JobQuery``."""
        numbers = self._numbers(names)
        return (tuple([key[number] for number in numbers]) for key in self.rows)

    def lying_where(self, names: Sequence[str], is_here: Callable[[Key], bool]) -> JobQuery | None:
        """See ``JobQuery``."""
        rows = zip(self.rows.items(), self.terms(names), strict=True)
        here = {key: row for (key, row), terms in rows if is_here(terms)}
        return replace(self, rows=here) if here else None

    def prime(self, engine: Engine) -> None:
        """See ``JobQuery``: the first row opens the streams."""
        engine.register(self._with(list(self.rows.values())[:1]), self.called)
        self._compile(engine.kind.evaluator)

    def _numbers(self, names: Sequence[str]) -> list[int]:
        assert self.query.given is not None
        return [self.query.given.names.index(name) for name in names]

    def _with(self, rows: Iterable[Row]) -> Query:
        assert self.query.given is not None
        return replace(self.query, given=replace(self.query.given, rows=tuple(rows)), name=self.called)


@lru_cache(maxsize=8)
def _plans_of_rows(
    prepared: Prepared, called: str, rows: tuple[tuple[Key, Row], ...], sharing: bool
) -> tuple[Plan, ...]:
    """One for all rows that run together, and one for each other; once in a process, however many tasks it has."""
    plan, by_key = prepared.plan.named(called), dict(rows)
    if not rows:
        return ()
    if not sharing or RulePlan.of(plan, rows[0][1]).why_apart:
        return tuple([compile_plan(bound(plan.query, row)) for _, row in rows])
    firsts = (keys[0] for keys in groups(plan, by_key).values())
    return tuple([RulePlan.of(plan, by_key[key]) for key in firsts])


@dataclass(frozen=True)
class QueryFamily(JobQuery):
    """Queries that differ only in constants, by name, and in what they differ."""

    instances: Mapping[str, Instance]
    variation: Variation

    @property
    def names(self) -> Sequence[str]:
        """See ``JobQuery``."""
        return tuple(self.instances)

    @property
    def name(self) -> str:
        """See ``JobQuery``."""
        return next(iter(self.instances))

    @property
    def _first(self) -> Instance:
        return next(iter(self.instances.values()))

    @cached_property
    def query(self) -> Query:
        """See ``JobQuery``."""
        return replace(self.variation.query(self._first), name=self.name)

    @cached_property
    def plans(self) -> Sequence[Plan]:
        """See ``JobQuery``."""
        found = plan_of_family(self._first, self.variation, self.name)
        assert found is not None, "it was looked at before"
        return (found,)

    @property
    def identity(self) -> dict[str, str]:
        """See ``JobQuery``: many queries take no more room than one."""
        each = [(name, one.row, one.columns) for name, one in sorted(self.instances.items())]
        return {f'{QUERIES[1]}like "{each[0][0]}"': digest(repr((canonical(self._first.template), each)))}

    @property
    def is_shared(self) -> bool:
        """See ``JobQuery``."""
        return True

    def by_name(self) -> ByName:
        """See ``JobQuery``."""
        return self.instances

    def terms(self, names: Sequence[str]) -> Iterator[Key]:
        """See ``JobQuery``."""
        assert self.query.given is not None
        numbers, table = [self.query.given.names.index(name) for name in names], Terms()
        for one in self.instances.values():
            row = self.variation.row(one)
            yield key_of(tuple([row[number] for number in numbers]), table)

    def lying_where(self, names: Sequence[str], is_here: Callable[[Key], bool]) -> JobQuery | None:
        """See ``JobQuery``."""
        queries = zip(self.instances.items(), self.terms(names), strict=True)
        here = {name: one for (name, one), terms in queries if is_here(terms)}
        return replace(self, instances=here) if here else None

    def columns(self) -> dict[str, tuple[str, ...]]:
        """See ``JobQuery``: each calls them as it likes."""
        return {name: one.columns for name, one in self.instances.items()}


def _title(name: str) -> str:
    return f'{QUERIES[0]}"{name}"'


# ── what users give ──────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query that is read: ``source`` is what was given, ``name`` its own; ``instance``: it may be of a family."""

    source: AnyQuery
    read: AnyQuery | Instance
    instance: Instance | None
    name: str = ""

    def prepared(self) -> Prepared:
        """The same, planned."""
        if isinstance(self.read, ParsedQuery) and isinstance(self.source, str):
            return Prepared(self.source, compile_plan(self.read.query))
        return prepare(self.source)


def job_queries(
    queries: Queries, given: RowSources = None, sharing: bool = True, whole: Iterable[str] = ()
) -> tuple[JobQuery, ...]:
    """What runs in a job of these queries; ``whole`` names those that are not to be cut.

    ``given``, ``sharing`` and errors are as of ``spaseq.run``.
    """
    read = _read(queries, sharing)
    tables = tables_by_name(given, list(read))
    families = _families({name: one for name, one in read.items() if name not in tables}, frozenset(whole))
    found: dict[int, JobQuery] = {}
    for number, (name, one) in enumerate(read.items()):
        family = families.get(name)
        if family is None:
            found[number] = _alone(name, one, tables, sharing)
        elif family.name == name:
            found[number] = family
    return tuple(found.values())


def _read(queries: Queries, sharing: bool) -> dict[str, ReadQuery]:
    forms, found = KnownForms(), dict[str, ReadQuery]()
    named = named_queries(queries)
    free = (called for called in map("query{}".format, count(1)) if called not in found)
    for name, query in named:
        check_is_name(name)
        one = _read_query(query, forms if sharing and len(named) >= LEAST else None)
        wanted = one.name if name is None else name
        found[free_name(wanted, found) if wanted else next(free)] = one
    return found


def _read_query(query: AnyQuery, forms: KnownForms | None) -> ReadQuery:
    """``forms`` are those of texts that are known; None: nothing may be of a family."""
    read = forms.read(query) if forms is not None and isinstance(query, str) else query
    if isinstance(read, Instance):
        return ReadQuery(query, read, read)
    checked = checked_query(read)
    may_share = forms is not None and not isinstance(read, Prepared)
    return ReadQuery(query, read, instance_of(checked) if may_share else None, checked.name)


def _alone(name: str, one: ReadQuery, tables: Mapping[str, RowSource], sharing: bool) -> JobQuery:
    prepared = one.prepared()
    checked = replace(prepared.query, name=name)
    if checked.given is None:
        rows_given(checked, tables.get(name))
        return SingleQuery(name, prepared)
    return QueryOfRows(name, prepared, keyed(needed_rows(checked, tables.get(name)).values()), sharing)


def _families(read: Mapping[str, ReadQuery], whole: frozenset[str]) -> dict[str, QueryFamily]:
    """The families that there are, by the names of their queries."""
    kin: dict[tuple[Query, bool], dict[str, Instance]] = {}
    for name, one in read.items():
        if one.instance is not None:
            kin.setdefault((canonical(one.instance.template), name in whole), {})[name] = one.instance
    found: dict[str, QueryFamily] = {}
    for instances in kin.values():
        family = _family(instances) if len(instances) >= LEAST else None
        if family is not None:
            found |= dict.fromkeys(instances, family)
    return found


def _family(instances: Mapping[str, Instance]) -> QueryFamily | None:
    """The queries of a template as one; None: each must be evaluated by itself."""
    (name, first), *others = instances.items()
    variation = Variation.of(first)
    for _, other in others:
        variation = variation.including(first, other)
    if plan_of_family(first, variation, name) is None:
        return None
    templates: dict[Query, Query] = {}  # each is kept once, and pickled once
    kept = {
        name: Instance(templates.setdefault(one.template, one.template), one.row) for name, one in instances.items()
    }
    return QueryFamily(kept, variation)
