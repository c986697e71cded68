# cython: language_level=3
"""Hashes of what comes from outside.  Nobody who does not know the secrets of the process can make values that collide.

Python draws them: its hash of bytes is SipHash under a key from the operating system, or from PYTHONHASHSEED.  Hashes are
in no snapshot, and nothing that is shown depends on them.
"""

from libc.stdint cimport uint8_t, uint64_t

from nfa_native.core.containers cimport vector

cdef extern from *:
    """
    #ifndef SPASEQ_MIXING
    #define SPASEQ_MIXING
    #include <cstdint>
    #include <cstring>
    #include <string>

    static uint64_t spaseq_drawn(const char* name) {
        PyObject* text = PyBytes_FromString(name);
        uint64_t drawn = text == NULL ? 0 : (uint64_t)PyObject_Hash(text);
        Py_XDECREF(text);
        return drawn | 1;  /* factors are odd, so that they lose nothing */
    }

    /* Drawn when the module is loaded, which the interpreter does. */
    static const uint64_t spaseq_secret = spaseq_drawn("spaseq: what is added");
    static const uint64_t spaseq_factor = spaseq_drawn("spaseq: the first factor");
    static const uint64_t spaseq_second_factor = spaseq_drawn("spaseq: the second factor");

    /* Both halves of the 128-bit product, folded. */
    static inline uint64_t spaseq_fold(uint64_t a, uint64_t b) {
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)product ^ (uint64_t)(product >> 64);
    }

    static inline uint64_t spaseq_mix(uint64_t value) {
        return spaseq_fold(spaseq_fold(value ^ spaseq_secret, spaseq_factor), spaseq_second_factor);
    }

    static inline uint64_t spaseq_mix_on(uint64_t state, uint64_t value) {
        return spaseq_fold(state ^ value ^ spaseq_secret, spaseq_factor);
    }

    static inline uint64_t spaseq_hash_text(const void* bytes, size_t size) {
        const char* text = (const char*)bytes;
        uint64_t state = spaseq_secret ^ size, block = 0;
        for (; size > 8; text += 8, size -= 8) {
            memcpy(&block, text, 8);
            state = spaseq_fold(state ^ block, spaseq_factor);
        }
        block = 0;
        memcpy(&block, text, size);
        return spaseq_fold(spaseq_fold(state ^ block, spaseq_factor), spaseq_second_factor);
    }

    struct SpaseqTextHash {  /* may throw for all that the library knows: so it keeps hashes of texts beside them */
        size_t operator()(const std::string& text) const { return spaseq_hash_text(text.data(), text.size()); }
    };

    struct SpaseqNumberHash {
        size_t operator()(uint64_t value) const noexcept { return spaseq_mix(value); }
    };
    #endif
    """
    # A hash of 64 bits.
    uint64_t mix "spaseq_mix"(uint64_t value) noexcept nogil
    # The hash of several values: from one to the next, the first time from any number.
    uint64_t mix_on "spaseq_mix_on"(uint64_t state, uint64_t value) noexcept nogil
    # A hash of bytes.
    uint64_t hash_text "spaseq_hash_text"(const void* text, size_t size) noexcept nogil

    # For `unordered_map`, whose own hashes are known to everybody.
    cppclass TextHash "SpaseqTextHash":
        pass

    cppclass NumberHash "SpaseqNumberHash":
        pass


cdef inline size_t longest_run(const vector[uint8_t]& taken) noexcept nogil:
    """The most slots in a row that are taken, in a table with open addressing: few, where values do not collide."""
    cdef size_t longest = 0, run = 0, i
    for i in range(2 * taken.size()):     # twice, as a run may go on at the beginning
        run = run + 1 if taken[i % taken.size()] else 0
        longest = max(longest, run)
    return longest
