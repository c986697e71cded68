# Nodes and names.


cdef inline void put(vector[uint8_t]* out, const void* text, size_t size) noexcept nogil:
    out.insert(out.end(), <const uint8_t*>text, <const uint8_t*>text + size)


cdef void declare(Translation* t, const string& name, const string& iri) noexcept nogil:
    """A prefix from now on; its IRI is valid."""
    cdef Prefix prefix
    cdef size_t i
    prefix.name = name
    prefix.iri = iri
    prefix.is_open = is_open(iri)
    for i in range(t.prefixes.size()):
        if t.prefixes.data()[i].name == name:
            t.prefixes.data()[i] = prefix
            return
    t.prefixes.push_back(prefix)


cdef inline bint ends_authority(uint8_t byte) noexcept nogil:
    return byte == c'/' or byte == c'?' or byte == c'#'


cdef bint is_open(const string& iri) noexcept nogil:
    """Whether the IRI goes beyond its authority, if it has one."""
    cdef const uint8_t* at = <const uint8_t*>iri.data()
    cdef const uint8_t* end = at + iri.size()
    while at < end and at[0] != c':':
        at += 1
    if end - at < 3 or at[1] != c'/' or at[2] != c'/':
        return True
    at += 3
    while at < end and not ends_authority(at[0]):
        at += 1
    return at < end


cdef const Prefix* find_prefix(const Translation* t, const uint8_t* name, size_t size) noexcept nogil:
    cdef const Prefix* known
    cdef size_t i
    for i in range(t.prefixes.size()):
        known = &(<Translation*>t).prefixes.data()[i]
        if known.name.size() == size and memcmp(known.name.data(), name, size) == 0:
            return known
    return NULL


cdef inline bint is_name(uint8_t byte) noexcept nogil:
    return is_kind(byte, LABEL) or byte == c'-' or byte == c'.'


cdef const uint8_t* over_word(const uint8_t* at) noexcept nogil:
    """Behind letters, digits and - _ . as prefixes have them."""
    while is_name(at[0]):
        at += 1
    return at


cdef const uint8_t* over_local(const uint8_t* at) noexcept nogil:
    """Behind what may be a local name and points at its end."""
    while is_name(at[0]) or at[0] == c':':
        at += 1
    return at


cdef inline const uint8_t* without_points(const uint8_t* start, const uint8_t* behind) noexcept nogil:
    """A word's end: the points at its end do not belong to it."""
    while behind > start and (behind - 1)[0] == c'.':
        behind -= 1
    return behind


cdef inline bint is_plain(const uint8_t* start, const uint8_t* behind) noexcept nogil:
    """Whether a local name begins and ends as plain ones do."""
    if behind[0] >= 0x80 or behind[0] == c'%' or behind[0] == c'\\':
        return False
    return start[0] != c'-' and (start[0] != c'.' or without_points(start, behind) == start)


cdef bint read_name(Translation* t, vector[uint8_t]* out) noexcept nogil:
    """A prefixed name."""
    cdef const uint8_t* colon = over_word(t.at)
    cdef const uint8_t* behind = over_local(colon + 1) if colon[0] == c':' else t.end
    cdef const Prefix* prefix
    if behind >= t.end or not is_plain(colon + 1, behind):
        return give_up(t)
    prefix = find_prefix(t, t.at, colon - t.at)
    if prefix == NULL or not prefix.is_open:
        return give_up(t)
    behind = without_points(colon + 1, behind)
    out.push_back(c'<')
    put(out, prefix.iri.data(), prefix.iri.size())
    put(out, colon + 1, behind - colon - 1)
    out.push_back(c'>')
    t.at = behind
    return True


cdef bint is_cut_off(const Translation* t, const uint8_t* behind) noexcept nogil:
    """Whether a label may go on behind the text, if there were points."""
    while behind != NULL and behind < t.end and behind[0] == c'.':
        behind += 1
    return behind >= t.end


cdef bint read_node(Translation* t, vector[uint8_t]* out) noexcept nogil:
    """An IRI, a name, or a blank node with a label."""
    cdef const uint8_t* start = t.at
    cdef const uint8_t* behind
    if start[0] == c'<':
        if not advance(t, read_iri(start, end_of_line(start, t.end), &t.memory)):
            return False
    elif start[0] == c'_' and start[1] == c':':
        behind = read_label(start, end_of_line(start, t.end))
        if is_cut_off(t, behind) or not advance(t, behind):
            return give_up(t)
    else:
        return read_name(t, out)
    put(out, start, t.at - start)
    return True


cdef bint read_node_into(Translation* t, string* into) noexcept nogil:
    """The same, kept."""
    cdef size_t start = t.out.size()
    cdef bint found = read_node(t, &t.out)
    if found:
        into.assign(<const char*>t.out.data() + start, t.out.size() - start)
    t.out.resize(start)
    return found


cdef string new_node(Translation* t) noexcept nogil:
    """A node without label gets one that nobody writes."""
    cdef char label[LABEL_SIZE]
    cdef int size = snprintf(label, LABEL_SIZE, "_:b7f3a9c51d06e4b28x%llx", <unsigned long long>t.labels)
    t.labels += 1
    return string(<const char*>label, <size_t>size)
