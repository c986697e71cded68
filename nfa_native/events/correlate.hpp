// The step of automata with registers: an event enters states from the groups that pass.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "nfa_native/events/apart.hpp"
#include "nfa_native/events/compact.hpp"
#include "nfa_native/events/lists.hpp"
#include "nfa_native/events/nodes.hpp"
#include "nfa_native/events/questions.hpp"
#include "nfa_native/events/shedding.hpp"
#include "nfa_native/events/state.hpp"
#include "nfa_native/events/step.hpp"
#include "nfa_native/events/views.hpp"

namespace spaseq::events {

static inline int64_t changed(Recognition* r, const UpdateSpec* update, int64_t old) {
    if (update->change == Change::KEEP) return old;
    if (update->change == Change::LIST) return listed(r, old);
    int64_t value = r->correlating->columns[update->column][r->correlating->at];
    if (update->change == Change::GREATER) return std::max(old, value);
    return old == NOT_SET || old == value ? value : NO_VALUE;
}

// ── registers ──

// Into `registers`: what they become with the event, by `count` updates.
static inline void updated(Recognition* r, uint32_t first, uint32_t count, const int64_t* before) {
    Correlating* c = r->correlating;
    for (uint32_t i = 0; i < count; ++i) {
        const UpdateSpec* update = c->updates.data() + first + i;
        if (update->change == Change::COMPUTED) {
            c->registers.data()[i] = computed(c, update, before);
            continue;
        }
        int64_t old = update->register_ < 0 ? NOT_SET : before[update->register_];
        c->registers.data()[i] = changed(r, update, old);
    }
}

// Note that the event adds to a group, if nothing of it does yet.
static void touch_group(Recognition* r, uint32_t list, int64_t number) {
    GroupList* groups = list_at(r->correlating, list);
    if (groups->arriving.data()[number - groups->base].youngest == NEVER)
        r->correlating->touched.push_back({number, list, false});
}

// The group that the registers would have is there already; one with a list of events of its own is not.
static bool is_merged_already(
    Recognition* r, const TransitionSpec* transition, uint32_t state, uint32_t partition, const int64_t* before,
    int64_t least
) {
    Correlating* c = r->correlating;
    uint32_t width = c->cells[state].width, list;
    int64_t number;
    if (c->cells[state].kind != RegisterCells::MERGED) return false;
    for (uint32_t i = 0; i < width; ++i)
        if (c->updates[transition->first_update + i].change == Change::LIST) return false;
    updated(r, transition->first_update, width, before);
    uint64_t hash = hash_of_registers(partition, state, c->registers.data(), width);
    return find_merged(r, partition, state, c->registers.data(), hash, least, &list, &number);
}

// Whether the set is left out that takes a transition out of a group with these registers.
[[gnu::noinline]] static bool is_step_left_out(
    Recognition* r, const TransitionSpec* transition, uint32_t state, uint32_t partition, const int64_t* before,
    const Head& set, int64_t least
) {
    if (!knows_worth(r)) {
        if (enters_one_by_one(r->correlating, state)) spend(r, STEP_WORK);
        return false;
    }
    const GroupWorth& worth = r->shedding->states[state];
    uint32_t age = age_since(*r->shedding, set.youngest);
    uint32_t first = r->correlating->cells[state].kind == RegisterCells::GROUPS
        ? r->correlating->cells[state].first_update : transition->first_update;
    EntryWorth entry = worth_of_entry(r, state, worth.judged ? bucket_entered(r, state, first, before) : 0, age);
    bool left_out = enters_one_by_one(r->correlating, state)
        && is_left_out(r, state, entry, set.load, is_merged_already(r, transition, state, partition, before, least));
    if (!left_out && enters_one_by_one(r->correlating, state)) spend(r, STEP_WORK);
    if (!left_out && before != nullptr) note_step(r, transition->source, before, set.youngest, state, entry);
    return left_out;
}

// A set of partial matches with these registers takes a transition.
static void take_along(
    Recognition* r, uint32_t number, uint32_t state, uint32_t partition, const int64_t* registers, uint32_t node,
    int64_t youngest, float load, int64_t least, Head* before
) {
    Correlating* c = r->correlating;
    uint32_t list_number;
    int64_t group;
    if (!has_room(r)) return;
    if (r->shedding
        && is_step_left_out(r, &c->transitions[number], state, partition, registers, {youngest, node, load}, least)) return;
    if (!enters_one_by_one(c, state)) {
        unite(&r->state, before, node, youngest);
        before->load += load;
        return;
    }
    updated(r, c->transitions[number].first_update, c->cells[state].width, registers);
    if (c->cells[state].kind == RegisterCells::APART) {
        enter_apart(r, state, partition, node, youngest, load, least);
        return;
    }
    merged_group(r, partition, state, c->registers.data(), least, &list_number, &group);
    touch_group(r, list_number, group);
    Head* arriving = &list_at(c, list_number)->arriving.data()[group - list_at(c, list_number)->base];
    unite(&r->state, arriving, node, youngest);
    arriving->load += load;
}

// From a state without registers.
static void follow_head(
    Recognition* r, uint32_t number, uint32_t state, uint32_t partition, int64_t local, int64_t least, Head* before
) {
    const TransitionSpec* transition = &r->correlating->transitions[number];
    size_t cell = partition * r->program.width + transition->source;
    Head found = r->state.heads[cell];
    if (transition->contiguous) {
        found.node = r->state.last[cell].local == local - 1 ? r->state.last[cell].node : uint32_t(NO_NODE);
        found.youngest = r->state.last[cell].youngest;
        found.load = 1;
    }
    if (found.node != NO_NODE && !is_over(&r->program, found.youngest, least))
        take_along(r, number, state, partition, nullptr, found.node, found.youngest, found.load, least, before);
}

// What the event has for each guard.
static inline void read_bounds(Correlating* c, const TransitionSpec* transition) noexcept {
    const GuardSpec* guards = c->guards.data() + transition->first_guard;
    for (uint32_t i = 0, i_end = transition->guards; i < i_end; ++i)
        c->bounds.data()[i] = c->columns.data()[guards[i].column][c->at];
}

// From the groups that entered with the event right before this one.
static void follow_recent(
    Recognition* r, uint32_t number, uint32_t state, uint32_t partition, int64_t local, int64_t least, Head* before
) {
    Correlating* c = r->correlating;
    const TransitionSpec* transition = &c->transitions[number];
    const Recent* recent = &c->recents[partition * r->program.width + transition->source];
    uint32_t width = c->cells[transition->source].width;
    c->candidates.clear();
    if (recent->local != local - 1) return;
    for (size_t i = 0, i_end = recent->nodes.size(); i < i_end; ++i) {
        if (!is_over(&r->program, recent->youngest.data()[i], least)
            && pass_all(recent->registers.data() + i * width, c->guards.data() + transition->first_guard,
                transition->guards, c->bounds.data())) {
            c->candidates.push_back(int64_t(i));
        }
    }
    spend(r, double(c->candidates.size()));
    ask_all(r, transition, recent->registers.data(), width);
    for (size_t i = 0, i_end = c->candidates.size(); i < i_end; ++i) {
        size_t place = size_t(c->candidates[i]);
        take_along(r, number, state, partition, recent->registers.data() + place * width, recent->nodes.data()[place],
            recent->youngest.data()[place], 1, least, before);
    }
}

// From a list of groups, one after the other.
static void follow_groups(
    Recognition* r, uint32_t number, uint32_t state, uint32_t list_number, int64_t least, Head* before
) {
    Correlating* c = r->correlating;
    const TransitionSpec* transition = &c->transitions[number];
    GroupList* list = list_at(c, list_number);
    int64_t floor = r->program.rises ? std::max(least, NEVER + 1) : NEVER + 1;
    int64_t place = int64_t(groups_of(list));
    bool knows = knows_worth(r), has_loads = r->shedding != nullptr;
    c->candidates.clear();
    while (true) {
        place = group_before(list, place, view_guards(c, transition), condition_count(transition),
            c->bounds.data() + transition->keyed, floor, &c->scanned);
        if (place < 0) break;
        if (knows && has_no_units(r, c->candidates.size())) {
            cut_look(r, transition->source);
            break;
        }
        c->candidates.push_back(place);
    }
    if (r->shedding) look_at_groups(r, transition->source, list);
    ask_all(r, transition, list->records.data() + 1, list->width);
    for (size_t i = 0, i_end = c->candidates.size(); i < i_end; ++i) {
        if (r->scratch.is_full || r->scratch.is_stopped) return;
        place = c->candidates[i];
        float load = has_loads ? load_of_group(list, size_t(place)) : 1;
        take_along(r, number, state, list->partition, record_of(list, size_t(place)) + 1, list->nodes[place],
            youngest_in(list, size_t(place)), load, least, before);
    }
}

// From a list of groups: as a view, if the state has one group or set for all.
static inline void follow_list(
    Recognition* r, uint32_t number, uint32_t state, uint32_t list_number, int64_t least, Head* before
) {
    Correlating* c = r->correlating;
    const TransitionSpec* transition = &c->transitions[number];
    size_t count = condition_count(transition);
    const int64_t* bounds = c->bounds.data() + transition->keyed;
    int64_t floor = r->program.rises ? least : NEVER;
    int64_t youngest;
    if (list_number == NO_LIST) return;
    GroupList* list = list_at(c, list_number);
    if (enters_one_by_one(c, state) || enters_one_by_one(c, transition->source)
        || (transition->questions || count > VIEW_BOUNDS)) {
        follow_groups(r, number, state, list_number, least, before);
        return;
    }
    if (transition->by_skyline) {
        ++c->scanned;
        youngest = youngest_below(&list->skyline, *bounds, floor);
    } else {
        youngest = youngest_of(list, view_guards(c, transition), count, bounds, floor, &c->scanned);
    }
    if (youngest == NEVER || !has_room(r)) return;
    float load = r->shedding ? load_of_view(r, transition->source, view_guards(c, transition), count, bounds) : 1;
    join(&r->state, before, {youngest, add_view(r, list_number, number, bounds, count, youngest, least), load});
}

// What comes by a transition: into `before`, or to the groups of the state.
static inline void follow(
    Recognition* r, uint32_t number, uint32_t state, uint32_t partition, int64_t local, int64_t least, Head* before
) {
    Correlating* c = r->correlating;
    const TransitionSpec* transition = &c->transitions[number];
    if (c->cells.data()[transition->source].kind == RegisterCells::HEAD) {
        follow_head(r, number, state, partition, local, least, before);
        return;
    }
    read_bounds(c, transition);
    if (transition->contiguous) {
        follow_recent(r, number, state, partition, local, least, before);
    } else if (!transition->keyed) {
        follow_list(r, number, state, find_list(r, partition, transition->source, 0), least, before);
    } else {
        follow_list(r, number, state, find_list(r, partition, transition->source, c->bounds[0]), least, before);
        follow_list(r, number, state, find_list(r, partition, transition->source, NOT_SET), least, before);
    }
}

// The node of the event after a set; of a view, which is the event's own, they are one.
static inline uint32_t pick_after(Recognition* r, uint32_t state, uint32_t before, int64_t youngest) noexcept {
    MatchNode* node = match_node(&r->state, before);
    if (node->state != VIEW) return add_node(&r->state, state, uint32_t(r->state.position), before, NO_NODE, youngest);
    node->state = state | OF_VIEW;
    node->next = node->pos;
    node->pos = uint32_t(r->state.position);
    return before;
}

// The event added to what was there before it, and alone if it may begin a match.
static inline Head arrive(Recognition* r, uint32_t state, Head before, int64_t start) noexcept {
    uint32_t pos = uint32_t(r->state.position);
    Head after;
    if (before.node != NO_NODE)
        after = {before.youngest, pick_after(r, state, before.node, before.youngest), before.load};
    if (start != NEVER) join(&r->state, &after, {start, add_node(&r->state, state, pos, NO_NODE, NO_NODE, start), 1});
    return after;
}

static void note_recent(
    Recognition* r, uint32_t state, uint32_t partition, const int64_t* registers, uint32_t node, int64_t youngest
) {
    if (!r->program.entries[state].waits_next) return;
    Recent* recent = &r->correlating->recents[partition * r->program.width + state];
    recent->registers.insert(recent->registers.end(), registers, registers + r->correlating->cells[state].width);
    recent->nodes.push_back(node);
    recent->youngest.push_back(youngest);
}

// Whether what entered with the event, whose registers are known, is no group.
[[gnu::noinline]] static bool is_group_left_out(Recognition* r, uint32_t state, const Head& one) noexcept {
    if (!knows_worth(r)) return false;
    uint32_t bucket = bucket_of_group(r, state, r->correlating->registers.data());
    EntryWorth entry = worth_of_entry(r, state, bucket, age_since(*r->shedding, one.youngest));
    entry.matches -= double(r->program.entries[state].final);  // it has ended
    return is_left_out(r, state, entry, one.load, false);
}

// The last group of the list is new.
[[gnu::noinline]] static void note_single(Recognition* r, GroupList* list, uint32_t state, const Head& one) {
    set_load(list, groups_of(list) - 1, one.load);
    note_group(r, state, list->record(groups_of(list) - 1) + 1, one);
}

// All that entered with the event is a group of its own.
static inline void settle_group(Recognition* r, const Head* one, uint32_t state, uint32_t partition, int64_t least) {
    Correlating* c = r->correlating;
    const CellSpec* cell = c->cells.data() + state;
    const EntrySpec* entry = r->program.entries.data() + state;
    updated(r, cell->first_update, cell->width, nullptr);
    end_with(r, entry, one, least);
    if (r->shedding && is_group_left_out(r, state, *one)) return;
    if (entry->waits_next) note_recent(r, state, partition, c->registers.data(), one->node, one->youngest);
    if (!entry->waits) return;
    uint32_t number = list_for(r, partition, state, c->registers.data(), least);
    GroupList* list = list_at(c, number);
    if (r->program.rises) drop_front(list, least);
    add_group(list, c->registers.data(), one->node, one->youngest);
    if (r->shedding) note_single(r, list, state, *one);
    if (cell->skyline >= 0) {
        if (r->program.rises) drop_steps(&list->skyline, least);
        add_step(&list->skyline, c->registers.data()[cell->skyline], one->youngest);
    }
}

static inline void enter_swiftly(Recognition* r, uint32_t state, uint32_t partition, int64_t start, int64_t least) {
    const CellSpec* cell = r->correlating->cells.data() + state;
    const EntrySpec* entry = r->program.entries.data() + state;
    Head before;
    for (uint32_t i = 0; i < cell->transitions; ++i)
        follow(r, cell->first_transition + i, state, partition, 0, least, &before);
    Head one = arrive(r, state, before, entry->initial ? start : NEVER);
    if (one.node == NO_NODE) return;
    note_arrival(r, entry->initial && start != NEVER);
    if (cell->kind == RegisterCells::HEAD) complete_entry(r, entry, &one, partition, 0, least);
    else settle_group(r, &one, state, partition, least);
}

// As `take_correlated`.
static inline bool take_swiftly(
    Recognition* r, const SymbolSpec* symbol, uint32_t partition, int64_t start, int64_t least
) {
    make_room(r, start, least, r->program.most_nodes);
    if (r->scratch.is_full) return false;
    for (uint32_t i = symbol->begin, i_end = symbol->end; i < i_end; ++i)
        enter_swiftly(r, r->program.entered.data()[i].state, partition, start, least);
    return !r->scratch.endings.empty();
}

// Whether a match of the event alone, whose registers are known, is left out.
static bool is_beginning_left_out(Recognition* r, uint32_t state, int64_t start) noexcept {
    uint32_t bucket = bucket_of_group(r, state, r->correlating->registers.data());
    return is_left_out(r, state, worth_of_entry(r, state, bucket, age_since(*r->shedding, start)), 1, false);
}

// A match of the event alone is to be in the merged group with its registers.
static void begin_group(Recognition* r, uint32_t state, uint32_t partition, int64_t start, int64_t least) {
    Correlating* c = r->correlating;
    uint32_t list;
    int64_t number;
    updated(r, c->cells[state].first_begin, c->cells[state].width, nullptr);
    if (knows_worth(r) && is_beginning_left_out(r, state, start)) return;
    note_arrival(r, true);
    merged_group(r, partition, state, c->registers.data(), least, &list, &number);
    touch_group(r, list, number);
    Head* arriving = &list_at(c, list)->arriving.data()[number - list_at(c, list)->base];
    if (arriving->youngest == NEVER) arriving->youngest = start;
    auto is_group = [&](const Touched& one) { return one.list == list && one.number == number; };
    auto touched = std::find_if(c->touched.rbegin(), c->touched.rend(), is_group);
    if (touched != c->touched.rend()) touched->begins = true;
}

}  // namespace spaseq::events
