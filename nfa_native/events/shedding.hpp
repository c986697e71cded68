// Load shedding: where there is more work than allowed, groups of partial matches are left out that would bring less for
// their work than others.  A set of partial matches enters a state or does not, nothing else: events stay, and so does
// whatever is looked for in what came before.  So what is found is part of what there is.
//
// The unit of work is a group that is looked at; a set that enters a state counts as STEP_WORK.  States without
// registers have one set for all, which costs the same however much is in it: nothing of it is left out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "nfa_native/events/group_worth.hpp"
#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/questions.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

using shedding::STEP_WORK;

// It is known what groups are worth.
static inline bool knows_worth(const Recognition* r) noexcept { return r->shedding && !r->shedding->states.empty(); }

// ── ages ──

static inline int64_t length_of_age(const GroupShedding& s) noexcept {
    return std::max<int64_t>(1, s.window / int64_t(AGES));
}

static inline int64_t number_of_age(const GroupShedding& s, int64_t start) noexcept {
    int64_t length = length_of_age(s);
    return start / length - (start % length < 0);
}

// The age of what began then: how much of its window has passed.
static inline uint32_t age_since(const GroupShedding& s, int64_t start) noexcept {
    if (start >= s.present) return 0;
    int64_t passed = number_of_age(s, s.present) - number_of_age(s, std::max(start, s.present - s.window));
    return uint32_t(std::clamp<int64_t>(passed, 0, AGES - 1));
}

// ── classes ──

using TellingNumbers = std::array<double, MOST_TELLING>;

static inline const std::vector<TellingNumber>& telling_of(const Recognition* r, uint32_t state) noexcept {
    return r->correlating->telling.data()[state];
}

static inline double number_in(const TellingNumber& one, const int64_t* values) noexcept {
    double real;
    int64_t value = values[one.argument];
    std::memcpy(&real, &value, sizeof(real));
    if (!one.is_real) return double(value);
    return std::isfinite(real) ? real : 0;
}

// What a group has that tells; 0 where it has no such event.
static inline double told_by(const Correlating* c, const TellingNumber& one, const int64_t* registers) noexcept {
    int64_t value = registers[one.register_];
    if (one.argument < 0) return double(value);
    if (value == NOT_SET) return 0;
    return number_in(one, c->remembered.data() + size_t(value - c->listed_base) * c->own.size());
}

static inline TellingNumbers numbers_of_group(const Recognition* r, uint32_t state, const int64_t* registers) noexcept {
    TellingNumbers numbers{};
    const std::vector<TellingNumber>& telling = telling_of(r, state);
    for (size_t i = 0; i < telling.size(); ++i) numbers[i] = told_by(r->correlating, telling[i], registers);
    return numbers;
}

static inline uint32_t bucket_of(const GroupWorth& worth, const TellingNumbers& numbers) noexcept {
    return worth.known.bucket(numbers[0], numbers[1]);
}

static inline uint32_t bucket_of_group(const Recognition* r, uint32_t state, const int64_t* registers) noexcept {
    return bucket_of(r->shedding->states[state], numbers_of_group(r, state, registers));
}

// What a register that has no list becomes with the event.
static inline int64_t would_be(Correlating* c, const UpdateSpec* update, const int64_t* before) noexcept {
    if (update->change == Change::COMPUTED) return computed(c, update, before);
    int64_t old = update->register_ < 0 ? NOT_SET : before[update->register_];
    if (update->change == Change::KEEP) return old;
    int64_t value = c->columns[update->column][c->at];
    if (update->change == Change::GREATER) return std::max(old, value);
    return old == NOT_SET || old == value ? value : NO_VALUE;
}

// What will tell of a group that the event adds to, by an update of the register.
static double would_tell(
    Correlating* c, const TellingNumber& one, const UpdateSpec* update, const int64_t* before
) noexcept {
    if (one.argument < 0) return double(would_be(c, update, before));
    if (update->change == Change::LIST) {
        read_own(c);
        return number_in(one, c->own.data());
    }
    TellingNumber old{uint32_t(update->register_), one.argument, one.is_real};
    return update->register_ < 0 ? 0 : told_by(c, old, before);
}

// The bucket of what registers become with the event, by updates from `first` on.
static uint32_t bucket_entered(Recognition* r, uint32_t state, uint32_t first, const int64_t* before) noexcept {
    TellingNumbers numbers{};
    const std::vector<TellingNumber>& telling = telling_of(r, state);
    for (size_t i = 0; i < telling.size(); ++i) {
        const UpdateSpec* update = r->correlating->updates.data() + first + telling[i].register_;
        numbers[i] = would_tell(r->correlating, telling[i], update, before);
    }
    return bucket_of(r->shedding->states[state], numbers);
}

// So many groups more whose youngest partial match began then are in a bucket.
static inline void count_living(Recognition* r, GroupWorth* worth, uint32_t bucket, int64_t youngest, double more) noexcept {
    int64_t number = number_of_age(*r->shedding, youngest), newest = number_of_age(*r->shedding, r->shedding->present);
    if (number > newest || number < newest - int64_t(AGES)) return;
    double* living = &worth->living[bucket][slot_of_age(number)];
    *living = std::max(0.0, *living + more);
}

static void note_value_of(GroupWorth* worth, size_t which, double value) {
    if (shedding::note_value(&worth->known.values[which], value)) worth->overdue[which] = true;
}

// A group has entered its state.
[[gnu::noinline]] static void note_group(
    Recognition* r, uint32_t state, const int64_t* registers, const Head& group
) {
    if (!knows_worth(r)) return;
    GroupWorth* worth = &r->shedding->states[state];
    TellingNumbers numbers = numbers_of_group(r, state, registers);
    worth->load += shedding::SLOWEST * (double(std::min(group.load, MOST_LOAD)) - worth->load);
    for (size_t i = 0; i < telling_of(r, state).size(); ++i) note_value_of(worth, i, numbers[i]);
    count_living(r, worth, bucket_of(*worth, numbers), group.youngest, 1);
}

// A group that lived, with what began at `before`, has become younger.
static void note_younger(Recognition* r, uint32_t state, const int64_t* registers, int64_t before, int64_t youngest) {
    if (!knows_worth(r)) return;
    GroupWorth* worth = &r->shedding->states[state];
    uint32_t bucket = bucket_of_group(r, state, registers);
    count_living(r, worth, bucket, before, -1);
    count_living(r, worth, bucket, youngest, 1);
}

// ── loads ──

// A set adds to another one.
static inline void join(RecognizerState* s, Head* set, const Head& more) noexcept {
    unite(s, set, more.node, more.youngest);
    set->load += more.load;
}

// Groups of that bucket pass the guards, as far as its values tell.
static bool is_passed_by(
    const Recognition* r, uint32_t state, uint32_t bucket, const GuardSpec* guards, size_t count, const int64_t* bounds
) noexcept {
    const GroupWorth& worth = r->shedding->states[state];
    const std::vector<TellingNumber>& telling = telling_of(r, state);
    for (size_t i = 0; i < count; ++i) {
        if (guards[i].test != RegisterTest::LESS) continue;
        for (size_t which = 0; which < telling.size(); ++which)
            if (telling[which].argument < 0 && telling[which].register_ == guards[i].register_
                && worth.known.middle(bucket, which) >= double(bounds[i])) return false;
    }
    return true;
}

// About how many partial matches of the state pass: as if they all lay in one list.
[[gnu::noinline]] static float load_of_view(
    const Recognition* r, uint32_t state, const GuardSpec* guards, size_t count, const int64_t* bounds
) noexcept {
    if (!knows_worth(r)) return 1;
    const GroupWorth& worth = r->shedding->states[state];
    double groups = 0;
    for (uint32_t bucket = 0; bucket < worth.known.buckets(); ++bucket) {
        const std::array<double, AGES + 1>& living = worth.living[bucket];
        double all = std::accumulate(living.begin(), living.end(), 0.0);
        if (all > 0 && is_passed_by(r, state, bucket, guards, count, bounds)) groups += all;
    }
    return std::min(MOST_LOAD, float(groups * std::max(1.0, worth.load)));
}

// ── what entering is worth ──

// Of a set that enters a state, and what comes of it.
struct EntryWorth {
    double matches = 0;
    double work = 0;
    double looked = 0;                     // of that, looks at what enters
    bool is_new = false;                   // its class is hardly known
};

// Once in a state whose groups are not judged it is held to come to a match, if there is time left.
static EntryWorth worth_of_entry(const Recognition* r, uint32_t state, uint32_t bucket, uint32_t age) noexcept {
    const EntrySpec& entry = r->program.entries[state];
    const GroupWorth& worth = r->shedding->states[state];
    EntryWorth found{double(entry.final), 0, 0, false};
    if (worth.judged) {
        const GroupClass& c = worth.known.known(bucket, age);
        found.matches += c.utility;
        found.work = c.cost;
        found.looked = c.looked;
        found.is_new = c.looks < shedding::FEW_LOOKS;
    } else if (entry.waits) {
        found.matches += double(AGES - age) / double(AGES);
    }
    return found;
}

// A number below 1, which follows from the event and from how much of it was left to chance.
static inline double chance_now(GroupShedding* s) noexcept {
    return std::ldexp(double(shedding::chance_of(uint64_t(s->position), ++s->judged)), -32);
}

// Whether a set of so many partial matches that would enter is left out; `is_there`: its group lives already, so that it
// makes no more work.
static bool is_left_out(Recognition* r, uint32_t state, const EntryWorth& entry, float load, bool is_there) noexcept {
    GroupShedding* s = r->shedding.get();
    GroupWorth* worth = &s->states[state];
    if (!worth->judged) return false;
    double ratio = std::clamp(load, 1.0f, MOST_LOAD) * entry.matches / (STEP_WORK + (is_there ? 0 : entry.work));
    if (entry.is_new) ratio = shedding::BEST_RATIO;
    shedding::offer(&s->allowance, ratio, STEP_WORK + (is_there ? 0 : entry.looked));
    bool cut = s->allowance.is_spent();
    bool unworthy = !cut
        && (s->reckless > 0 ? chance_now(s) < s->reckless : ratio < s->allowance.level);
    worth->cut += cut;
    worth->unworthy += unworthy;
    return cut || unworthy;
}

// A step has led out of a group into that state, where it comes to so much.
static void note_step(
    Recognition* r, uint32_t source, const int64_t* registers, int64_t youngest, uint32_t state, const EntryWorth& entry
) {
    GroupWorth* worth = &r->shedding->states[source];
    if (!worth->judged) return;
    TellingNumbers numbers = numbers_of_group(r, source, registers);
    GroupClass* c = &worth->known.at(bucket_of(*worth, numbers), age_since(*r->shedding, youngest));
    bool again = source == state;
    (again ? c->matches_again : c->matches) += entry.matches;
    (again ? c->work_again : c->work) += STEP_WORK + entry.work;
    c->again += again;
    if (!r->shedding->learns || entry.matches <= 0) return;
    for (size_t i = 0; i < telling_of(r, source).size(); ++i)
        shedding::note_useful(&worth->known.values[i], numbers[i]);
}

// ── work ──

static inline void spend(Recognition* r, double units) noexcept {
    if (r->shedding) r->shedding->allowance.spent += units;
}

// A set enters a state as a whole, maybe with a match that begins.
static inline void note_arrival(Recognition* r, bool begins) noexcept {
    if (!r->shedding) return;
    spend(r, STEP_WORK);
    r->shedding->starts += begins;
}

// The event may not look at so many groups more.
static inline bool has_no_units(const Recognition* r, size_t groups) noexcept {
    return r->shedding && r->shedding->allowance.spent + double(groups) > r->shedding->allowance.most;
}

// The event looks at candidates of a state, whose records begin so far apart with their registers behind the youngest start.
static void look_at_groups(Recognition* r, uint32_t source, const GroupList* list) {
    Correlating* c = r->correlating;
    spend(r, double(c->candidates.size()));
    if (!knows_worth(r) || !r->shedding->learns || !r->shedding->states[source].judged) return;
    GroupWorth* worth = &r->shedding->states[source];
    for (int64_t place : c->candidates) {
        const int64_t* record = list->record(size_t(place));
        uint32_t age = age_since(*r->shedding, *record);
        GroupClass* c = &worth->known.at(bucket_of_group(r, source, record + 1), age);
        c->work += double(shedding::LEARNING);
        c->asked += double(shedding::LEARNING);
    }
}

// The rest of a list is not looked at.
static inline void cut_look(Recognition* r, uint32_t source) noexcept {
    if (knows_worth(r)) ++r->shedding->states[source].cut;
}

// ── lessons ──

// Groups that live are counted anew.
static void count_groups(Recognition* r, uint32_t state, int64_t least) noexcept {
    Correlating* c = r->correlating;
    GroupWorth* worth = &r->shedding->states[state];
    for (std::array<double, AGES + 1>& living : worth->living) living.fill(0);
    for (const GroupList* list : c->lists) {
        if (list->state != state || list->partition >= c->epochs.size() || !is_current(r, list)) continue;
        for (size_t place = list->first; place < groups_of(list); ++place)
            if (youngest_in(list, place) >= std::max(least, NEVER + 1))
                count_living(r, worth, bucket_of_group(r, state, list->record(place) + 1), youngest_in(list, place), 1);
    }
}

// Of each state what nothing is known of yet.
static void know_states(Recognition* r) {
    const Correlating* c = r->correlating;
    r->shedding->states.resize(c->cells.size());
    for (uint32_t state = 0; state < c->cells.size(); ++state) {
        GroupWorth* worth = &r->shedding->states[state];
        worth->judged = c->judged[state] != 0;
        shedding::begin_values(&worth->known, c->telling[state].size());
        worth->living.resize(worth->known.buckets());
    }
}

// Begin to learn what groups are worth.
static void begin_worths(Recognition* r, int64_t least) {
    GroupShedding* s = r->shedding.get();
    know_states(r);
    for (uint32_t state = 0; state < s->states.size(); ++state) count_groups(r, state, least);
    s->taught = s->present;
    s->lesson = s->allowance.events / shedding::BETWEEN_CUTS;
}

static MostExpected most_expected(const GroupShedding& s) noexcept {
    if (s.starts < 1 || s.found < 1) return {};
    return {shedding::MORE_THAN_MEAN * s.found / s.starts, shedding::MORE_THAN_MEAN * s.worked / s.starts};
}

static void give_lesson(Recognition* r, int64_t least) {
    GroupShedding* s = r->shedding.get();
    double passed = std::min(1.0, (double(s->present) - double(s->taught)) / double(length_of_age(*s)));
    for (uint32_t state = 0; state < s->states.size(); ++state) {
        GroupWorth* worth = &s->states[state];
        bool renewed = worth->overdue[0] || worth->overdue[1];
        for (size_t which = 0; which < MOST_TELLING; ++which)
            if (worth->overdue[which]) shedding::renew_edges(&worth->known, which);
        worth->overdue = {};
        if (renewed) count_groups(r, state, least);
        if (worth->judged) learn_of_state(worth, passed, number_of_age(*s, s->present), most_expected(*s));
    }
    for (double* one : {&s->starts, &s->found, &s->worked}) *one *= KEEPING;
    s->taught = s->present;
    s->lesson = s->allowance.events / shedding::BETWEEN_CUTS;
}

// ── events ──

// Those before position `to` are over, also those that came into no state.
static inline void pass_to(GroupShedding* s, int64_t to) noexcept {
    if (to <= s->position) return;
    s->worked += s->allowance.spent;
    shedding::pass_events(&s->allowance, uint64_t(to - s->position));
    s->position = to;
}

static void go_on_to(GroupShedding* s, int64_t present) noexcept {
    if (present <= s->present) return;
    int64_t from = number_of_age(*s, s->present);
    s->present = present;
    for (GroupWorth& worth : s->states) pass_ages(&worth, from, number_of_age(*s, present));
}

// An event comes into some state.
static void begin_shed_event(Recognition* r, uint32_t symbol, int64_t start, int64_t least) {
    GroupShedding* s = r->shedding.get();
    uint64_t mixed = uint64_t(r->state.position) * shedding::SPREADING;
    pass_to(s, r->state.position);
    if (start != NEVER) go_on_to(s, start);
    s->judged = 0;
    s->learns = knows_worth(r) && shedding::is_lesson(mixed);
    if (r->correlating == nullptr) {
        spend(r, STEP_WORK * double(r->program.symbols[symbol].end - r->program.symbols[symbol].begin));
    } else if (knows_worth(r)) {
        if (s->allowance.events / shedding::BETWEEN_CUTS != s->lesson) give_lesson(r, least);
    } else if (shedding::is_near(s->allowance) || s->reckless > 0) {
        begin_worths(r, least);
    }
}

// ── the bound ──

// Events may take so many units on an average, from now on, and one event no more than `most` (0: as many as are the
// rule); no rate: any number.  Windows have that length.
inline void bound_groups(Recognition* r, double rate, double most, int64_t window) {
    if (rate <= 0) {
        r->shedding.reset();
        return;
    }
    if (!r->shedding) {
        r->shedding = std::make_unique<GroupShedding>();
        r->shedding->position = r->state.position;
        r->shedding->present = r->shedding->taught = NEVER + 1 + window;
    }
    r->shedding->window = window;
    pass_to(r->shedding.get(), r->state.position);  // by the rate of before
    shedding::begin_allowance(&r->shedding->allowance, rate, most > 0 ? most : shedding::AT_ONCE * rate);
    r->shedding->allowance.roomiest = shedding::MOST_ROOM_OF_SHORT;
}

}  // namespace spaseq::events
