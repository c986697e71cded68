# distutils: language = c++
# cython: language_level=3
"""The rows of a batch, as the caller has them."""

import numpy as np

from libc.stdint cimport uint32_t, uint64_t

from nfa_native.core.containers cimport vector
from nfa_native.terms.rows cimport EventRows


cdef object borrow_rows(BatchRows* out, object rows, const vector[uint32_t]* slots, size_t events):
    """Note where the rows of all atoms lie; the result keeps them alive.  Atoms that share arrays share a source."""
    cdef size_t i
    keep = []
    row_event = columns = None
    width = -1
    for i in range(slots.size()):
        atom = rows[i]
        if atom is None or len(atom.row_event) == 0:
            continue
        if atom.row_event is not row_event or atom.columns is not columns or slots.at(i) != width:
            row_event, columns, width = atom.row_event, atom.columns, slots.at(i)
            keep.append(borrow_columns(out, row_event, columns, slots.at(i), events))
        out.takers.safe_push_back(RowTaker(<uint32_t>i, slots.at(i), <uint32_t>out.sources.size() - 1))
    return keep


cdef object borrow_columns(BatchRows* out, object row_event, object columns, uint32_t slots, size_t events):
    """Note where rows lie."""
    cdef const uint32_t[::1] numbers = np.ascontiguousarray(row_event)
    cdef const uint64_t[:, ::1] words = np.ascontiguousarray(columns)
    cdef RowSource one
    if words.shape[0] != slots or (slots and words.shape[1] != numbers.shape[0]):
        raise ValueError(f"an atom of {slots} slots got columns of shape {tuple(columns.shape)}")
    one.row_event = &numbers[0]
    one.columns = &words[0, 0] if slots else NULL
    one.rows = <size_t>numbers.shape[0]
    one.at = one.end = 0
    if not is_ascending(one.row_event, one.rows, events):
        raise ValueError(f"row_event must ascend and number the {events} events of the batch")
    out.sources.safe_push_back(one)
    return numbers, words


cdef int borrow_event(
    BatchRows* out, list rows, const vector[uint32_t]* slots, vector[uint32_t]* zeros
) except -1:
    """As `borrow_rows`, of a single event whose rows the caller keeps alive; `zeros` number that event."""
    cdef RowSource one
    cdef EventRows found
    cdef object before = None
    cdef size_t i
    for i in range(slots.size()):
        if rows[i] is None:
            continue
        found = rows[i]
        if found.width != slots.at(i):
            raise ValueError(f"an atom of {slots.at(i)} slots got rows of {found.width}")
        if found.count == 0:
            continue
        if found is not before:
            before = found
            if zeros.size() < found.count:
                zeros.safe_resize(found.count, 0)
            one.columns = found.words.data()
            one.rows = found.count
            one.at = one.end = 0
            out.sources.safe_push_back(one)
        out.takers.safe_push_back(RowTaker(<uint32_t>i, slots.at(i), <uint32_t>out.sources.size() - 1))
    for i in range(out.sources.size()):  # now that they stay where they are
        out.sources[i].row_event = zeros.data()
    return 0
