// What load shedding knows of cells: how many partial matches they have, how old these are, and of which class; and how
// often they will be looked at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/buckets.hpp"
#include "nfa_native/joins/lists.hpp"
#include "nfa_native/joins/loads.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/window.hpp"

namespace spaseq::joins {

constexpr size_t MOST_MARGINS = 2;         // of a state
constexpr double MOST_COUNTED = 1e100;     // partial matches of a cell and an age

// It is known what partial matches are worth.
static inline bool is_known(const Kernel* k) noexcept { return !k->shedding->states.empty(); }

static inline StateLoads* loads_of(Kernel* k, const StateData* s) noexcept {
    return &k->shedding->states[size_t(s - k->now.states.data())];
}

// ── ages ──

// How long an age is.
static inline int64_t age_length(const KernelProgram* program) noexcept {
    return std::max<int64_t>(1, program->window / int64_t(AGES));
}

static inline int64_t age_number(const KernelProgram* program, int64_t measure) noexcept {
    return program->window == 0 ? 0 : int64_t(floor_div(measure, age_length(program)));
}

static inline int64_t present_measure(const Kernel* k) noexcept {
    return k->program->by_events ? k->now.seq : k->now.tick;
}

// The present, in ages.
static inline double present_age(const Kernel* k) noexcept {
    return double(present_measure(k)) / double(age_length(k->program));
}

// The age of what began in the age of that number: how much of its window has passed.
static uint32_t age_of(Kernel* k, int64_t number) noexcept {
    const KernelProgram* program = k->program;
    int64_t present = present_measure(k);
    if (program->window == 0) return 0;
    int64_t passed = program->sliding
        ? age_number(program, present) - number
        : (present - lower_edge(k->program, present, present)) / age_length(program);
    return uint32_t(std::clamp<int64_t>(passed, 0, AGES - 1));
}

// ── loads ──

static CellLoad load_of_one(Kernel* k, uint32_t start) noexcept {
    CellLoad load;
    load.newest = age_number(k->program, measure(k, start));
    load.counts[size_t(load.newest & (AGES - 1))] = 1;
    return load;
}

// The cell's load is known.
static inline bool has_load(const StateLoads& known, const StateData* s, uint32_t cell) noexcept {
    return cell < known.loads.size() && known.loads[cell].serial == s->cells[cell].serial;
}

static inline CellLoad cell_load(Kernel* k, const StateLoads& known, const StateData* s, uint32_t cell) noexcept {
    return has_load(known, s, cell) ? known.loads[cell] : load_of_one(k, s->cells[cell].youngest);
}

// Partial matches that began in the age of that number.
static inline double count_in(const CellLoad& load, int64_t number) noexcept {
    bool known = number <= load.newest && number > load.newest - int64_t(AGES);
    return known ? load.counts[size_t(number & (AGES - 1))] : 0;
}

static CellLoad sum_of(const CellLoad& a, const CellLoad& b) noexcept {
    CellLoad sum;
    sum.newest = std::max(a.newest, b.newest);
    for (int64_t number = sum.newest - int64_t(AGES) + 1; number <= sum.newest; ++number)
        sum.counts[size_t(number & (AGES - 1))] = std::min(MOST_COUNTED, count_in(a, number) + count_in(b, number));
    return sum;
}

// Partial matches of which something is left of the window, at least one.
static double size_of(const Kernel* k, const CellLoad& load) noexcept {
    double size = 0;
    int64_t last = std::max(load.newest, age_number(k->program, present_measure(k)));
    for (int64_t number = last - int64_t(AGES) + 1; number <= load.newest; ++number) size += count_in(load, number);
    return std::max(size, 1.0);
}

// ── classes ──

static bool is_key_column(const StateSpec* spec, uint32_t column) noexcept {
    for (const IndexSpec& index : spec->indexes)
        if (std::find(index.columns.begin(), index.columns.end(), column) != index.columns.end()) return true;
    return false;
}

// Columns that make classes where no comparison tells: no part of a key, for that says where partial matches lie, not
// what they come to.
static std::vector<std::vector<MarginTerm>> plain_margins(const StateSpec* spec) {
    std::vector<std::vector<MarginTerm>> margins;
    for (uint32_t column = 0; column < spec->width && margins.size() < MOST_MARGINS; ++column)
        if (column != spec->rules && !is_key_column(spec, column)) margins.push_back({{column, 1.0}});
    return margins;
}

// Begin to learn what partial matches are worth.
static void begin_utilities(Kernel* k) {
    LoadShedding* shedding = k->shedding.get();
    shedding->states.resize(k->now.states.size());
    shedding->probing.resize(k->program->transitions.size());
    for (size_t i = 0; i < shedding->states.size(); ++i) {
        StateLoads* state = &shedding->states[i];
        const StateSpec* spec = k->now.states[i].spec;
        state->margins = spec->margins.empty() ? plain_margins(spec) : spec->margins;
        shedding::begin_values(&state->utility, state->margins.size());
    }
}

// The rows of a partial match.
struct LiveRows {
    const word_t* words;
    uint32_t count;
    uint32_t width;
};

static inline LiveRows rows_of_cell(StateData* s, uint32_t cell) noexcept {
    return {cell_rows(s, cell), s->cells[cell].rows, s->width};
}

static inline double row_value(const std::vector<MarginTerm>& margin, const word_t* row) noexcept {
    double sum = 0;
    for (const MarginTerm& term : margin)
        if (kind_of_order(row[term.column])) sum += term.weight * measured(row[term.column]).about;
    return sum;
}

// What rows have for a comparison to come, the least one: their order changes with the numbers of terms.  What is no
// number counts as 0.
static inline double class_value(const StateLoads& known, const LiveRows& rows, size_t which) noexcept {
    if (which >= known.margins.size()) return 0;
    double least = row_value(known.margins[which], rows.words);
    for (uint32_t i = 1; i < rows.count; ++i)
        least = std::min(least, row_value(known.margins[which], rows.words + size_t(i) * rows.width));
    return least;
}

static inline uint32_t bucket_of(const StateLoads& known, const LiveRows& rows) noexcept {
    return known.utility.bucket(class_value(known, rows, 0), class_value(known, rows, 1));
}

// What is held to be known of a class.  Where the age is all that counts the oldest are worth least, whatever they cost.
static ClassUtility told_of(const LoadShedding* shedding, const StateLoads& known, uint32_t bucket, uint32_t age) noexcept {
    ClassUtility found = known.utility.known(bucket, age);
    if (shedding->telling == Telling::AGES) found = known.utility.at(shedding::BUCKETS, age);
    if (shedding->telling == Telling::STATES) found = known.utility.at(shedding::BUCKETS, 0);
    if (shedding->telling == Telling::OLDEST) {
        found = ClassUtility{};
        found.looks = shedding::MOST_LOOKS;
        found.utility = 1.0 / double(1 + age);
        found.cost = 1;
    }
    return found;
}

// The margin is nothing but that column.
static inline bool is_column(const std::vector<MarginTerm>& margin, uint32_t column) noexcept {
    return margin.size() == 1 && margin[0].column == column;
}

// ── looks to come ──

// How often a cell of the state is looked at in an age.
static double looks_to_come(const Kernel* k, uint32_t state) noexcept {
    double looks = 0;
    if (k->program->window == 0) return shedding::LOOKS_FOR_EVER;
    for (const TransitionSpec& one : k->program->transitions)
        if (one.source == state) looks += shedding::looks_an_age(k->shedding->probing[one.number]);
    return looks;
}

// The event's first row has the key of the sample.
static bool has_key_of(
    const StateLoads& known, const StateData* s, const TransitionSpec* transition, const word_t* row
) noexcept {
    const std::vector<uint32_t>& columns = s->indexes[transition->index].spec->columns;
    for (size_t i = 0; i < columns.size(); ++i) {
        word_t mine = known.sample[columns[i]], yours = row[transition->probe[i]];
        if (mine != yours && mine != UNBOUND && yours != UNBOUND) return false;
    }
    return true;
}

// An event tries a transition out of a state where something may wait.
static void note_probing(Kernel* k, const TransitionSpec* transition, const Candidate* candidate) noexcept {
    Probing* probing = &k->shedding->probing[transition->number];
    const StateLoads& known = k->shedding->states[transition->source];
    const StateData* s = &k->now.states[transition->source];
    shedding::note_event(probing, present_age(k));
    if (!known.sample.empty()) shedding::note_key(probing, has_key_of(known, s, transition, candidate->rows));
}

}  // namespace spaseq::joins
