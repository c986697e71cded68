// Matches in partitions whose rows come bit by bit: each is told with the row that decides it and all before it.
//
// Of each partition the rows are kept from the first one where a match may still begin.  A new row has the pair of open ends
// behind it; pairs before it are mended until one stays as it was.  Where matches may take so long and no longer, that holds
// until a row or a promise tells that a match from a start can reach no further row; then earliest ends decide.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "nfa_native/row_patterns/open_partition.hpp"
#include "nfa_native/row_patterns/positions.hpp"
#include "nfa_native/row_patterns/possible_sets.hpp"
#include "nfa_native/row_patterns/pulse.hpp"
#include "nfa_native/row_patterns/row_tests.hpp"
#include "nfa_native/row_patterns/scan.hpp"
#include "nfa_native/row_patterns/search.hpp"

namespace spaseq::row_patterns {

// How far results look, in rows of a partition.
struct Reach {
    size_t ahead = 0;          // behind a row: by conditions, so that its class is certain when these are there
    size_t lag = 0;            // behind a row: by values, so that they are known when these are there; no more than `ahead`
    size_t context = 0;        // the last rows that stay, decided or not: new ones, and those that are not certain, ask for them
    size_t before = 0;         // before a start: they stay, and are told with its match
    size_t behind = 0;         // behind a match: it waits for them, and they are told with it
};

// Matches, and rows of none, in the order in which they are decided.
struct FoundInStream {
    Found found;                          // with rows numbered within their partitions
    std::vector<uint32_t> partitions;     // by match
    std::vector<uint32_t> leads;          // by match: how many rows before it are told,
    std::vector<uint32_t> tails;          // and how many behind it
    std::vector<int64_t> origins;         // of the rows that are told: those before a match, its own (of an empty one that where it is), and those behind
};

struct StreamScan {
    // When a partition is to be told that time has passed; of one time, the one whose start came first.
    struct Due {
        int64_t time, origin;
        uint32_t partition;
        bool operator>(const Due& other) const noexcept { return time != other.time ? time > other.time : origin > other.origin; }
    };

    const Positions* positions = nullptr;
    Skip skip = Skip::PAST_LAST_ROW;
    std::vector<uint8_t> targets;          // by position: the next match begins at such rows
    bool tells_unmatched = false;          // rows of no match are told
    bool remembers = false;                // partitions of which all is decided stay
    int64_t length = 0;                    // the times of a match's rows differ by less; 0: by any length
    Reach far;
    PossibleSets sets;
    std::vector<OpenPartition> partitions;
    std::vector<OpenEnds> ends;            // by partition, where matches have a bound
    const Conditions* conditions = nullptr;        // those that read the match; NULL: there are none
    RowTests tests;                        // of single rows; they have the same columns
    uint64_t most_steps = 0;               // of a search from one row; 0: any number
    std::vector<Search> searches;          // by partition, where there are such conditions
    std::vector<uint32_t> free;            // partitions that are in no use
    std::vector<uint32_t> done;            // partitions of which all was decided, some time
    size_t kept = 0;                       // rows of all partitions
    std::priority_queue<Due, std::vector<Due>, std::greater<Due>> dues;
    int64_t promised = INT64_MIN;          // no row before that time will come
    FoundInStream told;
    Pulse pulse;
    Stuck stuck = Stuck::NO;
    uint32_t stuck_in = 0;                 // the partition where that is so,
    int64_t stuck_at = 0;                  // and which of all rows is the first of the match
    std::vector<uint32_t> found_classes;   // of a row that comes, and those before it
    std::vector<uint32_t> reached;         // the pairs of the rows in reach of a start, from this one on
    bool has_ends = false;                 // earliest ends tell all: no match must end with a partition

    // std::bad_alloc.
    void open() {
        sets.open(positions);
        has_ends = length != 0 && conditions == nullptr;
        for (const Follower& follower : positions->followers) has_ends &= !follower.at_end;
    }

    // A partition for a new key.  std::bad_alloc.
    uint32_t take_partition() {
        if (free.empty()) {
            if (has_ends) ends.emplace_back();
            if (conditions != nullptr) searches.emplace_back();
            partitions.emplace_back();
            free.reserve(partitions.size());
            partitions.back().is_used = true;
            return static_cast<uint32_t>(partitions.size() - 1);
        }
        const uint32_t found = free.back();
        free.pop_back();
        partitions[found].is_used = true;
        return found;
    }

    // No further row comes for its key.
    void give_back(uint32_t partition) {
        kept -= partitions[partition].classes.size();
        partitions[partition] = OpenPartition();
        if (has_ends) ends[partition] = OpenEnds();
        if (conditions != nullptr) searches[partition] = Search();
        free.push_back(partition);
    }

    // Rows come, each to a partition, the first of them as that one of all.  Of each there are classes: its own as far as it
    // is known, and how those of the rows before it are known now, the next one first; then values of the row `lag` before it.  std::bad_alloc.
    void add(
        const uint32_t* of, const uint32_t* classes, const int64_t* times, const int64_t* bits, const uint8_t* known_bits, int64_t origin,
        size_t count
    ) {
        for (size_t row = 0; row < count && stuck == Stuck::NO; ++row, ++origin, classes += far.ahead + 1) {
            if (length) promise(times[row]);
            if (stuck != Stuck::NO) return;
            OpenPartition& its = partitions[of[row]];
            const size_t place = its.classes.size();
            ++kept;
            its.classes.push_back(classes[0]);
            its.pairs.push_back(OPEN_END);
            its.origins.push_back(origin);
            if (length) its.times.push_back(times[row]);
            const size_t known = std::min(far.ahead, place);
            for (size_t back = 1; back <= known; ++back) its.classes[place - back] = classes[back];
            if (place >= far.lag) add_values(its, bits + row * columns(), known_bits + row * columns(), 1);
            settle(of[row], place - known);
        }
    }

    // As `add` of rows whose classes are found by tests of their values; how many: the next one has none.  std::bad_alloc.
    size_t add_tested(
        const uint32_t* of, const int64_t* times, const int64_t* bits, const uint8_t* known_bits, int64_t origin, size_t count
    ) {
        for (size_t row = 0; row < count && stuck == Stuck::NO; ++row) {
            if (length) promise(times[row]);
            if (stuck != Stuck::NO) break;
            OpenPartition& its = partitions[of[row]];
            const size_t place = its.classes.size(), known = std::min(far.ahead, place);
            add_values(its, bits + row * columns(), known_bits + row * columns(), 1);
            its.classes.push_back(0);
            found_classes.resize(known + 1);
            for (size_t back = 0; back <= known; ++back) {
                if (tests.classify(sets, its, its.first + static_cast<int64_t>(place - back), back, &found_classes[back])) continue;
                its.classes.pop_back();
                its.bits.resize(place * columns());
                its.known.resize(place * columns());
                return row;
            }
            ++kept;
            its.pairs.push_back(OPEN_END);
            its.origins.push_back(origin + static_cast<int64_t>(row));
            if (length) its.times.push_back(times[row]);
            for (size_t back = 0; back <= known; ++back) its.classes[place - back] = found_classes[back];
            settle(of[row], place - known);
        }
        return count;
    }

    // No row before a time will come.  std::bad_alloc.
    void promise(int64_t time) {
        if (time <= promised) return;
        promised = time;
        while (stuck == Stuck::NO && !dues.empty() && dues.top().time <= time) {
            const Due due = dues.top();
            dues.pop();
            if (!is_awaited(due)) continue;
            partitions[due.partition].due = NEVER;
            decide(due.partition);
        }
    }

    // When a promise decides something; NEVER: no time does.
    int64_t next_due() {
        while (!dues.empty() && !is_awaited(dues.top())) dues.pop();
        return dues.empty() ? NEVER : dues.top().time;
    }

    // No row will come to any partition.  std::bad_alloc.
    void close() {
        std::vector<Due> open;
        for (uint32_t partition = 0; partition < partitions.size(); ++partition) {
            const OpenPartition& its = partitions[partition];
            if (!its.is_decided()) open.push_back(Due{0, its.origins[its.place_of(its.start)], partition});
        }
        std::sort(open.begin(), open.end(), [](const Due& one, const Due& other) { return other > one; });
        for (const Due& due : open) {
            if (stuck != Stuck::NO) return;
            OpenPartition& its = partitions[due.partition];
            its.is_closed = true;
            settle(due.partition, its.classes.size() - std::min(its.classes.size(), far.ahead + 1));
        }
    }

    // The rows of a partition as they were, each of its class so far: what that decides was told.  std::bad_alloc.
    void go_on(
        uint32_t partition, const uint32_t* classes, const int64_t* origins, const int64_t* times, const int64_t* bits,
        const uint8_t* known, size_t count
    ) {
        OpenPartition& its = partitions[partition];
        its.classes.assign(classes, classes + count);
        its.origins.assign(origins, origins + count);
        if (length) its.times.assign(times, times + count);
        its.pairs.assign(count, OPEN_END);
        add_values(its, bits, known, count - std::min(count, far.lag));
        kept += count;
        settle(partition, 0);
    }

    // As no others come, all is known of the last rows: their classes, and their values in turn.  std::bad_alloc.
    void foresee(uint32_t partition, int64_t row, uint32_t of_class, const int64_t* bits, const uint8_t* known) {
        OpenPartition& its = partitions[partition];
        if (row < its.first || row >= its.rows()) return;
        its.classes[its.place_of(row)] = of_class;
        if (its.bits.size() == its.place_of(row) * columns()) add_values(its, bits, known, 1);
    }

    // The first of its rows that are still of use, of those that are kept.
    size_t needed_from(const OpenPartition& its) const noexcept {
        const int64_t rows = its.rows();
        const size_t stay = std::max(far.before, far.context - std::min(far.context, far.ahead));
        const int64_t least = std::min(its.start - static_cast<int64_t>(stay), rows - static_cast<int64_t>(far.context));
        return static_cast<size_t>(std::max(least, its.first) - its.first);
    }

 private:
    size_t columns() const noexcept {
        return tests.conditions != nullptr ? tests.conditions->columns.size() : conditions != nullptr ? conditions->columns.size() : 0;
    }

    void add_values(OpenPartition& its, const int64_t* bits, const uint8_t* known, size_t rows) {
        its.bits.insert(its.bits.end(), bits, bits + rows * columns());
        its.known.insert(its.known.end(), known, known + rows * columns());
    }

    uint32_t behind(const OpenPartition& its, size_t place) const noexcept {
        if (place + 1 < its.pairs.size()) return its.pairs[place + 1];
        return its.is_closed ? CLOSED_END : OPEN_END;
    }

    // How many kept rows are surely of their classes.
    size_t certain(const OpenPartition& its) const noexcept {
        const size_t count = its.classes.size();
        return its.is_closed ? count : count - std::min(count, far.ahead);
    }

    // More is known of rows from a place on: what that decides.
    void settle(uint32_t partition, size_t place) {
        OpenPartition& its = partitions[partition];
        mend(its, place);
        if (has_ends) ends[partition].extend(*positions, sets, its.classes, least(its), certain(its));
        decide(partition);
    }

    // The first kept row that a match can still have.
    static size_t least(const OpenPartition& its) noexcept { return static_cast<size_t>(std::max<int64_t>(its.start - its.first, 0)); }

    // All pairs from the last row to `place`, then further back until one stays as it was.
    void mend(OpenPartition& its, size_t place) {
        const size_t first = least(its);
        for (size_t at = its.pairs.size(); at-- > first;) {
            const uint32_t now = sets.before(behind(its, at), its.classes[at]);
            if (at < place && now == its.pairs[at]) break;
            its.pairs[at] = now;
            pulse.beat(4);
        }
    }

    bool is_awaited(const Due& due) const noexcept {
        const OpenPartition& its = partitions[due.partition];
        return its.due == due.time && its.due_for == due.origin;
    }

    // How the rows of a match from a start are found.
    enum class Way { BY_PAIRS, BY_ENDS, BY_REACHED };

    int64_t limit_of(const OpenPartition& its, size_t place) const noexcept {
        return its.times[place] > INT64_MAX - length ? INT64_MAX : its.times[place] + length;
    }

    // While rows may come that a match from a start can reach, pairs tell; `end` is the first that it cannot reach.
    Way way(const OpenPartition& its, size_t place, size_t* end) {
        if (!length) return Way::BY_PAIRS;
        const int64_t limit = limit_of(its, place);
        if (!its.is_closed && its.times.back() < limit && promised < limit) return Way::BY_PAIRS;
        *end = its.reach(place, limit);
        if (has_ends && *end <= certain(its)) return Way::BY_ENDS;
        const bool is_last = *end == its.times.size();
        reached.assign(*end - place + 1, is_last ? its.is_closed ? CLOSED_END : OPEN_REACH : BEYOND_REACH);
        for (size_t at = *end; at-- > place;) reached[at - place] = sets.before(reached[at - place + 1], its.classes[at]);
        pulse.beat(4 * (*end - place));
        return Way::BY_REACHED;
    }

    // What is preferred at a node before the kept row `at`, in a match from `place`.
    int32_t choice(uint32_t partition, Way way, size_t place, size_t at, size_t end, uint32_t node) const noexcept {
        const OpenPartition& its = partitions[partition];
        if (way == Way::BY_REACHED) return sets.choice(reached[at - place], node);
        if (way == Way::BY_PAIRS) return sets.choice(at < its.pairs.size() ? its.pairs[at] : its.is_closed ? CLOSED_END : OPEN_END, node);
        for (uint32_t each = positions->begins[node]; each < positions->begins[node + 1]; ++each) {
            const int32_t position = positions->followers[each].position;
            if (position == ACCEPT || (at < end && ends[partition].within(*positions, at, position, end - 1 - at))) return position;
        }
        return NOWHERE;
    }

    // What is known of a start.
    enum class Outcome { UNDECIDED_, NO_MATCH, TOLD };

    void decide(uint32_t partition) {
        OpenPartition& its = partitions[partition];
        while (stuck == Stuck::NO && !its.is_decided()) {
            const size_t place = its.place_of(its.start);
            pulse.beat();
            const Outcome outcome = conditions == nullptr ? chosen(partition, place) : searched(partition, place);
            if (outcome == Outcome::UNDECIDED_) break;
            if (outcome == Outcome::TOLD || stuck != Stuck::NO) continue;
            if (tells_unmatched && its.start >= its.beyond) enter(partition, place, place, 0);
            ++its.start;
        }
        if (its.is_decided() && !remembers && !its.is_noted) {
            its.is_noted = true;
            done.push_back(partition);
        }
        forget(partition);
    }

    // By sets of positions.
    Outcome chosen(uint32_t partition, size_t place) {
        OpenPartition& its = partitions[partition];
        size_t end = 0;
        const Way by = way(its, place, &end);
        const int32_t position = choice(partition, by, place, place, end, positions->first_node(its.start == 0));
        if (position == NOWHERE) return Outcome::NO_MATCH;
        if (position != UNDECIDED && tell(partition, by, place, end, position)) return Outcome::TOLD;
        if (by == Way::BY_PAIRS && length) wait(partition, limit_of(its, place), its.origins[place]);
        return Outcome::UNDECIDED_;
    }

    // By a search, which goes on where it was.
    Outcome searched(uint32_t partition, size_t place) {
        OpenPartition& its = partitions[partition];
        Search& search = searches[partition];
        const bool is_new = !search.is_paused || search.start != its.start;
        search.positions = positions, search.conditions = conditions, search.possible = &sets, search.open_rows = &its;
        search.pulse = &pulse, search.most_steps = most_steps, search.behind = static_cast<int64_t>(far.behind);
        search.rows.resize(conditions->groups.size());
        search.tallies.resize(conditions->addings.size());
        search.end = its.rows(), search.certain = its.first + static_cast<int64_t>(certain(its));
        search.reach = INT64_MAX;
        const int64_t limit = length ? limit_of(its, place) : NEVER;
        const bool is_over = length && (its.is_closed || its.times.back() >= limit || promised >= limit);
        if (is_over) search.reach = its.first + static_cast<int64_t>(its.reach(place, limit));
        if (is_new) search.begin_at(static_cast<size_t>(its.start), its.start == 0, its.number + 1);
        const size_t before = told.found.labels.size();
        const int64_t count = search.go_on(static_cast<size_t>(its.start), told.found.labels);
        if (search.is_paused) {
            if (length && !is_over) wait(partition, limit, its.origins[place]);
            return Outcome::UNDECIDED_;
        }
        if (count >= 0) return told_at(partition, place, place + static_cast<size_t>(count), before), Outcome::TOLD;
        stuck = search.why_stuck();
        if (stuck != Stuck::NO) stuck_in = partition, stuck_at = its.origins[place];
        return Outcome::NO_MATCH;
    }

    void wait(uint32_t partition, int64_t time, int64_t origin) {
        OpenPartition& its = partitions[partition];
        if (its.due == time && its.due_for == origin) return;
        its.due = time, its.due_for = origin;
        if (time != NEVER) dues.push(Due{time, origin, partition});
    }

    // The match that begins at a kept row with a settled position, or takes no row; whether it can be told by now.
    bool tell(uint32_t partition, Way by, size_t place, size_t end, int32_t position) {
        OpenPartition& its = partitions[partition];
        std::vector<uint16_t>& labels = told.found.labels;
        const size_t before = labels.size();
        size_t at = place;
        while (position != ACCEPT) {
            assert(position >= 0);
            labels.push_back(static_cast<uint16_t>(position));
            position = choice(partition, by, place, ++at, end, static_cast<uint32_t>(position));
        }
        if (!its.is_closed && at + far.behind > its.classes.size()) {
            labels.resize(before);
            return false;
        }
        told_at(partition, place, at, before);
        return true;
    }

    // A match of the kept rows from `place` to before `end`, whose labels are those from `labels` on.
    void told_at(uint32_t partition, size_t place, size_t end, size_t labels) {
        OpenPartition& its = partitions[partition];
        enter(partition, place, end, ++its.number);
        its.beyond = std::max(its.beyond, its.first + static_cast<int64_t>(end));
        const size_t next = next_start(skip, targets, told.found.labels.data() + labels, place, end, &stuck);
        if (stuck != Stuck::NO) stuck_in = partition, stuck_at = its.origins[place];
        its.start = its.first + static_cast<int64_t>(next);
    }

    // The kept rows from `place` to before `end` are a match; with no number, that row is of none.
    void enter(uint32_t partition, size_t place, size_t end, int64_t number) {
        const OpenPartition& its = partitions[partition];
        const size_t lead = std::min(place, far.before), behind = std::max(end, place + 1);
        const size_t tail = number ? std::min(its.classes.size() - behind, far.behind) : 0;
        told.partitions.push_back(partition);
        told.leads.push_back(static_cast<uint32_t>(lead));
        told.tails.push_back(static_cast<uint32_t>(tail));
        const auto all = its.origins.begin();
        told.origins.insert(
            told.origins.end(), all + static_cast<std::ptrdiff_t>(place - lead), all + static_cast<std::ptrdiff_t>(behind + tail)
        );
        told.found.firsts.push_back(its.first + static_cast<int64_t>(place));
        told.found.counts.push_back(static_cast<int64_t>(end - place));
        told.found.numbers.push_back(number);
    }

    // Let go of rows that are of no use, when they are as many as the others.
    void forget(uint32_t partition) {
        OpenPartition& its = partitions[partition];
        const size_t count = needed_from(its);
        if (count == 0 || 2 * count < its.classes.size()) return;
        const auto some = static_cast<std::ptrdiff_t>(count);
        its.classes.erase(its.classes.begin(), its.classes.begin() + some);
        its.pairs.erase(its.pairs.begin(), its.pairs.begin() + some);
        its.origins.erase(its.origins.begin(), its.origins.begin() + some);
        if (length) its.times.erase(its.times.begin(), its.times.begin() + some);
        if (has_ends) ends[partition].erase(*positions, count);
        const auto values = static_cast<std::ptrdiff_t>(std::min(its.bits.size(), count * columns()));
        its.bits.erase(its.bits.begin(), its.bits.begin() + values);
        its.known.erase(its.known.begin(), its.known.begin() + values);
        its.first += static_cast<int64_t>(count);
        kept -= count;
    }
};

}  // namespace spaseq::row_patterns
