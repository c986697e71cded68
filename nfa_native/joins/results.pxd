# cython: language_level=3
"""Results and counters of the kernel, for Python."""

from nfa_native.joins.state cimport Kernel

# The results since the last call, as RawMatches or CountedMatches.
cdef object take_results(Kernel* k)
# See ``Matcher.statistics``.
cdef object statistics_of(Kernel* k)
