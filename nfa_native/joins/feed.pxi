# The door of the kernel: batches in, columns out.

# What is under way.
cdef enum:
    NOTHING = 0
    FEEDING = 1
    ADVANCING = 2
    FINISHING = 3


# Events and their rows, as far as they are taken; or a time.
cdef cppclass Task:
    int kind
    const int64_t* times
    const uint64_t* handles
    size_t count
    size_t start              # events before it are taken
    size_t event              # the next one with rows
    BatchRows rows
    int64_t until             # ADVANCING: the time


cdef bint go_on(Kernel* k, Task* task) noexcept nogil:
    """Go on with the task, up to the next pause; whether it is done."""
    cdef bint done = False
    k.pause.left = k.pause.stride
    if not resume(k):
        return False
    if task.kind == FEEDING:
        done = feed_batch(k, task)
    elif task.kind == ADVANCING:
        done = advance_to(k, task.until)
    elif task.kind == FINISHING:
        done = close_tick(k) and output_rest(k)
    if done:
        task.kind = NOTHING
    return done or task.kind == NOTHING


cdef bint begin_batch(
    Kernel* k, Task* task, const int64_t* times, const uint64_t* handles, size_t count
) noexcept nogil:
    """Make it the task to take the batch whose rows the task has; False if time runs backwards: nothing is taken then."""
    if not count_ticks(&k.now, times, count):
        return False
    task.kind = FEEDING
    task.times = times
    task.handles = handles
    task.count = count
    task.start = 0
    task.event = next_event(&task.rows, count)
    return True


cdef bint feed_batch(Kernel* k, Task* task) noexcept nogil:
    """Take the events of the batch, up to the next pause; whether all are taken, and their matches are out."""
    cdef uint64_t scanned
    while task.start < task.count:
        if not pass_over(k, task) or task.event < task.count and not take_time(k, task.times[task.event]):
            return False
        if task.event == task.count:
            break
        scanned = k.scratch.scanned
        take_rows(k, task)
        k.pause.left -= 1 + <int64_t>(k.scratch.scanned - scanned)
        task.start = task.event + 1
        if task.start < task.count:
            task.event = next_event(&task.rows, task.count)
        if k.pause.left <= 0:
            return task.start == task.count and is_all_out(&k.pause) and end_batch(&k.now, task)
    return end_batch(&k.now, task)


cdef inline bint end_batch(KernelState* now, const Task* task) noexcept nogil:
    now.next_handle = task.handles[task.count - 1] + 1
    return True


cdef inline void take_rows(Kernel* k, const Task* task) noexcept nogil:
    """Take the next event with rows."""
    store_event(&k.now, task.times[task.event], task.handles[task.event])
    store_rows_of(k.program, &k.now, &task.rows)
    take_event(k, next_position(&k.now) - 1)
    if not k.now.picked:
        drop_event(&k.now)
    k.now.seq += 1


cdef bint count_ticks(KernelState* now, const int64_t* times, size_t count) noexcept nogil:
    """Count the batch's ticks; False if its times do not go on from those before, in order."""
    cdef bint falls = times[0] < (now.tick if now.open else now.promised)
    cdef uint64_t ticks = not now.open or times[0] > now.tick
    cdef size_t i
    for i in range(1, count):
        falls |= times[i] < times[i - 1]
        ticks += times[i] != times[i - 1]
    if not falls:
        now.ticks += ticks
    return not falls


cdef inline bint take_time(Kernel* k, int64_t time) noexcept nogil:
    """The next event comes at `time`; False: what is decided before is not out yet."""
    if k.now.open and time == k.now.tick:
        return True
    return close_tick(k) and open_tick(k, time)


cdef bint pass_over(Kernel* k, Task* task) noexcept nogil:
    """The events before the next one with rows matched nothing: only time and positions move on.  False: not all of them.

    The first tick after the present one ends what strict contiguity ends; the last one moves the window; those between
    them change nothing, unless a match waits for its window's edge.
    """
    cdef const int64_t* times = task.times
    cdef int64_t before = k.now.seq - <int64_t>task.start      # position of the batch's first event
    cdef size_t end = task.event
    cdef bint first = True
    while task.start < end and k.now.open and times[task.start] == k.now.tick:
        task.start += 1
    while task.start < end:
        k.now.seq = before + <int64_t>task.start
        if not take_time(k, times[task.start]):
            return False
        if first and not is_due(k.program, &k.now, times[end - 1], before + <int64_t>end):
            task.start = first_of_tick(times, task.start, end - 1)
        else:
            task.start += 1
        first = False
    k.now.seq = before + <int64_t>end
    return True


cdef inline bint is_due(KernelProgram* program, KernelState* now, int64_t time, int64_t seq) noexcept nogil:
    """Some match waits for an edge before `time`, or before position `seq`."""
    return not now.deadlines.empty() and dereference(now.deadlines.begin()).first < (seq if program.by_events else time)


cdef int64_t first_due(KernelProgram* program, KernelState* now) noexcept nogil:
    """The time that has to pass for a match that waits; positions pass with any event."""
    if not program.waits:
        return FOREVER
    if not now.staged.empty() or (program.by_events and not now.deadlines.empty()):
        return -FOREVER
    return FOREVER if now.deadlines.empty() else dereference(now.deadlines.begin()).first


cdef inline size_t first_of_tick(const int64_t* times, size_t start, size_t at) noexcept nogil:
    """The first event from `start` on at the time of event `at`."""
    while at > start and times[at - 1] == times[at]:
        at -= 1
    return at


cdef bint advance_to(Kernel* k, int64_t time) noexcept nogil:
    """No event comes before `time`; whether all that this decides is out."""
    if (k.pause.closing or k.now.open and k.now.tick < time) and not close_tick(k):
        return False
    if time > k.now.promised:
        k.now.promised = time
    if not k.now.open:
        if not output_decided(k, time):
            return False
        if not k.program.by_events:
            move_window(k, time)
    return True


cdef object take_results(Kernel* k):
    cdef Results* r = &k.results
    cdef size_t count = r.first.size()
    if count == 0:
        return counted(k, no_results(k.program.result_width), no_counts())
    first = np.empty(count, np.int64)
    last = np.empty(count, np.int64)
    decided = np.empty(count, np.int64)
    offsets = np.empty(count + 1, np.int64)
    atoms = np.empty(r.atoms.size(), np.uint16)
    events = np.empty(r.events.size(), np.uint64)
    words = np.empty((count, k.program.result_width), np.uint64)
    copy_bytes(first, r.first.data(), count * 8)
    copy_bytes(last, r.last.data(), count * 8)
    copy_bytes(decided, r.decided.data(), count * 8)
    copy_bytes(offsets, r.offsets.data(), (count + 1) * 8)
    copy_bytes(atoms, r.atoms.data(), r.atoms.size() * 2)
    copy_bytes(events, r.events.data(), r.events.size() * 8)
    copy_bytes(words, r.words.data(), r.words.size() * 8)
    r.first.clear()
    r.last.clear()
    r.decided.clear()
    r.offsets.safe_assign(1, 0)
    r.atoms.clear()
    r.events.clear()
    r.words.clear()
    counts = np.empty(count if k.tallies else 0, np.int64)
    copy_bytes(counts, r.counts.data(), len(counts) * 8)
    r.counts.clear()
    return counted(k, RawMatches(first, last, decided, offsets, atoms, events, words), counts)


cdef object counted(const Kernel* k, results, counts):
    """The results with their counts, if one may stand for many."""
    return CountedMatches(*results, counts) if k.tallies else results


@lru_cache(maxsize=None)
def no_counts():
    """None; read-only."""
    none = np.zeros(0, np.int64)
    none.setflags(write=False)
    return none


@lru_cache(maxsize=None)
def no_results(width):
    """Nothing, with `width` columns; the same arrays each time, and read-only."""
    columns = [np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(1, np.int64)]
    columns += [np.zeros(0, np.uint16), np.zeros(0, np.uint64), np.zeros((0, width), np.uint64)]
    for column in columns:
        column.setflags(write=False)
    return RawMatches(*columns)


cdef int copy_bytes(object array, const void* source, size_t size) except -1:
    cdef Py_buffer view
    if size:
        PyObject_GetBuffer(array, &view, PyBUF_WRITABLE)
        memcpy(view.buf, source, size)
        PyBuffer_Release(&view)
    return 0


cdef object statistics_of(Kernel* k):
    cdef size_t i
    return {
        "events": k.now.seq,
        "results": k.results.count,
        "ticks": k.now.ticks,
        "atoms": [k.now.matched[i] for i in range(k.now.matched.size())],
        "transitions": [
            {
                "offered": k.now.candidacies[i].offered,
                "nobody_waited": k.now.candidacies[i].lonely,
                "join_failed": k.now.candidacies[i].unjoined,
                "filter_failed": k.now.candidacies[i].unfiltered,
                "fired": k.now.candidacies[i].fired,
                "pairs": k.now.candidacies[i].pairs,
                "scanned": k.now.candidacies[i].scanned,
            }
            for i in range(k.now.candidacies.size())
        ],
        "states": [
            {
                "groups": k.now.states[i].live,
                "entered": k.now.states[i].entered,
                "expired": k.now.states[i].expired,
                "dropped_by_contiguity": k.now.states[i].skipped,
                "dropped_by_negation": killed_in(k.program, &k.now, i),
            }
            for i in range(k.now.states.size())
        ],
        "nodes": k.now.ring.count(),
        "stored_events": k.now.history.events.size(),
    }


cdef uint64_t killed_in(KernelProgram* program, KernelState* now, size_t state):
    """Partial matches of a state that its guards dropped."""
    cdef GuardSpec* guard = program.states[state].guards.data()
    cdef uint64_t killed = 0
    cdef size_t i
    for i in range(program.states[state].guards.size()):
        killed += now.judgements[guard[i].number].killed
    return killed
