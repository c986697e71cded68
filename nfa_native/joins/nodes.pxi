# Nodes: compact sets of partial matches in a ring.  A node made while event c was the youngest start that it can hold dies
# with c: when the window's lower edge passes an event, everything below that event's head is expired at once.


cdef inline bint is_live(KernelState* now, uint32_t node) noexcept nogil:
    return now.ring.has(node)


cdef inline Node* node_at(KernelState* now, uint32_t node) noexcept nogil:
    return now.ring.at(node)


cdef uint32_t new_node(
    KernelState* now, uint32_t pos, uint32_t label, uint32_t next, uint32_t sibling, uint32_t max_start
) noexcept nogil:
    """A node; number 0 is never given, it means `none`."""
    invariant(next == 0 or is_live(now, next))
    invariant(sibling == 0 or is_live(now, sibling))
    return write_node(now, pos, label, next, sibling, max_start)


cdef uint32_t write_node(
    KernelState* now, uint32_t pos, uint32_t label, uint32_t next, uint32_t sibling, uint32_t max_start
) noexcept nogil:
    cdef uint32_t number = now.ring.claim()
    cdef Node* node = now.ring.at(number)
    node.pos = pos
    node.label = label
    node.next = next
    node.sibling = sibling
    node.max_start = max_start
    return number


cdef uint32_t extend(
    Kernel* k, const uint32_t* picks, uint32_t count, uint32_t label, uint32_t next, uint32_t start, uint32_t sibling
) noexcept nogil:
    """The set `next` with the picks added, in union with `sibling`; `start` is the youngest start in `next`."""
    cdef uint32_t i
    cdef uint32_t youngest = start
    invariant(next == 0 or node_at(&k.now, next).max_start == start)
    for i in range(count - 1):
        next = new_node(&k.now, picks[i], label + i, next, 0, start)
    if sibling and is_live(&k.now, sibling):
        if older(youngest, node_at(&k.now, sibling).max_start):
            youngest = node_at(&k.now, sibling).max_start
    else:
        sibling = 0
    return new_node(&k.now, picks[count - 1], label + count - 1, next, sibling, youngest)


cdef inline bint has_live(KernelState* now, uint32_t node, uint32_t lo) noexcept nogil:
    """Some member of the set began at or after `lo`."""
    return is_live(now, node) and not older(node_at(now, node).max_start, lo)
