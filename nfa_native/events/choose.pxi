# Strategies that compare results, and automata that find one several times: all matches of an event are gathered first.

ctypedef vector[int64_t] Positions


cdef void gather(Recognition* r) noexcept nogil:
    """The matches of the event, by what is marked and where they start: a result is kept once, and not if it is beaten."""
    cdef Positions key
    cdef uint64_t seen = 0
    r.scratch.gathered.clear()
    clear_found(&r.scratch.all, r.program.is_chain)
    while next_match(r):
        seen += 1
        if seen % BETWEEN_SIGNALS == 0 and is_interrupted(r):
            return
        if r.program.strategy == STRICT_ONES and not is_interval(r):
            continue
        mark_path(r, &key)
        if not is_worth_it(r, &key):
            continue
        if r.scratch.gathered[key].count(r.scratch.path_positions[r.scratch.path_begin]) == 0:
            r.scratch.gathered[key][r.scratch.path_positions[r.scratch.path_begin]] = r.scratch.all.count
            write_match(r, &r.scratch.all)


cdef void mark_path(const Recognition* r, Positions* out) noexcept nogil:
    """The marked positions of the match in the path."""
    cdef size_t i
    out.clear()
    for i in range(r.scratch.path_begin, r.scratch.path_positions.size()):
        if r.program.marked[r.scratch.path_states[i]]:
            out.push_back(r.scratch.path_positions[i])


cdef bint is_worth_it(Recognition* r, const Positions* one) noexcept nogil:
    """Of NEXT and LAST, which order all results, only the best one so far is kept."""
    cdef const Positions* best
    if r.scratch.gathered.empty() or r.program.strategy != NEXT_ONES and r.program.strategy != LAST_ONES:
        return True
    best = &dereference(r.scratch.gathered.begin()).first
    if beats(r.program.strategy, best, one):
        return False
    if beats(r.program.strategy, one, best):
        r.scratch.gathered.clear()
        clear_found(&r.scratch.all, r.program.is_chain)
    return True


cdef bint is_interrupted(Recognition* r) noexcept with gil:
    """Whether a signal's handler raised something, which the owner keeps; `feed` then ends."""
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Recognizer>r.owner)._interruption = error
        r.scratch.is_stopped = True
    return r.scratch.is_stopped


cdef bint is_earlier(const Positions* a, const Positions* b) noexcept nogil:
    """The least position in which two sets differ is in `a`."""
    cdef size_t i
    for i in range(min(a.size(), b.size())):
        if a.at(i) != b.at(i):
            return a.at(i) < b.at(i)
    return a.size() > b.size()


cdef bint is_later(const Positions* a, const Positions* b) noexcept nogil:
    """The greatest position in which two sets differ is in `a`."""
    cdef size_t i
    for i in range(1, min(a.size(), b.size()) + 1):
        if a.at(a.size() - i) != b.at(b.size() - i):
            return a.at(a.size() - i) > b.at(b.size() - i)
    return a.size() > b.size()


cdef bint contains(const Positions* a, const Positions* b) noexcept nogil:
    """`b` is a proper part of `a`."""
    cdef size_t i = 0
    cdef size_t j
    if b.size() >= a.size():
        return False
    for j in range(b.size()):
        while i < a.size() and a.at(i) < b.at(j):
            i += 1
        if i == a.size() or a.at(i) != b.at(j):
            return False
        i += 1
    return True


cdef bint beats(uint32_t strategy, const Positions* a, const Positions* b) noexcept nogil:
    if strategy == NEXT_ONES:
        return is_earlier(a, b)
    if strategy == LAST_ONES:
        return is_later(a, b)
    return strategy == MAXIMAL_ONES and contains(a, b)


cdef bint is_beaten(const Recognition* r, const Positions* one) noexcept nogil:
    cdef map[Positions, map[int64_t, size_t]].const_iterator other = r.scratch.gathered.const_begin()
    while other != r.scratch.gathered.const_end():
        if beats(r.program.strategy, &dereference(other).first, one):
            return True
        preincrement(other)
    return False


cdef void choose(Recognition* r) noexcept nogil:
    """Write what the strategy keeps of the event's results."""
    cdef map[Positions, map[int64_t, size_t]].iterator one
    cdef map[int64_t, size_t].iterator start
    gather(r)
    one = r.scratch.gathered.begin()
    while one != r.scratch.gathered.end():
        if not is_beaten(r, &dereference(one).first):
            start = dereference(one).second.begin()
            while start != dereference(one).second.end() and (r.program.limit < 0 or r.scratch.given < r.program.limit):
                copy_match(r, dereference(start).second)
                r.scratch.given += 1
                preincrement(start)
        preincrement(one)
    r.scratch.enumerating = False


cdef void copy_match(Recognition* r, size_t number) noexcept nogil:
    """Append a result of `all` to those that are given."""
    cdef size_t first = number * r.program.width if r.program.is_chain else <size_t>r.scratch.all.offsets[number]
    cdef size_t end = first + r.program.width if r.program.is_chain else <size_t>r.scratch.all.offsets[number + 1]
    r.scratch.found.count += 1
    if r.program.is_chain:
        write_chain(&r.scratch.found, r.scratch.all.positions.data() + first, r.program.width)
        return
    r.scratch.found.positions.insert(r.scratch.found.positions.end(), r.scratch.all.positions.begin() + first, r.scratch.all.positions.begin() + end)
    r.scratch.found.starts.push_back(r.scratch.all.starts[number])
    r.scratch.found.ends.push_back(r.scratch.all.ends[number])
    r.scratch.found.states.insert(r.scratch.found.states.end(), r.scratch.all.states.begin() + first, r.scratch.all.states.begin() + end)
    r.scratch.found.offsets.push_back(<int64_t>r.scratch.found.positions.size())


cdef void clear_found(Found* found, bint is_chain) noexcept nogil:
    """No results; of a chain the room stays."""
    found.count = 0
    found.starts.clear()
    found.ends.clear()
    if not is_chain:
        found.positions.clear()
    found.states.clear()
    found.offsets.assign(1, 0)
