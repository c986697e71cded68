// Enumeration where every state is entered from the one before it only: results are rows of one position a state.  What
// is left to a state is the set from which it still has to pick, given what is picked after it.  The sets of one state
// are the same list from different nodes on, the longest one first.  So the picks of the first two states that go with
// the first pick of all others end with those that go with any other one: these pairs are found once for an event, and
// then copied, unless there are very many.  Earns, beside one walk for each match (`python -m benchmarks.ceql`): P6 in
// 40 s from Arrow to Arrow 2.9 times its speed.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/table.hpp"

namespace spaseq::events {

// Room for more than `count` rows, of which there will be up to `most`; False: there is no memory for them.
static bool make_rows(Recognition* r, size_t count, size_t most) noexcept {
    Table* t = r->scratch.table;
    size_t room = t->memory == nullptr ? t->room : 2 * t->room;
    if (t->memory != nullptr && count < t->room) return true;
    room = std::max(count + 1, std::min(most, std::max(room, size_t(FEW_ROWS))));
    int64_t* memory = static_cast<int64_t*>(malloc(2 * t->width * line_of(room) * sizeof(int64_t)));
    if (memory == nullptr) {
        r->scratch.is_full = true;
        return false;
    }
    move_rows(t, count, memory, line_of(room));
    t->room = room;
    return true;
}

// The state whose pick is the event; of two states, the second one picks nothing else.
static inline size_t last_level(const Table* t) noexcept { return std::max(t->width - 1, size_t(2)); }

// The last event is picked.
static void begin_rows(Recognition* r) noexcept {
    Table* t = r->scratch.table;
    uint32_t node = r->scratch.endings[0].node;
    assert(t->width > 1 && r->scratch.endings.size() == 1);
    t->firsts.clear();
    t->seconds.clear();
    t->groups.clear();
    t->group = t->pair = 0;
    t->is_met = t->are_many = false;
    t->level = last_level(t) - 1;
    (*t->picked.data()).left = NO_NODE;
    t->picked.data()[t->level].left = t->width == 2 ? node : match_node(&r->state, node)->next;
    set_pick(t, t->width - 1, r->state.position);
}

// All of them are written; others will be met again when they are left to the first two states.
static void forget_pairs(Table* t) {
    Second last{t->groups.back().position, 0};
    assert(t->pair == t->firsts.size());
    t->are_many = true;
    t->pair = 0;
    t->firsts.clear();
    t->seconds.clear();
    t->groups.assign(1, last);
}

// The next pairs have this pick of the second state.
static inline void meet_second(Table* t, int64_t position) { t->groups.push_back({position, t->firsts.size()}); }

// The next pairs of the first two states, as many as are missing.
static void meet_pairs(Recognition* r, int64_t least, size_t missing) {
    Table* t = r->scratch.table;
    Picked* first = t->picked.data();
    Picked* second = first + 1;
    while (missing) {
        if (is_young(&r->state, first->left, least)) {
            const MatchNode* node = match_node(&r->state, first->left);
            t->firsts.push_back(position_of(&r->state, node->pos));
            t->seconds.push_back(t->groups.back().position);
            first->left = node->sibling;
            --missing;
        } else if (is_young(&r->state, second->left, least)) {
            const MatchNode* node = match_node(&r->state, second->left);
            meet_second(t, position_of(&r->state, node->pos));
            first->left = node->next;
            second->left = node->sibling;
        } else {
            t->is_met = true;
            return;
        }
    }
}

// Write matches that differ in their first two events only, until there are `end`, or no more.
static inline void write_some(Recognition* r, int64_t least, size_t end) {
    Table* t = r->scratch.table;
    if (!t->is_met) {
        if (t->firsts.size() > MOST_PAIRS) forget_pairs(t);
        meet_pairs(r, least, end - r->scratch.found.count);
    }
    size_t more = std::min(end - r->scratch.found.count, t->firsts.size() - t->pair);
    write_pairs(t, r->scratch.found.count, more);
    r->scratch.found.count += more;
    t->pair += more;
    if (t->is_met && t->pair == t->firsts.size()) t->level = 2;
}

// Where the pairs begin that are left to the first two states.
static void find_pairs(Recognition* r, int64_t least) noexcept {
    Table* t = r->scratch.table;
    const Second* groups = t->groups.data();
    size_t count = t->groups.size();
    uint32_t number = t->picked.data()[1].left;
    t->pair = t->firsts.size();
    if (!is_young(&r->state, number, least)) return;
    int64_t position = position_of(&r->state, match_node(&r->state, number)->pos);
    while (t->group > 0 && groups[t->group - 1].position <= position) --t->group;
    while (t->group < count - 1 && groups[t->group].position > position) ++t->group;
    assert(groups[t->group].position == position);
    t->pair = groups[t->group].begin;
}

// Write matches until there are `end`, or no more: `level` is then that of the last event.
static void walk_rows(Recognition* r, int64_t least, size_t end, size_t most) {
    Table* t = r->scratch.table;
    while (t->level < last_level(t) && r->scratch.found.count < end) {
        Picked* one = t->picked.data() + t->level;
        if (t->level == 1) {
            if (!make_rows(r, r->scratch.found.count, most)) return;
            write_some(r, least, std::min(end, t->room));
        } else if (is_young(&r->state, one->left, least)) {
            const MatchNode* node = match_node(&r->state, one->left);
            assert(node->state == t->level);
            pick(t, t->level, position_of(&r->state, node->pos), r->scratch.found.count);
            one->left = node->sibling;
            --t->level;
            t->picked.data()[t->level].left = node->next;
            if (t->level == 1 && t->are_many) t->is_met = false;
            else if (t->level == 1 && t->is_met) find_pairs(r, least);
        } else {
            ++t->level;
        }
    }
}

// Write matches of the last event until there are `most` in all; whether that was the last of them.
static bool enumerate_rows(Recognition* r, size_t most) {
    Table* t = r->scratch.table;
    size_t before = r->scratch.found.count;
    size_t end = r->scratch.limit < 0 ? most : std::min(most, before + size_t(r->scratch.limit - r->scratch.given));
    if (r->scratch.ending != 0) {
        r->scratch.ending = 0;
        begin_rows(r);
    }
    begin_columns(t, before);
    if (make_rows(r, before, most)) {
        walk_rows(r, r->scratch.endings[0].least, end, most);
        fill_columns(t, r->scratch.found.count);
    }
    r->scratch.given += int64_t(r->scratch.found.count - before);
    bool has_more = t->level < last_level(t);
    r->scratch.enumerating = has_more && r->scratch.given != r->scratch.limit;
    if (r->scratch.given == r->scratch.limit) curtail(r, has_more);
    return !r->scratch.enumerating;
}

}  // namespace spaseq::events
