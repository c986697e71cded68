// The window's edges, the stored past, and how both move forward.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nfa_native/core/limits.hpp"
#include "nfa_native/joins/batch.hpp"
#include "nfa_native/joins/state.hpp"

namespace spaseq::joins {

// What windows measure of an event: its time, or its position in the streamset.
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
    for (size_t a = 0, a_end = now->watched.size(); a < a_end; ++a) {
        size_t dead = 0;
        while (dead < now->watched[a].size() && older(now->watched[a][dead], now->history.first)) ++dead;
        now->watched[a].erase(now->watched[a].begin(), now->watched[a].begin() + dead);
    }
}

// Free what lies before the window: nodes at once, events and rows when half of them are dead.
static void forget(Kernel* k) noexcept {
    size_t dead = k->now.kept - k->now.history.first;
    uint32_t end = next_position(&k->now);
    if (k->now.lo != end) k->now.ring.tail = event_at(&k->now, k->now.lo)->head;
    else k->now.ring.tail = k->now.ring.head;
    if (dead < 1024 || dead * 2 < k->now.history.events.size()) return;
    size_t blocks = k->now.history.blocks.size();
    if (k->now.kept != end) blocks = size_t(event_at(&k->now, k->now.kept)->block - k->now.history.first_block);
    size_t words = k->now.history.words.size();
    if (blocks < k->now.history.blocks.size())
        words = size_t(k->now.history.blocks[blocks].word - k->now.history.first_word);
    k->now.history.events.erase(k->now.history.events.begin(), k->now.history.events.begin() + dead);
    k->now.history.blocks.erase(k->now.history.blocks.begin(), k->now.history.blocks.begin() + blocks);
    k->now.history.words.erase(k->now.history.words.begin(), k->now.history.words.begin() + words);
    k->now.history.first += uint32_t(dead);
    k->now.history.first_block += blocks;
    k->now.history.first_word += words;
    forget_watched(&k->now);
}

// Without a window: if no partial match is left, and no guard looks back, the past is over.
static void forget_all(Kernel* k) noexcept {
    if (k->program->guarded || k->now.history.events.size() < k->now.next_look) return;
    for (size_t i = 0, i_end = k->now.states.size(); i < i_end; ++i) {
        if (k->now.states[i].live) {
            k->now.next_look = 2 * k->now.history.events.size();
            return;
        }
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
    event->blocks = 0;
    event->head = now->ring.head;
    now->picked = false;
}

// Forget the newest event, which nothing has picked: its position is free again.
static void drop_event(KernelState* now) {
    EventRecord* event = &now->history.events.back();
    size_t blocks = size_t(event->block - now->history.first_block);
    now->history.words.resize(size_t(now->history.blocks[blocks].word - now->history.first_word));
    now->history.blocks.resize(blocks);
    now->history.events.pop_back();
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
    uint64_t word;
    if (before != nullptr && is_repeated_block(program, now, before, taker->slots, source)) word = before->word;
    else word = store_words(now, taker->slots, source);
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
    const RowSource* sources = rows->sources.data();
    const RowTaker* taker = rows->takers.data();
    const RowTaker* end = taker + rows->takers.size();
    const Block* before = nullptr;
    EventRecord* event = &now->history.events.back();
    while (taker != end) {
        if (sources[taker->source].end > sources[taker->source].at) {
            before = store_block(program, now, before, taker, sources + taker->source);
            ++event->blocks;
        }
        ++taker;
    }
}

// Its first position, its last one in the streamset, and where the windows that end with it begin.
static inline void measure_candidate(Kernel* k, Candidate* candidate) noexcept {
    const uint32_t* pos = k->scratch.combination.data();
    const uint32_t* end = pos + k->scratch.combination.size();
    candidate->least = *pos;
    candidate->most = event_at(&k->now, *pos)->seq;
    ++pos;
    while (pos != end) {
        if (older(*pos, candidate->least)) candidate->least = *pos;
        candidate->most = std::max(candidate->most, event_at(&k->now, *pos)->seq);
        ++pos;
    }
    candidate->lo = k->now.lo;
    if (k->program->by_events) candidate->lo = position_from(k, k->now.lo, earliest_start(k->program, candidate->most));
}

}  // namespace spaseq::joins
