# The triples of an event, and sorted views of those of a large one.

# Orders of views.
cdef enum:
    BY_PREDICATE_SUBJECT
    BY_PREDICATE_OBJECT
    BY_SUBJECT
    BY_OBJECT
    ORDERS


cdef inline void open_event(EventTriples* event, const word_t* triples, size_t stride, size_t begin, size_t end,
                            int64_t now) noexcept nogil:
    """Look at triples `begin` to `end` of `stride` in all."""
    cdef size_t i
    event.subjects = triples + begin
    event.predicates = triples + stride + begin
    event.objects = triples + 2 * stride + begin
    event.size = end - begin
    event.now = now
    if event.indexed:
        event.indexed = False
        for i in range(ORDERS):
            event.views[i].ready = False


cdef void arrange(int order, word_t subject, word_t predicate, word_t object, word_t* key) noexcept nogil:
    """The words of a triple in the order of a view."""
    if order == BY_PREDICATE_SUBJECT:
        key[0], key[1], key[2] = predicate, subject, object
    elif order == BY_PREDICATE_OBJECT:
        key[0], key[1], key[2] = predicate, object, subject
    elif order == BY_SUBJECT:
        key[0], key[1], key[2] = subject, object, predicate
    else:
        key[0], key[1], key[2] = object, subject, predicate


cdef View* view_of(EventTriples* event, int order) noexcept nogil:
    """The view of that order, built when it is first asked for."""
    cdef View* view = &event.views[order]
    cdef word_t key[3]
    cdef size_t i
    if view.ready:
        return view
    view.entries.resize(event.size)
    for i in range(event.size):
        arrange(order, event.subjects[i], event.predicates[i], event.objects[i], key)
        view.entries.data()[i] = Entry(pair[word_t, word_t](key[0], key[1]), pair[word_t, uint32_t](key[2], <uint32_t>i))
    sort(view.entries.begin(), view.entries.end())
    view.ready = event.indexed = True
    return view


cdef inline int compare_key(const Entry* entry, const word_t* key) noexcept nogil:
    """−1, 0 or 1: the entry comes before, at or after the key; the key ends where it is 0."""
    if key[0] == UNBOUND:
        return 0
    if entry.first.first != key[0]:
        return -1 if entry.first.first < key[0] else 1
    if key[1] == UNBOUND:
        return 0
    if entry.first.second != key[1]:
        return -1 if entry.first.second < key[1] else 1
    if key[2] == UNBOUND or entry.second.first == key[2]:
        return 0
    return -1 if entry.second.first < key[2] else 1


cdef size_t search(const View* view, const word_t* key, int beyond) noexcept nogil:
    """The number of the first entry at the key (`beyond` 0) or after it (1)."""
    cdef size_t low = 0, high = view.entries.size(), middle
    while low < high:
        middle = (low + high) // 2
        if compare_key(&view.entries[middle], key) < beyond:
            low = middle + 1
        else:
            high = middle
    return low


cdef inline int best_order(word_t subject, word_t predicate, word_t object) noexcept nogil:
    """The view that narrows most, where 0 is unknown."""
    if predicate != UNBOUND:
        return BY_PREDICATE_OBJECT if object != UNBOUND and subject == UNBOUND else BY_PREDICATE_SUBJECT
    return BY_OBJECT if object != UNBOUND and subject == UNBOUND else BY_SUBJECT
