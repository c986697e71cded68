# cython: language_level=3
"""The N-Quads and N-Triples tokenizer: where the terms of a statement lie, and whether the statement is valid."""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

# What `read_statement` found on a line.
cdef enum:
    BAD = -1
    NOTHING = 0       # white space or a comment
    STATEMENT = 1

# The terms of a statement as they are written, angle brackets and quotes included.
cdef struct Statement:
    const uint8_t* subject
    const uint8_t* predicate
    const uint8_t* object
    const uint8_t* graph
    uint32_t subject_size
    uint32_t predicate_size
    uint32_t object_size
    uint32_t graph_size       # 0: the default graph
    int32_t number            # of the predicate in the memory, −1 if the memory is full
    bint same_subject         # as that of the statement before
    bint same_graph           # as that of the statement before; the default graph equals itself
