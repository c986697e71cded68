# Pauses: matches come out until so many steps are done or results held.  What is left of an event's matches waits, with the
# path to where it goes on; nothing else happens before it is out.


cdef inline bint is_full(const Kernel* k) noexcept nogil:
    """As many results are held as may be."""
    return k.results.first.size() >= k.most or k.results.atoms.size() + k.results.words.size() >= k.most_held


cdef inline bint is_all_out(const Kernel* k) noexcept nogil:
    """No matches wait for the end of a pause."""
    return not k.suspended and k.postponed.empty()


cdef void postpone(Kernel* k, uint32_t final, uint32_t node, uint32_t lo, size_t pick) noexcept nogil:
    """Put a set out after the pause; its last picks are the postponed ones from number `pick` on."""
    cdef Output output
    output.decided = k.tick
    output.pick = pick
    output.picks = k.postponed_picks.size() - pick
    output.final = final
    output.node = node
    output.lo = lo
    k.postponed.push_back(output)


cdef bint resume(Kernel* k) noexcept nogil:
    """Go on with the sets that wait, in their order; whether all of them are out."""
    if k.suspended:
        k.suspended = False
        visit_sets(k, k.output.final, k.output.lo, k.output.decided)
    while not k.suspended and k.resumed < k.postponed.size():
        if k.left <= 0:
            return False
        put_out(k, k.postponed[k.resumed])
    if k.suspended:
        return False
    k.postponed.clear()
    k.postponed_picks.clear()
    k.resumed = 0
    return True


cdef void put_out(Kernel* k, Output output) noexcept nogil:
    """Begin with the next set that waits."""
    cdef const Pick* picks = k.postponed_picks.data() + output.pick
    k.resumed += 1
    k.path.assign(picks, picks + output.picks)
    output_set(k, output.final, output.node, output.lo, output.decided)
