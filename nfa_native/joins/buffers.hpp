// What waits of a lazy segment: the sets that entered its first state and the events of its transition, as columns,
// oldest first.  An event sees the sets that were there when it came: so it keeps how many these were.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "nfa_native/core/columns.hpp"
#include "nfa_native/joins/groups.hpp"
#include "nfa_native/terms/columnar.hpp"
#include "nfa_native/terms/encoding.hpp"

namespace spaseq::joins {

constexpr size_t WHOLE_BUFFER = SIZE_MAX;    // instead of a place

// One value of all sets, as words and as `core/columns.hpp` has numbers; behind the last one there is room for a block.
struct SetColumn {
    std::vector<word_t> words;
    std::vector<double> numbers;
    std::vector<ranges::Bounds> bounds;   // of the numbers of each block
    ranges::Bounds all;                   // and of all of them
    double most = 0;                       // none was farther from 0 since they were none
    double error = 0;                      // nor was a word farther off
    bool whole = true;                     // all were integers

    void put(size_t place, word_t word) {
        columns::Column number = number_of(word);
        if (words.size() <= place + columns::BLOCK) {
            words.resize(2 * place + 2 * columns::BLOCK);
            numbers.resize(words.size());
        }
        words[place] = word;
        numbers[place] = number.one;
        most = std::max(most, number.most);
        error = std::max(error, number.error);
        whole = whole && number.whole;
        bound(place);
    }

    // Let the bounds know the number of the next place.
    void bound(size_t place) {
        if (place % columns::BLOCK == 0) bounds.emplace_back();
        bounds.back().take(numbers[place]);
        all.take(numbers[place]);
    }

    // Forget the first `count` of `size`.
    void forget(size_t count, size_t size) noexcept {
        std::copy(words.begin() + ptrdiff_t(count), words.begin() + ptrdiff_t(size), words.begin());
        std::copy(numbers.begin() + ptrdiff_t(count), numbers.begin() + ptrdiff_t(size), numbers.begin());
        bounds.clear();
        all = {};
        for (size_t place = 0; place < size - count; ++place) bound(place);
        if (count < size) return;
        most = error = 0;
        whole = true;
    }

    // The numbers of the block that begins at a place, or (Range) between what they lie.
    template <class Value>
    Value at(size_t place) const noexcept {
        if constexpr (std::is_same_v<Value, ranges::Range>) {
            const ranges::Bounds& known = place == WHOLE_BUFFER ? all : bounds[place / columns::BLOCK];
            return {known.least, known.greatest, most, error, whole};
        } else {
            return {numbers.data() + place, 0, most, error, whole};
        }
    }
};

struct SetBuffer {
    std::vector<SetColumn> columns;
    std::vector<uint32_t> nodes;           // the sets
    std::vector<uint32_t> starts;          // and the youngest first event in each
    uint32_t base = 0;                     // number of the first one; may wrap
    size_t dead = 0;                       // so many at the beginning have left the window

    size_t size() const noexcept { return nodes.size(); }
    uint32_t end() const noexcept { return base + uint32_t(nodes.size()); }
};

struct EventBuffer {
    std::vector<uint32_t> positions;
    std::vector<uint32_t> seen;            // for each the number of the first set that came after it
    std::vector<word_t> words;             // its row
    size_t dead = 0;                       // so many at the beginning see no set that is left
};

// What waits under one key.
struct Buffer {
    std::vector<word_t> key;
    SetBuffer sets;
    EventBuffer events;
};

constexpr int64_t NEVER = INT64_MIN;

// What came in the present period, by counters that begin with it; and others as they were when it began.
struct SegmentCosts {
    uint32_t since;                        // position of the next event then
    int64_t began = NEVER;                 // and what windows measure
    uint64_t arrivals;                     // events of the transition
    uint64_t seen;                         // sets that waited for them, under their keys
    uint64_t closings;                     // events that asked what waits
    uint64_t looped;                       // pairs of a set and an event that these looked at
    uint64_t passed;                       // and that went on, but for those that were only counted
    uint64_t sets;                         // entered the first state
    uint64_t kept;                         // events of the transition that joined some of these, or wait for them
    uint64_t joined;                       // pairs of sets in its cells with events
    uint64_t entered;                      // cells of the second state
    uint64_t scanned;                      // that the steps out of it looked at,
    uint64_t asked;                        // and that their filters were asked of
    uint64_t found;                        // results
    uint64_t merged;                       // how often the second state had changed between lists and merged cells
};

struct Segment {
    std::vector<Buffer> buffers;
    std::unordered_multimap<uint64_t, uint32_t> by_key;  // their numbers by the hash of their keys
    uint32_t youngest = 0;                 // no set began after it
    size_t waiting = 0;                    // sets, with those that have left the window
    bool lazy = false;                     // sets that enter from now on wait here
    SegmentCosts costs{};
    double kept_of_seen = 1;               // cells for each pair, when they were made last
    double asked_each = 0;                 // nanoseconds to look at them, by pair that would be tried if they waited
    double keys = 0;                       // buffers, when there were some last
    double sets_each = 0;                  // that an event which waits sees, or would see, of late
    uint32_t looks = 0;                    // at what the present period has taken
    uint32_t doubts = 0;                   // how often it was changed back soon
    uint32_t rest = 0;                     // periods for which a change comes soon after the last one
    uint64_t switches = 0;
};

// Forget what is dead, if that is half of it.
inline void trim_sets(SetBuffer* sets) {
    if (sets->dead * 2 < sets->size() || sets->dead == 0) return;
    for (SetColumn& column : sets->columns) column.forget(sets->dead, sets->size());
    sets->nodes.erase(sets->nodes.begin(), sets->nodes.begin() + ptrdiff_t(sets->dead));
    sets->starts.erase(sets->starts.begin(), sets->starts.begin() + ptrdiff_t(sets->dead));
    sets->base += uint32_t(sets->dead);
    sets->dead = 0;
}

inline void trim_events(EventBuffer* events) {
    if (events->dead * 2 < events->positions.size() || events->dead == 0) return;
    size_t width = events->words.size() / events->positions.size();
    events->words.erase(events->words.begin(), events->words.begin() + ptrdiff_t(events->dead * width));
    events->positions.erase(events->positions.begin(), events->positions.begin() + ptrdiff_t(events->dead));
    events->seen.erase(events->seen.begin(), events->seen.begin() + ptrdiff_t(events->dead));
    events->dead = 0;
}

// Let go what lies before position `lo`.
inline void pass_buffer(Segment* segment, Buffer* buffer, uint32_t lo) {
    SetBuffer& sets = buffer->sets;
    EventBuffer& events = buffer->events;
    size_t before = sets.dead;
    while (sets.dead < sets.size() && precedes(sets.starts[sets.dead], lo)) ++sets.dead;
    if (sets.dead == before) return;
    segment->waiting -= sets.dead - before;
    uint32_t first = sets.base + uint32_t(sets.dead);
    while (events.dead < events.positions.size() && !precedes(first, events.seen[events.dead])) ++events.dead;
    trim_sets(&sets);
    trim_events(&events);
}

}  // namespace spaseq::joins
