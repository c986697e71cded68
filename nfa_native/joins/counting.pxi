# Matches counted by sets: how many members a set has is remembered with its node (`set_counts.hpp`), so that no match is
# visited.  A node is asked once, and what its members are is summed up from the sets that it is made of.


cdef inline bint is_counted(const Kernel* k) noexcept nogil:
    """Whether each member of a set that is complete is one result, of which nobody wants to know more."""
    return (k.count_only or k.tallies) and not (k.now.many_rows or k.program.ambiguous or k.program.guarded)


cdef void count_set(Kernel* k, uint32_t node, uint32_t lo, int64_t decided) noexcept nogil:
    """Count the members of a set that began at or after `lo`, each with what was picked since."""
    k.counter.tally.begin()
    if node == 0:
        k.counter.tally.add(k.scratch.path.back().pos, 1)
    elif has_live(&k.now, node, lo):
        k.counter.memory.fit(k.now.ring.nodes.size())
        tally_node(k, node, lo)
    if k.counter.tally.high() or k.results.count + k.counter.tally.low() < k.results.count:
        k.counter.too_many = True
        return
    k.results.count += k.counter.tally.low()
    if k.tallies and k.counter.tally.low():
        write_tally(k, decided)


cdef void write_tally(Kernel* k, int64_t decided) noexcept nogil:
    """One result for all members, without picks."""
    if k.counter.tally.low() >> 62:
        k.counter.too_many = True
        return
    k.results.first.push_back(event_at(&k.now, k.counter.tally.first).time)
    k.results.last.push_back(event_at(&k.now, k.scratch.path.front().pos).time)
    k.results.decided.push_back(decided)
    k.results.offsets.push_back(<int64_t>k.results.atoms.size())
    k.results.counts.push_back(<int64_t>k.counter.tally.low())
    k.results.words.resize(k.results.words.size() + k.program.result_width, UNBOUND)


cdef void tally_node(Kernel* k, uint32_t number, uint32_t lo) noexcept nogil:
    """Add up a set that may be gone when its node's number comes again: it is not remembered itself."""
    cdef const Node* node = node_at(&k.now, number)
    cdef uint32_t before
    cdef int64_t found
    if not node.label & VIEW:
        tally_set(k, number, lo)
        return
    before = node.sibling - k.now.lists[node.next].base
    while True:
        found = group_in_view(k, node, before, lo)
        if found == NO_GROUP:
            return
        before = <uint32_t>found
        tally_set(k, k.now.lists[node.next].groups[found].node, lo)


cdef inline void tally_set(Kernel* k, uint32_t number, uint32_t lo) noexcept nogil:
    """Add up the members of a set that is kept."""
    k.pause.left -= 1
    if not has_live(&k.now, number, lo):
        return
    if is_leaf(&k.now, number, lo):
        k.counter.tally.add(start_of(&k.now, number), 1)
        return
    remember(k, number, lo)
    k.counter.tally.add_all(k.counter.memory.find(content_of(&k.now, number), lo)[0], lo)


cdef void remember(Kernel* k, uint32_t number, uint32_t lo) noexcept nogil:
    """Let the memory know a node, and first those that it is made of."""
    cdef size_t before
    k.counter.asked.push_back(number)
    while not k.counter.asked.empty():
        number = k.counter.asked.back()
        before = k.counter.asked.size()
        if k.counter.memory.find(content_of(&k.now, number), lo) == NULL:
            visit_parts(k, number, lo, False)
            if k.counter.asked.size() > before:
                continue
            k.counter.gathering.begin()
            visit_parts(k, number, lo, True)
            k.pause.left -= <int64_t>k.counter.gathering.size()
            k.counter.memory.put(content_of(&k.now, number), lo, k.counter.gathering)
        k.counter.asked.pop_back()


cdef void visit_parts(Kernel* k, uint32_t number, uint32_t lo, bint gathers) noexcept nogil:
    """Of the sets that a node is made of, either gather the members, or ask for those that are not known."""
    cdef const Node* node = node_at(&k.now, number)
    cdef uint32_t before
    cdef int64_t found
    if node.label & VIEW:
        before = node.sibling - k.now.lists[node.next].base
        while True:
            found = group_in_view(k, node, before, lo)
            if found == NO_GROUP:
                return
            before = <uint32_t>found
            visit_part(k, k.now.lists[node.next].groups[found].node, lo, gathers)
    if node.next:
        visit_part(k, node.next, lo, gathers)
    elif gathers:
        k.counter.gathering.gather(start_of(&k.now, number))
    if node.sibling:
        visit_part(k, node.sibling, lo, gathers)


cdef inline void visit_part(Kernel* k, uint32_t number, uint32_t lo, bint gathers) noexcept nogil:
    cdef const Profile* known
    if not has_live(&k.now, number, lo):
        return
    if is_leaf(&k.now, number, lo):
        if gathers:
            k.counter.gathering.gather(start_of(&k.now, number))
        return
    known = k.counter.memory.find(content_of(&k.now, number), lo)
    if gathers:
        k.counter.gathering.gather_all(known[0], lo)
    elif known == NULL:
        k.counter.asked.push_back(number)


cdef inline bint is_leaf(KernelState* now, uint32_t number, uint32_t lo) noexcept nogil:
    """Whether it is the set of one match of one event alone."""
    cdef const Node* node = node_at(now, number)
    return not node.label & VIEW and node.next == 0 and (node.sibling == 0 or not has_live(now, node.sibling, lo))


cdef inline uint32_t start_of(KernelState* now, uint32_t number) noexcept nogil:
    """Where the match began that a node without `next` adds."""
    cdef const Node* node = node_at(now, number)
    return node.pos if node.sibling else node.max_start


cdef inline Content content_of(KernelState* now, uint32_t number) noexcept nogil:
    cdef const Node* node = node_at(now, number)
    cdef Content content
    content.number = number
    content.pos = node.pos
    content.label = node.label
    content.next = node.next
    content.sibling = node.sibling
    return content
