// The state as an archive: a store for each part, a column for each field; lists lie one after the other, their lengths
// in columns of their own.
//
// When it is read, nothing in it is believed: whatever is a place, a length, a number or an order is compared with what
// is there (`require`: ValueError), so that a forged archive is refused, or means a state that could have been.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/core/two_stacks_archive.hpp"
#include "nfa_native/joins/totalling/state.hpp"

namespace spaseq::joins::totalling {

// A substream as it is written, without its key and its window.
struct SubstreamForm {
    int64_t tick;
    int64_t measure;
    uint32_t pending;                     // entries
};

// All substreams as they are written.
struct Form {
    std::vector<SubstreamForm> substreams;
    std::vector<uint64_t> keys;           // [substream][key]
    std::vector<uint32_t> touched;
    WindowsForm<Exact, Entry> windows;
    std::vector<Entry> pending;
    std::vector<wide> pending_values;     // [entry][value]
};

// ── fields: the same functions write and read ──

// Where the stream is, what the totals are of, and statistics.
static void clock_fields(Totalling* a, Archive* archive) {
    uint64_t numbers = a->stacks.semiring.numbers, leasts = a->stacks.semiring.leasts, width = a->width, number = 0;
    uint8_t is_open = a->is_open;
    archive->store("totalling", 1);
    archive->number("numbers", numbers);
    archive->number("leasts", leasts);
    archive->number("width", width);
    archive->number("tick", a->tick);
    archive->number("open", is_open);
    archive->update("matched", a->matched, number, number);
    archive->update("fired", a->fired, number, number);
    if (!a->states.empty()) {
        archive->update("youngest", a->states, &StateRecord::youngest);
        archive->update("entered", a->states, &StateRecord::entered);
    }
    require(numbers == a->stacks.semiring.numbers && leasts == a->stacks.semiring.leasts,
        "the totals are of other quantities");
    require(width == a->width, "the totals have other keys");
    a->is_open = is_open != 0;
}

static void entry_fields(Archive* archive, std::vector<Entry>* entries) {
    archive->field("atom", *entries, &Entry::atom);
    archive->field("time", *entries, &Entry::time);
    archive->field("measure", *entries, &Entry::measure);
    archive->field("least", *entries, &Entry::least);
}

static void state_fields(Archive* archive, Form* form) {
    archive->store("substreams", 1);
    archive->field("tick", form->substreams, &SubstreamForm::tick);
    archive->field("measure", form->substreams, &SubstreamForm::measure);
    archive->field("pending", form->substreams, &SubstreamForm::pending);
    archive->words("key words", form->keys);
    archive->numbers("touched", form->touched);
    form->windows.fields(*archive);
    archive->store("log", 1);
    entry_fields(archive, &form->windows.log);
    archive->field("begins", form->windows.log, &Entry::begins);
    archive->field("gap", form->windows.log, &Entry::gap);
    archive->store("pending", 1);
    entry_fields(archive, &form->pending);
    archive->wides("values", form->pending_values);
}

// ── what is written ──
static void write_substream(const Totalling* a, Substream* s, Form* form) {
    const uint64_t* key = reinterpret_cast<const uint64_t*>(s->key.data());
    form->substreams.push_back({s->tick, s->measure, uint32_t(s->pending.size())});
    form->keys.insert(form->keys.end(), key, key + a->width);
    form->windows.append(a->stacks, s->window);
    form->pending.insert(form->pending.end(), s->pending.begin(), s->pending.end());
    form->pending_values.insert(form->pending_values.end(), s->pending_values.begin(), s->pending_values.end());
}

// Everything that the future depends on; numbers of substreams that are free are left out.
inline void write_totalling(Totalling* a, Archive* archive) {
    std::vector<uint32_t> places(a->substreams.size(), 0);
    Form form;
    for (uint32_t number : a->free) places[number] = NO_SUBSTREAM;
    for (size_t i = 0; i < places.size(); ++i) {
        if (places[i] == NO_SUBSTREAM) continue;
        places[i] = uint32_t(form.substreams.size());
        write_substream(a, &a->substreams[i], &form);
    }
    for (uint32_t number : a->touched) form.touched.push_back(places[number]);
    clock_fields(a, archive);
    state_fields(archive, &form);
}

// ── what is read ──
static void check_counters(const Totalling* a) {
    const char* what = "a counter cannot be";
    require(a->tick < FARTHEST && (a->tick > LONG_AGO || !a->is_open), "the tick is none");
    for (uint64_t matched : a->matched) require(matched <= uint64_t(FARTHEST), what);
    for (uint64_t fired : a->fired) require(fired <= uint64_t(FARTHEST), what);
    for (const StateRecord& state : a->states) require(state.entered <= uint64_t(FARTHEST), what);
}

static void check_entries(const Totalling* a, const std::vector<Entry>& entries, const std::vector<wide>& values) {
    for (size_t i = 0; i < entries.size(); ++i) {
        require(entries[i].atom < a->arcs.size(), "an entry is of an atom that there is not");
        for (size_t q = 0; q + 1 < a->stacks.semiring.numbers; ++q)
            require(values[i * a->quantities.size() + q] >= 0, "what adds up is less than nothing");
    }
}

// Lists that belong together are of one length.
static void check_form(const Totalling* a, const Form* form) {
    require(form->substreams.size() < NO_SUBSTREAM, "there are too many substreams");
    require(form->windows.size() == form->substreams.size(), "a substream has no window");
    require_rows(form->substreams.size(), a->width, form->keys.size());
    require_rows(form->pending.size(), a->quantities.size(), form->pending_values.size());
    form->windows.check(a->stacks, a->quantities.size(), 0);
    check_entries(a, form->windows.log, form->windows.log_wides);
    check_entries(a, form->pending, form->pending_values);
}

static void load_substream(const Totalling* a, Form* form, size_t number, size_t* pending, Substream* s) {
    const SubstreamForm& one = form->substreams[number];
    size_t value = *pending * a->quantities.size();
    s->key.assign(reinterpret_cast<const char*>(form->keys.data() + number * a->width), a->width * sizeof(uint64_t));
    require(one.tick < FARTHEST, "a substream was touched in a tick that is yet to come");
    s->tick = one.tick;
    s->measure = one.measure;
    form->windows.take_window(a->stacks, number, a->windowed, s->window);
    require(s->window.groups.size() <= 1, "a substream has starts of several groups");
    if (!s->window.groups.empty()) s->window.groups[0].begun = s->window.log.size();  // or less
    take_part(form->pending, *pending, one.pending, s->pending);
    take_part(form->pending_values, value, one.pending * a->quantities.size(), s->pending_values);
}

// The open tick touched the substreams that have pending entries, each once.
static void check_touched(const Totalling* a, const Form* form, const std::vector<Substream>& substreams) {
    std::vector<uint8_t> is_touched(substreams.size(), 0);
    require(a->is_open || form->touched.empty(), "no tick is open");
    for (uint32_t number : form->touched) {
        require(number < substreams.size(), "a substream is touched that there is not");
        require(!is_touched[number], "a substream is touched twice");
        is_touched[number] = true;
    }
    for (size_t i = 0; i < substreams.size(); ++i)
        require(is_touched[i] == !substreams[i].pending.empty(), "entries wait for no tick");
}

// Take over the state that `write_totalling` gave, words already renumbered, into one that has seen nothing.
inline void load_totalling(Totalling* a, Archive* archive) {
    std::unordered_map<std::string, uint32_t, TextHash> numbers;
    Form form;
    size_t pending = 0;
    clock_fields(a, archive);
    check_counters(a);
    state_fields(archive, &form);
    check_form(a, &form);
    std::vector<Substream> substreams(form.substreams.size());
    for (uint32_t i = 0; i < substreams.size(); ++i) {
        load_substream(a, &form, i, &pending, &substreams[i]);
        require(numbers.emplace(substreams[i].key, i).second, "two substreams have one key");
    }
    form.windows.check_all_taken(a->stacks);
    require(pending == form.pending.size(), "entries are of no substream");
    check_touched(a, &form, substreams);
    a->substreams.swap(substreams);
    a->substream_of_key.swap(numbers);
    a->touched.swap(form.touched);
    a->sweep_at = std::max(FEW_SUBSTREAMS, 2 * a->substreams.size());
}

}  // namespace spaseq::joins::totalling
