# Pauses: matches come out until so many steps are done or results held.  What is left of an event's matches waits, with the
# path to where it goes on; nothing else happens before it is out.


cdef inline bint is_full(const Kernel* k) noexcept nogil:
    """As many results are held as may be."""
    return k.results.first.size() >= k.pause.most or k.results.atoms.size() + k.results.words.size() >= k.pause.most_held


cdef inline bint is_all_out(const Pause* pause) noexcept nogil:
    """No matches wait for the end of a pause."""
    return not pause.suspended and pause.postponed.empty()


cdef void postpone(Kernel* k, uint32_t final, uint32_t node, uint32_t lo, size_t pick) noexcept nogil:
    """Put a set out after the pause; its last picks are the postponed ones from number `pick` on."""
    cdef Output output
    output.decided = k.now.tick
    output.pick = pick
    output.picks = k.pause.postponed_picks.size() - pick
    output.final = final
    output.node = node
    output.lo = lo
    k.pause.postponed.push_back(output)


cdef bint resume(Kernel* k) noexcept nogil:
    """Go on with the sets that wait, in their order; whether all of them are out."""
    if k.pause.suspended:
        k.pause.suspended = False
        visit_sets(k, k.pause.output.final, k.pause.output.lo, k.pause.output.decided)
    while not k.pause.suspended and k.pause.resumed < k.pause.postponed.size():
        if k.pause.left <= 0:
            return False
        put_out(k, k.pause.postponed[k.pause.resumed])
    if k.pause.suspended:
        return False
    k.pause.postponed.clear()
    k.pause.postponed_picks.clear()
    k.pause.resumed = 0
    return True


cdef void put_out(Kernel* k, Output output) noexcept nogil:
    """Begin with the next set that waits."""
    cdef const Pick* picks = k.pause.postponed_picks.data() + output.pick
    k.pause.resumed += 1
    k.scratch.path.assign(picks, picks + output.picks)
    output_set(k, output.final, output.node, output.lo, output.decided)
