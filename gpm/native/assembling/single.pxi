# Events given whole that are taken one by one.


cdef int check_empty(const Assembly* a) except -1:
    """ValueError: an event is there already."""
    if a.columns.times.size() or a.columns.subjects.size():
        raise ValueError("events that were added before have not been taken")
    return 0


cdef SingleEvent take_single(Assembly* a, object text):
    """Take the one event that is in the columns."""
    cdef Columns* c = &a.columns
    cdef SingleEvent event = SingleEvent.__new__(SingleEvent)
    if c.times.size() != 1:
        raise ValueError(f"{c.times.size()} events are there, not one")
    event.size = c.subjects.size()
    event.time = c.times[0]
    event.scope = c.scopes[0]
    event.version = c.version
    event.text = text
    event.name = (<bytes>c.names.data()[:c.names.size()]).decode()
    event.knowledge = 0
    event.words.safe_reserve(3 * event.size)
    event.words.safe_insert(event.words.end(), c.subjects.begin(), c.subjects.end())
    event.words.safe_insert(event.words.end(), c.predicates.begin(), c.predicates.end())
    event.words.safe_insert(event.words.end(), c.objects.begin(), c.objects.end())
    clear_columns(c, c.subjects.size())
    a.first_triple = a.first_line = 0
    return event


cdef bint has_escape(const uint8_t* term, size_t size) noexcept nogil:
    """Whether an IRI, or that of a literal's datatype, has a backslash."""
    cdef const uint8_t* at = term
    if size and term[0] == c'"':
        at = term + size - 1
        while at[0] != c'"':
            at -= 1
    return memchr(at, c'\\', term + size - at) != NULL


cdef inline bint is_bare(const Statement* st, const uint8_t* line_end) noexcept nogil:
    """Whether nothing but " ." follows the terms, in none of which an IRI is escaped."""
    cdef const uint8_t* last = st.graph + st.graph_size if st.graph_size else st.object + st.object_size
    return (
        line_end - last == 2 and not has_escape(st.subject, st.subject_size)
        and not has_escape(st.predicate, st.predicate_size) and not has_escape(st.object, st.object_size)
        and not has_escape(st.graph, st.graph_size)
    )


cdef bint are_bare_lines(Assembly* a, size_t size, size_t count, bint named) noexcept nogil:
    """Whether the block is so many bare statements, a line each, which name a graph or do not."""
    cdef Statement st
    cdef const uint8_t* line = a.text
    cdef const uint8_t* end = a.text + size
    cdef const uint8_t* line_end
    cdef bint bare = True
    while bare and line < end:
        line_end = end_of_line(line, end)
        bare = count > 0 and read_statement(line, line_end, &st, &a.memory) == STATEMENT and is_bare(&st, line_end)
        bare = bare and (st.graph_size > 0) == named
        count -= 1
        line = line_end + 1
    forget_text(&a.memory)
    return bare and count == 0


cdef void graph_iri(Assembly* a, string* out) noexcept nogil:
    """The IRI of the graph that the first statement of the event names; empty if that is none."""
    if not a.written.empty() and a.written.data()[0] != c'_':
        name_of(a, <const uint8_t*>a.written.data(), a.written.size(), out)
        out.erase(0, 1)
