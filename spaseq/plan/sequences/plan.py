"""A compiled query: its atoms, its result columns, how far back its results reach, and matchers for it.

To plan takes symbols alone; numpy and the native code, which take long to import, come with the first matcher.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gpm.algebra import (
    XSD_INTEGER,
    Aggregate,
    Expression,
    Iri,
    Literal,
    Operation,
    Projection,
    Variable,
    subexpressions,
)
from gpm.errors import PatternError
from nfa_native.automata.automaton import Automaton
from nfa_native.automata.kinds import Cells
from spaseq.errors import QueryError, SnapshotError
from spaseq.pattern.sequences import AtomDefinition, Construction, Given, Query, Window, partly_bound
from spaseq.plan.description import Partitioning
from spaseq.plan.sequences.analysis import Analysis, result_expressions
from spaseq.plan.sequences.cells import LazyAtom, is_initial, lazy_atoms
from spaseq.plan.sequences.environment import aggregate_value, argument_name, cell, substitute, variables_of
from spaseq.plan.sequences.liveness import Liveness
from spaseq.plan.sequences.partitioning import split, split_natively
from spaseq.plan.sequences.report import report
from spaseq.plan.sequences.rules import apart, of_rules, why_apart

LONG_AGO = -(2**63)  # microseconds: before every event


def earliest_start(window: Window, last: int) -> int:
    """The earliest first event of a match whose last event is at ``last`` or later (semantics.md 3.3), in microseconds.

    ``window`` is one in time.  That is also the earliest lower edge of a window whose upper edge is there or later, if
    it tumbles; of one that slides it is the earliest first event.
    """
    if window.sliding:
        return max(LONG_AGO, last - window.length)
    return max(LONG_AGO, window.origin - (window.origin - last) // window.length * window.length - window.length)


def windows_back(window: Window, decided_by_edge: bool, looks_back: bool, distinct: bool) -> int:
    """So many windows before a time lies all that matters for results that are decided then or later.

    A match that is decided with its last event began at most a window before, and what is negated before it is in that
    window.  One that waits for its upper edge may have ended a window before it; what is negated before its
    first event may then lie another window back, if the window slides (``looks_back``).  With DISTINCT it counts for
    nothing beside an equal row with the same last event, whose match may have begun a window earlier, and is decided.

    Partitions, groups of matches and HAVING change nothing: an event's keys are its own, and a group has the matches of
    one decision time.
    """
    return 2 if decided_by_edge and (distinct or (looks_back and window.sliding)) else 1


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gpm.evaluator import CompiledPattern, Evaluator
    from nfa_native.joins.matcher import Matcher
    from nfa_native.joins.partitions import PartitionedMatcher
    from nfa_native.match_counter import MatchCounter
    from nfa_native.match_totals import MatchTotals
    from nfa_native.terms.dictionary import Terms
    from spaseq.plan.sequences.match_totals import Reading, TotalsPlan

    Words = NDArray[np.uint64]
    AnyMatcher = Matcher | MatchTotals | PartitionedMatcher


# ── plans ────────────────────────────────────────────────────────────────────────────────────────────────
_NO_NAME = "\0"  # is in no query
_FOUND = ("columns", "selection", "having", "match_aggregates", "totals", "decided_by_edge", "looks_back",
          "rows_together", "_around_name")  # fmt: skip  # that do not depend on the name


def compile_plan(query: Query) -> Plan:
    """Plan a checked query.  QueryError if it is too large to plan."""
    plan = Plan(query)
    plan.liveness.columns, plan.analysis.branches  # noqa: B018  (everything that can fail does so now)
    return plan


def _any_terms(given: Given, names: Iterable[str]) -> list[tuple[str, Iri | Literal]]:
    """Terms that could stand where these parameters do."""
    return [(name, Literal("1", XSD_INTEGER) if name == given.length else Iri("urn:any")) for name in names]


def compile_atom(evaluator: Evaluator, atom: AtomDefinition) -> CompiledPattern:
    """The graph pattern of a GPM, ready to be evaluated.  QueryError: the evaluator cannot do it."""
    try:
        return evaluator.compile(atom.pattern, atom.variables)
    except PatternError as error:
        raise QueryError(f"GPM {atom.name}: {error}") from None


def digest(text: str) -> str:
    """32 hexadecimal digits that tell it from others."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def fingerprint_of(query: Query) -> str:
    """``Plan.fingerprint`` of a query that is not planned."""
    return digest(repr(query) + query.of_row)


class Plan:
    """``atoms`` are the GPMs of the sequence, numbered; ``columns`` the raw result columns of a matcher."""

    def __init__(self, query: Query, has_rules: bool = False) -> None:
        """``has_rules``: its parameters are those of rules (``rules.of_rules``)."""
        self.query = query
        self.analysis = Analysis(query, has_rules)
        self.liveness = Liveness(self.analysis)

    def named(self, name: str) -> Plan:
        """The plan of the same query under another name; what was found out is shared."""
        if name == self.query.name:
            return self
        for found in _FOUND:
            getattr(self, found)
        other = copy(self)
        other.query = replace(self.query, name=name)
        return other

    @property
    def atoms(self) -> tuple[AtomDefinition, ...]:
        """Definitions in the order of the matcher's atoms; patterns include hidden columns for EXISTS."""
        return self.analysis.atoms

    @cached_property
    def results(self) -> tuple[tuple[str, Expression], ...]:
        """Raw result columns: plain variables of the matches, and aggregates over group variables."""
        found: dict[str, Expression] = {}
        known = set(self.analysis.columns)
        for expression in result_expressions(self.query):
            for part in subexpressions(expression):
                if isinstance(part, Aggregate) and self.analysis.is_grouped(part):
                    found[_title(part)] = aggregate_value(part)
            for name in variables_of(self._titled(expression)):
                if name in known:
                    found.setdefault(name, Variable(name))
        if self.by_partition:  # so the results of one match in two substreams can be told apart, and made one
            found |= {name: Variable(name) for name in self.query.keys}
        if self.match_aggregates:  # they count solutions, so all of a solution tells them apart
            found |= {name: Variable(name) for name in self.analysis.columns if name in self._plain}
        cells = {name: cell(name) for name in known}
        return tuple((name, substitute(value, cells)) for name, value in found.items())

    @property
    def _plain(self) -> frozenset[str]:
        return frozenset(name for one in self.atoms for name in one.variables)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the raw result columns."""
        return tuple(name for name, _ in self.results)

    @property
    def varying(self) -> tuple[str, ...]:
        """The raw result columns in which rows of one match can differ."""
        return self.columns

    def _titled(self, expression: Expression) -> Expression:
        """The expression with aggregates over group variables replaced by the raw columns that hold them."""
        match expression:
            case Aggregate() if self.analysis.is_grouped(expression):
                return Variable(_title(expression))
            case Aggregate(function, argument, distinct, separator) if argument is not None:
                return Aggregate(function, self._titled(argument), distinct, separator)
            case Operation(name, arguments):
                return Operation(name, tuple(self._titled(one) for one in arguments))
            case _:
                return expression

    @cached_property
    def selection(self) -> tuple[Projection, ...]:
        """SELECT over the raw columns; empty for CONSTRUCT."""
        form = self.query.form
        if isinstance(form, Construction):
            return ()
        return tuple(Projection(one.name, self._titled(one.expression)) for one in form.projections)

    @cached_property
    def having(self) -> tuple[Expression, ...]:
        """HAVING over the raw columns."""
        form = self.query.form
        return () if isinstance(form, Construction) else tuple(self._titled(one) for one in form.having)

    @cached_property
    def match_aggregates(self) -> bool:
        """Whether SELECT or HAVING aggregates over matches (COUNT(*) and the like)."""
        shown = (*(one.expression for one in self.selection), *self.having)
        return any(isinstance(part, Aggregate) for one in shown for part in subexpressions(one))

    @cached_property
    def totals(self) -> TotalsPlan | None:
        """What is totalled, so that no match has to be enumerated; None: nothing is aggregated over matches."""
        if not self.match_aggregates:
            return None
        from spaseq.plan.sequences.match_totals import TotalsPlan

        shown = (*(one.expression for one in self.selection), *self.having)
        return TotalsPlan(self.analysis, self.liveness, shown, self.columns)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What the totals are of that a matcher may give."""
        return () if self.totals is None or self.totals.why_not is not None else self.totals.readings

    def _is_totalled(self, cells: Cells | None, enumerates: bool) -> bool:
        return not enumerates and cells is None and self.totals is not None and self.totals.why_not is None

    @property
    def by_partition(self) -> bool:
        """Whether each substream has a matcher of its own, in which every event counts."""
        return self.analysis.by_partition

    @cached_property
    def decided_by_edge(self) -> bool:
        """Whether some match waits for its window's upper edge."""
        return any(state.ends and self.liveness.guards[state] for state in self.analysis.exits)

    @cached_property
    def looks_back(self) -> bool:
        """Whether events before the first one of a match can drop it."""
        return any(
            state.strategy is None and not state.ends and self.liveness.guards[state] for state in self.analysis.exits
        )

    @cached_property
    def parting(self) -> frozenset[str]:
        """The parameters by whose values its rows go apart: also the length of windows, where their edges decide."""
        found, given, window = apart(self.query), self.query.given, self.query.window
        if given is None or given.length is None or window is None:
            return found
        slides = window.sliding and not window.events and not self.decided_by_edge and not self.looks_back
        return found if slides else found | {given.length}

    def needed_since(self, time: int) -> int | None:
        """No event before this matters for results that are decided at ``time`` or later; None: every event may.

        An event in a window of time is in the same window whatever came before it, and in the same partition.
        """
        window, form = self.query.window, self.query.form
        if window is None or window.events:
            return None
        distinct = not isinstance(form, Construction) and form.distinct
        for _ in range(windows_back(window, self.decided_by_edge, self.looks_back, distinct)):
            time = earliest_start(window, time)
        return time

    @property
    def decided_out_of_order(self) -> bool:
        """Whether windows of several substreams pass in an order that their matches do not have."""
        return self.by_partition and self.decided_by_edge

    @cached_property
    def split(self) -> Partitioning:
        """Where the query may be cut, if nobody reads what it derives."""
        return split(self.query, self.match_aggregates)

    @cached_property
    def rows_together(self) -> bool:
        """Whether all rows of a match come one after the other: it is found once, in one substream."""
        return not self.analysis.query.keys and not self.analysis.is_ambiguous

    def explain(self, form: str = "text", evaluator: Evaluator | None = None) -> str:
        """The plan for people: ``form`` is text, mermaid, dot or json.

        ``evaluator`` is asked how it would evaluate the graph patterns; by default one that nothing was said to.
        QueryError: it cannot.
        """
        from gpm.evaluator import Evaluator
        from nfa_native.terms.dictionary import Terms
        from spaseq.plan.sequences.explain import render

        asked = evaluator or Evaluator(Terms())
        given = self.query.given
        if given is None:
            return render(self._explained(asked, self), form)
        fixed = sorted(self.parting)
        rules = Plan(of_rules(self.query, _any_terms(given, fixed)), has_rules=True)
        rows = {"why_apart": why_apart(rules), "apart": fixed}
        shown = self if rows["why_apart"] else Plan(of_rules(self.query, ()), has_rules=True)
        alone = replace(partly_bound(self.query, dict(_any_terms(given, given.names))), given=None)
        cut = Plan(alone) if rows["why_apart"] else rules
        told = {**shown._explained(asked, cut), "given": {**self._description["given"], "rows": rows}}
        return render(told, form)

    def _explained(self, evaluator: Evaluator, cut: Plan) -> dict[str, Any]:
        """The plan as it is, with how its graph patterns are evaluated, and where it may be cut, as ``cut`` may be."""
        patterns = [compile_atom(evaluator, atom) for atom in self.atoms]
        where = self._where(evaluator, patterns)
        parted = split_natively(cut.split, cut.atoms, evaluator)
        atoms = [
            {**described, "evaluation": pattern.route + where.get(number, "")}
            for number, (described, pattern) in enumerate(zip(self._description["atoms"], patterns, strict=True))
        ]
        return {**self._description, "atoms": atoms, "split": {"keys": list(parted.keys), "why": parted.why}}

    def _where(self, evaluator: Evaluator, patterns: Sequence[CompiledPattern]) -> dict[int, str]:
        """On which events the lazy atoms are evaluated, for people."""
        from gpm.evaluator import Mode

        if evaluator.mode is not Mode.AUTO or all(pattern.is_native for pattern in patterns):
            return {}
        automaton = self.start(evaluator.terms).automaton
        dear = {number: one.required_slots for number, one in enumerate(patterns) if not one.is_native}
        return {one.number: f"; only where {self._uses(automaton, one)}" for one in lazy_atoms(automaton, dear)}

    def _uses(self, automaton: Automaton, lazy: LazyAtom) -> str:
        variables = self.atoms[lazy.number].variables
        found = []
        for use in lazy.uses:
            names = ", ".join("?" + variables[slot] for slot in sorted({slot for _, slot in use.key}))
            others = " and ".join(self.atoms[number].name for number in sorted(use.partners))
            initial = is_initial(automaton, automaton.transitions[use.transition].source)
            waits = "" if initial else "a partial match waits" + (f" with an equal {names}" if names else "")
            found.append(" and ".join(part for part in (waits, others and f"{others} may match at that time") if part))
        return ", or ".join(dict.fromkeys(found))

    @cached_property
    def _description(self) -> dict[str, Any]:
        from nfa_native.terms.dictionary import Terms
        from spaseq.plan.sequences.describe import describe, readable

        automaton = self.automaton(Terms())
        aggregates = {} if self.totals is None else {"aggregates": self.totals.way}
        having = {"having": [readable(one) for one in self.having]} if self.having else {}
        return describe(self.analysis, self.liveness, automaton) | aggregates | having

    def report(
        self, counters: dict[str, Any], came: Mapping[str, int], evaluated: Mapping[int, int] | None = None
    ) -> dict[str, Any]:
        """``Matcher.statistics`` in the words of the query; ``came``: events by stream IRI.

        ``evaluated``: on how many of them the lazy atoms, by number, were evaluated.
        """
        return report(self._description, counters, came, evaluated or {})

    def fingerprint(self) -> str:
        """A digest of the query's meaning, to tell whether a snapshot belongs to it."""
        return digest(repr(self.query.name).join(self._around_name) + self.query.of_row)

    def fingerprint_of(self, terms: tuple[bytes, ...]) -> str:
        """``fingerprint`` of the query of one of its rows: it is but one."""
        return self.fingerprint()

    @cached_property
    def _around_name(self) -> list[str]:
        """What stands before and behind the name where the query is written out."""
        return repr(replace(self.query, name=_NO_NAME)).split(repr(_NO_NAME))

    def restore(
        self,
        terms: Terms,
        data: bytes,
        word_map: Callable[[Words], Words],
        cells: Cells | None = None,
        enumerates: bool = False,
        automaton: Automaton | None = None,
    ) -> AnyMatcher:
        """A matcher that goes on where the ``snapshot`` of one was taken; ``word_map`` renumbers words.

        ``automaton``: as of ``start``.  SnapshotError: the data are damaged.
        """
        automaton = automaton or self.automaton(terms, cells)
        try:
            return self._restored(automaton, terms, data, word_map, self._is_totalled(cells, enumerates))
        except ValueError as error:
            raise SnapshotError(f'the snapshot of query "{self.query.name}" is damaged: {error}') from error

    def _restored(
        self, automaton: Automaton, terms: Terms, data: bytes, word_map: Callable[[Words], Words], totalled: bool
    ) -> AnyMatcher:
        """``restore``; ValueError: the data are damaged."""
        from nfa_native.joins.matcher import Matcher
        from nfa_native.joins.partitions import PartitionedMatcher
        from nfa_native.match_totals import MatchTotals

        if self.by_partition:
            return PartitionedMatcher.restore(automaton, terms, self.analysis.key_slots, data, word_map)
        if self.totals is not None and totalled:
            return MatchTotals.restore(automaton, terms, self.totals.spec(), data, word_map)
        return Matcher.restore(automaton, terms, data, word_map)

    def start(
        self, terms: Terms, cells: Cells | None = None, enumerates: bool = False, automaton: Automaton | None = None
    ) -> AnyMatcher:
        """A matcher at the beginning of its streams; where totals are enough, one that does not enumerate matches.

        ``automaton`` is this plan's for ``terms`` or the table below, if there is one already.  For tests: ``cells`` is
        the kind that states have if they can; one that ``enumerates`` all matches.
        """
        from nfa_native.joins.matcher import Matcher
        from nfa_native.joins.partitions import PartitionedMatcher
        from nfa_native.match_totals import MatchTotals

        automaton = automaton or self.automaton(terms, cells)
        if self.by_partition:
            return PartitionedMatcher(automaton, terms, self.analysis.key_slots)
        if self.totals is not None and self._is_totalled(cells, enumerates):
            return MatchTotals(automaton, terms, self.totals.spec())
        return Matcher(automaton, terms)

    def counter(self, terms: Terms, automaton: Automaton) -> MatchCounter | None:
        """What counts the automaton's matches by totals; None: totals are not enough, or an event ends few matches."""
        from nfa_native.automata.kinds import Govern
        from nfa_native.match_counter import MatchCounter
        from spaseq.plan.sequences.match_totals import TotalsPlan

        if self.query.keys or not any(state.govern is Govern.ANY for state in automaton.states):
            return None
        totals = TotalsPlan(self.analysis, self.liveness, (Aggregate("COUNT", None),), tuple(self.analysis.columns))
        return None if totals.why_not is not None else MatchCounter(automaton, terms, totals.spec())

    def automaton(self, terms: Terms, cells: Cells | None = None) -> Automaton:
        """What a matcher runs, its constants as words of ``terms``."""
        from spaseq.plan.sequences.assemble import assemble

        return assemble(self.analysis, self.liveness, self.results, terms, cells)

    def for_bounded(self, automaton: Automaton) -> Automaton:
        """The same for a matcher whose work is bounded (``Matcher.work_bound``)."""
        from spaseq.plan.sequences.margins import with_margins

        return with_margins(automaton, self.liveness)


def _title(aggregate: Aggregate) -> str:
    argument = argument_name(aggregate)
    shown = f"?{argument}" if isinstance(aggregate.argument, Variable) else argument
    separator = "" if aggregate.separator is None else f"; {aggregate.separator!r}"
    return f"{aggregate.function}({'DISTINCT ' * aggregate.distinct}{shown}{separator})"
