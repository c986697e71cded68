# Messages: the statements up to a line that is a delimiter are one event, whatever came before.

cdef int gather(Assembly* a, size_t* at, size_t size, bint comments, bint graphs) noexcept nogil:
    """Read the statements of the message at `at`; it then is where the delimiter begins, and `a.behind` behind it."""
    cdef Statement st
    cdef const uint8_t* end = a.text + size
    cdef const uint8_t* line = a.text + at[0]
    cdef const uint8_t* line_end
    cdef int found
    a.message.clear()
    while line < end:
        line_end = end_of_line(line, end)
        if line_end == end:
            break
        found = read_statement(line, line_end, &st, &a.memory)
        if found == STATEMENT:
            if st.graph_size and not graphs or comments and may_hide_delimiter(st.object, line_end):
                return UNSURE
            a.message.push_back(st)
        elif is_delimiter(line, line_end, comments):
            at[0] = line - a.text
            a.behind = line_end + 1 - a.text
            return TAKEN
        elif found == BAD:
            return UNSURE
        line = line_end + 1
    return CUT_OFF


cdef size_t read_messages(
    Assembly* a, size_t at, size_t size, bint comments, bint graphs, int* outcome
) noexcept nogil:
    """Take messages that are events without doubt, or have no statements; gives where the first other one begins."""
    cdef size_t stop
    outcome[0] = TAKEN
    while at < size:
        stop = at
        outcome[0] = gather(a, &stop, size, comments, graphs)
        if outcome[0] == TAKEN and not a.message.empty() and not take_message(a, at, stop):
            outcome[0] = UNSURE
        if outcome[0] != TAKEN:
            break
        at = a.behind
    return at


cdef bint take_message(Assembly* a, size_t start, size_t stop) noexcept nogil:
    """Make an event of the gathered statements; False if it is not clear which it is, or none."""
    cdef bint named = False
    cdef int64_t time = 0
    if not message_graph(a, &named) or not (named or message_subject(a)) or not message_time(a, &time):
        return False
    if named and not count_others(a):
        return False
    begin_columns(a)
    add_statements(a, named)
    a.text_start = start
    a.text_end = stop
    complete(a, time, a.name.data() + 1, a.name.size() - 1 if a.name.data()[0] == c'I' else 0)
    a.text_start = a.text_end = 0
    return True


cdef bint message_graph(Assembly* a, bint* named) noexcept nogil:
    """Put the name of the only named graph, if there is one, into `a.name`; False if there may be two."""
    cdef const Statement* st
    cdef const Statement* first = NULL
    cdef size_t i
    for i in range(a.message.size()):
        st = &a.message.data()[i]
        if st.graph_size == 0:
            continue
        if first == NULL:
            first = st
            name_of(a, st.graph, st.graph_size, &a.name)
        elif st.graph_size != first.graph_size or memcmp(st.graph, first.graph, st.graph_size) != 0:
            return False
    named[0] = first != NULL
    return True


cdef inline bint is_time(Assembly* a, const Statement* st) noexcept nogil:
    """Whether a statement says a time of something."""
    return st.graph_size == 0 and facts_of(a, st).is_time


cdef bint message_subject(Assembly* a) noexcept nogil:
    """Put what a message without named graph is about into `a.name`: what has a time, and if more have, is no object."""
    cdef const Statement* st
    cdef size_t i
    cdef bint several = False
    cdef bint found = False
    for i in range(a.message.size()):
        st = &a.message.data()[i]
        if is_time(a, st):
            name_of(a, st.subject, st.subject_size, &a.spare)
            several = several or found and a.spare != a.name
            found = True
            a.name = a.spare
    return found and (not several or unreferred_subject(a))


cdef bint unreferred_subject(Assembly* a) noexcept nogil:
    """Put the only subject with a time that is no object into `a.name`; False if it is not the only one."""
    cdef const Statement* st
    cdef size_t i
    cdef bint found = False
    for i in range(a.message.size()):
        st = &a.message.data()[i]
        if is_time(a, st):
            name_of(a, st.subject, st.subject_size, &a.spare)
            if found and a.spare == a.name or is_object(a):
                continue
            if found:
                return False
            found = True
            a.name = a.spare
    return found


cdef bint is_object(Assembly* a) noexcept nogil:
    """Whether the node in `a.spare` is the object of a statement."""
    cdef string name
    cdef const Statement* st
    cdef size_t i
    for i in range(a.message.size()):
        st = &a.message.data()[i]
        if st.object[0] == c'_' or st.object[0] == c'<' and st.object[1] != c'<':
            name_of(a, st.object, st.object_size, &name)
            if name == a.spare:
                return True
    return False


cdef bint message_time(Assembly* a, int64_t* time) noexcept nogil:
    """The time of the node `a.name`; False if there is none, or one that is none, or another."""
    cdef const Statement* st
    cdef int64_t other = 0
    cdef size_t i
    cdef bint found = False
    for i in range(a.message.size()):
        st = &a.message.data()[i]
        if not is_time(a, st):
            continue
        name_of(a, st.subject, st.subject_size, &a.spare)
        if a.spare != a.name:
            continue
        if not parse_time(st.object, st.object_size, a.unit, &other) or found and other != time[0]:
            return False
        time[0] = other
        found = True
    return found


cdef bint count_others(Assembly* a) noexcept nogil:
    """Count what stands beside the named graph `a.name` and is not its time; False: the first time, to be told."""
    cdef const Statement* st
    cdef size_t i
    cdef uint64_t ignored = 0, unused = 0
    for i in range(a.message.size()):
        st = &a.message.data()[i]
        if is_time(a, st):
            name_of(a, st.subject, st.subject_size, &a.spare)
            unused += a.spare != a.name
        elif st.graph_size == 0:
            ignored += 1
    if ignored and not a.told_ignored or unused and not a.told_unused:
        a.told_ignored = a.told_ignored or ignored > 0
        a.told_unused = a.told_unused or unused > 0
        return False
    a.ignored += ignored
    a.unused_times += unused
    return True


cdef void add_statements(Assembly* a, bint named) noexcept nogil:
    """Encode the wanted triples of the gathered statements; `named`: of those with a graph."""
    cdef const Statement* st
    cdef PredicateFacts* facts
    cdef size_t i
    for i in range(a.message.size()):
        st = &a.message.data()[i]
        if not st.same_subject:
            a.subject_word = UNBOUND
        if st.graph_size == 0 and named:
            continue
        facts = facts_of(a, st)
        if facts.wanted and is_wanted(a, st, facts):
            add_triple(a, st, facts)
