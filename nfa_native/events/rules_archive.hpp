// The partitions of rules in an archive.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nfa_native/core/archive.hpp"
#include "nfa_native/core/limits.hpp"
#include "nfa_native/events/state.hpp"

namespace spaseq::events {

static void rule_fields(Archive* a, std::vector<uint32_t>* met, std::vector<Owned>* owned) {
    a->store("rules", 1);
    a->numbers("met", *met);
    a->field("partition", *owned, &Owned::partition);
    a->field("rule", *owned, &Owned::rule);
}

static void write_rules(Recognition* r, Archive* a) {
    rule_fields(a, &r->rules->met, &r->rules->owned);
}

// Of as many rules as are known; each has a partition once.
static void load_rules(Recognition* r, Archive* a) {
    Rules* rules = r->rules;
    size_t count = rules->count;
    rule_fields(a, &rules->met, &rules->owned);
    require(rules->met.size() == count, "there are other rules");
    for (uint32_t met : rules->met)
        require(met < uint32_t(1) << rules->conditions.size(), "a rule has met what it does not ask for");
    require(r->program.partitioned || rules->owned.size() == count, "rules have partitions");
    rules->numbers.clear();
    for (uint32_t i = 0; i < rules->owned.size(); ++i) {
        const Owned& one = rules->owned[i];
        require(one.partition < r->state.locals.size() && one.rule < count, "a partition is of no rule");
        require(r->program.partitioned || one.rule == i, "rules are not in order");
        if (!r->program.partitioned) continue;
        require(find_owned(rules, one) == rules->owned.size(), "a rule has a partition twice");
        enter_owned(rules, i);
    }
}

}  // namespace spaseq::events
