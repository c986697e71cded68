// Matches counted by sets: how many members a set has is remembered with its node (`set_counts.hpp`), so that no match
// is visited.  A node is asked once, and what its members are is summed up from the sets that it is made of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nfa_native/joins/prefixes.hpp"
#include "nfa_native/joins/looks.hpp"
#include "nfa_native/joins/nodes.hpp"
#include "nfa_native/joins/sampling.hpp"
#include "nfa_native/joins/state.hpp"
#include "nfa_native/joins/views.hpp"

namespace spaseq::joins {

// Whether each member of a set that is complete is one result, of which nobody wants to know more.
static inline bool is_counted(const Kernel* k) noexcept {
    bool alike = !(k->now.many_rows || k->program->ambiguous || k->now.doubtful || k->program->anchored
        || k->program->sifted);
    return (k->count_only || k->tallies) && alike && k->program->rules == NO_RULES;
}

// Whether it is the set of one match of one event alone.
static inline bool is_leaf(KernelState* now, uint32_t number, uint32_t lo) noexcept {
    const Node* node = node_at(now, number);
    return !(node->label & VIEW) && node->next == 0 && (node->sibling == 0 || !has_live(now, node->sibling, lo));
}

static inline Content content_of(KernelState* now, uint32_t number) noexcept {
    const Node* node = node_at(now, number);
    return {number, node->pos, node->label, node->next, node->sibling};
}

static inline bool is_product(const Node* node) noexcept {
    return (node->label & PRODUCT) && !(node->label & VIEW) && node->label != UNION;
}

// So many members of a set, which is known or of one match, began at `lo` or later; and where the first of them did.
static Tally members_since(Kernel* k, uint32_t number, uint32_t lo) {
    Tally tally;
    tally.begin();
    if (!has_live(&k->now, number, lo)) return tally;
    if (is_leaf(&k->now, number, lo)) tally.add(start_of(&k->now, number), 1);
    else tally.add_all(*k->counter.memory.find(content_of(&k->now, number), lo), lo);
    return tally;
}

// Where members of a set begin, which is known or of one match.
static void note_starts(Kernel* k, uint32_t number, uint32_t lo, std::vector<uint32_t>* starts) {
    if (!has_live(&k->now, number, lo)) return;
    if (is_leaf(&k->now, number, lo)) {
        starts->push_back(start_of(&k->now, number));
        return;
    }
    const Profile* known = k->counter.memory.find(content_of(&k->now, number), lo);
    for (const auto* step = known->from(lo); step != known->end(); ++step) starts->push_back(step->start);
}

// The unions of a product, in which each way of one side meets each of the others: a union begins where its first way
// does, so those since `lo` are as many as ways since `lo`, multiplied.
static void gather_product(Kernel* k, const Node* node, uint32_t lo) {
    std::vector<uint32_t> starts;
    note_starts(k, node->next, lo, &starts);
    note_starts(k, node->sibling, lo, &starts);
    std::sort(starts.begin(), starts.end(), [](uint32_t a, uint32_t b) { return older(b, a); });
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    set_counts::Count before = 0;
    for (uint32_t start : starts) {
        set_counts::Count ways = members_since(k, node->next, start).count;
        set_counts::Count count = set_counts::product(ways, members_since(k, node->sibling, start).count);
        set_counts::Count more = count == set_counts::TOO_MANY ? count : count - before;
        if (more) k->counter.gathering.gather_many(start, more);
        before = count;
    }
}

static inline void visit_part(Kernel* k, uint32_t number, uint32_t lo, bool gathers) {
    if (!has_live(&k->now, number, lo)) return;
    if (is_leaf(&k->now, number, lo)) {
        if (gathers) k->counter.gathering.gather(start_of(&k->now, number));
        return;
    }
    const Profile* known = k->counter.memory.find(content_of(&k->now, number), lo);
    if (gathers) k->counter.gathering.gather_all(*known, lo);
    else if (known == nullptr) k->counter.asked.push_back(number);
}

// The same of a cut, which is made of what its members extend, or of groups of a view.
static void visit_parts_of_cut(Kernel* k, const Node* cut, uint32_t lo, bool gathers) {
    CutPlace place = begin_cut(&k->now, cut);
    while (uint32_t number = next_in_cut(k, cut, &place, lo)) {
        const Node* one = node_at(&k->now, number);
        if (place.in_view) visit_part(k, number, lo, gathers);
        else if (one->next) visit_part(k, one->next, lo, gathers);
        else if (gathers) k->counter.gathering.gather(start_of(&k->now, number));
    }
}

// Of the sets that a node is made of, either gather the members, or ask for those that are not known.
static void visit_parts(Kernel* k, uint32_t number, uint32_t lo, bool gathers) {
    const Node* node = node_at(&k->now, number);
    if (gathers && is_product(node)) {
        gather_product(k, node, lo);
        return;
    }
    if (node->label == CUT) {
        visit_parts_of_cut(k, node, lo, gathers);
        return;
    }
    if (node->label & VIEW) {
        uint32_t before = node->sibling - k->now.lists[node->next].base;
        while (true) {
            int64_t found = group_in_view(k, node, before, lo);
            if (found == NO_GROUP) return;
            before = uint32_t(found);
            visit_part(k, k->now.lists[node->next].groups[found].node, lo, gathers);
        }
    }
    if (node->next) visit_part(k, node->next, lo, gathers);
    else if (gathers) k->counter.gathering.gather(start_of(&k->now, number));
    if (node->sibling) visit_part(k, node->sibling, lo, gathers);
}

// Let the memory know the nodes that were asked for, and first those that they are made of.
static void remember_asked(Kernel* k, uint32_t lo) {
    while (!k->counter.asked.empty()) {
        uint32_t number = k->counter.asked.back();
        size_t before = k->counter.asked.size();
        if (k->counter.memory.find(content_of(&k->now, number), lo) == nullptr) {
            visit_parts(k, number, lo, false);
            if (k->counter.asked.size() > before) continue;
            k->counter.gathering.begin();
            visit_parts(k, number, lo, true);
            k->pause.left -= int64_t(k->counter.gathering.size());
            k->counter.memory.put(content_of(&k->now, number), lo, k->counter.gathering);
        }
        k->counter.asked.pop_back();
    }
}

static void remember(Kernel* k, uint32_t number, uint32_t lo) {
    k->counter.asked.push_back(number);
    remember_asked(k, lo);
}

// Add up the members of a set that is kept.
static inline void tally_set(Kernel* k, uint32_t number, uint32_t lo) {
    --k->pause.left;
    if (!has_live(&k->now, number, lo)) return;
    if (is_leaf(&k->now, number, lo)) {
        k->counter.tally.add(start_of(&k->now, number), 1);
        return;
    }
    remember(k, number, lo);
    k->counter.tally.add_all(k->counter.memory.find(content_of(&k->now, number), lo)[0], lo);
}

// Add up a product that may be gone when its node's number comes again.
static void tally_product(Kernel* k, uint32_t number, uint32_t lo) {
    Tally found;
    found.begin();
    for (bool first = true; number; first = false) {
        const Node* node = node_at(&k->now, number);
        bool goes_on = is_product(node) && (first || (node->label & PART_MASK) > 0);
        uint32_t one = goes_on ? node->next : number;
        if (!has_live(&k->now, one, lo)) return;
        if (!is_leaf(&k->now, one, lo)) remember(k, one, lo);
        Tally members = members_since(k, one, lo);
        if (members.count == 0) return;
        uint32_t start = first || older(members.first, found.first) ? members.first : found.first;
        found.count = first ? members.count : set_counts::product(found.count, members.count);
        found.first = start;
        number = goes_on ? node->sibling : 0;
    }
    k->counter.tally.add(found.first, found.count);
}

// Add up a cut that may be gone when its node's number comes again.
static void tally_cut(Kernel* k, const Node* cut, uint32_t lo) {
    CutPlace place = begin_cut(&k->now, cut);
    while (uint32_t number = next_in_cut(k, cut, &place, lo)) {
        const Node* one = node_at(&k->now, number);
        if (place.in_view) tally_set(k, number, lo);
        else if (one->next) tally_set(k, one->next, lo);
        else k->counter.tally.add(start_of(&k->now, number), 1);
    }
}

// Add up a set that may be gone when its node's number comes again: it is not remembered itself.
static void tally_node(Kernel* k, uint32_t number, uint32_t lo) {
    const Node* node = node_at(&k->now, number);
    if (is_product(node)) {
        tally_product(k, number, lo);
        return;
    }
    if (node->label == CUT) {
        tally_cut(k, node, lo);
        return;
    }
    if (!(node->label & VIEW)) {
        tally_set(k, number, lo);
        return;
    }
    uint32_t before = node->sibling - k->now.lists[node->next].base;
    while (true) {
        int64_t found = group_in_view(k, node, before, lo);
        if (found == NO_GROUP) return;
        before = uint32_t(found);
        tally_set(k, k->now.lists[node->next].groups[found].node, lo);
    }
}

// One result for all members, without picks.
static void write_tally(Kernel* k, int64_t decided) {
    if (k->counter.tally.low() >> 62) {
        k->counter.too_many = true;
        return;
    }
    k->results.first.push_back(event_at(&k->now, k->counter.tally.first)->time);
    const std::vector<Pick>& path = k->scratch.path;
    k->results.last.push_back(path.empty() ? k->now.tick : event_at(&k->now, path.front().pos)->time);
    k->results.decided.push_back(decided);
    k->results.offsets.push_back(int64_t(k->results.atoms.size()));
    k->results.counts.push_back(int64_t(k->counter.tally.low()));
    k->results.words.resize(k->results.words.size() + k->program->result_width, UNBOUND);
}

// Note where the members of a set began that may be gone when its node's number comes again.
static void note_members(Kernel* k, uint32_t number, uint32_t lo) {
    visit_parts(k, number, lo, false);
    remember_asked(k, lo);
    k->counter.gathering.begin();
    visit_parts(k, number, lo, true);
    k->pause.left -= int64_t(k->counter.gathering.size());
    for (const set_counts::Step& one : k->counter.gathering.members())
        if (!older(one.start, lo)) note_begun(k, event_at(&k->now, one.start)->time, double(one.count));
}

// Count the members of a set that began at or after `lo`, each with what was picked since; False: an event may not have
// so many, so that they are listed as far as they may be.
static bool count_set(Kernel* k, uint32_t node, uint32_t lo, int64_t decided) {
    bool lives = node != 0 && has_live(&k->now, node, lo);
    k->counter.tally.begin();
    if (node == 0) {
        k->counter.tally.add(k->scratch.path.back().pos, 1);
    } else if (lives) {
        k->counter.memory.fit(k->now.ring.nodes.size());
        tally_node(k, node, lo);
    }
    if (has_no_room_for(k, double(k->counter.tally.count))) return false;
    if (k->counter.tally.high() || k->results.count + k->counter.tally.low() < k->results.count) {
        k->counter.too_many = true;
        return true;
    }
    k->results.count += k->counter.tally.low();
    note_listed_results(k, double(k->counter.tally.low()));
    if (k->sampling && node == 0) note_begun(k, event_at(&k->now, k->scratch.path.back().pos)->time, 1);
    if (k->sampling && lives) note_members(k, node, lo);
    if (k->tallies && k->counter.tally.low()) write_tally(k, decided);
    return true;
}

}  // namespace spaseq::joins
