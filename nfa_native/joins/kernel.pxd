# cython: language_level=3
"""What Cython sees of the kernel: `feed.hpp` (batches in, results out), `sampling.hpp`, `snapshot.hpp`, `restore.hpp` and `waiting.hpp`."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from nfa_native.automata.kinds cimport Evaluating
from nfa_native.core.archive cimport Archive
from nfa_native.joins.batch cimport BatchRows
from nfa_native.joins.program cimport KernelProgram
from nfa_native.joins.state cimport Kernel, KernelState
from nfa_native.terms.dictionary cimport word_t

cdef extern from "nfa_native/joins/feed.hpp" namespace "spaseq::joins" nogil:
    const int NOTHING
    const int ADVANCING
    const int FINISHING

    cdef cppclass Task:
        int kind
        BatchRows rows
        int64_t until

    bint begin_batch(Kernel* k, Task* task, const int64_t* times, const uint64_t* handles, size_t count)
    bint go_on(Kernel* k, Task* task)
    bint is_full(const Kernel* k)
    int64_t first_due(KernelProgram* program, KernelState* now)
    size_t longest_in_kernel(KernelState* now)

cdef extern from "nfa_native/joins/choice.hpp" namespace "spaseq::joins" nogil:
    void prescribe(Kernel* k, Evaluating evaluating)

cdef extern from "nfa_native/joins/shedding.hpp" namespace "spaseq::joins" nogil:
    void bound_work(Kernel* k, double rate, double most)

cdef extern from "nfa_native/joins/sampling.hpp" namespace "spaseq::joins" nogil:
    void sample_ticks(Kernel* k, uint64_t salt, uint64_t highest_lot, int64_t since, bint alone)
    size_t begun_ticks(const Kernel* k)
    void take_begun(Kernel* k, int64_t* times, double* counts)
    int64_t oldest_time(Kernel* k)

cdef extern from "nfa_native/joins/rules.hpp" namespace "spaseq::joins" nogil:
    void build_rules(KernelState* now, const word_t* words, uint32_t count, size_t parameters)

cdef extern from "nfa_native/joins/ranks.hpp" namespace "spaseq::joins" nogil:
    const uint32_t GONE

    void change_rules(Kernel* k, const word_t* words, const int64_t* windows, uint32_t count, const uint32_t* to)
    void change_program(Kernel* k, KernelProgram* program)

cdef extern from "nfa_native/joins/snapshot.hpp" namespace "spaseq::joins" nogil:
    bint can_be_written(const Kernel* k)
    void write_kernel(Kernel* k, Archive* a)

cdef extern from "nfa_native/joins/restore.hpp" namespace "spaseq::joins" nogil:
    void load_kernel(Kernel* k, Archive* a)

cdef extern from "nfa_native/joins/demand.hpp" namespace "spaseq::joins" nogil:
    void waiting_starts(Kernel* k, int64_t* starts)
    void find_waiting(
        Kernel* k, uint32_t state, uint32_t which, const word_t* keys, size_t columns, size_t count, uint8_t* found
    )
