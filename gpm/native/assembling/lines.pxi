# The lines of events that are kept where an event goes elsewhere as text.


cdef bint is_kept(Assembly* a, const Statement* st) noexcept nogil:
    """Whether some pattern can use the statement."""
    cdef PredicateFacts* facts = facts_of(a, st)
    return facts.wanted and is_wanted(a, st, facts) or is_told(a, facts)


cdef inline char* write_line(char* out, const uint8_t* line, const uint8_t* line_end) noexcept nogil:
    """Gives where the next one is written."""
    memcpy(out, line, line_end - line)
    out[line_end - line] = c'\n'
    return out + (line_end - line) + 1


cdef char* write_lines(Assembly* a, const uint8_t* text, size_t size, bint pruned, char* begin) noexcept nogil:
    """Write the statements of an event, `pruned`: those that a pattern can use, and one at least; gives where they end.

    If some name a graph, the others are none of the event.  What the tokenizer does not know (a lenient parser let it
    pass) is kept.
    """
    cdef Statement st
    cdef char* out = begin
    cdef const uint8_t* line = text
    cdef const uint8_t* line_end
    cdef const uint8_t* end = text + size
    cdef const uint8_t* first = NULL
    cdef int found
    cdef bint named = False
    while line < end:
        line_end = end_of_line(line, end)
        found = read_statement(line, line_end, &st, &a.memory)
        if found == STATEMENT and st.graph_size and not named:
            named = True
            first = NULL
            out = begin
        if found == BAD or found == STATEMENT and (st.graph_size or not named):
            first = line if first == NULL else first
            if not pruned or found == BAD or is_kept(a, &st):
                out = write_line(out, line, line_end)
        line = line_end + 1
    if out == begin and first != NULL:
        out = write_line(out, first, end_of_line(first, end))
    forget_text(&a.memory)
    return out


cdef void write_text(
    Assembly* a, const TextBlock* block, size_t start, size_t stop, bint pruned, char** out
) noexcept nogil:
    """Write the lines of an event that lies in a block, and move on behind them."""
    cdef const uint8_t* text = <const uint8_t*>block.text + start
    if stop == <size_t>block.size or block.text[stop] != c'\n':
        text = ended_text(a, text, stop - start)
    out[0] = write_lines(a, text, stop - start, pruned, out[0])


def written_lines(
    Encoder encoder not None, tuple blocks not None, const int64_t[:] block not None, const int64_t[:] starts not None,
    const int64_t[:] stops not None, bint pruned,
):
    """offsets, text: the lines of the events that lie there; see the stub."""
    cdef Assembler assembler = Assembler(encoder, ())
    cdef Py_ssize_t count = block.shape[0], i
    cdef TextBlock one
    offsets = np.zeros(count + 1, np.int64)
    cdef int64_t[::1] ends = offsets
    if starts.shape[0] != count or stops.shape[0] != count:
        raise ValueError(f"{count} blocks came with {starts.shape[0]} starts and {stops.shape[0]} stops")
    for i in range(count):
        one = block_of(blocks, block[i], starts[i], stops[i])
        ends[i + 1] = ends[i] + stops[i] - starts[i] + 1
    cdef bytes text = PyBytes_FromStringAndSize(NULL, ends[count])
    cdef char* begin = PyBytes_AS_STRING(text)
    cdef char* out = begin
    for i in range(count):
        one = block_of(blocks, block[i], starts[i], stops[i])
        with nogil:
            guarded(
                &assembler.state.store.broken, write_text, &assembler.state, &one, <size_t>starts[i], <size_t>stops[i],
                pruned, &out,
            )
        ends[i + 1] = out - begin
    return offsets, text[:ends[count]]
