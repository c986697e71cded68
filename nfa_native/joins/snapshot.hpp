// All that a snapshot has of a kernel: `archive.hpp`, `archive_forks.hpp`, `archive_merging.hpp`.  `restore.hpp` reads it.
#pragma once

#include "nfa_native/core/archive.hpp"
#include "nfa_native/joins/archive.hpp"
#include "nfa_native/joins/archive_forks.hpp"
#include "nfa_native/joins/archive_segments.hpp"
#include "nfa_native/joins/archive_merging.hpp"
#include "nfa_native/joins/archive_shedding.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// Everything that the future depends on.
inline void write_kernel(Kernel* k, Archive* a) {
    Places places{};
    clock_fields(k, a);
    counter_fields(&k->now, a);
    write_history(k->program, &k->now, a);
    write_nodes(k->program, &k->now, a);
    staged_fields(&k->now, a);
    if (!k->program->junctions.empty()) write_forks(&k->now, a);
    write_cells(&k->now, a, &places);
    if (!k->program->segments.empty()) write_segments(&k->now, a);
    write_merging(k->program, &k->now, a);
    write_deadlines(&k->now, a, &places);
    write_seen(k->program, &k->now, a);
    if (k->program->rules != NO_RULES) write_rules(&k->now, a, &places);
    if (k->shedding) write_shedding(k, a);
}

}  // namespace spaseq::joins
