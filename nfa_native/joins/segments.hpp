// Lazy segments: what waits in them, by key, and the way in.  Only sets and events of one row with all of the key wait.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/buffers.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

static bool has_words(const Buffer& buffer, const word_t* row, const std::vector<uint32_t>& columns) noexcept {
    for (size_t i = 0; i < columns.size(); ++i)
        if (buffer.key[i] != row[columns[i]]) return false;
    return true;
}

// The buffer of a row's key, all of which is bound, or NULL.
static Buffer* find_buffer(Segment* segment, uint64_t hash, const word_t* row, const std::vector<uint32_t>& columns) {
    auto [one, end] = segment->by_key.equal_range(hash);
    for (; one != end; ++one)
        if (has_words(segment->buffers[one->second], row, columns)) return &segment->buffers[one->second];
    return nullptr;
}

static Buffer* make_buffer(
    Segment* segment, uint64_t hash, const word_t* row, const std::vector<uint32_t>& columns, uint32_t width
) {
    Buffer* found = find_buffer(segment, hash, row, columns);
    if (found != nullptr) return found;
    segment->by_key.emplace(hash, uint32_t(segment->buffers.size()));
    segment->buffers.emplace_back();
    found = &segment->buffers.back();
    for (uint32_t column : columns) found->key.push_back(row[column]);
    found->sets.columns.resize(width);
    return found;
}

// One more set of a buffer, with its values.
static void push_set(Segment* segment, Buffer* buffer, const word_t* row, uint32_t node, uint32_t start) {
    SetBuffer& sets = buffer->sets;
    for (uint32_t i = 0; i < sets.columns.size(); ++i) sets.columns[i].put(sets.size(), row[i]);
    sets.nodes.push_back(node);
    sets.starts.push_back(start);
    if (segment->waiting++ == 0 || older(segment->youngest, start)) segment->youngest = start;
}

// Let a set wait that enters the segment's first state; False: it must enter a cell.
static bool keep_set(Kernel* k, StateData* s, const Staged* staged) {
    Segment* segment = &k->now.segments[s->spec->segment];
    const std::vector<uint32_t>& held = k->program->segments[s->spec->segment].held;
    const word_t* row = k->now.staged_words.data() + staged->word;
    if (!segment->lazy || staged->rows > 1) return false;
    uint64_t hash = hash_key(row, held.data(), held.size());
    if (hash == WILD) return false;
    uint32_t node = staged->next;
    if (staged->picks)
        node = extend(k, k->now.staged_picks.data() + staged->pick, staged->picks, staged->label, staged->next,
            staged->max_start, 0);
    Buffer* buffer = make_buffer(segment, hash, row, held, s->width);
    push_set(segment, buffer, row, node, node_at(&k->now, node)->max_start);
    ++s->entered;
    ++k->now.created;
    return true;
}

// Let an event wait, if there are sets of its key.
static bool keep_event(Kernel* k, Segment* segment, const SegmentSpec& spec, const Candidate* candidate, uint64_t hash) {
    Buffer* buffer = find_buffer(segment, hash, candidate->rows, spec.row);
    if (buffer == nullptr) return false;
    pass_buffer(segment, buffer, k->now.lo);
    size_t seen = buffer->sets.size() - buffer->sets.dead;
    if (seen == 0) return false;
    EventBuffer& events = buffer->events;
    events.positions.push_back(candidate->least);
    events.seen.push_back(buffer->sets.end());
    events.words.insert(events.words.end(), candidate->rows, candidate->rows + candidate->width);
    segment->costs.seen += seen;
    return true;
}

// A match of one event in a cell.
struct SingleSet {
    uint32_t cell;
    uint32_t node;
};

// The matches of one event in the cells of a state that could have waited, oldest first.
static std::vector<SingleSet> singles_in_cells(KernelState* now, StateData* s, const std::vector<uint32_t>& held) {
    std::vector<SingleSet> found;
    for (uint32_t cell = 0; cell < s->cells.size(); ++cell) {
        if (s->cells[cell].rows != 1 || hash_key(cell_rows(s, cell), held.data(), held.size()) == WILD) continue;
        for (uint32_t node = s->cells[cell].node; has_live(now, node, now->lo); node = node_at(now, node)->sibling)
            if (!older(node_at(now, node)->pos, now->lo)) found.push_back({cell, node});
    }
    std::sort(found.begin(), found.end(), [now](const SingleSet& a, const SingleSet& b) {
        return older(node_at(now, a.node)->pos, node_at(now, b.node)->pos);
    });
    return found;
}

// Let what is in cells wait, too, where each set is of matches of one event: else it makes steps until it has left.
static void move_sets(Kernel* k, Segment* segment, const SegmentSpec& spec) {
    StateData* s = &k->now.states[spec.source];
    if (!spec.single || s->kind == Cells::VIEWS) return;  // views look at lists, whatever is in cells
    std::vector<SingleSet> singles = singles_in_cells(&k->now, s, spec.held);
    for (const SingleSet& one : singles) {
        const word_t* row = cell_rows(s, one.cell);
        const Node before = *node_at(&k->now, one.node);
        uint32_t node = new_node(&k->now, before.pos, before.label, 0, 0, before.pos);
        uint64_t hash = hash_key(row, spec.held.data(), spec.held.size());
        push_set(segment, make_buffer(segment, hash, row, spec.held, s->width), row, node, before.pos);
    }
    for (const SingleSet& one : singles) free_cell(s, one.cell);
}

static inline bool is_empty(const Buffer& buffer) noexcept { return buffer.sets.dead == buffer.sets.size(); }

// Forget what has left the window, and keys that nothing is left of.
static void sweep_segment(const KernelState* now, Segment* segment) {
    size_t kept = 0;
    for (Buffer& buffer : segment->buffers) {
        pass_buffer(segment, &buffer, now->lo);
        if (!is_empty(buffer)) std::swap(segment->buffers[kept++], buffer);
    }
    if (kept == segment->buffers.size()) return;
    segment->buffers.resize(kept);
    segment->by_key.clear();
    for (size_t i = 0; i < kept; ++i) {
        segment->by_key.emplace(hash_words(segment->buffers[i].key.data(), segment->buffers[i].key.size(), 0), uint32_t(i));
    }
}

}  // namespace spaseq::joins
