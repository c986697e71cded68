# Weights: the totals of the events of an arc.

cdef enum Weight:
    ONE                           # an event's,
    BEFORE                        # what it is added to,
    JOINED                        # and the product of those
    JOINT                         # of a joint's atoms


cdef inline ExactSpan weight_at(Totalling* a, Weight which) noexcept nogil:
    return a.stacks.semiring.span(a.weight, which)


cdef void weigh(Totalling* a, const ExactSpan& out, const int128* values, bint is_first) noexcept nogil:
    """The total of one event with these values."""
    cdef size_t numbers = a.stacks.semiring.numbers
    cdef const QuantitySpec* quantity = a.quantities.data()
    cdef size_t i
    out.numbers[0].set(1)
    for i in range(1, numbers):
        if is_first or not quantity.first_only:
            out.numbers[i].set(<unsigned128>values[i - 1])
        else:
            out.numbers[i].clear()
        quantity += 1
    for i in range(a.stacks.semiring.leasts):
        out.leasts[i] = values[numbers - 1 + i] if is_first or not quantity.first_only else NO_LEAST
        quantity += 1


cdef bint weigh_joint(Totalling* a, const Joint* joint, const Tick* tick, bint is_first) noexcept nogil:
    """The weight JOINT: that of all choices of one entry for each atom; whether there are any."""
    cdef ExactSpan one = weight_at(a, ONE)
    cdef ExactSpan all_ = weight_at(a, BEFORE)
    cdef ExactSpan product = weight_at(a, JOINED)
    cdef ExactSpan out = weight_at(a, JOINT)
    cdef const Exact* semiring = &a.stacks.semiring
    cdef size_t part, i
    semiring.clear_totals(out, 1)
    semiring.set_unit(out)
    for part in range(joint.atoms.size()):
        semiring.clear_totals(all_, 1)
        for i in range(tick.first, tick.end):
            if tick.entries.at(i).atom == joint.atoms.at(part):
                weigh(a, one, tick.values.data() + i * a.quantities.size(), is_first and part == 0)
                semiring.add_totals(all_, one, 1)
        semiring.clear_totals(product, 1)
        semiring.add_product(product, out, all_)
        semiring.copy_totals(out, product, 1)
    return not out.is_nothing()


cdef inline void take_arcs(Totalling* a, Substream* s, const Tick* tick, bint ends, bint back, ArcStep step) noexcept nogil:
    """Do a step with each arc that ends matches, or with all others; `back`: those of the last entry come first."""
    cdef const Entry* entry
    cdef const Arc* arc
    cdef size_t n, i, j
    for n in range(tick.first, tick.end):
        i = tick.first + tick.end - 1 - n if back else n
        entry = tick.entries.data() + i
        if ends:
            expire(a, s, entry.least)
        for j in range(a.arcs[entry.atom].size()):
            arc = &a.arcs[entry.atom][j]
            if (arc.target == NO_STATE) == ends:
                weigh(a, weight_at(a, ONE), tick.values.data() + i * a.quantities.size(), arc.source == NO_STATE)
                step(a, s, arc, entry, weight_at(a, ONE))
    entry = tick.entries.data() + tick.end - 1
    for i in range(a.joints.size()):
        for j in range(a.joints[i].arcs.size()):
            arc = &a.joints[i].arcs[j]
            if (arc.target == NO_STATE) == ends and weigh_joint(a, &a.joints[i], tick, arc.source == NO_STATE):
                step(a, s, arc, entry, weight_at(a, JOINT))
