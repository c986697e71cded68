# Columns of events.

cdef enum:
    LABEL = 32   # bytes of the longest label: two numbers of 40 and 24 bits




cdef int write_label(uint64_t scope, char* label, size_t size) noexcept nogil:
    """The prefix of an event's blank nodes, as `gpm.terms.event_label` writes it; gives its length."""
    cdef unsigned long long origin = scope >> SCOPE_BITS
    cdef unsigned long long number = scope & ((<uint64_t>1 << SCOPE_BITS) - 1)
    if origin:
        return snprintf(label, size, "e%llus%llu.", number, origin)
    return snprintf(label, size, "e%llu.", number)


cdef word_t encode(Assembly* a, const uint8_t* text, uint32_t size) noexcept nogil:
    """The word of a term of the open event."""
    cdef char label[LABEL]
    cdef int length = 0
    cdef word_t word
    if text[0] == c'_' or text[0] == c'<' and text[1] == c'<':
        length = write_label(a.scope, label, sizeof(label))
    word = encode_term(a.store, text, size, label, length)
    return word if word else encode_by_python(a, text, size, label, length)


cdef word_t encode_by_python(
    Assembly* a, const uint8_t* text, uint32_t size, const char* label, int length
) noexcept nogil:
    cdef void* error = NULL
    cdef word_t word = ask_python(a, text, size, label, length, &error)
    if error != NULL:
        pass_on(error)
    return word


cdef word_t ask_python(
    Assembly* a, const uint8_t* text, uint32_t size, const char* label, int length, void** error
) noexcept with gil:
    """The word; UNBOUND and the exception, if there is one."""
    try:
        return encode_hard(<Terms>a.terms, text[:size], label[:length])
    except BaseException as raised:
        Py_INCREF(raised)
        error[0] = <void*>raised
        return UNBOUND


cdef word_t subject_of(Assembly* a, const Statement* st) noexcept nogil:
    """The word of a subject: its number in the event where that is enough, as an integer, which no subject is."""
    cdef size_t i
    if a.demand.subjects:
        return encode(a, st.subject, st.subject_size)
    name_of(a, st.subject, st.subject_size, &a.spare)
    for i in range(a.numbered):
        if a.subjects[i] == a.spare:
            return integer_word(a.store, i)
    if a.numbered == MOST_NUMBERED:
        return encode(a, st.subject, st.subject_size)
    if a.numbered == a.subjects.size():
        a.subjects.push_back(a.spare)
    else:
        a.subjects.data()[a.numbered].assign(a.spare.data(), a.spare.size())
    a.numbered += 1
    return integer_word(a.store, a.numbered - 1)


cdef void add_triple(Assembly* a, const Statement* st, const PredicateFacts* facts) noexcept nogil:
    """Encode a wanted triple of the open event."""
    if a.subject_word == UNBOUND:
        a.subject_word = subject_of(a, st)
    a.columns.subjects.push_back(a.subject_word)
    a.columns.predicates.push_back(facts.word)
    add_object(a, st.object, st.object_size)


cdef void begin_columns(Assembly* a) noexcept nogil:
    """A new event: a number for its blank nodes."""
    a.scope = a.next_scope[0]
    a.next_scope[0] += 1
    a.version = a.demand.version
    a.first_triple = a.columns.subjects.size()
    a.first_line = a.columns.lines.size()
    a.subject_word = UNBOUND
    a.numbered = 0


cdef void drop_triples(Assembly* a) noexcept nogil:
    forget_iris(a, a.first_triple)
    a.columns.subjects.resize(a.first_triple)
    a.columns.predicates.resize(a.first_triple)
    a.columns.objects.resize(a.first_triple)
    a.columns.lines.resize(a.first_line)


cdef void complete(Assembly* a, int64_t time, const char* name, size_t size) noexcept nogil:
    """The event whose triples came last is complete; `name` is its IRI, of size 0 if it has none."""
    cdef Columns* c = &a.columns
    if c.times.empty():
        c.version = a.version
    c.times.push_back(time)
    c.scopes.push_back(a.scope)
    c.ends.push_back(<uint32_t>c.subjects.size())
    c.names.insert(c.names.end(), name, name + size)
    c.name_ends.push_back(<int64_t>c.names.size())
    if a.keeps_lines:
        c.line_ends.push_back(<int64_t>c.lines.size())
    if a.carried.empty():
        c.block.push_back(<int64_t>a.block)
        c.starts.push_back(<int64_t>a.text_start)
        c.stops.push_back(<int64_t>a.text_end)
        return
    a.carried.append(<const char*>a.text + a.text_start, a.text_end - a.text_start)
    c.block.push_back(-1 - <int64_t>c.carried.size())
    c.starts.push_back(0)
    c.stops.push_back(<int64_t>a.carried.size())
    c.carried.push_back(a.carried)
    a.carried.clear()


cdef void keep_last(vector[word_t]* column, size_t first) noexcept nogil:
    column.erase(column.begin(), column.begin() + first)


cdef void clear_columns(Columns* c, size_t triples) noexcept nogil:
    """Keep the triples of the open event alone."""
    keep_last(&c.subjects, triples)
    keep_last(&c.predicates, triples)
    keep_last(&c.objects, triples)
    c.times.clear()
    c.scopes.clear()
    c.ends.clear()
    c.names.clear()
    c.name_ends.clear()
    c.block.clear()
    c.starts.clear()
    c.stops.clear()
    c.carried.clear()
    c.lines.clear()
    c.line_ends.clear()


cdef void leave_block(Assembly* a) noexcept nogil:
    """The block goes away: the text of the open event is kept, what the tokenizer points to is not."""
    cdef size_t size = a.text_end - a.text_start
    if a.is_open and size and not a.lost:
        if a.carried.size() + size > a.largest:
            lose_text(a)
        else:
            a.carried.append(<const char*>a.text + a.text_start, size)
            a.carried.push_back(c'\n')
    a.text_start = a.text_end = 0
    forget_text(&a.memory)


cdef void lose_text(Assembly* a) noexcept nogil:
    """The open event is too large."""
    cdef string none
    report(a, TOO_LARGE, a.text_start, &a.name, NULL, 0)
    a.lost = True
    drop_triples(a)
    a.carried.swap(none)
