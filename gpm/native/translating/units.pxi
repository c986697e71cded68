# Units: statements, graphs, directives, delimiters.


cdef bint read_graph(Translation* t) noexcept nogil:
    """What stands in braces, of the graph `t.graph`."""
    t.at += 1
    t.inside = True
    while skip(t):
        if t.at[0] == c'}':
            t.at += 1
            t.inside = False
            t.graph.clear()
            return True
        if not read_triples(t) or not skip(t):
            return False
        if t.at[0] == c'.':
            t.at += 1
        elif t.at[0] != c'}':
            return give_up(t)
    return False


cdef bint read_named_graph(Translation* t) noexcept nogil:
    """A graph in braces, whose name is in `t.node`."""
    t.graph.assign(b" ", 1)
    t.graph.append(t.node)
    return read_graph(t)


cdef bint read_statement(Translation* t) noexcept nogil:
    """A statement, or a graph whose name comes first."""
    if t.at[0] == c'[':
        return read_triples(t) and expect(t, c'.')
    if not read_node_into(t, &t.node) or not skip(t):
        return False
    if t.at[0] == c'{' and t.graphs:
        return read_named_graph(t)
    t.subject = t.node
    return read_predicates(t) and expect(t, c'.')


cdef bint read_prefix(Translation* t, bint dotted) noexcept nogil:
    """A name and an IRI; `dotted`: and a point."""
    cdef const uint8_t* name
    cdef const uint8_t* colon
    cdef const uint8_t* start
    if not skip(t):
        return False
    name = t.at
    colon = over_word(name)
    if colon[0] != c':' or colon > name and (not is_kind(name[0], LETTER) or (colon - 1)[0] == c'.'):
        return give_up(t)
    t.at = colon + 1
    if not skip(t):
        return False
    start = t.at
    if not advance(t, read_iri(start, end_of_line(start, t.end), &t.memory)):
        return False
    if memchr(start, c'\\', t.at - start) != NULL:
        return stop(t, UNSURE)
    declare_again(t, name, colon, start)
    return not dotted or expect(t, c'.')


cdef void declare_again(
    Translation* t, const uint8_t* name, const uint8_t* colon, const uint8_t* iri
) noexcept nogil:
    """Declare what was read; the prefixes before it are kept until the unit is done."""
    if not t.changed:
        t.before = t.prefixes
        t.changed = True
    declare(t, string(<const char*>name, <size_t>(colon - name)), string(<const char*>iri + 1, <size_t>(t.at - iri - 2)))


cdef bint take_delimiter(Translation* t, const uint8_t* behind) noexcept nogil:
    t.at = behind
    put(&t.out, b"MESSAGE\n", 8)
    t.places.push_back(behind - t.text)
    finish_unit(t)
    return True


cdef bint ends_word(uint8_t byte) noexcept nogil:
    """Whether a delimiter may be followed by it."""
    return byte <= 32 and (byte >= 9 and byte <= 13 or byte == 32) or memchr(b"\"'<>#;,[](){}", byte, 13) != NULL


cdef bint read_at(Translation* t) noexcept nogil:
    """`@prefix`, or `@message`."""
    cdef const uint8_t* behind
    if t.end - t.at > 8 and memcmp(t.at, b"@prefix", 7) == 0 and not is_name(t.at[7]):
        t.at += 7
        return read_prefix(t, True)
    if t.messages and is_word(t.at + 1, t.end, b"message"):
        behind = over(t.at + 8, SPACE)
        if behind < t.end and behind[0] == c'.':
            return take_delimiter(t, behind + 1)
    return give_up(t)


cdef bint read_keyword(Translation* t, const uint8_t* behind) noexcept nogil:
    """A word that is no name: `PREFIX`, `GRAPH` or `MESSAGE`."""
    cdef size_t size = behind - t.at
    if behind >= t.end:
        return stop(t, CUT_OFF)
    if size == 7 and t.messages and is_word(t.at, t.end, b"message") and ends_word(behind[0]):
        return take_delimiter(t, behind)
    if size == 6 and is_word(t.at, t.end, b"prefix"):
        t.at = behind
        return read_prefix(t, False)
    if size == 5 and t.graphs and is_word(t.at, t.end, b"graph"):
        t.at = behind
        if not skip(t) or not read_node_into(t, &t.node) or not skip(t):
            return False
        return read_named_graph(t) if t.at[0] == c'{' else give_up(t)
    return give_up(t)


cdef bint read_unit(Translation* t) noexcept nogil:
    cdef const uint8_t* behind
    if t.at[0] == c'@':
        return read_at(t)
    if t.at[0] == c'{' and t.graphs:
        return read_graph(t)
    if is_kind(t.at[0], LETTER):
        behind = over_word(t.at)
        if behind[0] != c':':
            return read_keyword(t, behind)
    return read_statement(t)


cdef bint skip_to_unit(Translation* t) noexcept nogil:
    """Go to the next unit; comments may delimit messages here."""
    cdef const uint8_t* stop_at
    while not skip(t):
        if t.outcome == CUT_OFF:
            return False
        stop_at = t.at
        while stop_at[0] != c'\n' and stop_at[0] != c'\r':
            stop_at += 1
        take_delimiter(t, stop_at)
    return True


cdef void finish_unit(Translation* t) noexcept nogil:
    """All before this is translated."""
    t.done = t.at
    t.kept = t.out.size()
    t.kept_lines = t.places.size()
    t.kept_labels = t.labels
    t.changed = False


cdef void begin(Translation* t) noexcept nogil:
    t.out.clear()
    t.places.clear()
    t.graph.clear()
    t.depth = 0
    t.inside = False
    finish_unit(t)


cdef void forget_unit(Translation* t) noexcept nogil:
    """What came after `done` counts for nothing."""
    t.out.resize(t.kept)
    t.places.resize(t.kept_lines)
    t.labels = t.kept_labels
    if t.changed:
        t.prefixes = t.before


cdef void translate(Translation* t) noexcept nogil:
    """Translate units until there is none, or one that is not sure."""
    cdef bint going = True
    begin(t)
    while going:
        going = skip_to_unit(t)
        if not t.messages:
            finish_unit(t)
        going = going and read_unit(t)
        if going and t.kept > ENOUGH:
            going = stop(t, PAUSED)
    forget_unit(t)
