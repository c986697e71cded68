// Negation that is judged when a step is made: a guard that reads the event of the next step, too, is asked when that
// comes.  Of the negated events that strike only the youngest counts: the partial matches of the cell whose last event
// comes before it are struck, the others make the step (`prefixes.hpp`).  Where events have several rows, and where a
// value that later steps may still bind is not bound, finished matches are judged (`guards.hpp`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/prefixes.hpp"
#include "nfa_native/joins/guards.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/negated_events.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

enum class Strike { NONE, FOUND, UNKNOWN };

// `seen`: what the guard reads of whole matches, from the rows of a step.
static void see_step(Kernel* k, const ChanceSpec* chance, const Sides& sides) {
    k->scratch.seen.assign(k->program->whole, UNBOUND);
    for (const SightSpec& one : chance->sights)
        k->scratch.seen[one.column] =
            read_value(k, &one.value, sides.cell, sides.cell_width, sides.row, sides.row_width, sides.now);
}

// A later step may still bind what the guard reads.
static bool is_unsettled(const Kernel* k, const ChanceSpec* chance) noexcept {
    for (uint32_t column : chance->later) if (k->scratch.seen[column] == UNBOUND) return true;
    return false;
}

// The youngest in the queue of the step's key that strikes; `from`: the first position of its tick.
static Strike find_in_queue(Kernel* k, const GuardSpec* guard, uint32_t* from) {
    const StrikeOrder& order = guard->order;
    Strikers* all = &k->now.strikers[guard->strikers];
    const word_t* seen = k->scratch.seen.data();
    if (!order.known || (all->some_apart && !older(all->apart, k->now.lo))) return Strike::UNKNOWN;
    word_t other = order.compares ? seen[order.column] : UNBOUND;
    if (order.compares && other == UNBOUND) return Strike::NONE;
    uint64_t hash = hash_joined(guard->whole.joins, seen, &Join::cell);
    if (hash == WILD) return Strike::UNKNOWN;
    StrikerQueue* queue = find_queue(all, hash, guard->whole.joins, seen, &Join::cell);
    if (queue == nullptr || is_over(*queue, k->now.lo)) return Strike::NONE;
    if (order.compares && kind_of_order(other) != queue->kind) return Strike::UNKNOWN;
    auto strikes = [&](const Striker& one) { return is_struck_by(order, one.value, other); };
    auto begin = queue->strikers.begin() + ptrdiff_t(queue->first);
    auto end = std::partition_point(begin, queue->strikers.end(), strikes);
    k->scratch.scanned += 1;
    if (end == begin || older((end - 1)->pos, k->now.lo)) return Strike::NONE;
    *from = (end - 1)->from;
    return Strike::FOUND;
}

// The negated event at a position strikes.
static bool strikes_at(Kernel* k, const GuardSpec* guard, uint32_t pos) {
    uint32_t count, whole = k->program->whole, width = guard->choice.width;
    const word_t* row = rows_of(&k->now, pos, guard->choice.atoms[0], &count);
    if (!compatible(&guard->whole, k->scratch.seen.data(), row)) return false;
    load_registers(&k->scratch, k->scratch.seen.data(), whole, row, width);
    return all_hold(k, &guard->whole.filters, whole + width + 1, event_at(&k->now, pos)->time);
}

// The node of a set from which on last events come before `pos`; 0: all that are left come later, or with it.
static uint32_t skip_younger(KernelState* now, uint32_t node, uint32_t pos) noexcept {
    while (node && has_live(now, node, now->lo) && !older(node_at(now, node)->pos, pos))
        node = node_at(now, node)->sibling;
    return node && has_live(now, node, now->lo) ? node : 0;
}

// The same as `find_in_queue`, looked for from the youngest event to the oldest one that comes after some last event of
// the set `node`.
static Strike find_one_by_one(Kernel* k, const GuardSpec* guard, uint32_t node, uint32_t* from) {
    const std::vector<uint32_t>& watched = k->now.watched[guard->choice.atoms[0]];
    bool in_view = node_at(&k->now, node)->label & VIEW;
    for (size_t i = first_watched(&k->now, guard->choice.atoms[0], k->now.tick); i > 0; --i) {
        uint32_t pos = watched[i - 1];
        if (older(pos, k->now.lo)) break;
        if (!in_view && (node = skip_younger(&k->now, node, pos)) == 0) break;
        k->scratch.scanned += 1;
        if (!strikes_at(k, guard, pos)) continue;
        *from = tick_of(&k->now, pos);
        return Strike::FOUND;
    }
    return Strike::NONE;
}

// A negated event strikes some of the set `node`, which makes a step with these rows: those whose last event comes
// before `from`.
static bool is_struck(Kernel* k, const TransitionSpec* transition, const Sides& sides, uint32_t node, uint32_t* from) {
    bool struck = false;
    for (const ChanceSpec& chance : transition->chances) {
        const GuardSpec* guard = &k->program->states[transition->source].guards[chance.guard];
        uint32_t found = 0;
        if (!is_settled(&k->now, guard)) continue;
        see_step(k, &chance, sides);
        if (is_unsettled(k, &chance)) {
            defer(&k->now, guard);
            continue;
        }
        Strike strike = find_in_queue(k, guard, &found);
        if (strike == Strike::UNKNOWN) strike = find_one_by_one(k, guard, node, &found);
        if (strike != Strike::FOUND) continue;
        ++k->now.judgements[guard->number].killed;
        if (!struck || older(*from, found)) *from = found;
        struck = true;
    }
    return struck;
}

// What of the set `node` makes the step with a candidate from a cell of this row; 0: nothing, all of it is struck.
static uint32_t left_of_set(
    Kernel* k, const TransitionSpec* transition, const Candidate* candidate, const word_t* cell, uint32_t node
) {
    uint32_t from = 0;
    Sides sides{cell, k->now.states[transition->source].width, candidate->rows, candidate->width, k->now.tick};
    if (k->now.many_rows || !is_struck(k, transition, sides, node, &from)) return node;
    bool in_view = node_at(&k->now, node)->label & VIEW;
    return in_view ? cut_view(k, node, from) : cut_set(&k->now, node, from);
}

}  // namespace spaseq::joins
