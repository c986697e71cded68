// The state as an archive: a store for each part, a column for each field.
//
// When it is read, nothing in it is believed: whatever is a place, a length, a number or an order is compared with what
// is there (`require`: ValueError), so that a forged archive is refused, or means a state that could have been.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/core/two_stacks_archive.hpp"
#include "nfa_native/events/aggregating/state.hpp"
#include "nfa_native/events/aggregating/step.hpp"

namespace spaseq::events::aggregating {

// All substreams as they are written.
struct Form {
    std::vector<int64_t> events;          // [substream]
    std::vector<int64_t> entered_at;      // of the filled columns
    std::vector<uint32_t> touched;
    WindowsForm<Bounded, Logged> windows;
};

// ── fields: the same functions write and read ──

// Where the stream is, and what the totals are of.
static void clock_fields(const Aggregation* a, Archive* archive, int64_t* position) {
    const Bounded& semiring = a->stacks.semiring;
    uint64_t slots = a->stacks.slots, states = a->entries.size(), wides = semiring.wides, reals = semiring.reals;
    archive->store("aggregation", 1);
    archive->number("slots", slots);
    archive->number("states", states);
    archive->number("exact quantities", wides);
    archive->number("quantities of doubles", reals);
    archive->number("position", *position);
    require(slots == a->stacks.slots && states == a->entries.size(), "the totals are of another automaton");
    require(wides == semiring.wides && reals == semiring.reals, "the totals are of other quantities");
}

// Of each symbol how many states it enters, and which.
static void symbol_fields(Archive* archive, std::vector<uint32_t>* sizes, std::vector<uint32_t>* entries) {
    archive->store("symbols", 1);
    archive->numbers("sizes", *sizes);
    archive->numbers("states", *entries);
}

static void state_fields(Archive* archive, Form* form) {
    archive->store("substreams", 1);
    archive->numbers("events", form->events);
    archive->numbers("entered at", form->entered_at);
    archive->numbers("touched", form->touched);
    form->windows.fields(*archive);
    archive->store("log", 1);
    archive->field("position", form->windows.log, &Logged::local);
    archive->field("start", form->windows.log, &Logged::start);
    archive->field("symbol", form->windows.log, &Logged::symbol);
    archive->field("group", form->windows.log, &Logged::group);
}

// Everything that the future depends on.
inline void write_aggregation(Aggregation* a, Archive* archive) {
    std::vector<uint32_t> sizes;
    Form form;
    clock_fields(a, archive, &a->position);
    for (size_t i = 0; i + 1 < a->symbol_begin.size(); ++i)
        sizes.push_back(a->symbol_begin[i + 1] - a->symbol_begin[i]);
    symbol_fields(archive, &sizes, &a->symbol_entries);
    form.touched = a->touched;
    for (Substream& s : a->substreams) {
        form.events.push_back(s.events);
        for (size_t slot = 0; slot < a->stacks.slots; ++slot)
            if (s.window.filled[slot]) form.entered_at.push_back(s.entered_at[slot]);
        form.windows.append(a->stacks, s.window);
    }
    state_fields(archive, &form);
}

// ── what is read ──

// Of each symbol how many states it enters, and which, from the last one to the first; symbol 0 enters none.
inline void load_symbols(
    Aggregation* a, Archive* archive, std::vector<uint32_t>* sizes, std::vector<uint32_t>* entries
) {
    size_t at = 0;
    symbol_fields(archive, sizes, entries);
    require(!sizes->empty() && sizes->front() == 0, "symbol 0 is missing");
    for (uint32_t size : *sizes) {
        require(size <= entries->size() - at, "a symbol enters more states than there are");
        for (size_t j = at; j < at + size; ++j) {
            require((*entries)[j] < a->entries.size(), "a symbol enters a state that there is not");
            require(j == at || (*entries)[j] < (*entries)[j - 1], "the states that a symbol enters do not descend");
        }
        at += size;
    }
    require(at == entries->size(), "there are states of no symbol");
}

// Lists that belong together are of one length, and what is kept has come.
static void check_form(const Aggregation* a, const Form* form, int64_t position) {
    require(form->events.size() > 0 && (a->partitioned || form->events.size() == 1), "there are other substreams");
    require(form->windows.size() == form->events.size(), "a substream has no window");
    form->windows.check(a->stacks, a->stacks.semiring.wides, a->stacks.semiring.reals);
    for (const Logged& event : form->windows.log)
        require(0 <= event.local && event.local < position, "an event is kept that is yet to come");
}

// An event that is kept; a start is counted with its group.
static void check_logged(const Aggregation* a, Substream* s, const Logged& event) {
    require(event.local < s->events || !a->partitioned, "an event is kept that is yet to come");
    require(0 < event.symbol && event.symbol < a->symbol_begin.size() - 1, "an event has a symbol that is not known");
    require((event.start == NEVER) == (event.group == NO_GROUP), "a start has no group");
    if (event.group == NO_GROUP) return;
    require(event.group < s->window.groups.size(), "a start is of a group that there is not");
    ++s->window.groups[event.group].begun;
}

static void load_substream(const Aggregation* a, Form* form, size_t number, size_t* filled, Substream* s) {
    begin_substream(a, s);
    s->events = form->events[number];
    require(0 <= s->events && s->events < FARTHEST, "a substream has an impossible number of events");
    form->windows.take_window(a->stacks, number, a->windowed, s->window);
    number_groups(s);
    require(s->window.groups.size() == 1 || s->group_of_key.size() == s->window.groups.size(),
        "two groups have one key");
    for (size_t slot = 0; slot < a->stacks.slots; ++slot) {
        if (!s->window.filled[slot]) continue;
        require(*filled < form->entered_at.size(), "a column is missing");
        s->entered_at[slot] = form->entered_at[(*filled)++];
        require(s->entered_at[slot] < FARTHEST, "a path is of an event that is yet to come");
    }
    for (size_t i = 0; i < s->window.log.size(); ++i) {
        check_logged(a, s, s->window.log[i]);
        require(i == 0 || s->window.log[i - 1].local < s->window.log[i].local,
            "the events that are kept are not in order");
    }
}

// The substreams that an end consumes.
static void load_touched(Aggregation* a, const Form* form, std::vector<Substream>* substreams) {
    require(form->touched.empty() || a->consume == Consumed::ANY, "substreams would be consumed");
    for (uint32_t number : form->touched) {
        require(number < substreams->size(), "a substream is not there");
        require(!(*substreams)[number].is_touched, "a substream would be consumed twice");
        (*substreams)[number].is_touched = true;
    }
    a->touched = form->touched;
}

// Take over the state that `write_aggregation` gave; the symbols are known already.
inline void load_aggregation(Aggregation* a, Archive* archive) {
    Form form;
    int64_t position;
    size_t filled = 0;
    clock_fields(a, archive, &position);
    require(0 <= position && position < FARTHEST, "the position is none");
    state_fields(archive, &form);
    check_form(a, &form, position);
    std::vector<Substream> substreams(form.events.size());
    for (size_t i = 0; i < substreams.size(); ++i) load_substream(a, &form, i, &filled, &substreams[i]);
    require(filled == form.entered_at.size(), "there are columns of no substream");
    form.windows.check_all_taken(a->stacks);
    load_touched(a, &form, &substreams);
    a->substreams.swap(substreams);
    a->position = position;
}

}  // namespace spaseq::events::aggregating
