// The step: what the events of one timestamp do to the partial matches of a key.  They see those of before it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/totalling/state.hpp"

namespace spaseq::joins::totalling {

static void expire(Totalling* a, Substream* s, int64_t least);

static inline ExactSpan staged_at(Totalling* a, size_t state) noexcept {
    return a->stacks.semiring.span(a->staged, state * (a->stacks.slots + 1));
}

static inline ExactSpan weight_at(Totalling* a, Weight which) noexcept {
    return a->stacks.semiring.span(a->weight, which);
}

// The total of one event with these values.
static void weigh(Totalling* a, const ExactSpan& out, const wide* values, bool is_first) {
    const Exact& semiring = a->stacks.semiring;
    const QuantitySpec* quantity = a->quantities.data();
    out.numbers[0].set(1);
    for (size_t i = 1; i < semiring.numbers; ++i, ++quantity, ++values) {
        if (is_first || !quantity->first_only) out.numbers[i].set(static_cast<unsigned __int128>(*values));
        else out.numbers[i].clear();
    }
    for (size_t i = 0; i < semiring.leasts; ++i, ++quantity, ++values)
        out.leasts[i] = is_first || !quantity->first_only ? *values : NO_LEAST;
}

// The weight JOINT: that of all choices of one entry for each atom; whether there are any.
static bool weigh_joint(Totalling* a, const Joint* joint, const Tick* tick, bool is_first) {
    const Exact& semiring = a->stacks.semiring;
    const ExactSpan one = weight_at(a, ONE), all = weight_at(a, BEFORE);
    const ExactSpan product = weight_at(a, JOINED), out = weight_at(a, JOINT);
    semiring.clear_totals(out, 1);
    semiring.set_unit(out);
    for (size_t part = 0; part < joint->atoms.size(); ++part) {
        semiring.clear_totals(all, 1);
        for (size_t i = tick->first; i < tick->end; ++i) {
            if ((*tick->entries)[i].atom != joint->atoms[part]) continue;
            weigh(a, one, tick->values->data() + i * a->quantities.size(), is_first && part == 0);
            semiring.add_totals(all, one, 1);
        }
        semiring.clear_totals(product, 1);
        semiring.add_product(product, out, all);
        semiring.copy_totals(out, product, 1);
    }
    return !out.is_nothing();
}

// Do `step`, with each arc that ends matches, or with all others: `step(arc, entry, weight)`, where the entry is the
// last one of several.  `back`: arcs of the last entry come first.
template <class Step>
static inline void take_arcs(Totalling* a, Substream* s, const Tick* tick, bool ends, bool back, Step step) {
    for (size_t n = tick->first; n < tick->end; ++n) {
        size_t i = back ? tick->first + tick->end - 1 - n : n;
        const Entry* entry = tick->entries->data() + i;
        if (ends) expire(a, s, entry->least);
        for (const Arc& arc : a->arcs[entry->atom]) {
            if ((arc.target == NO_STATE) != ends) continue;
            weigh(a, weight_at(a, ONE), tick->values->data() + i * a->quantities.size(), arc.source == NO_STATE);
            step(arc, *entry, weight_at(a, ONE));
        }
    }
    for (const Joint& joint : a->joints) {
        for (const Arc& arc : joint.arcs) {
            if ((arc.target == NO_STATE) == ends && weigh_joint(a, &joint, tick, arc.source == NO_STATE))
                step(arc, (*tick->entries)[tick->end - 1], weight_at(a, JOINT));
        }
    }
}

// The tick before did not touch the substream: strict contiguity is broken.
static inline bool is_after_gap(const Totalling* a, const Substream* s) noexcept { return s->tick != a->tick - 1; }

static void pass_state(Totalling* a, uint32_t state) noexcept {
    if (state == NO_STATE || a->states[state].govern != Govern::NEXT) return;
    a->passed[state] = true;
    for (uint32_t twin : a->states[state].twins) a->passed[twin] = true;
}

// Mark in `passed` the states that partial matches leave with these events: by skip-till-next, strict contiguity, or as
// a negated event drops them.
static void mark_passed(Totalling* a, const Tick* tick) {
    if (!a->leaves) return;
    a->present.assign(a->arcs.size(), 0);
    for (size_t i = 0; i < a->states.size(); ++i) a->passed[i] = a->states[i].govern == Govern::STRICT;
    for (size_t i = tick->first; i < tick->end; ++i) {
        uint32_t atom = (*tick->entries)[i].atom;
        if (a->present[atom]) continue;
        a->present[atom] = true;
        for (const Arc& arc : a->arcs[atom]) pass_state(a, arc.source);
        for (uint32_t state : a->strikes[atom]) a->passed[state] = true;
    }
    auto is_present = [a](uint32_t atom) { return a->present[atom] != 0; };
    for (const Joint& joint : a->joints) {
        if (!std::all_of(joint.atoms.begin(), joint.atoms.end(), is_present)) continue;
        for (const Arc& arc : joint.arcs) pass_state(a, arc.source);
    }
}

// ── the front ──
//
// The back becomes the front: going back from the last tick, it is known for each state what becomes of a partial match
// there, so that each event is read once more, and then forgotten.

// Nothing comes of partial matches that had to go on with the next tick.
static void end_strict(Totalling* a) noexcept {
    for (size_t state = 0; state < a->states.size(); ++state)
        if (a->states[state].govern == Govern::STRICT) a->stacks.end_future(state);
}

// What becomes of those that take the arc belongs to its source, or to a start.
static void turn_arc(Totalling* a, Substream* s, const Arc& arc, const Entry& entry, const ExactSpan& weight) {
    if (arc.source == NO_STATE && entry.measure < a->least) return;
    if (arc.source != NO_STATE) a->entered[arc.source] = true;
    const ExactSpan out = arc.source != NO_STATE ? staged_at(a, arc.source)
        : a->stacks.begin_start(s->window, 0, entry.measure);
    a->stacks.semiring.add_products(out, a->stacks.future_of(arc.target), a->stacks.slots, weight);
}

// What is in a state stays there if it does not leave, and goes where its events took it.
static void enter_turned(Totalling* a) {
    for (size_t state = 0; state < a->states.size(); ++state) {
        if (a->passed[state]) a->stacks.end_future(state);
        if (a->entered[state]) {
            a->stacks.semiring.add_totals(a->stacks.future_of(state), staged_at(a, state), a->stacks.slots);
            a->stacks.semiring.clear_totals(staged_at(a, state), a->stacks.slots);
        }
        a->entered[state] = false;
    }
}

// Put the starts of the log that are in the window into the front, from the last tick to the first.
static void replay(Totalling* a, Substream* s, int64_t least) {
    const std::vector<Entry>& log = s->window.log;
    Tick tick{&log, &s->window.log_wides, 0, log.size()};
    a->least = least;
    for (; tick.end && log[tick.end - 1].measure >= least; tick.end = tick.first) {
        tick.first = tick.end - 1;
        while (tick.first && !log[tick.first].begins) --tick.first;
        mark_passed(a, &tick);
        take_arcs(a, s, &tick, false, true, [a, s](const Arc& arc, const Entry& entry, const ExactSpan& weight) {
            turn_arc(a, s, arc, entry, weight);
        });
        enter_turned(a);
        if (log[tick.first].gap) end_strict(a);
    }
}

// Forget what began before `least`.
static void expire(Totalling* a, Substream* s, int64_t least) {
    if (!a->stacks.expire(s->window, least)) return;
    a->stacks.begin_front(s->window);
    if (is_after_gap(a, s)) end_strict(a);
    replay(a, s, least);
    a->stacks.end_front(s->window);
}

// ── the tick ──

// Matches that end by an arc: those that are in its source and began in the window.
static void finish_arc(Totalling* a, Substream* s, const Arc& arc, const Entry& entry, const ExactSpan& weight) {
    const Exact& semiring = a->stacks.semiring;
    const ExactSpan out = semiring.span(a->found.totals, a->found.times.size());
    if (arc.source == NO_STATE) {
        semiring.add_totals(out, weight, 1);
        a->fired[arc.transition] += arc.counts;
    } else if (s->window.filled[arc.source]) {
        const ExactSpan before = weight_at(a, BEFORE), column = a->stacks.column(s->window, arc.source);
        semiring.clear_totals(before, 1);
        a->stacks.add_window(s->window, 0, entry.least, column, a->stacks.first_row(s->window), before);
        if (semiring.add_products(out, before, 1, weight)) a->fired[arc.transition] += arc.counts;
    }
}

// The row of all matches that end in this tick, if there are any.
static void finish_matches(Totalling* a, Substream* s, const Tick* tick) {
    const uint64_t* key = reinterpret_cast<const uint64_t*>(s->key.data());
    size_t row = a->found.times.size();
    a->stacks.semiring.resize(a->found.totals, row + 1);
    a->stacks.semiring.clear_totals(a->stacks.semiring.span(a->found.totals, row), 1);
    take_arcs(a, s, tick, true, false, [a, s](const Arc& arc, const Entry& entry, const ExactSpan& weight) {
        finish_arc(a, s, arc, entry, weight);
    });
    if (a->stacks.semiring.span(a->found.totals, row).is_nothing()) return;
    a->found.times.push_back(s->pending.back().time);
    a->found.keys.insert(a->found.keys.end(), key, key + a->width);
}

// Put aside what enters the target.
static void stage_arc(Totalling* a, Substream* s, const Arc& arc, const Entry& entry, const ExactSpan& weight) {
    const Exact& semiring = a->stacks.semiring;
    size_t first = a->stacks.first_row(s->window);
    StateRecord* target = &a->states[arc.target];
    const ExactSpan out = staged_at(a, arc.target);
    bool some = arc.source == NO_STATE;
    if (some) {
        if (s->window.groups.empty()) a->stacks.add_group(s->window, 0);
        a->stacks.note_start(s->window, 0, entry.measure);
        semiring.add_totals(semiring.part(out, a->stacks.slots), weight, 1);
        target->youngest = std::max(target->youngest, entry.measure);
    } else {
        if (s->window.filled[arc.source]) {
            const ExactSpan column = semiring.part(a->stacks.column(s->window, arc.source), first);
            some = semiring.add_products(semiring.part(out, first), column, s->window.height - first, weight);
        }
        target->youngest = std::max(target->youngest, a->states[arc.source].youngest);
    }
    a->entered[arc.target] |= some;
    a->fired[arc.transition] += some && arc.counts;
    target->entered += some;
}

static void enter_staged(Totalling* a, Substream* s) {
    const Exact& semiring = a->stacks.semiring;
    size_t first = a->stacks.first_row(s->window), height = s->window.height - first;
    for (size_t state = 0; state < a->states.size(); ++state) {
        if (a->passed[state]) s->window.filled[state] = false;
        if (!a->entered[state]) continue;
        const ExactSpan staged = semiring.part(staged_at(a, state), first);
        semiring.add_totals(semiring.part(a->stacks.filled_column(s->window, state), first), staged, height);
        semiring.clear_totals(staged, height);
        a->entered[state] = false;
    }
}

// Remember the tick for the next front; before the first start there is nothing to remember.
static void write_log(Totalling* a, Substream* s) {
    Window<Exact, Entry>* w = &s->window;
    if (!a->windowed || !w->has_back) return;
    s->pending[0].begins = true;
    s->pending[0].gap = is_after_gap(a, s);
    w->log.insert(w->log.end(), s->pending.begin(), s->pending.end());
    w->log_wides.insert(w->log_wides.end(), s->pending_values.begin(), s->pending_values.end());
}

// All pending events of a substream, whose tick is complete.
static void take_tick(Totalling* a, Substream* s) {
    const Tick tick{&s->pending, &s->pending_values, 0, s->pending.size()};
    for (size_t state = 0; is_after_gap(a, s) && state < a->states.size(); ++state)
        if (a->states[state].govern == Govern::STRICT) s->window.filled[state] = false;
    finish_matches(a, s, &tick);
    take_arcs(a, s, &tick, false, false, [a, s](const Arc& arc, const Entry& entry, const ExactSpan& weight) {
        stage_arc(a, s, arc, entry, weight);
    });
    mark_passed(a, &tick);
    enter_staged(a, s);
    write_log(a, s);
    s->tick = a->tick;
    s->measure = s->pending.back().measure;
    s->pending.clear();
    s->pending_values.clear();
}

}  // namespace spaseq::joins::totalling
