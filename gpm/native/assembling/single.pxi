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


cdef void graph_iri(Assembly* a, string* out) noexcept nogil:
    """The IRI of the graph that the first statement of the event names; empty if that is none."""
    if not a.written.empty() and a.written.data()[0] != c'_':
        name_of(a, <const uint8_t*>a.written.data(), a.written.size(), out)
        out.erase(0, 1)
