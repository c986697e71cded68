# cython: language_level=3
"""Results and counters of the kernel, for Python."""

from nfa_native.joins.state cimport Kernel

# The results since the last call, as RawMatches or CountedMatches.
cdef object take_results(Kernel* k)
# An array of this shape and type that has what is there.
cdef object taken(const void* source, shape, type_)
# See ``Matcher.statistics``.
cdef object statistics_of(Kernel* k)
