// Negated events by what they strike at a step (`negated_steps.hpp`): of each key a queue without those that a younger
// one makes needless, so that the youngest one that strikes is found by bisection.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/mixing.hpp"
#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/values.hpp"

namespace spaseq::joins {

// Hash of what a row has on one side of the joins; WILD if part of it is unbound.
static uint64_t hash_joined(const std::vector<Join>& joins, const word_t* row, uint32_t Join::*side) noexcept {
    uint64_t key = 0;
    for (const Join& join : joins) {
        word_t word = row[join.*side];
        if (word == UNBOUND) return WILD;
        key = mix(key ^ word);
    }
    return key;
}

static bool has_joined(
    const StrikerQueue& queue, const std::vector<Join>& joins, const word_t* row, uint32_t Join::*side
) noexcept {
    for (size_t i = 0; i < joins.size(); ++i)
        if (queue.key[i] != row[joins[i].*side]) return false;
    return true;
}

// The queue of a key, or NULL.
static StrikerQueue* find_queue(
    Strikers* all, uint64_t hash, const std::vector<Join>& joins, const word_t* row, uint32_t Join::*side
) noexcept {
    const KeyEntry* slots = all->slots.slots.data();
    if (all->slots.slots.empty()) return nullptr;
    for (size_t at = all->slots.home(uint32_t(hash)); !slots[at].is_free(); at = all->slots.next(at)) {
        StrikerQueue* queue = &all->queues[slots[at].bucket - 1];
        if (slots[at].hash == uint32_t(hash) && has_joined(*queue, joins, row, side)) return queue;
    }
    return nullptr;
}

static inline bool is_over(const StrikerQueue& queue, uint32_t lo) noexcept {
    return queue.first == queue.strikers.size() || older(queue.strikers.back().pos, lo);
}

static uint64_t hash_of_queue(const StrikerQueue& queue) noexcept {
    uint64_t key = 0;
    for (word_t word : queue.key) key = mix(key ^ word);
    return key;
}

// Forget the queues whose events have left the window; there is room for as many more.
static void sweep_queues(Strikers* all, uint32_t lo) {
    auto is_gone = [lo](const StrikerQueue& one) { return is_over(one, lo); };
    all->queues.erase(std::remove_if(all->queues.begin(), all->queues.end(), is_gone), all->queues.end());
    size_t size = 16;
    while (size < 4 * all->queues.size() + 4) size *= 2;
    all->slots.open(size);
    for (size_t i = 0; i < all->queues.size(); ++i)
        all->slots.put({uint32_t(hash_of_queue(all->queues[i])), uint32_t(i) + 1});
}

// A queue for the key of a negated event, which has none yet.
static StrikerQueue* add_queue(Strikers* all, uint64_t hash, const GuardSpec* guard, const word_t* row, uint32_t lo) {
    if (all->slots.is_full()) sweep_queues(all, lo);
    all->queues.emplace_back();
    StrikerQueue* queue = &all->queues.back();
    for (const Join& join : guard->whole.joins) queue->key.push_back(row[join.row]);
    all->slots.put({uint32_t(hash), uint32_t(all->queues.size())});
    return queue;
}

// The negated event has no place in a queue: as long as it is in the window, events are looked through one by one.
static void put_apart(Strikers* all, uint32_t pos) noexcept {
    all->some_apart = true;
    all->apart = pos;
}

// The filter holds for the negated event's value and that of the partial match, which are of one kind.
static inline bool is_struck_by(const StrikeOrder& order, word_t value, word_t other) noexcept {
    if (!order.compares) return true;
    return (is_less(order.limit ? value : other, order.limit ? other : value) == 1) != order.inverted;
}

// Whatever the older value strikes the younger one does, too.
static inline bool is_needless(const StrikeOrder& order, word_t value, word_t younger) noexcept {
    if (!order.compares) return true;
    bool low = order.limit != order.inverted;  // the lower a value is, the more it strikes
    return is_less(low ? value : younger, low ? younger : value) != 1;
}

// Drop what is over at the front of a queue, and its room when half of it is.
static void trim_queue(StrikerQueue* queue, uint32_t lo) {
    std::vector<Striker>& all = queue->strikers;
    while (queue->first < all.size() && older(all[queue->first].pos, lo)) ++queue->first;
    if (queue->first < 32 || queue->first * 2 < all.size()) return;
    all.erase(all.begin(), all.begin() + ptrdiff_t(queue->first));
    queue->first = 0;
}

// Append an event to its queue, and drop those that it makes needless; False: its value does not compare with theirs.
static bool join_queue(StrikerQueue* queue, const StrikeOrder& order, const Striker& one, uint32_t lo) {
    uint32_t kind = order.compares ? kind_of_order(one.value) : TAG_INTEGER;
    trim_queue(queue, lo);
    if (queue->first == queue->strikers.size()) queue->kind = kind;
    if (kind == 0 || kind != queue->kind) return false;
    while (queue->first < queue->strikers.size() && is_needless(order, queue->strikers.back().value, one.value))
        queue->strikers.pop_back();
    queue->strikers.push_back(one);
    return true;
}

// Note a negated event, which comes after those that are known; `from`: the first position of its tick.
static void note_striker(KernelState* now, const GuardSpec* guard, uint32_t pos, uint32_t from) {
    uint32_t count;
    const word_t* row = rows_of(now, pos, guard->choice.atoms[0], &count);
    Strikers* all = &now->strikers[guard->strikers];
    Striker one{guard->order.compares ? row[guard->order.row] : UNBOUND, pos, from};
    if (!guard->order.known || (guard->order.compares && one.value == UNBOUND)) return;  // the filter fails for all
    uint64_t hash = hash_joined(guard->whole.joins, row, &Join::row);
    if (hash == WILD) {
        put_apart(all, pos);
        return;
    }
    StrikerQueue* queue = find_queue(all, hash, guard->whole.joins, row, &Join::row);
    if (queue == nullptr) queue = add_queue(all, hash, guard, row, now->lo);
    if (!join_queue(queue, guard->order, one, now->lo)) put_apart(all, pos);
}

// Note the negated events of the tick that ends.
static void note_strikers(Kernel* k) {
    if (k->now.many_rows) return;  // finished matches are judged
    for (const GuardPlace& place : k->program->chances) {
        const GuardSpec* guard = &k->program->states[place.state].guards[place.guard];
        for (uint32_t pos : k->now.tick_atoms[guard->choice.atoms[0]])
            note_striker(&k->now, guard, pos, k->now.tick_first);
    }
}

// The first stored position of the tick of an event.
static uint32_t tick_of(KernelState* now, uint32_t pos) noexcept {
    const std::vector<EventRecord>& events = now->history.events;
    auto is_before = [](const EventRecord& event, int64_t time) { return event.time < time; };
    auto end = events.begin() + ptrdiff_t(pos - now->history.first);
    return now->history.first + uint32_t(std::lower_bound(events.begin(), end, end->time, is_before) - events.begin());
}

// Note all negated events of earlier ticks again, when a state is restored.
inline void note_watched(Kernel* k) {
    for (const GuardPlace& place : k->program->chances) {
        const GuardSpec* guard = &k->program->states[place.state].guards[place.guard];
        for (uint32_t pos : k->now.watched[guard->choice.atoms[0]]) {
            if (k->now.many_rows || (k->now.open && !older(pos, k->now.tick_first))) continue;
            note_striker(&k->now, guard, pos, tick_of(&k->now, pos));
        }
    }
}

}  // namespace spaseq::joins
