// Groups of the recognizer: partial matches of one state with the same registers, in lists that keep the order in which
// the groups came.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../automata/kinds.hpp"
#include "../core/flat_table.hpp"
#include "../core/group_list.hpp"
#include "../core/skyline.hpp"
#include "../core/zone_map.hpp"

namespace spaseq::events {

constexpr int64_t NEVER = INT64_MIN;
// Values of registers that no event has.
constexpr int64_t NOT_SET = NEVER;         // passes every test
constexpr int64_t NO_BOUND = NEVER + 1;    // of an event: only what is not set passes
constexpr int64_t NO_VALUE = INT64_MAX;    // passes no test

using kinds::RegisterTest;

// A condition on a register of a transition's source.
struct GuardSpec {
    uint32_t register_;
    RegisterTest test;
    uint32_t column;       // of the event's value that it is compared with
};

// All partial matches of a state or group.
struct Head {
    int64_t youngest = NEVER;              // there are none
    uint32_t node = 0;                     // NO_NODE
    float load = 0;                        // about how many there are, where work is bounded
};

// Whether a register with the value satisfies the test.
static inline bool passes(int64_t value, RegisterTest test, int64_t bound) noexcept {
    if (value == NOT_SET) return true;
    if (test == RegisterTest::LESS) return value < bound;
    if (test == RegisterTest::EQUAL) return value == bound;
    return value != bound && value != NO_VALUE && bound != NO_BOUND;
}

static inline bool pass_all(
    const int64_t* registers, const GuardSpec* guards, size_t count, const int64_t* bounds
) noexcept {
    for (size_t i = 0; i < count; ++i)
        if (!passes(registers[guards[i].register_], guards[i].test, bounds[i])) return false;
    return true;
}

// Whether there may be registers that pass in a zone with these least ones.
static inline bool may_pass(
    const int64_t* least, const GuardSpec* guards, size_t count, const int64_t* bounds
) noexcept {
    for (size_t i = 0; i < count; ++i) {
        if (guards[i].test == RegisterTest::LESS && least[guards[i].register_] >= bounds[i]) return false;
        if (guards[i].test == RegisterTest::EQUAL && least[guards[i].register_] > bounds[i]) return false;
    }
    return true;
}

// A record has `width` values: the youngest start, then the registers; that of a zone the youngest start in it and the
// least value of each register.
struct GroupList {
    static constexpr size_t LEAST_TO_ERASE = 64;

    uint32_t width = 1;            // of a record
    uint32_t partition = 0;
    uint32_t state = 0;
    uint32_t epoch = 0;            // of the partition when it was last emptied
    int64_t base = 0;              // number of the first group stored; numbers are not used again
    size_t first = 0;              // those before it are dead
    size_t count = 0;              // groups stored, dead ones too: there is room for more
    bool is_ordered = true;        // no group is younger than one behind it
    size_t living = 0;             // groups when dead ones were last looked for
    std::vector<int64_t> records;
    std::vector<uint32_t> nodes;
    std::vector<float> loads;      // about how many partial matches a group has; of some, where work is bounded
    std::vector<Head> arriving;    // of merged groups: what the event under way adds
    size_t entering = 0;           // of groups apart: so many more are stored, which the event under way adds
    ZoneMap<int64_t> zones;
    Skyline skyline;

    int64_t* record(size_t place) noexcept { return records.data() + place * width; }
    const int64_t* record(size_t place) const noexcept { return records.data() + place * width; }

    size_t first_place() const noexcept { return first; }
    size_t end_place() const noexcept { return count; }
    bool is_rising() const noexcept { return is_ordered; }

    size_t zone_width() const noexcept { return width; }
    void begin_zone(int64_t* zone, size_t place) const noexcept { std::copy_n(record(place), width, zone); }
    void widen_zone(int64_t* zone, size_t place) const noexcept { merge_zone(zone, record(place)); }
    void merge_zone(int64_t* zone, const int64_t* other) const noexcept {
        zone[0] = std::max(zone[0], other[0]);
        for (size_t i = 1; i < width; ++i) zone[i] = std::min(zone[i], other[i]);
    }
};

// Where the list of a cell and key is, or where the group of a cell and registers is.
struct Slot {
    uint64_t hash;         // 0: nothing here
    int64_t number;        // of the group in its list
    uint32_t list;

    bool is_free() const noexcept { return hash == 0; }
};

// Which groups to look for: those that pass and did not start before `floor`.
struct GroupQuery {
    const GroupList* list;
    const GuardSpec* guards;
    size_t count;
    const int64_t* bounds;
    int64_t floor;

    bool may_hold(const int64_t* zone) const noexcept {
        return zone[0] >= floor && may_pass(zone + 1, guards, count, bounds);
    }
    bool holds(size_t place) const noexcept {
        const int64_t* record = list->record(place);
        return record[0] >= floor && pass_all(record + 1, guards, count, bounds);
    }

    bool ask_for_younger(size_t place) noexcept {
        int64_t youngest = *list->record(place);
        if (youngest == NO_VALUE) return false;
        floor = youngest + 1;
        return true;
    }
};

static inline size_t groups_of(const GroupList* list) noexcept { return list->count; }

// The youngest start of a group, and behind it the registers.
static inline int64_t* record_of(GroupList* list, size_t place) noexcept { return list->record(place); }
static inline int64_t youngest_in(const GroupList* list, size_t place) noexcept { return *list->record(place); }

static inline void empty_list(GroupList* list) noexcept {
    list->base += static_cast<int64_t>(list->count);
    list->first = list->living = list->count = list->entering = 0;
    list->is_ordered = true;
    list->arriving.clear();
    list->zones.clear();
    list->skyline.clear();
}

// Behind those that the list has; there it is not seen.  std::bad_alloc
static inline void store_group(GroupList* list, const int64_t* registers, uint32_t node, int64_t youngest) {
    size_t place = list->count + list->entering;
    if (place == list->nodes.size() || (place + 1) * list->width > list->records.size()) {
        size_t room = std::max<size_t>(4, 2 * place);
        list->records.resize(room * list->width);
        list->nodes.resize(room);
    }
    int64_t* record = list->record(place);
    record[0] = youngest;
    for (size_t i = 1; i < list->width; ++i) record[i] = registers[i - 1];
    list->nodes[place] = node;
    ++list->entering;
}

// The first group that is stored behind the list's own is one of them.
static inline void take_stored(GroupList* list) noexcept {
    size_t place = list->count++;
    --list->entering;
    if (place && youngest_in(list, place) < youngest_in(list, place - 1)) list->is_ordered = false;
}

// std::bad_alloc
static inline void add_group(GroupList* list, const int64_t* registers, uint32_t node, int64_t youngest) {
    store_group(list, registers, node, youngest);
    take_stored(list);
}

// About how many partial matches a group has; only where work is bounded.  std::bad_alloc
static inline void set_load(GroupList* list, size_t place, float load) {
    if (list->loads.size() < list->nodes.size()) list->loads.resize(list->nodes.size(), 1);
    list->loads[place] = load;
}

static inline float load_of_group(const GroupList* list, size_t place) noexcept {
    return place < list->loads.size() ? list->loads[place] : 1;
}

// Of the groups that `keep_groups` keeps, those of a bound on work that is not over.
static inline void keep_loads(GroupList* list, size_t first, int64_t least) noexcept {
    size_t kept = 0;
    if (list->loads.size() < list->count) list->loads.clear();
    else for (size_t place = first; place < list->count; ++place)
        if (youngest_in(list, place) >= least) list->loads[kept++] = list->loads[place];
}

// Only those from `first` on that started at `least` or later, closed up.
static inline void keep_groups(GroupList* list, size_t first, int64_t least) noexcept {
    size_t kept = 0;
    if (!list->loads.empty()) keep_loads(list, first, least);
    for (size_t place = first; place < list->count; ++place) {
        if (youngest_in(list, place) < least) continue;
        std::copy_n(list->record(place), list->width, list->record(kept));
        list->nodes[kept++] = list->nodes[place];
    }
    list->count = kept;
    list->first = 0;
    list->zones.clear();
}

// Forget groups in front that started before `least`; numbers of the others stay.
static inline void drop_front(GroupList* list, int64_t least) noexcept {
    size_t first = list->first;
    while (first < list->count && youngest_in(list, first) < least) ++first;
    list->first = first;
    if (first >= GroupList::LEAST_TO_ERASE && first * 2 > list->count) {
        list->base += static_cast<int64_t>(first);
        keep_groups(list, first, NEVER);
    }
}

// Let the zones know that a group became younger.
static inline void rejuvenate_zones(GroupList* list, size_t place) noexcept {
    for (int level = 0; level < ZoneMap<int64_t>::LEVELS; ++level) {
        int64_t* zone = list->zones.around(*list, level, place);
        if (zone != nullptr) zone[0] = std::max(zone[0], youngest_in(list, place));
    }
}

// The last group before place `end` that passes and is not older than `floor`; -1: there is none.  std::bad_alloc.
static inline int64_t group_before(
    GroupList* list, int64_t end, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t floor,
    uint64_t* scanned
) {
    return last_group(*list, GroupQuery{list, guards, count, bounds, floor}, end, scanned);
}

// The youngest start of the groups that pass; NEVER: there are none that started at `least` or later.  std::bad_alloc.
static inline int64_t youngest_of(
    GroupList* list, const GuardSpec* guards, size_t count, const int64_t* bounds, int64_t least, uint64_t* scanned
) {
    GroupQuery query{list, guards, count, bounds, std::max(least, NEVER + 1)};
    int64_t place = youngest_group(*list, query, scanned);
    return place == NO_GROUP ? NEVER : youngest_in(list, static_cast<size_t>(place));
}

}  // namespace spaseq::events
