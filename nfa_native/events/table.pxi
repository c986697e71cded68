# Results of a chain in memory that is handed over as it is: a row of positions each, and the same positions by column.

cdef enum:
    TOGETHER = 4          # positions that are copied at once: there is room for so many more behind rows and columns
    APART = 24            # columns that are a power of two from each other would share places in the cache
    FEW_ROWS = 256
    MOST_PAIRS = 0x10000      # that are remembered

# The present pick of a state.
cdef struct Picked:
    int64_t[2] position       # twice, as it is read: processors wait where two writes are read at once
    size_t since              # the first row with it that is not in the state's column
    uint32_t left             # the set that is left to pick from

# A pick of the second state, and the first of the pairs that it is in.
cdef struct Second:
    int64_t position
    size_t begin

# `memory` has 2 * width lines of `line` positions: the rows are in the first half, the columns are lines of the other.
cdef cppclass Table:
    size_t width
    size_t room               # for so many rows
    size_t line
    int64_t* memory           # NULL: there is none; it will have the same room again
    vector[Picked] picked     # by state; some more, whose positions mean nothing
    size_t level              # the state that picks next
    vector[int64_t] firsts    # pairs of picks of the first two states for this event, last ones first
    vector[int64_t] seconds
    vector[Second] groups     # the pairs by their second picks
    size_t group              # the one that was looked for last
    size_t pair               # the one that is next
    bint is_met               # there are no more pairs
    bint are_many             # they are not remembered


cdef void begin_table(Table* t, size_t width) noexcept nogil:
    t.width = width
    t.room = 0
    t.memory = NULL
    t.picked.resize(width + TOGETHER)


cdef inline size_t line_of(size_t room) noexcept nogil:
    return room + APART


cdef inline int64_t* column_of(const Table* t, size_t state) noexcept nogil:
    return t.memory + (t.width + state) * t.line


cdef bint make_rows(Recognition* r, size_t count, size_t most) noexcept nogil:
    """Room for more than `count` rows, of which there will be up to `most`; False: there is no memory for them."""
    cdef Table* t = r.scratch.table
    cdef int64_t* memory
    cdef size_t room = t.room if t.memory == NULL else 2 * t.room
    if t.memory != NULL and count < t.room:
        return True
    room = max(count + 1, min(most, max(room, <size_t>FEW_ROWS)))
    memory = <int64_t*>malloc(2 * t.width * line_of(room) * sizeof(int64_t))
    if memory == NULL:
        r.scratch.is_full = True
        return False
    move_rows(t, count, memory, line_of(room))
    t.room = room
    return True


cdef void move_rows(Table* t, size_t count, int64_t* memory, size_t line) noexcept nogil:
    """To other memory, whose lines are so long."""
    cdef int64_t* before = t.memory
    cdef size_t i
    if before != NULL:
        memcpy(memory, before, count * t.width * sizeof(int64_t))
        for i in range(t.width, 2 * t.width):
            memcpy(memory + i * line, before + i * t.line, count * sizeof(int64_t))
        free(before)
    t.memory = memory
    t.line = line


cdef inline void set_pick(Table* t, size_t state, int64_t position) noexcept nogil:
    cdef Picked* one = t.picked.data() + state
    one.position[0] = one.position[1] = position


cdef inline void pick(Table* t, size_t state, int64_t position, size_t count) noexcept nogil:
    """Another pick of a state, after `count` rows."""
    fill_column(t, state, count)
    set_pick(t, state, position)


cdef inline void fill_column(Table* t, size_t state, size_t count) noexcept nogil:
    """Put a state's pick into its column, for the rows that have it."""
    cdef Picked* one = t.picked.data() + state
    cdef int64_t* target = column_of(t, state)
    cdef size_t at = one.since
    while at < count:
        memcpy(target + at, one.position, sizeof(one.position))
        memcpy(target + at + 2, one.position, sizeof(one.position))
        at += TOGETHER
    one.since = count


cdef void begin_columns(Table* t, size_t count) noexcept nogil:
    """All columns are complete up to `count` rows."""
    cdef size_t state
    for state in range(t.width):
        t.picked.data()[state].since = count


cdef void fill_columns(Table* t, size_t count) noexcept nogil:
    """The columns of all states but the first two, which always are, are complete."""
    cdef size_t state
    for state in range(2, t.width):
        fill_column(t, state, count)


cdef void write_pairs(Table* t, size_t count, size_t more) noexcept nogil:
    """Rows after `count` others, with so many of the pairs: the last states first, as these write beyond."""
    cdef size_t width = t.width
    cdef const int64_t* firsts = t.firsts.data() + t.pair
    cdef const int64_t* seconds = t.seconds.data() + t.pair
    cdef int64_t* target = t.memory + count * width
    cdef size_t state = 2 + (width - 2) / TOGETHER * TOGETHER
    cdef size_t i
    invariant(count + more <= t.room and t.pair + more <= t.firsts.size())
    while state >= 2:
        if state < width:
            write_states(t, state, target, more)
        state -= min(state, <size_t>TOGETHER)
    for i in range(more):
        target[i * width] = firsts[i]
        target[i * width + 1] = seconds[i]
    memcpy(column_of(t, 0) + count, firsts, more * sizeof(int64_t))
    memcpy(column_of(t, 1) + count, seconds, more * sizeof(int64_t))


cdef inline void write_states(const Table* t, size_t state, int64_t* target, size_t more) noexcept nogil:
    """The picks of some states from `state` on, in so many rows."""
    cdef const Picked* some = t.picked.data() + state
    cdef int64_t[4] same = [some[0].position[0], some[1].position[1], some[2].position[0], some[3].position[1]]
    cdef size_t i
    for i in range(more):
        memcpy(target + i * t.width + state, same, sizeof(same))


cdef class Memory:
    """Memory of a table that nobody writes any more: integers, as a buffer."""

    cdef int64_t* data
    cdef Py_ssize_t[1] shape
    cdef Py_ssize_t[1] strides

    def __cinit__(self):
        self.data = NULL

    def __dealloc__(self):
        free(self.data)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        self.strides[0] = sizeof(int64_t)
        buffer.buf = self.data
        buffer.format = 'q'
        buffer.internal = NULL
        buffer.itemsize = sizeof(int64_t)
        buffer.len = self.shape[0] * <Py_ssize_t>sizeof(int64_t)
        buffer.ndim = 1
        buffer.obj = self
        buffer.readonly = 0
        buffer.shape = self.shape
        buffer.strides = self.strides
        buffer.suboffsets = NULL


cdef void forget_table(Table* t) noexcept:
    if t != NULL:
        free(t.memory)
        del t


cdef object lines(Table* t, size_t count):
    """The memory of `count` rows, int64[2 * width, at least count]: as it is, or copied if most of it is free."""
    cdef Memory memory
    cdef int64_t[:, ::1] target
    cdef size_t state
    if 2 * count >= t.room and t.memory != NULL:
        memory = Memory()
        memory.data = t.memory
        memory.shape[0] = 2 * t.width * t.line
        t.memory = NULL
        return np.asarray(memory).reshape(2 * t.width, t.line)
    found = np.empty((2 * t.width, count), np.int64)
    if count:
        target = found
        memcpy(&target[0, 0], t.memory, t.width * count * sizeof(int64_t))
        for state in range(t.width):
            memcpy(&target[t.width + state, 0], column_of(t, state), count * sizeof(int64_t))
    return found
