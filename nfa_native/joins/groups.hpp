// Groups of the matcher: sets of partial matches that entered a state at once, in lists that keep the order in which
// they entered.  A group's place counts from those that are there; its number, from the list's beginning, stays, and
// may wrap.
#pragma once

#include <cstdint>
#include <vector>

#include "../core/group_list.hpp"
#include "../core/zone_map.hpp"

namespace spaseq::joins {

constexpr uint32_t MOST_COMPARED = 2;      // columns that a zone map knows
constexpr uint32_t MOST_BOUNDS = 4;        // comparisons of one step that it looks at

typedef int (*WordLess)(uint64_t, uint64_t);

// A value that others of its kind are compared with.
struct Measured {
    uint64_t word;
    double about;          // rounded: of two that differ, the greater one has the greater value
};

// A comparison with the event's value.
struct Bound {
    Measured value;
    uint32_t slot;         // the column
    bool limit;            // column < value, or the opposite of it; else value < column, or its opposite
    bool inverted;         // the opposite
};

struct Bounds {
    Bound each[MOST_BOUNDS];
    uint32_t count;
};

struct Group {
    Measured values[MOST_COMPARED];        // what its rows are compared by
    uint32_t node;         // the set
    uint32_t max_start;    // the youngest first event in it
    uint32_t cell;         // its cell, if it still is alive
    uint32_t serial;
};

// The extremes of some groups.
struct Zone {
    Measured least[MOST_COMPARED];
    Measured most[MOST_COMPARED];
    uint32_t max_start;
};

// Though positions wrap.
inline bool precedes(uint32_t a, uint32_t b) noexcept { return static_cast<int32_t>(a - b) < 0; }

struct GroupList {
    std::vector<Group> groups;
    mutable ZoneMap<Zone> zones;           // made when something is looked for
    std::vector<uint64_t> key;             // what all of them are joined on
    uint32_t kinds[MOST_COMPARED];         // of values, which compare with each other
    uint32_t base = 0;                     // number of the first group
    uint32_t columns = 0;                  // that are compared
    bool rising = true;                    // no group's youngest start is before that of a group in front of it
    WordLess less = nullptr;               // 1: the first word is less, of one kind of order

    bool is_before(const Measured& a, const Measured& b) const noexcept {
        if (a.about != b.about) return a.about < b.about;
        return a.word != b.word && less(a.word, b.word) == 1;
    }

    bool accepts(const Bound& bound, const Measured& value) const noexcept {
        return (bound.limit ? is_before(value, bound.value) : is_before(bound.value, value)) != bound.inverted;
    }

    size_t first_place() const noexcept { return 0; }
    size_t end_place() const noexcept { return groups.size(); }
    bool is_rising() const noexcept { return rising; }

    size_t zone_width() const noexcept { return 1; }

    void begin_zone(Zone* zone, size_t place) const noexcept {
        for (uint32_t i = 0; i < columns; ++i) zone->least[i] = zone->most[i] = groups[place].values[i];
        zone->max_start = groups[place].max_start;
    }

    void widen_zone(Zone* zone, size_t place) const noexcept {
        const Group& group = groups[place];
        for (uint32_t i = 0; i < columns; ++i) {
            if (is_before(group.values[i], zone->least[i])) zone->least[i] = group.values[i];
            else if (is_before(zone->most[i], group.values[i])) zone->most[i] = group.values[i];
        }
        if (precedes(zone->max_start, group.max_start)) zone->max_start = group.max_start;
    }

    void merge_zone(Zone* zone, const Zone* other) const noexcept {
        for (uint32_t i = 0; i < columns; ++i) {
            if (is_before(other->least[i], zone->least[i])) zone->least[i] = other->least[i];
            if (is_before(zone->most[i], other->most[i])) zone->most[i] = other->most[i];
        }
        if (precedes(zone->max_start, other->max_start)) zone->max_start = other->max_start;
    }

    // In zone maps of cells `max_start` says whether the cell may be alive, 1 or 0.
    bool lives(size_t place) const noexcept { return groups[place].max_start != 0; }
    bool is_live(const Zone* zone) const noexcept { return zone->max_start != 0; }
    void end_zone(Zone* zone) const noexcept { zone->max_start = 0; }
};

// Groups that pass all comparisons and hold something from `lo` on.  Each comparison alone may hold somewhere in a
// zone.
struct GroupQuery {
    const GroupList& list;
    const Bounds& bounds;
    uint32_t lo;

    bool may_hold(const Zone* zone) const noexcept {
        if (precedes(zone->max_start, lo)) return false;
        for (uint32_t i = 0; i < bounds.count; ++i) {
            const Bound& one = bounds.each[i];
            const Measured& nearest = one.limit != one.inverted ? zone->least[one.slot] : zone->most[one.slot];
            if (!list.accepts(one, nearest)) return false;
        }
        return true;
    }

    bool ask_for_younger(size_t place) noexcept {
        lo = list.groups[place].max_start + 1;
        return true;
    }

    bool holds(size_t place) const noexcept {
        const Group& group = list.groups[place];
        if (precedes(group.max_start, lo)) return false;
        for (uint32_t i = 0; i < bounds.count; ++i)
            if (!list.accepts(bounds.each[i], group.values[bounds.each[i].slot])) return false;
        return true;
    }
};

// The number of the next group.
inline uint32_t group_end(const GroupList* list) noexcept {
    return list->base + static_cast<uint32_t>(list->groups.size());
}

// The last group, which is new, is complete.
inline void close_group(GroupList* list) noexcept {
    const Group* last = &list->groups.back();
    if (list->groups.size() > 1 && precedes(last->max_start, (last - 1)->max_start)) list->rising = false;
}

// An empty list, whose numbers go on.
inline void empty_groups(GroupList* list) noexcept {
    list->base = group_end(list);
    list->groups.clear();
    list->zones.clear();
    list->rising = true;
}

// Forget groups at the beginning that hold nothing from `lo` on, if they are half of the list or all of it.
inline void trim_groups(GroupList* list, uint32_t lo) noexcept {
    size_t dead = 0;
    while (dead < list->groups.size() && precedes(list->groups[dead].max_start, lo)) ++dead;
    if (dead == list->groups.size()) {
        empty_groups(list);
    } else if (2 * dead >= list->groups.size()) {
        list->groups.erase(list->groups.begin(), list->groups.begin() + static_cast<ptrdiff_t>(dead));
        list->base += static_cast<uint32_t>(dead);
        list->zones.clear();
    }
}

// A group's cell is gone.
inline void strike_group(GroupList* list, size_t place) noexcept {
    list->groups[place].max_start = 0;
    list->zones.strike(*list, place);
}

}  // namespace spaseq::joins
