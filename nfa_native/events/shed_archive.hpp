// What an archive has where work is bounded: the allowance, and what was learned.  Archives without a bound have none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/archive_shedding.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/events/archive.hpp"
#include "nfa_native/events/shedding.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

using shedding::append;
using shedding::NumberReader;

// Lists of numbers, as they are written: first of all states, and so on.
struct WorthForms {
    std::vector<double> allowance;         // eight numbers, those of what was offered, and four sums
    std::vector<double> classes;           // ten numbers of each class, and one of each state
    std::vector<double> living;            // AGES + 1 numbers of each bucket
    std::vector<double> values;            // of each value what entered, what was of use, and the edges
    std::vector<uint64_t> counts;          // how many these are, and what was seen; of each state what was left out
    std::vector<double> loads;             // of heads, then of the groups that are written
};

static void worth_fields(GroupShedding* s, Archive* a, WorthForms* forms) {
    a->store("worth", 1);
    a->number("window", s->window);
    a->number("position", s->position);
    a->number("present", s->present);
    a->number("taught", s->taught);
    a->number("lesson", s->lesson);
    a->number("events", s->allowance.events);
    a->number("over", s->allowance.over);
    a->number("curtailed", s->curtailed);
    a->doubles("allowance", forms->allowance);
    a->doubles("classes", forms->classes);
    a->doubles("living", forms->living);
    a->doubles("values", forms->values);
    a->numbers("counts", forms->counts);
    a->doubles("loads", forms->loads);
}

static std::array<double*, 10> numbers_of(GroupClass* c) noexcept {
    return {&c->looks, &c->matches, &c->work, &c->asked, &c->again, &c->matches_again, &c->work_again, &c->utility,
        &c->cost, &c->looked};
}

static std::array<double*, 4> sums_of(GroupShedding* s) noexcept {
    return {&s->starts, &s->found, &s->worked, &s->reckless};
}

static void put_worth(GroupWorth* worth, WorthForms* forms) {
    for (GroupClass& c : worth->known.classes)
        for (double* one : numbers_of(&c)) forms->classes.push_back(*one);
    for (const std::array<double, AGES + 1>& living : worth->living)
        forms->living.insert(forms->living.end(), living.begin(), living.end());
    for (const shedding::Quantiles& one : worth->known.values)
        shedding::put_quantiles(one, &forms->counts, &forms->values);
    forms->classes.push_back(worth->load);
    append(&forms->counts, {worth->unworthy, worth->cut, uint64_t(worth->overdue[0]), uint64_t(worth->overdue[1])});
}

static void put_loads(Recognition* r, const Renumbered& numbers, WorthForms* forms) {
    for (const Head& head : r->state.heads) forms->loads.push_back(std::min(head.load, MOST_LOAD));
    for (size_t i = 0; i < numbers.groups.size(); ++i)
        for (size_t place = 0; place + 1 < numbers.groups[i].size(); ++place)
            if (numbers.groups[i][place] != numbers.groups[i][place + 1])
                forms->loads.push_back(std::min(load_of_group(list_at(r->correlating, uint32_t(i)), place), MOST_LOAD));
}

static void write_worth(Recognition* r, Archive* a, const Renumbered& numbers) {
    GroupShedding* s = r->shedding.get();
    WorthForms forms;
    pass_to(s, r->state.position);  // as who goes on with it will have to
    shedding::put_allowance(s->allowance, &forms.allowance);
    shedding::put_offered(s->allowance, &forms.allowance);
    for (double* one : sums_of(s)) forms.allowance.push_back(*one);
    forms.counts.push_back(s->states.size());
    for (GroupWorth& worth : s->states) put_worth(&worth, &forms);
    put_loads(r, numbers, &forms);
    worth_fields(s, a, &forms);
}

// ── and back ──

struct WorthReader {
    NumberReader<double> classes;
    NumberReader<double> living;
    NumberReader<double> values;
    NumberReader<uint64_t> counts;
};

static void take_worth(WorthReader* from, GroupWorth* to) {
    for (GroupClass& c : to->known.classes)
        for (double* one : numbers_of(&c)) *one = shedding::take_amount(&from->classes);
    to->load = shedding::take_amount(&from->classes);
    for (std::array<double, AGES + 1>& living : to->living)
        for (double& one : living) one = shedding::take_amount(&from->living);
    for (shedding::Quantiles& one : to->known.values) shedding::take_quantiles(&from->counts, &from->values, &one);
    to->unworthy = from->counts.next();
    to->cut = from->counts.next();
    require(to->unworthy <= uint64_t(FARTHEST) && to->cut <= uint64_t(FARTHEST), "too many groups were left out");
    for (bool& one : to->overdue) one = from->counts.next() != 0;
}

static void take_worths(Recognition* r, const WorthForms& forms) {
    GroupShedding* s = r->shedding.get();
    WorthReader from{{forms.classes}, {forms.living}, {forms.values}, {forms.counts}};
    uint64_t states = from.counts.next();
    if (states) {
        require(r->correlating != nullptr && states == r->correlating->cells.size(), "worth is known of other states");
        know_states(r);
    }
    for (GroupWorth& worth : s->states) take_worth(&from, &worth);
    from.classes.end(), from.living.end(), from.values.end(), from.counts.end();
}

static float take_load(NumberReader<double>* from) {
    return float(std::min(double(MOST_LOAD), shedding::take_amount(from)));
}

static void take_loads(Recognition* r, const std::vector<double>& numbers) {
    NumberReader<double> from{numbers};
    for (Head& head : r->state.heads) head.load = take_load(&from);
    for (GroupList* list : r->correlating != nullptr ? r->correlating->lists : std::vector<GroupList*>())
        for (size_t place = 0; place < groups_of(list); ++place) set_load(list, place, take_load(&from));
    from.end();
}

static void take_bound(const std::vector<double>& numbers, GroupShedding* s) {
    NumberReader<double> from{numbers};
    shedding::take_allowance(&from, &s->allowance);
    shedding::take_offered(&from, &s->allowance);
    for (double* one : sums_of(s)) *one = shedding::take_amount(&from);
    from.end();
    require(s->reckless <= 1, "an allowance is none");
}

static inline void load_worth(Recognition* r, Archive* a) {
    WorthForms forms;
    r->shedding = std::make_unique<GroupShedding>();
    GroupShedding* s = r->shedding.get();
    worth_fields(s, a, &forms);
    require(0 < s->window && s->window <= FARTHEST, "a window has no length");
    require(0 <= s->position && s->position <= r->state.position, "load shedding is ahead of events");
    require(NEVER + 1 + s->window <= s->taught && s->taught <= s->present && s->present <= FARTHEST, "load shedding was taught what comes later");
    require((s->allowance.events | s->allowance.over | s->curtailed | s->lesson) <= uint64_t(FARTHEST), "counters are none");
    take_bound(forms.allowance, s);
    take_worths(r, forms);
    take_loads(r, forms.loads);
}

}  // namespace spaseq::events
