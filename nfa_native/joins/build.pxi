# From the frozen automaton to the kernel's own tables.

cdef extern from *:
    """
    #include <utility>
    template <class T> static T&& spaseq_moved(T& value) { return std::move(value); }
    """
    # What a function returns without a copy, for which there may be no memory.
    T moved "spaseq_moved"[T](T&)


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
    out.limit = comparison.sign in (LESS_SIGN, GREATER_EQUAL_SIGN)
    out.inverted = comparison.sign in (LESS_EQUAL_SIGN, GREATER_EQUAL_SIGN)
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


cdef GuardSpec guard_spec(object guard, object indexes):
    cdef GuardSpec out
    cdef LookSpec one
    out.early = guard.early
    out.deferred = False
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
    out.killed = 0
    return moved(out)


cdef StateData state_data(object state):
    cdef StateData out
    cdef CellIndex index
    out.govern = state.govern
    out.kind = state.cells
    out.entering = NO_CELL
    out.width = state.width
    out.final = state.final
    for columns in state.indexes:
        index.columns = numbers(columns)
        index.order = NO_ORDER
        index.falls = index.wild.ordered = index.wild.mixed = index.wild.tabled = False
        index.wild.groups = NO_LIST
        out.indexes.safe_push_back(index)
    for guard in state.guards:
        out.guards.safe_push_back(guard_spec(guard, state.indexes))
    out.twins = numbers(state.twins)
    out.closing = value_specs(state.closing)
    out.output = value_specs(state.output)
    out.live = 0
    out.serial = 0
    out.stamp = 0
    out.entered = out.expired = out.skipped = 0
    return moved(out)


cdef TransitionSpec transition_spec(object transition, object states):
    cdef TransitionSpec out
    cdef TargetSpec one
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
    out.offered = out.lonely = out.unjoined = out.unfiltered = out.fired = out.pairs = out.scanned = 0
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


cdef void order_index(StateData* s, TransitionSpec* transition) noexcept nogil:
    """Order the index that a transition probes by a comparison, if nothing else orders it, and note what zone maps know."""
    cdef CellIndex* index = &s.indexes[transition.index]
    cdef Compared* compared
    cdef bint falls
    cdef size_t i
    transition.mapped = transition.step.compared.size() == transition.step.filters.size() <= MOST_BOUNDS
    for i in range(transition.step.compared.size()):
        compared = transition.step.compared.data() + i
        compared.slot = slot_for(index, compared.column)
        transition.mapped = transition.mapped and compared.slot < MOST_COMPARED
        falls = compared.limit != compared.inverted
        if s.kind != ORDERED or transition.order != NO_ORDER:
            continue
        if index.order == NO_ORDER or index.order == compared.column and index.falls == falls:
            index.order, index.falls, transition.order = compared.column, falls, <uint32_t>i
            transition.ordered = transition.step.filters.size() == 1


cdef uint32_t slot_for(CellIndex* index, uint32_t column) noexcept nogil:
    """The column's place in the zone maps of the index; MOST_COMPARED: there is no room left."""
    cdef uint32_t i
    for i in range(<uint32_t>index.compared.size()):
        if index.compared[i] == column:
            return i
    if index.compared.size() == MOST_COMPARED:
        return MOST_COMPARED
    index.compared.push_back(column)
    return <uint32_t>index.compared.size() - 1


cdef void add_labels(Kernel* k, uint32_t number):
    """Number the atoms of a transition, and enter it under each of them."""
    cdef TransitionSpec* transition = &k.transitions[number]
    cdef Label label
    cdef size_t i
    transition.label = <uint32_t>k.labels.size()
    label.transition = number
    label.parts = <uint32_t>transition.choice.atoms.size()
    for i in range(transition.choice.atoms.size()):
        label.part = <uint32_t>i
        label.atom = transition.choice.atoms[i]
        k.labels.safe_push_back(label)
        if k.by_atom[label.atom].empty() or k.by_atom[label.atom].back() != number:
            k.by_atom[label.atom].safe_push_back(number)


cdef build_kernel(Kernel* k, object automaton):
    cdef FormulaSpec formula
    cdef Program program
    atoms = len(automaton.slots)
    k.slots = numbers(automaton.slots)
    widest = 0
    for one in automaton.formulas:
        formula.code = NULL
        if one.program is not None:
            program = one.program
            formula.code = program.code
        note_comparison(&formula, one.program)
        k.formulas.safe_push_back(formula)
    k.by_atom.safe_resize(atoms)
    k.negated.safe_assign(atoms, 0)
    k.gathered.safe_assign(atoms, 0)
    k.tick_atoms.safe_resize(atoms)
    k.watched.safe_resize(atoms)
    k.matched.safe_assign(atoms, 0)
    k.guarded = k.waits = k.gathers = False
    for state in automaton.states:
        k.states.safe_push_back(state_data(state))
        widest = max(widest, state.width)
        k.guarded = k.guarded or bool(state.guards)
        k.waits = k.waits or (state.final and bool(state.guards))
        if state.govern in (NEXT, STRICT):
            k.moving.safe_push_back(<uint32_t>k.states.size() - 1)
        for guard in state.guards:
            widest = max(widest, automaton.whole + guard.choice.width, state.width + guard.choice.width)
            for atom in guard.choice.atoms:
                k.negated[atom] = k.gathered[atom] = 1
    deepest = 1
    for number, transition in enumerate(automaton.transitions):
        k.transitions.safe_push_back(transition_spec(transition, automaton.states))
        add_labels(k, number)
        if k.states[transition.source].kind in (ORDERED, VIEWS):
            attempted(order_index, &k.states[transition.source], &k.transitions[number])
        if len(transition.choice.atoms) > 1:
            for atom in transition.choice.atoms:
                k.gathered[atom] = 1
        width = transition.choice.width
        widest = max(widest, automaton.whole + width, automaton.states[transition.source].width + width)
    for state in automaton.states:
        for guard in state.guards:
            deepest = max(deepest, len(guard.choice.atoms))
    for transition in automaton.transitions:
        deepest = max(deepest, len(transition.choice.atoms))
    for atom in range(atoms):
        k.gathers = k.gathers or k.gathered[atom]
    k.merged.safe_resize(deepest + 1)
    k.outer_merged.safe_resize(deepest + 1)
    k.registers.safe_assign(max(widest, automaton.whole) + 1, UNBOUND)
    k.blank.safe_assign(k.registers.size(), UNBOUND)
    k.whole = automaton.whole
    for word in automaton.start:
        k.start.safe_push_back(word)
    k.result_width = automaton.results
    k.ambiguous = automaton.ambiguous
    k.window = automaton.window.length
    k.sliding = automaton.window.sliding
    k.by_events = automaton.window.events
    k.origin = automaton.window.origin
    reset_kernel(k)


cdef reset_kernel(Kernel* k):
    """The state before the first event."""
    k.ring.safe_open(64, 1)         # little, as there may be a matcher for each key of a partition; it doubles when full
    k.history.first = 0
    k.history.first_block = k.history.first_word = 0
    k.results.offsets.safe_assign(1, 0)
    k.results.count = 0
    k.count_only = k.failed = k.open = k.many_rows = k.refused = k.aside = k.singly = False
    k.scanned = 0
    k.suspended = k.closing = False
    k.left = k.stride = FEW_STEPS
    k.most = k.most_held = UNBOUNDED
    k.resumed = k.awaited = 0
    k.lo = k.kept = k.tick_first = k.swept = 0
    k.seq = 0
    k.tick = k.promised = -FOREVER
    k.next_handle = k.created = k.survived = k.ticks = 0
    k.next_look = 1024
