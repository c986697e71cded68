# Many events given whole: columns of texts, as Arrow has them.

# Text i is bytes start i … start i + 1 of a buffer.
cdef struct TextRows:
    const uint8_t* text
    size_t size               # of the buffer
    size_t count              # texts
    const int32_t* narrow     # where they start, if that takes 32 bits; else NULL
    const int64_t* wide       # else this one

cdef struct EventRows:
    TextRows graphs
    TextRows names            # IRIs of the events, empty: it has none; of no texts: none has
    const int64_t* times
    const uint64_t* scopes    # numbers for their blank nodes; NULL: the next ones
    const int64_t* rows       # which of them are taken
    size_t count


cdef inline int64_t start_of(const TextRows* texts, size_t row) noexcept nogil:
    return texts.wide[row] if texts.wide != NULL else texts.narrow[row]


cdef inline size_t size_of(const TextRows* texts, size_t row) noexcept nogil:
    return <size_t>(start_of(texts, row + 1) - start_of(texts, row))


cdef bint has_text(const TextRows* texts, size_t row) noexcept nogil:
    """Whether a text lies in the buffer."""
    cdef int64_t start = start_of(texts, row)
    cdef int64_t stop = start_of(texts, row + 1)
    return 0 <= start <= stop and <size_t>stop <= texts.size


cdef bint have_texts(const EventRows* given) noexcept nogil:
    """Whether all rows are there, with texts that lie in their buffers."""
    cdef size_t i
    cdef int64_t row
    for i in range(given.count):
        row = given.rows[i]
        if row < 0 or <size_t>row >= given.graphs.count or not has_text(&given.graphs, row):
            return False
        if given.names.count and not has_text(&given.names, row):
            return False
    return True


cdef size_t add_given_rows(Assembly* a, const EventRows* given) noexcept nogil:
    """Take events until one is bad; gives how many were taken."""
    cdef size_t i = 0
    while i < given.count and add_given_row(a, given, given.rows[i]):
        i += 1
    return i


cdef bint add_given_row(Assembly* a, const EventRows* given, size_t row) noexcept nogil:
    """Take an event, if its lines are statements of one graph, and its name, if it has one, an IRI; else nothing changes."""
    cdef size_t start = start_of(&given.graphs, row)
    cdef size_t size = size_of(&given.graphs, row)
    cdef string* name = &a.given_name
    cdef bint is_event = size <= a.largest and row_name(a, &given.names, row, name)
    if not is_event:
        return False
    a.text = ended_text(a, given.graphs.text + start, size)
    if given.scopes != NULL:
        a.next_scope[0] = given.scopes[row]
    if not read_event(a, size) or not a.statements or a.mixed:
        undo_event(a)
        return False
    if name.empty():
        graph_iri(a, name)
    a.text_start, a.text_end = start, start + size
    complete(a, given.times[row], name.data(), name.size())
    a.text_start = a.text_end = 0
    return True


cdef const uint8_t* ended_text(Assembly* a, const uint8_t* text, size_t size) noexcept nogil:
    """The text, or a copy of it, behind which the tokenizer finds an end: in a column the next text follows at once."""
    if size and text[size - 1] == c'\n':
        return text
    a.copied.assign(<const char*>text, size)
    return <const uint8_t*>a.copied.data()


cdef bint row_name(Assembly* a, const TextRows* names, size_t row, string* name) noexcept nogil:
    """The name that an event is given, empty if it has none; False if it may be no IRI."""
    cdef const uint8_t* end
    cdef const uint8_t* at
    name.clear()
    if not names.count or not size_of(names, row):
        return True
    at = names.text + start_of(names, row)
    a.copied.assign(b"<", 1)
    a.copied.append(<const char*>at, size_of(names, row))
    a.copied.append(b">", 1)
    at = <const uint8_t*>a.copied.data()
    end = at + a.copied.size()
    if memchr(at, c'\\', end - at) != NULL or read_iri(at, end, &a.memory) != end:
        return False
    name.assign(<const char*>at + 1, a.copied.size() - 2)
    return True


cdef TextRows opened_rows(tuple column) except *:
    """A column of texts: where they start, of 32 or 64 bits and one more than texts, and the buffer.

    Both must outlive what is given.  ValueError: they are something else.
    """
    cdef const int32_t[::1] narrow
    cdef const int64_t[::1] wide
    cdef const uint8_t[::1] text = column[1]
    cdef TextRows texts
    texts.text = &text[0]
    texts.size = text.shape[0]
    texts.count = max(len(column[0]) - 1, 0)
    texts.narrow = NULL
    texts.wide = NULL
    if column[0].dtype == np.int32:
        narrow = column[0]
        texts.narrow = &narrow[0]
    else:
        wide = column[0]
        texts.wide = &wide[0]
    return texts
