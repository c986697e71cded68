// Where the sides of `X && Y` meet (semantics.md 3.6).  Each side runs by itself; a complete way waits in a cell of its
// side, by its values and by the partial match that it goes on from (its anchor).  When a way is complete, one node says
// for all ways of the other sides that fit that they meet: no two are put together before output.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/cells.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/output.hpp"
#include "nfa_native/joins/probe.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

typedef std::vector<word_t> Rows;

// Ways of one side that are complete now, alike in their values.
struct Arrival {
    const JunctionSpec* junction;
    uint32_t number;                      // of the junction
    uint32_t side;
    const Rows* rows;
    uint32_t count;                       // rows
    uint32_t node;                        // the set
    int64_t deadline;
    uint32_t lo;                          // first position of the windows that end now
};

static void arrive(Kernel* k, const TargetSpec* target, Arrival* arrival, const Rows* rows, uint32_t count);

// Note the cells of a bucket that are in the window.
static void note_cells(
    Kernel* k, StateData* s, std::vector<CellReference>* bucket, uint32_t lo, std::vector<uint32_t>* out
) {
    size_t kept = 0;
    k->scratch.scanned += bucket->size();
    for (const CellReference& one : *bucket) {
        if (!is_current(s, &one)) continue;
        if (has_left(&k->now, &s->cells[one.cell])) {
            expire_cell(s, one.cell);
            continue;
        }
        (*bucket)[kept++] = one;
        if (visit_cell(&s->cells[one.cell], s->stamp, lo)) out->push_back(one.cell);
    }
    bucket->resize(kept);
}

// The cells of another side under the keys of the arrival's rows: both sides have the columns of their index.
static void find_partners(Kernel* k, const Arrival* arrival, uint32_t side, std::vector<uint32_t>* out) {
    StateData* own = &k->now.states[arrival->junction->sides[arrival->side].state];
    StateData* s = &k->now.states[arrival->junction->sides[side].state];
    const std::vector<uint32_t>& columns = own->indexes[0].spec->columns;
    ++s->stamp;
    if (s->live == 0) return;
    for (uint32_t i = 0; i < arrival->count; ++i) {
        uint64_t key = hash_key(arrival->rows->data() + size_t(i) * own->width, columns.data(), columns.size());
        if (key == WILD) {
            list_everything(k, s);
            note_cells(k, s, &k->scratch.everything, arrival->lo, out);
            return;
        }
        Bucket* bucket = find_bucket(&s->indexes[0], key);
        if (bucket != nullptr) note_cells(k, s, &bucket->cells, arrival->lo, out);
    }
    note_cells(k, s, &s->indexes[0].wild.cells, arrival->lo, out);
}

// Append the union of two compatible rows: `columns` says where each column of the way goes.
static void unite_rows(
    const word_t* row, uint32_t width, const word_t* way, const std::vector<uint32_t>& columns, Rows* out
) {
    size_t start = out->size();
    out->insert(out->end(), row, row + width);
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] == NO_COLUMN || way[i] == UNBOUND) continue;
        word_t* held = out->data() + start + columns[i];
        if (*held != UNBOUND && *held != way[i]) {
            out->resize(start);
            return;
        }
        *held = way[i];
    }
}

// All compatible unions of rows so far with those of a way.
static void unite_all(
    const JunctionSpec* junction, uint32_t side, const Rows* before, const word_t* rows, uint32_t count, uint32_t width,
    Rows* out
) {
    const std::vector<uint32_t>& columns = junction->sides[side].columns;
    out->clear();
    for (size_t at = 0; at < before->size(); at += junction->width)
        for (uint32_t i = 0; i < count; ++i)
            unite_rows(before->data() + at, junction->width, rows + size_t(i) * width, columns, out);
}

// Keep the rows that pass the junction's filters; how many.
static uint32_t filter_rows(Kernel* k, const JunctionSpec* junction, Rows* rows) {
    uint32_t count = uint32_t(rows->size() / junction->width), kept = 0;
    if (junction->filters.empty()) return count;
    for (uint32_t i = 0; i < count; ++i) {
        const word_t* row = rows->data() + size_t(i) * junction->width;
        load_registers(&k->scratch, row, junction->width, nullptr, 0);
        if (!all_hold(k, &junction->filters, junction->width + 1, k->now.tick)) continue;
        std::copy(row, row + junction->width, rows->data() + size_t(kept++) * junction->width);
    }
    rows->resize(size_t(kept) * junction->width);
    return kept;
}

// Put a set aside, with nothing picked, until the tick closes.
static void stage_union(
    Kernel* k, const TargetSpec* target, const Rows* rows, uint32_t count, uint32_t node, int64_t deadline
) {
    k->now.staged.emplace_back();
    Staged* staged = &k->now.staged.back();
    staged->word = k->now.staged_words.size();
    k->now.staged_words.insert(k->now.staged_words.end(), rows->begin(), rows->end());
    staged->deadline = deadline;
    staged->pick = k->now.staged_picks.size();
    staged->rows = count;
    staged->picks = 0;
    staged->state = target->state;
    staged->label = UNION;
    staged->next = node;
    staged->max_start = node_at(&k->now, node)->max_start;
}

// The unions of a product go on: to other states, or to output.
static void go_on_together(
    Kernel* k, const Arrival* arrival, const Rows* rows, uint32_t count, uint32_t node, int64_t deadline
) {
    const JunctionSpec* junction = arrival->junction;
    for (const TargetSpec& target : junction->targets) {
        if (target.finishes) {
            output_union(k, target.state, node, arrival->lo);
            continue;
        }
        Rows& entered = k->scratch.unions[arrival->number].entered;
        entered.clear();
        for (uint32_t i = 0; i < count; ++i) {
            values_of(k, &target.values, rows->data() + size_t(i) * junction->width, junction->width, nullptr, 0,
                k->now.tick, &entered);
        }
        uint32_t kept = normalise(&entered, 0, uint32_t(target.values.size()), count);
        if (target.junction == NO_JUNCTION) {
            stage_union(k, &target, &entered, kept, node, deadline);
        } else {
            Arrival one{nullptr, 0, 0, nullptr, 0, node, deadline, arrival->lo};
            arrive(k, &target, &one, &entered, kept);
        }
    }
}

// Unions whose rows only they themselves tell go on one by one.
static void go_on_singly(Kernel* k, const Arrival* arrival, const Rows& rows, uint32_t node, int64_t deadline) {
    const JunctionSpec* junction = arrival->junction;
    for (const SingleUnion& one : find_singles(k, node, arrival->lo)) {
        Rows kept = rows_of_single(junction, rows, one, k->program->whole);
        go_on_together(k, arrival, &kept, uint32_t(kept.size() / junction->width), one.node, deadline);
    }
}

// Matches that meet are put out, and nothing else happens.
static bool only_finishes(const JunctionSpec* junction) noexcept {
    for (const TargetSpec& target : junction->targets)
        if (!target.finishes) return false;
    return true;
}

// One set of each side is chosen: they meet.
static void meet(Kernel* k, const Arrival* arrival) {
    const JunctionSpec* junction = arrival->junction;
    Unions* unions = &k->scratch.unions[arrival->number];
    Rows* rows = &unions->rows.back();
    uint32_t count = filter_rows(k, junction, rows);
    if (count == 0) return;
    uint32_t head = k->now.ring.head;
    size_t postponed = k->pause.postponed.size();
    uint32_t node = make_product(&k->now, arrival->number, unions->nodes);
    if (junction->across_repeated && count > 1 && !only_finishes(junction))
        go_on_singly(k, arrival, *rows, node, unions->deadlines.back());
    else go_on_together(k, arrival, rows, count, node, unions->deadlines.back());
    if (only_finishes(junction) && k->pause.postponed.size() == postponed && !k->pause.suspended)
        k->now.ring.head = head;  // nobody keeps the product
}

// Choose a set of each side from number `side` on, and let them meet.
static void choose_sets(Kernel* k, const Arrival* arrival, uint32_t side) {
    const JunctionSpec* junction = arrival->junction;
    Unions* unions = &k->scratch.unions[arrival->number];
    if (side == junction->sides.size()) {
        meet(k, arrival);
        return;
    }
    StateData* s = &k->now.states[junction->sides[side].state];
    const Rows* before = &unions->rows[side];
    Rows* after = &unions->rows[side + 1];
    if (side == arrival->side) {
        unite_all(junction, side, before, arrival->rows->data(), arrival->count, s->width, after);
        unions->nodes[side] = arrival->node;
        unions->deadlines[side + 1] = std::min(unions->deadlines[side], arrival->deadline);
        if (!after->empty()) choose_sets(k, arrival, side + 1);
        return;
    }
    for (uint32_t cell : unions->cells[side]) {
        unite_all(junction, side, before, cell_rows(s, cell), s->cells[cell].rows, s->width, after);
        unions->nodes[side] = s->cells[cell].node;
        unions->deadlines[side + 1] = std::min(unions->deadlines[side], s->cells[cell].deadline);
        if (!after->empty()) choose_sets(k, arrival, side + 1);
    }
}

// Let the ways that are complete meet those of the other sides that have been complete before.
static void meet_others(Kernel* k, const Arrival* arrival) {
    const JunctionSpec* junction = arrival->junction;
    Unions* unions = &k->scratch.unions[arrival->number];
    for (uint32_t side = 0; side < junction->sides.size(); ++side) {
        if (side == arrival->side) continue;
        unions->cells[side].clear();
        find_partners(k, arrival, side, &unions->cells[side]);
        if (unions->cells[side].empty()) return;
    }
    choose_sets(k, arrival, 0);
}

// Enter the ways into the cell of their values.
static void wait_for_others(Kernel* k, const Arrival* arrival) {
    StateData* s = &k->now.states[arrival->junction->sides[arrival->side].state];
    uint32_t number = cell_for(k, s, arrival->rows->data(), arrival->count, arrival->deadline, uint32_t(NO_CELL));
    Cell* cell = s->cells.data() + number;
    cell->node = cell->node ? unite(&k->now, arrival->node, cell->node) : arrival->node;
    cell->youngest = node_at(&k->now, cell->node)->max_start;
    note_start(s, cell->youngest);
}

// A side is complete: its ways meet those of the others, and wait for others to come.  This happens at once, and not
// when the tick closes, for sides may end at one time.
static void arrive(Kernel* k, const TargetSpec* target, Arrival* arrival, const Rows* rows, uint32_t count) {
    arrival->junction = &k->program->junctions[target->junction];
    arrival->number = target->junction;
    arrival->side = target->side;
    arrival->rows = rows;
    arrival->count = count;
    meet_others(k, arrival);
    wait_for_others(k, arrival);
}

}  // namespace spaseq::joins
