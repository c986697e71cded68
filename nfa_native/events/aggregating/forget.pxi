# Forgetting: partitions in which no match can begin where it has begun, and numbers of keys that no start has any more.

cdef extern from "<utility>" namespace "std" nogil:
    void swap(Substream& one, Substream& other)


cdef bint lives(const Aggregation* a, Substream* s, int64_t least, int64_t events) noexcept nogil:
    """Some path starts at `least` or later; of windows of `events` >= 0, in that of the partition's next event."""
    cdef size_t left = s.window.log.size()
    if not a.windowed:
        return s.window.has_front or s.window.has_back
    if events >= 0:
        least = s.events - events
    if s.window.has_front and s.window.youngest >= least:
        return True
    while s.window.has_back and left:
        left -= 1
        if s.window.log[left].start != NEVER:
            return s.window.log[left].start >= least
    return False


cdef void find_living(Aggregation* a, int64_t least, int64_t events, vector[uint32_t]* out) noexcept nogil:
    """The partitions that live, rising."""
    cdef uint32_t partition
    for partition in range(<uint32_t>a.substreams.size()):
        if lives(a, &a.substreams[partition], least, events):
            out.push_back(partition)


cdef void renumber_substreams(Aggregation* a, const vector[uint32_t]* numbers, size_t count) noexcept nogil:
    """Give each partition its new number, which is none that is greater; NO_PARTITION: it is forgotten."""
    cdef size_t old, touched = 0
    for old in range(a.touched.size()):
        if numbers.at(a.touched[old]) != NO_PARTITION:
            a.touched[touched] = numbers.at(a.touched[old])
            touched += 1
    a.touched.resize(touched)
    for old in range(numbers.size()):
        if numbers.at(old) < old:
            swap(a.substreams[numbers.at(old)], a.substreams[old])
    a.substreams.resize(max(<size_t>1, count))
    if count == 0:
        begin_substream(a, &a.substreams[0])


cdef void find_keys(Aggregation* a, vector[uint32_t]* out) noexcept nogil:
    """The keys of all starts."""
    cdef size_t i, k
    for i in range(a.substreams.size()):
        for k in range(a.substreams[i].window.groups.size()):
            out.push_back(a.substreams[i].window.groups[k].key)


cdef void renumber_keys(Aggregation* a, const vector[uint32_t]* numbers) noexcept nogil:
    """Give each key that has a number its new one."""
    cdef size_t i, k
    cdef Substream* s
    for i in range(a.substreams.size()):
        s = &a.substreams[i]
        for k in range(s.window.groups.size()):
            if s.window.groups[k].key < numbers.size():
                s.window.groups[k].key = numbers.at(s.window.groups[k].key)
        number_groups(s)


cdef object as_array(const vector[uint32_t]* numbers):
    found = np.empty(numbers.size(), np.uint32)
    cdef uint32_t[::1] target = found
    cdef size_t i
    for i in range(numbers.size()):
        target[i] = numbers.at(i)
    return found
