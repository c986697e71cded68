# Statements one by one: graphs begin and end, times are told before, in or after them.


cdef size_t read_lines(Assembly* a, size_t at, size_t size) noexcept nogil:
    """Read lines until one has a problem; gives the offset behind the last line read."""
    cdef Statement st
    cdef const uint8_t* end = a.text + size
    cdef const uint8_t* line = a.text + at
    cdef const uint8_t* line_end
    cdef int found
    while line < end:
        line_end = end_of_line(line, end)
        found = read_statement(line, line_end, &st, &a.memory)
        if found == STATEMENT:
            take_statement(a, &st, line, line_end)
        elif found == BAD:
            report(a, BAD_LINE, line - a.text, NULL, line, line_end - line)
        a.lines += line_end < end
        line = line_end + 1
        if not a.problems.empty():
            break
    return min(<size_t>(line - a.text), size)


cdef void report(
    Assembly* a, int kind, size_t line, const string* name, const uint8_t* start, size_t size
) noexcept nogil:
    cdef Problem problem
    problem.kind = kind
    problem.line = line
    if name != NULL:
        problem.name = shown_name(name)
    problem.start = start - a.text if start != NULL else 0
    problem.size = size
    a.problems.push_back(problem)


cdef void take_statement(
    Assembly* a, const Statement* st, const uint8_t* line, const uint8_t* line_end
) noexcept nogil:
    cdef PredicateFacts* facts = facts_of(a, st)
    cdef string* name = &a.spare
    if not st.same_subject:
        a.subject_word = UNBOUND
    if st.graph_size == 0:
        a.goes_on = False
        if facts.is_time:
            take_time(a, st, line - a.text)
        else:
            if a.ignored == 0:
                report(a, IGNORED, line - a.text, NULL, st.subject, st.subject_size)
            a.ignored += 1
        return
    if not (a.goes_on and st.same_graph) and not is_open_graph(a, st.graph, st.graph_size):
        name_of(a, st.graph, st.graph_size, name)
        if not a.is_open or name[0] != a.name:
            begin_event(a, name, line - a.text)
            a.text_start = line - a.text
        a.written.assign(<const char*>st.graph, st.graph_size)
    a.goes_on = True
    a.text_end = line_end - a.text
    if not a.lost and facts.wanted and is_wanted(a, st, facts):
        add_triple(a, st, facts)


cdef inline bint is_open_graph(Assembly* a, const uint8_t* name, size_t size) noexcept nogil:
    """Whether the open graph was written like this."""
    return a.is_open and a.written.size() == size and memcmp(a.written.data(), name, size) == 0


cdef void begin_event(Assembly* a, const string* name, size_t line) noexcept nogil:
    """Another graph begins, so the open one is complete."""
    cdef uint32_t hashed = hash_name(name)
    close_event(a, line)
    a.is_open = True
    a.name = name[0]
    a.time.known = a.time.lost = False
    a.time.time = a.time.turn = 0
    begin_columns(a)
    a.number = recent_number(&a.recent, name, hashed)
    a.lost = a.number != 0
    if a.lost:
        report(a, COMES_BACK, line, name, NULL, 0)
        return
    if not a.waiting.empty() and a.waiting.count(name[0]):
        a.time = a.waiting[name[0]]
        end_waiting(a, name)
        a.lost = a.time.lost
    a.number = remember_name(&a.recent, name, hashed)
    time_of(&a.recent, a.number)[0] = a.time


cdef void close_event(Assembly* a, size_t line) noexcept nogil:
    """The open graph is complete: it becomes an event, if it has a time."""
    if a.is_open and not a.lost and a.time.known:
        complete(a, a.time.time, a.name.data() + 1, a.name.size() - 1 if a.name.data()[0] == c'I' else 0)
    elif a.is_open:
        drop_triples(a)
        if not a.lost:
            report(a, NO_TIME, line, &a.name, NULL, 0)
    a.is_open = a.lost = a.goes_on = False
    a.carried.clear()
    a.text_start = a.text_end = 0


cdef void lose_graph(Assembly* a, const string* written, size_t line) noexcept nogil:
    """A bad line names a graph: it is the open one, or it begins."""
    cdef string name
    name_of(a, <const uint8_t*>written.data(), written.size(), &name)
    if not a.is_open or name != a.name:
        begin_event(a, &name, line)
        a.written = written[0]


# ── times ────────────────────────────────────────────────────────────────────────────────────────────────
cdef void take_time(Assembly* a, const Statement* st, size_t line) noexcept nogil:
    cdef string* name = &a.spare
    cdef GraphTime time
    cdef bint is_open = is_open_graph(a, st.subject, st.subject_size)
    cdef uint64_t number
    time.time = time.turn = 0
    time.known = parse_time(st.object, st.object_size, a.unit, &time.time)
    time.lost = not time.known
    if is_open and time.known and not a.time.known and not a.lost:
        set_open_time(a, &time)  # as it mostly is
        return
    name_of(a, st.subject, st.subject_size, name)
    if time.lost:
        report(a, BAD_TIME, line, name, st.object, st.object_size)
    is_open = is_open or (a.is_open and name[0] == a.name)
    number = a.number if is_open else recent_number(&a.recent, name, hash_name(name))
    if number or a.waiting.count(name[0]):
        set_time_again(a, name, &time, is_open, number, line)
    else:
        await_graph(a, name, &time)


cdef void await_graph(Assembly* a, const string* name, GraphTime* time) noexcept nogil:
    """Keep a time until its graph begins; the oldest of too many is dropped."""
    cdef Waiting waiting
    a.waited += 1
    waiting.name = name[0]
    waiting.turn = time.turn = a.waited
    a.waiting[name[0]] = time[0]
    a.waiting_bytes += name.size()
    a.waiting_order.push_back(waiting)
    a.ordered_bytes += name.size()
    while a.waiting.size() > a.recent.remembered or (a.waiting_bytes > a.recent.most_bytes and a.waiting.size() > 1):
        if is_waiting(a, &a.waiting_order[a.oldest_waiting]):
            end_waiting(a, &a.waiting_order[a.oldest_waiting].name)
            count_unused(a, &a.waiting_order[a.oldest_waiting].name, 1)
        a.oldest_waiting += 1
    if a.waiting_order.size() > 4 * a.recent.remembered or a.ordered_bytes > a.waiting_bytes + a.recent.most_bytes:
        forget_order(a)


cdef void end_waiting(Assembly* a, const string* name) noexcept nogil:
    """A time waits no longer."""
    a.waiting.erase(name[0])
    a.waiting_bytes -= name.size()


cdef void count_unused(Assembly* a, const string* name, uint64_t times) noexcept nogil:
    """So many times have no graph, the first of them that of this name."""
    if a.unused_times == 0:
        report(a, UNUSED_TIME, 0, name, NULL, 0)
    a.unused_times += times


cdef bint is_waiting(Assembly* a, const Waiting* waiting) noexcept nogil:
    """Whether that time still waits."""
    return a.waiting.count(waiting.name) and a.waiting[waiting.name].turn == waiting.turn


cdef void forget_order(Assembly* a) noexcept nogil:
    """Drop the names from the order whose graphs have begun."""
    cdef vector[Waiting] kept
    cdef size_t i
    for i in range(a.oldest_waiting, a.waiting_order.size()):
        if is_waiting(a, &a.waiting_order[i]):
            kept.push_back(a.waiting_order[i])
    a.waiting_order.swap(kept)
    a.oldest_waiting = 0
    a.ordered_bytes = a.waiting_bytes


cdef void set_open_time(Assembly* a, const GraphTime* time) noexcept nogil:
    a.time = time[0]
    time_of(&a.recent, a.number)[0] = time[0]
    a.lost = a.lost or time.lost


cdef void set_time_again(
    Assembly* a, const string* name, const GraphTime* time, bint is_open, uint64_t number, size_t line
) noexcept nogil:
    """A time for a graph that has begun, or has one already; one that contradicts loses the event."""
    cdef GraphTime known = a.waiting[name[0]] if number == 0 else time_of(&a.recent, number)[0]
    cdef GraphTime fresh = time[0]
    fresh.turn = known.turn
    if fresh.known and known.known and known.time != fresh.time:
        report(a, SECOND_TIME, line, name, NULL, 0)
        fresh.known = False
        fresh.lost = True
    if is_open:
        set_open_time(a, &fresh)
    elif number == 0 and fresh.lost:
        a.waiting[name[0]] = fresh


# ── events given whole ───────────────────────────────────────────────────────────────────────────────────
cdef bint add_event(Assembly* a, int64_t time, const string* name, size_t size) noexcept nogil:
    """The lines of the block are one event's triples; False if one is no statement."""
    cdef bint valid = read_event(a, size)
    if valid:
        complete_whole(a, time, name, size)
    else:
        undo_event(a)
    return valid


cdef bint read_event(Assembly* a, size_t size) noexcept nogil:
    """Begin an event whose triples are all lines of the block; False if one is no statement.

    Lines without graph do not count if some have one.  `statements`, `written` and `mixed` say what graphs there are.
    """
    cdef Statement st
    cdef const uint8_t* line = a.text
    cdef const uint8_t* end = a.text + size
    cdef const uint8_t* line_end
    cdef const uint8_t* first = NULL
    cdef int found
    cdef bint valid = True
    cdef bint named = False
    begin_columns(a)
    a.statements = 0
    a.mixed = False
    while valid and line < end:
        line_end = end_of_line(line, end)
        found = read_statement(line, line_end, &st, &a.memory)
        valid = found != BAD
        if found == STATEMENT:
            note_graph(a, &st)
            if not st.same_subject:
                a.subject_word = UNBOUND
            if st.graph_size and not named:
                named = True
                first = NULL
                drop_triples(a)
            if st.graph_size or not named:
                first = line if first == NULL else first
                take_line(a, &st, line, line_end)
        line = line_end + 1
    if a.keeps_lines and first != NULL and a.columns.lines.size() == a.first_line:
        keep_line(a, first, end_of_line(first, end))
    forget_text(&a.memory)
    return valid


cdef inline void take_line(
    Assembly* a, const Statement* st, const uint8_t* line, const uint8_t* line_end
) noexcept nogil:
    """A statement of the event that is given whole."""
    cdef PredicateFacts* facts = facts_of(a, st)
    cdef bint wanted = facts.wanted and is_wanted(a, st, facts)
    if wanted:
        add_triple(a, st, facts)
    if a.keeps_lines and (wanted or is_told(a, facts)):
        keep_line(a, line, line_end)


cdef inline void keep_line(Assembly* a, const uint8_t* line, const uint8_t* line_end) noexcept nogil:
    a.columns.lines.append(<const char*>line, line_end - line)
    a.columns.lines.push_back(c'\n')


cdef inline void note_graph(Assembly* a, const Statement* st) noexcept nogil:
    if a.statements == 0:
        a.written.assign(<const char*>st.graph, st.graph_size)
    elif not st.same_graph:
        a.mixed = True
    a.statements += 1


cdef void complete_whole(Assembly* a, int64_t time, const string* name, size_t size) noexcept nogil:
    """The event that was begun is complete: its text is all of the block."""
    a.text_start = 0
    a.text_end = size
    complete(a, time, name.data(), name.size())
    a.text_start = a.text_end = 0


cdef void undo_event(Assembly* a) noexcept nogil:
    """What was begun is no event: drop its triples, and the next one gets its number."""
    drop_triples(a)
    a.next_scope[0] = a.scope
