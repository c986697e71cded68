# cython: language_level=3
"""A checked archive: named stores of named columns of numbers, as bytes and back (archive.hpp says how).

All but ``stores`` may raise ValueError (what is read is not what was written) or MemoryError: call it behind a door.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from nfa_native.core.containers cimport string, vector

cdef extern from "nfa_native/core/archive.hpp" namespace "spaseq" nogil:
    cdef cppclass ArchiveColumn:
        string name
        char kind             # 'u' unsigned, 'i' signed, 'w' words
        uint8_t width         # bytes of a number
        uint8_t stored        # bytes of a number in the archive
        uint8_t axes          # 2: a table
        uint32_t per          # numbers a row
        uint64_t rows
        string own
        const char* data
        size_t numbers()
        size_t size()
        const char* begin()

    cdef cppclass ArchiveStore:
        string name
        uint32_t version
        vector[ArchiveColumn] columns

    cdef cppclass Archive:
        vector[ArchiveStore] stores
        Archive()
        void open(const char* data, size_t size)
        void close(string& out)
        uint32_t store(const char* name, uint32_t newest)
        ArchiveColumn& add(const char* name, char kind, unsigned int width, uint64_t rows)
        bint reads()


# Read the bytes, which must stay alive as long as the archive; ValueError: they are none.
cdef int open_archive(Archive* archive, bytes data) except -1
# What was written, as bytes.
cdef bytes close_archive(Archive* archive)
# All words in it: uint64[n].
cdef object held_words(Archive* archive)
# Renumber the words of an archive that is read; the result holds them, as long as they are read.
cdef object renumber(Archive* archive, object word_map)
