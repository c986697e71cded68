# cython: language_level=3
"""Archives between native code and Python."""

from nfa_native.core.archive cimport Archive

# Read the bytes, which must stay alive as long as the archive; ValueError: they are none.
cdef int open_archive(Archive* archive, bytes data) except -1
# What was written, as bytes.
cdef bytes close_archive(Archive* archive)
# All words in it: uint64[n].
cdef object held_words(Archive* archive)
# Renumber the words of an archive that is read; the result holds them, as long as they are read.
cdef object renumber(Archive* archive, object word_map)
