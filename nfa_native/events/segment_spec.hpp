// What is known of a step that may wait, from the transitions of the automaton.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/columnar.hpp"
#include "nfa_native/events/lazy_steps.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

// What the step makes of a register of its target.
static HeldValue held_value(const UpdateSpec& update) noexcept {
    if (update.change == Change::COMPUTED) return {ValueOwner::NOBODY, true, 0};
    if (update.register_ >= 0) return {ValueOwner::SET, false, uint32_t(update.register_)};
    bool is_own = update.change != Change::KEEP;
    return {is_own ? ValueOwner::WAITING : ValueOwner::NOBODY, false, 0};
}

// Where the event of a variable is when a condition is asked; NOBODY: there may be several, or none.
static HeldValue event_of(
    const Correlating* c, const SegmentSpec& spec, const QuestionSpec& question, uint32_t variable
) noexcept {
    int32_t number = c->question_registers[question.first + variable];
    bool is_held = c->conditions[question.number].held[variable];
    if (number < 0) return {is_held ? ValueOwner::COMING : ValueOwner::NOBODY, false, 0};
    return is_held ? HeldValue{ValueOwner::NOBODY, false, 0} : spec.held[size_t(number)];
}

// The number of a column of sets, a new one if there is none.
static uint32_t number_of_load(SegmentSpec* spec, const SetLoad& load) {
    auto is_same = [&](const SetLoad& one) {
        return one.register_ == load.register_ && one.argument == load.argument && one.form == load.form;
    };
    auto found = std::find_if(spec->loads.begin(), spec->loads.end(), is_same);
    if (found == spec->loads.end()) found = spec->loads.insert(found, load);
    return uint32_t(found - spec->loads.begin());
}

// Into `out`: where a condition loads from; False: it does not run on columns.
static bool add_loads(const Correlating* c, SegmentSpec* spec, const QuestionSpec& question, ColumnCondition* out) {
    if (c->conditions.empty() || !runs_on_columns(c->conditions[question.number])) return false;
    out->number = question.number;
    for (const conditions::Step& step : c->conditions[question.number].steps()) {
        ColumnLoad load{ValueOwner::NOBODY, step.argument};
        if (is_load(step.operation)) {
            HeldValue event = event_of(c, *spec, question, step.variable);
            bool is_truth = step.operation == kinds::Opcode::LOAD_TRUTH;
            if (event.owner == ValueOwner::NOBODY || (is_truth && event.owner == ValueOwner::SET)) return false;
            load.owner = event.owner;
            if (event.owner == ValueOwner::SET)
                load.place = number_of_load(spec, {event.register_, step.argument, step.operation});
        }
        out->loads.push_back(load);
    }
    return true;
}

// The guard is about a number that some question asks exactly.
static bool is_asked_again(const Correlating* c, const TransitionSpec& way, uint32_t register_) noexcept {
    for (uint32_t i = 0; i < way.questions; ++i)
        if (c->questions[way.first_question + i].register_ == int32_t(register_)) return true;
    return false;
}

// The guards of a way out, by whose register they ask.
static void add_way_guards(const Correlating* c, const SegmentSpec& spec, const TransitionSpec& way, ClosingSpec* out) {
    for (uint32_t i = 0; i < way.guards; ++i) {
        const GuardSpec& guard = c->guards[way.first_guard + i];
        const HeldValue& held = spec.held[guard.register_];
        if (held.owner == ValueOwner::SET) out->of_sets.push_back({held.register_, guard.test, i});
        else if (held.owner == ValueOwner::WAITING) out->of_event.push_back({guard.register_, guard.test, i});
        else if (held.computed && !is_asked_again(c, way, guard.register_)) out->columnar = false;
    }
}

static void add_closing(const Correlating* c, SegmentSpec* spec, uint32_t number, bool single) {
    const TransitionSpec& way = c->transitions[number];
    ClosingSpec closing{number, {}, {}, {}, true, single};
    add_way_guards(c, *spec, way, &closing);
    for (uint32_t i = 0; i < way.questions; ++i) {
        ColumnCondition condition{};
        if (add_loads(c, spec, c->questions[way.first_question + i], &condition))
            closing.conditions.push_back(condition);
        else closing.columnar = false;
    }
    spec->closings.push_back(closing);
}

// The only transition into a state may wait until one out of it is taken; `single`: sets are of one match each.
inline void add_waiting_step(Correlating* c, uint32_t state, bool single) {
    WaitingSteps* waiting = &c->waiting;
    uint32_t number = uint32_t(waiting->specs.size()), transition = c->cells[state].first_transition;
    const TransitionSpec& step = c->transitions[transition];
    SegmentSpec spec{step.source, state, transition, {}, {}, {}, {}};
    for (uint32_t i = 0; i < c->cells[state].width; ++i) spec.held.push_back(held_value(c->updates[step.first_update + i]));
    for (uint32_t i = 0; i < step.guards; ++i)
        spec.guards.push_back({c->guards[step.first_guard + i].register_, c->guards[step.first_guard + i].test, i});
    waiting->roles.resize(c->transitions.size());
    waiting->roles[transition].keeps = number;
    for (uint32_t way = 0; way < c->transitions.size(); ++way) {
        if (c->transitions[way].source != state) continue;
        waiting->roles[way].closes = number;
        waiting->roles[way].closing = uint32_t(spec.closings.size());
        add_closing(c, &spec, way, single);
    }
    waiting->specs.push_back(spec);
    waiting->segments.emplace_back();
    waiting->registers.resize(std::max(waiting->registers.size(), spec.held.size()));
    waiting->room.resize((MOST_COLUMNS + 1) * columns::BLOCK);
}

}  // namespace spaseq::events
