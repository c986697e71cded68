# The last graph names of a source: a ring with a hash table.

cdef enum:
    MOST_REMEMBERED = 65536   # places in the ring have 16 bits
    SLOT_TAG = 0xFFFF0000
    MOST_SPARE = 256          # bytes that a forgotten name leaves to the one that takes its place


cdef void start_names(RecentNames* r, uint64_t remembered, size_t most_bytes):
    """Room for that many names of so many bytes; they are found in a table at most half full."""
    cdef uint32_t slots = 8
    while slots < 4 * remembered:
        slots *= 2
    r.remembered = remembered
    r.most_bytes = most_bytes
    r.mask = slots - 1
    r.slots.safe_assign(slots, 0)
    r.used = 0
    r.newest = r.forgotten = 0
    r.bytes = 0


cdef inline uint32_t hash_name(const string* name) noexcept nogil:
    return <uint32_t>hash_text(name.data(), name.size())


cdef inline uint32_t slot_of(uint32_t hashed, uint32_t place) noexcept nogil:
    return (hashed & SLOT_TAG) | <uint32_t>0x80000000 | place


cdef uint64_t recent_number(const RecentNames* r, const string* name, uint32_t hashed) noexcept nogil:
    """The number of a remembered name, else 0."""
    cdef uint32_t tag = slot_of(hashed, 0)
    cdef uint32_t at = hashed & r.mask
    cdef uint32_t place
    while r.slots[at]:
        if r.slots[at] & SLOT_TAG == tag:
            place = r.slots[at] & 0xFFFF
            if r.hashes[place] == hashed and r.names[place] == name[0]:
                return r.numbers[place]
        at = (at + 1) & r.mask
    return 0


cdef inline GraphTime* time_of(RecentNames* r, uint64_t number) noexcept nogil:
    """The time of the name with this number."""
    return &r.times.data()[(number - 1) % r.remembered]


cdef void put_place(RecentNames* r, uint32_t place) noexcept nogil:
    """Enter what lies at this place of the ring into the table."""
    cdef uint32_t at = r.hashes[place] & r.mask
    while r.slots[at]:
        at = (at + 1) & r.mask
    r.slots.data()[at] = slot_of(r.hashes[place], place)
    r.used += 1


cdef void renew_table(RecentNames* r) noexcept nogil:
    """Make the table anew, without what has left the ring."""
    cdef uint32_t place
    r.slots.assign(r.slots.size(), 0)
    r.used = 0
    for place in range(<uint32_t>r.names.size()):
        put_place(r, place)


cdef void forget_name(RecentNames* r, uint32_t place) noexcept nogil:
    """Forget the name at this place of the ring, which may be forgotten already."""
    cdef string none
    cdef string* name = &r.names.data()[place]
    r.bytes -= name.size()
    r.forgotten = max(r.forgotten, r.numbers[place])
    if name.capacity() > MOST_SPARE:
        name.swap(none)  # its memory goes, too
    else:
        name.clear()


cdef uint64_t remember_name(RecentNames* r, const string* name, uint32_t hashed) noexcept nogil:
    """Remember a new name, forgetting the oldest of too many, or of those that take too much; gives its number."""
    cdef uint32_t place = r.newest % r.remembered
    r.newest += 1
    if place == r.names.size():
        r.names.push_back(name[0])
        r.times.resize(place + 1)
        r.hashes.push_back(hashed)
        r.numbers.push_back(r.newest)
    else:
        forget_name(r, place)
        r.names.data()[place].assign(name.data(), name.size())
        r.hashes.data()[place] = hashed
        r.numbers.data()[place] = r.newest
    r.bytes += name.size()
    while r.bytes > r.most_bytes and r.forgotten + 1 < r.newest:
        r.forgotten += 1
        forget_name(r, (r.forgotten - 1) % r.remembered)
    if 2 * r.used < r.slots.size():
        put_place(r, place)
    else:
        renew_table(r)
    return r.newest


cdef void name_of(Assembly* a, const uint8_t* text, size_t size, string* name) noexcept nogil:
    """The node that `text` writes, by value: `I` and an IRI without escapes, or `B` and a blank node's label."""
    cdef word_t word
    if text[0] == c'_':
        name.assign(b"B", 1)
        name.append(<const char*>text + 2, size - 2)
    elif memchr(text, c'\\', size) == NULL:
        name.assign(b"I", 1)
        name.append(<const char*>text + 1, size - 2)
    else:
        word = encode_term(a.store, text, <uint32_t>size, NULL, 0)
        name.assign(term_entry(a.store, word).text, term_entry(a.store, word).length)


cdef void show_name(const string* name, string* out) noexcept nogil:
    out[0] = shown_name(name)


cdef string shown_name(const string* name) noexcept nogil:
    """A node as messages show it."""
    cdef string shown
    cdef bint is_iri = name.data()[0] == c'I'
    shown.append(b"<" if is_iri else b"_:", 1 if is_iri else 2)
    shown.append(name.data() + 1, name.size() - 1)
    if is_iri:
        shown.append(b">", 1)
    return shown
