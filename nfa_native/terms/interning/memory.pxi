# Memory that is given back as a whole.


cdef char* reserve(Arena* arena, size_t length) noexcept nogil:
    """That many bytes of the arena, uninitialised."""
    cdef size_t size
    while arena.chunk < arena.chunks.size():
        if arena.used + length <= arena.sizes[arena.chunk]:
            arena.used += length
            return arena.chunks[arena.chunk] + arena.used - length
        arena.chunk += 1
        arena.used = 0
    size = FIRST_CHUNK << (arena.chunks.size() if arena.chunks.size() < 12 else 12)
    if size < length:
        size = length
    arena.chunks.push_back(NULL)
    arena.sizes.push_back(0)
    arena.chunks[arena.chunk] = <char*>allocated(size)
    arena.sizes[arena.chunk] = size
    arena.used = length
    return arena.chunks[arena.chunk]


cdef size_t capacity(const Arena* arena) noexcept nogil:
    cdef size_t total = 0, i
    for i in range(arena.sizes.size()):
        total += arena.sizes[i]
    return total


cdef void release(Arena* arena) noexcept nogil:
    cdef size_t i
    for i in range(arena.chunks.size()):
        free(arena.chunks[i])


cdef char* scratch(TermStore* store, size_t length) noexcept nogil:
    return reserve(&store.scratch, length)


cdef void clear_scratch(TermStore* store) noexcept nogil:
    store.scratch.chunk = 0
    store.scratch.used = 0
