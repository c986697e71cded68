// A match whose conditions read it: depth first, in the order of preference, through the live sets of what rows alone allow.
//
// Where a search has been and found no end, it will find none again: such dead ends are remembered by row, position and all
// that conditions behind can read of the match.  Where rows may still come it pauses, and goes on when more is known.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/flat_table.hpp"
#include "nfa_native/core/mixing.hpp"
#include "nfa_native/row_patterns/earliest_ends.hpp"
#include "nfa_native/row_patterns/live_sets.hpp"
#include "nfa_native/row_patterns/open_partition.hpp"
#include "nfa_native/row_patterns/positions.hpp"
#include "nfa_native/row_patterns/program.hpp"
#include "nfa_native/row_patterns/pulse.hpp"

namespace spaseq::row_patterns {

// Why a scan cannot go on: where the next match would begin; or a condition has no value, or asks for too many steps.
enum class Stuck : uint32_t { NO, NOT_THERE, FIRST_ROW, BEYOND, DIVISION, STEPS };

// Rows of a match that conditions read together: those of some variables.
struct RowGroup {
    std::vector<uint8_t> members;      // by position: its rows are among them
    uint32_t firsts = 0, lasts = 0;    // how many of the first and of the last ones can be read
};

// A value of one column at a row of the match, `shift` rows on from the one that is `offset` from an end of a group.
struct Reading {
    uint32_t group;
    bool first;
    int64_t offset, shift;
    int32_t column;                    // LABEL: the variable of the row
};
constexpr int32_t LABEL = -1;

enum class Adds : uint32_t { COUNT, SUM, REAL_SUM, AVERAGE, REAL_AVERAGE, DECIMAL_AVERAGE, LEAST, GREATEST, REAL_LEAST, REAL_GREATEST };

// An aggregate of a column over a group.
struct Adding {
    Adds function;
    uint32_t group;
    std::vector<int32_t> columns;      // by position of a row: its value; ROWS: it is counted; LABEL: its variable
};
constexpr int32_t ROWS = -2;

// A column of values by row.
struct Values {
    const int64_t* bits;
    const uint8_t* known;
    Value at(int64_t row) const noexcept { return known[row] ? Value{bits[row], true} : Value(); }
};

// What conditions are, and what they read.
struct Conditions {
    std::vector<std::vector<Instruction>> programs;    // by position; an empty one always holds
    std::vector<Value> constants;
    std::vector<RowGroup> groups;
    std::vector<Reading> readings;
    std::vector<Adding> addings;
    std::vector<Values> columns;
    std::vector<int64_t> names;                        // by position: the rank of its variable's name
    bool reads_number = false;
    bool reads_far_labels = false;                     // labels of rows beside those of groups: dead ends are not known by these
};

struct Search {
    struct Frame {
        uint32_t position;
        uint32_t next;         // the follower that is tried next
    };
    struct Tally {             // an aggregate up to a row of its group
        Value value;           // a sum, or the least or greatest
        int64_t count = 0;     // of known values
    };
    struct Slot {
        uint64_t hash = 0, second = 0;
        bool is_free() const noexcept { return hash == 0; }
    };

    const Positions* positions = nullptr;
    const Conditions* conditions = nullptr;
    const LiveSets* sets = nullptr;
    const uint32_t* of_rows = nullptr;     // live sets by row of the partition; NULL: `ends` are asked
    const EarliestEnds* ends = nullptr;
    int64_t begin = 0, end = 0;            // the partition
    // Where rows may still come: what there is; then neither live sets nor ends are asked.
    const OpenPartition* open_rows = nullptr;
    const PossibleSets* possible = nullptr;
    int64_t certain = 0;                   // the first row of which not all is known
    int64_t reach = INT64_MAX;             // the first one that is out of reach
    int64_t behind = 0;                    // rows that must be there behind the match
    bool is_paused = false;                // it goes on where it was
    uint64_t most_steps = 0;               // of a start; 0: any number
    Pulse* pulse = nullptr;
    std::vector<Frame> frames;
    std::vector<std::vector<int64_t>> rows;        // by group: its rows of the match
    std::vector<std::vector<Tally>> tallies;       // by aggregate: up to each row of its group
    FlatTable<Slot> dead;
    Machine machine;
    int64_t start = 0, match_number = 0;
    uint64_t steps = 0;                    // of the start
    uint64_t until = 0;                    // steps of a start until dead ends are remembered: more where that was of no use
    uint64_t remembered = 0, met = 0;      // of the start: dead ends, and how often it came to one
    bool is_exhausted = false;             // it took more steps than it may

    // Whatever is remembered is of another partition.  std::bad_alloc.
    void open(const Positions* its, const Conditions* asked, int64_t first, int64_t behind) {
        positions = its, conditions = asked, begin = first, end = certain = behind;
        rows.resize(conditions->groups.size());
        tallies.resize(conditions->addings.size());
        dead.open(64);
        until = FEW, remembered = met = 0;
    }

    // The rows of the match from a row of the partition, which `labels` gets; -1: there is none.  std::bad_alloc.
    int64_t seek(size_t row, bool starts_partition, int64_t number, std::vector<uint16_t>& labels) {
        begin_at(row, starts_partition, number);
        return go_on(row, labels);
    }

    // A search from there; nothing is tried yet.  std::bad_alloc.
    void begin_at(size_t row, bool starts_partition, int64_t number) {
        adapt();
        clear();
        start = begin + static_cast<int64_t>(row), match_number = number;
        if ((ends != nullptr || open_rows != nullptr) && dead.used) dead.open(64);     // what was out of reach may be within
        Frame first{positions->first_node(starts_partition), 0};
        first.next = positions->begins[first.position];
        frames.push_back(first);
    }

    // As `seek`, from where the search is; it may pause.  std::bad_alloc.
    int64_t go_on(size_t row, std::vector<uint16_t>& labels) {
        is_paused = false;
        while (!frames.empty()) {
            Frame& top = frames.back();
            if (machine.wrong != Wrong::NO || is_exhausted) return -1;
            if (top.next == positions->begins[top.position + 1]) {
                leave();
                continue;
            }
            const Follower& follower = positions->followers[top.next++];
            const int64_t at = start + static_cast<int64_t>(frames.size()) - 1;        // the row behind the match so far
            if (follower.position == ACCEPT) {
                if (follower.at_end && at != end) continue;
                if (open_rows != nullptr && !open_rows->is_closed && (follower.at_end || at + behind > end)) return pause();
                if (ends != nullptr && at - 1 > ends->last[row] && at > start) continue;
                for (size_t each = 1; each < frames.size(); ++each) labels.push_back(static_cast<uint16_t>(frames[each].position));
                return static_cast<int64_t>(frames.size()) - 1;
            }
            if (at < certain) enter(static_cast<uint32_t>(follower.position), at, row);
            else if (open_rows != nullptr && !open_rows->is_closed && is_live(static_cast<uint32_t>(follower.position), at, row)) return pause();
        }
        return -1;
    }

    // ── what programs read ───────────────────────────────────────────────────────────────────────────────────────────
    Value read(int64_t number) const noexcept {
        const Reading& reading = conditions->readings[number];
        const std::vector<int64_t>& its = rows[reading.group];
        const int64_t count = static_cast<int64_t>(its.size());
        if (reading.offset >= count) return Value();
        const int64_t row = its[reading.first ? reading.offset : count - 1 - reading.offset] + reading.shift;
        if (row < begin || row >= end) return Value();
        if (reading.column != LABEL) return value(reading.column, row);
        const int64_t place = row - start + 1;
        if (place < 1 || place >= static_cast<int64_t>(frames.size())) return Value();
        return Value::integer(conditions->names[frames[place].position]);
    }

    Value aggregate(int64_t number) const noexcept {
        const Adding& adding = conditions->addings[number];
        const std::vector<Tally>& its = tallies[number];
        if (adding.function == Adds::COUNT) return Value::integer(its.empty() ? 0 : its.back().count);
        if (its.empty() || !its.back().count) return Value();
        const Tally& tally = its.back();
        switch (adding.function) {
            case Adds::AVERAGE: return Value::real(static_cast<double>(tally.value.bits) / static_cast<double>(tally.count));
            case Adds::REAL_AVERAGE: return Value::real(tally.value.as_real() / static_cast<double>(tally.count));
            case Adds::DECIMAL_AVERAGE: {
                int64_t quotient = tally.value.bits / tally.count, rest = tally.value.bits % tally.count;
                if ((rest < 0 ? -rest : rest) * 2 >= tally.count) quotient += tally.value.bits < 0 ? -1 : 1;
                return Value::integer(quotient);
            }
            default: return tally.value;
        }
    }

    int64_t number() const noexcept { return match_number; }

    Stuck why_stuck() const noexcept {
        if (is_exhausted) return Stuck::STEPS;
        return machine.wrong == Wrong::NO ? Stuck::NO : machine.wrong == Wrong::DIVISION ? Stuck::DIVISION : Stuck::BEYOND;
    }

 private:
    static constexpr uint64_t FEW = 256;

    int64_t pause() noexcept {
        --frames.back().next;
        is_paused = true;
        return -1;
    }

    Value value(int32_t column, int64_t row) const noexcept {
        if (open_rows == nullptr) return conditions->columns[column].at(row);
        const size_t place = open_rows->place_of(row) * conditions->columns.size() + static_cast<size_t>(column);
        return open_rows->known[place] ? Value{open_rows->bits[place], true} : Value();
    }
    static constexpr size_t MOST_DEAD = size_t(1) << 22;

    // Where no dead end was met again, later ones are not worth remembering, until a start takes many steps for its rows.
    void adapt() noexcept {
        const uint64_t most = 16 * static_cast<uint64_t>(end - begin);
        if (met) until = FEW;
        else if (remembered && until < most) until *= 2;
        remembered = met = 0;
    }

    void clear() noexcept {
        frames.clear();
        for (auto& each : rows) each.clear();
        for (auto& each : tallies) each.clear();
        steps = 0;
    }

    bool is_live(uint32_t position, int64_t at, size_t row) const noexcept {
        if (open_rows != nullptr) {
            const size_t place = open_rows->place_of(at);
            const uint32_t pair = place < open_rows->pairs.size() ? open_rows->pairs[place] : OPEN_END;
            return at < reach && has_bit(possible->pairs.of(pair), static_cast<int32_t>(position));
        }
        const size_t place = static_cast<size_t>(at - begin);
        if (ends == nullptr) return sets->has(of_rows[place], static_cast<int32_t>(position));
        return static_cast<int64_t>(ends->ends[place * positions->count + position]) <= ends->last[row] - ends->offset;
    }

    // Take a row, if its conditions hold.
    void enter(uint32_t position, int64_t at, size_t row) {
        if (!is_live(position, at, row)) return;
        if (most_steps && steps >= most_steps) {
            is_exhausted = true;
            return;
        }
        ++steps;
        pulse->beat(8);
        frames.push_back(Frame{position, positions->begins[position]});
        note(position, at);
        const std::vector<Instruction>& program = conditions->programs[position];
        if (!program.empty() && !machine.is_satisfied(program, conditions->constants, *this)) return give_back();
        if (steps > until && dead.used && is_dead()) give_back();        // nothing is remembered where that is not enough
    }

    // All ways behind the last row were tried.
    void leave() {
        if (frames.size() > 1) {
            if (steps > until && !conditions->reads_far_labels) remember();
            give_back();
        } else {
            frames.pop_back();
        }
    }

    void note(uint32_t position, int64_t at) {
        for (size_t group = 0; group < rows.size(); ++group)
            if (conditions->groups[group].members[position]) rows[group].push_back(at);
        for (size_t number = 0; number < tallies.size(); ++number)
            if (conditions->groups[conditions->addings[number].group].members[position]) add(number, at);
    }

    void add(size_t number, int64_t at) {
        const Adding& adding = conditions->addings[number];
        Tally tally = tallies[number].empty() ? Tally() : tallies[number].back();
        if (adding.columns[frames.back().position] == ROWS) {
            ++tally.count;
        } else if (Value value = added(adding, at); value.known) {
            tally.value = tally.count ? joined(adding.function, tally.value, value) : value;
            ++tally.count;
        }
        tallies[number].push_back(tally);
    }

    Value added(const Adding& adding, int64_t at) const noexcept {
        const uint32_t position = frames.back().position;
        if (adding.columns[position] == LABEL) return Value::integer(conditions->names[position]);
        return value(adding.columns[position], at);
    }

    Value joined(Adds function, Value one, Value other) noexcept {
        switch (function) {
            case Adds::REAL_SUM: case Adds::REAL_AVERAGE: return Value::real(one.as_real() + other.as_real());
            case Adds::LEAST: return other.bits < one.bits ? other : one;
            case Adds::GREATEST: return other.bits > one.bits ? other : one;
            case Adds::REAL_LEAST: return compared(other.as_real(), one.as_real()) < 0 ? other : one;
            case Adds::REAL_GREATEST: return compared(other.as_real(), one.as_real()) > 0 ? other : one;
            case Adds::COUNT: return one;
            default: {
                int64_t sum;
                if (__builtin_add_overflow(one.bits, other.bits, &sum)) machine.wrong = Wrong::OVERFLOW_, sum = 0;
                return Value::integer(sum);
            }
        }
    }

    void give_back() noexcept {
        const uint32_t position = frames.back().position;
        frames.pop_back();
        for (size_t group = 0; group < rows.size(); ++group)
            if (conditions->groups[group].members[position]) rows[group].pop_back();
        for (size_t number = 0; number < tallies.size(); ++number)
            if (conditions->groups[conditions->addings[number].group].members[position]) tallies[number].pop_back();
    }

    // ── dead ends ────────────────────────────────────────────────────────────────────────────────────────────────────
    // All on which depends what is behind the last row: 128 bits, so that no two that differ are alike.
    Slot key() const noexcept {
        Slot made{mix(frames.size() + static_cast<uint64_t>(start)), mix(~frames.back().position)};
        auto put = [&made](uint64_t value) {
            made.hash = mix_on(made.hash, value);
            made.second = mix_on(made.second ^ 0x9e3779b97f4a7c15u, value);
        };
        put(frames.back().position);
        if (conditions->reads_number) put(static_cast<uint64_t>(match_number));
        for (size_t group = 0; group < rows.size(); ++group) {
            const RowGroup& its = conditions->groups[group];
            const size_t count = rows[group].size(), firsts = count < its.firsts ? count : its.firsts;
            const size_t lasts = count < its.lasts ? count : its.lasts;
            put(firsts);
            put(lasts);
            for (size_t each = 0; each < firsts; ++each) put_row(put, rows[group][each]);
            for (size_t each = count - lasts; each < count; ++each) put_row(put, rows[group][each]);
        }
        for (const auto& its : tallies) {
            put(its.empty() ? 0 : static_cast<uint64_t>(its.back().count));
            put(its.empty() ? 0 : static_cast<uint64_t>(its.back().value.bits));
        }
        if (made.hash == 0) made.hash = 1;
        return made;
    }

    template <class Put>
    void put_row(const Put& put, int64_t row) const noexcept {
        put(static_cast<uint64_t>(row));
        put(frames[row - start + 1].position);         // what its label is
    }

    bool is_dead() noexcept {
        const Slot looked = key();
        for (size_t at = dead.home(looked.hash); !dead.slots[at].is_free(); at = dead.next(at))
            if (dead.slots[at].hash == looked.hash && dead.slots[at].second == looked.second) {
                ++met;
                return true;
            }
        return false;
    }

    void remember() {
        if (!dead.used || dead.used >= MOST_DEAD) dead.open(64);
        if (dead.is_full()) dead.spread(64);
        dead.put(key());
        ++remembered;
    }
};

}  // namespace spaseq::row_patterns
