// Conditions about several events, and the lists of events that they are about.  A listed event is remembered with its
// values that conditions read.  Conditions are programs (`conditions.hpp`); what they leave undecided, the owner
// answers from positions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/events/conditions.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

using conditions::NO;
using conditions::UNDECIDED;
using conditions::YES;

// Forget positions that no partial match has any more.
static void reclaim_listed(Recognition* r, int64_t least) noexcept {
    Correlating* c = r->correlating;
    c->relisted.clear();
    if (!r->program.forgets) return;
    while (c->listed_first < c->listed.size() && c->listed[c->listed_first].start < least) ++c->listed_first;
    if (c->listed_first >= GroupList::LEAST_TO_ERASE && c->listed_first * 2 > c->listed.size()) {
        c->listed.erase(c->listed.begin(), c->listed.begin() + ptrdiff_t(c->listed_first));
        c->remembered.erase(c->remembered.begin(), c->remembered.begin() + ptrdiff_t(c->listed_first * c->own.size()));
        c->listed_base += int64_t(c->listed_first);
        c->listed_first = 0;
    }
}

// The values of the event under way that conditions read.
static inline void read_own(Correlating* c) noexcept {
    const int64_t* const* columns = c->columns.data() + (c->columns.size() - c->own.size());
    for (size_t i = 0, i_end = c->own.size(); i < i_end; ++i) c->own.data()[i] = columns[i][c->at];
}

// The list with the event at its end.
static int64_t listed(Recognition* r, int64_t before) {
    Correlating* c = r->correlating;
    if (c->relisted.count(before)) return c->relisted[before];
    c->listed.push_back({r->state.position, c->start, before});
    read_own(c);
    c->remembered.insert(c->remembered.end(), c->own.begin(), c->own.end());
    return c->relisted[before] = c->listed_base + int64_t(c->listed.size()) - 1;
}

// What a computation gives of the one event that each variable holds, `own` the values of the one that the computation
// is made with; NOT_SET: one holds none.
static inline int64_t computed_with(
    Correlating* c, const UpdateSpec* update, const int64_t* before, const int64_t* own
) noexcept {
    const int32_t* of_variable = c->question_registers.data() + update->register_;
    if (c->computations.empty()) return NOT_SET;
    const Condition* computation = c->computations.data() + update->column;
    for (size_t j = 0, j_end = computation->held.size(); j < j_end; ++j) {
        c->rows.data()[j] = own;
        if (of_variable[j] >= 0) {
            int64_t number = before[of_variable[j]];
            if (number == NOT_SET) return NOT_SET;
            c->rows.data()[j] = c->remembered.data() + size_t(number - c->listed_base) * c->own.size();
        }
    }
    return computation->compute(c->rows.data(), c->constants);
}

// The same with the event under way.
static inline int64_t computed(Correlating* c, const UpdateSpec* update, const int64_t* before) noexcept {
    read_own(c);
    return computed_with(c, update, before, c->own.data());
}

// As `answered`, where a variable holds several events.
static uint8_t answered_all(Correlating* c, const QuestionSpec* question, const int64_t* registers) {
    const Condition* condition = c->conditions.data() + question->number;
    const int32_t* of_variable = c->question_registers.data() + question->first;
    c->choices.renew(question->count);
    for (uint32_t j = 0, j_end = question->count; j < j_end; ++j) {
        int64_t number = of_variable[j] < 0 ? NOT_SET : registers[of_variable[j]];
        while (number != NOT_SET) {
            number -= c->listed_base;
            c->choices.offer(c->remembered.data() + size_t(number) * c->own.size());
            number = c->listed.data()[number].before;
        }
        if (condition->held.data()[j]) c->choices.offer(c->own.data());
        c->choices.end_variable();
    }
    return c->choices.all(*condition, c->constants, c->own.data());
}

// Whether the condition holds for all choices of one event of each variable with the one under way among them.
static inline uint8_t answered(Correlating* c, const QuestionSpec* question, const int64_t* registers) {
    const Condition* condition = c->conditions.data() + question->number;
    const int32_t* of_variable = c->question_registers.data() + question->first;
    const uint8_t* held = condition->held.data();
    const int64_t** rows = c->rows.data();
    for (uint32_t j = 0, j_end = question->count; j < j_end; ++j) {
        if (of_variable[j] < 0 || registers[of_variable[j]] == NOT_SET) {
            if (!held[j]) return YES;
            rows[j] = c->own.data();
            continue;
        }
        const Listed* one = c->listed.data() + (registers[of_variable[j]] - c->listed_base);
        if (held[j] || one->before != NOT_SET) return answered_all(c, question, registers);
        rows[j] = c->remembered.data() + size_t(one - c->listed.data()) * c->own.size();
    }
    return condition->test(rows, c->constants);
}

// Below what a register that a guard lets pass satisfies the condition; NO_BOUND: that is not known.
static inline int64_t deciding_bound(const Correlating* c, const QuestionSpec* question) noexcept {
    return question->decided < 0 ? NO_BOUND : c->columns.data()[question->decided][c->at];
}

// The answer of a bound; UNDECIDED: it has none.
static inline uint8_t decided(const QuestionSpec* question, const int64_t* registers, int64_t bound) noexcept {
    if (bound == NO_BOUND || registers[question->register_] == NOT_SET) return UNDECIDED;
    return registers[question->register_] < bound ? YES : NO;
}

// Into `answers`: of each candidate whether the condition holds.
static void answer_all(Recognition* r, const QuestionSpec* question, const int64_t* registers, size_t width) {
    Correlating* c = r->correlating;
    bool is_native = !c->conditions.empty();
    int64_t bound = deciding_bound(c, question);
    bool undecided = false;
    c->answers.resize(c->candidates.size());
    read_own(c);
    for (size_t i = 0, i_end = c->candidates.size(); i < i_end; ++i) {
        const int64_t* own = registers + c->candidates[i] * int64_t(width);
        c->answers[i] = decided(question, own, bound);
        if (c->answers[i] == UNDECIDED && is_native) c->answers[i] = answered(c, question, own);
        undecided = undecided || c->answers[i] == UNDECIDED;
    }
    if (undecided) r->owner->ask(r, question, registers, width);
}

// Leave in `candidates` the places of groups for which all questions of a transition are answered by yes.
static void ask_all(Recognition* r, const TransitionSpec* transition, const int64_t* registers, size_t width) {
    Correlating* c = r->correlating;
    for (uint32_t number = 0; number < transition->questions; ++number) {
        if (c->candidates.empty() || r->scratch.is_stopped) return;
        answer_all(r, c->questions.data() + transition->first_question + number, registers, width);
        size_t kept = 0;
        for (size_t i = 0; i < c->candidates.size(); ++i)
            if (c->answers[i] == YES) c->candidates[kept++] = c->candidates[i];
        c->candidates.resize(kept);
    }
}

}  // namespace spaseq::events
