"""Asking for memory before it is needed."""

cdef extern from *:
    """
    #ifndef SPASEQ_PREFETCH
    #define SPASEQ_PREFETCH
    static inline void spaseq_prefetch(const void* address) { __builtin_prefetch(address); }
    #endif
    """
    void prefetch "spaseq_prefetch"(const void*) noexcept nogil
