// Zone maps: what is known of each 32, 1,024 and 32,768 groups in a row, so that a search passes over what cannot hold.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spaseq {

// A zone is some `Unit`s.  The list of groups says how many, and what is in them:
//     size_t zone_width()                              units of a zone
//     void begin_zone(Unit* zone, size_t place)        the zone of one group
//     void widen_zone(Unit* zone, size_t place)        take another group in
//     void merge_zone(Unit* zone, const Unit* other)   take all groups of another zone in
// and a query whether a zone `may_hold(const Unit*)` something that it asks for, and a group `holds(size_t place)` it.
// Zones are made when something is looked for; larger ones when they are full, out of smaller ones.
template <class Unit>
struct ZoneMap {
    static constexpr int FAN = 5;              // 2 ** FAN groups make a zone of level 0, as many zones one of the next level
    static constexpr int LEVELS = 3;
    static constexpr size_t LAST = (size_t(1) << FAN) - 1;

    std::vector<Unit> zones[LEVELS];
    size_t known = 0;                          // groups that are in zones: the first ones

    void clear() noexcept {
        known = 0;
        for (auto& level : zones) level.clear();
    }

    // Let the zones know the first `count` groups.  std::bad_alloc.
    template <class List>
    void know(const List& list, size_t count) {
        for (; known < count; ++known) enter(list, known);
    }

    // The zone around a group, NULL if it is not there yet.
    template <class List>
    Unit* around(const List& list, int level, size_t place) noexcept {
        size_t at = (place >> shift(level)) * list.zone_width();
        return place < known && at < zones[level].size() ? zones[level].data() + at : nullptr;
    }

    // A group is gone: the smallest zone around it is made anew of the groups that live (`lives(place)`); if there are none
    // it is dead (`end_zone(zone)`, `is_live(zone)`), and so are larger ones of nothing but dead ones.
    template <class List>
    void strike(const List& list, size_t place) noexcept {
        Unit* zone = around(list, 0, place);
        bool some = false;
        if (zone == nullptr) return;
        for (size_t i = place & ~LAST; i <= (place | LAST) && i < known; ++i) {
            if (!list.lives(i)) continue;
            if (some) list.widen_zone(zone, i);
            else list.begin_zone(zone, i);
            some = true;
        }
        for (int level = 0; !some && zone != nullptr; ++level) {
            list.end_zone(zone);
            if (level + 1 == LEVELS || (zone = around(list, level + 1, place)) == nullptr) return;
            size_t first = (place >> shift(level)) & ~LAST;
            for (size_t i = first; i <= first + LAST; ++i)
                some = some || list.is_live(zones[level].data() + i * list.zone_width());
        }
    }

    // The last place from `first` to `end` - 1 that holds what is asked for; -1: there is none.  Adds to `scanned` how many
    // groups and zones were looked at.  The zones know all groups.
    template <class List, class Query>
    int64_t last_before(const List& list, const Query& query, int64_t first, int64_t end, uint64_t* scanned) const noexcept {
        size_t width = list.zone_width();
        uint64_t seen = 0;
        int64_t place = end - 1;
        int level = place < first ? -1 : widest(place, width);
        assert(end <= static_cast<int64_t>(known));
        while (place >= first) {
            for (; level >= 0; --level) {      // the widest zone that ends here in which there is nothing
                ++seen;
                if (!query.may_hold(zones[level].data() + static_cast<size_t>(place >> shift(level)) * width)) break;
            }
            if (level >= 0) {
                place = (place >> shift(level) << shift(level)) - 1;
            } else {
                do {                           // the rest of the smallest one, one by one
                    ++seen;
                    if (query.holds(static_cast<size_t>(place))) {
                        *scanned += seen;
                        return place;
                    }
                    --place;
                } while (place >= first && !ends_zone(place));
            }
            level = ending_at(place);
        }
        *scanned += seen;
        return -1;
    }

  private:
    static constexpr int shift(int level) noexcept { return FAN * (level + 1); }
    static constexpr bool ends_zone(int64_t place) noexcept { return (static_cast<size_t>(place) & LAST) == LAST; }

    // The level of the largest zone whose last group it is; -1: it is none's.
    static int ending_at(int64_t place) noexcept {
        int level = -1;
        for (; level + 1 < LEVELS && ends_zone(place); ++level) place >>= FAN;
        return level;
    }

    // The level of the largest zone that has a group.
    int widest(int64_t place, size_t width) const noexcept {
        int level = LEVELS - 1;
        while (level > 0 && static_cast<size_t>(place >> shift(level)) * width >= zones[level].size()) --level;
        return level;
    }

    // Zones have their place: to begin again after an allocation failed does no harm.
    template <class List>
    void enter(const List& list, size_t place) {
        Unit* zone = made(0, place, list.zone_width());
        if ((place & LAST) == 0) list.begin_zone(zone, place);
        else list.widen_zone(zone, place);
        for (int level = 1; level < LEVELS && ends_zone(static_cast<int64_t>(place >> shift(level - 2))); ++level)
            if (ends_zone(static_cast<int64_t>(place >> shift(level - 1)))) fill(list, level, place);
    }

    // The zone around a group, which may be the next one of its level.
    Unit* made(int level, size_t place, size_t width) {
        size_t at = (place >> shift(level)) * width;
        if (at == zones[level].size()) zones[level].resize(at + width);
        return zones[level].data() + at;
    }

    // A larger zone, which ends with a group, out of smaller ones.
    template <class List>
    void fill(const List& list, int level, size_t place) {
        size_t width = list.zone_width();
        Unit* zone = made(level, place, width);
        const Unit* smaller = zones[level - 1].data() + ((place >> shift(level - 1)) - LAST) * width;
        std::copy_n(smaller, width, zone);
        for (size_t i = 1; i <= LAST; ++i) list.merge_zone(zone, smaller + i * width);
    }
};

}  // namespace spaseq
