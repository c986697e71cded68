// Doors to the headers of nfa_native/core for ctypes.  Each object is a handle; assertions are on.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "core/flat_table.hpp"
#include "core/node_ring.hpp"
#include "core/plain_text.hpp"
#include "core/skyline.hpp"
#include "core/two_stacks.hpp"
#include "core/zone_map.hpp"

using namespace spaseq;
typedef AgingRing<int64_t> Ring;

// Groups of one start and one value; a zone is the youngest start and the least value.  A struck group has no start.
struct Groups {
    std::vector<std::pair<int64_t, int64_t>> groups;
    ZoneMap<int64_t> zones;

    size_t zone_width() const { return 2; }
    void begin_zone(int64_t* zone, size_t place) const { zone[0] = groups[place].first; zone[1] = groups[place].second; }
    void widen_zone(int64_t* zone, size_t place) const { int64_t own[2]; begin_zone(own, place); merge_zone(zone, own); }
    void merge_zone(int64_t* zone, const int64_t* other) const {
        if (other[0] > zone[0]) zone[0] = other[0];
        if (other[1] < zone[1]) zone[1] = other[1];
    }
    bool lives(size_t place) const { return groups[place].first != INT64_MIN; }
    void end_zone(int64_t* zone) const { zone[0] = INT64_MIN; }
    bool is_live(const int64_t* zone) const { return zone[0] != INT64_MIN; }
};

struct Query {
    const Groups* list;
    int64_t floor, bound;
    bool may_hold(const int64_t* zone) const { return zone[0] >= floor && zone[1] < bound; }
    bool holds(size_t place) const { return list->groups[place].first >= floor && list->groups[place].second < bound; }
};

struct Slot {
    uint64_t hash;
    int64_t value;             // 0: free
    bool is_free() const { return value == 0; }
};
typedef FlatTable<Slot> Table;

// Counts and least values.
struct Counts {
    struct Totals {
        std::vector<uint64_t> counts;
        std::vector<int64_t> leasts;
    };
    struct Span { uint64_t* counts; int64_t* leasts; };

    void resize(Totals& totals, size_t size) const { totals.counts.resize(size, 7); totals.leasts.resize(size, -7); }
    Span span(Totals& totals, size_t first) const {
        assert(first <= totals.counts.size());
        return {totals.counts.data() + first, totals.leasts.data() + first};
    }
    Span part(const Span& whole, size_t first) const { return {whole.counts + first, whole.leasts + first}; }
    void clear_totals(const Span& out, size_t count) const {
        std::fill_n(out.counts, count, 0);
        std::fill_n(out.leasts, count, INT64_MAX);
    }
    void set_unit(const Span& out) const { out.counts[0] = 1; }
    void copy_totals(const Span& out, const Span& from, size_t count) const {
        std::copy_n(from.counts, count, out.counts);
        std::copy_n(from.leasts, count, out.leasts);
    }
    void add_totals(const Span& out, const Span& more, size_t count) const {
        for (size_t i = 0; i < count; ++i) add(out, i, more.counts[i], more.leasts[i]);
    }
    void add_product(const Span& out, const Span& one, const Span& other) const {
        if (*one.counts && *other.counts)
            add(out, 0, *one.counts * *other.counts, std::min(*one.leasts, *other.leasts));
    }
    static void add(const Span& out, size_t at, uint64_t count, int64_t least) {
        out.counts[at] += count;
        out.leasts[at] = std::min(out.leasts[at], least);
    }
};

// What an event does: each partial match in a slot comes to others by so many ways, and gets its value.  Into the first
// slot a start of its group may come.
struct Step {
    std::vector<uint64_t> ways;     // [from][to]
    int64_t value, start;           // INT64_MIN: nothing starts
    size_t group;
};

struct Sliding {
    TwoStacks<Counts, Step> stacks;
    Window<Counts, Step> window;
    Counts::Totals next;

    // Add what comes of `from`, rows of a total for each of `count`, by a way of a step to `out`.
    void pass(const Step& step, size_t way, const Counts::Span& out, const Counts::Span& from, size_t count) const {
        for (size_t i = 0; i < count; ++i)
            if (step.ways[way] && from.counts[i])
                Counts::add(out, i, step.ways[way] * from.counts[i], std::min(step.value, from.leasts[i]));
    }
    void flip(int64_t least) {
        const size_t slots = stacks.slots;
        const Counts& semiring = stacks.semiring;
        stacks.begin_front(window);
        for (size_t left = window.log.size(); left--;) {
            const Step& step = window.log[left];
            if (step.start != INT64_MIN && step.start < least) break;
            if (step.start != INT64_MIN)
                pass(Step{{1}, step.value, 0, 0}, 0, stacks.begin_start(window, step.group, step.start),
                     stacks.future_of(0), slots);
            semiring.resize(next, slots * slots);
            semiring.clear_totals(semiring.span(next, 0), slots * slots);
            for (size_t from = 0; from < slots; ++from)
                for (size_t to = 0; to < slots; ++to)
                    pass(step, from * slots + to, semiring.span(next, from * slots), stacks.future_of(to), slots);
            std::swap(stacks.future, next);
        }
        stacks.end_front(window);
    }
    // Groups are found by their keys.
    size_t group_of(uint32_t key) {
        for (size_t i = 0; i < window.groups.size(); ++i)
            if (window.groups[i].key == key) return i;
        return stacks.add_group(window, key);
    }
    void feed(Step step) {
        const size_t slots = stacks.slots;
        const Counts& semiring = stacks.semiring;
        if (step.start != INT64_MIN) step.group = group_of(static_cast<uint32_t>(step.group));
        else if (!window.has_front && !window.has_back) return;
        const size_t first = stacks.first_row(window), rows = window.height - first;
        semiring.resize(next, slots * window.height);
        semiring.clear_totals(semiring.span(next, 0), slots * window.height);
        for (size_t from = 0; from < slots; ++from)
            for (size_t to = 0; to < slots && window.filled[from]; ++to)
                pass(step, from * slots + to, semiring.span(next, to * window.height + first),
                     semiring.part(stacks.column(window, from), first), rows);
        if (step.start != INT64_MIN) Counts::add(semiring.span(next, slots + step.group), 0, 1, step.value);
        for (size_t slot = 0; slot < slots; ++slot)
            semiring.copy_totals(semiring.part(stacks.filled_column(window, slot), first),
                                 semiring.span(next, slot * window.height + first), rows);
        if (step.start != INT64_MIN) stacks.note_start(window, step.group, step.start);
        if (window.has_back) window.log.push_back(step);
    }
};

extern "C" {

Ring* ring_new(size_t size, uint32_t first) { Ring* ring = new Ring(); ring->open(size, first); return ring; }
void ring_delete(Ring* ring) { delete ring; }
uint32_t ring_add(Ring* ring, int64_t value) { uint32_t number = ring->claim(); *ring->at(number) = value; return number; }
int64_t ring_at(const Ring* ring, uint32_t number) { return *ring->at(number); }
int ring_has(const Ring* ring, uint32_t number) { return ring->has(number); }
uint32_t ring_count(const Ring* ring) { return ring->count(); }
uint32_t ring_head(const Ring* ring) { return ring->head; }
uint32_t ring_tail(const Ring* ring) { return ring->tail; }
size_t ring_room(const Ring* ring) { return ring->nodes.size(); }
void ring_drop(Ring* ring, uint32_t tail) { ring->tail = tail; }
uint32_t ring_until_mark(const Ring* ring) { return ring->until_mark(); }
void ring_mark(Ring* ring, int64_t start) { ring->mark(start); }
void ring_forget(Ring* ring, int64_t least) { ring->forget(least); }
void ring_clear(Ring* ring) { ring->clear(); }

Table* table_new() { return new Table(); }
void table_delete(Table* table) { delete table; }
void table_open(Table* table, size_t size) { table->open(size); }
void table_put(Table* table, uint64_t hash, int64_t value) {
    if (table->is_full()) table->spread(4);
    table->put(Slot{hash, value});
}
// The value of a hash; 0: there is none.
int64_t table_find(const Table* table, uint64_t hash) {
    if (table->slots.empty()) return 0;
    for (size_t at = table->home(hash); !table->slots[at].is_free(); at = table->next(at))
        if (table->slots[at].hash == hash) return table->slots[at].value;
    return 0;
}
// Drop all values below a bound, and give each hash that is left another one.
void table_sweep(Table* table, int64_t bound, uint64_t change) {
    for (Slot& slot : table->slots) {
        slot.value = slot.value < bound ? 0 : slot.value;
        slot.hash ^= change;
    }
    table->spread(4);
}
void table_clear(Table* table) { table->clear(); }
size_t table_used(const Table* table) { return table->used; }
size_t table_room(const Table* table) { return table->slots.size(); }
size_t table_longest_run(const Table* table) { return table->longest_run(); }

Groups* zones_new() { return new Groups(); }
void zones_delete(Groups* groups) { delete groups; }
void zones_add(Groups* groups, int64_t start, int64_t value) { groups->groups.emplace_back(start, value); }
void zones_know(Groups* groups, size_t count) { groups->zones.know(*groups, count); }
void zones_strike(Groups* groups, size_t place) {
    groups->groups[place].first = INT64_MIN;
    groups->zones.strike(*groups, place);
}
int64_t zones_before(Groups* groups, int64_t first, int64_t end, int64_t floor, int64_t bound, uint64_t* scanned) {
    groups->zones.know(*groups, groups->groups.size());
    return groups->zones.last_before(*groups, Query{groups, floor, bound}, first, end, scanned);
}
size_t zones_size(const Groups* groups, int level) { return groups->zones.zones[level].size() / 2; }
// Of a zone that is there: its youngest start and least value.
int zones_zone(Groups* groups, int level, size_t place, int64_t* out) {
    const int64_t* zone = groups->zones.around(*groups, level, place);
    if (zone) { out[0] = zone[0]; out[1] = zone[1]; }
    return zone != nullptr;
}

size_t plain_bytes_of(const char* text, size_t size) { return plain_bytes(text, size); }

Skyline* skyline_new() { return new Skyline(); }
void skyline_delete(Skyline* skyline) { delete skyline; }
void skyline_add(Skyline* skyline, int64_t value, int64_t youngest) { add_step(skyline, value, youngest); }
void skyline_drop(Skyline* skyline, int64_t least) { drop_steps(skyline, least); }
int64_t skyline_below_(const Skyline* skyline, int64_t bound, int64_t least) { return youngest_below(skyline, bound, least); }
size_t skyline_count(const Skyline* skyline) { return skyline->steps.size() - skyline->first; }

Sliding* sliding_new(size_t slots) {
    Sliding* sliding = new Sliding();
    sliding->stacks.slots = slots;
    sliding->stacks.forget_all(sliding->window);
    return sliding;
}
void sliding_delete(Sliding* sliding) { delete sliding; }
void sliding_expire(Sliding* sliding, int64_t least) {
    if (sliding->stacks.expire(sliding->window, least)) sliding->flip(least);
}
void sliding_feed(Sliding* sliding, const uint64_t* ways, int64_t value, int64_t start, size_t group) {
    const size_t slots = sliding->stacks.slots;
    sliding->feed(Step{std::vector<uint64_t>(ways, ways + slots * slots), value, start, group});
}
// How many partial matches of a group are in a slot, and their least value in `least_value`.
uint64_t sliding_total(Sliding* sliding, size_t slot, uint32_t key, int64_t least, int64_t* least_value) {
    auto& [stacks, window, next] = *sliding;
    stacks.semiring.resize(next, 1);
    const Counts::Span out = stacks.semiring.span(next, 0);
    stacks.semiring.clear_totals(out, 1);
    for (size_t i = 0; i < window.groups.size(); ++i)
        if (window.groups[i].key == key && window.filled[slot])
            stacks.add_window(window, i, least, stacks.column(window, slot), stacks.first_row(window), out);
    *least_value = out.leasts[0];
    return out.counts[0];
}
void sliding_clear(Sliding* sliding) { sliding->stacks.forget_all(sliding->window); }
size_t sliding_count(const Sliding* sliding) { return sliding->window.log.size(); }
size_t sliding_used(const Sliding* sliding) {
    size_t starts = 0;
    for (const auto& group : sliding->window.groups) starts += group.left;
    return starts;
}

}
