# Ticks: all events of one timestamp see the cells as they were before it.


cdef void take_event(Kernel* k, uint32_t pos) noexcept nogil:
    """Every transition with an atom that the event at `pos` matched; finished matches come out at once."""
    cdef const EventRecord* event = event_at(&k.now, pos)
    cdef const Block* blocks = k.now.history.blocks.data() + (event.block - k.now.history.first_block)
    cdef const vector[uint32_t]* transitions
    cdef uint32_t i
    cdef size_t t
    if k.program.gathers:
        gather_event(k.program, &k.now, event, blocks, pos)
    for i in range(event.blocks):
        transitions = &k.program.by_atom[blocks[i].atom]
        for t in range(transitions.size()):
            take_transition(k, event, pos, i, transitions.data()[t])


cdef void gather_event(
    KernelProgram* program, KernelState* now, const EventRecord* event, const Block* blocks, uint32_t pos
) noexcept nogil:
    """Note the event under those of its atoms that are combined with others, or negated."""
    cdef uint32_t i, atom
    for i in range(event.blocks):
        atom = blocks[i].atom
        if program.gathered[atom]:
            now.tick_atoms[atom].push_back(pos)
            now.picked = True
        if program.negated[atom]:
            now.watched[atom].push_back(pos)
            now.picked = True


cdef void take_transition(
    Kernel* k, const EventRecord* event, uint32_t pos, uint32_t block, uint32_t which
) noexcept nogil:
    """Take a transition with the event: alone, for one atom, or combined with others of its tick."""
    cdef const ChoiceSpec* choice = &k.program.transitions[which].choice
    cdef Candidate candidate
    cdef Purpose purpose
    if choice.atoms.size() == 1:
        k.scratch.combination.clear()
        k.scratch.combination.push_back(pos)
        candidate.rows = block_rows(&k.now, event, block, &candidate.count)
        candidate.width = choice.width
        fire(k, which, &candidate)
    elif not already_taken(k.program, &k.now, event, block, which):
        memset(&purpose, 0, sizeof(Purpose))
        purpose.mode = FIRING
        purpose.newest = pos
        purpose.deepest = deepest_choice(&k.now, choice, pos)
        purpose.which = which
        combine(k, choice, &purpose)


cdef uint32_t deepest_choice(KernelState* now, const ChoiceSpec* choice, uint32_t pos) noexcept nogil:
    """The last of the choice's atoms that the newest event matched."""
    cdef uint32_t depth = <uint32_t>choice.atoms.size() - 1
    while depth > 0 and (now.tick_atoms[choice.atoms.at(depth)].empty() or now.tick_atoms[choice.atoms.at(depth)].back() != pos):
        depth -= 1
    return depth


cdef bint already_taken(
    KernelProgram* program, KernelState* now, const EventRecord* event, uint32_t block, uint32_t transition
) noexcept nogil:
    """A conjunction of several atoms of this event fires with the first of them, for all."""
    cdef uint32_t i, atom
    cdef size_t t
    for i in range(block):
        atom = now.history.blocks[event.block - now.history.first_block + i].atom
        for t in range(program.by_atom[atom].size()):
            if program.by_atom[atom][t] == transition:
                return True
    return False


cdef bint open_tick(Kernel* k, int64_t time) noexcept nogil:
    """Time moves on to `time`: what was decided before comes out, the window moves.  False: the first of it is not done."""
    cdef int64_t last = k.now.seq if k.program.by_events else time
    invariant(not k.now.open and k.now.staged.empty() and time > k.now.tick)
    if not output_decided(k, time):
        return False
    move_window(k, last)
    k.now.open = True
    k.now.tick = time
    k.now.tick_first = next_position(&k.now)
    return True


cdef bint close_tick(Kernel* k) noexcept nogil:
    """End the tick that is open, if there is one; whether all that this decides is out."""
    if k.now.open:
        k.now.open = False
        k.pause.closing = True
        move_cells(k)
    if k.pause.closing:
        if not output_passed(k):
            return False
        k.pause.closing = False
        if k.program.ambiguous and not k.program.waits:
            k.now.seen.clear()
        sweep(k)
    return True


cdef void move_cells(Kernel* k) noexcept nogil:
    """Negated events strike, cells that stepped or were passed over are dropped, new ones enter."""
    cdef size_t i
    if k.program.guarded:
        strike(k)
    for i in range(k.program.moving.size()):
        leave(k, &k.now.states[k.program.moving[i]])
    enter_staged(k)
    if k.program.gathers:
        for i in range(k.now.tick_atoms.size()):
            k.now.tick_atoms[i].clear()


cdef void leave(Kernel* k, StateData* s) noexcept nogil:
    """Skip-till-next: the partial matches that could step have moved on.  Strict contiguity: all old ones are over."""
    cdef size_t i, t
    if s.govern == Govern.STRICT:
        s.skipped += s.live
        clear_cells(s)
    for i in range(s.fired.size()):
        for t in range(s.spec.twins.size()):
            leave_twin(s, s.fired[i], &k.now.states[s.spec.twins[t]])
        free_cell(s, s.fired[i])
    s.fired.clear()


cdef void leave_twin(StateData* s, uint32_t cell, StateData* twin) noexcept nogil:
    """Free the cell of equal rows in a state whose steps compete with this one's."""
    cdef uint32_t other
    if s.cells[cell].rows == 0:
        return
    other = find_cell(twin, cell_rows(s, cell), s.cells[cell].rows, s.cells[cell].deadline)
    if other != NO_CELL:
        free_cell(twin, other)
