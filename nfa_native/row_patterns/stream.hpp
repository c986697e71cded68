// Matches in partitions whose rows come bit by bit: each is told with the row that decides it and all before it.
//
// Of each partition the rows are kept from the first one where a match may still begin.  A new row has the pair of open ends
// behind it; pairs before it are mended until one stays as it was.  Where matches may take so long and no longer, that holds
// until a row or a promise tells that a match from a start can reach no further row; then the rows in its reach are all.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/row_patterns/positions.hpp"
#include "nfa_native/row_patterns/possible_sets.hpp"
#include "nfa_native/row_patterns/pulse.hpp"
#include "nfa_native/row_patterns/scan.hpp"

namespace spaseq::row_patterns {

// The rows of a partition that matter.  Rows are numbered from its first one on.
struct OpenPartition {
    int64_t first = 0;                   // the number of the first one that is kept
    std::vector<uint32_t> classes;       // by kept row
    std::vector<uint32_t> pairs;         // by kept row: what is possible there, and settled
    std::vector<int64_t> times;          // by kept row, rising; of matches that have a bound
    int64_t promised = INT64_MIN;        // no row before that time will come
    int64_t start = 0;                   // where the next match may begin
    int64_t number = 0;                  // of matches so far
    int64_t beyond = 0;                  // no match so far reached that row
    bool is_closed = false;              // no row will come
};

struct StreamScan {
    const Positions* positions = nullptr;
    Skip skip = Skip::PAST_LAST_ROW;
    std::vector<uint8_t> targets;          // by position: the next match begins at such rows
    bool tells_unmatched = false;          // rows of no match are told
    int64_t length = 0;                    // the times of a match's rows differ by less; 0: by any length
    PossibleSets sets;
    std::vector<OpenPartition> partitions;
    Found found;                           // with rows numbered within their partitions
    std::vector<uint32_t> of;              // by match that was found: its partition
    Pulse pulse;
    Stuck stuck = Stuck::NO;
    uint32_t stuck_in = 0;                 // the partition where that is so,
    int64_t stuck_at = 0;                  // and the first row of the match
    std::vector<uint32_t> reached;         // the pairs of the rows in reach of a start, from this one on

    // std::bad_alloc.
    void open() { sets.open(positions); }

    int64_t rows_of(uint32_t partition) const noexcept {
        const OpenPartition& its = partitions[partition];
        return its.first + static_cast<int64_t>(its.classes.size());
    }

    // Rows come to a partition, with `times` where matches have a bound.  std::bad_alloc.
    void add(uint32_t partition, const uint32_t* classes, const int64_t* times, size_t count) {
        OpenPartition& its = partitions[partition];
        assert(!its.is_closed);
        const size_t before = its.classes.size();
        if (length) its.times.insert(its.times.end(), times, times + count);
        its.classes.insert(its.classes.end(), classes, classes + count);
        its.pairs.resize(its.classes.size(), OPEN_END);
        mend(its, before);
        decide(partition);
    }

    // Of a row more is known than before: its class is another one.  std::bad_alloc.
    void change(uint32_t partition, int64_t row, uint32_t of_class) {
        OpenPartition& its = partitions[partition];
        if (row < its.first) return;
        const size_t place = static_cast<size_t>(row - its.first);
        assert(place < its.classes.size());
        its.classes[place] = of_class;
    }

    // Classes were changed from that row on: what they decide.  std::bad_alloc.
    void changed(uint32_t partition, int64_t row) {
        OpenPartition& its = partitions[partition];
        mend(its, row < its.first ? 0 : static_cast<size_t>(row - its.first));
        decide(partition);
    }

    // No row before a time will come to a partition.  std::bad_alloc.
    void promise(uint32_t partition, int64_t time) {
        OpenPartition& its = partitions[partition];
        if (time <= its.promised) return;
        its.promised = time;
        decide(partition);
    }

    // No further row comes to a partition.  std::bad_alloc.
    void close(uint32_t partition) {
        OpenPartition& its = partitions[partition];
        its.is_closed = true;
        mend(its, its.classes.empty() ? 0 : its.classes.size() - 1);
        decide(partition);
    }

 private:
    uint32_t behind(const OpenPartition& its, size_t place) const noexcept {
        if (place + 1 < its.pairs.size()) return its.pairs[place + 1];
        return its.is_closed ? CLOSED_END : OPEN_END;
    }

    // All pairs from the last row to `place`, then further back until one stays as it was.
    void mend(OpenPartition& its, size_t place) {
        for (size_t at = its.pairs.size(); at-- > 0;) {
            const uint32_t now = sets.before(behind(its, at), its.classes[at]);
            if (at < place && now == its.pairs[at]) break;
            its.pairs[at] = now;
            pulse.beat(4);
        }
    }

    // Whether it is known which rows a match from a kept one can reach: what is possible and settled in these.
    bool reach(const OpenPartition& its, size_t place) {
        const int64_t limit = its.times[place] > INT64_MAX - length ? INT64_MAX : its.times[place] + length;
        if (!its.is_closed && its.times.back() < limit && its.promised < limit) return false;
        size_t end = place;
        while (end < its.times.size() && its.times[end] < limit) ++end;
        const bool is_last = end == its.times.size();
        reached.assign(end - place + 1, is_last ? its.is_closed ? CLOSED_END : OPEN_REACH : BEYOND_REACH);
        for (size_t at = end; at-- > place;) reached[at - place] = sets.before(reached[at - place + 1], its.classes[at]);
        pulse.beat(4 * (end - place));
        return true;
    }

    void decide(uint32_t partition) {
        OpenPartition& its = partitions[partition];
        while (stuck == Stuck::NO && its.start < rows_of(partition)) {
            const size_t place = static_cast<size_t>(its.start - its.first);
            const bool is_reached = length && reach(its, place);
            const uint32_t pair = is_reached ? reached[0] : its.pairs[place];
            const int32_t position = sets.choice(pair, positions->first_node(its.start == 0));
            if (position == UNDECIDED) break;
            pulse.beat();
            if (position == NOWHERE) {
                if (tells_unmatched && its.start >= its.beyond) enter(partition, its.start, 0, 0);
                ++its.start;
            } else {
                tell(partition, place, position, is_reached);
            }
        }
        forget(its);
    }

    // The match that begins at a kept row with a settled position, or takes no row.
    void tell(uint32_t partition, size_t place, int32_t position, bool is_reached) {
        OpenPartition& its = partitions[partition];
        const size_t labels = found.labels.size();
        size_t at = place;
        for (; position != ACCEPT; ++at) {
            assert(position >= 0);
            found.labels.push_back(static_cast<uint16_t>(position));
            const uint32_t next = is_reached ? reached[at - place + 1] : behind(its, at);
            position = sets.choice(next, static_cast<uint32_t>(position));
        }
        enter(partition, its.start, at - place, ++its.number);
        const int64_t end = its.first + static_cast<int64_t>(at);
        its.beyond = end > its.beyond ? end : its.beyond;
        const size_t next = next_start(skip, targets, found.labels.data() + labels, place, at, &stuck);
        if (stuck != Stuck::NO) stuck_in = partition, stuck_at = its.start;
        its.start = its.first + static_cast<int64_t>(next);
    }

    void enter(uint32_t partition, int64_t first, size_t count, int64_t number) {
        of.push_back(partition);
        found.firsts.push_back(first);
        found.counts.push_back(static_cast<int64_t>(count));
        found.numbers.push_back(number);
    }

    // Let go of rows before the next start, when they are as many as the others.
    static void forget(OpenPartition& its) {
        const size_t done = static_cast<size_t>(its.start - its.first);
        if (2 * done < its.classes.size()) return;
        its.classes.erase(its.classes.begin(), its.classes.begin() + static_cast<std::ptrdiff_t>(done));
        its.pairs.erase(its.pairs.begin(), its.pairs.begin() + static_cast<std::ptrdiff_t>(done));
        if (!its.times.empty()) its.times.erase(its.times.begin(), its.times.begin() + static_cast<std::ptrdiff_t>(done));
        its.first = its.start;
    }
};

}  // namespace spaseq::row_patterns
