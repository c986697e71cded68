// Who waits for an event: asked before the rows of the next batch are made, changes nothing.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/segments.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/window.hpp"

namespace spaseq::joins {

// Some partial match in the state may still be in the window.
static inline bool is_waiting(KernelState* now, StateData* s) noexcept {
    if (s->live == 0 || older(s->youngest, now->lo)) return false;
    assert(s->youngest - now->history.first < now->history.events.size());
    return true;
}

// The keys, in order, of the sets that enter the state when the tick closes; False if one is not bound.
static bool list_staged(Kernel* k, StateData* s, uint32_t state, const CellIndex* index, std::vector<uint64_t>* out) {
    const std::vector<uint32_t>& columns = index->spec->columns;
    for (const Staged& staged : k->now.staged) {
        if (staged.state != state) continue;
        const word_t* rows = k->now.staged_words.data() + staged.word;
        for (uint32_t r = 0; r < staged.rows; ++r) {
            uint64_t key = hash_key(rows + size_t(r) * s->width, columns.data(), columns.size());
            if (key == WILD) return false;
            out->push_back(key);
        }
    }
    std::sort(out->begin(), out->end());
    return true;
}

// A cell of the bucket is alive and in the window.
static bool has_current(KernelState* now, StateData* s, const std::vector<CellReference>* bucket) noexcept {
    for (const CellReference& one : *bucket)
        if (is_current(s, &one) && !has_left(now, &s->cells[one.cell])) return true;
    return false;
}

// A group of the bucket's list is in the window.
static bool holds_group(Kernel* k, const Bucket* bucket) {
    Bounds anything;
    anything.count = 0;
    if (bucket->groups == NO_LIST) return false;
    return find_youngest(&k->scratch, &k->now.lists[bucket->groups], &anything, k->now.lo) != NO_GROUP;
}

// Some cell, or one of the keys in ``staged``, has the key; an unbound key has all.
static bool is_found(Kernel* k, StateData* s, CellIndex* index, std::vector<uint64_t>* staged, uint64_t key) {
    if (key == WILD || std::binary_search(staged->begin(), staged->end(), key)) return true;
    Bucket* bucket = find_bucket(index, key);
    if (bucket == nullptr) return false;
    return has_current(&k->now, s, &bucket->cells) || (s->kind == Cells::VIEWS && holds_group(k, bucket));
}

// The segment in which partial matches of the state may wait and do; their number: there is none.
static uint32_t waiting_in(const Kernel* k, uint32_t state) noexcept {
    uint32_t i = 0;
    for (; i < k->program->segments.size(); ++i) {
        const SegmentSpec& spec = k->program->segments[i];
        const Segment& segment = k->now.segments[i];
        bool is_there = spec.source == state || spec.state == state;
        if (is_there && segment.waiting && !older(segment.youngest, k->now.lo)) break;
    }
    return i;
}

// For each part of the segment's key the column of the state's index that has it; none: the index has not all of it.
static std::vector<uint32_t> key_places(
    const KernelProgram* program, const SegmentSpec& spec, uint32_t state, uint32_t which
) {
    std::vector<uint32_t> places;
    for (const TransitionSpec& one : program->transitions) {
        if (one.source != state || one.index != which) continue;
        const std::vector<uint32_t>& rows = state == spec.source ? spec.row : spec.closing[one.closing].key;
        for (uint32_t row : rows) {
            size_t place = size_t(std::find(one.probe.begin(), one.probe.end(), row) - one.probe.begin());
            if (place < one.probe.size()) places.push_back(uint32_t(place));
        }
        if (places.size() < rows.size()) places.clear();
        break;
    }
    return places;
}

// For each key whether something waits under it, as of `find_waiting`.
static void find_buffers(
    Kernel* k, uint32_t number, const std::vector<uint32_t>& places, const word_t* keys, size_t count, uint8_t* found
) {
    Segment* segment = &k->now.segments[number];
    std::vector<word_t> row(places.size());
    std::vector<uint32_t> columns(places.size());
    for (uint32_t i = 0; i < columns.size(); ++i) columns[i] = i;
    for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < places.size(); ++j) row[j] = keys[places[j] * count + i];
        uint64_t hash = hash_key(row.data(), columns.data(), columns.size());
        if (hash == WILD || find_buffer(segment, hash, row.data(), columns) != nullptr) found[i] = 1;
    }
}

// Some merged cell has the key, or none that is bound.
static bool is_merged(Kernel* k, StateData* s, uint32_t which, uint64_t key) {
    if (s->merged.empty()) return false;
    Bucket* bucket = find_bucket(&s->merged[which], key);
    if (bucket != nullptr && has_current(&k->now, s, &bucket->cells)) return true;
    return has_current(&k->now, s, &s->merged[which].wild.cells);
}

// For each state what windows measure of the youngest first event of the partial matches that are there, or will be
// when the tick closes (maybe too great): the greatest of that and what `starts` has.
inline void waiting_starts(Kernel* k, int64_t* starts) noexcept {
    for (size_t i = 0; i < k->now.states.size(); ++i)
        if (is_waiting(&k->now, &k->now.states[i])) starts[i] = measure(k, k->now.states[i].youngest);
    for (uint32_t i = 0; i < k->now.states.size(); ++i)
        if (uint32_t at = waiting_in(k, i); at < k->now.segments.size())
            starts[i] = std::max(starts[i], measure(k, k->now.segments[at].youngest));
    for (const Staged& staged : k->now.staged)
        starts[staged.state] = std::max(starts[staged.state], measure(k, staged.max_start));
}

// For each of `count` keys, which lie column after column, whether a partial match waits in the state, or will when
// the tick closes, with equal words in the columns of its index number `which` (or an unbound one).  Seldom true by
// mistake.
inline void find_waiting(
    Kernel* k, uint32_t state, uint32_t which, const word_t* keys, size_t columns, size_t count, uint8_t* found
) {
    StateData* s = &k->now.states[state];
    CellIndex* index = &s->indexes[which];
    std::vector<uint64_t> staged;
    uint32_t segment = waiting_in(k, state);
    bool waits = segment < k->now.segments.size();
    std::vector<uint32_t> places;
    if (waits) places = key_places(k->program, k->program->segments[segment], state, which);
    bool is_any = waits && places.empty();
    if (is_any || !list_staged(k, s, state, index, &staged) || has_current(&k->now, s, &index->wild.cells)) {
        std::fill_n(found, count, uint8_t(1));
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        uint64_t key = 0;
        for (size_t j = 0; j < columns && key != WILD; ++j) {
            word_t word = keys[j * count + i];
            key = word == UNBOUND ? WILD : mix(key ^ word);
        }
        found[i] = is_found(k, s, index, &staged, key) || is_merged(k, s, which, key);
    }
    if (waits) find_buffers(k, segment, places, keys, count, found);
}

}  // namespace spaseq::joins
