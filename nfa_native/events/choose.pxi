# Strategies that compare results, and automata that find one several times: all matches of an event are gathered first.

ctypedef vector[int64_t] Positions


cdef void gather(Recognition* r) noexcept nogil:
    """The matches of the event, by what is marked and where they start: a result is kept once, and not if it is beaten."""
    cdef Positions key
    cdef uint64_t seen = 0
    r.gathered.clear()
    clear_found(&r.all, r.is_chain)
    while next_match(r):
        seen += 1
        if seen % BETWEEN_SIGNALS == 0 and is_interrupted(r):
            return
        if r.strategy == STRICT_ONES and not is_interval(r):
            continue
        mark_path(r, &key)
        if not is_worth_it(r, &key):
            continue
        if r.gathered[key].count(r.path_positions[r.path_begin]) == 0:
            r.gathered[key][r.path_positions[r.path_begin]] = r.all.count
            write_match(r, &r.all)


cdef void mark_path(const Recognition* r, Positions* out) noexcept nogil:
    """The marked positions of the match in the path."""
    cdef size_t i
    out.clear()
    for i in range(r.path_begin, r.path_positions.size()):
        if r.marked[r.path_states[i]]:
            out.push_back(r.path_positions[i])


cdef bint is_worth_it(Recognition* r, const Positions* one) noexcept nogil:
    """Of NEXT and LAST, which order all results, only the best one so far is kept."""
    cdef const Positions* best
    if r.gathered.empty() or r.strategy != NEXT_ONES and r.strategy != LAST_ONES:
        return True
    best = &dereference(r.gathered.begin()).first
    if beats(r.strategy, best, one):
        return False
    if beats(r.strategy, one, best):
        r.gathered.clear()
        clear_found(&r.all, r.is_chain)
    return True


cdef bint is_interrupted(Recognition* r) noexcept with gil:
    """Whether a signal's handler raised something, which the owner keeps; `feed` then ends."""
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Recognizer>r.owner)._interruption = error
        r.is_stopped = True
    return r.is_stopped


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
    cdef map[Positions, map[int64_t, size_t]].const_iterator other = r.gathered.const_begin()
    while other != r.gathered.const_end():
        if beats(r.strategy, &dereference(other).first, one):
            return True
        preincrement(other)
    return False


cdef void choose(Recognition* r) noexcept nogil:
    """Write what the strategy keeps of the event's results."""
    cdef map[Positions, map[int64_t, size_t]].iterator one
    cdef map[int64_t, size_t].iterator start
    gather(r)
    one = r.gathered.begin()
    while one != r.gathered.end():
        if not is_beaten(r, &dereference(one).first):
            start = dereference(one).second.begin()
            while start != dereference(one).second.end() and (r.limit < 0 or r.given < r.limit):
                copy_match(r, dereference(start).second)
                r.given += 1
                preincrement(start)
        preincrement(one)
    r.enumerating = False


cdef void copy_match(Recognition* r, size_t number) noexcept nogil:
    """Append a result of `all` to those that are given."""
    cdef size_t first = number * r.width if r.is_chain else <size_t>r.all.offsets[number]
    cdef size_t end = first + r.width if r.is_chain else <size_t>r.all.offsets[number + 1]
    r.found.count += 1
    if r.is_chain:
        write_chain(&r.found, r.all.positions.data() + first, r.width)
        return
    r.found.positions.insert(r.found.positions.end(), r.all.positions.begin() + first, r.all.positions.begin() + end)
    r.found.starts.push_back(r.all.starts[number])
    r.found.ends.push_back(r.all.ends[number])
    r.found.states.insert(r.found.states.end(), r.all.states.begin() + first, r.all.states.begin() + end)
    r.found.offsets.push_back(<int64_t>r.found.positions.size())


cdef void clear_found(Found* found, bint is_chain) noexcept nogil:
    """No results; of a chain the room stays."""
    found.count = 0
    found.starts.clear()
    found.ends.clear()
    if not is_chain:
        found.positions.clear()
    found.states.clear()
    found.offsets.assign(1, 0)
