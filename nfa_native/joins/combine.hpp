// One event for each atom of a choice, all at one timestamp: every combination, with the join of their rows.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

constexpr uint32_t FIRING = 0;            // a transition, with the event that has just come
constexpr uint32_t KILLING = 1;           // a guard against the cells, when a tick closes
constexpr uint32_t JUDGING = 2;           // a guard against a finished match

// What is being combined, and for whom.
struct Purpose {
    uint32_t mode;
    uint32_t which;                       // transition, or guard
    uint32_t state = 0;                   // of a guard
    int64_t time = 0;                     // the timestamp
    uint32_t newest = 0;                  // FIRING: the event that must take part
    uint32_t deepest = 0;                 // FIRING: the last depth where it may
    int64_t from_seq = 0;                 // JUDGING: least and greatest position in the merged input
    int64_t to_seq = FOREVER;
    bool found = false;                   // JUDGING: a combination joins the match
};

static void combined(Kernel* k, Candidate* candidate, Purpose* purpose);  // `step.hpp`
static size_t first_watched(KernelState* now, uint32_t atom, int64_t time) noexcept;  // `guards.hpp`
static void choose_event(Kernel* k, const ChoiceSpec* choice, Purpose* purpose, uint32_t depth);

// The event was chosen above `depth`.
static bool takes_part(Scratch* scratch, uint32_t pos, uint32_t depth) noexcept {
    for (uint32_t i = 0; i < depth; ++i) if (scratch->combination[i] == pos) return true;
    return false;
}

// Append the union of two compatible rows.
static bool merge_row(
    const word_t* left, const word_t* right, const std::vector<uint32_t>* slots, uint32_t width,
    std::vector<word_t>* out
) {
    size_t start = out->size();
    out->insert(out->end(), left, left + width);
    for (size_t i = 0, i_end = slots->size(); i < i_end; ++i) {
        uint32_t column = (*slots)[i];
        if (right[i] == UNBOUND) continue;
        if ((*out)[start + column] != UNBOUND && (*out)[start + column] != right[i]) {
            out->resize(start);
            return false;
        }
        out->data()[start + column] = right[i];
    }
    return true;
}

// Rows of the first depth + 1 atoms of the choice, in merged[depth + 1]; how many.
static uint32_t merge_rows(Kernel* k, const ChoiceSpec* choice, uint32_t depth, uint32_t pos) {
    uint32_t count;
    const word_t* rows = rows_of(&k->now, pos, choice->atoms[depth], &count);
    const std::vector<uint32_t>& slots = choice->slots[depth];
    std::vector<word_t>* out = &k->scratch.merged[depth + 1];
    uint32_t kept = 0;
    out->clear();
    if (depth == 0) k->scratch.merged[0].assign(choice->width, UNBOUND);
    uint32_t before_count = depth == 0 ? 1 : row_count(k, k->scratch.merged[depth].size(), choice->width);
    for (uint32_t i = 0; i < before_count; ++i) {
        const word_t* before = k->scratch.merged[depth].data() + size_t(i) * choice->width;
        for (uint32_t j = 0; j < count; ++j)
            kept += merge_row(before, rows + size_t(j) * slots.size(), &slots, choice->width, out);
    }
    return normalise(out, 0, choice->width, kept);
}

// Join one more event's rows to those so far; go on where something is left.
static void join_event(Kernel* k, const ChoiceSpec* choice, Purpose* purpose, uint32_t depth, uint32_t pos) {
    Candidate candidate;
    k->scratch.combination.resize(depth);
    k->scratch.combination.push_back(pos);
    candidate.count = merge_rows(k, choice, depth, pos);
    if (candidate.count == 0) return;
    if (depth + 1 < choice->atoms.size()) {
        choose_event(k, choice, purpose, depth + 1);
        return;
    }
    candidate.rows = k->scratch.merged[depth + 1].data();
    candidate.width = choice->width;
    combined(k, &candidate, purpose);
}

// Take each event of the timestamp for the atom at `depth` in turn.
static void choose_event(Kernel* k, const ChoiceSpec* choice, Purpose* purpose, uint32_t depth) {
    uint32_t atom = choice->atoms[depth];
    bool judges = purpose->mode == JUDGING;
    const std::vector<uint32_t>* positions = judges ? &k->now.watched[atom] : &k->now.tick_atoms[atom];
    size_t i = judges ? first_watched(&k->now, atom, purpose->time) : 0;
    if (purpose->mode == FIRING && depth == purpose->deepest && !takes_part(&k->scratch, purpose->newest, depth)) {
        i = positions->size() - 1;
        assert((*positions)[i] == purpose->newest);
    }
    for (; i < positions->size() && !purpose->found; ++i) {
        uint32_t pos = (*positions)[i];
        const EventRecord* event = event_at(&k->now, pos);
        if (judges && event->time != purpose->time) return;
        if (judges && (event->seq < purpose->from_seq || event->seq > purpose->to_seq)) continue;
        join_event(k, choice, purpose, depth, pos);
    }
}

// Call `combined` for every combination of events.
static void combine(Kernel* k, const ChoiceSpec* choice, Purpose* purpose) {
    k->scratch.combination.clear();
    choose_event(k, choice, purpose, 0);
}

}  // namespace spaseq::joins
