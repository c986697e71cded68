# cython: language_level=3
"""What no count and no position of a stream comes to, so that sums of two of them fit."""

cdef enum:
    FARTHEST = 1000000000000000000
