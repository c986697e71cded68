// Doors to the headers of nfa_native/core for ctypes.  Each object is a handle; assertions are on.
#include <cstdint>
#include <utility>

#include "core/flat_table.hpp"
#include "core/node_ring.hpp"
#include "core/stairs.hpp"
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

Stairs* stairs_new() { return new Stairs(); }
void stairs_delete(Stairs* stairs) { delete stairs; }
void stairs_add(Stairs* stairs, int64_t value, int64_t youngest) { add_step(stairs, value, youngest); }
void stairs_drop(Stairs* stairs, int64_t least) { drop_steps(stairs, least); }
int64_t stairs_below_(const Stairs* stairs, int64_t bound, int64_t least) { return youngest_below(stairs, bound, least); }
size_t stairs_count(const Stairs* stairs) { return stairs->steps.size() - stairs->first; }

}
