# distutils: language = c++
# cython: language_level=3
"""From the frozen automaton to the kernel's own tables."""

from nfa_native.terms.operations import Op

from libc.stdint cimport uint32_t

from nfa_native.automata.kinds cimport Cells, Govern, Sign
from nfa_native.core.containers cimport moved, vector
from nfa_native.core.guard cimport attempted
from nfa_native.terms.program cimport Program
from nfa_native.terms.dictionary cimport word_t


cdef class MatcherProgram:
    """An automaton as the kernel's tables: frozen, and shared by all matchers that run the automaton."""

    def __init__(self, automaton):
        self.automaton = automaton
        build_program(&self.program, automaton)


cdef MatcherProgram program_of(object automaton):
    """The program that the automaton keeps, made by its first matcher."""
    if not automaton.programs:
        automaton.programs.append(MatcherProgram(automaton))
    return automaton.programs[0]


cdef vector[uint32_t] numbers(object values):
    cdef vector[uint32_t] out
    for value in values:
        out.safe_push_back(value)
    return moved(out)


cdef ValueSpec value_spec(object value):
    return ValueSpec(value.kind, value.cell, value.row, value.program)


cdef vector[ValueSpec] value_specs(object values):
    cdef vector[ValueSpec] out
    for value in values:
        out.safe_push_back(value_spec(value))
    return moved(out)


cdef StepSpec step_spec(object step):
    cdef StepSpec out
    for cell, row in step.joins:
        out.joins.safe_push_back(Join(cell, row))
    out.filters = numbers(step.filters)
    for comparison in step.compared:
        out.compared.safe_push_back(compared_spec(comparison))
    for test in step.tests:
        out.tests.safe_push_back(rule_test(test))
    return moved(out)


cdef Compared compared_spec(object comparison):
    sign = comparison.sign
    return Compared(comparison.column, MOST_COMPARED, is_limit(sign), is_inverted(sign), value_spec(comparison.event))


cdef RuleTest rule_test(object test):
    return RuleTest(
        test.kind, test.parameter, is_limit(test.sign), is_inverted(test.sign), value_spec(test.value), test.formula
    )


cdef bint is_limit(object sign):
    """`x < value` or the opposite of it."""
    return sign in (Sign.LESS, Sign.GREATER_EQUAL)


cdef bint is_inverted(object sign):
    """The opposite of `x < value` or of `value < x`."""
    return sign in (Sign.LESS_EQUAL, Sign.GREATER_EQUAL)


cdef uint32_t rules_column(object column):
    return NO_RULES if column is None else column


cdef ChoiceSpec choice_spec(object choice):
    cdef ChoiceSpec out
    out.atoms = numbers(choice.atoms)
    for slots in choice.slots:
        out.slots.safe_push_back(numbers(slots))
    out.width = choice.width
    return moved(out)


cdef vector[uint32_t] probe_columns(object step, object columns):
    """For each column of an index the row column that is joined with it."""
    rows = dict(step.joins)
    cdef vector[uint32_t] out = numbers([rows[column] for column in columns])
    return moved(out)


cdef GuardSpec guard_spec(object guard, object indexes, uint32_t number):
    cdef GuardSpec out
    out.number = number
    out.early = guard.early
    out.first_chance = guard.first_chance
    out.index = guard.index
    out.begun = guard.begun
    out.choice = choice_spec(guard.choice)
    out.step = step_spec(guard.step)
    out.whole = step_spec(guard.whole)
    out.later = numbers(guard.later)
    if guard.early:
        out.probe = probe_columns(guard.step, indexes[guard.index])
    out.looks = look_specs(guard.looks)
    return moved(out)


cdef vector[MarginTerm] margin_terms(object margin):
    cdef vector[MarginTerm] out
    for column, weight in margin:
        out.safe_push_back(MarginTerm(column, weight))
    return moved(out)


cdef StateSpec state_spec(object state, uint32_t guards):
    """`guards`: how many the states before it have."""
    cdef StateSpec out
    cdef IndexSpec index
    out.govern = state.govern
    out.kind = state.cells
    out.width = state.width
    out.final = state.final
    out.rules = rules_column(state.rules)
    index.order = NO_ORDER
    index.falls = False
    for columns in state.indexes:
        index.columns = numbers(columns)
        out.indexes.safe_push_back(index)
    for number, guard in enumerate(state.guards, guards):
        out.guards.safe_push_back(guard_spec(guard, state.indexes, number))
    out.twins = numbers(state.twins)
    for margin in state.margins:
        out.margins.safe_push_back(margin_terms(margin))
    out.forks = state.fork is not None
    out.fork = state.fork or 0
    out.branches = numbers(state.branches)
    out.closing = value_specs(state.closing)
    out.output = value_specs(state.output)
    return moved(out)


cdef TransitionSpec transition_spec(object transition, uint32_t number, object states):
    cdef TransitionSpec out
    out.number = number
    out.source = transition.source
    out.index = transition.index
    out.ends = transition.ends
    out.choice = choice_spec(transition.choice)
    out.step = step_spec(transition.step)
    out.whole = step_spec(transition.whole)
    out.probe = probe_columns(transition.step, states[transition.source].indexes[transition.index])
    out.order = NO_ORDER
    out.ordered = out.mapped = False
    for target in transition.targets:
        out.targets.safe_push_back(target_spec(target, states))
    out.columns = value_specs(transition.columns)
    out.opens = numbers(transition.opens)
    out.sides = numbers(transition.sides)
    out.branch = transition.branch
    for chance in transition.chances:
        out.chances.safe_push_back(chance_spec(chance))
    return moved(out)


cdef ChanceSpec chance_spec(object chance):
    cdef ChanceSpec out
    out.guard = chance.guard
    out.later = numbers(chance.later)
    for column, value in chance.sights:
        out.sights.safe_push_back(SightSpec(column, value_spec(value)))
    return moved(out)


cdef TargetSpec target_spec(object target, object states):
    cdef TargetSpec out
    state = states[target.state]
    out.state = target.state
    out.finishes = state.final and not state.guards
    out.values = value_specs(target.values)
    out.junction, out.side = (NO_JUNCTION, 0) if state.arrives is None else state.arrives
    out.whole = value_specs(target.whole)
    out.ends = target.ends
    return moved(out)


cdef JunctionSpec junction_spec(object junction, object states):
    cdef JunctionSpec out
    cdef SideSpec one
    out.width = junction.width
    out.anchored = junction.anchored
    out.filters = numbers(junction.filters)
    out.shown = numbers([NO_COLUMN if column is None else column for column in junction.shown])
    out.owners = numbers([NO_SIDE if owner is None else owner for owner in junction.owners])
    out.across_repeated = any([filter_.repeated for filter_ in junction.across])
    for side in junction.sides:
        one.state = side.state
        one.columns = numbers([NO_COLUMN if column is None else column for column in side.columns])
        out.sides.safe_push_back(one)
    for target in junction.targets:
        out.targets.safe_push_back(target_spec(target, states))
    for filter_ in junction.across:
        out.across.safe_push_back(across_spec(filter_))
    return moved(out)


cdef AcrossSpec across_spec(object filter_):
    cdef AcrossSpec out
    out.formula = filter_.formula
    out.repeated = filter_.repeated
    out.transitions = numbers(filter_.transitions)
    out.looks = look_specs(filter_.looks)
    return moved(out)


cdef vector[LookSpec] look_specs(object looks):
    cdef vector[LookSpec] out
    for look in looks:
        out.safe_push_back(LookSpec(look.column, look.view, look.kleene, value_spec(look.value)))
    return moved(out)


cdef void note_comparison(FormulaSpec* formula, object program):
    """Recognise `register < register` and its like: a > b is b < a, a <= b is the opposite of b < a."""
    formula.comparison = formula.inverted = False
    formula.left = formula.right = 0
    if program is None or len(program.instructions) != 3:
        return
    (first, left), (second, right), (operation, _) = program.instructions
    if first == second == Op.LOAD and operation in (Op.LESS, Op.LESS_EQUAL, Op.GREATER, Op.GREATER_EQUAL):
        formula.comparison = True
        formula.inverted = operation in (Op.LESS_EQUAL, Op.GREATER_EQUAL)
        if operation in (Op.LESS_EQUAL, Op.GREATER):
            left, right = right, left
        formula.left = left
        formula.right = right


cdef void add_labels(KernelProgram* program, uint32_t number):
    """Number the atoms of a transition, and enter it under each of them."""
    cdef TransitionSpec* transition = &program.transitions[number]
    cdef uint32_t part, atom, parts = <uint32_t>transition.choice.atoms.size()
    transition.label = <uint32_t>program.labels.size()
    for part in range(parts):
        atom = transition.choice.atoms[part]
        program.labels.safe_push_back(Label(number, part, parts, atom))
        if program.by_atom[atom].empty() or program.by_atom[atom].back() != number:
            program.by_atom[atom].safe_push_back(number)


cdef build_program(KernelProgram* program, object automaton):
    """All that the automaton says."""
    atoms = len(automaton.slots)
    program.slots = numbers(automaton.slots)
    program.by_atom.safe_resize(atoms)
    program.negated.safe_assign(atoms, 0)
    program.gathered.safe_assign(atoms, 0)
    program.start = numbers_of(automaton.start)
    program.whole = automaton.whole
    program.result_width = automaton.results
    program.ambiguous = automaton.ambiguous
    program.parameters = automaton.parameters
    program.rules = rules_column(automaton.rules)
    program.window = automaton.window.length
    program.sliding = automaton.window.sliding
    program.by_events = automaton.window.events
    program.origin = automaton.window.origin
    build_formulas(program, automaton.formulas)
    build_states(program, automaton.states)
    build_merging(program, automaton.merging)
    build_transitions(program, automaton)
    program.sifted = program.anchored = False
    for junction in automaton.junctions:
        program.junctions.safe_push_back(junction_spec(junction, automaton.states))
        program.sifted = program.sifted or program.junctions.back().across_repeated
        program.anchored = program.anchored or junction.anchored
    for segment in automaton.lazy:
        build_segment(program, segment, automaton)
    program.gathers = any([program.gathered[atom] for atom in range(atoms)])
    program.widest = widest_of(automaton)
    choices = [guard.choice for state in automaton.states for guard in state.guards]
    choices += [transition.choice for transition in automaton.transitions]
    program.deepest = max([len(choice.atoms) for choice in choices], default=1)


cdef build_formulas(KernelProgram* program, object formulas):
    cdef FormulaSpec formula
    cdef Program compiled
    for one in formulas:
        compiled = one.program
        attempted(set_code, &formula, <const void*>NULL if compiled is None else <const void*>compiled.code)
        note_comparison(&formula, one.program)
        program.formulas.safe_push_back(formula)


cdef build_states(KernelProgram* program, object states):
    program.guards = 0
    program.waits = any([state.final and state.guards for state in states])
    for number, state in enumerate(states):
        program.states.safe_push_back(state_spec(state, program.guards))
        program.guards += len(state.guards)
        if state.govern in (Govern.NEXT, Govern.STRICT):
            program.moving.safe_push_back(<uint32_t>number)
        for guard in state.guards:
            for atom in guard.choice.atoms:
                program.negated[atom] = program.gathered[atom] = 1
        for place, guard in enumerate(state.guards):
            if guard.first_chance:
                attempted(place_guard, program, <uint32_t>number, <uint32_t>place)
    program.guarded = program.guards > 0


cdef build_merging(KernelProgram* program, object merging):
    """The states whose sets may be merged."""
    cdef uint32_t number
    program.merge_after = merging.after or 0
    program.merge_ratio = merging.ratio
    for number in range(program.states.size()):
        if program.states[number].kind == Cells.VIEWS and program.states[number].indexes.size() <= MOST_LISTS:
            if merging.after is not None:
                program.merging.safe_push_back(number)


cdef build_transitions(KernelProgram* program, object automaton):
    """Transitions with their labels; the indexes that they probe are ordered then."""
    for number, transition in enumerate(automaton.transitions):
        program.transitions.safe_push_back(transition_spec(transition, number, automaton.states))
        add_labels(program, number)
        if program.states[transition.source].kind in (Cells.ORDERED, Cells.VIEWS):
            attempted(order_index, &program.states[transition.source], &program.transitions[number])
        if len(transition.choice.atoms) > 1:
            for atom in transition.choice.atoms:
                program.gathered[atom] = 1


cdef build_segment(KernelProgram* program, object segment, object automaton):
    cdef SegmentSpec out
    out.source = segment.source
    out.transition = segment.transition
    out.state = segment.state
    out.held = numbers([held for held, _ in segment.key])
    out.row = numbers([row for _, row in segment.key])
    out.single = all([is_single(one, automaton) for one in automaton.transitions if enters(one, segment.source)])
    for number, columns in segment.closing:
        out.closing.safe_push_back(closing_spec(number, columns))
    attempted(note_joins, program, &out)
    attempted(enter_segment, program, &out)


cdef ClosingSpec closing_spec(uint32_t transition, object columns):
    cdef ClosingSpec out
    out.transition = transition
    out.key = numbers(columns)
    return moved(out)


def enters(transition, state):
    """Whether it leads to a state."""
    return any([target.state == state for target in transition.targets])


def is_single(transition, automaton):
    """Whether it picks the first event of a match, alone."""
    return automaton.states[transition.source].govern == Govern.FREE and len(transition.choice.atoms) == 1


def widest_of(automaton):
    """The most values that are looked at together: a row of a cell, or a whole match, and a row of events."""
    widths = [automaton.whole, *[state.width for state in automaton.states]]
    for state in automaton.states:
        widths += [max(automaton.whole, state.width) + guard.choice.width for guard in state.guards]
    for transition in automaton.transitions:
        widths.append(max(automaton.whole, automaton.states[transition.source].width) + transition.choice.width)
    widths += [junction.width for junction in automaton.junctions]
    return max(widths)


cdef vector[word_t] numbers_of(object words):
    cdef vector[word_t] out
    for word in words:
        out.safe_push_back(word)
    return moved(out)
