# cython: language_level=3
"""What a recognizer with registers runs, made of a Correlation and its Programs."""

from nfa_native.events.state cimport Correlating, Recognition

# The caller owns it.  ValueError: a program is none that `Condition` can follow.
cdef Correlating* correlating(correlation, programs) except NULL
cdef void forget_correlating(Correlating* c) noexcept
# Where the values of a batch are; ValueError if there are not as many as there are columns and events.
cdef read_columns(Recognition* r, columns, size_t count)
