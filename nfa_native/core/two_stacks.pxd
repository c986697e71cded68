# cython: language_level=3
"""A sliding window of totals by two stacks (`two_stacks.hpp`), and its snapshot (`two_stacks_archive.hpp`)."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from nfa_native.core.archive cimport Archive
from nfa_native.core.containers cimport vector

cdef extern from *:
    ctypedef long long int128 "__int128"      # Cython knows only its rank

cdef extern from "nfa_native/core/two_stacks.hpp" namespace "spaseq" nogil:
    cdef cppclass StartGroup[Semiring]:
        uint32_t key
        size_t begun
        size_t left
        vector[int64_t] starts

    cdef cppclass Window[Semiring, Event]:
        bint has_front
        int64_t youngest
        bint has_back
        size_t height
        vector[uint8_t] filled
        vector[StartGroup[Semiring]] groups
        vector[Event] log
        vector[int128] log_wides
        vector[double] log_reals

    cdef cppclass TwoStacks[Semiring, Event, Span]:
        Semiring semiring
        size_t slots
        void forget_all(Window[Semiring, Event]& window)
        size_t row_of(size_t slot)
        size_t first_row(const Window[Semiring, Event]& window)
        Span column(Window[Semiring, Event]& window, size_t slot)
        Span filled_column(Window[Semiring, Event]& window, size_t slot)
        uint32_t add_group(Window[Semiring, Event]& window, uint32_t key)
        void note_start(Window[Semiring, Event]& window, size_t group, int64_t start)
        bint expire(Window[Semiring, Event]& window, int64_t least)
        void add_window(
            Window[Semiring, Event]& window, size_t group, int64_t least, const Span& rows, size_t first, const Span& out
        )
        void begin_front(Window[Semiring, Event]& window)
        Span future_of(size_t slot)
        void end_future(size_t slot)
        Span begin_start(Window[Semiring, Event]& window, size_t group, int64_t start)
        bint end_front(Window[Semiring, Event]& window)

# All may raise ValueError: what an archive has is no state of windows.
cdef extern from "nfa_native/core/two_stacks_archive.hpp" namespace "spaseq" nogil:
    void require_rows(size_t rows, size_t width, size_t size)

    cdef cppclass WindowsForm[Semiring, Event, Span]:
        vector[Event] log             # its fields are the caller's to write
        vector[int128] log_wides
        size_t size()
        void append(const TwoStacks[Semiring, Event, Span]& stacks, Window[Semiring, Event]& window)
        void fields(Archive& archive)
        void check(const TwoStacks[Semiring, Event, Span]& stacks, size_t wides, size_t reals)
        void take_window(
            const TwoStacks[Semiring, Event, Span]& stacks, size_t number, bint keeps, Window[Semiring, Event]& window
        )
        void check_all_taken(const TwoStacks[Semiring, Event, Span]& stacks)
