"""From symbols to numbers: the automaton that the matcher runs, for one table of terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any

import numpy as np

from gpm.algebra import Expression, Literal, Operation, Variable
from gpm.expressions import compile_expression
from gpm.external import ExternalEvaluator
from gpm.interning import TransientTerms
from gpm.rewrite import rewrite
from gpm.terms import encode
from nfa_native.automata.automaton import (
    Automaton,
    CellComparison,
    Chance,
    Choice,
    CompleteSide,
    ComputedColumn,
    FilterAcross,
    Formula,
    Guard,
    JoinStep,
    Junction,
    Look,
    RuleTest,
    State,
    Target,
    Transition,
    WindowSpec,
)
from nfa_native.automata.kinds import Cells, ColumnSource, Govern, RuleTestKind, View
from nfa_native.terms.dictionary import Terms
from spaseq.pattern.sequences import Strategy, Window
from spaseq.plan.sequences.analysis import Analysis
from spaseq.plan.sequences.branches import BEGUN
from spaseq.plan.sequences.cells import with_cells
from spaseq.plan.sequences.environment import (
    RULE_SET,
    RULES,
    UNBOUND,
    cell,
    columns_read,
    reads_parameters,
    rule_column,
    substitute,
    variables_of,
)
from spaseq.plan.sequences.filters import SIGNS, TURNED
from spaseq.plan.sequences.first_chance import FirstChances, with_chances
from spaseq.plan.sequences.graph import START
from spaseq.plan.sequences.lazy import with_lazy_segments
from spaseq.plan.sequences.liveness import Liveness, SymbolicGuard, SymbolicStep
from spaseq.plan.sequences.rules import as_column, question_of, rule_order
from spaseq.plan.sequences.sides import ANCHOR, Across
from spaseq.plan.sequences.states import Exit, Way, ended

GOVERN = {Strategy.ANY: Govern.ANY, Strategy.NEXT: Govern.NEXT, Strategy.STRICT: Govern.STRICT}
Registers = Mapping[str, int]


def assemble(
    analysis: Analysis,
    liveness: Liveness,
    results: tuple[tuple[str, Expression], ...],
    terms: Terms,
    cells: Cells | None = None,
) -> Automaton:
    """The automaton of a query whose result columns are expressions over the finished match's columns.

    ``cells``: the kind of cells that states shall have wherever they can (for tests).
    """
    return _Assembler(analysis, liveness, results, terms).automaton(cells)


class _Assembler:
    def __init__(
        self, analysis: Analysis, liveness: Liveness, results: tuple[tuple[str, Expression], ...], terms: Terms
    ) -> None:
        self.analysis = analysis
        self.liveness = liveness
        self.results = results
        self.terms = terms
        self.kept = TransientTerms(terms)
        self.formulas: dict[tuple[Expression, tuple[str, ...], bool], int] = {}
        self.table: list[Formula] = []
        self.numbers = {state: number for number, state in enumerate(analysis.exits)}
        self.atom_numbers = {one.name: number for number, one in enumerate(analysis.atoms)}
        self.indexes: dict[Exit, dict[tuple[int, tuple[int, ...]], int]] = {state: {} for state in analysis.exits}
        self.branches = analysis.branches
        self.first_chances = FirstChances(analysis, liveness)
        self.parameters = rule_order(liveness) if analysis.has_rules else ()

    def automaton(self, cells: Cells | None) -> Automaton:
        transitions = (*(self._transition(way) for way in self.analysis.ways), *self._passing())
        states = tuple(self._state(state) for state in self.analysis.exits)
        junctions = tuple(map(self._junction, range(len(self.analysis.graph.junctions))))
        start = self.analysis.at(0)
        automaton = Automaton(
            slots=tuple(len(one.variables) for one in self.analysis.atoms),
            states=states,
            transitions=transitions,
            formulas=tuple(self.table),
            whole=len(self.analysis.columns),
            parameters=len(self.parameters),
            rules=len(self.analysis.columns) - 1 if self.analysis.has_rules else None,
            start=tuple(self._constant(start[name]) for name in self.analysis.columns),
            results=len(self.results),
            window=window_of(self.analysis.query.window),
            ambiguous=self.analysis.is_ambiguous or not self._tells_keys(),
            kept=self.kept,
            keys=self.analysis.key_slots if self.analysis.query.keys and not self.analysis.by_partition else (),
            junctions=junctions,
        )
        return with_lazy_segments(with_chances(with_cells(automaton, cells)))

    def _tells_keys(self) -> bool:
        """Whether results of several substreams differ."""
        shown = [one for _, one in self.results]
        return all(cell(key) in shown for key in self.analysis.query.keys)

    def _constant(self, value: Expression) -> int:
        return encode(self.kept, value) if isinstance(value, Literal) else 0

    # ── expressions ──────────────────────────────────────────────────────────────────────────────────────
    def _formula(self, expression: Expression, names: tuple[str, ...], is_filter: bool) -> int:
        """The number of a formula over registers called ``names``; equal ones are shared."""
        key = (expression, names, is_filter)
        if key not in self.formulas:
            registers = {name: number for number, name in enumerate(names)}
            program = compile_expression(expression, registers, self.terms, self.kept)
            reads = tuple(sorted({registers[name] for name in variables_of(expression)}))
            self.formulas[key] = len(self.table)
            self.table.append(Formula(program, self._ask(expression, names, reads, is_filter), reads))
        return self.formulas[key]

    def _ask(
        self, expression: Expression, names: tuple[str, ...], reads: tuple[int, ...], is_filter: bool
    ) -> Callable[[Any, Any, Terms], Any]:
        """Evaluation outside the kernel, of many rows of registers at once."""
        wanted = [names[number] for number in reads]

        def ask(table: Any, now: Any, terms: Terms) -> Any:
            external = ExternalEvaluator(terms)
            evaluate = external.test if is_filter else external.compute
            return evaluate(expression, wanted, np.ascontiguousarray(table[:, list(reads)].T), now)

        return ask

    def _value(
        self, expression: Expression, cells: Registers, rows: Registers, names: tuple[str, ...]
    ) -> ComputedColumn:
        match expression:
            case Variable("!unbound"):
                return ComputedColumn(ColumnSource.UNBOUND)
            case Variable() if expression == RULE_SET:
                return ComputedColumn(ColumnSource.RULES)
            case Variable() if expression == ANCHOR:
                return ComputedColumn(ColumnSource.ANCHOR)
            case Variable(name) if name.startswith("c:"):
                return ComputedColumn(ColumnSource.CELL, cell=cells[name[2:]])
            case Variable(name):
                return ComputedColumn(ColumnSource.ROW, row=rows[name[2:]])
            case Operation("COALESCE", (Variable(held), Variable(other))) if held[:2] == "c:" and other[:2] == "r:":
                return ComputedColumn(ColumnSource.EITHER, cell=cells[held[2:]], row=rows[other[2:]])
            case _:
                return ComputedColumn(ColumnSource.PROGRAM, program=self._formula(expression, names, False))

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────────
    def _choice(self, names: tuple[str, ...]) -> Choice:
        columns = {name: number for number, name in enumerate(self.analysis.row_columns(names))}
        return Choice(
            tuple(self.atom_numbers[name] for name in names),
            tuple(tuple(columns[v] for v in self.analysis.by_name[name].variables) for name in names),
            len(columns),
        )

    def _step(self, step: SymbolicStep, held: tuple[str, ...], names: tuple[str, ...]) -> JoinStep:
        """A step over the columns ``held`` of the partial match and the rows of a choice."""
        cells, rows, registers = self._layout(held, names)
        joins = tuple(sorted((cells[a], rows[b]) for a, b in step.joins))
        asked = [one for one in step.filters if not self._asks_rules(one)]
        filters = tuple(self._formula(one, registers, True) for one in asked)
        compared = (self._comparison(one, cells, rows, registers) for one in asked)
        tests = [self._test(one, cells, rows, registers) for one in step.filters if self._asks_rules(one)]
        tests.sort(key=lambda test: (test.kind, test.parameter))  # what tells the most rules apart first
        return JoinStep(joins, filters, tuple(one for one in compared if one is not None), tuple(tests))

    def _asks_rules(self, filter_: Expression) -> bool:
        return self.analysis.has_rules and reads_parameters(filter_)

    def _test(self, filter_: Expression, cells: Registers, rows: Registers, names: tuple[str, ...]) -> RuleTest:
        """What a filter asks of rules."""
        registers = (*names, *(rule_column(name) for name in self.parameters))
        formula = self._formula(rewrite(filter_, as_column), registers, True)
        asked = question_of(filter_)
        if asked is None:
            return RuleTest(RuleTestKind.FORMULA, formula)
        value = self._value(asked.value, cells, rows, names)
        return RuleTest(asked.kind, formula, self.parameters.index(asked.parameter), asked.sign, value)

    def _comparison(
        self, filter_: Expression, cells: Registers, rows: Registers, names: tuple[str, ...]
    ) -> CellComparison | None:
        """The filter, if it compares one column of the partial match with what the event alone decides."""
        match filter_:
            case Operation(name, (Variable(held), other)) if name in SIGNS and held[:2] == "c:":
                sign = SIGNS[name]
            case Operation(name, (other, Variable(held))) if name in SIGNS and held[:2] == "c:":
                sign = SIGNS[TURNED[name]]
            case _:
                return None
        if not all(one.startswith("r:") for one in variables_of(other)):
            return None
        event = self._value(other, cells, rows, names)
        if event.kind is ColumnSource.PROGRAM and self.table[event.program].program is None:
            return None
        return CellComparison(cells[held[2:]], sign, event)

    def _layout(self, held: tuple[str, ...], names: tuple[str, ...]) -> tuple[Registers, Registers, tuple[str, ...]]:
        columns = self.analysis.row_columns(names)
        registers = (*(f"c:{c}" for c in held), *(f"r:{c}" for c in columns), UNBOUND.name)
        return _numbered(held), _numbered(columns), registers

    def _values(
        self, wanted: Iterable[Expression], held: tuple[str, ...], names: tuple[str, ...]
    ) -> tuple[ComputedColumn, ...]:
        cells, rows, registers = self._layout(held, names)
        return tuple(self._value(one, cells, rows, registers) for one in wanted)

    def _index(self, state: Exit, step: JoinStep, branch: int = 0) -> int:
        """The number of the state's index on the columns that a step joins; a branch has one of its own."""
        columns = tuple(sorted({held for held, _ in step.joins}))
        known = self.indexes[state]
        return known.setdefault((branch, columns), len(known))

    def _transition(self, way: Way) -> Transition:
        analysis, liveness = self.analysis, self.liveness
        step = self._step(liveness.kept_steps[way], self._held(way.source), way.names)
        whole = liveness.whole_steps[way]
        branch = self.branches.of_way(way)
        return Transition(
            source=self.numbers[way.source],
            choice=self._choice(way.names),
            step=step,
            targets=tuple(self._target(way, state) for state in analysis.exits_of(way.node)),
            index=self._index(way.source, step, branch),
            whole=self._step(whole, analysis.columns, way.names),
            columns=self._values((whole.after.get(c, UNBOUND) for c in analysis.columns), analysis.columns, way.names),
            ends=_bits(ended(way.source.items + way.items)),
            opens=tuple(fork.junction for fork in way.forks),
            sides=tuple(fork.side for fork in way.forks),
            branch=branch,
            chances=tuple(self._chances(way)),
        )

    def _chances(self, way: Way) -> Iterator[Chance]:
        """The guards of the source that the step gives the first chance to, with what they read."""
        columns = _numbered(self.analysis.columns)
        for number, guard in enumerate(self.liveness.guards[way.source]):
            sights = self.first_chances.sights(way, guard) if self.first_chances.having(way.source)[number] else None
            if sights is not None:
                values = self._values(sights.values(), self._held(way.source), way.names)
                later = tuple(columns[name] for name in sights if self.first_chances.may_change(way, name))
                yield Chance(number, tuple(zip(map(columns.__getitem__, sights), values, strict=True)), later)

    def _passing(self) -> Iterator[Transition]:
        """What takes partial matches away that want the next event of their substream: each event of it does."""
        for state in filter(self.analysis.passes, self.analysis.exits):
            for one in self.analysis.atoms:
                yield self._away(state, one.name)

    def _away(self, state: Exit, name: str) -> Transition:
        """A transition that leads nowhere."""
        joins = tuple((key, key) for key in self.analysis.query.keys)
        step = self._step(SymbolicStep(joins, (), {}), self._held(state), (name,))
        nothing = JoinStep((), ())
        branch = self.branches.away(state)
        index = self._index(state, step, branch)
        return Transition(self.numbers[state], self._choice((name,)), step, (), index, nothing, (), branch=branch)

    def _target(self, way: Way, state: Exit) -> Target:
        wanted = self.liveness.entered(way, state)
        values = self._values(wanted, self._held(way.source), way.names)
        return self._entered(state, way.node, values)

    def _entered(self, state: Exit, node: int, values: tuple[ComputedColumn, ...]) -> Target:
        """The target of a step, or of sides that meet, to ``node``."""
        analysis, number = self.analysis, self.numbers[state]
        if self.branches.beaten(state):
            values = (*values, ComputedColumn(ColumnSource.UNBOUND))
        if state.arrives is None:
            return Target(number, values)
        items = analysis.on_arrival(node, state)
        after = analysis.hidden.apply(items, analysis.at(node))
        whole = self._values((after[name] for name in analysis.columns), analysis.columns, ())
        return Target(number, values, whole, _bits(ended(items)))

    def _held(self, state: Exit) -> tuple[str, ...]:
        """The columns of a state: what it keeps, and which of its branches have begun if some compete."""
        return (*self.liveness.columns[state], *([BEGUN] if self.branches.beaten(state) else []))

    # ── where sides of && meet ───────────────────────────────────────────────────────────────────────────
    def _junction(self, number: int) -> Junction:
        analysis, columns, sides = self.analysis, self.analysis.columns, self.analysis.sides
        arrivals = sides.arrivals(number)
        held = tuple(dict.fromkeys(name for state in arrivals for name in self.liveness.columns[state]))
        filters = tuple(self._formula(one, self._layout(held, ())[2], True) for one in sides.asked(number))
        owners = (sides.keepers(number, name) for name in columns)
        entered = analysis.exits_of(analysis.graph.junctions[number].node)
        return Junction(
            sides=tuple(self._side(number, side, held) for side in range(len(arrivals))),
            width=max(len(held), 1),
            shown=tuple(columns.index(name) if name in columns else None for name in held) or (None,),
            filters=filters,
            targets=tuple(self._met(number, state, held) for state in entered),
            owners=tuple(next(iter(one)) if len(one) == 1 else None for one in owners),
            anchored=number in sides.anchored,
            across=tuple(map(self._across, sides.judged(number))),
        )

    def _side(self, number: int, side: int, held: tuple[str, ...]) -> CompleteSide:
        sides = self.analysis.sides
        state = sides.arrivals(number)[side]
        columns = (held.index(name) if side in sides.keepers(number, name) else None
                   for name in self.liveness.columns[state])  # fmt: skip
        return CompleteSide(self.numbers[state], tuple(columns))

    def _met(self, number: int, state: Exit, held: tuple[str, ...]) -> Target:
        values = self._values(self.liveness.meets(number, state), held, ())
        return self._entered(state, self.analysis.graph.junctions[number].node, values)

    def _across(self, one: Across) -> FilterAcross:
        analysis, columns = self.analysis, self.analysis.columns
        filter_ = substitute(analysis.sides.resolved(one), {name: cell(name) for name in columns})
        inside = analysis.sides.inside(analysis.graph.places[one.place], one.junction)
        looks = ((name, self.liveness.sight(name, inside)) for name in columns_read(filter_))
        ways = (number for number, way in enumerate(analysis.ways) if way.place == one.place and one.name in way.names)
        return FilterAcross(
            self._formula(filter_, self._layout(columns, ())[2], True),
            tuple(ways),
            tuple(self._look(columns.index(name), name, sight) for name, sight in looks if sight is not None),
            one.repeated,
        )

    def _guard(self, state: Exit, guard: SymbolicGuard, has_first_chance: bool) -> Guard:
        held, whole = self.liveness.columns[state], self.analysis.columns
        early = self._step(guard.early, held, guard.names) if guard.early else JoinStep((), ())
        cells, columns = _numbered(held), _numbered(whole)
        return Guard(
            choice=self._choice(guard.names),
            early=guard.early is not None,
            step=early,
            later=tuple(cells[name] for name in guard.later),
            index=self._index(state, early) if guard.early else 0,
            whole=self._step(guard.whole, whole, guard.names),
            looks=tuple(self._look(columns[name], name, sight) for name, sight in guard.sights),
            begun=_bits(guard.begun),
            first_chance=has_first_chance,
        )

    def _look(self, column: int, name: str, sight: int | Expression) -> Look:
        if isinstance(sight, int):
            value = self._values((cell(name),), self.analysis.columns, ())[0]
            return Look(column, View.ITERATION, sight, value)
        return Look(column, View.POINT, 0, self._values((sight,), self.analysis.columns, ())[0])

    def _govern(self, state: Exit) -> Govern:
        if state.node == START:
            return Govern.FREE
        if self.analysis.passes(state):
            return Govern.NEXT
        return GOVERN[state.strategy] if state.strategy else Govern.ANY

    def _state(self, state: Exit) -> State:
        columns = self.analysis.columns
        guards = tuple(map(self._guard, repeat(state), self.liveness.guards[state], self.first_chances.having(state)))
        closing: tuple[ComputedColumn, ...] = ()
        output: tuple[ComputedColumn, ...] = ()
        if state.ends:
            after = self.analysis.environment(state)
            closing = self._values((after[name] for name in columns), columns, ())
            output = self._values((one for _, one in self.results), columns, ())
        held = self._held(state)
        rules = held.index(RULES) if RULES in held else None
        twins = tuple(self.numbers[one] for one in self.analysis.competitors.get(state, ()))
        indexes = tuple(columns for _, columns in self.indexes[state])
        if state.arrives is not None:
            indexes = (self._common(state),)
        kinds = self._govern(state), len(held), indexes, Cells.HASH
        begun, side = self.branches.beaten(state), state.arrives
        arrives = None if side is None else (side.junction, side.side)
        fork = self.branches.fork(state)
        return State(*kinds, guards, state.ends, twins, closing, output, rules, fork, begun, arrives)

    def _common(self, state: Exit) -> tuple[int, ...]:
        """The columns by which a complete side is found: all sides have them."""
        assert state.arrives is not None
        sides, held = self.analysis.sides, self.liveness.columns[state]
        everyone = frozenset(range(len(sides.arrivals(state.arrives.junction))))
        names = sorted(name for name in held if sides.keepers(state.arrives.junction, name) == everyone)
        return tuple(held.index(name) for name in names)


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _bits(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)


def window_of(window: Window | None) -> WindowSpec:
    """A window as a matcher knows it."""
    if window is None:
        return WindowSpec()
    return WindowSpec(window.length, window.sliding, window.events, window.origin)
