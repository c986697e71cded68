"""Queries and rows of an engine, which come and go."""

from __future__ import annotations

from spaseq.errors import OptionError
from spaseq.graphs.background import compiled
from spaseq.graphs.families import Families
from spaseq.graphs.graph_family import FamilyQuery, GraphFamily
from spaseq.graphs.graph_input import GraphInput
from spaseq.graphs.graph_query import OnMatch
from spaseq.graphs.kind import GraphKind
from spaseq.graphs.known_forms import KnownForms
from spaseq.graphs.parameter_rows import keyed, needed_rows, read_rows, rows_given
from spaseq.graphs.parametric_graph_query import AnyGraphQuery, ParametricGraphQuery
from spaseq.graphs.queries import AnyQuery, Prepared, as_query, check_is_name, free_name, plan_of, stream_order
from spaseq.pattern.sequences import Query, Row
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.rule_plan import Key, groups
from spaseq.plan.sequences.templates import Instance
from spaseq.sources.parameter_tables import RowSource


class Registration:
    """Of one engine, whose ``kind`` it changes between two events."""

    def __init__(self, kind: GraphKind) -> None:
        self._kind = kind
        self._families = Families(kind)
        self._texts = KnownForms()

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    def register(
        self,
        query: AnyQuery | Instance,
        name: str | None,
        on_match: OnMatch | None,
        max_results: int | None,
        given: RowSource | None = None,
    ) -> str:
        """See ``Engine.register``; an instance is a query that was read and may be of a family."""
        check_is_name(name)
        self._kind.forget_terms()
        knows = self._kind.sharing and given is None
        read = self._texts.read(query) if knows and isinstance(query, str) else query
        if isinstance(read, Instance):
            called = free_name("" if name is None else name, self._kind.core.running)
            return self._run(FamilyQuery(called, read, on_match, max_results))
        checked = as_query(read, name, self._kind.core.running)
        rows = rows_given(checked, given) if checked.given is None else needed_rows(checked, given)
        self._check_derived(checked)
        if self._kind.sharing and not isinstance(read, Prepared):
            instance = self._texts.instance(read, checked)
            if instance is not None:
                return self._run(FamilyQuery(checked.name, instance, on_match, max_results), read, checked)
        self._start(read, checked, rows, on_match, max_results)
        return checked.name

    def _run(self, query: FamilyQuery, read: AnyQuery | None = None, checked: Query | None = None) -> str:
        """Let a query run in its family, or by itself if it has none; it was ``read`` and ``checked`` if not known."""
        known = self._families.has_kin(query)
        if not (known and self._families.takes(query, self._input_for(query.instance.template))):
            known_as = checked or query.query
            merged = self._start(read or known_as, known_as, None, query.on_match, query.max_results)
            self._families.note_alone(query, merged)
        return query.name

    def _start(
        self,
        query: AnyQuery,
        checked: Query,
        rows: dict[Key, Row] | None,
        on_match: OnMatch | None,
        max_results: int | None,
    ) -> GraphInput:
        """Let a query run by itself, and give its input; ``rows``: those of one with parameters."""
        kind = self._kind
        order = stream_order([*kind.known(), checked])
        plan = plan_of(query, checked)
        kind.check_bounded([plan])
        kind.share([query])
        merged = self._input_for(checked)
        kind.core.start(self._begun(query, plan, rows, merged, on_match, max_results), merged)
        kind.core.sort(order)
        kind.keep_ticks()
        merged.share()
        return merged

    def _begun(
        self,
        query: AnyQuery,
        plan: Plan,
        rows: dict[Key, Row] | None,
        merged: GraphInput,
        on_match: OnMatch | None,
        max_results: int | None,
    ) -> AnyGraphQuery:
        kind = self._kind
        if plan.query.given is None:
            return kind.begun(plan, kind.compiled(query, plan), merged, on_match, max_results)
        parametric = kind.parametric_query(plan, merged, on_match, max_results)
        for its, keys, places in kind.plans(plan, rows or {}, 0):
            parametric.run(kind.begun(its, compiled(its, kind.evaluator), merged), keys, places)
        return parametric

    def unregister(self, name: str) -> None:
        """See ``Engine.unregister``."""
        core = self._kind.core
        self._check_unread(core.query_named(name), name)
        merged = self._kind.input_of(core.query_named(name))
        gone = core.remove(name)
        merged.share()
        self._families.forget(name)
        if isinstance(gone, GraphFamily) and gone.names:
            self._kind.input_of(gone).forget_idle(gone)
        else:
            self._forget_streams(gone)

    def _check_unread(self, query: AnyGraphQuery, name: str) -> None:
        """OptionError: others read what only this query derives."""
        others = {other: one for other, one in self._kind.core.running.items() if other != name}
        if query.into is not None and not any(one.into == query.into for one in others.values()):
            readers = [other for other, one in others.items() if query.into in _read_by(one)]
            if readers:
                raise OptionError(f'"{name}" derives <{query.into}>, which {", ".join(readers)} reads')

    def _forget_streams(self, gone: AnyGraphQuery) -> None:
        """Forget streams of a query that has gone: those that no query reads or derives, and of which nothing came."""
        used = self._kind.core.derived | {stream.iri for query in self._kind.known() for stream in query.streams}
        iris = set(_read_by(gone)) | ({gone.into} if gone.into is not None else set())
        for iri in iris - used:
            if self._kind.core.clocks[iri].is_untouched:
                del self._kind.core.clocks[iri], self._kind.encoders[iri]
                self._kind.assemblers.pop(iri, None)

    def _check_derived(self, query: Query) -> None:
        """OptionError: the stream that the query derives has had events from outside."""
        into = query.into
        clock = self._kind.core.clocks.get(into or "")
        if clock is not None and into not in self._kind.core.derived and (clock.events or clock.closed):
            raise OptionError(f"the stream <{into}> has had events from outside, so no query can derive it")

    def _input_for(self, query: Query) -> GraphInput:
        """An input for a new query: one that waits for nothing can be shared."""
        iris = tuple(stream.iri for stream in query.streams)
        strict = query.window is not None and query.window.events
        alike = (one for one in self._kind.inputs if one.streams == iris and one.strict == strict and one.may_be_joined)
        return next(alike, None) or self._kind.new_input(iris, strict)

    # ── rows ────────────────────────────────────────────────────────────────────────────────────────────────
    def add_rows(self, name: str, table: RowSource) -> int:
        """See ``QueryRows.add``."""
        self._kind.forget_terms()
        query, merged = self.parametric(name)
        rows = keyed(read_rows(query.plan.query, table))
        new = {key: row for key, row in rows.items() if key not in query.rows and not query.is_over}
        count = len(new)
        waiting = bool(merged.buffer)
        if new and waiting:
            self._kind.evaluator.renew_version()
        elif self._kind.sharing:
            new = self._extended(query, new)
        for one in self._kind.plans(query.plan, new, query.next_place):
            self._kind.run_rows(query, merged, one)
        merged.share()
        return count

    def _extended(self, query: ParametricGraphQuery, rows: dict[Key, Row]) -> dict[Key, Row]:
        """Let what runs rows run more of their kind; those that are left need something of their own."""
        left = dict(rows)
        for fixed, keys in groups(query.plan, rows).items():
            member = query.member_for(fixed)
            if member is not None:
                query.extend(member, keys, range(query.next_place, query.next_place + len(keys)))
                left = {key: row for key, row in left.items() if key not in set(keys)}
        return left

    def remove_rows(self, name: str, table: RowSource) -> int:
        """See ``QueryRows.remove``."""
        query, merged = self.parametric(name)
        gone = [key for key in keyed(read_rows(query.plan.query, table)) if key in query.rows]
        merged.detach_members({member for key in gone if (member := query.remove(key)) is not None})
        merged.share()
        return len(gone)

    def parametric(self, name: str) -> tuple[ParametricGraphQuery, GraphInput]:
        """A query with parameters, and its input.  OptionError: there is none of that name."""
        query = self._kind.core.query_named(name)
        if not isinstance(query, ParametricGraphQuery):
            raise OptionError(f'the query "{name}" has no parameters: there is no GIVEN in it')
        return query, self._kind.input_of(query)


def _read_by(query: AnyGraphQuery) -> list[str]:
    """The IRIs of its streams."""
    return [stream.iri for stream in query.plan.query.streams]
