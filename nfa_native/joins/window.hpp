// The window's edges, the stored past, and how both move forward.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nfa_native/core/limits.hpp"
#include "nfa_native/joins/batch.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// What windows measure of an event: its time, or its position in the merged input.
static inline int64_t measure(Kernel* k, uint32_t pos) noexcept {
    if (k->program->by_events) return event_at(&k->now, pos)->seq;
    return event_at(&k->now, pos)->time;
}

// The time, or the end of the range beyond which it lies: the first promise is that nothing comes before -2**63.
static inline int64_t within(__int128 time) noexcept {
    return time < -FOREVER ? -FOREVER : time > FOREVER ? FOREVER : int64_t(time);
}

static inline __int128 floor_div(__int128 a, int64_t b) noexcept {
    if (-FARTHEST < a && a < FARTHEST) {  // as nearly always: that takes one instruction
        int64_t near = int64_t(a);
        return near / b - (near % b < 0);
    }
    __int128 quotient = a / b;
    return quotient - (a % b < 0);
}

// The least measure of a first event for a match whose last one measures `last` (semantics.md 3.3).
static inline int64_t earliest_start(KernelProgram* program, int64_t last) noexcept {
    if (program->window == 0) return -FOREVER;
    if (program->sliding) return within(__int128(last) - program->window + program->by_events);
    if (program->by_events) return last / program->window * program->window;
    return within(program->origin
        - (floor_div(__int128(program->origin) - last, program->window) + 1) * program->window);
}

// The upper edge of the window of a match that begins at `first`.
static inline int64_t upper_edge(KernelProgram* program, int64_t first) noexcept {
    if (program->window == 0) return FOREVER;
    if (program->sliding) return within(__int128(first) + program->window - program->by_events);
    if (program->by_events) return (first / program->window + 1) * program->window - 1;
    return within(program->origin
        + (floor_div(__int128(first) - program->origin, program->window) + 1) * program->window);
}

// The lower edge of the window of a match.
static inline int64_t lower_edge(KernelProgram* program, int64_t first, int64_t last) noexcept {
    if (program->window == 0) return -FOREVER;
    if (program->sliding) return earliest_start(program, last);
    if (program->by_events) return first / program->window * program->window;
    return within(program->origin + floor_div(__int128(first) - program->origin, program->window) * program->window);
}

// The first stored position at or after `pos` whose measure reaches `edge`.
static uint32_t position_from(Kernel* k, uint32_t pos, int64_t edge) noexcept {
    uint32_t end = next_position(&k->now);
    while (pos != end && measure(k, pos) < edge) ++pos;
    return pos;
}

static void forget_watched(KernelState* now) noexcept {
    for (std::vector<uint32_t>& watched : now->watched) {
        size_t dead = 0;
        while (dead < watched.size() && older(watched[dead], now->history.first)) ++dead;
        watched.erase(watched.begin(), watched.begin() + dead);
    }
}

// Free what lies before the window: nodes at once, events and rows when half of them are dead.
static void forget(Kernel* k) noexcept {
    History& history = k->now.history;
    size_t dead = k->now.kept - history.first;
    uint32_t end = next_position(&k->now);
    k->now.ring.tail = k->now.lo != end ? event_at(&k->now, k->now.lo)->head : k->now.ring.head;
    if (dead < 1024 || dead * 2 < history.events.size()) return;
    size_t blocks = history.blocks.size(), words = history.words.size();
    if (k->now.kept != end) blocks = size_t(event_at(&k->now, k->now.kept)->block - history.first_block);
    if (blocks < history.blocks.size()) words = size_t(history.blocks[blocks].word - history.first_word);
    history.events.erase(history.events.begin(), history.events.begin() + dead);
    history.blocks.erase(history.blocks.begin(), history.blocks.begin() + blocks);
    history.words.erase(history.words.begin(), history.words.begin() + words);
    history.first += uint32_t(dead);
    history.first_block += blocks;
    history.first_word += words;
    forget_watched(&k->now);
}

// Some partial match is left.
static bool is_waited_for(const KernelState* now) noexcept {
    for (const StateData& state : now->states)
        if (state.live > 0) return true;
    for (const Segment& segment : now->segments)
        if (segment.waiting > 0) return true;
    return false;
}

// Without a window: if no partial match is left, and no guard looks back, the past is over.
static void forget_all(Kernel* k) noexcept {
    if (k->program->guarded || k->now.history.events.size() < k->now.next_look) return;
    if (is_waited_for(&k->now)) {
        k->now.next_look = 2 * k->now.history.events.size();
        return;
    }
    k->now.lo = k->now.kept = next_position(&k->now);
    forget(k);
    k->now.next_look = 1024;
}

// A match that waits for a sliding window's upper edge may still ask what came before its first event.
static uint32_t first_kept(Kernel* k, int64_t last) noexcept {
    if (k->program->waits && k->program->sliding)
        return position_from(k, k->now.kept, within(__int128(earliest_start(k->program, last)) - k->program->window));
    return k->now.lo;
}

// No match will end before `last` any more.
static void move_window(Kernel* k, int64_t last) {
    if (k->program->window == 0) {
        forget_all(k);
        return;
    }
    k->now.lo = position_from(k, k->now.lo, earliest_start(k->program, last));
    k->now.kept = first_kept(k, last);
    forget(k);
}

static void store_event(KernelState* now, int64_t time, uint64_t handle) {
    now->history.events.emplace_back();  // written in place: a copy of what was just written would stall
    EventRecord* event = &now->history.events.back();
    event->time = time;
    event->seq = now->seq;
    event->handle = handle;
    event->block = now->history.first_block + now->history.blocks.size();
    event->head = now->ring.head;
    now->picked = false;
}

// Forget the newest event, which nothing has picked: its position is free again.
static void drop_event(KernelState* now) {
    History& history = now->history;
    size_t blocks = size_t(history.events.back().block - history.first_block);
    history.words.resize(size_t(history.blocks[blocks].word - history.first_word));
    history.blocks.resize(blocks);
    history.events.pop_back();
}

// The stored rows are those of the source.
static inline bool is_repeated_block(
    KernelProgram* program, KernelState* now, const Block* block, uint32_t slots, const RowSource* source
) noexcept {
    const word_t* stored = now->history.words.data() + (block->word - now->history.first_word);
    if (program->slots.data()[block->atom] != slots || block->rows != source->end - source->at) return false;
    for (size_t row = source->at, row_end = source->end; row < row_end; ++row) {
        const word_t* column = source->columns + row;
        for (uint32_t slot = 0; slot < slots; ++slot) {
            if (*stored != *column) return false;
            ++stored;
            column += source->rows;
        }
    }
    return true;
}

// Add the rows of the present event; the running number of their first word.
static inline uint64_t store_words(KernelState* now, uint32_t slots, const RowSource* source) {
    uint64_t first = now->history.first_word + now->history.words.size();
    for (size_t row = source->at, row_end = source->end; row < row_end; ++row) {
        const word_t* column = source->columns + row;
        for (uint32_t slot = 0; slot < slots; ++slot) {
            now->history.words.push_back(*column);
            column += source->rows;
        }
    }
    return first;
}

// Add an atom's rows to the newest event; rows that are those of the atom `before` (NULL: none) are stored once.
static const Block* store_block(
    KernelProgram* program, KernelState* now, const Block* before, const RowTaker* taker, const RowSource* source
) {
    uint32_t count = uint32_t(source->end - source->at);
    bool repeats = before != nullptr && is_repeated_block(program, now, before, taker->slots, source);
    uint64_t word = repeats ? before->word : store_words(now, taker->slots, source);
    now->history.blocks.emplace_back();
    Block* block = &now->history.blocks.back();
    block->word = word;
    block->atom = taker->atom;
    block->rows = count;
    ++now->matched.data()[taker->atom];
    if (count > 1) now->many_rows = true;
    return block;
}

// Add the rows that each atom has for the newest event.
static void store_rows_of(KernelProgram* program, KernelState* now, const BatchRows* rows) {
    const Block* before = nullptr;
    EventRecord* event = &now->history.events.back();
    for (const RowTaker& taker : rows->takers) {
        const RowSource* source = rows->sources.data() + taker.source;
        if (source->end == source->at) continue;
        before = store_block(program, now, before, &taker, source);
        ++event->blocks;
    }
}

// Its first position, its last one in the merged input, and where the windows that end with it begin.
static inline void measure_candidate(Kernel* k, Candidate* candidate) noexcept {
    const std::vector<uint32_t>& combination = k->scratch.combination;
    candidate->least = combination[0];
    candidate->most = event_at(&k->now, combination[0])->seq;
    for (size_t i = 1; i < combination.size(); ++i) {
        if (older(combination[i], candidate->least)) candidate->least = combination[i];
        candidate->most = std::max(candidate->most, event_at(&k->now, combination[i])->seq);
    }
    candidate->lo = k->now.lo;
    if (k->program->by_events) candidate->lo = position_from(k, k->now.lo, earliest_start(k->program, candidate->most));
}

}  // namespace spaseq::joins
