// What an archive has where steps may wait: events that do, and what the choice knows.  Archives of before have none of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/events/archive.hpp"
#include "nfa_native/events/lazy_steps.hpp"
#include "nfa_native/events/wait.hpp"

namespace spaseq::events {

// What waits for the sets of a list, as it is written.
struct WaitingForm {
    uint32_t segment;
    uint32_t list;
    uint32_t events;
};

// An event that waits: the list that has it alone, and how many of the written sets it has seen.
struct WaitingEventForm {
    int64_t listed;
    uint32_t seen;
};

struct WaitingForms {
    std::vector<WaitingForm> lists;
    std::vector<WaitingEventForm> events;  // of all lists
    std::vector<int64_t> values;           // and theirs; 0 for lists of events
    std::vector<Trial> trials;             // by segment
    std::vector<StepCosts> costs;
    std::vector<double> known;             // two numbers of each segment
};

static void waiting_fields(Archive* a, WaitingForms* forms) {
    a->store("waiting", 1);
    a->field("segment", forms->lists, &WaitingForm::segment);
    a->field("list", forms->lists, &WaitingForm::list);
    a->field("events", forms->lists, &WaitingForm::events);
    a->field("listed", forms->events, &WaitingEventForm::listed);
    a->field("seen", forms->events, &WaitingEventForm::seen);
    a->numbers("values", forms->values);
}

static void choice_fields(Archive* a, WaitingForms* forms) {
    a->store("choices", 1);
    a->field("other", forms->trials, &Trial::other);
    a->field("patience", forms->trials, &Trial::patience);
    a->field("rest", forms->trials, &Trial::rest);
    a->field("switches", forms->trials, &Trial::switches);
    a->field("since", forms->costs, &StepCosts::since);
    a->field("arrivals", forms->costs, &StepCosts::arrivals);
    a->field("seen", forms->costs, &StepCosts::seen);
    a->field("made", forms->costs, &StepCosts::made);
    a->field("closings", forms->costs, &StepCosts::closings);
    a->field("looped", forms->costs, &StepCosts::looped);
    a->field("passed", forms->costs, &StepCosts::passed);
    a->field("waited", forms->costs, &StepCosts::waited);
    a->field("scanned", forms->costs, &StepCosts::scanned);
    a->field("asked", forms->costs, &StepCosts::asked);
    a->field("found", forms->costs, &StepCosts::found);
    a->doubles("known", forms->known);
}

// The register of the step's target has a list of events.
static inline bool is_list(const Correlating* c, const SegmentSpec& spec, size_t value) noexcept {
    return value >= spec.guards.size() && has_list(c, spec.state, uint32_t(value - spec.guards.size()));
}

static void write_waiting_event(const Recognition* r, const Renumbered& numbers, uint32_t segment, uint32_t list,
    size_t place, WaitingForms* forms) {
    Correlating* c = r->correlating;
    const SegmentSpec& spec = c->waiting.specs[segment];
    const WaitingEvents& waiting = c->waiting.segments[segment].by_list[list];
    size_t width = values_each(spec);
    if (forms->lists.empty() || forms->lists.back().segment != segment || forms->lists.back().list != numbers.lists[list])
        forms->lists.push_back({segment, numbers.lists[list], 0});
    ++forms->lists.back().events;
    forms->events.push_back({numbers.listed[size_t(waiting.listed[place] - c->listed_base)],
        written_sets(list_at(c, list), numbers.groups[list], waiting.seen[place])});
    for (size_t i = 0; i < width; ++i)
        forms->values.push_back(is_list(c, spec, i) ? 0 : waiting.values[place * width + i]);
}

static void write_waiting(Recognition* r, Archive* a, const Renumbered& numbers) {
    WaitingForms forms{};
    for (const WaitingSegment& segment : r->correlating->waiting.segments) {
        forms.trials.push_back(segment.trial);
        forms.costs.push_back(segment.costs);
        forms.known.insert(forms.known.end(), {segment.made_of_seen, segment.asked_each});
    }
    each_waiting(r, numbers, [&](uint32_t segment, uint32_t list, size_t place) {
        write_waiting_event(r, numbers, segment, list, place, &forms);
    });
    waiting_fields(a, &forms);
    choice_fields(a, &forms);
}

// ── and out of an archive that is believed in nothing ──

static void check_step_costs(const StepCosts& one) {
    uint64_t all = one.arrivals | one.seen | one.made | one.closings | one.looped | one.passed | one.waited | one.scanned
        | one.asked | one.found;
    require(all >> 62 == 0, "a counter is none");
}

static void load_choices(WaitingSteps* waiting, const WaitingForms& forms) {
    size_t count = waiting->segments.size();
    require(forms.trials.size() == count && forms.costs.size() == count && forms.known.size() == 2 * count,
        "there is another number of steps that may wait");
    for (size_t i = 0; i < count; ++i) {
        WaitingSegment& segment = waiting->segments[i];
        check_step_costs(forms.costs[i]);
        require(forms.known[2 * i] >= 0 && forms.known[2 * i + 1] >= 0, "a step knows what cannot be");
        require(forms.trials[i].switches >> 62 == 0, "a counter is none");
        bool is_asked = waiting->evaluating == Evaluating::EAGER || waiting->evaluating == Evaluating::LAZY;
        bool other = is_asked ? segment.trial.other : forms.trials[i].other;
        segment.trial = forms.trials[i];
        segment.trial.other = other;
        segment.costs = forms.costs[i];
        segment.made_of_seen = forms.known[2 * i];
        segment.asked_each = forms.known[2 * i + 1];
    }
}

// The position of the event that is picked last in a group that each event has of its own.
static int64_t position_of_group(Recognition* r, const GroupList* list, size_t place) noexcept {
    const MatchNode* node = match_node(&r->state, list->nodes[place]);
    while (node->state == UNION) node = match_node(&r->state, node->next);
    return last_position_of(&r->state, node->pos);
}

static void load_waiting_event(Recognition* r, const SegmentSpec& spec, WaitingEvents* waiting, const GroupList* list,
    const WaitingEventForm& form, const int64_t* values) {
    Correlating* c = r->correlating;
    bool is_later = waiting->size() == 0 || (waiting->listed.back() < form.listed && waiting->seen.back() <= form.seen);
    require(0 <= form.listed && form.listed < int64_t(c->listed.size()), "an event waits that there is not");
    require(c->listed[size_t(form.listed)].before == NOT_SET && is_later, "events that wait do not ascend");
    require(0 < form.seen && form.seen <= groups_of(list), "an event has seen sets that there are not");
    require(position_of_group(r, list, form.seen - 1) < c->listed[size_t(form.listed)].position,
        "an event has seen what came after it");
    waiting->listed.push_back(form.listed);
    waiting->seen.push_back(form.seen);
    for (size_t i = 0; i < values_each(spec); ++i) {
        bool is_own = is_list(c, spec, i) && spec.held[i - spec.guards.size()].owner == ValueOwner::WAITING;
        waiting->values.push_back(is_own ? form.listed : is_list(c, spec, i) ? NOT_SET : values[i]);
    }
}

static void load_waiting_lists(Recognition* r, const WaitingForms& forms) {
    Correlating* c = r->correlating;
    size_t event = 0, value = 0;
    for (const WaitingForm& form : forms.lists) {
        require(form.segment < c->waiting.specs.size() && form.list < c->lists.size(), "events wait for no list");
        const SegmentSpec& spec = c->waiting.specs[form.segment];
        const GroupList* list = list_at(c, form.list);
        WaitingEvents* waiting = waiting_for(&c->waiting.segments[form.segment], form.list);
        require(list->state == spec.source && waiting->size() == 0, "events wait for a list of another state");
        require(form.events <= forms.events.size() - event
            && form.events * values_each(spec) <= forms.values.size() - value, "events that wait are missing");
        for (uint32_t i = 0; i < form.events; ++i, value += values_each(spec))
            load_waiting_event(r, spec, waiting, list, forms.events[event++], forms.values.data() + value);
    }
    require(event == forms.events.size() && value == forms.values.size(), "there is what waits for nothing");
}

// After lists and nodes, which have been checked.
static void load_waiting(Recognition* r, Archive* a) {
    WaitingForms forms{};
    if (!a->has_store("waiting")) return;
    waiting_fields(a, &forms);
    choice_fields(a, &forms);
    load_choices(&r->correlating->waiting, forms);
    load_waiting_lists(r, forms);
}

}  // namespace spaseq::events
