# One event for each atom of a choice, all at one timestamp: every combination, with the join of their rows.

cdef enum:
    FIRING = 0       # a transition, with the event that has just come
    KILLING = 1      # a guard against the cells, when a tick closes
    JUDGING = 2      # a guard against a finished match


# What is being combined, and for whom.
cdef struct Purpose:
    uint32_t mode
    uint32_t which            # transition, or guard
    uint32_t state            # of a guard
    uint32_t newest           # FIRING: the event that must take part
    uint32_t deepest          # FIRING: the last depth where it may
    int64_t time              # the timestamp
    int64_t from_seq          # JUDGING: least and greatest position in the streamset
    int64_t to_seq
    bint found                # JUDGING: a combination joins the match


cdef void combine(Kernel* k, const ChoiceSpec* choice, Purpose* purpose) noexcept nogil:
    """Call `combined` for every combination of events."""
    k.scratch.combination.clear()
    choose_event(k, choice, purpose, 0)


cdef void choose_event(Kernel* k, const ChoiceSpec* choice, Purpose* purpose, uint32_t depth) noexcept nogil:
    """Take each event of the timestamp for the atom at `depth` in turn."""
    cdef uint32_t atom = choice.atoms[depth]
    cdef const vector[uint32_t]* positions
    cdef size_t i
    cdef uint32_t pos
    if purpose.mode == JUDGING:
        positions = &k.now.watched[atom]
        i = first_watched(&k.now, atom, purpose.time)
    else:
        positions = &k.now.tick_atoms[atom]
        i = 0
        if purpose.mode == FIRING and depth == purpose.deepest and not takes_part(&k.scratch, purpose.newest, depth):
            i = positions.size() - 1
            invariant(positions.at(i) == purpose.newest)
    while i < positions.size():
        pos = positions.at(i)
        i += 1
        if purpose.mode == JUDGING:
            if event_at(&k.now, pos).time != purpose.time:
                return
            if event_at(&k.now, pos).seq < purpose.from_seq or event_at(&k.now, pos).seq > purpose.to_seq:
                continue
        join_event(k, choice, purpose, depth, pos)
        if purpose.found:
            return


cdef void join_event(
    Kernel* k, const ChoiceSpec* choice, Purpose* purpose, uint32_t depth, uint32_t pos
) noexcept nogil:
    """Join one more event's rows to those so far; go on where something is left."""
    cdef Candidate candidate
    k.scratch.combination.resize(depth)
    k.scratch.combination.push_back(pos)
    candidate.count = merge_rows(k, choice, depth, pos)
    if candidate.count == 0:
        return
    if depth + 1 < choice.atoms.size():
        choose_event(k, choice, purpose, depth + 1)
        return
    candidate.rows = k.scratch.merged[depth + 1].data()
    candidate.width = choice.width
    combined(k, &candidate, purpose)


cdef bint takes_part(Scratch* scratch, uint32_t pos, uint32_t depth) noexcept nogil:
    """The event was chosen above `depth`."""
    cdef uint32_t i
    for i in range(depth):
        if scratch.combination[i] == pos:
            return True
    return False


cdef uint32_t merge_rows(Kernel* k, const ChoiceSpec* choice, uint32_t depth, uint32_t pos) noexcept nogil:
    """Rows of the first depth + 1 atoms of the choice, in merged[depth + 1]; how many."""
    cdef uint32_t count, i, j, before_count
    cdef const word_t* rows = rows_of(&k.now, pos, choice.atoms[depth], &count)
    cdef uint32_t slots = <uint32_t>choice.slots[depth].size()
    cdef vector[word_t]* out = &k.scratch.merged[depth + 1]
    cdef uint32_t kept = 0
    out.clear()
    if depth == 0:
        k.scratch.merged[0].assign(choice.width, UNBOUND)
        before_count = 1
    elif choice.width == 0:
        before_count = 1
    else:
        before_count = <uint32_t>(k.scratch.merged[depth].size() / choice.width)
    for i in range(before_count):
        for j in range(count):
            if merge_row(
                k.scratch.merged[depth].data() + <size_t>i * choice.width, rows + <size_t>j * slots,
                &choice.slots[depth], choice.width, out,
            ):
                kept += 1
    return normalise(out, 0, choice.width, kept)


cdef bint merge_row(
    const word_t* left, const word_t* right, const vector[uint32_t]* slots, uint32_t width, vector[word_t]* out
) noexcept nogil:
    """Append the union of two compatible rows."""
    cdef size_t start = out.size()
    cdef size_t i
    cdef uint32_t column
    out.insert(out.end(), left, left + width)
    for i in range(slots.size()):
        column = slots.at(i)
        if right[i] == UNBOUND:
            continue
        if out.at(start + column) != UNBOUND and out.at(start + column) != right[i]:
            out.resize(start)
            return False
        out.data()[start + column] = right[i]
    return True


cdef void combined(Kernel* k, Candidate* candidate, Purpose* purpose) noexcept nogil:
    if purpose.mode == FIRING:
        fire(k, purpose.which, candidate)
    elif purpose.mode == KILLING:
        kill(k, purpose.state, purpose.which, candidate)
    elif judge(k, purpose.state, purpose.which, candidate, purpose.time):
        purpose.found = True
