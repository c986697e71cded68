"""Which aggregates over matches totals of partial matches can give, and what has to be totalled for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gpm.algebra import Aggregate, Expression, Variable, subexpressions
from nfa_native.automata.kinds import MatchQuantity
from nfa_native.joins.totals import MatchTotal
from nfa_native.match_totals import TotalsSpec
from spaseq.plan.sequences.analysis import Analysis
from spaseq.plan.sequences.graph import START
from spaseq.plan.sequences.liveness import Liveness, SymbolicGuard
from spaseq.plan.sequences.states import Exit, Way

LEASTS = (MatchQuantity.STARTS, MatchQuantity.LEAST, MatchQuantity.GREATEST)
UNMEASURED = (MatchQuantity.STARTS, MatchQuantity.BOUND)
SUMS = tuple(kind for kind in MatchQuantity if kind not in (*LEASTS, MatchQuantity.BOUND))
KINDS: Mapping[str, tuple[MatchQuantity, ...]] = {
    "COUNT": (MatchQuantity.BOUND,),
    "SUM": SUMS,
    "AVG": (MatchQuantity.BOUND, *SUMS),
    "MIN": (MatchQuantity.LEAST,),
    "MAX": (MatchQuantity.GREATEST,),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """One kind of quantity of a variable; of STARTS the variable is empty."""

    kind: MatchQuantity
    variable: str

    @property
    def is_least(self) -> bool:
        """Totals of it are least values, not sums."""
        return self.kind in LEASTS


class TotalsPlan:
    """What is totalled for the expressions ``shown``: ``readings`` in the order of totals, for the values of ``keys``.

    ``why_not`` says why totals are not enough; None: they are.
    """

    def __init__(
        self, analysis: Analysis, liveness: Liveness, shown: Sequence[Expression], columns: tuple[str, ...]
    ) -> None:
        self._analysis = analysis
        self._liveness = liveness
        self._columns = columns
        parts = (part for one in shown for part in subexpressions(one))
        self._aggregates = tuple(dict.fromkeys(part for part in parts if isinstance(part, Aggregate)))
        kept = [liveness.columns[state] for state in analysis.exits if state.node != START and not state.ends]
        self.keys = kept[0] if kept else ()
        self.why_not = next(self._reasons(), None)

    @property
    def way(self) -> str:
        """In words, how the aggregates are found."""
        if self.why_not is not None:
            return f"all matches are enumerated, as {self.why_not}"
        data = (
            "an event has several solutions for a GPM" if self._one_row else "an event has solutions with several keys"
        )
        several = set(self.keys) - set(self._analysis.query.keys)  # of those it comes once for each
        odd = [data] * bool(several or self._one_row) + ["a value is no integer or decimal"] * bool(self._measured)
        until = f"; from where {' or '.join(odd)} on, all matches are enumerated" if odd else ""
        keys = " for each " + " ".join(f"?{key}" for key in self.keys) if self.keys else ""
        return f"totals of partial matches{keys}, however many matches there are{until}"

    @property
    def _one_row(self) -> bool:
        """Solutions are counted, not only matches."""
        return any(each.variable for each in self.readings)

    @property
    def _measured(self) -> frozenset[str]:
        """Variables whose values have to be exact numbers."""
        return frozenset(each.variable for each in self.readings if each.kind not in UNMEASURED)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """Sums first."""
        found = [Reading(MatchQuantity.STARTS, "")]
        for one in self._aggregates:
            if isinstance(one.argument, Variable):
                found += [Reading(kind, one.argument.name) for kind in KINDS[one.function]]
        return tuple(sorted(dict.fromkeys(found), key=lambda reading: reading.is_least))

    def spec(self) -> TotalsSpec:
        """The same for the aggregation."""
        measured = self._measured
        return TotalsSpec(
            keys=tuple(tuple(one.variables.index(key) for key in self.keys) for one in self._analysis.atoms),
            shown=tuple(self._columns.index(key) for key in self.keys),
            quantities=tuple(
                MatchTotal(each.kind, self._slots(each.variable), not each.variable or each.variable in self.keys)
                for each in self.readings
            ),
            exact=tuple(
                tuple(slot for slot, name in enumerate(one.variables) if name in measured)
                for one in self._analysis.atoms
            ),
            one_row=self._one_row,
        )

    def _slots(self, variable: str) -> tuple[int | None, ...]:
        """Where each atom's rows have it."""
        return tuple(
            one.variables.index(variable) if variable in one.variables else None for one in self._analysis.atoms
        )

    # ── where totals are not enough ──────────────────────────────────────────────────────────────────────
    def _reasons(self) -> Iterator[str]:
        analysis, liveness = self._analysis, self._liveness
        yield from (why for one in self._aggregates for why in _unknown(one))
        if analysis.graph.junctions:
            yield "the sides of && are complete in any order"
        if analysis.by_partition:
            yield "EVENTS windows count the events of each partition"
        if any(map(analysis.passes, analysis.exits)) and set(self.keys) != set(analysis.query.keys):
            yield "the very next event of a partition need not have what else events are joined on"
        if analysis.group_aggregates:
            yield "SELECT aggregates over iterations, too"
        if not all(self._is_simple(state, guard) for state, some in liveness.guards.items() for guard in some):
            yield "a negation or an optional part looks at more than one event, key, or place in between"
        if analysis.is_ambiguous:
            yield "one set of events may match along several paths"
        for way in analysis.ways:
            yield from self._obstacles(way)
        if any(liveness.columns[way.source] != self.keys for way in analysis.ways if way.source.node != START):
            yield "events are not all joined on the same variables"
        groups = [name for name in analysis.query.group_by if name in self._columns and name not in self.keys]
        if groups:
            yield f"not all events are joined on ?{groups[0]}, by which they are grouped"

    def _is_simple(self, state: Exit, guard: SymbolicGuard) -> bool:
        """A negated event drops all partial matches of its key in the state, and does so at once."""
        if state.ends or guard.early is None or guard.early.filters or len(guard.names) > 1:
            return False
        return sorted(guard.early.joins) == sorted((key, key) for key in self.keys)

    def _obstacles(self, way: Way) -> Iterator[str]:
        """What about a step is not linear in the number of partial matches."""
        step = self._liveness.kept_steps[way]
        names = [set(self._analysis.by_name[name].variables) for name in way.names]
        if step.filters:
            yield "a filter compares events with each other"
        if not all(some.issuperset(self.keys) for some in names) or (
            way.source.node != START and sorted(step.joins) != sorted((key, key) for key in self.keys)
        ):
            yield "events are not all joined on the same variables"
        shared = (one & other for i, one in enumerate(names) for other in names[:i])
        if any(not some <= set(self.keys) for some in shared):
            yield f"{' & '.join(way.names)} join on more than all events do"
        window = self._analysis.query.window
        if len(names) > 1 and window is not None and window.events:
            yield "events of one timestamp have different positions in the window"


def _unknown(aggregate: Aggregate) -> Iterator[str]:
    """Why totals do not have an aggregate."""
    argument: Expression | None = aggregate.argument
    if aggregate.function not in KINDS:
        yield f"{aggregate.function} asks for single values"
    elif aggregate.distinct and aggregate.function not in ("MIN", "MAX"):
        yield f"{aggregate.function}(DISTINCT …) asks for single values"
    elif argument is not None and not isinstance(argument, Variable):
        yield f"{aggregate.function} is of an expression"
