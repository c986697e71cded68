# From the frozen automaton to the kernel's own tables.

cdef vector[uint32_t] numbers(object values):
    cdef vector[uint32_t] out
    for value in values:
        out.safe_push_back(value)
    return moved(out)


cdef ValueSpec value_spec(object value):
    cdef ValueSpec out
    out.kind = value.kind
    out.cell = value.cell
    out.row = value.row
    out.formula = value.program
    return moved(out)


cdef vector[ValueSpec] value_specs(object values):
    cdef vector[ValueSpec] out
    for value in values:
        out.safe_push_back(value_spec(value))
    return moved(out)


cdef StepSpec step_spec(object step):
    cdef StepSpec out
    cdef Join join
    for cell, row in step.joins:
        join.cell = cell
        join.row = row
        out.joins.safe_push_back(join)
    out.filters = numbers(step.filters)
    for comparison in step.compared:
        out.compared.safe_push_back(compared_spec(comparison))
    return moved(out)


cdef Compared compared_spec(object comparison):
    cdef Compared out
    out.column = comparison.column
    out.slot = MOST_COMPARED
    out.limit = comparison.sign in (Sign.LESS, Sign.GREATER_EQUAL)
    out.inverted = comparison.sign in (Sign.LESS_EQUAL, Sign.GREATER_EQUAL)
    out.event = value_spec(comparison.event)
    return moved(out)


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
    cdef LookSpec one
    out.number = number
    out.early = guard.early
    out.index = guard.index
    out.begun = guard.begun
    out.choice = choice_spec(guard.choice)
    out.step = step_spec(guard.step)
    out.whole = step_spec(guard.whole)
    out.later = numbers(guard.later)
    if guard.early:
        out.probe = probe_columns(guard.step, indexes[guard.index])
    for look in guard.looks:
        one.column = look.column
        one.view = look.view
        one.kleene = look.kleene
        one.value = value_spec(look.value)
        out.looks.safe_push_back(one)
    return moved(out)


cdef StateSpec state_spec(object state, uint32_t guards):
    """`guards`: how many the states before it have."""
    cdef StateSpec out
    cdef IndexSpec index
    out.govern = state.govern
    out.kind = state.cells
    out.width = state.width
    out.final = state.final
    index.order = NO_ORDER
    index.falls = False
    for columns in state.indexes:
        index.columns = numbers(columns)
        out.indexes.safe_push_back(index)
    for number, guard in enumerate(state.guards, guards):
        out.guards.safe_push_back(guard_spec(guard, state.indexes, number))
    out.twins = numbers(state.twins)
    out.closing = value_specs(state.closing)
    out.output = value_specs(state.output)
    return moved(out)


cdef TransitionSpec transition_spec(object transition, uint32_t number, object states):
    cdef TransitionSpec out
    cdef TargetSpec one
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
        one.state = target.state
        one.finishes = states[target.state].final and not states[target.state].guards
        one.values = value_specs(target.values)
        out.targets.safe_push_back(one)
    out.columns = value_specs(transition.columns)
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


cdef void order_index(StateSpec* s, TransitionSpec* transition) noexcept nogil:
    """Order the index that a transition probes by a comparison, if nothing else orders it, and note what zone maps know."""
    cdef IndexSpec* index = &s.indexes[transition.index]
    cdef Compared* compared
    cdef bint falls
    cdef size_t i
    transition.mapped = transition.step.compared.size() == transition.step.filters.size() <= MOST_BOUNDS
    for i in range(transition.step.compared.size()):
        compared = transition.step.compared.data() + i
        compared.slot = slot_for(index, compared.column)
        transition.mapped = transition.mapped and compared.slot < MOST_COMPARED
        falls = compared.limit != compared.inverted
        if s.kind != Cells.ORDERED or transition.order != NO_ORDER:
            continue
        if index.order == NO_ORDER or index.order == compared.column and index.falls == falls:
            index.order, index.falls, transition.order = compared.column, falls, <uint32_t>i
            transition.ordered = transition.step.filters.size() == 1


cdef uint32_t slot_for(IndexSpec* index, uint32_t column) noexcept nogil:
    """The column's place in the zone maps of the index; MOST_COMPARED: there is no room left."""
    cdef uint32_t i
    for i in range(<uint32_t>index.compared.size()):
        if index.compared[i] == column:
            return i
    if index.compared.size() == MOST_COMPARED:
        return MOST_COMPARED
    index.compared.push_back(column)
    return <uint32_t>index.compared.size() - 1


cdef void add_labels(KernelProgram* program, uint32_t number):
    """Number the atoms of a transition, and enter it under each of them."""
    cdef TransitionSpec* transition = &program.transitions[number]
    cdef Label label
    cdef size_t i
    transition.label = <uint32_t>program.labels.size()
    label.transition = number
    label.parts = <uint32_t>transition.choice.atoms.size()
    for i in range(transition.choice.atoms.size()):
        label.part = <uint32_t>i
        label.atom = transition.choice.atoms[i]
        program.labels.safe_push_back(label)
        if program.by_atom[label.atom].empty() or program.by_atom[label.atom].back() != number:
            program.by_atom[label.atom].safe_push_back(number)


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
    program.window = automaton.window.length
    program.sliding = automaton.window.sliding
    program.by_events = automaton.window.events
    program.origin = automaton.window.origin
    build_formulas(program, automaton.formulas)
    build_states(program, automaton.states)
    build_transitions(program, automaton)
    program.gathers = any([program.gathered[atom] for atom in range(atoms)])
    program.widest = widest_of(automaton)
    choices = [guard.choice for state in automaton.states for guard in state.guards]
    choices += [transition.choice for transition in automaton.transitions]
    program.deepest = max([len(choice.atoms) for choice in choices], default=1)


cdef build_formulas(KernelProgram* program, object formulas):
    cdef FormulaSpec formula
    cdef Program compiled
    for one in formulas:
        formula.code = NULL
        if one.program is not None:
            compiled = one.program
            formula.code = compiled.code
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
    program.guarded = program.guards > 0


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


def widest_of(automaton):
    """The most values that are looked at together: a row of a cell, or a whole match, and a row of events."""
    widths = [automaton.whole, *[state.width for state in automaton.states]]
    for state in automaton.states:
        widths += [max(automaton.whole, state.width) + guard.choice.width for guard in state.guards]
    for transition in automaton.transitions:
        widths.append(max(automaton.whole, automaton.states[transition.source].width) + transition.choice.width)
    return max(widths)


cdef vector[word_t] numbers_of(object words):
    cdef vector[word_t] out
    for word in words:
        out.safe_push_back(word)
    return moved(out)


cdef build_kernel(Kernel* k, KernelProgram* program):
    """What runs a program, before the first event."""
    cdef size_t i
    k.program = program
    k.now.tick_atoms.safe_resize(program.slots.size())
    k.now.watched.safe_resize(program.slots.size())
    k.now.matched.safe_assign(program.slots.size(), 0)
    k.now.candidacies.safe_resize(program.transitions.size())
    k.now.judgements.safe_resize(program.guards)
    k.now.states.safe_resize(program.states.size())
    for i in range(program.states.size()):
        attempted(begin_state, &k.now.states[i], &program.states[i])
    k.scratch.merged.safe_resize(program.deepest + 1)
    k.scratch.outer_merged.safe_resize(program.deepest + 1)
    k.scratch.registers.safe_assign(program.widest + 1, UNBOUND)
    k.scratch.blank.safe_assign(program.widest + 1, UNBOUND)
    reset_kernel(k)


cdef void begin_state(StateData* s, StateSpec* spec) noexcept nogil:
    cdef CellIndex index
    cdef size_t i
    s.spec, s.govern, s.kind, s.width, s.final = spec, spec.govern, spec.kind, spec.width, spec.final
    s.entering = NO_CELL
    s.live = s.serial = s.stamp = 0
    s.entered = s.expired = s.skipped = 0
    index.wild.ordered = index.wild.mixed = index.wild.tabled = False
    index.wild.groups = NO_LIST
    for i in range(spec.indexes.size()):
        index.spec = spec.indexes.data() + i
        s.indexes.push_back(index)


cdef reset_kernel(Kernel* k):
    """The state before the first event."""
    k.now.ring.safe_open(64, 1)     # little, as there may be a matcher for each key of a partition; it doubles when full
    k.now.history.first = 0
    k.now.history.first_block = k.now.history.first_word = 0
    k.results.offsets.safe_assign(1, 0)
    k.results.count = 0
    k.count_only = k.failed = k.now.open = k.now.many_rows = False
    k.scratch.refused = k.scratch.aside = k.scratch.singly = False
    k.scratch.scanned = 0
    k.pause.suspended = k.pause.closing = False
    k.pause.left = k.pause.stride = FEW_STEPS
    k.pause.most = k.pause.most_held = UNBOUNDED
    k.pause.resumed = k.pause.awaited = 0
    k.now.lo = k.now.kept = k.now.tick_first = k.now.swept = 0
    k.now.seq = 0
    k.now.tick = k.now.promised = -FOREVER
    k.now.next_handle = k.now.created = k.now.survived = k.now.ticks = 0
    k.now.next_look = 1024
