// What an archive has where work is bounded: the allowance, what was learned, and how many partial matches cells have.
// Archives without a bound have none of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/archive_shedding.hpp"
#include "nfa_native/joins/archive.hpp"
#include "nfa_native/joins/restore_unions.hpp"
#include "nfa_native/joins/loads.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/worth.hpp"

namespace spaseq::joins {

using shedding::append;
using shedding::NumberReader;
using shedding::take_amount;
using shedding::take_number;

// Lists of numbers, as they are written: first of all states, and so on.
struct SheddingForms {
    std::vector<double> allowance;         // nine numbers, and RATIOS of what was offered
    std::vector<double> yields;            // three numbers
    std::vector<double> probing;           // five numbers of each transition
    std::vector<double> classes;           // seven numbers of each class, and two bounds of each state
    std::vector<double> values;            // of each value what entered, what was of use, and the edges
    std::vector<uint64_t> counts;          // how many these are, and what was seen; of each state what was dropped
    std::vector<uint64_t> loads;           // how many each state has, and how many are staged
    std::vector<double> sizes;             // AGES numbers of each load
    std::vector<int64_t> ages;             // of each load
    std::vector<uint32_t> places;          // of each load that of its cell, among the state's as they are written
    std::vector<uint32_t> hopeless;        // state and place of each
    std::vector<word_t> samples;           // a row of each state that has one
};

static void shedding_fields(LoadShedding* shedding, Archive* a, SheddingForms* forms) {
    uint32_t version = a->store("shedding", 2);
    a->number("position", shedding->position);
    a->number("events", shedding->allowance.events);
    a->number("over", shedding->allowance.over);
    if (version > 1) a->number("curtailed", shedding->curtailed);
    a->number("results", shedding->yields.results);
    a->doubles("allowance", forms->allowance);
    a->doubles("yields", forms->yields);
    a->doubles("probing", forms->probing);
    a->doubles("classes", forms->classes);
    a->doubles("values", forms->values);
    a->numbers("counts", forms->counts);
    a->numbers("loads", forms->loads);
    a->doubles("sizes", forms->sizes);
    a->numbers("ages", forms->ages);
    a->numbers("places", forms->places);
    a->numbers("hopeless", forms->hopeless);
    a->words("sample words", forms->samples);
}

// ── there ──

static void put_load(const CellLoad& load, uint32_t place, SheddingForms* forms) {
    forms->sizes.insert(forms->sizes.end(), load.counts.begin(), load.counts.end());
    forms->ages.push_back(load.newest);
    forms->places.push_back(place);
}

static void put_utility(const StateUtility& utility, SheddingForms* forms) {
    for (const ClassUtility& c : utility.classes)
        append(&forms->classes, {c.looks, c.yield, c.work, c.leaving, c.again, c.utility, c.cost});
    append(&forms->classes, {utility.most_utility, utility.most_cost});
    for (const shedding::Quantiles& one : utility.values) shedding::put_quantiles(one, &forms->counts, &forms->values);
}

// What is known of a state, whose living cells are written in their order.
static void put_state(const StateLoads& known, StateData* s, SheddingForms* forms) {
    std::vector<uint32_t> living = cells_in_order(s);
    uint64_t count = 0;
    put_utility(known.utility, forms);
    append(&forms->counts, {known.unworthy, known.cut, known.hopeless, uint64_t(known.sample.empty() ? 0 : 1)});
    append(&forms->samples, known.sample);
    for (uint32_t place = 0; place < living.size(); ++place) {
        if (!has_load(known, s, living[place])) continue;
        put_load(known.loads[living[place]], place, forms);
        ++count;
    }
    forms->loads.push_back(count);
}

static void put_hopeless(Kernel* k, SheddingForms* forms) {
    for (const HopelessCell& one : k->shedding->hopeless) {
        StateData* s = &k->now.states[one.state];
        std::vector<uint32_t> living = cells_in_order(s);
        auto at = std::find(living.begin(), living.end(), one.cell);
        if (at != living.end() && s->cells[one.cell].serial == one.serial)
            append(&forms->hopeless, {one.state, uint32_t(at - living.begin())});
    }
}

static void put_known(Kernel* k, SheddingForms* forms) {
    LoadShedding* shedding = k->shedding.get();
    for (const Probing& one : shedding->probing)
        append(&forms->probing, {one.apart, one.share, one.events, one.compared, one.latest});
    for (size_t i = 0; i < shedding->states.size(); ++i) put_state(shedding->states[i], &k->now.states[i], forms);
    for (const CellLoad& load : shedding->staged) put_load(load, 0, forms);
    forms->loads.push_back(shedding->staged.size());
    put_hopeless(k, forms);
}

static void write_shedding(Kernel* k, Archive* a) {
    LoadShedding* shedding = k->shedding.get();
    const Allowance& now = shedding->allowance;
    SheddingForms forms;
    shedding::put_allowance(now, &forms.allowance);
    append(&forms.allowance, {shedding->reckless, double(shedding->learns)});
    shedding::put_offered(now, &forms.allowance);
    forms.yields = {shedding->yields.starts, shedding->yields.found, shedding->yields.worked};
    if (is_known(k)) put_known(k, &forms);
    shedding_fields(shedding, a, &forms);
}

// ── and back ──

struct SheddingReader {
    NumberReader<double> probing;
    NumberReader<double> classes;
    NumberReader<double> values;
    NumberReader<uint64_t> counts;
    NumberReader<uint64_t> loads;
    NumberReader<double> sizes;
    NumberReader<int64_t> ages;
    NumberReader<uint32_t> places;
    NumberReader<word_t> samples;
};

static void take_utility(SheddingReader* from, StateUtility* to) {
    for (ClassUtility& c : to->classes)
        for (double* one : {&c.looks, &c.yield, &c.work, &c.leaving, &c.again, &c.utility, &c.cost})
            *one = take_amount(&from->classes);
    to->most_utility = take_amount(&from->classes);
    to->most_cost = take_amount(&from->classes);
    for (shedding::Quantiles& one : to->values) shedding::take_quantiles(&from->counts, &from->values, &one);
}

static CellLoad take_load(SheddingReader* from, uint32_t* place) {
    CellLoad load;
    for (double& count : load.counts) count = take_amount(&from->sizes);
    load.newest = from->ages.next();
    *place = from->places.next();
    require(-FARTHEST <= load.newest && load.newest <= FARTHEST, "a load is of no age");
    return load;
}

// The cells of a state were read in the order in which they are written.
static void take_loads(StateData* s, StateLoads* known, SheddingReader* from) {
    uint32_t place;
    known->loads.resize(s->cells.size());
    for (uint64_t i = 0, end = from->loads.next(); i < end; ++i) {
        CellLoad load = take_load(from, &place);
        require(place < s->cells.size() && s->cells[place].rows, "a load is of no cell");
        load.serial = s->cells[place].serial;
        known->loads[place] = load;
    }
}

static void take_state(SheddingReader* from, StateData* s, StateLoads* known) {
    take_utility(from, &known->utility);
    known->unworthy = from->counts.next();
    known->cut = from->counts.next();
    known->hopeless = from->counts.next();
    check_counter(known->unworthy | known->cut | known->hopeless);
    if (from->counts.next())
        for (uint32_t i = 0; i < s->width; ++i) known->sample.push_back(from->samples.next());
    take_loads(s, known, from);
}

static void take_probing(NumberReader<double>* numbers, Probing* to) {
    for (double* one : {&to->apart, &to->share, &to->events, &to->compared}) *one = take_amount(numbers);
    to->latest = take_number(numbers);
}

static void take_known(Kernel* k, const SheddingForms& forms) {
    LoadShedding* shedding = k->shedding.get();
    SheddingReader from{{forms.probing}, {forms.classes}, {forms.values}, {forms.counts}, {forms.loads},
        {forms.sizes}, {forms.ages}, {forms.places}, {forms.samples}};
    uint32_t nowhere;
    begin_utilities(k);
    for (Probing& one : shedding->probing) take_probing(&from.probing, &one);
    for (size_t i = 0; i < shedding->states.size(); ++i) take_state(&from, &k->now.states[i], &shedding->states[i]);
    for (uint64_t i = 0, end = from.loads.next(); i < end; ++i) shedding->staged.push_back(take_load(&from, &nowhere));
    require(shedding->staged.size() <= k->now.staged.size(), "more sets are loaded than staged");
    from.probing.end(), from.classes.end(), from.values.end(), from.counts.end();
    from.loads.end(), from.sizes.end(), from.samples.end();
}

static void take_yields(const std::vector<double>& numbers, Yields* to) {
    NumberReader<double> from{numbers};
    for (double* one : {&to->starts, &to->found, &to->worked}) *one = take_amount(&from);
    from.end();
}

static void take_hopeless(Kernel* k, const std::vector<uint32_t>& numbers) {
    NumberReader<uint32_t> from{numbers};
    while (from.at < numbers.size()) {
        uint32_t state = from.next(), place = from.next();
        require(state < k->now.states.size() && place < k->now.states[state].cells.size()
            && k->now.states[state].cells[place].rows, "a cell is hopeless that there is not");
        k->shedding->hopeless.push_back({state, place, k->now.states[state].cells[place].serial});
    }
}

static void take_allowance(const std::vector<double>& numbers, LoadShedding* to) {
    NumberReader<double> from{numbers};
    shedding::take_allowance(&from, &to->allowance);
    to->reckless = take_amount(&from);
    to->learns = take_amount(&from) != 0;  // of what the open tick has staged
    shedding::take_offered(&from, &to->allowance);
    from.end();
    require(to->reckless <= 1, "an allowance is none");
}

// After the cells, whose serials are new.
static void load_shedding(Kernel* k, Archive* a) {
    SheddingForms forms;
    k->shedding = std::make_unique<LoadShedding>();
    shedding_fields(k->shedding.get(), a, &forms);
    require(0 <= k->shedding->position && k->shedding->position <= k->now.seq, "load shedding is ahead of events");
    check_counter(k->shedding->allowance.events | k->shedding->allowance.over | k->shedding->yields.results);
    check_counter(k->shedding->curtailed);
    require(k->shedding->yields.results <= k->results.count, "load shedding has found more than there was");
    take_allowance(forms.allowance, k->shedding.get());
    take_yields(forms.yields, &k->shedding->yields);
    if (!forms.probing.empty()) take_known(k, forms);
    take_hopeless(k, forms.hopeless);
}

}  // namespace spaseq::joins
