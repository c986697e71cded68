# The last graph names of a source: a ring with a hash table.


cdef void start_names(RecentNames* r, uint64_t remembered):
    """Room for that many names; they are found in a table at most half full."""
    cdef NameSlot empty
    cdef uint32_t slots = 4
    while slots < 2 * remembered:
        slots *= 2
    empty.hashed = empty.place = 0
    r.remembered = remembered
    r.mask = slots - 1
    r.slots.assign(slots, empty)
    r.newest = 0


cdef uint32_t hash_name(const string* name) noexcept nogil:
    """A hash of its bytes, eight at a time."""
    cdef const char* text = name.data()
    cdef size_t left = name.size()
    cdef uint64_t value = <uint64_t>0x9E3779B97F4A7C15 ^ left
    cdef uint64_t part
    while left >= 8:
        memcpy(&part, text, 8)
        value = (value ^ part) * <uint64_t>0xD6E8FEB86659FD93
        value ^= value >> 32
        text += 8
        left -= 8
    part = 0
    if left:
        memcpy(&part, text, left)
    value = (value ^ part) * <uint64_t>0xD6E8FEB86659FD93
    return <uint32_t>(value ^ (value >> 32))


cdef uint32_t find_name(const RecentNames* r, const string* name, uint32_t hashed) noexcept nogil:
    """The slot of the name, or the empty one where it belongs."""
    cdef uint32_t at = hashed & r.mask
    while r.slots[at].place:
        if r.slots[at].hashed == hashed and r.names[r.slots[at].place - 1] == name[0]:
            break
        at = (at + 1) & r.mask
    return at


cdef uint64_t recent_number(const RecentNames* r, const string* name, uint32_t hashed) noexcept nogil:
    """The number of a remembered name, else 0."""
    cdef uint32_t place = r.slots[find_name(r, name, hashed)].place
    return r.numbers[place - 1] if place else 0


cdef inline GraphTime* time_of(RecentNames* r, uint64_t number) noexcept nogil:
    """The time of the name with this number."""
    return &r.times.data()[(number - 1) % r.remembered]


cdef void drop_place(RecentNames* r, uint32_t place) noexcept nogil:
    """Take what lies at this place of the ring out of the table, moving back what was put behind it (Knuth's algorithm R)."""
    cdef uint32_t hole = r.hashes[place] & r.mask
    cdef uint32_t at, home
    while r.slots[hole].place != place + 1:
        hole = (hole + 1) & r.mask
    at = hole
    while True:
        at = (at + 1) & r.mask
        if r.slots[at].place == 0:
            break
        home = r.slots[at].hashed & r.mask
        if ((at - home) & r.mask) >= ((at - hole) & r.mask):
            r.slots.data()[hole] = r.slots.data()[at]
            hole = at
    r.slots.data()[hole].place = 0


cdef uint64_t remember_name(RecentNames* r, const string* name, uint32_t hashed) noexcept nogil:
    """Remember a new name, forgetting the oldest of too many; gives its number."""
    cdef uint32_t place = r.newest % r.remembered
    cdef uint32_t at
    if r.newest >= r.remembered:
        drop_place(r, place)
    else:
        r.names.push_back(name[0])
        r.times.resize(place + 1)
        r.hashes.push_back(hashed)
        r.numbers.push_back(0)
    r.newest += 1
    at = hashed & r.mask
    while r.slots[at].place:
        at = (at + 1) & r.mask
    r.slots.data()[at].hashed = hashed
    r.slots.data()[at].place = place + 1
    r.hashes.data()[place] = hashed
    r.numbers.data()[place] = r.newest
    r.names.data()[place].assign(name.data(), name.size())
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


cdef string shown_name(const string* name) noexcept nogil:
    """A node as messages show it."""
    cdef string shown
    shown.assign(b"<" if name.data()[0] == c'I' else b"_:")
    shown.append(name.data() + 1, name.size() - 1)
    if name.data()[0] == c'I':
        shown.append(b">", 1)
    return shown
